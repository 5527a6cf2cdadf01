#!/usr/bin/env bash
# kubernetes_test.sh BIN_DIR: the chart in a real Kubernetes, in a namespace of its own that admits restricted pods
# only: mutual TLS, a sweep from here through a port-forward, an upgrade that restarts everything, a sweep again.
# Needs $KUBECONFIG, kubectl, helm, and $TIDEMARK_IMAGE (REPOSITORY:TAG) that the nodes have or can pull. Exit 77:
# skipped, and why.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
bin=$1
. "$here/peer_helm.sh"
skip() { echo "skipped: $*" >&2; exit 77; }
[ -n "${KUBECONFIG:-}" ] || skip "KUBECONFIG names no cluster"
[ -n "${TIDEMARK_IMAGE:-}" ] || skip "TIDEMARK_IMAGE names no image"
command -v kubectl >/dev/null || skip "needs kubectl"
helm=$(peer_helm)

umask 077  # the token and keys are for this user
space=tidemark-test-$$
work=$(mktemp -d)
forward=
cleanup() {
  local code=$?
  if [ $code -ne 0 ]; then
    kubectl -n "$space" get pods,events >&2 || true
    for pod in $(kubectl -n "$space" get pods -o name); do echo "--- $pod"; kubectl -n "$space" logs "$pod" --tail 30; done >&2 || true
  fi
  [ -z "$forward" ] || kill "$forward" 2>/dev/null || true
  "$helm" uninstall trial -n "$space" >/dev/null 2>&1 || true
  kubectl delete namespace "$space" --wait=false >/dev/null || true
  rm -rf "$work"
}
trap cleanup EXIT

secret() { kubectl -n "$space" create secret generic "$@" >/dev/null; }

kubectl create namespace "$space" >/dev/null
kubectl label namespace "$space" pod-security.kubernetes.io/enforce=restricted pod-security.kubernetes.io/warn=restricted >/dev/null

coordinator=trial-tidemark-coordinator
"$root/deploy/tls/make-test-certs.sh" "$work/certs" --coordinator "$coordinator.$space.svc,localhost" --agent --client tester
cd "$work/certs"
secret $coordinator-tls --from-file=tls.crt=coordinator.crt --from-file=tls.key=coordinator.key --from-file=ca.crt
secret trial-tidemark-agent-tls --from-file=tls.crt=agent.crt --from-file=tls.key=agent.key --from-file=ca.crt
token=$(openssl rand -hex 16)
printf %s "$token" >"$work/token"
secret tokens --from-literal=tokens="tester $(printf %s "$token" | sha256sum | cut -d' ' -f1)"
secret endpoint --from-literal=api-key="$(openssl rand -hex 16)"
key=$(kubectl -n "$space" get secret endpoint -o jsonpath='{.data.api-key}' | base64 -d)

cat >"$work/values.yaml" <<VALUES
image: {repository: "${TIDEMARK_IMAGE%:*}", tag: "${TIDEMARK_IMAGE##*:}", pullPolicy: IfNotPresent}
coordinator:
  persistence: {enabled: false}
  tokens: {existingSecret: tokens}
  resources: {requests: {cpu: 100m, memory: 128Mi}, limits: {memory: 512Mi}}
agents:
  replicas: 2
  resources: {requests: {cpu: 100m, memory: 128Mi}, limits: {memory: 512Mi}}
  allowTargets: [trial-tidemark-simulator]
  endpointSecrets: [{name: SIM_KEY, existingSecret: endpoint, key: api-key, hosts: ["http://trial-tidemark-simulator"]}]
simulator:
  enabled: true
  args: ["--require-key=$key"]
  resources: {requests: {cpu: 100m, memory: 64Mi}, limits: {memory: 256Mi}}
VALUES

# What the API server warns of (a pod that is not restricted, a field that it does not know) fails the test.
install() {
  "$helm" upgrade --install trial "$root/helm/tidemark" -n "$space" -f "$work/values.yaml" --wait --timeout 120s "$@" \
    >"$work/notes" 2>"$work/warnings"
  if [ -s "$work/warnings" ]; then cat "$work/warnings" >&2; return 1; fi
}

as_client() {
  local verb=$1; shift
  "$bin/tidemark" "$verb" --coordinator "localhost:$port" --tls-cert "$work/certs/client-tester.crt" \
    --tls-key "$work/certs/client-tester.key" --tls-ca "$work/certs/ca.crt" --token-file "$work/token" "$@"
}

# Forwards a free port of this host to the coordinator, and waits for both agents.
connect() {
  [ -z "$forward" ] || { kill "$forward" 2>/dev/null; wait "$forward" 2>/dev/null || true; }
  kubectl -n "$space" port-forward "pod/$coordinator-0" :7070 >"$work/forward" 2>&1 &
  forward=$!
  for _ in $(seq 100); do grep -q '^Forwarding from 127' "$work/forward" && break; sleep 0.1; done
  port=$(sed -n 's/^Forwarding from 127.0.0.1:\([0-9]*\).*/\1/p' "$work/forward")
  for _ in $(seq 60); do
    as_client agents >"$work/agents" 2>&1 || true
    if grep -q trial-tidemark-agent-0 "$work/agents" && grep -q trial-tidemark-agent-1 "$work/agents"; then return; fi
    sleep 1
  done
  cat "$work/agents" >&2
  return 1
}

sweep() {
  as_client sweep --url http://trial-tidemark-simulator:8000 --api-key-env SIM_KEY --concurrency 4,8 --request-count 60 \
    --output-dir "$work/$1"
  [ "$(grep -c '"concurrency"' "$work/$1/result.json")" -gt 0 ]
}

cd "$work"
install
connect
sweep first
install --set log.level=debug
kubectl -n "$space" rollout status "statefulset/$coordinator" --timeout 60s
kubectl -n "$space" rollout status statefulset/trial-tidemark-agent --timeout 60s
connect
sweep second
kubectl -n "$space" get pods -o jsonpath='{range .items[*]}{.metadata.name}{" restarts "}{.status.containerStatuses[0].restartCount}{"\n"}{end}' |
  tee "$work/restarts"
! grep -v 'restarts 0$' "$work/restarts" || { echo "a pod was restarted" >&2; exit 1; }
if kubectl -n "$space" logs "$coordinator-0" | grep -qF -e "$key" -e "$token"; then echo "a secret is in the log" >&2; exit 1; fi
echo "kubernetes: installed restricted, swept, upgraded, swept again"
