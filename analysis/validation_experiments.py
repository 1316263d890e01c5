#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Experiments of validate.py: Martin & Moyce (1952) and SPHERIC 2 (MARIN), each against its record."""
import tomllib
from dataclasses import dataclass

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from freshet.analysis import crossing, moving_mean
from validation_runs import CASES, G, data, gauge, rms, volume_drift

MARTIN_MOYCE = "Martin & Moyce 1952, doi:10.1098/rsta.1952.0006"
MARIN = "Kleefsman et al. 2005, doi:10.1016/j.jcp.2004.12.007"
FRONT = ("P1", "P2", "P3", "P4")  # gauges on the front of SPHERIC 2's box, from the floor up
WALLS_OF_COLUMNS = tuple(f"domain.boundary.{side}" for side in ("x_low", "x_high", "y_low"))
WALLS_OF_MARIN = (*(f"domain.boundary.{side}" for side in ("x_low", "x_high", "y_low", "y_high", "z_low")), "solid.0.slip", "solid.1.slip")
A = 0.05715  # [m] width of Martin & Moyce's columns
PEERS_FRONT = "interFoam 3.0 %, clock fitted; REEF3D 7-8 %"
PEERS_HEIGHT = "interFoam, 161 x 50 x 50: 2-4 %"
PEERS_PEAK = "interFoam, 81 x 25 x 25: 15.5 %"


def spread_of_runs(runs):
    """By position: mean, least and largest time of the runs of one column width."""
    own = (runs["a"] == A) & (runs["series"] != "mean")
    positions = np.unique(runs["Z"][own])
    times = [runs["T"][own & (runs["Z"] == z)] for z in positions]
    return positions, *(np.array([f(t) for t in times]) for f in (np.mean, np.min, np.max))


def slopes_of_runs(runs, window):
    """Least and largest speed dZ/dT of the runs of one column width, within a window of T."""
    slopes = []
    for series in np.unique(runs["series"][runs["a"] == A]):
        used = (runs["a"] == A) & (runs["series"] == series) & (runs["T"] >= window[0]) & (runs["T"] <= window[1])
        if series != "mean":
            slopes.append(np.polyfit(runs["T"][used], runs["Z"][used], 1)[0])
    return min(slopes), max(slopes)


@dataclass(frozen=True)
class Front:
    """A run's front beside the experiment's: T and Z = x/a with the clock set as there, errors at the experiment's positions."""
    t: np.ndarray
    z: np.ndarray
    error: float    # rms of the relative error
    fitted: float   # the same with the clock that fits best
    slope: float    # dZ/dT
    slope_exp: float


def experiment_of(n2):
    """Times and places of the front of a column n^2: Z, mean, least and largest T; the point that sets the clock; the window of dZ/dT."""
    if n2 == 2:
        return spread_of_runs(data("martin_moyce_front_2.csv")), (1.44, 1.19), (1.43, 3.33)
    front = data("martin_moyce_front_1.csv")
    return (front["Z"], front["T"], front["T"], front["T"]), (1.44, 0.80), (1.0, 3.3)


def front_of(out, n2):
    """The front of a run of the column n^2 = 1 or 2 beside Martin & Moyce's."""
    (z_exp, t_exp, _, _), anchor, window = experiment_of(n2)
    front = gauge(out, "front")
    t, z = front["t"] * np.sqrt(n2 * G / A), front["connected"] / A
    t = t + anchor[1] - crossing(t, z, anchor[0])
    reached = t_exp <= t[-1] - 0.5  # the clock is shifted by at most as much
    error = np.interp(t_exp, t, z)[reached] / z_exp[reached] - 1
    shifts = np.linspace(-0.5, 0.5, 201)
    fitted = min(rms(np.interp(t_exp[reached] + s, t, z) / z_exp[reached] - 1) for s in shifts)
    inside = (t >= window[0]) & (t <= window[1])
    used = (t_exp >= window[0]) & (t_exp <= window[1])
    return Front(t, z, rms(error), fitted, np.polyfit(t[inside], z[inside], 1)[0], np.polyfit(t_exp[used], z_exp[used], 1)[0])


def martin_moyce_grid(n2, cells):
    """Keys of the case of the column n^2 for another number of cells a width."""
    size = [(16 if n2 == 2 else 10) * cells, (3 if n2 == 2 else 2) * cells]
    return [f"domain.cells={size}", f"domain.cell_size={A / cells!r}"]


def martin_moyce(bench):
    """Front and height of a column a x n^2 a, with water's viscosity and a wall law, and without friction.

    Like the experiment's, a run's clock is set where Z = 1.44 at T = 1.19. Its time 0 is not the release, so that the goal
    stands for the clock that fits best.
    """
    for n2, name in ((2, "martin_moyce"), (1, "martin_moyce_square")):
        (z_exp, t_exp, t_least, t_most), _, window = experiment_of(n2)
        heights = data(f"martin_moyce_height_{n2}.csv")
        figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
        left.errorbar(t_exp, z_exp, xerr=[t_exp - t_least, t_most - t_exp], fmt="ko", ms=4, label="experiment" + (", all runs" if n2 == 2 else ""))
        right.plot(heights["tau"], heights["H"], "ko", ms=4, label="experiment")
        grids = (16, 32) if bench.quick else (16, 32, 64)
        for cells, friction in [(cells, True) for cells in grids] + [(grids[-1], False)]:
            keys = [] if friction else [*(f"{wall}=free_slip" for wall in WALLS_OF_COLUMNS), "fluid.viscosity=0.0"]
            out = bench.run(f"{name}_{cells}" + ("" if friction else "_free_slip"), CASES / f"{name}.toml", *martin_moyce_grid(n2, cells), *keys)
            front = front_of(out, n2)
            height = gauge(out, "height")
            tau, h = height["t"] * np.sqrt(G / A), height["height"] / (n2 * A)
            error_h = np.interp(heights["tau"], tau, h)[heights["tau"] <= tau[-1]] - heights["H"][heights["tau"] <= tau[-1]]
            case = (name if friction else f"{name}, no friction", f"a/{cells}")
            last = cells == grids[-1] and friction
            bench.add(case, "front of the bulk", "rms of relative error", front.error, MARTIN_MOYCE)
            bench.add(case, "front of the bulk", "rms, clock fitted", front.fitted, MARTIN_MOYCE, 0.03 if last else None,
                      PEERS_FRONT if n2 == 2 else "")
            bench.add(case, "speed of the front dZ/dT", "relative error", abs(front.slope / front.slope_exp - 1),
                      f"{MARTIN_MOYCE}: {front.slope_exp:.3f}; here {front.slope:.3f}")
            if n2 == 2:
                least, most = slopes_of_runs(data("martin_moyce_front_2.csv"), window)
                bench.add(case, "speed of the front dZ/dT", "outside the runs' spread", max(least - front.slope, front.slope - most, 0.0),
                          f"{MARTIN_MOYCE}: {least:.3f} to {most:.3f}; here {front.slope:.3f}", 0.0 if last else None)
            bench.add(case, "height at the back wall", "rms of error / first height", rms(error_h), MARTIN_MOYCE)
            bench.add(case, "volume", "largest relative drift", volume_drift(out), "conservation", 0.005 if last else None)
            label = f"a/{cells}" + ("" if friction else ", no friction")
            left.plot(front.t, front.z, "-" if friction else "--", label=label)
            right.plot(tau, h, "-" if friction else "--", label=label)
        left.set(xlabel="T = n t sqrt(g/a), clock set as in the experiment", ylabel="Z = x/a", xlim=(0, 1.1 * t_exp.max()),
                 ylim=(1, 1.15 * z_exp.max()), title=f"front of the bulk, n^2 = {n2}")
        right.set(xlabel="t sqrt(g/a) since the release", ylabel="height / first height", xlim=(0, 4.5), title="back wall")
        for axes in (left, right):
            axes.legend()
        figure.savefig(bench.directory / f"{name}.png", dpi=110)
        plt.close(figure)


def marin_grid(cell):
    """Keys of the case for another cell size [m]: the solid at x = 0 closes a tank that is no multiple of it."""
    n = int(np.ceil(3.22 / cell - 1e-9))
    across, up = round(1.0 / cell), round(1.0 / cell)
    return [f"domain.cell_size={float(cell)!r}", f"domain.cells=[{n}, {across}, {up}]", f"domain.origin=[{3.22 - n * cell:.12g}, 0.0, 0.0]"]


def mean_of(t, values, begin=0.6, end=1.5):
    """Mean over a time. Rows may come at uneven times."""
    inside = (t >= begin) & (t <= end)
    return np.average(values[inside], weights=np.gradient(t)[inside])


def height_error(out, record, name):
    """Mean of |h - measured| over the measured range, from the start to the end of the run."""
    h = gauge(out, name)
    end = min(6.0, h["t"][-1])
    uniform, here = np.arange(0, end, 0.02), record["t"] <= h["t"][-1]
    error = np.interp(uniform, h["t"], h["height"]) - np.interp(uniform, record["t"], record[name])
    return np.mean(np.abs(error)) / (record[name][here].max() - record[name][here].min())


def arrival_at(t, pressure):
    """Time at which the mean over 0.01 s of a pressure reaches 1 kPa. [s]"""
    return crossing(t, moving_mean(t, pressure, 0.01), 1000.0)


def spheric02_shifts(bench):
    """Pressures on the box's front, with the box and its gauges moved along the tank by eighths of a cell, without friction."""
    cell = 0.05 if bench.quick else 0.025
    case = CASES / "spheric02_marin.toml"
    scene = tomllib.loads(case.read_text(encoding="utf-8"))
    figure, panels = plt.subplots(1, 2, figsize=(9, 3.4), sharey=True, layout="constrained")
    for solids, panel in zip(("fractions", "voxels"), panels):
        means, jumps = {name: [] for name in FRONT}, {name: [] for name in FRONT}
        for eighths in range(8):
            def moved(x):
                return [float(number) for number in (round(x[0] + eighths * cell / 8, 9), *x[1:])]
            box = scene["solid"][0]
            keys = [f"solid.0.lower={moved(box['lower'])}", f"solid.0.upper={moved(box['upper'])}",
                    f'solid.0.surface="{solids}"', "run.end_time=1.5"]
            keys += [f"{key}=free_slip" for key in WALLS_OF_MARIN] + ["fluid.viscosity=0.0", "turbulence.model=none", "air.bubbles=off"]
            keys += [f"gauge.{i}.point={moved(row['point'])}" for i, row in enumerate(scene["gauge"]) if "point" in row]
            out = bench.run(f"spheric02_shifts_{solids}_{cell}_{eighths}", case, *marin_grid(cell), *keys)
            for name in FRONT:
                p = gauge(out, name)
                late = p["t"] >= 0.6
                means[name].append(mean_of(p["t"], p["pressure"]))
                jumps[name].append(np.mean(np.abs(np.diff(p["pressure"][late]))))
        for name, style in zip(FRONT, ("o-", "s--", "^-.", "v:")):
            mean = np.array(means[name])
            panel.plot(np.arange(8) / 8, mean / mean.mean(), style, ms=4, label=name)
            bench.add((f"spheric02_marin, box of {solids}", f"{cell} m"), f"{name}, mean of 0.6 to 1.5 s", "largest / least of 8 shifts - 1",
                      mean.max() / mean.min() - 1, f"{mean.min():.0f} to {mean.max():.0f} Pa", 0.1)
            bench.add((f"spheric02_marin, box of {solids}", f"{cell} m"), f"{name}, 0.6 to 1.5 s", "largest mean |step's change| / mean",
                      max(jumps[name]) / mean.mean(), "noise")
        panel.set(title=f'surface = "{solids}", cells of {cell} m', xlabel="place of the box [cells]")
        panel.grid(alpha=0.3)
    panels[0].set_ylabel("mean pressure / mean of all places")
    panels[0].legend()
    figure.savefig(bench.directory / "spheric02_shifts.png", dpi=110)
    plt.close(figure)


def spheric02_marin(bench):
    """Heights and pressures of the dam break onto a box."""
    record = data("spheric02_marin.csv")
    figure, axes = plt.subplots(4, 2, figsize=(12, 13), layout="constrained")
    shown = ("H1", "H2", "H3", "H4", "P1", "P2", "P3", "P5")
    for panel, name in zip(axes.flat, shown):
        panel.plot(record["t"], record[name], "k", lw=1, label="experiment")
        panel.set(title=name, xlabel="t [s]", ylabel="height [m]" if name[0] == "H" else "pressure, 0.01 s mean [Pa]")
    cells = (0.05, 0.04) if bench.quick else (0.04, 0.025, 0.02)
    for cell in cells:
        out = bench.run(f"spheric02_marin_{cell}", CASES / "spheric02_marin.toml", *marin_grid(cell))
        case, last = ("spheric02_marin", f"{cell} m"), cell == cells[-1]
        smooth = {}
        for name in ("P1", "P2", "P3", "P4", "P5", "P6", "P7", "P8"):
            p = gauge(out, name)
            smooth[name] = (p["t"], moving_mean(p["t"], p["pressure"], 0.01))
        for name in ("H1", "H2", "H3", "H4"):
            h = gauge(out, name)
            smooth[name] = (h["t"], h["height"])
            goal = 0.05 if last and name in ("H2", "H4") else None
            bench.add(case, name, "mean |error| / range", height_error(out, record, name), MARIN, goal,
                      PEERS_HEIGHT if name in ("H2", "H4") else "")
        t_exp = crossing(record["t"], record["P2"], 1000.0)
        arrival = crossing(*smooth["P2"], 1000.0)
        bench.add(case, "P2 arrival (1 kPa)", "|error| [s]", abs(arrival - t_exp), f"{MARIN}: {t_exp:.3f} s; here {arrival:.3f} s",
                  0.01 if last else None)
        for name in FRONT:
            p = gauge(out, name)
            mean, mean_exp = mean_of(p["t"], p["pressure"]), mean_of(record["t"], record[name])
            bench.add(case, f"{name}, mean of 0.6 to 1.5 s", "relative error", abs(mean / mean_exp - 1),
                      f"{MARIN}: {mean_exp:.0f} Pa; here {mean:.0f} Pa", 0.1 if last else None)
        early = smooth["P2"][0] < 1.0
        for name in ("P1", "P2"):
            peak, peak_exp = smooth[name][1][early].max(), record[name][record["t"] < 1.0].max()
            goal = 0.2 if last and name == "P2" else None
            bench.add(case, f"{name} peak (0.01 s mean)", "relative error", abs(peak / peak_exp - 1),
                      f"{MARIN}: {peak_exp:.0f} Pa; here {peak:.0f} Pa", goal, PEERS_PEAK if name == "P2" else "")
        for name in ("P1", "P2", "P3", "P5"):
            uniform = np.arange(0, min(6.0, smooth[name][0][-1]), 0.01)
            error = np.interp(uniform, *smooth[name]) - np.interp(uniform, record["t"], record[name])
            bench.add(case, name, "mean |error| / peak", np.mean(np.abs(error)) / record[name].max(), MARIN)
        raw = gauge(out, "P2")
        noise = raw["cell_pressure"] - raw["pressure"]
        bench.add(case, "P2 of one cell", "rms against the fit / peak", rms(noise[raw["wet"] > 0]) / record["P2"].max(), "noise")
        bench.add(case, "volume", "largest relative drift", volume_drift(out), "conservation", 0.005 if last else None)
        for panel, name in zip(axes.flat, shown):
            panel.plot(*smooth[name], lw=0.9, label=f"{cell} m")
    for panel in axes.flat:
        panel.set_xlim(0, 6)
        panel.legend()
    figure.savefig(bench.directory / "spheric02_marin.png", dpi=90)
    plt.close(figure)
