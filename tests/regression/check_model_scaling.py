#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# needs: python:numpy python:h5py python:matplotlib mpicc
"""The model of scaling shares blocks among ranks as the program does, and its table of what a step exchanges with the shipped settings
has the counters of a run on 3 ranks: exchanges and reductions of every phase exactly, messages and bytes to 10 %. At night with voxels,
too, and model_scaling.py compares runs on 2, 4 and 8 ranks, also with levels above the W-cycle, and writes its tables.

usage: check_model_scaling.py BUILD_DIRECTORY_OR_EXECUTABLE
"""
import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import commands
from check_bad_inputs import ENVIRONMENT, ROOT, find_program

sys.path.insert(0, str(ROOT / "analysis"))
import model_checks as checks  # noqa: E402
import model_counts as counts  # noqa: E402
import model_geometry as geometry  # noqa: E402
import model_machines as machines  # noqa: E402

problems = []


def expect(true, text):
    if not true:
        problems.append(text)


def check_keys():
    coords = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [5, 9, 200000]])
    keys = geometry.keys_of(coords)
    expect(list(keys[:4]) == [0, 1, 2, 4], f"Morton keys are {keys[:4]}")
    expect((geometry.coords_of(keys) == coords).all(), "a key does not lead back to its block")
    expect(geometry.rim_of(1 << geometry.AROUND.index((2, 1, 1)), 2) == 128, "two layers of a face are not 128 cells")
    expect(geometry.rim_of(1 << geometry.AROUND.index((0, 0, 0)), 2) == 8, "two layers of a corner are not 8 cells")
    every = (1 << len(geometry.AROUND)) - 1
    expect(geometry.nodes_of(every) == 10 ** 3 - 8 ** 3, f"a layer around a block has {geometry.nodes_of(every)} nodes")
    expect(geometry.rows_of(every) == 3 * 52 + 1, f"a block's rim has {geometry.rows_of(every)} rows")  # RimRows::n_rows in src/transfer/rim.hpp


def check_halves():
    """Two ranks share a box of 4 x 4 x 4 blocks: each has a half, and sees 16 faces of 64 cells."""
    keys = geometry.box_keys([4, 4, 4])
    level = geometry.levels_of(keys, geometry.uniform_splitters([4, 4, 4], 2), [4, 4, 4])[0]
    expect(list(level.neighbours) == [1, 1] and list(level.face_rim) == [1024, 1024] and list(level.rims[2]) == [2048, 2048],
           f"halves of a box share {level}")
    eight = geometry.levels_of(keys, geometry.uniform_splitters([4, 4, 4], 8), [4, 4, 4])[0]
    expect(list(eight.neighbours) == [7] * 8 and list(eight.face_neighbours) == [3] * 8, f"eighths of a box share {eight}")


def check_table():
    """Two ranks with 4 x 4 x 4 blocks, whose coarser level one rank has: what an iteration and a step exchange, counted by hand."""
    levels = geometry.levels_of(geometry.box_keys([4, 4, 4]), geometry.uniform_splitters([4, 4, 4], 2), [4, 4, 4])
    expect(len(levels) == 1 and counts.exchanges_of_iteration(1) == 11, f"{len(levels)} levels on two ranks")
    for settings, numbers, outside, solve in (
            (counts.VOXELS, counts.Numbers(5.0), (3, 4), (5 + 5 * 11, 4 + 2 * 5)),
            # 3 solves, twice with other faces between, and the correction's: 4 + 2 * 11 exchanges of it, 3 outside its solve
            (counts.SHIPPED, counts.Numbers(6.0, 3, 2, 2.0, 1, ((3, 1.0),)), (8 + 3, 4), (4 + 2 * 3 + 2 + 6 * 11 + 2 + 2 * 11, 5 * 3 + 2 * 6 + 4 + 2 * 2))):
        table = counts.Table(settings, numbers, levels)
        for solves, expected in ((False, outside), (True, solve)):
            found = table.count(lambda event, solves=solves: event.solves == solves)
            expect((found["exchanges"], found["reductions"]) == expected, f"{settings.name}, solves {solves}: {found}, not {expected}")
    velocity = [event.size for event in table.events if event.what == "labels and velocity"]
    expect(velocity == [16 * 8 * 8 * (24.0 * 4 + 5)], f"four layers of faces and five of labels are {velocity} bytes")


def check_blocks(program, folder):
    """The program's own table of the blocks of each rank."""
    cells, ranks = ((64, 64, 64), 8) if commands.NIGHTLY else ((32, 64, 64), 3)
    case = checks.pool(cells, folder)
    for settings in counts.SETTINGS.values():
        said = commands.run(program, ["check", case, *settings.words()], ranks).stdout
        lines = said[said.index("# rank"):].splitlines()[1:1 + ranks]
        theirs = [int(line.split()[2]) for line in lines]
        level = checks.pool_levels(settings, cells, ranks, sum(theirs))[0]
        expect(level.blocks == sum(theirs), f"{level.blocks} blocks, the program has {sum(theirs)}")
        ours = checks.pool_stretches(settings, cells, ranks, sum(theirs))
        expect(ours == theirs, f"blocks of the ranks: {ours}, the program has {theirs}")


def check_counts(program):
    """Counters of runs, phase by phase; those of a run with other settings are not the table's."""
    settings = tuple(counts.SETTINGS.values()) if commands.NIGHTLY else (counts.SHIPPED,)
    rows, wrong = checks.check_counts(program, checks.DAY, (3, 5), settings)
    problems.extend(wrong)
    for row in rows:
        print(f"{row['settings']}, {row['ranks']} ranks, {row['cells']}: {row['counted']:.6g} {row['what']} a step, {row['predicted']:.6g} predicted")
    expect(len(rows) == len(counts.WORKS) * len(checks.DAY) * len(settings), f"{len(rows)} rows")
    expect(not checks.agrees("exchanges", 11.0, 10.5) and not checks.agrees("bytes", 1e5, 1.2e5) and checks.agrees("bytes", 1e5, 1.09e5),
           "any counts agree")


def check_ghosts():
    """Copies of cells on many small ranks, as analysis/figures/memory.md has counted them."""
    for ranks, counted in ((8, 2.3), (64, 9.2)):
        blocks, whole, rims = machines.ghosts_of_small_ranks(ranks)
        expect(abs(whole / counted - 1.0) < 0.1, f"{ranks} ranks: {whole:.2f} ghost cells for each owned one, {counted} were counted")
        expect(rims[1] < rims[2] < rims[4] < whole, f"rims are {rims}, whole blocks {whole}")


def check_prediction(program, folder):
    done = subprocess.run(["/usr/bin/python3", "analysis/model_scaling.py", "--quick", "--program", program, "--output", folder],
                          cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True, timeout=800)
    if done.returncode != 0:
        problems.append(f"model_scaling.py ended with {done.returncode}: {done.stdout[-3000:]} {done.stderr[-2000:]}")
        return
    compared = json.loads((Path(folder) / "check.json").read_text())
    expect({c["what"] for c in compared} == {*counts.WORKS, checks.TIMES}, f"checks: {compared}")
    with open(Path(folder) / "model.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    expect({row["settings"] for row in rows} == set(counts.SETTINGS), "settings are missing in model.csv")
    for row in rows:
        parts = sum(float(row[f"{part} [s]"]) for part in machines.PARTS)
        expect(abs(parts - float(row["seconds a step"])) < 1e-9, f"the parts of a step are not the step: {row}")
        expect(0.0 < float(row["efficiency"]) < 1.3, f"efficiency {row['efficiency']}")
    expect((Path(folder) / "model.png").stat().st_size > 10000, "no picture")
    print("\n".join(line for line in done.stdout.splitlines() if line.startswith(("| shipped", "| voxels"))))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program = find_program(sys.argv[1])
    check_keys()
    check_halves()
    check_table()
    check_ghosts()
    with tempfile.TemporaryDirectory() as folder:
        check_blocks(program, folder)
        check_counts(program)
        if commands.NIGHTLY:
            check_prediction(program, folder)
    print("\n".join(problems) or "the model is as it should be")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
