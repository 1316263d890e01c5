#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Puts the pictures of many runs onto one sheet.

usage: contact_sheet.py --output SHEET.png NAME=PICTURE.png...     a NAME whose picture is missing is shown as "not run"
"""
import argparse
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt


def draw(panel, name, picture):
    panel.set_title(name, fontsize=9)
    panel.set_axis_off()
    if picture.is_file():
        panel.imshow(plt.imread(picture))
    else:
        panel.text(0.5, 0.5, "not run", ha="center", va="center", fontsize=11, color="#8a2b2b", transform=panel.transAxes)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pictures", nargs="+", metavar="NAME=PICTURE")
    parser.add_argument("--columns", type=int, default=3)
    parser.add_argument("--title", default="")
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args()
    named = [word.partition("=") for word in arguments.pictures]
    columns = min(arguments.columns, len(named))
    rows = -(-len(named) // columns)
    figure, grid = plt.subplots(rows, columns, figsize=(6.4 * columns, 2.1 * rows + 0.4), squeeze=False,
                                layout="constrained")
    for panel in grid.ravel():
        panel.set_axis_off()
    for panel, (name, _, picture) in zip(grid.ravel(), named):
        draw(panel, name, Path(picture))
    figure.suptitle(arguments.title)
    figure.savefig(arguments.output, dpi=100)
    print(arguments.output)


if __name__ == "__main__":
    main()
