#!/bin/sh
# runtime_packages.sh PROGRAM…: the Debian packages that hold the shared libraries of these programs, one a
# line. So the image's list follows from what was linked, on every Debian.
set -eu
ldd "$@" | grep -q 'not found' && { ldd "$@" | grep 'not found' >&2; exit 1; }
ldd "$@" | awk '$2 == "=>" { print $3 }' | sort -u | while read -r library; do
  # The linker may say /lib for what the package put into /usr/lib, and the reverse.
  dpkg -S "$library" 2>/dev/null || dpkg -S "/usr$library" 2>/dev/null || dpkg -S "${library#/usr}"
done | sed 's/:.*//' | sort -u
