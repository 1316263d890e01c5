#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turn a fluid.json and its particle file into a case of freshet.

usage: convert_fluid_json.py fluid.json CASE.toml

The input of "Building a PIC/FLIP solver in increments" and of the course that it follows (Bargteil and Shinar): grid,
lower corner, cell width, step, duration, density, FLIP ratio, and a file of particles (their number, then a line of
position and velocity each). Three things are not in the file: the outermost layer of cells is wall, gravity is 9.80665
m/s^2 along -z, and the FLIP ratio in effect was 0.95 whatever the file said (so the text itself). The particles go to
CASE.csv beside the case.
"""
import json
import math
import sys
from pathlib import Path

FLIP_FRACTION = 0.95
GRAVITY = 9.80665  # [m/s^2] along -z
# What a key may be called: versions of the course differ.
NAMES = {
    "dt": ("dt", "timestep", "time_step"),
    "duration": ("duration", "total_time", "end_time"),
    "density": ("density", "rho"),
    "cells": ("res", "resolution", "grid", "cells", "n"),
    "lower_corner": ("lc", "lower_corner", "lowerCorner", "origin"),
    "dx": ("dx", "cell_width", "h"),
    "particles": ("particles", "particle_file", "particles_file", "inputfname", "input"),
}


def pick(data, name, default=None):
    for alias in NAMES[name]:
        if alias in data:
            return data[alias]
    if default is None:
        sys.exit(f"no key {' or '.join(NAMES[name])} in the file. Add it")
    return default


def cells_of(data):
    if all(key in data for key in ("nx", "ny", "nz")):
        return [int(data[key]) for key in ("nx", "ny", "nz")]
    return [int(n) for n in pick(data, "cells")]


def read_particles(path):
    """Rows of six numbers; a first line with their number alone is left out."""
    rows = []
    expected = None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        words = line.split()
        if not words:
            continue
        if len(words) == 1 and not rows and expected is None:
            expected = int(words[0])
            continue
        try:
            row = [float(word) for word in words]
        except ValueError:
            sys.exit(f"{path}:{number}: '{line[:60]}' is no particle. Give position and velocity")
        if len(row) not in (3, 6) or not all(map(math.isfinite, row)):
            sys.exit(f"{path}:{number}: {len(row)} finite numbers, not 3 or 6. Give position and velocity")
        rows.append(row + [0.0] * (6 - len(row)))
    if expected is not None and expected != len(rows):
        sys.exit(f"{path}: {len(rows)} particles, not the {expected} that it announces. Complete the file")
    return rows


def vector(values):
    return "[" + ", ".join(repr(float(value)) for value in values) + "]"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    source, target = Path(sys.argv[1]), Path(sys.argv[2])
    data = json.loads(source.read_text())
    dx = float(pick(data, "dx"))
    cells = [n - 2 for n in cells_of(data)]
    if min(cells) < 1:
        sys.exit(f"{source}: no cell is left inside the outermost layer. Give at least 3 cells an axis")
    origin = [float(x) + dx for x in pick(data, "lower_corner")]
    name = Path(pick(data, "particles"))
    found = [path for path in (source.parent / name, source.parent / name.name, name) if path.is_file()]
    if not found:
        sys.exit(f"{source}: the particle file {name} is not there. Put it beside the file")
    rows = read_particles(found[0])
    table = target.with_suffix(".csv")
    table.write_text("x,y,z,vx,vy,vz\n" + "".join(",".join(map(repr, row)) + "\n" for row in rows))
    target.write_text(f"""title = "Converted from {source.name}"
reference = "Building a PIC/FLIP solver in increments; {len(rows)} particles"

[run]
end_time = {float(pick(data, "duration"))!r}  # [s]

[domain]
# {cells[0] + 2} x {cells[1] + 2} x {cells[2] + 2} cells with the outermost layer, which is wall
cells = {cells}
cell_size = {dx!r}  # [m]
origin = {vector(origin)}

[fluid]
density = {float(pick(data, "density", 1000.0))!r}  # [kg/m^3]
gravity = [0.0, 0.0, {-GRAVITY!r}]  # [m/s^2]

[transfer]
flip_fraction = {FLIP_FRACTION!r}

[time]
max_dt = {float(pick(data, "dt"))!r}  # [s]

[[liquid]]
shape = "particles"
file = "{table.name}"

[output]
interval = {1.0 / 30.0!r}  # [s]
particles = ["velocity"]
""")


if __name__ == "__main__":
    main()
