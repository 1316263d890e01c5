#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Viscosity and its pressure are not found together within viscosity.max_iterations: the step is taken as with
viscosity.coupling = "split", and column, totals and warnings say so, on 1 and 2 ranks.

usage: check_viscous_fallback.py BUILD_DIRECTORY_OR_EXECUTABLE
"""
import csv
import json
import sys
import tempfile
from pathlib import Path

import commands
from check_bad_inputs import find_program

# dt viscosity / (density cell_size^2) = 0.5: the coupled solve takes 13 iterations, the split one 3.
CASE = """
title = "a column of honey sinks"
run.end_time = 0.028
run.reproducible = true
domain.dimension = 2
domain.cells = [24, 24]
domain.cell_size = 0.02
fluid.viscosity = 50.0
time.max_dt = 0.004
output.interval = 0
[domain.boundary]
y_low = "no_slip"
[[liquid]]
shape = "box"
lower = [0.12, 0.0]
upper = [0.32, 0.3]
"""
STEPS = 7
MOST = 6  # iterations
WARNED = 5  # steps that a run warns of one by one
WARNING = "viscosity and its pressure were not found together; the step was taken as with viscosity.coupling = \"split\""
TOTAL = f"{STEPS} of {STEPS} steps were taken as with viscosity.coupling = \"split\""
# Columns that say how a step was found and on how many ranks, not what it found
OF_THE_WAY = ("viscous_iterations", "uncoupled", "moved_rank", "imbalance", "memory", "seconds")
problems = []


def expect(condition, message):
    if not condition:
        problems.append(message)


class Run:
    """A run of the case: its rows, what it said on standard output and in log.txt, its total."""

    def __init__(self, program, folder, ranks, *words):
        output = folder / "out"
        done = commands.run(program, ["run", folder / "honey.toml", "--force", "--output-dir", output, *words], ranks)
        expect(done.returncode == 0, f"{words} on {ranks} ranks: exit code {done.returncode}: {done.stderr[-300:]}")
        with open(output / "steps.csv", newline="") as table:
            self.rows = [{name.split()[0]: value for name, value in row.items()} for row in csv.DictReader(table)]
        self.said = [done.stdout, (output / "log.txt").read_text()]
        self.total = json.loads((output / "run.json").read_text())["uncoupled_steps"]

    def column(self, name):
        return [float(row[name]) for row in self.rows]

    def flow(self):
        return [{name: value for name, value in row.items() if name not in OF_THE_WAY} for row in self.rows]


def compare(ranks, coupled, split, fallen):
    """Three runs on the same ranks: with both solves, split from the start, and with too few iterations for the coupled solve."""
    for name, run, value in (("coupled", coupled, 0), ("split", split, 0), ("fell back", fallen, 1)):
        where = f"{name}, {ranks} ranks"
        expect(run.column("uncoupled") == [value] * STEPS, f"{where}: column uncoupled is {run.column('uncoupled')}")
        expect(run.total == value * STEPS, f"{where}: run.json counts {run.total} uncoupled steps")
        for text in run.said:
            found = [line for line in text.splitlines() if WARNING in line]
            steps = [f"step {n + 1}:" for n in range(value * WARNED)]
            expect(len(found) == len(steps) and all(step in line for step, line in zip(steps, found)),
                   f"{where}: warnings are {found}")
            expect(text.count(TOTAL) == value, f"{where}: the end says {text[-300:]}")
            expect(text.count("troubleshooting.md#viscous") == value * (WARNED + 1), f"{where}: warnings name no page")
    expect(max(split.column("viscous_iterations")) <= MOST < min(coupled.column("viscous_iterations")),
           f"{ranks} ranks: {MOST} iterations do not lie between both solves")
    expect(all(a == b + MOST for a, b in zip(fallen.column("viscous_iterations"), split.column("viscous_iterations"))),
           f"{ranks} ranks: viscous_iterations are {fallen.column('viscous_iterations')}")
    expect(fallen.flow() == split.flow(), f"{ranks} ranks: steps that fell back are not those of a split run")
    expect(fallen.flow() != coupled.flow(), f"{ranks} ranks: the coupling changes nothing here")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    program = find_program(sys.argv[1])
    flows = []
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "honey.toml").write_text(CASE)
        for ranks in (1, 2):
            runs = [Run(program, Path(folder), ranks, *words) for words in
                    ((), ("viscosity.coupling=split",), (f"viscosity.max_iterations={MOST}",))]
            compare(ranks, *runs)
            flows.append(runs[-1].flow())
    expect(flows[0] == flows[1], "steps that fell back differ between 1 and 2 ranks")
    for problem in problems:
        print("FAILED", problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
