# SPDX-License-Identifier: Apache-2.0
"""The output directory of a run."""
import json
import re
import tomllib
from functools import cached_property
from pathlib import Path

import numpy as np

from .growing import GrowingTable, need_no_pipe
from .snapshot import Snapshot, Snapshots
from .tables import table


def open(path):
    """The run in an output directory. Errors: FileNotFoundError for a directory without a run"""
    return Run(path)


class Run:
    """The output directory of a run. Tables and the list of snapshots are read anew at each use, so that a run that still
    goes on is seen as it grows."""

    def __init__(self, directory):
        self.directory = Path(directory)
        if not (self.directory / "input.resolved.toml").exists():
            raise FileNotFoundError(f"{directory} holds no run: it has no input.resolved.toml")

    def __repr__(self):
        return f"Run({str(self.directory)!r})"

    @cached_property
    def parameters(self):
        """The resolved input, as nested dictionaries. Errors: ValueError that names a damaged file"""
        path = self.directory / "input.resolved.toml"
        need_no_pipe(path)
        try:
            found = tomllib.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise ValueError(f"{path} is damaged ({error})") from None
        missing = [table for table in ("run", "domain", "particles", "fluid", "output") if not isinstance(found.get(table), dict)]
        if missing:
            raise ValueError(f"{path} is damaged (it has no table [{missing[0]}])")
        return found

    @property
    def info(self):
        """run.json: versions, ranks, status and totals; {} as long as there is none."""
        return read_json(self.directory / "run.json") or {}

    @property
    def status(self):
        """As run.json has it: "running", "done", "stopped", ...; "unknown" without run.json."""
        return self.info.get("status", "unknown")

    @property
    def timers(self):
        """timers.json, or None while the run goes on."""
        return read_json(self.directory / "timers.json")

    @property
    def step_columns(self):
        """steps.csv as Columns: {name: array with one value a step}. Empty before the first step.

        Of a step that stands there twice, as after the end of a run that a restart repeats, the last row counts.
        """
        return GrowingTable(self.directory / "steps.csv").refresh()

    @property
    def steps(self):
        """step_columns as a pandas DataFrame, where there is pandas."""
        columns = self.step_columns
        return table(columns, columns.units)

    @property
    def gauges(self):
        """{name: table} of gauges/<name>.csv: a pandas DataFrame, or Columns."""
        return self._tables("gauges")

    @property
    def bodies(self):
        """{name: table} of bodies/<name>.csv, the motion of bodies that the liquid moves: a pandas DataFrame, or Columns."""
        return self._tables("bodies")

    @property
    def joints(self):
        """{name: table} of joints/<name>.csv, what joints of such bodies do: a pandas DataFrame, or Columns."""
        return self._tables("joints")

    @property
    def moorings(self):
        """{name: table} of moorings/<name>.csv, what mooring lines do: a pandas DataFrame, or Columns."""
        return self._tables("moorings")

    def _tables(self, folder):
        """{name: table} of the tables in a folder of the run that have their head line."""
        found = {}
        for path in sorted((self.directory / folder).glob("*.csv")):
            columns = GrowingTable(path).refresh()
            if columns:
                found[path.stem] = table(columns, columns.units)
        return found

    @property
    def snapshots(self):
        """The snapshots in order of time, opened when they are asked for: run.snapshots[-1], .at(0.5), in a loop."""
        found = [path for path in (self.directory / "snapshots").glob("snap_*.h5") if re.fullmatch("[0-9]+", path.stem[5:])]
        return Snapshots(sorted(found, key=lambda path: int(path.stem[5:])), self._snapshot)

    def _snapshot(self, path):
        return Snapshot(path)

    def surface_times(self):
        """{number: time [s]} of the files in surfaces/, from the table beside them."""
        columns = GrowingTable(self.directory / "surfaces" / "surfaces.csv").refresh()
        return dict(zip(map(int, columns["surface"]), map(float, columns["t"]))) if columns else {}

    @property
    def solids(self):
        """The tables [[solid]] of the case file, with full paths of mesh files."""
        folder = Path(self.info.get("input", "")).parent

        def located(shape):
            found = dict(shape)
            if "file" in shape:
                found["file"] = str(folder / shape["file"])
            if "parts" in shape:
                found["parts"] = [located(part) for part in shape["parts"]]
            return found
        return [located(solid) for solid in self.parameters.get("solid", [])]

    @property
    def title(self):
        return self.parameters.get("title") or self.directory.name

    @property
    def dimension(self):
        return int(self.parameters["domain"].get("dimension", 3))

    @property
    def cell_size(self):
        """[m]"""
        return float(self.parameters["domain"]["cell_size"])

    @property
    def particle_volume(self):
        """Share of a particle in a full cell: [m^3], in 2-D [m^2]."""
        return (self.cell_size / int(self.parameters["particles"]["per_axis"])) ** self.dimension

    @property
    def box(self):
        """Low and high corner of the domain, (2, 3) [m]."""
        domain = self.parameters["domain"]
        cells = np.array((list(domain["cells"]) + [1])[:3], dtype=float)
        origin = np.array((list(domain.get("origin", [0.0, 0.0, 0.0])) + [0.0])[:3], dtype=float)
        return np.stack([origin, origin + cells * self.cell_size])

    @property
    def up(self):
        """Unit vector against gravity; the y axis if there is no gravity."""
        gravity = np.array((list(self.parameters["fluid"]["gravity"]) + [0.0])[:3], dtype=float)
        size = np.linalg.norm(gravity)
        return -gravity / size if size > 0.0 else np.array([0.0, 1.0, 0.0])


def read_json(path):
    """The content of a file; None without it. Errors: ValueError that names a damaged file"""
    need_no_pipe(path)
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise ValueError(f"{path} is damaged ({error})") from None
    if not isinstance(found, dict):
        raise ValueError(f"{path} is damaged (it is no object)")
    return found
