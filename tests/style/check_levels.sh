#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fails if a program of FRESHET_DISPATCH does not start as the best level of x86-64 that the processor has, or as the one
# that FRESHET_LEVEL asks for. It compiles the launcher alone, and scripts stand in for the programs of the levels.
set -euo pipefail
cd "$(dirname "$0")/../.."
if [ "$(uname -m)" != x86_64 ]; then echo "skipped: levels are those of x86-64"; exit 77; fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir -p "$work/bin" "$work/libexec/freshet"
cat >"$work/main.cpp" <<'CODE'
#include "launch_level.hpp"
#include <cstdio>
int main(int, char** argv) {
  freshet::launch_best_level(argv);
  std::printf("x86-64 %s\n", argv[1]);
}
CODE
${CXX:-c++} -std=c++20 -Isrc -DFRESHET_LIBEXEC='"../libexec/freshet"' "$work/main.cpp" src/launch_level.cpp -o "$work/bin/freshet"
stand_in() { printf '#!/bin/sh\necho "%s $1"\n' "$2" >"$1/freshet-$2"; chmod +x "$1/freshet-$2"; }

expect() {  # expect <output> <level or ""> : what the program prints
  local printed
  printed=$(if [ -n "$2" ]; then export FRESHET_LEVEL=$2; else unset FRESHET_LEVEL; fi; "$work/bin/freshet" word 2>&1 || true)
  case "$printed" in
    $1) ;;
    *) echo "FRESHET_LEVEL='$2' printed '$printed' instead of '$1'"; exit 1 ;;
  esac
}

best=x86-64
flags=" $(grep -m 1 '^flags' /proc/cpuinfo) "
has() { for flag; do case "$flags" in *" $flag "*) ;; *) return 1 ;; esac; done; }
if has avx2 fma bmi1 bmi2; then best=x86-64-v3; fi
if [ $best = x86-64-v3 ] && has avx512f avx512bw avx512cd avx512dq avx512vl; then best=x86-64-v4; fi

expect "x86-64 word" ""  # the other programs are not there
for level in x86-64-v3 x86-64-v4; do expect "*FRESHET_LEVEL is $level (*" $level; done
for level in x86-64-v3 x86-64-v4; do stand_in "$work/libexec/freshet" $level; done
expect "$best word" ""
expect "x86-64 word" x86-64
expect "*FRESHET_LEVEL is avx9 (no such level)*" avx9
if [ $best != x86-64 ]; then expect "x86-64-v3 word" x86-64-v3; else expect "*this processor lacks it*" x86-64-v3; fi
if [ $best = x86-64-v4 ]; then expect "x86-64-v4 word" x86-64-v4; else expect "*this processor lacks it*" x86-64-v4; fi
for level in x86-64-v3 x86-64-v4; do mv "$work/libexec/freshet/freshet-$level" "$work/bin"; done
expect "$best word" ""
code=0
FRESHET_LEVEL=avx9 "$work/bin/freshet" word 2>/dev/null || code=$?
if [ $code -ne 2 ]; then echo "a level that does not exist ends with code $code, not 2"; exit 1; fi
echo "programs start as $best here"
