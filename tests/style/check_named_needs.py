#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each Python test names in its line `# needs:` the packages that it cannot be imported without, its own modules' imports
included: where one is missing, the test is skipped by name and does not fail.

usage: check_named_needs.py [FOLDER_OF_TESTS]
"""
import ast
import sys
from pathlib import Path

TESTS = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[1]
ROOT = Path(__file__).resolve().parents[2]
HERE = [ROOT / "analysis", ROOT / "analysis/houdini", ROOT / "jobs", ROOT / "jobs/site", *(path for path in TESTS.iterdir() if path.is_dir())]  # folders that tests import from

NOT_PACKAGES = ("freshet", "hou")  # built here; made up by the test of Houdini's scripts


def imports_of(body):
    """Names of the modules that these statements import when the file is; not those inside functions or of a `try`."""
    for node in body:
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module
        elif isinstance(node, (ast.If, ast.With)):
            yield from imports_of(node.body)


def packages_of(file, known):
    """Packages from outside of Python and of this tree that the file needs to be imported."""
    if file in known:
        return known[file]
    known[file] = set()  # modules that import each other
    for name in imports_of(ast.parse(file.read_text()).body):
        own = next(filter(Path.is_file, (folder / f"{name.partition('.')[0]}.py" for folder in (file.parent, *HERE))), None)
        if own is not None:
            known[file] |= packages_of(own, known)
        elif (top := name.partition(".")[0]) not in sys.stdlib_module_names and top not in NOT_PACKAGES:
            known[file].add(top)
    return known[file]


def needs_of(file):
    """What the line `# needs:` of a test names."""
    lines = (line for line in file.read_text().splitlines() if line.startswith("# needs:"))
    return {word.removeprefix("python:") for word in next(lines, "# needs:").split()[2:]}


def main():
    known, problems = {}, []
    tests = sorted(TESTS.glob("*/check_*.py"))
    for test in tests:
        missing = packages_of(test, known) - needs_of(test)
        if missing:
            problems.append(f"{test}: its line '# needs:' lacks {' '.join(f'python:{name}' for name in sorted(missing))}")
    print("\n".join(problems) or f"{len(tests)} tests name the packages that they need")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
