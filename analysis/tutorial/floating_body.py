#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tutorial 8: a body that the water moves. A half-immersed cylinder is let go and swings as linear theory says.

usage: floating_body.py [FOLDER]; also: mpirun -np 2 python3 floating_body.py [FOLDER]
"""
import math
import sys
from pathlib import Path

import freshet
import matplotlib
import numpy as np
from freshet.analysis.tables import read_columns

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

A, G, START = 0.1, 9.81, 0.2  # radius [m], gravity [m/s^2], height from which the cylinder is let go [radii]
CELLS = 6  # in a radius
WIDTH, DEPTH = 40, 8  # of the tank [radii]: sides and floor are far enough to send no waves back in time
# displacement over its first value against t sqrt(g/a): exact linear theory; the file names its sources
THEORY = Path(__file__).resolve().parents[2] / "inputs" / "validation" / "data" / "heave_decay.csv"


def half_immersed_cylinder():
    """The case: in 2-D a sphere is a disc, the section of a cylinder that lies across."""
    case = freshet.Case(title="decay of heave")
    unit, level = math.sqrt(A / G), DEPTH * A
    case.run.end_time = 8.0 * unit  # [s]
    case.domain = {"dimension": 2, "cells": [WIDTH * CELLS, (DEPTH + 2) * CELLS], "cell_size": A / CELLS}
    case.fluid.gravity = [0.0, -G]
    case.time.splitting = "strang"  # second order in time: swings keep their height
    case.time.max_dt = 0.1 * unit
    case.particles.jitter = 0.0
    case.pressure.walls.condition = "sticky"  # no water leaves the cylinder's surface
    case.add("liquid", shape="box", lower=[0.0, 0.0], upper=[WIDTH * A, level])
    # half as dense as the water, so that half of it is below the level when it rests
    case.add("solid", shape="sphere", center=[0.5 * WIDTH * A, level + START * A], radius=A, body={"density": 500.0})
    return case


def main(folder):
    times, heights = [0.0], [START]
    with freshet.Simulation(half_immersed_cylinder()) as sim:
        cylinder = sim.solids[0]
        while not sim.is_over:
            sim.step()
            times.append(sim.time * math.sqrt(G / A))
            heights.append((cylinder.position[1] - DEPTH * A) / A)
    if sim.rank > 0:
        return
    theory = read_columns(THEORY)
    times, swing = np.array(times), np.array(heights) / START
    exact = np.interp(times, theory["t"], theory["cylinder"])
    rms = math.sqrt(np.mean((swing - exact)**2))
    low = np.argmin(swing)
    lowest = np.argmin(theory["cylinder"])
    print(f"first minimum {swing[low]:.3f} of the start at t sqrt(g/a) = {times[low]:.2f}; "
          f"linear theory: {theory['cylinder'][lowest]:.3f} at {theory['t'][lowest]:.2f}; RMS of the difference: {rms:.3f}")
    figure, axes = plt.subplots(figsize=(5, 3.2), layout="constrained")
    axes.plot(times, swing, label=f"freshet, a = {CELLS} cells")
    shown = theory["t"] <= times[-1]
    axes.plot(theory["t"][shown], theory["cylinder"][shown], "k--", label="linear theory")
    axes.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
    axes.set(xlabel="t sqrt(g/a)", ylabel="height of the centre / its start")
    axes.legend()
    figure.savefig(folder / "floating_body.pdf")
    assert rms < 0.05  # the start is little more than a cell above the height at rest


if __name__ == "__main__":
    where = Path(sys.argv[1] if len(sys.argv) > 1 else "output/tutorial")
    where.mkdir(parents=True, exist_ok=True)
    main(where)
