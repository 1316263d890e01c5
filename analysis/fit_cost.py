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
import sys
import tomllib
from pathlib import Path

from freshet.analysis import Run

OF_PARTICLES = ("deposit", "blend", "move", "migrate", "sort", "care", "sources", "statistics")
NOT_STEPS = ("start", "output", "checkpoint", "balance")
# Strings, comments, brackets and line breaks of TOML. A string or comment is one token: what it holds is not looked at.
TOKEN = re.compile(r'''"""(?:\\.|[^\\])*?"{3,5}|'{3}.*?'{3,5}|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|\#[^\n]*|[][{}\n]''', re.DOTALL)


def fail(message):
    print(f"fit_cost: {message}", file=sys.stderr)
    sys.exit(2)


def seconds_of(run):
    """(seconds of phases that walk particles, of those that walk cells, particle steps, cell steps) of all ranks."""
    timers, steps = run.timers, run.step_columns
    if timers is None:
        fail(f"{run.directory} has no timers.json. A run writes it at its end: wait for that, or name another run")
    if not steps:
        fail(f"{run.directory} has no steps.csv. Name another run")
    if "allocated_blocks" not in steps:
        fail(f"{run.directory}: steps.csv has no column allocated_blocks (an earlier version wrote it). Run the case again")
    cells_of_block = 8 ** run.dimension
    particle = cell = 0.0
    for phase in timers["phases"]:
        if phase["name"] in OF_PARTICLES:
            particle += phase["avg"] * timers["ranks"]
        elif phase["name"] not in NOT_STEPS:
            cell += phase["avg"] * timers["ranks"]
    return particle, cell, float(steps["particles"].sum()), float(steps["allocated_blocks"].sum()) * cells_of_block


def fit(directories):
    """Seconds of a particle and of an allocated cell in a step."""
    try:
        rows = [seconds_of(Run(directory)) for directory in directories]
    except (FileNotFoundError, ValueError) as error:  # no run, or a damaged one
        fail(f"{error}. Name output directories of runs")
    particle, cell, particles, cells = (sum(column) for column in zip(*rows))
    if not particles or not cells:
        fail("the runs have no steps. Name runs that have some")
    return particle / particles, cell / cells


def lines_outside_values(text):
    """Numbers of the lines, from 0, that begin outside strings, arrays and inline tables."""
    found, line, depth = {0}, 0, 0
    for token in TOKEN.findall(text):
        line += token.count("\n")
        depth += (token in "[{") - (token in "]}")
        if token == "\n" and depth == 0:
            found.add(line)
    return found


def with_costs(text, costs):
    """A case file's text with the keys of [balance] set; the rest, comments too, stays as it was."""
    end_of_line = "\r" if "\r\n" in text else ""
    if text and not text.endswith("\n"):
        text += end_of_line + "\n"
    lines = text.split("\n")  # the last is empty
    outside = lines_outside_values(text)
    heads = [n for n in sorted(outside) if lines[n].lstrip().startswith("[")]
    table = next((n for n in heads if re.match(r"""\s*\[\s*(["']?)balance\1\s*\]""", lines[n])), None)
    if table is None:
        lines[-1:] = [end_of_line, "[balance]" + end_of_line, ""]
        table = len(lines) - 2
    end = next((n for n in heads if n > table), len(lines))
    new = []
    for key, value in costs.items():
        at = next((n for n in range(table + 1, end) if n in outside and re.match(rf"\s*{key}\s*=", lines[n])), None)
        if at is None:
            new.append(f"{key} = {value}{end_of_line}")
        else:
            lines[at] = re.sub(r"=\s*[^\s#]*", f"= {value}", lines[at], count=1)
    lines[table + 1:table + 1] = new
    return "\n".join(lines)


def store(path, costs):
    """Puts the costs into a case file. Nothing is written unless they are all that the new text changes."""
    try:
        text = path.read_bytes().decode()
        before = tomllib.loads(text)
    except OSError as error:
        fail(f"{path} cannot be read ({error.strerror}). Give --store a case file")
    except ValueError as error:  # no TOML, or no UTF-8
        fail(f"{path} is not a case file ({error}). Correct it first")
    new = with_costs(text, costs)
    wanted = {key: float(value) for key, value in costs.items()}
    try:
        balance = before.get("balance", {})
        is_right = isinstance(balance, dict) and tomllib.loads(new) == {**before, "balance": {**balance, **wanted}}
    except tomllib.TOMLDecodeError:
        is_right = False
    if not is_right:
        fail(f"{path} sets balance in another form than a table [balance]. "
             f"Set it there by hand: {', '.join(f'{key} = {value}' for key, value in costs.items())}")
    try:
        path.write_bytes(new.encode())
    except OSError as error:
        fail(f"{path} cannot be written ({error.strerror}). Set it there by hand")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directories", nargs="+", type=Path, help="output directories of runs")
    parser.add_argument("--store", type=Path, metavar="CASE.toml", help="a case file that gets the costs")
    arguments = parser.parse_args()
    particle, cell = fit(arguments.directories)
    print(f"a particle takes {1e9 * particle:.1f} ns a step, an allocated cell {1e9 * cell:.1f} ns")
    costs = {"particle_cost": "1.0", "cell_cost": f"{cell / particle:.2f}"}
    if arguments.store:
        store(arguments.store, costs)
    print(" ".join(f"balance.{key}={value}" for key, value in costs.items()))


if __name__ == "__main__":
    main()
