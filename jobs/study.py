#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A parameter study: runs a case with every combination of values of some keys, and collects the runs into one table.

usage: jobs/study.py CASE.toml --vary fluid.viscosity=0.1,1,10 --vary domain.cells=[32,32,32],[64,64,64] [--output DIR]
Run N goes to DIR/000N; DIR/study.txt lists what it varies, DIR/study.toml is the case file and DIR/study.csv the runs with their
last step. The same command again goes on: finished runs are kept, others go on from their checkpoints. Ctrl-C stops after the step
that is under way, with a checkpoint. With --submit the runs that are missing go to Slurm
as a job array, and with --sbatch that array is only written, as DIR/study.sbatch; after it the same command without these words
runs what is missing and collects.
"""
import argparse
import csv
import itertools
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "analysis"))
BAD_INPUT = 2
STOPPED = 75  # as of freshet
try:
    import freshet.analysis as fa
    from freshet.command_line import whole
    from launch import launch
except ModuleNotFoundError as error:
    print(f"study: Python's package {error.name} is missing: jobs/setup.sh installs it", file=sys.stderr)
    sys.exit(BAD_INPUT)


def fail(message):
    print(f"study: {message}", file=sys.stderr)
    sys.exit(BAD_INPUT)


def split_values(text):
    """The values between commas; commas inside brackets or quotation marks, " or ', belong to a value."""
    values, depth, quoted, word = [], 0, "", ""
    for c in text:
        if c in "\"'" and quoted in ("", c):
            quoted = "" if quoted else c
        depth += 0 if quoted else (c in "[{") - (c in "]}")
        if c == "," and depth == 0 and not quoted:
            values.append(word)
            word = ""
        else:
            word += c
    return [value.strip() for value in values + [word]]


def key_of(text):
    """The key of KEY=VALUE."""
    key, equals, _ = text.partition("=")
    if not equals or not key.strip():
        fail(f"'{text}' is not KEY=VALUE. Give for example run.end_time=0.5")
    return key.strip()


def check_keys(arguments):
    """Refuse a key that is given twice: the last value would count, and the table tell another."""
    keys = [key_of(text) for text in arguments.vary + arguments.set]
    twice = next((key for key in keys if keys.count(key) > 1), None)
    if twice:
        fail(f"{twice} is given more than once by --vary and --set. Give it once")


def combinations(vary):
    """The overrides of each run: a list of "key=value"."""
    keys = []
    for text in vary:
        key, equals, values = text.partition("=")
        if not equals or not key.strip() or "" in split_values(values):
            fail(f"'{text}' is not KEY=VALUE,VALUE,... Give for example fluid.viscosity=0.1,1")
        keys.append([f"{key.strip()}={value}" for value in split_values(values)])
    return [list(words) for words in itertools.product(*keys)]


def remember(folder, case, lines):
    """Write study.txt and study.toml; refuse a folder that holds another study, or one of another state of the case file."""
    copy = folder / "study.toml"
    if copy.exists() and copy.read_bytes() != case.read_bytes():
        fail(f"{case} is not what it was when {folder} was begun (see {copy}). Give another --output")
    path = folder / "study.txt"
    text = "".join(line + "\n" for line in lines)
    if path.exists() and path.read_text() != text:
        fail(f"{folder} holds another study (see {path}). Give another --output")
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    shutil.copyfile(case, copy)


def folders_of(arguments, runs):
    return [arguments.output / f"{number:04}" for number in range(1, len(runs) + 1)]


def command_of(arguments, overrides, folder):
    return [str(arguments.program), "run", str(arguments.case), *overrides, "--output-dir", str(folder), "--restart", "auto"]


def is_done(folder):
    try:
        return fa.open(folder).status == "done"
    except (FileNotFoundError, ValueError):  # freshet says what is wrong with a damaged one
        return False


def run_to_end(words, environment):
    """Exit code and last words of a command. Errors: KeyboardInterrupt when it has stopped for Ctrl-C, SIGTERM or SIGHUP"""
    # a session of its own: Ctrl-C in a terminal reaches this script alone
    with subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          start_new_session=True) as process:
        try:
            said, error = process.communicate()
        except KeyboardInterrupt:
            print("study: the run stops after its step; Ctrl-C again ends it at once", file=sys.stderr, flush=True)
            process.send_signal(signal.SIGUSR2)  # which mpirun passes on
            try:
                process.communicate()
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
            raise
    return process.returncode, (error or said).strip()[-600:]


def run_here(arguments, runs):
    """Run what is missing, one run after the other. Returns the first exit code that is not 0, but ends no other run."""
    words, environment = launch(arguments.ranks, arguments.threads)
    words = words if arguments.ranks > 1 else []  # a rank of its own needs no launcher
    worst = 0
    for number, (overrides, folder) in enumerate(zip(runs, folders_of(arguments, runs)), 1):
        name = f"{number} of {len(runs)}: {' '.join(overrides)}"
        if is_done(folder):
            print(f"{name}: is done", flush=True)
            continue
        code, said = run_to_end(words + command_of(arguments, overrides, folder), environment)
        print(f"{name}: {'done' if code == 0 else f'exit code {code}: {said}'}", flush=True)
        worst = worst or code
    return worst


def check_case(arguments, runs):
    """Refuse a study of which a case is wrong before anything runs."""
    for overrides in runs:
        done = subprocess.run([str(arguments.program), "check", str(arguments.case), *overrides], capture_output=True, text=True)
        if done.returncode != 0:
            fail(f"{' '.join(overrides)}: {done.stderr.strip()}")


def check_batch(arguments):
    """Refuse what the lines #SBATCH cannot hold."""
    if not re.fullmatch(r"(\d+-)?\d+(:\d+){0,2}", arguments.time):
        fail(f"'{arguments.time}' is no time limit of Slurm. Give for example --time 01:30:00")
    if re.search(r"[\x00-\x1f\"'\\\\]", str(arguments.output)):
        fail(f"{str(arguments.output)!r} has a quotation mark, a backslash or a line end, which Slurm's lines cannot hold. "
             "Give another --output")


def write_batch(arguments, runs):
    """A job array, a task for each run."""
    log = str(arguments.output).replace("%", "%%") + "/slurm-%a.out"  # Slurm puts numbers in place of % and a letter
    cases = "\n".join(f"  {number}) words=({shlex.join(command_of(arguments, overrides, folder))}) ;;"
                      for number, (overrides, folder) in enumerate(zip(runs, folders_of(arguments, runs)), 1))
    path = arguments.output / "study.sbatch"
    path.write_text(f"""#!/usr/bin/env bash
#SBATCH --job-name=freshet-study
#SBATCH --array=1-{len(runs)}
#SBATCH --ntasks={arguments.ranks}
#SBATCH --cpus-per-task={arguments.threads}
#SBATCH --time={arguments.time}
#SBATCH --signal=USR2@120
#SBATCH --output="{log}"
set -euo pipefail
export OMP_NUM_THREADS={arguments.threads} OMP_PLACES=cores OMP_PROC_BIND=close OMP_WAIT_POLICY=active
case "$SLURM_ARRAY_TASK_ID" in
{cases}
esac
exec srun --kill-on-bad-exit=1 --cpus-per-task={arguments.threads} --cpu-bind=cores "${{words[@]}}"
""")
    return path


def submit(arguments, runs, path):
    """Give the runs that are missing to Slurm."""
    missing = [str(number) for number, folder in enumerate(folders_of(arguments, runs), 1) if not is_done(folder)]
    if not missing:
        print("all runs are done: nothing is submitted")
        return
    if shutil.which("sbatch") is None:
        fail(f"there is no sbatch here. Submit {path} where Slurm is, or leave out --submit")
    done = subprocess.run(["sbatch", "--parsable", f"--array={','.join(missing)}", str(path)], capture_output=True, text=True)
    if done.returncode != 0:
        fail(f"sbatch refuses {path}: {done.stderr.strip()}")
    print(f"submitted {len(missing)} of {len(runs)} runs as job {done.stdout.strip()}")


def collect(arguments, runs):
    """study.csv: what was varied, and the last step of each run that has one."""
    rows = []
    for number, (overrides, folder) in enumerate(zip(runs, folders_of(arguments, runs)), 1):
        try:
            run = fa.open(folder)
            steps, status = run.step_columns, run.status
        except FileNotFoundError:
            continue
        except ValueError as error:
            print(f"study: run {number} is left out: {error}", file=sys.stderr)
            continue
        row = {"run": number, "status": status, **dict(word.split("=", 1) for word in overrides)}
        row.update({f"{name} [{steps.units[name]}]" if name in steps.units else name: values[-1]
                    for name, values in steps.items() if len(values)})
        rows.append(row)
    path = arguments.output / "study.csv"
    temporary = path.with_suffix(".tmp")
    with open(temporary, "w", newline="") as file:
        table = csv.DictWriter(file, list(dict.fromkeys(name for row in rows for name in row)), lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    temporary.replace(path)
    print(f"{path}: {len(rows)} of {len(runs)} runs")


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("case", type=Path, help="case file")
    parser.add_argument("--vary", action="append", required=True, metavar="KEY=A,B,C", help="may be given several times")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="the same in all runs")
    parser.add_argument("--output", type=Path, help="default: output/<name of the case>_study")
    parser.add_argument("--ranks", type=whole(1, 10**7), default=1, help="of each run")
    parser.add_argument("--threads", type=whole(1, 10**4), default=1, help="of each rank")
    parser.add_argument("--sbatch", action="store_true", help="write a job array instead of running here")
    parser.add_argument("--submit", action="store_true", help="write a job array, and submit the runs that are missing")
    parser.add_argument("--time", default="01:00:00", help="limit of a task of the array")
    parser.add_argument("--program", help="freshet; default: build/release/src/freshet")
    arguments = parser.parse_args()
    built = ROOT / "build/release/src/freshet"
    program = arguments.program or os.environ.get("FRESHET") or (built if built.is_file() else shutil.which("freshet"))
    if not program or not Path(program).is_file() or not os.access(program, os.X_OK):
        fail("there is no freshet. Give --program")
    arguments.program = Path(program).resolve()
    if not arguments.case.is_file():
        fail(f"{arguments.case} does not exist. Give a case file")
    arguments.case = arguments.case.resolve()
    arguments.output = (arguments.output or ROOT / "output" / f"{arguments.case.stem}_study").resolve()
    return arguments


def run_study(arguments):
    """Everything after the command line. Returns the exit code."""
    check_keys(arguments)
    if arguments.sbatch or arguments.submit:
        check_batch(arguments)
    runs = [words + arguments.set for words in combinations(arguments.vary)]
    check_case(arguments, runs)
    remember(arguments.output, arguments.case, [" ".join(words) for words in runs])
    if arguments.sbatch or arguments.submit:
        path = write_batch(arguments, runs)
        if arguments.submit:
            submit(arguments, runs, path)
        else:
            print(f"submit it: sbatch {shlex.quote(str(path))}")
        return 0
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    try:
        code = run_here(arguments, runs)
    except KeyboardInterrupt:
        code = STOPPED
        print("study: stopped; the same command goes on", file=sys.stderr)
    collect(arguments, runs)
    return code


def main():
    arguments = parse()
    try:
        code = run_study(arguments)
    except (OSError, ValueError) as error:  # of a folder that cannot be made, a file that cannot be read
        fail(error)
    sys.exit(code)


if __name__ == "__main__":
    main()
