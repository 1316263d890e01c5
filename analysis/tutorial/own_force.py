#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tutorial 3: a liquid without gravity that a force of your own pulls together, a jet of your own, and a stop condition.

usage: own_force.py [FOLDER]; also: mpirun -np 2 python3 own_force.py
"""
import math

import freshet

CASE = freshet.Case(title="own force")
CASE.run.end_time = 5.0  # [s]
CASE.domain = {"dimension": 2, "cells": [64, 64], "cell_size": 1 / 64}  # [m]
CASE.fluid.gravity = [0.0, 0.0]
CASE.time.max_dt = 0.01  # [s]
CASE.add("liquid", shape="box", lower=[0.30, 0.40], upper=[0.55, 0.65])

CENTRE, RATE = (0.5, 0.5), 4.0  # [m], [1/s]


def spring(faces):
    """a = -RATE^2 (x - CENTRE): whatever its shape, the liquid's centre of mass swings with a period of 2 pi / RATE."""
    if faces.axis == 0:
        return -RATE**2 * (faces.x - CENTRE[0])
    return -RATE**2 * (faces.y - CENTRE[1])


def main():
    sim = freshet.Simulation(CASE)
    sim.add_force(spring, largest_acceleration=0.5 * RATE**2)
    start = sim.report.center_x - CENTRE[0]
    period = 2 * math.pi / RATE
    while sim.time < 0.25 * period:
        sim.step(min(0.01, 0.25 * period - sim.time + 1e-12))
    quarter = sim.report.center_x - CENTRE[0]
    if sim.rank == 0:
        print(f"the centre of mass began at {start:+.4f} m; a quarter of a period later it is at {quarter:+.4f} m")
    assert abs(quarter) < 0.05 * abs(start)

    @sim.add_source
    def jet(time, dt):
        """Four particles a step from the left; only rank 0 gives them."""
        if sim.rank == 0:
            return {"position": [[0.05, 0.5 + 0.004 * k, 0.0] for k in range(4)], "velocity": [1.0, 0.0, 0.0], "tag": 1}

    many = sim.report.particles + 100
    sim.run(stop=lambda sim: sim.report.particles >= many)
    if sim.rank == 0:
        print(f"the jet has brought {sim.totals.emitted} particles by t = {sim.time:.3f} s")
    assert sim.report.particles >= many


if __name__ == "__main__":
    main()
