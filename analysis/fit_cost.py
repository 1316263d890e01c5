#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Finds from the timers of runs what a particle and a cell cost, in the form that the distribution of blocks takes them.

usage: fit_cost.py DIR... [--store CASE.toml]
  DIR                 output directories of runs, best of one rank: where ranks wait, their timers hold the wait
  --store CASE.toml   also puts both costs into the case file's table [balance]

The last line printed is two words for `freshet run`, or for the case file: balance.particle_cost and balance.cell_cost.
Phases that walk particles give the first, phases that walk cells the second. Between runs the weight is their steps.
"""
import argparse
import re
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


def with_costs(text, costs):
    """A case file's text with the keys of [balance] set; the rest, comments too, stays as it was."""
    lines = text.splitlines()
    for key in costs:
        if any(re.match(rf"\s*(balance\s*\.\s*{key}|balance\s*=)", line) for line in lines):
            raise SystemExit(f"fit_cost: the case file sets balance.{key} outside a table [balance]; set it there by hand")
    table = next((n for n, line in enumerate(lines) if re.match(r"\s*\[\s*balance\s*\]", line)), None)
    if table is None:
        lines += ["", "[balance]"]
        table = len(lines) - 1
    end = next((n for n in range(table + 1, len(lines)) if lines[n].lstrip().startswith("[")), len(lines))
    for key, value in costs.items():
        line = f"{key} = {value}"
        at = next((n for n in range(table + 1, end) if re.match(rf"\s*{key}\s*=", lines[n])), None)
        if at is not None:
            lines[at] = line
        else:
            lines.insert(table + 1, line)
            end += 1
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directories", nargs="+", type=Path, help="output directories of runs")
    parser.add_argument("--store", type=Path, metavar="CASE.toml", help="a case file that gets the costs")
    arguments = parser.parse_args()
    particle, cell = fit(arguments.directories)
    print(f"a particle takes {1e9 * particle:.1f} ns a step, an allocated cell {1e9 * cell:.1f} ns")
    costs = {"particle_cost": "1.0", "cell_cost": f"{cell / particle:.2f}"}
    if arguments.store:
        arguments.store.write_text(with_costs(arguments.store.read_text(), costs))
    print(" ".join(f"balance.{key}={value}" for key, value in costs.items()))


if __name__ == "__main__":
    main()
