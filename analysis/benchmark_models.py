#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Times a step of the same scene with and without what water is shipped with, eddies, wall laws, trapped air, bodies, or a narrow band,
in turn.

A time is the wall-clock time of all steps but the first over their number. Each round runs all settings of a scene once; a
ratio is the median of the rounds' ratios to the scene's first setting, with the smallest and the largest in brackets; the second ratio is
that of the times of a simulated second, as settings take steps of other lengths. Memory is that of all ranks, at the end.
"""
import argparse
import itertools
import os
import statistics
import tempfile

from benchmark import read_steps
from benchmark_against import layouts_of
from benchmark_cases import PLAIN, WATER
from launch import add_json_options, run, write_records

WALL_LAW = [f"domain.boundary.{axis}_{end}=wall_law" for axis in "xyz" for end in ("low", "high")]
SMOOTH, ROUGH = [*WALL_LAW, "fluid.viscosity=0.001"], [*WALL_LAW, "domain.roughness=0.0005"]
STICKY = ["pressure.walls.condition=sticky"]


def pool_with_pockets():
    """A pool with 96 balls of air in it, as the text of a case."""
    balls = ",\n  ".join(f'{{ shape = "sphere", center = [{x:.1f}, {y:.3f}, {z:.1f}], radius = 0.055 }}'
                         for x, y, z in itertools.product([0.1 + 0.2 * i for i in range(6)], [0.125 + 0.2 * i for i in range(4)],
                                                          [0.1 + 0.2 * i for i in range(4)]))
    return ('run.end_time = 0.3\ntime.max_dt = 0.01\ndomain.cells = [48, 44, 32]\ndomain.cell_size = 0.025\noutput.interval = 0\n'
            '[[liquid]]\nshape = "difference"\nparts = [{ shape = "box", lower = [0.0, 0.0, 0.0], upper = [1.2, 0.9, 0.8] },\n  '
            f'{balls}]\n')


def sloshing_pool(n, is_moved):
    """A pool of 48^3 cells that sloshes, with n^3 balls on and in it (n = 0: none), which the liquid moves or which stay. As the text
    of a case.
    """
    text = ('run.end_time = 0.4\ndomain.cells = [48, 48, 48]\ndomain.cell_size = 0.02\noutput.interval = 0\n[[liquid]]\nshape = "box"\n'
            'lower = [0.0, 0.0, 0.0]\nupper = [0.96, 0.72, 0.96]\nvelocity = [0.4, 0.0, 0.2]\n')
    along = [(i + 0.5) * 0.96 / n for i in range(n)]
    places, radius = ([(0.48, 0.7, 0.48)], 0.1) if n == 1 else (itertools.product(along, repeat=3), 0.06)
    for i, (x, y, z) in enumerate(places):
        text += f'[[solid]]\nshape = "sphere"\ncenter = [{x:.5f}, {y:.5f}, {z:.5f}]\nradius = {radius}\n'
        text += f"body.density = {300.0 + 1000.0 * (i * 0.618034 % 1.0):.1f}\n" if is_moved else ""
    return text


def deep_pool():
    """A pool of 48 x 48 cells, 50 deep, with a step of 4 cells in its surface, as the text of a case."""
    return ('run.end_time = 1.5\ndomain.cells = [48, 64, 48]\ndomain.cell_size = 0.02\noutput.interval = 0\n[[liquid]]\nshape = "union"\n'
            'parts = [{ shape = "box", lower = [0.0, 0.0, 0.0], upper = [0.48, 1.04, 0.96] },\n'
            '         { shape = "box", lower = [0.48, 0.0, 0.0], upper = [0.96, 0.96, 0.96] }]\n')


def scenes_of():
    """{scene: [(setting, the case's text or file, words)]}; the first setting of a scene is what the others are compared with."""
    dam = "inputs/dam_break.toml"
    short = ["run.end_time=0.5", "output.interval=0"]
    pockets = pool_with_pockets()
    water = {"plain": PLAIN, **{f"{key.rpartition('.')[2]} {value}": PLAIN | {key: value} for key, value in WATER.items()}, "as shipped": WATER}
    return {
        "water": [(name, dam, ["run.end_time=1.0", "output.interval=0", *(f"{key}={value}" for key, value in keys.items())])
                  for name, keys in water.items()],
        "walls": [(name, dam, [*short, *words]) for name, words in {
            "none": [], "viscosity 0.001": ["fluid.viscosity=0.001"], "smagorinsky": ["turbulence.model=smagorinsky"],
            "wale": ["turbulence.model=wale"], "rough wall law": ROUGH, "smooth wall law": SMOOTH,
            "smooth, smagorinsky": [*SMOOTH, "turbulence.model=smagorinsky"]}.items()],
        "no_bubble": [(name, dam, [*short, *STICKY, f"air.bubbles={name}"]) for name in ("off", "incompressible", "compressible")],
        "bubbles": [(name, pockets, [*STICKY, f"air.bubbles={name}"]) for name in ("off", "incompressible", "compressible")],
        "bodies": [(name, sloshing_pool(*balls), STICKY) for name, balls in {  # sticky, as cases with bodies choose
            "none": (0, False), "a ball at rest": (1, False), "a ball that floats": (1, True), "125 balls at rest": (5, False),
            "125 balls that move": (5, True)}.items()],
        "band": [(name, deep_pool(), words) for name, words in {  # a band turns the correction off
            "everywhere, no correction": ["density.correction=off"], "band, no correction": ["particles.band=4"],
            "everywhere": [], "band": ["particles.band=4", "density.correction=implicit"]}.items()],
    }


def measure(arguments, ranks, threads, case, words):
    """Milliseconds a step, seconds a simulated second, iterations a step of the pressure and of the density correction, and megabytes, of
    one run.
    """
    with tempfile.TemporaryDirectory() as directory:
        path = case
        if "\n" in case:
            path = os.path.join(directory, "case.toml")
            with open(path, "w") as file:
                file.write(case)
        output = os.path.join(directory, "run")
        limit = [f"run.max_steps={arguments.steps}"] if arguments.steps else []
        run([arguments.program, "run", path, *words, *limit, "checkpoint.wall_interval=0", "--output-dir", output], ranks, threads)
        steps = read_steps(os.path.join(output, "steps.csv"))
    mean = {name: statistics.mean(steps[name][1:]) for name in ("seconds", "iterations", "density_iterations")}
    per_second = sum(steps["seconds"][1:]) / sum(steps["dt"][1:])
    return 1e3 * mean["seconds"], per_second, mean["iterations"], mean["density_iterations"], 1e-6 * steps["memory"][-1]


def compare(arguments, scene, settings, ranks, threads):
    """Runs all settings in turn on ranks x threads, prints a line for each, and returns their records."""
    times = {name: [] for name, _, _ in settings}
    per_second = {name: [] for name, _, _ in settings}
    last = {}
    for turn in range(arguments.rounds):
        for name, case, words in settings if turn % 2 == 0 else settings[::-1]:
            last[name] = measure(arguments, ranks, threads, case, words)
            times[name].append(last[name][0])
            per_second[name].append(last[name][1])
    first = settings[0][0]
    print(f"\n{f'{scene}, over {first}, {ranks} x {threads}':32}{'ms a step':>10}{'ratio':>8}  {'of rounds':16}{'a second':10}MB   "
          "iterations: pressure, density")
    records = []
    for name, _, _ in settings:
        ratios = [one / base for one, base in zip(times[name], times[first])]
        ratio_of_second = statistics.median(one / base for one, base in zip(per_second[name], per_second[first]))
        record = {"case": scene, "setting": name, "ranks": ranks, "threads": threads,
                  "ms_per_step": statistics.median(times[name]), "ratio": statistics.median(ratios), "spread": [min(ratios), max(ratios)],
                  "ratio_of_second": ratio_of_second, "iterations": last[name][2], "density_iterations": last[name][3],
                  "megabytes": last[name][4]}
        print(f"{name:32}{record['ms_per_step']:10.1f}{record['ratio']:8.2f}  ({min(ratios):.2f} to {max(ratios):.2f})  "
              f"{ratio_of_second:8.2f}  {last[name][4]:3.0f}  {last[name][2]:.1f}, {last[name][3]:.1f}", flush=True)
        records.append(record)
    return records


def main():
    scenes = scenes_of()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="the freshet binary")
    parser.add_argument("--scenes", nargs="+", choices=scenes, default=list(scenes), help="which scenes (default: all)")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each setting")
    parser.add_argument("--steps", type=int, default=0, help="most steps of a run (default: to the end of the scene)")
    parser.add_argument("--layouts", type=layouts_of, default="1x1", help="ranks x threads, separated by commas")
    parser.add_argument("--quick", action="store_true", help="one round of 6 steps")
    add_json_options(parser)
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.rounds, arguments.steps = 1, 6
    write_records([record for name in arguments.scenes for layout in arguments.layouts
                   for record in compare(arguments, name, scenes[name], *layout)], arguments)


if __name__ == "__main__":
    main()
