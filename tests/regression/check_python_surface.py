#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# needs: python:numpy
# timeout: 300
"""freshet.surface(): volume, area and distance of a ball; walls and solids; the same numbers on 1, 2 and 3 ranks and in the files of
the program; what is wrong is refused on all ranks.

usage: check_python_surface.py BUILD_DIRECTORY        (with --inside FOLDER: the part that runs on each rank)
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "jobs"))
from mpi_settings import mpi_settings  # noqa: E402

CELL, RADIUS, CENTRE = 1 / 32, 0.2, np.array([0.31, 0.27, 0.3])  # [m]
DROP = {"run": {"end_time": 0.1}, "domain": {"cells": [24, 24, 24], "cell_size": 1 / 24},
        "liquid": [{"shape": "box", "lower": [0, 0, 0], "upper": [1, 0.3, 1], "tag": 3},
                   {"shape": "sphere", "center": [0.5, 0.6, 0.5], "radius": 0.15}],
        "solid": [{"shape": "sphere", "center": [0.2, 0.3, 0.2], "radius": 0.12}]}


def lattice(inside):
    """Particles where `inside` is true, eight a cell in the middles of its eighths."""
    x = np.arange(CELL / 4, 1.0, CELL / 2)
    x = np.stack(np.meshgrid(x, x, x, indexing="ij"), axis=-1).reshape(-1, 3)
    return x[inside(x)]


def ball():
    return lattice(lambda x: np.linalg.norm(x - CENTRE, axis=1) < RADIUS)


def refused(freshet, part, *words, **options):
    try:
        freshet.surface(*words, **options)
    except freshet.InputError as error:
        assert part in str(error), (part, str(error))
    else:
        raise AssertionError(f"this is not refused: {part}")


def check_ball(freshet, rank, size):
    """A closed surface that encloses the particles' volume. Theory: n (CELL/2)^3, 4 pi r^2, phi = |x - c| - r."""
    x = ball()
    surface = freshet.surface(x[rank::size], cell_size=CELL)
    volume = len(x) * (CELL / 2)**3
    assert surface.is_closed and surface.components == 1, surface
    assert abs(surface.volume / volume - 1) < 1e-3, (surface.volume, volume)  # volume = "kept"
    r = np.cbrt(3 * volume / (4 * np.pi))
    assert abs(surface.area / (4 * np.pi * r**2) - 1) < 0.03, surface.area  # a lattice's steps, smoothed by 1.5 cells
    out = (surface.vertices - CENTRE) / np.linalg.norm(surface.vertices - CENTRE, axis=1)[:, None]
    assert np.einsum("vi,vi->v", out, surface.normals).min(initial=1.0) > 0.7
    set_ = surface.level_set
    k, j, i = np.meshgrid(*[np.arange(8)] * 3, indexing="ij")
    places = set_.first_cell[:, None, None, None, :] + np.stack([i, j, k], axis=-1)
    exact = np.linalg.norm(np.array(set_.origin) + set_.cell_size * places - CENTRE, axis=-1) - r
    near = abs(set_.phi) < 0.5 * set_.band
    assert set_.cell_size == CELL / 2 and abs(set_.phi).max(initial=0.0) <= np.float32(set_.band)
    assert abs(set_.phi - exact)[near].max(initial=0.0) < 0.5 * CELL, abs(set_.phi - exact)[near].max(initial=0.0)
    if size == 1:
        phi, low = set_.values()
        assert abs((phi < 0).sum() * set_.cell_size**3 / volume - 1) < 0.02  # the inside is filled in
        at = np.round((CENTRE - low) / set_.cell_size).astype(int)
        assert phi[at[2], at[1], at[0]] <= -0.99 * set_.band and phi[0, 0, 0] >= 0.99 * set_.band
    return surface


def check_options(freshet, rank, size):
    x = ball()[rank::size]
    tags = np.where(x[:, 0] < CENTRE[0], 3, 8)
    surface = freshet.surface(x, CELL, resolution=1, attributes={"tag": tags, "place": x}, volume="as_made")
    assert set(np.unique(surface.attributes["tag"])) <= {3.0, 8.0}  # integers are chosen, not averaged
    away = abs(surface.vertices[:, 0] - CENTRE[0]) > 2 * CELL
    assert ((surface.attributes["tag"] == 3) == (surface.vertices[:, 0] < CENTRE[0]))[away].all()
    assert abs(surface.attributes["place"] - surface.vertices).max(initial=0.0) < CELL
    radius = freshet.surface(x, CELL, radius=np.full(len(x), 0.8 * CELL))
    assert radius.volume > freshet.surface(x, CELL, radius=np.full(len(x), 0.5 * CELL)).volume
    # water between walls: its surface is the plane y = 0.5, and open where it touches them
    tank = {"cells": [32, 32, 32]}
    half = lattice(lambda x: x[:, 1] < 0.5)[rank::size]
    plane = freshet.surface(half, CELL, domain=tank)
    assert abs(plane.vertices[:, 1] - 0.5).max(initial=0.0) < 0.05 * CELL and abs(plane.area - 1.0) < 1e-3 and not plane.is_closed
    closed = freshet.surface(half, CELL, domain=tank, solids=[{"shape": "sphere", "center": [0.5, 0.5, 0.5], "radius": 0.2}])
    assert abs(closed.area - (1.0 - np.pi * 0.2**2)) < 0.02, closed.area  # the sphere takes its section out of the plane
    empty = freshet.surface(np.zeros((0, 3)), CELL)
    assert empty.n_vertices == 0 and empty.volume == 0.0 and len(empty.level_set.phi) == 0


def check_simulation(freshet, rank, size, folder):
    """The surface of a simulation, also when the simulation is closed."""
    sim = freshet.Simulation(dict(DROP, output={"surface": {"attributes": ["tag"]}}))
    while not sim.is_over:
        sim.step()
    before = sim.epoch
    surface = freshet.surface(sim, resolution=1)
    assert sim.epoch == before and list(surface.attributes) == ["tag"]
    positions = sim.particles.position
    again = freshet.surface(positions, sim.cell_size, resolution=1, domain=DROP["domain"], solids=DROP["solid"])
    assert abs(again.volume / surface.volume - 1) < 1e-6 and again.n_triangles == surface.n_triangles
    finer = freshet.surface(sim, resolution=2, attributes=["velocity"])
    assert finer.n_vertices > 3 * surface.n_vertices and list(finer.attributes) == ["velocity"]
    for place in range(sim.size):  # a rank may be without liquid
        assert len(surface.vertices) == len(surface.normals) == len(surface.attributes["tag"])
    refused(freshet, "output.surface.resolution", sim, resolution=9)
    refused(freshet, "resolutoin", sim, resolutoin=2)
    refused(freshet, "cell_size is given beside a Simulation", sim, 0.1)
    surface.write(folder / f"drop_{size}.ply")
    whole = surface.gather()
    assert len(whole.vertices) == (surface.n_vertices if rank == 0 else 0)
    sim.close()
    surface.write(folder / f"closed_{size}.obj")
    assert surface.vertices.sum() == np.array(surface.vertices).sum()
    return whole


def check_mistakes(freshet, rank, size):
    x = ball()
    refused(freshet, "cell_size is missing", x)
    refused(freshet, "output.surface.resolution", x, CELL, resolution=7)
    refused(freshet, "resolutoin", x, CELL, resolutoin=2)
    refused(freshet, "in 2-D", x, CELL, domain={"cells": [8, 8], "dimension": 2})
    refused(freshet, "outside of the domain", x, CELL, domain={"cells": [4, 4, 4]})
    refused(freshet, "spread over a box", [[0, 0, 0], [1e9, 1e9, 1e9]], CELL)
    refused(freshet, "another method", x, CELL, radius=np.ones(len(x)), method="anisotropic")
    refused(freshet, "a dict of names and arrays", x, CELL, attributes=["velocity"])
    # what is wrong on the last rank alone is refused on all
    mine = np.full((4, 3), np.nan if rank == size - 1 else 0.5)
    refused(freshet, "positions: nan", mine, CELL)
    refused(freshet, "positions", [[0.5, 0.5]] if rank == size - 1 else x, CELL)


def check_narrow_band(freshet):
    """Particles near the surface only make no surface, and know of no source."""
    pool = dict(DROP, run={"end_time": 0.02}, particles={"band": 4},
                liquid=[{"shape": "box", "lower": [0, 0, 0], "upper": [1, 0.3, 1]}])
    sim = freshet.Simulation(pool)
    refused(freshet, "narrow band", sim)
    try:
        sim.add_source(lambda time, dt: None)
    except freshet.InputError as error:
        assert "particles.band" in str(error), error
    else:
        raise AssertionError("a source beside a narrow band is not refused")
    sim.close()


def inside(folder):
    import freshet
    first = freshet.Simulation(DROP)
    rank, size = first.rank, first.size
    first.close()
    surface = check_ball(freshet, rank, size)
    check_options(freshet, rank, size)
    whole = check_simulation(freshet, rank, size, folder)
    check_mistakes(freshet, rank, size)
    check_narrow_band(freshet)
    if rank == 0:
        numbers = [surface.volume, surface.area, surface.n_vertices, surface.n_triangles, whole.volume,
                   float(np.float64(whole.vertices).sum()), int(whole.triangles.sum())]
        (folder / f"numbers_{size}.json").write_text(json.dumps(numbers))


def main():
    if sys.argv[1] == "--inside":
        return inside(Path(sys.argv[2]))
    build = Path(sys.argv[1]).resolve()
    if not list((build / "python/freshet").glob("_freshet*.so")):
        print("skipped: this build has no compiled part of the Python package")
        return 77
    env = {**os.environ, **mpi_settings(os.environ), "PYTHONPATH": str(build / "python"), "OMP_NUM_THREADS": "1",
           "PYTHONDONTWRITEBYTECODE": "1"}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for ranks in (1, 2, 3):
            done = subprocess.run(["mpirun", "-np", str(ranks), sys.executable, __file__, "--inside", name], env=env,
                                  capture_output=True, text=True, timeout=200)
            assert done.returncode == 0, f"{ranks} ranks:\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
        numbers = [json.loads((folder / f"numbers_{ranks}.json").read_text()) for ranks in (1, 2, 3)]
        assert numbers[0][:4] == numbers[1][:4] == numbers[2][:4], numbers  # given particles: the same bits
        check_program(build, folder, env)
    print("surfaces from Python are right")
    return 0


def check_program(build, folder, env):
    """The program writes the same bytes of the same particles."""
    sys.path.insert(0, str(build / "python"))
    from freshet.case import Case
    case = Case(dict(DROP, output={"surface": {"interval": 0.1, "resolution": 1, "attributes": ["tag"]}}))
    (folder / "drop.toml").write_text(case.text())
    subprocess.run([build / "src/freshet", "run", folder / "drop.toml", "--output-dir", folder / "run"], env=env, check=True,
                   capture_output=True, timeout=100)
    last = sorted((folder / "run/surfaces").glob("*.ply"))[-1]
    assert last.read_bytes() == (folder / "drop_1.ply").read_bytes(), last


if __name__ == "__main__":
    sys.exit(main())
