#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prints the Debian packages of the libraries that programs use, so that another machine needs only these.
# usage: jobs/needed_packages.sh PROGRAM...
set -euo pipefail
case " $* " in *" --help "* | *" -h "*) sed -n '3,4s/^# //p' "$0"; exit 0 ;; esac
[ $# -gt 0 ] || { sed -n '4s/^# //p' "$0" >&2; exit 2; }

# -S finds nothing for a library that its package lists below /lib: such libraries are part of every system
for program in "$@"; do ldd "$program"; done | sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p' | sort -u | xargs -r realpath |
  { xargs -r dpkg-query -S 2>/dev/null || true; } | cut -d: -f1 | sort -u
