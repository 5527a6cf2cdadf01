#!/usr/bin/env bash
# ./dev bench peers: load generators that are not ours, from PyPI into virtual environments of their own, on the server
# and the streams that Tidemark gets, in the same run (peers.py). 77: none of them can be had here.
set -euo pipefail
here="$(dirname "$(readlink -f "$0")")"
source "$here/../../e2e/peers/peer_python.sh"

# inference-perf needs Python 3.12.
newer_python() {
  local each
  for each in "$(command -v python3.12 || true)" "$HOME"/.pyenv/versions/3.12*/bin/python3; do
    if [ -x "$each" ]; then dirname "$each"; return; fi
  done
}

tools=(--aiperf "$(peer_python aiperf aiperf==0.13.0)")
python312=$(newer_python)
if command -v uv >/dev/null || [ -n "$python312" ]; then
  tools+=(--inference-perf "$(PATH="${python312:+$python312:}$PATH" peer_python inference-perf inference-perf==0.7.0)")
else
  echo "inference-perf is left out: it needs Python 3.12 or uv" >&2
fi
exec python3 "$here/peers.py" "${tools[@]}" "$@"
