#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fails if clang-format 14 would change a tracked C++ file: each version formats differently. With --fix, changes it instead.
set -euo pipefail
cd "$(dirname "$0")/../.."

formatter=
found=none
for candidate in clang-format-14 clang-format; do
  if command -v "$candidate" >/dev/null; then found=$("$candidate" --version); else continue; fi
  if [[ $found =~ version\ 14\. ]]; then formatter=$candidate; break; fi
done
if [ -z "$formatter" ]; then
  echo "skipped: it needs clang-format 14, with which the sources are formatted (found: $found)"
  exit 77
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
