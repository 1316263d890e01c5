#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# This text is printed, and python3 -OO drops docstrings: so this one is assigned.
__doc__ = """Predicts strong and weak scaling to 10^5 ranks on named machines, and says how far the prediction may be trusted.

What is measured: the time of a step of one rank here, and on two ranks what each phase counts (timers.json). What is
computed: which rank gets which block (model_geometry.py), and from that the counts on any number of ranks. Checks: these
counts against the counters of real runs on up to 16 ranks, and the times against runs whose MPI calls are delayed by a
known latency (delay_mpi.c). Iterations are measured, too, with as many levels outside the W-cycle as large grids have.

Assumptions, all of them in this file:
- A core of a named machine is as fast as one here, unless its share of the node's memory bandwidth is too small for the
  bytes that a particle and a liquid cell move (BYTES_OF_PARTICLE, BYTES_OF_CELL: memory_traffic.py, for a last-level
  cache of 4 MiB a core). Slower cores would scale better.
- An exchange takes the network's latency, twice the overhead for each of its messages (send and receive), and its bytes at
  the rank's share of the node's bandwidth, all ranks of a node at a time. Inside a node the latency is LATENCY_IN_NODE. The
  program works on interior blocks while messages of the finest level are on their way; only the design "hidden" counts
  that, because not every MPI sends while a program computes.
- A reduction takes one latency for each doubling of the ranks: of a node inside it, of the network between nodes.
- The liquid is the dam of inputs/benchmark_dam.toml at its start: a quarter of the domain, with a surface of voxels. A solve
  takes the iterations of the same dam on 128^3 cells (--iterations-on), with as many levels outside the W-cycle. The ranks share the liquid by
  cost, and whole blocks make some of them slower (imbalance). Nothing else disturbs them: no noise of the operating system,
  no other jobs, no output.
- On a coarser level of the multigrid all wait for the rank with most blocks. A sweep over one of them takes what it takes on
  the finest level, and the direct solution of the last level DIRECT_SECONDS.
- A new set of blocks in every second step, as at a CFL number of 1, takes REBUILD of a step's work, REDUCTIONS_OF_REBUILD, and
  on each level that has fewer ranks than the finer one a reduction of a key for each of them. On any number of ranks, that of the
  reference too: where the liquid flies about, some rank of a node's needs a block as often.
"""
import argparse
import csv
import json
import math
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import model_geometry as geometry
from freshet.analysis import Run
from launch import finish, launch

ROOT = Path(__file__).resolve().parents[1]
FEW_LEVELS = 2          # of the W-cycle, where runs here shall have levels above it
W_LEVELS = 6            # of multigrid's coarsest levels form a W-cycle: pressure.w_cycle_levels
DIRECT = 128            # unknowns at most of the level that is solved directly: CoarseSolve::most_unknowns
DIRECT_SECONDS = 3e-6   # 2 n m multiplications for n unknowns in planes of m: 128 and 25
REBUILD = 0.12          # of a step, for a new set of blocks: the 64^3 dam on 2 x 1 with a new set in every step
REDUCTIONS_OF_REBUILD = 16  # and other collectives: 4 of the grid, up to 12 of the solver
BYTES_OF_PARTICLE = 320  # through memory in a step, counted by memory_traffic.py
BYTES_OF_CELL = 846      # likewise, for a liquid cell and the iterations of its solve
LATENCY_IN_NODE = 0.7e-6  # [s]
SUSTAINED = 0.8          # of the peak memory bandwidth
REPEATS = 7             # of the runs that time a rank's work: others may have slowed some of them down
PARTICLES_IN_CELL = 8
CELL_COST = 2.0         # of a cell of the grid, in particles; balance.cell_cost
WORKS = ("reductions", "collectives", "exchanges", "messages", "bytes")
NOT_STEPS = ("start", "output", "checkpoint", "grid")
WIDTHS = {"labels": 1, "deposit": 1, "extrapolate": 2, "blend": 2}  # of the ghosts that a phase exchanges [cells]


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


# ---------------------------------------------------------------------------------------------------------- the multigrid
# What one visit of a level exchanges: rims of one colour, the residual to the coarser level, the correction back.
MULTIPLY = 1             # exchanges of the conjugate gradients themselves in an iteration
REDUCTIONS_OF_ITERATION = 2
EXCHANGES_OF_LEVEL = 4   # of the set-up of a solve, for each shared level beyond the first
WAITS_OF_LEVEL = 3       # two of them are under way together
CYCLES = {  # name: visits of a level where `first` levels are outside the program's W-cycle
    "V, then W": lambda level, first: 2 ** max(level - first, 0),  # src/pressure/multigrid/multigrid.hpp
    "W": lambda level, first: 2 ** level,
    "F": lambda level, first: level + 1,
    "W, then V": lambda level, first: 2 ** min(level, 2),       # W on two levels, V below them
    "V": lambda level, first: 1,
}
TODAY = "V, then W"
DESIGNS = {  # name: (cycle, exchanges of the finest level are hidden behind interior blocks)
    "today": (TODAY, False),
    "W-cycle": ("W", False),
    "F-cycle": ("F", False),
    "W on two levels, then V": ("W, then V", False),
    "W on two levels, then V, hidden": ("W, then V", True),
}
HIDDEN_SHARE = 0.5  # of the work, at most, can hide exchanges


def levels_of_multigrid(unknowns):
    """Number of levels for so many unknowns in all."""
    levels = 1
    while unknowns > DIRECT:
        unknowns /= 8
        levels += 1
    return levels


def first_of_w_cycle(unknowns):
    """Number of levels above the W-cycle, for so many unknowns in all."""
    return max(levels_of_multigrid(unknowns) - W_LEVELS, 0)


def rims_of_visit(level, first, cycle=TODAY):
    """One rim for each half-sweep: two sweeps each way, one on coarser levels that are visited more than once."""
    return 8 if level == 0 or cycle == "V" or (cycle == TODAY and level < first) else 4


def exchanges_of_iteration(n_shared, first=0, cycle=TODAY):
    """Exchanges of an iteration when the n_shared finest levels are on several ranks."""
    return MULTIPLY + sum(CYCLES[cycle](level, first) * (rims_of_visit(level, first, cycle) + 2) for level in range(n_shared))


def search(hops):
    """(exchanges, reductions) of a step by which ranks show that their liquid hangs together with the air, as in the step
    before. There is no such search where every rank's liquid touches air."""
    return (1, 1) if hops > 0 else (0, 0)


def traffic_of_iteration(levels, first=0, cycle=TODAY):
    """(messages, bytes) of an iteration, mean over the ranks of the finest level."""
    ranks = levels[0].ranks
    messages = MULTIPLY * levels[0].face_neighbours.mean()
    n_bytes = MULTIPLY * 8 * levels[0].face_rim.mean()
    for number, level in enumerate(levels):
        visits, rims, share = CYCLES[cycle](number, first), rims_of_visit(number, first, cycle), level.ranks / ranks
        links = level.up.mean() + level.down.sum() / max(level.ranks, 1)
        messages += visits * share * (rims * level.face_neighbours.mean() + links)
        n_bytes += visits * share * (rims * 4 * level.face_rim.mean() / 2
                                     + 2 * 4 * (geometry.WIDTH // 2) ** 3 * level.children_elsewhere.mean())
    return messages, n_bytes


# -------------------------------------------------------------------------------------------------------- counts of a run
# Liquid that sloshes a little: no blocks come while the steps are counted.
DEPTH = 0.4  # of the box
POOL = """[run]
end_time = 10
[domain]
cells = [{cells}]
cell_size = 0.03125
[labels]
surface = "voxels"
[density]
correction = "off"
[pressure.walls]
condition = "sticky"
[[liquid]]
shape = "box"
lower = [0, 0, 0]
upper = [{x}, {y}, {z}]
velocity = [0.05, 0, 0.02]
[balance]
enabled = false
[output]
interval = 0
particles = []
[checkpoint]
wall_interval = 0
"""


def run(program, case, ranks, steps, folder, preload=None, settings=(), words=()):
    """(phases by name, columns of steps.csv) of a run."""
    output = Path(folder) / "out"
    launcher, environment = launch(ranks, 1)
    environment.update(settings)
    prefix = ["env", f"LD_PRELOAD={preload}"] if preload else []
    command = [*launcher, *prefix, program, "run", str(case), f"run.max_steps={steps}", *words, "--output-dir", str(output), "--force"]
    done = finish(command, environment, "model")
    if done.returncode != 0:
        sys.exit(f"model: {' '.join(command)} ended with {done.returncode}: {(done.stdout + done.stderr)[-1000:]}")
    done = Run(output)
    return {phase["name"]: phase for phase in done.timers["phases"]}, done.step_columns


def pool(cells, folder):
    """A pool of water in a box of cells; the path of the case."""
    case = Path(folder) / "pool.toml"
    x, y, z = (n * 0.03125 for n in cells)
    case.write_text(POOL.format(cells=", ".join(map(str, cells)), x=x, y=DEPTH * y, z=z))
    return case


def count(program, cells, ranks, steps, folder, w_levels=W_LEVELS):
    """What a step of the pool counts: {phase: {work: mean, max_work: largest}}; iterations of a step, blocks at the end."""
    case = pool(cells, folder)
    words = [f"pressure.w_cycle_levels={w_levels}"]
    (short, few), (long, many) = (run(program, case, ranks, n, folder, words=words) for n in steps)
    n = steps[1] - steps[0]
    keys = [prefix + work for work in WORKS for prefix in ("", "max_")]
    zero = dict.fromkeys(keys, 0)
    phases = {name: {key: (phase[key] - short.get(name, zero)[key]) / n for key in keys} for name, phase in long.items()
              if name not in NOT_STEPS}
    for work in ("messages", "bytes"):  # particles that change their rank: few, and none on the critical path
        phases["migrate"][work] = 0.0
    return phases, float(many["iterations"][len(few["t"]):].sum()) / n, int(many["allocated_blocks"][-1])


def pool_blocks(cells, ranks, n_blocks):
    """(keys, splitters, lattice) of the pool, whose blocks are shared by the cost of those with liquid, as when a run starts."""
    lattice = [-(-n // geometry.WIDTH) for n in cells]
    layers = n_blocks // (lattice[0] * lattice[2])
    keys = geometry.box_keys([lattice[0], layers, lattice[2]])
    filled = np.clip(DEPTH * cells[1] - geometry.WIDTH * geometry.coords_of(keys)[:, 1], 0, geometry.WIDTH)
    liquid = filled > 0
    costs = (filled * PARTICLES_IN_CELL + geometry.WIDTH * CELL_COST) * geometry.WIDTH ** 2
    return keys, geometry.balanced_splitters(keys[liquid], costs[liquid], ranks), lattice


def pool_levels(cells, ranks, n_blocks):
    """The levels of the pool, the finest first."""
    return geometry.levels_of(*pool_blocks(cells, ranks, n_blocks))


def pool_stretches(cells, ranks, n_blocks):
    """Number of blocks of each rank of the pool."""
    keys, splitters, _ = pool_blocks(cells, ranks, n_blocks)
    return np.diff(geometry.stretches(splitters, keys, ranks)).tolist()


def pool_hops(cells, ranks, n_blocks):
    _, splitters, lattice = pool_blocks(cells, ranks, n_blocks)
    return geometry.hops_to_air(splitters, [lattice[0], math.ceil(DEPTH * cells[1] / geometry.WIDTH), lattice[2]], [1])


class Counts:
    """Counts of a step on any number of ranks, from those measured on two and the geometry of the blocks."""

    def __init__(self, phases, iterations, levels):
        self.phases, self.levels = phases, levels
        outside = [name for name in phases if name != "pressure"]
        self.outside = {name: phases[name] for name in outside}
        solve = phases["pressure"]
        messages, n_bytes = traffic_of_iteration(levels)
        self.fixed = {
            "exchanges": solve["exchanges"] - iterations * exchanges_of_iteration(1),
            "reductions": solve["reductions"] - iterations * REDUCTIONS_OF_ITERATION,
            "messages": solve["messages"] - iterations * messages,
            "bytes": solve["bytes"] - iterations * n_bytes,
        }

    def predict(self, levels, iterations, first=0, cycle=TODAY, hops=0):
        """{work: (solve, outside the solve)} of a step, messages and bytes as the mean over the ranks."""
        ours, theirs = levels[0], self.levels[0]
        more = len(levels) - 1
        messages, n_bytes = traffic_of_iteration(levels, first, cycle)
        neighbours = ours.neighbours.mean() / theirs.neighbours.mean()
        rim = {w: ours.rims[w].mean() / theirs.rims[w].mean() for w in ours.rims}
        per_level = sum(level.face_neighbours.mean() * level.ranks for level in levels[1:]) / ours.ranks
        return {
            "exchanges": (self.fixed["exchanges"] + EXCHANGES_OF_LEVEL * more + search(hops)[0]
                          + iterations * exchanges_of_iteration(len(levels), first, cycle),
                          sum(phase["max_exchanges"] for phase in self.outside.values())),
            "reductions": (self.fixed["reductions"] + more + search(hops)[1] + iterations * REDUCTIONS_OF_ITERATION
                           + (1 if first > 0 else 0),  # how many levels there are
                           sum(phase["max_reductions"] for phase in self.outside.values())),
            "messages": (self.fixed["messages"] * neighbours + EXCHANGES_OF_LEVEL * per_level + iterations * messages,
                         sum(phase["messages"] * neighbours for phase in self.outside.values())),
            "bytes": (self.fixed["bytes"] * rim[1] + iterations * n_bytes,
                      sum(phase["bytes"] * rim[WIDTHS.get(name, 1)] for name, phase in self.outside.items())),
        }


def calibrated(calibration):
    levels = pool_levels(calibration["cells"], calibration["ranks"], calibration["blocks"])
    return Counts(calibration["phases"], calibration["iterations"], levels)


def check_counts(program, quick):
    """(rows of the comparison, what two ranks counted)."""
    steps = (3, 6) if quick else (6, 14)
    layouts = [(4, (32, 64, 64), W_LEVELS), (8, (64, 64, 64), FEW_LEVELS)]
    if not quick:
        layouts += [(3, (64, 32, 64), W_LEVELS), (8, (64, 64, 64), W_LEVELS), (16, (64, 64, 128), W_LEVELS), (8, (96, 128, 128), W_LEVELS),
                    (8, (96, 128, 128), FEW_LEVELS)]
    rows, calibration = [], None
    with tempfile.TemporaryDirectory() as folder:
        for ranks, cells, w_levels in [(2, (32, 32, 64), W_LEVELS), *layouts]:
            phases, iterations, n_blocks = count(program, cells, ranks, steps, folder, w_levels)
            if calibration is None:
                calibration = {"phases": phases, "iterations": iterations, "cells": cells, "ranks": ranks, "blocks": n_blocks}
                continue
            levels = pool_levels(cells, ranks, n_blocks)
            first = max(levels_of_multigrid(DEPTH * math.prod(cells)) - w_levels, 0)
            predicted = calibrated(calibration).predict(levels, iterations, first, hops=pool_hops(cells, ranks, n_blocks))
            for work in ("exchanges", "reductions", "messages", "bytes"):
                key = "max_" + work if work in ("exchanges", "reductions") else work
                found = sum(phase[key] for phase in phases.values())
                rows.append({"ranks": ranks, "cells": "x".join(map(str, cells)), "levels": len(levels), "first": first,
                             "iterations": iterations, "what": work, "counted": found, "predicted": sum(predicted[work])})
    for row in rows:
        row["off"] = row["predicted"] / row["counted"] - 1.0
    return rows, calibration


def check_times(program, counts, quick):
    """Rows that compare the latencies which a step waits for, by the model, with runs whose MPI calls are delayed.

    Two delays, and the fastest step of each: the difference holds no work and little of what else the machine does.
    """
    rows = []
    delays, steps = ((1e-3, 3e-3), 6) if quick else ((2e-3, 8e-3), 10)
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "delay_mpi.so"
        compiled = subprocess.run(["mpicc", "-O2", "-shared", "-fPIC", "-o", str(library), str(ROOT / "analysis/delay_mpi.c"),
                                   "-ldl"], capture_output=True, text=True)
        if compiled.returncode != 0:
            sys.exit(f"model: delay_mpi.c cannot be compiled: {compiled.stderr[-1000:]}")
        for ranks, cells in ((4, (32, 64, 64)),) if quick else ((2, (32, 32, 64)), (4, (32, 64, 64)), (8, (64, 64, 64))):
            case = pool(cells, folder)
            fastest, iterations = [], None
            for delay in delays:
                _, steps_of = run(program, case, ranks, steps, folder, preload=library, settings={"DELAY_MPI": str(delay)})
                blocks = steps_of["allocated_blocks"][2:]
                iterations = iterations or int(np.median(steps_of["iterations"][2:]))
                alike = (steps_of["iterations"][2:] == iterations) & (blocks == blocks[0])
                fastest.append(float(steps_of["seconds"][2:][alike].min()) if alike.any() else math.nan)
            n_blocks = int(blocks[0])
            levels = pool_levels(cells, ranks, n_blocks)
            predicted = counts.predict(levels, iterations, hops=pool_hops(cells, ranks, n_blocks))
            together = (EXCHANGES_OF_LEVEL - WAITS_OF_LEVEL) * (len(levels) - 1)
            waits = sum(predicted["exchanges"]) - together + math.ceil(math.log2(ranks)) * sum(predicted["reductions"])
            rows.append({"ranks": ranks, "cells": "x".join(map(str, cells)), "levels": "", "first": 0, "iterations": iterations,
                         "what": TIMES, "counted": (fastest[1] - fastest[0]) / (delays[1] - delays[0]),
                         "predicted": waits})
            rows[-1]["off"] = rows[-1]["predicted"] / rows[-1]["counted"] - 1.0
    return rows


# ------------------------------------------------------------------------------------------------------------ predictions
@dataclass(frozen=True)
class Work:
    """What a rank's arithmetic takes here, and how many iterations a solve."""
    particle: float     # [s] for a particle and step, all phases but the pressure
    cell: float         # [s] for a liquid cell and a solve of iterations[0] iterations
    share: float        # of that, which all iterations together take
    iterations: tuple   # of a solve with none, one, two, ... levels outside the W-cycle

    def iterations_with(self, first):
        return self.iterations[min(first, len(self.iterations) - 1)]

    def sweep(self):
        """Of a block, each way [s]: an iteration of a W-cycle has two on the finest level, and one in each visit of a coarser one."""
        sweeps = 2 + sum(2 ** level / 8 ** level for level in range(1, 8))
        return geometry.WIDTH ** 3 * self.cell * self.share / self.iterations[0] / sweeps

    def on(self, machine, iterations):
        """(seconds of a particle, of a cell) on a core of a machine, all of whose cores work."""
        bandwidth = machine.sustained() / machine.cores
        cell = max(self.cell, BYTES_OF_CELL / bandwidth)
        return max(self.particle, BYTES_OF_PARTICLE / bandwidth), cell * (1.0 + self.share * (iterations / self.iterations[0] - 1.0))


def sweeps_of_blocks(n_levels, first, cycle, blocks):
    """Sweeps over a block, each way, on the levels between the finest and the last one, where blocks(level) are worked on."""
    return sum(CYCLES[cycle](level, first) * rims_of_visit(level, first, cycle) / 4 * blocks(level) for level in range(1, n_levels - 1))


def work_on_coarser_levels(work, levels, unknowns, first, cycle):
    """Seconds that an iteration on several ranks waits for the coarser levels' work, beyond that of one rank alone."""
    n_levels = levels_of_multigrid(unknowns)
    block = geometry.WIDTH ** 3
    wet = unknowns / (block * levels[0].blocks)
    blocks = [level.most_blocks for level in levels] + list(levels[-1].below)
    fullest = sweeps_of_blocks(n_levels, first, cycle, lambda level: (blocks[level] if level < len(blocks) else 1) * wet)
    alone = sweeps_of_blocks(n_levels, 0, "W", lambda level: unknowns / levels[0].ranks / (block * 8 ** level))
    return work.sweep() * (fullest - alone) + CYCLES[cycle](n_levels - 2, first) * DIRECT_SECONDS


def run_dam(program, n, ranks, steps, folder, *words):
    """(phases by name, columns of steps.csv) of the dam on n^3 cells."""
    case = Path(folder) / "dam.toml"
    text = (ROOT / "inputs/benchmark_dam.toml").read_text()
    text = text.replace("cells = [64, 64, 64]", f"cells = [{n}, {n}, {n}]").replace("0.015625", repr(1.0 / n))
    case.write_text(text + "interval = 0\n")
    return run(program, case, ranks, steps, folder, words=words)


def measure_work(program, quick, large):
    """Work of one rank in the dam on 64^3 cells, with quick on 32^3, in the fastest of several runs; iterations on large^3."""
    n = 32 if quick else 64
    steps = 8 if quick else 20
    with tempfile.TemporaryDirectory() as folder:
        usual = [run_dam(program, n, 1, steps, folder) for _ in range(1 if quick else REPEATS)]
        tighter = [run_dam(program, n, 1, steps, folder, "pressure.tolerance=1e-10") for _ in usual]
        iterations = []
        n_levels = levels_of_multigrid(large ** 3 / 4)
        for w_levels in range(n_levels, 1, -1):
            _, of_large = run_dam(program, large, 1, steps, folder, f"pressure.w_cycle_levels={w_levels}")
            iterations.append(float(of_large["iterations"].mean()))
    _, columns = usual[0]
    particles = float(columns["particles"].sum())
    cells = float(columns["liquid_cells"].sum())
    rest = min(sum(phase["max"] for name, phase in phases.items() if name not in ("pressure", "start", "output", "checkpoint"))
               for phases, _ in usual)
    few, many = columns["iterations"].sum(), tighter[0][1]["iterations"].sum()
    solves, tight = (min(phases["pressure"]["max"] for phases, _ in runs) for runs in (usual, tighter))
    share = min(max((tight - solves) / (many - few) * few / solves, 0.0), 1.0)
    at_first = 1.0 + share * (iterations[0] * len(columns["iterations"]) / few - 1.0)
    return Work(rest / particles, solves / cells * at_first, share, tuple(iterations))


def dam(cells, ranks, ranks_per_node, hops=None):
    """(levels, mean number of liquid cells of a rank, imbalance, ranks between air and the deepest liquid) of the dam."""
    lattice = [n // geometry.WIDTH for n in cells]
    liquid = [max(lattice[0] // 2, 1), max(lattice[1] // 2, 1), lattice[2]]
    keys = geometry.box_keys([min(liquid[0] + 1, lattice[0]), min(liquid[1] + 1, lattice[1]), lattice[2]])
    coords = geometry.coords_of(keys)
    wet = (coords[:, 0] < liquid[0]) & (coords[:, 1] < liquid[1])
    costs = geometry.WIDTH ** 3 * (CELL_COST + PARTICLES_IN_CELL * wet)
    splitters = geometry.balanced_splitters(keys, costs, ranks)
    first = geometry.stretches(splitters, keys, ranks)
    cost = np.add.reduceat(costs, np.minimum(first[:-1], len(costs) - 1)) * (np.diff(first) > 0)
    return (geometry.levels_of(keys, splitters, lattice, ranks_per_node), int(wet.sum()) * geometry.WIDTH ** 3 / ranks,
            cost.max() / cost.mean(), geometry.hops_to_air(splitters, liquid, [0, 1]) if hops is None else hops)


def time_of_splitters(machine, levels):
    """Seconds that the first keys of the ranks take to be agreed on: each node's ranks read three times what its port sends and
    receives once."""
    keys = 8 * sum(coarse.ranks for fine, coarse in zip(levels, levels[1:]) if coarse.ranks < fine.ranks)
    return keys * (3 * machine.cores / machine.sustained() + 2 / machine.network)


def time_of_step(machine, work, counts, levels, cells, imbalance, hops, design="today"):
    """{part: seconds} of a step of the slowest rank."""
    cycle, hidden = DESIGNS[design]
    ranks = levels[0].ranks
    first = first_of_w_cycle(cells * ranks)
    iterations = work.iterations_with(first if cycle == TODAY else 0)  # other cycles: assumed to take those of the W-cycle
    particle, cell = work.on(machine, iterations)
    arithmetic = cells * (PARTICLES_IN_CELL * particle + cell)
    predicted = counts.predict(levels, iterations, first, cycle, hops)
    nodes = -(-ranks // machine.cores)
    doublings_in_node = math.ceil(math.log2(min(ranks, machine.cores)))
    reduction = doublings_in_node * LATENCY_IN_NODE + math.ceil(math.log2(nodes)) * machine.latency

    def exchange(level, neighbours):
        inside = -(-level.ranks // machine.cores) == 1
        return (LATENCY_IN_NODE if inside else machine.latency) + 2 * machine.overhead * neighbours

    if ranks == 1:
        return {"work": arithmetic, "imbalance": 0.0, "new blocks": 0.5 * REBUILD * arithmetic}
    finest = levels[0]
    fine = exchange(finest, finest.face_neighbours.max())
    coarse = 0.0
    for number, level in enumerate(levels):
        visits = iterations * CYCLES[cycle](number, first)
        links = (exchange(level, level.up.max()) + exchange(level, level.down.max())) * visits
        if number > 0:
            rims = visits * rims_of_visit(number, first, cycle)
            coarse += (rims + WAITS_OF_LEVEL) * exchange(level, level.face_neighbours.max()) + links
        else:
            coarse += links
    n_bytes = sum(predicted["bytes"])
    parts = {
        "work": arithmetic,
        "imbalance": (imbalance - 1.0) * arithmetic,
        "new blocks": 0.5 * (REBUILD * arithmetic + REDUCTIONS_OF_REBUILD * reduction + time_of_splitters(machine, levels)),
        "exchanges outside the solve": predicted["exchanges"][1] * exchange(finest, finest.neighbours.max()),
        "finest level of the solve": (counts.fixed["exchanges"] + iterations * (MULTIPLY + rims_of_visit(0, first, cycle))) * fine,
        "coarser levels of the solve": coarse,
        "work on coarser levels": iterations * work_on_coarser_levels(work, levels, cells * ranks, first, cycle),
        "reductions": (sum(predicted["reductions"]) - search(hops)[1]) * reduction,
        "search for sealed bodies": search(hops)[0] * exchange(finest, finest.neighbours.max())
        + search(hops)[1] * reduction,
        "bytes": n_bytes * machine.cores * (finest.off_node / machine.network + (1 - finest.off_node) / machine.sustained()),
    }
    if hidden:
        room = HIDDEN_SHARE * arithmetic
        for name in ("bytes", "exchanges outside the solve", "finest level of the solve"):
            taken = min(room, parts[name])
            parts[name] -= taken
            room -= taken
    return parts


def predict(machines, work, counts, kind, rank_counts, designs):
    """Rows of the prediction. Efficiency is against the rank count that fills one node."""
    from scaling import growth

    rows, known = [], {}
    for machine in machines:
        for ranks in sorted({machine.cores, *rank_counts}):
            cells = [1024] * 3 if kind == "strong" else [64 * f for f in growth(ranks, [64] * 3)]
            levels, mean_cells, imbalance, known[ranks] = dam(cells, ranks, machine.cores, known.get(ranks))
            first = first_of_w_cycle(mean_cells * ranks)
            for design in designs:
                parts = time_of_step(machine, work, counts, levels, mean_cells, imbalance, known[ranks], design)
                rows.append({"kind": kind, "machine": machine.name, "design": design, "ranks": ranks,
                             "cells a rank": mean_cells, "shared levels": len(levels), "ranks to the air": known[ranks],
                             "iterations": work.iterations_with(first if DESIGNS[design][0] == TODAY else 0),
                             "exchanges an iteration": exchanges_of_iteration(len(levels), first, DESIGNS[design][0]),
                             "seconds a step": sum(parts.values()), "parts": parts})
    for row in rows:
        first = next(r for r in rows if (r["machine"], r["design"]) == (row["machine"], row["design"]))
        row["efficiency"] = first["seconds a step"] / first["cells a rank"] / (row["seconds a step"] / row["cells a rank"])
        others = {name: seconds for name, seconds in row["parts"].items() if name not in ("work", "new blocks")}
        row["bottleneck"] = max(others, key=others.get)
    return rows


# ----------------------------------------------------------------------------------------------------------------- output
TIMES = "latencies waited for"
GOALS = (("weak", 100000, 0.85), ("strong", 16384, 0.60))
PARTS = ("work", "imbalance", "new blocks", "exchanges outside the solve", "finest level of the solve", "coarser levels of the solve",
         "work on coarser levels", "reductions", "search for sealed bodies", "bytes")


def plot(rows, checks, picture):
    """Efficiencies of both studies, the parts of a step on the first machine, and the check of the counts."""
    figure, axes = plt.subplots(2, 2, figsize=(15, 10), layout="constrained")
    styles = dict(zip(DESIGNS, ("-", "--", ":", "-.", (0, (1, 4)))))
    for one, (kind, *goal) in zip(axes[0], GOALS):
        chosen = [r for r in rows if r["kind"] == kind]
        for n, machine in enumerate(dict.fromkeys(r["machine"] for r in chosen)):
            for design in dict.fromkeys(r["design"] for r in chosen):
                line = [r for r in chosen if (r["machine"], r["design"]) == (machine, design)]
                one.plot([r["ranks"] for r in line], [r["efficiency"] for r in line], ls=styles[design], marker="o", ms=3,
                         color=f"C{n}", lw=2.2 if design == "today" else 1)
            one.plot([], [], color=f"C{n}", lw=2.2, label=machine)
        for design in dict.fromkeys(r["design"] for r in chosen):
            one.plot([], [], color="0.3", ls=styles[design], lw=2.2 if design == "today" else 1, label=design)
        one.plot(*goal, "k*", ms=12, ls="", label="goal")
        one.axhline(1.0, color="0.6", lw=1, ls="--")
        one.set(xscale="log", ylim=(0, 1.05), xlabel="ranks, one a core", ylabel="efficiency against one full node",
                title="Weak scaling: 64^3 cells a rank" if kind == "weak" else "Strong scaling: dam on 1024^3 cells")
        one.grid(alpha=0.3)
        one.legend(fontsize=8, loc="lower left")
    first, one = rows[0]["machine"], axes[1, 0]
    line = [r for r in rows if (r["kind"], r["machine"], r["design"]) == ("weak", first, "today")]
    bottom = np.zeros(len(line))
    for n, part in enumerate(PARTS):
        values = np.array([1e3 * r["parts"].get(part, 0.0) for r in line])
        one.bar(range(len(line)), values, bottom=bottom, color=plt.get_cmap("tab10")(n), label=part)
        bottom += values
    one.set_xticks(range(len(line)), [str(r["ranks"]) for r in line], rotation=45)
    one.set(title=f"A step of the weak study on {first}, as the program is today", ylabel="[ms]", xlabel="ranks")
    one.legend(fontsize=8, loc="lower right")
    one = axes[1, 1]
    for n, what in enumerate(dict.fromkeys(check["what"] for check in checks)):
        points = [check for check in checks if check["what"] == what]
        one.plot([c["counted"] for c in points], [c["predicted"] for c in points], "o", color=f"C{n}", label=what)
    both = [v for c in checks for v in (c["counted"], c["predicted"])]
    ends = np.array([min(both), max(both)])
    one.plot(ends, ends, color="0.4", lw=1)
    one.fill_between(ends, 0.9 * ends, 1.1 * ends, color="0.85", label="10 %")
    one.set(xscale="log", yscale="log", xlabel="counted in runs here, a step", ylabel="predicted",
            title="Check: 3 to 16 ranks, from counts on 2")
    one.grid(alpha=0.3)
    one.legend(fontsize=8)
    figure.savefig(picture, dpi=110)
    plt.close(figure)


def markdown(rows, checks, work, machines):
    lines = ["# Predicted scaling", "", __doc__.split("Assumptions", 1)[0].strip(), "",
             "Assumptions" + __doc__.split("Assumptions", 1)[1].rstrip(), "",
             f"Work of one rank here: {1e9 * work.particle:.1f} ns a particle and step without the pressure, "
             f"{1e9 * work.cell:.0f} ns a liquid cell and solve, {100 * work.share:.0f} % of them in iterations. Iterations of a solve with "
             f"{', '.join(map(str, range(len(work.iterations))))} levels outside the W-cycle: "
             f"{', '.join(f'{n:.1f}' for n in work.iterations)}.", "", "| machine | cores a node | memory, peak | network | latency | source |",
             "|---|---|---|---|---|---|"]
    lines += [f"| {m.name} | {m.cores} | {1e-9 * m.memory:.0f} GB/s | {1e-9 * m.network:.1f} GB/s | {1e6 * m.latency:.1f} us | {m.source} |"
              for m in machines]
    lines += ["", "## Check", "", "| ranks | cells | above the W-cycle | what | counted | predicted | off |", "|---|---|---|---|---|---|---|"]
    lines += [f"| {c['ranks']} | {c['cells']} | {c['first']} | {c['what']} | {c['counted']:.4g} | {c['predicted']:.4g} | {100 * c['off']:+.1f} % |"
              for c in checks]
    for kind, head in (("weak", "64^3 cells a rank"), ("strong", "the dam on 1024^3 cells")):
        lines += ["", f"## {kind.capitalize()} scaling: {head}", "",
                  "| machine | design | ranks | ms a step | efficiency | iterations | exchanges an iteration | first bottleneck |",
                  "|---|---|---|---|---|---|---|---|"]
        lines += [f"| {r['machine']} | {r['design']} | {r['ranks']} | {1e3 * r['seconds a step']:.2f} | {r['efficiency']:.3f} | "
                  f"{r['iterations']:.1f} | {r['exchanges an iteration']} | {r['bottleneck']}, {1e3 * r['parts'][r['bottleneck']]:.2f} ms |"
                  for r in rows if r["kind"] == kind]
    lines += ["", "## Goals", ""]
    for kind, ranks, goal in GOALS:
        for machine in machines:
            reached = [f"{r['design']} {100 * r['efficiency']:.0f} %" for r in rows
                       if (r["kind"], r["machine"], r["ranks"]) == (kind, machine.name, ranks)]
            if reached:
                lines.append(f"- {kind}, {ranks} ranks, {machine.name}: {100 * goal:.0f} % wanted; {', '.join(reached)}")
    return "\n".join(lines) + "\n"


def write(rows, checks, work, machines, folder):
    folder.mkdir(parents=True, exist_ok=True)
    text = markdown(rows, checks, work, machines)
    (folder / "model.md").write_text(text)
    with open(folder / "model.csv", "w", newline="") as file:
        writer = csv.writer(file)
        names = [name for name in rows[0] if name != "parts"]
        writer.writerow(names + [f"{part} [s]" for part in PARTS])
        for row in rows:
            writer.writerow([row[name] for name in names] + [row["parts"].get(part, 0.0) for part in PARTS])
    (folder / "check.json").write_text(json.dumps(checks, indent=1))
    plot(rows, checks, folder / "model.png")
    return text


def measure(arguments, program):
    """What runs here tell: {"calibration", "counts", "times", "work"}; what the file of --measured holds is not run again."""
    file = arguments.measured
    found = json.loads(file.read_text()) if file and file.exists() else {}

    def keep():
        if file:
            file.write_text(json.dumps(found, indent=1))

    if "counts" not in found:
        found["counts"], found["calibration"] = check_counts(program, arguments.quick)
        keep()
    counts = calibrated(found["calibration"])
    if "times" not in found:
        found["times"] = check_times(program, counts, arguments.quick)
        keep()
    if "work" not in found:
        work = measure_work(program, arguments.quick, arguments.iterations_on or (64 if arguments.quick else 128))
        found["work"] = [work.particle, work.cell, work.share, work.iterations]
        keep()
    return found["counts"] + found["times"], counts, Work(*found["work"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "build/release/src/freshet"), help="the freshet binary")
    parser.add_argument("--quick", action="store_true", help="few and small runs, few rank counts, one machine")
    parser.add_argument("--output", type=Path, default=ROOT / "output/model", help="folder for model.csv, .md and .png")
    parser.add_argument("--measured", type=Path, metavar="FILE", help="keeps what was measured; what it holds is not run again")
    parser.add_argument("--iterations-on", type=int, metavar="N",
                        help="iterations of a solve are those of the dam on N^3 cells (default: 128, with --quick 64)")
    arguments = parser.parse_args()
    checks, counts, work = measure(arguments, os.path.abspath(arguments.program))
    machines = MACHINES[:1] if arguments.quick else MACHINES
    designs = ("today", "W on two levels, then V") if arguments.quick else tuple(DESIGNS)
    weak, strong = ((1024, 8192), (1024, 16384)) if arguments.quick else ((512, 1000, 4096, 10000, 32768, 100000),
                                                                         (512, 1000, 2048, 4096, 10000, 16384, 32768, 100000))
    rows = predict(machines, work, counts, "weak", weak, designs) + predict(machines, work, counts, "strong", strong, designs)
    print(write(rows, checks, work, machines, arguments.output))
    # the few steps of --quick are no measure of time
    off = [c for c in checks if abs(c["off"]) > 0.1 and not (arguments.quick and c["what"] == TIMES)]
    print(f"{len(checks)} checks; off by more than 10 %: {len(off)}. The tables are in {arguments.output}")
    sys.exit(1 if off else 0)


if __name__ == "__main__":
    main()
