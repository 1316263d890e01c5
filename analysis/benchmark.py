#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Times the closed-box dam break, the quickstart's and a deep pool on several ranks x threads, plain and with the keys of water as a new
case has them; also the thread of honey and the drop as they are shipped. Prints nanoseconds per particle and step, by phase, and seconds
per simulated second.

A time is the wall-clock time of the slowest rank, summed over the steps and divided by the sum of the particles of all
steps.
"""
import argparse
import json
import os
import tempfile

from benchmark_cases import PLAIN, SHIPPED, STICKY_WATER, WATER, deep_words, grid_words
from freshet.analysis.tables import read_columns
from launch import add_json_options, run, write_records

NOT_STEPS = ("start", "output", "checkpoint")  # phases of timers.json outside the steps
IMPACT_TIME = 0.35  # [s]: by then the front has met the far wall of the unit box and climbs it


def read_steps(path):
    """The columns of steps.csv as lists of floats; names without units."""
    return {name: values.tolist() for name, values in read_columns(path).items()}


def read_run(output):
    """The record of a run from its output directory."""
    with open(os.path.join(output, "timers.json")) as file:
        timers = json.load(file)
    steps = read_steps(os.path.join(output, "steps.csv"))
    particle_steps = timers["particle_steps"]
    return {
        "particles": int(steps["particles"][-1]),
        "liquid_cells": round(sum(steps["liquid_cells"]) / len(steps["t"])),
        "steps": timers["steps"],
        "ns_per_particle_step": 1e9 * sum(steps["seconds"]) / sum(steps["particles"]),
        "seconds_per_simulated_second": sum(steps["seconds"]) / sum(steps["dt"]),
        "phases": {p["name"]: 1e9 * p["max"] / particle_steps for p in timers["phases"]
                   if p["name"] not in NOT_STEPS},
        "iterations": sum(steps["iterations"]) / len(steps["t"]),
        "bytes_per_particle": timers["memory"]["bytes_per_particle"],
        "bytes_per_cell": timers["memory"]["bytes_per_cell"],
    }


def measure(program, case, words, ranks, threads):
    """Runs a dam and returns its record."""
    with tempfile.TemporaryDirectory() as directory:
        output = os.path.join(directory, "run")
        run([program, "run", *words, "--output-dir", output], ranks, threads)
        record = read_run(output)
        steps = read_steps(os.path.join(output, "steps.csv"))
    late = [s for s, t in enumerate(steps["t"]) if t > IMPACT_TIME] or range(len(steps["t"]))  # all steps of a short run
    late_particles = sum(steps["particles"][s] for s in late)
    return {
        "case": case, "ranks": ranks, "threads": threads, **record,
        "ns_per_particle_step_after_impact": 1e9 * sum(steps["seconds"][s] for s in late) / late_particles,
        "particles_per_liquid_cell_after_impact": late_particles / sum(steps["liquid_cells"][s] for s in late),
    }


def scenes_of(grids, is_quick):
    """The words of each scene by its name."""
    def words(settings):
        return [f"{key}={value}" for key, value in settings.items()]

    kinds = {"": words(PLAIN), "_water": words(WATER)}
    scenes = {f"dam_{n}{kind}": ["inputs/benchmark_dam.toml", *grid_words(n), *keys] for n in grids for kind, keys in kinds.items()}
    scenes |= {f"dam_break{kind}": ["inputs/dam_break.toml", "output.interval=0", *keys] for kind, keys in kinds.items()}
    if is_quick:
        return scenes
    scenes |= {f"deep_64{kind}": ["inputs/benchmark_dam.toml", *deep_words(64), *keys] for kind, keys in kinds.items()}
    return scenes | {name: [f"inputs/{name.removesuffix('_water')}.toml", "output.interval=0", *words(STICKY_WATER)] for name in SHIPPED}


def print_table(records):
    """Prints a table with a column for each run and a row for each phase."""
    print(f"{'':30}" + "".join(f"{r['case']:>17}" for r in records))
    print(f"{'ns per particle and step':30}" + "".join(f"{r['ranks']}x{r['threads']}".rjust(17) for r in records))
    for phase in dict.fromkeys(name for r in records for name in r["phases"]):
        print(f"{phase:30}" + "".join(f"{r['phases'].get(phase, 0.0):17.1f}" for r in records))
    rows = [("whole step", "ns_per_particle_step", ".1f"),
            (f"whole step, t > {IMPACT_TIME} s", "ns_per_particle_step_after_impact", ".1f"),
            ("s per simulated second", "seconds_per_simulated_second", ".4g"),
            ("particles", "particles", "d"), ("steps", "steps", "d"),
            ("particles a liquid cell, late", "particles_per_liquid_cell_after_impact", ".2f"),
            ("iterations a step", "iterations", ".1f"),
            ("bytes a particle", "bytes_per_particle", ".0f"), ("bytes an allocated cell", "bytes_per_cell", ".0f")]
    for name, key, form in rows:
        print(f"{name:30}" + "".join(f"{r[key]:17{form}}" for r in records))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="the freshet binary")
    parser.add_argument("--quick", action="store_true", help="64^3 on 2 cores only")
    add_json_options(parser)
    arguments = parser.parse_args()
    layouts = [(1, 2), (2, 1)] if arguments.quick else [(1, 1), (1, 2), (2, 1)]
    grids = [64] if arguments.quick else [64, 128]
    records = [measure(arguments.program, case, words, ranks, threads) for case, words in scenes_of(grids, arguments.quick).items()
               for ranks, threads in layouts]
    print_table(records)
    write_records(records, arguments)


if __name__ == "__main__":
    main()
