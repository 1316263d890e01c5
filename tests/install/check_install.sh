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

# view, top and plot find the Python package of the install, in whatever folder they are started
if ls -d "$prefix"/install/lib/python*/dist-packages/freshet >/dev/null 2>&1; then
  for command in view top "plot energy"; do
    code=0
    (cd / && env -u PYTHONPATH "$prefix/install/bin/freshet" $command "$prefix") 2>"$prefix/message" || code=$?
    if [ "$code" -ne 2 ] || ! grep -q "holds no run" "$prefix/message"; then
      cat "$prefix/message"
      exit 1
    fi
  done
  package=$(echo "$prefix"/install/lib/python*/dist-packages)
  [ -f "$package/freshet/view/page.js" ]
  # and it is imported from there; its compiled part, where it is built, takes a step
  (cd / && PYTHONPATH=$package /usr/bin/python3 -c '
import sys, glob
import freshet, freshet.analysis, freshet.plot
assert freshet.__file__.startswith(sys.argv[1]), freshet.__file__
if glob.glob(sys.argv[1] + "/freshet/_freshet*.so"):
    case = {"run": {"end_time": 1.0}, "domain": {"dimension": 2, "cells": [8, 8], "cell_size": 0.1},
            "liquid": [{"shape": "box", "lower": [0, 0], "upper": [0.4, 0.4]}]}
    with freshet.Simulation(case) as sim:
        assert sim.step().particles > 0 and freshet.__version__
' "$package")
fi
echo "the consumer project built and ran against the install"
