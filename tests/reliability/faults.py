# SPDX-License-Identifier: Apache-2.0
"""Faults of disks, memory, files and numbers, each made for real: the run ends with a message and the right exit code, no
file that was good is damaged, and --restart auto goes on to the state of a run without the fault."""
import contextlib
import random
import shutil
import signal
import subprocess
import time

import checkpoints
from check import DONE, FILE_SYSTEM, INPUT, MEMORY, ROOT, SOLVER, Check, kill, last_words, rank_pids

CASE = ROOT / "tests" / "reliability" / "splash.toml"


@contextlib.contextmanager
def held(process):
    """The ranks of a run stand still."""
    pids = rank_pids(process)
    for pid in pids:
        kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            kill(pid, signal.SIGCONT)


class Faults:
    def __init__(self, check, program):
        self.check = check
        self.program = program
        self.references = {}

    def run(self, *words, ranks=2, **how):
        return self.check.run(CASE, *words, ranks=ranks, timeout=120, **{"program": self.program, **how})

    def reference(self, ranks):
        """The output of a run without a fault."""
        if ranks not in self.references:
            run = self.run(ranks=ranks, output=self.check.work / f"reference_{ranks}")
            assert run.code == DONE, last_words(run.err)
            self.references[ranks] = run.output
        return self.references[ranks]

    def judge(self, run, code, words):
        """What is wrong with how a run ended."""
        problems = [] if run.code == code else [f"exit code {run.code}, not {code}: {last_words(run.err)}"]
        problems += [f"no word of '{word}': {last_words(run.err, 2000)}" for word in words if word not in run.err + run.out]
        return problems + [f"{name} is damaged" for name in checkpoints.damaged(run.output)]

    def goes_on(self, output, ranks=2):
        """What is wrong after --restart auto."""
        run = self.run("--restart", "auto", ranks=ranks, output=output)
        return self.judge(run, DONE, []) or checkpoints.differences(output, self.reference(ranks))

    def record(self, tried, problems, happened, times=1):
        self.check.record(tried, times, "; ".join(problems) or happened, not problems)

    # ---------------------------------------------------------------------------------------------------------- disks
    def wait_for_checkpoint(self, process, n=1):
        while process.poll() is None and len(checkpoints.files(process.output)) < n:
            time.sleep(0.02)

    def full_disk(self):
        folder = self.check.work / "small_disk"
        folder.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=5m", "tmpfs", str(folder)], capture_output=True)
        if mounted.returncode != 0:
            return self.check.not_run("disk full", "no right to mount a small tmpfs")
        try:
            for ranks in (1, 2, 4):
                output = folder / "out"
                run = self.run("checkpoint.keep=100", ranks=ranks, output=output)
                problems = self.judge(run, FILE_SYSTEM, ["error:"])
                n = len(checkpoints.files(output))
                subprocess.run(["mount", "-o", "remount,size=200m", str(folder)], check=True)
                problems += self.goes_on(output, ranks)
                self.record(f"disk full on {ranks} ranks", problems,
                            f"exit 4 with {n} whole checkpoints; with room again it goes on to the same state")
                shutil.rmtree(output)
                subprocess.run(["mount", "-o", "remount,size=5m", str(folder)], check=True)
        finally:
            subprocess.run(["umount", "-l", str(folder)], check=False)

    @staticmethod
    def close(folder):
        """Make a folder read-only, for root too; False if that is not to be had here."""
        bind = subprocess.run(["mount", "--bind", str(folder), str(folder)], capture_output=True)
        if bind.returncode != 0:
            return False
        return subprocess.run(["mount", "-o", "remount,bind,ro", str(folder)], capture_output=True).returncode == 0

    @staticmethod
    def reopen(folder):
        subprocess.run(["umount", "-l", str(folder)], check=False, capture_output=True)

    def read_only(self):
        closed = self.check.work / "closed"
        closed.mkdir()
        if not self.close(closed):
            return self.check.not_run("read-only directory", "no right to mount a directory read-only")
        run = self.run(output=closed / "out")
        problems = self.judge(run, FILE_SYSTEM, ["Read-only"]) + (["something was written"] if any(closed.iterdir()) else [])
        self.reopen(closed)
        self.record("output directory in one that is read-only", problems, "exit 4, nothing written")
        for name in ("checkpoints", "snapshots"):
            process = self.check.start(CASE, ranks=2, output=self.check.work / f"no_{name}", program=self.program)
            self.wait_for_checkpoint(process)
            with held(process):  # the run takes a second or two, a mount as long on a busy machine
                self.close(process.output / name)
            run = self.check.end(process)
            problems = self.judge(run, FILE_SYSTEM, ["Read-only"])
            self.reopen(process.output / name)
            problems += self.goes_on(process.output)
            self.record(f"{name}/ turned read-only during a run", problems,
                        "exit 4, files whole; it goes on to the same state")

    def removed(self):
        for ranks in (1, 3):
            process = self.check.start(CASE, ranks=ranks, output=self.check.work / f"removed_{ranks}", program=self.program)
            self.wait_for_checkpoint(process, 2)
            with held(process):  # a file made meanwhile would keep its folder
                shutil.rmtree(process.output)
            run = self.check.end(process)
            self.record(f"output directory removed during a run on {ranks} ranks",
                        self.judge(run, FILE_SYSTEM, ["error:"]), f"exit 4: {last_words(run.err.split('error:')[-1], 90)}")

    # ---------------------------------------------------------------------------------------------------------- files
    def damaged_checkpoints(self, times):
        """The newest checkpoint is damaged; the run goes on from the one before."""
        n_ok, problems = 0, []
        for n in range(times):
            output = self.check.work / "damaged"
            shutil.rmtree(output, ignore_errors=True)
            shutil.copytree(self.reference(2), output)
            newest, before = checkpoints.files(output)[-1], checkpoints.files(output)[-2]
            what = checkpoints.cut(newest) if n % 4 == 0 else checkpoints.flip_a_bit(newest)
            run = self.run("--restart", "auto", output=output)
            wrong = self.judge(run, DONE, [f"skipped {newest}", f"from {before}"])
            wrong += checkpoints.differences(output, self.reference(2))
            problems += [f"{what}: {text}" for text in wrong]
            n_ok += not wrong
        self.record("newest checkpoint cut short or with a turned bit", problems,
                    f"{n_ok} times skipped with a message; the older one leads to the same state", times)

    def all_damaged(self):
        output = self.check.work / "all_damaged"
        shutil.copytree(self.reference(2), output)
        for path in checkpoints.files(output):
            checkpoints.flip_a_bit(path)
        table = (output / "steps.csv").read_bytes()
        run = self.run("--restart", "auto", output=output)
        problems = [] if run.code == FILE_SYSTEM and "none of the checkpoints" in run.err else [
            f"exit code {run.code}: {last_words(run.err)}"]
        problems += ["steps.csv was changed"] if (output / "steps.csv").read_bytes() != table else []
        self.record("every checkpoint damaged", problems, "exit 4, nothing changed")

    def damaged_files_by_info(self, times):
        problems = []
        for n in range(times):
            files = checkpoints.files(self.reference(2)) + checkpoints.files(self.reference(2), "snapshots")
            copy = self.check.work / "copy.h5"
            shutil.copy(random.choice(files), copy)
            what = checkpoints.cut(copy) if n % 4 == 0 else checkpoints.flip_a_bit(copy)
            info = subprocess.run([str(self.program), "info", str(copy)], capture_output=True, text=True)
            if info.returncode != FILE_SYSTEM or "error:" not in info.stderr:
                problems.append(f"{what}: exit code {info.returncode} {last_words(info.stderr)}")
        self.record("freshet info of damaged checkpoints and snapshots", problems, "exit 4 each time", times)

    def two_runs(self):
        process = self.check.start(CASE, ranks=2, output=self.check.work / "shared", program=self.program)
        self.wait_for_checkpoint(process)
        ranks = rank_pids(process, self.program)
        problems = [] if len(ranks) == 2 else ["the first run was over before the second began"]
        for pid in ranks:
            kill(pid, signal.SIGSTOP)
        for words in ([], ["--force"], ["--restart", "auto"]):
            run = self.run(*words, ranks=1, output=process.output)
            if run.code != INPUT or "run" not in run.err:
                problems.append(f"{words}: exit code {run.code}: {last_words(run.err)}")
        for pid in ranks:
            kill(pid, signal.SIGCONT)
        problems += self.judge(self.check.end(process), DONE, [])
        problems += checkpoints.differences(process.output, self.reference(2))
        self.record("a second run in the same directory", problems, "exit 2 each time; the first came to the same state", 3)

    # -------------------------------------------------------------------------------------------------------- numbers
    def wrong_numbers(self):
        faulty = self.program.parent.parent / "tests" / "faulty"
        for what, words in (("particle", ["id ", "velocity"]), ("face", ["phase pressure", "Tried 5 times", "cell ("])):
            for ranks in (1, 2, 4):
                output = self.check.work / f"nan_{what}_{ranks}"
                run = self.run(ranks=ranks, output=output, program=faulty, environment={"FAULT": f"{what}@20"})
                problems = self.judge(run, SOLVER, ["step 2", "rank ", *words])
                if not checkpoints.files(output / "failure", "snapshots"):
                    problems.append("no state of the failed step")
                problems += self.goes_on(output, ranks)
                self.record(f"velocity of a {what} turned NaN on {ranks} ranks", problems,
                            f"exit 3: {last_words(run.err.split('error:')[-1][:150], 150)}...; it goes on to the same state")

    def solver_at_one_iteration(self):
        output = self.check.work / "solver"
        first = self.run("run.max_steps=10", output=output)
        run = self.run("--restart", "auto", "pressure.max_iterations=1", "pressure.tolerance=1e-12", output=output)
        problems = self.judge(first, DONE, []) + self.judge(run, SOLVER, ["did not converge", "Tried 5 times"])
        self.record("solver told to stop at 1 iteration", problems, "exit 3 with a diagnosis, checkpoints whole")

    def memory(self):
        for ranks in (1, 2, 4):
            mib = 900 if ranks == 1 else 700
            run = self.check.run(ROOT / "tests" / "reliability" / "big.toml", ranks=ranks, output=self.check.work / "memory",
                                 program=self.program, prefix=["bash", "-c", f'ulimit -v {mib * 1024}; exec "$@"', "limited"])
            self.record(f"no more than {mib} MiB of memory on {ranks} ranks",
                        self.judge(run, MEMORY, ["out of memory", "(rank "]), "exit 5 with a message")


def main():
    check = Check(__doc__, options=[("--seed", {"type": int, "default": random.randrange(1 << 30)}),
                                    ("--only", {"nargs": "*", "help": "these methods of Faults"})])
    print(f"seed {check.options.seed}")
    random.seed(check.options.seed)
    build = check.build("test", "freshet", "faulty")
    faults = Faults(check, build / "src" / "freshet")
    tries = {"full_disk": (), "read_only": (), "removed": (), "damaged_checkpoints": (8 if check.quick else 200,),
             "all_damaged": (), "damaged_files_by_info": (60 if check.quick else 1000,), "two_runs": (),
             "wrong_numbers": (), "solver_at_one_iteration": (), "memory": ()}
    for name, arguments in tries.items():
        if not check.options.only or name in check.options.only:
            getattr(faults, name)(*arguments)
    check.finish()


if __name__ == "__main__":
    main()
