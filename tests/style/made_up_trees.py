# SPDX-License-Identifier: Apache-2.0
"""What the checks of a tree share: proof on made-up trees that each rule finds its fault, and the run on the real one.

A check is a function of a tree's root that returns its problems, as texts, and how many things it has looked at.
"""
import sys
import tempfile
from pathlib import Path


def prove(check, clean, faults):
    """End the program unless `check` finds nothing in a clean tree, and just the fault in each other one.

    clean: name of a file -> its text.  faults: part of the expected problem -> the files of the tree that has it.
    """
    for expected, files in [(None, clean), *faults.items()]:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                file = Path(folder) / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")
            problems, _ = check(Path(folder))
        wanted = 0 if expected is None else 1
        if len(problems) != wanted or (wanted == 1 and expected not in problems[0]):
            sys.exit(f"{Path(sys.argv[0]).name}, testing itself: expected {expected!r}, found {problems}")


def run_check(check, all_is_well):
    """Check the tree that the command line names, or this one; print the problems, or how many things are well. Exits."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]
    problems, count = check(root)
    print("\n".join(problems) if problems else all_is_well.format(count))
    sys.exit(1 if problems else 0)
