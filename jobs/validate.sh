#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compares freshet with experiments (Martin & Moyce 1952; SPHERIC 2 / MARIN) and with exact solutions (water at rest, free fall,
# standing wave, Taylor-Green, Enright, Zalesak, sloshing, wave tank, wet bed, solitary wave, run-up, rotation, orifice, turbulent
# channels; of trapped air: pistons, columns, a diving cup, rising bubbles, a closing pocket; of bodies that the water moves: first
# accelerations, decay of heave, drafts, a square bar, roll, a box in waves by Ren et al. 2015, a plug, a leaping ball, two hundred
# stirred discs, discs and an ellipse alone in a full tank), most on three grids. Prints a line for each figure, with its goal where
# there is one, and what published codes reach where
# that is known; then the figures grid by grid. Draws the experiments into output/validate/.
# One set of parameters for all cases, the defaults: labels.surface = "level_set", density.correction = "implicit" and
# separating walls, sticky ones with trapped air and with such bodies. Zalesak and Enright prescribe their flow, and solve for
# no pressure.
# usage: jobs/validate.sh [--quick] [--dear] [--only CASE...] [--surfaces KIND...] [--ranks N] [--json FILE]
#                         [--page FILE] [--set KEY=VALUE...]
#   --quick      two coarse grids: some 30 minutes on 2 cores; without it hours
#   --dear       also cases that take many hours: taylor_green_1600, and the settings, gates and air of dam breaks
#   --only       cases by name: martin_moyce, spheric02_marin, hydrostatic, standing_wave, ...; of bodies let_go,
#                cylinder_decay, sphere_decay, sphere_at_its_radius, square_bar, draft, roll, box_in_waves, hard_bodies, gliding_disc,
#                rising_disc, kirchhoff_ellipse
#   --surfaces   runs every case with these values of labels.surface, voxels or level_set or both, not with level_set alone
#   --ranks N    ranks of MPI for each run, 1 by default, with as many threads as there are cores for each
#   --json FILE  also writes the records `case, quantity, metric, value, bound, reference` as a list
#   --page FILE  also writes what was run on all grids into the rows of this page, analysis/figures/validation.md, and draws them
#   --set        keys for all cases, as freshet run takes them: particles.band=4
set -euo pipefail
started_in=$PWD
cd "$(dirname "$0")/.."
case " $* " in *" --help "* | *" -h "*) sed -n '3,/^set /s/^# //p' jobs/validate.sh; exit 0 ;; esac

arguments=()
while [ $# -gt 0 ]; do
  if { [ "$1" = --json ] || [ "$1" = --page ]; } && [ $# -gt 1 ]; then
    case $2 in /*) arguments+=("$1" "$2") ;; *) arguments+=("$1" "$started_in/$2") ;; esac
    shift 2
  else
    arguments+=("$1")
    shift
  fi
done

jobs/build.sh freshet
export OMP_WAIT_POLICY=passive
exec /usr/bin/python3 analysis/validate.py --program build/release/src/freshet "${arguments[@]}"
