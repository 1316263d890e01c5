# SPDX-License-Identifier: Apache-2.0
"""Curves of one or more runs. Each function draws into `axes`, or into axes of its own, and returns them."""
import itertools
from functools import wraps

import matplotlib.pyplot as plt
import numpy as np

from .. import analysis as fa
from ..analysis.tables import array
from .style import SETTINGS, figure_of, named


def drawn(function):
    """Draw into axes that are given, or into axes of its own that look as figures of a paper."""
    @wraps(function)
    def draw(*words, axes=None, **more):
        if axes is None:
            with plt.rc_context(SETTINGS):
                axes = figure_of(8.5, 6.0)[1]
                return draw(*words, axes=axes, **more)
        function(*words, axes=axes, **more)
        handles, labels = axes.get_legend_handles_labels()
        if len(labels) > 1 or more.get("experiment") is not None:
            axes.legend(handles, labels)
        return axes
    return draw


def labels_of(runs, labels):
    """The labels given, or the runs' titles where they differ, or the names of their folders."""
    if labels:
        return [label for label, _ in zip([*labels, *[""] * len(runs)], runs)]
    titles = [run.title for run in runs]
    return titles if len(set(titles)) == len(titles) else [run.directory.name for run in runs]


def units_of(found):
    """{name: unit} of either kind of table."""
    return getattr(found, "units", None) or getattr(found, "attrs", {}).get("units", {})


@drawn
def energy(runs, labels=None, relative=False, axes=None):
    """Kinetic, potential and total energy of each run against time [J]; relative: to the total at the first step."""
    several = len(runs) > 1
    for run, label in zip(runs, labels_of(runs, labels)):
        columns = fa.energy(run)
        t, total = array(columns["t"]), array(columns["total"])
        scale = 1.0 / total[0] if relative and len(total) and total[0] > 0 else 1.0
        for name in ("kinetic", "potential", "total"):
            axes.plot(t, scale * array(columns[name]), label=f"{label}, {name}" if several else name)
    axes.set(xlabel="t [s]", ylabel="energy / first total" if relative else "energy [J]")
    axes.set_ylim(0, None)


@drawn
def steps(runs, column="max_div", labels=None, log=False, axes=None):
    """A column of steps.csv of each run against time. Errors: KeyError for a column that it does not have"""
    unit = ""
    for run, label in zip(runs, labels_of(runs, labels)):
        columns = run.step_columns
        if column not in columns:
            raise KeyError(f"{run.directory}/steps.csv has no column '{column}' (it has {', '.join(columns)})")
        unit = columns.units.get(column, "")
        values = columns[column]
        axes.plot(columns["t"], np.where(values > 0, values, np.nan) if log else values, label=label)
    axes.set(xlabel="t [s]", ylabel=named(column, unit))
    if log:
        axes.set_yscale("log")


def squared(unit):
    """The square of a unit: "Pa$^2$", "(m/s)$^2$"."""
    return f"{unit}$^2$" if unit.isalpha() else f"({unit})$^2$"


def gauge_of(run, name, column=None):
    """(t, values, column, unit) of a gauge of a run. Errors: KeyError for a gauge or a column that is not there"""
    gauges = run.gauges
    if name not in gauges:
        raise KeyError(f"{run.directory} has no gauge '{name}' (it has {', '.join(gauges) or 'none'})")
    found = gauges[name]
    names = [one for one in found.columns if one not in ("step", "t")]
    column = column or names[0]
    if column not in names:
        raise KeyError(f"gauge '{name}' has no column '{column}' (it has {', '.join(names)})")
    return array(found["t"]), array(found[column]), column, units_of(found).get(column, "")


@drawn
def gauge(runs, name, column=None, labels=None, experiment=None, experiment_column=None, shift=0.0, axes=None):
    """A gauge of each run against time, with an experiment's values if they are given; see freshet.analysis.compare()."""
    for run, label in zip(runs, labels_of(runs, labels)):
        t, values, column, unit = gauge_of(run, name, column)
        curve = axes.plot(t, values, label=label)
        compared(axes, curve, t, values, experiment, experiment_column, shift, unit, run is runs[0])
    axes.set(xlabel="t [s]", ylabel=named(f"{column} at {name}", unit))


@drawn
def spectrum(runs, name, column=None, labels=None, axes=None):
    """The power spectrum of a gauge of each run; see freshet.analysis.spectrum()."""
    for run, label in zip(runs, labels_of(runs, labels)):
        t, values, column, unit = gauge_of(run, name, column)
        if not values.any():
            raise ValueError(f"column '{column}' of gauge {name} is 0 throughout: it has no spectrum")
        found = fa.spectrum(t, values)
        axes.loglog(found.frequency[1:], found.density[1:], label=f"{label}: peak at {found.peak:.3g} Hz")
    axes.set(xlabel="frequency [Hz]", ylabel=f"density, {column} at {name} [{squared(unit)}/Hz]")
    axes.legend()


@drawn
def front(runs, axis="x", labels=None, share=0.999, direction=1, experiment=None, experiment_column=None, shift=0.0,
          axes=None):
    """How far the liquid of each run reaches along an axis, against time [m]; see freshet.analysis.front()."""
    for run, label in zip(runs, labels_of(runs, labels)):
        columns = fa.front(run, axis, share, direction)
        t, values = array(columns["t"]), array(columns["position"])
        curve = axes.plot(t, values, label=label)
        compared(axes, curve, t, values, experiment, experiment_column, shift, "m", run is runs[0])
    axes.set(xlabel="t [s]", ylabel=f"front along {axis} [m]")


def compared(axes, curve, t, values, experiment, column, shift, unit, is_first):
    """Draw an experiment's values once, and add to a run's label how far it is from them."""
    if experiment is None:
        return
    found = fa.compare(t, values, experiment, column, shift)
    curve[0].set_label(f"{curve[0].get_label()}: RMS {found.rms:.3g} {unit}, nMAE {100 * found.nmae:.2g} %")
    if is_first:
        axes.plot(found.t, found.experiment, "o", ms=2.5, mfc="none", mew=0.7, color="0.2", label="experiment")


@drawn
def volume(runs, labels=None, axes=None):
    """The volume of each liquid, by its tag, of the snapshots against time [m^3; in 2-D m^2]."""
    for run, label in zip(runs, labels_of(runs, labels)):
        columns = fa.volume_by_tag(run)
        for name in list(columns.columns)[1:]:
            axes.plot(array(columns["t"]), array(columns[name]), marker="o", ms=2,
                      label=f"{label}, {name}" if len(runs) > 1 else name)
    axes.set(xlabel="t [s]", ylabel=named("volume of the particles", "m^3" if runs[0].dimension == 3 else "m^2"))
    axes.set_ylim(0, None)


@drawn
def histogram(run, record="speed", times=None, bins=50, log=False, axes=None):
    """The share of the particles by the size of a record at some times (default: the last), as a density."""
    snapshots = run.snapshots
    chosen = [snapshots.at(time) for time in times] if times else [snapshots[-1]]
    ends = [fa.histogram(snapshot, record, 1)[1] for snapshot in chosen if snapshot.count]
    extent = (min(low for low, _ in ends), max(high for _, high in ends)) if ends else None
    if record in ("speed", "velocity") and extent:
        extent = (0.0, extent[1])
    for snapshot in chosen:
        counts, edges = fa.histogram(snapshot, record, bins, extent)
        share = counts / max(1, counts.sum()) / np.diff(edges)
        axes.stairs(share, edges, label=f"t = {snapshot.time:.4g} s", color=axes._get_lines.get_next_color())
    unit = {"speed": "m/s", "velocity": "m/s", "x": "m", "y": "m", "z": "m"}.get(record, "")
    axes.set(xlabel=named(record, unit), ylabel="density" + (f" [1/({unit})]" if unit else ""))
    axes.set(yscale="log") if log else axes.set_ylim(0, None)


def word_of(value):
    """A value as a case file has it: free_slip, true, [16, 12, 8]; none for a key that the run does not have."""
    if isinstance(value, list):
        return f"[{', '.join(map(word_of, value))}]"
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value)).lower()
    return "none" if value is None else str(value)


def along_axis(column):
    """Where the values of a column stand along an axis, and the words to write there: numbers at themselves, with None for the
    words; words, truths and lists side by side, in the order in which they come."""
    values = list(column)
    if all(isinstance(value, (int, float, np.number)) and not isinstance(value, bool) for value in values):
        return array(column), None
    words = [word_of(value) for value in values]
    places = {word: place for place, word in enumerate(dict.fromkeys(words))}
    return np.array([places[word] for word in words], dtype=float), list(places)


@drawn
def study(table, x, y, by=None, log=False, axes=None):
    """A column of a table of runs, as freshet.analysis.collect() makes it, against another, whose values may be words.

    by: name of a column; a curve for each value of it. log: logarithmic axes, for numbers.
    Errors: KeyError for a column that is not there, ValueError for a y without numbers
    """
    for name in (x, y, *([by] if by else [])):
        if name not in table.columns:
            raise KeyError(f"the runs have no '{name}' (they have {', '.join(table.columns)})")
    values, words = along_axis(table[x])
    results, not_numbers = along_axis(table[y])
    if not_numbers:
        raise ValueError(f"'{y}' of the runs holds no numbers ({', '.join(not_numbers)}). Take it as --x or --by")
    groups = [word_of(value) for value in table[by]] if by else [""] * len(values)
    for group, marker in zip(dict.fromkeys(sorted(groups)), itertools.cycle("os^Dv")):
        rows = np.flatnonzero([one == group for one in groups])
        rows = rows[np.argsort(values[rows], kind="stable")]
        axes.plot(values[rows], results[rows], marker=marker, ms=3, ls="" if words else None,
                  label=f"{by} = {group}" if by else y.replace("_", " "))
    axes.set(xlabel=x, ylabel=named(y, units_of(table).get(y, "")))
    if words:
        axes.set_xticks(range(len(words)), words)
        axes.set_xlim(-0.5, len(words) - 0.5)
    if log:
        axes.set(yscale="log", **({} if words else {"xscale": "log"}))
