#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The commands of jobs/Containerfile and jobs/freshet.def parse; the scripts and presets that they name exist, and so do the
# packages, where apt knows any; both files run the same commands. tests/install/run_container.sh runs them.
set -euo pipefail
cd "$(dirname "$0")/../.."
python=${PYTHON:-/usr/bin/python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$1"; exit 1; }
apt-cache pkgnames >"$work/packages" 2>/dev/null || true

for file in jobs/Containerfile jobs/freshet.def; do
  for stage in 1 2; do
    script=$work/$(basename "$file").$stage
    "$python" tests/install/container_commands.py "$file" $stage >"$script"
    bash -n "$script" || fail "$file: stage $stage does not parse"
    sh -n "$script" || fail "$file: stage $stage is not for sh"
    for named in $(grep -oE '(^| )(jobs|tests)/[a-z_/]+\.sh' "$script"); do
      [ -x "$named" ] || fail "$file runs $named, which is not there"
    done
    for preset in $(sed -n 's/.*--preset \([a-z]*\).*/\1/p' "$script"); do
      grep -q "\"name\": \"$preset\"" CMakePresets.json || fail "$file: no preset is called $preset"
    done
    for package in $(tr '\n' ' ' <"$script" | grep -oE '\b(openmpi-bin|python3-[a-z0-9]+)\b' | sort -u); do
      [ ! -s "$work/packages" ] || grep -qx "$package" "$work/packages" || fail "$file: apt knows no $package"
    done
    ! grep -n ' && ' "$script" || fail "$file: with set -e a failure before && goes on: take a line for each command"
    # the commands without line breaks, and without the folder that a stage works in
    grep -vE '^(mkdir -p|cd) /' "$script" | tr -s '\\\n ' ' ' | sed 's/ *$//' >"$script.words"
  done
done
for stage in 1 2; do
  cmp -s "$work/Containerfile.$stage.words" "$work/freshet.def.$stage.words" || {
    diff <(tr ' ' '\n' <"$work/Containerfile.$stage.words") <(tr ' ' '\n' <"$work/freshet.def.$stage.words") || true
    fail "stage $stage: jobs/Containerfile and jobs/freshet.def run different commands"
  }
done
! grep -rn -- '-march=native\|FRESHET_NATIVE=ON\|--preset release' jobs/Containerfile jobs/freshet.def ||
  fail "a container is for any x86-64, not for the processor that builds it"
echo "the commands of both containers parse, agree, and name what exists"
