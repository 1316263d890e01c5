#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Print the seconds of CPU of the tests that ctest ran, the dearest first, and name those over the limit that
tests/support/dear_tests.txt does not list with a reason.

usage: list_seconds.py BUILD_DIRECTORY [--strict]
  --strict   exit code 1 if one of them takes twice the limit: machines differ by as much
"""
import sys
from pathlib import Path

LIMIT = 15.0  # [s of CPU]
SHOWN = 25


def seconds_of(file):
    """(seconds of CPU, seconds of the clock) that tests/support/seconds.sh wrote; the last line is its own."""
    user, system, clock = (float(word) for word in file.read_text().splitlines()[-1].split())
    return user + system, clock


def reasons(file):
    """{pattern of a test's name: why it may take long}; a pattern ends with * where it stands for all that begin so."""
    lines = [line.split(None, 1) for line in file.read_text().splitlines() if line and not line.startswith("#")]
    return {name: why for name, why in lines}


def has_reason(name, listed):
    return any(name == pattern or pattern.endswith("*") and name.startswith(pattern[:-1]) for pattern in listed)


def main():
    build = Path(sys.argv[1])
    listed = reasons(Path(__file__).resolve().parent / "dear_tests.txt")
    ran = sorted(((seconds_of(file), file.name) for file in (build / "seconds").glob("*") if file.read_text()), reverse=True)
    cpu = sum(seconds for (seconds, _), _ in ran)
    clock = sum(seconds for (_, seconds), _ in ran)
    print(f"\n{len(ran)} tests took {cpu:.0f} s of CPU, {clock:.0f} s if one ran after the other; the dearest:")
    for (seconds, waited), name in ran[:SHOWN]:
        print(f"  {seconds:7.1f} s of CPU  {waited:7.1f} s  {name}")
    without = [name for (seconds, _), name in ran if seconds > LIMIT and not has_reason(name, listed)]
    for name in without:
        print(f"{name} takes more than {LIMIT:.0f} s of CPU: make it faster, leave part of it to the night, or give the reason in "
              "tests/support/dear_tests.txt")
    is_far_above = any(seconds > 2.0 * LIMIT and name in without for (seconds, _), name in ran)
    sys.exit(1 if is_far_above and "--strict" in sys.argv[2:] else 0)


if __name__ == "__main__":
    main()
