#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Times two versions of freshet on the same scenes, run by run in turn, and prints the ratio of their medians by phase.

Machines change their speed from minute to minute, so single times mean little: the versions take turns, the one that
begins changes from round to round, and the spread (smallest to largest ratio of a round) stands beside each ratio.
With one binary for both and --before-options or --after-options, settings are compared instead.
"""
import argparse
import os
import re
import shutil
import statistics
import tempfile

from benchmark import read_run
from benchmark_cases import setting_words, words_of
from launch import add_json_options, fail, run, write_records

WHOLE = "whole step"
ALL_SCENES = ("dam_64,dam_64_water,dam_break,dam_break_water,deep_64_water,honey_rope_water,droplet_water,sheet_64,spray_64,"
              "dam_128")


def compared(before, after):
    """Medians of a time of both versions, their ratio, and the smallest and largest ratio of a round."""
    medians = [statistics.median(before), statistics.median(after)]
    ratios = [b / a for a, b in zip(before, after) if a > 0.0]
    return {"before": medians[0], "after": medians[1], "ratio": medians[1] / medians[0] if medians[0] > 0.0 else None,
            "spread": [min(ratios), max(ratios)] if ratios else None}


def measure(program, words, ranks, threads):
    """Nanoseconds per particle and step of one run, by phase and as a whole, and the run's record."""
    with tempfile.TemporaryDirectory() as directory:
        output = os.path.join(directory, "run")
        run([program, "run", *words, "checkpoint.wall_interval=0", "--output-dir", output], ranks, threads)
        record = read_run(output)
    return {WHOLE: record["ns_per_particle_step"], **record["phases"]}, record


def compare(programs, name, words, ranks, threads, rounds):
    """The record of one scene on ranks x threads: medians of both versions and their ratios.

    `words` follow `freshet run`: a list for each version.
    """
    times, lasting = ([], []), ([], [])
    last = [None, None]
    for turn in range(rounds):
        for which in ((0, 1) if turn % 2 == 0 else (1, 0)):
            phases, last[which] = measure(programs[which], words[which], ranks, threads)
            times[which].append(phases)
            lasting[which].append(last[which]["seconds_per_simulated_second"])
    phases = {phase: compared(*([one.get(phase, 0.0) for one in runs] for runs in times))
              for phase in dict.fromkeys(name for runs in times for one in runs for name in one)}
    return {"case": name, "ranks": ranks, "threads": threads, "rounds": rounds, "particles": last[1]["particles"],
            "steps": [record["steps"] for record in last], "phases": phases, "simulated_second": compared(*lasting)}


def ratio_text(row):
    return "" if row["ratio"] is None else f"{row['ratio']:8.3f}   {row['spread'][0]:.3f} to {row['spread'][1]:.3f}"


def print_record(record):
    print(f"\n{record['case']}, {record['ranks']} ranks x {record['threads']} threads, {record['particles']} particles, "
          f"{record['steps'][0]} and {record['steps'][1]} steps, {record['rounds']} runs of each")
    print(f"{'ns per particle and step':28}{'before':>10}{'after':>10}{'ratio':>8}   smallest to largest ratio")
    for phase, row in record["phases"].items():
        if max(row["before"], row["after"]) < 0.05:
            continue
        print(f"{phase:28}{row['before']:10.1f}{row['after']:10.1f}{ratio_text(row)}")
    row = record["simulated_second"]
    print(f"{'s per simulated second':28}{row['before']:10.3g}{row['after']:10.3g}{ratio_text(row)}", flush=True)


def layouts_of(text):
    """(ranks, threads) of each layout between commas."""
    if not re.fullmatch(r"[1-9][0-9]*x[1-9][0-9]*(,[1-9][0-9]*x[1-9][0-9]*)*", text):
        raise argparse.ArgumentTypeError(f"'{text}' is not RANKSxTHREADS,... Give for example 2x1,1x2")
    return [tuple(map(int, layout.split("x"))) for layout in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", required=True, help="binary of the version to compare with")
    parser.add_argument("--after", required=True, help="binary of this version")
    parser.add_argument("--commit", required=True, help="commit whose cases of inputs/ both run")
    parser.add_argument("--cases", help="scenes, separated by commas")
    parser.add_argument("--layouts", type=layouts_of, default="2x1,1x2", help="ranks x threads, separated by commas")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each version")
    parser.add_argument("--quick", action="store_true", help="the 64^3 dam on 2x1 only, plain and as water")
    for which in ("before", "after"):
        parser.add_argument(f"--{which}-options", nargs="+", default=[], metavar="KEY=VALUE",
                            help=f"overrides of the scenes' keys in the runs of {which.upper()}")
    add_json_options(parser)
    arguments = parser.parse_args()
    if arguments.rounds < 1:
        parser.error("--rounds must be above 0")
    programs = (arguments.before, arguments.after)
    for program in programs:
        if shutil.which(program) is None:
            fail(f"there is no program {program}. Build it first")
    options = (arguments.before_options, arguments.after_options)
    names = arguments.cases or ("dam_64,dam_64_water" if arguments.quick else ALL_SCENES)
    layouts = arguments.layouts[:1] if arguments.quick else arguments.layouts
    records = []
    with tempfile.TemporaryDirectory() as folder:
        scenes = [(name, words_of(name, folder, arguments.commit)) for name in names.split(",")]  # refuses names before a run
        for name, words in scenes:
            both = [[*words, *setting_words(program, name), *extra] for program, extra in zip(programs, options)]
            for ranks, threads in layouts:
                records.append(compare(programs, name, both, ranks, threads, arguments.rounds))
                print_record(records[-1])
    write_records(records, arguments)


if __name__ == "__main__":
    main()
