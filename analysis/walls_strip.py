#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the 3-D breaking dam at the steps of the paper: sticky walls above, complementarity below.

usage: walls_strip.py [DIR] [--grid 96] [--width 420]     DIR is that of jobs/walls.sh; default: output/walls
Writes DIR/strip.png. jobs/walls.sh --parts strip makes the runs.
"""
import argparse
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from freshet.analysis import Run
from freshet.plot.snapshots import choose, top_speed
from freshet.plot.water import PAPER_COLOR, Scene
from table_walls import load_results
from walls_plan import STRIP_STEPS
from walls_scenes import DT

ROWS = {"OrigPS": "sticky walls", "complementarity": "walls that let go"}


def find_runs(directory, grid):
    """The runs of the strip: {method: run}."""
    runs = {}
    for result in load_results(directory):
        record = result["record"]
        if result["part"] == "strip" and record["grid"] == grid:
            runs[record["method"]] = Run(directory / result["name"])
    if missing := ROWS.keys() - runs.keys():
        raise SystemExit(f"{directory} has no runs with {', '.join(sorted(missing))}. Run jobs/walls.sh --parts strip")
    return runs


def draw_row(axes, run, chosen, limit, size):
    scene = Scene(run.box, run.up, run.cell_size, run.solids, size, azimuth=28.0, elevation=12.0)
    for panel, snapshot in zip(axes, chosen):
        panel.imshow(scene.draw(snapshot.position(), snapshot.speed(), limit))
        panel.set(xticks=[], yticks=[])
        for spine in panel.spines.values():
            spine.set_visible(False)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path, nargs="?", default=Path("output/walls"))
    parser.add_argument("--grid", type=int, default=96)
    parser.add_argument("--width", type=int, default=420, help="width of a picture [pixels]")
    arguments = parser.parse_args()
    runs = find_runs(arguments.directory, arguments.grid)
    chosen = {method: choose(runs[method].snapshots, [DT * step for step in STRIP_STEPS], 0) for method in ROWS}
    limit = max(top_speed(snapshots) for snapshots in chosen.values())
    size = arguments.width, int(0.9 * arguments.width)  # [pixels]: a cube fills such a picture
    figure, grid = plt.subplots(len(ROWS), len(STRIP_STEPS), squeeze=False, layout="constrained",
                                figsize=(len(STRIP_STEPS) * size[0] / 100, len(ROWS) * size[1] / 100 + 0.4))
    figure.set_facecolor(PAPER_COLOR)
    for axes, (method, label) in zip(grid, ROWS.items()):
        draw_row(axes, runs[method], chosen[method], limit, size)
        axes[0].set_ylabel(label, fontsize=12)
    for panel, step in zip(grid[0], STRIP_STEPS):
        panel.set_title(f"step {step}", fontsize=12)
    path = arguments.directory / "strip.png"
    figure.savefig(path, dpi=100)
    print(path)


if __name__ == "__main__":
    main()
