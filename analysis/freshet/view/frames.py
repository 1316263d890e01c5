# SPDX-License-Identifier: Apache-2.0
"""What a browser draws of one moment: a part of the particles, a surface, a slice of a field, boxes around blocks.

Particles are thinned out by a hash of their ids, so that the same ones are shown at every time. They come in the order of the
hash: the first half of them is again a fair choice.
"""
import h5py
import numpy as np

from ..analysis.snapshot import CHUNK, origin_and_spacing, rows
from ..geometry.meshes import read_surface, speed_of
from .packets import LARGEST, pack, quantised

BLOCK_CELLS = 8
COMPUTED = ("speed", "rank")      # colours that stand in no record of their own
MOST_CATEGORIES = 64
MOST_SLICE = 1024                 # values of a slice along an axis


# -------------------------------------------------------------------------------------------------------- particles
def hashes(ids):
    """32-bit numbers that look random, of 64-bit numbers."""
    x = ids.astype(np.uint64)
    for _ in range(2):
        x ^= x >> np.uint64(31)
        x *= np.uint64(0x9E3779B97F4A7C15)
    return (x >> np.uint64(32)).astype(np.uint32)


def level_of(count, budget):
    """How often the number of particles is halved until no more than the budget are left."""
    level = 0
    while count > budget << level:
        level += 1
    return level


def colors_of(snapshot):
    """What particles of a snapshot can be coloured by."""
    others = [name for name in snapshot.records if name not in ("position", "velocity", "id", "tag", "color")]
    found = ["speed"] * ("velocity" in snapshot.records)
    found += [name for name in ("tag", "color") if name in snapshot.records]
    return found + ["rank"] + others + ["id"] * ("id" in snapshot.records)


def particles(snapshot, budget, color):
    """The packet of a snapshot's particles, no more than about `budget` of them. color: of colors_of()."""
    level = level_of(snapshot.count, budget)
    limit = (1 << (32 - level)) - 1
    parts = {"hash": [], "position": [], "color": []}
    with h5py.File(snapshot.path, "r") as file:
        species = file[f"data/{snapshot.iteration}/particles/liquid"]
        for first in range(0, snapshot.count, CHUNK):
            last = min(first + CHUNK, snapshot.count)
            marks = hashes(species["id"][first:last] if "id" in species else np.arange(first, last))
            keep = np.flatnonzero(marks <= limit)
            parts["hash"].append(marks[keep])
            parts["position"].append(rows(species["position"], first, last)[keep])
            parts["color"].append(color_values(species, color, first, last)[keep])
    if not parts["hash"]:
        return pack({"count": 0, "all": 0, "level": level, "low": [0, 0, 0], "step": [1, 1, 1], "kind": "number",
                     "color_low": 0, "color_step": 1}, {"position": np.zeros(0, "u2"), "color": np.zeros(0, "u2")})
    order = np.argsort(np.concatenate(parts["hash"]), kind="stable")
    x, values = np.concatenate(parts["position"])[order], np.concatenate(parts["color"])[order]
    places = [quantised(x[:, d]) for d in range(x.shape[1])]
    places += [(np.zeros(len(x), "u2"), 0.0, 1.0)] * (3 - len(places))
    head = {"count": len(x), "all": snapshot.count, "level": level, "low": [low for _, low, _ in places],
            "step": [step for _, _, step in places], "t": snapshot.time, **color_head(color, values)}
    if head["kind"] == "rgb":
        numbers = np.clip(np.rint(values * LARGEST), 0, LARGEST).astype("u2")
    else:
        numbers, head["color_low"], head["color_step"] = quantised(values)
    return pack(head, {"position": np.stack([q for q, _, _ in places], axis=-1), "color": numbers})


def color_values(species, color, first, last):
    """The values of a colour for particles first ... last - 1: (n,), or (n, 3) of colours by their parts."""
    if color == "rank":
        patches = species.get("particlePatches")
        if patches is None:
            return np.zeros(last - first, dtype=int)
        counts = patches["numParticles"][()].astype(int)
        return np.searchsorted(np.cumsum(counts), np.arange(first, last), side="right")
    if color == "speed":
        return np.linalg.norm(rows(species["velocity"], first, last), axis=1)
    values = rows(species[color], first, last)
    if color == "color" or values.ndim == 1:
        return values
    return np.linalg.norm(values, axis=1)


def color_head(color, values):
    """How a colour is to be read: by its parts, as a category, or as a number, with a range that leaves out outliers."""
    if values.ndim == 2:
        return {"kind": "rgb", "color_low": 0.0, "color_step": 1 / LARGEST}
    if color != "id" and values.dtype.kind in "iub":
        some = np.unique(values)
        if len(some) <= MOST_CATEGORIES:
            return {"kind": "category", "categories": [int(value) for value in some]}
    finite = values[np.isfinite(values)]
    low, high = np.quantile(finite, [0.002, 0.998]) if len(finite) else (0.0, 1.0)
    return {"kind": "number", "range": [float(low), float(high)]}


def blocks(snapshot, origin, size):
    """The packet of the blocks that exist, and of the rank that each belongs to. origin, size: [m].

    Of snapshots that do not hold their blocks: those with particles, and the rank of most of these.
    """
    known = snapshot.blocks()
    corners, ranks = known if known is not None else blocks_with_particles(snapshot, origin, size)
    return pack({"size": size, "origin": list(origin), "count": len(ranks), "are_all": known is not None},
                {"corner": corners.astype("f4").reshape(-1, 3), "rank": ranks.astype("u2")})


def blocks_with_particles(snapshot, origin, size):
    """Lattice coordinates (n, 3) of the blocks that hold particles, and the rank of most of each one's."""
    found = {}
    with h5py.File(snapshot.path, "r") as file:
        species = file[f"data/{snapshot.iteration}/particles/liquid"]
        for first in range(0, snapshot.count, CHUNK):
            last = min(first + CHUNK, snapshot.count)
            x = rows(species["position"], first, last)
            place = np.floor((x - origin[:x.shape[1]]) / size).astype(np.int64)
            ranks = color_values(species, "rank", first, last)
            begins = np.flatnonzero(np.concatenate([[True], (np.diff(place, axis=0) != 0).any(axis=1)]))  # sorted by block
            counts = np.diff(np.concatenate([begins, [len(x)]]))
            for key, rank, count in zip(map(tuple, place[begins]), ranks[begins], counts):
                known = found.get(key)
                if known is None or known[1] < count:  # a particle at a side may be rounded into the next block
                    found[key] = (int(rank), int(count))
    corners = np.array([list(key) + [0] * (3 - len(key)) for key in found]).reshape(-1, 3)
    return corners, np.array([rank for rank, _ in found.values()])


# --------------------------------------------------------------------------------------------------------- surfaces
def surface(path, budget):
    """The packet of a surface, with no more than about `budget` triangles, and with the speed at its vertices."""
    points, triangles, attributes = read_surface(path)
    speed = speed_of(attributes)
    all_triangles = len(triangles)
    points, triangles, speed = clustered(points, triangles, speed, budget)
    places = [quantised(points[:, d]) for d in range(3)]
    q, low, step = quantised(speed)
    range_of = np.quantile(speed, [0.002, 0.998]) if len(speed) else (0.0, 1.0)
    return pack({"count": len(triangles), "all": all_triangles, "low": [p[1] for p in places],
                 "step": [p[2] for p in places], "kind": "number", "color_low": low, "color_step": step,
                 "range": [float(r) for r in range_of]},
                {"position": np.stack([p[0] for p in places], axis=-1), "color": q, "triangle": triangles.astype("u4"),
                 "normal": normals(points, triangles)})


def clustered(points, triangles, values, budget):
    """The mesh with vertices that lie in the same cell of a lattice made one, coarse enough for the budget of triangles."""
    if len(triangles) <= budget:
        return points, triangles, values
    low, extent = points.min(axis=0), np.ptp(points, axis=0).max()
    size = extent * np.sqrt(1.0 / max(budget, 1))
    while True:
        key = np.floor((points - low) / size).astype(np.int64)
        _, member = np.unique(key @ (1 + int(extent / size)) ** np.arange(3), return_inverse=True)
        fewer = member[triangles]
        whole = (fewer[:, 0] != fewer[:, 1]) & (fewer[:, 1] != fewer[:, 2]) & (fewer[:, 2] != fewer[:, 0])
        if np.count_nonzero(whole) <= budget:
            break
        size *= 1.25
    counts = np.bincount(member)
    mean = np.stack([np.bincount(member, points[:, d]) for d in range(3)], axis=-1) / counts[:, None]
    return mean, fewer[whole], np.bincount(member, values) / counts


def normals(points, triangles):
    """Outward normals at the vertices, (n, 4) as 8-bit numbers: 127 (1 + n), and 0."""
    corners = points[triangles]
    facing = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    total = np.zeros((len(points), 3))
    for corner in range(3):
        for d in range(3):
            total[:, d] += np.bincount(triangles[:, corner], facing[:, d], len(points))
    total /= np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-300)
    return np.concatenate([np.rint(127 * (1 + total)), np.zeros((len(points), 1))], axis=1).astype("u1")


# ----------------------------------------------------------------------------------------------------------- slices
def field_slice(snapshot, name, axis, place):
    """The packet of a plane of a field: cells whose axis coordinate [m] is nearest to the place. axis: 0, 1, 2.

    Vectors show their length. Values are in rows along the first of the other axes; "mask" is 1 in liquid, where the
    snapshot has labels. No more than MOST_SLICE values along each axis.
    """
    with h5py.File(snapshot.path, "r") as file:
        meshes = file[f"data/{snapshot.iteration}/meshes"]
        thing = meshes[name]
        origin, spacing = origin_and_spacing(thing)
        parts = [thing[c] for c in sorted(thing)] if isinstance(thing, h5py.Group) else [thing]
        shape = parts[0].shape[::-1]  # x, y, z
        axis = min(axis, 2) if len(shape) == 3 else 2
        chosen = [slice(None)] * len(shape)
        others = [d for d in range(len(shape)) if d != axis]
        step = [max(1, -(-shape[d] // MOST_SLICE)) for d in others]
        for d, s in zip(others, step):
            chosen[d] = slice(None, None, s)
        index = 0
        if len(shape) == 3:
            index = int(np.clip(np.floor((place - origin[axis]) / spacing), 0, shape[axis] - 1))
            chosen[axis] = index
        chosen = tuple(chosen[::-1])
        values = np.stack([part[chosen].astype(float) for part in parts])
        mask = (meshes["label"][chosen] == 1) if "label" in meshes else np.ones(values.shape[1:], bool)
    values = values[0] if len(parts) == 1 else np.linalg.norm(values, axis=0)
    q, low, scale = quantised(np.where(mask, values, np.nan))
    wet = values[mask & np.isfinite(values)]
    start = np.zeros(3)
    start[:len(shape)] = origin[:len(shape)]
    if len(shape) == 3:
        start[axis] += (index + 0.5) * spacing
    return pack({"rows": values.shape[0], "columns": values.shape[1], "axis": axis, "across": others,
                 "origin": [float(v) for v in start], "spacing": [spacing * s for s in step], "value_low": low,
                 "value_step": scale, "range": [float(v) for v in np.quantile(wet, [0.002, 0.998])] if wet.size else [0.0, 1.0]},
                {"value": q, "mask": mask.astype("u1")})
