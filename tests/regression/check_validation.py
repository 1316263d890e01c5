#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The cases of inputs/validation are legal, the figures of merit of analysis/validate.py are right on known curves, and a short
case gives records with goals.

usage: check_validation.py BUILD_DIRECTORY_OR_EXECUTABLE
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from check_bad_inputs import ENVIRONMENT, ROOT, find_program

sys.path.insert(0, str(ROOT / "analysis"))
import freshet.analysis as fa  # noqa: E402
import validation_experiments  # noqa: E402
import validation_runs as runs  # noqa: E402


def check_figures(expect):
    """On curves whose figures are known by hand."""
    t = np.linspace(0, 10, 2001)
    expect(abs(fa.crossing(t, 2 * t, 5.0) - 2.5) < 1e-12, "the crossing of a line")
    expect(np.isnan(fa.crossing(t, 0 * t, 1.0)), "a level that is never reached")
    zeros = fa.zero_crossings(t, np.cos(t))
    expect(len(zeros) == 3 and abs(zeros[0] - np.pi / 2) < 1e-5, f"the zeros of a cosine: {zeros}")
    expect(fa.zero_crossings([0, 1, 2, 3], [1, 0, -1, -2]).tolist() == [1.0], "a zero that is a point of the curve")
    expect(abs(fa.moving_mean(t, t, 1.0)[1000] - 5.0) < 1e-12, "the moving mean of a line")
    step = fa.moving_mean(t, np.where(t < 5, 0.0, 1.0), 1.0)
    expect(abs(np.interp(5.25, t, step) - 0.75) < 0.01, "the moving mean of a step")
    z, mean, least, most = validation_experiments.spread_of_runs(runs.data("martin_moyce_front_2.csv"))
    k = int(np.argmin(np.abs(z - 1.44)))
    expect(least[k] == most[k] == mean[k] == 1.19, "all runs of Martin & Moyce agree where their clocks were set")
    record = runs.data("spheric02_marin.csv")
    expect(fa.crossing(record["t"], record["H1"], 0.05) < fa.crossing(record["t"], record["H3"], 0.05),
           "water comes to H1, beside the reservoir, before H3")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program = find_program(sys.argv[1])
    problems = []

    def expect(condition, message):
        if not condition:
            problems.append(message)

    check_figures(expect)
    cases = sorted((ROOT / "inputs" / "validation").glob("*.toml"))
    expect(len(cases) >= 7, f"cases: {cases}")
    for case in cases:
        done = subprocess.run([program, "check", str(case)], env=ENVIRONMENT, capture_output=True, text=True, timeout=60)
        expect(done.returncode == 0, f"{case.name}: {done.stderr}")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "records.json"
        done = subprocess.run(["/usr/bin/python3", "analysis/validate.py", "--program", program, "--output", folder, "--quick",
                               "--only", "free_fall", "--json", str(file)], cwd=ROOT, env=ENVIRONMENT, capture_output=True,
                              text=True, timeout=300)
        expect(done.returncode == 0, f"validate.py ended with {done.returncode}: {(done.stdout + done.stderr)[-2000:]}")
        records = json.loads(file.read_text()) if file.is_file() else []
    keys = {"case", "quantity", "metric", "value", "bound", "reference"}
    expect(len(records) == 3 and all(set(record) == keys for record in records), f"records: {records}")
    for record in records:
        expect(record["bound"] is None or record["value"] <= record["bound"], f"goal missed: {record}")
    print("\n".join(problems) or "validation works")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
