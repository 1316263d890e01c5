#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Reads the output of a run: parameters, snapshots, the table of steps, the timers. All values are in SI units.

    run = Run("output/dam_break")
    for snapshot in run.snapshots:
        print(snapshot.time, snapshot.position().mean(axis=0))
"""
import csv
import json
import re
import tomllib
from functools import cached_property
from pathlib import Path

import h5py
import numpy as np


def seal_of(path):
    """The last 512 bytes of a file: its seal (a checksum), if the file is complete."""
    with open(path, "rb") as file:
        file.seek(0, 2)
        file.seek(max(0, file.tell() - 512))
        return file.read()


class Snapshot:
    """One snapshot. Arrays are read from the file on request."""

    def __init__(self, path):
        self.path = Path(path)
        if not seal_of(self.path).startswith(b"freshet seal"):
            raise ValueError(f"{path} is incomplete, or was not written by freshet")
        with h5py.File(self.path, "r") as file:
            self.iteration = int(next(iter(file["data"])))
            group = file[f"data/{self.iteration}"]
            self.time = float(group.attrs["time"] * group.attrs["timeUnitSI"])  # [s]
            self.count = group["particles/liquid/position/x"].size
            self.records = sorted(set(group["particles/liquid"]) - {"particlePatches", "positionOffset"})
            self.fields = sorted(group["meshes"])
            # (solids, 3, 4): rotation and translation [m] of each solid since the start; None if no solid moves
            self.solid_poses = group.attrs.get("freshetSolidPoses")

    def record(self, name):
        """The values of a particle record: (n,) for a scalar, (n, 3) for a vector."""
        return self._read(f"particles/liquid/{name}")

    def position(self):
        """Positions of the particles, (n, 3) [m]."""
        return self.record("position")

    def speed(self):
        """Speeds of the particles, (n,) [m/s]."""
        return np.linalg.norm(self.record("velocity"), axis=1)

    def field(self, name):
        """A grid field: (values, origin, spacing). Values are indexed [z][y][x], origin is (x, y, z) [m]."""
        with h5py.File(self.path, "r") as file:
            attributes = file[f"data/{self.iteration}/meshes/{name}"].attrs
            origin = np.array(attributes["gridGlobalOffset"][::-1] * attributes["gridUnitSI"])
            spacing = float(attributes["gridSpacing"][0] * attributes["gridUnitSI"])
        return self._read(f"meshes/{name}"), origin, spacing

    def _read(self, path):
        with h5py.File(self.path, "r") as file:
            thing = file[f"data/{self.iteration}/{path}"]
            if isinstance(thing, h5py.Dataset):
                return thing[()]
            return np.stack([thing[name][()] for name in sorted(thing)], axis=-1)


class Run:
    """The output directory of a run."""

    def __init__(self, directory):
        self.directory = Path(directory)
        if not (self.directory / "input.resolved.toml").exists():
            raise FileNotFoundError(f"{directory} holds no run: it has no input.resolved.toml")

    @cached_property
    def parameters(self):
        """The resolved input, as nested dictionaries."""
        with open(self.directory / "input.resolved.toml", "rb") as file:
            return tomllib.load(file)

    @cached_property
    def snapshots(self):
        """All snapshots in order of time."""
        return sorted((Snapshot(path) for path in (self.directory / "snapshots").glob("snap_*.h5")),
                      key=lambda snapshot: snapshot.time)

    @cached_property
    def steps(self):
        """The columns of steps.csv: {name: array with one value for each step}."""
        with open(self.directory / "steps.csv", newline="") as file:
            rows = list(csv.reader(file))
        names = [re.sub(r"\s*\[.*\]$", "", name) for name in rows[0]]
        values = np.array([row for row in rows[1:] if len(row) == len(names)], dtype=float).reshape(-1, len(names))
        return dict(zip(names, values.T))

    @cached_property
    def timers(self):
        """timers.json, or None while the run goes on."""
        path = self.directory / "timers.json"
        return json.loads(path.read_text()) if path.exists() else None

    @property
    def solids(self):
        """The tables [[solid]] of the case file, with full paths of mesh files."""
        record = json.loads((self.directory / "run.json").read_text())
        folder = Path(record.get("input", "")).parent

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
