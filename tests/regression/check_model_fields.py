#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# needs: python:numpy python:h5py
"""The output fields and columns of bubbles, eddies and wall laws hold what the run computed: a pool that shears over a rough floor, with a
pocket of air in it.

usage: check_model_fields.py BUILD_DIRECTORY_OR_EXECUTABLE
"""
import csv
import sys
import tempfile
from pathlib import Path

import numpy as np

import commands
from check_bad_inputs import ROOT, find_program

RANKS = 2
DX = 0.025
CASE = """[run]
end_time = 1
max_steps = 3
[domain]
cells = [24, 24, 16]
cell_size = 0.025
roughness = 0.0005
[domain.boundary]
y_low = "wall_law"
[fluid]
viscosity = 0.001
[turbulence]
model = "smagorinsky"
[air]
bubbles = "incompressible"
[output]
times = "nearest"
interval = 1e-4
fields = ["label", "bubble", "eddy_viscosity", "y_plus", "wall_stress"]
[[liquid]]
shape = "difference"
parts = [{ shape = "box", lower = [0, 0, 0], upper = [0.6, 0.45, 0.4] },
         { shape = "box", lower = [0.2, 0.2, 0.1], upper = [0.35, 0.3, 0.25] }]
[[liquid]]
shape = "box"
lower = [0, 0, 0]
upper = [0.6, 0.1, 0.4]
velocity = [0.5, 0, 0]
"""


def problems_of(values, row):
    """What is wrong with the fields of a snapshot, by name as arrays [z, y, x], and with the last row of steps.csv."""
    label, bubble, eddies, y_plus, stress = (values[name] for name in ("label", "bubble", "eddy_viscosity", "y_plus", "wall_stress"))
    liquid, pocket = label == 1, bubble >= 0
    floor = np.zeros_like(liquid)
    floor[:, 0, :] = True
    checks = {
        "bubble: a pocket of 6 x 4 x 6 cells, none of them liquid": set(np.unique(bubble[pocket])) == {0} and not (pocket & liquid).any()
        and abs(pocket.sum() - 144) < 60,
        "eddy_viscosity: above 0 in the shear, and nowhere in the air": (eddies[liquid] > 0).any() and not eddies[~liquid].any(),
        "y_plus: in the liquid on the floor alone": (y_plus[floor & liquid] > 0).mean() > 0.9 and not y_plus[~floor].any(),
        "wall_stress: the same cells": (stress[floor & liquid] > 0).mean() > 0.9 and not stress[~floor].any(),
        "column bubbles": row["bubbles"] == 1,
        "column bubble_volume: that of the pocket": abs(row["bubble_volume"] / (144 * DX ** 3) - 1) < 0.2,
        "column bubble_pressure: above that of the atmosphere": row["bubble_pressure"] > 0,
        "column turbulent_loss: above 0": row["turbulent_loss"] > 0,
    }
    return [what for what, holds in checks.items() if not holds]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program = find_program(sys.argv[1])
    sys.path.insert(0, str(ROOT / "analysis"))
    import freshet.analysis as fa  # pylint: disable=import-outside-toplevel
    with tempfile.TemporaryDirectory() as folder:
        case = Path(folder) / "case.toml"
        case.write_text(CASE)
        done = commands.run(program, ["run", case, "--output-dir", Path(folder) / "out"], RANKS)
        if done.returncode != 0:
            sys.exit(f"exit code {done.returncode}: {done.stderr.strip()[-500:]}")
        last = fa.open(Path(folder) / "out").snapshots[-1]
        values = {name: np.asarray(last.field(name)) for name in ("label", "bubble", "eddy_viscosity", "y_plus", "wall_stress")}
        with open(Path(folder) / "out/steps.csv", newline="") as file:
            rows = list(csv.reader(file))
    row = {name.split(" [")[0]: float(value) for name, value in zip(rows[0], rows[-1])}
    problems = problems_of(values, row)
    print("\n".join(problems) or "the fields and columns are those of the run")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
