# SPDX-License-Identifier: Apache-2.0
"""Simulation: a run as Python drives it."""
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
from .arrays import Fields, Particles, Report
from .callbacks import Faces, Force, add_note, check_callable, place_in, source
from .case import overrides as _overrides
from .case import to_toml as _to_toml
from .errors import Error, InputError
from .interrupts import Interrupts
from .job import watch_exceptions
from .solids import Solid
from .steps import Step, checked_dt

_freshet = _load("_freshet")


class Frame(NamedTuple):
    """A moment of Simulation.frames(): its number, its simulated time [s] and the simulation."""

    number: int
    time: float
    simulation: "Simulation"


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

    A body that the liquid moves, with a controller that keeps it level:

        buoy = sim.solids[0]
        buoy.position, buoy.angular_velocity        # [m], [rad/s]; both may be set
        buoy.add_load(lambda body, time, dt: ([0, 0, 0], -50.0 * body.angular_velocity))        # force [N], moment [N m]

    Other values for keys between two steps: sim.change({"fluid.gravity": [0, 0, -1.6]}).

    A function of yours may read the simulation while it is called. It may not step, change, write or close it then; nor may
    other threads use the simulation during a step.

    Errors have the text that the program prints: InputError (also a ValueError) for a case that is not right, RunError if
    the solver fails, FileError for files. An exception in a function of yours on one rank reaches all ranks: there it is
    raised as it was, and elsewhere as CallbackError with its traceback; uncaught exceptions end the job. Notes below the
    message name the function and its line, and say whether the simulation can go on.

    Ctrl-C, SIGTERM and SIGUSR2 stop at the end of the step that is under way, with a checkpoint if there is an output
    directory, and raise KeyboardInterrupt. Between steps, on one rank, they raise it at once. On several ranks, which may be
    at different places of your script, they count at the end of the next step; a second one raises KeyboardInterrupt at once.

    In a `with` block, a run that is left before its end, also through an exception, is closed: with a checkpoint where that
    is possible, and with "stopped early" or "failed" as its status in run.json. It is possible unless a step has failed when
    it had changed particles, or one rank of several raises an exception of its own. sys.exit() there with a code that is not
    0, on one rank of several, ends all ranks. Without a `with` block a script on one rank that ends does the same; on several
    ranks it writes the status only, and the others wait for a rank that has left by sys.exit().
    """

    def __init__(self, case: Union[str, os.PathLike, Mapping[str, Any]], comm: Any = None, *,
                 output_dir: Union[str, os.PathLike, None] = None, restart: Union[str, os.PathLike, None] = None,
                 force: bool = False, overrides: Union[Mapping[str, Any], Sequence[str], None] = None) -> None:
        name, text, places = _read(case)
        if isinstance(overrides, str):
            raise InputError(f"overrides: a text, '{overrides}' (it is a dict or a list of texts). Give ['{overrides}']")
        words = _overrides(overrides) if isinstance(overrides, Mapping) else list(overrides or [])
        try:
            self._run = _freshet.Run(name, text, words, os.fspath(output_dir or ""), os.fspath(restart or ""), bool(force),
                                     _address(comm))
        except InputError as error:
            if places is None:
                raise
            raise InputError(_in_dict(str(error), places)) from None
        self._comm = comm
        self._rank, self._size = self._run.rank, self._run.size  # which stay when the simulation is closed
        self._particles, self._fields = Particles(self._run), Fields(self._run)
        self._forces, self._sources = [], []  # (function, its number)
        self._solids = tuple(Solid(self._run, number) for number in range(self._run.n_solids))
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
        """Take one step of at most dt [s]; None: of what time.cfl allows. dt may not be below time.min_dt. Returns its Report.

        The output that is due is written. The step that reaches the end of the case finishes the output.
        """
        if self.is_over:
            raise Error(f"the run is at its end (t = {self.time:g} s of run.end_time = {self._run.end_time:g} s, step "
                        f"{self.steps}). Change run.end_time or run.max_steps to go on")
        self._run.step(checked_dt(dt))
        self._after_step()
        return self.report

    def frames(self, dt: float) -> Iterator[Frame]:
        """Step to the times 0, dt, 2 dt, ... [s] and to the end, and yield a Frame at each of them.

        Steps are cut so that they land on these times exactly. A run that is under way begins with the next such time.
        """
        if not dt >= self._run.min_dt:
            raise InputError(f"frames: dt is {dt:g} s (it must be at least time.min_dt, {self._run.min_dt:g} s). Give the time between "
                             "two frames")
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
        return Step(self, self._run.begin_step(checked_dt(dt)))

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
        """Numbers of the last step that has come to its end, by their names in steps.csv; see Report."""
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
    def solids(self) -> tuple[Solid, ...]:
        """The solids of the case, by their numbers; see Solid."""
        return self._solids

    @property
    def is_over(self) -> bool:
        """True at the end of the case: at run.end_time, after run.max_steps, or without any liquid. False within a step."""
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
        check_callable("force", function)
        if not 0.0 <= largest_acceleration < math.inf:
            raise InputError(f"add_force: largest_acceleration is {largest_acceleration:g} m/s^2 (it is a bound, for the first time "
                             "step). Give a number from 0 on")
        force = Force(self._run, function)
        self._forces.append((function, self._run.add_force(force.__call__, force.place, float(largest_acceleration))))
        return function

    def remove_force(self, function: Callable) -> None:
        """Take a force away again that add_force() has added. Errors: KeyError if it is none"""
        place = place_in(self._forces, function, "force")
        self._run.remove_force(self._forces[place][1])
        del self._forces[place]

    def add_source(self, function: Callable[[float, float], Any]) -> Callable:
        """Add particles: function(time, dt) is called at the end of each step and returns those that come in it.

        It gives None, or a dict (or tuple) of position (n, 3) [m], velocity, which broadcasts to (n, 3) [m/s], and tag. Each
        rank gives particles of its own, anywhere in the domain; those in solids or outside are left out. Each stands for
        particle_mass. Returns the function, so that it may stand as a decorator: @sim.add_source.
        """
        check_callable("source", function)
        self._sources.append((function, self._run.add_source(source(self._run, function))))
        return function

    def remove_source(self, function: Callable) -> None:
        """Take a source away again that add_source() has added. Errors: KeyError if it is none"""
        place = place_in(self._sources, function, "source")
        self._run.remove_source(self._sources[place][1])
        del self._sources[place]

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
            failed = not issubclass(kind, _INTERRUPTS)
            if kind is SystemExit and error.code not in (None, 0):  # which passes by sys.excepthook
                failed = True
                _exits.append(error.code if isinstance(error.code, int) else 1)
            self._run.leave_alone(failed)

    def _leave_after(self, error):
        """Close; what fails meanwhile is a note to the error."""
        try:
            self.close()
        except (Error, RuntimeError) as failure:
            add_note(error, f"the run could not be closed in order: {failure}")

    def __repr__(self):
        if self._run.is_closed:
            return "<freshet.Simulation, closed>"
        return f"<freshet.Simulation t = {self.time:g} s, step {self.steps}, {len(self.particles)} particles here>"


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
_exits = []  # codes of sys.exit() that left a simulation on one rank of several


def _leave_all(kind):
    """Other ranks are at different places of the script: the runs are left from this rank alone."""
    for simulation in list(_open_ones):
        simulation._run.leave_alone(not issubclass(kind, _INTERRUPTS))


watch_exceptions(_leave_all)


def _end():
    """At the end of the interpreter: a run on one rank is left in order; ranks of a larger one may be at different places."""
    for simulation in list(_open_ones):
        if simulation.size == 1:
            try:
                simulation.close()
            except (Error, RuntimeError) as failure:
                print(f"freshet: error: a run could not be closed in order: {failure}", file=sys.stderr)
    if _exits:
        sys.stdout.flush()
        sys.stderr.flush()
        _freshet.abort(_exits[-1])
    _freshet.end_session()


atexit.register(_end)
