#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# needs: python:numpy python:h5py
"""Every case in inputs/ runs a few steps and leaves what it should, on 1, 2 or 3 ranks in turn. With FRESHET_NIGHTLY=ON it does so on
1, 2, 3, 4 and 8, and they agree. The first case of a newcomer warns of nothing from its start to its end. The examples of the pages
there are cases without a fault.

usage: check_cases.py BUILD_DIRECTORY_OR_EXECUTABLE
"""
import csv
import json
import re
import sys
import tempfile
from pathlib import Path

import commands
import openpmd_check
from check_bad_inputs import ROOT, find_program
from commands import NIGHTLY

STEPS = 4
FIRST = "dam_break.toml"  # the case of a first run, which warns of nothing
# FIRST on its own grid until its first impact, with fewer particles; and to its end on a coarse grid, whose steps are twice as long
FIRST_RUNS = (("run.end_time=0.3", "particles.per_axis=1"), ("domain.cells=[40,32,20]", "domain.cell_size=0.025", "output.interval=0.04"))
OF_THE_MACHINE = ("other processes run on the cores", "oversubscribed", "of a rank share", "a thread waits")  # warnings that a busy machine has
RANKS = (1, 2, 3, 4, 8) if NIGHTLY else (1, 2, 3)
PAGES = ("README.md",)  # of inputs/, whose examples are cases
EXPECTED_FILES = ("input.resolved.toml", "log.txt", "run.json", "steps.csv", "timers.json", "snapshots/snapshots.xdmf")


def last_row(path):
    """The last row of steps.csv by column name, units left out."""
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    return len(rows) - 1, {name.split(" [")[0]: float(value) for name, value in zip(rows[0], rows[-1])}


def begins_again(path):
    """Whether the first step needed a smaller dt than was chosen for it."""
    with open(path, newline="") as file:
        return int(next(csv.DictReader(file))["retries"]) > 0


def ranks_of(number, all_ranks):
    """The rank counts of the case with this number: one of them in turn, or all of them at night."""
    return all_ranks if NIGHTLY else (all_ranks[number % len(all_ranks)],)


def check_case(program, case, ranks, folder, steps=STEPS):
    """Run one case; return (what is wrong with it, its last row)."""
    output = Path(folder) / "out"
    # per_axis 1: one particle a cell keeps the big cases small
    words = ["run", case, f"run.max_steps={steps}", "particles.per_axis=1", "output.interval=0", "output.xdmf=true",
             'output.fields=["pressure", "velocity", "label", "face_velocity"]', 'output.particles=["velocity", "id", "tag"]',
             "--output-dir", output]
    result = commands.run(program, words, ranks)
    if result.returncode != 0:
        return [f"exit code {result.returncode}: {result.stderr.strip()[-500:]}"], {}
    problems = [f"no {name}" for name in EXPECTED_FILES if not (output / name).is_file()]
    if problems:
        return problems, {}
    if json.loads((output / "run.json").read_text())["status"] != "done":
        problems.append("run.json does not say done")
    n_rows, row = last_row(output / "steps.csv")
    if begins_again(output / "steps.csv"):
        problems.append("its first step is begun again with a smaller dt")
    if n_rows != steps:
        problems.append(f"{n_rows} rows in steps.csv, not {steps}")
    problems += [f"openPMD: {fault}" for fault in openpmd_check.check_output(output)[1]]
    return problems, row


def differences(row, reference):
    """Columns in which a run differs from the one on 1 rank: the pressure is solved to 1e-5 on both."""
    problems = []
    for name, tolerance in (("particles", 0.0), ("liquid_cells", 1e-3), ("t", 1e-3), ("potential_energy", 1e-4)):
        if abs(row[name] - reference[name]) > tolerance * abs(reference[name]):
            problems.append(f"{name} is {row[name]}, on 1 rank {reference[name]}")
    return problems


def examples(page):
    """(line, case file) of each example of a page. One that begins with [run] is whole; others stand under the page's first."""
    text = page.read_text(encoding="utf-8")
    found = [(text.count("\n", 0, match.start()) + 1, match.group(1)) for match in re.finditer(r"^```toml\n(.*?)^```", text, re.M | re.S)]
    return [(line, case if case.startswith("[run]") else f"{found[0][1]}\n{case}") for line, case in found]


def check_examples(program, page):
    """What `freshet check` finds wrong, or warns of, in the examples of a page."""
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "meshes").symlink_to(ROOT / "inputs/meshes")
        for line, case in examples(page):
            path = Path(folder) / "case.toml"
            path.write_text(case, encoding="utf-8")
            result = commands.run(program, ["check", path])
            said = [text for text in result.stdout.splitlines() if "warning" in text] + result.stderr.strip().splitlines()[-1:]
            if result.returncode != 0 or said:
                problems.append(f"{page.name}:{line}: exit code {result.returncode}: {' '.join(said)}")
    return problems if examples(page) else [f"{page.name} has no example"]


def check_first_run(program, words):
    """What the log of a first run warns of."""
    with tempfile.TemporaryDirectory() as folder:
        result = commands.run(program, ["run", ROOT / "inputs" / FIRST, *words, "--output-dir", folder, "--force"])
        log = (Path(folder) / "log.txt").read_text().splitlines()
    problems = [] if result.returncode == 0 else [f"exit code {result.returncode}: {result.stderr.strip()[-500:]}"]
    return problems + [f"a first run warns: {line}" for line in log
                       if "warning:" in line and not any(words in line for words in OF_THE_MACHINE)]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program = find_program(sys.argv[1])
    failures = []
    n_runs = 0
    for number, case in enumerate(sorted((ROOT / "inputs").glob("*.toml"))):
        reference = None
        for ranks in ranks_of(number, RANKS):
            with tempfile.TemporaryDirectory() as folder:
                problems, row = check_case(program, case, ranks, folder)
            n_runs += 1
            if row:
                reference = reference or row
                problems += differences(row, reference)
            failures += [f"{case.name} on {ranks} ranks: {problem}" for problem in problems]
    for words in FIRST_RUNS:
        failures += check_first_run(program, words)
    for name in PAGES:
        failures += check_examples(program, ROOT / "inputs" / name)
    for failure in failures:
        print(failure)
    print(f"{n_runs} runs, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
