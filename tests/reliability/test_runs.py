# SPDX-License-Identifier: Apache-2.0
"""Tests and small programs, run by a tool in an environment of its own."""
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

from check import ENVIRONMENT, ROOT, BuildError, last_words

PROBE = ROOT / "tests" / "reliability" / "probe.cpp"


def named(build, pattern):
    """The tests of a build directory whose names match `pattern`, as ctest describes them."""
    done = subprocess.run(["ctest", "--test-dir", str(build), "--show-only=json-v1", "-R", pattern],
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["tests"]


def program_of(words):
    """The program of a test or of its source, kind_module, as tests/CMakeLists.txt names it."""
    return "_".join(words[:2])


def targets(build, pattern):
    """The programs of these unit and parallel tests."""
    return sorted({program_of(test["name"].split(".")) for test in named(build, pattern)})


def listed(build, pattern, left_out=None):
    """These tests, built, without those of the label `left_out`: [(name, command, seconds they may take)]."""
    found = []
    for test in named(build, pattern):
        properties = {item["name"]: item["value"] for item in test["properties"]}
        if left_out in properties.get("LABELS", ()):
            continue
        found.append((test["name"], test["command"], float(properties.get("TIMEOUT", 300))))
    return found


def run_one(command, environment, timeout):
    """(exit code, everything it said); code None if it took too long."""
    try:
        done = subprocess.run(command, env=dict(ENVIRONMENT, **environment), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", timeout=timeout)
        return done.returncode, done.stdout
    except subprocess.TimeoutExpired as error:
        return None, (error.stdout or b"").decode("utf-8", "replace")


def run_tests(tests, environment, logs, slower=4):
    """Run tests, two at a time; what they said goes to files in `logs`. Returns {name: what is wrong} of those that fail.

    A tool makes a test take up to `slower` times as long.
    """
    Path(logs).mkdir(parents=True, exist_ok=True)

    def run(test):
        name, command, timeout = test
        code, text = run_one(command, environment, timeout * slower)
        (Path(logs) / f"{name}.log").write_text(text)
        return name, "" if code == 0 else f"exit code {code}: {first_finding(text)}"

    with concurrent.futures.ThreadPoolExecutor(max(1, (os.cpu_count() or 1))) as pool:
        return {name: wrong for name, wrong in pool.map(run, tests) if wrong}


FINDING = re.compile(r"(runtime error:.*|SUMMARY: .*|ERROR: MPI handles.*|ERROR: AddressSanitizer.*|\[  FAILED  \] .*)")


def first_finding(text):
    """The line of a log that says most; its end if none does."""
    found = FINDING.search(text)
    return found.group(1) if found else last_words(text)


def record_tests(check, tried, build, pattern, environment, left_out=None, **how):
    """Run the tests that match `pattern`, without those of the label `left_out`, and record the outcome as one row."""
    tests = listed(build, pattern, left_out)
    failures = run_tests(tests, environment, check.work / "logs", **how)
    happened = "; ".join(f"{name}: {wrong}" for name, wrong in list(failures.items())[:5])
    more = f"; and {len(failures) - 5} more" if len(failures) > 5 else ""
    check.record(tried, len(tests), f"{len(failures)} fail: {happened}{more}" if failures else "nothing found",
                 bool(tests) and not failures)


def build_probe(check, name, compiler, flags, sources=()):
    """Compile probe.cpp; `compiler` is what mpicxx calls. Returns the program."""
    program = check.work / name
    done = subprocess.run(["mpicxx", "-std=c++20", "-g", "-O1", "-fopenmp", "-DOMPI_SKIP_MPICXX", *flags, str(PROBE),
                           *map(str, sources), "-o", str(program)],
                          env=dict(os.environ, OMPI_CXX=compiler), capture_output=True, text=True)
    if done.returncode != 0:
        raise BuildError(f"{PROBE.name} does not compile: {last_words(done.stderr)}")
    return program


def record_probes(check, tool, command, faults, environment):
    """Show that a tool sees each fault in probe.cpp, and nothing in the program without one.

    `command`: words before the fault's name; `faults`: {fault: what the tool must say}.
    """
    missed = []
    code, text = run_one([*command, "none"], environment, 120)
    if code != 0:
        missed.append(f"false alarm: {first_finding(text)}")
    for fault, words in faults.items():
        code, text = run_one([*command, fault], environment, 120)
        if code == 0 or words not in text:
            missed.append(f"does not see '{fault}' (exit code {code}: {last_words(text, 100)})")
    check.record(f"{tool} on a program with one mistake on purpose: {', '.join(faults)}; and without", len(faults) + 1,
                 "; ".join(missed) or "every mistake seen, no false alarm", not missed)


def missing(*programs):
    """Why a tool cannot run here; empty if it can."""
    absent = [program for program in programs if not shutil.which(program) and not Path(program).exists()]
    return f"no {', '.join(absent)} here" if absent else ""
