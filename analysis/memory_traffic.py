#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the bytes that a step moves between memory and the caches, and what its functions take of them.

valgrind's callgrind simulates the caches of one core: lines of 64 bytes that the last level fetches, and changed ones that
it writes back. Steps 3 to 5 are counted. Of a case, by default the dam of inputs/benchmark_dam.toml with voxels, with 8 particles and
with 1 a cell; the difference is the particles', the rest the liquid cells'. With --functions: the functions that execute most
instructions, per particle and step, without what they call. Needs valgrind, and a program
without AVX-512, such as one compiled with -DFRESHET_NATIVE=OFF. Takes minutes.
"""
import argparse
import os
import re
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from launch import finish

ROOT = Path(__file__).resolve().parents[1]
LINE = 64  # [B]
STEPS = (2, 5)
MEMORY = ("DLmr", "DLmw", "DLdmr", "DLdmw")  # events: lines fetched by reads and writes, and lines written back


def self_costs(path):
    """{function: {event: count}} of a file of callgrind, each function without what it calls."""
    names, costs, events = {}, defaultdict(lambda: defaultdict(int)), []
    function, is_call = None, False
    for line in path.read_text().splitlines():
        if line.startswith("events:"):
            events = line.split()[1:]
        elif line.startswith("fn="):
            number, _, name = line[3:].partition(" ")
            function = names.setdefault(number, name)
        elif line.startswith("cfn="):
            number, _, name = line[4:].partition(" ")
            names.setdefault(number, name)
        elif line.startswith("calls="):
            is_call = True  # the next line has the cost of what is called
        elif line[:1].isdigit() or line[:1] in ("+", "-", "*"):
            if not is_call and function is not None:
                for event, count in zip(events, line.split()[1:]):
                    costs[function][event] += int(count)
            is_call = False
    return costs


def costs_of_run(arguments, words, steps, folder):
    """(costs by function, particles, liquid cells) of a run of some steps."""
    command = ["valgrind", "--tool=callgrind", "--cache-sim=yes", "--simulate-wb=yes", "--trace-children=yes",
               "--I1=32768,8,64", "--D1=32768,8,64", f"--LL={arguments.last_level << 20},16,64",
               f"--callgrind-out-file={folder}/callgrind.%p", arguments.program, "run", *words, f"run.max_steps={steps}",
               "output.interval=0", "--output-dir", f"{folder}/out", "--force"]
    run = finish(command, {**os.environ, "OMP_NUM_THREADS": "1"}, "memory traffic")
    if run.returncode != 0:
        sys.exit(f"memory traffic: {' '.join(command)} ended with {run.returncode}: {run.stderr[-1000:]}")
    files = list(Path(folder).glob("callgrind.*"))  # of the program, and of MPI's helpers
    costs = max(map(self_costs, files), key=lambda of_file: sum(events["Ir"] for events in of_file.values()))
    for path in files:
        path.unlink()
    head, *_, last = (Path(folder) / "out/steps.csv").read_text().splitlines()
    columns = dict(zip(head.split(","), last.split(",")))
    return costs, int(columns["particles"]), int(columns["liquid_cells"])


def costs_of_step(arguments, words, folder):
    """({function: (instructions, bytes through memory)} of a step, particles, liquid cells)."""
    (first, *_), (last, particles, cells) = (costs_of_run(arguments, words, steps, folder) for steps in STEPS)
    per_step = 1.0 / (STEPS[1] - STEPS[0])
    change = lambda function, event: (last[function][event] - first[function][event]) * per_step
    costs = {function: (change(function, "Ir"), LINE * sum(change(function, event) for event in MEMORY))
             for function in list(last)}
    return costs, particles, cells


def plain(function):
    """A function's name without its namespaces, parameters and template arguments; a loop's has that of its function."""
    name = re.sub(r"\(anonymous namespace\)::|parallel_for_blocks<|freshet::|pressure::|'\d+| \[clone [^\]]*\]", "", function)
    name, *loops = re.split(r"(?: const)?::\{lambda|\._omp_fn\.", name)
    while (shorter := re.sub(r"<[^<>]*>|\([^()]*\)", "", name)) != name:
        name = shorter
    return re.sub(r" const$", "", name.strip()).split(" ")[-1] + (", loop" if loops else "")


def print_functions(costs, particles, most):
    """The table of --functions: what a particle costs in each function, the dearest ones first."""
    merged = defaultdict(lambda: [0.0, 0.0])
    for function, cost in costs.items():
        for n, count in enumerate(cost):
            merged[plain(function)][n] += count / particles
    rows = sorted(merged.items(), key=lambda row: -row[1][0])
    print(f"{'function':62}{'instructions':>14}{'bytes':>9}   a particle and step")
    for name, (instructions, moved) in [*rows[:most], ("(all)", [sum(column) for column in zip(*merged.values())])]:
        print(f"{name[:61]:62}{instructions:14.1f}{moved:9.1f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "build/package/src/freshet"), help="the freshet binary")
    parser.add_argument("--last-level", type=int, default=4, metavar="MIB", help="a core's share of the last cache (default: 4)")
    parser.add_argument("--functions", type=int, metavar="N", help="instead: a table of the N dearest functions of a case")
    parser.add_argument("case", nargs="*", help="a case file and overrides (default: the dam)")
    arguments = parser.parse_args()
    case = arguments.case or [str(ROOT / "inputs/benchmark_dam.toml")]
    with tempfile.TemporaryDirectory() as folder:
        if arguments.functions:
            costs, particles, cells = costs_of_step(arguments, case, folder)
            print(f"{particles} particles, {cells} liquid cells")
            return print_functions(costs, particles, arguments.functions)
        found = {}
        for per_axis in (2, 1):
            costs, particles, cells = costs_of_step(arguments, [*case, f"particles.per_axis={per_axis}"], folder)
            found[per_axis] = (sum(moved for _, moved in costs.values()), particles, cells)
    (dense, n_dense, cells), (sparse, n_sparse, _) = found[2], found[1]
    particle = (dense - sparse) / (n_dense - n_sparse)
    print(f"{dense * 1e-6:.1f} MB a step with {n_dense} particles, {sparse * 1e-6:.1f} MB with {n_sparse}, {cells} liquid cells: "
          f"{particle:.0f} B a particle, {(dense - n_dense * particle) / cells:.0f} B a liquid cell")


if __name__ == "__main__":
    main()
