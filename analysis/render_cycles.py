# SPDX-License-Identifier: Apache-2.0
"""Draws water with Blender's path tracer Cycles: clear water that absorbs red light, sky, sun and a floor.

As a module it starts Blender; inside Blender the same file builds the scene from the arrays that it is given.
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ABSORBED = (0.30, 0.70, 0.88)  # colour of light behind a thickness of water of the box's diagonal / CLEARNESS
CLEARNESS = 3.0


def draw(picture, path, samples):
    """Draws a picture (see render.py) into a .png file. Errors: RuntimeError with Blender's last words"""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        arrays = {"points": picture.points, "triangles": picture.triangles}
        for number, solid in enumerate(picture.solids):
            arrays[f"solid_{number}"] = solid.points @ solid.pose[:, :3].T + solid.pose[:, 3]
            arrays[f"faces_{number}"] = solid.triangles
        np.savez(folder / "arrays.npz", **arrays)
        eye = picture.eye
        (folder / "scene.json").write_text(json.dumps({
            "eye": eye.place.tolist(), "target": eye.target.tolist(), "up": np.asarray(picture.up).tolist(),
            "sun": picture.sun.tolist(), "view_up": np.asarray(eye.up).tolist(), "angle": eye.angle, "size": list(picture.size),
            "box": picture.box.tolist(), "samples": samples, "solids": len(picture.solids), "path": str(Path(path).resolve())}))
        done = subprocess.run(["blender", "-b", "--factory-startup", "--python-exit-code", "1", "--python", __file__, "--",
                               scratch], capture_output=True, text=True)
        if done.returncode != 0 or not Path(path).is_file():
            raise RuntimeError("Blender failed: " + (done.stdout + done.stderr)[-800:])


# ---------------------------------------------------------------------------------------------------- inside Blender
def add_mesh(bpy, name, points, triangles, material, smooth):
    mesh = bpy.data.meshes.new(name)
    mesh.vertices.add(len(points))
    mesh.vertices.foreach_set("co", np.ascontiguousarray(points, dtype=np.float32).ravel())
    mesh.loops.add(3 * len(triangles))
    mesh.loops.foreach_set("vertex_index", np.ascontiguousarray(triangles, dtype=np.int32).ravel())
    mesh.polygons.add(len(triangles))
    mesh.polygons.foreach_set("loop_start", np.arange(0, 3 * len(triangles), 3, dtype=np.int32))
    mesh.polygons.foreach_set("loop_total", np.full(len(triangles), 3, dtype=np.int32))
    mesh.polygons.foreach_set("use_smooth", np.full(len(triangles), smooth))
    mesh.update()
    mesh.validate()
    mesh.materials.append(material)
    thing = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(thing)


def plain(bpy, name, color, roughness):
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    shader = material.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (*color, 1.0)
    shader.inputs["Roughness"].default_value = roughness
    return material


def water(bpy, diagonal):
    material = plain(bpy, "water", (1.0, 1.0, 1.0), 0.02)
    tree = material.node_tree
    shader = tree.nodes["Principled BSDF"]
    shader.inputs["Transmission"].default_value = 1.0
    shader.inputs["IOR"].default_value = 1.333
    absorption = tree.nodes.new("ShaderNodeVolumeAbsorption")
    absorption.inputs["Color"].default_value = (*ABSORBED, 1.0)
    absorption.inputs["Density"].default_value = CLEARNESS / diagonal * 4.0
    tree.links.new(absorption.outputs["Volume"], tree.nodes["Material Output"].inputs["Volume"])
    # light passes straight through on its path to the floor: what it would focus there is noise for a path tracer
    path, clear, mix = (tree.nodes.new("ShaderNode" + kind) for kind in ("LightPath", "BsdfTransparent", "MixShader"))
    clear.inputs["Color"].default_value = (0.62, 0.80, 0.90, 1.0)
    tree.links.new(path.outputs["Is Shadow Ray"], mix.inputs[0])
    tree.links.new(shader.outputs["BSDF"], mix.inputs[1])
    tree.links.new(clear.outputs["BSDF"], mix.inputs[2])
    tree.links.new(mix.outputs["Shader"], tree.nodes["Material Output"].inputs["Surface"])
    return material


def surroundings(bpy, up):
    """A sky from pale at the horizon to blue overhead."""
    world = bpy.data.worlds.new("sky")
    bpy.context.scene.world = world
    world.use_nodes = True
    tree = world.node_tree
    direction = tree.nodes.new("ShaderNodeTexCoord")
    rise = tree.nodes.new("ShaderNodeVectorMath")
    rise.operation = "DOT_PRODUCT"
    rise.inputs[1].default_value = up
    ramp = tree.nodes.new("ShaderNodeValToRGB")
    ramp.color_ramp.elements[0].color = (0.86, 0.89, 0.92, 1.0)
    ramp.color_ramp.elements[1].color = (0.22, 0.42, 0.75, 1.0)
    tree.links.new(direction.outputs["Generated"], rise.inputs[0])
    tree.links.new(rise.outputs["Value"], ramp.inputs["Fac"])
    tree.links.new(ramp.outputs["Color"], tree.nodes["Background"].inputs["Color"])
    tree.nodes["Background"].inputs["Strength"].default_value = 0.75


def looking(mathutils, place, target, up):
    """The matrix of a thing at a place that looks along its -z axis."""
    back = (mathutils.Vector(place) - mathutils.Vector(target)).normalized()
    right = mathutils.Vector(up).cross(back).normalized()
    upright = back.cross(right)
    matrix = mathutils.Matrix((right, upright, back)).transposed().to_4x4()
    matrix.translation = mathutils.Vector(place)
    return matrix


def build(folder):
    import bpy
    import mathutils
    scene_of = json.loads((folder / "scene.json").read_text())
    arrays = np.load(folder / "arrays.npz")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    box, up = np.array(scene_of["box"]), np.array(scene_of["up"])
    diagonal = float(np.linalg.norm(box[1] - box[0]))
    axis = int(np.argmax(np.abs(up)))
    add_mesh(bpy, "water", arrays["points"], arrays["triangles"], water(bpy, diagonal), True)
    for number in range(scene_of["solids"]):
        add_mesh(bpy, f"solid {number}", arrays[f"solid_{number}"], arrays[f"faces_{number}"],
                 plain(bpy, "stone", (0.55, 0.48, 0.40), 0.5), False)
    level = (box[0] if up[axis] > 0 else box[1])[axis] - 1e-3 * diagonal * np.sign(up[axis])
    middle, reach = box.mean(axis=0), 30 * diagonal
    corners = []
    for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
        corner = middle.copy()
        first, second = [d for d in range(3) if d != axis]
        corner[first] += a * reach
        corner[second] += b * reach
        corner[axis] = level
        corners.append(corner)
    add_mesh(bpy, "floor", np.array(corners), np.array([[0, 1, 2], [0, 2, 3]]), plain(bpy, "floor", (0.72, 0.72, 0.70), 0.6),
             False)
    surroundings(bpy, up)
    eye, target = np.array(scene_of["eye"]), np.array(scene_of["target"])
    ahead = (target - eye) / np.linalg.norm(target - eye)
    right = np.cross(ahead, up)
    right /= np.linalg.norm(right)
    toward_sun = np.array(scene_of["sun"])
    sun = bpy.data.objects.new("sun", bpy.data.lights.new("sun", "SUN"))
    sun.data.energy, sun.data.angle = 2.2, 0.05
    sun.matrix_world = looking(mathutils, middle + toward_sun, middle, right)
    scene.collection.objects.link(sun)
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    camera.data.sensor_fit = "VERTICAL"
    camera.data.angle = np.radians(scene_of["angle"])
    camera.data.clip_end = 100 * diagonal
    camera.data.clip_start = 1e-3 * diagonal
    camera.matrix_world = looking(mathutils, eye, target, scene_of["view_up"])
    scene.collection.objects.link(camera)
    scene.camera = camera
    scene.render.engine = "CYCLES"
    scene.cycles.samples = scene_of["samples"]
    scene.cycles.max_bounces = 12
    scene.cycles.transmission_bounces = 10
    scene.cycles.caustics_refractive = scene.cycles.caustics_reflective = False
    scene.cycles.sample_clamp_indirect = 4.0
    try:
        scene.cycles.use_denoising = True
        scene.cycles.denoiser = "OPENIMAGEDENOISE"
    except TypeError:  # built without it: more samples are needed then
        scene.cycles.use_denoising = False
    scene.view_settings.view_transform = "Standard"
    scene.render.resolution_x, scene.render.resolution_y = scene_of["size"]
    scene.render.resolution_percentage = 100
    scene.render.image_settings.file_format = "PNG"
    scene.render.filepath = scene_of["path"]
    bpy.ops.render.render(write_still=True)


if __name__ == "__main__":
    build(Path(sys.argv[sys.argv.index("--") + 1]))
