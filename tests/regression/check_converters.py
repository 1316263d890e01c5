#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# needs: python:numpy python:h5py
"""Inputs of other solvers become cases that run.

usage: check_converters.py BUILD_DIRECTORY_OR_EXECUTABLE
"""
import contextlib
import io
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import commands
from check_bad_inputs import ROOT, find_program

sys.path.insert(0, str(ROOT / "analysis"))
import convert_particles  # noqa: E402

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
    result = commands.run(program, ["run", case, f"run.max_steps={steps}", "output.interval=0", "--output-dir", output])
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
    for line in ("flip_fraction = 0.95", "gravity = [0.0, 0.0, -9.80665]", "cells = [23, 48, 23]", 'surface = "voxels"',
                 'correction = "off"', 'condition = "sticky"'):
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


def geo_json(*attributes, points=2):
    """A JSON .geo of Houdini's, with what else stands in one."""
    return json.dumps([
        "fileversion", "18.5.596", "hasindex", False, "pointcount", points, "vertexcount", 0,
        "info", {"artist": "a", "bounds": [0, 1, [2]]}, "topology", ["pointref", ["indices", []]],
        "attributes", ["vertexattributes", [[["name", "P"], ["size", 1]]], "pointattributes", list(attributes)],
        "primitives", []])


def attribute(name, *layout, size=3):
    """One numeric attribute."""
    return [["scope", "public", "type", "numeric", "name", name, "options", {}],
            ["size", size, "storage", "fpreal32", "values", ["size", size, "storage", "fpreal32", *layout]]]


TUPLES = attribute("P", "tuples", [[1, 2, 3], [-0.5, 1e-3, 4]])
AT_REST = [[1, 2, 3, 0, 0, 0], [-0.5, 1e-3, 4, 0, 0, 0]]
MOVING = [[1, 2, 3, 4, 5, 6], [-0.5, 1e-3, 4, 7, 8, 9]]
V_PAGE = attribute("v", "packing", [3], "pagesize", 1024, "rawpagedata", [4, 5, 6, 7, 8, 9])
GEO_HEADER = ("PGEOMETRY V5\nNPoints 2 NPrims 0\nNPointGroups 0 NPrimGroups 0\nNPointAttrib {} NVertexAttrib 0 "
              "NPrimAttrib 0 NAttrib 0\n")
# What is converted: its ending, its text, and the rows that come of it.
GOOD_PARTICLES = (
    ("lines of text", ".txt", "# three columns\n\n1 2\t3\r\n-.5; 0.001, +4", AT_REST),
    ("lines with velocities", ".txt", "\ufeff1,2,3,4,5,6\n-0.5,1e-3,4,7,8,9,\n", MOVING),
    ("vertices of a mesh", ".obj", "# mesh\no thing\nv 1 2 3\nvn 0 0 1\nv -0.5 0.001 4 1.0\nf 1 2 1\n", AT_REST),
    ("classic points", ".geo", GEO_HEADER.format(3) + "PointAttrib\nlife 2 float 0 0\nname 1 index 2 a b\n"
     "v 3 vector 0 0 0\n1 2 3 1 (0 1 0 4 5 6)\n-0.5 0.001 4 1 (0 1\t1  7 8 9)\nbeginExtra\nendExtra\n", MOVING),
    ("classic points without attributes", ".geo", GEO_HEADER.format(0) + "1 2 3 1\n-0.5 0.001 4 1\n", AT_REST),
    ("tuples", ".geo", geo_json(TUPLES), AT_REST),
    ("tuples and velocities", ".geo", geo_json(attribute("v", "tuples", [[4, 5, 6], [7, 8, 9]]), TUPLES), MOVING),
    ("arrays", ".geo", geo_json(attribute("P", "arrays", [[1, -0.5], [2, 1e-3], [3, 4]])), AT_REST),
    ("a text attribute v", ".geo", geo_json([["type", "string", "name", "v"], ["strings", ["a"], "indices", []]], TUPLES),
     AT_REST),
    ("no points", ".geo", geo_json(attribute("P", "tuples", []), points=0), []),
    ("pages", ".geo", geo_json(V_PAGE, attribute("P", "pagesize", 1024, "rawpagedata", [1, 2, 3, -0.5, 1e-3, 4])), MOVING),
    ("pages of two points in packs of (x, y) and (z), some constant", ".geo", geo_json(attribute(
        "P", "packing", [2, 1], "pagesize", 2, "constantpageflags", [[False, True, False], [True, False, False]],
        "rawpagedata", [1, 2, 3, 4, 9, 5, 6, 7, 8, 10, 11, 12]), points=5),
     [[*x, 0, 0, 0] for x in ((1, 2, 9), (3, 4, 9), (5, 6, 7), (5, 6, 8), (10, 11, 12))]),
    ("a constant velocity, and flags that say nothing", ".geo", geo_json(
        attribute("v", "packing", [3], "pagesize", 2, "constantpageflags", [[True]], "rawpagedata", [7, 8, 9]),
        attribute("P", "packing", [3], "pagesize", 2, "constantpageflags", [[]], "rawpagedata", [1, 2, 3, -0.5, 1e-3, 4])),
     [row[:3] + [7, 8, 9] for row in AT_REST]),
)


def pages(*layout, points=2):
    return geo_json(attribute("P", *layout), points=points)


# What is refused, and a part of its message.
BAD_PARTICLES = (
    (".txt", "1 2 3\n1 2\n", ":2: 2 numbers"),
    (".txt", "1,5;2,5;3,5\n", ":1: '1,5' has a decimal comma"),
    (".txt", "1 2 3\n1,5 2,5 3,5\n", ":2: '1,5' has a decimal comma"),
    (".txt", "1 2 3\n1 2 nan\n", ":2: 'nan' is no finite number"),
    (".txt", "x y z\n", ":1: 'x' is no finite number"),
    (".obj", "v 1 2\n", ":1: a vertex of 2 numbers"),
    (".xyz", "1 2 3\n", "nothing is known of '.xyz'"),
    (".geo", "PGEOMETRY V4\n", ":1: it starts neither with ["),
    (".geo", "PGEOMETRY V5\nNPoints 3\nNPointAttrib 0\n0 0 0 1\n", "2 points are missing"),
    (".geo", "PGEOMETRY V5\nNPoints -3\nNPointAttrib 0\n", ":2: NPoints is no whole number"),
    (".geo", "PGEOMETRY V5\nNPoints 1\nNPointAttrib 9999\n", "up to 1024"),
    (".geo", "PGEOMETRY V5\nNPointAttrib 0\n", "no NPoints"),
    (".geo", GEO_HEADER.format(1) + "PointAttrib\nv 3 vector\n1 2 3 1 (4 5)\n", "6 entries (a point takes 7)"),
    (".geo", geo_json(attribute("P", "tuples", [[1, 2, 3], [4, 5]])), "a list of 2 numbers, not 3"),
    (".geo", geo_json(TUPLES).replace("-0.5", "NaN"), "no JSON"),
    (".geo", geo_json(TUPLES).replace("-0.5", "1e999"), "not finite"),
    (".geo", geo_json(TUPLES)[:-30], ":1: no JSON"),
    (".geo", "[" * 100000, "no JSON"),
    (".geo", geo_json(attribute("P", "tuples", [[1, 2, "3"], [4, 5, 6]])), "something else among numbers"),
    (".geo", geo_json(attribute("P", "tuples", [[1, 2, [3]], [4, 5, 6]])), "something else among numbers"),
    (".geo", geo_json(attribute("P", "tuples", [7, 8])), "a list of no numbers"),
    (".geo", pages("rawpagedata", [1, 2, 3]), "no pagesize"),
    (".geo", geo_json(TUPLES, TUPLES), "P twice"),
    (".geo", geo_json(), "no attribute P"),
    (".geo", '["attributes", []]', "no pointcount"),
    (".geo", "[1, 2]", "no list of keys and values"),
    (".geo", geo_json(TUPLES, points=3), "2 tuples, not 3"),
    (".geo", geo_json(TUPLES, points=1e300), "pointcount is no whole number"),
    (".geo", geo_json(TUPLES, points=-2), "pointcount is no whole number"),
    (".geo", geo_json(attribute("P", "tuples", [[1, 2]], size=2), points=1), "P of 2 numbers"),
    (".geo", pages("arrays", [[1, 2], [3], [4, 5, 6]]), "a list of 1 numbers, not 2"),
    (".geo", pages("packing", [2, 2], "pagesize", 4, "rawpagedata", [1]), "a packing"),
    (".geo", pages("pagesize", 4, "rawpagedata", [1, 2, 3]), "the pages end at point 0 of 2"),
    (".geo", pages("pagesize", 4, "rawpagedata", [1, 2, 3, 4], points=1), "1 numbers too many"),
    (".geo", pages("pagesize", 4, "constantpageflags", [[True, True]], "rawpagedata", [1, 2, 3]), "of 2 pages"),
    (".geo", pages("pagesize", 4, "constantpageflags", [[True]], "rawpagedata", [1, 2, 3]), "at one place"),
    # few numbers for very many points: refused before memory is taken for them
    (".geo", pages("pagesize", 1, "rawpagedata", [1, 2, 3], points=1 << 40), "the pages end before point"),
    (".geo", pages("packing", [1, 2], "pagesize", 1 << 48, "constantpageflags", [[True], []], "rawpagedata", [1, 2, 3],
                   points=1 << 48), "the pages end at point 0"),
    (".geo", geo_json(attribute("v", "pagesize", 1 << 48, "constantpageflags", [[True]], "rawpagedata", [1, 2, 3]),
                      attribute("P", "tuples", [[1, 2, 3]]), points=1 << 48), "1 tuples, not"),
    (".geo", "\x7fNSJb", "it starts neither with ["),
)


def converted(source, table):
    """Convert within this process, which is quicker. Its exit code and what it said; what it raises is a fault."""
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said):
            convert_particles.convert(source, table)
    except SystemExit as end:
        return end.code, said.getvalue().strip()
    return 0, said.getvalue().strip()


def check_particles(program, folder):
    failed = 0
    table = folder / "table.csv"
    for what, ending, text, rows in GOOD_PARTICLES:
        source = folder / ("good" + ending)
        source.write_text(text)
        code, said = converted(source, table)
        found = [[float(word) for word in line.split(",")] for line in table.read_text().splitlines()[1:]]
        failed += expect(f"{ending}: {what} {said[-200:]}", code == 0 and found == rows)
    for ending, text, part in BAD_PARTICLES:
        source = folder / ("bad" + ending)
        source.write_text(text)
        code, said = converted(source, table)
        failed += expect(f"{ending} is refused: {said[-200:]}", part in said and code == 2)
    failed += expect("a missing file is named", "none.geo: there is no such file" in converted(folder / "none.geo", table)[1])
    (folder / "points.geo").write_text(geo_json(attribute("P", "tuples", [[0.5, 0.5, 0.5]]), points=1))
    case = folder / "points.toml"
    case.write_text("[run]\nend_time = 1.0\n[domain]\ncells = [8, 8, 8]\ncell_size = 0.125\n[[liquid]]\n"
                    'shape = "particles"\nfile = "points.geo"\n')
    result = commands.run(program, ["check", case])
    failed += expect(f"freshet names the converter: {result.stderr.strip()[-300:]}",
                     result.returncode == 2 and "analysis/convert_particles.py" in result.stderr
                     and "points.toml:8" in result.stderr)
    convert("convert_particles.py", folder / "points.geo", folder / "points.csv")
    case.write_text(case.read_text().replace("points.geo", "points.csv"))
    account, _ = run(program, case, folder, 1)
    return failed + expect("a converted file is a liquid", account["particles"] == 1)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program = find_program(sys.argv[1])
    failed = 0
    for check in (check_json, check_xml, check_particles):
        with tempfile.TemporaryDirectory() as folder:
            failed += check(program, Path(folder))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
