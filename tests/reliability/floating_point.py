#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Every case of inputs/ runs a few steps with traps for invalid operations, divisions by zero and overflows; so do the unit
and parallel tests, unless --quick.
"""
from check import DONE, ROOT, Check
from test_runs import first_finding, record_tests, targets

STEPS = 4
TESTS = r"^(unit[.]|parallel[.].*np2$)"


def main():
    check = Check(__doc__)
    build = check.configure("memcheck")  # a Debug build, so with traps
    tests = [] if check.quick else targets(build, TESTS)
    check.build("memcheck", "freshet", "unit_core", *tests)
    record_tests(check, "Traps end a program that divides by zero, overflows or computes with NaN", build,
                 "^unit[.]core$", {"OMP_NUM_THREADS": "2"})
    wrong = []
    cases = sorted((ROOT / "inputs").glob("*.toml" if check.quick else "**/*.toml"))
    for ranks in (2,) if check.quick else (1, 2):
        for case in cases:
            # per_axis 1: one particle a cell keeps the big cases small
            run = check.run(case, f"run.max_steps={STEPS}", "particles.per_axis=1", "output.interval=0", ranks=ranks,
                            threads=2 // ranks, program=build / "src" / "freshet", output=check.work / f"{case.stem}_{ranks}")
            if run.code != DONE:
                wrong.append(f"{case.name} on {ranks} ranks: exit code {run.code}: {first_finding(run.err)}")
    times = len(cases) * (1 if check.quick else 2)
    check.record(f"{STEPS} steps of each case of inputs/ with traps", times, "; ".join(wrong[:5]) or "nothing found",
                 bool(cases) and not wrong)
    if not check.quick:
        record_tests(check, "Unit tests and parallel tests on 2 ranks with traps", build, TESTS, {"OMP_NUM_THREADS": "2"})
    check.finish()


if __name__ == "__main__":
    main()
