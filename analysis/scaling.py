#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Strong and weak scaling: makes the runs of a study, starts them or submits them to Slurm, and collects their times.

In a strong study every run has the same liquid. In a weak study the case is what one rank gets: the domain and its boxes
of liquid grow with the ranks. Each run has a folder DIR/RANKSxTHREADS. A run that is finished there is not run again, so
the same command resumes a study that was cut, and collects what Slurm has finished since. Signals that end the script
(SIGINT, SIGTERM, SIGHUP) end its run first.

The time of a step is the median over all steps but the first two. Speed-up and efficiency compare particles a second
with those of the run on the fewest cores.
"""
import argparse
import csv
import fcntl
import json
import math
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import tomllib
from pathlib import Path

from benchmark import read_steps
from launch import launch
from stoppable import exit_on_signals, run_stoppable

ROOT = Path(__file__).resolve().parents[1]
DAM = "inputs/benchmark_dam.toml"
QUIET_OUTPUT = ["output.interval=0", "output.particles=[]", "output.xdmf=false", "checkpoint.wall_interval=0"]
WARM_UP = 2  # steps that build what later steps keep
WORKS = ("reductions", "collectives", "exchanges", "messages", "bytes")
NOT_STEPS = ("start", "output", "checkpoint")
COLUMNS = (  # name in the records and in the .csv file, head in the .md file, format there
    ("ranks", "ranks", "d"), ("threads", "threads", "d"), ("particles", "particles", "d"),
    ("seconds_per_step", "s a step", ".4g"), ("lower_quartile", None, ""), ("upper_quartile", None, ""),
    ("ns_per_particle_step", "ns a particle", ".1f"), ("speed_up", "speed-up", ".2f"), ("efficiency", "efficiency", ".3f"),
    ("imbalance", "imbalance", ".3f"), ("iterations", "iterations", ".1f"), ("steps", None, ""), ("cores", None, ""),
    ("liquid_cells", None, ""), ("reductions", "reductions a step", ".1f"), ("collectives", "other collectives", ".1f"),
    ("exchanges", "exchanges", ".1f"), ("messages", "messages a rank", ".1f"), ("max_messages", None, ""),
    ("bytes", "bytes a rank", ".3g"), ("max_bytes", None, ""), ("memory_per_rank", "memory a rank [B]", ".3g"),
    ("memory_largest_rank", None, ""))
FLAGS = ("--submit", "--local", "--collect", "--quick")  # none of them is an option of sbatch
BAD_INPUT = 2


def fail(message):
    print(f"scaling: {message}", file=sys.stderr)
    sys.exit(BAD_INPUT)


# ------------------------------------------------------------------------------------------------------------- the cases
def read_case(path):
    """The tables of a case file, which has domain.cells."""
    try:
        table = tomllib.loads(path.read_text())
    except OSError as error:
        fail(f"{path} cannot be read ({error.strerror}). Give a case file with --case")
    except ValueError as error:  # no TOML, or no UTF-8
        fail(f"{path} is not a case file ({error}). Correct it, or give another with --case")
    domain = table.get("domain")
    cells = domain.get("cells") if isinstance(domain, dict) else None
    if not isinstance(cells, list) or not cells or not all(isinstance(n, int) and n > 0 for n in cells):
        fail(f"{path} does not say how many cells its domain has. Set cells in its table [domain], as in cells = [64, 64, 64]")
    return table


def growth(ranks, cells):
    """Whole factors of the domain along each axis, their product the number of ranks; the domain stays as cubic as it can."""
    factors = [1] * len(cells)
    primes, rest, prime = [], ranks, 2
    while rest > 1:
        while rest % prime == 0:
            primes.append(prime)
            rest //= prime
        prime += 1
    for prime in reversed(primes):
        shortest = min(reversed(range(len(cells))), key=lambda d: cells[d] * factors[d])
        factors[shortest] *= prime
    return factors


def grown(case, table, cells, factors):
    """Overrides that multiply the domain and its boxes of liquid by factors."""
    domain = table["domain"]
    origin = domain.get("origin", [0.0] * len(cells))
    liquids = table.get("liquid", [])
    if any(liquid.get("shape") != "box" for liquid in liquids) or any(key in table for key in ("solid", "source", "sink")):
        fail(f"{case} cannot grow with the ranks (only boxes of liquid in an empty domain can). "
             "Choose another case, or study strong scaling")
    if not all("lower" in liquid and "upper" in liquid for liquid in liquids):
        fail(f"{case} has a box of liquid without lower or upper. Set both corners")
    words = [f"domain.cells={[n * f for n, f in zip(cells, factors)]}"]
    for i, liquid in enumerate(liquids):
        for side in ("lower", "upper"):
            corner = [o + (x - o) * f for x, o, f in zip(liquid[side], origin, factors)]
            words.append(f"liquid.{i}.{side}={corner}")
    return words


def words_of(arguments, ranks):
    """What follows `freshet run` for a number of ranks."""
    case = arguments.case or DAM
    cells = arguments.table["domain"]["cells"]
    words = [case, f"run.max_steps={arguments.steps}"]
    if not arguments.case:
        n = arguments.cells or {("strong", False): 128, ("weak", False): 64}.get((arguments.kind, arguments.quick), 32)
        cells = [n, n, n]
        words.append(f"domain.cell_size={1.0 / n!r}")
    if arguments.kind == "weak":
        words += grown(case, arguments.table, cells, growth(ranks, cells))
    elif not arguments.case:
        words.append(f"domain.cells={cells}")
    return [word.replace(" ", "") for word in words] + QUIET_OUTPUT + arguments.words


# -------------------------------------------------------------------------------------------------------------- the runs
def read_json(path):
    """What a file of JSON holds; nothing, {}, if there is no such file or a run that was cut left a part of it."""
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return {}


def is_finished(folder, words):
    """Whether the folder holds a finished run of these words."""
    return (read_json(folder / "words.json") == words and read_json(folder / "run" / "run.json").get("status") == "done"
            and "phases" in read_json(folder / "run" / "timers.json") and (folder / "run" / "steps.csv").exists())


def owner_of_lock(folder):
    """Which process a run that still writes to the folder is; None if there is no such run. See DirectoryLock in src/driver."""
    try:
        with open(folder / "run" / "run.lock", "r+") as file:
            owner = file.readline().strip()  # "process 17 on host"
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return owner or "it does not say who"
            except OSError:  # this file system has no locks
                return owner if is_process_here(owner) else None
    except (OSError, ValueError):
        pass
    return None


def is_process_here(owner):
    """Whether "process 17 on host" is a process of this machine."""
    _, number, _, host = (owner.split() + 4 * [""])[:4]
    return host == os.uname().nodename and Path("/proc", number, "stat").exists()


def check_runs(arguments, layouts):
    """Refuses to start a run anew that still writes to its folder, as one does whose script was killed."""
    for ranks, threads in layouts:
        folder = arguments.output / f"{ranks}x{threads}"
        if is_finished(folder, words_of(arguments, ranks)):
            continue
        owner = owner_of_lock(folder)
        if owner and not is_queued(folder):
            fail(f"a run still works in {folder} ({owner}). Wait for it, end it, or choose another --output")


def is_queued(folder):
    """Whether Slurm still has the job of this folder."""
    job = folder / "job"
    if not job.exists():
        return False
    shown = subprocess.run(["squeue", "-h", "-o", "%T", "-j", job.read_text()], capture_output=True, text=True)
    return shown.returncode == 0 and shown.stdout.strip() != ""


def check_slurm(arguments, layouts):
    """Refuses what needs a command of Slurm that is not on this machine, before anything starts."""
    missing = [folder for ranks, threads in layouts
               if not is_finished(folder := arguments.output / f"{ranks}x{threads}", words_of(arguments, ranks))]
    jobs = [folder / "job" for folder in missing if (folder / "job").exists()]
    if jobs and shutil.which("squeue") is None:
        fail(f"there is no squeue here to ask whether job {jobs[0].read_text().strip()} is done (see {jobs[0]}). "
             "Run this where Slurm is, give --collect, or remove that file")
    if missing and arguments.submit and shutil.which("sbatch") is None:
        fail("there is no sbatch here. Run this where Slurm is, or leave out --submit")


def check_output(output):
    """Refuses a folder that cannot be made, because it or a folder above it is a file."""
    nearest = next(path for path in (output, *output.parents) if path.exists())
    if not nearest.is_dir():
        fail(f"{nearest} is a file, not a folder. Choose another --output")


def prepare(folder, words):
    try:
        if folder.exists():
            shutil.rmtree(folder)
        folder.mkdir(parents=True)
        (folder / "words.json").write_text(json.dumps(words))
    except OSError as error:
        fail(f"{folder} cannot be made anew ({error.strerror}). Remove what is there, or choose another --output")


def run_here(arguments, folder, words, ranks, threads):
    """Runs a case on this machine, or inside the Slurm allocation that the script itself runs in."""
    with open(folder / "lscpu.txt", "w") as file:
        subprocess.run(["lscpu"], stdout=file, check=False)
    launcher, environment = launch(ranks, threads)
    command = [*launcher, arguments.program, "run", *words, "--output-dir", str(folder / "run")]
    done = run_stoppable(command, cwd=ROOT, env=environment)
    if done.returncode != 0:
        print(f"scaling: {shlex.join(command)} ended with {done.returncode}: {(done.stdout + done.stderr)[-1000:]}",
              file=sys.stderr)
    return done.returncode == 0


def submit(arguments, folder, words, ranks, threads):
    """Submits a case to Slurm; its job's number stands in the file `job` of the folder."""
    command = ["sbatch", "--parsable", f"--ntasks={ranks}", f"--cpus-per-task={threads}",
               f"--job-name=scaling_{arguments.kind}_{ranks}x{threads}", f"--output={folder}/slurm-%j.out",
               *arguments.sbatch, "jobs/scaling.sbatch", arguments.program, str(folder), *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        print(f"scaling: {shlex.join(command)} ended with {done.returncode}: {done.stderr.strip()}", file=sys.stderr)
        return False
    (folder / "job").write_text(done.stdout.strip().split(";")[0])
    return True


def start_missing(arguments, layouts):
    """Starts what is not there; the number of runs that failed or could not be submitted."""
    check_slurm(arguments, layouts)
    check_runs(arguments, layouts)
    failed = 0
    for ranks, threads in layouts:
        folder = arguments.output / f"{ranks}x{threads}"
        words = words_of(arguments, ranks)
        name = f"{arguments.kind} {ranks} x {threads}"
        if is_finished(folder, words):
            print(f"{name}: is there", flush=True)
        elif is_queued(folder):
            print(f"{name}: job {(folder / 'job').read_text()} is not done", flush=True)
        else:
            prepare(folder, words)
            start = submit if arguments.submit else run_here
            fine = start(arguments, folder, words, ranks, threads)
            failed += not fine
            print(f"{name}: {('submitted' if arguments.submit else 'done') if fine else 'FAILED'}", flush=True)
    return failed


# ----------------------------------------------------------------------------------------------------------- the results
def read_record(folder):
    """The record of a finished run."""
    timers = read_json(folder / "run" / "timers.json")
    steps = read_steps(folder / "run" / "steps.csv")
    n = len(steps["seconds"])
    late = slice(min(WARM_UP, n - 1), n)
    seconds = sorted(steps["seconds"][late])
    phases = [phase for phase in timers["phases"] if phase["name"] not in NOT_STEPS]
    median = statistics.median(seconds)
    particles = statistics.mean(steps["particles"][late])
    record = {
        "ranks": timers["ranks"], "threads": timers["threads"], "cores": timers["ranks"] * timers["threads"],
        "steps": timers["steps"], "particles": round(particles),
        "liquid_cells": round(statistics.mean(steps["liquid_cells"][late])),
        "seconds_per_step": median, "lower_quartile": seconds[len(seconds) // 4],
        "upper_quartile": seconds[(3 * len(seconds)) // 4], "ns_per_particle_step": 1e9 * median / particles,
        "imbalance": statistics.mean(steps["imbalance"][late]), "iterations": statistics.mean(steps["iterations"][late]),
        "memory_per_rank": timers["memory"]["total"] / timers["ranks"],
        "memory_largest_rank": timers["memory"]["largest_rank"],
        "phases": {phase["name"]: phase["avg"] / timers["steps"] for phase in phases},
        "slowest": {phase["name"]: phase["max"] / timers["steps"] for phase in phases},
    }
    for work in WORKS:
        record[work] = sum(phase[work] for phase in phases) / timers["steps"]
        record["max_" + work] = sum(phase["max_" + work] for phase in phases) / timers["steps"]
    return record


def compare(records):
    """Adds speed-up and efficiency to records in the order of their cores."""
    records.sort(key=lambda record: (record["cores"], record["threads"]))
    for record in records:
        rate = record["particles"] / record["seconds_per_step"]
        first = records[0]["particles"] / records[0]["seconds_per_step"]
        record["speed_up"] = records[0]["cores"] * rate / first
        record["efficiency"] = record["speed_up"] / record["cores"]


def environment_of(folders):
    """What the runs were made with: {name: value}; several values if the runs differ."""
    found = {}
    for folder in folders:
        run = read_json(folder / "run" / "run.json")
        pairs = [(key, run.get(key)) for key in ("commit", "compiler", "flags", "MPI", "PETSc", "PETSc integers")]
        lines = (folder / "lscpu.txt").read_text().splitlines() if (folder / "lscpu.txt").exists() else []
        machine = dict(map(str.strip, line.split(":", 1)) for line in lines if ":" in line)
        pairs += [(key, machine.get(name)) for key, name in (("processor", "Model name"), ("CPUs a node", "CPU(s)"),
                                                             ("threads a core", "Thread(s) per core"))]
        for key, value in pairs:
            if value and str(value) not in found.setdefault(key, []):
                found[key].append(str(value))
    return {key: ", ".join(values) for key, values in found.items()}


def markdown(arguments, study):
    """The study as text: environment, table, seconds by phase."""
    records = study["records"]
    lines = [f"# {arguments.kind.capitalize()} scaling of {study['case']}", "",
             f"`{study['command']}`", "", "| | |", "|---|---|"]
    lines += [f"| {key} | {value} |" for key, value in study["environment"].items()]
    heads = [(key, head, form) for key, head, form in COLUMNS if head]
    lines += ["", "| " + " | ".join(head for _, head, _ in heads) + " |", "|---" * len(heads) + "|"]
    lines += ["| " + " | ".join(format(r[key], form) for key, _, form in heads) + " |" for r in records]
    names = list(dict.fromkeys(name for r in records for name in r["phases"]))
    lines += ["", "Milliseconds a step by phase, mean over the ranks / slowest rank:", "",
              "| phase | " + " | ".join(f"{r['ranks']} x {r['threads']}" for r in records) + " |",
              "|---" * (len(records) + 1) + "|"]
    for name in names:
        values = [f"{1e3 * r['phases'].get(name, 0.0):.3g} / {1e3 * r['slowest'].get(name, 0.0):.3g}" for r in records]
        lines.append(f"| {name} | " + " | ".join(values) + " |")
    return "\n".join(lines) + "\n"


def report_short_runs(arguments, records):
    """Says so if runs took fewer steps than asked for."""
    short = sorted({record["steps"] for record in records if record["steps"] < arguments.steps})
    if short and not any(word.startswith("run.max_steps=") for word in arguments.words):
        ran = str(short[0]) if len(short) == 1 else f"{short[0]} to {short[-1]}"
        print(f"{ran} of {arguments.steps} steps ran, because the end time of the case comes first (run.end_time=T sets it)")


def collect(arguments, layouts):
    """Writes KIND.json, .csv, .md and .png of what is finished; the number of runs in them."""
    folders = [folder for ranks, threads in layouts
               if is_finished(folder := arguments.output / f"{ranks}x{threads}", words_of(arguments, ranks))]
    if not folders:
        return 0
    records = [read_record(folder) for folder in folders]
    compare(records)
    study = {"kind": arguments.kind, "case": arguments.case or DAM, "environment": environment_of(folders),
             "command": shlex.join(["jobs/scaling.sh", *arguments.typed]), "records": records}
    stem = arguments.output / arguments.kind
    stem.with_suffix(".json").write_text(json.dumps(study, indent=1))
    stem.with_suffix(".md").write_text(markdown(arguments, study))
    phases = list(dict.fromkeys(name for r in records for name in r["phases"]))
    with open(stem.with_suffix(".csv"), "w", newline="") as file:
        for key, value in study["environment"].items():
            file.write(f"# {key}: {value}\n")
        writer = csv.writer(file)
        writer.writerow([key for key, _, _ in COLUMNS] + [f"{name} [s]" for name in phases])
        for r in records:
            writer.writerow([r[key] for key, _, _ in COLUMNS] + [r["phases"].get(name, 0.0) for name in phases])
    from freshet.plot import save, scaling  # which takes a second: most calls draw nothing
    save(scaling([study]), [stem.with_suffix(".png")], dpi=110)
    print(markdown(arguments, study))
    report_short_runs(arguments, records)
    return len(records)


def powers_of_two(most):
    return [2 ** n for n in range(int(math.log2(max(most, 1))) + 1)]


def with_value_of_sbatch(words):
    """The words of a command line, the value of --sbatch joined to it by =.

    argparse takes a value of its own word that begins with dashes, as --account=A does, for an option.
    """
    joined = []
    for word in words:
        if joined and joined[-1] == "--sbatch" and word not in FLAGS:
            joined[-1] += "=" + word
        else:
            joined.append(word)
    return joined


def main():
    exit_on_signals("scaling: {name} ended the study. The same command resumes it")

    def numbers(text):
        return [int(word) for word in text.split(",")]

    def options(text):
        return shlex.split(text)  # a ValueError, which argparse reports, for an open quotation mark

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=("strong", "weak"))
    parser.add_argument("--program", default="build/release/src/freshet", help="the freshet binary")
    parser.add_argument("--directory", default=".", help="folder that relative paths of options are in")
    parser.add_argument("--case", help="case file; without it the dam of inputs/benchmark_dam.toml")
    parser.add_argument("--cells", type=int, help="edge of the dam's domain [cells]; in a weak study of what a rank gets")
    parser.add_argument("--ranks", type=numbers, help="separated by commas; default: powers of two up to the cores here")
    parser.add_argument("--threads", type=numbers, default=[1], help="threads a rank, separated by commas; every rank count "
                        "is run with each")
    parser.add_argument("--steps", type=int, help="steps of a run (20; with --quick 6)")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--submit", action="store_true", help="submit each run as a Slurm job")
    where.add_argument("--local", action="store_true", help="run one after the other here (the default)")
    where.add_argument("--collect", action="store_true", help="start nothing, collect what is there")
    parser.add_argument("--sbatch", type=options, default=[], help="further options of sbatch, in one word: "
                        "'--account=A --time=10'")
    parser.add_argument("--quick", action="store_true", help="a small dam, few steps")
    parser.add_argument("--output", type=Path, help="folder of the study (default: output/scaling_KIND)")
    parser.add_argument("words", nargs="*", metavar="KEY=VALUE", help="overrides for every run")
    arguments = parser.parse_intermixed_args(with_value_of_sbatch(sys.argv[1:]))
    arguments.typed = [word for word in sys.argv[1:]]
    for option in ("--program", "--directory"):  # those of the shell script, not of the user
        if option in arguments.typed:
            at = arguments.typed.index(option)
            del arguments.typed[at:at + 2]
    directory = Path(arguments.directory).resolve()
    arguments.steps = arguments.steps or (6 if arguments.quick else 20)
    if arguments.case:
        arguments.case = os.path.relpath(directory / arguments.case, ROOT)
    quick = "_quick" if arguments.quick else ""
    arguments.output = directory / arguments.output if arguments.output else ROOT / "output" / f"scaling_{arguments.kind}{quick}"
    ranks = arguments.ranks or powers_of_two(os.cpu_count() or 1)
    if min(ranks + arguments.threads) < 1:
        parser.error("ranks and threads must be above 0")
    check_output(arguments.output)
    arguments.table = read_case((ROOT / (arguments.case or DAM)).resolve())
    layouts = [(r, t) for t in dict.fromkeys(arguments.threads) for r in sorted(set(ranks))]

    failed = 0 if arguments.collect else start_missing(arguments, layouts)
    n = collect(arguments, layouts)
    print(f"{n} of {len(layouts)} runs are finished; the tables are {arguments.output}/{arguments.kind}.csv, .md and .json, the picture .png"
          if n else f"none of {len(layouts)} runs is finished")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
