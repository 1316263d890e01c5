#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What the cases of validate.py share: running freshet, reading gauges, and figures of merit."""
import csv
import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
CASES = ROOT / "inputs" / "validation"
G = 9.81  # [m/s^2]


class Bench:
    """Runs cases and collects records of `case, quantity, metric, value, bound, reference`."""

    def __init__(self, program, directory, quick, ranks, surface=None):
        """`surface` is a value of labels.surface for all cases; without it each case has its own, or the default."""
        self.program = str(program)
        self.directory = Path(directory) / surface if surface else Path(directory)
        self.surface = surface
        self.quick = quick
        self.ranks = ranks
        self.records = []
        self.directory.mkdir(parents=True, exist_ok=True)

    def run(self, name, case, *overrides):
        """Run a case file and return its output directory; a finished run of the same words is taken as it is."""
        output = self.directory / name
        if self.surface:
            overrides = (*overrides, f"labels.surface={self.surface}")
        words = [self.program, "run", str(case), *overrides, "--output-dir", str(output)]
        stamp = output / "words.json"
        identity = [*words, Path(case).read_text(encoding="utf-8"), os.stat(self.program).st_mtime]
        if stamp.is_file() and json.loads(stamp.read_text()) == identity:
            return output
        shutil.rmtree(output, ignore_errors=True)
        launcher = ["mpirun", "-np", str(self.ranks)] if self.ranks > 1 else []
        done = subprocess.run([*launcher, *words], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(words)}: exit code {done.returncode}\n{done.stderr[-800:]}")
        stamp.write_text(json.dumps(identity))
        return output

    def add(self, case, quantity, metric, value, reference, bound=None):
        """One record; `bound` only where there is a goal."""
        if self.surface:
            case = f"{case}, {self.surface}"
        self.records.append({"case": case, "quantity": quantity, "metric": metric, "value": float(value),
                             "bound": bound, "reference": reference})
        verdict = "" if bound is None else f"  <= {bound:g}  {'yes' if value <= bound else 'NO'}"
        print(f"{case:44} {quantity:28} {metric:34} {value:10.4g}{verdict}", flush=True)


def gauge(output, name):
    """The columns of gauges/NAME.csv by their names without units."""
    return table(output / "gauges" / f"{name}.csv")


def table(path):
    """The columns of a CSV file by their names without units; lines that begin with # are left out. Text stays text."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.reader(line for line in file if not line.startswith("#")))
    columns = {}
    for name, values in zip(rows[0], zip(*rows[1:])):
        try:
            columns[name.split(" [")[0]] = np.array(values, dtype=float)
        except ValueError:
            columns[name] = np.array(values)
    return columns


def data(name):
    """A table of inputs/validation/data."""
    return table(CASES / "data" / name)


def rms(values):
    return float(np.sqrt(np.mean(np.square(values))))


def crossing(t, y, level):
    """The first time at which y rises to `level`, by linear interpolation; NaN if it never does."""
    above = np.nonzero(y >= level)[0]
    if len(above) == 0:
        return np.nan
    n = above[0]
    return t[0] if n == 0 else t[n - 1] + (t[n] - t[n - 1]) * (level - y[n - 1]) / (y[n] - y[n - 1])


def zero_crossings(t, y):
    """All times at which y changes its sign."""
    n = np.nonzero(y[:-1] * y[1:] < 0)[0]
    return t[n] + (t[n + 1] - t[n]) * y[n] / (y[n] - y[n + 1])


def moving_mean(t, y, width):
    """Means of y, linear between its points, over [t - width/2, t + width/2]."""
    integral = np.concatenate([[0], np.cumsum(0.5 * (y[1:] + y[:-1]) * np.diff(t))])
    low, high = np.clip(t - width / 2, t[0], t[-1]), np.clip(t + width / 2, t[0], t[-1])
    return (np.interp(high, t, integral) - np.interp(low, t, integral)) / np.maximum(high - low, 1e-300)


def volume_drift(output, name="all"):
    """Largest deviation of the liquid's volume from the first one, relative to it."""
    volume = gauge(output, name)["volume"]
    return float(np.max(np.abs(volume / volume[0] - 1)))
