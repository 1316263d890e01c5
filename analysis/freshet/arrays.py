# SPDX-License-Identifier: Apache-2.0
"""What a simulation shows: particles and fields as arrays, and numbers of a step."""
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import InputError


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
        given = []
        kind = self.velocity.dtype
        self._run.any_of_call(lambda: given.append(finite(values, (len(self), 3), "particles.velocity", kind)))  # agreed by all ranks
        self._run.set_velocity(given[0])

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
        self._run.particle_array("tag")[...] = tags_of(values, (len(self),))


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


def broadcast(values, shape, what):
    """Values as float64 of a shape. Errors: InputError that names what they are for"""
    try:
        return np.broadcast_to(np.asarray(values, dtype=float), shape)
    except (TypeError, ValueError):
        kind = f"an array of shape {np.shape(values)}" if np.shape(values) else f"a {type(values).__name__}"
    raise InputError(f"{what}: {kind} is no array of numbers that broadcasts to {shape}. Give one that does")


def finite(values, shape, what, kind=np.float64):
    """broadcast(), as an array of its own. Errors: InputError for what is no finite number, also as one of a shorter type"""
    numbers = np.ascontiguousarray(broadcast(values, shape, what))
    wrong = numbers[~(np.abs(numbers) <= np.finfo(kind).max)]
    if wrong.size:
        raise InputError(f"{what}: {wrong[0]:g} is no number that a particle can have. Give finite numbers")
    return numbers


def tags_of(values, shape):
    """Tags as uint8. Errors: InputError for numbers that are none"""
    tags = broadcast(values, shape, "tag")
    given = np.asarray(values, dtype=float)  # also where shape holds no particle
    wrong = given[~((given >= 0) & (given <= 255) & (given == np.floor(given)))]
    if wrong.size:
        raise InputError(f"tag: {wrong[0]:g} is no tag. Give whole numbers from 0 to 255")
    return np.ascontiguousarray(tags, dtype=np.uint8)
