#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# needs: python:numpy python:h5py
"""A scaling study on small grids: its runs are those asked for, its tables hold what the runs wrote, a second call starts
only what is missing, and weak studies grow the liquid with the ranks. Jobs go to an sbatch of the test's own. Mistakes end
scaling.py and fit_cost.py with exit code 2 and one line. A signal ends the study and its run; a folder in which a run still
works stays as it is.

usage: check_scaling.py BUILD_DIRECTORY_OR_EXECUTABLE
"""
import csv
import fcntl
import json
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

from check_bad_inputs import ENVIRONMENT, ROOT, find_program
from commands import NIGHTLY

sys.path.insert(0, str(ROOT / "analysis"))
import fit_cost  # noqa: E402
import scaling  # noqa: E402

problems = []


def expect(true, text):
    if not true:
        problems.append(text)


def command_of_study(program, kind, folder, *words):
    return ["/usr/bin/python3", "analysis/scaling.py", kind, "--program", program, "--output", str(folder), *words]


def study(program, kind, folder, *words, code=0, path=ENVIRONMENT["PATH"]):
    """Runs analysis/scaling.py and returns (what it printed, the study it wrote)."""
    command = command_of_study(program, kind, folder, *words)
    done = subprocess.run(command, cwd=ROOT, env=dict(ENVIRONMENT, PATH=path), capture_output=True, text=True, timeout=300)
    if done.returncode != code:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}: {(done.stdout + done.stderr)[-2000:]}")
    table = folder / f"{kind}.json"
    return done.stdout + done.stderr, json.loads(table.read_text()) if table.exists() else None


def expect_refusal(said, words):
    """One line that holds the words."""
    expect(said.count("\n") == 1 and words in said, f"no line of '{words}', but: {said}")


def check_growth():
    for ranks in (1, 2, 3, 4, 6, 8, 12, 1000, 1024):
        factors = scaling.growth(ranks, [64, 64, 64])
        product = factors[0] * factors[1] * factors[2]
        expect(product == ranks, f"growth to {ranks} ranks is {factors}")
    expect(scaling.growth(8, [64, 64, 64]) == [2, 2, 2], "8 cubes do not make a cube")
    expect(scaling.growth(2, [64, 32]) == [1, 2], "the longer side grows")


def check_records(study_, folder):
    """The table says what the runs wrote."""
    for record in study_["records"]:
        run = folder / f"{record['ranks']}x{record['threads']}" / "run"
        with open(run / "steps.csv", newline="") as file:
            seconds = sorted(float(row["seconds [s]"]) for row in list(csv.DictReader(file))[scaling.WARM_UP:])
        middle = (seconds[(len(seconds) - 1) // 2] + seconds[len(seconds) // 2]) / 2
        expect(abs(record["seconds_per_step"] - middle) < 1e-12, f"{run}: {record['seconds_per_step']} s a step, not {middle}")
        timers = json.loads((run / "timers.json").read_text())
        expect((timers["ranks"], timers["threads"]) == (record["ranks"], record["threads"]), f"{run} ran on {timers['ranks']}")
        messages = sum(p["messages"] for p in timers["phases"] if p["name"] not in ("start", "output", "checkpoint"))
        expect(abs(record["messages"] * timers["steps"] - messages) < 1e-6, f"{run}: messages differ")
        expect((record["messages"] > 0) == (record["ranks"] > 1), f"{run}: {record['messages']} messages")
    first = study_["records"][0]
    expect(first["efficiency"] == 1.0 and first["speed_up"] == first["cores"], "the first run is not the reference")
    for key in ("commit", "compiler", "MPI", "processor"):
        expect(study_["environment"].get(key), f"the study does not say its {key}")


def check_strong(program, folder):
    words = ("--cells", "16", "--steps", "4", "--threads", "1,2")
    said, done = study(program, "strong", folder, *words, "--ranks", "1")
    expect([(r["ranks"], r["threads"]) for r in done["records"]] == [(1, 1), (1, 2)], "runs on 1 rank are missing")
    stamp = (folder / "1x1" / "run" / "run.json").stat().st_mtime_ns
    said, done = study(program, "strong", folder, *words, "--ranks", "1,2")
    expect([(r["ranks"], r["threads"]) for r in done["records"]] == [(1, 1), (2, 1), (1, 2), (2, 2)], f"resumed: {said}")
    expect(said.count(": done") == 2 and said.count("is there") == 2, f"a second call starts more than is missing: {said}")
    expect((folder / "1x1" / "run" / "run.json").stat().st_mtime_ns == stamp, "a finished run was run again")
    check_records(done, folder)
    expect(len({r["particles"] for r in done["records"]}) == 1, "a strong study changes its liquid")
    (folder / "2x1" / "run" / "run.json").write_text('{"status": "running"}')  # as a job leaves it that is cut
    said, done = study(program, "strong", folder, *words, "--ranks", "1,2", "--collect")
    expect(len(done["records"]) == 3 and ": done" not in said, f"collects what is not finished, or runs it: {said}")
    with open(folder / "strong.csv", newline="") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    expect([row["ranks"] for row in rows] == ["1", "1", "2"] and float(rows[2]["pressure [s]"]) > 0, f"strong.csv: {rows}")
    expect((folder / "strong.png").stat().st_size > 10000 and (folder / "strong.md").exists(), "no picture or no text")
    said, _ = study(program, "strong", folder, *words, "--ranks", "1", "--threads", "1", "time.cfl=0.5")
    expect(said.count(": done") == 1, f"a run of other parameters is taken: {said}")


def check_cut_files(program, folder):
    """A file of JSON that was cut makes its run one that is not finished. Numbers given twice count once."""
    words = ("--cells", "16", "--steps", "4", "--threads", "1,1", "--ranks", "1,1")
    study(program, "strong", folder, *words)
    for name in ("words.json", "run/run.json", "run/timers.json") if NIGHTLY else ("run/timers.json",):
        path = folder / "1x1" / name
        path.write_text(path.read_text()[:20])
        said, _ = study(program, "strong", folder, *words, "--collect")
        expect("none of 1 runs is finished" in said, f"collects a run whose {name} was cut: {said}")
        said, done = study(program, "strong", folder, *words)
        expect(said.count(": done") == 1 and len(done["records"]) == 1, f"a run whose {name} was cut is not run again: {said}")
        expect("steps ran" not in said, f"says that too few steps ran: {said}")
    said, _ = study(program, "strong", folder, *words[:2], "--steps", "50", "--ranks", "1", "run.end_time=0.1")
    steps = json.loads((folder / "1x1" / "run" / "timers.json").read_text())["steps"]
    expect(f"\n{steps} of 50 steps ran, because the end time" in said, f"does not say that {steps} steps ran: {said}")


def is_locked(path):
    with open(path) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def check_stopped(program, folder, number):
    """A signal to the script ends its run too."""
    words = ("--cells", "32", "--steps", "3000", "--ranks", "2", "run.end_time=1000")
    lock = folder / "2x1" / "run" / "run.lock"
    script = subprocess.Popen(command_of_study(program, "strong", folder, *words), cwd=ROOT, env=ENVIRONMENT,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    last = time.monotonic() + 60
    while not (lock.exists() and lock.read_text()) and script.poll() is None and time.monotonic() < last:
        time.sleep(0.05)
    script.send_signal(number)
    _, said = script.communicate(timeout=60)
    expect(script.returncode == 128 + number, f"a study ended by signal {number} exits with {script.returncode}: {said}")
    expect_refusal(said, f"{signal.Signals(number).name} ended the study")
    expect(lock.exists() and not is_locked(lock), f"signal {number} to the script leaves its run alive")


def check_running(program, folder):
    """A folder in which a run still works stays as it is."""
    words = ("--cells", "16", "--steps", "4", "--ranks", "1")
    run = folder / "1x1" / "run"
    run.mkdir(parents=True)
    with open(run / "run.lock", "w") as lock:
        lock.write("process 17 on nowhere\n")
        lock.flush()
        fcntl.flock(lock, fcntl.LOCK_EX)
        said, _ = study(program, "strong", folder, *words, "--threads", "2,1", code=2)
        expect_refusal(said, f"a run still works in {folder / '1x1'} (process 17 on nowhere)")
        expect((run / "run.lock").exists() and not (folder / "1x2").exists(), "a study with a run that still works starts")
    said, _ = study(program, "strong", folder, *words)
    expect(": done" in said, f"a study with a run that has ended does not start: {said}")


def check_cost(folder):
    """The costs of a particle and a cell add up to the time of the phases."""
    run = folder / "1x1" / "run"
    said = subprocess.run(["/usr/bin/python3", "analysis/fit_cost.py", str(run)], cwd=ROOT, check=True, capture_output=True,
                          text=True).stdout.splitlines()
    particle, cell = (float(said[0].split()[n]) * 1e-9 for n in (3, -2))
    with open(run / "steps.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    phases = json.loads((run / "timers.json").read_text())["phases"]
    spent = sum(p["avg"] for p in phases if p["name"] not in ("start", "output", "checkpoint"))
    found = sum(particle * int(row["particles"]) + cell * 512 * int(row["allocated_blocks"]) for row in rows)
    expect(abs(found - spent) < 0.02 * spent, f"costs add up to {found} s of {spent} s: {said}")
    words = dict(word.split("=") for word in said[1].split())
    expect(words["balance.particle_cost"] == "1.0" and abs(float(words["balance.cell_cost"]) - cell / particle) < 0.1,
           f"fit_cost.py says {said}")
    case = folder / "case.toml"
    case.write_text("title = 'kept'\n[balance] # of ranks\ncell_cost = 7 # old\n[run]\nend_time = 1\n")
    for _ in range(2):  # the second time finds both keys
        subprocess.run(["/usr/bin/python3", "analysis/fit_cost.py", str(run), "--store", str(case)], cwd=ROOT, check=True,
                       capture_output=True)
    stored = tomllib.loads(case.read_text())
    expect(stored == {"title": "kept", "run": {"end_time": 1}, "balance": {
        "particle_cost": 1.0, "cell_cost": float(words["balance.cell_cost"])}}, f"fit_cost.py stored {stored}")
    expect("cell_cost = " in case.read_text() and "# old\n" in case.read_text(), "fit_cost.py took a comment away")


def check_store(run, case):
    """Only the table [balance] changes; a case that has its keys in another form is refused and stays as it was."""
    quoted = ('a = """\n[balance]\ncell_cost = 1 \\""" x"""""\nb = \'\'\'\n[balance]\ncell_cost = 2\'\'\'\n'
              'c = [ # ]\n  [1, 2], ["]", \'"""\'],\n]\n')
    costs = {"particle_cost": "1.0", "cell_cost": "2.50"}
    stored = {"particle_cost": 1.0, "cell_cost": 2.5}
    for text in (quoted, quoted + "[balance]\nthreshold = 2.0 # kept\n  cell_cost=7\t# old\n[x]\ncell_cost = 3",
                 quoted + "[x]\nbalance.cell_cost = 1\n[ 'balance' ]\n[[y]]\n", quoted + "[balance]", "", "x = 1\n",
                 quoted + "[balance.x]\n"):
        for ends in ("\n", "\r\n"):
            case.write_bytes(text.replace("\n", ends).encode())
            before = tomllib.loads(case.read_bytes().decode())
            fit_cost.store(case, costs)
            new = case.read_bytes().decode()
            expect(tomllib.loads(new) == {**before, "balance": {**before.get("balance", {}), **stored}}, f"{text!r} became {new!r}")
            expect(not text or new.count(ends) == new.count("\n"), f"line ends of {new!r} are mixed")
            kept = [line for line in text.split("\n") if "cell_cost=7" not in line]
            expect(all(line in new for line in kept) and new.count("# old") == text.count("# old"), f"{new!r} has lost a line")
            fit_cost.store(case, costs)
            expect(case.read_bytes().decode() == new, f"{new!r} changes when the same is stored again")
    for text in ("balance = { cell_cost = 7 }\n", "balance.cell_cost = 7\n", "[balance]\n'cell_cost' = 7\n", "balance = 7\n",
                 "[[balance]]\n"):
        case.write_text(text)
        expect_refusal(refusal_of_fit_cost(run, "--store", case), "by hand")
        expect(case.read_text() == text, f"{text!r} was refused, and changed")


def refusal_of_fit_cost(*words):
    done = subprocess.run(["/usr/bin/python3", "analysis/fit_cost.py", *map(str, words)], cwd=ROOT, capture_output=True, text=True)
    expect(done.returncode == 2, f"fit_cost.py of {words} ended with {done.returncode}")
    return done.stderr


def check_cost_refusals(run, folder):
    expect_refusal(refusal_of_fit_cost(folder / "nothing"), "holds no run")
    running = folder / "running"
    running.mkdir()
    shutil.copy(run / "input.resolved.toml", running)
    expect_refusal(refusal_of_fit_cost(run, running), "has no timers.json")
    shutil.copy(run / "timers.json", running)
    expect_refusal(refusal_of_fit_cost(running), "has no steps.csv")
    expect_refusal(refusal_of_fit_cost(run, "--store", folder / "nothing.toml"), "cannot be read")
    (folder / "bad.toml").write_text("x = [")
    expect_refusal(refusal_of_fit_cost(run, "--store", folder / "bad.toml"), "is not a case file")


def check_weak(program, folder):
    many = 4 if NIGHTLY else 2
    said, done = study(program, "weak", folder, "--cells", "16", "--steps", "4", "--ranks", f"1,{many}")
    one, all_ranks = done["records"]
    expect(all_ranks["particles"] == many * one["particles"], f"{one['particles']} particles on a rank, {all_ranks['particles']} on {many}")
    check_records(done, folder)
    said, _ = study(program, "weak", folder / "ball", "--case", str(ROOT / "inputs" / "falling_sphere.toml"), code=2)
    expect_refusal(said, "cannot grow")


def command(folder, name, text):
    """A command of the test's own for the search path `folder`; it writes its words, one a line, to the file NAME.words."""
    path = folder / name
    path.write_text(f"#!/bin/sh\nprintf '%s\\n' \"$@\" >>'{path}.words'\n{text}\n")
    path.chmod(0o755)


def check_submit(program, folder):
    """Options of sbatch reach it in whatever form --sbatch is given; jobs that Slurm has are not submitted again."""
    path = folder / "path"
    path.mkdir(parents=True)
    command(path, "sbatch", "echo '17;cluster'")
    said_to_sbatch = path / "sbatch.words"
    weak = ("--cells", "16", "--ranks", "1", "--submit")
    for n, (form, options) in enumerate((
            (("--sbatch", "--account=A"), ["--account=A"]), (("--sbatch=--account=A",), ["--account=A"]),
            (("--sbatch", "--account=A --comment='two words' -p fast"), ["--account=A", "--comment=two words", "-p", "fast"]),
            (("--sbatch", "--output=x --time=10"), ["--output=x", "--time=10"]), (("--sbatch", "-p fast"), ["-p", "fast"]))):
        said_to_sbatch.unlink(missing_ok=True)
        said, _ = study(program, "weak", folder / str(n), *weak, *form, "time.cfl=0.5", path=str(path))
        words = said_to_sbatch.read_text().splitlines()
        before_script = words[:words.index("jobs/scaling.sbatch")]
        expect(before_script[-len(options):] == options and ": submitted" in said, f"{form} became {words}")
        expect(words[-1] == "time.cfl=0.5" and (folder / str(n) / "1x1" / "job").read_text() == "17", f"{form}: {words}, {said}")
    said_to_sbatch.unlink()
    said, _ = study(program, "weak", folder / "0", *weak, code=2, path=str(path))
    expect_refusal(said, "there is no squeue here to ask whether job 17 is done")
    command(path, "squeue", "echo PENDING")
    said, _ = study(program, "weak", folder / "0", *weak, path=str(path))
    expect("job 17 is not done" in said and not said_to_sbatch.exists(), f"a job is submitted twice: {said}")
    said, _ = study(program, "weak", folder / "0", *weak, "--sbatch", "--quick", code=2, path=str(path))
    expect("--sbatch: expected one argument" in said, f"--quick is an option of sbatch: {said}")


def check_refusals(program, folder):
    nowhere = folder / "nowhere"
    nowhere.mkdir(parents=True)
    said, _ = study(program, "strong", folder / "a", "--ranks", "1", "--submit", code=2, path=str(nowhere))
    expect_refusal(said, "there is no sbatch here")
    expect(not (folder / "a").exists(), "a study that is refused leaves a folder")
    file = folder / "file"
    file.touch()
    for output in (file, file / "below"):
        said, _ = study(program, "strong", output, "--ranks", "1", code=2)
        expect_refusal(said, f"{file} is a file, not a folder")
    for n, (text, words) in enumerate(((None, "cannot be read"), ("x = [", "is not a case file"), ("[run]\n", "how many cells"),
                                       ("[domain]\ncells = 3\n", "how many cells"),
                                       ("[domain]\ncells = [8, 8]\n[[liquid]]\nshape = 'box'\n", "without lower"))):
        case = folder / f"{n}.toml"
        if text is not None:
            case.write_text(text)
        said, _ = study(program, "weak", folder / "b", "--case", str(case), "--ranks", "1", code=2)
        expect_refusal(said, words)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program = find_program(sys.argv[1])
    signal.signal(signal.SIGINT, signal.default_int_handler)  # scripts would ignore it if this test is run in the background
    check_growth()
    with tempfile.TemporaryDirectory() as folder:
        check_strong(program, Path(folder) / "strong")
        check_cost(Path(folder) / "strong")
        check_cost_refusals(Path(folder) / "strong" / "1x1" / "run", Path(folder))
        check_store(Path(folder) / "strong" / "1x1" / "run", Path(folder) / "case.toml")
        check_cut_files(program, Path(folder) / "cut")
        check_stopped(program, Path(folder) / "terminated", signal.SIGTERM)
        if NIGHTLY:
            check_stopped(program, Path(folder) / "interrupted", signal.SIGINT)
        check_running(program, Path(folder) / "running_still")
        check_weak(program, Path(folder) / "weak")
        check_submit(program, Path(folder) / "submitted")
        check_refusals(program, Path(folder) / "refused")
    print("\n".join(problems) or "the studies are as they should be")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
