#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the table of figures/validation.md: errors against the grid, a panel for each row with two grids or more.

It reads the page, so that the picture shows what the table says: relative errors and losses [%] of the level set and of voxels, the
goals, and in grey the slope of second order; a figure "below 0.1" stands at 0.1. `jobs/validate.sh --page` calls it after the rows.

usage: plot_validation.py [PAGE] [-o FILE]     default: analysis/figures/validation.md, and the picture beside it
"""
import argparse
import re
import textwrap
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.ticker import NullFormatter, NullLocator
from PIL import Image

from freshet.plot.style import COLORS, SETTINGS
from validation_page import rows_of

PAGE = Path(__file__).resolve().parent / "figures" / "validation.md"
COLUMNS = 7
DPI = 110
SERIES = (("level set", 3, "o-", COLORS[0]), ("voxels", 4, "s--", COLORS[1]))
BOUND = re.compile(r"\s*(?:below )?(-?[0-9.]+)?")


def numbers(text):
    """Absolute values of "0.84, -, below 0.1 %", None where a grid has none: of several series, joined by "and", the first."""
    found = [BOUND.match(part).group(1) for part in text.partition(" and ")[0].split(",")]
    return [abs(float(value)) if value else None for value in found]


def points(sizes, values):
    """Places and values of those that are there and can stand on an axis of logarithms."""
    pairs = [(size, value) for size, value in zip(sizes, values) if value]
    return zip(*pairs) if pairs else ((), ())


def drawable(columns):
    """Whether a row has relative errors on two grids or more."""
    return columns[3].endswith("%") and sum(1 for value in numbers(columns[3]) if value) > 1


def draw_row(panel, columns):
    """One panel: the row's errors, goals and the slope of second order through the coarsest grid of the level set."""
    sizes = [float(size) for size in re.findall(r"[0-9.]+", columns[2])]
    for label, at, style, color in SERIES:
        panel.plot(*points(sizes, numbers(columns[at])), style, color=color, ms=3, label=label)
    first, error = next(iter(zip(*points(sizes, numbers(columns[3])))))
    panel.plot(sizes, [error * (first / size)**2 for size in sizes], color="0.75", lw=0.8, zorder=0, label="second order")
    if "%" in columns[5]:
        goals = numbers(columns[5])
        panel.plot(*points(sizes, goals * len(sizes) if len(goals) == 1 else goals), "_k", ms=9, label="goal")
    unit = re.sub(r"^[0-9., ]+", "", columns[2])
    title = f"{columns[0].partition(' (')[0]}: {columns[1].partition(' (')[0]}"
    panel.set(xscale="log", yscale="log", xticks=sizes, xticklabels=[f"{size:g}" for size in sizes], xlabel=f"cells {unit}")
    panel.set_title("\n".join(textwrap.wrap(title, 30)[:3]), fontsize=6.5)
    panel.xaxis.set_minor_locator(NullLocator())
    panel.yaxis.set_minor_formatter(NullFormatter())


def draw(page, path):
    """Write the picture of a page's rows."""
    rows = [columns for columns in rows_of(page) if drawable(columns)]
    lines = len(rows) // COLUMNS + 1  # one panel at least is left for the legend
    with plt.rc_context(SETTINGS | {"xtick.labelsize": 6, "ytick.labelsize": 6, "axes.labelsize": 6.5}):
        figure, axes = plt.subplots(lines, COLUMNS, figsize=(1.85 * COLUMNS, 1.75 * lines), layout="constrained")
        for panel, columns in zip(axes.flat, rows):
            draw_row(panel, columns)
        for panel in axes.flat[len(rows):]:
            panel.set_axis_off()
        found = {name: handle for panel in axes.flat[:len(rows)] for handle, name in zip(*panel.get_legend_handles_labels())}
        axes.flat[-1].legend(found.values(), found.keys(), loc="center")
        figure.supylabel("error or loss [%]", fontsize=7)
        figure.savefig(path, dpi=DPI)
        plt.close(figure)
    Image.open(path).convert("RGB").quantize(32).save(path, optimize=True)  # lines and marks need few colours


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page", nargs="?", type=Path, default=PAGE)
    parser.add_argument("-o", "--output", type=Path, help="default: beside the page, .png")
    options = parser.parse_args()
    draw(options.page.read_text(encoding="utf-8"), options.output or options.page.with_suffix(".png"))


if __name__ == "__main__":
    main()
