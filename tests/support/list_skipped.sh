#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Lists what the tests of the last call of ctest left out, and why: their lines "skipped: ...".
# usage: list_skipped.sh BUILD_DIRECTORY
set -euo pipefail
awk '/^[0-9]+\/[0-9]+ Test(ing)?: / { test = $3 }
     /^skipped: / { if (!n++) print "Left out:"; sub(/^skipped: /, ""); print "  " test ": " $0 }
     END { if (!n) print "Nothing was left out." }' "$1/Testing/Temporary/LastTest.log"
