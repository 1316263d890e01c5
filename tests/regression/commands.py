# SPDX-License-Identifier: Apache-2.0
"""Command lines of freshet without a new process for each: to load the program and to start MPI takes longer than most
commands. A job of each number of ranks and threads waits, and carries out one after another by `_freshet.run_program`, which
is the program's main without its process.

    done = commands.run(program, ["check", "case.toml"], ranks=2, cwd=folder)     # as subprocess.run(..., text=True)

At night (FRESHET_NIGHTLY=ON), and where the compiled part of the Python package or mpi4py is missing, each command line is a
process of its own. Signals, limits and counts of a process are tested with processes of their own.
"""
import atexit
import importlib.machinery
import importlib.util
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

NIGHTLY = os.environ.get("FRESHET_NIGHTLY") == "ON"
OF_PYTHON = ("view", "top", "plot", "diff")  # commands that are Python scripts
LIMIT = 600.0  # [s] of a command
jobs = {}  # by program, ranks and threads


def package_of(program):
    """The folder of the Python package that was built with a program; None if it has no compiled part for this Python."""
    folder = Path(program).resolve().parents[1] / "python"
    names = ["freshet/_freshet" + suffix for suffix in importlib.machinery.EXTENSION_SUFFIXES]
    return folder if any((folder / name).is_file() for name in names) else None


def start_alone(program, words, ranks, threads, cwd, environment):
    launcher = ["mpirun", "-np", str(ranks)] if ranks > 1 else []
    return subprocess.run([*launcher, program, *words], env=dict(environment, OMP_NUM_THREADS=str(threads)), cwd=cwd, text=True,
                          stdin=subprocess.DEVNULL, capture_output=True, errors="replace", timeout=LIMIT, check=False)


def run(program, words, ranks=1, threads=1, cwd=None, environment=None):
    """The exit code, standard output and standard error of a command line of freshet, as a subprocess.CompletedProcess.
    `environment`: that of a job which is not there yet."""
    from check_bad_inputs import ENVIRONMENT  # which uses this module
    words = [str(word) for word in words]
    environment = environment or ENVIRONMENT
    can_wait = not NIGHTLY and package_of(program) and importlib.util.find_spec("mpi4py") and words[:1] != []
    if not can_wait or words[0] in OF_PYTHON:
        return start_alone(program, words, ranks, threads, cwd, environment)
    key = (str(program), ranks, threads)
    if key not in jobs or jobs[key].process.poll() is not None:
        jobs[key] = Job(program, ranks, threads, environment)
    return jobs[key].run(words, cwd)


class Job:
    """Ranks that wait for command lines: each reads them from a pipe of its own, and answers with its exit code."""

    def __init__(self, program, ranks, threads, environment):
        self.program, self.ranks = program, ranks
        self.folder = Path(tempfile.mkdtemp(prefix="freshet_job_"))
        atexit.register(self.close)
        names = [str(rank) for rank in range(ranks)] + ["answers"]
        for name in names:
            os.mkfifo(self.folder / name)
        self.pipes = [os.open(self.folder / name, os.O_RDWR) for name in names]
        # Under mpirun also one rank: processes that started MPI by themselves take each other's shared memory.
        launcher = ["mpirun", "-np", str(ranks)]
        settings = dict(environment, OMP_NUM_THREADS=str(threads), OMP_WAIT_POLICY="passive", OMPI_MCA_mpi_yield_when_idle="1",
                        TMPDIR=str(self.folder), PYTHONPATH=str(package_of(program)))
        with open(self.folder / "said", "w") as said:
            self.process = subprocess.Popen([*launcher, sys.executable, __file__, str(self.folder)], env=settings,
                                            stdin=subprocess.DEVNULL, stdout=said, stderr=said)

    def run(self, words, cwd):
        streams = [self.folder / name for name in ("stdout", "stderr")]
        for stream in streams:
            stream.write_bytes(b"")
        line = json.dumps([words, str(Path(cwd or os.getcwd()).resolve())]) + "\n"
        for pipe in self.pipes[:-1]:
            os.write(pipe, line.encode())
        code = self.wait_for_answers(words)
        out, err = (stream.read_text(encoding="utf-8", errors="replace") for stream in streams)
        if self.process.poll() is not None:
            err += (self.folder / "said").read_text(errors="replace")
        return subprocess.CompletedProcess([self.program, *words], code, out, err)

    def wait_for_answers(self, words):
        """The exit code of rank 0; of the whole job if it has ended."""
        answers, end = b"", time.monotonic() + LIMIT
        while answers.count(b"\n") < self.ranks:
            if select.select([self.pipes[-1]], [], [], 0.2)[0]:
                answers += os.read(self.pipes[-1], 4096)
            elif self.process.poll() is not None:
                return self.process.returncode
            elif time.monotonic() > end:
                self.process.kill()
                raise subprocess.TimeoutExpired(words, LIMIT)
        codes = dict(line.split() for line in answers.decode().splitlines())
        return int(codes["0"])

    def close(self):
        for pipe in self.pipes[:-1]:
            os.write(pipe, b"\n")
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
        for pipe in self.pipes:
            os.close(pipe)
        shutil.rmtree(self.folder)


def serve(folder):
    """Carry out command lines until an empty one comes."""
    from mpi4py import MPI  # which starts MPI, for all of them
    from freshet import _load
    compiled = _load("_freshet")
    rank = MPI.COMM_WORLD.Get_rank()
    own = [os.dup(1), os.dup(2)]
    with open(folder / str(rank), encoding="utf-8") as lines:
        for line in lines:
            if not line.strip():
                return
            words, cwd = json.loads(line)
            os.chdir(cwd)
            for number, name in ((1, "stdout"), (2, "stderr")):
                stream = os.open(folder / name, os.O_WRONLY | os.O_APPEND)
                os.dup2(stream, number)
                os.close(stream)
            code = compiled.run_program(["freshet", *words])
            for number, stream in enumerate(own):
                os.dup2(stream, number + 1)
            os.chdir("/")
            answers = os.open(folder / "answers", os.O_WRONLY)
            os.write(answers, f"{rank} {code}\n".encode())
            os.close(answers)


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
