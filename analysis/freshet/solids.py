# SPDX-License-Identifier: Apache-2.0
"""The solids of a simulation, and the bodies among them that the liquid moves."""
import math
from collections.abc import Callable
from typing import Any, Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .arrays import broadcast
from .callbacks import add_note, check_callable, place_in, place_of
from .errors import InputError


class Solid:
    """A solid of the case: sim.solids[n] is its [[solid]] number n, counted from 0.

    is_free           whether the liquid moves it (body.density or body.mass is given)
    rotation          (3, 3) since the start
    translation       (3,) [m]: a point X of the case file is at translation + rotation @ X now

    Of a body that the liquid moves, also

    position          (3,) centre of mass [m]
    velocity          (3,) of the centre in the last step [m/s]
    angular_velocity  (3,) in the last step [rad/s]
    force, moment     (3,) of the liquid, about the centre, means over the last step [N], [N m]
    mass, inertia     [kg], (3, 3) about the centre, in the axes of the start [kg m^2]

    In 2-D forces and masses are those of one metre of thickness. All are the same on all ranks. Between two steps position,
    rotation, velocity and angular_velocity may be set, on all ranks alike: solid.position = [1.0, 0.5, 0.2]. Bodies that
    joints connect with it go along.
    """

    def __init__(self, run: Any, number: int) -> None:
        self._run, self._number = run, number
        self._loads = []  # (function, its number)

    @property
    def is_free(self) -> bool:
        """Whether the liquid moves it."""
        return self._run.is_free_solid(self._number)

    @property
    def rotation(self) -> NDArray[np.float64]:
        """Rotation since the start, (3, 3)."""
        return self._state()["rotation"]

    @rotation.setter
    def rotation(self, value: ArrayLike) -> None:
        self.set(rotation=value)

    @property
    def translation(self) -> NDArray[np.float64]:
        """Where the case file's origin is in the axes of the solid, (3,) [m]: x = translation + rotation @ X."""
        return self._state()["translation"]

    @property
    def position(self) -> NDArray[np.float64]:
        """Centre of mass, (3,) [m]."""
        return self._of_body("position")

    @position.setter
    def position(self, value: ArrayLike) -> None:
        self.set(position=value)

    @property
    def velocity(self) -> NDArray[np.float64]:
        """Velocity of the centre of mass in the last step, (3,) [m/s]."""
        return self._of_body("velocity")

    @velocity.setter
    def velocity(self, value: ArrayLike) -> None:
        self.set(velocity=value)

    @property
    def angular_velocity(self) -> NDArray[np.float64]:
        """Angular velocity in the last step, (3,) [rad/s]."""
        return self._of_body("angular_velocity")

    @angular_velocity.setter
    def angular_velocity(self, value: ArrayLike) -> None:
        self.set(angular_velocity=value)

    @property
    def force(self) -> NDArray[np.float64]:
        """Force of the liquid, mean over the last step, (3,) [N]."""
        return self._of_body("force")

    @property
    def moment(self) -> NDArray[np.float64]:
        """Moment of the liquid about the centre of mass, mean over the last step, (3,) [N m]."""
        return self._of_body("moment")

    @property
    def mass(self) -> float:
        """Mass [kg]."""
        return self._of_body("mass")

    @property
    def inertia(self) -> NDArray[np.float64]:
        """Moments of inertia about the centre of mass, in the axes of the start, (3, 3) [kg m^2]."""
        return self._of_body("inertia")

    def set(self, *, position: Optional[ArrayLike] = None, rotation: Optional[ArrayLike] = None,
            velocity: Optional[ArrayLike] = None, angular_velocity: Optional[ArrayLike] = None) -> None:
        """Set where the body is and how it moves, between two steps; what is not given stays. On all ranks alike: collective.

        Errors: InputError for a solid that the liquid does not move, a matrix that is no rotation, what leaves the plane in
        2-D, and if ranks give different numbers.
        """
        self._need_body("set")
        state = self._state()
        x = state["position"] if position is None else _finite(position, (3,), "position")
        turn = state["rotation"] if rotation is None else _finite(rotation, (3, 3), "rotation")
        u = state["velocity"] if velocity is None else _finite(velocity, (3,), "velocity")
        spin = state["angular_velocity"] if angular_velocity is None else _finite(angular_velocity, (3,), "angular_velocity")
        if np.abs(turn @ turn.T - np.eye(3)).max() > 1e-9 or np.linalg.det(turn) < 0.0:
            raise InputError("rotation: the matrix is no rotation (its transpose is not its inverse, or it mirrors). Give one with "
                             "orthonormal columns")
        if self._run.dimension == 2 and (x[2] not in (0.0, state["position"][2]) or u[2] or spin[0] or spin[1] or abs(turn[2, 2] - 1.0) > 1e-9):
            raise InputError("set: the body would leave the plane (the case is 2-D). Move it in x and y, and turn it about z")
        if self._run.dimension == 2:
            x = np.array([x[0], x[1], state["position"][2]])
        self._run.set_solid_state(self._number, np.concatenate([x, turn.ravel(), u, spin]))

    def add_load(self, function: Callable[["Solid", float, float], Any]) -> Callable:
        """Add a force on the body: function(solid, time, dt) is called in each trial of a step, which begins at `time` [s].

        It gives None, or a force [N] on the centre of mass, or a pair of the force and a moment about it [N m], the same on all
        ranks; in 2-D for one metre of thickness. It may read the solid, as it was at the end of the last step. Loads add up.
        Returns the function, so that it may stand as a decorator. Errors: InputError for a solid that the liquid does not move
        """
        check_callable("load", function)
        self._need_body("add_load")
        place, run = place_of("load", function), self._run

        def call(time, dt):
            try:
                given = function(self, time, dt)
                return None if given is None else _load(given)
            except BaseException as error:
                add_note(error, f"{place} failed in step {run.steps}, at t = {time:g} s, on rank {run.rank}")
                raise

        self._loads.append((function, run.add_load(self._number, call, place)))
        return function

    def remove_load(self, function: Callable) -> None:
        """Take a load away again that add_load() has added. Errors: KeyError if it is none"""
        place = place_in(self._loads, function, "load")
        self._run.remove_load(self._loads[place][1])
        del self._loads[place]

    def _state(self):
        return self._run.solid_state(self._number)

    def _of_body(self, name):
        self._need_body(name)
        return self._state()[name]

    def _need_body(self, what):
        if not self.is_free:
            raise InputError(f"{what}: the liquid does not move solid {self._number} (it has neither body.density nor body.mass). Give "
                             "one of them in the case")

    def __repr__(self):
        if not self.is_free:
            return f"<freshet.Solid {self._number}>"
        return f"<freshet.Solid {self._number}, a body of {self.mass:g} kg at {self.position}>"


def _shown(values):
    """Numbers as they are written, without the names of numpy's types."""
    try:
        return str(np.asarray(values, dtype=float).tolist())
    except (TypeError, ValueError):
        return repr(values)


def _finite(values, shape, what):
    """Numbers of a shape. Errors: InputError for others"""
    numbers = np.array(broadcast(values, shape, what), dtype=float)
    if not np.isfinite(numbers).all():
        raise InputError(f"{what}: not all of {_shown(values)} are finite numbers. Give such")
    return numbers


def _load(given):
    """The six numbers of a load."""
    shape = np.shape(given[0]) if isinstance(given, (tuple, list)) and len(given) == 2 else None
    force, moment = given if shape == (3,) else (given, (0.0, 0.0, 0.0))
    if np.shape(force) != (3,) or np.shape(moment) != (3,):
        raise InputError(f"a load gave {_shown(given)} (it gives a force of three numbers, or a pair of a force and a moment). Give these")
    numbers = np.array([*map(float, force), *map(float, moment)])
    if not all(map(math.isfinite, numbers)):
        raise InputError(f"a load gave {_shown(given)}, in which a number is not finite. Look at how it comes about")
    return numbers
