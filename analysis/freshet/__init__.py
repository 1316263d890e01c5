# SPDX-License-Identifier: Apache-2.0
"""freshet: a distributed PIC/FLIP solver for liquids with a free surface, driven from Python.

    import freshet

    with freshet.Simulation("inputs/quickstart/dam_2d.toml") as sim:
        for frame in sim.frames(0.1):                        # every 0.1 s of simulated time
            print(frame.time, sim.report.kinetic_energy)     # [s], [J]
            x = sim.particles.position                       # (n, 3) [m]

`help(freshet.Simulation)` tells the rest. `python3 -m freshet run CASE.toml` is the program `freshet`. `freshet.analysis`
reads what runs have written; it needs no compiled part.
"""
import importlib

_homes = {
    "Simulation": "simulation", "Step": "simulation", "Frame": "simulation", "Report": "simulation", "Faces": "simulation",
    "Particles": "simulation", "Fields": "simulation", "Case": "case", "schema": "case",
    "Error": "errors", "InputError": "errors", "RunError": "errors", "FileError": "errors", "LocalError": "errors",
    "CallbackError": "errors",
}
__all__ = sorted(_homes) + ["analysis"]


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
        return getattr(_load(_homes[name]), name)
    if name == "analysis":
        return _load("analysis")
    if name == "__version__":
        return _load("_freshet").__version__
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return __all__ + ["__version__"]
