#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A scaling study: makes its runs, starts or submits those that are missing, collects what is finished, and draws it.
# The same command resumes a study that was cut, and collects what Slurm has finished since.
# usage: jobs/scaling.sh strong|weak [--case FILE] [--ranks 1,2,4,...] [--threads 1,...] [--submit|--local|--collect]
#                        [--quick] [--output DIR] [--cells N] [--steps N] [--sbatch 'OPTIONS'] [KEY=VALUE...]
#   strong, weak  the same liquid in every run; liquid that grows with the ranks
#   --case FILE   in a weak study it is what one rank gets (default: inputs/benchmark_dam.toml)
#   --submit      each run is a Slurm job, jobs/scaling.sbatch; --sbatch gives options such as '--account=A --time=10'
#   --local       the runs follow each other here, or inside the Slurm allocation that this script was started in (default)
#   --quick       a small dam and few steps; seconds
# FRESHET=PROGRAM takes another program than build/release/src/freshet, and builds none.
set -euo pipefail
started_in=$PWD
cd "$(dirname "$0")/.."
case " $* " in *" --help "* | *" -h "*) sed -n '3,/^set /s/^# //p' jobs/scaling.sh; exit 0 ;; esac

[ -n "${FRESHET:-}" ] || jobs/build.sh freshet
exec /usr/bin/python3 analysis/scaling.py --program "${FRESHET:-build/release/src/freshet}" --directory "$started_in" "$@"
