# SPDX-License-Identifier: Apache-2.0
"""How figures look, and how they are written."""
from pathlib import Path

import matplotlib.pyplot as plt
from cycler import cycler

COLORS = ["#1b5fa6", "#d1495b", "#2e8b57", "#8d5a97", "#e08e0b", "#3d3d3d"]
DASHES = ["-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1))]  # the curves can be told apart in grey, too
SETTINGS = {
    "font.size": 8, "axes.titlesize": 8, "axes.labelsize": 8, "legend.fontsize": 7, "xtick.labelsize": 7, "ytick.labelsize": 7,
    "axes.grid": True, "grid.alpha": 0.3, "grid.linewidth": 0.5, "axes.linewidth": 0.6, "lines.linewidth": 1.1,
    "legend.frameon": False, "axes.prop_cycle": cycler(color=COLORS) + cycler(linestyle=DASHES),
    "pdf.fonttype": 42, "ps.fonttype": 42, "svg.fonttype": "none",  # text stays text
}
VECTOR = (".pdf", ".svg", ".eps")
ENDINGS = (*VECTOR, ".png")
CENTIMETRE = 1 / 2.54  # [inches]


def figure_of(width, height):
    """A figure with one pair of axes, as large as it is to be printed [cm]."""
    return plt.subplots(figsize=(width * CENTIMETRE, height * CENTIMETRE), layout="constrained")


def named(label, unit):
    """The label of an axis: "volume [m$^3$]"."""
    powers = unit.replace("**", "^") if unit else ""
    for power in ("-1", "-2", "-3", "2", "3"):
        powers = powers.replace("^" + power, f"$^{{{power}}}$")
    label = label.replace("_", " ")
    return f"{label} [{powers}]" if powers else label


def save(figure, paths, dpi=300):
    """Write a figure to files, whose folders are made, and close it. dpi: of what is not drawn as vectors."""
    for path in map(Path, paths):
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=dpi)
    plt.close(figure)
