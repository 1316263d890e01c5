#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# needs: python:numpy python:matplotlib python:scipy python:vtk
# timeout: 300
"""analysis/render.py draws water where the water is, makes movies, and refuses what it cannot draw.

usage: check_pictures.py BUILD_DIRECTORY_OR_EXECUTABLE
"""
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np

import commands
from check_bad_inputs import ROOT, WITHOUT_DAEMON, find_program

sys.path.insert(0, str(ROOT / "analysis"))
from freshet.analysis import Run  # noqa: E402
from picture_scene import surface_of  # noqa: E402
from render import pictures_of  # noqa: E402

CASE = """
run.end_time = 0.1
domain.cells = [16, 16, 16]
domain.cell_size = 0.0625
output.interval = 0.05
output.times = "exact"
output.particles = ["velocity"]
[[liquid]]
shape = "box"
lower = [0.0, 0.0, 0.0]
upper = [0.5, 0.75, 1.0]
[[solid]]
shape = "sphere"
center = [0.75, 0.2, 0.5]
radius = 0.15
"""


def share_of_water(path):
    """Share of the pixels whose blue is far above their red."""
    picture = plt.imread(path)
    return (picture[..., 2] > picture[..., 0] + 0.25).mean()


def check_plane_faces(problems):
    """Solids with plane faces are drawn by these, and end at the box."""
    box = np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]])
    slope = {"shape": "half_space", "point": [0.5, 0.0, 0.0], "normal": [-1.0, 1.0, 0.0]}
    turned = {"shape": "box", "lower": [-1.0, 0.2, 0.2], "upper": [0.5, 0.4, 0.6],
              "rotate": {"axis": [0, 0, 1], "angle": 90.0, "center": [0.5, 0.5, 0.5]}}
    for shape, volume in ((slope, 0.125), (turned, 0.04)):
        points, triangles = surface_of(shape, box)
        corners = points[triangles]
        found = np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6
        if abs(found - volume) > 1e-6 or points.min() < 0 or points.max() > 1:
            problems.append(f"{shape['shape']}: {found} m^3 instead of {volume}")
    if surface_of({"shape": "box", "lower": [2.0, 2.0, 2.0], "upper": [3.0, 3.0, 3.0]}, box) is not None:
        problems.append("a box outside of the domain is drawn")


def main():
    program = find_program(sys.argv[1])
    problems = []
    check_plane_faces(problems)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run = folder / "run"
        (folder / "case.toml").write_text(CASE)
        commands.run(program, ["run", folder / "case.toml", "--output-dir", run]).check_returncode()

        def render(*words):
            return subprocess.run([sys.executable, str(ROOT / "analysis/render.py"), *map(str, words), "--engine", "vtk",
                                   "--program", program], env=WITHOUT_DAEMON, capture_output=True, text=True)

        def expect(truth, what):
            if not truth:
                problems.append(what)
        picture = folder / "first.png"
        done = render(run, "--frames", 0, "--size", "320x200", "--output", picture)
        expect(done.returncode == 0 and 0.08 < share_of_water(picture) < 0.5, f"picture: {done.stderr}")
        meshes = sorted(path.name for path in (run / "render/meshes").glob("mesh_*"))
        expect(meshes == ["mesh_000000.ply"], f"one mesh is enough for one picture: {meshes}")
        movie = folder / "film.gif"
        done = render(run, "--size", "160x100", "--orbit", 20, "--output", movie)
        expect(done.returncode == 0 and movie.read_bytes().startswith(b"GIF8"), f"movie: {done.stderr}")
        frames = Run(run).snapshots
        drawn = list(pictures_of(Run(run), frames, run / "render/meshes", SimpleNamespace(
            camera="corner", azimuth=None, elevation=None, orbit=60.0, size=(160, 100))))
        places = [picture.eye.place for picture in drawn]
        expect(np.linalg.norm(places[0] - places[-1]) > 0.5, "the camera turns")
        expect(all(picture.eye.angle == drawn[0].eye.angle for picture in drawn), "the water does not grow and shrink")
        expect(all((picture.sun == drawn[0].sun).all() for picture in drawn), "the light does not turn with the camera")
        expect(drawn[0].sun @ drawn[0].up > 0.5 and drawn[0].sun @ (places[0] - drawn[0].eye.target) > 0,
               "the light comes from above, and from the camera's side")
        sheet = folder / "sheet.png"
        done = render(run, "--count", 2, "--columns", 2, "--size", "160x100", "--output", sheet)
        expect(done.returncode == 0 and plt.imread(sheet).shape[1] == 320, f"sheet: {done.stderr}")
        refusals = (((run, "--frames", "0:7"), "frame 7 does not exist"), ((folder / "nothing",), "holds no run"),
                    ((run, "--frames", "x"), "no range"), ((run, "--output", "x.avi"), ".avi"),
                    ((run, "--meshes", folder), "is missing"), ((run, "--size", "7x7"), "invalid"))
        for words, part in refusals if commands.NIGHTLY else refusals[:2]:
            done = render(*words)
            expect(done.returncode == 2 and part in done.stderr, f"{words}: {done.returncode}, {done.stderr}")
    for problem in problems:
        print(f"FAILED: {problem}")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
