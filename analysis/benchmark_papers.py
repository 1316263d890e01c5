#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Times the scenes of three papers and prints the papers' tables beside our times.

The papers' times are those they print, on machines of 2011 and 2012 with 8 cores; they say what the scene is, not how two
programs compare on one machine. A frame of Salomonsson's tables is one step, and holds its surface and its saving.
"""
import argparse
import json
import math
import os
import statistics
import tempfile
from pathlib import Path

from benchmark import NOT_STEPS, read_run, read_steps
from launch import add_json_options, run, write_records

STEPS = 6  # of the ball; the first one makes what the others keep, and does not count

# Salomonsson 2011, Tables 1 and 2: seconds a frame on 0 (serial), 2, 4, 6 and 8 threads
THREADS = (0, 2, 4, 6, 8)
FRAMES = {
    ("PIC", 32): (46758, 2.791, 1.563, 0.947, 0.772, 0.668),
    ("PIC", 64): (375794, 21.283, 11.868, 6.751, 5.118, 4.320),
    ("PIC", 128): (3009586, 179.017, 94.846, 52.597, 40.320, 32.677),
    ("PIC", 256): (24091194, 1533.330, 862.151, 517.800, 409.979, 353.789),
    ("FLIP", 32): (46758, 2.722, 1.582, 0.923, 0.749, 0.648),
    ("FLIP", 64): (375794, 21.328, 12.275, 7.219, 5.510, 4.670),
    ("FLIP", 128): (3009532, 194.329, 104.868, 61.681, 49.150, 40.726),
    ("FLIP", 256): (24091423, 1542.160, 866.895, 519.885, 408.224, 353.722),
}
# Table 3: seconds of a FLIP frame at 128^3 on 8 threads and serial, and our phases that do the same
BREAKDOWN = (
    ("Particle to grid", 1.403, 9.734, ("sort", "deposit", "grid")),
    ("External forces", 0.426, 0.425, ("forces",)),
    ("Extrapolation", 0.055, 0.057, ("extrapolate",)),
    ("Incompressible", 1.039, 1.727, ("labels", "pressure")),
    ("Grid to Particle", 0.441, 1.325, ("blend",)),
    ("Advection", 1.214, 4.022, ("move", "migrate")),
    ("Surfacing", 21.057, 156.458, ("surface",)),
    ("Save to disk", 15.804, 16.276, ("save",)),
)
# Ioannidis 2012, section 7.3.2: 100 frames of the figure of 55047 particles without and with OpenMP [s]
FIGURE_SERIAL, FIGURE_OPENMP, FIGURE_FRAMES = 6.83 * 60, 3.33 * 60, 100
# Englesson et al. 2011, Table 2: particles and simulation of 250 frames [s]
CASES = (("004_1_dam_flip", 917600, 34 * 60), ("004_2_dam_pic", 917600, 18 * 60), ("004_3_dam_figure", 595200, 25 * 60),
         ("004_4_falling_cube", 438976, 8 * 60), ("004_5_splashing_figure", 402880, 7 * 60))
ALL_FRAMES, FRAME = 250, 0.02  # [s]
GROWTH_ROUNDS = 5


def layouts(quick):
    """(ranks, threads): one core, and all cores by threads and by ranks; powers of two between them."""
    cores = os.cpu_count() or 1
    counts = [c for c in (1, 2, 4, 8, 16, 32, 64, 128) if c < cores] + [cores]
    if quick:
        counts = sorted({1, cores})
    return [(1, c) for c in counts] + ([(cores, 1)] if cores > 1 else [])


def measure(program, words, ranks, threads):
    """(steps.csv, timers.json) of a run, as dictionaries."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "run"
        run([program, "run", *words, "checkpoint.wall_interval=0", "--output-dir", str(output)], ranks, threads)
        record = read_run(str(output))
        return read_steps(output / "steps.csv"), json.loads((output / "timers.json").read_text()), record


def time_ball(program, method, n, ranks, threads):
    """The record of the ball on n^3 cells: seconds of a frame, of saving it, and of its phases."""
    words = ["inputs/papers/003_sphere_32.toml", f"domain.cells=[{n},{n},{n}]", f"domain.cell_size={1.0 / n!r}",
             f"transfer.flip_fraction={1.0 if method == 'FLIP' else 0.0}", f"run.max_steps={STEPS}", "output.interval=0"]
    steps, timers, record = measure(program, words, ranks, threads)
    phases = {phase["name"]: phase["max"] / timers["steps"] for phase in timers["phases"]}
    saving = next(phase for phase in timers["phases"] if phase["name"] == "output")
    for name in NOT_STEPS:
        phases.pop(name, None)
    phases["save"] = saving["max"] / saving["calls"]
    return {"table": "Salomonsson", "method": method, "grid": n, "ranks": ranks, "threads": threads,
            "particles": record["particles"], "seconds": statistics.median(steps["seconds"][1:]), "saving": phases["save"],
            "phases": phases, "memory": timers["memory"]["total"]}


def print_ball(records, method, number):
    layouts_ = list(dict.fromkeys((r["ranks"], r["threads"]) for r in records))
    print(f"\nSalomonsson 2011, Table {number}: seconds of a frame of {method}; his with surface and saving, ours without / with saving")
    heads = "".join(f"{f'{t} threads':>11}" for t in THREADS) + "".join(f"{f'ours {r}x{t}':>20}" for r, t in layouts_)
    print(f"{'particles':>10}{'ours':>10}{'grid':>7}{heads}")
    for (name, n), row in FRAMES.items():
        ours = {(r["ranks"], r["threads"]): r for r in records if (r["method"], r["grid"]) == (name, n)}
        if name != method or not ours:
            continue
        cells = "".join(f"{ours[at]['seconds']:10.4f} / {ours[at]['seconds'] + ours[at]['saving']:7.4f}" for at in layouts_)
        print(f"{row[0]:10d}{next(iter(ours.values()))['particles']:10d}{f'{n}^3':>7}" + "".join(f"{t:11.3f}" for t in row[1:]) + cells)


def print_breakdown(records):
    """Table 3, on the largest of the grids up to 128^3 that was run."""
    grids = [r["grid"] for r in records if r["method"] == "FLIP" and r["grid"] <= 128]
    if not grids:
        return
    chosen = [r for r in records if r["method"] == "FLIP" and r["grid"] == max(grids)]
    names = [f"ours {r['ranks']}x{r['threads']}" for r in chosen]
    print(f"\nSalomonsson 2011, Table 3: seconds of a FLIP frame, his on 128^3, ours on {max(grids)}^3 ({chosen[0]['particles']} particles)")
    print(f"{'step':18}{'8 threads':>11}{'0 threads':>11}" + "".join(f"{name:>12}" for name in names))
    known = {name for *_, names in BREAKDOWN for name in names}
    for step, eight, serial, names in BREAKDOWN:
        ours = [sum(r["phases"].get(name, 0.0) for name in names) for r in chosen]
        print(f"{step:18}{eight:11.3f}{serial:11.3f}" + "".join(f"{t:12.4f}" if t > 0.0 else f"{'-':>12}" for t in ours))
    print(f"{'(other)':18}{'':22}" + "".join(f"{sum(t for name, t in r['phases'].items() if name not in known):12.4f}" for r in chosen))
    print(f"{'Total':18}{41.499:11.3f}{190.071:11.3f}" + "".join(f"{r['seconds'] + r['saving']:12.4f}" for r in chosen))


def time_figure(program, ranks, threads, frames):
    words = ["inputs/papers/000_5_bullet.toml", f"run.max_steps={frames}", "output.interval=0"]
    steps, _, record = measure(program, words, ranks, threads)
    return {"table": "Ioannidis", "ranks": ranks, "threads": threads, "particles": record["particles"],
            "frames": len(steps["seconds"]), "seconds": sum(steps["seconds"])}


def print_figure(records):
    frames = records[0]["frames"]
    scale = frames / FIGURE_FRAMES
    print(f"\nIoannidis 2012, section 7.3.2: a figure of 55047 particles, {frames} frames [s]")
    print(f"{'without OpenMP':18}{scale * FIGURE_SERIAL:10.2f}\n{'with OpenMP':18}{scale * FIGURE_OPENMP:10.2f}")
    for r in records:
        name = f"ours {r['ranks']}x{r['threads']}"
        print(f"{name:18}{r['seconds']:10.2f}   ({r['particles']} particles, with the bullet)")


def time_growth(program, grids):
    """Records of the FLIP ball on one core, from the smallest grid to the largest: all grids in turn, the fastest of the rounds."""
    rounds = [[time_ball(program, "FLIP", n, 1, 1) for n in sorted(grids)] for _ in range(GROWTH_ROUNDS)]
    return [{**min(of_grid, key=lambda record: record["seconds"]), "table": "Ioannidis, 7.3"} for of_grid in zip(*rounds)]


def growth_of(records):
    """Exponents k of seconds ~ particles^k from each record to the next."""
    return [math.log(b["seconds"] / a["seconds"]) / math.log(b["particles"] / a["particles"]) for a, b in zip(records, records[1:])]


def print_growth(records):
    print("\nIoannidis 2012, section 7.3: time of a step against the number of particles, one core; his aim: linear, exponent 1")
    print(f"{'particles':>10}{'grid':>8}{'ms a step':>12}{'ns a particle':>15}{'exponent':>10}")
    for r, exponent in zip(records, [None, *growth_of(records)]):
        print(f"{r['particles']:10d}{str(r['grid']) + '^3':>8}{1e3 * r['seconds']:12.3f}{1e9 * r['seconds'] / r['particles']:15.1f}"
              + (f"{exponent:10.2f}" if exponent is not None else ""))


def draw_growth(records, path):
    """A picture of the times against the number of particles, beside a line of exponent 1 through the first."""
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    particles, seconds = [r["particles"] for r in records], [r["seconds"] for r in records]
    figure, axes = plt.subplots(figsize=(5, 3.6), layout="constrained")
    axes.plot(particles, [seconds[0] / particles[0] * n for n in particles], color="0.7", label="linear")
    axes.plot(particles, seconds, "o-", label="a step, one core")
    axes.set(xscale="log", yscale="log", xlabel="particles", ylabel="[s]")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path, dpi=110)


def time_case(program, name, ranks, threads, frames):
    words = [f"inputs/papers/{name}.toml", f"run.end_time={frames * FRAME!r}", "output.interval=0"]
    steps, _, record = measure(program, words, ranks, threads)
    return {"table": "Englesson", "case": name, "ranks": ranks, "threads": threads, "particles": record["particles"],
            "frames": frames, "steps": len(steps["seconds"]), "seconds": sum(steps["seconds"])}


def print_cases(records):
    print(f"\nEnglesson et al. 2011, Table 2: simulation, milliseconds a frame (theirs: the mean of {ALL_FRAMES} frames)")
    print(f"{'case':26}{'particles':>10}{'theirs':>10}{'ours':>10}   on")
    for name, particles, seconds in CASES:
        for r in (r for r in records if r["case"] == name):
            print(f"{name:26}{r['particles']:10d}{1e3 * seconds / ALL_FRAMES:10.0f}{1e3 * r['seconds'] / r['frames']:10.1f}   "
                  f"{r['ranks']}x{r['threads']}, the first {r['frames']} frames, {r['steps']} steps")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="the freshet binary")
    parser.add_argument("--quick", action="store_true", help="no grid above 64^3, few frames")
    parser.add_argument("--grids", help="of the ball, separated by commas")
    parser.add_argument("--methods", default="PIC,FLIP", help="of the ball, separated by commas")
    parser.add_argument("--frames", type=int, help="of the scenes of Englesson et al. and, at most, of Ioannidis")
    parser.add_argument("--picture", help="file for a picture of the part growth")
    parser.add_argument("--parts", default="salomonsson,ioannidis,growth,englesson", help="which tables, separated by commas")
    add_json_options(parser)
    arguments = parser.parse_args()
    grids = [int(n) for n in (arguments.grids or ("32,64" if arguments.quick else "32,64,128,256")).split(",")]
    frames = arguments.frames or (3 if arguments.quick else ALL_FRAMES)
    records = []
    if "salomonsson" in arguments.parts:
        methods = arguments.methods.split(",")
        records += [time_ball(arguments.program, method, n, ranks, threads) for method in methods for n in grids
                    for ranks, threads in layouts(arguments.quick)]
        for method in methods:
            print_ball(records, method, 1 if method == "PIC" else 2)
        print_breakdown(records)
    if "ioannidis" in arguments.parts:
        figure = [time_figure(arguments.program, ranks, threads, min(FIGURE_FRAMES, arguments.frames or (20 if arguments.quick else FIGURE_FRAMES)))
                  for ranks, threads in layouts(arguments.quick)]
        print_figure(figure)
        records += figure
    if "growth" in arguments.parts:
        growth = time_growth(arguments.program, grids)
        print_growth(growth)
        if arguments.picture:
            draw_growth(growth, os.path.join(arguments.directory, arguments.picture))
        records += growth
    if "englesson" in arguments.parts:
        fastest = layouts(arguments.quick)[-1]
        cases = [time_case(arguments.program, name, *fastest, frames) for name, *_ in CASES]
        print_cases(cases)
        records += cases
    write_records(records, arguments)


if __name__ == "__main__":
    main()
