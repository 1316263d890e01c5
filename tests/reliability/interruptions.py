# SPDX-License-Identifier: Apache-2.0
"""Runs that are cut at random moments, by signals and by kill -9, and gone on with until they are done: the end state is
that of a run that nobody disturbed, bit for bit."""
import random
import re
import signal
import time
from pathlib import Path

import checkpoints
from check import DONE, FILE_SYSTEM, INPUT, ROOT, SOLVER, STOPPED_EARLY, Check, kill, last_words, rank_pids

CASES = {1: "scene.toml", 2: "splash.toml", 4: "scene.toml"}  # by ranks


def case_of(ranks):
    return ROOT / "tests" / "reliability" / CASES[ranks]


class Interrupted:
    """A run of the case that is started again and again in one directory until it is done."""

    def __init__(self, check, program, ranks, name):
        self.check, self.program, self.ranks = check, program, ranks
        self.output = check.work / name
        self.problems = []

    def start(self):
        return self.check.start(case_of(self.ranks), "--restart", "auto", ranks=self.ranks, output=self.output, program=self.program)

    def finish(self, reference):
        run = self.check.end(self.start())
        if run.code != DONE:
            self.problems.append(f"the last restart ended with {run.code}: {last_words(run.err)}")
        else:
            self.problems += checkpoints.differences(self.output, reference)
        self.look_at_files()
        return self.problems

    def look_at_files(self):
        self.problems += [f"{name} is damaged" for name in checkpoints.damaged(self.output)]


def reference_run(check, program, ranks):
    """The undisturbed run, and the seconds it took."""
    output = check.work / f"reference_{ranks}"
    run = check.run(case_of(ranks), ranks=ranks, output=output, program=program)
    check.record(f"undisturbed run on {ranks} ranks", 1, f"exit code {run.code} {last_words(run.err)}", run.code == DONE)
    return output, run.seconds


def wait_until_caught(process, program, ranks, number):
    """Until every rank has a handler for the signal: before its main() nothing can."""
    def catches(pid):
        try:
            status = Path(f"/proc/{pid}/status").read_text()
        except (FileNotFoundError, ProcessLookupError):
            return False
        return int(re.search(r"SigCgt:\s*(\w+)", status)[1], 16) >> (number - 1) & 1
    while process.poll() is None:
        pids = rank_pids(process, program)
        if len(pids) == ranks and all(catches(pid) for pid in pids):
            return
        time.sleep(0.01)


def signals(check, program, ranks, reference, seconds, number, times):
    """The signal goes to mpirun. USR1 and USR2 are passed on to the ranks; at TERM and INT mpirun ends the ranks itself,
    after a second, and the exit code is its own. When the ranks are done, mpirun lets go of its handlers before it ends:
    a signal in that moment ends mpirun, after a run that came to its end."""
    run = Interrupted(check, program, ranks, f"{number.name}_{ranks}")
    sent = stopped = done = 0
    while sent < times:
        process = run.start()
        wait_until_caught(process, program, ranks, number)
        time.sleep(random.uniform(0.0, seconds))
        sent += kill(process.pid, number)
        if number == signal.SIGUSR1 and process.poll() is None:  # it goes on; so may further ones come
            time.sleep(random.uniform(0.0, 0.3))
            kill(process.pid, number)
        ended = check.end(process)
        stopped += ended.code == STOPPED_EARLY
        if ended.code is None or ended.code in (INPUT, SOLVER, FILE_SYSTEM):
            run.problems.append(f"exit code {ended.code}: {last_words(ended.err)}")
        if ended.code in (DONE, -number):  # the signal came too late, or asked for no end: begin anew
            done += 1
            run.problems += checkpoints.differences(run.output, reference)
            run = run if run.problems else Interrupted(check, program, ranks, f"{number.name}_{ranks}_{done}")
        elif ended.code != STOPPED_EARLY and number in (signal.SIGUSR1, signal.SIGUSR2):
            run.problems.append(f"exit code {ended.code}: {last_words(ended.err)}")
        if run.problems:
            break
    problems = run.finish(reference)
    check.record(f"{number.name} to mpirun on {ranks} ranks", sent,
                 "; ".join(problems) or f"{stopped} ended with 75, {sent - stopped - done} by mpirun, {done} came to the end; the last state is the same",
                 not problems)


def kills(check, program, ranks, reference, seconds, times):
    """A rank is killed once all of them are in main(): mpirun 4.1 may wait for ever if one dies while it starts the others
    ("process rank 1 with PID 0")."""
    run = Interrupted(check, program, ranks, f"kill_{ranks}")
    hit = rounds = 0
    while hit < times and not run.problems:
        process = run.start()
        wait_until_caught(process, program, ranks, signal.SIGTERM)
        time.sleep(random.uniform(0.0, 0.3 + seconds))
        pids = rank_pids(process, program)
        if pids:
            hit += kill(random.choice(pids))
        ended = check.end(process)
        if ended.code is None or ended.code in (INPUT, SOLVER, FILE_SYSTEM):
            run.problems.append(f"exit code {ended.code}, left {ended.left}: {last_words(ended.err)}")
        run.look_at_files()
        if ended.code == DONE:
            rounds += 1
            run.problems += checkpoints.differences(run.output, reference)
            run = run if run.problems else Interrupted(check, program, ranks, f"kill_{ranks}_{rounds}")
    problems = run.finish(reference)
    check.record(f"kill -9 of one of {ranks} ranks", hit,
                 "; ".join(problems) or f"no file damaged; {rounds + 1} runs finished with the same state", not problems)


def main():
    check = Check(__doc__, options=[("--kills", {"type": int, "help": "how many (default: 100, quick: 6)"}),
                                    ("--seed", {"type": int, "default": random.randrange(1 << 30)})])
    print(f"seed {check.options.seed}")
    random.seed(check.options.seed)
    program = check.program("test")
    n_kills = check.options.kills or (6 if check.quick else 100)
    for ranks in (1, 2, 4):
        reference, seconds = reference_run(check, program, ranks)
        for number in (signal.SIGUSR2, signal.SIGUSR1, signal.SIGTERM, signal.SIGINT):
            if check.quick and ranks != 2 and number != signal.SIGUSR2:
                continue
            signals(check, program, ranks, reference, seconds, number, 2 if check.quick else 10)
        kills(check, program, ranks, reference, seconds, -(-n_kills * ranks // 7))
    check.finish()


if __name__ == "__main__":
    main()
