# SPDX-License-Identifier: Apache-2.0
"""How the benchmarks start a program on ranks x threads of this machine, and keep their records."""
import json
import os
import subprocess
import sys


def launch(ranks, threads):
    """The launcher's words and environment for ranks x threads on this machine."""
    environment = dict(os.environ, OMP_NUM_THREADS=str(threads))
    if threads > 1:
        # one rank's threads on several cores: Open MPI would bind them all to one
        environment.update(OMP_PLACES="cores", OMP_PROC_BIND="close")
        return ["mpirun", "-np", str(ranks), "--bind-to", "none"], environment
    if ranks > (os.cpu_count() or 1):
        environment["OMPI_MCA_rmaps_base_oversubscribe"] = "1"
        return ["mpirun", "-np", str(ranks)], environment
    return ["mpirun", "-np", str(ranks), "--bind-to", "core"], environment


def run(command, ranks, threads):
    """Run a program; return its standard output, or end with what it said."""
    words, environment = launch(ranks, threads)
    done = subprocess.run(words + command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        said = (done.stdout + done.stderr)[-2000:]
        sys.exit(f"benchmark: {' '.join(words + command)} ended with {done.returncode}:\n{said}")
    return done.stdout


def add_json_options(parser):
    parser.add_argument("--json", metavar="FILE", help="write the records there")
    parser.add_argument("--directory", default=".", help="where a relative FILE belongs")


def write_records(records, arguments):
    """Into the file that add_json_options() asked for, if any."""
    if arguments.json:
        with open(os.path.join(arguments.directory, arguments.json), "w") as file:
            json.dump(records, file, indent=1)
