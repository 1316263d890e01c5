#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the wall scenes with every wall method, and keeps the results for table_walls.py and plot_walls.py.

A result is DIR/<name>/result.json, beside the run's own files. A result that exists is computed again only with --force.
"""
import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from freshet.analysis import Run, arrivals
from launch import launch, write_records
from table_walls import print_tables
from walls_plan import PARTS, plan
from walls_scenes import DT, METHODS, SIZE, boxes

ROOT = Path(__file__).resolve().parents[1]
MAX_OUTER = 20000  # the paper needs up to 16453, with its loosest inner solves
SOLVER_FAILED = 3  # exit code


@dataclass(frozen=True)
class Machine:
    """How cases are run, and where their results go."""
    program: str
    agreement: str
    output: Path
    ranks: int
    threads: int
    jobs: int
    preconditioner: str
    force: bool


def say(text):
    print(text, file=sys.stderr, flush=True)


def overrides(case, preconditioner):
    """Overrides on the command line that turn a scene into a case."""
    n, dx = case.grid, SIZE / case.grid
    method, condition, stopping = METHODS[case.method]
    cells = ",".join([str(n)] * case.dimension)
    words = [f"domain.cells=[{cells}]", f"domain.cell_size={dx!r}", f"run.end_time={case.steps * DT!r}",
             f"output.interval={case.interval!r}", "output.xdmf=false", "output.log_every=1000000",
             f"output.particles={json.dumps(case.particles)}", f"pressure.preconditioner={preconditioner}"]
    walls = {"method": method, "condition": condition, "classification": case.classification,
             "max_outer": MAX_OUTER, "epsilon_cg": case.epsilon_cg}
    if stopping == "velocity":  # thresholds for velocities are in cells
        walls |= {"stopping": stopping, "epsilon_aabs": case.epsilon_outer * dx, "epsilon_arel": case.epsilon_outer}
    elif stopping == "divergence":
        walls |= {"stopping": stopping, "epsilon_adiv": case.epsilon_outer, "epsilon_idiv": case.epsilon_outer}
    if method == "complementarity":  # this method does not use epsilon_cg
        words += [f"pressure.max_divergence={case.epsilon_cg!r}", f"pressure.tolerance={case.epsilon_cg / 10!r}"]
    return words + [f"pressure.walls.{key}={value}" for key, value in walls.items()]


def record_of(case, run):
    """The record of a run: means over the steps, largest divergence and residual, change of volume at the end."""
    steps = run.step_columns
    n_steps = len(steps["t"])
    method, condition, stopping = METHODS[case.method]
    classifies = condition == "separating" and method != "complementarity"
    seconds = next(phase["max"] for phase in run.timers["phases"] if phase["name"] == "pressure")
    return {
        "scene": case.scene, "dimension": case.dimension, "grid": case.grid, "steps": n_steps, "method": case.method,
        "condition": condition, "classification": case.classification if classifies else None,
        "epsilon_cg": case.epsilon_cg, "epsilon_outer": case.epsilon_outer if stopping else None,
        "cg_iterations": float(steps["iterations"].mean()),
        "outer_iterations": float(steps["outer_iterations"].mean()), "seconds_per_step": seconds / n_steps,
        "max_divergence": float(steps["max_div"].max()),
        "complementarity_residual": float(steps["complementarity"].max()),
        "volume_change": float(steps["volume_drift"][-1]),
    }


# Thresholds: epsilon_cg, for velocities, for divergences.
ACCURACIES = {"low": (1e-3, 1e-3, 1e-2), "high": (1e-12, 1e-9, 1e-9)}


def agreement_records(file, grid, steps):
    """Records of the comparison on equal states: means over the states, largest divergence and residual."""
    solutions = [s for state in json.loads(file.read_text()) for s in state["solutions"]]
    records = []
    for name, accuracy in dict.fromkeys((s["method"], s["accuracy"]) for s in solutions):
        own = [s for s in solutions if (s["method"], s["accuracy"]) == (name, accuracy)]
        method, condition, stopping = METHODS[name]
        epsilon_cg, of_velocity, of_divergence = ACCURACIES[accuracy]
        classifies = condition == "separating" and method != "complementarity"
        records.append({
            "scene": "dam", "dimension": 2, "grid": grid, "steps": steps, "method": name, "condition": condition,
            "classification": "velocity" if classifies else None, "epsilon_cg": epsilon_cg,
            "epsilon_outer": {None: None, "velocity": of_velocity, "divergence": of_divergence}[stopping],
            "cg_iterations": sum(s["cg_iterations"] for s in own) / len(own),
            "outer_iterations": sum(s["outer_iterations"] for s in own) / len(own),
            "seconds_per_step": sum(s["seconds"] for s in own) / len(own),
            "max_divergence": max(s["max_divergence"] for s in own),
            "complementarity_residual": max(s["complementarity_residual"] for s in own), "volume_change": None,
        })
    return records


def prune(run, keep):
    """Deletes all snapshots but the last one and those nearest to the times to keep."""
    kept = {min(run.snapshots, key=lambda s: abs(s.time - t)).path for t in keep} | {run.snapshots[-1].path}
    for snapshot in run.snapshots:
        if snapshot.path not in kept:
            snapshot.path.unlink()


def start(machine, command):
    """Runs a program on the machine's ranks and threads and returns its completed process."""
    words, environment = launch(machine.ranks, machine.threads)
    if machine.jobs > 1:  # otherwise all programs would be bound to the same core
        words = ["none" if word == "core" else word for word in words]
    return subprocess.run(words + command, cwd=ROOT, env=environment, capture_output=True, text=True)


def fingerprint(machine, case):
    """Hash of what a result depends on besides the program: the file of the scene and the overrides."""
    text = (ROOT / f"inputs/walls/{case.scene}_{case.dimension}d.toml").read_bytes()
    return hashlib.sha256(text + repr(overrides(case, machine.preconditioner)).encode()).hexdigest()


def run_case(machine, case):
    """Runs a case or finds its result. Returns None if the solver failed."""
    folder = machine.output / case.name(machine.preconditioner)
    kept = folder / "result.json"
    if kept.exists() and not machine.force:
        result = json.loads(kept.read_text())
        if result.get("fingerprint") == fingerprint(machine, case):
            return result
    shutil.rmtree(folder, ignore_errors=True)
    done = start(machine, [machine.program, "run", f"inputs/walls/{case.scene}_{case.dimension}d.toml",
                           *overrides(case, machine.preconditioner), "--output-dir", str(folder)])
    if done.returncode == SOLVER_FAILED:
        say(f"{folder.name} failed: {done.stderr.strip()[-300:]}")
        return None
    if done.returncode != 0:
        sys.exit(f"{folder.name} ended with {done.returncode}:\n{(done.stdout + done.stderr)[-2000:]}")
    run = Run(folder)
    result = {"part": case.part, "preconditioner": machine.preconditioner, "record": record_of(case, run),
              "fingerprint": fingerprint(machine, case), "planned_steps": case.steps,
              "outer_loops_cut": json.loads((folder / "run.json").read_text())["outer_loops_cut"],
              "projected_divergence": float(run.step_columns["projected_div"].max()),
              "separated_faces": float(run.step_columns["separated_faces"].mean()),
              "cut_steps": int((run.step_columns["dt"] < 0.99 * DT).sum())}
    if case.part == "arrivals":
        result["arrivals"] = {name: time / DT for name, time in
                              arrivals(run, boxes(case.scene, SIZE / case.grid)).items()}
    prune(run, case.keep)
    kept.write_text(json.dumps(result, indent=1))
    say(f"{folder.name}: {result['record']['seconds_per_step'] * 1e3:.3g} ms a step")
    return result


def run_agreement(machine, grid, steps, every, at):
    """Runs the comparison of methods on equal states (Table 4.3; Figs. 4.3 to 4.5, 4.11), or finds its file. Returns the JSON file."""
    file = machine.output / f"agreement_{grid}_{steps}_{every}_{machine.preconditioner}.json"
    if file.exists() and not machine.force:
        return file
    dx = SIZE / grid
    done = start(machine, [machine.agreement, "inputs/walls/dam_2d.toml", f"domain.cells=[{grid},{grid}]",
                           f"domain.cell_size={dx!r}", f"run.max_steps={steps}",
                           f"pressure.preconditioner={machine.preconditioner}", "--every", str(every),
                           "--at", *map(str, at)])
    if done.returncode != 0:
        sys.exit(f"agreement ended with {done.returncode}:\n{(done.stdout + done.stderr)[-2000:]}")
    file.write_text(done.stdout)
    say(file.name)
    return file


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="the freshet binary")
    parser.add_argument("--agreement", required=True, help="the walls_agreement binary")
    parser.add_argument("--output", metavar="DIR", help="default: output/walls, with --quick output/walls_quick")
    parser.add_argument("--quick", action="store_true", help="2-D on 48x48 cells and a part of the sweeps; a few minutes")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS, metavar="PART",
                        help="one of " + ", ".join(PARTS))
    parser.add_argument("--scenes", nargs="+", metavar="SCENE", help="dam, stair, sphere, hard_stair")
    parser.add_argument("--dimensions", nargs="+", type=int, choices=(2, 3), metavar="D")
    parser.add_argument("--methods", nargs="+", choices=METHODS, metavar="METHOD", help="one of " + ", ".join(METHODS))
    parser.add_argument("--steps", type=int, help="largest number of steps")
    parser.add_argument("--grid", type=int, help="cells along an edge instead of 96")
    parser.add_argument("--preconditioner", default="multigrid", help="mic0 is the one of the paper")
    parser.add_argument("--ranks", type=int, help="ranks of a 3-D run; default: all cores")
    parser.add_argument("--threads", type=int, default=1, help="threads of a rank in 3-D")
    parser.add_argument("--jobs", type=int, help="number of 2-D runs at the same time, one core each; default: all cores")
    parser.add_argument("--force", action="store_true", help="run again, even if there are results")
    parser.add_argument("--json", metavar="FILE", help="write the records there")
    parser.add_argument("--directory", default=".", help="folder that relative paths are in")
    return parser.parse_args()


def output_folder(arguments):
    if arguments.output:
        return Path(arguments.directory).resolve() / arguments.output
    return ROOT / "output" / ("walls_quick" if arguments.quick else "walls")


def main():
    arguments = parse_arguments()
    cores = os.cpu_count() or 1
    jobs = arguments.jobs or cores
    output = output_folder(arguments)
    output.mkdir(parents=True, exist_ok=True)
    common = (os.path.abspath(arguments.program), os.path.abspath(arguments.agreement), output)
    flat = Machine(*common, 1, 1, jobs, arguments.preconditioner, arguments.force)
    deep = Machine(*common, arguments.ranks or cores, arguments.threads, 1, arguments.preconditioner, arguments.force)
    cases, agreement = plan(arguments)
    results = []
    with ThreadPoolExecutor(jobs) as pool:
        waiting = [pool.submit(run_case, flat, case) for case in cases if case.dimension == 2]
        comparison = pool.submit(run_agreement, flat, *agreement) if agreement else None
        results += [task.result() for task in waiting]
        compared = agreement_records(comparison.result(), *agreement[:2]) if agreement else []
    results += [run_case(deep, case) for case in cases if case.dimension == 3]
    print_tables(output)
    write_records([result["record"] for result in results if result] + compared, arguments)
    failed = results.count(None)
    if failed:
        sys.exit(f"{failed} of {len(results)} runs failed; their messages are above")


if __name__ == "__main__":
    main()
