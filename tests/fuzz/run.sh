#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds every fuzzer (tests/fuzz/fuzz_*.cpp) and runs each for some seconds on a copy of its corpus. Exits 1 if one finds
# something: a crash, a hang of 10 s, a leak, 2 GB, a report of a sanitizer, or a property that does not hold.
# usage: tests/fuzz/run.sh [--seconds N] [--grow] [NAME...]
#   --seconds N  for each fuzzer (default 60)
#   --grow       put the smallest corpus that reaches the same code into the sources
#   NAME         only these: case, compare, ...
# Needs clang with its OpenMP and sanitizers (jobs/setup.sh clang).
# BUILD_DIR (default build/sanitize) holds the build, the grown corpora and the findings. FUZZ_BUILT=1: it is built already.
set -euo pipefail
cd "$(dirname "$0")/../.."

seconds=60
grow=false
names=()
while [ $# -gt 0 ]; do
  case "$1" in
    --seconds) seconds=${2:?--seconds takes a number}; shift 2 ;;
    --grow) grow=true; shift ;;
    -h | --help) sed -n '3,10s/^# //p' "$0"; exit 0 ;;
    -*) sed -n '3,10s/^# //p' "$0"; exit 2 ;;
    *) names+=("$1"); shift ;;
  esac
done
if [ ${#names[@]} -eq 0 ]; then
  for source in tests/fuzz/fuzz_*.cpp; do
    name=$(basename "$source" .cpp)
    names+=("${name#fuzz_}")
  done
fi

build=${BUILD_DIR:-build/sanitize}
mkdir -p "$build"
if [ -z "${FUZZ_BUILT:-}" ]; then
  { cmake --preset sanitize -B "$build" && cmake --build "$build" --target fuzzers -j "$(nproc)"; } >"$build/build.log" 2>&1 ||
    { tail -n 30 "$build/build.log"; exit 1; }
fi
findings=$build/findings
mkdir -p "$findings"
# short traces of allocations make it twice as fast; without these options a reproducer shows whole ones
export ASAN_OPTIONS=${ASAN_OPTIONS:-malloc_context_size=2:quarantine_size_mb=16} UBSAN_OPTIONS=print_stacktrace=1
limits=(-timeout=10 -rss_limit_mb=2048 -max_len=16384)

failed=0
for name in "${names[@]}"; do
  fuzzer=$build/tests/fuzz/fuzz_$name
  seeds=tests/fuzz/corpus/$name
  corpus=$build/corpus/$name
  log=$build/fuzz_$name.log
  mkdir -p "$corpus" "$seeds"
  cp -r "$seeds/." "$corpus"
  options=("${limits[@]}" "-artifact_prefix=$findings/$name-" -print_final_stats=1 "-max_total_time=$seconds")
  dictionary=$(sed -n 's,^// dictionary: ,,p' "tests/fuzz/fuzz_$name.cpp")
  [ -z "$dictionary" ] || options+=("-dict=$build/tests/fuzz/$dictionary.dict")
  status=0
  "$fuzzer" "${options[@]}" "$corpus" >"$log" 2>&1 || status=$?
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  echo "fuzz_$name: ${executions:-unknown} executions in $seconds s, corpus of $(find "$corpus" -type f | wc -l) files"
  if [ "$status" -ne 0 ]; then
    failed=1
    echo "fuzz_$name: FOUND something:"
    grep -E "^==|SUMMARY|runtime error|what\(\)|ALARM|out-of-memory|Test unit written" "$log" || tail -n 5 "$log"
    echo "  again: $fuzzer $findings/$name-...   (all it said: $log)"
  elif $grow; then
    smallest=$build/smallest/$name
    rm -rf "$smallest"
    mkdir -p "$smallest"
    "$fuzzer" -merge=1 -use_counters=0 "${limits[@]}" "$smallest" "$seeds" "$corpus" >>"$log" 2>&1
    rm -f "$seeds"/*
    cp "$smallest"/* "$seeds"
    echo "fuzz_$name: $(find "$seeds" -type f | wc -l) files in $seeds"
  fi
done
exit "$failed"
