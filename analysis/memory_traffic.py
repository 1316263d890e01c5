#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the bytes that a step of the dam of inputs/benchmark_dam.toml moves between memory and the caches.

valgrind's callgrind simulates the caches of one core: lines of 64 bytes that the last level fetches, and changed ones that
it writes back. Steps 3 to 5 are counted, with 8 particles and with 1 a cell; the difference is the particles', the rest the
liquid cells'. Needs valgrind, and a program without AVX-512, such as one compiled with -DFRESHET_NATIVE=OFF. Takes minutes.
"""
import argparse
import os
import re
import sys
import tempfile
from pathlib import Path

from launch import finish

ROOT = Path(__file__).resolve().parents[1]
LINE = 64  # [B]
STEPS = (2, 5)


def lines_of_run(arguments, per_axis, steps, folder):
    """(lines through memory, particles, liquid cells) of a run of some steps."""
    command = ["valgrind", "--tool=callgrind", "--cache-sim=yes", "--simulate-wb=yes", "--trace-children=yes",
               "--I1=32768,8,64", "--D1=32768,8,64", f"--LL={arguments.last_level << 20},16,64",
               f"--callgrind-out-file={folder}/callgrind.%p", arguments.program, "run", str(ROOT / "inputs/benchmark_dam.toml"),
               f"run.max_steps={steps}", f"particles.per_axis={per_axis}", "--output-dir", f"{folder}/out", "--force"]
    run = finish(command, {**os.environ, "OMP_NUM_THREADS": "1"}, "memory traffic")
    if run.returncode != 0:
        sys.exit(f"memory traffic: {' '.join(command)} ended with {run.returncode}: {run.stderr[-1000:]}")
    processes = re.findall(r"Events +: (.*)\n.*Collected : (.*)", run.stderr)  # the program, and MPI's helpers
    counts = max((dict(zip(names.split(), map(int, values.split()))) for names, values in processes), key=lambda c: c["Ir"])
    head, *_, last = (Path(folder) / "out/steps.csv").read_text().splitlines()
    columns = dict(zip(head.split(","), last.split(",")))
    return (sum(counts[name] for name in ("DLmr", "DLmw", "DLdmr", "DLdmw")), int(columns["particles"]),
            int(columns["liquid_cells"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "build/package/src/freshet"), help="the freshet binary")
    parser.add_argument("--last-level", type=int, default=4, metavar="MIB", help="a core's share of the last cache (default: 4)")
    arguments = parser.parse_args()
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for per_axis in (2, 1):
            (first, *_), (last, particles, cells) = (lines_of_run(arguments, per_axis, steps, folder) for steps in STEPS)
            found[per_axis] = (LINE * (last - first) / (STEPS[1] - STEPS[0]), particles, cells)
    (dense, n_dense, cells), (sparse, n_sparse, _) = found[2], found[1]
    particle = (dense - sparse) / (n_dense - n_sparse)
    print(f"{dense * 1e-6:.1f} MB a step with {n_dense} particles, {sparse * 1e-6:.1f} MB with {n_sparse}, {cells} liquid cells: "
          f"{particle:.0f} B a particle, {(dense - n_dense * particle) / cells:.0f} B a liquid cell")


if __name__ == "__main__":
    main()
