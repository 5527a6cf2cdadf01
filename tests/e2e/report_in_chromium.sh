#!/bin/sh
# Opens a report.html in headless Chromium, without network, and checks that its script drew both
# charts and raised no error.
#   report_in_chromium.sh report.html [screenshot.png [light|dark]]
# Exit 0: good. 1: bad, with the reason. 77: skipped, Chromium is not installed.
set -eu

report=$(realpath "${1:?usage: report_in_chromium.sh report.html [screenshot.png [light|dark]]}")
screenshot=${2:-}
scheme=${3:-light}
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [ -z "$chromium" ]; then
  echo "skipped: no chromium on the PATH (apt-get install chromium)"
  exit 77
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

# browse NAME FLAGS…: one bounded run on the report; its output lands in $work/NAME.
# --virtual-time-budget lets timers of the page run without waiting for them.
browse() {
  name=$1
  shift
  HOME=$work timeout -k 5 60 "$chromium" --headless --no-sandbox --disable-gpu \
    --disable-dev-shm-usage --no-first-run --disable-extensions --disable-background-networking \
    --host-resolver-rules="MAP * ~NOTFOUND" --user-data-dir="$work/profile-$name" \
    --enable-logging=stderr --v=0 --window-size=1280,2200 --virtual-time-budget=5000 "$@" \
    "file://$report" >"$work/$name" 2>"$work/$name.log"
}

fail() {
  echo "FAIL: $report: $*" >&2
  exit 1
}

browse dom --dump-dom || fail "chromium ended with status $? (124: not within 60 s)"
# The root element has the marks of report.js; the page's own text cannot reach it.
root=$(tr '\n' ' ' <"$work/dom" | sed 's/^[^<]*<!DOCTYPE html>//I' | grep -o '^ *<html[^>]*>' || true)
case $root in
  *data-script-error*) fail "a script error: $root" ;;
  *'data-charts="2"'*) ;;
  *) fail "the charts were not drawn: $root" ;;
esac
if grep -q 'CONSOLE.*\(Uncaught\|Refused\)' "$work/dom.log"; then
  fail "$(grep 'CONSOLE' "$work/dom.log" | head -3)"
fi
[ "$(grep -o '<canvas[^>]*>' "$work/dom" | grep -c 'width="[1-9]')" = 2 ] || fail "no two canvases with a size"

if [ -n "$screenshot" ]; then
  dark=
  [ "$scheme" = dark ] && dark=--blink-settings=preferredColorScheme=0
  browse shot ${dark:+"$dark"} --hide-scrollbars --screenshot="$work/shot.png" || fail "no screenshot"
  cp "$work/shot.png" "$screenshot"
fi
echo "ok: 2 charts drawn, no script error"
