#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The checks of .clang-tidy on every source of src/. --quick: on at most six of those that the last day's commits changed,
those with the most changed lines first.
"""
import collections
import concurrent.futures
import json
import os
import re
import subprocess
from pathlib import Path

from check import ROOT, Check
from test_runs import missing

MOST = 6  # sources of --quick
VERSION = "14"  # whose checks .clang-tidy chooses from; later versions have more below the same names


def git(*words):
    return subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=True).stdout


def changed():
    """Sources that commits of the day before the last commit changed, those with the most changed lines first."""
    day_before = int(git("log", "-1", "--format=%ct")) - 24 * 3600
    lines = collections.Counter()
    for row in git("log", f"--since=@{day_before}", "--numstat", "--no-renames", "--format=", "--", "src").splitlines():
        added, removed, name = row.split("\t")
        if added != "-":
            lines[name] += int(added) + int(removed)
    return [ROOT / name for name, _ in lines.most_common()]


def tidy(folder, file):
    done = subprocess.run(["clang-tidy", "-quiet", "-p", str(folder), str(file)], capture_output=True, text=True)
    found = re.findall(r"^\S+: (?:warning|error): .*", done.stdout, re.MULTILINE)
    return found or ([f"{file}: clang-tidy ended with {done.returncode}"] if done.returncode != 0 else [])


def other_version():
    """Why this clang-tidy is not the one whose checks the sources keep to; empty if it is."""
    said = subprocess.run(["clang-tidy", "--version"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"version (\d+)", said).group(1)
    return "" if found == VERSION else f"clang-tidy {found} is here, and .clang-tidy is for version {VERSION}"


def main():
    check = Check(__doc__)
    why = missing("clang-tidy", "clang++", "git") or other_version()
    if why:
        check.not_run("The checks of .clang-tidy", why)
        check.finish()
    # clang's own flags for each source by itself; nothing is built
    folder = check.configure("tsan", folder="tidy", FRESHET_UNITY="OFF", FRESHET_PRECOMPILE="OFF")
    commands = {Path(entry["file"]) for entry in json.loads((folder / "compile_commands.json").read_text())}
    known = {file for file in commands if ROOT / "src" in file.parents}
    files = [file for file in changed() if file in known][:MOST] if check.quick else sorted(known)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        found = sorted({line for lines in pool.map(lambda file: tidy(folder, file), files) for line in lines})
    for line in found:
        print(line)
    check.record("The checks of .clang-tidy", len(files), "; ".join(found[:5]) or "nothing found",
                 (bool(files) or check.quick) and not found)
    check.finish()


if __name__ == "__main__":
    main()
