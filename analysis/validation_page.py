# SPDX-License-Identifier: Apache-2.0
"""Puts what validate.py found into the table of figures/validation.md, between its two marks.

A row of the page is found by its first two columns. A cell whose figures were measured on all grids of the row is written anew;
other cells stay as they are, so that a part of the cases may be run.
"""
from dataclasses import dataclass

BEGIN, END = "<!-- rows: jobs/validate.sh --page -->", "<!-- end of rows -->"
SURFACES = {"level_set": 3, "voxels": 4}  # columns of the page
ERROR = "relative error"
MARIN = "spheric02_marin"
FLAP = ("wave tank with a flap",)


@dataclass(frozen=True)
class Row:
    """The figure that a row shows: its records' case, quantity and metric, the grids in their order, "" where the records name none; in %,
    ms, cells or degrees."""
    case: str
    quantity: str
    metric: str
    grids: tuple
    unit: str = "%"
    also: tuple = ()  # cases whose figures follow in the same cell, after "and"


def grids(form, *sizes):
    return tuple(form.format(size) for size in sizes)


FINE, DEEP, WIDE = grids("1/{}", 32, 64, 128), grids("1/{}", 16, 32, 64), grids("a/{}", 16, 32, 64)
METRE = grids("1/{} m", 16, 32)
CHANNEL = grids("1/{}", 8, 16, 32)
RADIUS, SIDE, HEIGHT = grids("radius/{}", 4, 8, 16), grids("side/{}", 8, 16, 32), grids("height/{}", 4, 8, 16)
WAVE, TANK, BOX = grids("{} cells a wave", 32, 64, 128), grids("1/{}", 20, 40, 80), grids("{} m", 0.04, 0.025, 0.02)
CUBES = (32, 48, 128)
GLIDING = "way in the time for 10 diameters"
ROWS = {  # the first two columns of the page, without what stands in brackets
    ("hydrostatic column", "pressure on the floor"): Row("hydrostatic", "pressure on the floor", ERROR, DEEP),
    ("tank tilted by 20 degrees", "pressure on the floor"): Row("tilted tank", "pressure on the floor", f"{ERROR} of the mean", DEEP),
    ("free fall of 0.3 s, dt = 1 ms", "way of the centre"): Row("free fall, dt <= 0.001 s", "centre of mass", f"{ERROR} of g t^2/2", DEEP),
    ("standing wave, amplitude 1/50 of its length", "frequency"): Row("standing wave of 1/50", "frequency", ERROR, WAVE),
    ("standing wave, amplitude 1/50 of its length", "amplitude lost"): Row("standing wave of 1/50", "amplitude", "lost in 9 periods", WAVE),
    ("standing wave, amplitude 1/200 of its length", "frequency"): Row("standing wave of 1/200", "frequency", ERROR, WAVE),
    ("standing wave, amplitude 1/200 of its length", "amplitude lost"): Row("standing wave of 1/200", "amplitude", "lost in 9 periods", WAVE),
    ("Taylor-Green vortex", "pressure, corner to centre"): Row("Taylor-Green", "pressure, corner to centre", ERROR, FINE),
    ("Taylor-Green vortex", "energy lost in 2 s"): Row("Taylor-Green", "kinetic energy after 2 s", "lost part", FINE),
    ("wet bed", "depth of the middle state"): Row("wet bed", "depth of the middle state", f"{ERROR} of the mean", DEEP),
    ("wet bed", "speed of the bore"): Row("wet bed", "speed of the bore", ERROR, DEEP),
    ("solitary wave", "celerity"): Row("solitary wave", "celerity", ERROR, DEEP),
    **{(f"run-up of a solitary wave on {degrees} degrees", "height above still water"):
       Row(f"run-up of a wave of {height} d, {degrees} degrees", "height above still water", ERROR, DEEP)
       for degrees, height in ((20, 0.2), (10, 0.1))},
    ("sloshing in an upright cylinder", "frequency"): Row("sloshing in a cylinder", "frequency", ERROR, grids("{} cells", 16, 24, 32)),
    ("turning cylinder", "surface, rms over the rise"): Row("paraboloid", "surface on three radii", "rms error / rise",
                                                            grids("{} cells", 20, 30, 40)),
    ("jet from a slot", "coefficient of discharge"): Row("orifice", "coefficient of discharge", ERROR, grids("{} cells", 8, 16, 32)),
    ("wave tank, piston and flap", "height of the waves"): Row("wave tank", "height of the first harmonic", ERROR, TANK, also=FLAP),
    ("wave tank, piston and flap", "wave from the absorbing zone"): Row("wave tank", "wave from the absorbing zone",
                                                                        "height / height of the waves", TANK, also=FLAP),
    **{(f"channel with a lid, {floor} floor", "velocity at four heights"): Row(f"channel with a lid, {floor} floor", "velocity at four heights",
                                                                               "rms of relative error", CHANNEL)
       for floor in ("rough", "smooth")},
    **{(f"open channel, {floor}", "depth at its flow rate"): Row(f"open channel, {floor}", "depth at its flow rate", ERROR, CHANNEL)
       for floor in ("Manning's n", "roughness")},
    ("Martin & Moyce, n^2 = 2", "front, rms, clock fitted"): Row("martin_moyce", "front of the bulk", "rms, clock fitted", WIDE),
    ("Martin & Moyce, n^2 = 2, no friction", "front, rms, clock fitted"): Row("martin_moyce, no friction", "front of the bulk",
                                                                              "rms, clock fitted", WIDE[-1:]),
    ("Martin & Moyce, n^2 = 2", "volume, largest drift"): Row("martin_moyce", "volume", "largest relative drift", WIDE),
    ("Martin & Moyce, n^2 = 1", "front, rms, clock fitted"): Row("martin_moyce_square", "front of the bulk", "rms, clock fitted", WIDE),
    ("SPHERIC 2", "H2, mean over range"): Row(MARIN, "H2", "mean |error| / range", BOX),
    ("SPHERIC 2", "H4, mean over range"): Row(MARIN, "H4", "mean |error| / range", BOX),
    ("SPHERIC 2", "arrival at P2"): Row(MARIN, "P2 arrival (1 kPa)", "|error| [s]", BOX, "ms"),
    ("SPHERIC 2", "peak at P2, mean of 0.01 s"): Row(MARIN, "P2 peak (0.01 s mean)", ERROR, BOX),
    **{("SPHERIC 2", f"{name}, mean from 0.6 to 1.5 s"): Row(MARIN, f"{name}, mean of 0.6 to 1.5 s", ERROR, BOX)
       for name in ("P1", "P2", "P3", "P4")},
    ("SPHERIC 2", "volume, largest drift"): Row(MARIN, "volume", "largest relative drift", BOX),
    **{(f"{body} let go", "first acceleration"): Row(f"{body} let go", "first acceleration", "largest relative error", sizes)
       for body, sizes in (("deep cylinder", RADIUS), ("deep sphere", RADIUS[:2]), ("half-immersed cylinder", RADIUS),
                           ("half-immersed sphere", RADIUS[:2]))},
    **{(f"{body} let go from {part} a", what): Row(f"{body} let go from {part} a", what, "largest relative error", sizes)
       for body, part, sizes in (("cylinder", "0.05", RADIUS), ("cylinder", "0.2", RADIUS), ("sphere", "0.05", RADIUS[:2]),
                                 ("sphere", "0.2", RADIUS[:2]))
       for what in ("first three extremes, times", "first three extremes")},
    **{("sphere let go from its radius", what): Row("sphere let go from its radius", what, ERROR, RADIUS[:2])
       for what in ("first minimum", "first minimum, time", "first maximum", "first maximum, time")},
    **{(body, GLIDING): Row(body, GLIDING, ERROR, RADIUS[1:]) for body in ("disc without gravity", "disc that rises")},
    ("Kirchhoff's ellipse", "path over 10 lengths"): Row("Kirchhoff's ellipse", "path over 10 lengths", "largest distance / way",
                                                         grids("axis/{}", 8, 16)),
    **{(f"square bar, density ratio {first} and {second}", "angle at rest"):
       Row(f"square bar, density ratio {first}", "angle at rest", "error [degrees]", SIDE, "degrees", (f"square bar, density ratio {second}",))
       for first, second in (("0.15", "0.85"), ("0.25", "0.75"))},
    ("square bar, density ratio 0.5", "angle at rest"): Row("square bar, density ratio 0.5", "angle at rest", "error [degrees]", SIDE, "degrees"),
    **{(f"{kind}, density ratio 0.1, 0.5 and 0.9", "draft"):
       Row(f"{kind}, density ratio 0.1", "draft", "error / cell", sizes, "cells",
           (f"{kind}, density ratio 0.5", f"{kind}, density ratio 0.9"))
       for kind, sizes in (("box", HEIGHT[1:]), ("box in a tilted tank", HEIGHT[1:]), ("wedge", HEIGHT[1:]), ("sphere", HEIGHT[1:2]))},
    **{(f"roll, {body}", "period"): Row(f"roll, {body}", "period", ERROR, HEIGHT) for body in ("box of 2 : 1", "box of Jung")},
    **{(f"box in waves of {height} m", what): Row(f"box in waves of {height} m", what, metric, grids("1/{} m", 40, 80))
       for height in ("0.04", "0.1")
       for what, metric in (("heave", f"{ERROR} of the amplitude"), ("pitch", f"{ERROR} of the amplitude"), ("drift", ERROR))},
    ("light plug in a tube", "way in 6 s"): Row("light plug in a tube", "way in 6 s", "cells", ("",), "cells"),
    **{(body, "volume, largest drift"): Row(body, "volume", "largest relative drift", ("",))
       for body in ("light plug in a tube", "light ball leaps out of water", "two hundred discs stirred")},
    ("light ball leaps out of water", "volume from 4 s on"): Row("light ball leaps out of water", "volume from 4 s on", "mean relative drift", ("",)),
    ("two hundred discs stirred", "farthest out of the tank"): Row("two hundred discs stirred", "farthest out of the tank", "cells", ("",), "cells"),
    ("slug runs into a pocket of gas, S = 0.1, 1 and 10", "largest pressure"): Row("bagnold, S = 0.1", "largest p / p0", ERROR, METRE,
                                                                                  also=("bagnold, S = 1", "bagnold, S = 10")),
    ("slug between two pockets, both splittings", "period"): Row("two_pockets, first_order", "period", ERROR, METRE, also=("two_pockets, strang",)),
    ("two columns joined by a bubble", "its pressure"): Row("joined_columns", "pressure of the bubble", "rms of error / largest", METRE),
    **{("diving cup", what): Row("diving_cup", what, "error / cell", grids("1/{} m", 50, 100), "cells")
       for what in ("surface inside", "level of the gas")},
    ("cup with a hole", "room without water"): Row("cup_with_a_hole", "room in the cup without water", "part", ("",)),
    ("long bubble between walls", "speed of the nose"): Row("plane_bubble", "U / sqrt(g gap)", ERROR, grids("gap/{}", 16, 32)),
    ("long bubble between walls", "volume of the liquid, largest drift"): Row("plane_bubble", "volume of the liquid", "largest relative drift",
                                                                              grids("gap/{}", 16, 32)),
    ("long bubble between walls", "volume of the gas, lost in 2 s"): Row("plane_bubble", "volume of the gas", "part lost in 2 s",
                                                                         grids("gap/{}", 16, 32)),
    ("cap of air in a wide tank", "speed of the nose"): Row("cap_bubble", "U / sqrt(g R)", ERROR, grids("1/{} m", 60, 80)),
    ("sloshing impact that closes a pocket", "largest mean of 4 ms, spread of the grids"): Row(
        "sloshing_impact", "P1, largest mean of 4 ms", "(most - least) / mean of grids", ("",)),
    ("sloshing impact that closes a pocket", "largest pressure of a step, finest grid over coarsest"): Row(
        "sloshing_impact", "P1, largest of a step", "finest grid / coarsest", ("",), "times"),
    **{(f"Taylor-Green vortex, Re = 1600, {scheme}", "largest dissipation"): Row(f"taylor_green_1600, {scheme}", "dissipation",
                                                                                 "relative error of the largest", grids("{}^3", *CUBES))
       for scheme in ("FLIP", "APIC", "reflection")},
    ("long bubble in a round tube", "speed of the nose"): Row("tube_bubble", "U / sqrt(g diameter)", ERROR, grids("diameter/{}", 12, 16)),
}


def number(value, unit):
    """A figure in its unit, with two digits that count and no more than two behind the point."""
    factor = {"%": 100, "ms": 1e3}.get(unit)
    value *= factor or 1
    return f"{value:.0f}" if abs(value) >= 10 else f"{value:.1f}" if abs(value) >= (0.1 if factor else 1) else f"{value:.2f}"


def named(*parts):
    """A record's case: its name, the surface if one was asked for, and the grid if it has one."""
    return ", ".join(part for part in parts if part)


def cell(row, found, surface):
    """Text of a row's cell, or None where a grid was not run. `found`: values of records by case, quantity and metric."""
    series = []
    for case in (row.case, *row.also):
        values = [next((found[key] for key in ((named(case, surface, grid), row.quantity, row.metric),
                                               (named(case, grid) if surface == "level_set" else "", row.quantity, row.metric))
                        if key in found), None) for grid in row.grids]
        if None in values:
            return None
        series.append(", ".join(number(value, row.unit) for value in values) + f" {row.unit}")
    return " and ".join(series)


def key_of(columns):
    """The first two columns of a row without what stands in brackets."""
    return tuple(column.partition(" (")[0] for column in columns[:2])


def rows_of(page):
    """Rows between the marks, as lists of columns."""
    lines = page[page.index(BEGIN):page.index(END)].splitlines()[1:]
    return [[column.strip() for column in line.strip("|").split("|")] for line in lines if line.startswith("|")]


def rewritten(page, records):
    """A page with the rows of these records. Errors: ValueError where a row of the page is not known."""
    found = {(record["case"], record["quantity"], record["metric"]): record["value"] for record in records}
    lines = []
    for columns in rows_of(page):
        row = ROWS.get(key_of(columns))
        if row is None and columns[0] not in ("case", "---"):
            raise ValueError(f"the row '{columns[0]}, {columns[1]}' of the page is not in analysis/validation_page.py")
        for surface, at in SURFACES.items() if row else ():
            columns[at] = cell(row, found, surface) or columns[at]
        lines.append("|" + "|".join(columns) + "|" if columns[0] == "---" else "|" + "".join(f" {column} |" if column else " |" for column in columns))
    begin, end = page.index(BEGIN) + len(BEGIN), page.index(END)
    return page[:begin] + "\n\n" + "\n".join(lines) + "\n\n" + page[end:]
