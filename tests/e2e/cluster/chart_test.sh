#!/usr/bin/env bash
# chart_test.sh: the chart is clean under helm with each of values/*.yaml, and refuses what is misspelt or makes
# no sense. What it renders is held against Kubernetes' schemas where kubeconform is ($KUBECONFORM or the PATH;
# Debian has none, so not in CI). Exit 77: skipped, and why.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
chart=$(cd "$here/../../../helm/tidemark" && pwd)
. "$here/peer_helm.sh"
. "$here/../peers/peer_python.sh"
helm=$(peer_helm)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail() { echo "FAILED: $*" >&2; failures=$((failures + 1)); }

# The versions of Kubernetes that the chart is rendered for.
versions=(1.27.0 1.37.0)

render() { "$helm" template trial "$chart" --namespace bench "$@"; }

accepts() {
  local values=$1 name version
  name=$(basename "$values" .yaml)
  "$helm" lint --strict --quiet -f "$values" "$chart" || fail "helm lint --strict with $name"
  for version in "${versions[@]}"; do
    render -f "$values" --kube-version "$version" >"$work/$name.yaml" 2>"$work/err" || fail "helm template with $name: $(cat "$work/err")"
    [ ! -s "$work/err" ] || fail "helm template with $name warns: $(cat "$work/err")"
  done
}

# refuses SENTENCE ARGUMENTS…: helm fails, and says so.
refuses() {
  local sentence=$1; shift
  if render --kube-version 1.37.0 "$@" >/dev/null 2>"$work/err"; then
    fail "accepted: $*"
  elif ! grep -qF -- "$sentence" "$work/err"; then
    fail "$*: says \"$(cat "$work/err")\", not \"$sentence\""
  fi
}

# every pod: restricted, no API token; every container: probes, limits, a read-only root.
is_restricted() {
  "$python" "$here/restricted_pods.py" "$@" || fail "pods are not restricted"
}

conforms() {
  local kubeconform=${KUBECONFORM:-$(command -v kubeconform || true)} schemas="$work/schemas"
  if [ -z "$kubeconform" ]; then
    echo "not held against Kubernetes' schemas: no kubeconform here (set KUBECONFORM)" >&2
    return
  fi
  local version=1.37.0
  "$python" "$here/kubernetes_schemas.py" "$schemas" "$version" || { fail "no schemas"; return; }
  # Kinds of other projects; their operators check them.
  "$kubeconform" -strict -summary -kubernetes-version "$version" -skip Certificate,ServiceMonitor \
    -schema-location "$schemas/{{.ResourceKind}}{{.KindSuffix}}.json" "$@" || fail "kubeconform"
}

: >"$work/default-values.yaml"
for values in "$work/default-values.yaml" "$here"/values/*.yaml; do accepts "$values"; done
rendered=("$work"/{default-values,tls,plaintext,monitored,agents_only}.yaml)

refuses "additional properties 'replica' not allowed" --set agents.replica=3
refuses "additional properties 'tsl' not allowed" --set tsl.enabled=false
refuses "additional properties 'request' not allowed" --set agents.resources.request.cpu=1
refuses "at '/agents/replicas': got string, want integer" --set-string agents.replicas=3
refuses "at '/log/level': value must be one of" --set log.level=verbose
refuses "missing property 'hosts'" \
  --set 'agents.endpointSecrets[0].name=K,agents.endpointSecrets[0].existingSecret=s,agents.endpointSecrets[0].key=k'
refuses "tls.certManager.issuerRef.name is empty" --set tls.certManager.enabled=true
refuses "agents.coordinator is empty and coordinator.enabled is false" --set coordinator.enabled=false
refuses "give one of both" --set agents.spreadOverNodes=required \
  --set-json 'agents.affinity={"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[]}}'

python=$(peer_python kubernetes PyYAML==6.0.3 kubernetes-validate==1.37.0)
is_restricted "${rendered[@]}"
conforms "${rendered[@]}"

[ "$failures" -eq 0 ] || exit 1
echo "chart: ${#rendered[@]} sets of values rendered for Kubernetes ${versions[*]}"
