#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a test if the tools that it needs are there; otherwise it says which are not, and ends with code 77, by which ctest
# lists the test as skipped. usage: needs.sh 'TOOL...' COMMAND...
# A tool is a program (git), a module of the Python that runs the tests (python:meshio), or a file (file:/etc/passwd).
set -euo pipefail
tools=$1
shift
missing=
for tool in $tools; do
  case $tool in
    python:*) "${PYTHON:-/usr/bin/python3}" -c "import importlib.util, sys; sys.exit(importlib.util.find_spec('${tool#python:}') is None)" ;;
    file:*) [ -e "${tool#file:}" ] ;;
    *) command -v "$tool" >/dev/null ;;
  esac || missing="$missing, $(sed "s/^python:/the Python package /; s/^file://" <<< "$tool")"
done
if [ -n "$missing" ]; then
  echo "skipped: it needs ${missing#, }, which this machine lacks"
  exit 77
fi
exec "$@"
