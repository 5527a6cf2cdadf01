#!/bin/bash
# http_ready.sh PORT PATH: 0 when this host answers `GET PATH` on PORT with 200. For health checks of containers
# without an orchestrator that speaks gRPC health; needs no program but bash.
set -eu
exec 3<>"/dev/tcp/127.0.0.1/$1"
printf 'GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' "$2" >&3
read -r -t 2 _ status _ <&3
[ "$status" = 200 ]
