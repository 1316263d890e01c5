#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fails if the modules with code for vector registers do not compile for Arm processors (aarch64, 64 bits), where there is
# no AVX: core, particles and transfer, and the headers that they include. It compiles, but links and runs nothing.
# usage: check_aarch64.sh [--all]    --all: every module (minutes), but the extension module for Python, what uses
#                                    OpenVDB, and what chooses among the programs for x86-64
set -euo pipefail
cd "$(dirname "$0")/../.."

compiler=
for candidate in aarch64-linux-gnu-g++ aarch64-linux-gnu-g++-12; do
  if command -v "$candidate" >/dev/null; then compiler=$candidate; break; fi
done
if [ -z "$compiler" ]; then
  echo "skipped: it needs aarch64-linux-gnu-g++, which this machine lacks (package g++-aarch64-linux-gnu)"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Headers without machine code: a cross-compiler does not look into /usr/include by itself.
ln -s /usr/include/fmt "$work/fmt"
ln -s /usr/include/eigen3/Eigen "$work/Eigen"
modules=(core particles transfer)
packages=()
if [ "${1:-}" = --all ]; then
  ln -s /usr/include/{CLI,nlohmann,toml++,zlib.h,zconf.h} "$work"
  read -ra packages < <(pkg-config --cflags-only-I PETSc hdf5-openmpi | sed 's/-I/-isystem /g')
  modules=(.)
  : >"$work/xmmintrin.h"  # that PETSc's headers of an x86-64 machine include, for macros that nothing uses
fi
read -ra mpi < <(mpicxx --showme:compile 2>/dev/null || mpicxx -compile-info | cut -d ' ' -f 2-)
flags=(-std=c++20 -O1 -fsyntax-only -fopenmp -Wall -Wextra -Werror -DFRESHET_CONTRACTS=1 -DFRESHET_SHARED_PAGES=1
       -DOMPI_SKIP_MPICXX -Iinclude -Isrc -isystem "$work" "${mpi[@]}" "${packages[@]}")

check() { printf '%s\n' "$@" | xargs -P "$(nproc)" -n 1 "$compiler" "${flags[@]}"; }

# First it shows that it finds a fault: an instruction that only x86-64 has.
echo 'int main() { return static_cast<int>(__builtin_ia32_rdtsc()); }' >"$work/fault.cpp"
if check "$work/fault.cpp" 2>/dev/null; then
  echo "an x86-64 instruction was not noticed"
  exit 1
fi
# Without those that include headers that a build writes.
mapfile -t sources < <(cd src && find "${modules[@]}" -name '*.cpp' -not -path '*/python/*' -not -path '*/launch_*' \
  -exec grep -LE '"(build_settings|commit)\.hpp"|openvdb/' {} + | sed 's/^/src\//' | sort)
# One file a module, as FRESHET_UNITY compiles them: the headers are read once.
for source in "${sources[@]}"; do
  module=${source#src/}
  echo "#include \"$PWD/$source\"" >>"$work/module_${module%%/*}.cpp"
done
check "$work"/module_*.cpp
echo "${#sources[@]} files compile for aarch64 ($("$compiler" -dumpversion))"
