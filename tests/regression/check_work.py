#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a step costs beside arithmetic stays within its budget, on 2 ranks, at night on 1, 2, 4 and 8: reductions, ghost exchanges,
messages and their bytes, allocations from the heap, and rebuilds of the set of blocks; and so does its memory. These are counted (timers.json), not timed.

The counts of a step are the difference of two runs of different length, so that what is built once does not count.

usage: check_work.py BUILD_DIRECTORY_OR_EXECUTABLE
"""
import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from check_bad_inputs import ENVIRONMENT, find_program
from commands import NIGHTLY

RANKS = (1, 2, 4, 8) if NIGHTLY else (2,)
STEPS = (12, 20)
# liquid that sloshes a little: no blocks come while the steps are counted
CASE = """[run]
end_time = 1
[domain]
cells = [32, 32, 32]
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
upper = [1, 0.4, 1]
velocity = [0.3, 0, 0.1]
[balance]
enabled = false
[output]
interval = 0
particles = []
[checkpoint]
wall_interval = 0
"""
# a column that collapses over a dry floor: blocks come with the front
DAM = CASE.replace("upper = [1, 0.4, 1]\nvelocity = [0.3, 0, 0.1]", "upper = [0.3, 0.9, 1]")
DAM_STEPS = 60 if NIGHTLY else 30
# what a level set, the density correction and walls that liquid may leave add
CORRECTED = CASE.replace("voxels", "level_set").replace("off", "implicit").replace("sticky", "separating")
CORRECTED_DAM = CORRECTED.replace("upper = [1, 0.4, 1]\nvelocity = [0.3, 0, 0.1]", "upper = [0.3, 0.9, 1]")
# water so deep that ranks at the floor touch no air
DEEP = CASE.replace("cells = [32, 32, 32]", "cells = [32, 96, 32]").replace("upper = [1, 0.4, 1]", "upper = [1, 2.7, 1]")
# a box full of water, which no air touches: its pressure is only known up to a constant
SEALED = CASE.replace("upper = [1, 0.4, 1]", "upper = [1, 1, 1]") + "[pressure]\ntolerance = 1e-10\n"
# water: its viscosity takes no solve, and one exchange of ghosts
WATER = CASE + "[fluid]\nviscosity = 1e-3\n"
MOST_OF_WATER = {"reductions": 0, "collectives": 0, "exchanges": 1, "allocations": 0}
# air that may be trapped, in a pool that traps none, and in one with 16 bubbles: of the labels, and more of the solve
AIR = CASE + "[air]\nbubbles = \"incompressible\"\n"
BUBBLES = CORRECTED.replace("[domain]\n", "[air]\nbubbles = \"incompressible\"\n[domain]\n").replace(
    'shape = "box"\nlower = [0, 0, 0]\nupper = [1, 0.4, 1]', 'shape = "difference"\nparts = [{shape = "box", lower = [0, 0, 0], upper = [1, 0.6, 1]}, ' +
    ", ".join(f'{{shape = "sphere", center = [{x}, 0.25, {z}], radius = 0.08}}' for x in (0.125, 0.375, 0.625, 0.875)
              for z in (0.125, 0.375, 0.625, 0.875)) + "]")
MOST_OF_AIR = {"reductions": 1, "collectives": 1, "exchanges": 2, "allocations": 0}
# bubbles that come near the surface shed regions of some cells, for which lists grow: 3 to 10 allocations a step
MOST_OF_BUBBLES = {"reductions": 2, "collectives": 4, "exchanges": 2, "allocations": 10}
MOST_ITERATIONS_OF_BUBBLES = 18  # of two solves, an eighth above what is counted
# deep water whose particles lie near its surface only
BAND = (CORRECTED.replace("cells = [32, 32, 32]", "cells = [32, 64, 32]").replace("upper = [1, 0.4, 1]", "upper = [1, 1.7, 1]") +
        "[particles]\nband = 4\n")
MOST_OF_BAND = {"reductions": 2, "collectives": 1, "exchanges": 4, "allocations": 16}
MOST_BYTES_OF_BAND = {1: 0, 2: 437e3, 4: 643e3, 8: 791e3}  # by ranks, an eighth above what is counted
# a hundred balls that the water moves: a particle is tested against those that it may meet, of 200 tests against all
BALLS = CASE + "".join(f"""[[solid]]
shape = "sphere"
center = [{x}, {y}, {z}]
radius = 0.05
body.density = 950
""" for y in (0.08, 0.2, 0.32, 0.44) for x in (0.1, 0.3, 0.5, 0.7, 0.9) for z in (0.1, 0.3, 0.5, 0.7, 0.9))
MOST_BODY_TESTS = 0.39  # of a particle in a step, an eighth above what is counted
REDUCTIONS_OF_SEALED = (13, 3)
MOST_COLLECTIVES_OF_SEALED = 3
BALANCED_RANKS = 3  # two ranks share the column evenly
BALANCED_DAM = DAM.replace("[balance]\nenabled = false\n", "")
WORK_OF_BALANCE = {"reductions": (7, 8), "collectives": (1, 1)}  # of an attempt, and besides of one that moves blocks
MOST_REBUILDS = 0.15
MOST_WORK_OF_REBUILD = {"reductions": 4, "collectives": 1}  # of the phase "grid", every search for dry blocks included
MOST_LEVELS = 2.5  # for a new set of blocks: the coarse levels that it leaves as they were are kept
# a step without its solves, whatever the ranks: with voxels, and with a level set
MOST_REDUCTIONS = 4
MOST_EXCHANGES = {"voxels": 3, "corrected": 8}
MOST_ALLOCATIONS = {"voxels": 2, "corrected": 3}
MOST_ITERATIONS = {"voxels": 5, "corrected": 6.5}
# a solve: fixed, and for each iteration
REDUCTIONS_OF_SOLVE = (5, 2)
# with walls that liquid may leave: two solves, of which the last is measured, and what the walls ask
REDUCTIONS_OF_WALLS = (11, 2)
MOST_REDUCTIONS_OF_DENSITY = 8  # 2 iterations
MOST_EXCHANGES_OF_DENSITY = 27  # 2 iterations, which take 26.5
MOST_ALLOCATIONS_OF_DENSITY = 4
MOST_MESSAGES_OF_DENSITY = {1: 0, 2: 28, 4: 63, 8: 134}  # by ranks, an eighth above what is counted; likewise the bytes
MOST_BYTES_OF_DENSITY = {1: 0, 2: 157e3, 4: 209e3, 8: 227e3}
EXCHANGES_OF_SOLVE = (9, 11)
MOST_COLLECTIVES_OF_SOLVE = 0
MOST_ALLOCATIONS_OF_SOLVE = {"voxels": 4, "corrected": 13}
# what a rank sends, by ranks, an eighth above what is counted: bytes in a step without its solve; in an exchange of the solve
MOST_BYTES = {"voxels": {1: 0, 2: 160e3, 4: 216e3, 8: 296e3}, "corrected": {1: 0, 2: 493e3, 4: 736e3, 8: 891e3}}
MESSAGES_OF_EXCHANGE = {1: 0, 2: 1, 4: 2.1, 8: 4.5}
BYTES_OF_EXCHANGE = {"voxels": {1: 0, 2: 3750, 4: 4200, 8: 4950}, "corrected": {1: 0, 2: 5850, 4: 7260, 8: 7750}}
MOST_ALLOCATIONS_OF_MIGRATION = {1: 15, 2: 36, 4: 48, 8: 56}  # likewise
WORKS = ("reductions", "collectives", "messages", "bytes", "exchanges", "allocations", "visits", "levels", "rebuilds", "body_tests")
# bytes a particle and a cell of a column that collapses, by ranks; on 8 they have four blocks each, an eighth above what is counted
MOST_MEMORY = {1: (80, 300), 8: (105, 375)} if NIGHTLY else {1: (80, 300)}
# phases that send particles or write allocate what they send
OUTSIDE = ("pressure", "density", "migrate", "grid", "balance", "start", "output", "checkpoint")


def timers_of(program, ranks, steps, folder, text=CASE):
    """timers.json of a run, and the iterations of its solves."""
    output = Path(folder) / f"out_{ranks}_{steps}"
    case = Path(folder) / "case.toml"
    case.write_text(text)
    command = ["mpirun", "-np", str(ranks), program, "run", str(case), f"run.max_steps={steps}", "--output-dir",
               str(output)]
    result = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=300)
    if result.returncode != 0:
        sys.exit(f"{ranks} ranks: exit code {result.returncode}: {result.stderr.strip()[-500:]}")
    with open(output / "steps.csv", newline="") as file:
        iterations = sum(int(row["iterations"]) for row in csv.DictReader(file))
    return json.loads((output / "timers.json").read_text()), iterations


def run(program, ranks, steps, folder, text=CASE):
    """The largest counts of a rank by phase, and the iterations of the solves, of a run."""
    timers, iterations = timers_of(program, ranks, steps, folder, text)
    return {phase["name"]: {work: phase["max_" + work] for work in WORKS} for phase in timers["phases"]}, iterations


def counts_of_step(program, ranks, folder, text=CASE):
    """Counts of a step by phase, and iterations of a solve."""
    (short, few), (long, many) = (run(program, ranks, steps, folder, text) for steps in STEPS)
    n = STEPS[1] - STEPS[0]
    zero = dict.fromkeys(WORKS, 0)
    return {name: {work: (works[work] - short.get(name, zero)[work]) / n for work in WORKS}
            for name, works in long.items()}, (many - few) / n


def check(phases, iterations, ranks, kind):
    """What is over its budget, of a pool with voxels or with all corrections."""
    problems = []

    def compare(what, found, most):
        if found > most:
            problems.append(f"{kind}, {ranks} ranks: {found:.2f} {what} a step, {most:.2f} allowed")

    rest = {work: sum(phase[work] for name, phase in phases.items() if name not in OUTSIDE) for work in WORKS}
    solve = phases["pressure"]
    others = sum(phases[name]["reductions"] for name in ("migrate", "balance") if name in phases)
    compare("reductions outside the solve", rest["reductions"] + others, MOST_REDUCTIONS)
    compare("exchanges outside the solve", rest["exchanges"], MOST_EXCHANGES[kind])
    compare("messages outside the solve", rest["messages"], MOST_EXCHANGES[kind] * (ranks - 1))
    compare("bytes outside the solve", rest["bytes"], MOST_BYTES[kind][ranks])
    compare("allocations outside the solve", rest["allocations"], MOST_ALLOCATIONS[kind])
    compare("other collectives outside the solve", rest["collectives"], 0)
    fixed, each = REDUCTIONS_OF_SOLVE if kind == "voxels" else REDUCTIONS_OF_WALLS
    compare("iterations of the solve", iterations, MOST_ITERATIONS[kind])
    compare("reductions of the solve", solve["reductions"], fixed + each * iterations)
    compare("exchanges of the solve", solve["exchanges"], EXCHANGES_OF_SOLVE[0] + EXCHANGES_OF_SOLVE[1] * iterations)
    compare("messages of the solve", solve["messages"], solve["exchanges"] * MESSAGES_OF_EXCHANGE[ranks])
    compare("bytes of the solve", solve["bytes"], solve["exchanges"] * BYTES_OF_EXCHANGE[kind][ranks])
    compare("other collectives of the solve", solve["collectives"], MOST_COLLECTIVES_OF_SOLVE)
    compare("allocations of the solve", solve["allocations"], MOST_ALLOCATIONS_OF_SOLVE[kind])
    compare("allocations of migration", phases["migrate"]["allocations"], MOST_ALLOCATIONS_OF_MIGRATION[ranks])
    compare("rebuilds of blocks", sum(phase["rebuilds"] for phase in phases.values()), 0)
    compare("levels made", sum(phase["levels"] for phase in phases.values()), 0)
    if kind == "corrected":
        density = phases["density"]
        compare("reductions of the density correction", density["reductions"], MOST_REDUCTIONS_OF_DENSITY)
        compare("exchanges of the density correction", density["exchanges"], MOST_EXCHANGES_OF_DENSITY)
        compare("messages of the density correction", density["messages"], MOST_MESSAGES_OF_DENSITY[ranks])
        compare("bytes of the density correction", density["bytes"], MOST_BYTES_OF_DENSITY[ranks])
        compare("allocations of the density correction", density["allocations"], MOST_ALLOCATIONS_OF_DENSITY)
        compare("other collectives of the density correction", density["collectives"], 0)
    if ranks > 1 and solve["visits"] < iterations:
        problems.append(f"{ranks} ranks: {solve['visits']:.2f} visits of levels a step, {iterations:.1f} iterations")
    if ranks > 1 and (rest["messages"] == 0 or solve["reductions"] == 0):
        problems.append(f"{ranks} ranks: nothing is counted")
    return problems


def check_sealed(program, folder):
    """What is over the budget of a solve in a sealed body."""
    problems = []
    for ranks in RANKS:
        phases, iterations = counts_of_step(program, ranks, folder, SEALED)
        reductions, collectives = (phases["pressure"][work] for work in ("reductions", "collectives"))
        most = REDUCTIONS_OF_SEALED[0] + REDUCTIONS_OF_SEALED[1] * iterations
        print(f"a sealed body, {ranks} ranks: {reductions:.2f} reductions and {collectives:.2f} other collectives of a solve of "
              f"{iterations:.1f} iterations")
        if iterations < 2 or reductions > most or collectives > MOST_COLLECTIVES_OF_SEALED:
            problems.append(f"a sealed body, {ranks} ranks: {reductions:.2f} reductions and {collectives:.2f} other collectives, "
                            f"{most:.2f} and {MOST_COLLECTIVES_OF_SEALED} allowed in {iterations:.1f} iterations, 2 at least")
    return problems


def check_water(program, folder, counts):
    """What the viscosity of water costs beyond its budget. `counts`: by ranks, of a step without it."""
    problems = []
    for ranks in RANKS:
        dry = counts[ranks]
        wet, _ = counts_of_step(program, ranks, folder, WATER)
        for work, most in MOST_OF_WATER.items():
            found = wet["viscosity"][work]
            of_pressure = wet["pressure"][work] - dry["pressure"][work]
            print(f"water's viscosity, {ranks} ranks: {found:.2f} {work}, and {of_pressure:.2f} more of the pressure's solve")
            # an eighth of the steps may take an iteration more
            if found > most or of_pressure > EXCHANGES_OF_SOLVE[1] / (STEPS[1] - STEPS[0]):
                problems.append(f"water's viscosity, {ranks} ranks: {found:.2f} {work}, {most} allowed, and {of_pressure:.2f} "
                                "more of the pressure's solve")
    return problems


def check_air(program, counts):
    """What bubbles cost beyond their budgets: where there are none, and with 16. `counts`: by kind and ranks, of steps without [air]."""
    problems = []
    for ranks in RANKS:
        for what, text, most_of_labels, dry in (("no bubble", AIR, MOST_OF_AIR, counts["voxels", ranks]),
                                                ("16 bubbles", BUBBLES, MOST_OF_BUBBLES, counts["corrected", ranks])):
            with tempfile.TemporaryDirectory() as folder:
                phases, iterations = counts_of_step(program, ranks, folder, text)
            if text == BUBBLES:
                print(f"{what}, {ranks} ranks: {iterations:.1f} iterations a solve")
                if iterations > MOST_ITERATIONS_OF_BUBBLES:
                    problems.append(f"{what}, {ranks} ranks: {iterations:.1f} iterations a solve, {MOST_ITERATIONS_OF_BUBBLES} allowed")
            for work, most in most_of_labels.items():
                found = phases["labels"][work] - dry["labels"][work]
                print(f"{what}, {ranks} ranks: {found:.2f} {work} of the labels more than without air")
                if found > most:
                    problems.append(f"{what}, {ranks} ranks: {found:.2f} {work} of the labels more, {most:.2f} allowed")
    return problems


def check_balls(program):
    """What is over the budget of particles among a hundred balls."""
    with tempfile.TemporaryDirectory() as folder:
        with_balls, _ = timers_of(program, RANKS[0], STEPS[0], folder, BALLS)
        with open(Path(folder) / f"out_{RANKS[0]}_{STEPS[0]}" / "steps.csv", newline="") as file:
            particles = int(list(csv.DictReader(file))[-1]["particles"])
    tests = sum(phase["body_tests"] for phase in with_balls["phases"] if phase["name"] == "move") * RANKS[0]
    found = tests / (particles * STEPS[0])
    print(f"among a hundred balls, {RANKS[0]} ranks: {found:.2f} tests of a particle against balls a step")
    if not 0.01 < found <= MOST_BODY_TESTS:
        return [f"{found:.2f} tests of a particle against a hundred balls a step, {MOST_BODY_TESTS} allowed"]
    return []


def check_band(program):
    """What is over the budget of the narrow band in deep water, in its own phase."""
    problems = []
    for ranks in RANKS:
        with tempfile.TemporaryDirectory() as folder:
            phases, _ = counts_of_step(program, ranks, folder, BAND)
        most_of_ranks = {"messages": MOST_OF_BAND["exchanges"] * (ranks - 1), "bytes": MOST_BYTES_OF_BAND[ranks]}
        for work, most in (MOST_OF_BAND | most_of_ranks).items():
            found = phases["band"][work]
            print(f"narrow band, {ranks} ranks: {found:.2f} {work} of its phase")
            if found > most:
                problems.append(f"narrow band, {ranks} ranks: {found:.2f} {work}, {most} allowed")
    return problems


def check_balance(program, folder):
    """What is over the budget of an attempt to balance, while a column collapses."""
    timers, _ = timers_of(program, BALANCED_RANKS, DAM_STEPS, folder, BALANCED_DAM)
    balance = next((phase for phase in timers["phases"] if phase["name"] == "balance"), None)
    if balance is None or not 0 < balance["max_rebuilds"] < balance["calls"]:
        return [f"a collapsing column on {BALANCED_RANKS} ranks is not balanced, or with every attempt: {balance}"]
    problems = []
    for work, (of_attempt, of_move) in WORK_OF_BALANCE.items():
        found = balance["max_" + work]
        most = of_attempt * balance["calls"] + of_move * balance["max_rebuilds"]
        print(f"a column collapses: {found} {work} in {balance['calls']} attempts to balance, {balance['max_rebuilds']} of which move blocks")
        if found > most:
            problems.append(f"{found} {work} of balancing, {most} allowed")
    return problems


def main():
    program = find_program(sys.argv[1])
    problems = []
    with (tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as folder_of_corrected,
          tempfile.TemporaryDirectory() as folder_of_deep, tempfile.TemporaryDirectory() as folder_of_sealed,
          tempfile.TemporaryDirectory() as folder_of_water):
        counts = {}
        for kind, text, to in (("voxels", CASE, folder), ("corrected", CORRECTED, folder_of_corrected)):
            for ranks in RANKS:
                phases, iterations = counts_of_step(program, ranks, to, text)
                print(f"{kind}, {ranks} ranks, {iterations:.1f} iterations a solve; largest counts of a rank in a step")
                print(f"  {'phase':12}" + "".join(f"{work:>12}" for work in WORKS))
                for name, works in phases.items():
                    if any(works.values()):
                        print(f"  {name:12}" + "".join(f"{works[work]:12.2f}" for work in WORKS))
                problems += check(phases, iterations, ranks, kind)
                counts[kind, ranks] = phases
        phases, iterations = counts_of_step(program, RANKS[-1], folder_of_deep, DEEP)
        for work, (fixed, each) in (("reductions", REDUCTIONS_OF_SOLVE), ("exchanges", EXCHANGES_OF_SOLVE)):
            found, most = phases["pressure"][work], fixed + each * iterations
            print(f"deep water, {RANKS[-1]} ranks: {found:.2f} {work} of a solve of {iterations:.1f} iterations")
            if found > most:
                problems.append(f"deep water: {found:.2f} {work} of a solve, {most:.2f} allowed")
        problems += (check_sealed(program, folder_of_sealed) + check_balance(program, folder_of_sealed) +
                     check_balls(program) + check_band(program) +
                     check_water(program, folder_of_water, {ranks: counts["voxels", ranks] for ranks in RANKS}) +
                     check_air(program, counts))
        phases, _ = run(program, 2, DAM_STEPS, folder, DAM)
        rebuilds = sum(phase["rebuilds"] for phase in phases.values()) / DAM_STEPS
        levels = sum(phase["levels"] for phase in phases.values()) / DAM_STEPS
        print(f"a column collapses: {rebuilds:.3f} rebuilds of blocks and {levels:.2f} multigrid levels made a step")
        if not 0.0 < rebuilds <= MOST_REBUILDS:
            problems.append(f"{rebuilds:.3f} rebuilds a step of a collapsing column, {MOST_REBUILDS} allowed")
        for work, most in MOST_WORK_OF_REBUILD.items():
            found = phases["grid"][work] / (rebuilds * DAM_STEPS)
            print(f"a column collapses: {found:.2f} {work} for a new set of blocks")
            if found > most:
                problems.append(f"{found:.2f} {work} for a new set of blocks, {most} allowed")
        if levels > MOST_LEVELS * rebuilds:
            problems.append(f"{levels / rebuilds:.2f} levels made for a new set of blocks, {MOST_LEVELS} allowed")
        for what, text, to in (("with voxels", DAM, folder), ("with all corrections", CORRECTED_DAM, folder_of_corrected)):
            for ranks, (most_of_particle, most_of_cell) in MOST_MEMORY.items():
                memory = timers_of(program, ranks, DAM_STEPS, to, text)[0]["memory"]
                of_particle, of_cell = memory["bytes_per_particle"], memory["bytes_per_cell"]
                print(f"a column collapses, {what}, {ranks} ranks: {of_particle:.0f} bytes a particle, {of_cell:.0f} a cell")
                if not (0 < of_particle <= most_of_particle and 0 < of_cell <= most_of_cell):
                    problems.append(f"{what}, {ranks} ranks: {of_particle:.0f} bytes a particle and {of_cell:.0f} a cell, "
                                    f"{most_of_particle} and {most_of_cell} allowed")
    print("\n".join(problems) or "every count is within its budget")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
