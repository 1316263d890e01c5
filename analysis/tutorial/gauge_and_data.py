#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tutorial 4: a gauge of your own against the front of Martin and Moyce (1952), read from their table.

usage: gauge_and_data.py [FOLDER]
"""
import math
import sys
from pathlib import Path

import freshet
import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

A, G = 0.05715, 9.81  # edge of the column [m], gravity [m/s^2]
# J. C. Martin and W. J. Moyce, Phil. Trans. R. Soc. Lond. A 244 (1952) 312-324: square column, front Z = x/a against
# T = t sqrt(g/a)
T = np.array([0.43, 0.62, 0.80, 0.97, 1.14, 1.29, 1.45, 1.62, 1.76, 1.93])
Z = np.array([1.11, 1.22, 1.44, 1.67, 1.89, 2.11, 2.33, 2.56, 2.78, 3.00])


def front(sim):
    """Farthest cell along the floor that holds liquid [m]: the labels of the whole grid, [z][y][x], on every rank."""
    floor = sim.fields.gather("labels")[0, 0]
    return sim.origin[0] + sim.cell_size * (1 + np.flatnonzero(floor == 1).max())


def main(folder):
    case = freshet.Case(title="front of a square column")
    case.run.end_time = 2.2 * math.sqrt(A / G)  # [s]
    case.domain = {"dimension": 2, "cells": [80, 24], "cell_size": A / 16}
    case.fluid.gravity = [0.0, -G]
    case.add("liquid", shape="box", lower=[0.0, 0.0], upper=[A, A])
    times, fronts = [], []
    with freshet.Simulation(case) as sim:
        for frame in sim.frames(0.05 * math.sqrt(A / G)):
            sim.refresh()  # labels of this moment
            times.append(frame.time * math.sqrt(G / A))
            fronts.append(front(sim) / A)
    difference = np.interp(T, times, fronts) - Z
    rms = math.sqrt(np.mean(difference**2))
    if sim.rank > 0:
        return
    print(f"the front differs from the experiment's by {rms:.2f} a (RMS), {difference.mean():+.2f} a in the mean")
    figure, axes = plt.subplots(figsize=(5, 3.2), layout="constrained")
    axes.plot(times, fronts, label="freshet, a = 16 cells")
    axes.plot(T, Z, "ko", label="Martin & Moyce (1952)")
    axes.set(xlabel="t sqrt(g/a)", ylabel="front / a")
    axes.legend()
    figure.savefig(folder / "gauge_and_data.pdf")
    assert rms < 0.35  # the experiment's gate opens in a finite time, which shifts its front by 0.1 to 0.2 in T


if __name__ == "__main__":
    where = Path(sys.argv[1] if len(sys.argv) > 1 else "output/tutorial")
    where.mkdir(parents=True, exist_ok=True)
    main(where)
