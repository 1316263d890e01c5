# SPDX-License-Identifier: Apache-2.0
"""A step, sub-step by sub-step."""
import math
from collections.abc import Iterator
from typing import Optional

from . import _load
from .arrays import Report
from .errors import InputError, RunError

_phase_texts = _load("_freshet").phase_texts
_PHASES = _phase_texts(is_prescribed=False)
_END = ("end", "sums, checks, and the output that is due; returns the step's Report")
_LIST = "\n".join(f"    {name:<11}  {text}" for name, text in [*_PHASES, _END])


def checked_dt(dt):
    """dt, a time step [s] or None. Errors: InputError unless it is above 0 and finite"""
    if dt is not None and not (dt > 0 and math.isfinite(dt)):
        raise InputError(f"dt = {float(dt):g} is no time step [s]. Give one above 0, or None for what time.cfl allows")
    return None if dt is None else float(dt)


class Step:
    __doc__ = f"""One step, sub-step by sub-step; made by Simulation.begin_step(). Each sub-step is a method, to be called in order:

{_LIST}

    Between them sim.fields and sim.particles show the state, and fields may be written to. A method out of order raises
    RuntimeError and changes nothing. A run with motion.field = "enright" has `prescribe` in place of the first five.

    Iterating over the step calls what is left and yields each name after its sub-step:

        for phase in sim.begin_step():
            print(phase, sim.fields.velocity[0].max())

    Simulation.step() judges the velocity after extrapolate: if it moves particles too far, or if the pressure could not be
    solved for, step() takes forces, project and extrapolate again with a smaller dt. The iteration does the same: it yields
    these names once more, `dt` is that of the present trial, and `retries` counts the trials before it. So the phases of a
    step are those up to its last "extrapolate". Called as methods, project and extrapolate raise RunError in that case, and
    the next call is retry(), which goes back to forces. Up to blend no particle has changed, and retry(dt) goes back to
    forces with a dt of one's own.

    A step that fails before blend is given up: the simulation is as before it. If it fails later it cannot go on. The note
    below the exception's message says which.
    """

    def __init__(self, simulation, dt):
        self._simulation = simulation
        self._run = simulation._run
        self.dt = dt  # [s]

    @property
    def next(self) -> str:
        """Name of the sub-step that is due; empty after the last one."""
        return self._run.next_phase

    @property
    def retries(self) -> int:
        """How often this step has gone back to forces with a smaller dt."""
        return self._run.retries

    def retry(self, dt: Optional[float] = None) -> None:
        """Go back to forces with another dt [s]. Legal after forces and before blend.

        None: with the dt that step() would take. Legal where project or extrapolate has found that dt is too long.
        """
        self.dt = self._run.retry_step(checked_dt(dt))

    def __iter__(self) -> Iterator[str]:
        while self.next:
            if self.next == "retry":
                self.retry()
            name = self.next
            self._run.phase(name)
            yield name
        self._simulation._after_step()

    def end(self) -> Report:
        """Finish the step: sums, checks, and the output that is due. Returns the step's Report."""
        self._run.phase("end")
        self._simulation._after_step()
        return self._simulation.report


def _method(name, text):
    def phase(self) -> None:
        why = self._run.phase(name)
        if why:
            raise RunError(why)

    phase.__name__, phase.__qualname__ = name, f"Step.{name}"
    phase.__doc__ = text[0].upper() + text[1:] + ". Collective."
    return phase


for _name, _text in {**dict(_PHASES), **dict(_phase_texts(is_prescribed=True))}.items():
    setattr(Step, _name, _method(_name, _text))
