#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Cases of validate.py that look for one setting for all dam breaks, and let the water go as in a laboratory."""
import numpy as np

from freshet.analysis import crossing
from validation_air import run_text
from validation_experiments import (A, CASES, FRONT, MARIN, MARTIN_MOYCE, WALLS_OF_COLUMNS, WALLS_OF_MARIN, arrival_at, front_of,
                                    height_error, marin_grid, martin_moyce_grid, mean_of)
from validation_runs import data, gauge

WATER = 1e-3  # [Pa s]
SETTINGS = {  # name: slip of all walls, viscosity [Pa s], model of turbulence, further keys
    "free_slip": ("free_slip", 0.0, "none"),
    "no_slip": ("no_slip", WATER, "none"),
    "no_slip, 0.05 Pa s": ("no_slip", 0.05, "none"),
    "wall_law": ("wall_law", WATER, "none"),
    "wall_law, smagorinsky": ("wall_law", WATER, "smagorinsky"),
    "wall_law, wale": ("wall_law", WATER, "wale"),
    "wall_law, mixing_length": ("wall_law", WATER, "mixing_length"),
    "wall_law, reflection": ("wall_law", WATER, "none", "time.splitting=reflection"),
    "wall_law, apic": ("wall_law", WATER, "none", "transfer.method=apic"),
    "wall_law, rough 0.5 mm": ("wall_law", WATER, "none", "domain.roughness=0.0005"),
}
GATES = (1.5, 2.5)  # [m/s]; 290 releases with gates of 0.2 to 2.5 m/s: J. Mar. Sci. Eng. 9 (2021) 67, doi:10.3390/jmse9010067


def keys_of(setting, walls):
    """Keys that give walls, sides of the domain and solids by their keys, and the liquid a setting."""
    slip, viscosity, model, *more = SETTINGS[setting]
    return [*(f"{wall}={slip}" for wall in walls), f"fluid.viscosity={viscosity}", f"turbulence.model={model}", *more]


def word(name):
    return "".join(letter if letter.isalnum() or letter == "." else "_" for letter in name)


def add_marin(bench, case, out):
    """Records of a run of SPHERIC 2 that ends at 2.5 s."""
    record = data("spheric02_marin.csv")
    for name in FRONT:
        p = gauge(out, name)
        mean, mean_exp = mean_of(p["t"], p["pressure"]), mean_of(record["t"], record[name])
        bench.add(case, f"{name}, mean of 0.6 to 1.5 s", "error / mean", mean / mean_exp - 1, f"{MARIN}: {mean_exp:.0f} Pa; here {mean:.0f} Pa")
    for name in ("H2", "H4"):
        bench.add(case, f"{name} until 2.5 s", "mean |error| / range", height_error(out, record, name), MARIN)
    p2 = gauge(out, "P2")
    times = crossing(record["t"], record["P2"], 1000.0), arrival_at(p2["t"], p2["pressure"])
    bench.add(case, "P2 arrival (1 kPa)", "later than measured [s]", times[1] - times[0], f"{MARIN}: {times[0]:.3f} s; here {times[1]:.3f} s")


def add_way(bench, case, out):
    """Record of the time between the water's coming to H1 and to the box, which no clock enters."""
    record = data("spheric02_marin.csv")
    h1, p2 = gauge(out, "H1"), gauge(out, "P2")
    ways = (crossing(record["t"], record["P2"], 1000.0) - crossing(record["t"], record["H1"], 0.02),
            arrival_at(p2["t"], p2["pressure"]) - crossing(h1["t"], h1["height"], 0.02))
    bench.add(case, "from H1 (0.02 m) to P2 (1 kPa)", "longer than measured [s]", ways[1] - ways[0],
              f"{MARIN}: {ways[0]:.3f} s; here {ways[1]:.3f} s")


def run_marin(bench, name, cell, *keys):
    return bench.run(f"dam_{word(name)}_{cell}", CASES / "spheric02_marin.toml", *marin_grid(cell), "run.end_time=2.5", *keys)


def dam_break_settings(bench):
    """Martin & Moyce's columns and SPHERIC 2 with each setting of walls and liquid."""
    for setting in SETTINGS:
        for n2, name in ((2, "martin_moyce"), (1, "martin_moyce_square")):
            for cells in (16, 32):
                out = bench.run(f"dam_{word(setting)}_{name}_{cells}", CASES / f"{name}.toml", *martin_moyce_grid(n2, cells),
                                *keys_of(setting, WALLS_OF_COLUMNS))
                front = front_of(out, n2)
                case = (f"{name}, {setting}", f"a/{cells}")
                bench.add(case, "front of the bulk", "rms, clock fitted", front.fitted, MARTIN_MOYCE)
                bench.add(case, "speed of the front dZ/dT", "dZ/dT", front.slope, f"{MARTIN_MOYCE}: {front.slope_exp:.3f}")
        for cell in (0.04,) if bench.quick else (0.04, 0.025):
            out = run_marin(bench, setting, cell, *keys_of(setting, WALLS_OF_MARIN))
            add_marin(bench, (f"spheric02_marin, {setting}", f"{cell} m"), out)


def add_gate(case, plate, speed):
    """Text of a case file with a thin plate in front of the column, `plate` its first place, which rises."""
    lower, upper = plate
    velocity = [0.0] * (len(lower) - 1) + [speed]
    solid = f'[[solid]]\nshape = "box"\nlower = {lower}\nupper = {upper}\nvelocity = {velocity}\n'
    return case.read_text(encoding="utf-8").replace("[output]", f"{solid}\n[output]", 1)


def run_released(bench, label, case, plate, speed, *keys):
    """Run a case with a gate of some speed [m/s], without one where it is None."""
    if speed is None:
        return bench.run(f"gate_{label}_none", case, *keys)
    return run_text(bench, f"gate_{label}_{speed}", add_gate(case, plate, speed), *keys)


def dam_break_gates(bench):
    """The same with a gate of 0.01 m, or of a twelfth of the column's width, that rises in front of the column from time 0."""
    for speed in (None, *GATES):
        name = f"gate of {speed} m/s" if speed else "no gate"
        for n2, column in ((2, "martin_moyce"), (1, "martin_moyce_square")):
            for cells in (16, 32):
                plate = [A, -0.1 * A], [round(13 / 12 * A, 9), (n2 + 0.1) * A]
                out = run_released(bench, f"{column}_{cells}", CASES / f"{column}.toml", plate, speed, *martin_moyce_grid(n2, cells))
                front = front_of(out, n2)
                case = (f"{column}, {name}", f"a/{cells}")
                bench.add(case, "front of the bulk", "rms, clock fitted", front.fitted, MARTIN_MOYCE, 0.03 if cells == 32 else None)
                bench.add(case, "speed of the front dZ/dT", "dZ/dT", front.slope, f"{MARTIN_MOYCE}: {front.slope_exp:.3f}")
        for cell in (0.04,) if bench.quick else (0.04, 0.025):
            out = run_released(bench, f"marin_{cell}", CASES / "spheric02_marin.toml", ([1.982, -0.1, -0.1], [1.992, 1.1, 0.6]), speed,
                               *marin_grid(cell), "run.end_time=2.5")
            case = (f"spheric02_marin, {name}", f"{cell} m")
            add_marin(bench, case, out)
            add_way(bench, case, out)


def dam_break_air(bench):
    """SPHERIC 2 to its end with air that the plunging wave closes in as bubbles that keep their volume, and without."""
    record = data("spheric02_marin.csv")
    for setting in ("free_slip", "wall_law"):
        for name, bubbles in (("air gives way", "off"), ("bubbles of air", "incompressible")):
            for cell in (0.04,) if bench.quick else (0.04, 0.025):
                out = bench.run(f"dam_air_{setting}_{bubbles}_{cell}", CASES / "spheric02_marin.toml", *marin_grid(cell),
                                *keys_of(setting, WALLS_OF_MARIN), f"air.bubbles={bubbles}")
                case = (f"spheric02_marin, {setting}, {name}", f"{cell} m")
                for line in ("H2", "H4"):
                    bench.add(case, line, "mean |error| / range", height_error(out, record, line), MARIN)
                h = gauge(out, "H2")
                bench.add(case, "H2 at 1.7 s", "m", np.interp(1.7, h["t"], h["height"]), f"{MARIN}: {np.interp(1.7, record['t'], record['H2']):.3f} m")


CASES_OF_WATER = {"dam_break_settings": dam_break_settings, "dam_break_gates": dam_break_gates, "dam_break_air": dam_break_air}
