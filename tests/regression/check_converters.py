#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Inputs of other solvers become cases that run.

usage: check_converters.py BUILD_DIRECTORY_OR_EXECUTABLE
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from check_bad_inputs import ENVIRONMENT, ROOT, find_program

XML = """<?xml version="1.0" encoding="UTF-8" ?>
<solver>
  <simFrames>3.0</simFrames> <vortexBoost>0.5</vortexBoost> <timeStep>0.006</timeStep>
  <OutputFileName>a"b \\ c</OutputFileName> <viscosity>5.0</viscosity>
</solver>

<liquid>
  <LoadOBJPath>/somewhere/else/ball.obj
</LoadOBJPath>
  <initialVelocity>0.0 -1.0 0.0</initialVelocity> <initialPosition>0.0 4.0 0.0</initialPosition>
  <staticObject>0</staticObject> <visualizationColour>0.0 0.95 0.68</visualizationColour>
</liquid>

<liquid>
  <LoadOBJPath>block.obj</LoadOBJPath>
  <initialVelocity>0.0 0.0 0.0</initialVelocity> <initialPosition>0.0 -10.0 0.0</initialPosition>
  <staticObject>1</staticObject>
</liquid>

<liquid>
  <LoadOBJPath>block.obj</LoadOBJPath>
  <initialVelocity>0.0 0.0 -5.0</initialVelocity> <initialPosition>14.0 -10.0 15.0</initialPosition>
  <staticObject>1</staticObject>
</liquid>
"""
BLOCK = """v -4 -4 -4
v 4 -4 -4
v 4 4 -4
v -4 4 -4
v -4 -4 4
v 4 -4 4
v 4 4 4
v -4 4 4
f 1 4 3 2
f 5 6 7 8
f 1 2 6 5
f 2 3 7 6
f 3 4 8 7
f 4 1 5 8
"""
# The eight particles that the text prints.
PARTICLES = """8
-0.095 -0.03 -0.005 0 0 0
-0.095 -0.03 1.56125e-17 0 0 0
-0.095 -0.03 0.005 0 0 0
-0.095 -0.025 -0.015 0 0 0
-0.095 -0.025 -0.01 0 0 0
-0.095 -0.025 -0.005 0 0 0
-0.095 -0.025 1.56125e-17 0 0 0
-0.095 -0.025 0.005 0 0 0
"""
FLUID = {"dt": 0.00111111, "duration": 5.0, "density": 1000.0, "res": [25, 50, 25], "lc": [-0.125, -0.25, -0.125],
         "dx": 0.01, "flipRatio": 1.0, "particles": "test_particles.in"}


def convert(script, source, target):
    return subprocess.run([sys.executable, str(ROOT / "analysis" / script), str(source), str(target)],
                          capture_output=True, text=True)


def run(program, case, folder, steps):
    """The run's own account, and what it resolved."""
    output = folder / "out"
    result = subprocess.run([program, "run", str(case), f"run.max_steps={steps}", "output.interval=0", "--output-dir",
                             str(output)], env=ENVIRONMENT, capture_output=True, text=True, timeout=300)
    if result.returncode != 0:
        sys.exit(f"{case.name}: exit code {result.returncode}: {result.stderr.strip()[-500:]}")
    return json.loads((output / "run.json").read_text()), (output / "input.resolved.toml").read_text()


def expect(what, holds):
    print(("ok      " if holds else "FAILED  ") + what)
    return 0 if holds else 1


def check_json(program, folder):
    (folder / "test_particles.in").write_text(PARTICLES)
    (folder / "fluid.json").write_text(json.dumps(FLUID))
    case = folder / "fluid.toml"
    result = convert("convert_fluid_json.py", folder / "fluid.json", case)
    failed = expect("fluid.json is converted " + result.stderr, result.returncode == 0)
    account, resolved = run(program, case, folder, 3)
    failed += expect("all 8 particles are there", account["particles"] == 8)
    for line in ("flip_fraction = 0.95", "gravity = [0.0, 0.0, -9.80665]", "cells = [23, 48, 23]"):
        failed += expect(line, line in resolved)
    origin = resolved.split("origin = [")[1].split("]")[0]
    near = all(abs(float(a) - b) < 1e-12 for a, b in zip(origin.split(","), (-0.115, -0.24, -0.115)))
    failed += expect("the origin is one cell further in", near)
    table = case.with_suffix(".csv")
    table.write_text(table.read_text() + "9,0,0,0,0,0\n")
    account, _ = run(program, case, folder / "outside", 1)
    failed += expect("a particle outside the domain is counted", account["dropped_outside"] == 1
                     and account["dropped_in_solid"] == 0 and account["particles"] == 8)
    (folder / "test_particles.in").write_text(PARTICLES + "0 0 nan 0 0 0\n")
    result = convert("convert_fluid_json.py", folder / "fluid.json", case)
    failed += expect("a particle that is no number is named", ":10:" in result.stderr and result.returncode == 2)
    for what, text, part in (
            ("bad JSON", '{"dt": 0.1,\n "res": [}', "fluid.json:2: no JSON"),
            ("a list", "[1, 2]", "no keys and values"),
            ("a number of another type", json.dumps({**FLUID, "dt": "soon"}), "dt is no number (soon)"),
            ("no number", json.dumps({**FLUID, "dx": float("nan")}), "dx is no number (nan)"),
            ("two cells", json.dumps({**FLUID, "res": [25, 50]}), "not three numbers"),
            ("a missing key", json.dumps({"dx": 0.1}), "no key")):
        (folder / "fluid.json").write_text(text)
        result = convert("convert_fluid_json.py", folder / "fluid.json", case)
        failed += expect(f"{what} is refused: {result.stderr.strip()[-200:]}",
                         part in result.stderr and "Traceback" not in result.stderr and result.returncode == 2)
    return failed


def check_xml(program, folder):
    (folder / "settings.xml").write_text(XML)
    vertices = [(0.5 * i, 0.5 * j, 0.5 * k) for i in range(-3, 4) for j in range(-3, 4) for k in range(-3, 4)]
    (folder / "ball.obj").write_text("".join(f"v {x} {y} {z}\n" for x, y, z in vertices) + "f 1 2 3\n")
    (folder / "block.obj").write_text(BLOCK)
    case = folder / "settings.toml"
    result = convert("convert_settings_xml.py", folder / "settings.xml", case)
    failed = expect("settings.xml is converted " + result.stderr, result.returncode == 0)
    account, resolved = run(program, case, folder, 3)
    failed += expect("every vertex is a particle", account["particles"] == len(vertices))
    for line in ("flip_fraction = 0.95", "scale = 0.025", "translate = [0.5, 0.6, 0.5]", "color = [0.0, 0.95, 0.68]",
                 "boost = 0.5", 'method = "weights"', "translate = [0.5, 0.25, 0.5]"):
        failed += expect(line, line in resolved)
    solids = case.read_text().split("[[solid]]")[1:]
    failed += expect("one solid rests, one moves",
                     "velocity" not in solids[0] and "velocity = [0.0, 0.0, -5.0]" in solids[1])
    failed += expect("the solver knows its velocity", "velocity = [0.0, 0.0, -5.0]" in resolved)
    failed += expect("the title keeps its quotes", 'title = "a\\"b \\\\ c"' in case.read_text())
    (folder / "ball.obj").unlink()
    result = convert("convert_settings_xml.py", folder / "settings.xml", case)
    return failed + expect("a missing .obj is named", "ball.obj" in result.stderr and result.returncode == 2)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program = find_program(sys.argv[1])
    failed = 0
    for check in (check_json, check_xml):
        with tempfile.TemporaryDirectory() as folder:
            failed += check(program, Path(folder))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
