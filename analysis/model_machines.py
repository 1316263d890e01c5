# SPDX-License-Identifier: Apache-2.0
"""How long a step takes on named machines: of the program as it is, and with one thing changed.

Assumptions about machines, all of them in this file:
- A core of a named machine is as fast as one here, unless its share of the node's memory bandwidth is too small for the
  bytes that a particle and a liquid cell move (model_work.BYTES, by memory_traffic.py with a last-level cache of 4 MiB a core).
  Slower cores would scale better.
- An exchange takes the network's latency, twice the overhead for each of its messages (send and receive), and its bytes at
  the rank's share of the node's bandwidth, all ranks of a node at a time. Inside a node the latency is LATENCY_IN_NODE. The
  program works on interior blocks while messages of the finest level are on their way; only the design "hidden" counts
  that, because not every MPI sends while a program computes.
- A reduction takes one latency for each doubling of the ranks: of a node inside it, of the network between nodes.
- The liquid is the dam of inputs/benchmark_dam.toml at its start: a quarter of the domain. The ranks share it by cost, and whole
  blocks make some of them slower (imbalance). Nothing else disturbs them: no noise of the operating system, no other jobs, no output.
- On a coarser level of the multigrid all wait for the rank with most blocks. A sweep over one of them takes what it takes on
  the finest level, and the direct solution of the last level DIRECT_SECONDS.
- A new set of blocks in every second step, as at a CFL number of 1, takes REBUILD of a step's work, REDUCTIONS_OF_REBUILD, and
  on each level that has fewer ranks than the finer one a reduction of a key for each of them. On any number of ranks, that of the
  reference too: where the liquid flies about, some rank of a node's needs a block as often.
"""
import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

import model_geometry as geometry
from model_checks import CELL_COST, PARTICLES_IN_CELL
from model_counts import CHILDREN, PARENTS, SEARCH, Table, exchanges_of_iteration, levels_of_multigrid, levels_of_w_cycle
from model_work import sweeps_of_blocks

DIRECT_SECONDS = 3e-6   # 2 n m multiplications for n unknowns in planes of m: 128 and 25
REBUILD = 0.12          # of a step, for a new set of blocks: the 64^3 dam with voxels on 2 x 1 with a new set in every step
REDUCTIONS_OF_REBUILD = 16  # and other collectives: 4 of the grid, up to 12 of the solver
LATENCY_IN_NODE = 0.7e-6  # [s]
SUSTAINED = 0.8          # of the peak memory bandwidth
HIDDEN_SHARE = 0.5       # of the work, at most, can hide exchanges


@dataclass(frozen=True)
class Machine:
    name: str
    cores: int            # of a node
    memory: float         # peak bandwidth of a node [B/s]
    network: float        # injection bandwidth of a node [B/s]
    latency: float        # of a small message between nodes, MPI's included [s]
    overhead: float       # of the processor for each message [s]
    source: str

    def sustained(self):
        """Memory bandwidth that programs see [B/s]."""
        return SUSTAINED * self.memory


# Cores, peak bandwidths of memory and injection bandwidths are published; `source` names where. What no source gives for MPI
# programs is assumed: overheads, latencies of MPI (Fugaku: twice the published latency of a put; Slingshot and InfiniBand: what a
# small message between two groups or two switches may take), and the share of the peak that memory sustains (SUSTAINED).
MACHINES = (
    Machine("ARCHER2", 128, 409.6e9, 25e9, 2.0e-6, 0.3e-6,
            "ARCHER2 hardware, EPCC, https://docs.archer2.ac.uk/user-guide/hardware/ (2 EPYC 7742 of 204.8 GB/s, two ports of 100 "
            "Gb/s a node); network: De Sensi et al., An In-Depth Analysis of the Slingshot Interconnect, SC20, 2020, "
            "https://arxiv.org/abs/2008.08886; latency and overhead assumed"),
    Machine("Fugaku", 48, 1024e9, 38.1e9, 1.0e-6, 0.4e-6,
            "About Fugaku, RIKEN, https://www.r-ccs.riken.jp/en/fugaku/about/ (48 cores, 1024 GB/s); Ajima et al., The Tofu "
            "Interconnect D, IEEE CLUSTER 2018, https://doi.org/10.1109/CLUSTER.2018.00090 (injects 38.1 GB/s a node, put of 8 "
            "bytes 0.49 us); latency and overhead of MPI assumed"),
    Machine("100 Gb/s cluster", 64, 409.6e9, 12.5e9, 1.5e-6, 0.3e-6,
            "assumed: two sockets of 32 cores with eight channels of DDR4-3200 each, one port of 100 Gb/s"),
)


@dataclass(frozen=True)
class Design:
    """The program with one thing changed. Iterations are those that were measured with as many levels outside the W-cycle."""
    name: str
    w_levels: int = 0           # pressure.w_cycle_levels
    blocks_per_rank: int = geometry.BLOCKS_PER_RANK  # of a coarser level, at least
    levels_a_step: int = 1      # 2: aggregates of 4^3 cells
    reductions: float = 2.0     # of an iteration
    size: float = 1.0           # of the bytes sent
    left_out: frozenset = frozenset()  # events whose bytes are not sent
    hidden: bool = False        # exchanges of the finest level are hidden behind interior blocks
    iterations: float = 1.0     # factor of the measured ones


TODAY = Design("today")
AT_SURFACE = frozenset({"moments of particles", "distance", "distance without holes", "weights and velocities of faces",
                        "velocities for one-sided faces"})  # read in blocks near the surface only
DESIGNS = (
    TODAY,
    Design("W-cycle on all levels", w_levels=99),
    Design("W-cycle on 6 levels", w_levels=6),
    Design("W-cycle on 2 levels", w_levels=2),
    Design("4 blocks a rank on coarser levels", blocks_per_rank=4),
    Design("64 blocks a rank on coarser levels", blocks_per_rank=64),
    Design("aggregates of 4^3 cells", levels_a_step=2),
    Design("one reduction an iteration", reductions=1.0),
    Design("surface's ghosts only near it", left_out=AT_SURFACE),  # where few of a rank's ghosts are
    Design("half the bytes", size=0.5),
    Design("hidden exchanges", hidden=True),
)


@dataclass(frozen=True)
class Dam:
    """The dam on a number of ranks."""
    levels: list
    cells: float       # liquid cells of a rank, mean
    imbalance: float   # of the ranks' costs, largest over mean
    hops: int          # ranks between air and the deepest liquid


@lru_cache(maxsize=None)
def dam_hops(cells, ranks, settings):
    _, liquid, keys, _, costs = dam_liquid(cells, settings)
    return geometry.hops_to_air(geometry.balanced_splitters(keys, costs, ranks), liquid, [0, 1])


def dam_liquid(cells, settings):
    """(lattice of blocks, blocks of liquid along each axis, keys of all blocks, which of them hold liquid, their costs)."""
    lattice = settings.lattice(cells)
    liquid = [max(cells[0] // 2 // geometry.WIDTH, 1), max(cells[1] // 2 // geometry.WIDTH, 1), cells[2] // geometry.WIDTH]
    keys = geometry.box_keys([min(n + 1, most) for n, most in zip(liquid, lattice)])
    wet = (geometry.coords_of(keys) < liquid).all(axis=1)
    return lattice, liquid, keys, wet, geometry.WIDTH ** 3 * (CELL_COST + PARTICLES_IN_CELL * wet)


@lru_cache(maxsize=None)
def dam(cells, ranks, settings, blocks_per_rank=geometry.BLOCKS_PER_RANK):
    lattice, _, keys, wet, costs = dam_liquid(cells, settings)
    splitters = geometry.balanced_splitters(keys, costs, ranks)
    first = geometry.stretches(splitters, keys, ranks)
    cost = np.add.reduceat(costs, np.minimum(first[:-1], len(costs) - 1)) * (np.diff(first) > 0)
    levels = geometry.levels_of(keys, splitters, lattice, tuple(machine.cores for machine in MACHINES), blocks_per_rank)
    return Dam(levels, int(wet.sum()) * geometry.WIDTH ** 3 / ranks, cost.max() / cost.mean(), dam_hops(cells, ranks, settings))


PARTS = ("work", "imbalance", "new blocks", "exchanges outside the solves", "finest level of the solves", "coarser levels of the solves",
         "work on coarser levels", "reductions", SEARCH, "bytes")


def part_of(event):
    """The part of PARTS that an event is counted in."""
    if event.what == SEARCH:
        return SEARCH
    if not event.to:
        return "reductions"
    if not event.solves:
        return "exchanges outside the solves"
    return "coarser levels of the solves" if event.level > 0 or event.to in (PARENTS, CHILDREN) else "finest level of the solves"


class Clock:
    """Seconds of messages and reductions on a machine."""

    def __init__(self, machine, levels):
        self.machine, self.levels = machine, levels
        doublings_in_node = math.ceil(math.log2(min(levels[0].ranks, machine.cores)))
        nodes = -(-levels[0].ranks // machine.cores)
        self.reduction = doublings_in_node * LATENCY_IN_NODE + math.ceil(math.log2(nodes)) * machine.latency

    def of(self, event):
        """Of one event of the slowest rank, without its bytes."""
        if not event.to:
            return self.reduction
        in_node = self.levels[event.level].ranks <= self.machine.cores
        latency = LATENCY_IN_NODE if in_node else self.machine.latency
        return (latency if event.waits else 0.0) + 2 * self.machine.overhead * event.neighbours(self.levels).max()

    def of_bytes(self, size):
        """Of bytes that each rank sends."""
        off = self.levels[0].off_node[self.machine.cores]
        return size * self.machine.cores * (off / self.machine.network + (1 - off) / self.machine.sustained())

    def of_splitters(self):
        """Of the first keys of the ranks, on which they agree: each node's ranks read three times what its port sends and receives
        once."""
        keys = 8 * sum(coarse.ranks for fine, coarse in zip(self.levels, self.levels[1:]) if coarse.ranks < fine.ranks)
        return keys * (3 * self.machine.cores / self.machine.sustained() + 2 / self.machine.network)


def work_on_coarser_levels(work, levels, unknowns, n_levels, first, step):
    """Seconds that an iteration on several ranks waits for the coarser levels' work, beyond that of one rank alone."""
    block = geometry.WIDTH ** 3
    wet = unknowns / (block * levels[0].blocks)
    blocks = ([level.most_blocks for level in levels] + list(levels[-1].below))[::step]
    fullest = sweeps_of_blocks(n_levels, first, lambda level: (blocks[level] if level < len(blocks) else 1) * wet)
    alone = sweeps_of_blocks(levels_of_multigrid(unknowns), 0, lambda level: unknowns / levels[0].ranks / (block * 8 ** level))
    return work.sweep() * (fullest - alone) + 2 ** max(n_levels - 2 - first, 0) * DIRECT_SECONDS


def shape_of_cycle(unknowns, design):
    """(number of levels of the multigrid, those above the W-cycle) of a design."""
    n_levels = levels_of_multigrid(unknowns)
    of_w_cycle = levels_of_w_cycle(n_levels, design.w_levels)
    n_levels = -(-n_levels // design.levels_a_step)
    return n_levels, max(n_levels - -(-of_w_cycle // design.levels_a_step), 0)


def time_of_step(machine, work, settings, of_dam, design=TODAY):
    """({part: seconds} of a step of the slowest rank, what it exchanges)."""
    unknowns = of_dam.cells * of_dam.levels[0].ranks
    n_levels, first = shape_of_cycle(unknowns, design)
    measured = work.numbers_with(first * design.levels_a_step)
    numbers = replace(measured, iterations=measured.iterations * design.iterations,
                      density_iterations=measured.density_iterations * design.iterations)
    particle, cell = work.on(machine.sustained() / machine.cores, numbers)
    arithmetic = of_dam.cells * (PARTICLES_IN_CELL * particle + cell)
    table = Table(settings, numbers, of_dam.levels[::design.levels_a_step], first, of_dam.hops)
    parts = dict.fromkeys(PARTS, 0.0)
    clock = Clock(machine, table.levels)
    for event in table.events:
        factor = design.reductions / 2.0 if event.what == "p.Ap, r.z" else 1.0
        parts[part_of(event)] += factor * event.n * clock.of(event)
    parts["work"] = arithmetic
    parts["imbalance"] = (of_dam.imbalance - 1.0) * arithmetic
    parts["new blocks"] = 0.5 * (REBUILD * arithmetic + REDUCTIONS_OF_REBUILD * clock.reduction + clock.of_splitters())
    parts["work on coarser levels"] = numbers.all_iterations() * work_on_coarser_levels(
        work, of_dam.levels, unknowns, n_levels, first, design.levels_a_step)
    sent = table.count(lambda event: event.what not in design.left_out)["bytes"]
    parts["bytes"] = clock.of_bytes(design.size * sent)
    if design.hidden:
        room = HIDDEN_SHARE * arithmetic
        for name in ("bytes", "exchanges outside the solves", "finest level of the solves"):
            taken = min(room, parts[name])
            parts[name] -= taken
            room -= taken
    return parts, table


def most_iterations(machine, work, settings, of_dam, design):
    """By which factor iterations of a design may exceed those that it is taken to have before the program as it is takes as long."""
    seconds = [sum(time_of_step(machine, work, settings, of_dam, replace(design, iterations=factor))[0].values()) for factor in (1.0, 2.0)]
    today = sum(time_of_step(machine, work, settings, of_dam)[0].values())
    return 1.0 + (today - seconds[0]) / (seconds[1] - seconds[0])


def cells_of(kind, ranks):
    from scaling import growth

    return (1024,) * 3 if kind == "strong" else tuple(64 * f for f in growth(ranks, [64] * 3))


def predict(machines, work, settings, kind, rank_counts, designs):
    """Rows of the prediction. Efficiency is against one full node of the program as it is."""
    rows = []
    for machine in machines:
        reference = None
        for ranks in sorted({machine.cores, *rank_counts}):
            for design in designs:
                of_dam = dam(cells_of(kind, ranks), ranks, settings, design.blocks_per_rank)
                parts, table = time_of_step(machine, work, settings, of_dam, design)
                seconds = sum(parts.values())
                reference = reference or seconds / of_dam.cells
                others = {name: part for name, part in parts.items() if name not in ("work", "new blocks")}
                finest = of_dam.levels[0]
                rows.append({"settings": settings.name, "kind": kind, "machine": machine.name, "design": design.name, "ranks": ranks,
                             "cells a rank": of_dam.cells, "shared levels": len(table.levels), "ranks to the air": of_dam.hops,
                             "iterations": table.numbers.all_iterations(), "solves": table.numbers.solves,
                             "exchanges an iteration": exchanges_of_iteration(len(table.levels), table.first),
                             "ghost blocks for each owned": float(finest.ghosts.mean()) * ranks / finest.blocks,
                             **{f"{name} a step": n for name, n in table.count().items()},
                             "seconds a step": seconds, "parts": parts, "bottleneck": max(others, key=others.get),
                             "efficiency": reference * of_dam.cells / seconds})
    return rows


def blocks_of_first_case(air=6):
    """(keys, costs, lattice) of the blocks of the first case of README.md: a ball of water over a pool, in 48^3 cells and behind their
    walls. air: cells around water whose blocks exist"""
    lattice = [7] * 3
    centres = np.stack(np.meshgrid(*(np.arange(geometry.WIDTH * n) + 0.5 for n in lattice), indexing="ij"), axis=-1)
    ball = np.linalg.norm(centres - (24.0, 30.0, 24.0), axis=-1) < 6.0
    near = water = ((centres[..., 1] < 12.0) | ball) & (centres < 48.0).all(axis=-1)
    for axis in range(3):
        grown = near.copy()
        for _ in range(air):
            low, high = geometry.pairs_along(grown.copy(), axis)
            for target, source in zip(geometry.pairs_along(grown, axis), (high, low)):
                target |= source
        near = grown
    of_cells = geometry.keys_of((centres // geometry.WIDTH).astype(np.int64).reshape(-1, 3))
    keys = np.unique(of_cells[near.ravel()])
    filled = np.bincount(np.searchsorted(keys, of_cells[water.ravel()]), minlength=len(keys))
    return keys, CELL_COST * geometry.WIDTH ** 3 + PARTICLES_IN_CELL * filled, lattice


def ghosts_of_small_ranks(ranks):
    """(blocks, ghost cells for each owned cell of whole ghost blocks, the same of rims by their width) of that case."""
    keys, costs, lattice = blocks_of_first_case()
    level = geometry.shared_of(keys, geometry.balanced_splitters(keys, costs, ranks), lattice)
    owned = len(keys) / ranks * geometry.WIDTH ** 3
    return len(keys), float(level.ghosts.mean() * geometry.WIDTH ** 3 / owned), {w: float(rim.mean() / owned) for w, rim in level.rims.items()}
