#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Everything: the tests that tests/run.sh and .ci/run leave to the night as well, the whole reliability programme with its hour
# of sloshing and its hours of fuzzing, and on bare systems of Debian 12 and 13 both commands of README.md, the .deb, and the
# commands of the containers. usage: tests/nightly.sh
set -euo pipefail
cd "$(dirname "$0")/.."

jobs/setup.sh clang-format clang clang-tidy valgrind valgrind-mpi g++-aarch64-linux-gnu blender python3-yt debootstrap
failed=0
FRESHET_NIGHTLY=ON FRESHET_WERROR=ON tests/run.sh || failed=1
tests/style/check_aarch64.sh --all || failed=1
tests/reliability/run.sh || failed=1
machines=${FRESHET_MACHINES:-/var/tmp/freshet_machines}
for release in bookworm trixie; do
  code=0
  tests/fresh_machine.sh "$release" || code=$?
  if [ $code -ne 0 ] && [ $code -ne 77 ]; then failed=1; fi
done
if [ -f "$machines/bookworm/output/systems/state.h5" ] && [ -f "$machines/trixie/output/systems/state.h5" ]; then
  /usr/bin/python3 tests/systems.py compare "$machines/bookworm/output/systems" "$machines/trixie/output/systems"
fi
for release in bookworm trixie; do
  code=0
  tests/install/run_package.sh "$release" || code=$?
  if [ $code -ne 0 ] && [ $code -ne 77 ]; then failed=1; fi
done
for container in "jobs/Containerfile bookworm" "jobs/Containerfile trixie" "jobs/freshet.def bookworm"; do
  code=0
  tests/install/run_container.sh $container || code=$?
  if [ $code -ne 0 ] && [ $code -ne 77 ]; then failed=1; fi
done
exit $failed
