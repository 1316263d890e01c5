#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails if tests/reported_cases.md names a test that is not there: a file below tests/, or a name that the file before it does not
define as a test of GoogleTest or as a function of Python. First it shows on made-up trees that it finds both.
"""
import re

from made_up_trees import prove, run_check

PAGE = "tests/reported_cases.md"
TESTS_OF_ROW = 2  # the column "test"; tables without it need none


def check(root):
    """The problems of the page, and how many tests it names."""
    problems, count = [], 0
    header = None  # of the table that a line belongs to
    for number, line in enumerate((root / PAGE).read_text(encoding="utf-8").splitlines(), 1):
        if not line.startswith("|"):
            header = None
            continue
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if header is None:
            header = cells
            continue
        if header[TESTS_OF_ROW] != "test" or set(line) <= set("|-"):
            continue
        names = re.findall(r"`([^`]+)`", cells[TESTS_OF_ROW])
        if not names:
            problems.append(f"{PAGE}:{number}: a case without a test")
        file = None
        for name in names:
            if "." in name:
                file = root / "tests" / name
                if not file.is_file():
                    problems.append(f"{PAGE}:{number}: there is no tests/{name}")
                continue
            count += 1
            text = file.read_text(encoding="utf-8") if file and file.is_file() else ""
            if re.fullmatch(r"\w+", name) and not re.search(rf"TEST(?:_P|_F)?\(\w+, {name}\)|def {name}\(", text):
                problems.append(f"{PAGE}:{number}: no test {name} in {file and file.name}")
    return problems, count


def self_test():
    row = "| case | before | test | now |\n|---|---|---|---|\n| it fell | 1 m | {} | 0 m |\n"
    file = {"tests/unit/test_a.cpp": "TEST(Fall, ends) {\n", "tests/regression/check_b.py": "def check_c(d):\n"}
    good = "`unit/test_a.cpp` `ends`; `regression/check_b.py` `check_c`"
    prove(check, {PAGE: row.format(good), **file}, {
        "there is no tests/unit/test_b.cpp": {PAGE: row.format("`unit/test_b.cpp`"), **file},
        "no test begins in test_a.cpp": {PAGE: row.format("`unit/test_a.cpp` `begins`"), **file},
        "no test check_e in check_b.py": {PAGE: row.format("`regression/check_b.py` `check_e`"), **file},
        "a case without a test": {PAGE: row.format("none"), **file}})


if __name__ == "__main__":
    self_test()
    run_check(check, "{} tests of the page of reported cases are there")
