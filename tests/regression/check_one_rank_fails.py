#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# timeout: 300
"""An error that one rank alone meets ends the job of all ranks within seconds, with its message and a code that is not 0.

usage: check_one_rank_fails.py BUILD_DIRECTORY
"""
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from check_bad_inputs import ENVIRONMENT, ROOT

CASE = str(ROOT / "inputs" / "dam_break_2d.toml")
LIMIT = 30.0  # [s] of a job that takes three steps; one that hangs takes for ever
MEMORY = 5


def fail(program, kind, ranks, output):
    """Exit code, messages and seconds of a run whose last rank fails in its third step."""
    start = time.monotonic()
    try:
        done = subprocess.run(["mpirun", "-np", str(ranks), str(program), "run", CASE, "output.interval=0", "--output-dir",
                               str(output)], env=dict(ENVIRONMENT, FAULT=f"{kind}@3"), capture_output=True, text=True,
                              timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return None, "", LIMIT
    return done.returncode, done.stderr, time.monotonic() - start


def main():
    program = next(Path(sys.argv[1]).rglob("faulty"))
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        kinds = (("alone", "a force that fails on one rank", None, (1, 2, 3, 4)), ("memory", "out of memory", MEMORY, (1, 3)),
                 ("mpi", "MPI_Send failed", None, (1, 3)), ("petsc", "VecSetType", None, (3,)),
                 ("start", "a set-up that fails on one rank", None, (1, 3)))
        for kind, message, code, all_ranks in kinds:
            for ranks in all_ranks:
                name = f"{kind} on {ranks} ranks"
                ended, said, seconds = fail(program, kind, ranks, Path(folder) / f"{kind}_{ranks}")
                if ended is None:
                    problems.append(f"{name}: still there after {LIMIT} s")
                    continue
                print(f"{name}: exit code {ended} after {seconds:.1f} s")
                if ended == 0 or (code is not None and ended != code):
                    problems.append(f"{name}: exit code {ended}")
                if message not in said or f"(rank {ranks - 1} of {ranks})" not in said:
                    problems.append(f"{name}: no word of '{message}' and its rank in: {said[-300:]}")
    sys.exit("\n".join(problems) or 0)


if __name__ == "__main__":
    main()
