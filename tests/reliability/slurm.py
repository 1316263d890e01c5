#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A Slurm job that its time limit cuts puts itself back into the queue until it is done, as jobs/dam_break.sbatch does;
its last state is that of a run without cuts, bit for bit. Slurm is a private one, on this machine alone.
"""
import shutil
import tempfile

import slurm_machine
import state
from check import DONE, Check, last_words

RANKS = 2


# Slurm looks at its clocks every half minute, and sends a signal up to that much too early; one that comes before the job's
# step has begun is lost. So of two minutes, this long before the end: 15 to 45 s after the start.
LIMIT = 2  # [minutes]
SECONDS_BEFORE = 75


def run_job(check, project, words, timeout):
    """Submit the job script with a short limit. Returns (job's state, what it printed)."""
    folder = tempfile.mkdtemp(prefix="freshet_slurm_")  # munge takes no folder that others may write to
    try:
        with slurm_machine.Slurm(folder) as slurm:
            job = slurm.command("sbatch", "--parsable", f"--ntasks={RANKS}", "--cpus-per-task=1", f"--time={LIMIT}",
                                f"--signal=USR2@{SECONDS_BEFORE}", "jobs/dam_break.sbatch", *words, cwd=project)
            status = slurm.wait_for_end(job, timeout)
            slurm.command("scancel", job)
        text = "".join(file.read_text(errors="replace") for file in project.glob("slurm-*.out"))
        (check.work / "job.log").write_text(text)
        return status, text
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def long_enough(check, program, end_time, seconds):
    """(words of the case, its run without cuts), the simulated time doubled until that takes so many seconds here."""
    while True:
        words = (*state.OUTPUT, "output.interval=0.1", f"run.end_time={end_time}")
        run = check.run("inputs/dam_break.toml", *words, ranks=RANKS, program=program, output=check.work / "reference")
        if run.code != DONE or run.seconds >= seconds:
            return words, run
        shutil.rmtree(check.work / "reference")
        end_time *= 2.0


def main():
    check = Check(__doc__)
    tried = "A job of jobs/dam_break.sbatch cut by its time limit goes on by itself to the same end"
    why = slurm_machine.why_not()
    if why:
        check.not_run(tried, why)
        check.finish()
    program = check.program()
    words, reference = long_enough(check, program, end_time=0.5 if check.quick else 2.0, seconds=60 if check.quick else 120)
    check.record("The same run without cuts", 1, f"exit code {reference.code} after {reference.seconds:.0f} s "
                 f"{last_words(reference.err)}", reference.code == DONE)
    project = slurm_machine.make_project(check, program)
    status, text = run_job(check, project, words, timeout=1800)
    n_starts = text.count("of at most")
    differences = []
    if status == "COMPLETED":
        differences = state.differences(project / "output" / "dam_break", check.work / "reference")
    happened = f"{n_starts} starts, {status}; last state: {'; '.join(differences[:3]) or 'the same bits'}"
    check.record(tried, n_starts, happened if status == "COMPLETED" else f"{happened}: {last_words(text)}",
                 status == "COMPLETED" and n_starts > 1 and not differences)
    check.finish()


if __name__ == "__main__":
    main()
