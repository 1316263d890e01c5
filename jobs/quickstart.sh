#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From a clone to pictures: installs what is missing, builds, runs the dam break and draws it.
# usage: jobs/quickstart.sh [--ranks N] [--threads N]
# srun starts the run inside a Slurm allocation, mpirun elsewhere.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() { sed -n '3,5s/^# //p' jobs/quickstart.sh; }
ranks=2
threads=
while [ $# -gt 0 ]; do
  case "$1" in
    --ranks | --threads)
      [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || { echo "quickstart: $1 takes a whole number above 0" >&2; exit 2; }
      if [ "$1" = --ranks ]; then ranks=$2; else threads=$2; fi
      shift 2 ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
done

jobs/setup.sh
if [ ! -f build/release/CMakeCache.txt ] && command -v ninja >/dev/null; then export CMAKE_GENERATOR=Ninja; fi
cmake --preset release -DFRESHET_UNITY=ON
cmake --build build/release --parallel "$(nproc)" --target freshet

# The ranks share the cores; each core gets one thread.
cores=$(lscpu -p=Core,Socket 2>/dev/null | grep -v '^#' | sort -u | wc -l)
if [ "$cores" -eq 0 ] || [ "$cores" -gt "$(nproc)" ]; then cores=$(nproc); fi
if [ -z "$threads" ]; then threads=$((cores > ranks ? cores / ranks : 1)); fi
export OMP_NUM_THREADS=$threads

if [ -n "${SLURM_JOB_ID:-}" ] && command -v srun >/dev/null; then
  export OMP_PLACES=cores OMP_PROC_BIND=close
  launch=(srun --ntasks="$ranks" --cpus-per-task="$threads" --cpu-bind=cores)
else
  . jobs/mpi.sh
  launch=(mpirun -np "$ranks")
fi

output=output/dam_break
echo "quickstart: $ranks ranks x $threads threads"
"${launch[@]}" build/release/src/freshet run inputs/dam_break.toml --output-dir "$output" --force
build/release/src/freshet plot run "$output" -o "$output/run.png"
/usr/bin/python3 analysis/render.py "$output" --times 0,0.3,0.42,0.62,0.9,1.4 --columns 3 --size 480x330 --engine vtk \
  --output "$output/snapshots.png"
echo "quickstart: pictures:"
find "$output" -name '*.png' | sort
