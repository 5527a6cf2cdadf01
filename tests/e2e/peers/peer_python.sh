# peer_python NAME PACKAGE…: makes a virtual environment with these packages of PyPI, once, and prints
# its python. Sourced by the tests against programs that are not ours; none of them is needed to build
# or to run Tidemark. Ends the shell with 77 (ctest: skipped) and the reason where Python or the
# network is missing; any other failure is one.

peer_skip() { echo "skipped: $*" >&2; exit 77; }

peer_install() {
  local folder=$1; shift
  if command -v uv >/dev/null; then
    uv venv --quiet "$folder" && uv pip install --quiet --python "$folder/bin/python" "$@"
  else
    python3 -m venv "$folder" && "$folder/bin/python" -m pip install --quiet --disable-pip-version-check "$@"
  fi
}

peer_python() {
  local root="${XDG_CACHE_HOME:-$HOME/.cache}/tidemark-peers" name=$1; shift
  command -v uv >/dev/null || python3 -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' \
    2>/dev/null || peer_skip "needs uv, or Python 3.10 or later with venv (python3-venv)"
  local folder="$root/$name" wanted="$*"
  mkdir -p "$root"
  exec 8>"$root/$name.lock"
  flock 8  # one test at a time installs
  if [ "$(cat "$folder/tidemark-packages" 2>/dev/null)" != "$wanted" ]; then
    rm -rf "$folder"
    if ! peer_install "$folder" "$@" >"$root/$name.log" 2>&1; then
      if grep -qiE 'connection|resol|dns|unreachable|timed out|proxy|from versions: none' "$root/$name.log"; then
        peer_skip "PyPI is not reachable: $(tail -n 1 "$root/$name.log")"
      fi
      cat "$root/$name.log" >&2
      exit 1
    fi
    printf '%s' "$wanted" >"$folder/tidemark-packages"
  fi
  exec 8>&-
  echo "$folder/bin/python"
}
