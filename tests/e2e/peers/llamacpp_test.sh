#!/usr/bin/env bash
# llamacpp_test.sh TIDEMARK: the sweep against llama.cpp's own server. Exit 77: skipped, and why.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/peer_python.sh"
python=$(peer_python llamacpp xllamacpp==2026.10.11549 gguf==0.19.0 numpy)
exec "$python" "$here/llamacpp_test.py" "$@"
