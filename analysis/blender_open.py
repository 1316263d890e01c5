# SPDX-License-Identifier: Apache-2.0
"""Puts the surfaces of a run into one Blender file, a mesh that changes from frame to frame. Run it inside Blender:

    blender -b --python analysis/blender_open.py -- RUN [--meshes DIR] [--output RUN/water.blend] [--rate 25]

Frame N of the animation is snapshot N; DIR holds mesh_<N>.ply, as `freshet mesh RUN` makes them (default: RUN/meshes).
Every frame is an object of its own that shows in that frame alone, so that the file needs no add-on and renders anywhere.
"""
import argparse
import re
import sys
import tomllib
from pathlib import Path

import bpy
from mathutils import Vector

sys.path.insert(0, str(Path(__file__).resolve().parent))
from freshet.geometry.meshes import read_surface  # noqa: E402
from render_cycles import add_mesh, plain  # noqa: E402


def up_of(run):
    """Against gravity; y if there is none."""
    parameters = tomllib.loads((run / "input.resolved.toml").read_text())
    up = -Vector((list(parameters["fluid"]["gravity"]) + [0.0])[:3])
    return up.normalized() if up.length > 0 else Vector((0, 1, 0))


def show_only(thing, frame, first, last):
    """Keyframes that show an object in one frame and hide it in the others."""
    for at, hidden in ((first, frame != first), (frame - 1, True), (frame, False), (frame + 1, True)):
        if first <= at <= last:
            thing.hide_render = thing.hide_viewport = hidden
            for path in ("hide_render", "hide_viewport"):
                thing.keyframe_insert(path, frame=at)


def fail(message):
    print(f"blender_open: {message}", file=sys.stderr)
    sys.exit(2)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path)
    parser.add_argument("--meshes", type=Path)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--rate", type=int, default=25, help="frames a second")
    arguments = parser.parse_args(sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else [])
    folder = arguments.meshes or arguments.run / "meshes"
    output = (arguments.output or arguments.run / "water.blend").resolve()
    if not (arguments.run / "input.resolved.toml").exists():
        fail(f"{arguments.run} holds no run: it has no input.resolved.toml")
    paths = {int(re.fullmatch(r"mesh_(\d+)", path.stem).group(1)): path for path in sorted(folder.glob("mesh_*.ply"))}
    if not paths:
        fail(f"{folder} has no mesh_<number>.ply. Make them: freshet mesh {arguments.run}")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end, scene.render.fps = min(paths), max(paths), arguments.rate
    material = plain(bpy, "water", (0.07, 0.36, 0.64), 0.05)
    root = bpy.data.objects.new("liquid", None)
    scene.collection.objects.link(root)
    root.rotation_mode = "QUATERNION"
    root.rotation_quaternion = up_of(arguments.run).rotation_difference(Vector((0, 0, 1)))  # Blender's z is up
    for frame, path in paths.items():
        points, triangles, _ = read_surface(path)
        add_mesh(bpy, path.stem, points, triangles, material, True)
        thing = bpy.data.objects[path.stem]
        thing.parent = root
        show_only(thing, frame, min(paths), max(paths))
    scene.frame_set(min(paths))
    temporary = output.with_name(output.stem + ".part.blend")
    bpy.ops.wm.save_as_mainfile(filepath=str(temporary), compress=True)
    temporary.replace(output)
    print(f"{output}: {len(paths)} frames")


main()
