#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tells when the liquid of a run first reaches a box.

The box counts as reached when it holds as much liquid as a strip with half a cell for its cross-section that is as long as
the box is deep along z. The times are those of snapshots: choose output.interval accordingly.

usage: arrivals.py DIR --box 95,0,0 96,96,96 [--box ...] [--dt 0.5]     corners [m]; without z in 2-D
"""
import argparse
from pathlib import Path

import numpy as np

from freshet_io import Run

SECTION = 0.5  # cross-section of the strip [cells]


def particles_needed(run, box):
    """Number of particles in the strip."""
    per_axis = run.parameters["particles"]["per_axis"]
    depth = (box[1][2] - box[0][2]) / run.cell_size if run.dimension == 3 else 1.0
    return max(1.0, SECTION * depth * per_axis ** run.dimension)


def count_inside(position, box, dimension):
    low, high = (np.asarray(corner, dtype=float)[:dimension] for corner in box)
    x = position[:, :dimension]
    return int(np.count_nonzero(((x >= low) & (x <= high)).all(axis=1)))


def arrival_times(run, boxes):
    """Times {name: [s]} for those of the boxes {name: (low, high)} that the liquid reaches."""
    needed = {name: particles_needed(run, box) for name, box in boxes.items()}
    times = {}
    for snapshot in run.snapshots:
        position = snapshot.position()
        for name in boxes.keys() - times.keys():
            if count_inside(position, boxes[name], run.dimension) >= needed[name]:
                times[name] = snapshot.time
        if len(times) == len(boxes):
            break
    return times


def corner(text):
    return [float(x) for x in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path, help="output directory of a run")
    parser.add_argument("--box", nargs=2, type=corner, action="append", required=True, metavar=("LOW", "HIGH"))
    parser.add_argument("--dt", type=float, help="length of a step [s]; also print the number of the step")
    arguments = parser.parse_args()
    run = Run(arguments.directory)
    names = [" to ".join(str(end) for end in box) for box in arguments.box]
    times = arrival_times(run, dict(zip(names, arguments.box)))
    for name in names:
        if name not in times:
            print(f"{name}: not reached")
        else:
            step = f", step {times[name] / arguments.dt:g}" if arguments.dt else ""
            print(f"{name}: t = {times[name]:g} s{step}")


if __name__ == "__main__":
    main()
