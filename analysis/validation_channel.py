#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Cases of validate.py of channels whose floor drags by the law of the wall.

A periodic channel in 2-D runs down a slope until the floor takes as much momentum as gravity gives. `turbulence.model =
"mixing_length"` stands for the eddies, and `transfer.method = "apic"`, which has less viscosity of its own than FLIP, brings their
stress to the faces; all else is the default. The water starts with a part of the law's velocity at each height,
near the one that a mixing length leads to: a channel that starts far from it comes there in tens of turnovers.
"""
import math

import numpy as np

from validation_exact import head
from validation_runs import G, gauge, rms

DEPTH = 0.4         # [m]
PULL = 0.1          # of gravity along the channel [m/s^2]: a slope of 1 %
KAPPA = 0.4
FRICTION = math.sqrt(PULL * DEPTH)  # u_tau of the uniform flow [m/s]
TURNOVER = DEPTH / FRICTION         # [s]
START = 0.96        # velocity over that of the law
WATER = 1e-6                        # viscosity [m^2/s]
HEIGHTS = (0.2, 0.4, 0.6, 0.8)      # of the velocities [depths]
NIKURADSE = "Nikuradse 1933, NACA TM 1292"


def rough_law(y, depth, roughness):
    """Velocity at height y [m] of a uniform flow on a wall of sand of this roughness [m]. [m/s]"""
    return math.sqrt(PULL * depth) / KAPPA * math.log(30 * y / roughness + 1)


def smooth_law(y, depth):
    """Velocity at height y [m] of a uniform flow on a smooth wall. [m/s]"""
    friction = math.sqrt(PULL * depth)
    return friction * (math.log(y * friction / WATER + 1) / KAPPA + 5.5)


def flow_of_manning(depth, manning):
    """Flow rate of a wide channel by Manning's formula. [m^2/s]"""
    return depth**(5 / 3) * math.sqrt(PULL / G) / manning


def flow_of_rough_law(depth, roughness):
    """Flow rate of a wide channel whose velocity is the logarithmic law of a rough wall at each height. [m^2/s]"""
    return depth * math.sqrt(PULL * depth) / KAPPA * (math.log(30 * depth / roughness) - 1)


def depth_of(flow, flow_rate):
    """Depth [m] at which flow(depth) is the flow rate [m^2/s]: by bisection, flow rises with the depth."""
    low, high = 0.1 * DEPTH, 10 * DEPTH
    for _ in range(100):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if flow(middle) < flow_rate else (low, middle)
    return 0.5 * (low + high)


def channel_text(cells, has_surface, law):
    """A channel, `cells` deep, with a surface or with a lid without friction at its place; it starts with a part of law(y)."""
    dx, rows = DEPTH / cells, cells + (4 if has_surface else 0)
    text = head(20 * TURNOVER, [8, rows], dx, (PULL, -G if has_surface else 0.0))
    text += '[domain.boundary]\nx_low = "periodic"\nx_high = "periodic"\ny_low = "wall_law"\n'
    text += '[turbulence]\nmodel = "mixing_length"\n[transfer]\nmethod = "apic"\n'
    for row in range(cells):
        text += (f'[[liquid]]\nshape = "box"\nlower = [-9.0, {row * dx!r}]\nupper = [99.0, {(row + 1) * dx!r}]\n'
                 f'velocity = [{START * law((row + 0.5) * dx)!r}, 0.0]\n')
    means = f"interval = {TURNOVER / 2!r}\nmean = true\n"
    text += f'[[gauge]]\nname = "flow"\ntype = "flow_rate"\nlower = [{4 * dx!r}, 0.0]\nupper = [{4 * dx!r}, {rows * dx!r}]\n{means}'
    text += f'[[gauge]]\nname = "depth"\ntype = "height"\nstart = [{4 * dx!r}, 0.0]\nend = [{4 * dx!r}, {rows * dx!r}]\n{means}'
    for n, height in enumerate(HEIGHTS):
        text += f'[[gauge]]\nname = "u{n}"\ntype = "velocity"\npoint = [{4 * dx!r}, {height * DEPTH!r}]\n{means}'
    return text


def late_mean(out, name, column):
    """Mean over the last ten of twenty turnovers of a gauge whose rows are means."""
    rows = gauge(out, name)
    return float(np.mean(rows[f"mean_{column}"][rows["t"] > 10.1 * TURNOVER]))


def run_channel(bench, name, cells, has_surface, law, *keys):
    """Run a channel: flow rate [m^2/s], depth [m], and velocities at HEIGHTS [m/s]."""
    case = bench.directory / f"{name}_{cells}.toml"
    case.write_text(channel_text(cells, has_surface, law), encoding="utf-8")
    out = bench.run(f"{name}_{cells}", case, *keys)
    flow = late_mean(out, "flow", "flow_rate") / (DEPTH / cells)  # of a layer as thick as a cell
    return flow, late_mean(out, "depth", "height"), np.array([late_mean(out, f"u{n}", "u") for n in range(len(HEIGHTS))])


def channel(bench):
    """The velocities below a lid, on a rough and on a smooth floor, and the depth of an open channel by Manning and by roughness."""
    manning, sand = 0.015, 0.002  # [s/m^(1/3)], [m]
    sand_of_manning = (8.1 * math.sqrt(G) * manning)**6
    grids = (8, 16) if bench.quick else (8, 16, 32)
    for cells in grids:
        for floor, keys, law in (("rough", f"domain.roughness={sand}", lambda y: rough_law(y, DEPTH, sand)),
                                 ("smooth", f"fluid.viscosity={1000 * WATER}", lambda y: smooth_law(y, DEPTH))):
            _, _, u = run_channel(bench, f"channel_{floor}", cells, False, law, keys)
            exact = np.array([law(height * DEPTH) for height in HEIGHTS])
            bench.add((f"channel with a lid, {floor} floor", f"1/{cells}"), "velocity at four heights", "rms of relative error", rms(u / exact - 1),
                      f"logarithmic law, {NIKURADSE}", 0.05)
        for floor, keys, size, flow, reference in (
                ("Manning's n", f"domain.manning={manning}", sand_of_manning, lambda depth: flow_of_manning(depth, manning), "Manning's formula"),
                ("roughness", f"domain.roughness={sand}", sand, lambda depth: flow_of_rough_law(depth, sand), f"logarithmic law, {NIKURADSE}")):
            name = f"open_channel_{keys[7:].partition('=')[0]}"
            rate, depth, _ = run_channel(bench, name, cells, True, lambda y: rough_law(y, DEPTH, size), keys)
            case = (f"open channel, {floor}", f"1/{cells}")
            bench.add(case, "depth at its flow rate", "relative error", abs(depth_of(flow, rate) / depth - 1), reference, 0.05)
            bench.add(case, "flow rate at its depth", "relative error", abs(rate / flow(depth) - 1), reference)


CASES = {"channel": channel}
