#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The address and undefined-behaviour sanitizers: random mixtures of features on 2 ranks, as check_mixtures.py of
tests/regression makes them from new seeds; then the unit tests, and the parallel tests on 2 ranks. --quick: mixtures alone.

The build also lists memory and MPI handles that the program loses (tests/support/leak_check.cpp, handle_check.cpp), and
the fuzzers share it. Floating-point traps are for floating_point.py.
"""
import random
import sys

from check import DONE, ROOT, Check
from test_runs import build_probe, first_finding, record_probes, record_tests, targets

sys.path.insert(1, str(ROOT / "tests" / "regression"))
from check_mixtures import Mixture  # noqa: E402

ENVIRONMENT = {"LSAN_OPTIONS": "print_suppressions=0", "UBSAN_OPTIONS": "print_stacktrace=1", "OMP_NUM_THREADS": "2"}
FLAGS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer",
         "-Wl,--export-dynamic-symbol=dlclose"]
FAULTS = {"read": "heap-buffer-overflow", "leak": "detected memory leaks", "integer": "signed integer overflow",
          "communicator": "a communicator was never given back", "datatype": "a datatype was never given back",
          "request": "a request was never given back", "wait": "a request was never given back"}
UNIT = r"^unit[.]"
PARALLEL = r"^parallel[.].*np2$"
N_MIXTURES = 6
TO_STEP = 8


def mixtures(check, program):
    """Run mixtures of features with new seeds, which the row of the table names."""
    wrong = []
    seeds = [random.SystemRandom().randrange(10 ** 6) for _ in range(N_MIXTURES)]
    for seed in seeds:
        case = check.work / f"mixture_{seed}.toml"
        case.write_text(Mixture(seed).text())
        run = check.run(case, f"run.max_steps={TO_STEP}", ranks=2, environment=ENVIRONMENT, program=program,
                        output=check.work / f"mixture_{seed}")
        if run.code != DONE:
            wrong.append(f"seed {seed}: exit code {run.code}: {first_finding(run.out + run.err)}")
    check.record(f"{TO_STEP} steps of mixtures of features on 2 ranks, seeds {' '.join(map(str, seeds))}", len(seeds),
                 "; ".join(wrong) or "nothing found", not wrong)


def main():
    check = Check(__doc__)
    support = ROOT / "tests" / "support"
    probe = build_probe(check, "probe", "clang++", FLAGS, [support / "leak_check.cpp", support / "handle_check.cpp"])
    record_probes(check, "Address, undefined-behaviour, leak and handle checks", ["mpirun", "-np", "2", str(probe)],
                  FAULTS, ENVIRONMENT)
    build = check.configure("sanitize")
    tests = [] if check.quick else targets(build, f"{UNIT}|{PARALLEL}")
    check.build("sanitize", "freshet", *tests)
    check.record("Build with sanitizers", 1, "built", True)
    mixtures(check, build / "src" / "freshet")
    if not check.quick:
        record_tests(check, "Unit tests, 2 threads", build, UNIT, ENVIRONMENT)
        record_tests(check, "Parallel tests, 2 ranks", build, PARALLEL, dict(ENVIRONMENT, OMP_NUM_THREADS="1"))
    check.finish()


if __name__ == "__main__":
    main()
