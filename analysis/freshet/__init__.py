# SPDX-License-Identifier: Apache-2.0
"""freshet: a distributed PIC/FLIP solver for liquids with a free surface, driven from Python.

    import freshet

    with freshet.Simulation("inputs/dam_break_2d.toml") as sim:
        for frame in sim.frames(0.1):                        # every 0.1 s of simulated time
            print(frame.time, sim.report.kinetic_energy)     # [s], [J]
            x = sim.particles.position                       # (n, 3) [m]

A case of one's own, with a force and a gauge, on two ranks (`mpirun -np 2 /usr/bin/python3 slosh.py`):

    import math
    import freshet

    case = freshet.Case(title="slosh")                           # freshet.schema() lists all keys
    case.run.end_time = 4.0                                      # [s]
    case.domain = {"dimension": 2, "cells": [48, 32], "cell_size": 0.02}     # [m]; y is up
    case.add("liquid", shape="box", lower=[0, 0], upper=[0.96, 0.3])
    case.add("gauge", name="wall", type="height", start=[0.02, 0], end=[0.02, 0.64])

    def shake(faces):                                            # of each axis: 0 is x
        if faces.axis == 0:
            return 0.4 * math.sin(4.2 * faces.time)              # [m/s^2], a number or an array

    with freshet.Simulation(case, output_dir="output/slosh") as sim:
        sim.add_force(shake, largest_acceleration=0.4)
        while not sim.is_over:
            sim.step()
            if sim.rank == 0 and (sim.steps % 50 == 0 or sim.is_over):
                print(sim.time, sim.gauges["wall"].height)       # [s], [m]

Its gauge as a figure for a paper: `python3 -m freshet plot gauge output/slosh --gauge wall -o wall.pdf`, or

    import freshet.analysis as fa
    run = fa.open("output/slosh")
    run.gauges["wall"]                                           # a table: t [s], height [m]

`help(freshet.Simulation)` tells the rest. `python3 -m freshet run CASE.toml` is the program `freshet`. `freshet.analysis`
reads what runs have written, and `freshet.plot` draws them; both need no compiled part.
"""
import importlib

from . import job

_homes = {
    "Simulation": "simulation", "Frame": "simulation", "Step": "steps", "Report": "arrays", "Particles": "arrays",
    "Fields": "arrays", "Solid": "solids", "surface": "surfaces", "Surface": "surfaces", "LevelSet": "surfaces", "diff": "differences.phases", "Faces": "callbacks", "Case": "case", "schema": "case",
    "Error": "errors", "InputError": "errors", "RunError": "errors", "FileError": "errors", "LocalError": "errors",
    "CallbackError": "errors",
}
__all__ = sorted(_homes) + ["analysis", "plot"]


def _load(part):
    """A module of the package; if it is the compiled part and missing, the message says where it comes from."""
    try:
        return importlib.import_module("." + part, __name__)
    except ModuleNotFoundError as error:
        if error.name != __name__ + "._freshet":
            raise
        raise ImportError("the compiled part of freshet is missing. Build freshet where pybind11 is installed, and add its "
                          "folder to PYTHONPATH: <build>/python, or what cmake --install prints") from None


def __getattr__(name):
    """Load a part of the package when it is first used: `import freshet` alone needs no compiled part."""
    if name in _homes:
        job.watch_exceptions()  # also of a rank on which the compiled part does not load
        return getattr(_load(_homes[name]), name)
    if name in ("analysis", "plot"):
        return _load(name)
    if name == "__version__":
        return _load("_freshet").__version__
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return __all__ + ["__version__"]
