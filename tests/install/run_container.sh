#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the commands of a container's stages on bare systems, as the container's builder would: the first builds, and the second gets
# nothing but /opt/freshet; there a case runs on two ranks. It needs what tests/fresh_machine.sh needs.
# usage: tests/install/run_container.sh FILE RELEASE     FILE: jobs/Containerfile or jobs/freshet.def; RELEASE: bookworm or trixie
set -euo pipefail
cd "$(dirname "$0")/../.."
[ $# -eq 2 ] || { sed -n '3,5s/^# //p' "$0" >&2; exit 2; }
file=$1
release=$2
machines=${FRESHET_MACHINES:-/var/tmp/freshet_machines}

stage() { # the stage as one command, without quotes that another shell would take
  printf 'echo %s | base64 -d > /tmp/stage && sh -e /tmp/stage' \
    "$(/usr/bin/python3 tests/install/container_commands.py "$file" "$1" | base64 -w 0)"
}
tests/fresh_machine.sh "$release" 'cp -a /root/project /src && mkdir -p output' "$(stage 1)" 'tar -C / -cf output/freshet.tar opt/freshet'
FRESHET_BRING=$machines/$release/output tests/fresh_machine.sh "$release" 'tar -C / -xf output/freshet.tar' "$(stage 2)" \
  '. jobs/mpi.sh && mpirun -np 2 freshet run inputs/dam_break.toml run.max_steps=3 --output-dir output/two_ranks'
