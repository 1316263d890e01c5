#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# The usage is printed, and python3 -OO drops docstrings: so this one is assigned.
__doc__ = """Draws results of jobs/walls.sh as figures of M.-L. Eckert (TU Munich, 2014).

Writes to DIR: residuals.png (Figs. 4.3 to 4.5, residuals of iterations and rounds within a step), thresholds.png (Fig. 4.7, CG iterations
against both thresholds), grids.png (Fig. 4.9, iterations against the grid), agreement.png (Fig. 4.10, differences between the
velocities of the methods on equal states), fields.png (Fig. 4.11, where those of the iterations differ) and classification.png
(Fig. 4.15, the 2-D dam at step 85).

usage: plot_walls.py [DIR]     default: output/walls
"""
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LogNorm

from freshet.analysis import Run
from freshet.plot.snapshots import draw_2d, top_speed
from table_walls import differences, grid_name, load_agreements, load_results, of_part
from walls_plan import FIELD_STEPS, RESIDUAL_STEP
from walls_scenes import COLUMNS, METHODS, ROWS, SWEPT, paper_sweep

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


def plot_residuals(agreements, directory):
    """Residuals of each CG iteration and of each round of the methods, of the state nearest to the paper's step 150."""
    states = [state for states in agreements.values() for state in states if "inverted" in state]
    if not states:
        return
    state = min(states, key=lambda state: abs(state["step"] - RESIDUAL_STEP))
    practical = {s["method"]: s["rounds"] for s in state["solutions"] if s["accuracy"] == "low" and "rounds" in s}
    slow = {s["method"]: s["rounds"] for s in state["inverted"] if "rounds" in s}
    figure, (first, *panels) = plt.subplots(1, 5, figsize=(21, 4), layout="constrained")
    for solution in state["solutions"]:
        if "iterations" in solution and solution["accuracy"] == "low":
            first.semilogy(np.maximum(solution["iterations"], 1e-17), lw=1, marker=".", ms=3, color=COLORS[solution["method"]],
                           label=solution["method"])
    first.set_title("div u in the solve, practical threshold (4.3 a, b)", fontsize=9)
    first.set(xlabel="CG iteration", ylabel="[1/s]")
    first.grid(alpha=0.3)
    first.legend(fontsize=8)
    for panel, title, rounds, methods, key in zip(
            panels, ("div u, practical thresholds (4.3 c, 4.4 a)", "|u - v| of ADMM (4.4 b)", "div u of ADMM, stopped by |u - v|",
                     "div u, outer threshold 1e-5 below CG's 1e-3 (4.5)"),
            (practical, practical, practical, slow), (("ADMMDivSep", "IOPDivSep", "IOPDivSepBC"), ("ADMMVelSep", "ADMMDivSep"),
                                                      ("ADMMVelSep",), ("ADMMDivSep", "IOPDivSep", "IOPDivSepBC")),
            ("divergence", "difference", "divergence", "divergence")):
        for method in methods:
            values = np.maximum(rounds[method][key], 1e-17)
            panel.semilogy(range(1, len(values) + 1), values, lw=1, marker=".", ms=3, color=COLORS[method], label=method)
        panel.set_title(title, fontsize=9)
        panel.set(xlabel="round", ylabel="[m/s]" if key == "difference" else "[1/s]")
        panel.grid(alpha=0.3)
        panel.legend(fontsize=8)
    figure.suptitle(f"Breaking dam, 2-D, step {state['step']}: residuals within the step")
    save(figure, directory / "residuals.png")


def plot_thresholds(results, directory):
    """CG iterations a step as a map over both thresholds, with the paper's numbers below ours."""
    for (dimension, grid, preconditioner, _), group in of_part(results, "thresholds").items():
        methods = [method for method in SWEPT if any(r["record"]["method"] == method for r in group)]
        figure, panels = plt.subplots(1, len(methods), figsize=(4.6 * len(methods), 4.4), squeeze=False, layout="constrained")
        records = [r["record"] for r in group]
        limits = [max(1.0, min(r["cg_iterations"] for r in records)), max(r["cg_iterations"] for r in records)]
        for panel, method in zip(panels[0], methods):
            found = {(r["epsilon_cg"], r["epsilon_outer"]): r["cg_iterations"] for r in records if r["method"] == method}
            values = np.array([[found.get((row, column), np.nan) for column in COLUMNS] for row in ROWS])
            image = panel.imshow(values, norm=LogNorm(*limits), cmap="viridis")
            for y, row in enumerate(ROWS):
                for x, column in enumerate(COLUMNS):
                    if np.isfinite(values[y, x]):
                        paper = paper_sweep(method, row, column)
                        panel.text(x, y, f"{values[y, x]:.0f}" + (f"\n({paper:g})" if paper else ""), ha="center", va="center",
                                   fontsize=7, color="w")
            panel.set_xticks(range(len(COLUMNS)), [f"{column:g}" for column in COLUMNS], fontsize=7)
            panel.set_yticks(range(len(ROWS)), [f"{row:g}" for row in ROWS], fontsize=7)
            panel.set(xlabel="outer threshold", ylabel="threshold of CG", title=method)
        figure.colorbar(image, ax=panels, label="CG iterations a step")
        figure.suptitle(f"Breaking dam, {grid_name(dimension, grid)}, {preconditioner}: ours (and the paper's)")
        save(figure, directory / "thresholds.png")


def plot_fields(agreements, directory):
    """Differences from the agreement solution, x red and y green, 200 times enlarged, as the paper shows them."""
    states = max(([state for state in states if "fields" in state] for states in agreements.values()), key=len, default=[])
    states = [state for state in states if state["step"] in FIELD_STEPS] or states[-1:]
    if not states:
        return
    methods = ("ADMMVelSep", "ADMMDivSep", "IOPDivSep")
    figure, panels = plt.subplots(len(states), 3, figsize=(11, 3.6 * len(states)), squeeze=False, layout="constrained")
    for row, state in zip(panels, states):
        for panel, method in zip(row, methods):
            apart = np.abs(state["fields"][method])  # axis, y, x
            panel.imshow(np.clip(np.stack([*(200 * apart), 0 * apart[0]], axis=-1), 0, 1), origin="lower")
            panel.set_title(f"{method}, step {state['step']}: up to {apart.max():.1e} m/s", fontsize=9)
            panel.set_axis_off()
    figure.suptitle("Differences of velocities from ADMMVelSep at high accuracy: x red, y green, full colour at 5 mm/s")
    save(figure, directory / "fields.png")


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
    if sys.argv[1:] in (["-h"], ["--help"]):
        print(__doc__)
        return
    if len(sys.argv) > 2:
        sys.exit(__doc__)
    directory = Path(sys.argv[1] if len(sys.argv) == 2 else "output/walls")
    results = load_results(directory)
    agreements = load_agreements(directory)
    plot_residuals(agreements, directory)
    plot_thresholds(results, directory)
    plot_grids(results, directory)
    plot_agreement(agreements, directory)
    plot_fields(agreements, directory)
    plot_classification(results, directory)


if __name__ == "__main__":
    main()
