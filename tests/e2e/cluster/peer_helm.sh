# peer_helm: prints the path of a helm: $HELM, that of the PATH, or one built here once from its Go module.
# Sourced by the tests of the chart; Debian has no helm, and nothing else of the project needs it. Ends the
# shell with 77 (ctest: skipped) and the reason where there is neither helm nor Go, or no network.

peer_helm() {
  if [ -n "${HELM:-}" ]; then echo "$HELM"; return; fi
  if command -v helm; then return; fi
  local version=v3.22.0 root="${XDG_CACHE_HOME:-$HOME/.cache}/tidemark-peers"
  if [ ! -x "$root/helm-$version" ]; then
    command -v go >/dev/null || { echo "skipped: needs helm, or Go to build it" >&2; exit 77; }
    mkdir -p "$root"
    if ! GOBIN="$root/helm-new" nice go install "helm.sh/helm/v3/cmd/helm@$version" >"$root/helm.log" 2>&1; then
      echo "skipped: helm can't be built here: $(tail -n 1 "$root/helm.log")" >&2
      exit 77
    fi
    mv "$root/helm-new/helm" "$root/helm-$version"
  fi
  echo "$root/helm-$version"
}
