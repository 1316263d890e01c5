#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tutorial 2: build a scene in Python, a ball over stairs made in a loop, and look at the frames.  usage: own_scene.py [FOLDER]"""
import sys
from pathlib import Path

import freshet


def scene(n_stairs):
    """A 2-D tank whose floor is a flight of stairs, and a ball of liquid above it."""
    case = freshet.Case(title=f"ball over {n_stairs} stairs")  # keys are those of `freshet schema`
    case.run.end_time = 0.5  # [s]
    case.domain = {"dimension": 2, "cells": [48, 48], "cell_size": 0.02}  # [m]
    for n in range(n_stairs):
        left = 0.96 * n / n_stairs
        case.add("solid", shape="box", lower=[left, -0.1], upper=[left + 0.96 / n_stairs, 0.4 * (1 - n / n_stairs)])
    case.add("liquid", shape="sphere", center=[0.25, 0.7], radius=0.15, tag=1)
    case.output.interval = 0.1  # [s] between snapshots
    case.output.particles = ["velocity", "tag"]
    return case


def main(folder):
    try:
        freshet.Simulation(dict(scene(4), fluid={"densty": 1000.0}))
    except freshet.InputError as error:
        print(f"a misspelt key is refused: {error}")
    with freshet.Simulation(scene(4), output_dir=folder / "own_scene", force=True) as sim:
        for frame in sim.frames(0.1):
            x, u = sim.particles.position, sim.particles.velocity
            if len(x):
                print(f"t = {frame.time:.1f} s: centre of this rank's liquid at ({x[:, 0].mean():.3f}, {x[:, 1].mean():.3f}) m, "
                      f"fastest {abs(u).max():.2f} m/s")


if __name__ == "__main__":
    where = Path(sys.argv[1] if len(sys.argv) > 1 else "output/tutorial")
    where.mkdir(parents=True, exist_ok=True)
    main(where)
