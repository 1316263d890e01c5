#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# nightly: yes
# timeout: 1800
"""64 ranks on however few cores: README's first case starts, steps and ends with the bits of one rank; their checkpoint goes on with
the same bits on 5 ranks and on 64.

usage: check_many_ranks.py BUILD_DIRECTORY_OR_EXECUTABLE
"""
import subprocess
import sys
import tempfile
from pathlib import Path

from check_bad_inputs import find_program

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(1, str(ROOT / "analysis"))
from launch import launch  # noqa: E402

MANY = 64
CASE = """run.end_time = 1.5
run.reproducible = true
domain.cells = [48, 48, 48]
domain.cell_size = 0.02
output.interval = 0
liquid = [{ shape = "box", lower = [0.0, 0.0, 0.0], upper = [0.96, 0.24, 0.96] },
          { shape = "sphere", center = [0.48, 0.6, 0.48], radius = 0.12 }]
"""


def main():
    program = find_program(sys.argv[1])
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        case = Path(folder) / "pool.toml"
        case.write_text(CASE)

        def run(ranks, steps, name, *words):
            launcher, environment = launch(ranks, 1)
            done = subprocess.run([*launcher, program, "run", case, f"run.max_steps={steps}", *words, "--output-dir", f"{folder}/{name}"],
                                  env=environment, capture_output=True, text=True, timeout=900)
            if done.returncode != 0:
                sys.exit(f"{ranks} ranks: exit code {done.returncode}: {(done.stdout + done.stderr)[-1000:]}")

        def compare(first, second, what):
            done = subprocess.run([program, "diff", "--common", f"{folder}/{first}", f"{folder}/{second}"], capture_output=True, text=True,
                                  timeout=300)
            print(f"{what}: {done.stdout.splitlines()[-1] if done.stdout else done.stderr.strip()}")
            if done.returncode != 0:
                problems.append(f"{what}: {done.stdout}{done.stderr}")

        run(1, 6, "one")
        run(MANY, 3, "many")
        run(1, 3, "one_short")
        compare("one_short", "many", f"{MANY} ranks and one")
        checkpoint = sorted(Path(folder, "many", "checkpoints").glob("chk_*.h5"))[-1]
        for ranks in (5, MANY):
            run(ranks, 6, f"restarted_{ranks}", "--restart", str(checkpoint))
            compare("one", f"restarted_{ranks}", f"restart on {ranks} ranks and one rank")
    print("\n".join(problems) or "the bits are the same")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
