#!/usr/bin/env bash
# chart_commands_test.sh BIN_DIR: what the chart renders, run as local processes with its mounted files, is a
# cluster that passes a sweep. Exit 77: skipped, and why.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/peer_helm.sh"
. "$here/../peers/peer_python.sh"
helm=$(peer_helm)
python=$(peer_python kubernetes PyYAML==6.0.3 kubernetes-validate==1.37.0)
exec "$python" "$here/chart_commands_test.py" "$1" "$helm"
