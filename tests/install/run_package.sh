#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the package of jobs/package.sh on one bare system, installs it on another one, which has nothing else, and tries it there.
# It needs what tests/fresh_machine.sh needs.  usage: tests/install/run_package.sh RELEASE     RELEASE: bookworm or trixie
set -euo pipefail
cd "$(dirname "$0")/../.."
[ $# -eq 1 ] || { sed -n '4s/^# //p' "$0" >&2; exit 2; }
machines=${FRESHET_MACHINES:-/var/tmp/freshet_machines}
tests/fresh_machine.sh "$1" 'apt-get update -qq && jobs/package.sh --output output'
FRESHET_BRING=$machines/$1/output tests/fresh_machine.sh "$1" \
  'apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y ./output/freshet_*.deb >/dev/null' \
  'cp tests/install/try_package.sh /tmp && cd / && bash /tmp/try_package.sh' 'apt-get remove -qq -y freshet && ! command -v freshet'
