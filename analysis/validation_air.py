#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Cases of validate.py with trapped air."""
import numpy as np

from freshet.analysis import moving_mean
from freshet.analysis.tables import read_columns
from validation_exact import RHO, head, outside_of_cylinder
from validation_runs import G, ROOT, gauge, volume_drift

GAMMA = 1.4
P0 = 1000.0  # [Pa] pressure of the atmosphere in tubes: low, so that a slug of 1 m squeezes the air
CUP = ROOT / "inputs" / "diving_bell.toml"
SLOSHING = ROOT / "inputs" / "sloshing_impact.toml"
DAVIES_TAYLOR = "Davies & Taylor 1950, doi:10.1098/rspa.1950.0023; Dumitrescu 1943"
PLANE_BUBBLE = "Birkhoff & Carter 1957; Vanden-Broeck 1984, doi:10.1063/1.864649"


def root(f, low, high):
    """The zero of a function that rises from f(low) < 0 to f(high) > 0, by bisection."""
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if f(middle) < 0 else (low, middle)
    return 0.5 * (low + high)


def bagnold_peak(s):
    """p / p0 at which a slug with S = rho L U^2 / (p0 D) stops on a gas: its energy is the work on the gas less that of the outer air."""
    gap = root(lambda x: 0.5 * s + (1 - x) - (x**(1 - GAMMA) - 1) / (GAMMA - 1), 1e-9, 1.0)
    return gap**-GAMMA


def follow(acceleration, x, u, end, steps=20000):
    """Times, places and speeds of x'' = acceleration(x), by the classical Runge-Kutta scheme."""
    dt = end / steps
    rows = [(0.0, x, u)]
    for n in range(steps):
        k = []
        for part in (0.0, 0.5, 0.5, 1.0):
            dx, du = k[-1] if k else (0.0, 0.0)
            k.append((u + part * dt * du, acceleration(x + part * dt * dx)))
        x, u = (y + dt / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]) for i, y in enumerate((x, u)))
        rows.append(((n + 1) * dt, x, u))
    return np.array(rows).T


def period(t, y):
    """Mean time between every second zero of a swing. [s]"""
    signs = np.flatnonzero(np.diff(np.sign(y)) != 0)
    zeros = t[signs] - y[signs] * (t[signs + 1] - t[signs]) / (y[signs + 1] - y[signs])
    return float(np.mean(zeros[2:] - zeros[:-2]))


def tube(end, cells, height, slugs, sides):
    """A plane tube, 8 cells wide, without gravity. slugs: (low, high, velocity) each; sides: ends of the tube that are open."""
    text = head(end, [8, round(height * cells)], 1 / cells, (0.0, 0.0), walls="sticky").replace("log_every", "interval = 0.0\nlog_every")
    text += f'[air]\nbubbles = "compressible"\npressure = {P0}\natmosphere = "open_sides"\n[particles]\njitter = 0.0\n'
    text += '[[gauge]]\nname = "air"\ntype = "bubbles"\n'
    if sides:
        text += "[domain.boundary]\n" + "".join(f'{side} = "open"\n' for side in sides)
    for low, high, velocity in slugs:
        text += f'[[liquid]]\nshape = "box"\nlower = [0.0, {low}]\nupper = [9.0, {high}]\nvelocity = [0.0, {velocity}]\n'
    return text


def run_text(bench, name, text, *overrides):
    case = bench.directory / f"{name}.toml"
    case.write_text(text, encoding="utf-8")
    return bench.run(name, case, *overrides)


def bagnold(bench):
    """A slug runs into a closed pocket as long as itself."""
    for s in (0.1, 1.0, 10.0):
        speed = np.sqrt(s * P0 / RHO)
        for cells in (16, 32) if bench.quick else (16, 32, 64):
            text = tube(1.1 / speed, cells, 2.0, [(1.0, 2.0, -float(speed))], ["y_high"])
            out = run_text(bench, f"bagnold_{s:g}_{cells}", text, "time.cfl=0.25")
            pressure = 1 + gauge(out, "air")["pressure_0"] / P0
            bench.add((f"bagnold, S = {s:g}", f"1/{cells} m"), "largest p / p0", "relative error", abs(pressure.max() / bagnold_peak(s) - 1),
                      "Bagnold 1939, doi:10.1680/ijoti.1939.14539", 0.01 if cells == 32 else None)


def two_pockets(bench):
    """A slug swings between two pockets as long as itself."""
    speed = 0.2
    t, y, _ = follow(lambda y: P0 / RHO * ((1 + y)**-GAMMA - (1 - y)**-GAMMA), 0.0, speed, 8.0)
    exact = period(t, y)
    for splitting in ("first_order", "strang"):
        for cells in (16, 32):
            text = tube(8.0, cells, 3.0, [(1.0, 2.0, -speed)], [])
            out = run_text(bench, f"two_pockets_{splitting}_{cells}", text, "time.cfl=0.5", "time.max_dt=0.02", f"time.splitting={splitting}")
            steps = gauge(out, "air")
            swing = steps["pressure_0"] * np.where(steps["id_0"] == steps["id_0"][0], 1.0, -1.0)
            bench.add((f"two_pockets, {splitting}", f"1/{cells} m"), "period", "relative error", abs(period(steps["t"], swing) / exact - 1),
                      "integral of the energy equation", 0.02 if cells == 32 else None)


def joined_columns(bench):
    """Two columns, of 0.5 and 1 m, joined by a bubble of 0.5 m that they squeeze; their momenta are opposite."""
    gap, long, short, speed = 0.5, 1.0, 0.5, 0.1
    t, x, _ = follow(lambda x: P0 / RHO * (1 / long + 1 / short) * ((gap / x)**GAMMA - 1), gap, -3 * speed, 2.0)
    exact = P0 * ((gap / x)**GAMMA - 1)
    for cells in (16, 32) if bench.quick else (16, 32, 64):
        text = tube(2.0, cells, 3.0, [(0.5, 1.0, 2 * speed), (1.5, 2.5, -speed)], ["y_low", "y_high"])
        out = run_text(bench, f"joined_columns_{cells}", text, "time.cfl=0.5", "time.max_dt=0.01")
        air = gauge(out, "air")
        case = ("joined_columns", f"1/{cells} m")
        first = air["t"] < 1.2  # in which the pressure rises and falls below that of the atmosphere
        found, sought = air["pressure_0"][first], np.interp(air["t"][first], t, exact)
        bench.add(case, "pressure of the bubble", "rms of error / largest", np.sqrt(np.mean((found - sought)**2)) / exact.max(),
                  "gas law and motion of both columns", 0.02 if cells == 32 else None)
        bench.add(case, "pressure of the bubble", "relative error of the largest", abs(found.max() / exact.max() - 1),
                  "gas law and motion of both columns", 0.02 if cells == 32 else None)


def rise_in_cup(level, mouth=0.16, width=0.24, length=0.2, volume=0.24 * 0.16, pressure=2000.0):
    """Rise of the water in the cup of inputs/diving_bell.toml above its mouth, when the level outside is known. [m]"""
    def excess(z):
        return pressure * (volume / (width * (length - z)))**GAMMA - pressure - RHO * G * (level - mouth - z)
    return root(excess, 0.0, length - 1e-9)


def diving_cup(bench):
    """A cup full of air is pushed under water; one with a hole in its roof fills."""
    text = CUP.read_text(encoding="utf-8")
    lines = 12
    inside = ('\n[[gauge]]\nname = "surface"\ntype = "profile"\nstart = [0.45, 0.12]\nend = [0.67, 0.12]\nline = [0.0, 0.23]\n'
              f"count = {lines}\n")
    for cells in (50, 100):
        name = f"diving_cup_{cells}"
        size = f"domain.cells=[{round(1.12 * cells)},{round(0.8 * cells)}]", f"domain.cell_size={1 / cells}"
        out = run_text(bench, name, text + inside, "run.end_time=7.0", *size)
        air, level, surface = gauge(out, "air"), gauge(out, "level"), gauge(out, "surface")
        late = air["t"] >= 2.5  # four periods of the waves that run to and fro above the cup
        time = np.gradient(air["t"])[late]
        exact = rise_in_cup(np.average(level["height"][late], weights=time))
        water = np.mean([np.average(surface[f"height_{n:02d}"][late], weights=time) for n in range(lines)]) + 0.12 - 0.16
        gas = 0.2 - np.average(air["volume_0"][late], weights=time) * cells / 0.24
        case = ("diving_cup", f"1/{cells} m")
        bench.add(case, "surface inside", "error / cell", abs(water - exact) * cells, "gas law and water at rest", 0.1)
        bench.add(case, "level of the gas", "error / cell", abs(gas - exact) * cells, "gas law and water at rest", 0.1)
    whole = '  { shape = "box", lower = [0.44, 0.30], upper = [0.68, 0.60] },\n'
    text = text.replace(whole, whole + '  { shape = "box", lower = [0.52, 0.50], upper = [0.60, 0.70] },\n')
    text += '\n[[gauge]]\nname = "inside"\ntype = "region"\nlower = [0.44, 0.16]\nupper = [0.68, 0.36]\n'
    out = run_text(bench, "cup_with_a_hole", text)
    full = 0.24 * 0.20 * 0.02
    bench.add("cup_with_a_hole", "room in the cup without water", "part", 1 - gauge(out, "inside")["volume"][-1] / full, "it fills", 0.05)


def nose_speed(out, start, low, high):
    """Speed of a bubble's nose between two heights, from the length of liquid below a point above it. [m/s]"""
    line = gauge(out, "nose")
    t, y = line["t"], start - line["connected"]
    used = (y > low) & (y < high) & (line["connected"] > 0)
    return float(np.polyfit(t[used], y[used], 1)[0])


def gas_lost(output, time):
    """The part of the gas of all bubbles that is lost at a time [s]."""
    steps = read_columns(output / "steps.csv")
    volume = steps["bubble_volume"]
    return float(1.0 - np.interp(time, steps["t"], volume) / volume[volume > 0.0][0])


def rising_bubbles(bench):
    """A long bubble between two walls, the median of three draws of particles, and in a round tube: the speed of its nose."""
    gap, height = 0.32, 2.24
    for cells in (16, 32) if bench.quick else (16, 32, 64):
        cell = gap / cells
        text = head(2.9, [cells, round(height / cell)], cell, (0.0, -G), walls="sticky") + '[air]\nbubbles = "incompressible"\n'
        text += f"""[[liquid]]
shape = "difference"
parts = [{{ shape = "box", lower = [-1.0, 0.0], upper = [1.0, 2.0] }}, {{ shape = "box", lower = [0.05, 0.16], upper = [0.27, 0.48] }},
         {{ shape = "sphere", center = [0.16, 0.48], radius = 0.11 }}]
[[gauge]]
name = "nose"
type = "height"
start = [0.16, 1.76]
end = [0.16, 0.0]
[[gauge]]
name = "all"
type = "region"
lower = [0.0, 0.0]
upper = [{gap}, {height}]
"""
        runs = [run_text(bench, f"plane_bubble_{cells}_{seed}", text, f"run.seed={seed}") for seed in (1, 2, 3)]
        case = ("plane_bubble", f"gap/{cells}")
        number = np.median([nose_speed(out, 1.76, 0.9, 1.5) for out in runs]) / np.sqrt(G * gap)
        bench.add(case, "U / sqrt(g gap)", "relative error", abs(number / 0.23 - 1), f"{PLANE_BUBBLE}: 0.23; here {number:.3f}",
                  0.05 if cells == 32 else None)
        bench.add(case, "volume of the liquid", "largest relative drift", max(map(volume_drift, runs)), "conservation",
                  0.01 if cells == 32 else None)
        bench.add(case, "volume of the gas", "part lost in 2 s", np.median([gas_lost(out, 2.0) for out in runs]), "conservation",
                  0.01 if cells == 32 else None)
    width = 0.2
    for cells in (12, 16) if bench.quick else (12, 16, 24):
        cell = width / cells
        text = head(1.7, [cells, cells, round(1.4 / cell)], cell, (0.0, 0.0, -G), walls="sticky") + '[air]\nbubbles = "incompressible"\n'
        text += f"""[[liquid]]
shape = "difference"
parts = [{{ shape = "box", lower = [-1.0, -1.0, 0.0], upper = [1.0, 1.0, 1.2] }},
         {{ shape = "cylinder", start = [0.1, 0.1, 0.08], end = [0.1, 0.1, 0.28], radius = 0.07 }},
         {{ shape = "sphere", center = [0.1, 0.1, 0.28], radius = 0.07 }}]
[[gauge]]
name = "nose"
type = "height"
start = [0.1, 0.1, 1.1]
end = [0.1, 0.1, 0.0]
""" + outside_of_cylinder(0.1, 0.1)
        out = run_text(bench, f"tube_bubble_{cells}", text)
        number = nose_speed(out, 1.1, 0.55, 0.95) / np.sqrt(G * width)
        bench.add(("tube_bubble", f"diameter/{cells}"), "U / sqrt(g diameter)", "relative error", abs(number / 0.35 - 1),
                  f"{DAVIES_TAYLOR}: 0.35; here {number:.3f}", 0.05 if cells == 16 else None)


def cap_bubble(bench):
    """The upper part of a ball of air, which rises in a wide tank as a cap: its speed and the radius of its nose belong together."""
    width, height, radius, middle = 0.6, 0.9, 0.12, 0.3
    places = (0.0, 0.03, 0.045, 0.06)  # [m] of lines from the axis, along which the bubble's upper side is found
    for cells in (36, 48):
        cell = width / cells
        text = head(0.8, [cells, cells, round(height / cell)], cell, (0.0, 0.0, -G), walls="sticky") + '[air]\nbubbles = "incompressible"\n'
        text += f"""[[liquid]]
shape = "difference"
parts = [{{ shape = "box", lower = [-1.0, -1.0, 0.0], upper = [1.0, 1.0, 0.75] }},
         {{ shape = "intersection", parts = [{{ shape = "sphere", center = [{middle}, {middle}, 0.1], radius = {radius} }},
            {{ shape = "box", lower = [0.0, 0.0, {0.1 + radius * np.cos(np.radians(50)):.6f}], upper = [1.0, 1.0, 1.0] }}] }}]
"""
        for n, x in enumerate(places):
            text += f'[[gauge]]\nname = "line{n}"\ntype = "height"\nstart = [{middle + x}, {middle}, 0.72]\nend = [{middle + x}, {middle}, 0.0]\n'
        out = run_text(bench, f"cap_bubble_{cells}", text)
        lines = [gauge(out, f"line{n}") for n in range(len(places))]
        upper = 0.72 - np.array([line["connected"] for line in lines])
        used = (upper[0] > 0.4) & (upper[0] < 0.62)
        sags = [np.mean(upper[0][used] - side[used]) for side in upper[1:]]
        nose = np.mean([(x**2 + sag**2) / (2 * sag) for x, sag in zip(places[1:], sags)])
        speed = np.polyfit(lines[0]["t"][used], upper[0][used], 1)[0]
        number = speed / np.sqrt(G * nose)
        bench.add(("cap_bubble", f"1/{round(1 / cell)} m"), "U / sqrt(g R)", "relative error", abs(number / (2 / 3) - 1),
                  f"{DAVIES_TAYLOR}: 0.667; here {number:.3f}, R = {nose:.3f} m, U = {speed:.3f} m/s", 0.05 if cells == 48 else None)


def sloshing_impact(bench):
    """Pressure at the wall where a wave closes a pocket of air: the largest mean over 4 ms must not depend on the grid. The impact
    differs from draw to draw of the particles: medians of three."""
    means, raws = [], []
    for across in (120, 180) if bench.quick else (120, 180, 240):
        grid = (f"domain.cells=[{across}, {round(0.51 * across / 0.9)}]", f"domain.cell_size={0.9 / across!r}", "output.interval=0")
        runs = [gauge(bench.run(f"sloshing_impact_{across}_{seed}", SLOSHING, *grid, f"run.seed={seed}"), "P1") for seed in (1, 2, 3)]
        means.append(np.median([np.max(moving_mean(p["t"], p["pressure"], 0.004)) for p in runs]))
        raws.append(np.median([np.max(p["pressure"]) for p in runs]))
        case = ("sloshing_impact", f"0.9 m/{across}")
        bench.add(case, "P1, largest mean of 4 ms", "Pa", means[-1], "experiment, SPHERIC 10: 3700 Pa")
        bench.add(case, "P1, largest of a step", "Pa", raws[-1], "experiment, SPHERIC 10: 3700 Pa")
    bench.add("sloshing_impact", "P1, largest mean of 4 ms", "(most - least) / mean of grids", np.ptp(means) / np.mean(means), "grids", 0.15)
    bench.add("sloshing_impact", "P1, largest of a step", "finest grid / coarsest", raws[-1] / raws[0], "grids", 1.15)


CASES = {
    "bagnold": bagnold,
    "two_pockets": two_pockets,
    "joined_columns": joined_columns,
    "diving_cup": diving_cup,
    "rising_bubbles": rising_bubbles,
    "cap_bubble": cap_bubble,
    "sloshing_impact": sloshing_impact,
}
