#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# needs: python:numpy python:h5py prlimit
# timeout: 300
"""`freshet mesh` and [output.surface]: the same bytes on 1, 2 and 3 ranks, frames that are there are kept, and what cannot be
done is refused with an exit code and a message, without files under their final names.

usage: check_surfaces.py BUILD_DIRECTORY_OR_EXECUTABLE
"""
import fcntl
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import h5py
import numpy as np

import commands
from check_bad_inputs import ENVIRONMENT, find_program

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "reliability"))
import checkpoints  # noqa: E402  pylint: disable=wrong-import-position

CASE = """
[run]
end_time = 0.04
[domain]
cells = [16, 16, 16]
cell_size = 0.0625
[[liquid]]
shape = "box"
lower = [0.0, 0.0, 0.0]
upper = [0.5, 0.75, 1.0]
tag = 3
color = [0.25, 0.5, 0.75]
[[solid]]
shape = "sphere"
center = [0.75, 0.1, 0.5]
radius = 0.2
[[attribute]]
name = "layer"
type = "integer"
default = [7]
[output]
interval = 0.02
times = "exact"
particles = ["velocity", "tag", "color", "layer"]
[output.surface]
interval = 0.02
attributes = ["velocity", "tag"]
"""
# A wedge (a ramp with a sharp foot) from a file, and water that runs down on it.
RAMP = """v 0.4 -0.1 -0.1\nv 1.1 -0.1 -0.1\nv 1.1 0.5 -0.1\nv 0.4 -0.1 1.1\nv 1.1 -0.1 1.1\nv 1.1 0.5 1.1
f 1 3 2\nf 4 5 6\nf 1 2 5 4\nf 2 3 6 5\nf 3 1 4 6\n"""
ON_RAMP = """
[run]
end_time = 0.02
[domain]
cells = [16, 16, 16]
cell_size = 0.0625
[[liquid]]
shape = "box"
lower = [0.0, 0.0, 0.0]
upper = [1.0, 0.4, 1.0]
[[solid]]
shape = "mesh"
file = "meshes/ramp.obj"
[output]
interval = 0.02
times = "exact"
particles = ["velocity"]
"""
# A dam break whose water is torn to pieces.
TORN = """
[run]
end_time = 0.75
[domain]
cells = [32, 24, 12]
cell_size = 0.03125
[pressure.walls]
condition = "separating"
[density]
correction = "implicit"
[[liquid]]
shape = "box"
lower = [0.0, 0.0, 0.0]
upper = [0.3125, 0.625, 0.375]
[output]
interval = 0.15
times = "exact"
particles = ["velocity"]
[output.surface]
interval = 0.05
"""
OFTEN = """
[run]
end_time = 0.04
[domain]
cells = [12, 12, 12]
cell_size = 0.08
[time]
max_dt = 0.005
[checkpoint]
steps = 1
keep = 100
[[liquid]]
shape = "box"
lower = [0.0, 0.0, 0.0]
upper = [0.5, 0.6, 0.96]
[[attribute]]
name = "size"
type = "real"
default = 12.5
[[attribute]]
name = "unwritten"
type = "real"
[output]
interval = 0.01
times = "exact"
particles = ["velocity", "size"]
[output.surface]
interval = 0.01
"""
FLAT = """
[run]
end_time = 0.01
[domain]
dimension = 2
cells = [16, 16]
cell_size = 0.0625
[[liquid]]
shape = "box"
lower = [0.0, 0.0]
upper = [0.5, 0.75]
[output]
interval = 0.01
times = "exact"
"""


class Check:
    """Runs commands and collects what is not as it should be."""

    def __init__(self, program, folder):
        self.program = program
        self.folder = folder
        self.problems = []

    def expect(self, holds, problem):
        if not holds:
            self.problems.append(problem)

    def freshet(self, words, code=0, message="", ranks=1):
        done = commands.run(self.program, words, ranks, cwd=self.folder)
        output = done.stdout + done.stderr
        self.expect(done.returncode == code, f"{words}: exit code {done.returncode}, not {code}: {output[-600:]}")
        self.expect(message in output, f"{words}: no '{message}' in {output[-600:]}")
        return output

    def case(self, name, text):
        (self.folder / f"{name}.toml").write_text(text, encoding="utf-8")
        self.freshet(["run", f"{name}.toml", "--output-dir", name])

    def check_solids_from_files(self):
        """A run finds its mesh files again from anywhere; one that is not there, or is another one, is named."""
        home = self.folder / "ramp"
        (home / "meshes").mkdir(parents=True)
        (home / "meshes" / "ramp.obj").write_text(RAMP, encoding="utf-8")
        self.case("ramp/case", ON_RAMP)
        run = Path("ramp/case")
        self.freshet(["mesh", run, "--output", "r1"], message="open edges on walls")
        plane = self.freshet(["mesh", run, "--output", "r2", "--without-solids"], message="open edges on walls")
        closed = self.freshet(["mesh", run, "--output", "r3", "--solids", "closed"], message="closed", ranks=2)
        self.expect("warning" not in plane + closed, f"warnings: {plane}{closed}")
        self.expect((self.folder / "r1" / "mesh_000000.ply").read_bytes() != (self.folder / "r2" / "mesh_000000.ply").read_bytes(),
                    "the ramp makes no difference")
        (home / "meshes").rename(home / "elsewhere")
        self.freshet(["mesh", run, "--output", "r4"], code=2, message="ramp.obj")
        self.freshet(["mesh", run, "--output", "r4"], code=2, message="--without-solids", ranks=2)
        self.expect(not (self.folder / "r4").exists(), "a directory of a refused command")
        moved = self.folder / "moved"
        (moved / "meshes").mkdir(parents=True)
        (home / "elsewhere" / "ramp.obj").rename(moved / "meshes" / "ramp.obj")
        self.freshet(["mesh", run, "--output", "r5", "--case", "moved/case.toml"], message="open edges on walls")
        self.expect((self.folder / "r5" / "mesh_000001.ply").read_bytes() == (self.folder / "r1" / "mesh_000001.ply").read_bytes(),
                    "another mesh after the case has moved")
        (moved / "meshes" / "ramp.obj").write_text(RAMP.replace("0.5", "0.6"), encoding="utf-8")
        self.freshet(["mesh", run, "--output", "r6", "--case", "moved/case.toml"], code=2, message="ramp.obj")

    def check_torn_water(self):
        """The volume of torn water is kept by all methods; a restarted run writes the surfaces of one that was not stopped."""
        self.case("torn", TORN)
        volume = 10 * 20 * 12 * 0.03125**3
        chosen = ["--frames", "0:5" if commands.NIGHTLY else "4:5"]  # by day those in which it is torn
        n_frames = 6 if commands.NIGHTLY else 2
        for method in ("improved_blobbies", "blobbies", "anisotropic"):
            output = self.freshet(["mesh", "torn", "--output", f"t_{method}", "--method", method, "--solids", "closed", *chosen])
            ratios = [float(part) / volume for part in re.findall(r"volume ([0-9.e+-]+) m", output)]
            self.expect(len(ratios) == n_frames and all(abs(ratio - 1.0) < 0.02 for ratio in ratios), f"{method}: volumes {ratios}")
        self.freshet(["run", "torn.toml", "--output-dir", "stopped", "run.max_steps=20"])
        self.freshet(["run", "torn.toml", "--output-dir", "stopped", "--restart", "auto", "run.max_steps=45"])
        self.freshet(["run", "torn.toml", "--output-dir", "stopped", "--restart", "auto"])
        files = {name: {file.name: file.read_bytes() for file in (self.folder / name / "surfaces").glob("surface_*")}
                 for name in ("torn", "stopped")}
        self.expect(len(files["torn"]) == 16, f"{len(files['torn'])} surfaces")
        self.expect(sorted(files["torn"]) == sorted(files["stopped"]), f"surfaces {sorted(files['stopped'])}")
        self.expect(files["torn"] == files["stopped"], "surfaces of a restarted run differ")

    def check_restarts(self):
        """Surfaces are numbered in the order of their times whatever a restart changes, and those of an abandoned future go."""
        def surfaces(name, *starts):
            for words in starts:
                self.freshet(["run", "often.toml", "--output-dir", name, *words])
            rows = np.genfromtxt(self.folder / name / "surfaces" / "surfaces.csv", delimiter=",", skip_header=1, ndmin=2)
            files = sorted(file.name for file in (self.folder / name / "surfaces").glob("surface_*"))
            self.expect(files == [f"surface_{number:06}.ply" for number in range(len(rows))], f"{name}: {files}, {rows}")
            self.expect(rows[:, 0].tolist() == list(range(len(rows))), f"{name}: table {rows}")
            return [round(time, 6) for time in rows[:, 1].tolist()]

        def step_at(name, time):
            rows = np.genfromtxt(self.folder / name / "steps.csv", delimiter=",", skip_header=1)
            return int(rows[np.argmin(abs(rows[:, 1] - time)), 0])

        (self.folder / "often.toml").write_text(OFTEN, encoding="utf-8")
        again = ["--restart", "auto"]
        found = surfaces("often", [])
        self.expect(found == [0.0, 0.01, 0.02, 0.03, 0.04], f"surfaces at {found}")
        early = step_at("often", 0.02)
        path = str(self.folder / "often" / "checkpoints" / f"chk_{early:06}.h5")
        found = surfaces("often", ["--restart", path, f"run.max_steps={early + 1}"])
        self.expect(found == [0.0, 0.01, 0.02, 0.025], f"surfaces of an abandoned future: {found}")
        # a restart that takes no step: its end lies before the checkpoint
        found = surfaces("stays", ["run.end_time=0.04"])
        path = str(self.folder / "stays" / "checkpoints" / f"chk_{step_at('stays', 0.02):06}.h5")
        found = surfaces("stays", ["--restart", path, "run.end_time=0.015"])
        self.expect(found[:3] == [0.0, 0.01, 0.02] and found[-1] < 0.025, f"surfaces after a restart without a step: {found}")
        found = surfaces("often", [*again, "output.surface.interval=0.005"])
        self.expect(found == [0.0, 0.01, 0.02, 0.03, 0.035, 0.04], f"surfaces at a shorter interval: {found}")
        found = surfaces("seldom", ["run.end_time=0.02"], [*again, "output.surface.interval=0.02"])
        self.expect(found == [0.0, 0.01, 0.02, 0.04], f"surfaces at a longer interval: {found}")
        found = surfaces("longer", ["run.end_time=0.015"], [*again, "run.end_time=0.035"], again)
        self.expect(found == [0.0, 0.01, 0.02, 0.03, 0.04], f"surfaces of a run whose end was raised: {found}")
        times = []
        for path in sorted((self.folder / "longer" / "snapshots").glob("snap_*.h5")):
            with h5py.File(path) as file:
                times.append(round(float(next(iter(file["data"].values())).attrs["time"]), 6))
        self.expect(times == found, f"snapshots at {times}, surfaces at {found}")

    def check_snapshots_of_a_part(self):
        """Frames that hold a part of the particles are refused one by one; meshes that are older than their frames are made anew."""
        (self.folder / "often.toml").write_text(OFTEN, encoding="utf-8")
        words = ["run", "often.toml", "--output-dir", "thinned", "output.surface.interval=0"]
        self.freshet([*words, "run.end_time=0.02"])
        self.freshet([*words, "output.particle_share=0.5", "--restart", "auto"])
        said = self.freshet(["mesh", "thinned"], code=2, message="2 of 5 meshes were not made", ranks=2)
        self.expect("snap_000003.h5: it holds 0.5 of the run's particles" in said, said)
        made = sorted(file.name for file in (self.folder / "thinned" / "meshes").glob("mesh_*"))
        self.expect(made == [f"mesh_{n:06}.ply" for n in range(3)], f"meshes of whole frames: {made}")
        self.freshet(["mesh", "thinned", "--frames", "3", "--output", "none"], code=2, message="output.particle_share")
        box = ["output.particle_lower=[0,0,0]", "output.particle_upper=[0.2,1,1]"]
        self.freshet(["run", "often.toml", "--output-dir", "boxed", "output.surface.interval=0", "run.end_time=0.02"])
        self.freshet(["run", "often.toml", "--output-dir", "boxed", "output.surface.interval=0", *box, "--restart", "auto"])
        said = self.freshet(["mesh", "boxed"], code=2, message="2 of 5 meshes were not made")
        self.expect("of the run's particles, which were outside the box output.particle_lower" in said, said)
        for name, message in (("size", "particles have a radius of 12.5 to 12.5 m"), ("unwritten", "its particles have no 'unwritten'")):
            self.freshet(["mesh", "thinned", f"radius_from={name}", "--output", "none"], code=2, message=message, ranks=2)
        self.expect(not (self.folder / "none").exists(), "a directory of a refused command")
        first = min((self.folder / "thinned" / "checkpoints").glob("chk_*.h5"))
        self.freshet([*words, "--restart", str(first)])
        said = self.freshet(["mesh", "thinned"], message="1 of 5 meshes are there already")
        self.expect(all(f"mesh_{n:06}.ply: " in said for n in range(1, 5)), f"meshes of frames that were written again: {said}")

    def check_options(self):
        """Meshes of other options are neither kept nor mixed with new ones; --force replaces all of them."""
        words = ["mesh", "box", "--output", "m1", 'attributes=["tag"]']
        same = ["mesh", "box", "--output", "m1"]
        tags = 'attributes=["velocity", "tag"]'
        self.freshet([*same, tags], message="3 of 3 meshes are there already")
        meshes = sorted((self.folder / "m1").glob("mesh_*"))
        before = [file.read_bytes() for file in meshes]
        for ranks in (1, 3):
            self.freshet(words, code=2, message='(attributes = ["velocity", "tag"], and now attributes = ["tag"])', ranks=ranks)
        self.freshet([*same, tags, "--resolution", "3", "--frames", "1"], code=2, message="resolution = 3")
        self.freshet([*same, tags, "--without-solids"], code=2, message="without_solids = true")
        self.freshet([*same, 'attributes=["heat"]', "--force"], code=2, message="heat")
        self.expect([file.read_bytes() for file in meshes] == before, "a refused command changed meshes")
        self.freshet([*same, tags, "--format", "obj", "--frames", "0"], message="mesh_000000.obj")  # another kind of files
        self.freshet([*words, "--force", "--frames", "2"], code=2, message="2 files of other frames are there")
        self.expect([file.read_bytes() for file in meshes] == before, "--force --frames 2 changed other meshes")
        self.freshet([*words, "--force", "--frames", "0:2"], message="mesh_000002.ply")
        self.freshet([*words, "--force", "--frames", "1"], message="mesh_000001.ply")  # the options are the same now
        self.expect(all(file.is_file() and file.read_bytes() != old for file, old in zip(meshes, before)), "not all meshes are others")
        (self.folder / "m1" / "options_ply.toml").unlink()
        self.freshet(words, code=2, message="options_ply.toml")
        self.freshet([*same, tags, "--force"], message="mesh_000000.ply")
        self.expect([file.read_bytes() for file in meshes] == before, "--force made other meshes")

    def check_two_at_once(self):
        """Commands of one directory may work at once if their options are the same; otherwise the second one is refused."""
        for words in (["mesh", "box"], ["export", "box", "--particles", "csv"]):
            name = f"two_{words[0]}"
            others = ["--resolution", "1"] if words[0] == "mesh" else ["--attributes", "velocity"]
            both = [subprocess.Popen([self.program, *words, *more, "--output", name], cwd=self.folder, env=ENVIRONMENT, text=True,
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE) for more in ([], others)]
            said = [process.communicate(timeout=120)[1] for process in both]
            codes = [process.returncode for process in both]
            self.expect(sorted(codes) == [0, 2] and "options" in said[codes.index(2)], f"{words} twice: {codes}, {said}")
            files = sorted(file for file in (self.folder / name).iterdir() if not file.name.startswith("options"))
            self.expect(len(files) == 3, f"{words} twice leaves {files}")
            before = {file: file.read_bytes() for file in files}
            with open(next((self.folder / name).glob("options_*")), "rb") as options:
                fcntl.flock(options, fcntl.LOCK_SH)  # as a command that still makes files
                winner, loser = ([], others) if codes[0] == 0 else (others, [])
                self.freshet([*words, *loser, "--output", name, "--force"], code=2, message="another command makes files")
                self.expect({file: file.read_bytes() for file in files} == before, f"{words}: files of another command changed")
                files[0].unlink()
                self.freshet([*words, *winner, "--output", name])
            self.expect(files[0].read_bytes() == before[files[0]], f"{words}: not the same file again")
            with open(f"{files[0]}.tmp", "wb") as half:
                fcntl.flock(half, fcntl.LOCK_EX)  # as a command that is writing this file
                self.freshet([*words, *winner, "--output", name, "--force"], code=4, message="another process is writing it")

    def check_splash(self):
        """Closed meshes of balls that have met in the air and at the walls enclose the volume of the particles."""
        balls = [([0.61, 0.71, 0.35], 0.134, [-1.93, 0.09, -0.76]), ([0.28, 0.48, 0.45], 0.131, [3.26, 0.04, -1.75]),
                 ([0.47, 0.30, 0.65], 0.077, [3.86, 2.44, 3.32]), ([0.54, 0.82, 0.51], 0.113, [-0.22, -3.19, -0.53]),
                 ([0.65, 0.87, 0.39], 0.106, [2.92, -1.92, 2.44]), ([0.11, 0.68, 0.34], 0.099, [2.60, 1.35, -3.99])]
        shapes = ", ".join(f'{{ shape = "sphere", center = {c}, radius = {r}, velocity = {u} }}' for c, r, u in balls)
        self.case("splash", f"""run.end_time = 0.5
domain.cells = [32, 40, 32]
domain.cell_size = 0.025
output.interval = 0.5
density.correction = "implicit"
pressure.walls.condition = "separating"
liquid = [{shapes}]
solid = [{{ shape = "half_space", point = [0.5, 0.0, 0.0], normal = [-0.35, 1.0, 0.12] }},
         {{ shape = "box", lower = [0.3, 0.0, 0.2], upper = [0.31, 0.35, 0.6] }}]
""")
        with h5py.File(self.folder / "splash/snapshots/snap_000001.h5") as file:
            liquid = file[f"data/{list(file['data'])[-1]}/particles/liquid/position/x"].shape[0] * 0.025**3 / 8
        for number, method in enumerate(("improved_blobbies", "blobbies", "anisotropic")):
            for resolution in (2, 3) if commands.NIGHTLY else (3 - number % 2,):
                said = self.freshet(["mesh", "splash", "--frames", "1", "--method", method, "--resolution", resolution,
                                     "--solids", "closed", "--output", f"s_{method}_{resolution}"], ranks=2 + number % 2)
                volume = float(re.search(r"volume (\S+) m", said)[1])
                self.expect(abs(volume / liquid - 1) < 0.02, f"splash, {method}, {resolution}: {volume} of {liquid} m^3")

    def check_volumes(self):
        """The volume that is printed is the mesh's: drops that are left out, and triangles that are, change it."""
        volume = lambda said: float(re.search(r"volume (\S+) m", said)[1])  # noqa: E731
        for solids in ("closed", "open"):
            words = ["mesh", "box", "--frames", "1", "--solids", solids, "--output"]
            whole = self.freshet([*words, f"v_{solids}"])
            none = self.freshet([*words, f"v0_{solids}", "min_particles=1e8"], message=" 0 faces")
            self.expect(abs(volume(none)) < 1e-6 * volume(whole) or solids == "open", f"nothing encloses {volume(none)}")
            fewer = self.freshet([*words, f"v1_{solids}", "decimate=0.05"])
            self.expect(0 < abs(volume(fewer) / volume(whole) - 1) < 0.01, f"{solids}: {volume(fewer)} of {volume(whole)}")

    def check_damaged(self):
        """A snapshot that cannot be read does not keep the others from their meshes, and the exit code tells of it."""
        damaged = self.folder / "box" / "snapshots" / "snap_000001.h5"
        good = damaged.read_bytes()
        damaged.write_bytes(good[:2000])
        self.freshet(["mesh", "box", "--frames", "1", "--output", "f"], code=4, message="snap_000001.h5")
        self.freshet(["mesh", "box", "--output", "f"], code=4, message="1 of 3 meshes could not be made", ranks=2)
        self.expect([file.name for file in sorted((self.folder / "f").glob("mesh_*"))] == ["mesh_000000.ply", "mesh_000002.ply"],
                    "not the meshes of the good snapshots")
        first = self.folder / "box" / "snapshots" / "snap_000000.h5"
        first.rename(self.folder / "first.h5")
        first.write_bytes(b"")
        damaged.write_bytes(good)
        for path in (first, damaged):
            os.utime(path, (0, 0))  # meshes that are older than their snapshots would be made again
        self.freshet(["mesh", "box", "--frames", "1", "--output", "f"], message="mesh_000001.ply")
        self.freshet(["mesh", "box", "--output", "f"], message="3 of 3 meshes are there already")

    def check_attributes(self):
        """Vertices have any attribute that is asked for, with the values of the particles around them."""
        words = ["mesh", "box", "--frames", "1", "--output", "a", 'attributes=["layer", "color", "tag", "velocity"]']
        self.freshet(words, ranks=2)
        header, body = (self.folder / "a" / "mesh_000001.ply").read_bytes().split(b"end_header\n", 1)
        types = {"float": "<f4", "uchar": "u1", "int": "<i4"}
        fields = [(name, types[kind]) for kind, name in re.findall(r"property (\w+) (\w+)\n", header.decode())]
        count = int(re.search(r"element vertex (\d+)", header.decode()).group(1))
        vertices = np.frombuffer(body, np.dtype(fields), count)
        self.expect(bool((vertices["tag"] == 3).all() and (vertices["layer"] == 7).all()), f"tag or layer in {fields}")
        color = [int(np.median(vertices[name])) for name in ("red", "green", "blue")]
        self.expect(color in ([64, 128, 191], [63, 127, 191]), f"colour {color}")
        speeds = np.sqrt(sum(vertices[name].astype(float) ** 2 for name in vertices.dtype.names if name.startswith("velocity")))
        self.expect(0.05 < speeds.max() < 2.0, f"velocities up to {speeds.max()}")

    def check_disks_and_gaps(self):
        """What is missing is made, and only that; a full disk leaves nothing under a final name."""
        folder = self.folder / "m1"
        everything = sorted(folder.iterdir())
        names = sorted(file.name for file in folder.glob("mesh_*.ply"))
        before = {name: (folder / name).stat().st_mtime_ns for name in names}
        old = (folder / names[1]).read_bytes()
        (folder / names[1]).unlink()
        (folder / f"{names[1]}.tmp").write_bytes(b"half")
        self.freshet(["mesh", "box", "--output", "m1", 'attributes=["velocity", "tag"]'], message="2 of 3 meshes are there already")
        self.expect(sorted(folder.iterdir()) == everything, f"{sorted(folder.iterdir())}")
        self.expect((folder / names[1]).read_bytes() == old, "the missing mesh is another one")
        self.expect(all((folder / n).stat().st_mtime_ns == before[n] for n in names if n != names[1]), "a mesh was made again")
        for ending in ("ply", "vtp", "vdb"):
            full = self.folder / f"full_{ending}"
            full.mkdir()
            (full / f"mesh_000001.{ending}.tmp").symlink_to("/dev/full")
            self.freshet(["mesh", "box", "--output", full, "--frames", "1", "--format", ending], code=4, message="No space left",
                         ranks=2)
            self.expect(not list(full.glob("mesh_*")), f"a full disk leaves {list(full.iterdir())}")

    def check_memory(self):
        """A surface that does not fit into the memory or the process's own limit is refused before anything is written."""
        huge = self.folder / "huge"
        shutil.copytree(self.folder / "box", huge)
        with h5py.File(huge / "snapshots" / "snap_000001.h5", "r+") as file:
            for name, old in datasets_of_particles(file):
                kept, kind = dict(old.attrs), old.dtype
                del file[name]
                new = file.create_dataset(name, (200_000_000_000,), kind, chunks=(1 << 20,))  # no chunk is ever written
                new.attrs.update(kept)
        checkpoints.seal(huge / "snapshots" / "snap_000001.h5")
        for ranks in (1, 2):
            self.freshet(["mesh", "huge", "--frames", "1", "--output", "h"], code=5, ranks=ranks,
                         message="a surface of 200000000000 particles may need")
        words = ["mesh", "box", "--frames", "1", "--output", "l", "--resolution", "3"]
        refused, enough = 0, 1 << 30  # of memory for data [bytes]
        done = None
        while enough - refused > 1 << 23:
            limit = (refused + enough) // 2
            command = ["prlimit", f"--data={limit}", str(self.program), *words, "--force"]
            now = subprocess.run(command, capture_output=True, text=True, cwd=self.folder, env=ENVIRONMENT, check=False)
            if now.returncode == 0:
                enough = limit
                shutil.rmtree(self.folder / "l")
            else:
                refused, done = limit, now
                self.expect(not (self.folder / "l").exists(), f"a command without memory ({now.returncode}) leaves a directory")
        self.expect(enough < 1 << 30, "no limit is enough")
        self.expect(done is not None and done.returncode == 5, f"a limit of {refused}: {done}")
        self.expect(done is not None and "at resolution 3 may need" in done.stderr and "lower resolution" in done.stderr, f"{done}")
        self.expect(not (self.folder / "h").exists(), "a refused command leaves a directory")


def datasets_of_particles(file):
    """Names and datasets of a snapshot that have a number for each particle."""
    found = []
    file.visititems(lambda name, item: found.append((name, item)) if isinstance(item, h5py.Dataset) else None)
    return [(name, item) for name, item in found if "/particles/" in f"/{name}" and item.ndim == 1 and item.shape[0] > 1000]


def main():
    program = find_program(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        check = Check(program, Path(folder))
        check.case("box", CASE)
        surfaces = sorted(file.name for file in (Path(folder) / "box" / "surfaces").glob("surface_*"))
        check.expect(surfaces == [f"surface_00000{n}.ply" for n in range(3)], f"the run wrote {surfaces}")
        bytes_of = {}
        for ranks in (1, 2, 3):
            output = check.freshet(["mesh", "box", "--output", f"m{ranks}", 'attributes=["velocity", "tag"]'], ranks=ranks)
            check.expect(output.count("open edges on walls") == 3, output)
            bytes_of[ranks] = [file.read_bytes() for file in sorted((Path(folder) / f"m{ranks}").glob("mesh_*"))]
        check.expect(len(bytes_of[1]) == 3, "not three meshes")
        check.expect(bytes_of[1] == bytes_of[2] == bytes_of[3], "meshes differ between 1, 2 and 3 ranks")
        check.check_attributes()
        check.check_options()
        check.check_two_at_once()
        check.freshet(["mesh", "box", "--output", "c", "--frames", "1", "--solids", "closed", "--method", "anisotropic"],
                      message="closed")
        check.freshet(["mesh", "box", "--output", "d", "--frames", "2", "--solids", "closed", "smoothing=5", "decimate=0.3",
                       "min_particles=4", "--format", "obj"], message="closed")
        check.expect((Path(folder) / "d" / "mesh_000002.obj").is_file(), "no .obj")
        for words, message in [
                (["mesh", "nothing"], "nothing"),
                (["mesh", "box", "--frames", "7"], "7"),
                (["mesh", "box", "--frames", "x"], "x"),
                (["mesh", "box", "--method", "marbles"], "marbles"),
                (["mesh", "box", "--resolution", "4"], "resolution"),
                (["mesh", "box", "--format", "xyz"], "format"),
                (["mesh", "box", "kernal=2"], "kernel"),
                (["mesh", "box", 'attributes=["heat"]', "--output", "e"], "heat"),
                (["mesh", "box", "radius_from=size", "--output", "e"], "size"),
                (["mesh", "box", "interval=2", "--output", "e"], "--frames"),
                (["mesh", "box", "--format", "vdb", "smoothing=1", "--output", "e"], "level set"),
                (["mesh"], "run")]:
            check.freshet(words, code=2, message=message)
        check.freshet(["mesh", "box", "--frames", "9", "--output", "e"], code=2, ranks=2)
        check.expect(not (Path(folder) / "e").exists() or not any((Path(folder) / "e").iterdir()), "files of a refused command")
        check.check_disks_and_gaps()
        check.check_memory()
        check.check_solids_from_files()
        check.check_torn_water()
        check.check_volumes()
        check.check_splash()
        check.check_damaged()
        check.check_restarts()
        check.check_snapshots_of_a_part()
        check.case("flat", FLAT)
        check.freshet(["mesh", "flat"], code=2, message="2-D")
        flat_surface = FLAT.replace("[output]", "[output.surface]\ninterval = 0.01\n[output]")
        (Path(folder) / "flat_surface.toml").write_text(flat_surface, encoding="utf-8")
        check.freshet(["check", "flat_surface.toml"], code=2, message="2-D")
    print("\n".join(check.problems) if check.problems else "surfaces are as they should be")
    return 1 if check.problems else 0


if __name__ == "__main__":
    sys.exit(main())
