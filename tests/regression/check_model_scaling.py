#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# needs: python:numpy python:h5py python:matplotlib
"""The model of scaling shares blocks among ranks as the program does. At night it also predicts the counters of runs on 4 and 8
ranks to 10 %, and writes its tables.

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
import model_geometry as geometry  # noqa: E402
import model_scaling as model  # noqa: E402

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


def check_halves():
    """Two ranks share a box of 4 x 4 x 4 blocks: each has a half, and sees 16 faces of 64 cells."""
    keys = geometry.box_keys([4, 4, 4])
    level = geometry.levels_of(keys, geometry.uniform_splitters([4, 4, 4], 2), [4, 4, 4])[0]
    expect(list(level.neighbours) == [1, 1] and list(level.face_rim) == [1024, 1024] and list(level.rims[2]) == [2048, 2048],
           f"halves of a box share {level}")
    eight = geometry.levels_of(keys, geometry.uniform_splitters([4, 4, 4], 8), [4, 4, 4])[0]
    expect(list(eight.neighbours) == [7] * 8 and list(eight.face_neighbours) == [3] * 8, f"eighths of a box share {eight}")


def check_blocks(program, folder):
    """The program's own table of the blocks of each rank."""
    cells, ranks = ((64, 64, 64), 8) if commands.NIGHTLY else ((32, 64, 64), 3)
    case = model.pool(cells, folder)
    said = commands.run(program, ["check", case], ranks).stdout
    lines = said[said.index("# rank"):].splitlines()[1:1 + ranks]
    theirs = [int(line.split()[2]) for line in lines]
    level = model.pool_levels(cells, ranks, sum(theirs))[0]
    expect(level.blocks == sum(theirs), f"{level.blocks} blocks, the program has {sum(theirs)}")
    ours = model.pool_stretches(cells, ranks, sum(theirs))
    expect(ours == theirs, f"blocks of the ranks: {ours}, the program has {theirs}")


def check_prediction(program, folder):
    done = subprocess.run(["/usr/bin/python3", "analysis/model_scaling.py", "--quick", "--program", program, "--output", folder],
                          cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        problems.append(f"model_scaling.py ended with {done.returncode}: {done.stdout[-3000:]} {done.stderr[-2000:]}")
        return
    checks = json.loads((Path(folder) / "check.json").read_text())
    expect({c["what"] for c in checks} == {"exchanges", "reductions", "messages", "bytes", model.TIMES}, f"checks: {checks}")
    with open(Path(folder) / "model.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        parts = sum(float(row[f"{part} [s]"]) for part in model.PARTS)
        expect(abs(parts - float(row["seconds a step"])) < 1e-9, f"the parts of a step are not the step: {row}")
        expect(0.0 < float(row["efficiency"]) < 1.1, f"efficiency {row['efficiency']}")
    expect((Path(folder) / "model.png").stat().st_size > 10000, "no picture")
    print("\n".join(line for line in done.stdout.splitlines() if line.startswith(("| 4 |", "| 8 |", "| ARCHER"))))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program = find_program(sys.argv[1])
    check_keys()
    check_halves()
    with tempfile.TemporaryDirectory() as folder:
        check_blocks(program, folder)
        if commands.NIGHTLY:
            check_prediction(program, folder)
    print("\n".join(problems) or "the model is as it should be")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
