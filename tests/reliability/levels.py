#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The tests of the day, compiled for each level of x86-64: plain (no fused products), x86-64-v3 (AVX2, fused products) and
x86-64-v4 (AVX-512). A result that hangs on whether a product is fused, or on the width of registers, fails at one of them.
The program of a level that this processor lacks is built and searched for approximate instructions, and its tests are not run.
--quick: unit tests only.
"""
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

from check import ENVIRONMENT, ROOT, BuildError, Check, last_words
from test_runs import targets

LEVELS = {"x86-64": (), "x86-64-v3": ("avx2", "fma", "bmi1", "bmi2"),
          "x86-64-v4": ("avx2", "fma", "bmi1", "bmi2", "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl")}
LEFT_OUT = "nightly|style|install|performance"  # labels: those of the night, and those that look at no result
UNITS = "^unit[.]"


def flags_here():
    """Names of the processor's instruction sets."""
    line = next(line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("flags"))
    return set(line.split())


def record_tests(check, level, build):
    """Run the tests of the day of a build by ctest, and record the outcome."""
    log = check.work / f"tests_{level}.log"
    chosen = ["-R", UNITS] if check.quick else ["-LE", LEFT_OUT]
    with open(log, "w") as file:
        code = subprocess.run(["ctest", "--test-dir", str(build), "-j", str(os.cpu_count() or 1), "--output-on-failure",
                               "--no-tests=error", *chosen], stdout=file, stderr=file, env=ENVIRONMENT).returncode
    text = log.read_text(errors="replace")
    counts = re.search(r"(\d+) tests failed out of (\d+)", text)
    failed = re.findall(r"^\s+\d+ - (\S+) \((?!Skipped)", text.partition("tests FAILED:")[2], re.MULTILINE)
    check.record(f"Tests of the day for {level}", int(counts[2]) if counts else 0,
                 f"{' '.join(failed)} fail, see {log}" if failed else counts[0] if counts else last_words(text), code == 0 and counts)


def check_level(check, level, is_here):
    what = f"Warnings, which are errors, for {level}"
    options = {"folder": f"level_{level}", "FRESHET_NATIVE": "OFF", "FRESHET_DISPATCH": "OFF", "FRESHET_ARCH": level,
               "FRESHET_WERROR": "ON", "FRESHET_UNITY": "ON"}
    try:
        build = check.configure("test", **options)
        wanted = ["freshet"] if not is_here else ["freshet", *targets(build, UNITS)] if check.quick else []
        check.build("test", *wanted, **options)
        check.record(what, 1, "none", True)
    except BuildError as error:
        check.record(what, 1, error, False)
        return
    done = subprocess.run([sys.executable, str(ROOT / "tests/regression/check_instructions.py"), str(build)], capture_output=True,
                          text=True)
    check.record(f"Approximate instructions in programs for {level}", 1, last_words(done.stdout + done.stderr), done.returncode == 0)
    if is_here:
        record_tests(check, level, build)
    else:
        check.not_run(f"Tests of the day for {level}", "this processor lacks it")


def main():
    check = Check(__doc__, options=[("--level", {"choices": LEVELS, "help": "this one alone"})])
    if platform.machine() != "x86_64":
        check.not_run("Levels of x86-64", f"this is {platform.machine()}")
        check.finish()
    here = flags_here()
    for level, needs in LEVELS.items():
        if check.options.level in (None, level):
            check_level(check, level, here.issuperset(needs))
    check.finish()


if __name__ == "__main__":
    main()
