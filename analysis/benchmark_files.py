#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares how fast checkpoints and snapshots are written with what dd writes to the same disk.

A checkpoint is on the disk when it is done, and is compared with "dd conv=fsync"; a snapshot may still be in memory, and is
compared with plain dd. dd writes as many bytes as one file has, in pieces of 16 MiB. The time of a file is that of the phase
which writes it, on the slowest rank: with its seal and its name. Both write several files before one is removed, and dd
begins seconds after others were: memory that the page cache has just given back takes new bytes several times faster than
memory that a virtual machine has to ask its host for.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from launch import add_json_options, run, write_records

ROOT = Path(__file__).resolve().parents[1]
STEPS = 4
SECONDS_UNTIL_MEMORY_IS_GONE = 5  # a host takes back what its machine has not used for 2 s; freshet's first file comes later, too
# kind: (folder, phase, words that write one after each step, what dd does at its end)
KINDS = {
    "checkpoint": ("checkpoints", "checkpoint",
                   ["checkpoint.steps=1", "checkpoint.keep=100", "checkpoint.wall_interval=0", "output.interval=0"], ["conv=fsync"]),
    "snapshot": ("snapshots", "output",
                 ["checkpoint.wall_interval=0", "output.interval=1e-4", 'output.particles=["velocity","id"]'], []),
}


def time_of_dd(folder, n_bytes, n_files, words):
    """Seconds that dd takes for a new file of this size: the mean over as many files as a run writes, none removed between."""
    time.sleep(SECONDS_UNTIL_MEMORY_IS_GONE)
    seconds = 0.0
    for n in range(n_files):
        start = time.monotonic()
        done = subprocess.run(["dd", "if=/dev/zero", f"of={Path(folder) / f'dd{n}'}", "bs=16M", f"count={n_bytes}",
                               "iflag=count_bytes", *words], capture_output=True, text=True)
        seconds += time.monotonic() - start
        if done.returncode != 0:
            sys.exit(f"benchmark: dd: {done.stderr}")
    for file in Path(folder).glob("dd*"):
        file.unlink()
    return seconds / n_files


def time_of_files(program, kind, n, ranks, folder):
    """(bytes of a file, seconds to write it, files) in a run of the dam on n^3 cells: the mean over all files of the run."""
    subfolder, phase, words, _ = KINDS[kind]
    output = Path(folder) / "out"
    run([program, "run", str(ROOT / "inputs/benchmark_dam.toml"), f"domain.cells=[{n},{n},{n}]", f"domain.cell_size={1.0 / n!r}",
         f"run.max_steps={STEPS}", "time.max_dt=1e-4", *words, "--output-dir", str(output), "--force"], ranks, 1)
    timers = json.loads((output / "timers.json").read_text())
    sizes = [file.stat().st_size for file in (output / subfolder).glob("*.h5")]
    if not sizes:
        sys.exit(f"benchmark: no {kind} in {output}")
    for file in output.glob("*/*.h5"):
        file.unlink()
    seconds = next(p["max"] for p in timers["phases"] if p["name"] == phase)
    return sum(sizes) / len(sizes), seconds / len(sizes), len(sizes)


def measure(program, kind, n, ranks, rounds, folder):
    files, others = [], []
    for _ in range(rounds):
        n_bytes, seconds, n_files = time_of_files(program, kind, n, ranks, folder)
        files.append(seconds)
        others.append(time_of_dd(folder, round(n_bytes), n_files, KINDS[kind][3]))
    ours, theirs = (n_bytes / statistics.median(times) for times in (files, others))
    return {"kind": kind, "grid": n, "ranks": ranks, "bytes": round(n_bytes), "bytes_per_second": ours,
            "dd_bytes_per_second": theirs, "ratio": ours / theirs,
            "spread": max(files) / min(files), "dd_spread": max(others) / min(others)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="the freshet binary")
    parser.add_argument("--quick", action="store_true", help="64^3 cells")
    parser.add_argument("--disk", type=Path, default=ROOT / "output", help="folder on the disk to write to")
    parser.add_argument("--ranks", default="1,2,4", help="rank counts, separated by commas")
    parser.add_argument("--rounds", type=int, default=3, help="how often dd and freshet take turns")
    add_json_options(parser)
    arguments = parser.parse_args()
    arguments.disk.mkdir(parents=True, exist_ok=True)
    records = []
    print(f"{'':12}{'ranks':>6}{'MB':>8}{'MB/s':>8}{'dd MB/s':>9}{'ratio':>7}{'slowest/fastest':>17}{'of dd':>7}")
    with tempfile.TemporaryDirectory(dir=arguments.disk) as folder:
        for kind in KINDS:
            for ranks in map(int, arguments.ranks.split(",")):
                r = measure(os.path.abspath(arguments.program), kind, 64 if arguments.quick else 128, ranks, arguments.rounds, folder)
                records.append(r)
                print(f"{kind:12}{ranks:6}{1e-6 * r['bytes']:8.0f}{1e-6 * r['bytes_per_second']:8.0f}"
                      f"{1e-6 * r['dd_bytes_per_second']:9.0f}{r['ratio']:7.2f}{r['spread']:17.2f}{r['dd_spread']:7.2f}", flush=True)
    write_records(records, arguments)


if __name__ == "__main__":
    main()
