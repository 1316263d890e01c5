#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checkpoints and snapshots of a small dam are written beside dd, with sizes and rates that can be.

usage: check_benchmark_files.py BUILD_DIRECTORY_OR_EXECUTABLE
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from check_bad_inputs import ENVIRONMENT, ROOT, find_program
from commands import NIGHTLY

RANKS = (1, 2) if NIGHTLY else (2,)
PARTICLES = 64 ** 3 // 4 * 8
LEAST_BYTES = {"checkpoint": 24 * PARTICLES, "snapshot": 32 * PARTICLES}  # positions, velocities; and in a snapshot ids


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program = find_program(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "files.json"
        done = subprocess.run(["/usr/bin/python3", "analysis/benchmark_files.py", "--program", program, "--quick",
                               "--ranks", ",".join(map(str, RANKS)),
                               "--rounds", "1", "--disk", str(Path(folder) / "disk"), "--json", str(file)], cwd=ROOT,
                              env=ENVIRONMENT, capture_output=True, text=True, timeout=600)
        if done.returncode != 0:
            sys.exit(f"benchmark_files.py ended with {done.returncode}: {(done.stdout + done.stderr)[-3000:]}")
        records = json.loads(file.read_text())
        left = list((Path(folder) / "disk").iterdir())
    problems = [f"{left} are left behind"] if left else []
    if [(r["kind"], r["ranks"]) for r in records] != [(kind, ranks) for kind in LEAST_BYTES for ranks in RANKS]:
        problems.append(f"the records are {records}")
    for r in records:
        most = 4 * LEAST_BYTES[r["kind"]]
        if not LEAST_BYTES[r["kind"]] <= r["bytes"] <= most or not r["bytes_per_second"] > 0.0 or not r["dd_bytes_per_second"] > 0.0:
            problems.append(f"a {r['kind']} on {r['ranks']} ranks: {r}")
    print(done.stdout)
    print("\n".join(problems) or "the table is as it should be")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
