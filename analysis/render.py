#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a picture or a movie of a run from meshes of its surface: shaded water, floor, shadows, solids and their motion.

usage: render.py RUN [--output FILE] [--frames first:last:step] [--camera corner] [--orbit DEGREES] [--size 1280x720] ...
FILE ends in .png (of several frames, NAME_000012.png each, or with --columns one sheet), .mp4 (ffmpeg makes it) or .gif;
default: RUN/render.png of the last frame. Meshes come from --meshes DIR (mesh_<number>.ply); without it they are in
RUN/render/meshes, and `freshet mesh` makes those that are missing.
"""
import argparse
import concurrent.futures
import json
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import picture_scene
import render_vtk
from freshet.geometry.meshes import read_surface, speed_of
from freshet.analysis import Run
from launch import finish, launch
from picture_scene import CAMERAS, eyes_around, posed, solids_of, sun_of

ROOT = Path(__file__).resolve().parent.parent


@dataclass
class Picture:
    """What one picture shows."""
    mesh: Path
    eye: picture_scene.Eye
    box: np.ndarray
    up: np.ndarray
    sun: np.ndarray  # towards the light, the same in all frames
    size: tuple
    solids: list
    top_speed: float
    points: np.ndarray = None
    normals: np.ndarray = None
    triangles: np.ndarray = None
    speed: np.ndarray = None   # [m/s] at the vertices
    colors: np.ndarray = None  # of the liquid at the vertices; None: that of water

    def with_mesh(self):
        points, triangles, attributes = read_surface(self.mesh)
        normals = np.stack([attributes[n] for n in ("nx", "ny", "nz")], axis=-1) if "nx" in attributes else None
        colors = None
        if "red" in attributes:
            colors = np.stack([attributes[name] for name in ("red", "green", "blue")], axis=-1) / 255
        return replace(self, points=points, triangles=triangles, normals=normals, speed=speed_of(attributes), colors=colors)


def fail(message):
    print(f"render: {message}", file=sys.stderr)
    sys.exit(2)


def frames_named(snapshots, text):
    """The snapshots that "7" or "first:last:step" names, both ends included."""
    numbers = {snapshot.iteration: snapshot for snapshot in snapshots}
    parts = text.split(":")
    try:
        values = [int(part) if part else None for part in parts]
        if len(parts) > 3 or any(value is not None and value < 0 for value in values) or values[2:] == [0]:
            raise ValueError
    except ValueError:
        fail(f"'{text}' is no range of frames. Give 7, or first:last:step")
    first = min(numbers) if values[0] is None else values[0]
    last = first if len(parts) == 1 else max(numbers) if len(parts) < 2 or values[1] is None else values[1]
    for end in (first, last):
        if end not in numbers:
            fail(f"frame {end} does not exist (the run has {min(numbers)} to {max(numbers)})")
    step = values[2] if len(values) > 2 and values[2] else 1
    return [numbers[n] for n in range(first, last + 1, step) if n in numbers]


def frames_chosen(snapshots, arguments):
    """The frames that --frames, --times or --count name; all for a movie, the last one for a picture."""
    if arguments.times:
        return [min(snapshots, key=lambda snapshot: abs(snapshot.time - time)) for time in arguments.times]
    if arguments.count:
        count = min(arguments.count, len(snapshots))
        return [snapshots[round(i * (len(snapshots) - 1) / max(1, count - 1))] for i in range(count)]
    is_movie = arguments.output.suffix != ".png"
    return frames_named(snapshots, arguments.frames or (":" if is_movie else str(snapshots[-1].iteration)))


def find_program(given):
    """The executable of freshet."""
    for candidate in (given, os.environ.get("FRESHET"), ROOT / "build/release/src/freshet", shutil.which("freshet")):
        if candidate and Path(candidate).is_file():
            return str(Path(candidate).resolve())
    fail("meshes are missing and there is no freshet to make them. Give --program, or make them by `freshet mesh`")


def make_meshes(run, frames, arguments):
    """The folder with a mesh of each frame; makes those that are missing."""
    folder = arguments.meshes or run.directory / "render" / "_".join(["meshes", *sorted(arguments.surface)]).replace("/", "_")
    missing = [frame for frame in frames if not mesh_of(folder, frame).is_file()]
    if not missing:
        return folder
    if arguments.meshes:
        fail(f"{mesh_of(folder, missing[0])} is missing. Leave --meshes out, or make it by `freshet mesh`")
    words, environment = launch(arguments.ranks, max(1, (os.cpu_count() or 1) // arguments.ranks))
    words = words if arguments.ranks > 1 else []  # a rank of its own needs no launcher
    program = find_program(arguments.program)
    for frame in missing:
        attributes = [name for name in ("velocity", "color") if name in frame.records]
        command = [program, "mesh", str(run.directory), "solids=closed", "format=ply",
                   f"attributes={json.dumps(attributes)}", *arguments.surface, "--frames", str(frame.iteration),
                   "--output", str(folder)]
        done = finish(words + command, environment, "render.py")
        if done.returncode != 0:
            print(done.stderr.strip() or done.stdout.strip(), file=sys.stderr)
            sys.exit(done.returncode)
    return folder


def mesh_of(folder, frame):
    return Path(folder) / f"mesh_{frame.iteration:06}.ply"


def azimuth_of(run, frame):
    """28 degrees, on the side where there is no water at first."""
    extent = run.box[1] - run.box[0]
    extent[int(np.argmax(np.abs(run.up)))] = -1
    axis = int(np.argmax(extent))
    middle = frame.position()[:, axis].mean() if frame.count else 0.0
    return 28.0 if middle <= run.box[:, axis].mean() else -28.0


def shown_box(run, folder, frames):
    """The domain up to a little above the highest water of all frames."""
    box = run.box
    axis = int(np.argmax(np.abs(run.up)))
    heights = [read_surface(mesh_of(folder, frame))[0][:, axis] for frame in frames]
    sign = np.sign(run.up[axis])
    peaks = [np.percentile(sign * height, 99.8) for height in heights if len(height)]
    if peaks:
        low, high = (0, 1) if sign > 0 else (1, 0)
        rise = 1.1 * (max(peaks) - sign * box[low][axis])
        box[high][axis] = box[low][axis] + sign * min(abs(box[high][axis] - box[low][axis]), rise)
    return box


def pictures_of(run, frames, folder, arguments):
    box = shown_box(run, folder, frames[::max(1, len(frames) // 8)])
    azimuth, elevation = CAMERAS[arguments.camera]
    azimuth = arguments.azimuth if arguments.azimuth is not None else azimuth
    azimuth = azimuth_of(run, run.snapshots[0]) if azimuth is None else azimuth
    elevation = arguments.elevation if arguments.elevation is not None else elevation
    solids = solids_of(run, box)
    fast = [np.percentile(speed, 99.5) for frame in frames[::max(1, len(frames) // 4)]
            for speed in [speed_of(read_surface(mesh_of(folder, frame))[2])] if len(speed)]
    turns = np.linspace(0.0, arguments.orbit, len(frames))
    eyes = eyes_around(box, run.up, azimuth, elevation, arguments.size, turns)
    for eye, frame in zip(eyes, frames):
        yield Picture(mesh_of(folder, frame), eye, box, run.up, sun_of(eyes[0], run.up), arguments.size,
                      posed(solids, frame.solid_poses), max(fast, default=1.0))


def draw(job):
    """Draws one picture, in a process of its own."""
    picture, path, engine, samples = job
    if engine == "cycles":
        import render_cycles
        render_cycles.draw(picture.with_mesh(), path, samples)
    else:
        render_vtk.draw(picture.with_mesh(), path)
    return path


def draw_all(jobs, workers):
    """Draws pictures in parallel; each worker process draws one at a time."""
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(workers, mp_context=context) as pool:
        for number, path in enumerate(pool.map(draw, jobs), 1):
            if len(jobs) > 1:
                print(f"{number} of {len(jobs)} pictures", flush=True)


def encode(pictures, output, rate):
    """A movie of pictures that are numbered from 0."""
    if shutil.which("ffmpeg") is None:
        fail("ffmpeg is not installed. Install it, or give --output with a name that ends in .png")
    form = {".mp4": ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", "18", "-movflags", "+faststart"],
            ".gif": ["-vf", "split[a][b];[a]palettegen[p];[b][p]paletteuse"]}[output.suffix]
    temporary = output.with_name("." + output.name)
    command = ["ffmpeg", "-y", "-loglevel", "error", "-framerate", str(rate), "-i", str(pictures), *form, str(temporary)]
    if subprocess.run(command, stdin=subprocess.DEVNULL).returncode != 0:
        temporary.unlink(missing_ok=True)
        fail(f"ffmpeg could not write {output}")
    temporary.replace(output)


def join(paths, times, arguments):
    """One sheet of pictures, each with its time."""
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    columns = min(arguments.columns, len(paths))
    rows = -(-len(paths) // columns)
    width, height = arguments.size[0] / 100, arguments.size[1] / 100 + 0.3
    figure, grid = plt.subplots(rows, columns, figsize=(columns * width, rows * height), squeeze=False)
    figure.subplots_adjust(left=0, right=1, bottom=0, top=1 - 0.3 / (rows * height), wspace=0, hspace=0.3 / height)
    figure.set_facecolor(render_vtk.BACKGROUND)
    for panel in grid.ravel():
        panel.set_axis_off()
    for panel, path, time in zip(grid.ravel(), paths, times):
        panel.imshow(plt.imread(path))
        panel.set_title(f"t = {time:.3g} s", fontsize=10, pad=3)
    figure.savefig(arguments.output, dpi=100, facecolor=figure.get_facecolor())


def choose_engine(wanted):
    has_blender = shutil.which("blender") is not None
    if wanted == "cycles" and not has_blender:
        fail("--engine cycles needs Blender, which is not installed. Use --engine vtk")
    return ("cycles" if has_blender else "vtk") if wanted == "auto" else wanted


def size_of(text):
    width, _, height = text.partition("x")
    size = int(width), int(height)
    if min(size) < 16 or size[0] % 2 or size[1] % 2:
        raise ValueError
    return size


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", type=Path, help="output directory of a run")
    parser.add_argument("--output", type=Path, help=".png, .mp4 or .gif; default: RUN/render.png")
    parser.add_argument("--frames", help="7, or first:last:step; default: the last frame, all for a movie")
    parser.add_argument("--times", type=lambda text: [float(t) for t in text.split(",")],
                        help="times [s], separated by commas; the nearest frames are shown")
    parser.add_argument("--count", type=int, help="so many frames at equal distances")
    parser.add_argument("--columns", type=int, help="put the pictures of several frames onto one sheet")
    parser.add_argument("--meshes", type=Path, help="folder of meshes that are there already")
    parser.add_argument("--surface", nargs="+", default=[], metavar="KEY=VALUE", help="options of `freshet mesh`")
    parser.add_argument("--camera", choices=CAMERAS, default="corner")
    parser.add_argument("--azimuth", type=float, help="instead of the camera's own [degrees]")
    parser.add_argument("--elevation", type=float, help="instead of the camera's own [degrees]")
    parser.add_argument("--orbit", type=float, default=0.0, help="turn of the camera from the first frame to the last [degrees]")
    parser.add_argument("--size", type=size_of, default=(1280, 720), metavar="WIDTHxHEIGHT", help="even numbers of pixels")
    parser.add_argument("--rate", type=int, default=25, help="pictures a second of a movie")
    parser.add_argument("--engine", choices=("auto", "vtk", "cycles"), default="auto",
                        help="auto: Blender's Cycles if it is there (clear water, a minute a picture), else VTK (seconds)")
    parser.add_argument("--samples", type=int, default=64, help="of a pixel, for Cycles")
    parser.add_argument("--jobs", type=int, help="pictures drawn at the same time; default: all cores, 1 for Cycles, which "
                        "takes them all")
    parser.add_argument("--ranks", type=int, default=1, help="of `freshet mesh`")
    parser.add_argument("--program", help="freshet; default: build/release/src/freshet")
    arguments = parser.parse_args()
    arguments.output = arguments.output or arguments.run / "render.png"
    if arguments.output.suffix not in (".png", ".mp4", ".gif"):
        parser.error(f"--output ends in '{arguments.output.suffix}': .png, .mp4 and .gif are known")
    return arguments


def main():
    arguments = parse()
    try:
        run = Run(arguments.run)
        if not run.snapshots:
            fail(f"{arguments.run} has no snapshots")
    except (OSError, ValueError) as error:
        fail(error)
    if run.dimension != 3:
        fail("a run in 2-D has no surface of triangles. Use freshet plot snapshots")
    is_movie = arguments.output.suffix != ".png"
    frames = frames_chosen(run.snapshots, arguments)
    folder = make_meshes(run, frames, arguments)
    engine = choose_engine(arguments.engine)
    workers = arguments.jobs or (1 if engine == "cycles" else os.cpu_count() or 1)
    pictures = list(pictures_of(run, frames, folder, arguments))
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    display = render_vtk.start_display() if engine == "vtk" else None
    try:
        if is_movie or arguments.columns:
            with tempfile.TemporaryDirectory() as scratch:
                jobs = [(picture, Path(scratch) / f"{number:06}.png", engine, arguments.samples)
                        for number, picture in enumerate(pictures)]
                draw_all(jobs, workers)
                if is_movie:
                    encode(Path(scratch) / "%06d.png", arguments.output, arguments.rate)
                else:
                    join([path for _, path, *_ in jobs], [frame.time for frame in frames], arguments)
        else:
            several = len(pictures) > 1
            names = [arguments.output.with_stem(f"{arguments.output.stem}_{frame.iteration:06}") if several else
                     arguments.output for frame in frames]
            draw_all([(p, n, engine, arguments.samples) for p, n in zip(pictures, names)], workers)
    finally:
        if display is not None:
            display.terminate()
    print(arguments.output)


if __name__ == "__main__":
    main()
