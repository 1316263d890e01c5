#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the table of what the checks of this folder recorded, and keeps it as results.md beside results.csv.

usage: table.py WORK
Exit code 1 if anything failed or is unclear, or if nothing was recorded.
"""
import csv
import sys
import textwrap
from pathlib import Path

from check import COLUMNS, FAILED, NOT_RUN, OK, RESULTS

WIDTHS = {"tried": 44, "happened": 58}  # [characters] where text is wrapped


def aligned(rows):
    """Rows of text in columns; long ones go on below."""
    cells = [[textwrap.wrap(row[name], WIDTHS.get(name, 40)) or [""] for name in COLUMNS] for row in rows]
    widths = [max(len(line) for row in cells for line in row[i]) for i in range(len(COLUMNS))]
    lines = []
    for row in cells:
        for n in range(max(len(cell) for cell in row)):
            words = [(cell[n] if n < len(cell) else "").ljust(width) for cell, width in zip(row, widths)]
            lines.append("  ".join(words).rstrip())
    return "\n".join(lines)


def markdown(rows):
    lines = ["| " + " | ".join(row[name].replace("|", "\\|") for name in COLUMNS) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(COLUMNS), *lines[1:]]) + "\n"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    work = Path(sys.argv[1])
    results = work / RESULTS
    if not results.exists():
        sys.exit(f"nothing was recorded in {work}")
    with open(results, newline="") as file:
        rows = list(csv.DictReader(file))
    table = [dict(zip(COLUMNS, COLUMNS)), *rows]
    (work / "results.md").write_text(markdown(table))
    print(aligned(table))
    counts = {verdict: sum(row["verdict"] == verdict for row in rows) for verdict in (OK, FAILED, NOT_RUN)}
    unclear = len(rows) - sum(counts.values())
    print(f"\n{counts[OK]} ok, {counts[FAILED] + unclear} failed, {counts[NOT_RUN]} not run; {results}, {work / 'results.md'}")
    return 1 if counts[FAILED] or unclear or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
