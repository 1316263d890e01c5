# SPDX-License-Identifier: Apache-2.0
"""Functions of a user's that the solver calls: what they are given, and what becomes of what they return."""
from collections.abc import Mapping

import numpy as np

from .arrays import broadcast, finite, tags_of
from .errors import InputError


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


def check_callable(kind, function):
    """Errors: InputError for what cannot be called"""
    if not callable(function):
        raise InputError(f"add_{kind}: {function!r} is no function. Give a function, or an object that can be called")


def place_of(kind, function):
    """\"force spring (scene.py:12)\", for messages."""
    function = getattr(function, "func", function)  # functools.partial
    code = getattr(function, "__code__", None) or getattr(getattr(type(function), "__call__", None), "__code__", None)
    name = getattr(function, "__qualname__", type(function).__qualname__)
    return f"{kind} {name} ({code.co_filename}:{code.co_firstlineno})" if code else f"{kind} {name}"


def add_note(error, text):
    """Text below the message of an exception; Python has notes from 3.11 on."""
    if hasattr(error, "add_note"):
        error.add_note(text)


class Force:
    """Calls a user's force for the faces of one axis after the other."""

    def __init__(self, run, function):
        self.run, self.function, self.place = run, function, place_of("force", function)
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
            return None if result is None else broadcast(result, velocity.shape, f"the acceleration of axis {axis}")
        except BaseException as error:
            add_note(error, f"{self.place} failed in step {self.run.steps}, at t = {time:g} s, on rank {self.run.rank}")
            raise


def given_by(given, kind):
    """What a source gave, as arrays: positions and velocities (n, 3), tags (n,). kind: type of the particles' velocities"""
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
    x = finite(given["position"], shape, "position").reshape(-1, 3)
    u = finite(given.get("velocity", 0.0), x.shape, "velocity", kind)
    return x, u, tags_of(given.get("tag", 0), x.shape[:1])


def source(run, function):
    place, kind = place_of("source", function), run.particle_array("velocity").dtype

    def call(time, dt):
        try:
            given = function(time, dt)
            return None if given is None else given_by(given, kind)
        except BaseException as error:
            add_note(error, f"{place} failed in step {run.steps}, at t = {time:g} s, on rank {run.rank}")
            raise

    return call


def place_in(functions, wanted, kind):
    """Where a function stands in a list of (function, number). Errors: KeyError"""
    for place, (function, _) in enumerate(functions):
        if function is wanted or function == wanted:
            return place
    raise KeyError(f"{place_of(kind, wanted)} is not among the {kind}s of this simulation")
