#!/bin/sh
# report_in_chromium_test.sh TIDEMARK: the report of a real, short sweep in a real browser. Exit 77: no Chromium.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
# 4: a busy machine made the levels invalid; the report is drawn all the same.
timeout 60 "$1" sweep --concurrency 1,2,4 --request-count 20 --isl 16 --osl 8 --output-dir "$dir/result" \
  >/dev/null 2>&1 || [ $? -eq 4 ]
"$(dirname "$0")/report_in_chromium.sh" "$dir/result/report.html"
