#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# needs: python:numpy python:h5py python:matplotlib
# timeout: 300
"""freshet.analysis reads runs of 1 and 2 ranks, restarted and unfinished ones, with pandas and xarray and without them.

usage: check_analysis_package.py BUILD_DIRECTORY_OR_EXECUTABLE
"""
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import h5py
import numpy as np

import commands
from check_bad_inputs import ROOT, WITHOUT_DAEMON, find_program

sys.path.insert(0, str(ROOT / "analysis"))
import freshet.analysis as fa  # noqa: E402
from openpmd_check import Checker as CheckerOfStandard  # noqa: E402

CASE = """
run.end_time = 0.2
run.reproducible = true
domain.cells = [16, 12, 8]
domain.cell_size = 0.0625
labels.surface = "voxels"  # no particle starts above its box
output.interval = 0.05
output.times = "exact"
output.particles = ["velocity", "id", "tag"]
output.fields = ["pressure", "velocity", "label", "distance", "curvature", "divergence", "vorticity", "density_error",
                 "open_fraction", "rank"]
[[liquid]]
shape = "box"
lower = [0.0, 0.0, 0.0]
upper = [0.25, 0.5, 0.5]
tag = 1
[[liquid]]
shape = "box"
lower = [0.75, 0.0, 0.0]
upper = [1.0, 0.25, 0.5]
tag = 2
"""
WITHOUT_TABLES = """
import sys
sys.modules["pandas"] = sys.modules["xarray"] = None
import freshet.analysis as fa
run = fa.open(sys.argv[1])
assert isinstance(run.steps, fa.Columns) and len(run.steps["t"]) > 3 and run.steps.units["t"] == "s"
field = run.snapshots[-1].field("pressure", box=((0, 0, 0), (0.25, 0.5, 0.5)))
assert isinstance(field, fa.Field) and field.values.shape == (len(field.z), len(field.y), len(field.x)) == (8, 8, 4)
assert len(fa.collect(sys.argv[1])["t"]) == 1 and "_freshet" not in "".join(sys.modules)
"""


class Checker:
    def __init__(self, program, folder):
        self.program, self.folder, self.problems = program, folder, []
        (folder / "case.toml").write_text(CASE)

    def expect(self, truth, what):
        if not truth:
            self.problems.append(what)

    def run(self, name, *words, ranks=1):
        commands.run(self.program, ["run", self.folder / "case.toml", "--output-dir", self.folder / name, *words],
                     ranks).check_returncode()
        return fa.open(self.folder / name)


def by_id(parts):
    order = np.argsort(parts["id"])
    return {name: values[order] for name, values in parts.items()}


def check_run(check, run, steps):
    """What every run of the case shows, whoever ran it."""
    check.expect(run.status == "done" and len(run.snapshots) == 5, f"{run}: {run.status}, {len(run.snapshots)} snapshots")
    times = [snapshot.time for snapshot in run.snapshots]
    check.expect(np.allclose(times, 0.05 * np.arange(5), atol=1e-12), f"{run}: times {times}")
    t = np.asarray(run.steps["t"])
    check.expect(len(t) == steps and (np.diff(t) > 0).all() and np.isclose(t[-1], 0.2), f"{run}: steps {t}")
    last = run.snapshots[-1]
    whole = {name: last.record(name) for name in ("position", "velocity", "id", "tag")}
    box = ((0.1, 0.0, 0.1), (0.8, 0.2, 0.3))
    inside = ((whole["position"] >= box[0]) & (whole["position"] <= box[1])).all(axis=1)
    part = last.particles(["velocity", "id"], box=box)
    check.expect(sorted(part) == ["id", "position", "velocity"] and 0 < inside.sum() < last.count and all(
        (part[name] == whole[name][inside]).all() for name in part), f"{run}: particles of a box")
    second = last.particles(tag=2)
    check.expect((second["tag"] == 2).all() and len(second["tag"]) == (whole["tag"] == 2).sum() > 0, f"{run}: a tag")
    check.expect(len(last.particles(box=((2, 2, 2), (3, 3, 3)))["id"]) == 0, f"{run}: an empty box")
    field = last.field("velocity", box=((0.0, 0.0, 0.0), (0.5, 0.25, 0.5)))
    with h5py.File(last.path) as file:
        stored = file[f"data/{last.iteration}/meshes/velocity/y"][()]
    check.expect(field.shape == (8, 4, 8, 3) and (np.asarray(field)[..., 1] == stored[:8, :4, :8]).all(),
                 f"{run}: a field of a box, {field.shape}")
    with h5py.File(last.path) as file:
        for name, thing in file[f"data/{last.iteration}/meshes"].items():
            stored = np.stack([thing[c][()] for c in "xyz"], axis=-1) if isinstance(thing, h5py.Group) else thing[()]
            check.expect(np.array_equal(np.asarray(last.field(name)), stored), f"{run}: the field {name}")
        check.expect(len(file[f"data/{last.iteration}/meshes"]) == 10, f"{run}: number of fields")
    label, distance = (np.asarray(last.field(name)) for name in ("label", "distance"))
    check.expect(np.array_equal(label == 1, distance < 0), f"{run}: the distance is negative in the liquid")
    check.expect(set(np.unique(np.asarray(last.field("rank"))[label == 1])) <= {0, 1}, f"{run}: ranks of cells")
    volumes = fa.volume_by_tag(run)
    check.expect(np.allclose(volumes["tag 1"], 0.0625) and np.allclose(volumes["tag 2"], 0.03125), f"{run}: {volumes}")
    total = np.asarray(fa.energy(run)["total"])
    check.expect(len(total) == steps and (total > 0).all(), f"{run}: energy {total}")
    reach = np.asarray(fa.front(run, share=1.0)["position"])
    check.expect(np.isclose(reach[0], run.snapshots[0].position()[:, 0].max()), f"{run}: front {reach}")
    heights, x, z = fa.height_map(run, run.snapshots[0])
    check.expect(heights.shape == (16, 8) and len(x) == 17 and len(z) == 9 and (heights[:4] > 0.46).all() and
                 (heights[:4] < 0.5).all() and np.isnan(heights[4:12]).all(), f"{run}: heights {heights}")
    counts, edges = fa.histogram(last, "y", bins=6, range=(0.0, 0.75))
    check.expect(counts.sum() == last.count and counts[0] > counts[-1], f"{run}: histogram {counts}")


def check_runs(check):
    alone = check.run("study/alone")
    steps = len(alone.steps["t"])
    pair = check.run("study/pair", ranks=2)
    check.run("study/restarted", "run.end_time=0.1")
    restarted = check.run("study/restarted", "--restart", "auto")
    for run in (alone, pair, restarted):
        check_run(check, run, steps)
    check.run("thinned", "run.end_time=0.1")
    thinned = check.run("thinned", "output.particle_share=0.5", "--restart", "auto")
    whole = [snapshot.count + snapshot.n_left_out for snapshot in thinned.snapshots]
    check.expect(len(set(whole)) == 1 and thinned.snapshots[-1].n_left_out > 0, f"particles of thinned frames, with what is left out: {whole}")
    volumes = np.asarray(fa.volume_by_tag(thinned)["tag 1"])
    # the early frames hold all particles; of the others a share is chosen by chance
    check.expect(np.allclose(volumes[:3], 0.0625) and np.allclose(volumes[3:], 0.0625, rtol=0.1), f"volumes of thinned frames: {volumes}")
    first, other = (by_id(run.snapshots[-1].particles()) for run in (alone, pair))
    check.expect(all((first[name] == other[name]).all() for name in first), "1 and 2 ranks hold the same particles")
    runs = fa.collect(check.folder / "study")
    check.expect(list(runs["run"]) == ["alone", "pair", "restarted"] and np.allclose(runs["t"], 0.2), f"collection {runs}")
    shifted = fa.collect([alone, pair], lambda run: {"fastest": float(run.snapshots[-1].speed().max())})
    check.expect(shifted["fastest"][0] == shifted["fastest"][1] > 1.0, "a measure of one's own")
    return alone, pair, steps


def check_growing(check, run, steps):
    """A run without an end: the last row is half written, there is neither run.json nor timers.json."""
    folder = check.folder / "growing"
    shutil.copytree(run.directory, folder)
    (folder / "run.json").unlink()
    (folder / "timers.json").unlink()
    growing = fa.open(folder)
    lines = (folder / "steps.csv").read_text().splitlines(keepends=True)
    (folder / "steps.csv").write_text("".join(lines) + lines[-1][:-9])
    check.expect(growing.status == "unknown" and growing.timers is None and len(growing.steps["t"]) == steps, "a growing run")
    (folder / "steps.csv").write_text("".join(lines) + lines[-1].replace(lines[-1].split(",")[1], "9.0", 1))
    check.expect(len(growing.steps["t"]) == steps and np.asarray(growing.steps["t"])[-1] == 9.0, "a step that was repeated")
    (folder / "gauges").mkdir()
    (folder / "gauges/wall.csv").write_text("t [s],height [m]\n0.0,0.5\n0.1,0.25\n0.2,0.1")
    gauge = growing.gauges["wall"]
    check.expect(list(gauge["height"]) == [0.5, 0.25], f"a gauge: {gauge}")
    path = folder / "snapshots/snap_000004.h5"
    path.write_bytes(path.read_bytes()[:-300])
    for wrong, kind, part in ((lambda: growing.snapshots[4], ValueError, "incomplete"),
                              (lambda: growing.snapshots[3].particles(["colour"]), KeyError, "colour"),
                              (lambda: growing.snapshots[3].field("presure"), KeyError, "presure"),
                              (lambda: fa.open(check.folder), FileNotFoundError, "holds no run")):
        try:
            wrong()
            check.expect(False, f"nothing was refused where {part} was expected")
        except kind as error:
            check.expect(part in str(error), f"{error}")
    check.expect(len(growing.snapshots[1:3]) == 2 and growing.snapshots[:4].at(0.11).time == growing.snapshots[2].time,
                 "slices of snapshots")


BREAKS = (  # how a file is made wrong, and the validator's word for it
    (lambda f, it: f.attrs.__delitem__("openPMD"), "openPMD"), (lambda f, it: f.attrs.__delitem__("iterationEncoding"), "iterationEncoding"),
    (lambda f, it: f.attrs.__setitem__("basePath", np.bytes_("/data/")), "basePath"),
    (lambda f, it: f.attrs.__setitem__("openPMDextension", np.float64(0)), "openPMDextension"),
    (lambda f, it: it.attrs.__delitem__("timeUnitSI"), "timeUnitSI"), (lambda f, it: it.attrs.__setitem__("time", np.int32(1)), "time"),
    (lambda f, it: f.move(it.name, "/data/007"), "iterations"),
    (lambda f, it: it["meshes/pressure"].attrs.__setitem__("axisLabels", np.array([b"x", b"y", b"z"])), "axisLabels"),
    (lambda f, it: it["meshes/pressure"].attrs.__setitem__("gridSpacing", np.zeros(3)), "gridSpacing"),
    (lambda f, it: it["meshes/pressure"].attrs.__setitem__("unitDimension", np.zeros(7)), "unitDimension"),
    (lambda f, it: it["meshes/velocity"].attrs.__delitem__("dataOrder"), "dataOrder"),
    (lambda f, it: it["meshes/velocity/x"].attrs.__delitem__("position"), "position"),
    (lambda f, it: it["meshes/velocity/x"].attrs.__setitem__("unitSI", 100.0), "unitSI"),
    (lambda f, it: it["particles/liquid"].__delitem__("positionOffset"), "positionOffset"),
    (lambda f, it: it["particles/liquid/positionOffset/x"].attrs.__setitem__("shape", np.array([3], "u8")), "3 values"),
    (lambda f, it: it["particles/liquid/positionOffset/y"].attrs.__delitem__("value"), "value"),
    (lambda f, it: it["particles/liquid/velocity/z"].__setitem__(0, np.nan), "finite"),
    (lambda f, it: it["particles/liquid/id"].__setitem__(0, it["particles/liquid/id"][1]), "twice"),
    (lambda f, it: it["particles/liquid/particlePatches/extent/x"].__setitem__(0, 1e-3), "outside the box"),
    (lambda f, it: it["particles/liquid/particlePatches/numParticles"].__setitem__(0, 1), "particles of"),
    (lambda f, it: f["freshetFirstBlock"].__setitem__(0, 1), "freshetFirstBlock"))


def check_standard(check, run):
    """A snapshot is as the standard wants it, and the validator finds what is made wrong in it."""
    path = run.snapshots[-1].path
    check.expect(CheckerOfStandard(path).check() == [], f"the standard: {CheckerOfStandard(path).check()}")
    (check.folder / "wrong").mkdir()
    for number, (change, word) in enumerate(BREAKS):
        wrong = check.folder / "wrong" / path.name
        shutil.copy(path, wrong)
        with h5py.File(wrong, "r+") as file:
            change(file, file[f"data/{run.snapshots[-1].iteration}"])
        try:
            faults = CheckerOfStandard(wrong).check()
        except KeyError as error:
            faults = [str(error)]
        check.expect(any(word in fault for fault in faults), f"fault {number}, {word}, is not found: {faults}")


def check_blocks(check, run):
    """Particles lie in blocks of the rank that wrote them."""
    snapshot = run.snapshots[-1]
    corners, ranks = snapshot.blocks()
    owner = {tuple(corner): rank for corner, rank in zip(corners, ranks)}
    with h5py.File(snapshot.path) as file:
        counts = file[f"data/{snapshot.iteration}/particles/liquid/particlePatches/numParticles"][()].astype(int)
    x = snapshot.position() / (8 * run.cell_size)
    inside = (np.abs(x - np.rint(x)) > 1e-5).all(axis=1)  # positions at the sides of blocks are rounded
    wrong = [rank for place, rank in zip(np.floor(x[inside]).astype(int), np.repeat(np.arange(2), counts)[inside])
             if owner.get(tuple(place)) != rank]
    check.expect(set(ranks) == {0, 1} and inside.mean() > 0.9 and not wrong, f"blocks: {len(wrong)} particles, {ranks}")


def check_curves(check):
    t = np.linspace(0.0, 8.0, 4001)
    found = fa.spectrum(t, 3.0 + 0.2 * np.sin(2 * np.pi * 2.5 * t), window=False)
    width = found.frequency[1] - found.frequency[0]
    check.expect(abs(found.peak - 2.5) <= width, f"peak {found.peak}")
    check.expect(np.isclose(found.density.sum() * width, 0.02, rtol=1e-3), "the integral of a spectrum is the variance")
    path = check.folder / "wave.csv"
    measured = np.arange(1.0, 6.0, 0.05)
    path.write_text("time [s],height [m]\n" + "".join(f"{x},{np.sin(x)}\n" for x in measured))
    same = fa.compare(t, np.sin(t), path, "height")
    check.expect(same.rms < 1e-5 and len(same.t) == len(measured), f"the same curve: {same}")
    late = fa.compare(t, np.sin(t - 0.3), path, shift=(-0.5, 0.5))
    check.expect(abs(late.shift - 0.3) < 1e-9 and late.rms < 1e-5, f"a late curve: {late}")
    high = fa.compare(t, np.sin(t) + 0.1, path)
    check.expect(np.isclose(high.nmae, 0.1 / np.ptp(np.sin(measured)), rtol=1e-3) and np.isclose(high.bias, 0.1, rtol=1e-3),
                 f"a curve that is too high: {high}")
    high.plot(check.folder / "wave.svg", "height", "m")
    check.expect("<svg" in (check.folder / "wave.svg").read_text(), "a plot")
    try:
        fa.compare(t, t, (np.array([20.0, 21.0]), np.array([0.0, 1.0])))
        check.expect(False, "an experiment beyond the run is refused")
    except ValueError:
        pass


def check_yt(check, run):
    """yt finds every particle, and fields on their axes."""
    try:
        import yt
    except ImportError:
        print("skipped: the dataset of yt, which is not installed (python3-yt)")
        return
    yt.set_log_level(50)
    snapshot = run.snapshots[-1]
    data = fa.to_yt(run, snapshot)
    x = np.sort(np.asarray(data.all_data()["io", "particle_position_x"].to("m")))
    check.expect(np.allclose(x, np.sort(snapshot.position()[:, 0])), "yt has other particles")
    pressure, origin, spacing = snapshot.field_on_grid("pressure")
    for index in np.argwhere(pressure > 0)[::97]:
        found = data.point(origin + spacing * (index[::-1] + 0.5))["stream", "pressure"].to("Pa")
        check.expect(len(found) == 1 and np.isclose(float(found[0]), pressure[tuple(index)]), f"yt: pressure {found}")


def check_reader_of_yt(check):
    """What yt 4.1.4 makes of a file as the standard 1.1.0 writes one: A[z][y][x], dataOrder C, axisLabels z, y, x."""
    try:
        import yt
    except ImportError:
        return  # check_yt() has said so
    if yt.__version__ != "4.1.4":
        print(f"yt {yt.__version__}: see whether its own openPMD reader finds particles now, and what analysis/README.md says of 4.1.4")
        return
    folder = check.folder / "standard"
    folder.mkdir()
    none = np.zeros(7)
    with h5py.File(folder / "example_0.h5", "w") as file:
        texts = {"openPMD": "1.1.0", "basePath": "/data/%T/", "meshesPath": "meshes/", "particlesPath": "particles/",
                 "iterationEncoding": "fileBased", "iterationFormat": "example_%T.h5"}
        file.attrs.update({key: np.bytes_(text) for key, text in texts.items()}, openPMDextension=np.uint32(0))
        data = file.create_group("data/0")
        data.attrs.update(time=0.0, dt=1.0, timeUnitSI=1.0)
        rho = data.create_dataset("meshes/rho", data=np.arange(24.0).reshape(2, 3, 4))  # 4 cells along x, 3 along y, 2 along z
        rho.attrs.update(geometry=np.bytes_("cartesian"), dataOrder=np.bytes_("C"), axisLabels=np.array([b"z", b"y", b"x"]),
                         gridSpacing=np.ones(3), gridGlobalOffset=np.zeros(3), gridUnitSI=1.0, unitSI=1.0, unitDimension=none,
                         timeOffset=0.0, position=np.full(3, 0.5))
        species = data.create_group("particles/electrons")
        for record in ("position", "positionOffset"):
            group = species.create_group(record)
            group.attrs.update(unitDimension=np.array([1.0, 0, 0, 0, 0, 0, 0]), timeOffset=0.0)
            for number, axis in enumerate("xyz"):
                group[axis] = np.array([0.5, 1.5]) * (record == "position")
                group[axis].attrs["unitSI"] = 1.0
    example = yt.load(str(folder / "example_0.h5"))
    check.expect(example.domain_dimensions.tolist() == [2, 3, 4] and example.domain_right_edge.tolist() == [2, 3, 4],
                 f"yt 4.1.4 takes the order of the file's axes for x, y, z: {example.domain_dimensions}")
    check.expect(example.all_data()["io", "particle_position_x"].size == 0, "yt 4.1.4 finds no particles in a file of the standard's form")


def says(kind, action):
    """The message of the exception of a kind that an action throws; empty if it throws none."""
    try:
        action()
    except kind as error:
        return str(error)
    return ""


def check_wrong_questions(check):
    """Tables of experiments as programs write them, curves with gaps, files that have just been begun, and wrong names."""
    t = np.linspace(0.0, 1.0, 101)
    path = check.folder / "experiment.csv"
    for content in (b"\xef\xbb\xbft [s],h [m]\r\n0.1,0.2\r\n0.5,1.0\r\n", b"t [s];h [m]\n0,1;0,2\n0,5;1,0\n", b"t [s]\th [\xb5m]\n0.1\t0.2\n0.5\t1\n"):
        path.write_bytes(content)
        found = fa.compare(t, 2 * t, path, column="h")
        check.expect(len(found.t) == 2 and found.rms < 1e-12, f"{content}: {found}")
    for content, part in (("0,0.1\n0.1,0.2\n0.2,0.3\n", "head line"), ("t\n0\n0.1\n", "one column")):
        path.write_text(content)
        check.expect(part in says(ValueError, lambda: fa.compare(t, t, path)), f"an experiment of {content!r}")
    gap = np.where((t > 0.295) & (t < 0.405), np.nan, np.sin(9 * t))
    found = fa.compare(t, gap, (t, np.sin(9 * (t + 0.05))), shift=(-0.1, 0.1))
    check.expect(abs(found.shift - 0.05) < 1e-3 and found.rms < 1e-3 and len(found.t) < 80, f"a run with a gap: {found}")
    check.expect("no values" in says(ValueError, lambda: fa.compare([], [], (t, t))), "a run without values")
    folder = check.folder / "begun"
    shutil.copytree(check.folder / "study/alone", folder)
    (folder / "steps.csv").write_text("step,t [s]")
    (folder / "gauges").mkdir(exist_ok=True)
    (folder / "gauges/new.csv").write_text("")
    run = fa.open(folder)
    check.expect(not len(run.step_columns) and "new" not in run.gauges, "tables without a head line are empty")
    (folder / "run.json").write_text('{"sta')
    check.expect("run.json is damaged" in says(ValueError, lambda: run.status), "a damaged run.json is named")
    shutil.rmtree(folder)
    snapshot = fa.open(check.folder / "study/alone").snapshots[-1]
    check.expect(list(snapshot.particles("velocity")) == ["position", "velocity"], "one name as a text")
    for question in (lambda: snapshot.record("sped"), lambda: snapshot.field_on_grid("sped"), lambda: fa.front(run, axis="w")):
        check.expect("(it has" in says(KeyError, question) or "there is no axis" in says(KeyError, question), "a name that is not there")
    (check.folder / "nothing").mkdir()
    for name in ("typo", "nothing"):
        check.expect(name in says(FileNotFoundError, lambda name=name: fa.collect(check.folder / name)), f"collect: {name}")


def check_interrupted_study(check):
    """Ctrl-C lets the run of a study stop after its step, with a checkpoint, on two ranks, and at night on one."""
    for ranks in (1, 2) if commands.NIGHTLY else (2,):
        folder = check.folder / f"interrupted_study_{ranks}"
        with subprocess.Popen([sys.executable, str(ROOT / "jobs/study.py"), str(check.folder / "case.toml"), "--vary",
                               "fluid.density=900,1000", "--set", "run.end_time=1000", "--ranks", str(ranks), "--output", str(folder),
                               "--program", check.program], env=WITHOUT_DAEMON, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True) as process:
            deadline = time.monotonic() + 60
            while process.poll() is None and time.monotonic() < deadline and not len(rows_of(folder / "0001/steps.csv")):
                time.sleep(0.05)
            process.send_signal(signal.SIGINT)
            said = process.communicate(timeout=60)[0]
        run = fa.open(folder / "0001")
        check.expect(process.returncode == 75 and run.status == "stopped early" and run.info["last_checkpoint"] == run.info["steps"] > 0
                     and "goes on" in said and "Traceback" not in said and not (folder / "0002").exists(), f"Ctrl-C: {said}")


def rows_of(path):
    return path.read_text().splitlines()[1:] if path.exists() else []


def check_study(check):
    """A parameter study runs its cases, goes on where one is missing, and collects."""
    def study(*words, path="", output="vary"):
        environment = dict(WITHOUT_DAEMON, PATH=path + os.environ["PATH"])
        done = subprocess.run([sys.executable, str(ROOT / "jobs/study.py"), str(check.folder / "case.toml"), *map(str, words),
                               "--output", str(check.folder / output), "--program", check.program], env=environment,
                              capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr
    keys = ("--vary", "fluid.density=900,1000", "--vary", "domain.cells=[16,12,8],[16,16,8]", "--set", "run.end_time=0.02")
    code, said = study(*keys)
    rows = fa.read_table(check.folder / "vary/study.csv")
    check.expect(code == 0 and len(rows["t"]) == 4 and sorted(rows["fluid.density"]) == [900, 900, 1000, 1000], f"study: {said}")
    stamp = {path: path.stat().st_mtime_ns for path in (check.folder / "vary").glob("*/steps.csv")}
    shutil.rmtree(check.folder / "vary/0003")
    code, said = study(*keys)
    changed = [path.parent.name for path in (check.folder / "vary").glob("*/steps.csv") if stamp[path] != path.stat().st_mtime_ns]
    check.expect(code == 0 and changed == ["0003"], f"a study that goes on: {changed}, {said}")
    code, said = study(*keys, "--sbatch", "--ranks", "2")
    script = (check.folder / "vary/study.sbatch").read_text()
    check.expect(code == 0 and "--array=1-4" in script and "--ntasks=2" in script and subprocess.run(
        ["bash", "-n", str(check.folder / "vary/study.sbatch")]).returncode == 0, f"sbatch: {said}\n{script}")
    code, said = study("--vary", "title=\"it's, well\", 'a, b'", "--set", "run.end_time=0.02", "--sbatch", output="quoted")
    script = check.folder / "quoted/study.sbatch"
    found = "".join(script.read_text().partition("case ")[1:]).partition("exec ")[0]
    shown = subprocess.run(["bash", "-c", found + 'printf "%s\\n" "${words[@]}"'], env=dict(os.environ, SLURM_ARRAY_TASK_ID="1"),
                           capture_output=True, text=True).stdout.splitlines()
    check.expect(code == 0 and "--array=1-2" in script.read_text() and "title=\"it's, well\"" in shown, f"apostrophes: {said}\n{shown}")
    slurm = check.folder / "slurm"  # a stand-in for sbatch, which says what it was called with
    slurm.mkdir()
    (slurm / "sbatch").write_text("#!/bin/sh\necho 77 \"$@\"\n")
    (slurm / "sbatch").chmod(0o755)
    code, said = study(*keys, "--submit", path=f"{slurm}:")
    check.expect(code == 0 and "nothing is submitted" in said, f"submission of a study that is done: {said}")
    shutil.rmtree(check.folder / "vary/0002")
    code, said = study(*keys, "--submit", path=f"{slurm}:")
    check.expect(code == 0 and f"1 of 4 runs as job 77 --parsable --array=2 {check.folder}/vary/study.sbatch" in said, f"submit: {said}")
    (slurm / "sbatch").write_text("#!/bin/sh\necho no such partition >&2; exit 1\n")
    code, said = study(*keys, "--submit", path=f"{slurm}:")
    check.expect(code == 2 and "no such partition" in said, f"Slurm's refusal: {said}")
    check_interrupted_study(check)
    case = check.folder / "case.toml"
    before = case.read_text()
    case.write_text(before + "# another state\n")
    code, said = study(*keys)
    case.write_text(before)
    check.expect(code == 2 and "is not what it was" in said, f"a study whose case file has changed: {code}, {said}")
    for words, part in ((("--vary", "fluid.densty=1,2"), "densty"), (("--vary", "fluid.density"), "KEY=VALUE"),
                        (("--vary", "fluid.density=1,2"), "another study")):
        code, said = study(*words)
        check.expect(code == 2 and part in said, f"{words}: {code}, {said}")
    vary = ("--vary", "fluid.density=900,1000")
    mistakes = (  # by day one of each kind: a folder, a number, a key, a line of the script
            (vary, "/etc/passwd", "/etc/passwd"), ((*vary, "--ranks", "0"), "x", "from 1 to"),
            ((*vary, "--set", "fluid.density=800"), "x", "fluid.density is given more than once"),
            ((*vary, "--sbatch", "--time", "1\n#SBATCH --wrap=x"), "x", "time limit"),
            (vary, "/proc/nowhere", "/proc/nowhere"), ((*vary, "--threads", "-1"), "x", "from 1 to"), ((*vary, *vary), "x", "more than once"),
            ((*vary, "--set", "nonsense"), "x", "KEY=VALUE"), ((*vary, "--sbatch"), "a\nb", "line end"))
    for words, output, part in mistakes if commands.NIGHTLY else mistakes[:4]:
        code, said = study(*words, output=output)
        check.expect(code == 2 and part in said and "Traceback" not in said and not (check.folder / output).is_dir(),
                     f"study {words} {output!r}: {code}, {said}")
    code, said = study(*vary, "--sbatch", output="two words %j")
    script = (check.folder / "two words %j/study.sbatch").read_text()
    check.expect(code == 0 and f'#SBATCH --output="{check.folder}/two words %%j/slurm-%a.out"\n' in script, f"words in a path: {said}\n{script}")
    damaged = check.folder / "vary/0001/run.json"
    before = damaged.read_text()
    damaged.write_text("{")
    code, said = study(*keys)
    check.expect("Traceback" not in said and (code == 0 or "0001" in said), f"a study with a damaged run.json: {code}, {said}")
    damaged.write_text(before)


def tell_what_is_missing():
    """Say which packages are not tested with, so that a run without them does not look like one with them."""
    for package, lost in (("pandas", "tables are tested as numpy arrays alone"), ("xarray", "fields are tested as Field alone")):
        if importlib.util.find_spec(package) is None:
            print(f"skipped: {lost}, for {package} is not installed (python3-{package})")


def main():
    program = find_program(sys.argv[1])
    tell_what_is_missing()
    with tempfile.TemporaryDirectory() as name:
        check = Checker(program, Path(name))
        alone, pair, steps = check_runs(check)
        check_standard(check, pair)
        check_blocks(check, pair)
        check_growing(check, alone, steps)
        check_curves(check)
        check_wrong_questions(check)
        check_study(check)
        check_yt(check, alone)
        check_reader_of_yt(check)
        bare = subprocess.run([sys.executable, "-c", WITHOUT_TABLES, str(alone.directory)], capture_output=True, text=True,
                              env=dict(os.environ, PYTHONPATH=str(ROOT / "analysis")))
        check.expect(bare.returncode == 0, f"without pandas and xarray: {bare.stderr}")
    for problem in check.problems:
        print(f"FAILED: {problem}")
    sys.exit(1 if check.problems else 0)


if __name__ == "__main__":
    main()
