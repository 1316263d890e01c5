#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# needs: python:numpy python:h5py
# timeout: 300
"""analysis/houdini/ drives freshet from a stand-in for Houdini: scene, meshes, case, run, progress, frames, messages.

usage: check_houdini.py BUILD_DIRECTORY_OR_EXECUTABLE
"""
import os
import shutil
import sys
import tempfile
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from check_bad_inputs import ROOT, WITHOUT_DAEMON, find_program
from numpy2 import Numpy2

sys.path[:0] = [str(ROOT / "tests/support/houdini"), str(ROOT / "analysis/houdini"), str(ROOT / "analysis")]
import freshet_houdini as fh  # noqa: E402
import hou  # noqa: E402
import freshet.analysis as fa  # noqa: E402

CUBE = [[0, 2, 6, 4], [1, 5, 7, 3], [0, 4, 5, 1], [2, 3, 7, 6], [0, 1, 3, 2], [4, 6, 7, 5]]  # outwards; corner 4 x + 2 y + z
FRAMES = (11, 15)


def box(name, low, high, transform=None):
    """A geometry object of the scene that shows a box."""
    node = hou.node("/obj").createNode("geo", name)
    shown = node.createNode("box", "box")
    shown._geometry = hou.Geometry()
    shown._geometry._points = np.array([[(low, high)[i][0], (low, high)[j][1], (low, high)[k][2]]
                                        for i in (0, 1) for j in (0, 1) for k in (0, 1)], dtype=float)
    shown._geometry._polygons = [polygon[::-1] for polygon in CUBE]
    shown.setDisplayFlag(True)
    node._transform = transform
    return node


def turn(degrees, pivot=(0, 0, 0), axis=1):
    """A rotation of row vectors about a point, 4 x 4: counter-clockwise as seen from the end of the axis."""
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    columns = np.eye(3)
    a, b = (axis + 1) % 3, (axis + 2) % 3
    columns[a, a], columns[a, b], columns[b, a], columns[b, b] = c, -s, s, c
    matrix = np.eye(4)
    matrix[:3, :3] = columns.T
    matrix[3, :3] = np.asarray(pivot) - np.asarray(pivot) @ columns.T
    return matrix


def shift(x, y, z):
    matrix = np.eye(4)
    matrix[3, :3] = x, y, z
    return matrix


class Checker:
    def __init__(self):
        self.problems = []

    def expect(self, truth, what):
        if not truth:
            self.problems.append(what)

    def refuses(self, part, function, *values):
        try:
            function(*values)
        except fh.FreshetError as error:
            self.expect(part in str(error), f"'{part}' is not in: {error}")
        else:
            self.problems.append(f"not refused: {part}")


def check_motion(check):
    """Turns by any angle, more than a whole turn, half turns, about any axis."""
    times = [0.0, 0.1, 0.2, 0.3]
    for axis in range(3):
        for degrees in (30.0, -75.0, 170.0, -170.0):
            node = box(f"turning_{axis}_{degrees:g}".replace("-", "m").replace(".", "_"), (0, 0, 0), (1, 1, 1),
                       lambda t: turn(20, (0, 0, 0), 2) @ shift(1, 2, 3) @ turn(degrees * t / 0.1, (1.5, 2.5, 3.5), axis))
            rows = fh.motion(node, list(map(Numpy2, times)), list(map(Numpy2, (1.5, 2.5, 3.5))))
            check.expect("np." not in ",".join(map(repr, rows[1])), f"plain numbers: {rows[1]}")
            rows = np.array(rows)
            wanted = np.zeros((4, 3))
            wanted[:, axis] = degrees * np.arange(4)
            check.expect(np.allclose(rows[:, 4:], wanted, atol=1e-5) and np.allclose(rows[:, 1:4], 0, atol=1e-9),
                         f"turn by {degrees} about {axis}: {rows}")
    half = fh.rotation_vector(turn(180, axis=1)[:3, :3].tolist(), (0, 0, 0))
    check.expect(np.allclose(np.abs(half), [0, 180, 0]), f"half a turn: {half}")
    check.expect(fh.motion(box("still", (0, 0, 0), (1, 1, 1), lambda t: shift(1, 0, 0)), times, [0, 0, 0]) == [], "it stands still")
    check.refuses("changes its size", fh.motion, box("growing", (0, 0, 0), (1, 1, 1), lambda t: np.diag([1 + t, 1, 1, 1])), times, [0, 0, 0])


def check_frame_of_geometry(check):
    """Geometry that moves inside its object is that of the frame asked for; a solid's must not move there."""
    node = box("inner", (0, 0, 0), (1, 1, 1), lambda t: shift(0, 0, 1))
    still = node.displayNode()._geometry

    def moved(frame):
        copy = hou.Geometry()
        copy.merge(still)
        copy._points = copy._points + [0.1 * (frame - 1), 0, 0]
        return copy

    node.displayNode()._geometry = moved
    hou._frame = 99
    for frame in (1, 6):
        points = fh.world_geometry(node, hou.frameToTime(frame))._points
        check.expect(np.allclose(points.min(axis=0), [0.1 * (frame - 1), 0, 1]), f"at frame {frame}: {points.min(axis=0)}")
    times = [hou.frameToTime(frame) for frame in (1, 2, 3)]
    check.refuses("moves or changes at frame 2", fh.check_shape, node, times)
    node.displayNode()._geometry = lambda frame: still
    fh.check_shape(node, times)
    hou._frame = 1


def check_turns(check):
    """Angles of objects make the matrix of a vector, follow each other without jumps, and do so through ry = 90 degrees, too."""
    for direction in ((1, 2, -3), (0, 1, 0), (0, -1, 0), (3, 0.1, 1), (0, 1, 1e-8)):
        unit, near = np.array(direction) / np.linalg.norm(direction), (0.0, 0.0, 0.0)
        for degrees in range(0, 181, 10):
            matrix = np.array(fh.rotation((degrees * unit).tolist()))
            angles = fh.euler(matrix.tolist(), near)
            made = turn(angles[0], axis=0) @ turn(angles[1], axis=1) @ turn(angles[2], axis=2)
            check.expect(np.allclose(made[:3, :3].T, matrix, atol=2e-6), f"{degrees} about {direction}: {angles}")
            check.expect(np.abs(np.subtract(angles, near)).max() < 60.0, f"a jump at {degrees} about {direction}: {near} {angles}")
            near = angles
    quarter = turn(90, axis=2)[:3, :3].T
    check.expect(np.allclose(fh.rotation([0, 0, 90]), quarter), "a quarter turn about z")


def scene(program, folder):
    """Water that falls, placed by its object, onto a paddle that turns and a rock that stands."""
    hou._variables["HIP"] = str(folder)
    start = (FRAMES[0] - 1) / hou.fps()
    water = box("water", (0, 0, 0), (0.8, 0.3, 0.8), lambda t: shift(-0.4, 0.5, -0.4))
    paddle = box("paddle", (-0.4, 0.1, -0.05), (0.4, 0.3, 0.05), lambda t: turn(15 * (t - start) * hou.fps(), (0, 0, 0)))
    rock = box("rock", (0.5, 0.0, 0.5), (0.8, 0.2, 0.8))
    raft = box("raft", (0.0, 0.6, 0.0), (0.3, 0.8, 0.2), lambda t: shift(-0.8, -0.5, -0.9))
    box("lamp", (0, 0, 0), (1, 1, 1))  # no part of the simulation
    hou._selected[:] = [water]
    fh.shelf("liquid")
    hou._selected[:] = [paddle, raft, rock]
    fh.shelf("solid")
    hou._selected[:] = []
    fh.shelf("solver")
    solver = hou.node("/obj/freshet")
    for name, value in (("first_frame", FRAMES[0]), ("last_frame", FRAMES[1]), ("cell_size", 0.1), ("program", program),
                        ("result", "both"), ("ranks", 2), ("extra", 'run.seed = 7\nlabels.surface = "voxels"')):
        solver.parm(fh.PREFIX + name).set(value)
    solver.parmTuple(fh.PREFIX + "upper").set((1.0, 1.45, 1.0))
    water.parmTuple(fh.PREFIX + "velocity").set((0.0, -1.0, 0.0))
    for name, value in (("floats", 1), ("body_density", 300.0), ("body_fixed", "z ry"), ("body_keys", "friction = 0.1\n\nmoment = [0.0, 0.0, 8.0]\n")):
        raft.parm(fh.PREFIX + name).set(value)
    raft.parmTuple(fh.PREFIX + "velocity").set((1.0, 0.5, 0.0))
    return solver, water


def check_case(check, solver, folder):
    path = fh.write(solver)
    case = tomllib.loads(Path(path).read_text())
    check.expect(Path(path) == folder / "freshet/case.toml", f"the case is beside the scene: {path}")
    check.expect(case["domain"]["cells"] == [20, 15, 20] and case["domain"]["origin"] == [-1, 0, -1], f"whole cells: {case['domain']}")
    check.expect(abs(case["run"]["end_time"] - 4 / 24) < 1e-12 and case["run"]["seed"] == 7, f"time, and keys of one's own: {case['run']}")
    check.expect([s["file"] for s in case["solid"]] == ["paddle.obj", "raft.obj", "rock.obj"] and len(case["liquid"]) == 1, "who is in the scene")
    rows = np.loadtxt(folder / "freshet" / case["solid"][0]["motion_file"], delimiter=",", skiprows=1)
    check.expect(np.allclose(rows[:, 5], 15 * np.arange(5)) and "motion_file" not in case["solid"][2], f"motion: {rows}")
    check.expect(case["solid"][1]["body"] == {"density": 300.0, "velocity": [1.0, 0.5, 0.0], "fixed": ["z", "ry"], "friction": 0.1,
                                              "moment": [0.0, 0.0, 8.0]}, f"the raft floats: {case['solid'][1]}")
    check.expect("body" not in case["solid"][0] and "body" not in case["solid"][2], "the others do not")
    raft = hou.node("/obj/raft")
    still, raft._transform = raft._transform, lambda t: shift(t, 0, 0)
    check.refuses("floats and is animated", fh.collect, solver)
    raft._transform = still
    points = hou._read(str(folder / "freshet/water.obj"))._points
    check.expect(np.allclose(points.min(axis=0), [-0.4, 0.5, -0.4]) and np.allclose(points.max(axis=0), [0.4, 0.8, 0.4]), "world space")


def check_frames(check, solver, folder):
    """Simulate, and look at the frames that the scene shows."""
    result = fh.simulate(solver)
    run = fa.open(folder / "freshet/run")
    check.expect(run.status == "done" and len(run.snapshots) == 5 and run.info["ranks"] == 2, f"the run: {run.status}")
    progress = hou.InterruptableOperation._progress
    check.expect(progress and progress == sorted(progress), f"progress: {progress}")
    check.expect(result.path() == "/obj/freshet_result" and [n.name() for n in result.children()] == ["particles", "surface", "both"], "nodes")
    for frame in range(FRAMES[0] - 2, FRAMES[1] + 2):
        hou._frame = frame
        shown = result.node("particles").geometry()
        number = max(0, frame - FRAMES[0])
        if number >= 5:
            check.expect(shown.pointCount() == 0, f"frame {frame} is empty")
            continue
        snapshot = run.snapshots[number]
        x = np.reshape(shown.pointFloatAttribValues("P"), (-1, 3))
        v = np.reshape(shown.pointFloatAttribValues("v"), (-1, 3))
        check.expect(np.allclose(x, snapshot.position(), atol=1e-6) and np.allclose(v, snapshot.record("velocity"), atol=1e-6),
                     f"frame {frame} shows snapshot {number}")
        surface = result.node("surface").geometry()
        check.expect(surface.pointCount() > 100 and (np.abs(surface._points.mean(axis=0) - x.mean(axis=0)) < 0.15).all(), f"surface of frame {frame}")
        check.expect(result.node("both").geometry().pointCount() == shown.pointCount() + surface.pointCount(), "both together")
    water = run.snapshots[0].position()
    check.expect((water.min(axis=0) > [-0.41, 0.49, -0.41]).all() and (water.max(axis=0) < [0.41, 0.81, 0.41]).all(), "the water is where it was")
    poses = run.snapshots[-1].solid_poses
    check.expect(np.allclose(poses[0][:, :3], turn(60)[:3, :3].T, atol=1e-6), f"the paddle has turned: {poses}")
    check_raft(check, run, folder)
    nodes = [node.path() for node in hou.node("/obj").children()]
    fh.load(solver)
    check.expect(nodes == [node.path() for node in hou.node("/obj").children()], "loading again makes no more nodes")
    check.expect(result.node("particles").parm("reload").eval() > 0, "loading again reads the files again")
    solver.parm("freshet_format").set("geo")  # the classic text format
    solver.parm("freshet_result").set("particles")
    os.system(" ".join(fh.commands(solver, "")[1]) + " > /dev/null")
    fh.load(solver)
    hou._frame = FRAMES[0] + 2
    x = np.reshape(result.node("particles").geometry().pointFloatAttribValues("P"), (-1, 3))
    check.expect(np.allclose(x, run.snapshots[2].position(), atol=1e-5), "frames in .geo")


def check_raft(check, run, folder):
    """The object of a solid that floats shows its mesh with the poses of the snapshots."""
    raft = hou.node("/obj/freshet_raft")
    start = hou._read(str(folder / "freshet/raft.obj"))._points
    for number, snapshot in enumerate(run.snapshots):
        pose = snapshot.solid_poses[1]
        shown = fh.world_geometry(raft, hou.frameToTime(FRAMES[0] + number))._points
        check.expect(np.allclose(shown, start @ pose[:, :3].T + pose[:, 3], atol=1e-7), f"the raft of snapshot {number}: {shown}, {pose}")
    check.expect(np.abs(shown - start).max() > 0.1 and abs(pose[1, 0]) > 0.01, f"the raft has moved and turned: {pose}")


def check_failures(check, solver, water, folder):
    """Messages for the artist, Escape, a queue."""
    solver.parm("freshet_ranks").set(1)
    solver.parm("freshet_last_frame").set(3000)
    hou.InterruptableOperation._escape_after = 0.0
    fh.simulate(solver)
    hou._frame = FRAMES[0]
    check.expect(hou.node("/obj/freshet_result/particles").geometry().pointCount() > 0, "what there is after Escape is shown")
    shutil.rmtree(folder / "freshet/run")
    hou.InterruptableOperation._escape_after = -1.0
    check.refuses("before the run had begun", fh.simulate, solver)
    hou.InterruptableOperation._escape_after = 0.0
    fh.simulate(solver)
    hou.InterruptableOperation._escape_after = None
    check.expect(fa.open(folder / "freshet/run").status == "stopped early", f"Escape stops the run: {fa.open(folder / 'freshet/run').status}")
    solver.parm("freshet_last_frame").set(FRAMES[1])
    solver.parm("freshet_extra").set("run.sead = 7")
    check.refuses("sead", fh.simulate, solver)
    solver.parm("freshet_extra").set("")
    tools = folder / "bin"
    tools.mkdir()
    for name, text in (("sbatch", 'echo "$@" > %s/options; (bash "${@: -1}" > %s/queue.log 2>&1 &); echo Submitted batch job 17'), ("srun", 'while [[ $1 == -* ]]; do shift; done; exec "$@"')):
        (tools / name).write_text("#!/bin/bash\n" + (text % (folder, folder) if "%" in text else text) + "\n")
        (tools / name).chmod(0o755)
    path = os.environ["PATH"]
    os.environ["PATH"] = f"{tools}:{path}"
    solver.parm("freshet_queue").set("sbatch")
    solver.parm("freshet_sbatch_options").set("--partition=main --time=0:10:00")
    fh.simulate(solver)
    options = (folder / "options").read_text()
    check.expect("--ntasks=1 " in options and "--partition=main --time=0:10:00 " in options, f"sbatch: {options}")
    check.expect(fa.open(folder / "freshet/run").status == "done", "a run in a queue")
    (tools / "sbatch").write_text("#!/bin/bash\necho Submitted batch job 18\n")  # which never begins
    (tools / "squeue").write_text("#!/bin/bash\n[ -e %s/cancelled ] || echo 18 main freshet\n" % folder)
    (tools / "scancel").write_text("#!/bin/bash\n[ $1 = 18 ] && touch %s/cancelled\n" % folder)
    for name in ("squeue", "scancel"):
        (tools / name).chmod(0o755)
    fh.QUEUE_POLL = 0.05
    hou.InterruptableOperation._escape_after = -1.0
    check.refuses("before the run had begun", fh.simulate, solver)
    hou.InterruptableOperation._escape_after = None
    check.expect((folder / "cancelled").exists(), "Escape cancels a job that waits")
    check.refuses("before the run had begun", fh.simulate, solver)  # the queue does not know it from the start
    (tools / "sbatch").write_text("#!/bin/bash\necho no such partition; exit 1\n")
    check.refuses("no such partition", fh.simulate, solver)
    os.environ["PATH"] = path
    solver.parm("freshet_queue").set("elsewhere")
    check.refuses("elsewhere", fh.simulate, solver)
    solver.parm("freshet_cell_size").set(0.0)
    check.refuses("no cells", fh.collect, solver)
    solver.parm("freshet_cell_size").set(0.1)
    water.parm("freshet_role").set("solid")
    check.refuses("no object is marked as liquid", fh.collect, solver)
    hou._selected[:] = []
    fh.shelf("solid")
    check.expect("select the geometry" in hou.ui._messages[-1], f"the shelf speaks to the artist: {hou.ui._messages}")
    fh.shelf("simulate")
    check.expect("marked as liquid" in hou.ui._messages[-1], f"the shelf speaks to the artist: {hou.ui._messages}")


def main():
    program = find_program(sys.argv[1])
    os.environ.update(WITHOUT_DAEMON)
    check = Checker()
    shelf = ElementTree.parse(ROOT / "analysis/houdini/freshet.shelf").getroot()
    tools = [tool.get("name") for tool in shelf.findall("tool")]
    check.expect(tools == [tool.get("name") for tool in shelf.find("toolshelf")] and len(tools) == 5, "the shelf names its tools")
    for tool in shelf.findall("tool"):
        compile(tool.find("script").text, tool.get("name"), "exec")
    of_mpi = [line for line in (ROOT / "jobs/mpi.sh").read_text().splitlines() if line.startswith("export ")]
    check.expect(fh.ON_ONE_MACHINE == of_mpi, "mpirun gets the settings of jobs/mpi.sh")
    check_motion(check)
    check_frame_of_geometry(check)
    check_turns(check)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        solver, water = scene(program, folder)
        check_case(check, solver, folder)
        check_frames(check, solver, folder)
        check_failures(check, solver, water, folder)
    for problem in check.problems:
        print(f"FAILED: {problem}")
    sys.exit(1 if check.problems else 0)


if __name__ == "__main__":
    main()
