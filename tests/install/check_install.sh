#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs a build into an empty prefix; a small project finds it there, builds against it and runs.
# usage: check_install.sh BUILD_DIR CXX_COMPILER
set -euo pipefail
build=$1
compiler=$2
here=$(cd "$(dirname "$0")" && pwd)
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT

cmake --install "$build" --prefix "$prefix/install" >"$prefix/install.log" || { cat "$prefix/install.log"; exit 1; }
cmake -S "$here/consumer" -B "$prefix/consumer" -DCMAKE_PREFIX_PATH="$prefix/install" \
  -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Release
cmake --build "$prefix/consumer"
"$prefix/consumer/consumer"
echo "the consumer project built and ran against the install"
