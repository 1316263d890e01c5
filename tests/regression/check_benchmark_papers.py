#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# needs: python:numpy python:h5py
# nightly: yes
"""Tables of two papers are printed for a small ball and few frames, with the papers' figures and ours.

usage: check_benchmark_papers.py BUILD_DIRECTORY_OR_EXECUTABLE
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from check_bad_inputs import ENVIRONMENT, ROOT, find_program

sys.path.insert(0, str(ROOT / "analysis"))
import benchmark_papers  # noqa: E402


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program = find_program(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "papers.json"
        done = subprocess.run(["/usr/bin/python3", "analysis/benchmark_papers.py", "--program", program, "--quick", "--grids", "32",
                               "--frames", "2", "--parts", "salomonsson,ioannidis,growth", "--json", str(file)], cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True,
                              timeout=600)
        if done.returncode != 0:
            sys.exit(f"benchmark_papers.py ended with {done.returncode}: {(done.stdout + done.stderr)[-3000:]}")
        records = json.loads(file.read_text())
    problems = []
    balls = [r for r in records if r["table"] == "Salomonsson"]
    if {r["method"] for r in balls} != {"PIC", "FLIP"} or any(abs(r["particles"] - 46758) > 0.006 * 46758 for r in balls):
        problems.append(f"the balls are {[(r['method'], r['particles']) for r in balls]}")
    problems += [f"{r['method']} on {r['ranks']}x{r['threads']}: {r['seconds']} s a frame, {r['saving']} s to save it"
                 for r in balls if not 0.0 < r["seconds"] < 2.791 or not r["saving"] > 0.0]
    figures = [r for r in records if r["table"] == "Ioannidis"]
    if not figures or any(r["frames"] != 2 or not r["seconds"] > 0.0 for r in figures):
        problems.append(f"the figure has {figures}")
    growth = [r for r in records if r["table"] == "Ioannidis, 7.3"]
    if [r["grid"] for r in growth] != [32] or not growth[0]["seconds"] > 0.0:
        problems.append(f"the growth is of {growth}")
    known = [{"particles": n, "seconds": 1e-8 * n**1.1} for n in (1000, 8000, 64000)]
    if any(abs(exponent - 1.1) > 1e-9 for exponent in benchmark_papers.growth_of(known)):
        problems.append(f"exponents of n^1.1: {benchmark_papers.growth_of(known)}")
    problems += [f"{figure} is not in the tables" for figure in ("2.791", "0.648", "21.057", "8.20") if figure not in done.stdout]
    if "862.151" in done.stdout:
        problems.append("there is a row of a grid that was not run")
    print(done.stdout)
    print("\n".join(problems) or "the tables are as they should be")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
