#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# needs: python:numpy python:h5py python:matplotlib
# timeout: 300
"""Every figure of `freshet plot` is drawn of a small run in 2-D and in 3-D, as vectors, with units and with the run's numbers;
what cannot be drawn is refused. Surfaces of all formats are read as they were written.

usage: check_plots.py BUILD_DIRECTORY_OR_EXECUTABLE
"""
import contextlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import commands
from check_bad_inputs import ROOT, WITHOUT_DAEMON, find_program

sys.path.insert(0, str(ROOT / "analysis"))
import freshet.analysis as fa  # noqa: E402
import freshet.plot as fp  # noqa: E402
from freshet.analysis.tables import table  # noqa: E402
from freshet.geometry.meshes import read_surface, speed_of  # noqa: E402
from freshet import top  # noqa: E402
from freshet.plot import command  # noqa: E402
from freshet.view.scene import Scene  # noqa: E402

CASE = """
title = "dam of the plots"
run.end_time = 0.12
domain.cells = [16, 12, 8]
domain.cell_size = 0.0625
output.interval = 0.04
output.times = "exact"
output.particles = ["velocity", "tag"]
output.fields = ["pressure", "velocity", "label"]
checkpoint.steps = 3
checkpoint.keep = 2
liquid = [{ shape = "box", lower = [0, 0, 0], upper = [0.25, 0.5, 0.5], tag = 1 },
          { shape = "box", lower = [0.75, 0, 0], upper = [1, 0.25, 0.5], tag = 2 }]
solid = [{ shape = "sphere", center = [0.5, 0.1, 0.25], radius = 0.1 }]
gauge = [{ name = "wall", type = "height", start = [0.1, 0, 0.25], end = [0.1, 0.7, 0.25] }]
"""
CASE_2D = (CASE.replace("[16, 12, 8]", "[16, 12]\ndomain.dimension = 2").replace("0, 0, 0]", "0, 0]").replace(", 0.5]", "]")
           .replace("0.75, 0, 0]", "0.75, 0]").replace(", 0.25]", "]").replace("upper = [1]", "upper = [1, 0.25]")
           .replace("upper = [0.25]", "upper = [0.25, 0.5]").replace(", 0, 0.25]", ", 0]").replace("0.1, 0.25]", "0.1]"))
# figure, options, what the file says, and whether it is drawn of the run in 2-D as well
FIGURES = (("run", [], ("Energy", "drift [%]"), False), ("energy", ["--relative"], ("kinetic", "t [s]"), True),
           ("snapshots", ["--count", "2", "--width", "200"], ("speed [m/s]",), True), ("blocks", ["--count", "1"], (" blocks",), False),
           ("steps", ["--column", "max_div", "--log"], ("max div [1/s]",), False),
           ("gauge", ["--gauge", "wall", "--experiment", "MEASURED", "--shift=-0.01,0.01"], ("height at wall [m]", "nMAE"), True),
           ("spectrum", ["--gauge", "wall"], ("/Hz]", "peak at"), False), ("front", ["--axis", "y", "--share", "1"], ("[m]",), True),
           ("volume", [], ("tag 1", "tag 2"), True), ("histogram", ["--times", "0.04,0.12"], ("speed [m/s]", "t = 0.12 s"), True),
           ("heights", ["--time", "0.04"], ("height of the liquid [m]", "t = 0.04 s"), True),
           ("slice", ["--field", "velocity", "--axis", "y", "--at", "0.1"], ("velocity [m/s]", "t = 0.12 s"), True))
problems = []


def expect(truth, what):
    if not truth:
        problems.append(what)


def plot(*words):
    """(exit code, what was printed) of freshet plot, in this process."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            code = command.main(list(map(str, words)))
        except SystemExit as end:
            code = end.code or 0
    return code, said.getvalue()


def check_figures(folder):
    for name, options, texts, in_2d in FIGURES:
        options = [str(folder / "measured.csv") if word == "MEASURED" else word for word in options]
        for run in ["run", "flat"] if in_2d else ["run"]:
            path = folder / f"{name}_{run}.svg"
            code, said = plot(name, folder / run, *options, "-o", path)
            expect(code == 0 and said.strip() == str(path), f"{name} of {run}: {said}")
            if code != 0:
                continue
            drawn = path.read_text()
            expect(all(text in drawn for text in texts), f"{name} of {run} does not say {texts}")
            expect(drawn.count("<path") + 10 * drawn.count("<image") > 10, f"{name} of {run} has {drawn.count('<path')} lines")
        code, said = plot(name, "--help")
        expect(code == 0 and "--output" in said, f"{name} --help: {said}")


def check_numbers(folder):
    """Axes that the functions return hold the numbers of the runs."""
    run = fa.open(folder / "run")
    axes = fp.energy([run, fa.open(folder / "flat")])
    expect(len(axes.lines) == 6 and np.array_equal(axes.lines[2].get_ydata(), fa.energy(run)["total"]), "energies")
    axes = fp.gauge([run], "wall", experiment=str(folder / "measured.csv"))
    line, points = sorted(axes.lines, key=lambda line: line.get_marker() == "o")
    expect(np.array_equal(line.get_ydata(), run.gauges["wall"]["height"]) and "RMS 0.1 m" in line.get_label(), line.get_label())
    expect(len(points.get_xdata()) == 5, "the experiment's points")
    image = fp.slice_of(run, "pressure", "z", 0.5, 0.08).collections[0].get_array()
    values = run.snapshots[2].field_on_grid("pressure")[0][4]
    wet = run.snapshots[2].field_on_grid("label")[0][4] == 1
    expect(np.allclose(np.ma.filled(image, np.nan).reshape(values.shape)[wet], values[wet]) and
           np.isnan(np.ma.filled(image, np.nan).reshape(values.shape)[~wet]).all(), "a slice")
    plt.close("all")


def check_studies(folder):
    """The runs of a study stand side by side where the key that varies holds words, truths or lists; numbers stand in their order."""
    runs = table({"transfer.method": ["flip", "apic", "flip"], "run.reproducible": [True, False, None], "status": ["done"] * 3,
                  "domain.cells": [[16, 12, 8], [8, 8, 8], [16, 12, 8]], "liquid.0.tag": np.array([3.0, 1.0, 2.0]),
                  "kinetic_energy": np.array([5.0, 6.0, 7.0])}, {"kinetic_energy": "J"})
    for key, words, places in (("transfer.method", ["flip", "apic"], [0, 0, 1]), ("run.reproducible", ["true", "false", "none"], [0, 1, 2]),
                               ("domain.cells", ["[16, 12, 8]", "[8, 8, 8]"], [0, 0, 1]), ("liquid.0.tag", None, [1, 2, 3])):
        for log in (False, True):
            axes = fp.study(runs, key, "kinetic_energy", log=log)
            written = [label.get_text() for label in axes.get_xticklabels()]
            expect(list(axes.lines[0].get_xdata()) == places and (words is None or written == words), f"study of {key}: {written}")
            expect((axes.get_xscale(), axes.get_yscale()) == (("log" if log and not words else "linear"), "log" if log else "linear"), key)
    axes = fp.study(runs, "liquid.0.tag", "kinetic_energy", "transfer.method")
    expect([line.get_label() for line in axes.lines] == ["transfer.method = apic", "transfer.method = flip"], "curves by words")
    try:
        fp.study(runs, "liquid.0.tag", "status")
        expect(False, "words as a result are refused")
    except ValueError as error:
        expect("holds no numbers (done)" in str(error), f"{error}")
    plt.close("all")
    # keys of a study's table are those of overrides: run and flat differ in the corner of their second liquid
    code, said = plot("study", folder, "--x", "liquid.1.upper", "--y", "kinetic_energy", "-o", folder / "study.svg")
    expect(code == 0 and "[1.0, 0.25, 0.5]" in (folder / "study.svg").read_text(), f"study of a key with words: {said}")


def check_files(folder):
    code, said = plot("study", folder, "--x", "domain.dimension", "--y", "kinetic_energy", "--log", "--x-label", "dimensions",
                      "--size", "6x4", "--font", "7", "--title", "two runs")
    made = folder / "plots/study.pdf"
    expect(code == 0 and said.strip() == str(made) and made.stat().st_size > 4000, f"study: {said}")
    box = re.search(rb"/MediaBox \[ 0 0 ([\d.]+) ([\d.]+)", made.read_bytes())
    expect(box and np.allclose([float(v) for v in box.groups()], [6 / 2.54 * 72, 4 / 2.54 * 72], atol=0.1), f"size on paper: {box}")
    code, said = plot("gauge", folder / "run", "--gauge", "wall", "-o", folder / "x.eps", "-o", folder / "x.png")
    expect(code == 0 and (folder / "x.eps").read_bytes().startswith(b"%!PS") and plt.imread(folder / "x.png").shape[1] == 1003, said)
    record = {"ranks": 1, "threads": 1, "cores": 1, "speed_up": 1.0, "efficiency": 1.0, "phases": {"move": 0.1}, "messages": 1.0,
              "imbalance": 1.0, "bytes": 8.0, "memory_per_rank": 1e6, "memory_largest_rank": 1e6}
    (folder / "strong.json").write_text(json.dumps({"kind": "strong", "case": "x.toml", "environment": {}, "records": [
        record, dict(record, ranks=2, cores=2, speed_up=1.8, efficiency=0.9)]}))
    code, said = plot("scaling", folder / "strong.json")
    expect(code == 0 and (folder / "strong.pdf").stat().st_size > 8000, f"scaling: {said}")


def check_refusals(folder):
    run = folder / "run"
    for words, part in (((), "FIGURE"), (("nonsense", run), "invalid choice"), (("energy", folder / "nothing"), "holds no run"),
                        (("energy", run, "-o", "x.jpg"), "'.jpg'"), (("gauge", run, "--gauge", "sea"), "no gauge 'sea' (it has wall)"),
                        (("gauge", run, "--gauge", "wall", "--column", "x"), "no column 'x' (it has height"),
                        (("steps", run, "--column", "x"), "no column 'x'"), (("slice", run, "--field", "colour"), "no field 'colour'"),
                        (("blocks", folder / "flat"), "no checkpoints of a 3-D run"), (("energy", run, "--size", "8"), "--size"),
                        (("gauge", run, "--gauge", "wall", "--experiment", folder / "none.csv"), "none.csv"),
                        (("histogram", run, "--record", "heat"), "no particle record 'heat'")):
        code, said = plot(*words)
        expect(code == 2 and part in said, f"{words}: {code}, {said}")
    (folder / "list.json").write_text("[]")
    for words in (["snapshots", run, "--count", "0"], ["snapshots", run, "--columns", "0"], ["snapshots", run, "--width", "0"],
                  ["snapshots", run, "--times", ""], ["blocks", run, "--count", "-1"], ["histogram", run, "--bins", "0"],
                  ["energy", run, "--font", "1e9"], ["energy", run, "--size", "0.01x5"], ["front", run, "--share", "2"],
                  ["slice", run, "--at", "nan"], ["slice", run, "--time", "nan"], ["energy", run, "-o", "/etc/passwd/x.pdf"],
                  ["scaling", folder / "list.json"]):
        code, said = plot(*words)
        expect(code == 2 and "error: " in said.splitlines()[-1], f"{words}: {code}, {said}")


def check_closed_output(folder):
    """Standard output that is closed: one line where it is what the user wants, none where files are."""
    environment = dict(WITHOUT_DAEMON, PYTHONPATH=str(ROOT / "analysis"))
    for words, expected in ((["top", folder / "run", "--count", "1"], 4), (["diff", folder / "run", folder / "run"], 4),
                            (["plot", "energy", folder / "run", "-o", folder / "closed.png"], 0)):
        done = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", sys.executable, "-m", "freshet", *map(str, words)], env=environment,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=120)
        lines = done.stderr.splitlines()
        expect(done.returncode == expected and len(lines) == bool(expected) and "Traceback" not in done.stderr,
               f"{words} >&-: {done.returncode}, {done.stderr}")


def damage(folder):
    """{what is wrong: a run in which it is}."""
    kinds = {"no tables": ("input.resolved.toml", b""), "no TOML": ("input.resolved.toml", b"\xff="), "no object": ("run.json", b"[]"),
             "no JSON": ("run.json", b"{"), "no table": ("steps.csv", os.urandom(1000)), "other columns": ("steps.csv", b"a,b\n1,2\n"),
             "no snapshots": ("snapshots", None), "a pipe": ("steps.csv", None), "a folder": ("steps.csv", None)}
    for kind, (name, content) in kinds.items():
        run = folder / "damaged" / kind.replace(" ", "_")
        shutil.copytree(folder / "flat", run)
        shutil.rmtree(run / name) if name == "snapshots" else (run / name).unlink()
        if content is not None:
            (run / name).write_bytes(content)
        elif name == "steps.csv":
            os.mkfifo(run / name) if kind == "a pipe" else (run / name).mkdir()
        yield kind, run


def check_damaged(program, folder):
    """A run that is damaged is refused in one line, or what is whole of it is shown; nothing waits for a pipe."""
    for kind, run in damage(folder):
        for words in (["energy", run], ["steps", run, "--column", "volume"], ["heights", run], ["run", run]):
            code, said = plot(*words, "-o", folder / "damaged.svg")
            plt.close("all")  # a figure that was given up
            expect(code in (0, 2) and len(said.splitlines()) == 1, f"{words[0]} of a run with {kind}: {code}, {said}")
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            code = top.main([str(run), "--once"])
        expect(code == 0 or code == 2 and len(said.getvalue().splitlines()) == 1, f"top of a run with {kind}: {said.getvalue()}")
    with open("/dev/full", "w") as full:
        done = subprocess.run([program, "top", folder / "run"], stdout=full, stderr=subprocess.PIPE, text=True, env=WITHOUT_DAEMON)
    expect(done.returncode == 4 and done.stderr.startswith("freshet: error: standard output") and done.stderr.count("\n") == 1, f"top: {done}")
    for words in (["top", "--help"], ["top", folder / "run"], ["plot", "--help"]):
        with subprocess.Popen([program, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=WITHOUT_DAEMON) as process:
            process.stdout.close()
            said = process.stderr.read()
        expect(said == b"" and process.returncode in (0, 141), f"{words} into a closed pipe: {process.returncode}, {said[-300:]}")


def check_program(program, folder):
    """The program finds its Python, and says what that lacks."""
    environment = dict(WITHOUT_DAEMON, FRESHET_PYTHON=sys.executable)
    done = subprocess.run([program, "plot", "energy", folder / "run"], env=environment, capture_output=True, text=True)
    expect(done.returncode == 0 and done.stdout.strip() == str(folder / "run/plots/energy.pdf"), f"the program: {done.stderr}")
    (folder / "bare").mkdir()
    (folder / "bare/matplotlib.py").write_text("raise ModuleNotFoundError(\"No module named 'matplotlib'\", name='matplotlib')\n")
    done = subprocess.run([sys.executable, "-m", "freshet", "plot", "energy", folder / "run"], capture_output=True, text=True,
                          env=dict(os.environ, PYTHONPATH=f"{folder / 'bare'}:{ROOT / 'analysis'}"))
    expect(done.returncode == 2 and "needs Python's matplotlib" in done.stderr, f"without matplotlib: {done.stderr}")


def check_odd_folder(program, folder):
    """Line feeds and quotes in the names of folders: the commands find the frames, and the case's own files."""
    odd = folder / 'a\nb "c'
    odd.mkdir()
    (odd / "cube.obj").write_text("".join(f"v {x} {y} {z}\n" for x in (0.4, 0.6) for y in (0, 0.2) for z in (0.1, 0.3))
                                  + "".join(f"f {' '.join(str(1 + i) for i in face)}\n" for face in
                                            ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))))
    (odd / "case.toml").write_text(CASE.replace('shape = "sphere", center = [0.5, 0.1, 0.25], radius = 0.1', 'shape = "mesh", file = "cube.obj"'))
    for words, made in ((["run", odd / "case.toml", "run.max_steps=2", "--output-dir", odd / "run"], "run/run.json"),
                        (["export", odd / "run", "--particles", "csv"], "run/export/particles.000000.csv"),
                        (["mesh", odd / "run", "--frames", "0"], "run/meshes/mesh_000000.ply")):
        done = commands.run(program, words)
        expect(done.returncode == 0 and (odd / made).exists(), f"{words[0]} in a folder with a line feed: {done.stderr[-300:]}")
    done = subprocess.run([program, "top", odd / "run"], env=dict(WITHOUT_DAEMON, COLUMNS="300"), capture_output=True, text=True)
    expect(done.stdout.splitlines()[1].startswith("step 2 "), f"top in a folder with a line feed: {done}")


def check_bytes_in_path(program, folder):
    """A folder whose name is not UTF-8: run.json is JSON all the same, and --restart auto knows the run as done."""
    odd = os.path.join(os.fsencode(folder), b"caf\xe9")
    os.mkdir(odd)
    case, run = os.path.join(odd, b"case.toml"), os.path.join(odd, b"run")
    with open(case, "w") as file:
        file.write(CASE)
    words = [program, "run", case, "run.max_steps=1", "--output-dir", run]
    done = subprocess.run(words, env=WITHOUT_DAEMON, capture_output=True)
    expect(done.returncode == 0, f"run in a folder whose name is not UTF-8: {done.stderr[-300:]}")
    with open(os.path.join(run, b"run.json"), "rb") as file:
        record = json.loads(file.read().decode("utf-8"))
    expect(record["input"].endswith("/caf\ufffd/case.toml") and record["status"] == "done", f"run.json of this run: {record['input']!a}")
    shutil.rmtree(os.path.join(run, b"checkpoints"))
    again = subprocess.run([*words, "--restart", "auto"], env=WITHOUT_DAEMON, capture_output=True)
    expect(again.returncode == 2 and b"is done, and its directory checkpoints has none" in again.stderr, f"again in this folder: {again.stderr[-300:]}")


def check_surfaces(program, folder):
    """Surfaces of all formats are the same, and the window shows the one that tells most."""
    run = folder / "run"
    known, scene = None, Scene(run)
    for ending in ("obj", "vtp", "ply", "stl"):
        commands.run(program, ["mesh", run, "--frames", "3", f"format={ending}"]).check_returncode()
        points, triangles, attributes = read_surface(run / f"meshes/mesh_000003.{ending}")
        volume = np.einsum("ij,ij->", points[triangles[:, 0]], np.cross(points[triangles[:, 1]], points[triangles[:, 2]])) / 6
        known = known or (len(triangles), volume)
        expect(len(triangles) == known[0] > 200 and np.isclose(volume, known[1], rtol=1e-4), f".{ending}: {len(triangles)}, {volume}")
        expect((speed_of(attributes).max() > 0.5) == (ending in ("vtp", "ply")), f".{ending}: speed")
        expect([path.suffix for path in scene.surfaces(scene.snapshots()).values()] == [
            {"obj": ".obj", "vtp": ".vtp", "ply": ".ply", "stl": ".ply"}[ending]], f"the window's surface after .{ending}")
    path = run / "meshes/mesh_000003.vtp"
    path.write_bytes(path.read_bytes()[:-4000])
    try:
        read_surface(path)
        expect(False, "a .vtp that is not whole is refused")
    except ValueError as error:
        expect("is not whole" in str(error), f"{error}")


def main():
    program = find_program(sys.argv[1])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for run, case in (("run", CASE), ("flat", CASE_2D)):
            (folder / f"{run}.toml").write_text(case)
            commands.run(program, ["run", folder / f"{run}.toml", "--output-dir", folder / run], ranks=2).check_returncode()
        gauge = fa.open(folder / "run").gauges["wall"]
        t, height = np.asarray(gauge["t"]), np.asarray(gauge["height"])
        times = np.linspace(0.02, 0.1, 5)
        (folder / "measured.csv").write_text("time [s],height [m]\n" + "".join(
            f"{at},{value + 0.1}\n" for at, value in zip(times, np.interp(times, t, height))))
        check_figures(folder)
        check_numbers(folder)
        check_studies(folder)
        check_files(folder)
        check_refusals(folder)
        check_closed_output(folder)
        check_damaged(program, folder)
        check_program(program, folder)
        check_surfaces(program, folder)
        check_odd_folder(program, folder)
        check_bytes_in_path(program, folder)
    for problem in problems:
        print(f"FAILED: {problem}")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
