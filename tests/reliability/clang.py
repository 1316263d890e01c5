#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Clang builds the Release program without a warning, also where it makes vectors of no marked loop, and its program gives the
same bits on 1, 2 and 4 ranks.
"""
import subprocess
import sys

from check import ROOT, BuildError, Check
from test_runs import missing


def main():
    check = Check(__doc__)
    why = missing("clang++")
    if why:
        check.not_run("Clang", why)
        check.finish()
    try:
        folder = check.build("release", "freshet", folder="clang", CMAKE_C_COMPILER="clang", CMAKE_CXX_COMPILER="clang++",
                             FRESHET_WERROR="ON", FRESHET_UNITY="ON")
        check.record("Warnings of clang, which are errors", 1, "none", True)
    except BuildError as error:
        check.record("Warnings of clang, which are errors", 1, error, False)
        check.finish()
    done = subprocess.run([sys.executable, str(ROOT / "tests/systems.py"), "run", str(folder / "src/freshet"),
                           str(check.work / "clang")], capture_output=True, text=True)
    check.record("A dam break of clang's program on 1, 2 and 4 ranks", 3, (done.stdout + done.stderr)[-400:], done.returncode == 0)
    check.finish()


if __name__ == "__main__":
    main()
