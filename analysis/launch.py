# SPDX-License-Identifier: Apache-2.0
"""Starts programs on ranks x threads of this machine for the benchmarks, and writes their records."""
import json
import os
import shutil
import sys
from pathlib import Path

from stoppable import exit_on_signals, run_stoppable

sys.path.insert(1, str(Path(__file__).resolve().parents[1] / "jobs"))
from mpi_settings import mpi_settings  # noqa: E402


def fail(message):
    """Ends a benchmark that is asked for what cannot be."""
    print(f"benchmark: {message}", file=sys.stderr)
    sys.exit(2)


def n_cores():
    """Cores that this process may use; the threads of a core count once, as for Open MPI."""
    found = set()
    for cpu in os.sched_getaffinity(0):
        try:
            found.add(Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list").read_text())
        except OSError:
            found.add(str(cpu))
    return len(found)


def launch(ranks, threads):
    """Words of the launcher's command line, and its environment, for ranks x threads: srun inside a Slurm allocation."""
    environment = dict(os.environ, OMP_NUM_THREADS=str(threads))
    if "SLURM_JOB_ID" in os.environ and shutil.which("srun"):
        environment.update(OMP_PLACES="cores", OMP_PROC_BIND="close")
        return ["srun", f"--ntasks={ranks}", f"--cpus-per-task={threads}", "--cpu-bind=cores"], environment
    environment.update(mpi_settings())
    if ranks * threads <= n_cores():  # no rank has to let others run
        environment["OMPI_MCA_mpi_yield_when_idle"] = os.environ.get("OMPI_MCA_mpi_yield_when_idle", "0")
    if threads == 1 and ranks <= n_cores():
        return ["mpirun", "-np", str(ranks), "--bind-to", "core"], environment
    if ranks == 1:  # places of several ranks would be the same cores
        environment.update(OMP_PLACES="cores", OMP_PROC_BIND="close")
    return ["mpirun", "-np", str(ranks), "--bind-to", "none"], environment


def finish(command, environment, script="benchmark", **options):
    """As subprocess.run() with the output captured as text, but a signal that ends the script ends the program first."""
    exit_on_signals(script + ": {name} ended it")
    return run_stoppable(command, env=environment, **options)


def run(command, ranks, threads):
    """Runs a program and returns its standard output. If it fails, prints its output and exits."""
    words, environment = launch(ranks, threads)
    if ranks * threads <= n_cores():
        environment["OMP_WAIT_POLICY"] = "active"  # as jobs/*.sbatch have it: threads that sleep between loops cost time
    done = finish(words + command, environment)
    if done.returncode != 0:
        said = (done.stdout + done.stderr)[-2000:]
        sys.exit(f"benchmark: {' '.join(words + command)} ended with {done.returncode}:\n{said}")
    return done.stdout


def add_json_options(parser):
    parser.add_argument("--json", metavar="FILE", help="write the records there")
    parser.add_argument("--directory", default=".", help="folder that a relative FILE is in")


def write_records(records, arguments):
    """Writes the records to the file of option --json, if it is given; its folder is made if need be."""
    if arguments.json:
        path = os.path.join(arguments.directory, arguments.json)
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "w") as file:
            json.dump(records, file, indent=1)
