#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tries a freshet that is installed in /usr, without a clone: a case on two ranks, its pictures, the page of `freshet view`, a step
# from /usr/bin/python3, and the links of its pages.  usage: tests/install/try_package.sh [STEPS]     STEPS: of the quickstart's case (default: all)
set -euo pipefail
steps=${1:-0}
share=/usr/share/freshet
export OMP_NUM_THREADS=1
. $share/jobs/mpi.sh
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
cd "$work"
[ "$(command -v freshet)" = /usr/bin/freshet ]
freshet --version
freshet check $share/inputs/dam_break.toml >check
grep -q '256000 particles' check
mpirun -np 2 freshet run $share/inputs/dam_break.toml run.max_steps="$steps" --output-dir dam >log
grep -q '^done: ' log
if grep '^warning: ' log | grep -v 'other processes run on the cores\|oversubscribed'; then exit 1; fi
freshet plot run dam -o run.png
freshet mesh dam --frames 0 format=obj >/dev/null
/usr/bin/python3 $share/analysis/render.py dam --frames 0 --engine vtk --output water.png  # python3-vtk9 comes along
[ -s water.png ]
freshet view dam --no-browser >address &
for _ in $(seq 100); do [ -s address ] && break; sleep 0.2; done
/usr/bin/python3 - "$(sed -n 's/^freshet view: //p' address)" <<'PYTHON'
import sys
import urllib.request
page = urllib.request.urlopen(sys.argv[1], timeout=20).read().decode()
assert "<canvas" in page, page[:500]
PYTHON
/usr/bin/python3 - <<'PYTHON'
import freshet
assert freshet.__file__.startswith("/usr/lib/python3/dist-packages/"), freshet.__file__
case = freshet.Case(run={"end_time": 1.0}, domain={"cells": [8, 8, 8], "cell_size": 0.1})
case.add("liquid", shape="box", lower=[0, 0, 0], upper=[0.4, 0.4, 0.8])
with freshet.Simulation(case) as sim:
    assert sim.step().particles > 0
    assert freshet.surface(sim).n_triangles > 0
PYTHON
[ -s run.png ] && [ -s dam/meshes/mesh_000000.obj ]
/usr/bin/python3 - $share <<'PYTHON'
import re
import sys
from pathlib import Path
share = Path(sys.argv[1])
pages = sorted(share.rglob("*.md"))
code = re.compile(r"^```.*?^```|`[^`\n]*`", re.MULTILINE | re.DOTALL)
links = [(page, link) for page in pages for link in re.findall(r"\]\(([^)#\s]+)", code.sub("", page.read_text(encoding="utf-8")))
         if "://" not in link]
dead = [f"{page.relative_to(share)}: {link}" for page, link in links if not (page.parent / link).exists()]
assert len(pages) > 30 and len(links) > 200 and not dead, (len(pages), len(links), dead)
PYTHON
sed -n '/^freshet=/,/^\[ -n/p' $share/jobs/many_nodes.sbatch >find_program
(. ./find_program && [ "$freshet" = /usr/bin/freshet ])
echo "the package runs a case, draws it, shows it in a browser, steps from Python, and brings its pages"
