#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Finds from the timers of runs what a particle and a cell cost, in the form that the distribution of blocks takes them.

usage: fit_cost.py DIR...      output directories of runs, best of one rank: where ranks wait, their timers hold the wait

The last line printed is two words for `freshet run`, or for the case file: balance.particle_cost and balance.cell_cost.
Phases that walk particles give the first, phases that walk cells the second. Between runs the weight is their steps.
"""
import argparse
from pathlib import Path

from freshet.analysis import Run

OF_PARTICLES = ("deposit", "blend", "move", "migrate", "sort", "care", "sources", "statistics")
NOT_STEPS = ("output", "checkpoint", "balance")


def seconds_of(run):
    """(seconds of phases that walk particles, of those that walk cells, particle steps, cell steps) of all ranks."""
    timers, steps = run.timers, run.step_columns
    if timers is None:
        raise SystemExit(f"fit_cost: {run.directory} has no timers.json yet")
    cells_of_block = 8 ** run.dimension
    particle = cell = 0.0
    for phase in timers["phases"]:
        if phase["name"] in OF_PARTICLES:
            particle += phase["avg"] * timers["ranks"]
        elif phase["name"] not in NOT_STEPS:
            cell += phase["avg"] * timers["ranks"]
    return particle, cell, float(steps["particles"].sum()), float(steps["blocks"].sum()) * cells_of_block


def fit(directories):
    """Seconds of a particle and of an allocated cell in a step."""
    rows = [seconds_of(Run(directory)) for directory in directories]
    particle, cell, particles, cells = (sum(column) for column in zip(*rows))
    if not particles or not cells:
        raise SystemExit("fit_cost: the runs have no steps")
    return particle / particles, cell / cells


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directories", nargs="+", type=Path, help="output directories of runs")
    arguments = parser.parse_args()
    particle, cell = fit(arguments.directories)
    print(f"a particle takes {1e9 * particle:.1f} ns a step, an allocated cell {1e9 * cell:.1f} ns")
    print(f"balance.particle_cost=1.0 balance.cell_cost={cell / particle:.2f}")


if __name__ == "__main__":
    main()
