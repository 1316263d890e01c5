# SPDX-License-Identifier: Apache-2.0
"""Simulation and what hangs on it."""
import atexit
import math
import os
import re
import sys
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _load
from .case import overrides as _overrides
from .case import to_toml as _to_toml
from .errors import Error, InputError, RunError
from .interrupts import Interrupts

_freshet = _load("_freshet")


class Frame(NamedTuple):
    """A moment of Simulation.frames(): its number, its simulated time [s] and the simulation."""

    number: int
    time: float
    simulation: "Simulation"


def _checked_dt(dt):
    """dt, a time step [s] or None. Errors: InputError unless it is above 0 and finite"""
    if dt is not None and not (dt > 0 and math.isfinite(dt)):
        raise InputError(f"dt = {dt!r} is no time step [s]. Give one above 0, or None for what time.cfl allows")
    return dt


class Report(dict):
    """Numbers of a step by their names in steps.csv, as items and as attributes: report.dt, report["dt"].

    Among them: step, t [s], dt [s], cfl [cells], particles, liquid_cells, iterations, residual, max_div [1/s],
    kinetic_energy [J], potential_energy [J], center_x, center_y, center_z [m], volume [m^3], emitted, absorbed, memory [B].
    They are the same on all ranks, but for seconds, the wall-clock time of the step [s].
    """

    def __getattr__(self, name: str) -> float:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"a report has no number {name!r}; it has {', '.join(self)}") from None

    def __dir__(self):
        return [*super().__dir__(), *self]


class Particles:
    """The particles of this rank, sorted by blocks and cells. Their order changes from step to step; ids do not.

    position  (n, 3) float64 [m]    a copy: the solver keeps positions relative to blocks
    velocity  (n, 3) float32 [m/s]  shares the solver's memory; to change it, assign to it
    id        (n,) uint64           shares memory; no id is used twice in a run
    tag       (n,) uint8            shares memory and may be written to
    particles["name"]               any of `names`: (n,) or (n, width), shares memory and may be written to

    An array that shares memory shows the present state. When the solver goes on, an array that is still held becomes a copy
    of its own: it keeps the values of the moment that it was taken, and can no longer be written to. Take it anew after a
    step. Views of it, such as tag[:5], become views of that copy; numpy leaves them writable, but what is written to them
    then changes that copy alone. Simulation.is_current(array) tells whether an array or a view shows the solver's memory. (Builds with FRESHET_PARTICLE_DOUBLE have float64 in place of float32.)
    """

    def __init__(self, run):
        self._run = run

    def __len__(self) -> int:
        return self._run.n_particles

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name == "position":
            return self.position
        return self._run.particle_array(name)

    @property
    def names(self) -> list[str]:
        """Names of all attributes that particles have in this run."""
        return self._run.particle_names

    @property
    def position(self) -> NDArray[np.float64]:
        """Positions, (n, 3) float64 [m]; a copy."""
        return self._run.positions()

    @property
    def velocity(self) -> NDArray[Any]:
        """Velocities, (n, 3) [m/s]. Reading shares memory. Assigning an array that broadcasts to (n, 3) is collective:
        all ranks assign, as the next time step depends on the largest speed of all of them."""
        return self._run.particle_array("velocity")

    @velocity.setter
    def velocity(self, values: ArrayLike) -> None:
        self._run.set_velocity(np.ascontiguousarray(_broadcast(values, (len(self), 3), "particles.velocity")))

    @property
    def id(self) -> NDArray[np.uint64]:
        """Ids, (n,) uint64."""
        return self._run.particle_array("id")

    @property
    def tag(self) -> NDArray[np.uint8]:
        """Tags, (n,) uint8: those of the liquids and sources that the particles come from. May be assigned to."""
        return self._run.particle_array("tag")

    @tag.setter
    def tag(self, values: ArrayLike) -> None:
        self._run.particle_array("tag")[...] = _tags(values, (len(self),))


class Fields:
    """The fields of the grid on the blocks of this rank: arrays (blocks, nz, ny, nx), x fastest, that share memory.

    Blocks have 8 x 8 x 8 cells (8 x 8 in 2-D, nz = 1) and exist around the liquid only. `first_cell[b]` is the lowest cell
    of block b. Labels are those that the last step began with, until Simulation.refresh() is called. As with particles, an array that
    is held while the solver goes on keeps its values and can no longer be written to.

    velocity  a tuple, one array an axis [m/s]: normal velocities on the low faces of the cells
    pressure  [Pa], at the centres of cells
    labels    uint8: 0 air, 1 liquid, 2 solid
    """

    def __init__(self, run):
        self._run = run

    @property
    def velocity(self) -> tuple[NDArray[np.float64], ...]:
        """u^{n+1} on faces, one array an axis [m/s]."""
        return tuple(self._run.field("velocity", axis) for axis in range(self._run.dimension))

    @property
    def velocity_old(self) -> tuple[NDArray[np.float64], ...]:
        """u^n on faces as the deposit gave it, one array an axis [m/s]."""
        return tuple(self._run.field("velocity_old", axis) for axis in range(self._run.dimension))

    @property
    def pressure(self) -> NDArray[np.float64]:
        """Pressure at the centres of cells [Pa]."""
        return self._run.field("pressure")

    @property
    def labels(self) -> NDArray[np.uint8]:
        """0 air, 1 liquid, 2 solid."""
        return self._run.field("labels")

    @property
    def first_cell(self) -> NDArray[np.int32]:
        """The lowest cell of each block: (blocks, 3) int32, x y z; a copy."""
        return self._run.first_cells()

    def gather(self, name: str, axis: int = 0) -> NDArray[Any]:
        """A field on all cells of the domain, on every rank: (nz, ny, nx). Collective.

        name: "pressure", "labels", "velocity" or "velocity_old" (with the axis). Where no block exists, real numbers are NaN
        and labels 255. The array needs 16 bytes a cell of the whole domain on every rank while it is gathered.
        """
        return self._run.gather_field(name, axis)


class Faces:
    """The faces normal to one axis, as a force sees them. Arrays broadcast to `shape`, (blocks, nz, ny, nx).

    axis       0, 1 or 2
    time, dt   start and length of the step [s]
    x, y, z    coordinates of the faces' centres [m], of shapes (blocks, 1, 1, nx), (blocks, 1, ny, 1), (blocks, nz, 1, 1)
    velocity   normal velocity u^n at the start of the step [m/s]; on faces far from liquid its value is of no use
    """

    def __init__(self, axis, time, dt, velocity, coordinates):
        self.axis, self.time, self.dt, self.velocity = axis, time, dt, velocity
        self.x, self.y, self.z = coordinates
        self.shape = velocity.shape


def _broadcast(values, shape, what):
    """Values as float64 of a shape. Errors: InputError that names what they are for"""
    try:
        return np.broadcast_to(np.asarray(values, dtype=float), shape)
    except (TypeError, ValueError):
        kind = f"an array of shape {np.shape(values)}" if np.shape(values) else f"a {type(values).__name__}"
    raise InputError(f"{what}: {kind} is no array of numbers that broadcasts to {shape}. Give one that does")


def _tags(values, shape):
    """Tags as uint8. Errors: InputError for numbers that are none"""
    tags = _broadcast(values, shape, "tag")
    given = np.asarray(values, dtype=float)  # also where shape holds no particle
    wrong = given[~((given >= 0) & (given <= 255) & (given == np.floor(given)))]
    if wrong.size:
        raise InputError(f"tag: {wrong[0]:g} is no tag. Give whole numbers from 0 to 255")
    return np.ascontiguousarray(tags, dtype=np.uint8)


def _place(kind, function):
    """\"force spring (scene.py:12)\", for messages."""
    function = getattr(function, "func", function)  # functools.partial
    code = getattr(function, "__code__", None) or getattr(getattr(type(function), "__call__", None), "__code__", None)
    name = getattr(function, "__qualname__", type(function).__qualname__)
    return f"{kind} {name} ({code.co_filename}:{code.co_firstlineno})" if code else f"{kind} {name}"


def _add_note(error, text):
    """Text below the message of an exception; Python has notes from 3.11 on."""
    if hasattr(error, "add_note"):
        error.add_note(text)


class _Force:
    """Calls a user's force for the faces of one axis after the other."""

    def __init__(self, run, function):
        self.run, self.function, self.place = run, function, _place("force", function)
        self.layout, self.coordinates = None, {}

    def coordinates_of(self, axis):
        run = self.run
        if self.layout != run.layout_id:
            self.layout, self.coordinates = run.layout_id, {}
        if axis not in self.coordinates:
            first, dx, origin = run.first_cells(), run.cell_size, run.origin
            result = []
            for d in range(3):
                n = 8 if d < run.dimension else 1
                inside = np.arange(n) + (0.0 if d == axis else 0.5)
                values = origin[d] + dx * (first[:, d, None] + inside)
                result.append(values.reshape([len(first)] + [n if 2 - d == place else 1 for place in range(3)]))
            self.coordinates[axis] = result
        return self.coordinates[axis]

    def __call__(self, axis, time, dt, velocity):
        try:
            result = self.function(Faces(axis, time, dt, velocity, self.coordinates_of(axis)))
            return None if result is None else _broadcast(result, velocity.shape, f"the acceleration of axis {axis}")
        except BaseException as error:
            _add_note(error, f"{self.place} failed in step {self.run.steps}, at t = {time:g} s, on rank {self.run.rank}")
            raise


def _given(given):
    """What a source gave, as arrays: positions and velocities (n, 3), tags (n,)."""
    if not isinstance(given, Mapping):
        if not isinstance(given, (tuple, list)):
            raise InputError(f"a source gave a {type(given).__name__}. Give a dict or a tuple of position, velocity and tag, or None")
        given = dict(zip(("position", "velocity", "tag"), given))
    if "position" not in given or not set(given) <= {"position", "velocity", "tag"}:
        raise InputError(f"a source gave {', '.join(map(repr, given)) or 'nothing'} (it gives \"position\", and \"velocity\" and "
                         f"\"tag\" where they are not 0). Give these names")
    shape = np.shape(given["position"])
    if shape != (3,) and (len(shape) != 2 or shape[1] != 3) and shape not in ((0,), (1, 0)):
        raise InputError(f"position: an array of shape {shape} is not (n, 3) or (3,). Give x, y and z of each particle, in 2-D "
                         f"with z = 0")
    x = np.asarray(given["position"], dtype=float).reshape(-1, 3)
    u = _broadcast(given.get("velocity", 0.0), x.shape, "velocity")
    return np.ascontiguousarray(x), np.ascontiguousarray(u), _tags(given.get("tag", 0), x.shape[:1])


def _source(run, function):
    place = _place("source", function)

    def call(time, dt):
        try:
            given = function(time, dt)
            return None if given is None else _given(given)
        except BaseException as error:
            _add_note(error, f"{place} failed in step {run.steps}, at t = {time:g} s, on rank {run.rank}")
            raise

    return call


class Step:
    """One step, sub-step by sub-step; made by Simulation.begin_step(). Each sub-step is a method, to be called in order:

    deposit      u^n on faces from the particles
    label        which cells are liquid, air, solid
    forces       u* = u^n + dt a
    project      u^{n+1} = u* - dt/rho grad p, without divergence in the liquid
    extrapolate  u^{n+1} into the air around the liquid
    blend        particles take u^{n+1}
    resample     few or crowded particles come and go, where the case asks for it
    correct      positions are corrected to the liquid's density, where the case asks for it
    move         particles move through u^{n+1} and go to the ranks that own their blocks
    exchange     particles of sources come, those in sinks go
    end          sums, checks, and the output that is due; returns the step's Report

    Between them sim.fields and sim.particles show the state, and fields may be written to. A method out of order raises
    RuntimeError and changes nothing. A run with motion.field = "enright" has `prescribe` in place of the first five.

    Iterating over the step calls what is left and yields each name after its sub-step:

        for phase in sim.begin_step():
            print(phase, sim.fields.velocity[0].max())

    Simulation.step() judges the velocity after extrapolate: if it moves particles too far, or if the pressure could not be
    solved for, step() takes forces, project and extrapolate again with a smaller dt. The iteration does the same: it yields
    these names once more, `dt` is that of the present trial, and `retries` counts the trials before it. So the phases of a
    step are those up to its last "extrapolate". Called as methods, project and extrapolate raise RunError in that case, and
    the next call is retry(), which goes back to forces. Up to blend no particle has changed, and retry(dt) goes back to
    forces with a dt of one's own.

    A step that fails before blend is given up: the simulation is as before it. If it fails later it cannot go on. The note
    below the exception's message says which.
    """

    def __init__(self, simulation, dt):
        self._simulation = simulation
        self._run = simulation._run
        self.dt = dt  # [s]

    @property
    def next(self) -> str:
        """Name of the sub-step that is due; empty after the last one."""
        return self._run.next_phase

    @property
    def retries(self) -> int:
        """How often this step has gone back to forces with a smaller dt."""
        return int(self._run.report()["retries"])

    def retry(self, dt: Optional[float] = None) -> None:
        """Go back to forces with another dt [s]. Legal after forces and before blend.

        None: with the dt that step() would take. Legal where project or extrapolate has found that dt is too long.
        """
        self.dt = self._run.retry_step(_checked_dt(dt))

    def __iter__(self) -> Iterator[str]:
        while self.next:
            if self.next == "retry":
                self.retry()
            name = self.next
            self._run.phase(name)
            yield name
        self._simulation._after_step()

    def end(self) -> Report:
        """Finish the step: sums, checks, and the output that is due. Returns the step's Report."""
        self._run.phase("end")
        self._simulation._after_step()
        return self._simulation.report


def _add_phases():
    texts = dict(re.findall(r"^    (\w+)  +(.*)$", Step.__doc__, re.MULTILINE))
    texts["prescribe"] = "labels, and the prescribed velocity on faces"
    for name, text in texts.items():
        if name == "end":
            continue

        def phase(self, name=name):
            why = self._run.phase(name)
            if why:
                raise RunError(why)

        phase.__name__, phase.__doc__ = name, text[0].upper() + text[1:] + ". Collective."
        setattr(Step, name, phase)


_add_phases()


class Simulation:
    """A run of a case, driven from Python: the same solver, checks and output as the program `freshet`.

    Simulation(case, comm=None, *, output_dir=None, restart=None, force=False, overrides=None)

    case        path of a case file; or TOML text (it has a line end); or a dict with the keys of `freshet schema`:
                {"domain": {"cells": [64, 32], "cell_size": 0.05}, "run": {"end_time": 1.0}, "liquid": [{...}]}; or a
                freshet.Case. Relative paths in a dict or a text begin at the working directory.
    comm        communicator of mpi4py; None: all ranks of the job (one without mpirun; mpi4py is not needed)
    output_dir  where log.txt, steps.csv, snapshots and checkpoints go, as with the program; None: nothing is written
    restart     "auto", or the path of a checkpoint: go on from there
    force       overwrite a finished run in output_dir
    overrides   keys to set on top of the case, as a dict ({"time.cfl": 0.5}) or as a list of texts ("time.cfl=0.5")

    All methods are collective, but for particles and fields of the rank itself: every rank makes the same calls. All
    quantities are in SI units.

    Run it to its end:

        sim = freshet.Simulation("case.toml", output_dir="output/case")
        sim.run()                                   # "done" or "stopped early"

    Step by step, or at equal times:

        report = sim.step()                         # sim.step(dt) takes at most dt [s]
        for frame in sim.frames(0.01):              # frames 0, 1, 2, ... at t = 0, 0.01, 0.02 ... and at the end
            x = sim.particles.position              # (n, 3) [m]

    An own force, source and stop condition, each on whole arrays:

        def spring(faces):                          # called for the faces of each axis; returns m/s^2
            if faces.axis == 0:
                return -4.0 * (faces.x - 0.5)       # anything that broadcasts to faces.shape; None: no force

        def drops(time, dt):                        # called at the end of each step; each rank gives its own particles
            return {"position": [[0.5, 0.5, 0.9]], "velocity": [[0, 0, -1]], "tag": 2}      # [m], [m/s]; or None

        sim.add_force(spring)
        sim.add_source(drops)
        sim.run(stop=lambda sim: sim.report.kinetic_energy < 1e-3)

    Other values for keys between two steps: sim.change({"fluid.gravity": [0, 0, -1.6]}).

    Errors have the text that the program prints: InputError (also a ValueError) for a case that is not right, RunError if
    the solver fails, FileError for files. An exception in a function of yours on one rank reaches all ranks: there it is
    raised as it was, and elsewhere as CallbackError with its traceback; uncaught exceptions end the job. Notes below the
    message name the function and its line, and say whether the simulation can go on.

    Ctrl-C, SIGTERM and SIGUSR2 stop at the end of the step that is under way, with a checkpoint if there is an output
    directory, and raise KeyboardInterrupt. Between steps, on one rank, they raise it at once. On several ranks, which may be
    at different places of your script, they count at the end of the next step; a second one raises KeyboardInterrupt at once.

    In a `with` block, a run that is left before its end, also through an exception, is closed: with a checkpoint where that
    is possible, and with "stopped early" or "failed" as its status in run.json. It is possible unless a step has failed when
    it had changed particles, or one rank of several raises an exception of its own. Without a `with` block a script on one
    rank that ends does the same; on several ranks it writes the status only.
    """

    def __init__(self, case: Union[str, os.PathLike, Mapping[str, Any]], comm: Any = None, *,
                 output_dir: Union[str, os.PathLike, None] = None, restart: Union[str, os.PathLike, None] = None,
                 force: bool = False, overrides: Union[Mapping[str, Any], Sequence[str], None] = None) -> None:
        name, text, places = _read(case)
        words = _overrides(overrides) if isinstance(overrides, Mapping) else list(overrides or [])
        try:
            self._run = _freshet.Run(name, text, words, os.fspath(output_dir or ""), os.fspath(restart or ""), bool(force),
                                     _address(comm))
        except InputError as error:
            if places is None:
                raise
            raise InputError(_in_dict(str(error), places)) from None
        self._rank, self._size = self._run.rank, self._run.size  # which stay when the simulation is closed
        _watch_exceptions(self._size)
        self._particles, self._fields = Particles(self._run), Fields(self._run)
        self._forces, self._sources = [], []  # (function, its number)
        _open_ones.add(self)
        _interrupts.begin(self)

    # ------------------------------------------------------------------------------------------------------- steps
    def run(self, stop: Optional[Callable[["Simulation"], bool]] = None) -> str:
        """Run to the end of the case. Returns "done", or "stopped early" if a file STOP, run.max_wall_time or `stop` ended it.

        stop: function of the simulation that is called after each step; the run stops when it returns true on any rank.
        """
        if stop is None:
            self._run.run()
            self._after_step()
            return "stopped early" if self._run.stop_reason else "done"
        with _signals_caught():
            while not self.is_over:
                self.step()
                if self._run.stop_reason:
                    return "stopped early"
                if not self.is_over and self._run.any_of_call(lambda: bool(stop(self))):
                    self._run.stop("a stop condition")
                    return "stopped early"
        return "done"

    def step(self, dt: Optional[float] = None) -> Report:
        """Take one step of at most dt [s]; None: of what time.cfl allows. Returns its Report.

        The output that is due is written. The step that reaches the end of the case finishes the output.
        """
        if self.is_over:
            raise Error(f"the run is at its end (t = {self.time:g} s of run.end_time = {self._run.end_time:g} s, step "
                        f"{self.steps}). Change run.end_time or run.max_steps to go on")
        self._run.step(_checked_dt(dt))
        self._after_step()
        return self.report

    def frames(self, dt: float) -> Iterator[Frame]:
        """Step to the times 0, dt, 2 dt, ... [s] and to the end, and yield a Frame at each of them.

        Steps are cut so that they land on these times exactly. A run that is under way begins with the next such time.
        """
        if not dt > 0.0:
            raise InputError(f"frames: dt is {dt} s (it must be above 0). Give the time between two frames")
        number = 0
        if self.steps == 0:
            yield Frame(number, self.time, self)
        while not self.is_over:
            number = int(np.floor(self.time / dt * (1.0 + 1e-12) + 1e-9)) + 1
            while self.time < number * dt and not self.is_over:
                self._run.step(None, number * dt)
                self._after_step()
                if self._run.stop_reason:
                    return
            yield Frame(number, self.time, self)

    def begin_step(self, dt: Optional[float] = None) -> Step:
        """Begin a step of at most dt [s] whose sub-steps you call; see Step."""
        return Step(self, self._run.begin_step(_checked_dt(dt)))

    def _after_step(self):
        _interrupts.stepped()
        if self._run.stop_reason == "signal":
            raise KeyboardInterrupt(f"freshet stopped after step {self.steps} at t = {self.time:g} s")

    # ------------------------------------------------------------------------------------------------------- state
    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self._run.time

    @property
    def steps(self) -> int:
        """Steps taken since the run began, restarts included."""
        return self._run.steps

    @property
    def report(self) -> Report:
        """Numbers of the last step, by their names in steps.csv; see Report."""
        return Report(self._run.report())

    @property
    def gauges(self) -> dict[str, Report]:
        """What the case's gauges measured in the last step: {name: Report} with the columns of gauges/NAME.csv, in SI units.

        sim.gauges["wall"].height [m]. Gauges with an interval are there only in the steps in which they measure; before the first
        step those are that need no step. The numbers are the same on all ranks, and need no output_dir.
        """
        return {name: Report(row) for name, row in self._run.gauges().items()}

    @property
    def totals(self) -> Report:
        """Totals of the run, by their names in run.json."""
        return Report(self._run.numbers())

    @property
    def particles(self) -> Particles:
        """Particles of this rank; see Particles."""
        return self._particles

    @property
    def fields(self) -> Fields:
        """Fields of the grid on this rank's blocks; see Fields."""
        return self._fields

    @property
    def is_over(self) -> bool:
        """True at the end of the case: at run.end_time, after run.max_steps, or without any liquid."""
        return self._run.is_over

    @property
    def largest_dt(self) -> float:
        """The longest step that time.cfl allows now [s]."""
        return self._run.largest_dt

    @property
    def rank(self) -> int:
        """Number of this rank, from 0."""
        return self._rank

    @property
    def size(self) -> int:
        """Number of ranks."""
        return self._size

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return self._run.dimension

    @property
    def cells(self) -> tuple[int, int, int]:
        """Cells of the domain along x, y, z."""
        return self._run.cells

    @property
    def cell_size(self) -> float:
        """Edge length of a cell [m]."""
        return self._run.cell_size

    @property
    def origin(self) -> tuple[float, float, float]:
        """Low corner of the domain, x y z [m]."""
        return self._run.origin

    @property
    def particle_mass(self) -> float:
        """Mass that one particle stands for [kg]."""
        return self._run.particle_mass

    @property
    def case(self) -> str:
        """The case with all its values, as TOML."""
        return self._run.resolved_case()

    @property
    def epoch(self) -> int:
        """Counts the calls that may have changed the state: arrays taken at another epoch are copies of the past."""
        return self._run.epoch

    def is_current(self, array: NDArray[Any]) -> bool:
        """Whether an array of particles or fields, or a view of one, shows the solver's memory now.

        It does until the next call that changes the state; then it is a copy, and what is written to it is lost. Arrays that
        never shared memory, such as positions, are not current.
        """
        while isinstance(array.base, np.ndarray):
            array = array.base
        return self._run.shows(array)

    # ----------------------------------------------------------------------------------------------------- changes
    def add_force(self, function: Callable[[Faces], Optional[ArrayLike]], largest_acceleration: float = 0.0) -> Callable:
        """Add an acceleration: function(faces) is called in each step for each axis and returns m/s^2; see Faces.

        It gives None for no acceleration, or anything that broadcasts to faces.shape. The forces of a run add up.
        largest_acceleration: bound for the first time step [m/s^2]; later ones take the largest that the function gave last.
        Returns the function, so that it may stand as a decorator: @sim.add_force.
        """
        force = _Force(self._run, function)
        self._forces.append((function, self._run.add_force(force.__call__, force.place, float(largest_acceleration))))
        return function

    def remove_force(self, function: Callable) -> None:
        """Take a force away again that add_force() has added. Errors: KeyError if it is none"""
        self._run.remove_force(_taken(self._forces, function, "force"))

    def add_source(self, function: Callable[[float, float], Any]) -> Callable:
        """Add particles: function(time, dt) is called at the end of each step and returns those that come in it.

        It gives None, or a dict (or tuple) of position (n, 3) [m], velocity, which broadcasts to (n, 3) [m/s], and tag. Each
        rank gives particles of its own, anywhere in the domain; those in solids or outside are left out. Each stands for
        particle_mass. Returns the function, so that it may stand as a decorator: @sim.add_source.
        """
        self._sources.append((function, self._run.add_source(_source(self._run, function))))
        return function

    def remove_source(self, function: Callable) -> None:
        """Take a source away again that add_source() has added. Errors: KeyError if it is none"""
        self._run.remove_source(_taken(self._sources, function, "source"))

    def change(self, values: Mapping[str, Any]) -> None:
        """Give keys other values between two steps: {"fluid.gravity": [0, 0, -1.6], "time.cfl": 0.5}.

        Legal are keys of [run], [time], [pressure], [balance], [checkpoint] and density.tolerance that may differ at a
        restart, and fluid.gravity, fluid.rotation, transfer.flip_fraction, vortex.boost, motion.scheme. The simulation
        restarts in memory: a change costs about a step. An InputError leaves everything as it was.
        """
        self._run.change(_overrides(values))

    # ------------------------------------------------------------------------------------------------------ output
    def snapshot(self) -> None:
        """Write a snapshot now, on top of those of output.interval."""
        self._need_output()
        self._run.snapshot()

    def checkpoint(self) -> None:
        """Write a checkpoint now."""
        self._need_output()
        self._run.checkpoint()

    def refresh(self) -> None:
        """Bring the labels and velocities of sim.fields up to the present time: a step leaves those that it began with."""
        self._run.refresh()

    def _need_output(self):
        if not self._run.has_output:
            raise InputError("this simulation writes nothing (output_dir is None). Give Simulation an output_dir")

    def close(self) -> None:
        """Free the solver's memory. A run that has not come to its end leaves a checkpoint, so that it can go on later."""
        try:
            self._run.leave()
        finally:
            self._run.close()
            _open_ones.discard(self)
            _interrupts.end(self)

    def __enter__(self) -> "Simulation":
        return self

    def __exit__(self, kind, error, trace):
        if kind is None:
            self.close()
        elif getattr(error, "on_all_ranks", False) or self._size == 1:
            self._leave_after(error)
        else:  # the other ranks are elsewhere
            self._run.leave_alone(not issubclass(kind, _INTERRUPTS))

    def _leave_after(self, error):
        """Close; what fails meanwhile is a note to the error."""
        try:
            self.close()
        except (Error, RuntimeError) as failure:
            _add_note(error, f"the run could not be closed in order: {failure}")

    def __repr__(self):
        if self._run.is_closed:
            return "<freshet.Simulation, closed>"
        return f"<freshet.Simulation t = {self.time:g} s, step {self.steps}, {len(self.particles)} particles here>"


def _taken(functions, wanted, kind):
    """The number of a function, which leaves the list."""
    for place, (function, number) in enumerate(functions):
        if function is wanted or function == wanted:
            del functions[place]
            return number
    raise KeyError(f"{_place(kind, wanted)} is not among the {kind}s of this simulation")


def _read(case):
    """(name, text or None, places in a dict or None) of what a Simulation is made from."""
    if isinstance(case, Mapping):
        text, places = _to_toml(case)
        return "case", text, places
    if isinstance(case, str) and "\n" in case:
        return "case", case, None
    return os.fspath(case), None, None


def _in_dict(message, places):
    """An error's text with the place in a dict in place of the line of the text that was made from it, and of keys.

    solid.0.radius is solid[0].radius of the dict.
    """
    found = re.match(r"case:(\d+): ", message)
    line = int(found[1]) if found else 0
    text = re.sub(r"(?<=[a-z])\.(\d+)(?=[.'])", r"[\1]", message[found.end():] if found else message)
    if not 1 <= line <= len(places):
        return text if not found else message
    place = places[line - 1]
    return f"case: {text}" if re.search(rf"'{re.escape(place)}\b", text) else f"case, key {place}: {text}"


def _address(comm):
    if comm is None:
        return 0
    from mpi4py import MPI
    if comm == MPI.COMM_NULL:
        raise InputError("comm is MPI.COMM_NULL (this rank is in no group). Make a Simulation on the ranks of a group only")
    return MPI._addressof(comm)


class _signals_caught:
    """Keeps Ctrl-C and its like from Python until the solver has looked at them, at the end of a step."""

    def __enter__(self):
        self._signals = _freshet.CaughtSignals()
        self._signals.enter()

    def __exit__(self, *error):
        self._signals.exit()


_INTERRUPTS = (KeyboardInterrupt, SystemExit, GeneratorExit)
_open_ones = weakref.WeakSet()  # simulations that are not closed
_interrupts = Interrupts()
_watched = False


def _watch_exceptions(size):
    """From now on an uncaught exception of one rank ends the job: the others would wait for it for ever."""
    global _watched
    if _watched or size == 1:
        return
    _watched = True
    before = sys.excepthook

    def end_job(kind, error, trace):
        before(kind, error, trace)
        sys.stdout.flush()
        sys.stderr.flush()
        if not getattr(error, "on_all_ranks", False):
            for simulation in list(_open_ones):
                simulation._run.leave_alone(not issubclass(kind, _INTERRUPTS))
            _freshet.abort(1)

    sys.excepthook = end_job


def _end():
    """At the end of the interpreter: a run on one rank is left in order; ranks of a larger one may be at different places."""
    for simulation in list(_open_ones):
        if simulation.size == 1:
            try:
                simulation.close()
            except (Error, RuntimeError) as failure:
                print(f"freshet: error: a run could not be closed in order: {failure}", file=sys.stderr)
    _freshet.end_session()


atexit.register(_end)
