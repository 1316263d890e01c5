#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# timeout: 300
"""Where threads outnumber cores, idle ones sleep unless the user has chosen otherwise; any number of ranks starts by
jobs/mpi.sh and by analysis/launch.py, without a word from MPI. A run that shares its cores with other processes says so,
once, and gives the same bits.

usage: check_oversubscription.py BUILD_DIRECTORY
OMP_DISPLAY_ENV makes libgomp print its settings each time that a program is loaded; idle threads that sleep at once
have a spin count of 0.
"""
import contextlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
for name in [name for name in os.environ if name.startswith(("OMPI_", "PRTE_", "PMIX_"))]:
    del os.environ[name]  # those of ctest
sys.path.insert(1, str(ROOT / "analysis"))
from commands import NIGHTLY  # noqa: E402
from launch import launch, mpi_settings, n_cores  # noqa: E402

program = Path(sys.argv[1]).resolve() / "src" / "freshet"
environment = dict(os.environ, **mpi_settings(), OMP_DISPLAY_ENV="verbose")
for name in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME"):
    environment.pop(name, None)
cores = len(os.sched_getaffinity(0))


def loads(ranks, threads, **more):
    """How often a process was loaded, and how often of these with idle threads that sleep at once."""
    result = subprocess.run(["mpirun", "-n", str(ranks), str(program), "schema", "--json"], capture_output=True, text=True,
                            env=dict(environment, OMP_NUM_THREADS=str(threads), **more), timeout=120, check=True)
    lines = [line for line in result.stderr.splitlines() if "GOMP_SPINCOUNT" in line]
    return len(lines), sum("'0'" in line for line in lines)


@contextlib.contextmanager
def neighbours(busy):
    """A process that computes on each core while the block runs, if busy."""
    command = "import os\nos.sched_setaffinity(0, {%d})\nwhile True: pass"
    processes = [subprocess.Popen([sys.executable, "-c", command % core]) for core in os.sched_getaffinity(0) if busy]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def disturbed_run(ranks, threads, busy):
    """How often a run of a second or more speaks of its neighbours, and its particles' energies step by step."""
    with tempfile.TemporaryDirectory() as folder, neighbours(busy):
        words = ["run", str(ROOT / "inputs/benchmark_dam.toml"), "domain.cells=[32,32,32]", "domain.cell_size=0.03125",
                 "run.end_time=0.8", "run.reproducible=true", "output.interval=0", "--output-dir", folder + "/run"]
        subprocess.run(["mpirun", "-n", str(ranks), str(program), *words], check=True, capture_output=True, timeout=280,
                       env=dict(environment, OMP_NUM_THREADS=str(threads), OMP_DISPLAY_ENV="false"))
        with open(folder + "/run/steps.csv") as file:
            names, *rows = (line.rstrip("\n").split(",") for line in file)
        column = next(n for n, name in enumerate(names) if name.startswith("kinetic_energy"))
        log = Path(folder + "/run/log.txt").read_text()
        return log.count("other processes run on the cores"), [row[column] for row in rows]


def starts(words, settings):
    """Whether a case is checked on these ranks, and what else is said."""
    done = subprocess.run([*words, program, "check", ROOT / "inputs/dam_break_2d.toml"], capture_output=True, text=True,
                          cwd=ROOT, env=settings, timeout=120)
    return done.returncode == 0, done.stderr


failures = []
energies = disturbed_run(1, 1, False)[1]
for ranks, threads in ((2, 1), (1, 2)) if NIGHTLY else ((2, 1),):
    remarks, found = disturbed_run(ranks, threads, True)
    print(f"beside busy processes, {ranks} x {threads}: {remarks} remarks, {len(found)} steps")
    if remarks != 1 or found != energies:
        failures.append(f"{ranks} x {threads} beside busy processes")
for name, found, expected in (
        ("oversubscribed", loads(2, cores), (4, 2)),
        ("as the user says", loads(2, cores, OMP_WAIT_POLICY="active"), (2, 0)),
        ("one rank", loads(1, cores), (1, 0))):
    print(f"{name}: loaded {found[0]} times, {found[1]} of them with sleeping threads")
    if found != expected:
        failures.append(name)
many = 2 * n_cores() + 1
for ranks, threads in ((1, 1), (2, 1), (2, 2), (many, 1), (many, 2)) if NIGHTLY else ((2, 2),):
    found = starts(*launch(ranks, threads))
    print(f"launch.py: {ranks} x {threads}: {found}")
    if found != (True, ""):
        failures.append(f"{ranks} x {threads} by launch.py")
found = starts(["bash", "-c", '. jobs/mpi.sh && exec "$@"', "bash", "mpirun", "-np", str(many)], os.environ)
print(f"mpi.sh: {many} ranks: {found}")
if found != (True, ""):
    failures.append(f"{many} ranks by mpi.sh")
if failures:
    sys.exit(f"not as expected: {', '.join(failures)}")
