#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What the cases of validate.py share: running freshet, reading gauges, and figures of merit."""
import json
import os
import shutil
from pathlib import Path

import numpy as np

from freshet.analysis.tables import read_columns
from launch import finish, mpi_settings

ROOT = Path(__file__).resolve().parents[1]
CASES = ROOT / "inputs" / "validation"
G = 9.81  # [m/s^2]


class Table:
    """Records of `case, quantity, metric, value, bound, reference`, and lines that show them."""

    def __init__(self):
        self.records = []
        self.grids = {}  # (case, quantity, metric) -> values with the names of their grids

    def head(self):
        print(f"{'case':46} {'quantity':28} {'metric':34} {'value':>10}  {'goal':14}  published codes", flush=True)

    def add(self, case, grid, quantity, metric, value, reference, bound, peers):
        value = float(value)
        name = f"{case}, {grid}" if grid else case
        self.records.append({"case": name, "quantity": quantity, "metric": metric, "value": value, "bound": bound,
                             "reference": f"{reference}; {peers}" if peers else reference})
        if grid:
            self.grids.setdefault((case, quantity, metric), []).append(f"{value:.3g} ({grid})")
        verdict = "" if bound is None else f"<= {bound:g}  {'yes' if value <= bound else 'NO'}"
        print(f"{name:46} {quantity:28} {metric:34} {value:10.4g}  {verdict:14}  {peers}".rstrip(), flush=True)

    def by_grid(self):
        """Show each figure that was measured on several grids in one line."""
        print("\nBy grid:")
        for (case, quantity, metric), values in self.grids.items():
            if len(values) > 1:
                print(f"{case:46} {quantity:28} {metric:34} {', '.join(values)}", flush=True)


class Bench:
    """Runs cases, and adds what they give to a table."""

    def __init__(self, program, directory, quick, ranks, table, surface=None, settings=()):
        """`surface` is a value of labels.surface for all cases in place of their own, `settings` further keys for all: KEY=VALUE."""
        self.program = str(program)
        self.directory = Path(directory) / surface if surface else Path(directory)
        self.surface = surface
        self.settings = tuple(settings)
        self.quick = quick
        self.ranks = ranks
        self.table = table
        self.directory.mkdir(parents=True, exist_ok=True)

    def run(self, name, case, *overrides):
        """Run a case file and return its output directory; a finished run of the same words is taken as it is."""
        output = self.directory / name
        overrides = (*overrides, *self.settings)
        if self.surface:
            overrides = (*overrides, f"labels.surface={self.surface}")
        words = [self.program, "run", str(case), *overrides, "--output-dir", str(output)]
        stamp = output / "words.json"
        identity = [*words, Path(case).read_text(encoding="utf-8"), os.stat(self.program).st_mtime]
        if stamp.is_file() and json.loads(stamp.read_text()) == identity:
            return output
        shutil.rmtree(output, ignore_errors=True)
        launcher = ["mpirun", "-np", str(self.ranks)] if self.ranks > 1 else []
        done = finish([*launcher, *words], os.environ | mpi_settings(), "validation")
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(words)}: exit code {done.returncode}\n{done.stderr[-800:]}")
        stamp.write_text(json.dumps(identity))
        return output

    def add(self, case, quantity, metric, value, reference, bound=None, peers=""):
        """One record. `case` is a name, or a name and that of the grid; `bound` stands only where there is a goal, `peers` where it
        is known what published codes reach."""
        name, grid = (case, "") if isinstance(case, str) else case
        self.table.add(f"{name}, {self.surface}" if self.surface else name, grid, quantity, metric, value, reference, bound, peers)


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
