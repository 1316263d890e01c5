#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One system gives the same particles on any number of ranks, bit for bit; how far two systems differ is said, not judged:
their compilers and libraries round differently, and a splash amplifies it.

usage: systems.py run PROGRAM FOLDER       the dam break until 0.4 s on 1, 2 and 4 ranks; FOLDER/state.h5 is its last snapshot
       systems.py compare FOLDER FOLDER    the lines that say how far two such folders differ
"""
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[1:1] = [str(ROOT / "tests/reliability")]
import state  # noqa: E402
from check import ENVIRONMENT  # noqa: E402

RANKS = (1, 2, 4)
WORDS = ("run.end_time=0.4", "run.reproducible=true", "output.interval=0.4", *state.OUTPUT)


def run(program, folder):
    folder = Path(folder)
    for ranks in RANKS:
        subprocess.run(["mpirun", "-np", str(ranks), program, "run", str(ROOT / "inputs/dam_break.toml"), *WORDS, "--output-dir",
                        str(folder / f"ranks_{ranks}"), "--force"], env=ENVIRONMENT | {"OMP_NUM_THREADS": "1"}, check=True,
                       stdout=subprocess.DEVNULL)
    found = [f"{ranks} ranks: {line}" for ranks in RANKS[1:]
             for line in state.differences(folder / f"ranks_{ranks}", folder / f"ranks_{RANKS[0]}")]
    print("\n".join(found) or f"the dam break on {', '.join(map(str, RANKS))} ranks: the same bits")
    shutil.copy(state.last_snapshot(folder / f"ranks_{RANKS[0]}"), folder / "state.h5")
    return 1 if found else 0


def compare(first, second):
    a, b = (state.read(Path(folder) / "state.h5") for folder in (first, second))
    name = next(name for name in sorted(a) if name.endswith("/id"))
    species = name.rsplit("/", 1)[0]
    both, of_a, of_b = np.intersect1d(a[name], b[name], return_indices=True)
    print(f"after {float(a['time']):.2f} s {len(both)} particles are in both, {len(a[name])} and {len(b[name])} in one")
    for what, unit in (("position", "m"), ("velocity", "m/s")):
        parts = [part for part in sorted(a) if part.startswith(f"{species}/{what}") and part in b]
        gap = np.sqrt(sum(np.square(np.atleast_2d(a[part].T).T[of_a] - np.atleast_2d(b[part].T).T[of_b], dtype=float).sum(axis=1)
                          for part in parts))
        print(f"{what}: {np.median(gap):.2g} {unit} apart (median), {gap.max():.2g} at most")
    return 0


def main():
    commands = {"run": run, "compare": compare}
    if len(sys.argv) != 4 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    sys.exit(commands[sys.argv[1]](*sys.argv[2:]))


if __name__ == "__main__":
    main()
