#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tutorial 7: the level set and the triangles of a liquid, of a simulation and of particles of your own.

usage: surface.py [FOLDER]; also: mpirun -np 2 python3 surface.py
"""
import sys
from pathlib import Path

import numpy as np

import freshet

FOLDER = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
RADIUS, CELL = 0.15, 1 / 32  # [m]

CASE = freshet.Case(title="a drop falls into a pool")
CASE.run.end_time = 0.3  # [s]
CASE.domain = {"cells": [32, 32, 32], "cell_size": CELL}
CASE.add("liquid", shape="box", lower=[0, 0, 0], upper=[1, 0.25, 1])
CASE.add("liquid", shape="sphere", center=[0.5, 0.5, 0.5], radius=RADIUS)


def ball(sim):
    """Particles of your own, eight a cell: any positions have a surface. Each rank gives a part of them."""
    x = np.arange(CELL / 4, 0.5, CELL / 2)
    x = np.stack(np.meshgrid(x, x, x), axis=-1).reshape(-1, 3)
    return x[np.linalg.norm(x - 0.25, axis=1) < RADIUS][sim.rank::sim.size]


def main():
    with freshet.Simulation(CASE) as sim:
        surface = freshet.surface(ball(sim), cell_size=CELL)
        phi, low = surface.level_set.values()  # signed distance [m] at the points of a lattice, phi[z, y, x], near this rank's part
        if sim.rank == 0:
            print(f"a ball of {RADIUS} m: {surface.volume:.5f} m^3 and {surface.area:.4f} m^2 (exactly {4 / 3 * np.pi * RADIUS**3:.5f} "
                  f"and {4 * np.pi * RADIUS**2:.4f}); phi is {phi.min():.3f} to {phi.max():.3f} m")

        for frame in sim.frames(0.1):
            surface = freshet.surface(sim, attributes=["velocity"])  # walls and solids are those of the simulation
            speeds = np.linalg.norm(surface.attributes["velocity"], axis=1)
            if sim.rank == 0:
                print(f"{frame.time:.1f} s: {surface.components} pieces, {surface.area:.2f} m^2, {surface.volume:.4f} m^3; this "
                      f"rank's part moves at up to {speeds.max(initial=0):.1f} m/s")
        surface.write(FOLDER / "drop.ply")
        whole = surface.gather()  # all triangles on rank 0, for a picture
        if sim.rank == 0:
            draw(whole, FOLDER / "drop.png")


def draw(surface, path):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    axes = plt.figure(figsize=(6, 5)).add_subplot(projection="3d")
    x, y, z = surface.vertices.T
    axes.plot_trisurf(x, z, y, triangles=surface.triangles, cmap="Blues")
    axes.set(xlabel="x [m]", ylabel="z [m]", zlabel="y [m]")
    plt.savefig(path, dpi=100)


if __name__ == "__main__":
    main()
