# SPDX-License-Identifier: Apache-2.0
"""A curve of a run against one of an experiment."""
from dataclasses import dataclass

import numpy as np

from .tables import array, read_columns


@dataclass
class Comparison:
    """A curve of a run against measured values, at the experiment's times after the shift."""
    t: np.ndarray         # [s]
    run: np.ndarray
    experiment: np.ndarray
    shift: float          # that was added to the experiment's times [s]
    rms: float            # root of the mean square of the difference, in the curves' unit
    nmae: float           # mean of the absolute difference / the experiment's range
    bias: float           # mean of run - experiment, in the curves' unit
    correlation: float    # Pearson's; nan if one of the curves is constant

    def __str__(self):
        return (f"{len(self.t)} values, shift {self.shift:.4g} s, RMS {self.rms:.4g}, nMAE {self.nmae:.4g}, "
                f"bias {self.bias:.4g}, correlation {self.correlation:.4g}")

    def plot(self, path, label="", unit=""):
        """Draw both curves into a file: .pdf and .svg are vector graphics."""
        import matplotlib
        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
        figure, axes = plt.subplots(figsize=(5.2, 3.4), layout="constrained")
        axes.plot(self.t, self.experiment, "o", ms=3, mfc="none", color="0.25", label="experiment")
        axes.plot(self.t, self.run, color="C0", label="freshet")
        axes.set(xlabel="t [s]", ylabel=f"{label} [{unit}]" if unit else label,
                 title=f"RMS {self.rms:.3g}{' ' + unit if unit else ''}, nMAE {100 * self.nmae:.2g} %")
        axes.grid(alpha=0.3)
        axes.legend()
        figure.savefig(path)
        plt.close(figure)


def compare(t, values, experiment, column=None, shift=0.0):
    """Compare values at times t [s] with an experiment.

    experiment: a path of a .csv file, a table, or (times, values). Of a file or a table the first column is the time, and
    `column` names the values (default: the second column). shift: [s] added to the experiment's times, or (least, most):
    the shift in that range with the smallest RMS, to a thousandth of the range.
    Where several shifts are tried, each is judged on the measured times that lie in the run for all of them. Measured times at
    which the run has no number, such as the height of a place that is dry, are left out.
    Errors: ValueError if fewer than two of the measured times lie in the run
    """
    t, values = array(t), array(values)
    measured_t, measured = curve(experiment, column)
    low, high = sorted(shift) if np.ndim(shift) else (shift, shift)
    shifts = np.linspace(low, high, 1001 if high > low else 1)
    inside = np.isfinite(measured)
    if len(t):
        inside &= (measured_t + low >= t[0]) & (measured_t + high <= t[-1])
        for s in shifts:
            inside &= np.isfinite(np.interp(measured_t + s, t, values))
    if not len(t) or np.count_nonzero(inside) < 2:
        reach = f"{t[0]:g} to {t[-1]:g} s" if len(t) else "which has no values"
        raise ValueError(f"fewer than two of the experiment's times lie in the run, {reach}")
    measured_t, measured = measured_t[inside], measured[inside]

    def difference(s):
        return np.interp(measured_t + s, t, values) - measured

    best = min(shifts, key=lambda s: np.mean(difference(s) ** 2))
    off = difference(best)
    extent = np.ptp(measured)
    found = off + measured
    varies = extent > 0 and np.ptp(found) > 0
    return Comparison(measured_t + best, found, measured, float(best), float(np.sqrt(np.mean(off**2))),
                      float(np.mean(np.abs(off)) / extent) if extent > 0 else np.nan, float(np.mean(off)),
                      float(np.corrcoef(found, measured)[0, 1]) if varies else np.nan)


def curve(source, column):
    """Times and values, ascending in time."""
    if isinstance(source, tuple):
        t, values = map(array, source)
    else:
        columns = source if hasattr(source, "columns") else read_columns(source)
        names = list(columns.columns)
        if len(names) < 2:
            raise ValueError(f"the experiment has one column, {names[0]}. It needs the times and a column of values")
        if column is not None and column not in names:
            raise KeyError(f"the experiment has no column '{column}' (it has {', '.join(names)})")
        t, values = array(columns[names[0]]), array(columns[column or names[1]])
    order = np.argsort(t, kind="stable")
    return t[order], values[order]
