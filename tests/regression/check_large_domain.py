#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Liquid in the last corner of a domain of 2^58 cells does what it does in a small domain, bit for bit, on 1 and 2 ranks (at night also 4):
no number of a cell or block is cut to 32 bits.

usage: check_large_domain.py BUILD_DIRECTORY_OR_EXECUTABLE
"""
import csv
import sys
import tempfile
from pathlib import Path

import commands
from check_bad_inputs import find_program

RANKS = (1, 2, 4) if commands.NIGHTLY else (1, 2)
CELLS = (2**20, 2**20, 2**18)  # no more: a domain full of particles would have ids beyond 2^63
SMALL = 64
SIZE = 2.0**-5  # of a cell [m]
DIFFERENT = {"seconds [s]", "memory [B]"}  # the coarse levels of the pressure solver see the domain


def write_case(path, cells):
    """Liquid in the corner of the highest coordinates, which gravity holds at the high side of y and lets break along -x."""
    top = [n * SIZE for n in CELLS]
    origin = [t - n * SIZE for t, n in zip(top, cells)]
    lower = [t - n * SIZE for t, n in zip(top, (16, 24, 20))]
    path.write_text(f"""[run]
end_time = 1
[domain]
cells = {list(cells)}
cell_size = {SIZE}
origin = {origin}
[particles]
jitter = 0
[fluid]
gravity = [0, 9.81, 0]
[[liquid]]
shape = "box"
lower = {lower}
upper = {top}
[output]
interval = 0
particles = []
[checkpoint]
wall_interval = 0
""")


def run(program, case, ranks, output):
    done = commands.run(program, ["run", case, "run.max_steps=5", "--output-dir", output], ranks)
    if done.returncode != 0:
        sys.exit(f"{case.name} on {ranks} ranks: exit code {done.returncode}: {done.stderr[-1000:]}")
    with open(output / "steps.csv", newline="") as file:
        return list(csv.DictReader(file))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program = find_program(sys.argv[1])
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        large, small = Path(folder) / "large.toml", Path(folder) / "small.toml"
        write_case(large, CELLS)
        write_case(small, (SMALL,) * 3)
        for ranks in RANKS:
            rows = [run(program, case, ranks, Path(folder) / f"{case.stem}_{ranks}") for case in (large, small)]
            if len(rows[0]) != 5 or int(rows[0][-1]["iterations"]) < 2 or float(rows[0][-1]["kinetic_energy [J]"]) <= 0.0:
                problems.append(f"{ranks} ranks: the liquid does not move: {rows[0][-1:]}")
            problems += [f"{ranks} ranks, step {a['step']}: {key} is {a[key]}, in the small domain {b[key]}"
                         for a, b in zip(*rows) for key in a if key not in DIFFERENT and a[key] != b[key]]
    print("\n".join(problems) or "the same bits in both domains")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
