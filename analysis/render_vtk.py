# SPDX-License-Identifier: Apache-2.0
"""Draws water with VTK, off-screen: a surface that reflects the sky, shaded by its surroundings, on a floor with shadows."""
import os
import shutil
import subprocess

import numpy as np
from scipy import ndimage

DEEP, PALE = np.array([0.07, 0.36, 0.64]), np.array([0.80, 0.93, 1.0])  # of still and of fast water
SOLID_COLOR = (0.66, 0.60, 0.53)
SKY = np.array([[0.93, 0.95, 0.97], [0.62, 0.74, 0.88], [0.30, 0.47, 0.72]])  # at the horizon, half-way, overhead
GROUND = np.array([0.60, 0.60, 0.59])
BACKGROUND = (0.925, 0.94, 0.955)
FLOOR = np.array([0.86, 0.86, 0.85])
SHADE = np.array([0.42, 0.50, 0.62])  # of the floor in full shadow
SHADOW_PIXELS = 420


def start_display():
    """Starts a display without a screen where there is none. Returns the process that the caller ends; None if none is."""
    if os.environ.get("DISPLAY"):
        return None
    server = shutil.which("Xvfb")
    if server is None:
        raise RuntimeError("VTK needs a display: install xvfb, or set DISPLAY")
    read, write = os.pipe()
    process = subprocess.Popen([server, "-displayfd", str(write), "-screen", "0", "1280x1024x24", "-nolisten", "tcp",
                                "-noreset"],  # a reset, when the last client has gone, would refuse the next one
                               pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(write)
    with os.fdopen(read) as pipe:
        number = pipe.readline().strip()
    if not number:
        raise RuntimeError("Xvfb did not start")
    os.environ["DISPLAY"] = ":" + number
    return process


def poly_data(vtk, points, triangles, normals=None, colors=None):
    from vtk.util.numpy_support import numpy_to_vtk, numpy_to_vtkIdTypeArray
    data = vtk.vtkPolyData()
    place = vtk.vtkPoints()
    place.SetData(numpy_to_vtk(np.ascontiguousarray(points, dtype=np.float32), deep=True))
    data.SetPoints(place)
    cells = vtk.vtkCellArray()
    offsets = np.arange(0, 3 * len(triangles) + 1, 3, dtype=np.int64)
    cells.SetData(numpy_to_vtkIdTypeArray(offsets, deep=True),
                  numpy_to_vtkIdTypeArray(np.ascontiguousarray(triangles, dtype=np.int64).ravel(), deep=True))
    data.SetPolys(cells)
    if normals is not None:
        data.GetPointData().SetNormals(numpy_to_vtk(np.ascontiguousarray(normals, dtype=np.float32), deep=True))
    if colors is not None:
        data.GetPointData().SetScalars(numpy_to_vtk(np.ascontiguousarray(255 * colors, dtype=np.uint8), deep=True))
    return data


def texture_of(vtk, image, kind):
    """A texture of an array (height, width, channels), row 0 at the bottom."""
    from vtk.util.numpy_support import numpy_to_vtk
    height, width, channels = image.shape
    data = vtk.vtkImageData()
    data.SetDimensions(width, height, 1)
    data.GetPointData().SetScalars(numpy_to_vtk(np.ascontiguousarray(image, dtype=kind).reshape(-1, channels), deep=True))
    texture = vtk.vtkTexture()
    texture.SetInputData(data)
    texture.InterpolateOn()
    return texture


def sky(direction, up, toward_sun):
    """Colours (n, 3) of the surroundings in directions (n, 3): sky with a sun, and ground."""
    rise = direction @ up
    above = np.clip(rise, 0, 1)[:, None]
    color = np.where(above < 0.5, SKY[0] + 2 * above * (SKY[1] - SKY[0]), SKY[1] + (2 * above - 1) * (SKY[2] - SKY[1]))
    ground = np.clip(-8 * rise, 0, 1)[:, None]
    glow = np.clip(direction @ toward_sun, 0, 1)[:, None]
    return color + ground * (GROUND - color) + 0.5 * glow**24 + 6.0 * glow**500


def water_colors(picture, up, toward_sun):
    """Colours of the surface at its vertices: the water's own, and what it reflects (Schlick's share)."""
    view = picture.eye.place - picture.points
    view /= np.linalg.norm(view, axis=1, keepdims=True)
    normal = picture.normals
    facing = np.clip(np.sum(normal * view, axis=1), 0, 1)[:, None]
    share = 0.02 + 0.98 * (1 - facing) ** 5
    fast = np.clip(picture.speed / max(picture.top_speed, 1e-9), 0, 1)[:, None] ** 1.5
    lit = 0.62 + 0.30 * np.clip(0.35 + 0.65 * (normal @ toward_sun), 0, 1)[:, None] + 0.22 * (normal @ up)[:, None]
    deep, pale = (DEEP, PALE) if picture.colors is None else (picture.colors, 0.5 + 0.5 * picture.colors)
    own = (deep + fast * (pale - deep)) * lit
    reflected = sky(2 * facing * normal - view, up, toward_sun)
    return np.clip((1 - share) * own + share * reflected, 0, 1)


def floor_of(vtk, box, up, toward_sun, casters):
    """The floor with the soft shadow of all points that stand above it, fading out into the background."""
    axis = int(np.argmax(np.abs(up)))
    across = [d for d in range(3) if d != axis]
    level = box[0][axis] if up[axis] > 0 else box[1][axis]
    reach = 1.1 * np.max(box[1] - box[0])
    low, high = box[0] - reach, box[1] + reach
    size = np.array([high[d] - low[d] for d in across])
    pixels = np.maximum((size / size.max() * SHADOW_PIXELS).astype(int), 8)
    dark = np.zeros(pixels)
    for points in casters:
        height = (points[:, axis] - level) * np.sign(up[axis])
        path = height / (toward_sun[axis] * np.sign(up[axis]))
        cell = [np.clip(((points[:, d] - path * toward_sun[d] - low[d]) / (high[d] - low[d]) * n).astype(int), 0, n - 1)
                for d, n in zip(across, pixels)]
        np.add.at(dark, tuple(cell), 1.0)
    dark = ndimage.binary_closing(dark > 0, iterations=3).astype(float)
    shade = 0.75 * ndimage.gaussian_filter(dark, 2.5) + 0.25 * ndimage.gaussian_filter(dark, 9.0)
    image = FLOOR + shade[..., None] * (SHADE - FLOOR)
    place = [(np.arange(n) + 0.5) / n * 2 - 1 for n in pixels]
    distance = np.hypot(*np.meshgrid(*place, indexing="ij"))
    keep = np.clip((1.0 - distance) / 0.55, 0, 1)[..., None]
    keep = keep * keep * (3 - 2 * keep)
    image = keep * image + (1 - keep) * np.array(BACKGROUND)
    plane = vtk.vtkPlaneSource()
    corner = low.copy()
    corner[axis] = level - 2e-3 * np.sign(up[axis]) * np.max(box[1] - box[0])
    ends = []
    for d in across:
        end = corner.copy()
        end[d] = high[d]
        ends.append(end)
    plane.SetOrigin(*corner)
    plane.SetPoint1(*ends[0])
    plane.SetPoint2(*ends[1])
    mapper = vtk.vtkPolyDataMapper()
    mapper.SetInputConnection(plane.GetOutputPort())
    actor = vtk.vtkActor()
    actor.SetMapper(mapper)
    actor.SetTexture(texture_of(vtk, 255 * image.transpose(1, 0, 2).clip(0, 1), np.uint8))
    actor.GetProperty().LightingOff()
    return actor


def actor_of(vtk, data, color=None):
    """What draws triangles: shaded in a colour, or in the colours of their vertices as they are."""
    mapper = vtk.vtkPolyDataMapper()
    mapper.SetInputData(data)
    actor = vtk.vtkActor()
    actor.SetMapper(mapper)
    look = actor.GetProperty()
    if color is None:
        look.LightingOff()
    else:
        look.SetColor(*color)
        look.SetAmbient(0.45)
        look.SetDiffuse(0.65)
        look.SetSpecular(0.05)
    return actor


def edges_of(vtk, box):
    outline = vtk.vtkOutlineSource()
    outline.SetBounds(*np.stack([box[0], box[1]], axis=1).ravel())
    mapper = vtk.vtkPolyDataMapper()
    mapper.SetInputConnection(outline.GetOutputPort())
    actor = vtk.vtkActor()
    actor.SetMapper(mapper)
    actor.GetProperty().SetColor(0.55, 0.60, 0.66)
    actor.GetProperty().SetLineWidth(1.5)
    actor.GetProperty().LightingOff()
    return actor


def draw(picture, path):
    """Draws a picture (see render.py) into a .png file."""
    import vtk
    eye, box, up = picture.eye, picture.box, picture.up
    toward_sun = picture.sun
    renderer = vtk.vtkRenderer()
    renderer.SetBackground(*BACKGROUND)
    if len(picture.triangles):
        colors = water_colors(picture, up, toward_sun)
        renderer.AddActor(actor_of(vtk, poly_data(vtk, picture.points, picture.triangles, picture.normals, colors)))
    casters = [picture.points]
    for solid in picture.solids:
        points = solid.points @ solid.pose[:, :3].T + solid.pose[:, 3]
        data = vtk.vtkPolyDataNormals()
        data.SetInputData(poly_data(vtk, points, solid.triangles))
        data.SetFeatureAngle(35)
        data.Update()
        renderer.AddActor(actor_of(vtk, data.GetOutput(), SOLID_COLOR))
        casters.append(points)
    renderer.AddActor(floor_of(vtk, box, up, toward_sun, [points for points in casters if len(points)]))
    renderer.AddActor(edges_of(vtk, box))
    renderer.AutomaticLightCreationOff()
    light = vtk.vtkLight()
    light.SetLightTypeToSceneLight()
    light.SetPosition(*(eye.target + 10 * toward_sun))
    light.SetFocalPoint(*eye.target)
    light.SetColor(1.0, 0.97, 0.92)
    light.SetIntensity(1.0)
    renderer.AddLight(light)
    extent = float(np.linalg.norm(box[1] - box[0]))
    ambient = vtk.vtkSSAOPass()
    ambient.SetRadius(0.06 * extent)
    ambient.SetBias(0.0015 * extent)
    ambient.SetKernelSize(96)
    ambient.BlurOn()
    ambient.SetDelegatePass(vtk.vtkRenderStepsPass())
    renderer.SetPass(ambient)
    camera = renderer.GetActiveCamera()
    camera.SetPosition(*eye.place)
    camera.SetFocalPoint(*eye.target)
    camera.SetViewUp(*eye.up)
    camera.SetViewAngle(eye.angle)
    renderer.ResetCameraClippingRange()
    window = vtk.vtkRenderWindow()
    window.SetOffScreenRendering(1)
    window.SetMultiSamples(0)
    factor = 2  # samples a pixel along an axis
    window.SetSize(picture.size[0] * factor, picture.size[1] * factor)
    window.AddRenderer(renderer)
    window.Render()
    grab = vtk.vtkWindowToImageFilter()
    grab.SetInput(window)
    grab.ReadFrontBufferOff()
    grab.Update()
    smaller = vtk.vtkImageResize()
    smaller.SetInputConnection(grab.GetOutputPort())
    smaller.SetOutputDimensions(*picture.size, 1)
    writer = vtk.vtkPNGWriter()
    writer.SetFileName(str(path))
    writer.SetInputConnection(smaller.GetOutputPort())
    writer.Write()
    window.Finalize()
