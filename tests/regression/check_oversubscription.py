#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# timeout: 300
"""Where threads outnumber cores, idle ones sleep unless the user has chosen otherwise.

usage: check_oversubscription.py BUILD_DIRECTORY
OMP_DISPLAY_ENV makes libgomp print its settings each time that a program is loaded; idle threads that sleep at once
have a spin count of 0.
"""
import os
import subprocess
import sys
from pathlib import Path

program = Path(sys.argv[1]).resolve() / "src" / "freshet"
environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_mpi_yield_when_idle="1",
                   OMPI_MCA_hwloc_base_binding_policy="none", OMP_DISPLAY_ENV="verbose")
for name in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME"):
    environment.pop(name, None)
cores = len(os.sched_getaffinity(0))


def loads(ranks, threads, **more):
    """How often a process was loaded, and how often of these with idle threads that sleep at once."""
    result = subprocess.run(["mpirun", "-n", str(ranks), str(program), "schema", "--json"], capture_output=True, text=True,
                            env=dict(environment, OMP_NUM_THREADS=str(threads), **more), timeout=120, check=True)
    lines = [line for line in result.stderr.splitlines() if "GOMP_SPINCOUNT" in line]
    return len(lines), sum("'0'" in line for line in lines)


failures = []
for name, found, expected in (
        ("oversubscribed", loads(2, cores), (4, 2)),
        ("as the user says", loads(2, cores, OMP_WAIT_POLICY="active"), (2, 0)),
        ("one rank", loads(1, cores), (1, 0))):
    print(f"{name}: loaded {found[0]} times, {found[1]} of them with sleeping threads")
    if found != expected:
        failures.append(name)
if failures:
    sys.exit(f"not as expected: {', '.join(failures)}")
