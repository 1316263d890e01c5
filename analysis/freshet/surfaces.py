# SPDX-License-Identifier: Apache-2.0
"""surface(): the level set and the triangles of particles, of a simulation or of one's own."""
import os
from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _load
from .arrays import finite
from .case import overrides as _overrides
from .case import to_toml
from .errors import InputError
from .simulation import Simulation, _address, _in_dict

_freshet = _load("_freshet")


class LevelSet:
    """The signed distance to a surface, negative in the liquid, on the blocks of this rank that lie near the surface.

    phi         (blocks, 8, 8, 8) float32 [m], x fastest; within +-band
    first_cell  (blocks, 3) int32, the lattice point of phi[b, 0, 0, 0], x y z
    origin      place of lattice point (0, 0, 0), x y z [m]
    cell_size   distance of two lattice points [m]
    band        largest |phi| [m]

    Where no block exists the liquid is farther away than the band, or it is all around. values() fills that in.
    """

    def __init__(self, made):
        self.phi, self.first_cell = made.phi, made.first_cell
        self.origin, self.cell_size, self.band = made.origin, made.cell_size, made.band

    def values(self) -> tuple[NDArray[np.float32], tuple[float, float, float]]:
        """phi on the box around this rank's blocks, (nz, ny, nx) [m], and the place of its first point, x y z [m].

        Points without a block have +band or -band as the blocks beside them. The whole surface needs a simulation, or a call of
        surface(), on one rank.
        """
        if len(self.phi) == 0:
            return np.empty((0, 0, 0), np.float32), self.origin
        first = self.first_cell.min(axis=0)
        places = (self.first_cell - first) // 8
        n = places.max(axis=0) + 1
        box = np.full((n[2], 8, n[1], 8, n[0], 8), np.nan, np.float32)
        for (x, y, z), phi in zip(places, self.phi):
            box[z, :, y, :, x, :] = phi
        _fill(box, places, self.band)
        low = tuple(float(o + self.cell_size * c) for o, c in zip(self.origin, first))
        return box.reshape(8 * n[::-1]), low


def _fill(box, places, band):
    """Give missing blocks the sign that the faces of the blocks beside them have."""
    known = np.zeros((box.shape[0], box.shape[2], box.shape[4]), bool)
    known[places[:, 2], places[:, 1], places[:, 0]] = True
    while not known.all():
        found = False
        for axis in range(3):
            for step in (-1, 1):  # from the block before along the axis, or from the one behind
                from_there = np.zeros_like(known)
                ahead, behind = [slice(None)] * 3, [slice(None)] * 3
                ahead[axis], behind[axis] = (slice(1, None), slice(None, -1))[::step]
                from_there[tuple(ahead)] = known[tuple(behind)]
                for place in np.argwhere(from_there & ~known):
                    there = place.copy()
                    there[axis] -= step
                    face = [there[0], slice(None), there[1], slice(None), there[2], slice(None)]
                    face[2 * axis + 1] = -1 if step == 1 else 0
                    box[place[0], :, place[1], :, place[2], :] = -band if box[tuple(face)].max() < 0 else band
                    known[tuple(place)] = found = True
        if not found:
            break


class Surface:
    """Triangles of a liquid's surface, and its level set. Each rank holds a part; surfaces and numbers of them are the same
    on any number of ranks.

    vertices    (n, 3) float32 [m]
    normals     (n, 3) float32, unit vectors out of the liquid
    triangles   (m, 3) int64: numbers of vertices, counter-clockwise as seen from outside. On several ranks they count over all
                ranks: this rank's vertices are first_vertex ... first_vertex + n - 1
    attributes  {name: (n,) or (n, width) float32}: what vertices took over from the particles
    level_set   a LevelSet
    volume      that the surface encloses, with walls and solids where it is open [m^3]
    area        of the triangles [m^2]
    components  number of separate pieces
    is_closed   whether every edge has two triangles

    Arrays are read-only. volume, area, components and is_closed are those of all ranks.
    """

    def __init__(self, made, comm: Any = None):
        self._made, self._comm = made, comm
        self.vertices, self.normals, self.triangles, self.attributes = made.vertices, made.normals, made.triangles, made.attributes
        self.first_vertex, self.n_vertices, self.n_triangles = made.first_vertex, made.n_vertices, made.n_triangles
        self.volume, self.area, self.components, self.is_closed = made.volume, made.area, made.components, made.is_closed
        self.level_set = LevelSet(made)

    def gather(self) -> "Surface":
        """The whole mesh on rank 0, and nothing of it on the others; the level set stays where it is. Collective."""
        return Surface(self._made.gathered(_address(self._comm)), self._comm)

    def write(self, path: Union[str, os.PathLike]) -> None:
        """Write the surface to a file whose ending names its format: .obj, .ply, ... as `freshet mesh`, or .vdb. Collective."""
        self._made.write(os.fspath(path), _address(self._comm))

    def __repr__(self):
        return f"<freshet.Surface of {self.n_vertices} vertices and {self.n_triangles} triangles, {self.volume:.6g} m^3>"


def surface(particles: Union[Simulation, ArrayLike], cell_size: Optional[float] = None, *, radius: Optional[ArrayLike] = None,
            attributes: Union[Mapping[str, ArrayLike], Sequence[str], None] = None,
            domain: Optional[Mapping[str, Any]] = None, solids: Sequence[Mapping[str, Any]] = (), per_axis: int = 2,
            comm: Any = None, **options: Any) -> Surface:
    """The surface of a liquid's particles: triangles and a level set.

        surface = freshet.surface(sim)                          # of a Simulation, between two steps, with its walls and solids
        surface = freshet.surface(sim, resolution=3, attributes=["velocity"])
        surface = freshet.surface(x, cell_size=0.02)            # of positions (n, 3) [m]
        surface.write("drop.ply")

    particles   a Simulation, or positions (n, 3) [m], each rank its own
    **options   keys of [output.surface], as freshet.schema("output.surface") lists them: method, resolution, kernel, solids,
                volume, smoothing, ... Those of a simulation's case hold where none is given
    attributes  names of arrays of a Simulation's particles that vertices take over (default: those of its case), or
                {name: (n,), (n, 2) or (n, 3)} beside positions: reals are averaged, integers chosen by weight

    Beside positions only:
    cell_size   edge of a cell of which the particles fill per_axis^3, all lengths among the options are in such cells [m]
    radius      of each particle, (n,) [m]; without it, the surface encloses the volume that the particles stand for
    domain      keys of [domain]: origin, cells, boundaries; particles at its walls get mirror images behind them. Without it
                there are no walls
    solids      a list of the keys of [[solid]]: liquid meets them at a right angle
    comm        communicator of mpi4py; None: all ranks of the job

    Collective. The same particles have the same surface on any number of ranks. In 3-D only. Method: Zhu & Bridson (2005),
    improved blobbies, with walls, a kept volume and flat water: src/method.md. Errors: InputError
    """
    if isinstance(particles, Simulation):
        given = {"cell_size": cell_size, "radius": radius, "domain": domain, "comm": comm}
        wrong = [name for name, value in given.items() if value is not None] + (["solids"] if len(solids) else [])
        if wrong:
            raise InputError(f"surface: {wrong[0]} is given beside a Simulation (which has its own). Leave it out")
        if attributes is not None:
            options["attributes"] = list(attributes)
        made = particles._run.surface(_overrides({"output": {"surface": options}}))
        return Surface(made, particles._comm)
    return _of_positions(particles, cell_size, radius, attributes, domain, solids, per_axis, comm, options)


def _of_positions(positions, cell_size, radius, attributes, domain, solids, per_axis, comm, options):
    if cell_size is None:
        raise InputError("surface: cell_size is missing (positions alone do not tell it). Give the edge of a cell of which the "
                         "particles fill per_axis^3 [m]")
    if (domain or {}).get("dimension", 3) != 3:
        raise InputError("surface: the domain is in 2-D (surfaces are in 3-D). Give another one")
    fits = domain is None
    table = dict({"cells": [8, 8, 8]} if fits else domain, cell_size=cell_size)
    case = {"title": "surface", "run": {"end_time": 1.0}, "domain": table, "particles": {"per_axis": per_axis},
            "liquid": [{"shape": "box", "lower": [0.0, 0.0, 0.0], "upper": [1.0, 1.0, 1.0]}], "output": {"surface": options}}
    if len(solids):
        case["solid"] = list(solids)
    text, places = to_toml(case)
    problem, integers = "", []
    x, radii, columns = np.zeros((0, 3)), np.zeros(0, np.float32), {}
    try:
        n = len(np.asarray(positions))
        x = finite(positions, (n, 3), "positions")
        if radius is not None:
            radii = finite(radius, (n,), "radius", np.float32).astype(np.float32)
        columns, integers = _columns(attributes or {}, n)
    except (InputError, TypeError, ValueError) as error:  # the other ranks hear of it
        problem = str(error)
    try:
        made = _freshet.make_surface("case", text, fits, x, radii, columns, integers, problem, _address(comm))
    except InputError as error:
        raise InputError(_in_dict(str(error), places)) from None
    return Surface(made, comm)


def _columns(attributes, n):
    """{name: (n, width) float32}, and the names of those that are integers."""
    if not isinstance(attributes, Mapping):
        raise InputError("attributes: names alone (they go with a Simulation). Give a dict of names and arrays")
    columns, integers = {}, []
    for name, values in attributes.items():
        array = np.asarray(values)
        width = 1 if array.ndim < 2 else array.shape[1]
        if width not in (1, 2, 3):
            raise InputError(f"attribute {name!r} has {width} numbers a particle (a vertex holds 1, 2 or 3). Split it")
        columns[str(name)] = finite(array.reshape(len(array), -1) if array.ndim else array, (n, width), f"attribute {name!r}",
                                    np.float32).astype(np.float32)
        if array.dtype.kind in "iub":
            integers.append(str(name))
    return columns, integers
