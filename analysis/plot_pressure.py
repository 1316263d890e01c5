#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Plots the records of jobs/benchmark_pressure.sh: ns per liquid cell, and iterations against grid size and ranks.

usage: plot_pressure.py FILE.json -o PNG
"""
import argparse
import json

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

COLOURS = {"multigrid": "C0", "mic0": "C1", "icc": "C2", "hypre": "C3", "gamg": "C4"}
MARKERS = "osD^v"


def case_name(record):
    return record["case"] + (f", {record['coefficients']}\ncoefficients" if record["coefficients"] != "unit" else "")


def unique(values):
    return list(dict.fromkeys(values))


def compared_grid(records):
    """The largest grid on which all preconditioners ran."""
    names = {r["preconditioner"] for r in records}
    return max(n for n in {r["grid"] for r in records}
               if {r["preconditioner"] for r in records if r["grid"] == n} == names)


def plot_cost(axes, records):
    """Draws a bar for each case and preconditioner: the faster of the two runs on two cores. A tick marks the slower."""
    grid = compared_grid(records)
    chosen = [r for r in records if r["grid"] == grid and r["ranks"] * r["threads"] == 2]
    cases = unique(case_name(r) for r in chosen)
    names = unique(r["preconditioner"] for r in chosen)
    width = 0.8 / len(names)
    for n, name in enumerate(names):
        costs = [[r["ns_per_cell"] for r in chosen if case_name(r) == case and r["preconditioner"] == name]
                 for case in cases]
        x = np.arange(len(cases)) + (n - (len(names) - 1) / 2) * width
        axes.bar(x, [min(c) for c in costs], width, color=COLOURS[name], label=name)
        axes.scatter(x, [max(c) for c in costs], marker="_", color="0.2", s=25, lw=1)
        for place, cost in zip(x, costs):
            axes.text(place, 1.06 * max(cost), f"{min(cost):.0f}", fontsize=6.5, ha="center")
    axes.set_yscale("log")
    axes.set_xticks(range(len(cases)), cases)
    axes.set(title=f"Set-up + solve, {grid}$^3$, two cores: the faster of 2 ranks and 2 threads (tick: the slower)",
             ylabel="[ns a liquid cell]")
    axes.margins(y=0.12)
    axes.legend(ncols=len(names), fontsize=8)


def plot_over_grids(axes, records):
    """Draws iterations on two ranks: a line for each case and preconditioner."""
    chosen = [r for r in records if (r["ranks"], r["threads"]) == (2, 1)]
    cases = unique(case_name(r) for r in chosen)
    for name in unique(r["preconditioner"] for r in chosen):
        for marker, case in zip(MARKERS, cases):
            line = sorted((r["grid"], r["iterations"]) for r in chosen
                          if r["preconditioner"] == name and case_name(r) == case)
            axes.plot(*zip(*line), color=COLOURS[name], marker=marker, ms=4, lw=1)
    for marker, case in zip(MARKERS, cases):
        axes.plot([], [], color="0.3", marker=marker, ms=4, ls="", label=case.replace("\n", " "))
    grids = sorted({r["grid"] for r in chosen})
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks(grids, [f"{n}$^3$" for n in grids])
    axes.set(title="Iterations against grid size, 2 ranks", xlabel="cells of the box")
    axes.legend(fontsize=7)


def plot_over_ranks(axes, records):
    """Draws iterations of multigrid with one thread a rank: a line for each case and grid."""
    chosen = [r for r in records if r["threads"] == 1 and r["preconditioner"] == "multigrid"]
    most = {r["grid"] for r in chosen if r["ranks"] == max(r["ranks"] for r in chosen)}
    styles = dict(zip(sorted(most), (":", "--", "-")))
    for marker, case in zip(MARKERS, unique(case_name(r) for r in chosen)):
        for grid in styles:
            line = sorted((r["ranks"], r["iterations"]) for r in chosen
                          if r["grid"] == grid and case_name(r) == case)
            axes.plot(*zip(*line), color=f"C{MARKERS.index(marker)}", ls=styles[grid], marker=marker, ms=4, lw=1,
                      label=f"{case}, {grid}$^3$".replace("\n", " "))
    ranks = sorted({r["ranks"] for r in chosen})
    axes.set_xscale("log", base=2)
    axes.set_xticks(ranks, ranks)
    axes.set(title="Iterations of multigrid against ranks", xlabel="ranks",
             ylim=(0, 2 + max(r["iterations"] for r in chosen)))
    axes.legend(fontsize=7, ncols=2)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", metavar="FILE.json")
    parser.add_argument("-o", "--output", metavar="PNG", required=True)
    arguments = parser.parse_args()
    with open(arguments.file) as file:
        records = json.load(file)
    figure = plt.figure(figsize=(11, 8.5), layout="constrained")
    grid = figure.add_gridspec(2, 2)
    plot_cost(figure.add_subplot(grid[0, :]), records)
    plot_over_grids(figure.add_subplot(grid[1, 0]), records)
    plot_over_ranks(figure.add_subplot(grid[1, 1]), records)
    figure.savefig(arguments.output, dpi=110)


if __name__ == "__main__":
    main()
