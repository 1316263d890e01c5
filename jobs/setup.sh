#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the packages that freshet needs and that are missing, with apt-get, as root or by sudo. Elsewhere it lists what is
# needed, and CMake then says what it does not find.
# usage: jobs/setup.sh [MORE_PACKAGES...]
#        jobs/setup.sh --paraview DIR      unpack Debian's ParaView (80 MB to download) into DIR: its package excludes python3-vtk9.
#                                          FRESHET_PVPYTHON=DIR/pvpython then lets the tests of formats use it
set -euo pipefail
case " $* " in *" --help "* | *" -h "*) sed -n '3,/^set /s/^# //p' "$0"; exit 0 ;; esac

if [ "${1:-}" = --paraview ]; then
  mkdir -p "${2:?usage: jobs/setup.sh --paraview DIR}"
  cd "$2"
  here=$PWD
  apt-get download -qq paraview python3-paraview
  for package in paraview_*.deb python3-paraview_*.deb; do dpkg -x "$package" root; done
  rm -f paraview_*.deb python3-paraview_*.deb
  libraries=$here/root/usr/lib/x86_64-linux-gnu:$here/root/usr/lib
  printf '#!/bin/sh\nexport LD_LIBRARY_PATH=%s PYTHONPATH=%s\nexec %s "$@"\n' "$libraries" \
    "$here/root/usr/lib/python3/dist-packages" "$here/root/usr/bin/pvpython" > pvpython
  chmod +x pvpython
  missing=$(LD_LIBRARY_PATH=$libraries ldd root/usr/bin/pvpython root/usr/lib/x86_64-linux-gnu/libvtkRemoting*.so* 2>/dev/null |
    sed -n 's/ => not found//p' | sort -u | tr -d '\t' | tr '\n' ' ')
  [ -z "$missing" ] || echo "setup: ParaView lacks $missing(see apt-cache depends paraview)"
  exec ./pvpython -c 'from paraview import simple; print(f"setup: ParaView {simple.GetParaViewVersion()}")'
fi

# clang's OpenMP, its sanitizers, and the names of functions in their reports are packages that its own only recommends.
case " $* " in *" clang "*) set -- "$@" libomp-dev libclang-rt-dev llvm ;; esac
packages=(g++ cmake make ninja-build pkg-config libopenmpi-dev openmpi-bin libpetsc-real-dev libhdf5-openmpi-dev
  zlib1g-dev libdeflate-dev libeigen3-dev libfmt-dev libtomlplusplus-dev nlohmann-json3-dev libcli11-dev libgtest-dev libbenchmark-dev
  pybind11-dev python3-dev python3-mpi4py python3-numpy python3-h5py python3-matplotlib python3-scipy python3-vtk9 xvfb "$@")

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  echo "setup: there is no apt-get. freshet needs: C++20 compiler, CMake 3.22, MPI, PETSc 3.18 (real), parallel HDF5, zlib (and libdeflate), Eigen 3.4," \
    "fmt, toml++, nlohmann/json 3.9, CLI11, GoogleTest, Google Benchmark; pybind11, Python's headers and mpi4py for the Python package; Python with numpy," \
    "h5py, matplotlib, scipy, VTK for the plots."
  exit 0
fi

missing=()
for package in "${packages[@]}"; do
  # Any clang-format will do, also one from another source than this package.
  if [ "$package" = clang-format ] && command -v clang-format-14 clang-format >/dev/null; then continue; fi
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
    as_root=(sudo)
  else
    echo "setup: no right to install packages. Ask for: ${missing[*]}"
    exit 0
  fi
fi
echo "setup: installing ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
run() { # quiet unless it fails
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive "$@" >"$log" 2>&1 </dev/null || { cat "$log"; exit 1; }
}
run apt-get update
run apt-get install -y --no-install-recommends "${missing[@]}"
