#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The batch scripts of jobs/ do what they say, on a private Slurm of this machine that has two nodes: a run on one
node and on several, a chain of restarts, an array of cases, a scaling study. Without --quick the chain is also cut by its
time limit, for which Slurm's clocks need a minute or two.
"""
import json
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import slurm_machine
import state
from check import DONE, ROOT, Check, last_words
from slurm import LIMIT, SECONDS_BEFORE

ONE_NODE = ("--nodes=1", "--ntasks=2", "--cpus-per-task=1")
SHORT = ("run.max_steps=4", "output.interval=0")
CASE = "inputs/dam_break_2d.toml"


def log_of(project, job):
    return "".join(file.read_text(errors="replace") for file in project.glob(f"slurm-*-{job}.out"))


def record_of(output):
    """What run.json holds; empty while there is none."""
    try:
        return json.loads((output / "run.json").read_text())
    except (FileNotFoundError, json.JSONDecodeError):
        return {}


def one_run(check, slurm, project, program, script, options, case, nodes):
    """A job ends with the same bits as the run without Slurm."""
    job = slurm.command("sbatch", "--parsable", *options, "--cpus-per-task=1", script, *case, *state.OUTPUT, *SHORT, cwd=project)
    ended = slurm.wait_for_end(job, 60)
    name = Path(case[0] if case else "inputs/dam_break.toml").stem
    reference = check.run(f"inputs/{name}.toml", *state.OUTPUT, *SHORT, ranks=2, program=program,
                          output=check.work / f"reference_{name}")
    differences = ["no end"]
    if ended == "COMPLETED" and reference.code == DONE:
        differences = state.differences(project / "output" / name, reference.output)
    log = log_of(project, job)
    check.record(f"{script} on {nodes}", 1, f"{ended}, {'; '.join(differences[:2]) or 'the same bits as without Slurm'}"
                 f"{' ' + last_words(log) if differences else ''}", not differences and f"on {nodes}," in log)


def chain(check, slurm, project):
    """The first link is cut after its first steps, the second one goes on to the end, the third finds the run done. Rank 1 ends
    later than rank 0, so that srun kills it for rank 0's exit code 75."""
    late = project / "late.sh"
    late.write_text('#!/bin/bash\nbuild/release/src/freshet "$@"\ncode=$?\nsleep $((2 * SLURM_PROCID))\nexit $code\n')
    late.chmod(0o755)
    case = project / "chained.toml"
    case.write_text((ROOT / CASE).read_text())
    end = ("run.end_time=1.5", "output.interval=0")
    said = subprocess.run(["jobs/chain.sh", "3", *ONE_NODE, "--time=4", "chained.toml", *end], cwd=project,
                          env=slurm.environment | {"FRESHET": str(late)}, capture_output=True, text=True)
    jobs = [line.split()[-1] for line in said.stdout.splitlines()]
    if len(jobs) != 3:
        check.record("jobs/chain.sh", 1, f"no three jobs: {said.stdout} {said.stderr}", False)
        return
    output = project / "output" / "chained"
    for _ in range(100):
        if (output / "steps.csv").exists() and len((output / "steps.csv").read_text().splitlines()) > 3:
            break
        time.sleep(0.1)
    # what --signal=USR2@120 sends before the time limit
    slurm.command("scancel", "--signal=USR2", jobs[0])
    ended = [slurm.wait_for_end(job, 60) for job in jobs]
    run = record_of(output)
    check.record("jobs/chain.sh: a link that is cut, one that goes on, one that finds the run done", 3,
                 f"{', '.join(ended)}; run {run.get('status')} at {run.get('time')} s after {run.get('restarts')} restarts",
                 ended == 3 * ["COMPLETED"] and "the next link goes on" in log_of(project, jobs[0]) and run.get("status") == "done"
                 and run.get("restarts", 0) >= 1 and abs(run.get("time", 0.0) - 1.5) < 1e-9)


def chain_and_limit(check, slurm, project):
    """The time limit cuts a link; the next one goes on from its checkpoint."""
    case = project / "long.toml"
    case.write_text((ROOT / CASE).read_text())
    said = subprocess.run(["jobs/chain.sh", "2", *ONE_NODE, f"--time={LIMIT}", f"--signal=USR2@{SECONDS_BEFORE}", "long.toml",
                           "run.end_time=1000", "output.interval=0"], cwd=project, env=slurm.environment, capture_output=True,
                          text=True)
    jobs = [line.split()[-1] for line in said.stdout.splitlines()]
    ended = slurm.wait_for_end(jobs[0], 200)
    for _ in range(60):
        if "restart 1 from" in log_of(project, jobs[1]):
            break
        time.sleep(0.5)
    slurm.command("scancel", jobs[1])
    goes_on = "restart 1 from" in log_of(project, jobs[1])
    check.record("jobs/chain.sh: a link that its time limit cuts", 1, f"{ended}; the next link goes on: {goes_on}",
                 ended == "COMPLETED" and "the next link goes on" in log_of(project, jobs[0]) and goes_on)


def broken_chain(check, slurm, project):
    """A link that fails ends the chain: the next one does not run."""
    said = subprocess.run(["jobs/chain.sh", "2", *ONE_NODE, "chained.toml", "time.cfl=-1"], cwd=project,
                          env=slurm.environment, capture_output=True, text=True)
    jobs = [line.split()[-1] for line in said.stdout.splitlines()]
    ended = [slurm.wait_for_end(job, 60) for job in jobs]
    check.record("jobs/chain.sh with a mistake in a key", 2, ", ".join(ended), ended == ["FAILED", "CANCELLED"])


def array(check, slurm, project):
    (project / "three.txt").write_text(f"{CASE} run.max_steps=2\n{CASE} run.max_steps=3 time.cfl=0.5\n\n")
    return slurm.command("sbatch", "--parsable", "--array=1-3", *ONE_NODE, "jobs/array.sbatch", "three.txt", cwd=project)


def check_array(check, slurm, project, job):
    ended = [slurm.wait_for_end(f"{job}_{task}", 60) for task in (1, 2, 3)]
    steps = [record_of(project / "output" / "three" / str(task)).get("steps") for task in (1, 2)]
    check.record("jobs/array.sbatch: two cases and an empty line", 3, f"{', '.join(ended)}; {steps} steps",
                 ended == ["COMPLETED", "COMPLETED", "FAILED"] and steps == [2, 3])


def rank_fails(check, slurm, program):
    """A rank on which PETSc cannot start ends the others, also where srun itself would let them wait."""
    script = check.work / "rank.sh"
    script.write_text(f"""#!/usr/bin/env bash
[ "$SLURM_PROCID" = 2 ] && words="-- -check_pointer_intensity x"
exec {program} run {ROOT / CASE} {' '.join(SHORT)} --output-dir {check.work / "rank_fails"} $words
""")
    script.chmod(0o755)
    began = time.monotonic()
    try:
        done = subprocess.run(["srun", "--kill-on-bad-exit=0", "--ntasks=3", "--overcommit", "--time=2", str(script)],
                              env=slurm.environment, capture_output=True, text=True, timeout=60)
        happened = f"exit code {done.returncode} after {time.monotonic() - began:.0f} s"
        ok = done.returncode != 0 and "error: PETSc cannot start" in done.stderr and "(rank 2 of 3)" in done.stderr
        happened += "" if ok else f": {last_words(done.stderr)}"
    except subprocess.TimeoutExpired:
        happened, ok = "the other ranks were still there after 60 s", False
    check.record("a rank on which PETSc cannot start", 1, happened, ok)


def scaling(check, slurm, program):
    """Three runs of a study are submitted; the same command collects them and submits nothing again."""
    output = check.work / "scaling"
    command = ["bash", str(ROOT / "jobs" / "scaling.sh"), "strong", "--submit", "--sbatch=--time=5", "--quick", "--cells=16",
               "--ranks=1,2,4", f"--output={output}"]

    def call():
        done = subprocess.run(command, env=slurm.environment | {"FRESHET": str(program)}, capture_output=True, text=True)
        return done.stdout + done.stderr

    first = call()
    jobs = [file.read_text() for file in sorted(output.glob("*/job"))]
    ended = [slurm.wait_for_end(job, 60) for job in jobs]
    second = call()
    table = output / "strong.json"
    records = json.loads(table.read_text())["records"] if table.exists() else []
    found = [(r["ranks"], r["steps"]) for r in records]
    check.record("jobs/scaling.sh --submit, then the same command again", 2,
                 f"{', '.join(ended)}; collected {found} {'' if found else last_words(first + second)}",
                 first.count(": submitted") == 3 and ended == 3 * ["COMPLETED"] and second.count(": is there") == 3
                 and found == [(1, 6), (2, 6), (4, 6)])


def main():
    check = Check(__doc__)
    why = slurm_machine.why_not()
    if why:
        check.not_run("The batch scripts of jobs/", why)
        check.finish()
    program = check.program()
    project = slurm_machine.make_project(check, program)
    folder = tempfile.mkdtemp(prefix="freshet_slurm_")
    try:
        with slurm_machine.Slurm(folder, nodes=2) as slurm:
            check.record("Slurm with two nodes starts", 1, slurm.command("sinfo", "-h"), True)
            one_run(check, slurm, project, program, "jobs/dam_break.sbatch", ONE_NODE[:2], (), "n0")
            one_run(check, slurm, project, program, "jobs/many_nodes.sbatch", ("--nodes=2", "--ntasks-per-node=1"), (CASE,),
                    "n[0-1]")
            rank_fails(check, slurm, program)
            chain(check, slurm, project)
            broken_chain(check, slurm, project)
            check_array(check, slurm, project, array(check, slurm, project))
            scaling(check, slurm, program)
            if not check.quick:
                chain_and_limit(check, slurm, project)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    check.finish()


if __name__ == "__main__":
    main()
