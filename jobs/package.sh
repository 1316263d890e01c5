#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes a package for this release of Debian and any x86-64 processor, build/deb/freshet_VERSION_amd64.deb:
# `apt install ./FILE` puts the program, the Python package and the cases below /usr, with what they need.
# usage: jobs/package.sh [--output DIR]     DIR: where the package goes (default: build/deb)
set -euo pipefail
started_in=$PWD
cd "$(dirname "$0")/.."
case " $* " in *" --help "* | *" -h "*) sed -n '3,5s/^# //p' jobs/package.sh; exit 0 ;; esac
output=build/deb
if [ $# -gt 0 ]; then
  [ "$1" = --output ] && [ $# -eq 2 ] || { sed -n '5s/^# //p' jobs/package.sh >&2; exit 2; }
  output=$(cd "$started_in" && realpath -m "$2")
fi
jobs/setup.sh dpkg-dev file
for tool in dpkg-shlibdeps:dpkg-dev file:file; do
  command -v "${tool%:*}" >/dev/null || { echo "package: ${tool%:*} is missing. It is in Debian's package ${tool#*:}" >&2; exit 2; }
done

if [ ! -f build/deb/CMakeCache.txt ] && command -v ninja >/dev/null; then export CMAKE_GENERATOR=Ninja; fi
cmake --preset deb
cmake --build build/deb --parallel "$(nproc)"
rm -f build/deb/freshet_*.deb
(cd build/deb && cpack -G DEB)
if [ "$output" != build/deb ]; then
  mkdir -p "$output"
  cp build/deb/freshet_*.deb "$output"
fi
ls "$output"/freshet_*.deb
