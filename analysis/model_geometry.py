# SPDX-License-Identifier: Apache-2.0
"""Which rank has which block, and what it shares with others, for a liquid box on any number of ranks.

The blocks of 8^3 cells lie along a Morton curve, and each rank has a stretch of it, as in src/grid/partition.cpp. The
coarser levels of the multigrid live on fewer ranks, as in src/pressure/multigrid/grids.cpp. All of it is computed without
a run, for samples of the ranks where there are many.
"""
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

WIDTH = 8              # cells along the edge of a block
BLOCKS_PER_RANK = 16   # of a coarser level, at least: blocks_per_rank in grids.cpp
WIDTHS = (1, 2, 3, 4, 5)  # of rims of ghosts that a step exchanges [cells]
SAMPLED = 96           # ranks that are looked at where there are more
FACES = [d for d in np.ndindex(3, 3, 3) if sum(c != 1 for c in d) == 1]
AROUND = [d for d in np.ndindex(3, 3, 3) if d != (1, 1, 1)]


def spread(v):
    v = v.astype(np.uint64) & np.uint64(0x1FFFFF)
    for shift, mask in ((32, 0x1F00000000FFFF), (16, 0x1F0000FF0000FF), (8, 0x100F00F00F00F00F), (4, 0x10C30C30C30C30C3),
                        (2, 0x1249249249249249)):
        v = (v | v << np.uint64(shift)) & np.uint64(mask)
    return v


def compact(v):
    v = v & np.uint64(0x1249249249249249)
    for shift, mask in ((2, 0x10C30C30C30C30C3), (4, 0x100F00F00F00F00F), (8, 0x1F0000FF0000FF), (16, 0x1F00000000FFFF),
                        (32, 0x1FFFFF)):
        v = (v ^ v >> np.uint64(shift)) & np.uint64(mask)
    return v


def keys_of(coords):
    return spread(coords[:, 0]) | spread(coords[:, 1]) << np.uint64(1) | spread(coords[:, 2]) << np.uint64(2)


def coords_of(keys):
    return np.stack([compact(keys >> np.uint64(d)) for d in range(3)], axis=1).astype(np.int64)


def box_keys(size):
    """Keys of all blocks of a box at the origin, ascending."""
    axes = [spread(np.arange(n)) << np.uint64(d) for d, n in enumerate(size)]
    keys = (axes[0][:, None, None] | axes[1][None, :, None] | axes[2][None, None, :]).ravel()
    keys.sort()
    return keys


@lru_cache(maxsize=None)
def rim_of(mask, width):
    """Cells of a ghost block that lie within `width` of the blocks beyond the sides in a set of AROUND, as bits."""
    near = np.zeros((WIDTH,) * 3, dtype=bool)
    sides = {0: slice(WIDTH - width, WIDTH), 1: slice(0, WIDTH), 2: slice(0, width)}
    for n, direction in enumerate(AROUND):
        if mask >> n & 1:
            near[tuple(sides[c] for c in direction)] = True
    return int(near.sum())


@lru_cache(maxsize=None)
def nodes_of(mask):
    """Nodes beyond the sides in a set of AROUND, of one layer around a block: 64 beyond a face, 8 beyond an edge, 1 beyond a corner."""
    return sum(WIDTH ** direction.count(1) for n, direction in enumerate(AROUND) if mask >> n & 1)


@lru_cache(maxsize=None)
def rows_of(mask):
    """Rows of a ghost block's deposit that lie in blocks beyond these sides, seen from there, as rows_toward_blocks() in
    src/transfer/rim_pool.cpp counts them: 8 of a face, 1 of an edge or corner, for each component that has sums there; and one of bits."""
    rows = 1
    for n, direction in enumerate(AROUND):
        if mask >> n & 1:
            rows += (8 if direction in FACES else 1) * sum(c <= 1 for c in direction)
    return rows


@dataclass
class Shared:
    """What ranks of one level share with others; arrays hold one value a sampled rank."""
    ranks: int
    blocks: int
    most_blocks: int                  # of a rank
    neighbours: np.ndarray            # ranks with a block beside one of ours, corners included
    face_neighbours: np.ndarray       # those beyond a face
    face_rim: np.ndarray              # ghost cells beyond faces, one cell wide
    nodes: np.ndarray                 # of other ranks' blocks in ours: nodes_of()
    rows: np.ndarray                  # likewise, rows_of()
    ghosts: np.ndarray                # blocks of other ranks beside ours
    rims: dict                        # width [cells]: ghost cells of the rank
    off_node: dict                    # ranks of a node: share of the rim that is on other nodes
    up: np.ndarray = field(default_factory=lambda: np.zeros(1))        # ranks that have parents of our blocks
    down: np.ndarray = field(default_factory=lambda: np.zeros(1))      # ranks whose parents we have; a value a coarse rank
    children_elsewhere: np.ndarray = field(default_factory=lambda: np.zeros(1))  # blocks whose parent is on another rank
    below: tuple = ()                 # blocks of the next levels, which one rank has; of the coarsest shared level


def stretches(first_keys, keys, ranks):
    """Index of the first block of every rank, and one beyond the last."""
    first = np.searchsorted(keys, first_keys)
    first[0] = 0
    return np.append(first, len(keys))


def uniform_splitters(lattice, ranks):
    """Equal stretches of the curve through the whole lattice: before the first balance."""
    end = int(keys_of(np.array([[n - 1 for n in lattice]]))[0]) + 1
    share, rest = divmod(end, ranks)
    return np.array([share * r + min(r, rest) for r in range(ranks)], dtype=np.uint64)


def balanced_splitters(keys, costs, ranks):
    """Stretches of nearly equal cost: a block belongs to the rank in whose share of the cost its middle lies."""
    middle = (np.cumsum(costs) - 0.5 * costs) / costs.sum() * ranks
    rank = np.minimum(middle.astype(np.int64), ranks - 1)
    first = np.searchsorted(rank, np.arange(ranks))
    return np.append(keys, np.uint64(2**63))[first]


def sample_of(ranks):
    """Ranks to look at: all of them, or the first ones and some throughout."""
    if ranks <= SAMPLED:
        return np.arange(ranks)
    return np.unique(np.concatenate([np.arange(16), np.linspace(0, ranks - 1, SAMPLED - 16).astype(np.int64)]))


def owner_of(keys, splitters):
    return np.searchsorted(splitters, keys, side="right") - 1


def exists(wanted, keys):
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return keys[at] == wanted


def ghosts_of(own, keys, lattice):
    """(keys of the blocks around a rank's own, bit sets of the sides of AROUND that they are seen from)."""
    coords = coords_of(own)
    found, bits = [], []
    for n, direction in enumerate(AROUND):
        near = coords + (np.array(direction) - 1)
        near = near[np.all((near >= 0) & (near < lattice), axis=1)]
        near_keys = keys_of(near)
        outside = (near_keys < own[0]) | (near_keys > own[-1])
        near_keys = near_keys[outside & exists(near_keys, keys)]
        found.append(near_keys)
        bits.append(np.full(len(near_keys), 1 << n, dtype=np.int64))
    found, bits = np.concatenate(found), np.concatenate(bits)
    ghosts, which = np.unique(found, return_inverse=True)
    masks = np.zeros(len(ghosts), dtype=np.int64)
    np.bitwise_or.at(masks, which, bits)
    return ghosts, masks


FACE_BITS = sum(1 << n for n, direction in enumerate(AROUND) if direction in FACES)


def total(of_mask, masks, *arguments):
    """Sum of a function of the sets of sides."""
    kinds, numbers = np.unique(masks, return_counts=True)
    return sum(of_mask(int(kind), *arguments) * int(n) for kind, n in zip(kinds, numbers))


def shared_of(keys, splitters, lattice, nodes=(1,), widths=WIDTHS):
    """What the sampled ranks share on one level. nodes: numbers of ranks of a node, for Shared.off_node."""
    ranks = len(splitters)
    first = stretches(splitters, keys, ranks)
    columns = {name: [] for name in ("neighbours", "face_neighbours", "face_rim", "nodes", "rows", "ghosts", *widths)}
    off = dict.fromkeys(nodes, 0)
    for r in sample_of(ranks):
        own = keys[first[r]:first[r + 1]]
        if ranks == 1 or len(own) == 0:
            ghosts, masks = keys[:0], np.zeros(0, dtype=np.int64)
        else:
            ghosts, masks = ghosts_of(own, keys, lattice)
        owners = owner_of(ghosts, splitters)
        faces = (masks & FACE_BITS) != 0
        row = [len(np.unique(owners)), len(np.unique(owners[faces])), total(rim_of, masks[faces] & FACE_BITS, 1), total(nodes_of, masks),
               total(rows_of, masks), len(ghosts), *(total(rim_of, masks, w) for w in widths)]
        for values, value in zip(columns.values(), row):
            values.append(float(value))
        for of_node in nodes:
            off[of_node] += total(rim_of, masks[owners // of_node != r // of_node], widths[0])
    columns = {name: np.array(values) for name, values in columns.items()}
    rims = {w: columns.pop(w) for w in widths}
    in_all = max(rims[widths[0]].sum(), 1.0)
    return Shared(ranks, len(keys), int(np.diff(first).max()), **columns, rims=rims,
                  off_node={of_node: float(n / in_all) for of_node, n in off.items()})


def levels_of(keys, splitters, lattice, nodes=(1,), blocks_per_rank=BLOCKS_PER_RANK):
    """The levels of the multigrid that several ranks share, the finest first."""
    levels = [shared_of(keys, splitters, lattice, nodes)]
    while levels[-1].ranks > 1:
        fine, lattice = levels[-1], [(n + 1) // 2 for n in lattice]
        owner = np.repeat(np.arange(len(splitters)), np.diff(stretches(splitters, keys, len(splitters))))
        parents = keys >> np.uint64(3)
        new = np.ones(len(keys), dtype=bool)
        new[1:] = (parents[1:] != parents[:-1]) | (owner[1:] != owner[:-1])
        counted = min(int(new.sum()), int(np.prod(lattice)))  # parents of several ranks' blocks count for each of them
        ranks = min(max(counted // blocks_per_rank, 1), fine.ranks)
        coarse_keys = np.unique(parents)
        if ranks < fine.ranks:
            coarse_splitters = balanced_splitters(parents[new], np.ones(int(new.sum())), ranks)
        else:
            coarse_splitters = (splitters >> np.uint64(3)) + ((splitters & np.uint64(7)) != 0).astype(np.uint64)
        link(fine, keys, splitters, parents, coarse_splitters, owner)
        keys, splitters = coarse_keys, coarse_splitters
        if ranks == 1:
            break
        levels.append(shared_of(keys, splitters, lattice, nodes))
    below = []
    while True:
        below.append(len(keys))
        if len(keys) == 1:
            break
        keys = np.unique(keys >> np.uint64(3))
    levels[-1].below = tuple(below)
    return levels


def link(fine, keys, splitters, parents, coarse_splitters, owner):
    """Fills in what a level exchanges with the next coarser one."""
    to = owner_of(parents, coarse_splitters)
    away = to != owner
    pairs = np.unique(np.stack([owner[away], to[away]], axis=1), axis=0) if away.any() else np.zeros((0, 2), dtype=int)
    sampled = sample_of(fine.ranks)
    fine.up = np.bincount(pairs[:, 0], minlength=fine.ranks)[sampled].astype(float)
    fine.down = np.bincount(pairs[:, 1], minlength=fine.ranks).astype(float)[:len(coarse_splitters)]
    fine.children_elsewhere = np.bincount(owner[away], minlength=fine.ranks)[sampled].astype(float)


def pairs_along(array, axis):
    """The values of blocks and of their neighbours along an axis."""
    low, high = [slice(None)] * 3, [slice(None)] * 3
    low[axis], high[axis] = slice(None, -1), slice(1, None)
    return array[tuple(low)], array[tuple(high)]


def bodies_of(owner):
    """A label for each block of a box: the same where blocks of one rank are connected."""
    labels = np.arange(owner.size, dtype=np.int64).reshape(owner.shape)
    alike = [np.equal(*pairs_along(owner, axis)) for axis in range(3)]
    while True:
        before = labels.copy()
        for axis in range(3):
            low, high = pairs_along(labels, axis)
            least = np.minimum(low, high)
            np.copyto(low, least, where=alike[axis])
            low, high = pairs_along(labels, axis)
            np.copyto(high, np.minimum(low, high), where=alike[axis])
        if (before == labels).all():
            return labels


def hops_to_air(splitters, size, open_axes):
    """Bodies of one rank between air and the deepest liquid, at most: those that the search for sealed bodies walks.

    size: blocks of the box of liquid; open_axes: axes whose high side touches air
    """
    coords = np.stack([a.ravel() for a in np.meshgrid(*(np.arange(n) for n in size), indexing="ij")], axis=1)
    owner = owner_of(keys_of(coords), splitters).astype(np.int32).reshape(size)
    names, labels = np.unique(bodies_of(owner), return_inverse=True)
    labels = labels.reshape(size)
    links = []
    for axis in range(3):
        low, high = pairs_along(labels, axis)
        differ = low != high
        links.append(np.unique(low[differ].astype(np.int64) * len(names) + high[differ]))
    links = np.unique(np.concatenate(links))
    ends = np.stack([links // len(names), links % len(names)])
    reached = np.zeros(len(names), dtype=bool)
    for axis in open_axes:
        reached[np.take(labels, size[axis] - 1, axis=axis)] = True
    hops = 0
    while not reached.all():
        one, other = reached[ends[0]], reached[ends[1]]
        reached[ends[1][one]] = True
        reached[ends[0][other]] = True
        hops += 1
    return hops
