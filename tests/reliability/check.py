# SPDX-License-Identifier: Apache-2.0
"""What the checks of this folder share: options, builds, starting freshet, comparing runs, and the table of results.

A check is a script NAME.py in this folder, named in run.sh:

    check = Check(__doc__)                                  # --quick --work DIR --builds DIR, as run.sh gives them
    run = check.run("inputs/dam_break_2d.toml", "run.max_steps=20", ranks=2)
    check.record("20 steps on 2 ranks", times=1, happened=f"exit code {run.code}", ok=run.code == 0)
    check.finish()

Every row says what was tried, how often, what happened and whether that is right. What cannot be tried here is recorded
by not_run(): it does not count as passed.
"""
import argparse
import csv
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

ROOT = Path(__file__).resolve().parents[2]
RESULTS = "results.csv"
COLUMNS = ("check", "tried", "times", "happened", "verdict", "seconds")
OK, FAILED, NOT_RUN = "ok", "FAILED", "not run"
DONE, INPUT, SOLVER, FILE_SYSTEM, MEMORY, STOPPED_EARLY = 0, 2, 3, 4, 5, 75

sys.path.insert(1, str(ROOT / "jobs"))
from mpi_settings import mpi_settings  # noqa: E402

ENVIRONMENT = dict(os.environ, **mpi_settings(), OMP_WAIT_POLICY="passive", GTEST_COLOR="no")


class BuildError(Exception):
    """A build that did not work; the text says where its output is."""


class Check:
    """One check: its options, its own empty folder `work`, and its rows of the table."""

    def __init__(self, text, name=None, arguments=None, options=()):
        """`options`: more of them, as (flag, keywords of argparse's add_argument)."""
        self.name = name or Path(sys.argv[0]).stem
        parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
        parser.add_argument("--quick", action="store_true", help="what fits into minutes")
        parser.add_argument("--work", type=Path, default=ROOT / "output" / "reliability", help="folder for runs and results")
        parser.add_argument("--builds", type=Path, default=ROOT / "build", help="folder of the build directories")
        for flag, keywords in options:
            parser.add_argument(flag, **keywords)
        self.options = parser.parse_args(arguments)
        self.quick = self.options.quick
        self.results = self.options.work.resolve() / RESULTS
        self.work = self.options.work.resolve() / self.name
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)
        self.n_failed = 0
        self.since = time.monotonic()
        sys.excepthook = self._broke_off

    # ------------------------------------------------------------------------------------------------------- results
    def record(self, tried, times, happened, ok):
        """One row; `ok` is true or false. Its seconds are those since the row before."""
        self._write(tried, times, happened, OK if ok else FAILED)
        self.n_failed += not ok
        return ok

    def not_run(self, tried, why):
        self._write(tried, 0, why, NOT_RUN)

    def _write(self, tried, times, happened, verdict):
        now = time.monotonic()
        row = (self.name, tried, str(times), " ".join(str(happened).split()), verdict, f"{now - self.since:.1f}")
        self.since = now
        new = not self.results.exists()
        with open(self.results, "a", newline="") as file:
            writer = csv.writer(file)
            if new:
                writer.writerow(COLUMNS)
            writer.writerow(row)
        print(f"{verdict}: {self.name}: {tried} ({times} times): {row[3]}", flush=True)

    def _broke_off(self, kind, error, trace):
        self.record("the check itself", 1, f"broke off: {kind.__name__}: {error}", False)
        sys.__excepthook__(kind, error, trace)

    def finish(self):
        sys.exit(1 if self.n_failed else 0)

    # -------------------------------------------------------------------------------------------------------- builds
    def configure(self, preset, folder=None, **settings):
        """Configure a preset; `settings` are CMake variables. Returns the build directory, by default the preset's."""
        folder = self.options.builds.resolve() / (folder or preset)
        fresh = not (folder / "CMakeCache.txt").exists() and shutil.which("ninja")
        self._cmake(preset, ["--preset", preset, "-B", str(folder), *(f"-D{key}={value}" for key, value in settings.items())],
                    {"CMAKE_GENERATOR": "Ninja"} if fresh else {})
        return folder

    def build(self, preset, *targets, **settings):
        """Configure a preset and build targets (none: everything). Returns the build directory.

        Errors: BuildError with the end of what the build said.
        """
        folder = self.configure(preset, **settings)
        self._cmake(preset, ["--build", str(folder), "--parallel", str(os.cpu_count() or 1),
                             *(["--target", *targets] if targets else [])])
        return folder

    def _cmake(self, preset, words, environment=None):
        log = self.work / f"build_{preset}.log"
        with open(log, "a") as file:
            done = subprocess.run(["cmake", *words], cwd=ROOT, env=dict(ENVIRONMENT, **(environment or {})), stdout=file,
                                  stderr=file)
        if done.returncode != 0:
            raise BuildError(f"build of {preset} failed, see {log}: {log.read_text()[-400:]}")

    def program(self, preset=None, **settings):
        """Path of freshet, built if need be: by default Release; --quick takes that of the tests, which is there."""
        preset = preset or ("test" if self.quick else "release")
        return self.build(preset, "freshet", **settings) / "src" / "freshet"

    # ---------------------------------------------------------------------------------------------------------- runs
    def command(self, case, *words, ranks=1, output, program=None, prefix=()):
        """The words that start a run; `prefix` stands between the launcher and the program (valgrind)."""
        case = str(case if Path(case).is_absolute() else ROOT / case)
        return ["mpirun", "-np", str(ranks), *prefix, str(program or self.program()), "run", case, *words,
                "--output-dir", str(output)]

    def start(self, case, *words, ranks=1, threads=1, output=None, program=None, prefix=(), environment=None, **popen):
        """Start freshet under mpirun in a session of its own; returns the process, which knows its `output`."""
        output = Path(output or self.work / "out")
        settings = {**ENVIRONMENT, "OMP_NUM_THREADS": str(threads), **(environment or {})}
        process = subprocess.Popen(self.command(case, *words, ranks=ranks, output=output, program=program, prefix=prefix),
                                   env=settings, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   errors="replace", start_new_session=True, **popen)
        process.output = output
        process.started = time.monotonic()
        return process

    def end(self, process, timeout=600):
        """Wait for a process of start(). Returns code, out, err, seconds, output, left; code is None if it had to be killed,
        and `left` names the processes below it that were there then, with their states."""
        left = []
        try:
            out, err = process.communicate(timeout=timeout)
            code = process.returncode
        except subprocess.TimeoutExpired:
            pids = descendants(process.pid)
            left = [state_of(pid) for pid in pids]
            for pid in [*pids, process.pid]:
                kill(pid)
            out, err = process.communicate()
            code = None
        return SimpleNamespace(code=code, out=out, err=err, output=process.output, left=left,
                               seconds=time.monotonic() - process.started)

    def run(self, case, *words, timeout=600, **how):
        return self.end(self.start(case, *words, **how), timeout)


def kill(pid, signal=9):
    """True if there was such a process."""
    try:
        os.kill(pid, signal)
        return True
    except ProcessLookupError:
        return False


def descendants(pid):
    """Processes that a process started, and those that these started."""
    found = []
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                found += [int(child), *descendants(int(child))]
    except (FileNotFoundError, ProcessLookupError):
        pass  # it ended meanwhile
    return found


def state_of(pid):
    """Name, number and state of a process, for a message."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return f"{pid} that has ended"
    words = dict(line.split(":", 1) for line in lines)
    return f"{words['Name'].strip()} {pid} ({words['State'].strip()})"


def rank_pids(process, program="freshet"):
    """The ranks' processes below a launcher, in order of their start."""
    def name(pid):
        try:
            return Path(f"/proc/{pid}/comm").read_text().strip()
        except (FileNotFoundError, ProcessLookupError):
            return ""
    return sorted(pid for pid in descendants(process.pid) if name(pid) == Path(program).name[:15])


def last_words(text, length=200):
    """The end of what a program said, on one line."""
    return " ".join(text.split())[-length:]
