#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Data races between threads: clang's thread sanitizer, to which clang's OpenMP tells who waits for whom (Archer).

Short runs with 4 threads, which meet every threaded kernel; unit tests with 4 threads, and parallel tests on 1 rank x 4
threads and 2 ranks x 2. --quick: the runs alone, whose program is built without the tests.
"""
import subprocess
from pathlib import Path

from check import DONE, Check
from mpi_settings import mpi_choice
from test_runs import build_probe, first_finding, missing, record_probes, record_tests

# code that was built without the sanitizer (MPI, PETSc) is not looked into
ENVIRONMENT = {"TSAN_OPTIONS": "ignore_noninstrumented_modules=1 exitcode=66", "OMP_NUM_THREADS": "4",
               **mpi_choice("at_any_address")}
CASES = (("inputs/dam_break_2d.toml", "domain.cells=[128,104]", "domain.cell_size=0.0078125"),
         ("inputs/dam_break_obstacle.toml", "particles.per_axis=1"),
         ("tests/reliability/soak.toml", "particles.distribution.enabled=true", "transfer.method=apic"),
         ("inputs/mesh_figure.toml", "particles.per_axis=1", "pressure.preconditioner=mic0"))


def archer():
    """The library of clang's that tells the sanitizer what OpenMP does. OpenMP of clang 19 does not find it by itself."""
    done = subprocess.run(["clang++", "-print-resource-dir"], capture_output=True, text=True, check=True)
    return Path(done.stdout.strip()).parents[1] / "libarcher.so"


def main():
    check = Check(__doc__)
    why = missing("clang++", "mpicxx") or missing(archer())
    if why:
        check.not_run("Race check of the threaded kernels", f"{why} (Debian: clang libomp-dev libclang-rt-dev)")
        check.finish()
    ENVIRONMENT["OMP_TOOL_LIBRARIES"] = str(archer())
    probe = build_probe(check, "probe", "clang++", ["-fsanitize=thread"])
    record_probes(check, "Race check", ["mpirun", "-np", "2", str(probe)], {"race": "data race"}, ENVIRONMENT)
    build = check.build("tsan", *(["freshet"] if check.quick else []))
    check.record("Build with the thread sanitizer", 1, "built", True)
    for number, (case, *words) in enumerate(CASES):
        run = check.run(case, *words, "run.max_steps=3", "output.interval=0", threads=4, environment=ENVIRONMENT,
                        program=build / "src" / "freshet", output=check.work / f"out_{number}")
        check.record(f"3 steps of {case}, 4 threads", 1, "nothing found" if run.code == DONE else
                     f"exit code {run.code}: {first_finding(run.err)}", run.code == DONE)
    if not check.quick:
        record_tests(check, "Unit tests, 4 threads", build, "^unit[.]", ENVIRONMENT)
        record_tests(check, "Parallel tests, 1 rank, 4 threads", build, "^parallel[.].*np1$", ENVIRONMENT)
        record_tests(check, "Parallel tests, 2 ranks, 2 threads", build, "^parallel[.].*np2$",
                     dict(ENVIRONMENT, OMP_NUM_THREADS="2"))
    check.finish()


if __name__ == "__main__":
    main()
