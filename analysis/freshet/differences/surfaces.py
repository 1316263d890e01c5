# SPDX-License-Identifier: Apache-2.0
"""Surfaces that two runs wrote while they went on: the first pair of files that differs."""
import re

import numpy as np

from ..geometry.meshes import read_surface
from .frames import single
from .particles import in_common, mix
from .values import Part, counted

READABLE = (".ply", ".vtp", ".obj", ".stl")


def surfaces(run):
    """{(number, ending): path} of the files in surfaces/ of a Run."""
    found = (run.directory / "surfaces").glob("surface_*")
    return {(int(path.stem[8:]), path.suffix): path for path in found
            if re.fullmatch("[0-9]+", path.stem[8:]) and path.suffix in (*READABLE, ".vdb")}


def compare_surfaces(first, second):
    """Part of the surfaces of two Runs. Vertices are compared bit for bit, in any order. Errors: ValueError for a damaged file"""
    one, other = surfaces(first), surfaces(second)
    part = Part("surfaces", counted(len(one), len(other), "file"))
    for which, mine, its in (("first", one, other), ("second", other, one)):
        alone = sorted(path.name for key, path in mine.items() if key not in its)
        if alone:
            part.only.append(f"only the {which} run has {', '.join(alone[:5])}{', ...' * (len(alone) > 5)}")
    times = first.surface_times()
    for key in sorted(one.keys() & other.keys()):
        if one[key].read_bytes() == other[key].read_bytes():
            continue
        part.quantities = differing(one[key], other[key])
        if part.quantities:
            part.place, part.time = f"surface {key[0]}", times.get(key[0])
            break
    return part


def differing(one, other):
    """Quantities of two files whose bytes differ: how many vertices have no equal one in the other file."""
    if one.suffix == ".vdb":
        return [single("bytes of the file", one.stat().st_size, other.stat().st_size) or single("whether bytes differ", 0, 1)]
    meshes = [read_surface(path) for path in (one, other)]
    points = [np.sort(mix(mesh[0])) for mesh in meshes]
    shared = in_common(*points)
    found = [single("vertices", len(points[0]), len(points[1])), single("triangles", len(meshes[0][1]), len(meshes[1][1])),
             single("vertices with an equal one in the other file", len(points[0]), shared)]
    return [quantity for quantity in found if quantity]
