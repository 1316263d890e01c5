#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# needs: python:numpy python:h5py python:matplotlib python:vtk
# nightly: yes
# timeout: 1800
"""The commands of the engineer's and the artist's path (inputs/engineer.md, inputs/artist.md) run as they stand, in the folder of a clone, and
print the forces and waves that the page shows. The splash runs on a coarse grid for half a second, and nobody looks at the page of
`freshet view`, which is ended after some seconds.

usage: check_paths.py BUILD_DIRECTORY_OR_EXECUTABLE
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from check_bad_inputs import ENVIRONMENT, ROOT, find_program

PAGES = ("engineer.md", "artist.md")
COARSE = "domain.cells=[20,20,20] domain.cell_size=0.06 run.end_time=0.55"
FOLDERS = ("analysis", "inputs", "jobs")
FORCE = re.compile(r"^(output/\w+): (-?\d+) to (-?\d+) N, waves of ([\d.]+) m$", re.M)
ROW = re.compile(r"^\| (coarse|column\.toml) \| \d+ \| (-?\d+) to (-?\d+) \| ([\d.]+) \|$", re.M)
RUN_OF_ROW = {"coarse": "output/coarse", "column.toml": "output/column"}


def blocks(page):
    """(line, commands) of each block of shell commands of a page."""
    text = page.read_text(encoding="utf-8")
    return [(text.count("\n", 0, match.start()) + 1, match[1]) for match in re.finditer(r"^```sh\n(.*?)^```", text, re.M | re.S)]


def for_the_test(commands):
    """The commands of a block with a small splash, and a view that ends."""
    commands = re.sub(r"^(freshet run inputs/splash\.toml) &$", rf"\1 {COARSE}", commands, flags=re.M)
    return re.sub(r"^(freshet view .*)$", r"timeout 10 \1 || test $? = 124", commands, flags=re.M)


def make_clone(folder, program):
    """A folder with the clone's parts, and `freshet` to be found in bin."""
    for name in FOLDERS:
        (folder / name).symlink_to(ROOT / name)
    (folder / "bin").mkdir()
    (folder / "bin/freshet").symlink_to(program)


def wrong_numbers(page, printed):
    """Where the forces and waves of the runs are not those of the page's table: splashes of another processor differ a little."""
    found = {match[1]: [float(match[n]) for n in (2, 3, 4)] for match in FORCE.finditer(printed)}
    problems = []
    for row in ROW.finditer(page.read_text(encoding="utf-8")):
        shown, of_run = [float(row[n]) for n in (2, 3, 4)], found.get(RUN_OF_ROW[row[1]])
        if of_run is None or any(abs(a - b) > 0.1 * abs(b) for a, b in zip(of_run, shown)):
            problems.append(f"{page.name} shows {shown} for {row[1]}, and the commands give {of_run}")
    return problems if len(ROW.findall(page.read_text(encoding="utf-8"))) == 2 else [f"{page.name} has no table of forces"]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program = Path(find_program(sys.argv[1])).resolve()
    failures, n_blocks = [], 0
    for name in PAGES:
        page, printed = ROOT / "inputs" / name, ""
        with tempfile.TemporaryDirectory() as name_of_folder:
            folder = Path(name_of_folder)
            make_clone(folder, program)
            environment = dict(ENVIRONMENT, PATH=f"{folder / 'bin'}:{os.environ['PATH']}")
            for line, commands in blocks(page):
                done = subprocess.run(["bash", "-e", "-c", for_the_test(commands)], cwd=folder, env=environment, text=True, stdin=subprocess.DEVNULL,
                                      capture_output=True, errors="replace", timeout=900, check=False)
                printed += done.stdout
                n_blocks += 1
                if done.returncode != 0:
                    failures.append(f"{name}:{line}: exit code {done.returncode}: {done.stdout[-500:]}{done.stderr[-1500:]}")
        if name == "engineer.md":
            failures += wrong_numbers(page, printed)
    for failure in failures:
        print(failure)
    print(f"{n_blocks} blocks of commands, {len(failures)} failures")
    return 1 if failures or n_blocks < 8 else 0


if __name__ == "__main__":
    sys.exit(main())
