#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A test that needs a tool is skipped by name where the tool is missing, the list of tests/run.sh says so, and the test's own
# end counts where the tool is there.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

expect() { # expect <code> <output> COMMAND...
  local code=0 said wanted_code=$1 wanted=$2
  shift 2
  said=$("$@" 2>&1) || code=$?
  if [ "$code" -ne "$wanted_code" ] || [ "$said" != "$wanted" ]; then
    echo "'$*' ended with $code and said '$said', not $wanted_code and '$wanted'"
    exit 1
  fi
}

expect 0 ran support/needs.sh "sh python:sys" echo ran
expect 3 "" support/needs.sh "" sh -c "exit 3"
expect 77 "skipped: it needs no-such-tool, the Python package nosuchpackage, /no/such/file, which this machine lacks" \
  support/needs.sh "sh no-such-tool python:nosuchpackage file:/no/such/file file:/" echo ran

# as ctest sees it
cat >"$work/CMakeLists.txt" <<CMAKE
cmake_minimum_required(VERSION 3.22)
project(needs LANGUAGES NONE)
enable_testing()
add_test(NAME kind.without COMMAND bash $PWD/support/needs.sh no-such-tool sh -c "exit 1")
add_test(NAME kind.with COMMAND bash $PWD/support/needs.sh sh sh -c "echo skipped: the second half, for want of luck")
set_tests_properties(kind.without kind.with PROPERTIES SKIP_RETURN_CODE 77)
CMAKE
cmake -S "$work" -B "$work/build" >"$work/log" || { cat "$work/log"; exit 1; }
ctest --test-dir "$work/build" >"$work/log" || { cat "$work/log"; exit 1; }
grep -q "kind.without (Skipped)" "$work/log" || { echo "ctest does not list what is skipped"; exit 1; }
expect 0 "Left out:
  kind.without: it needs no-such-tool, which this machine lacks
  kind.with: the second half, for want of luck" support/list_skipped.sh "$work/build"
: >"$work/build/Testing/Temporary/LastTest.log"
expect 0 "Nothing was left out." support/list_skipped.sh "$work/build"
echo "what a machine lacks is named"
