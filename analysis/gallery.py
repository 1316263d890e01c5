#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs and draws the papers' scenes, and puts the pictures onto one sheet.

A scene that has been run is not run again, unless the program or the scene is newer.

usage: gallery.py --program FRESHET [--quick] [--ranks N] [--output DIR] [--scenes 000_1 004 ...] [--force]
  --quick    runs the first half of each scene with at most 8 particles a cell, large grids with cells twice as large;
             takes some minutes
  --scenes   runs only scenes whose names begin with these words
Writes DIR/<scene>/ and DIR/contact_sheet.png. If a scene fails, prints its name and ends with exit code 1.
"""
import argparse
import json
import math
import subprocess
import sys
import tomllib
from pathlib import Path

from launch import finish, launch

ROOT = Path(__file__).resolve().parent.parent
QUICK_SHARE = 0.5  # part of a scene's simulated time that --quick runs
PICTURES = 4       # of each scene
SMALL = 64**3      # [cells]: --quick does not coarsen smaller grids
SNAPSHOTS = 26     # at most, for each scene: the pictures need few of them
MOMENTS = {"000_5_bullet": (0.0, 0.09, 0.18, 0.75)}  # [s]: what this scene shows is over soon


def snapshot_interval(name, case, end):
    """Time between snapshots [s]. Scenes with chosen moments keep the interval of their file."""
    own = case["output"]["interval"]
    return own if name in MOMENTS else max(own, end / (SNAPSHOTS - 1))


def quick_overrides(name, case):
    """Overrides that make a scene coarser and shorter."""
    is_small = math.prod(case["domain"]["cells"]) <= SMALL
    factor = 1 if is_small or "motion" in case else 2  # a prescribed flow is cheap, and its picture shows the blocks
    cells = [-(-n // factor) for n in case["domain"]["cells"]]
    dx = factor * case["domain"]["cell_size"]
    end = QUICK_SHARE * case["run"]["end_time"]
    overrides = {"domain.cells": cells, "domain.cell_size": dx, "run.end_time": end,
                 "output.interval": snapshot_interval(name, case, end),
                 "particles.per_axis": min(2, case.get("particles", {}).get("per_axis", 2))}
    if "checkpoint" in case:
        overrides["checkpoint.interval"] = end / 8
    return [f"{key}={json.dumps(value)}" for key, value in overrides.items()]


def is_done(directory, *made_from):
    """True if a run is complete, and newer than the files it depends on."""
    record = directory / "run.json"
    if not record.is_file() or json.loads(record.read_text())["status"] != "done":
        return False
    return all(Path(source).stat().st_mtime < record.stat().st_mtime for source in made_from)


def run_scene(program, path, directory, arguments):
    """Runs one scene. Returns what went wrong, or an empty text."""
    if is_done(directory, program, path) and not arguments.force:
        return ""
    with open(path, "rb") as file:
        case = tomllib.load(file)
    interval = snapshot_interval(path.stem, case, case["run"]["end_time"])
    overrides = quick_overrides(path.stem, case) if arguments.quick else [f"output.interval={interval}"]
    words, environment = launch(arguments.ranks, 1)
    command = words + [program, "run", str(path), *overrides, "--output-dir", str(directory), "--force"]
    done = finish(command, environment, "gallery", cwd=ROOT)
    if done.returncode == 0:
        return ""
    said = [line for line in (done.stderr + done.stdout).splitlines() if "error" in line]
    return said[0] if said else f"exit code {done.returncode}"


def draw_scene(name, directory, program):
    """Draws a scene and returns the path of the picture. A failure ends the program."""
    picture = directory / "gallery.png"
    if "enright" in name:  # what moves through the box is no liquid: its picture shows the blocks
        command = ["-m", "freshet", "plot", "blocks", str(directory), "--count", str(PICTURES)]
    else:
        command = ["render.py", str(directory), "--columns", str(PICTURES), "--size", "420x300", "--engine", "vtk",
                   "--program", program]
        moments = ",".join(str(time) for time in MOMENTS.get(name, ()))
        command += ["--times", moments] if moments else ["--count", str(PICTURES)]
    subprocess.run([sys.executable, *command, "--output", str(picture)], cwd=ROOT / "analysis", check=True,
                   stdout=subprocess.DEVNULL)
    return picture


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--scenes", nargs="+", default=[""])
    parser.add_argument("--force", action="store_true")
    arguments = parser.parse_args()
    output = arguments.output or ROOT / "output" / ("gallery_quick" if arguments.quick else "gallery")
    output.mkdir(parents=True, exist_ok=True)
    scenes = [path for path in sorted((ROOT / "inputs/papers").glob("*.toml"))
              if any(path.stem.startswith(start) for start in arguments.scenes)]
    if not scenes:
        parser.error("no scene in inputs/papers has a name that begins so")
    entries, failures = [], []
    for path in scenes:
        directory = (output / path.stem).resolve()
        problem = run_scene(str(Path(arguments.program).resolve()), path, directory, arguments)
        if problem:
            failures.append(f"{path.stem}: {problem}")
            print(failures[-1], flush=True)
            entries.append(f"{path.stem}=")
            continue
        entries.append(f"{path.stem}={draw_scene(path.stem, directory, str(Path(arguments.program).resolve()))}")
        print(f"{path.stem}: done", flush=True)
    sheet = output / "contact_sheet.png"
    title = "Scenes of the papers" + (", coarse and short" if arguments.quick else "")
    subprocess.run([sys.executable, str(ROOT / "analysis/contact_sheet.py"), "--output", str(sheet), "--title", title,
                    *entries], check=True)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
