# SPDX-License-Identifier: Apache-2.0
"""Snapshots of two runs: the first pair that differs."""
import h5py
import numpy as np

from ..analysis.snapshot import block_coordinates, origin_and_spacing, rows
from .particles import AT_A_TIME, compare_particles
from .values import Part, Tally, counted, magnitude

BLOCK_CELLS = 8           # of a block, along each axis
CELLS_AT_A_TIME = 1 << 22
CADENCE = ("output.interval", "output.times")  # keys with which frames of the same number are at different times


class Particles:
    """The particles of an open snapshot, for compare_particles()."""

    exact = {}

    def __init__(self, file, snapshot):
        self._group, self._path = file[f"data/{snapshot.iteration}/particles/liquid"], snapshot.path
        self.count, self.names = snapshot.count, snapshot.records
        self.has_ids = "id" in snapshot.records

    def __str__(self):
        return str(self._path)

    def read(self, name, first, last):
        return rows(self._group[name], first, last)

    def place(self, first, last):
        return self.read("position", first, last)


def pair_frames(first, second, by_time):
    """(pairs of Snapshots with their numbers, numbers that only the first has, only the second), of two lists of Snapshots.

    by_time: frames of equal times belong together, else those of equal numbers.
    """
    keys = [{(snapshots[place].time if by_time else snapshots.number(place)): place for place in range(len(snapshots))}
            for snapshots in (first, second)]
    pairs = [(keys[0][key], keys[1][key]) for key in sorted(keys[0].keys() & keys[1].keys())]
    alone = [sorted(snapshots.number(mine[key]) for key in mine.keys() - other.keys())
             for snapshots, mine, other in ((first, *keys), (second, *keys[::-1]))]
    return pairs, alone


def compare_frames(first, second, settings, tolerance=0.0, ignored=(), at_a_time=AT_A_TIME):
    """Part of the snapshots of two Runs. settings: the keys that differ.

    Frames belong together by their numbers; by their times where the runs were told to write at different times.
    Errors: ValueError for a file that is not whole
    """
    by_time = any(key in settings for key in CADENCE)
    lists = [run.snapshots for run in (first, second)]
    pairs, alone = pair_frames(*lists, by_time)
    counts = [len(snapshots) for snapshots in lists]
    part = Part("snapshots", counted(*counts, "frame"))
    if by_time:
        part.notes.append("frames of equal times were compared: output.interval or output.times differs")
    for which, numbers in zip(("first", "second"), alone):
        if numbers:
            part.only.append(f"only the {which} run has frame {', '.join(map(str, numbers[:5]))}{', ...' * (len(numbers) > 5)}")
    for places in pairs:
        one, other = (snapshots[place] for snapshots, place in zip(lists, places))
        numbers = [snapshots.number(place) for snapshots, place in zip(lists, places)]
        with h5py.File(one.path) as file, h5py.File(other.path) as other_file:
            _compare_pair(part, (file, one), (other_file, other), first.box[0], (tolerance, ignored, at_a_time))
            if part.quantities or part.missing:
                part.place = f"frame {numbers[0]}" + (f" and {numbers[1]}" if numbers[0] != numbers[1] else "")
                part.step, part.time = step_of(file), one.time
                break
    return part


def step_of(file):
    """Number of the step at whose end a file was written."""
    return int(file.attrs.get("freshetStep", 0))


def _compare_pair(part, first, second, origin, options):
    """Add to the part what differs between two open snapshots, each (file, Snapshot)."""
    (file, one), (other_file, other) = first, second
    tolerance, ignored, at_a_time = options
    _keep(part, [single("step", step_of(file), step_of(other_file)), single("time", one.time, other.time, tolerance)])
    for kind, a, b in (("record", one.records, other.records), ("field", one.fields, other.fields)):
        for which, names in (("first", set(a) - set(b)), ("second", set(b) - set(a))):
            _note(part.only, [f"only the {which} run has the {kind} {name}" for name in sorted(names - set(ignored))])
    names = [name for name in one.records if name in other.records and name not in ("id", *ignored)]
    found, missing, notes = compare_particles(Particles(file, one), Particles(other_file, other), names, tolerance, at_a_time)
    _keep(part, [single("particles", one.count, other.count), *found])
    part.missing += missing
    _note(part.notes, notes)
    _keep_poses(part, one.solid_poses, other.solid_poses, tolerance)
    _keep_bodies(part, one.bodies, other.bodies, tolerance)
    if "rank" in one.fields and "rank" in other.fields:
        _note(part.notes, ["not compared: rank (which rank owns a cell)"])
    for name in one.fields:
        if name in other.fields and name != "rank" and name not in ignored:
            _keep(part, [compare_field(part, (file, one), (other_file, other), name, origin, tolerance)])


def single(name, one, other, tolerance=0.0):
    """A Quantity of one number; None if it is the same."""
    tally = Tally(name, tolerance)
    tally.add(np.array([one]), np.array([other]), lambda row: {})
    return tally.result()


def _note(texts, more):
    texts += [text for text in more if text not in texts]


def _keep(part, quantities):
    part.quantities += [quantity for quantity in quantities if quantity]


def _keep_poses(part, one, other, tolerance):
    """Rotations and translations of moving solids."""
    if one is None or other is None or np.shape(one) != np.shape(other):
        return
    tally = Tally("poses of solids", tolerance, max(magnitude(one), magnitude(other)))
    tally.add(one.reshape(len(one), -1), other.reshape(len(one), -1), lambda row: {"solid": int(row)})
    _keep(part, [tally.result()])


def _keep_bodies(part, one, other, tolerance):
    """Velocities of bodies that the liquid moves, and forces and moments on them."""
    solids = sorted(one.keys() & other.keys())
    for name in ("velocity", "angular_velocity", "force", "moment") if solids else ():
        a, b = (np.array([getattr(bodies[n], name) for n in solids]) for bodies in (one, other))
        tally = Tally(f"{name.replace('_', ' ')} of bodies", tolerance, max(magnitude(a), magnitude(b)))
        tally.add(a, b, lambda row: {"solid": solids[int(row)]})
        _keep(part, [tally.result()])


# -------------------------------------------------------------------------------------------------------------- fields
def compare_field(part, first, second, name, origin, tolerance):
    """A Quantity of a field of two open snapshots; None if it is the same.

    Compared are the cells of blocks that exist in both: which blocks exist besides those with liquid depends on the ranks.
    """
    things = [file[f"data/{snapshot.iteration}/meshes/{name}"] for file, snapshot in (first, second)]
    corners, spacings = zip(*(origin_and_spacing(thing) for thing in things))
    if spacings[0] != spacings[1]:
        text = f"fields are not compared: the cells have {spacings[0]:g} and {spacings[1]:g} m"
        _note(part.notes, [text])
        return None
    lows = [np.rint((corner - origin) / spacings[0]).astype(int) for corner in corners]
    shapes = [np.array(_components(thing)[0].shape[::-1]) for thing in things]
    low, high = np.maximum(*lows), np.minimum(*(low + shape for low, shape in zip(lows, shapes)))
    if (high <= low).any():
        return None
    exists = _blocks_of_both(first[0], second[0], low, high)
    scale = max(_largest(thing) for thing in things) if tolerance > 0 else None
    tally = Tally(name, tolerance, scale)
    layers = max(1, int(CELLS_AT_A_TIME // np.prod((high - low)[:2])))
    for z in range(low[2], high[2], layers):
        box = np.array([[low[0], low[1], z], [high[0], high[1], min(z + layers, high[2])]])
        _add_box(tally, things, lows, box, exists, (origin, spacings[0]))
    return tally.result()


def _components(thing):
    return [thing[name] for name in sorted(thing)] if isinstance(thing, h5py.Group) else [thing]


def _largest(thing):
    return max(magnitude(component[z]) for component in _components(thing) for z in range(component.shape[0]))


def _blocks_of_both(first, second, low, high):
    """exists[z][y][x] of the blocks that meet the box of cells low ... high - 1, and the first of them."""
    first_block = low // BLOCK_CELLS
    exists = np.ones((high - 1) // BLOCK_CELLS - first_block + 1, dtype=bool)
    for file in (first, second):
        if "freshetBlocks" in file:
            blocks = block_coordinates(file["freshetBlocks"][()]) - first_block
            here = np.zeros_like(exists)
            here[tuple(blocks[((blocks >= 0) & (blocks < exists.shape)).all(axis=1)].T)] = True
            exists &= here
    return exists, first_block


def _add_box(tally, things, lows, box, blocks, lattice):
    """Compare the cells box[0] ... box[1] - 1 of a field."""
    exists, first_block = blocks
    cells = [np.arange(box[0][d], box[1][d]) for d in range(3)]
    chosen = exists[np.ix_(*(cells[d] // BLOCK_CELLS - first_block[d] for d in range(3)))].transpose(2, 1, 0)
    values = []
    for thing, low in zip(things, lows):
        part = tuple(slice(box[0][d] - low[d], box[1][d] - low[d]) for d in (2, 1, 0))
        values.append(np.stack([component[part][chosen] for component in _components(thing)], axis=-1))
    z, y, x = np.nonzero(chosen)

    def where(row):
        cell = np.array([x[row], y[row], z[row]]) + box[0]
        return {"cell": tuple(map(int, cell)), "position": (lattice[0] + lattice[1] * (cell + 0.5)).tolist()}
    tally.add(*values, where)
