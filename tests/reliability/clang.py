#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Clang builds the Release program, the tests and the benchmarks without a warning, also where it makes vectors of no marked
loop; its program gives the same bits on 1, 2 and 4 ranks, and the day's tests of its code on 1, 2 and 3 ranks pass. --quick: the
program alone.
"""
import subprocess
import sys

from check import ROOT, BuildError, Check
from test_runs import missing, record_tests

UNIT = r"^unit[.]"
ON_RANKS = r"^(parallel|verification)[.].*[.]np[123]$"


def main():
    check = Check(__doc__)
    why = missing("clang++")
    if why:
        check.not_run("Clang", why)
        check.finish()
    targets = ["freshet"] if check.quick else []
    warnings = f"Warnings of clang in {'the program' if check.quick else 'program, tests and benchmarks'}, which are errors"
    try:
        folder = check.build("release", *targets, folder="clang", CMAKE_C_COMPILER="clang", CMAKE_CXX_COMPILER="clang++",
                             FRESHET_WERROR="ON", FRESHET_UNITY="ON")
        check.record(warnings, 1, "none", True)
    except BuildError as error:
        check.record(warnings, 1, error, False)
        check.finish()
    done = subprocess.run([sys.executable, str(ROOT / "tests/systems.py"), "run", str(folder / "src/freshet"),
                           str(check.work / "clang")], capture_output=True, text=True)
    check.record("A dam break of clang's program on 1, 2 and 4 ranks", 3, (done.stdout + done.stderr)[-400:], done.returncode == 0)
    if not check.quick:
        record_tests(check, "Unit tests of clang's code, 2 threads", folder, UNIT, {"OMP_NUM_THREADS": "2"})
        record_tests(check, "Tests of the day of clang's code on 1, 2 and 3 ranks", folder, ON_RANKS, {"OMP_NUM_THREADS": "1"},
                     left_out="nightly")
    check.finish()


if __name__ == "__main__":
    main()
