# SPDX-License-Identifier: Apache-2.0
"""Holds the tables of model_counts.py against the counters of runs here, and their waits against runs whose MPI calls are delayed.

The runs are pools of water that slosh a little, so that no blocks come while steps are counted. What a step counts is the
difference of two runs of different length.
"""
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import model_geometry as geometry
from freshet.analysis import Run
from launch import finish, launch
from model_counts import SHIPPED, VOXELS, W_LEVELS, WORKS, Table, first_of_w_cycle, numbers_of

ROOT = Path(__file__).resolve().parents[1]
FEW_LEVELS = 2          # of the W-cycle, where runs here shall have levels above it
PARTICLES_IN_CELL = 8
CELL_COST = 2.0         # of a cell of the grid, in particles; balance.cell_cost
NOT_STEPS = ("start", "output", "checkpoint", "grid")
TIMES = "latencies waited for"
DEPTH = 0.4  # of the box
DX = 0.03125  # [m]
POOL = """[run]
end_time = 10
[domain]
cells = [{cells}]
cell_size = {dx}
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


def run(program, case, ranks, steps, folder, words=(), preload=None, variables=()):
    """(phases by name, columns of steps.csv) of a run. variables: of its environment."""
    output = Path(folder) / "out"
    launcher, environment = launch(ranks, 1)
    environment.update(variables)
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
    x, y, z = (n * DX for n in cells)
    case.write_text(POOL.format(cells=", ".join(map(str, cells)), dx=DX, x=x, y=DEPTH * y, z=z))
    return case


def pool_blocks(settings, cells, ranks, n_blocks):
    """(keys, splitters, lattice) of the pool, whose blocks are shared by the cost of those with liquid, as when a run starts."""
    lattice = settings.lattice(cells)
    layers = n_blocks // (lattice[0] * lattice[2])
    keys = geometry.box_keys([lattice[0], layers, lattice[2]])
    first = geometry.WIDTH * geometry.coords_of(keys)
    filled = np.clip(DEPTH * cells[1] - first[:, 1], 0, geometry.WIDTH)
    liquid = (filled > 0) & (first < cells).all(axis=1)
    costs = (filled * PARTICLES_IN_CELL + geometry.WIDTH * CELL_COST) * geometry.WIDTH ** 2
    return keys, geometry.balanced_splitters(keys[liquid], costs[liquid], ranks), lattice


def pool_levels(settings, cells, ranks, n_blocks):
    """The levels of the pool, the finest first."""
    return geometry.levels_of(*pool_blocks(settings, cells, ranks, n_blocks))


def pool_stretches(settings, cells, ranks, n_blocks):
    """Number of blocks of each rank of the pool."""
    keys, splitters, _ = pool_blocks(settings, cells, ranks, n_blocks)
    return np.diff(geometry.stretches(splitters, keys, ranks)).tolist()


def pool_hops(settings, cells, ranks, n_blocks):
    _, splitters, _ = pool_blocks(settings, cells, ranks, n_blocks)
    x, y, z = (math.ceil(part * n / geometry.WIDTH) for n, part in zip(cells, (1.0, DEPTH, 1.0)))
    return geometry.hops_to_air(splitters, [x, y, z], [1])


def pool_table(settings, numbers, cells, ranks, n_blocks, w_levels=W_LEVELS):
    """What a step of the pool exchanges, by the model."""
    first = first_of_w_cycle(DEPTH * math.prod(cells), w_levels)
    return Table(settings, numbers, pool_levels(settings, cells, ranks, n_blocks), first, hops=pool_hops(settings, cells, ranks, n_blocks))


def count(program, settings, cells, ranks, steps, folder, w_levels=W_LEVELS):
    """What a step of the pool counts: {phase: {work: mean, or largest of exchanges and reductions}}; its Numbers; blocks at the end."""
    case = pool(cells, folder)
    words = [f"pressure.w_cycle_levels={w_levels}", *settings.words()]
    (short, few), (long, many) = (run(program, case, ranks, n, folder, words) for n in steps)
    keys = {work: "max_" + work if work in ("exchanges", "reductions") else work for work in WORKS}
    zero = dict.fromkeys(keys.values(), 0)
    phases = {name: {work: (phase[key] - short.get(name, zero)[key]) / (steps[1] - steps[0]) for work, key in keys.items()}
              for name, phase in long.items() if name not in NOT_STEPS}
    for work in ("messages", "bytes"):  # particles that change their rank: few, and none on the critical path
        phases["migrate"][work] = 0.0
    return phases, numbers_of(many, settings, len(few["t"])), int(many["allocated_blocks"][-1])


def compare(program, settings, cells, ranks, steps, folder, w_levels=W_LEVELS):
    """(rows of the comparison of one pool with the model, problems in single phases)."""
    phases, numbers, n_blocks = count(program, settings, cells, ranks, steps, folder, w_levels)
    table = pool_table(settings, numbers, cells, ranks, n_blocks, w_levels)
    by_phase, predicted = table.count_by_phase(), table.count()
    place = {"settings": settings.name, "ranks": ranks, "cells": "x".join(map(str, cells)), "levels": len(table.levels),
             "first": table.first, "iterations": numbers.all_iterations()}
    rows = [{**place, "what": work, "counted": sum(phase[work] for phase in phases.values()), "predicted": predicted[work]}
            for work in WORKS]
    problems = []
    for name in sorted(set(phases) | set(by_phase)):
        for work in WORKS:
            found = phases.get(name, dict.fromkeys(WORKS, 0.0))[work]
            expected = by_phase.get(name, dict.fromkeys(WORKS, 0.0))[work]
            if not agrees(work, found, expected):
                problems.append(f"{settings.name}, {ranks} ranks, {place['cells']}: {found:.6g} {work} of the phase {name} in a step, {expected:.6g} predicted")
    return rows, problems


def agrees(work, counted, predicted):
    """Exchanges and reductions are exact, up to rounding; messages and bytes within a tenth."""
    tolerance = 1e-6 if work in ("exchanges", "reductions") else 0.1
    return abs(predicted - counted) <= tolerance * max(counted, predicted, 1e-3)


DAY = ((3, (32, 32, 64), W_LEVELS),)  # (ranks, cells, levels of the W-cycle) of what is compared by day, at night, and for the page
NIGHT = ((2, (32, 32, 64), W_LEVELS), (4, (32, 64, 64), W_LEVELS), (8, (64, 64, 64), FEW_LEVELS))
ALL_LAYOUTS = (*NIGHT, (3, (64, 32, 64), W_LEVELS), (8, (64, 64, 64), W_LEVELS), (16, (64, 64, 128), W_LEVELS), (8, (96, 128, 128), W_LEVELS),
               (8, (96, 128, 128), FEW_LEVELS))


def check_counts(program, layouts=ALL_LAYOUTS, steps=(6, 14), all_settings=(SHIPPED, VOXELS)):
    """(rows of the comparison, problems)."""
    rows, problems = [], []
    with tempfile.TemporaryDirectory() as folder:
        for settings in all_settings:
            for ranks, cells, w_levels in layouts:
                of_pool, wrong = compare(program, settings, cells, ranks, steps, folder, w_levels)
                rows += of_pool
                problems += wrong
    for row in rows:
        row["off"] = row["predicted"] / row["counted"] - 1.0
    return rows, problems


def library_that_delays(folder):
    """delay_mpi.c, compiled."""
    library = Path(folder) / "delay_mpi.so"
    compiled = subprocess.run(["mpicc", "-O2", "-shared", "-fPIC", "-o", str(library), str(ROOT / "analysis/delay_mpi.c"), "-ldl"],
                              capture_output=True, text=True)
    if compiled.returncode != 0:
        sys.exit(f"model: delay_mpi.c cannot be compiled: {compiled.stderr[-1000:]}")
    return library


def check_times(program, quick, all_settings=(SHIPPED, VOXELS)):
    """Rows that compare the latencies which a step waits for, by the model, with runs whose MPI calls are delayed.

    Two delays, and the fastest step of each: the difference holds no work and little of what else the machine does.
    """
    rows = []
    delays, steps = ((1e-3, 3e-3), 6) if quick else ((2e-3, 8e-3), 10)
    layouts = ((4, (32, 64, 64)),) if quick else ((2, (32, 32, 64)), (4, (32, 64, 64)), (8, (64, 64, 64)))
    with tempfile.TemporaryDirectory() as folder:
        library = library_that_delays(folder)
        for settings in all_settings:
            for ranks, cells in layouts:
                rows.append(check_time(program, settings, ranks, cells, delays, steps, library, folder))
    return rows


def check_time(program, settings, ranks, cells, delays, steps, library, folder):
    """One row of check_times()."""
    case = pool(cells, folder)
    of_delays = [run(program, case, ranks, steps, folder, settings.words(), library, {"DELAY_MPI": str(delay)})[1] for delay in delays]
    columns = of_delays[0]
    key = [columns[name] for name in ("iterations", "outer_iterations", "set_changes", "density_iterations", "allocated_blocks")]
    _, which, numbers = np.unique(np.stack(key)[:, 2:], axis=1, return_inverse=True, return_counts=True)
    alike = 2 + np.flatnonzero(which.ravel() == int(numbers.argmax()))  # steps of the most frequent kind: the same in both runs
    fastest = [float(of_run["seconds"][alike].min()) for of_run in of_delays]
    of_kind = {name: np.asarray(values)[alike] for name, values in columns.items()}
    table = pool_table(settings, numbers_of(of_kind, settings), cells, ranks, int(of_kind["allocated_blocks"][0]))
    row = {"settings": settings.name, "ranks": ranks, "cells": "x".join(map(str, cells)), "levels": "", "first": 0,
           "iterations": table.numbers.all_iterations(), "what": TIMES,
           "counted": (fastest[1] - fastest[0]) / (delays[1] - delays[0]), "predicted": table.waits()}
    return {**row, "off": row["predicted"] / row["counted"] - 1.0}
