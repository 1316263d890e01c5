#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tutorial 6: a movie of a fountain, its particles coloured by speed, drawn from its snapshots.

usage: movie.py [FOLDER]; also: mpirun -np 2 python3 movie.py
Shaded pictures and movies of the surface of a run in 3-D are made by analysis/render.py.
"""
import sys
from pathlib import Path

import freshet
import freshet.analysis as fa
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.animation import PillowWriter  # noqa: E402

RATE = 20  # pictures a second; the movie shows the liquid at the speed it has


def fountain():
    """A 2-D basin with a jet from its floor."""
    case = freshet.Case(title="fountain")
    case.run.end_time = 0.6  # [s]
    case.domain = {"dimension": 2, "cells": [48, 48], "cell_size": 0.02}  # [m]
    case.add("liquid", shape="box", lower=[0, 0], upper=[0.96, 0.1])
    case.add("source", shape="box", lower=[0.44, 0.1], upper=[0.52, 0.14], velocity=[0.0, 3.0])
    case.output = {"interval": 1 / RATE, "times": "exact", "particles": ["velocity"]}
    return case


def draw(run, path):
    """The movie of a run's snapshots. Returns the number of pictures."""
    figure, axes = plt.subplots(figsize=(4, 4), dpi=80, layout="constrained")
    writer = PillowWriter(fps=RATE)  # FFMpegWriter makes .mp4, where ffmpeg is installed
    with writer.saving(figure, path, dpi=80):
        for snapshot in run.snapshots:
            x = snapshot.position()
            axes.clear()
            axes.scatter(x[:, 0], x[:, 1], s=3, c=snapshot.speed(), vmin=0, vmax=3, cmap="Blues_r")
            axes.set(xlim=run.box[:, 0], ylim=run.box[:, 1], aspect="equal", xlabel="x [m]", ylabel="y [m]", facecolor="0.9",
                     title=f"t = {snapshot.time:.2f} s")
            writer.grab_frame()
    return len(run.snapshots)


def main(folder):
    with freshet.Simulation(fountain(), output_dir=folder / "fountain", force=True) as sim:
        sim.run()
    if sim.rank == 0:  # the snapshots hold the particles of all ranks
        print(f"{draw(fa.open(folder / 'fountain'), folder / 'movie.gif')} pictures in {folder / 'movie.gif'}")


if __name__ == "__main__":
    where = Path(sys.argv[1] if len(sys.argv) > 1 else "output/tutorial")
    where.mkdir(parents=True, exist_ok=True)
    main(where)
