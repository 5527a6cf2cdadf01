#!/usr/bin/env bash
# Makes a CA and certificates for a Tidemark cluster: for tests and first steps, not for production (the CA's
# key lies beside them, not encrypted).
#
#   make-test-certs.sh DIR [--coordinator NAME[,NAME…]] [--agent [ID]]… [--client [NAME]]…
#                      [--hosts NAME[,NAME…]] [--trust-domain DOMAIN] [--days N]
#
#   --coordinator  DIR/coordinator.{crt,key} for these host names and addresses (localhost,127.0.0.1,::1)
#   --agent ID     DIR/agent-ID.{crt,key}: that agent alone;  without ID  DIR/agent.{crt,key}: any agent
#   --client NAME  DIR/client-NAME.{crt,key};                 without NAME  DIR/client.{crt,key}
#   --hosts        host names and addresses of agents and clients too, where they serve TLS themselves (of agents
#                  localhost,127.0.0.1,::1 and their ID; of clients none)
#   --trust-domain of the URI names (tidemark.test)
#   --days         how long the certificates are valid (30); negative: they expired yesterday
#
# DIR/ca.crt is what every part is given as --tls-ca. A CA that is in DIR already is used again, so certificates
# can be added or made anew later. A part's role is a URI name of its certificate:
#   spiffe://DOMAIN/tidemark/{coordinator,agent,agent/ID,client,client/NAME}
set -euo pipefail

usage() { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"; }
die() { echo "make-test-certs.sh: $*" >&2; exit 2; }

[[ ${1:-} == --help || ${1:-} == -h ]] && { usage; exit 0; }
[[ $# -ge 1 && $1 != -* ]] || { usage >&2; exit 2; }
dir=$1; shift
domain=tidemark.test
days=30
all_hosts=""
wanted=()  # "file|uri path|comma-separated hosts"

# The value of an option that may stand without one.
optional() { [[ $# -ge 2 && $2 != -* ]] && echo "$2" || true; }

while [[ $# -gt 0 ]]; do
  case $1 in
    --coordinator)
      hosts=$(optional "$@")
      wanted+=("coordinator|coordinator|${hosts:-localhost,127.0.0.1,::1}")
      ;;
    --agent | --client)
      role=${1#--}
      name=$(optional "$@")
      [[ $name =~ ^[A-Za-z0-9._-]*$ ]] || die "$1 \"$name\": letters, digits, '.', '_' and '-' only"
      own=""
      [[ $role == agent ]] && own=${name:+$name,}localhost,127.0.0.1,::1
      wanted+=("$role${name:+-$name}|$role${name:+/$name}|$own")
      ;;
    --hosts) all_hosts=${2:?--hosts needs names} ;;
    --trust-domain) domain=${2:?--trust-domain needs a name} ;;
    --days) days=${2:?--days needs a number} ;;
    *) die "unknown option \"$1\"; see --help" ;;
  esac
  # Its value, too; a negative number is one.
  if [[ $# -ge 2 && ($2 != -* || $1 == --days) ]]; then shift; fi
  shift
done
[[ ${#wanted[@]} -gt 0 ]] || wanted=("coordinator|coordinator|localhost,127.0.0.1,::1" "agent|agent|localhost,127.0.0.1,::1" "client|client|")

umask 077
mkdir -p "$dir"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

new_key() { openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1" 2>/dev/null; }

# "DNS:a,IP:127.0.0.1" of "a,127.0.0.1"
alternative_names() {
  local name out=""
  for name in ${1//,/ }; do
    if [[ $name == *:* || $name =~ ^[0-9.]+$ ]]; then out+=",IP:$name"; else out+=",DNS:$name"; fi
  done
  echo "$out"
}

# Options of `openssl x509` for the time in which a certificate is valid.
validity() {
  if [[ $days -ge 0 ]]; then
    echo "-days $days"
  elif openssl x509 -help 2>&1 | grep -q -- -not_after; then
    echo "-not_before $(date -u -d '3 days ago' +%Y%m%d%H%M%SZ) -not_after $(date -u -d '1 day ago' +%Y%m%d%H%M%SZ)"
  else
    echo "-days -1"
  fi
}

make_ca() {
  new_key "$dir/ca.key"
  openssl req -x509 -new -key "$dir/ca.key" -sha256 -days 3650 -subj "/CN=Tidemark test CA" \
    -addext "basicConstraints=critical,CA:TRUE" -addext "keyUsage=critical,keyCertSign,cRLSign" -out "$dir/ca.crt"
}

# Each file appears whole under its name: a part that watches it never reads half of it.
make_certificate() {
  local file=$1 path=$2 hosts=$3
  new_key "$work/$file.key"
  openssl req -new -key "$work/$file.key" -subj "/CN=tidemark $file" -out "$work/$file.csr"
  {
    echo "basicConstraints=CA:FALSE"
    echo "keyUsage=critical,digitalSignature"
    echo "extendedKeyUsage=serverAuth,clientAuth"
    echo "subjectAltName=URI:spiffe://$domain/tidemark/$path$(alternative_names "$hosts")"
  } >"$work/$file.ext"
  # shellcheck disable=SC2046
  openssl x509 -req -in "$work/$file.csr" -CA "$dir/ca.crt" -CAkey "$dir/ca.key" -set_serial "0x$(openssl rand -hex 16)" \
    -sha256 $(validity) -extfile "$work/$file.ext" -out "$work/$file.crt" 2>/dev/null
  mv "$work/$file.key" "$dir/$file.key.new" && mv "$dir/$file.key.new" "$dir/$file.key"
  mv "$work/$file.crt" "$dir/$file.crt.new" && mv "$dir/$file.crt.new" "$dir/$file.crt"
}

[[ -s $dir/ca.key ]] || make_ca
for entry in "${wanted[@]}"; do
  IFS='|' read -r file path hosts <<<"$entry"
  [[ $path == coordinator ]] || hosts=${all_hosts:-$hosts}
  make_certificate "$file" "$path" "$hosts"
done
