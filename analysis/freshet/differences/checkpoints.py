# SPDX-License-Identifier: Apache-2.0
"""Checkpoints of two runs: the first pair of the same step that differs."""
import re

import h5py
import numpy as np

from ..analysis.snapshot import block_coordinates, is_whole
from .frames import BLOCK_CELLS, single
from .particles import AT_A_TIME, compare_particles
from .values import Part, Tally, magnitude

OF_THE_MACHINE = {  # numbers of the state that are not compared, with the reason
    "wall_seconds": "wall-clock time",
    "restarts": "how often the run was continued",
    "steps_since_rebuild": "when ranks share their blocks anew",
    "uneven": "cost by rank",
    "output_until": "what was written when",
    "snapshots": "what was written when",
    "end_snapshot": "what was written when",
    "surfaces": "what was written when",
    "end_surface": "what was written when",
}
BLOCKS_AT_A_TIME = 1 << 12


class Particles:
    """The particles of an open checkpoint, for compare_particles(). Positions are in metres; their bits are those in the file."""

    exact = {"position": "block and position"}

    def __init__(self, file, origin, dx):
        self._file, self._origin, self._dx = file, origin, dx
        group = file["particles"]
        self.has_ids, self.count = "id" in group, int(group["id"].size)
        self.names = [name for name in group if name != "id"]
        self._first_particle = file["blocks/first_particle"][()].astype(np.int64)
        self._corners = BLOCK_CELLS * block_coordinates(file["blocks/key"][()])

    def __str__(self):
        return self._file.filename

    def read(self, name, first, last):
        if name == "position":
            return self.place(first, last)
        if name == "block and position":
            return np.hstack([self._corner(first, last), self._raw("position", first, last)])
        return self._raw(name, first, last)

    def place(self, first, last):
        """World positions (n, 3) [m]."""
        return self._origin + self._dx * (self._corner(first, last) + self._raw("position", first, last).astype(float))

    def _corner(self, first, last):
        """Lowest cell of each particle's block."""
        return self._corners[np.searchsorted(self._first_particle, np.arange(first, last), side="right") - 1]

    def _raw(self, name, first, last):
        values = self._file["particles"][name]
        width = int(values.attrs["width"])
        found = values[first * width:last * width]
        return found.reshape(-1, width) if width > 1 else found


def checkpoints(run):
    """{step: path} of the checkpoints of a Run."""
    found = (run.directory / "checkpoints").glob("chk_*.h5")
    return {int(path.stem[4:]): path for path in found if re.fullmatch("[0-9]+", path.stem[4:])}


def compare_checkpoints(first, second, tolerance=0.0, ignored=(), at_a_time=AT_A_TIME):
    """Part of the checkpoints that two Runs have of the same steps. Which steps those are does not count: wall-clock time may
    decide on it. Errors: ValueError for a file that is not whole
    """
    one, other = checkpoints(first), checkpoints(second)
    steps = sorted(one.keys() & other.keys())
    part = Part("checkpoints", f"{len(steps)} of the same steps")
    same = None
    if len(steps) < max(len(one), len(other)):
        part.notes.append(f"the first run holds {len(one)}, the second {len(other)}")
    for step in steps:
        for path in (one[step], other[step]):
            if not is_whole(path):
                raise ValueError(f"{path} is incomplete, or was not written by freshet")
        with h5py.File(one[step]) as file, h5py.File(other[step]) as other_file:
            _compare_pair(part, file, other_file, first, (tolerance, ignored, at_a_time))
            if part.quantities or part.missing:
                part.place, part.step, part.time = f"step {step}", step, float(file["state"].attrs["time"])
                break
            same = step
    if part.place and same is not None:
        part.notes.append(f"those of step {same} are the same: freshet.diff() from there tells the sub-step")
    return part


def _compare_pair(part, file, other_file, run, options):
    """Add to the part what differs between two open checkpoints."""
    tolerance, ignored, at_a_time = options
    state, other_state = (_numbers(f) for f in (file, other_file))
    for name in state:
        if name in other_state and name not in ignored and name not in OF_THE_MACHINE:
            found = single(name, state[name], other_state[name], tolerance)
            part.quantities += [found] if found else []
    sources = [Particles(f, run.box[0], run.cell_size) for f in (file, other_file)]
    names = [name for name in sources[0].names if name in sources[1].names and name not in ignored]
    found, missing, notes = compare_particles(*sources, names, tolerance, at_a_time)
    part.quantities += found
    part.missing += missing
    part.notes += [note for note in notes if note not in part.notes]
    if "pressure" not in ignored:
        pressure = compare_pressure(file, other_file, run, tolerance)
        part.quantities += [pressure] if pressure else []


def _numbers(file):
    """The numbers of the state and of bodies, by the names that those of bodies had as attributes."""
    numbers = dict(file["state"].attrs)
    bodies = file.get("bodies", {})
    for name in bodies:
        if name == "joint":
            numbers.update({f"joint.{n}.value": value for n, value in enumerate(bodies[name][()])})
        elif name != "solid":
            rows = bodies[name][()].reshape(bodies["solid"].size, -1)
            numbers.update({f"body.{int(solid)}.{name}{i}": value for solid, row in zip(bodies["solid"][()], rows)
                            for i, value in enumerate(row)})
    return numbers


def compare_pressure(file, other_file, run, tolerance):
    """A Quantity of the pressure in the blocks that both checkpoints have; None if it is the same."""
    keys, rows, other_rows = np.intersect1d(file["blocks/key"][()], other_file["blocks/key"][()], return_indices=True)
    cells = BLOCK_CELLS ** run.dimension
    fields = [f["blocks/pressure"] for f in (file, other_file)]
    scale = None
    if tolerance > 0:
        scale = max(magnitude(field[first:first + BLOCKS_AT_A_TIME * cells]) for field in fields
                    for first in range(0, max(1, field.size), BLOCKS_AT_A_TIME * cells))
    tally = Tally("pressure", tolerance, scale)
    for begin in range(0, len(keys), BLOCKS_AT_A_TIME):
        chosen = slice(begin, begin + BLOCKS_AT_A_TIME)
        corners = BLOCK_CELLS * block_coordinates(keys[chosen])

        def where(row):
            inside = np.array([row % cells // BLOCK_CELLS**d % BLOCK_CELLS for d in range(run.dimension)] + [0])[:3]
            cell = corners[row // cells] + inside
            return {"cell": tuple(map(int, cell)), "position": (run.box[0] + run.cell_size * (cell + 0.5)).tolist()}
        tally.add(*(blocks_of(field, wanted[chosen], cells) for field, wanted in zip(fields, (rows, other_rows))), where)
    return tally.result()


def blocks_of(field, rows, cells):
    """The values of some blocks, in the order of `rows`. Those between the first and the last row are read, too."""
    low, high = rows.min(), rows.max() + 1
    return field[low * cells:high * cells].reshape(-1, cells)[rows - low].ravel()
