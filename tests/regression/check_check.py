#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# needs: python:numpy
# timeout: 300
"""`freshet check`: what it prints is the case that it read; sizes of files, numbers of snapshots, memory and steps are those of the
run; all ranks say the same.

usage: check_check.py BUILD_DIRECTORY_OR_EXECUTABLE
"""
import csv
import re
import sys
import tempfile
import tomllib
from pathlib import Path

import commands
from check_bad_inputs import ROOT, find_program

CASE = """
title = "a column falls in a tank"
run.end_time = 0.4
domain.cells = [32, 24, 16]
domain.cell_size = 0.025
[time]
cfl = 1.0
[output]
interval = 0.05
fields = ["pressure"]
particles = ["velocity"]
[output.surface]
interval = 0.1
[[liquid]]
shape = "box"
lower = [0.0, 0.0, 0.0]
upper = [0.2, 0.4, 0.4]
[[gauge]]
name = "wall"
type = "pressure"
point = [0.0, 0.1, 0.2]
[[solid]]
shape = "sphere"
center = [2.0, 0.0, 0.2]
radius = 0.1
"""
# Steps that a run takes over those that are expected, of cases that fall, flow in, wave and rest.
STEPS = {"dam_break_2d": [], "fountain": ["domain.cells=[24,28,24]", "domain.cell_size=0.05", "run.end_time=2"],
         "wave_tank": ["domain.cells=[120,8]", "domain.cell_size=0.1", "run.end_time=8"],
         "hydrostatic_rest": ["run.end_time=2"], "droplet": ["run.end_time=0.02"]}
problems = []


def expect(condition, message):
    if not condition:
        problems.append(message)


def comments(text):
    return [line for line in text.splitlines() if line.startswith("#")]


def check_keys(program, folder):
    """The output is TOML: the given keys, or with --all every key; its own check says the same."""
    case = folder / "case.toml"
    case.write_text(CASE)
    said = commands.run(program, ["check", case, "time.cfl=0.8"]).stdout
    given = tomllib.loads(said)
    expect(given["time"] == {"cfl": 0.8} and given["run"] == {"end_time": 0.4} and len(given["solid"]) == 1, f"given: {given}")
    expect("pressure" not in given and "seed" not in said, "keys that nobody set are printed")
    expect('# chosen: time.splitting = "first_order"' in said, f"what was chosen is not printed:\n{said[:2000]}")
    expect("# 1 rank x " in said, f"one rank is not counted as one:\n{said[:2000]}")
    (folder / "again.toml").write_text(said)
    again = commands.run(program, ["check", folder / "again.toml"]).stdout
    expect(comments(again)[1:] == comments(said)[1:] and tomllib.loads(again) == given, f"checked again:\n{again}")
    full = commands.run(program, ["check", case, "time.cfl=0.8", "--all"]).stdout
    values = tomllib.loads(full)
    expect(values["time"]["cfl"] == 0.8 and values["run"]["seed"] == 0 and values["pressure"]["tolerance"] > 0, "--all lacks keys")
    expect([line for line in comments(full) if "=" not in line and "[" not in line][1:]
           == [line for line in comments(said) if "=" not in line and "[" not in line][1:], f"--all:\n{full[:3000]}")
    expect(full.index("# domain") < full.index("\n[run]"), "the list of all keys is not at the end")


def check_band(program, folder):
    """With a narrow band the particles that exist are counted, and those left out below it beside them."""
    case = folder / "pool.toml"
    text = CASE.replace("[32, 24, 16]", "[48, 48, 16]").replace("[0.2, 0.4, 0.4]", "[1.2, 1.0, 0.4]")
    case.write_text(text.replace("[output.surface]\ninterval = 0.1\n", ""))
    for ranks in (1, 2):
        said = commands.run(program, ["check", case, "particles.band=4"], ranks).stdout
        counts = re.search(r"exist; (\d+) particles in the band and (\d+) left out below it", said)
        of_ranks = [int(row[1]) for row in re.findall(r"^# +(\d+) +\d+ +(\d+)$", said, re.MULTILINE)]
        expect(counts is not None and int(counts[1]) == sum(of_ranks) and sum(map(int, counts.groups())) == 8 * 48 * 40 * 16,
               f"with a band, on {ranks} ranks:\n{said}")


def check_ranks(program, folder):
    """Other numbers of ranks change the tables of ranks and memory only."""
    def of_all(ranks):
        said = commands.run(program, ["check", folder / "case.toml"], ranks).stdout
        return [line for line in said.splitlines() if not re.match(r"# *(memory|rank|\d+( ranks)? |a checkpoint|\d+ of )", line)]
    one = of_all(1)
    for ranks in (2, 3):
        expect(of_all(ranks) == one, f"on {ranks} ranks: {set(of_all(ranks)) ^ set(one)}")
    text = "\n".join(one)
    for part in ("# gauge wall: ", "# warning: ", "solid.0", "inputs/troubleshooting.md#place", "0.8 x 0.6 x 0.4 m"):
        expect(part in text, f"nothing says '{part}':\n{text}")


def size(text):
    number, unit = re.fullmatch(r"([\d.e+]+) ([MG]B)", text).groups()
    return float(number) * {"MB": 1e6, "GB": 1e9}[unit]


def check_run(program, folder):
    """Files are as many and as large as was said, and a restart takes the memory that was said."""
    said = commands.run(program, ["check", folder / "case.toml"]).stdout
    output = folder / "run"
    words = ["run", folder / "case.toml", "--output-dir", output]
    expect(commands.run(program, [*words, "run.max_steps=1", "checkpoint.keep=9"]).returncode == 0, "the first step")
    checkpoint = size(re.search(r"a checkpoint takes (.*?);", said)[1])
    on_disk = (output / "checkpoints/chk_000001.h5").stat().st_size
    own = 40e3  # HDF5's own, and attributes
    expect(checkpoint <= on_disk + 5e3 and on_disk - checkpoint < own, f"a checkpoint of {on_disk} bytes was to have {checkpoint}")
    n, snapshot = re.search(r"(\d+) snapshots .*?first of (.*?):", said).groups()
    first = (output / "snapshots/snap_000000.h5").stat().st_size
    expect(size(snapshot) <= first + 5e3 and first - size(snapshot) < own, f"a snapshot of {first} bytes was to have {snapshot}")
    done = commands.run(program, [*words, "run.max_steps=0", "checkpoint.keep=9", "--restart", "auto"])
    expect(done.returncode == 0, done.stderr)
    log = (output / "log.txt").read_text()
    memory = [float(m) for m in re.findall(r"memory: .*?largest rank ([\d.]+) MB", log)]
    needed = size(re.search(r"memory at a restart .*?at most (.*?) on the largest", said)[1])
    expect(0.7 < 1e6 * memory[-2] / needed <= 1.01, f"a restart took {memory} MB, and was to take {needed}")
    found = len(list((output / "snapshots").glob("*.h5"))), len(list((output / "surfaces").glob("*.ply")))
    surfaces = int(re.search(r"(\d+) surfaces", said)[1])
    expect(found == (int(n), surfaces), f"{found} snapshots and surfaces, {n} and {surfaces} were to come")


def check_steps(program, folder):
    """The estimate is as good as the header of expect_steps() says."""
    for name, words in STEPS.items():
        case = ROOT / f"inputs/{name}.toml"
        said = commands.run(program, ["check", case, *words]).stdout
        expected = int(re.search(r"roughly (\d+) steps", said)[1])
        output = folder / name
        commands.run(program, ["run", case, *words, "output.interval=0", "--output-dir", output])
        with open(output / "steps.csv", newline="") as file:
            steps = len(list(csv.reader(file))) - 1
        print(f"{name}: {steps} steps, {expected} expected")
        expect(1 / 3 <= steps / expected <= 3, f"{name}: {steps} steps, {expected} were expected")


def main():
    program = find_program(sys.argv[1])
    with tempfile.TemporaryDirectory() as name:
        for check in (check_keys, check_band, check_ranks, check_run, check_steps):
            check(program, Path(name))
    print("\n".join(problems) or "check says what follows")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
