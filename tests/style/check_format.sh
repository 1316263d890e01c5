#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fails if clang-format would change a tracked C++ file. With --fix, changes it instead.
set -euo pipefail
cd "$(dirname "$0")/../.."

formatter=
for candidate in clang-format-14 clang-format; do
  if command -v "$candidate" >/dev/null; then formatter=$candidate; break; fi
done
if [ -z "$formatter" ]; then
  echo "clang-format not found. Install the package clang-format (version 14 is what the sources are formatted with)."
  exit 1
fi

if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
  list() { git ls-files -z --cached -- '*.cpp' '*.hpp'; }
else
  list() { find src include tests -name '*.[ch]pp' -print0; }
fi
if [ "${1:-}" = "--fix" ]; then
  list | xargs -0 -r "$formatter" -i
else
  list | xargs -0 -r "$formatter" --dry-run -Werror
  echo "every file is formatted ($("$formatter" --version | head -n 1))"
fi
