# SPDX-License-Identifier: Apache-2.0
"""The scenes of the benchmarks of the whole step: words that follow `freshet run`, made in a folder of their own.

A scene is the same for every program that is timed on it, so that two versions of freshet can be compared: its words name
the keys that cost most, whatever the defaults of a version are. Scenes are plain, or water as a new case has it ("_water").
"""
import os
import subprocess

import numpy

from launch import fail

PLAIN = {"labels.surface": "voxels", "pressure.walls.condition": "sticky", "density.correction": "off"}
WATER = {"labels.surface": "level_set", "pressure.walls.condition": "separating", "density.correction": "implicit"}
STICKY_WATER = WATER | {"pressure.walls.condition": "sticky", "density.correction": "off"}  # of honey and the drop as shipped

SHIPPED = ("honey_rope_water", "droplet_water")  # cases of inputs/ with the settings that they have there


def grid_words(n):
    """Overrides for a unit box of n^3 cells."""
    return [f"domain.cells=[{n},{n},{n}]", f"domain.cell_size={1.0 / n!r}"]


def sub_cells(cells, n):
    """The centres of the 8 sub-cells of each cell. (m, 3) integers to (8 m, 3) coordinates in the unit box [m]"""
    quarter = numpy.array([[x, y, z] for x in (0.25, 0.75) for y in (0.25, 0.75) for z in (0.25, 0.75)])
    return ((cells[:, None, :] + quarter[None, :, :]) / n).reshape(-1, 3)


def sheet_cells(n):
    """A wavy sheet that is 2 to 3 cells thick, and a film on one wall, in a box of n^3 cells."""
    i, j, k = numpy.meshgrid(*[numpy.arange(n)] * 3, indexing="ij")
    x, y, z = ((a + 0.5) / n for a in (i, j, k))
    phase = 9.0 * x + 4.0 * z
    height = 0.6 + 0.08 * numpy.sin(phase) + 0.03 * numpy.sin(17.0 * z)
    slope = numpy.hypot(numpy.hypot(1.0, 0.72 * numpy.cos(phase)), 0.32 * numpy.cos(phase) + 0.51 * numpy.cos(17.0 * z))
    film = (i < 2.0 + numpy.sin(11.0 * y + 5.0 * z)) & (y < 0.9)
    return numpy.argwhere((n * numpy.abs(y - height) < 1.25 * slope) | film)


def spray_cells(n):
    """Drops with radii of 0.7 to 3 cells, ten small ones for a large one, in a box of n^3 cells: about 4 % of it."""
    random = numpy.random.default_rng(7)
    liquid = numpy.zeros((n, n, n), dtype=bool)
    for count, low, high in ((n ** 3 // 4000, 1.5, 3.0), (n ** 3 // 400, 0.7, 1.5)):
        for center, radius in zip(random.uniform(4, n - 4, (count, 3)), random.uniform(low, high, count)):
            first = numpy.floor(center - radius).astype(int)
            last = numpy.ceil(center + radius).astype(int) + 1
            box = tuple(slice(a, b) for a, b in zip(first, last))
            points = numpy.stack(numpy.meshgrid(*[numpy.arange(a, b) + 0.5 for a, b in zip(first, last)], indexing="ij"), -1)
            liquid[box] |= ((points - center) ** 2).sum(-1) < radius ** 2
    return numpy.argwhere(liquid)


def write_particles(name, cells, n, folder):
    """A case whose liquid is a file of particles; the path of the case."""
    places = sub_cells(cells, n)
    numpy.savetxt(os.path.join(folder, f"{name}_{n}.csv"), places, fmt="%.7g", delimiter=",", header="x,y,z", comments="")
    path = os.path.join(folder, f"{name}_{n}.toml")
    with open(path, "w") as file:
        file.write(f'title = "Benchmark: {name}"\n[run]\nend_time = 0.25\n[domain]\ncells = [{n}, {n}, {n}]\n'
                   f'cell_size = {1.0 / n!r}\n[[liquid]]\nshape = "particles"\nfile = "{name}_{n}.csv"\n'
                   "[output]\nparticles = []\nxdmf = false\n")
    return path


def case_of(name, folder, commit):
    """A case of inputs/ as it stood in a commit; the path of the case."""
    shown = subprocess.run(["git", "show", f"{commit}:inputs/{name}.toml"], capture_output=True, text=True)
    if shown.returncode != 0:
        fail(f"commit {commit} has no inputs/{name}.toml ({shown.stderr.strip()}). Choose another commit, or other scenes")
    path = os.path.join(folder, f"{name}.toml")
    with open(path, "w") as file:
        file.write(shown.stdout)
    return path


def deep_words(n):
    """Overrides that make the dam a pool, three quarters full, that sloshes a little."""
    return ["liquid.0.upper=[1.0, 0.75, 1.0]", "liquid.0.velocity=[0.3, 0.0, 0.1]", *grid_words(n)]


def words_of(name, folder, commit):
    """What follows `freshet run` for a scene by name: dam_64, dam_64_water, deep_64_water, dam_break, sheet_64, spray_64, ..."""
    kind, _, size = name.removesuffix("_water").rpartition("_")
    n = int(size) if size.isdigit() else 0
    if kind in ("dam", "deep") and n:
        return [case_of("benchmark_dam", folder, commit), *(grid_words(n) if kind == "dam" else deep_words(n))]
    if name in ("dam_break", "dam_break_water"):
        return [case_of("dam_break", folder, commit), "output.interval=0"]
    if name in SHIPPED:
        return [case_of(name.removesuffix("_water"), folder, commit), "output.interval=0"]
    if kind in ("sheet", "spray") and n:
        return [write_particles(kind, sheet_cells(n) if kind == "sheet" else spray_cells(n), n, folder)]
    fail(f"no scene is called '{name}'. Choose of dam_N, deep_N, sheet_N and spray_N, N cells an edge, and dam_break, each also with "
         "_water behind it, honey_rope_water and droplet_water")


def setting_words(program, name):
    """Overrides that make a scene plain, or water, for a program. Programs that are older than a key compute as PLAIN says
    without it, and would refuse it.
    """
    schema = subprocess.run([program, "schema"], capture_output=True, text=True)
    if schema.returncode != 0:
        fail(f"{program} schema ended with {schema.returncode}: {schema.stderr.strip()}. Name a program freshet")
    settings = STICKY_WATER if name in SHIPPED else WATER if name.endswith("_water") else PLAIN
    return [f"{key}={value}" for key, value in settings.items() if key in schema.stdout]
