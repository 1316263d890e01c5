#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What the cases of validate.py share: running freshet, reading gauges, and figures of merit."""
import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np

from freshet.analysis.tables import read_columns

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
    return read_columns(output / "gauges" / f"{name}.csv")


def data(name):
    """A table of inputs/validation/data."""
    return read_columns(CASES / "data" / name)


def rms(values):
    return float(np.sqrt(np.mean(np.square(values))))


def volume_drift(output, name="all"):
    """Largest deviation of the liquid's volume from the first one, relative to it."""
    volume = gauge(output, name)["volume"]
    return float(np.max(np.abs(volume / volume[0] - 1)))
