#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# The usage is printed, and python3 -OO drops docstrings: so this one is assigned.
__doc__ = """Draws results of jobs/walls.sh as figures of M.-L. Eckert (TU Munich, 2014).

Writes to DIR: grids.png (Fig. 4.9, iterations against the grid), agreement.png (Fig. 4.10, differences between the
velocities of the methods on equal states) and classification.png (Fig. 4.15, the 2-D dam at step 85).

usage: plot_walls.py [DIR]     default: output/walls
"""
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from freshet.analysis import Run
from freshet.plot.snapshots import draw_2d, top_speed
from table_walls import differences, grid_name, load_agreements, load_results, of_part
from walls_scenes import METHODS

COLORS = {"OrigPS": "C0", "OrigPSSep": "C2", "ADMMVelSep": "C6", "ADMMDivSep": "C3", "IOPDivSep": "C8",
          "IOPDivSepBC": "0.5", "ADMMVelStick": "C6", "ADMMDivStick": "C3", "IOPDivStick": "C8",
          "complementarity": "k"}
ITERATIVE = ("ADMMVelSep", "ADMMDivSep", "IOPDivSep")
PANELS = (  # title, reference (method, accuracy), others
    ("sticky, high accuracy, against OrigPS", ("OrigPS", "high"),
     [(m, "high") for m in ("ADMMVelStick", "ADMMDivStick", "IOPDivStick")]),
    ("separating, high accuracy, against ADMMVelSep", ("ADMMVelSep", "high"),
     [(m, "high") for m in ("ADMMDivSep", "IOPDivSep")]),
    ("separating, high accuracy, against OrigPSSep", ("OrigPSSep", "high"),
     [(m, "high") for m in (*ITERATIVE, "IOPDivSepBC")]),
    ("separating, low accuracy, against ADMMVelSep at low accuracy", ("ADMMVelSep", "low"),
     [(m, "low") for m in ("ADMMDivSep", "IOPDivSep")]),
    ("low accuracy, against ADMMVelSep at high accuracy", ("ADMMVelSep", "high"),
     [(m, "low") for m in (*ITERATIVE, "complementarity")]),
    ("against complementarity at high accuracy", ("complementarity", "high"),
     [(m, "high") for m in ("ADMMVelSep", "IOPDivSepBC", "OrigPSSep")] + [("complementarity", "low")]),
)


def plot_grids(results, directory):
    for (dimension, _, preconditioner, _), group in of_part(results, "grids").items():
        figure, panels = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
        for panel, key, title in zip(panels, ("cg_iterations", "outer_iterations"),
                                     ("CG iterations", "ADMM, IOP or set iterations")):
            for method in METHODS:
                line = sorted((r["record"]["grid"], r["record"][key]) for r in group
                              if r["record"]["method"] == method)
                if line:
                    panel.plot(*zip(*line), marker="o", ms=4, color=COLORS.get(method), label=method)
            panel.set(title=f"{title} a step", xlabel="cells of an edge", xscale="log", yscale="log")
            ticks = sorted({r["record"]["grid"] for r in group})
            panel.set_xticks(ticks, ticks)
            panel.minorticks_off()
            panel.grid(alpha=0.3)
        panels[0].legend(fontsize=8)
        figure.suptitle(f"Breaking dam, {dimension}-D, {preconditioner}")
        save(figure, directory / "grids.png")


def plot_agreement(agreements, directory):
    if not agreements:
        return
    states = max(agreements.values(), key=len)
    steps = [state["step"] for state in states]
    figure, panels = plt.subplots(2, 3, figsize=(16, 8), layout="constrained", sharex=True)
    for panel, (title, reference, others) in zip(panels.ravel(), PANELS):
        for method, accuracy in others:
            apart = np.maximum(differences(states, (method, accuracy), reference), 1e-17)
            panel.semilogy(steps, apart, lw=1, marker=".", ms=3, color=COLORS[method],
                           ls="-" if accuracy == "high" else "--", label=f"{method}, {accuracy}")
        panel.set_title(title, fontsize=9)
        panel.grid(alpha=0.3)
        panel.legend(fontsize=7)
    for panel in panels[1]:
        panel.set_xlabel("step")
    for panel in panels[:, 0]:
        panel.set_ylabel("largest difference of velocities [m/s]")
    figure.suptitle("Breaking dam, 2-D: all methods on the same states of a sticky run")
    save(figure, directory / "agreement.png")


def plot_classification(results, directory):
    """Draws methods by column and classification by row. Complementarity does not classify; it is in the first row."""
    for (dimension, grid, _, _), group in of_part(results, "classification").items():
        records = [result["record"] for result in group]
        methods = list(dict.fromkeys(r["method"] for r in records))
        figure, panels = plt.subplots(2, len(methods), figsize=(3.2 * len(methods), 6.6), squeeze=False,
                                      layout="constrained")
        runs = [Run(directory / result["name"]) for result in group]
        limit = max(top_speed([run.snapshots[-1]]) for run in runs)
        for panel in panels.ravel():
            panel.set_axis_off()
        for record, run in zip(records, runs):
            panel = panels[int(record["classification"] == "pressure"), methods.index(record["method"])]
            panel.set_axis_on()
            draw_2d(run, [run.snapshots[-1]], [panel], limit)
            by = f", by {record['classification']}" if record["classification"] else ""
            panel.set_title(record["method"] + by, fontsize=9)
        figure.suptitle(f"Breaking dam, {grid_name(dimension, grid)}, t = {runs[0].snapshots[-1].time:g} s")
        save(figure, directory / "classification.png")


def save(figure, path):
    figure.savefig(path, dpi=100)
    plt.close(figure)
    print(path)


def main():
    if len(sys.argv) > 2 or sys.argv[1:] in (["-h"], ["--help"]):
        sys.exit(__doc__)
    directory = Path(sys.argv[1] if len(sys.argv) == 2 else "output/walls")
    results = load_results(directory)
    plot_grids(results, directory)
    plot_agreement(load_agreements(directory), directory)
    plot_classification(results, directory)


if __name__ == "__main__":
    main()
