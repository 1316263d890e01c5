#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Times what driving freshet from Python costs: steps against those of the program, an own force, and loops over a field.

Each measurement is a process of its own; the program and Python take turns. The paper's times are those it prints, on a
machine of 2011: they say what Python cost there, not how two programs compare on one machine.
"""
import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from launch import add_json_options, finish, run, write_records

STEPS = 12  # the first two make what the others keep, and do not count
FIRST = 2
# Salomonsson 2011, Tables 1 and 5: seconds of one PIC step, serial and on 8 threads, in C++ and driven from Python
PAPER_STEPS = {32: (2.791, 0.668, 50.760, 8.014), 64: (21.283, 4.320, 405.277, 55.243)}
# Table 6: seconds of a walk through a scalar field by Python's while and for, and by a wrapped loop of C++
PAPER_LOOPS = {32: (0.299, 0.208, 0.0082), 64: (2.177, 1.599, 0.0632), 128: (18.351, 13.766, 0.501), 256: (147.0, 103.3, 3.94)}


def force(faces):
    """Acceleration towards the middle of the domain, and a drag: it reads coordinates and velocities of all faces."""
    x = (faces.x, faces.y, faces.z)[faces.axis]
    return -0.5 * (x - 0.5) - 0.1 * faces.velocity


def drive(case, words, mode):
    """One measurement, in a process of its own. Prints JSON."""
    sys.path.insert(0, os.environ["FRESHET_PYTHON_BUILD"])  # before this folder, whose package has no compiled part
    import freshet
    sim = freshet.Simulation(case, overrides=words)
    result = {"particles": sim.report.particles}
    if mode == "steps":
        for _ in range(FIRST):
            sim.step()
        begin = time.perf_counter()
        for _ in range(STEPS - FIRST):
            sim.step()
            sim.report
        result["seconds"] = (time.perf_counter() - begin) / (STEPS - FIRST)
    else:
        plain = []
        for n in range(4 * STEPS):
            if n == 2 * STEPS:
                sim.add_force(force)
            step = sim.begin_step()
            for call in (step.deposit, step.label):
                call()
            begin = time.perf_counter()
            step.forces()
            plain.append(time.perf_counter() - begin)
            list(step)
        with_it, without = plain[2 * STEPS + FIRST:], plain[FIRST:2 * STEPS]
        result["seconds"] = statistics.median(with_it) - statistics.median(without)
    print("RESULT " + json.dumps(result))


def child(arguments, case, words, mode, threads):
    """drive() in a process."""
    environment = dict(os.environ, FRESHET_PYTHON_BUILD=str(arguments.build.resolve() / "python"), OMP_NUM_THREADS=str(threads),
                       OMP_WAIT_POLICY="active")  # as launch.run() has it for the program
    done = finish([sys.executable, __file__, "--child", mode, str(case), *words], environment)
    if done.returncode != 0:
        sys.exit(f"benchmark: {done.stdout[-500:]}\n{done.stderr[-2000:]}")
    return json.loads(done.stdout.split("RESULT ")[1])


def program(arguments, case, words, threads):
    """Seconds of a step of the program."""
    from benchmark import read_steps  # it imports the package freshet, which main() has chosen by then
    with tempfile.TemporaryDirectory() as folder:
        run([str(arguments.build / "src" / "freshet"), "run", str(case), *words, "--output-dir", folder, "--force"], 1, threads)
        return statistics.fmean(read_steps(Path(folder) / "steps.csv")["seconds"][FIRST:STEPS])


def table_of_steps(arguments, grids, threads, records):
    print(f"One PIC step (ball of 0.35 w falls) [s], {threads} thread(s); median of {arguments.rounds} rounds in turn")
    print(f"{'grid':>6} {'particles':>10} {'program':>9} {'Python':>9} {'ratio':>7} {'force/particle':>15}   "
          "the paper: C++, Python, ratio; serial and on 8 threads")
    for n in grids:
        case = Path(f"inputs/papers/003_sphere_{n}.toml")
        words = [f"run.max_steps={STEPS}", "run.end_time=1000", "transfer.flip_fraction=0", "output.interval=0",
                 "checkpoint.wall_interval=0", "output.log_every=1000"]
        pairs = []
        for _ in range(arguments.rounds):
            ours = program(arguments, case, words, threads)
            driven = child(arguments, case, words, "steps", threads)
            pairs.append((ours, driven["seconds"]))
        own = child(arguments, case, words[1:] + ["run.max_steps=1000"], "force", threads)
        ours, driven_seconds = (statistics.median(pair[k] for pair in pairs) for k in (0, 1))
        ratio = statistics.median(b / a for a, b in pairs)
        nanoseconds = 1e9 * own["seconds"] / own["particles"]
        serial, eight, python_serial, python_eight = PAPER_STEPS[n]
        print(f"{n:>4}^3 {own['particles']:>10} {ours:>9.4f} {driven_seconds:>9.4f} {ratio:>7.3f} {nanoseconds:>12.2f} ns"
              f"   {serial}, {python_serial}, {python_serial / serial:.1f}; {eight}, {python_eight}, {python_eight / eight:.1f}")
        records.append({"table": 5, "grid": n, "threads": threads, "particles": own["particles"], "program_seconds": ours,
                        "python_seconds": driven_seconds, "ratio": ratio, "force_ns_per_particle": nanoseconds,
                        "paper_ratio": python_serial / serial})


def table_of_loops(arguments, grids, records):
    """A walk through the pressure of a full box: Python's loops over the shared arrays, and numpy's."""
    import freshet
    print("\nThe sum of all values of a scalar field [s]; the paper's walks print them")
    print(f"{'grid':>6} {'while':>9} {'for':>9} {'numpy':>9} {'gather':>9}   the paper: while, for, wrapped loop")
    for n in grids:
        sim = freshet.Simulation({
            "run": {"end_time": 1.0}, "domain": {"cells": [n, n, n], "cell_size": 1.0 / n}, "particles": {"per_axis": 1},
            "liquid": [{"shape": "box", "lower": [0.0] * 3, "upper": [1.0] * 3}]})
        sim.step()
        pressure = sim.fields.pressure
        values, times = pressure.reshape(-1), []

        def by_while():
            k, total = 0, 0.0
            while k < len(values):
                total += values[k]
                k += 1
            return total

        def by_for():
            total = 0.0
            for value in values.tolist():
                total += value
            return total

        for walk in (by_while, by_for, values.sum, lambda: sim.fields.gather("pressure")):
            begin = time.perf_counter()
            walk()
            times.append(time.perf_counter() - begin)
        sim.close()
        print(f"{n:>4}^3 " + " ".join(f"{seconds:>9.5f}" for seconds in times) + "   " + ", ".join(map(str, PAPER_LOOPS[n])))
        records.append({"table": 6, "grid": n, "while": times[0], "for": times[1], "numpy": times[2], "gather": times[3]})


def main():
    if sys.argv[1:2] == ["--child"]:
        return drive(sys.argv[3], sys.argv[4:], sys.argv[2])
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=Path("build/release"))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--rounds", type=int, default=5)
    add_json_options(parser)
    arguments = parser.parse_args()
    sys.path.insert(0, str(arguments.build.resolve() / "python"))  # before this folder, whose package has no compiled part
    records = []
    grids = (32,) if arguments.quick else (32, 64)
    for threads in sorted({1, os.cpu_count() or 1}):
        table_of_steps(arguments, grids, threads, records)
    table_of_loops(arguments, grids + (() if arguments.quick else (128,)), records)
    write_records(records, arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main())
