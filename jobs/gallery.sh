#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs and draws the papers' scenes of inputs/papers; the last picture is output/gallery/contact_sheet.png.
# A scene that has been run is not run again, unless the program or the scene is newer.
# usage: jobs/gallery.sh [--quick] [--ranks N] [--output DIR] [--scenes 000_1 004 ...] [--force]
#   --quick  runs coarse and short scenes into output/gallery_quick; some minutes instead of hours
set -euo pipefail
cd "$(dirname "$0")/.."
case " $* " in *" --help "* | *" -h "*) sed -n '3,/^set /s/^# //p' jobs/gallery.sh; exit 0 ;; esac

jobs/build.sh freshet
exec /usr/bin/python3 analysis/gallery.py --program build/release/src/freshet "$@"
