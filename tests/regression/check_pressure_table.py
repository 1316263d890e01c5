#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# needs: python:numpy python:matplotlib
# nightly: yes
"""The pressure benchmark runs on a small grid, its records say what they should, and they can be plotted.

usage: check_pressure_table.py BUILD_DIRECTORY
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from check_bad_inputs import ENVIRONMENT, ROOT
from commands import NIGHTLY

KEYS = {"case", "grid", "liquid_cells", "ranks", "threads", "preconditioner", "tolerance", "iterations", "setup_ms",
        "solve_ms", "ns_per_cell"}
GRID = 32 if NIGHTLY else 16


def run(command):
    done = subprocess.run(["/usr/bin/python3", *command], cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{command[0]} ended with {done.returncode}: {(done.stdout + done.stderr)[-2000:]}")
    return done.stdout


def problems_of(record):
    name = f"{record.get('case')} by {record.get('preconditioner')}"
    if missing := KEYS - record.keys():
        return [f"{name}: no {', '.join(sorted(missing))}"]
    problems = []
    if not record["converged"] or not record["iterations"] > 0:
        problems.append(f"{name}: {record['iterations']} iterations, converged: {record['converged']}")
    ns = 1e6 * (record["setup_ms"] + record["solve_ms"]) / record["liquid_cells"]
    if abs(ns - record["ns_per_cell"]) > 1e-9 * ns:
        problems.append(f"{name}: {record['ns_per_cell']} ns a cell, by its times {ns}")
    return problems


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program = Path(sys.argv[1]) / "tests" / "pressure_table"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "table.json"
        table = run(["analysis/benchmark_pressure.py", "--program", str(program), "--grids", str(GRID), "--json",
                     str(file)])
        records = json.loads(file.read_text())
        run(["analysis/plot_pressure.py", str(file), "-o", str(Path(folder) / "table.png")])
        problems = [] if (Path(folder) / "table.png").is_file() else ["no picture"]
    for record in records:
        problems += problems_of(record)
    by_case = {}
    for record in records:
        by_case.setdefault((record["case"], record["coefficients"]), set()).add(record["liquid_cells"])
        if f"{GRID}^3{record['liquid_cells']:>10}" not in table:
            problems.append(f"{record['case']} is not in the table")
    problems += [f"{case} has {cells} cells, which depends on the ranks" for case, cells in by_case.items()
                 if len(cells) != 1]
    if len(by_case) != 6 or {r["case"] for r in records} != {"dam", "box", "sheet", "spray"}:
        problems.append(f"cases are {sorted(by_case)}")
    print("\n".join(problems) or f"{len(records)} records are as they should be")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
