# SPDX-License-Identifier: Apache-2.0
"""Reads what runs of freshet have written. All numbers are in SI units. Needs numpy and h5py only.

    import freshet.analysis as fa

    run = fa.open("output/dam_break")                  # finished, restarted, failed or still running
    run.steps["kinetic_energy"]                        # steps.csv, a pandas table; {name: array} without pandas
    run.gauges["wall"]                                 # gauges/wall.csv, likewise
    last = run.snapshots[-1]                           # nothing is read yet but its head
    last.particles(box=((0, 0, 0), (0.2, 1, 1)), names=["velocity"])    # {name: array} of the particles in a box
    last.field("pressure", box=((0, 0, 0), (0.2, 1, 1)))                # xarray's DataArray, or Field without xarray
    last.bodies[0].velocity                            # of the first solid, if the liquid moves it
    fa.front(run, axis="x")                            # [s], [m]
    fa.compare(t, height, fa.read_table("wave.csv")).nmae
    fa.collect("output/study")                         # the runs of a folder as one table

`help()` of each function tells shapes and units.
"""
from .collection import collect, find_runs
from .compare import Comparison, compare
from .measures import (Spectrum, arrivals, crossing, energy, front, height_map, histogram, moving_mean, spectrum, volume_by_tag,
                       zero_crossings)
from .run import Run, open  # noqa: A004  (the name says what it does: freshet.analysis.open)
from .snapshot import Body, Field, Snapshot, Snapshots
from .tables import Columns, read_table, table
from .yt_data import to_yt

__all__ = ["open", "Run", "Snapshot", "Snapshots", "Field", "Body", "Columns", "read_table", "table", "energy", "front",
           "height_map", "histogram", "spectrum", "Spectrum", "volume_by_tag", "arrivals", "crossing", "zero_crossings", "moving_mean", "compare",
           "Comparison", "collect", "find_runs", "to_yt"]
