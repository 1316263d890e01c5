#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Bad input: every fuzzer of tests/fuzz, each for some time from its corpus: case files, inputs of earlier runs, the seal
of a file, what a checkpoint holds. A crash, a hang, a leak, 2 GB, a report of a sanitizer or a broken property is found.
"""
import concurrent.futures
import os
import re
import subprocess

from check import ENVIRONMENT, ROOT, Check, last_words
from test_runs import missing

EXECUTIONS = re.compile(r"^fuzz_(\w+): (\d+|unknown) executions in \d+ s, corpus of (\d+) files$", re.MULTILINE)
FOUND = re.compile(r"^fuzz_(\w+): FOUND something:\n((?:(?!fuzz_).*\n?)*)", re.MULTILINE)
OPENMP = """echo '#include <omp.h>
int main() { return omp_get_max_threads() < 1; }' | clang++ -fopenmp -x c++ - -o /dev/null"""


def why_not():
    """Why no fuzzer can be built here; empty if one can."""
    absent = missing("clang++")
    if absent:
        return absent
    done = subprocess.run(["bash", "-c", OPENMP], capture_output=True, text=True)
    return "" if done.returncode == 0 else "clang++ has no OpenMP here"


def main():
    check = Check(__doc__, options=[("--seconds", {"type": int, "help": "for each fuzzer (default: 3600; 15 with --quick)"})])
    seconds = check.options.seconds or (15 if check.quick else 3600)
    subprocess.run([str(ROOT / "jobs" / "setup.sh"), "clang"], check=False)
    why = why_not()
    if why:
        check.not_run("Fuzzers", f"{why} (Debian: clang libomp-dev libclang-rt-dev)")
        check.finish()
    fuzzers = sorted(path.stem.removeprefix("fuzz_") for path in (ROOT / "tests" / "fuzz").glob("fuzz_*.cpp"))
    build = check.build("sanitize", "fuzzers")
    check.record("Build with libFuzzer, address and undefined-behaviour sanitizers", 1, "built", True)

    def run(name):
        return subprocess.run(["bash", str(ROOT / "tests" / "fuzz" / "run.sh"), "--seconds", str(seconds), name],
                              env=dict(ENVIRONMENT, BUILD_DIR=str(build), FUZZ_BUILT="1", OMP_NUM_THREADS="1"),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                              timeout=seconds + 1800)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:  # a fuzzer keeps one core busy
        outcomes = list(pool.map(run, fuzzers))
    for name, done in zip(fuzzers, outcomes):
        counted = EXECUTIONS.search(done.stdout)
        executions = int(counted[2]) if counted and counted[2].isdigit() else 0
        found = FOUND.search(done.stdout)
        if found:
            happened = f"found: {last_words(found[2], 300)}"
        elif executions:
            happened = f"nothing found; corpus of {counted[3]} files"
        else:
            happened = f"did not run: {last_words(done.stdout)}"
        check.record(f"Fuzzer of '{name}', {seconds} s: executions", executions, happened,
                     done.returncode == 0 and executions > 0 and not found)
    check.finish()


if __name__ == "__main__":
    main()
