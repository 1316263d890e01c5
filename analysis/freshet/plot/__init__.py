# SPDX-License-Identifier: Apache-2.0
"""Figures of runs, as papers print them: vector graphics, units, legends. Needs numpy, h5py and matplotlib; no compiled part.

    freshet plot --help                                    # or python3 -m freshet plot --help
    freshet plot gauge RUN --gauge wall --experiment wall.csv -o wall.pdf

    import freshet.analysis as fa
    import freshet.plot as fp

    axes = fp.energy([fa.open("output/coarse"), fa.open("output/fine")])     # matplotlib's axes, to go on with
    axes.set_xlim(0, 2)
    axes.figure.savefig("energy.pdf")

Curves and maps draw into `axes=` where they are given, else into axes of their own; overview, blocks and scaling make whole
figures, and so does freshet.plot.snapshots.snapshots (it needs scipy for runs in 3-D). `help()` of each tells the rest.
"""
from .blocks import blocks
from .curves import energy, front, gauge, histogram, spectrum, steps, study, volume
from .maps import heights, slice_of
from .overview import overview
from .scaling import scaling
from .style import SETTINGS, save

__all__ = ["energy", "front", "gauge", "histogram", "spectrum", "steps", "study", "volume", "heights", "slice_of", "overview",
           "blocks", "scaling", "SETTINGS", "save"]
