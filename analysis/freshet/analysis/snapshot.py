# SPDX-License-Identifier: Apache-2.0
"""Snapshots of a run: particles and fields, of a part of space or of one liquid where that is all that is wanted."""
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np

from .growing import need_no_pipe

CHUNK = 1 << 20  # particles that are looked through at a time
SEAL = b"freshet seal"
SEAL_SIZE = 512  # [bytes], at the end of a whole file


def is_whole(path):
    """Whether a file bears the seal that freshet writes last."""
    need_no_pipe(path)
    with open(path, "rb") as file:
        file.seek(0, 2)
        file.seek(max(0, file.tell() - SEAL_SIZE))
        return file.read().startswith(SEAL)


@dataclass
class Body:
    """What a solid does that the liquid moves. In 2-D force and moment are those of one metre of thickness."""
    center: np.ndarray            # of mass [m]
    velocity: np.ndarray          # of the centre in the last step [m/s]
    angular_velocity: np.ndarray  # in the last step [rad/s]
    force: np.ndarray             # of the liquid, mean over the last step [N]
    moment: np.ndarray            # of the liquid about the centre, as the force [N m]


BODY_ARRAYS = ("Centers", "Velocities", "AngularVelocities", "Forces", "Moments")  # freshetSolid..., as Body's numbers


def of_solids(group, name):
    """Numbers of all solids, an attribute, or a dataset of many solids; None if the file has none."""
    return group[name][:] if name in group else group.attrs.get(name)


def bodies_of(group):
    """{number of the solid: Body} of the solids that the liquid moves; {} in files of version 0.2.0, which lack these numbers."""
    arrays = [of_solids(group, f"freshetSolid{name}") for name in BODY_ARRAYS]
    if arrays[0] is None:
        return {}
    return {int(n): Body(*(array[n] for array in arrays)) for n in np.flatnonzero(~np.isnan(arrays[0][:, 0]))}


@dataclass
class Field:
    """A grid field without xarray: values indexed [z][y][x], a vector's component last; x, y, z [m] are its coordinates."""
    values: np.ndarray
    x: np.ndarray
    y: np.ndarray
    z: np.ndarray


class Snapshot:
    """One snapshot. Only its head is read when it is opened. Errors: ValueError for a file that is not whole"""

    def __init__(self, path):
        self.path = Path(path)
        if not is_whole(self.path):
            raise ValueError(f"{path} is incomplete, or was not written by freshet")
        with h5py.File(self.path, "r") as file:
            self.iteration = int(next(iter(file["data"])))
            group = file[f"data/{self.iteration}"]
            self.time = float(group.attrs["time"] * group.attrs["timeUnitSI"])  # [s]
            self.count = int(group["particles/liquid/position/x"].size)  # particles
            self.records = sorted(set(group["particles/liquid"]) - {"particlePatches", "positionOffset"})
            self.fields = sorted(group["meshes"])
            self.share = float(group.attrs.get("freshetShare", 1.0))  # of the run's particles that it holds, in its box
            self.n_left_out = int(group.attrs.get("freshetParticlesLeftOut", 0))  # of the run's particles, by a share or a box
            # (solids, 3, 4): rotation and translation [m] of each solid since the start; None if no solid moves
            self.solid_poses = of_solids(group, "freshetSolidPoses")
            self.bodies = bodies_of(group)

    def record(self, name):
        """A record of all particles: (n,) of a scalar, (n, 3) of a vector."""
        self._need_record(name)
        return self._read(f"particles/liquid/{name}")

    def _need_record(self, name):
        """Errors: KeyError for a record that the snapshot does not have"""
        if name not in self.records:
            raise KeyError(f"{self.path} has no particle record '{name}' (it has {', '.join(self.records)})")

    def position(self):
        """Positions of all particles, (n, 3) [m]."""
        return self.record("position")

    def speed(self):
        """Speeds of all particles, (n,) [m/s]."""
        return np.linalg.norm(self.record("velocity"), axis=1)

    def particles(self, names=None, box=None, tag=None):
        """Records of some particles: {name: (n,) or (n, k)}, in the file's order; "position" is always among them.

        names: default: all records of the snapshot. box: (low, high), corners [m] that belong to it. tag: of a liquid,
        which the run wrote as `tag`. No more is held than what is asked for and a piece of the file.
        Errors: KeyError for a name that the snapshot does not have
        """
        names = list(self.records if names is None else [names] if isinstance(names, str) else names)
        names = ["position"] + [name for name in names if name != "position"]
        for name in names + (["tag"] if tag is not None else []):
            self._need_record(name)
        parts = {name: [] for name in names}
        with h5py.File(self.path, "r") as file:
            species = file[f"data/{self.iteration}/particles/liquid"]
            for first, last in pieces(species, self.count, box):
                keep = chosen(species, first, last, box, tag)
                if keep.any():
                    for name in names:
                        parts[name].append(rows(species[name], first, last)[keep])
            return {name: np.concatenate(found) if found else rows(species[name], 0, 0) for name, found in parts.items()}

    def field(self, name, box=None):
        """A grid field, of all cells or of those whose centres lie in box = (low, high) [m]: xarray's DataArray, or Field.

        Values are indexed [z][y][x]. Component d of a field on faces stands half a cell below the coordinates along d.
        """
        with h5py.File(self.path, "r") as file:
            meshes = file[f"data/{self.iteration}/meshes"]
            self._need_field(name)
            thing = meshes[name]
            origin, spacing = origin_and_spacing(thing)
            components = sorted(thing) if isinstance(thing, h5py.Group) else None
            shape = (thing[components[0]] if components else thing).shape
            axes = [origin[d] + spacing * (np.arange(shape[2 - d] if len(shape) == 3 else shape[1 - d]) + 0.5)
                    for d in range(len(shape))]
            part = [slice(None)] * len(shape)
            if box is not None:
                for d, x in enumerate(axes):
                    inside = np.flatnonzero((x >= box[0][d]) & (x <= box[1][d]))
                    part[len(shape) - 1 - d] = slice(inside[0], inside[-1] + 1) if len(inside) else slice(0, 0)
                    axes[d] = x[inside]
            values = np.stack([thing[c][tuple(part)] for c in components], axis=-1) if components else thing[tuple(part)]
        return labelled(name, values, axes, components, self.time)

    def _need_field(self, name):
        """Errors: KeyError for a field that the snapshot does not have"""
        if name not in self.fields:
            raise KeyError(f"{self.path} has no field '{name}' (it has {', '.join(self.fields)})")

    def field_on_grid(self, name):
        """A grid field as (values, origin, spacing): values indexed [z][y][x], origin (x, y, z) of the low corner [m]."""
        self._need_field(name)
        with h5py.File(self.path, "r") as file:
            origin, spacing = origin_and_spacing(file[f"data/{self.iteration}/meshes/{name}"])
        return self._read(f"meshes/{name}"), origin, spacing

    def blocks(self):
        """The blocks of 8^d cells that exist: (lattice coordinates (n, 3), ranks (n,)); None in files that do not hold them."""
        with h5py.File(self.path, "r") as file:
            if "freshetBlocks" not in file:
                return None
            keys, firsts = file["freshetBlocks"][()], file["freshetFirstBlock"][()]
        return block_coordinates(keys), np.searchsorted(firsts, np.arange(len(keys)), side="right") - 1

    def _read(self, path):
        with h5py.File(self.path, "r") as file:
            thing = file[f"data/{self.iteration}/{path}"]
            return thing[()] if isinstance(thing, h5py.Dataset) else rows(thing, 0, None)


class Snapshots(Sequence):
    """The snapshots of a run in order of time, each opened when it is asked for."""

    def __init__(self, paths, make=Snapshot):
        self._paths, self._make = list(paths), make

    def __len__(self):
        return len(self._paths)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return Snapshots(self._paths[index], self._make)
        if not self._paths:
            raise IndexError("the run has no snapshots")
        return self._make(self._paths[index])

    def number(self, index):
        """The number in the name of a snapshot's file."""
        return int(self._paths[index].stem[5:])

    def at(self, time):
        """The snapshot nearest to a time [s]. Errors: IndexError without snapshots"""
        if not self._paths:
            raise IndexError("the run has no snapshots")
        return min(self, key=lambda snapshot: abs(snapshot.time - time))


# ----------------------------------------------------------------------------------------------------- parts of a file
def rows(thing, first, last):
    """Rows first ... last - 1 of a record, the components of a vector side by side."""
    if isinstance(thing, h5py.Dataset):
        return thing[first:last]
    names = sorted(thing, key=lambda name: (len(name), name))  # x, y, z, or 0, 1, ..., 10
    return np.stack([thing[name][first:last] for name in names], axis=-1)


def pieces(species, count, box):
    """Ranges (first, last) of particles that may lie in a box, none longer than CHUNK."""
    patches = species.get("particlePatches")
    ranges = [(0, count)]
    if patches is not None and box is not None:
        counts, firsts = patches["numParticles"][()].astype(int), patches["numParticlesOffset"][()].astype(int)
        axes = sorted(patches["offset"])
        low = np.stack([patches["offset"][a][()] for a in axes], axis=-1)
        high = low + np.stack([patches["extent"][a][()] for a in axes], axis=-1)
        # a patch's box is rounded; a thousandth of it more is on the safe side
        slack = 1e-3 * (high - low) + 1e-12
        near = ((high + slack >= np.asarray(box[0])[:len(axes)]) & (low - slack <= np.asarray(box[1])[:len(axes)])).all(axis=1)
        ranges = sorted((first, first + n) for first, n, is_near in zip(firsts, counts, near) if is_near)
    for begin, end in ranges:
        for first in range(begin, end, CHUNK):
            yield first, min(first + CHUNK, end)


def chosen(species, first, last, box, tag):
    """Which of the particles first ... last - 1 lie in the box and have the tag."""
    keep = np.ones(last - first, dtype=bool)
    if tag is not None:
        keep &= species["tag"][first:last] == tag
    if box is not None:
        for d, axis in enumerate(sorted(species["position"])):
            if not keep.any():
                break
            x = species["position"][axis][first:last]
            keep &= (x >= box[0][d]) & (x <= box[1][d])
    return keep


def block_coordinates(keys):
    """Lattice coordinates (n, 3) of Morton keys, which interleave the bits of x, y and z; the lowest bit is x."""
    coordinates = np.zeros((len(keys), 3), dtype=np.int64)
    for bit in range(21):
        for axis in range(3):
            coordinates[:, axis] |= ((keys >> np.uint64(3 * bit + axis)) & np.uint64(1)).astype(np.int64) << bit
    return coordinates


def origin_and_spacing(thing):
    """Low corner (x, y, z) and edge of the cells of a mesh record [m]."""
    attributes = thing.attrs
    origin = np.array(attributes["gridGlobalOffset"][::-1] * attributes["gridUnitSI"])
    return origin, float(attributes["gridSpacing"][0] * attributes["gridUnitSI"])


def labelled(name, values, axes, components, time):
    """A field with its coordinates."""
    try:
        import xarray
    except ImportError:
        return Field(values, *axes, *([np.zeros(0)] * (3 - len(axes))))
    coordinates = {"xyz"[d]: x for d, x in enumerate(axes)}
    dimensions = ["xyz"[d] for d in reversed(range(len(axes)))]
    if components:
        dimensions.append("component")
        coordinates["component"] = components
    return xarray.DataArray(values, coordinates, dimensions, name=name, attrs={"time": time, "coordinates": "metres"})
