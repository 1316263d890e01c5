#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# needs: git python:numpy python:h5py
"""Two versions are compared on a small sheet of liquid, the same program for both with settings that differ: the table and the
records hold medians, ratios and spreads that agree. A signal to the script ends its run. Mistakes end the script with exit
code 2, and benchmark.sh before it builds.

usage: check_benchmark_against.py BUILD_DIRECTORY_OR_EXECUTABLE
"""
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from check_bad_inputs import ENVIRONMENT, ROOT, find_program
from commands import NIGHTLY

STEPS = [4, 3]
ROUNDS = 2
PHASES = {"whole step", "deposit", "pressure", "extrapolate", "move", "sort"}  # some of those that every run has
problems = []


def expect(true, text):
    if not true:
        problems.append(text)


def command_against(before, after, *words):
    return ["/usr/bin/python3", "analysis/benchmark_against.py", "--before", before, "--after", after, "--commit", "HEAD",
            "--cases", "sheet_16", "--layouts", "1x1", "--rounds", str(ROUNDS), *words]


def against(before, after, *words):
    return subprocess.run(command_against(before, after, *words), cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True,
                          timeout=300)


def check_record(record):
    what = {key: record[key] for key in ("case", "ranks", "threads", "rounds", "steps")}
    expect(what == {"case": "sheet_16", "ranks": 1, "threads": 1, "rounds": ROUNDS, "steps": STEPS}, f"the record is of {what}")
    expect(record["particles"] > 1000, f"{record['particles']} particles")
    expect(PHASES <= set(record["phases"]), f"only the phases {list(record['phases'])}")
    for name, row in record["phases"].items():
        if name in PHASES:
            expect(row["before"] > 0 and row["after"] > 0, f"{name} takes no time: {row}")
        if row["before"] > 0:
            expect(abs(row["ratio"] - row["after"] / row["before"]) < 1e-9 * row["ratio"] + 1e-12, f"{name}: not the ratio: {row}")
        if name in PHASES:
            # the median of two runs is their mean, and a ratio of means lies between the ratios; 1e-9 for rounding
            low, high = row["spread"]
            expect(0 < low * (1 - 1e-9) <= row["ratio"] <= high * (1 + 1e-9), f"{name}: the ratio is outside its spread: {row}")


def check_simulated_second(said, record):
    row = record["simulated_second"]
    low, high = row["spread"]
    expect(0 < low * (1 - 1e-9) <= row["ratio"] <= high * (1 + 1e-9), f"a simulated second: {row}")
    found = [line[28:].split()[:2] for line in said.splitlines() if line.startswith("s per simulated second")]
    expect(found == [[f"{row['before']:.3g}", f"{row['after']:.3g}"]], f"a simulated second: the table has {found}, the record {row}")


def check_settings(program):
    """Scenes name the keys that cost most, so that their times do not follow the defaults."""
    sys.path.insert(0, str(ROOT / "analysis"))
    import benchmark_cases as cases  # pylint: disable=import-outside-toplevel
    expect(sorted(cases.PLAIN) == sorted(cases.WATER), "plain scenes and water differ in their keys")
    for name, settings in (("dam_16", cases.PLAIN), ("dam_16_water", cases.WATER), ("dam_break_water", cases.WATER),
                           ("honey_rope_water", cases.STICKY_WATER), ("droplet_water", cases.STICKY_WATER)):
        found = cases.setting_words(program, name)
        expect(found == [f"{key}={value}" for key, value in settings.items()], f"{name} has {found}")
    import benchmark  # pylint: disable=import-outside-toplevel
    for name, words in benchmark.scenes_of([16], False).items():
        settings = cases.STICKY_WATER if name in cases.SHIPPED else cases.WATER if name.endswith("_water") else cases.PLAIN
        expect(all(f"{key}={value}" in words for key, value in settings.items()), f"benchmark.py times {name} with {words}")
    rows = json.loads(subprocess.run([program, "schema", "--json"], capture_output=True, text=True, check=True).stdout)["keys"]
    defaults = {row["key"]: row["default"] for row in rows}
    expect({key: defaults[key] for key in cases.WATER} == cases.WATER, f"water is not what a new case has: {cases.WATER}")
    for name in cases.SHIPPED:
        case = ROOT / "inputs" / f"{name.removesuffix('_water')}.toml"
        shown = subprocess.run([program, "check", case, "--all"], capture_output=True, text=True, check=True).stdout
        for key, value in cases.STICKY_WATER.items():
            expect(f'{key.rpartition(".")[2]} = "{value}"' in shown, f"{name} is not timed as shipped: {key}")


def check_table(said, record):
    """Each phase that takes time has a row with the numbers of the record."""
    lines = said.splitlines()
    expect(f"4 and 3 steps, {ROUNDS} runs of each" in said, f"no head: {said}")
    for name, row in record["phases"].items():
        if max(row["before"], row["after"]) < 0.05:
            continue
        found = [line[28:].split() for line in lines if line[:28].strip() == name]
        wanted = [f"{row['before']:.1f}", f"{row['after']:.1f}"]
        if row["ratio"] is not None:
            wanted += [f"{row['ratio']:.3f}", f"{row['spread'][0]:.3f}", "to", f"{row['spread'][1]:.3f}"]
        expect(found == [wanted], f"{name}: the table has {found}, the record {wanted}")


def check_comparison(program, folder):
    file = folder / "records.json"
    done = against(program, program, "--directory", str(folder), "--json", file.name,
                   "--before-options", f"run.max_steps={STEPS[0]}", "--after-options", f"run.max_steps={STEPS[1]}")
    if done.returncode != 0:
        sys.exit(f"benchmark_against.py ended with {done.returncode}: {(done.stdout + done.stderr)[-3000:]}")
    print(done.stdout)
    records = json.loads(file.read_text())
    expect(len(records) == 1, f"{len(records)} records")
    check_record(records[0])
    check_table(done.stdout, records[0])
    check_simulated_second(done.stdout, records[0])


def check_mistakes(program, folder):
    nothing = str(folder / "nothing")
    for programs, words, message in (
            ((program, program), ("--layouts", "2"), "'2' is not RANKSxTHREADS"),
            ((program, program), ("--layouts", "1x1,0x2"), "'1x1,0x2' is not RANKSxTHREADS"),
            ((program, program), ("--rounds", "0"), "--rounds must be above 0"),
            ((nothing, program), (), f"there is no program {nothing}"),
            ((program, nothing), (), f"there is no program {nothing}"),
            (("/bin/false", program), (), "/bin/false schema ended with 1"),
            ((program, program), ("--cases", "sheet_16,shet_16"), "no scene is called 'shet_16'"),
            ((program, program), ("--cases", "sheet_0"), "no scene is called 'sheet_0'"),
            ((program, program), ("--cases", "dam_16", "--commit", "no-commit"), "commit no-commit has no inputs/benchmark_dam.toml")):
        done = against(*programs, *words)
        last = done.stderr.splitlines()[-1:]
        expect(done.returncode == 2 and not done.stdout and last and message in last[0] and "Traceback" not in done.stderr,
               f"{words}: exit code {done.returncode}, not a line of '{message}': {done.stdout}{done.stderr}")


def processes_of(folder):
    """Numbers of the processes whose command lines name the folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):  # a process that has ended meanwhile
            if os.fsencode(folder) in path.read_bytes():
                found.append(int(path.parent.name))
    return found


def check_stopped(program, folder, number):
    """A signal to the script ends its run on both ranks too, and the run's folder goes."""
    folder.mkdir()
    endless = ("run.max_steps=1000000000", "run.end_time=1000000000", "output.interval=0")
    command = command_against(program, program, "--layouts", "2x1", "--before-options", *endless, "--after-options", *endless)
    script = subprocess.Popen(command, cwd=ROOT, env=ENVIRONMENT | {"TMPDIR": str(folder)}, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
    last = time.monotonic() + 60
    while not any(lock.read_text() for lock in folder.glob("*/run/run.lock")) and script.poll() is None and time.monotonic() < last:
        time.sleep(0.05)
    expect(len(processes_of(folder)) >= 2, "a run on two ranks is not there to be stopped")
    script.send_signal(number)
    _, said = script.communicate(timeout=60)
    expect(script.returncode == 128 + number and said == f"benchmark: {signal.Signals(number).name} ended it\n",
           f"a benchmark ended by signal {number} exits with {script.returncode}: {said}")
    alive = processes_of(folder)
    expect(not alive, f"signal {number} to the script leaves the processes {alive} of its run alive")
    for process in alive:
        os.kill(process, signal.SIGKILL)
    expect(not list(folder.iterdir()), f"signal {number} leaves {list(folder.iterdir())}")


def check_shell(folder):
    """benchmark.sh beside a build.sh that only says that it was called."""
    jobs = folder / "jobs"
    jobs.mkdir()
    script = shutil.copy(ROOT / "jobs" / "benchmark.sh", jobs)
    (jobs / "build.sh").write_text("#!/bin/sh\necho builds\nexit 9\n")
    os.chmod(jobs / "build.sh", 0o755)
    for words, code, message in ((("--help",), 0, "usage: jobs/benchmark.sh"), (("--quick", "-h"), 0, "--against COMMIT"),
                                 (("--against", "no-commit"), 2, "there is no commit 'no-commit'"),
                                 (("--against",), 2, "--against takes a commit"), (("--quick",), 9, "builds")):
        done = subprocess.run(["bash", script, *words], env=ENVIRONMENT, capture_output=True, text=True, timeout=60)
        said = done.stdout + done.stderr
        expect(done.returncode == code and message in said and ("builds" in said.splitlines()) == (code == 9),
               f"benchmark.sh {' '.join(words)}: exit code {done.returncode}, not {code} with '{message}': {said}")


def check_two_commits(program, folder):
    """benchmark.sh --against builds the other commit in a tree of its own, and compares; beside a build.sh that links the program."""
    project = folder / "project"
    (project / "jobs").mkdir(parents=True)
    (project / "inputs").mkdir()
    shutil.copy(ROOT / "jobs" / "benchmark.sh", project / "jobs")
    shutil.copy(ROOT / "inputs" / "benchmark_dam.toml", project / "inputs")
    (project / "analysis").symlink_to(ROOT / "analysis")
    build = project / "jobs" / "build.sh"
    build.write_text(f'#!/bin/sh\ncd "$(dirname "$0")/.." && mkdir -p build/release/src && ln -sf {program} build/release/src/freshet\n')
    build.chmod(0o755)
    for words in (("init", "--quiet"), ("add", "inputs", "jobs"),
                  ("-c", "user.name=x", "-c", "user.email=x@localhost", "commit", "--quiet", "--message=all")):
        subprocess.run(["git", *words], cwd=project, check=True, env=ENVIRONMENT, timeout=60)
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=project, check=True, capture_output=True, text=True).stdout[:12]
    for turn in ("first", "second") if NIGHTLY else ("first",):
        done = subprocess.run(["bash", project / "jobs" / "benchmark.sh", "--against", "HEAD", "--cases=dam_16", "--layouts=1x1",
                               "--rounds=1"], env=ENVIRONMENT, capture_output=True, text=True, timeout=300)
        expect(done.returncode == 0 and "whole step" in done.stdout and "dam_16, 1 ranks x 1 threads" in done.stdout,
               f"the {turn} comparison with a commit: exit code {done.returncode}: {done.stdout}{done.stderr}")
    expect((project / "build" / "against" / commit / "build" / "release" / "src" / "freshet").exists(),
           f"build/against has no program of commit {commit}")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program = find_program(sys.argv[1])
    signal.signal(signal.SIGINT, signal.default_int_handler)  # the script would ignore it if this test is run in the background
    with tempfile.TemporaryDirectory() as folder:
        check_settings(program)
        check_comparison(program, Path(folder))
        check_mistakes(program, Path(folder))
        if NIGHTLY:
            check_stopped(program, Path(folder) / "terminated", signal.SIGTERM)
        check_stopped(program, Path(folder) / "interrupted", signal.SIGINT)
        check_shell(Path(folder))
        check_two_commits(program, Path(folder))
    print("\n".join(problems) or "the comparison is as it should be")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
