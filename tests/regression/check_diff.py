#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# needs: python:numpy python:h5py
# timeout: 300
"""`freshet diff` names the first step, frame, quantity and particle in which two runs differ, and freshet.diff() the sub-step.

usage: check_diff.py BUILD_DIRECTORY_OR_EXECUTABLE
"""
import contextlib
import io
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import h5py
import numpy as np

import commands
from check_bad_inputs import ENVIRONMENT, ROOT, find_program

sys.path.insert(0, str(ROOT / "analysis"))
from freshet.differences import command, particles  # noqa: E402

GAUGE = """
[[gauge]]
name = "wall"
type = "height"
start = [0.02, 0.0]
end = [0.02, 0.8]
"""
KEYS = ["domain.cells=[32,26]", "domain.cell_size=0.03125", "run.end_time=0.08", "run.reproducible=true", "checkpoint.steps=2",
        "output.interval=0.02", 'output.times="exact"', 'output.particles=["velocity","id"]',
        'output.fields=["pressure","velocity","label","rank"]']
CUBE = """
run.end_time = 0.02
domain.cells = [8, 8, 8]
domain.cell_size = 0.125
output.surface.interval = 0.01
output.particles = ["velocity"]
[[liquid]]
shape = "box"
lower = [0.0, 0.0, 0.0]
upper = [0.5, 0.5, 1.0]
"""
PHASES = """
import sys
import freshet

case, n_ranks, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]
words = sys.argv[4:]
ranks = (1, 2) if n_ranks == 2 else None
FLOW = ("position", "velocity", "tag", "labels", "pressure", "velocity_x", "velocity_y", "velocity_old_x", "velocity_old_y")


def between(more, ignore=(), case=case, words=words):
    return freshet.diff(case, case, overrides=(words, words + more), ranks=ranks, ignore=ignore)


# two blocks that meet in the third step, which is then begun again with a smaller dt, unless steps are short
BLOCKS = {"run": {"end_time": 5.0, "max_steps": 3}, "domain": {"dimension": 2, "cells": [40, 30], "cell_size": 0.05},
          "density": {"correction": "implicit"}, "pressure": {"walls": {"condition": "separating"}},
          "fluid": {"gravity": [0.0, 0.0]},
          "liquid": [{"shape": "box", "lower": [0.2, 0.2], "upper": [0.9, 0.9], "velocity": [3.0, 0.0]},
                     {"shape": "box", "lower": [1.1, 0.2], "upper": [1.8, 0.9], "velocity": [-3.0, 0.0]}]}


assert between([]) is None
other = between(["transfer.flip_fraction=0.5"])
assert other.phase == "blend" and other.quantities[0].name == "velocity" and other.quantities[0].where["id"] >= 0, other
other = between(["time.cfl=0.3"], (*FLOW, "dt", "time"), BLOCKS, [])
assert [(q.name, q.first, q.second) for q in other.quantities] == [("sub-step", "forces", "blend")], other
# liquid that flies into new blocks: fields that follow from the particles have no values there until the next step
FLYING = BLOCKS | {"run": {"end_time": 5.0, "max_steps": 14, "reproducible": True}, "domain": {"dimension": 2, "cells": [96, 16], "cell_size": 0.05},
                   "liquid": [{"shape": "box", "lower": [0.1, 0.2], "upper": [0.9, 0.6], "velocity": [3.0, 0.0]}]}
found = between([], case=FLYING, words=[])
assert found is None, f"new blocks: {found}"
try:
    between(["time.cfl=-1"])
    raise SystemExit("a case that is wrong is taken")
except freshet.InputError as error:
    assert "time.cfl" in str(error)
if n_ranks == 2:
    sys.exit()

whole = freshet.Simulation(case, overrides=words, output_dir=folder)
pair = [freshet.Simulation(case, overrides=words)]
for sim in (whole, *pair):
    sim.step(0.01)
    sim.step(0.01)
whole.checkpoint()
pair.append(freshet.Simulation(case, overrides=words, restart=f"{folder}/checkpoints/chk_000002.h5"))
assert pair[1].steps == 2, pair
found = freshet.diff(*pair, steps=1)
assert found is None, f"a run that goes on from a checkpoint: {found}"
v = pair[1].particles.velocity.copy()
v[7, 1] += 1.0
named = int(pair[1].particles.id[7])
pair[1].particles.velocity = v
moved = freshet.diff(*pair)
assert moved.phase == "start" and moved.step == 3 and f"id {named}" in str(moved), moved
assert [(q.name, q.count, q.where["id"], q.where["component"]) for q in moved.quantities] == [("velocity", 1, named, "y")], moved
moved = freshet.diff(*pair, ignore=["velocity"])
assert moved.phase == "deposit" and "velocity_old_y" in [q.name for q in moved.quantities], moved
try:
    freshet.diff(*pair, ranks=(1, 1))
    raise SystemExit("ranks of simulations are taken")
except freshet.InputError as error:
    assert "are for cases" in str(error)
"""


class Checker:
    def __init__(self, program, folder):
        self.program, self.folder, self.problems = program, folder, []
        self.case = folder / "case.toml"
        self.case.write_text((ROOT / "inputs/dam_break_2d.toml").read_text() + GAUGE)

    def expect(self, truth, what):
        if not truth:
            self.problems.append(what)

    def run(self, name, *words, ranks=1, case=None, keys=KEYS):
        commands.run(self.program, ["run", case or self.case, "--output-dir", self.folder / name, *keys, *words],
                     ranks).check_returncode()

    def copy(self, name, of="one"):
        """A copy of a run, to be changed."""
        path = self.folder / name
        shutil.copytree(self.folder / of, path)
        return path

    def diff(self, name, *words, of="one"):
        """(exit code, standard output, standard error) of `freshet diff`, in this process: Python starts slowly."""
        said, error = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(error):
            try:
                code = command.main([str(self.folder / of), str(self.folder / name), *words])
            except SystemExit as end:  # of argparse
                code = end.code
        return code, said.getvalue(), error.getvalue()

    def same(self, name, *words, of="one"):
        code, said, error = self.diff(name, *words, of=of)
        self.expect(code == 0 and "The runs are the same" in said, f"{name} {words}: {code}\n{said}{error}")

    def first(self, name, *words, of="one"):
        """{part: what it found} and the first difference, of a run that differs."""
        code, said, error = self.diff(name, "--json", *words, of=of)
        if code != 1:
            self.expect(False, f"{name} {words}: exit code {code}, not 1\n{said}{error}")
            return {}, {}
        found = json.loads(said)
        self.expect(found["same"] is False, f"{name}: {found}")
        return {part["name"]: part for part in found["parts"]}, found["first"]

    def refused(self, name, *parts):
        code, said, error = self.diff(name)
        self.expect(code == 2 and said == "" and len(error.splitlines()) == 1 and all(part in error for part in parts),
                    f"{name}: {code}\n{said}{error}")


def patch(path, dataset, change):
    """Change the values of a dataset where they stand: the file keeps its length and its seal."""
    with h5py.File(path) as file:
        group = file[next(iter(file["data"])).join(("data/", ""))] if "data" in file else file
        values, offset = group[dataset][()], group[dataset].id.get_offset()
    changed = change(values.copy())
    assert changed.dtype == values.dtype and changed.shape == values.shape
    with open(path, "r+b") as file:
        file.seek(offset)
        file.write(changed.tobytes())
    return values, changed


def next_number(row):
    def change(values):
        values[row] = np.nextafter(values[row], values.dtype.type(np.inf))
        return values
    return change


def ids_of(path):
    with h5py.File(path) as file:
        return file[f"data/{next(iter(file['data']))}/particles/liquid/id"][()]


def shuffled(check, name, number):
    """A copy of a run with the particles of a frame in another order."""
    path = check.copy(name) / f"snapshots/snap_{number:06d}.h5"
    order = np.random.default_rng(1).permutation(len(ids_of(path)))
    for record in ("id", *(f"{vector}/{axis}" for vector in ("position", "velocity") for axis in "xyz")):
        patch(path, f"particles/liquid/{record}", lambda values: values[order])
    return path


def check_runs(check):
    """The same bits on 1 and 2 ranks; another key is told, with the step where it shows first."""
    check.run("one")
    check.run("two", ranks=2)
    check.same("two")
    code, said, _ = check.diff("two")
    check.expect("seconds (wall-clock time)" in said and "settings: the same" in said, f"what is not compared is told: {said}")
    check.run("key", "transfer.flip_fraction=0.9")
    for name, wanted in (("one", 0), ("key", 1), ("case.toml", 2)):
        done = subprocess.run([check.program, "diff", check.folder / "two", check.folder / name], capture_output=True, text=True, env=ENVIRONMENT)
        check.expect(done.returncode == wanted, f"exit code of the program for {name}: {done}")
    parts, first = check.first("key")
    check.expect(first["part"] == "steps.csv" and first["step"] >= 1 and "kinetic_energy" in first["quantities"], f"another key: {first}")
    check.expect(parts["snapshots"]["quantities"] and parts["checkpoints"]["quantities"], f"another key shows everywhere: {parts}")
    code, said, _ = check.diff("key")
    check.expect(code == 1 and "transfer.flip_fraction: " in said and " and 0.9" in said, f"the key is named: {said}")
    check.expect(check.diff("key", "--tolerance", "1")[0] == 0, "everything is within the numbers themselves")


def check_particles(check):
    """One bit of one particle's velocity in frame 2; another order; an id that is missing."""
    path = check.copy("bit") / "snapshots/snap_000002.h5"
    row = 17
    wanted = int(ids_of(path)[row])
    before, after = patch(path, "particles/liquid/velocity/y", next_number(row))
    parts, first = check.first("bit")
    found = parts["snapshots"]["quantities"]
    check.expect(first["part"] == "snapshots" and first["place"] == "frame 2" and len(found) == 1 and found[0]["name"] == "velocity" and
                 found[0]["count"] == 1 and found[0]["where"]["id"] == wanted and found[0]["where"]["component"] == "y" and
                 found[0]["difference"] == abs(float(after[row]) - float(before[row])), f"one bit: {first}, {found}")
    check.expect(not any(part["differs"] for name, part in parts.items() if name != "snapshots"), f"one bit: {parts}")
    code, said, _ = check.diff("bit")
    check.expect(said.splitlines()[-1].startswith("The first difference is in frame 2") and f"particle {wanted}" in said, f"one bit: {said}")
    check.same("bit", "--tolerance", "1e-6")
    check.same("bit", "--ignore", "velocity")
    path = shuffled(check, "order", 1)
    check.same("order")
    check.same("order", "--at-a-time", "50")
    row = 5
    wanted = int(ids_of(path)[row])
    patch(path, "particles/liquid/velocity/x", next_number(row))
    for words in ((), ("--at-a-time", "50")):
        parts, first = check.first("order", *words)
        found = parts["snapshots"]["quantities"]
        check.expect(first["place"] == "frame 1" and [(q["name"], q["count"], q["where"]["id"]) for q in found] ==
                     [("velocity", 1, wanted)], f"in another order {words}: {found}")
    path = check.copy("missing") / "snapshots/snap_000003.h5"
    wanted = int(ids_of(path)[40])
    patch(path, "particles/liquid/id", lambda ids: np.where(ids == wanted, np.uint64(10**12), ids))
    parts, first = check.first("missing")
    check.expect(first["place"] == "frame 3" and parts["snapshots"]["missing"] == [
        f"only the first run has 1 of the particles (id {wanted})", f"only the second run has 1 of the particles (id {10**12})"],
        f"a missing id: {parts['snapshots']}")
    patch(check.copy("twice") / "snapshots/snap_000003.h5", "particles/liquid/id", lambda ids: np.roll(ids, 1) * np.uint64(0) + ids[9])
    check.refused("twice", "is damaged", "of two particles")


def check_other_files(check):
    """A cell of a field, a checkpoint, rows of tables."""
    patch(check.copy("field") / "snapshots/snap_000001.h5", "meshes/pressure", next_number((0, 2, 3)))
    parts, first = check.first("field")
    found = parts["snapshots"]["quantities"]
    check.expect(first["place"] == "frame 1" and len(found) == 1 and found[0]["name"] == "pressure" and found[0]["count"] == 1 and
                 found[0]["where"]["cell"] == [3, 2, 0], f"a field: {found}")
    path = sorted((check.copy("checkpoint") / "checkpoints").glob("chk_*.h5"))[-1]
    with h5py.File(path) as file:
        wanted = int(file["particles/id"][11])
    patch(path, "particles/position", next_number(3 * 11 + 1))
    parts, first = check.first("checkpoint")
    found = parts["checkpoints"]["quantities"]
    check.expect(first["part"] == "checkpoints" and first["step"] == int(path.stem[4:]) and [
        (q["name"], q["count"], q["where"]["id"]) for q in found] == [("position", 1, wanted)], f"a checkpoint: {first}, {found}")
    for name, column, row in (("steps.csv", "volume", 3), ("gauges/wall.csv", "height", 2)):
        path = check.copy(name.replace("/", "_")) / name
        lines = [line.split(",") for line in path.read_text().splitlines()]
        place = [head.split(" [")[0] for head in lines[0]].index(column)
        lines[row][place] = repr(float(np.nextafter(float(lines[row][place]), 10)))
        path.write_text("\n".join(map(",".join, lines)) + "\n")
        parts, first = check.first(name.replace("/", "_"))
        check.expect(first["part"] == name and first["step"] == int(lines[row][0]) and first["quantities"] == [column], f"{name}: {first}")
    path = check.copy("machine") / "steps.csv"
    lines = [line.split(",") for line in path.read_text().splitlines()]
    for row in lines[1:]:
        row[-1], row[-2] = "7.5", "12345"  # seconds, memory
    path.write_text("\n".join(map(",".join, lines)) + "\n")
    check.same("machine")


def check_extents(check):
    """What only one run has counts, unless it is said that it does not."""
    run = check.copy("shorter")
    (run / "snapshots/snap_000004.h5").unlink()
    lines = (run / "steps.csv").read_text().splitlines()
    (run / "steps.csv").write_text("\n".join(lines[:-1]) + "\n")
    parts, first = check.first("shorter")
    check.expect(first is None and parts["snapshots"]["only"] == ["only the first run has frame 4"] and
                 parts["steps.csv"]["only"] == [f"only the first run has 1 row (step {len(lines) - 1})"], f"a shorter run: {parts}")
    check.same("shorter", "--common")
    run = check.copy("fewer")  # as with an interval of 0.04 s
    for number in (1, 3):
        (run / f"snapshots/snap_{number:06d}.h5").unlink()
    for number in (2, 4):
        (run / f"snapshots/snap_{number:06d}.h5").rename(run / f"snapshots/snap_{number // 2:06d}.h5")
    settings = run / "input.resolved.toml"
    settings.write_text(settings.read_text().replace("\ninterval = 0.02\n", "\ninterval = 0.04\n"))
    parts, first = check.first("fewer")
    check.expect(first is None and parts["snapshots"]["only"] == ["only the first run has frame 1, 3"], f"frames of equal times: {parts}")
    check.same("fewer", "--common")


def check_refusals(check):
    """What is no run, or is not whole, is told in one line."""
    (check.folder / "nothing").mkdir()
    check.refused("nothing", "holds no run", "output directories")
    path = check.copy("cut") / "snapshots/snap_000002.h5"
    path.write_bytes(path.read_bytes()[:-700])
    check.refused("cut", "snap_000002.h5", "incomplete")
    path = sorted((check.copy("cut_checkpoint") / "checkpoints").glob("chk_*.h5"))[0]
    path.write_bytes(path.read_bytes()[:-700])
    check.refused("cut_checkpoint", path.name, "incomplete")
    (check.copy("other_table") / "steps.csv").write_text("a,b\n1,2\n")
    check.refused("other_table", "steps.csv", "no column 'step'")
    (check.copy("no_toml") / "input.resolved.toml").write_text("= 3")
    check.refused("no_toml", "input.resolved.toml", "damaged")
    code, _, error = check.diff("two", "--tolerance", "-1")
    check.expect(code == 2 and "--tolerance" in error, f"a negative tolerance: {code} {error}")


def check_cube(check):
    """A run without ids in 3-D: particles are compared as a set; a surface of which one vertex moves."""
    case = check.folder / "cube.toml"
    case.write_text(CUBE)
    check.run("cube", case=case, keys=())
    path = check.copy("cube_order", of="cube") / "snapshots/snap_000000.h5"
    patch(path, "particles/liquid/velocity/x", next_number(3))
    parts, first = check.first("cube_order", of="cube")
    found = parts["snapshots"]
    check.expect(first["part"] == "snapshots" and [(q["name"], q["count"], q["where"]["row"]) for q in found["quantities"]] ==
                 [("velocity", 1, 3)] and any("no ids" in note for note in found["notes"]), f"without ids: {found}")
    for record in (f"{vector}/{axis}" for vector in ("position", "velocity") for axis in "xyz"):
        patch(path, f"particles/liquid/{record}", lambda values: values[::-1])
    parts, first = check.first("cube_order", of="cube")
    check.expect(parts["snapshots"]["missing"] == [f"1 of 1024 particles of the {which} run have no equal one in the other"
                                                   for which in ("first", "second")], f"a set of particles: {parts['snapshots']}")
    patch(path, "particles/liquid/velocity/x", lambda values: np.nextafter(values, np.where(np.arange(len(values)) == len(values) - 4, np.float32(-9), values)))
    check.same("cube_order", of="cube")
    surface = sorted((check.copy("cube_surface", of="cube") / "surfaces").glob("surface_*.ply"))[1]
    data = surface.read_bytes()
    begin = data.index(b"end_header\n") + len(b"end_header\n")
    surface.write_bytes(data[:begin] + np.nextafter(np.frombuffer(data[begin:begin + 4], "<f4"), np.float32(9)).tobytes() + data[begin + 4:])
    parts, first = check.first("cube_surface", of="cube")
    check.expect(first["part"] == "surfaces" and first["place"] == "surface 1", f"a surface: {first}")


class Held:
    """Particles in memory, for particles.compare_particles()."""

    exact = {}
    has_ids = True

    def __init__(self, ids, values):
        self.count, self._records = len(ids), {"id": ids, "value": values, "position": np.stack([values] * 3, axis=-1)}

    def read(self, name, first, last):
        return self._records[name][first:last]

    def place(self, first, last):
        return self.read("position", first, last)


def check_ranges(check):
    """Ids that lie anywhere in 64 bits are matched range by range."""
    random = np.random.default_rng(7)
    ids = np.unique(np.concatenate([random.integers(0, 2**63, 3000, dtype=np.uint64) * np.uint64(2), np.arange(2000, dtype=np.uint64)]))
    values = random.random(len(ids))
    order = random.permutation(len(ids))
    changed = values.copy()
    changed[1234] += 0.5
    particles.PIECE, piece = 700, particles.PIECE
    for at_a_time in (100, 1500, 10**6):
        ranges = particles.id_ranges((Held(ids, values),), at_a_time)
        held = [int(((ids >= np.uint64(low)) & (ids <= np.uint64(high))).sum()) for low, high in ranges]
        check.expect(sum(held) == len(ids) and all(a[1] + 1 == b[0] for a, b in zip(ranges, ranges[1:])), f"ranges {ranges[:3]}")
        found, missing, _ = particles.compare_particles(Held(ids, values), Held(ids[order][1:], changed[order][1:]), ["value"], 0.0, at_a_time)
        alone = int(ids[order][0])
        check.expect(len(found) == 1 and found[0].count == 1 and found[0].where["id"] == ids[1234] and
                     missing == [f"only the first run has 1 of the particles (id {alone})"], f"{at_a_time} at a time: {found}, {missing}")
    particles.PIECE = piece


def check_phases(check, build):
    """freshet.diff() names the sub-step, in one process and with 1 rank beside 2."""
    if not list((build / "python" / "freshet").glob("_freshet*.so")):
        print("skipped: the sub-steps, for the compiled part of the Python package is not built")
        return
    script = check.folder / "phases.py"
    script.write_text(PHASES)
    keys = [key for key in KEYS if key.startswith(("domain", "run"))]
    env = dict(ENVIRONMENT, PYTHONPATH=str(build / "python"), OMP_NUM_THREADS="1", PYTHONDONTWRITEBYTECODE="1")
    for ranks in (1, 2):
        if ranks > 1 and subprocess.run([sys.executable, "-c", "import mpi4py"], capture_output=True).returncode != 0:
            print("skipped: the sub-steps of 1 rank beside 2, for there is no mpi4py")
            continue
        launcher = ["mpirun", "-np", str(ranks)] if ranks > 1 else []
        done = subprocess.run([*launcher, sys.executable, str(script), str(check.case), str(ranks), str(check.folder / "phases"), *keys], capture_output=True, text=True,
                              env=env, timeout=120)
        check.expect(done.returncode == 0, f"sub-steps on {ranks} ranks: {done.stdout[-500:]}{done.stderr[-2000:]}")


def main():
    program = find_program(sys.argv[1])
    with tempfile.TemporaryDirectory() as name:
        check = Checker(program, Path(name))
        check_runs(check)
        check_particles(check)
        check_other_files(check)
        check_extents(check)
        check_refusals(check)
        check_cube(check)
        check_ranges(check)
        check_phases(check, Path(program).parents[1])
    for problem in check.problems:
        print(f"FAILED: {problem}")
    sys.exit(1 if check.problems else 0)


if __name__ == "__main__":
    main()
