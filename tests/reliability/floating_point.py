#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Every case of inputs/ runs a few steps with traps for invalid operations, divisions by zero and overflows."""
from check import DONE, ROOT, Check
from test_runs import first_finding, record_tests

STEPS = 4


def main():
    check = Check(__doc__)
    build = check.build("sanitize", "freshet", "unit_core_floating_point")  # a Debug build: its unit and parallel tests run in sanitizers.py
    record_tests(check, "Traps end a program that divides by zero, overflows or computes with NaN", build,
                 "^unit[.]core[.]floating_point$", {"OMP_NUM_THREADS": "2"})
    wrong = []
    cases = sorted((ROOT / "inputs").glob("*.toml" if check.quick else "**/*.toml"))
    for ranks in (2,) if check.quick else (1, 2):
        for case in cases:
            # per_axis 1: one particle a cell keeps the big cases small
            run = check.run(case, f"run.max_steps={STEPS}", "particles.per_axis=1", "output.interval=0", ranks=ranks,
                            threads=2 // ranks, program=build / "src" / "freshet", output=check.work / f"{case.stem}_{ranks}",
                            environment={"ASAN_OPTIONS": "detect_leaks=0"})
            if run.code != DONE:
                wrong.append(f"{case.name} on {ranks} ranks: exit code {run.code}: {first_finding(run.err)}")
    times = len(cases) * (1 if check.quick else 2)
    check.record(f"{STEPS} steps of each case of inputs/ with traps", times, "; ".join(wrong[:5]) or "nothing found",
                 bool(cases) and not wrong)
    check.finish()


if __name__ == "__main__":
    main()
