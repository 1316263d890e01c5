#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What the scripts of this folder read of a run: freshet.analysis, with the table of steps as arrays. All values in SI units.

    run = Run("output/dam_break")
    for snapshot in run.snapshots:
        print(snapshot.time, snapshot.position().mean(axis=0))
"""
from functools import cached_property

from freshet.analysis import run as runs
from freshet.analysis import snapshot as snapshots


class Snapshot(snapshots.Snapshot):
    """One snapshot. Arrays are read from the file on request."""

    def field(self, name):
        """A grid field: (values, origin, spacing). Values are indexed [z][y][x], origin is (x, y, z) [m]."""
        return self.field_on_grid(name)


class Run(runs.Run):
    """The output directory of a run, as it is when it is read first."""

    @cached_property
    def snapshots(self):
        """All snapshots in order of time."""
        return list(super().snapshots)

    def _snapshot(self, path):
        return Snapshot(path)

    @cached_property
    def steps(self):
        """The columns of steps.csv: {name: array with one value for each step}."""
        return self.step_columns

    @cached_property
    def timers(self):
        """timers.json, or None while the run goes on."""
        return super().timers
