# SPDX-License-Identifier: Apache-2.0
"""What can be shown of a run, and when: moments, curves, solids. Asked anew, it tells what has come since."""
import re
import threading
from collections import OrderedDict
from pathlib import Path

import h5py
import numpy as np

from ..analysis.growing import GrowingTable
from ..analysis.run import Run
from ..analysis.snapshot import Snapshot
from ..geometry.contour import contour
from ..geometry.meshes import read_mesh
from ..geometry.shapes import parts_of, placement, signed_distance
from . import frames
from .packets import pack

CACHE_BYTES = 512 << 20
SOLID_CELLS = 72        # of the lattice on which shapes become triangles, along the longest side of the domain
CURVE_POINTS = 600
SURFACES = (".stl", ".obj", ".vtp", ".ply")  # of the same moment the last one counts: .ply and .vtp hold the speed
SAME_TIME = 1e-9        # of the run's length
MOST_OBJECTS = 100_000  # groups and arrays of a snapshot; it has some dozens
LATEST = ("step", "t", "dt", "particles", "liquid_cells", "iterations", "volume", "imbalance", "seconds", "memory")


class Missing(Exception):
    """What is asked for is not there."""


class Cache:
    """Answers by their questions; the oldest are forgotten when all together take too much memory."""

    def __init__(self, limit=CACHE_BYTES):
        self._limit, self._size, self._kept, self._lock = limit, 0, OrderedDict(), threading.Lock()

    def get(self, key, make):
        """The answer to a question, made if it is not there. Others may ask other questions while it is made."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        made = make()
        with self._lock:
            if key not in self._kept:
                self._kept[key] = made
                self._size += len(made)
            while self._size > self._limit and len(self._kept) > 1:
                _, dropped = self._kept.popitem(last=False)
                self._size -= len(dropped)
        return made


class Scene:
    """A run as the page sees it."""

    def __init__(self, directory):
        self.directory = Path(directory).resolve()
        self._cache, self._steps = Cache(), GrowingTable(self.directory / "steps.csv")
        self._lock = threading.Lock()
        self._heads = {}  # {path: (its state, Snapshot)}
        self._run, self._run_state, self._solids = None, None, None

    # ---------------------------------------------------------------------------------------------------- what is there
    @property
    def run(self):
        """The run; read anew when a restart has written another input. Errors: FileNotFoundError as long as there is none"""
        self._refuse_links()
        state = state_of(self.directory / "input.resolved.toml")
        if self._run is None or state != self._run_state:
            self._run, self._run_state, self._solids = Run(self.directory), state, None
        return self._run

    def _refuse_links(self):
        """Errors: FileNotFoundError if a table or text of the run is a link that leads out of its directory"""
        for name in ("input.resolved.toml", "run.json", "steps.csv", "timers.json"):
            path = self.directory / name
            if path.is_symlink() and self.own(path) is None:
                raise FileNotFoundError(f"{name} is a link out of the run's directory")

    def own(self, path):
        """A path in the run's directory, or None: links may lead out of it."""
        real = path.resolve()
        return real if real.is_file() and self.directory in real.parents else None

    def snapshots(self):
        """{number: Snapshot} of those that are whole."""
        found, heads = {}, {}
        for path in (self.directory / "snapshots").glob("snap_*.h5"):
            match, real = re.fullmatch(r"snap_(\d+)\.h5", path.name), self.own(path)
            if match is None or real is None:
                continue
            state = state_of(real)
            known = self._heads.get(path)
            try:
                if known is None or known[0] != state:
                    refuse_other_files(real)
                    known = (state, Snapshot(real))
                heads[path] = known
            except Exception:  # it is being written, has just been taken away, or is no snapshot: anything may stand in it
                continue
            found[int(match[1])] = heads[path][1]
        self._heads = heads
        return dict(sorted(found.items()))

    def surfaces(self, snapshots):
        """{time: path} of the surfaces that the run wrote, or that `freshet mesh` made of its snapshots."""
        found = {}
        interval = self.run.parameters["output"].get("surface", {}).get("interval", 0.0)
        for folder, pattern, ending in [(f, p, e) for f, p in (("meshes", r"mesh_(\d+)"), ("surfaces", r"surface_(\d+)"))
                                        for e in SURFACES]:
            for path in (self.directory / folder).glob("*" + ending):
                match = re.fullmatch(pattern, path.stem)
                if match is None or self.own(path) is None:
                    continue
                number = int(match[1])
                if folder == "surfaces" and interval > 0:
                    found[number * interval] = path
                elif folder == "meshes" and number in snapshots:
                    found[snapshots[number].time] = path
        return dict(sorted(found.items()))

    def _same_time(self):
        return SAME_TIME * max(self.run.parameters["run"].get("end_time", 1.0), 1e-30)

    def moments(self):
        """[(time, number of the snapshot, path of the surface)] in order of time; None where there is none."""
        snapshots = self.snapshots()
        near = self._same_time()
        found = [[snapshot.time, number, None] for number, snapshot in snapshots.items()]
        times = np.array([one[0] for one in found])
        for time, path in self.surfaces(snapshots).items():
            at = int(np.argmin(np.abs(times - time))) if len(times) else 0
            if len(times) and abs(times[at] - time) <= near:
                found[at][2] = path
            else:
                found.append([time, None, path])
        return [tuple(one) for one in sorted(found, key=lambda one: one[0])], snapshots

    def state(self):
        """What the page has to know first, and asks for again while the run goes on."""
        with self._lock:
            run = self.run
            moments, snapshots = self.moments()
            steps = self._steps.refresh()
            last = list(snapshots.values())[-1] if snapshots else None
            info = run.info
            count = len(next(iter(steps.values()))) if steps else 0
            return {
                "title": run.title, "directory": self.directory.name, "status": run.status, "dimension": run.dimension,
                "box": run.box.tolist(), "up": run.up.tolist(), "cell": run.cell_size,
                "spacing": run.cell_size / int(run.parameters["particles"]["per_axis"]),
                "end_time": run.parameters["run"].get("end_time"), "ranks": info.get("ranks", 1),
                "threads": info.get("threads", 1), "version": info.get("version", ""), "commit": info.get("commit", ""),
                "times": [one[0] for one in moments], "snapshots": [one[1] for one in moments],
                "surfaces": [int(one[2] is not None) for one in moments],
                "colors": frames.colors_of(last) if last else [], "fields": last.fields if last else [],
                "solids": len(run.solids), "steps": count, "columns": list(steps.columns), "units": steps.units,
                "latest": {name: plain(steps[name][-1]) for name in LATEST if count and name in steps},
            }

    # --------------------------------------------------------------------------------------------------------- answers
    def _snapshot(self, number):
        with self._lock:
            snapshots = self.snapshots()
        if number not in snapshots:
            raise Missing(f"there is no snapshot {number}")
        return snapshots[number]

    def particles(self, number, budget, color):
        snapshot = self._snapshot(number)
        if color not in frames.colors_of(snapshot):
            raise Missing(f"particles have no '{color}'")
        return self._kept("particles", snapshot.path, (budget, color), lambda: frames.particles(snapshot, budget, color))

    def blocks(self, number):
        snapshot, run = self._snapshot(number), self.run
        return self._kept("blocks", snapshot.path, (), lambda: frames.blocks(snapshot, run.box[0],
                                                                             frames.BLOCK_CELLS * run.cell_size))

    def slice(self, number, field, axis, place):
        snapshot = self._snapshot(number)
        if field not in snapshot.fields:
            raise Missing(f"the snapshot has no field '{field}'")
        low, high = self.run.box[:, axis]
        return self._kept("slice", snapshot.path, (field, axis, place), lambda: frames.field_slice(
            snapshot, field, axis, low + place * (high - low)))

    def surface(self, time, budget):
        with self._lock:
            moments, _ = self.moments()
        near = self._same_time()
        path = next((path for t, _, path in moments if path is not None and abs(t - time) <= near), None)
        real = self.own(path) if path is not None else None
        if real is None:
            raise Missing("there is no surface at this time")
        return self._kept("surface", real, (budget,), lambda: frames.surface(real, budget))

    def _kept(self, kind, path, more, make):
        return self._cache.get((kind, str(path), state_of(path), *more), make)

    def poses(self, time):
        """Rotation and translation of each solid at a time; without a snapshot those of the last one before."""
        with self._lock:
            snapshots = self.snapshots()
        before = [snapshot for snapshot in snapshots.values() if snapshot.time <= time * (1 + SAME_TIME)]
        poses = before[-1].solid_poses if before else None
        return pack({"poses": np.asarray(poses).reshape(-1, 12).tolist() if poses is not None else []}, {})

    def curves(self, names):
        """The packet of columns of steps.csv against time: least and largest value in each of CURVE_POINTS stretches."""
        self._refuse_links()
        with self._lock:
            steps = self._steps.refresh()
        unknown = [name for name in names if name not in steps and name != "height_energy"]
        if unknown or "t" not in steps:
            raise Missing(f"steps.csv has no column {', '.join(unknown) or 't'}")
        if "potential_energy" in steps:  # above the least that there was
            steps["height_energy"] = steps["potential_energy"] - steps["potential_energy"].min(initial=np.inf)
        begin = np.unique(np.linspace(0, len(steps["t"]), CURVE_POINTS, endpoint=False).astype(int)) if len(steps["t"]) else []
        arrays = {"t": steps["t"][begin] if len(begin) else np.zeros(0)}
        for name in names:
            values = steps[name]
            arrays["low " + name] = np.fmin.reduceat(values, begin) if len(begin) else values
            arrays["high " + name] = np.fmax.reduceat(values, begin) if len(begin) else values
        return pack({"steps": len(steps["t"])}, {name: values.astype("f8") for name, values in arrays.items()})

    def solids(self):
        """The packet of the solids: triangles of each where the case file puts it. Meshes that are not found are named."""
        run = self.run
        if self._solids is None:
            arrays, missing = {}, []
            for number, solid in enumerate(run.solids):
                points, triangles = [np.zeros((0, 3))], [np.zeros((0, 3), int)]
                for part in parts_of(solid):
                    try:
                        found, corners = surface_of(part, run.box, run.dimension)
                    except (OSError, ValueError, KeyError) as error:
                        missing.append(f"{solid['shape']} {number}: {error}")
                        continue
                    triangles.append(corners + sum(map(len, points)))
                    points.append(found)
                points, triangles = np.concatenate(points), np.concatenate(triangles)
                arrays[f"points {number}"] = points.astype("f4")
                arrays[f"triangles {number}"] = triangles.astype("u4")
                arrays[f"normals {number}"] = frames.normals(points, triangles)
            self._solids = pack({"count": len(run.solids), "missing": missing}, arrays)
        return self._solids


def surface_of(shape, box, dimension):
    """Points and triangles of a solid's shape, closed at the domain's sides."""
    if shape["shape"] == "mesh":
        points, triangles = read_mesh(listed(Path(shape["file"]), shape.get("file_hash", "")))
        matrix, offset = placement(shape)
        return points @ matrix.T + offset, triangles
    step = np.max(box[1] - box[0]) / SOLID_CELLS
    counts = np.maximum(np.ceil((box[1] - box[0]) / step).astype(int), 1) + 4
    low = box.mean(axis=0) - step * (counts - 1) / 2

    def distance(x):
        flat = np.where([True, True, dimension == 3], x, 0.0)
        return np.maximum(signed_distance(shape, flat), np.max(np.maximum(box[0] - x, x - box[1]), axis=-1))
    return contour(distance, low, step, counts)


def refuse_other_files(path):
    """Errors: ValueError if an HDF5 file takes data from another one (an external link, a virtual or an external dataset),
    holds more objects than a snapshot has, or has arrays that are larger than the file"""
    with h5py.File(path, "r") as file:
        waiting, seen = [file], set()
        while waiting:
            group = waiting.pop()
            for name in group:
                link = group.get(name, getlink=True)
                if isinstance(link, h5py.SoftLink):
                    continue  # what it names is in the file, and is looked at where it stands
                if not isinstance(link, h5py.HardLink):
                    raise ValueError(f"{path}: {group.name}/{name} is a link into another file")
                part = group[name]
                place = h5py.h5o.get_info(part.id).addr
                if place in seen:  # groups may contain each other, and themselves
                    continue
                seen.add(place)
                if len(seen) > MOST_OBJECTS:
                    raise ValueError(f"{path} holds more than {MOST_OBJECTS} objects")
                if isinstance(part, h5py.Group):
                    waiting.append(part)
                elif isinstance(part, h5py.Dataset) and (part.is_virtual or part.external):
                    raise ValueError(f"{path}: {group.name}/{name} holds its numbers in another file")
                elif isinstance(part, h5py.Dataset) and part.nbytes > path.stat().st_size:  # freshet compresses nothing
                    raise ValueError(f"{path}: {group.name}/{name} has more numbers than the file holds")


def listed(path, wanted):
    """The path of a mesh that a run names, if the file is the one that the run read at its start, by its hash.

    Errors: ValueError for any other file: the page shows no file but those of the run and its case's own meshes
    """
    found = 14695981039346656037  # FNV-1a, as freshet's file_hash
    for byte in path.read_bytes():
        found = (found ^ byte) * 1099511628211 & 0xFFFFFFFFFFFFFFFF
    if f"{found:016x}" != wanted:
        raise ValueError("the mesh is not the one that the run has read (its file_hash is another)")
    return path


def state_of(path):
    """What changes when a file is written anew; None if it is not there."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def plain(value):
    """A number for JSON; None for what is none."""
    return float(value) if np.isfinite(value) else None
