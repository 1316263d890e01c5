# SPDX-License-Identifier: Apache-2.0
"""freshet from inside Houdini 19 and later: liquids and solids of a node network become a case, the run comes back as frames.

    import freshet_houdini as fh

    solver = fh.create_solver()                       # a null with the simulation's parameters
    fh.mark(hou.node("/obj/water"), "liquid")         # geometry objects get parameters of their own
    fh.mark(hou.node("/obj/rock"), "solid")
    fh.simulate(solver)                               # writes meshes and the case, runs, loads the frames

The geometry of an object is that of its display node, in world space, at the first frame. A solid that moves from frame to
frame moves in the run; turning and shifting are taken over, not scaling. Lengths are metres, and y is up, unless the solver's
gravity says otherwise. A solid that floats is moved by the liquid: its mesh comes back as an object with a key for each frame.
This module needs Python 3.7 and nothing but `hou`.
"""
import json
import math
import os
import re
import shlex
import shutil
import signal
import subprocess
import time

import hou

LIQUID, SOLID = "liquid", "solid"
POLL = 0.1                     # seconds between looks at a run
QUEUE_POLL = 10.0              # seconds between looks at the queue
DONE, EARLY = 0, 75            # exit codes of freshet
LOST = -1                      # a job that left the queue without an exit code
SMALLEST_MOTION = 1e-7         # of a matrix' entries; anything less is standing still
RIGID = 1e-3                   # how far a motion may be from rigid

# What mpirun needs on one machine of Open MPI 4 and 5: the lines of jobs/mpi.sh.
ON_ONE_MACHINE = [
    'export OMPI_ALLOW_RUN_AS_ROOT="${OMPI_ALLOW_RUN_AS_ROOT-1}"',
    'export OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="${OMPI_ALLOW_RUN_AS_ROOT_CONFIRM-1}"',
    'export OMPI_MCA_rmaps_base_oversubscribe="${OMPI_MCA_rmaps_base_oversubscribe-1}"',
    'export PRTE_MCA_rmaps_default_mapping_policy="${PRTE_MCA_rmaps_default_mapping_policy-:oversubscribe}"',
    'export OMPI_MCA_hwloc_base_binding_policy="${OMPI_MCA_hwloc_base_binding_policy-none}"',
    'export PRTE_MCA_hwloc_default_binding_policy="${PRTE_MCA_hwloc_default_binding_policy-none}"',
    'export OMPI_MCA_reachable="${OMPI_MCA_reachable-weighted}"',
]

# {name: (label, default, help)}; the default's type is the parameter's
SOLVER = {
    "lower": ("Domain Low", (-1.0, 0.0, -1.0), "low corner of the domain [m]"),
    "upper": ("Domain High", (1.0, 2.0, 1.0), "high corner of the domain [m]; moved out to whole cells"),
    "cell_size": ("Cell Size", 0.05, "edge of a cell [m]"),
    "first_frame": ("First Frame", 1, "frame of the scene at which the run begins"),
    "last_frame": ("Last Frame", 48, "frame at which it ends"),
    "gravity": ("Gravity", (0.0, -9.81, 0.0), "[m/s^2]"),
    "density": ("Density", 1000.0, "of the liquid [kg/m^3]"),
    "vortex_boost": ("Vortex Boost", 0.0, "artificial vortices, [vortex] boost"),
    "separating_walls": ("Separating Walls", True, "whether liquid may leave walls and solids"),
    "result": ("Result", "particles", "particles, surface, or both"),
    "format": ("Particle Format", "bgeo", "bgeo or geo"),
    "extra": ("More Keys", "", "TOML that is put before the tables of the case, such as time.cfl = 2"),
    "folder": ("Folder", "$HIP/freshet", "where meshes, the case and the run are written"),
    "program": ("Program", "freshet", "freshet, or its path"),
    "ranks": ("MPI Ranks", 1, "1: without mpirun"),
    "queue": ("Where", "local", "local: on this machine; sbatch: on a cluster that sees the folder"),
    "sbatch_options": ("sbatch Options", "", "such as --partition=main --time=2:00:00"),
}
OBJECT = {
    "role": ("freshet Role", LIQUID, "liquid or solid"),
    "velocity": ("Velocity", (0.0, 0.0, 0.0), "of a liquid, or of a solid that floats, at the start [m/s]"),
    "viscosity_coefficient": ("Viscosity Coefficient", 0.0, "share of PIC of a liquid, 0 to 1: how syrupy it is"),
    "color": ("Colour", (0.2, 0.4, 0.8), "of the liquid's particles"),
    "floats": ("Floats", False, "whether the liquid moves this solid"),
    "body_density": ("Body Density", 500.0, "of a solid that floats [kg/m^3]"),
    "body_fixed": ("Body Holds", "", "axes along and about which a solid that floats is held, such as x z ry"),
    "body_keys": ("More Body Keys", "", "TOML of body.* of a solid that floats, such as friction = 0.4, a line each"),
}
PREFIX = "freshet_"
BODIES = "bodies.json"         # {number of a solid that floats: file of its mesh}, beside the case


class FreshetError(Exception):
    """What is wrong with the scene or the run, for the artist."""


# -------------------------------------------------------------------------------------------------------- parameters
def _template(name, label, default, text):
    """A parameter's template; the type follows from the default."""
    name = PREFIX + name
    if isinstance(default, bool):
        return hou.ToggleParmTemplate(name, label, default_value=default, help=text)
    if isinstance(default, str):
        return hou.StringParmTemplate(name, label, 1, default_value=(default,), help=text)
    values = default if isinstance(default, tuple) else (default,)
    kind = hou.IntParmTemplate if isinstance(values[0], int) else hou.FloatParmTemplate
    return kind(name, label, len(values), default_value=values, help=text)


def _add_parameters(node, table):
    group = node.parmTemplateGroup()
    for name, (label, default, text) in table.items():
        if group.find(PREFIX + name) is None:
            group.append(_template(name, label, default, text))
    node.setParmTemplateGroup(group)


def value(node, name, time=None):
    """A parameter of freshet's: a number, a text, or a list."""
    entry = node.parmTuple(PREFIX + name)
    if entry is None:
        raise FreshetError("%s has no parameter %s: mark it anew" % (node.path(), PREFIX + name))
    found = list(entry.eval() if time is None else entry.evalAtTime(time))
    return found if len(found) > 1 else found[0]


def create_solver(parent="/obj", name="freshet"):
    """A null object with the parameters of a simulation. Returns it."""
    node = hou.node(parent).createNode("null", name)
    _add_parameters(node, SOLVER)
    return node


def mark(node, role):
    """Make a geometry object a liquid or a solid of the simulation."""
    if role not in (LIQUID, SOLID):
        raise FreshetError("%s: the role %r is neither liquid nor solid" % (node.path(), role))
    _add_parameters(node, OBJECT)
    node.parm(PREFIX + "role").set(role)


def marked(parent="/obj"):
    """The liquids and solids below a node, by their paths."""
    found = [node for node in hou.node(parent).children() if node.parm(PREFIX + "role") is not None]
    return sorted(found, key=lambda node: node.path())


# ------------------------------------------------------------------------------------------------------- the scene
def world_geometry(node, at):
    """A copy of what an object shows, in world space, at a time [s]."""
    shown = node.displayNode()
    geometry = shown.geometryAtFrame(hou.timeToFrame(at)) if shown is not None else None
    if geometry is None:
        raise FreshetError("%s shows no geometry" % node.path())
    copy = hou.Geometry()
    copy.merge(geometry)
    copy.transform(node.worldTransformAtTime(at))
    return copy


def check_shape(node, times):
    """Errors: FreshetError if the points of a solid move within its object: freshet follows the motion of the object."""
    shown = node.displayNode()
    if shown is None or not shown.isTimeDependent():
        return
    first = shown.geometryAtFrame(hou.timeToFrame(times[0])).pointFloatAttribValues("P")
    for at in times[1:]:
        points = shown.geometryAtFrame(hou.timeToFrame(at)).pointFloatAttribValues("P")
        if len(points) != len(first) or any(abs(a - b) > SMALLEST_MOTION for a, b in zip(points, first)):
            raise FreshetError("%s: the geometry inside this solid moves or changes at frame %g. Animate the object itself: "
                               "freshet moves rigid solids as their objects move" % (node.path(), hou.timeToFrame(at)))


def motion(node, times, pivot):
    """Rows [seconds since the start, x, y, z, rx, ry, rz] of an object's motion, as freshet's motion_file; [] if it stands.

    x, y, z is the shift of the pivot, a point as it stands at the first of the times. The last three numbers are the turn's axis
    times its angle in degrees.
    """
    start = node.worldTransformAtTime(times[0]).inverted()
    rows, moves = [], False
    before = (0.0, 0.0, 0.0)
    for at in times:
        matrix = (start * node.worldTransformAtTime(at)).asTupleOfTuples()
        moves = moves or any(abs(matrix[i][j] - (i == j)) > SMALLEST_MOTION for i in range(4) for j in range(4))
        before = rotation_vector([row[:3] for row in matrix[:3]], before, node.path())
        shift = [sum(pivot[i] * matrix[i][j] for i in range(3)) + matrix[3][j] - pivot[j] for j in range(3)]  # p R + t - p
        rows.append([float(number) for number in (at - times[0], *shift, *before)])  # numpy 2 writes its own as np.float64(0.0)
    return rows if moves else []


def rotation_vector(rows, near, path=""):
    """Axis times angle [degrees] of a rotation of row vectors; of the angles that differ by whole turns the one next to `near`."""
    for i in range(3):
        for j in range(3):
            if abs(sum(rows[i][k] * rows[j][k] for k in range(3)) - (i == j)) > RIGID:
                raise FreshetError("%s changes its size or shape while it moves: freshet moves rigid solids only" % path)
    # of row vectors: p' = p R; the matrix of columns is the transposed one
    axis = (rows[1][2] - rows[2][1], rows[2][0] - rows[0][2], rows[0][1] - rows[1][0])
    sine = math.sqrt(sum(a * a for a in axis)) / 2
    cosine = (rows[0][0] + rows[1][1] + rows[2][2] - 1) / 2
    angle = math.degrees(math.atan2(sine, cosine))
    if sine > 1e-9:
        axis = [a / (2 * sine) for a in axis]
    elif cosine > 0:
        axis = [0.0, 0.0, 0.0]
    else:  # half a turn: R + 1 is twice the axis times itself
        d = max(range(3), key=lambda i: rows[i][i])
        axis = [(rows[d][i] + (i == d)) / math.sqrt(2 * (rows[d][d] + 1)) for i in range(3)]
    size = math.sqrt(sum(n * n for n in near))
    if sum(a * n for a, n in zip(axis, near)) < 0:
        axis, angle = [-a for a in axis], -angle
    if axis == [0.0, 0.0, 0.0] and size > 0:
        axis, angle = [n / size for n in near], 0.0
    return tuple(a * (angle + 360.0 * round((size - angle) / 360.0)) for a in axis)


def collect(solver):
    """The scene of a solver node: a dict of the case's tables, {file: geometry} of meshes, {file: rows} of motions.

    Errors: FreshetError without liquid, or for parameters that make no domain
    """
    fps, first, last = hou.fps(), value(solver, "first_frame"), value(solver, "last_frame")
    if last <= first:
        raise FreshetError("the last frame, %d, does not come after the first, %d" % (last, first))
    times = [hou.frameToTime(frame) for frame in range(first, last + 1)]
    lower, upper, cell = value(solver, "lower"), value(solver, "upper"), value(solver, "cell_size")
    if cell <= 0 or any(h - l < cell for l, h in zip(lower, upper)):
        raise FreshetError("the domain has no cells: check its corners and the cell size")
    cells = [int(math.ceil((h - l) / cell - 1e-6)) for l, h in zip(lower, upper)]
    result = value(solver, "result")
    if result not in ("particles", "surface", "both"):
        raise FreshetError("Result is %r, and has to be particles, surface or both" % result)
    case = {
        "title": solver.name(), "run.end_time": (last - first) / fps, "domain.cells": cells, "domain.cell_size": cell,
        "domain.origin": lower, "fluid.gravity": value(solver, "gravity"), "fluid.density": value(solver, "density"),
        "vortex.boost": value(solver, "vortex_boost"), "output.interval": 1.0 / fps,
        "output.particles": ["velocity", "id", "tag", "color"],
        "pressure.walls.condition": "separating" if value(solver, "separating_walls") else "sticky",
    }
    liquids, solids, meshes, motions = [], [], {}, {}
    for node in marked(solver.parent().path()):
        role, file = value(node, "role"), node.name() + ".obj"
        meshes[file] = world_geometry(node, times[0])
        if role == LIQUID:
            liquids.append({"shape": "mesh", "file": file, "tag": len(liquids), "velocity": value(node, "velocity"),
                            "viscosity_coefficient": value(node, "viscosity_coefficient"), "color": value(node, "color")})
        else:
            check_shape(node, times)
            solids.append({"shape": "mesh", "file": file})
            pivot = list(meshes[file].boundingBox().center())
            rows = motion(node, times, pivot)
            if value(node, "floats"):
                if rows:
                    raise FreshetError("%s floats and is animated: the liquid moves it. Delete its keys, or switch Floats off"
                                       % node.path())
                solids[-1].update(body_keys(node))
            elif rows:
                motions[node.name() + ".csv"] = rows
                solids[-1].update(pivot=pivot, motion_file=node.name() + ".csv", interpolation="linear")
    if not liquids:
        raise FreshetError("no object is marked as liquid: select one, and Mark as Liquid")
    return {"keys": case, "liquid": liquids, "solid": solids, "extra": value(solver, "extra")}, meshes, motions


def body_keys(node):
    """{key: value} of a solid that the liquid moves; the key "" has lines of TOML."""
    keys = {"body.density": value(node, "body_density"), "body.velocity": value(node, "velocity")}
    if value(node, "body_fixed").split():
        keys["body.fixed"] = value(node, "body_fixed").split()
    keys[""] = "".join("\nbody." + line.strip() for line in value(node, "body_keys").splitlines() if line.strip())
    return keys


def toml(case):
    """The text of a case."""
    lines = ["%s = %s" % (key, json.dumps(v)) for key, v in case["keys"].items()]
    lines += [line for line in case["extra"].splitlines() if line.strip()]
    for table in ("liquid", "solid"):
        for entry in case[table]:
            lines += ["", "[[%s]]" % table] + ["%s = %s" % (key, json.dumps(v)) for key, v in entry.items() if key]
            lines += entry.get("", "").split("\n")[1:]
    return "\n".join(lines) + "\n"


def write(solver):
    """Write meshes and the case into the solver's folder. Returns the path of the case."""
    case, meshes, motions = collect(solver)
    folder = folder_of(solver)
    os.makedirs(folder, exist_ok=True)
    for name, geometry in meshes.items():
        geometry.saveToFile(os.path.join(folder, name))
    for name, rows in motions.items():
        with open(os.path.join(folder, name), "w") as file:
            file.write("time,x,y,z,rx,ry,rz\n" + "".join(",".join(map(repr, row)) + "\n" for row in rows))
    bodies = {str(n): solid["file"] for n, solid in enumerate(case["solid"]) if "body.density" in solid}
    with open(os.path.join(folder, BODIES), "w") as file:
        json.dump(bodies, file)
    path = os.path.join(folder, "case.toml")
    with open(path, "w") as file:
        file.write(toml(case))
    return path


def folder_of(solver):
    return os.path.abspath(hou.text.expandString(value(solver, "folder")))


def run_folder(solver):
    return os.path.join(folder_of(solver), "run")


# ---------------------------------------------------------------------------------------------------------- the run
def commands(solver, case):
    """The commands that make the run and its frames, in order."""
    program, ranks = shlex.split(value(solver, "program")), int(value(solver, "ranks"))
    launcher = ["mpirun", "-np", str(ranks), "--bind-to", "none"] if ranks > 1 else []  # all threads would share a core
    if value(solver, "queue") == "sbatch":
        launcher = ["srun", "--kill-on-bad-exit=1"]
    run, result = run_folder(solver), value(solver, "result")
    found = [launcher + program + ["run", case, "--output-dir", run, "--force"]]
    if result in ("particles", "both"):
        found.append(program + ["export", run, "--particles", value(solver, "format"), "--force"])
    if result in ("surface", "both"):
        found.append(launcher + program + ["mesh", run, "--format", "obj", "--force"])
    return found


class Run:
    """A run that has been started, here or on a cluster."""

    def __init__(self, solver, case):
        self.solver, self.folder = solver, run_folder(solver)
        self.end_time = (value(solver, "last_frame") - value(solver, "first_frame")) / hou.fps()
        self.log = os.path.join(folder_of(solver), "freshet.log")
        self.code = os.path.join(folder_of(solver), "exit_code")
        script = os.path.join(folder_of(solver), "freshet.sh")
        for old in (self.log, self.code):
            if os.path.exists(old):
                os.remove(old)
        shutil.rmtree(self.folder, ignore_errors=True)
        steps = [" ".join(map(shlex.quote, words)) for words in commands(solver, case)]
        # what there is of a run that was stopped is shown, too; srun may kill ranks that end a moment later, and say 143
        steps[0] += " || [ $? = %d ] || grep -qs '\"status\": \"stopped early\"' %s" % (
            EARLY, shlex.quote(os.path.join(self.folder, "run.json")))
        settings = ON_ONE_MACHINE if value(solver, "queue") == "local" and int(value(solver, "ranks")) > 1 else []
        with open(script, "w") as file:
            file.write("#!/bin/bash\n# Written by freshet_houdini.\n(\n%s\n)\necho $? > %s.part\nmv %s.part %s\n" % (
                "\n".join(["set -e"] + settings + steps), *[shlex.quote(self.code)] * 3))
        self.process = self.job = None
        self.next_look, self.misses = 0.0, 0
        if value(solver, "queue") == "sbatch":
            words = ["sbatch", "--ntasks=%d" % value(solver, "ranks"), "--output=" + self.log]
            done = subprocess.run(words + shlex.split(value(solver, "sbatch_options")) + [script], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, universal_newlines=True)
            match = re.search(r"job (\d+)", done.stdout)
            if done.returncode or match is None:
                raise FreshetError("sbatch did not take the job: %s" % done.stdout.strip())
            self.job = match.group(1)
        elif value(solver, "queue") == "local":
            with open(self.log, "w") as log:
                self.process = subprocess.Popen(["bash", script], stdout=log, stderr=subprocess.STDOUT,
                                                start_new_session=True)
        else:
            raise FreshetError("Where is %r, and has to be local or sbatch" % value(solver, "queue"))

    def progress(self):
        """Share of the simulated time that is done, from 0 to 1."""
        try:
            with open(os.path.join(self.folder, "steps.csv"), "rb") as file:
                file.seek(0, 2)
                file.seek(max(0, file.tell() - 4096))
                rows = file.read().decode("ascii", "replace").split("\n")[:-1]  # what follows the last end of line is not whole
            return min(1.0, float(rows[-1].split(",")[1]) / self.end_time)
        except (OSError, IndexError, ValueError):
            return 0.0

    def exit_code(self):
        """The exit code of the run and what follows it; None as long as it goes on."""
        if os.path.exists(self.code):
            with open(self.code) as file:
                return int(file.read())
        if self.process is not None and self.process.poll() is not None and not os.path.exists(self.code):
            return self.process.returncode or 1
        if self.job is not None and self._has_left_queue():
            return LOST
        return None

    def _has_left_queue(self):
        """Whether the queue twice in a row did not know the job: it was cancelled, or its node or its time has ended it."""
        if self.misses > 1 or time.monotonic() < self.next_look:
            return self.misses > 1
        self.next_look = time.monotonic() + QUEUE_POLL
        try:
            asked = subprocess.run(["squeue", "--noheader", "--jobs", self.job], stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, universal_newlines=True)
        except OSError:  # the queue cannot be asked from here
            return False
        knows = asked.stdout.strip() if asked.returncode == 0 else "Invalid job id" not in asked.stdout
        self.misses = 0 if knows else self.misses + 1  # the exit code may come late over a network's file system
        return self.misses > 1

    def stop(self):
        """Let the run end after its step, with a checkpoint."""
        if os.path.isdir(self.folder):
            open(os.path.join(self.folder, "STOP"), "w").close()
        elif self.process is not None:
            os.killpg(self.process.pid, signal.SIGTERM)  # the script, and what it has started
        if self.job is not None and not os.path.isdir(self.folder):
            subprocess.run(["scancel", self.job])

    def wait(self):
        """Show the progress until it ends; Escape stops it. Returns the exit code."""
        with hou.InterruptableOperation("freshet", open_interrupt_dialog=True) as operation:
            try:
                while self.exit_code() is None:
                    operation.updateProgress(self.progress())
                    time.sleep(POLL)
            except hou.OperationInterrupted:
                self.stop()
                while self.exit_code() is None:
                    time.sleep(POLL)
        return self.exit_code()

    def why(self):
        """The last lines that the run printed."""
        if not os.path.exists(self.log):
            return "the job has left the queue"
        with open(self.log) as file:
            lines = file.read().strip().splitlines()
        errors = [line for line in lines if "error:" in line]
        return "\n".join(errors[:3] or lines[-5:])


def simulate(solver):
    """Write, run and load. Returns the object with the frames. Errors: FreshetError"""
    run = Run(solver, write(solver))
    code = run.wait()
    if not os.path.isdir(run.folder) and code < 0:
        raise FreshetError("it was stopped before the run had begun")
    if code != DONE:
        raise FreshetError("freshet ended with code %d: %s" % (code, run.why()))
    return load(solver)


# ------------------------------------------------------------------------------------------------------- the frames
def load(solver):
    """An object that shows the run's frames: a File node for the particles, the surface, or both. Returns it.

    Each solid that floats becomes an object of its own, which moves as it did in the run.
    Frame F of the scene shows what the run wrote at F - first frame. Loading again takes the nodes that are there.
    """
    name = solver.name() + "_result"
    parent = solver.parent()
    made = parent.node(name) or parent.createNode("geo", name)
    first, run = int(value(solver, "first_frame")), run_folder(solver).replace("\\", "/")
    frame = "`padzero(6, max(0, $F - %d))`" % first
    result, nodes = value(solver, "result"), []
    if result in ("particles", "both"):
        nodes.append(_file_node(made, "particles", "%s/export/particles.%s.%s" % (run, frame, value(solver, "format"))))
    if result in ("surface", "both"):
        nodes.append(_file_node(made, "surface", "%s/meshes/mesh_%s.obj" % (run, frame)))
    last = nodes[0]
    if len(nodes) > 1:
        last = made.node("both") or made.createNode("merge", "both")
        for i, node in enumerate(nodes):
            last.setInput(i, node)
    last.setDisplayFlag(True)
    last.setRenderFlag(True)
    made.layoutChildren()
    load_bodies(solver)
    return made


def load_bodies(solver):
    """Objects that show the meshes of the run's floating solids, with keys of their transform at each frame. Returns them."""
    if not os.path.exists(os.path.join(folder_of(solver), BODIES)):  # of a case that an earlier version wrote
        return []
    with open(os.path.join(folder_of(solver), BODIES)) as file:
        bodies = json.load(file)
    first, made = int(value(solver, "first_frame")), []
    for number, mesh in sorted(bodies.items(), key=lambda item: int(item[0])):
        name = "%s_%s" % (solver.name(), os.path.splitext(mesh)[0])
        node = solver.parent().node(name) or solver.parent().createNode("geo", name)
        _file_node(node, "mesh", os.path.join(folder_of(solver), mesh).replace("\\", "/")).setDisplayFlag(True)
        keys = body_frames(os.path.join(run_folder(solver), "bodies", "solid_%s.csv" % number), hou.fps())
        for i, parm in enumerate(("tx", "ty", "tz", "rx", "ry", "rz")):
            _set_keys(node.parm(parm), first, [row[i] for row in keys])
        made.append(node)
    return made


def _set_keys(parm, first, numbers):
    """Let a parameter have these numbers in the frames from `first` on, and straight lines in between."""
    keys = []
    for n, number in enumerate(numbers):
        key = hou.Keyframe()
        key.setFrame(first + n)
        key.setValue(number)
        key.setExpression("linear()", hou.exprLanguage.Hscript)
        keys.append(key)
    parm.deleteAllKeyframes()
    parm.setKeyframes(keys)


def body_frames(path, fps):
    """Rows [tx, ty, tz, rx, ry, rz] of an object's transform, a frame each, from the table of a body: [m], [degrees].

    They are the poses of the run's snapshots (freshetSolidPoses), which Python without h5py cannot read: a snapshot is that of the
    step whose end is nearest to it. Turns come before shifts, about x, y and z in this order, as Houdini's objects have them.
    """
    with open(path) as file:
        table = [list(map(float, line.split(",")[1:8])) for line in file.read().split("\n")[1:-1]]
    rows, at, angles = [], 0, (0.0, 0.0, 0.0)
    while table and len(rows) / fps <= table[-1][0] + 1e-9:
        wanted = len(rows) / fps
        while at + 1 < len(table) and abs(table[at + 1][0] - wanted) <= abs(table[at][0] - wanted):
            at += 1
        matrix = rotation(table[at][4:7])
        angles = euler(matrix, angles)
        start, place = table[0][1:4], table[at][1:4]
        rows.append([place[i] - sum(matrix[i][j] * start[j] for j in range(3)) for i in range(3)] + list(angles))
    return rows


def rotation(vector):
    """The matrix of columns of an axis times an angle [degrees]."""
    angle = math.radians(math.sqrt(sum(a * a for a in vector)))
    x, y, z = (math.radians(a) / angle if angle > 0 else 0.0 for a in vector)
    c, s = math.cos(angle), math.sin(angle)
    return [[c + (1 - c) * x * x, (1 - c) * x * y - s * z, (1 - c) * x * z + s * y],
            [(1 - c) * y * x + s * z, c + (1 - c) * y * y, (1 - c) * y * z - s * x],
            [(1 - c) * z * x - s * y, (1 - c) * z * y + s * x, c + (1 - c) * z * z]]


def euler(matrix, near):
    """Turns about x, then y, then z [degrees], that make a matrix of columns; of all those the ones next to `near`."""
    y = math.atan2(-matrix[2][0], math.hypot(matrix[2][1], matrix[2][2]))
    if math.cos(y) > 1e-6:
        x, z = math.atan2(matrix[2][1], matrix[2][2]), math.atan2(matrix[1][0], matrix[0][0])
    else:  # x and z turn about one axis
        x = math.radians(near[0])
        turned = math.atan2(-matrix[0][1], matrix[1][1])  # z - x, or z + x where it points down
        z = turned + x if matrix[2][0] < 0 else turned - x
    found = [math.degrees(a) for a in (x, y, z)]
    choices = []
    for angles in (found, [found[0] + 180.0, 180.0 - found[1], found[2] + 180.0]):
        choices.append([a + 360.0 * round((n - a) / 360.0) for a, n in zip(angles, near)])
    return tuple(min(choices, key=lambda angles: sum((a - n) ** 2 for a, n in zip(angles, near))))


def _file_node(parent, name, path):
    node = parent.node(name) or parent.createNode("file", name)
    node.parm("file").set(path)
    node.parm("missingframe").set(1)  # no geometry, in place of an error
    reload_button = node.parm("reload")
    if reload_button is not None:
        reload_button.pressButton()
    return node


# ------------------------------------------------------------------------------------------------------- the shelf
def shelf(action):
    """What the shelf's tools do: "solver", "liquid", "solid", "simulate" or "load"; messages go to the artist."""
    try:
        selected = list(hou.selectedNodes())
        if action == "solver":
            create_solver()
        elif action in (LIQUID, SOLID):
            if not selected:
                raise FreshetError("select the geometry objects first")
            for node in selected:
                mark(node, action)
        else:
            solvers = [node for node in selected or hou.node("/obj").children() if node.parm(PREFIX + "cell_size")]
            if len(solvers) != 1:
                raise FreshetError("select one solver: there are %d" % len(solvers))
            (simulate if action == "simulate" else load)(solvers[0])
    except FreshetError as error:
        hou.ui.displayMessage(str(error), severity=hou.severityType.Error, title="freshet")
