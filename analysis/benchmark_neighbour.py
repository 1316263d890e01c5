#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Times the closed-box dam break beside processes that keep cores busy, and prints how much longer a step takes.

Quiet and disturbed runs take turns. A time is the median over the rounds of the wall-clock time of a run's steps after
the first second, in which the program has noticed the neighbour.
"""
import argparse
import contextlib
import os
import statistics
import subprocess
import sys
import tempfile

from benchmark import read_steps
from launch import add_json_options, fail, launch, finish, write_records

NOTICED = 1.0  # [s]: the program looks twice a second at how long its threads wait for a core


@contextlib.contextmanager
def neighbours(cores):
    """A process for each core that computes there for as long as the block runs."""
    busy = [subprocess.Popen([sys.executable, "-c", f"import os; os.sched_setaffinity(0, {{{core}}})\nwhile True: pass"])
            for core in cores]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def nanoseconds(arguments, n, ranks, threads):
    """Wall-clock time per particle and step of a run on n^3 cells, without its first second. [ns]"""
    words, environment = launch(ranks, threads)
    with tempfile.TemporaryDirectory() as directory:
        output = os.path.join(directory, "run")
        done = finish([*words, arguments.program, "run", "inputs/benchmark_dam.toml", f"domain.cells=[{n},{n},{n}]",
                       f"domain.cell_size={1.0 / n!r}", f"run.end_time={arguments.end_time}", "checkpoint.wall_interval=0",
                       "--output-dir", output], environment)
        if done.returncode != 0:
            fail(f"the run ended with {done.returncode}:\n{(done.stdout + done.stderr)[-2000:]}")
        steps = read_steps(os.path.join(output, "steps.csv"))
    passed, seconds, particles = 0.0, 0.0, 0.0
    for step, one in enumerate(steps["seconds"]):
        if passed > NOTICED:
            seconds += one
            particles += steps["particles"][step]
        passed += one
    if particles == 0.0:
        fail(f"{n}^3 cells are done in {passed:.1f} s: too short a run to measure. Choose a later --end-time")
    return 1e9 * seconds / particles


def measure(arguments, n, ranks, threads):
    """The record of one grid on ranks x threads: medians without and with the neighbour."""
    cores = sorted(os.sched_getaffinity(0))[-arguments.busy:]
    quiet, disturbed = [], []
    for _ in range(arguments.rounds):
        quiet.append(nanoseconds(arguments, n, ranks, threads))
        with neighbours(cores):
            disturbed.append(nanoseconds(arguments, n, ranks, threads))
    medians = statistics.median(quiet), statistics.median(disturbed)
    return {"case": "neighbour", "grid": n, "ranks": ranks, "threads": threads, "rounds": arguments.rounds,
            "quiet": medians[0], "disturbed": medians[1], "ratio": medians[1] / medians[0],
            "spread": [min(disturbed) / medians[0], max(disturbed) / medians[0]]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="the freshet binary")
    parser.add_argument("--grids", default="32,64", help="cells along an edge, separated by commas")
    parser.add_argument("--layouts", default="1x1,1x2,2x1", help="ranks x threads, separated by commas")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each kind")
    parser.add_argument("--busy", type=int, default=1, help="cores that are kept busy")
    parser.add_argument("--end-time", type=float, default=2.0, help="simulated time of a run [s]")
    add_json_options(parser)
    arguments = parser.parse_args()
    records = []
    print(f"{'cells':>6}{'layout':>8}{'quiet':>10}{'disturbed':>11}{'ratio':>8}   [ns a particle and step]; spread of the ratio")
    for n in (int(word) for word in arguments.grids.split(",")):
        for ranks, threads in (map(int, word.split("x")) for word in arguments.layouts.split(",")):
            record = measure(arguments, n, ranks, threads)
            low, high = record["spread"]
            print(f"{n:4}^3{f'{ranks}x{threads}':>8}{record['quiet']:10.1f}{record['disturbed']:11.1f}{record['ratio']:8.2f}"
                  f"   {low:.2f} to {high:.2f}", flush=True)
            records.append(record)
    write_records(records, arguments)


if __name__ == "__main__":
    main()
