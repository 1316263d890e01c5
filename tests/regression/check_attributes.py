#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# needs: python:numpy python:h5py
# timeout: 300
"""Attributes set by region reach the snapshots with their types and values, stay with their particles, and come through
a restart, on any number of ranks.

usage: check_attributes.py BUILD_DIRECTORY_OR_EXECUTABLE
"""
import sys
import tempfile
from pathlib import Path

import h5py
import numpy

import commands
from check_bad_inputs import find_program

CASE = """
[run]
end_time = 0.04
reproducible = true
[domain]
cells = [16, 16, 16]
cell_size = 0.0625
[labels]  # particles start where they are seeded, not moved to the surface of the box
surface = "voxels"
[[liquid]]
shape = "box"
lower = [0.0, 0.0, 0.0]
upper = [0.5, 0.75, 1.0]
[[attribute]]
name = "phase"
type = "integer"
default = [7]
region = [{ shape = "sphere", center = [0.25, 0.25, 0.5], radius = 0.2, value = [-3] },
          { shape = "box", lower = [0.0, 0.0, 0.0], upper = [0.5, 0.25, 1.0], value = [2147483647] }]
[[attribute]]
name = "heat"
type = "real"
region = [{ shape = "box", lower = [0.0, 0.5, 0.0], upper = [1.0, 1.0, 1.0], value = [1.5] }]
[[attribute]]
name = "dye"
type = "vector"
default = [1.0, 2.0, 3.0]
region = [{ shape = "half_space", point = [0.0, 0.0, 0.5], normal = [0.0, 0.0, 1.0], value = [-1.0, 0.25, 1e-30] }]
[output]
interval = 0.02
times = "exact"
particles = ["velocity", "id", "phase", "heat", "dye"]
[checkpoint]
interval = 0.02
keep = 9
"""
AXES = "xyz"
TYPES = {"phase": numpy.dtype("int32"), "heat": numpy.dtype("float32"), "dye": numpy.dtype("float32")}


class Check:
    """Runs the case and collects what is not as it should be."""

    def __init__(self, program, folder):
        self.program = program
        self.folder = Path(folder)
        self.case = self.folder / "case.toml"
        self.case.write_text(CASE)
        self.failures = []

    def expect(self, condition, message):
        if not condition:
            self.failures.append(message)

    def run(self, output, ranks, *words):
        done = commands.run(self.program, ["run", self.case, *words, "--output-dir", output], ranks)
        if done.returncode != 0:
            sys.exit(f"{' '.join(done.args)} on {ranks} ranks ended with {done.returncode}: {done.stderr[-2000:]}")
        return [self.read(path) for path in sorted((output / "snapshots").glob("*.h5"))]

    def read(self, path):
        """Position, attributes and their types of a snapshot, in the order of ids."""
        with h5py.File(path, "r") as file:
            (iteration,) = file["data"].values()
            liquid = iteration["particles/liquid"]
            order = numpy.argsort(liquid["id"][:])
            arrays = {"id": liquid["id"][:][order]}
            for name in ("phase", "heat"):
                self.expect(liquid[name].dtype == TYPES[name], f"{path.name}: {name} is {liquid[name].dtype}")
                arrays[name] = liquid[name][:][order]
            for name in ("position", "dye"):
                arrays[name] = numpy.stack([liquid[name][axis][:][order] for axis in AXES], axis=1)
            self.expect(arrays["dye"].dtype == TYPES["dye"], f"{path.name}: dye is {arrays['dye'].dtype}")
            return arrays


def expected_values(x):
    """What each attribute is where a particle starts: (name, values, distance to the nearest border of a region)."""
    to_ball = numpy.linalg.norm(x - [0.25, 0.25, 0.5], axis=1) - 0.2
    phase = numpy.where(to_ball < 0, -3, numpy.where(x[:, 1] < 0.25, 2147483647, 7))
    yield "phase", phase, numpy.minimum(abs(to_ball), abs(x[:, 1] - 0.25))
    yield "heat", numpy.where(x[:, 1] > 0.5, 1.5, 0.0), abs(x[:, 1] - 0.5)
    low = (x[:, 2] < 0.5)[:, None]
    yield "dye", numpy.where(low, numpy.float32([-1.0, 0.25, 1e-30]), numpy.float32([1, 2, 3])), abs(x[:, 2] - 0.5)


def check_start(check, name, first):
    for attribute, values, distance in expected_values(first["position"]):
        sure = distance > 1e-5  # positions are floats: of 1 m, to 1e-7
        check.expect(sure.mean() > 0.99, f"{name}: too many particles on a border")
        check.expect((first[attribute][sure] == values[sure]).all(), f"{name}: {attribute} at the start")
        check.expect(len(numpy.unique(values[sure], axis=0)) >= 2, f"{attribute}: the regions hold nothing")


def check_series(check, name, series, reference):
    check.expect(len(series) == len(reference), f"{name}: {len(series)} snapshots")
    for step, arrays in enumerate(series):
        check.expect(numpy.array_equal(arrays["id"], reference[0]["id"]), f"{name}: ids of snapshot {step}")
        for attribute in TYPES:
            check.expect(numpy.array_equal(arrays[attribute], reference[0][attribute]),
                         f"{name}: {attribute} of snapshot {step} is not what its particles had at the start")
    moved = numpy.abs(series[-1]["position"] - series[0]["position"]).max()
    check.expect(moved > 1e-3, f"{name}: nothing moved")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        check = Check(find_program(sys.argv[1]), folder)
        reference = check.run(check.folder / "whole", 1)
        check_start(check, "1 rank", reference[0])
        check_series(check, "1 rank", reference, reference)
        for ranks in (2, 3, 4, 8) if commands.NIGHTLY else (2, 3):
            output = check.folder / f"ranks_{ranks}"
            check_series(check, f"{ranks} ranks", check.run(output, ranks), reference)
        # cut in the middle, and gone on with another number of ranks
        for before, after in ((1, 3), (4, 2), (2, 8)) if commands.NIGHTLY else ((1, 3), (3, 2)):
            output = check.folder / f"cut_{before}_{after}"
            check.run(output, before, "run.end_time=0.02")
            check_series(check, f"{before} ranks, then {after}", check.run(output, after, "--restart", "auto"), reference)
    print("\n".join(check.failures) if check.failures else "attributes are where they belong")
    return 1 if check.failures else 0


if __name__ == "__main__":
    sys.exit(main())
