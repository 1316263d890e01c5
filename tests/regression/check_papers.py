#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# timeout: 1800
"""Every scene of inputs/papers runs a few steps on 1, 2 and 4 ranks and leaves what it should.

usage: check_papers.py BUILD_DIRECTORY_OR_EXECUTABLE
"""
import sys
import tempfile

from check_bad_inputs import ROOT, find_program
from check_cases import check_case, differences

RANKS = (1, 2, 4)


def check_scene(program, scene):
    """What is wrong with a scene, in words."""
    found = []
    reference = None
    for ranks in RANKS:
        with tempfile.TemporaryDirectory() as folder:
            problems, row = check_case(program, scene, ranks, folder)
        if row:
            reference = reference or row
            problems += differences(row, reference)
        found += [f"{scene.name} on {ranks} ranks: {problem}" for problem in problems]
    return found


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program = find_program(sys.argv[1])
    scenes = sorted((ROOT / "inputs/papers").glob("*.toml"))
    failures = [problem for scene in scenes for problem in check_scene(program, scene)]
    for failure in failures:
        print(failure)
    print(f"{len(scenes)} scenes, {len(failures)} failures")
    return 1 if failures or not scenes else 0


if __name__ == "__main__":
    sys.exit(main())
