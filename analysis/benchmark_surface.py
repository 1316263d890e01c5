#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the programs of jobs/benchmark_surface.sh and prints a table of what they took, beside the papers' figures."""
import argparse
import json
import os
from pathlib import Path

from launch import finish, mpi_settings

METHODS = ["improved_blobbies", "blobbies", "anisotropic"]
PAPERS = [
    {"program": "paper 003", "method": "improved blobbies", "particles": 3009611, "cells": 128, "resolution": 2, "ranks": 1,
     "threads": 1, "seconds": 156.458},
    {"program": "paper 003", "method": "improved blobbies", "particles": 3009611, "cells": 128, "resolution": 2, "ranks": 1,
     "threads": 8, "seconds": 21.057},
    {"program": "paper 004", "method": "improved blobbies", "particles": 900000, "resolution": 1, "ranks": 1, "threads": 1,
     "seconds": 82 * 60 / 250},
]
FRAMES_TIMED = 8


def run(command, threads):
    """The record that a program prints; None if it fails."""
    done = finish(command, os.environ | mpi_settings() | {"OMP_NUM_THREADS": str(threads)})
    if done.returncode != 0:
        print(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr[-500:]}")
        return None
    return json.loads(done.stdout)


def line(record):
    """A row of the table."""
    ratio = record.get("volume_ratio")
    closed = {True: "yes", False: "no"}.get(record.get("closed"), "")
    return (f"{record['program']:10} {record['method']:19} {record['particles']:9} {record['resolution']:4} "
            f"{record['ranks']:3}x{record['threads']:<3} {record['seconds']:9.2f} {record.get('faces', ''):>9} {closed:>6} "
            f"{'' if ratio is None else format(ratio, '.4f'):>7}")


def main():
    """Time, print, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=Path, required=True)
    parser.add_argument("--directory", type=Path, default=Path.cwd())
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    cells = 64 if options.quick else 128
    table = str(options.programs / "surface_table")
    print(f"{'program':10} {'method':19} {'particles':>9} {'res':>4} {'rxt':>7} {'seconds':>9} {'faces':>9} {'closed':>6} {'volume':>7}")
    records = []

    def take(record, is_peer):
        if record is None:
            return
        record["peer"] = is_peer
        records.append(record)
        print(line(record), flush=True)

    for method in METHODS:
        take(run([table, "--cells", str(cells), "--method", method], 2), False)
    take(run(["mpirun", "-np", "2", table, "--cells", str(cells)], 1), False)
    take(run([table, "--cells", str(cells), "--resolution", "1"], 2), False)
    if not options.quick:  # 0.9 million particles at two resolutions, as in the 250 frames of paper 004
        for resolution in ("1", "2"):
            record = run([table, "--cells", "86", "--resolution", resolution, "--repeats", str(FRAMES_TIMED)], 2)
            take(record, False)
            if record is not None:
                record["frames_timed"] = FRAMES_TIMED
                record["minutes_of_250_frames"] = 250 * record["mean_seconds"] / 60
                print(f"  250 such frames: {record['minutes_of_250_frames']:.1f} min, from {FRAMES_TIMED} that were timed; "
                      "paper 004: 82 min")
    if options.large:
        take(run([table, "--cells", "256", "--repeats", "1"], 2), False)
    peer = options.programs / "surface_openvdb"
    if peer.exists():
        take(run([str(peer), str(cells), "2"], 2), True)
        take(run([str(peer), str(cells), "2", "mean"], 2), True)
    for record in PAPERS:
        take(dict(record), True)
    if options.json is not None:
        path = options.json if options.json.is_absolute() else options.directory / options.json
        path.write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
