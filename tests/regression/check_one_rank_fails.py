#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# needs: python:mpi4py
# timeout: 300
"""An error that one rank alone meets ends the job of all ranks within seconds, with its message and a code that is not 0: on 2
ranks, and at night on 1 to 4.

usage: check_one_rank_fails.py BUILD_DIRECTORY
"""
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from check_bad_inputs import ENVIRONMENT, ROOT
from commands import NIGHTLY

CASE = str(ROOT / "inputs" / "dam_break_2d.toml")
LIMIT = 30.0  # [s] of a job that takes three steps; one that hangs takes for ever
MEMORY = 5
RANKS = 3 if NIGHTLY else 2  # of a job whose last rank starts in another way


def fail(program, kind, ranks, output):
    """Exit code, messages and seconds of a run whose last rank fails in its third step."""
    start = time.monotonic()
    try:
        done = subprocess.run(["mpirun", "-np", str(ranks), str(program), "run", CASE, "output.interval=0", "--output-dir",
                               str(output)], env=dict(ENVIRONMENT, FAULT=f"{kind}@3"), capture_output=True, text=True,
                              timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return None, "", LIMIT
    return done.returncode, done.stderr, time.monotonic() - start


# A rank that has left does not end the others here, as with an srun that nobody told to: mpirun sees a shell that goes on.
RANK = """#!/usr/bin/env bash
last=$((OMPI_COMM_WORLD_RANK == OMPI_COMM_WORLD_SIZE - 1))
{command}
code=$?
[ $code = 0 ] || sleep 60
exit $code
"""
RUN = f'"$PROGRAM" run {CASE} run.max_steps=3 output.interval=0 --output-dir "$OUTPUT" $([ $last = 0 ] || echo "{{}}")'
PYTHON = f"""
import os, resource, sys
from mpi4py import MPI
last = MPI.COMM_WORLD.Get_rank() == MPI.COMM_WORLD.Get_size() - 1
if last and sys.argv[1] == "import":
    sys.path[:] = [path for path in sys.path if path != os.environ["PYTHONPATH"]] + [{str(ROOT / "analysis")!r}]  # not compiled
import freshet
Simulation = freshet.Simulation
if last and sys.argv[1] == "memory":
    used = int(open("/proc/self/statm").read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (used + (4 << 20), used + (4 << 20)))
Simulation({CASE!r}, overrides=["domain.cells=[640,320]", "domain.cell_size=0.005"]).run()
"""
STARTS = (  # name, what the ranks do, part of the message, whether it names the rank
    ("PETSc", RUN.format("-- -check_pointer_intensity x"), "PETSc cannot start", True),
    ("import", '"$PYTHON" "$FOLDER/start.py" import', "the compiled part of freshet is missing", False),
    ("no memory", '"$PYTHON" "$FOLDER/start.py" memory', "MemoryError", False))
DIFFERENT = (  # all ranks know of it, and end in order
    ("another PETSC_OPTIONS", "[ $last = 0 ] || export PETSC_OPTIONS='-presure_ksp_rtol 1e-3'\n" + RUN.format(""),
     f"PETSC_OPTIONS: rank {RANKS - 1} has"),
    ("other words", RUN.format("time.cfl=0.5"), f"rank {RANKS - 1} has 'freshet run"), ("an unknown option", RUN.format("--frce"), "--frce'"))


def job(folder, name, command, environment):
    """Exit code, messages and seconds of a job of RANKS, of which the last one does something else."""
    script = folder / "rank.sh"
    script.write_text(command)
    script.chmod(0o755)
    start = time.monotonic()
    with subprocess.Popen(["mpirun", "-np", str(RANKS), str(script)], env=dict(environment, OUTPUT=str(folder / name)), text=True,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        try:
            said = process.communicate(timeout=LIMIT)[1]
        except subprocess.TimeoutExpired:
            process.terminate()
            return None, process.communicate()[1], LIMIT
    return process.returncode, said, time.monotonic() - start


def check_starts(build, folder):
    """What is wrong when ranks that are another than the rest start."""
    package = build / "python"
    has_python = list(package.glob("freshet/_freshet*.so"))
    environment = dict(ENVIRONMENT, PROGRAM=str(build / "src/freshet"), PYTHON=sys.executable, PYTHONPATH=str(package),
                       FOLDER=str(folder))
    (folder / "start.py").write_text(PYTHON)
    problems = []
    for name, command, message, names_rank in STARTS:
        if "$PYTHON" in command and not has_python:
            print(f"skipped: start, {name}: the compiled part of the Python package is not built")
            continue
        ended, said, seconds = job(folder, name, RANK.replace("{command}", command), environment)
        print(f"start, {name}: exit code {ended} after {seconds:.1f} s")
        if not ended or message not in said or names_rank and f"(rank {RANKS - 1} of {RANKS})" not in said:
            problems.append(f"start, {name}: exit code {ended}, {said[-600:]}")
    for name, command, message in DIFFERENT:
        ended, said, seconds = job(folder, name, "#!/usr/bin/env bash\nlast=$((OMPI_COMM_WORLD_RANK == OMPI_COMM_WORLD_SIZE - 1))\n" + command, environment)
        print(f"start, {name}: exit code {ended} after {seconds:.1f} s")
        if ended != 2 or said.count("freshet: error: ") != 1 or message not in said or (folder / name).exists():
            problems.append(f"start, {name}: exit code {ended}, {said[-600:]}")
    return problems


def check_srun():
    """Every srun that is started here ends the other ranks when one has failed."""
    files = [path for folder in ("jobs", "analysis") for path in (ROOT / folder).rglob("*") if path.suffix in (".sbatch", ".sh", ".py", ".md")]
    starts = [(path, line) for path in files for line in path.read_text().splitlines()
              if re.search(r'(?<![\w$./-])srun("|\s+-)', line.split("# ")[0]) and not re.search(r'which\(|command -v', line)]
    problems = [f"{path}: srun without --kill-on-bad-exit=1: {line}" for path, line in starts if "--kill-on-bad-exit=1" not in line]
    return problems if len(starts) >= 8 else problems + [f"only {len(starts)} uses of srun were found"]


def main():
    program = next(Path(sys.argv[1]).rglob("faulty"))
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        kinds = (("alone", "a force that fails on one rank", None, (1, 2, 3, 4)), ("memory", "out of memory", MEMORY, (1, 3)),
                 ("mpi", "MPI_Send failed", None, (1, 3)), ("petsc", "VecSetType", None, (3,)),
                 ("start", "a set-up that fails on one rank", None, (1, 3)))
        for kind, message, code, all_ranks in kinds:
            for ranks in all_ranks if NIGHTLY else (2,):
                name = f"{kind} on {ranks} ranks"
                ended, said, seconds = fail(program, kind, ranks, Path(folder) / f"{kind}_{ranks}")
                if ended is None:
                    problems.append(f"{name}: still there after {LIMIT} s")
                    continue
                print(f"{name}: exit code {ended} after {seconds:.1f} s")
                if ended == 0 or (code is not None and ended != code):
                    problems.append(f"{name}: exit code {ended}")
                if message not in said or f"(rank {ranks - 1} of {ranks})" not in said:
                    problems.append(f"{name}: no word of '{message}' and its rank in: {said[-300:]}")
        problems += check_srun() + check_starts(Path(sys.argv[1]).resolve(), Path(folder))
    sys.exit("\n".join(problems) or 0)


if __name__ == "__main__":
    main()
