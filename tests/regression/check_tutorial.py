#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# needs: python:numpy python:h5py python:matplotlib
"""The scripts of analysis/tutorial/ run, also on two ranks, and make what they say.  usage: check_tutorial.py BUILD_DIR"""
# timeout: 300
import os
import re
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "jobs"))
from mpi_settings import mpi_settings  # noqa: E402

# script, ranks, what it leaves in its folder, a part of what it prints
CASES = [("first_dam", 1, "first_dam.pdf", "steps;"), ("own_scene", 1, "own_scene/run.json", "Did you mean 'fluid.density'"),
         ("own_force", 2, None, "the jet has brought"), ("gauge_and_data", 2, "gauge_and_data.pdf", "from the experiment's by"),
         ("scaling_study", 1, "scaling_study.pdf", "2 ranks: "), ("movie", 2, "movie.gif", "13 pictures"),
         ("surface", 2, "drop.png", "pieces"), ("floating_body", 1, "floating_body.pdf", "linear theory: -0.641 at 3.70")]


def check_first_steps(build, folder, env):
    """What help(freshet) begins with does what it says: a case with a force and a gauge on two ranks, and its figure."""
    said = subprocess.run([sys.executable, "-c", "import freshet; print(freshet.__doc__)"], env=env, capture_output=True, text=True,
                          check=True).stdout
    script = textwrap.dedent(said[said.index("    import math"):said.index("Its gauge as a figure")])
    (folder / "slosh.py").write_text(script)
    done = subprocess.run(["mpirun", "-np", "2", sys.executable, "slosh.py"], cwd=folder, env=env, capture_output=True, text=True,
                          timeout=120)
    assert done.returncode == 0 and "\n4.0 0.4" in done.stdout, (done.stdout[-1000:], done.stderr[-3000:])
    command = re.search(r"python3 (-m freshet plot [^`]*)`", said)[1].split()
    done = subprocess.run([sys.executable, *command], cwd=folder, env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and (folder / "wall.pdf").read_bytes().startswith(b"%PDF"), done.stderr


def main():
    build = Path(sys.argv[1]).resolve()
    env = dict(os.environ, PYTHONPATH=str(build / "python"), OMP_NUM_THREADS="1", PYTHONDONTWRITEBYTECODE="1")
    # started by hand, without what ctest sets for MPI: more ranks than cores, perhaps as root
    by_hand = {name: value for name, value in env.items() if name not in mpi_settings({})}
    scripts = {path.stem for path in (ROOT / "analysis" / "tutorial").glob("*.py")}
    assert scripts == {case[0] for case in CASES}, scripts
    with tempfile.TemporaryDirectory() as folder:
        for script, ranks, made, said in CASES:
            launcher = ["mpirun", "-np", str(ranks)] if ranks > 1 else []
            done = subprocess.run([*launcher, sys.executable, ROOT / "analysis" / "tutorial" / f"{script}.py", folder],
                                  env=by_hand if script == "scaling_study" else env,
                                  capture_output=True, text=True, timeout=120)
            assert done.returncode == 0, f"{script}:\n{done.stdout[-1000:]}\n{done.stderr[-3000:]}"
            assert said in done.stdout, (script, done.stdout[-1000:])
            assert made is None or (Path(folder) / made).stat().st_size > 500, made
        check_first_steps(build, Path(folder), env)
    print(f"{len(CASES)} tutorials run, and what help(freshet) begins with")
    return 0


if __name__ == "__main__":
    sys.exit(main())
