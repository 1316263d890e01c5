#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# The usage is printed, and python3 -OO drops docstrings: so this one is assigned.
__doc__ = """Turns a fluid.json and its particle file into a case of freshet.

usage: convert_fluid_json.py fluid.json CASE.toml

fluid.json is the input of "Building a PIC/FLIP solver in increments" and of the course that it follows (Bargteil and
Shinar). It gives the grid, lower corner, cell width, step, duration, density, FLIP ratio, and a file of particles: their
number, then one line of position and velocity each. Three things are not in the file. The outermost layer of cells is
wall; gravity is 9.80665 m/s^2 along -z; and the solver used a FLIP ratio of 0.95 whatever the file said, as its author
writes. The particles are written to CASE.csv beside the case.
"""
import json
import math
import sys
from pathlib import Path

FLIP_FRACTION = 0.95
GRAVITY = 9.80665  # [m/s^2] along -z
# Versions of the course give the same key different names.
NAMES = {
    "dt": ("dt", "timestep", "time_step"),
    "duration": ("duration", "total_time", "end_time"),
    "density": ("density", "rho"),
    "cells": ("res", "resolution", "grid", "cells", "n"),
    "lower_corner": ("lc", "lower_corner", "lowerCorner", "origin"),
    "dx": ("dx", "cell_width", "h"),
    "particles": ("particles", "particle_file", "particles_file", "inputfname", "input"),
}


def fail(message):
    print(message, file=sys.stderr)
    sys.exit(2)


def quoted(text):
    """A TOML string of one line."""
    return json.dumps("".join(c if c.isprintable() else " " for c in text), ensure_ascii=False)


def read_json(path):
    try:
        data = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        fail(f"{path}: cannot be read ({error}). Give a text file")
    except json.JSONDecodeError as error:
        fail(f"{path}:{error.lineno}: no JSON ({error.msg}). Correct the file")
    except RecursionError:
        fail(f"{path}: no JSON of a case (too many brackets). Correct the file")
    if not isinstance(data, dict):
        fail(f"{path}: no keys and values (a {type(data).__name__}). Give the settings of a case")
    return data


def pick(data, name, default=None):
    for alias in NAMES[name]:
        if alias in data:
            return data[alias]
    if default is None:
        fail(f"no key {' or '.join(NAMES[name])} in the file. Add it")
    return default


def number(value, key):
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < 1e300:
        fail(f"{key} is no number ({str(value)[:60]}). Correct the file")
    return value


def three(values, key):
    if not isinstance(values, list) or len(values) != 3:
        fail(f"{key} is not three numbers ({str(values)[:60]}). Correct the file")
    return [number(value, key) for value in values]


def cells_of(data):
    flat = all(key in data for key in ("nx", "ny", "nz"))
    cells = three([data[key] for key in ("nx", "ny", "nz")] if flat else pick(data, "cells"), "the number of cells")
    return [int(n) for n in cells]


def read_particles(path):
    """Rows of six numbers. A first line that holds only the number of rows is skipped and checked."""
    rows = []
    expected = None
    for line_number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        words = line.split()
        if not words:
            continue
        if len(words) == 1 and words[0].isdecimal() and not rows and expected is None:
            expected = int(words[0])
            continue
        try:
            row = [float(word) for word in words]
        except ValueError:
            fail(f"{path}:{line_number}: '{line[:60]}' is no particle. Give position and velocity")
        if len(row) not in (3, 6) or not all(map(math.isfinite, row)):
            fail(f"{path}:{line_number}: {len(row)} finite numbers, not 3 or 6. Give position and velocity")
        rows.append(row + [0.0] * (6 - len(row)))
    if expected is not None and expected != len(rows):
        fail(f"{path}: {len(rows)} particles, not the {expected} that it announces. Complete the file")
    return rows


def vector(values):
    return "[" + ", ".join(repr(float(value)) for value in values) + "]"


def main():
    if sys.argv[1:] in (["-h"], ["--help"]):
        print(__doc__)
        return
    if len(sys.argv) != 3:
        fail(__doc__)
    source, target = Path(sys.argv[1]), Path(sys.argv[2])
    data = read_json(source)
    dx = float(number(pick(data, "dx"), "dx"))
    cells = [n - 2 for n in cells_of(data)]
    if min(cells) < 1:
        fail(f"{source}: no cell is left inside the outermost layer. Give at least 3 cells an axis")
    origin = [x + dx for x in three(pick(data, "lower_corner"), "the lower corner")]
    duration, dt, density = (float(number(pick(data, key, default), key))
                             for key, default in (("duration", None), ("dt", None), ("density", 1000.0)))
    name = Path(str(pick(data, "particles")))
    found = [path for path in (source.parent / name, source.parent / name.name, name) if path.is_file()]
    if not found:
        fail(f"{source}: the particle file {name} is not there. Put it beside the file")
    rows = read_particles(found[0])
    table = target.with_suffix(".csv")
    table.write_text("x,y,z,vx,vy,vz\n" + "".join(",".join(map(repr, row)) + "\n" for row in rows))
    target.write_text(f"""title = {quoted("Converted from " + source.name)}
reference = "Building a PIC/FLIP solver in increments; {len(rows)} particles"

[run]
end_time = {duration!r}  # [s]

[domain]
# {cells[0] + 2} x {cells[1] + 2} x {cells[2] + 2} cells with the outermost layer, which is wall
cells = {cells}
cell_size = {dx!r}  # [m]
origin = {vector(origin)}

[fluid]
density = {density!r}  # [kg/m^3]
gravity = [0.0, 0.0, {-GRAVITY!r}]  # [m/s^2]

[labels]
surface = "voxels"  # as in the source

[density]
correction = "off"  # as in the source

[pressure.walls]
condition = "sticky"  # as in the source

[transfer]
flip_fraction = {FLIP_FRACTION!r}

[time]
max_dt = {dt!r}  # [s]

[[liquid]]
shape = "particles"
file = {quoted(table.name)}

[output]
interval = {1.0 / 30.0!r}  # [s]
particles = ["velocity"]
""", encoding="utf-8")


if __name__ == "__main__":
    main()
