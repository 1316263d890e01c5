#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# needs: python:numpy python:h5py
# timeout: 1800
"""Every scene of inputs/papers runs two steps and leaves what it should, on 1 or 2 ranks in turn, and begins with as many
particles as its source. With FRESHET_NIGHTLY=ON: on 1, 2 and 4 ranks, which agree, and the particles of every scene are counted.

usage: check_papers.py BUILD_DIRECTORY_OR_EXECUTABLE
"""
import re
import sys
import tempfile

import commands
from check_bad_inputs import ROOT, find_program
from check_cases import NIGHTLY, check_case, differences, ranks_of

RANKS = (1, 2, 4) if NIGHTLY else (1, 2)
STEPS = 2

# Particles in the sources: Ioannidis 2012, scenarios 1 to 7; Salomonsson 2011, Tables 1 to 5; Englesson et al. 2011, cases
# 1 to 5. The ball of fluid.json has those of a lattice.
COUNTS = {
    "000_1_sphere": 15894, "000_2_plane": 8048, "000_3_two_liquids": 15894 + 69216, "000_4_camera": 130972,
    "000_5_bullet": 55047, "000_6_food_ball": 6547, "000_7_vortex": 15894, "001_sphere": 33552,
    "003_sphere_32": 46758, "003_sphere_64": 375794, "003_sphere_128": 3009586,
    "004_1_dam_flip": 917600, "004_2_dam_pic": 917600, "004_3_dam_figure": 595200, "004_4_falling_cube": 438976,
    "004_5_splashing_figure": 402880,
}
# Counted at night: 3 million particles (balls of the same lattice are counted on two coarser grids), and scenes whose meshes
# take seconds to sample.
LARGE = ("003_sphere_128", "000_4_camera", "000_5_bullet", "004_5_splashing_figure")
OFF = 0.006  # of the count: the coarsest ball, 46758, is that of the source's own lattice


def check_count(program, scene):
    """What is wrong with the number of particles that a scene begins with, in words."""
    if scene.stem not in COUNTS or (scene.stem in LARGE and not NIGHTLY):
        return []
    said = commands.run(program, ["check", scene], ranks=2)
    seeded = int((re.search(r"blocks of \d+ cells exist; (\d+) particles", said.stdout) or "00")[1])
    expected = COUNTS[scene.stem]
    if abs(seeded - expected) <= OFF * expected:
        return []
    return [f"{scene.name} begins with {seeded} particles, its source with {expected}"]


def check_scene(program, number, scene):
    """What is wrong with a scene, in words."""
    found = []
    reference = None
    for ranks in ranks_of(number, RANKS):
        with tempfile.TemporaryDirectory() as folder:
            problems, row = check_case(program, scene, ranks, folder, STEPS)
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
    failures = [problem for number, scene in enumerate(scenes)
                for problem in check_scene(program, number, scene) + check_count(program, scene)]
    for failure in failures:
        print(failure)
    print(f"{len(scenes)} scenes, {len(failures)} failures")
    return 1 if failures or not scenes else 0


if __name__ == "__main__":
    sys.exit(main())
