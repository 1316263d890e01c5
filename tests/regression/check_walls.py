#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# needs: python:numpy python:h5py python:matplotlib
# nightly: yes
# timeout: 300
"""The wall scenes are read, tiny ones run with every method through the scripts, and their records, tables and pictures
are what they should be.

usage: check_walls.py BUILD_DIRECTORY
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import commands
from check_bad_inputs import ENVIRONMENT, ROOT, find_program

KEYS = {"scene", "dimension", "grid", "steps", "method", "condition", "classification", "epsilon_cg", "epsilon_outer",
        "cg_iterations", "outer_iterations", "seconds_per_step", "max_divergence", "complementarity_residual",
        "volume_change"}
SCENES = {"dam", "stair", "sphere", "hard_stair"}
RUN_SCENES = SCENES if commands.NIGHTLY else {"dam", "sphere"}
METHODS = {"OrigPS", "OrigPSSep", "ADMMVelSep", "ADMMDivSep", "IOPDivSep", "IOPDivSepBC", "sticky", "complementarity"}
GRID = 24
STEPS = 60  # the front of the dam meets the wall at about 40


class Check:
    """Runs the scripts and collects what is not as it should be."""

    def __init__(self, build, folder):
        self.program = find_program(build)
        self.agreement = str((Path(build) / "tests" / "walls_agreement").resolve())
        self.folder = Path(folder)
        self.output = self.folder / "walls"
        self.failures = []

    def expect(self, condition, message):
        if not condition:
            self.failures.append(message)

    def python(self, script, *words):
        done = subprocess.run(["/usr/bin/python3", f"analysis/{script}.py", *map(str, words)], cwd=ROOT,
                              env=ENVIRONMENT, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{script}.py ended with {done.returncode}: {(done.stdout + done.stderr)[-2000:]}")
        return done

    def walls(self, *words):
        """(records, standard output, standard error)"""
        file = self.folder / "records.json"
        done = self.python("walls", "--program", self.program, "--agreement", self.agreement, "--output", self.output,
                           "--json", file, *words)
        return json.loads(file.read_text()), done.stdout, done.stderr


def check_inputs(check):
    """Every scene in full size is a valid case with a reference."""
    files = sorted((ROOT / "inputs" / "walls").glob("*.toml"))
    names = {f"{scene}_{dimension}d" for scene in SCENES for dimension in (2, 3)}
    check.expect({file.stem for file in files} == names, f"inputs/walls holds {[file.stem for file in files]}")
    for file in files:
        done = commands.run(check.program, ["check", file])
        check.expect(done.returncode == 0, f"{file.name}: {done.stderr.strip()}")
        check.expect("Eckert" in done.stdout, f"{file.name} has no reference")


def check_record(check, r):
    name = f"{r.get('scene')} {r.get('dimension')}-D by {r.get('method')}"
    check.expect(r.keys() == KEYS, f"{name}: keys differ in {sorted(r.keys() ^ KEYS)}")
    if r["method"] in ("OrigPS", "sticky", "complementarity"):
        check.expect(r["max_divergence"] <= 1e-3, f"{name}: divergence {r['max_divergence']}")
    check.expect(r["cg_iterations"] > 0 and r["steps"] >= 10, f"{name}: {r}")
    if r["condition"] == "sticky":
        check.expect(r["complementarity_residual"] == 0, f"{name}: sticky walls have nothing to violate")
    if r["method"] == "complementarity":  # 1e-4 of the largest speed, about 10 m/s
        check.expect(r["complementarity_residual"] < 2e-3, f"{name}: residual {r['complementarity_residual']}")


def check_flat(check):
    """2-D: every scene and method, the arrivals, both classifications, the comparison on equal states."""
    words = ("--quick", "--grid", GRID, "--steps", STEPS, "--scenes", *sorted(RUN_SCENES), "--parts", "arrivals", "scenes", "classification",
             "identical")
    records, table, _ = check.walls(*words)
    compared = [r for r in records if r["volume_change"] is None]  # on equal states, at two accuracies
    check.expect({r["epsilon_cg"] for r in compared} == {1e-3, 1e-12}, "accuracies of the comparison")
    check.expect({"ADMMVelStick", "ADMMDivStick", "IOPDivStick"} <= {r["method"] for r in compared}, "sticky agreement")
    for record in compared:
        check.expect(record.keys() == KEYS, f"comparison: keys differ in {sorted(record.keys() ^ KEYS)}")
    all_records, records = records, [r for r in records if r["volume_change"] is not None]
    for record in records:
        check_record(check, record)
    found = {(r["scene"], r["method"]) for r in records}
    check.expect(found == {(s, m) for s in RUN_SCENES for m in METHODS}, f"runs: {sorted(found)}")
    check.expect({r["classification"] for r in records} == {"velocity", "pressure", None}, "classifications")
    of_scenes = {"dam": "Table 4.1", "stair": "Table 4.5", "sphere": "Table 4.6"}
    for text in ("Table 4.3", "Section 4.3", "Fig. 4.15", "right wall", *(of_scenes[s] for s in RUN_SCENES if s in of_scenes)):
        check.expect(text in table, f"no '{text}' in the table")
    again, same_table, said = check.walls(*words)
    check.expect(again == all_records and same_table == table and said == "", f"it ran again: {said[:200]}")
    check.python("plot_walls", check.output)
    for picture in ("agreement.png", "classification.png", "residuals.png", "fields.png"):
        check.expect((check.output / picture).is_file(), f"no {picture}")


def check_divergences(check):
    """What the methods leave is within their thresholds, before the walls cut what flows into them."""
    limit = {"ADMMDivSep": 1e-2, "IOPDivSep": 1e-2, "IOPDivSepBC": 1e-2, "ADMMVelSep": 0.1}
    for path in check.output.glob("*/result.json"):
        result = json.loads(path.read_text())
        method = result["record"]["method"]
        left = result["projected_divergence"]
        check.expect(method == "OrigPSSep" or left <= limit.get(method, 1e-3), f"{path.parent.name}: divergence {left}")


def check_arrival(check):
    """The dam meets the right wall about when it does on 96 cells, step 37."""
    result = json.loads(next(check.output.glob("arrivals_dam_2d_*/result.json")).read_text())
    step = result["arrivals"].get("right wall", 0)
    check.expect(abs(step - 37) <= 6, f"the dam meets the wall at step {step}")  # a cell of 4 m is 1.4 steps' way


def check_agreement(check):
    """At high accuracy ADMM and IOP agree with the CG solve between sticky walls, and with each other elsewhere."""
    states = json.loads(next(check.output.glob("agreement_*.json")).read_text())
    check.expect(len(states) == STEPS // 10 - 1, f"{len(states)} states are compared")
    for state in states:
        order = [(s["method"], s["accuracy"]) for s in state["solutions"]]
        for a, b in (("OrigPS", "ADMMVelStick"), ("OrigPS", "IOPDivStick"), ("ADMMVelSep", "IOPDivSep")):
            apart = state["differences"][order.index((a, "high"))][order.index((b, "high"))]
            # thresholds of 1e-9, times what the slowest mode of the outer loop makes of them
            check.expect(0 < apart < 1e-6, f"step {state['step']}: {a} and {b} are {apart} m/s apart")


def check_rounds(check):
    """The rounds of the last compared state are those of its solutions; its fields are those of the matrix of differences."""
    states = json.loads(next(check.output.glob("agreement_*.json")).read_text())
    with_rounds = [state for state in states if "fields" in state]
    check.expect([state["step"] for state in with_rounds] == [(STEPS - 1) // 10 * 10], f"{len(with_rounds)} states have rounds")
    for state in with_rounds:
        order = [(s["method"], s["accuracy"]) for s in state["solutions"]]
        for s in state["solutions"]:
            loops = s["method"].startswith(("ADMM", "IOP"))
            check.expect(("rounds" in s) == loops, f"{s['method']}: rounds of a method without any, or none")
            check.expect(("iterations" in s) == s["method"].startswith("OrigPS"), f"{s['method']}: iterations of many solves, or none")
            if "iterations" in s:  # the solve stopped at the first iteration below the threshold
                goal, left = (1e-3 if s["accuracy"] == "low" else 1e-12) * (1 + 1e-12), s["iterations"]
                check.expect(len(left) == s["cg_iterations"] + 1 and left[-1] <= goal < min(left[:-1]), f"{s['method']}: {left}")
            if not loops:
                continue
            divergences, apart = s["rounds"]["divergence"], s["rounds"]["difference"]
            check.expect(len(divergences) == len(apart) == s["outer_iterations"], f"{s['method']}: {len(divergences)} rounds")
            check.expect(divergences[-1] == s["max_divergence"], f"{s['method']}: the last round left {divergences[-1]}")
            check.expect(all(r > 0 for r in apart) == s["method"].startswith("ADMM"), f"{s['method']}: differences {apart[:5]}")
            if "Div" in s["method"] and s["converged"]:  # it stopped at the first round below the threshold, and at no other
                goal = 1e-2 if s["accuracy"] == "low" else 1e-9
                check.expect(divergences[-1] <= goal < min(divergences[:-1], default=1), f"{s['method']}: {divergences}")
        for s in state["inverted"]:
            check.expect(s["outer_iterations"] <= 300 and s["accuracy"] == "inverted", f"inverted: {s['method']}")
        for method, fields in state["fields"].items():
            largest = max(abs(value) for axis in fields for row in axis for value in row)
            found = state["differences"][order.index((method, "low"))][order.index(("ADMMVelSep", "high"))]
            check.expect(abs(largest - found) <= 1e-12 + 1e-9 * found, f"{method}: the field has {largest}, the matrix {found}")


def check_deep(check):
    """3-D, all scenes, few steps."""
    records, _, _ = check.walls("--grid", GRID, "--steps", 10, "--dimensions", 3, "--scenes", *sorted(RUN_SCENES),
                                "--parts", "scenes", "--methods",
                                "OrigPS", "complementarity", "--ranks", 2)
    check.expect({(r["scene"], r["dimension"]) for r in records} == {(s, 3) for s in RUN_SCENES}, f"3-D: {records}")
    for record in records:
        check_record(check, record)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        check = Check(sys.argv[1], folder)
        check_inputs(check)
        check_flat(check)
        check_divergences(check)
        check_arrival(check)
        check_agreement(check)
        check_rounds(check)
        check_deep(check)
    print("\n".join(check.failures) or "the wall scenes are as they should be")
    return 1 if check.failures else 0


if __name__ == "__main__":
    sys.exit(main())
