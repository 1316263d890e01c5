#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The program refuses what is wrong: exit code 2, one message that names the place, and nothing written.

usage: check_bad_inputs.py BUILD_DIRECTORY_OR_EXECUTABLE
Every file in tests/bad_inputs has one mistake; its first line says "# expect: <line>: <part of the message>". Those in
tests/bad_inputs/meshes are legal by themselves: what is wrong is the file that they name. Those in tests/bad_inputs/scenes
are refused when their scene is made. By day commands that need no process of their own share one (commands.py).
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import commands

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(1, str(ROOT / "jobs"))
from mpi_settings import mpi_choice, mpi_settings  # noqa: E402

ENVIRONMENT = dict(os.environ, **mpi_settings(), OMP_NUM_THREADS="1")
# A program that mpirun did not start starts a daemon of Open MPI 4, which takes longer than all else here.
# check_run_control.py starts runs with it, as users do. Without the daemon all such programs of a user share one session
# directory, and one that starts while another ends may fail (Open MPI 4.1): each test has a directory of its own. Every MPI
# makes it below TMPDIR; an own name for it has Open MPI 4 only (Open MPI 5 has one for mpirun, PRTE_MCA_prte_tmpdir_base).
SESSION = tempfile.TemporaryDirectory(prefix="freshet_")
WITHOUT_DAEMON = dict(ENVIRONMENT, **mpi_choice("without_daemon"), TMPDIR=SESSION.name)


def find_program(argument):
    path = Path(argument)
    for candidate in (path, path / "src" / "freshet", path / "freshet", path / "bin" / "freshet"):
        if candidate.is_file():
            return str(candidate.resolve())
    sys.exit(f"no program freshet in '{argument}' (it is built as src/freshet). Build it first")


class Check:
    """Runs the program in an empty folder and collects what is not as it should be."""

    def __init__(self, program):
        self.program = program
        self.failures = []
        self.n_runs = 0

    def alone(self, arguments, folder, **variables):
        """What a process of its own answers, with these variables of the environment."""
        return subprocess.run([self.program, *arguments], cwd=folder, env=dict(WITHOUT_DAEMON, **variables), capture_output=True,
                              text=True, errors="replace", timeout=120)

    def run(self, name, arguments, code, expected, ranks=1, alone=None):
        """`expected`: parts of standard error if code is not 0, else of standard output. Returns standard output.
        `alone`: variables of the environment of a process of its own; None: it may share one."""
        command = [self.program, *arguments]
        with tempfile.TemporaryDirectory() as folder:
            result = (commands.run(self.program, arguments, ranks, cwd=folder) if alone is None
                      else self.alone(arguments, folder, **alone))
            left_behind = sorted(p.name for p in Path(folder).iterdir())
        out, err = result.stdout, result.stderr
        problems = []
        if result.returncode != code:
            problems.append(f"exit code {result.returncode}, not {code}")
        if left_behind:
            problems.append(f"wrote {', '.join(left_behind)}")
        problems += [f"no '{part}'" for part in expected if part not in (err if code else out)]
        if code and err.count("freshet: error: ") != 1:
            problems.append(f"{err.count('freshet: error: ')} messages, not 1")
        if problems:
            self.failures.append(f"{name}: {'; '.join(problems)}\n    {' '.join(command)}\n    {err.strip()}")
        self.n_runs += 1
        return out

    def bad_file(self, path, **how):
        first_line = path.read_bytes().split(b"\n")[0].decode("utf-8-sig").strip()
        match = re.fullmatch(r"# expect: (\d+): (.+)", first_line)
        if not match:
            self.failures.append(f"{path.name}: the first line is not '# expect: <line>: <part of the message>'")
            return
        expected = [f"freshet: error: {path}:{match[1]}: ", match[2]]
        self.run(path.name, ["run", str(path), "--output-dir", "result"], 2, expected, **how)


def check_command_line(check, good):
    usage = [
        ("no command", [], "--help"),
        ("unknown command", ["sail"], "--help"),
        ("no input", ["run"], "input is required"),
        ("unknown option", ["run", good, "--frce"], "--frce"),
        ("option without its value", ["run", good, "--output-dir"], "--output-dir"),
        ("option with an empty value", ["run", good, "--output-dir", ""], "--output-dir has an empty value"),
        ("two words for schema", ["schema", "time", "motion"], "motion"),
    ]
    for name, arguments, part in usage:
        check.run(name, arguments, 2, ["(usage)", part])
    with tempfile.TemporaryDirectory() as folder:
        empty, pipe, loop = (str(Path(folder) / name) for name in ("empty.toml", "pipe.toml", "loop.toml"))
        Path(empty).touch()
        os.mkfifo(pipe)
        os.symlink(loop, loop)
        files = [
            ("missing file", "nowhere.toml", "there is no such file"),
            ("directory", str(ROOT / "inputs"), "it is a directory"),
            ("endless device", "/dev/zero", "not a regular file"),
            ("pipe", pipe, "not a regular file"),
            ("link to itself", loop, "Too many levels of symbolic links"),
            ("empty file", empty, "'run.end_time' is missing"),
        ]
        for name, path, part in files:
            for command in ("run", "check"):
                check.run(f"{name}, {command}", [command, path], 2, [path, part])
    for command in ("run", "check"):
        check.run(f"PETSc option that nothing uses, {command}", [command, good, "--", "-nosuchoption", "3"], 2,
                  ["PETSc option -nosuchoption"])
    for words, named in (("-log_veiw", "-log_veiw"), ("--nosuchoption", "--nosuchoption"), ("stray", "stray"),
                         ("-pressure_ksp_type cg stray", "stray"), ("-malloc_dmup", "-malloc_dmup")):
        check.run(f"PETSc's words '{words}'", ["check", good, "--", *words.split()], 2, [f"PETSc option {named} "])
    for words, code, part in (("-nosuchoption 3", 2, "PETSc option -nosuchoption "), ("-malloc_dump", 0, "title")):
        check.run(f"PETSC_OPTIONS={words}", ["check", good], code, [part], alone={"PETSC_OPTIONS": words})
    check.run("PETSc options with values", ["check", good, "--", "-pressure_ksp_check_norm_iteration", "-1", "-log_view"],
              0, ["title"], alone={})
    check.run("PETSc option that PETSc uses", ["check", good, "--", "-info", ":none", "-malloc_dump"], 0, ["title"], alone={})
    with tempfile.TemporaryDirectory() as folder:
        garbage, pipe = Path(folder) / "garbage.h5", Path(folder) / "pipe.h5"
        garbage.write_text("no checkpoint\n")
        os.mkfifo(pipe)
        restarts = [
            ("nothing", Path(folder) / "none.h5", "there is no such file. Give a checkpoint, or auto"),
            ("garbage", garbage, "does not end with a seal"),
            ("a pipe", pipe, "does not end with a seal"),
            ("a device", Path("/dev/zero"), "does not end with a seal"),
            ("a name too long", Path(folder) / ("a" * 300), "File name too long. Give a checkpoint, or auto"),
        ]
        for name, path, part in restarts:
            check.run(f"restart from {name}", ["run", good, "--restart", str(path), "--output-dir", "result"], 2,
                      [f"freshet: error: --restart {path}: ", part, "Give a checkpoint, or auto"])
        check.run("info on nothing", ["info", str(Path(folder) / "none.h5")], 4, ["No such file or directory).\n"])
    overrides = [("time.clf=2", "Did you mean 'time.cfl'?"), ("time.cfl=99", "out of range"),
                 ("time.cfl", "not an assignment"), ("liquid.9.tag=1", "no entry '9'"),
                 ("time.min_dt=10", "'time.min_dt' = 10.0 is above 'run.end_time'")]
    for override, part in overrides:
        check.run(f"override {override}", ["run", good, override, "--output-dir", "result"], 2,
                  [f"override '{override}': ", part])


def check_several_ranks(check, good):
    for name in ("unknown_key.toml", "meshes/mesh_with_wrong_corner.toml"):
        check.bad_file(ROOT / "tests" / "bad_inputs" / name, ranks=3)
    check.run("missing file, 3 ranks", ["run", "nowhere.toml"], 2, ["nowhere.toml"], ranks=3)
    check.run("bad override, 3 ranks", ["run", good, "time.cfl=99"], 2, ["out of range"], ranks=3)
    check.run("usage, 3 ranks", ["run"], 2, ["(usage)"], ranks=3)


def check_processes(check, good):
    """What the others ask of a shared process, of one file each, of a process of its own: its exit code and message."""
    for name in ("unknown_key.toml", "meshes/mesh_with_wrong_corner.toml"):
        check.bad_file(ROOT / "tests" / "bad_inputs" / name, alone={})
    check.run("usage, alone", ["sail"], 2, ["--help"], alone={})
    check.run("missing file, alone", ["run", "nowhere.toml"], 2, ["nowhere.toml"], alone={})
    check.run("help, alone", ["--help"], 0, ["Usage: freshet"], alone={})
    check.run("schema, alone", ["schema", "time"], 0, ["time.cfl"], alone={})


def check_answers(check, _):
    for command in ([], ["run"], ["check"], ["schema"], ["info"]):
        check.run(f"help of {command}", [*command, "--help"], 0, ["Usage: freshet"])
        check.run(f"version by {command}", [*command, "--version"], 0, ["freshet ", "commit", "MPI", "PETSc"])
    check.run("what begins after the end", ["check", str(ROOT / "inputs/fountain.toml"), "run.end_time=0.5", "source.0.start_time=0.6",
                                            "output.start_time=0.7", "domain.cell_size=0.1", "domain.cells=[10,10,10]"], 0,
              ["# warning: source.0 is never switched on: its start_time or schedule comes after run.end_time, 0.5 s",
               "# warning: output.start_time, 0.7 s, comes after run.end_time, 0.5 s"])
    check.run("schema", ["schema"], 0, ["time.cfl", "Farthest"])
    check.run("schema of a table that is not there", ["schema", "tiem"], 2, ["'tiem'", "time"])
    check.run("schema of a bare number", ["schema", "0"], 2, ["'0'"])
    check.run("schema of a table of entries", ["schema", "solid.wave"], 0, ["solid.N.wave.height"])
    of_time = check.run("schema of a table", ["schema", "time"], 0, ["time.cfl"])
    if "motion.scheme" in of_time or len(of_time.splitlines()) != 8:
        check.failures.append(f"schema time: {of_time}")
    keys = json.loads(check.run("schema in JSON", ["schema", "--json"], 0, []))["keys"]
    columns = {"key", "type", "required", "default", "unit", "range", "changes_at_restart", "text"}
    incomplete = [key for key in keys if set(key) != columns]
    if len(keys) < 50 or incomplete:
        check.failures.append(f"schema --json: {len(keys)} keys, incomplete: {incomplete}")


def check_pipes(check, good):
    """A pipe in the place of a file of the output: nobody waits for its reader."""
    with tempfile.TemporaryDirectory() as folder:
        for name, words, code, part in (
                ("log.txt", ["run", good, "--output-dir", folder], 4, "log.txt cannot be written"),
                ("run.json", ["run", good, "--output-dir", folder], 2, "holds a run already"),
                ("run.json", ["mesh", folder], 2, "no snapshot")):
            os.mkfifo(Path(folder) / name)
            check.run(f"{name} is a pipe, {words[0]}", words, code, [part])
            shutil.rmtree(folder)
            Path(folder).mkdir()


def check_full_output(check, good):
    """Standard output that cannot be written: one message where it is what the user wants, silence where files are."""
    for words, code in ((["schema"], 4), (["--version"], 4), (["--help"], 4), (["check", good], 4),
                        (["run", good, "run.max_steps=1", "output.interval=0", "--output-dir", "result"], 0)):
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory(dir=SESSION.name) as session, \
                open("/dev/full", "w") as full:
            done = subprocess.run([check.program, *words], cwd=folder, env=dict(WITHOUT_DAEMON, TMPDIR=session),
                                  stdout=full, stderr=subprocess.PIPE, text=True, timeout=120)
        wanted = "freshet: error: standard output cannot be written" if code else ""
        if done.returncode != code or not done.stderr.startswith(wanted) or len(done.stderr.splitlines()) != bool(code):
            check.failures.append(f"{words} > /dev/full: exit code {done.returncode}, {done.stderr[:300]}")
        check.n_runs += 1


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    check = Check(find_program(sys.argv[1]))
    files = sorted((ROOT / "tests" / "bad_inputs").glob("**/*.toml"))
    if len(files) < 35:
        check.failures.append(f"tests/bad_inputs holds {len(files)} files, fewer than 35")
    good = str(ROOT / "inputs" / "dam_break.toml")
    for part in (check_command_line, check_several_ranks, check_answers, check_full_output, check_pipes, check_processes):
        part(check, good)
    for path in files:
        check.bad_file(path)
    for failure in check.failures:
        print("FAILED", failure)
    print(f"{check.n_runs} runs, {len(check.failures)} failures")
    sys.exit(1 if check.failures else 0)


if __name__ == "__main__":
    main()
