# SPDX-License-Identifier: Apache-2.0
"""Two simulations step side by side, sub-step by sub-step, up to the first that leaves them with different numbers."""
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Optional

import numpy as np

from .. import _load
from ..errors import Error, InputError
from ..simulation import Simulation
from .values import Quantity, Tally, magnitude

NO_BLOCK = 255         # label of cells without a block
STATE = ("pressure",)  # fields with which a step begins: the guess of its solve. All others follow from the particles
SETS = {               # fields that a sub-step is the first of its step to set; until then they are those of the step before
    "deposit": ("velocity_old",), "label": ("labels",), "forces": ("velocity",), "prescribe": ("labels", "velocity")}
LOSES = {"move": ("velocity_old", "labels")}  # fields that a sub-step may leave without values, as it may make new blocks
NAMED = 5              # ids of missing particles that are told


@dataclass
class Difference:
    """The first sub-step after which two simulations differ."""

    step: int                   # number of the step that was under way, from 1; at "start": steps that were taken
    time: float                 # of its begin [s]
    phase: str                  # "start", "begin_step" (the time step), a name of Step, or "end"
    quantities: list[Quantity] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)  # texts on particles that one of the two alone has

    def __str__(self) -> str:
        head = f"step {self.step} (from t = {self.time:.6g} s), {self.phase}:"
        return "\n".join([head, *(f"  {quantity.text()}" for quantity in self.quantities), *(f"  {text}" for text in self.missing)])


def diff(first: Any, second: Any, *, steps: Optional[int] = None, tolerance: float = 0.0, ignore: Sequence[str] = (),
         ranks: Optional[tuple[int, int]] = None, overrides: Optional[tuple[Any, Any]] = None) -> Optional[Difference]:
    """Step two simulations side by side. Returns the Difference after the first sub-step that has one; None without any.

    first, second  cases, as Simulation takes them, or Simulations between two steps, such as those that go on from checkpoints
    steps          at most so many steps; None: to the end of one of the two
    tolerance      real numbers may differ by this share of the quantity's largest magnitude; 0: bit for bit
    ignore         names of quantities that are left out
    ranks          of how many ranks each of two cases runs, for example (1, 3) under `mpirun -np 3`; None: all
    overrides      keys to set on top of the first and the second case: (None, {"time.cfl": 0.5})

        print(freshet.diff("case.toml", "case.toml", overrides=(None, {"pressure.preconditioner": "jacobi"})))

    Compared are, after each sub-step, the particles by their ids (position [m], velocity and all other attributes), and
    labels, velocities on faces (velocity_x ...: on the low faces of the cells) and the pressure in the blocks that both have.
    Simulations that were given run on all ranks, and stay where they are, in the middle of a step. Collective. On several ranks
    it needs mpi4py, and rank 0 holds all particles and fields of both.
    """
    walk = _Walk(None if ranks is None else all_ranks(), _Comparison(tolerance, tuple(ignore)))
    try:
        for place, one in enumerate((first, second)):
            walk.add(one, ranks[place] if ranks else None, overrides[place] if overrides else None)
        return walk.to_difference(steps)
    finally:
        for side in walk.sides:
            side.close()


def all_ranks():
    """mpi4py's communicator of all ranks, on which freshet has started. Collective. Errors: InputError without mpi4py"""
    try:
        from mpi4py import MPI
    except ImportError:
        raise InputError("diff: several ranks need mpi4py (it is not there). Install python3-mpi4py, or use one rank") from None
    _load("_freshet").start_session()  # also on ranks that have no part in the first simulation
    return MPI.COMM_WORLD


class _Side:
    """One of the two simulations; `simulation` is None on ranks that it does not run on."""

    def __init__(self, what, world, n_ranks, overrides):
        self._comm, self._is_own = world, not isinstance(what, Simulation)
        if not self._is_own:
            if n_ranks is not None or overrides:
                raise InputError("diff: ranks and overrides are for cases (a Simulation was given). Leave them out")
            self.simulation = what
            return
        self.simulation = None
        if n_ranks is not None:
            if not 1 <= n_ranks <= world.size:
                raise InputError(f"diff: {n_ranks} ranks of {world.size} (the job has no more). Give a number from 1 to {world.size}")
            from mpi4py import MPI
            self._comm = world.Split(0 if world.rank < n_ranks else MPI.UNDEFINED, world.rank)
            if self._comm == MPI.COMM_NULL:
                return
        self.simulation = Simulation(what, self._comm, overrides=overrides)

    def close(self):
        """Free what diff() has made."""
        if self._is_own and self.simulation is not None:
            self.simulation.close()

    def time(self):
        return self.simulation.time

    def steps(self):
        return self.simulation.steps

    def is_over(self):
        return self.simulation.is_over

    def begin(self):
        """Begin a step. Returns its dt [s]."""
        step = self.simulation.begin_step()
        self._phases = iter(step)
        return step.dt

    def next(self):
        """Take the next sub-step. Returns its name; None at the end of the step."""
        return next(self._phases, None)

    def state(self):
        """(ids in ascending order, {name: values in their order}, {name: field}); on rank 0, on others None. Collective."""
        particles, fields = self.simulation.particles, self.simulation.fields
        names = ["id", "position", *(name for name in particles.names if name not in ("id", "position"))]
        values = {name: self._gather(np.array(particles[name])) for name in names}
        grids = {"labels": fields.gather("labels"), "pressure": fields.gather("pressure")}
        for name in ("velocity", "velocity_old"):
            grids.update({f"{name}_{'xyz'[axis]}": fields.gather(name, axis) for axis in range(self.simulation.dimension)})
        if self.simulation.rank != 0:
            return None
        order = np.argsort(values["id"], kind="stable")
        values = {name: found[order] for name, found in values.items()}
        return values.pop("id"), values, grids

    def _gather(self, values):
        if self.simulation.size == 1:
            return values
        parts = (self._comm or all_ranks()).gather(values)
        return np.concatenate(parts) if parts else None


class _Comparison:
    """Compares the states of two sides."""

    def __init__(self, tolerance, ignored):
        self._tolerance, self._ignored = tolerance, ignored

    def number(self, name, one, other):
        """The Quantity of one number, as a list; empty if it is the same."""
        if name in self._ignored:
            return []
        tally = Tally(name, self._tolerance)
        tally.add(np.array([one]), np.array([other]), lambda row: {})
        return [found for found in [tally.result()] if found]

    def states(self, one, other, simulation, chosen):
        """(Quantities that differ, texts on particles that one alone has). chosen: names of fields, without their axes."""
        quantities, missing = self._particles(one, other)
        has_block = (one[2]["labels"] != NO_BLOCK) & (other[2]["labels"] != NO_BLOCK)
        cells = np.argwhere(has_block)[:, ::-1]

        def where(row):
            place = np.array(simulation.origin) + simulation.cell_size * (cells[row] + 0.5)
            return {"cell": tuple(map(int, cells[row])), "position": place.tolist()}
        for name, values in one[2].items():
            if name not in self._ignored and without_axis(name) in chosen:
                quantities += self._tally(name, values[has_block], other[2][name][has_block], where)
        return quantities, missing

    def _particles(self, one, other):
        ids, rows, other_rows = np.intersect1d(one[0], other[0], assume_unique=True, return_indices=True)
        places = one[1]["position"][rows]
        quantities = []
        for name, values in one[1].items():
            if name not in self._ignored and name in other[1]:
                quantities += self._tally(name, values[rows], other[1][name][other_rows],
                                          lambda row: {"id": int(ids[row]), "position": places[row].tolist()})
        missing = []
        for which, mine, its in (("first", one[0], other[0]), ("second", other[0], one[0])):
            alone = np.setdiff1d(mine, its, assume_unique=True)
            if len(alone):
                missing.append(f"only the {which} has {len(alone)} of the particles (id {', '.join(map(str, alone[:NAMED]))}"
                               f"{', ...' * (len(alone) > NAMED)})")
        return quantities, missing

    def _tally(self, name, a, b, where):
        tally = Tally(name, self._tolerance, max(magnitude(a), magnitude(b)) if self._tolerance > 0 else None)
        tally.add(a, b, where)
        return [found for found in [tally.result()] if found]


def without_axis(name):
    """velocity of velocity_x."""
    return name[:-2] if name[-2] == "_" else name


class _Walk:
    """Takes both sides through their sub-steps. Rank 0, which has a part in both, compares, and tells the others."""

    def __init__(self, world, comparison):
        self._world, self._comparison, self.sides = world, comparison, []

    def add(self, what, n_ranks, overrides):
        """Errors: those of Simulation, on all ranks"""
        self._together(lambda: self.sides.append(_Side(what, self._world, n_ranks, overrides)))
        if self._world is None and self.sides[-1].simulation.size > 1:
            self._world = all_ranks()
            if self.sides[-1].simulation.size != self._world.size:
                raise InputError(f"diff: a Simulation of {self.sides[-1].simulation.size} of {self._world.size} ranks (all take part). "
                                 "Give one of all ranks")

    def to_difference(self, steps):
        """The first Difference; None without any in so many steps, or to the end of one of the sides."""
        self._begin()
        found = self._compare("start", STATE, self._numbers("time", self._times))
        taken = 0
        while found is None and (steps is None or taken < steps) and not self._agree(any(self._each(_Side.is_over))):
            self._begin()
            found = self._step()
            taken += 1
        return found

    def _begin(self):
        """Note where both sides are."""
        self._times = self._each(_Side.time)
        self._steps = self._each(_Side.steps)[0]

    def _step(self):
        """A step of both sides. Returns the Difference after the first sub-step that has one."""
        found = self._numbers("dt", self._each(_Side.begin))
        if self._agree(bool(found)):
            return self._difference("begin_step", found, [])
        fields = set(STATE)
        while True:
            names = self._each(_Side.next)
            if self._agree(names[0] != names[1]):  # one of them goes back to forces, with a smaller dt
                return self._difference(names[0] or "end", [Quantity("sub-step", 1, 1, first=names[0], second=names[1])], [])
            name = self._agree(names[0])
            if name is None:
                return None
            fields.update(SETS.get(name, ()))
            fields.difference_update(LOSES.get(name, ()))
            difference = self._compare(name, fields, [])
            if difference is not None:
                return difference

    def _compare(self, phase, fields, found):
        """The Difference of the states after a sub-step. found: Quantities that differ in any case."""
        states = self._each(_Side.state)
        missing = []
        if None not in states:
            quantities, missing = self._comparison.states(*states, self.sides[0].simulation, fields)
            found = [*found, *quantities]
        return self._difference(phase, found, missing) if self._agree(bool(found or missing)) else None

    def _difference(self, phase, found, missing):
        """What rank 0, which has a part in both sides, has found."""
        step = None if self._steps is None else self._steps + (phase != "start")
        return self._agree(Difference(step, self._times[0], phase, found, missing))

    def _numbers(self, name, values):
        return self._comparison.number(name, *values) if None not in values else []

    def _each(self, question):
        """What question(side) gives for both sides; None for one that does not run here."""
        return self._together(lambda: [None if side.simulation is None else question(side) for side in self.sides])

    def _agree(self, value):
        """What rank 0 says."""
        return value if self._world is None else self._world.bcast(value)

    def _together(self, action):
        """action(). An error that it has on rank 0 is raised on all ranks: others may have no part in the side that failed."""
        failure = result = None
        try:
            result = action()
        except Error as error:
            failure = error
        failure = self._agree(failure) or failure
        if failure is not None:
            raise failure
        return result
