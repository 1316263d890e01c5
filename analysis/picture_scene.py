# SPDX-License-Identifier: Apache-2.0
"""What a picture of a run shows, as triangles and a camera: for render.py and its renderers. Lengths in metres."""
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from freshet.geometry.camera import axes, box_corners
from freshet.geometry.meshes import read_mesh
from freshet.geometry.shapes import parts_of, placement, signed_distance, vector

# azimuth and elevation [degrees]; azimuth None: from the side where there is no water at first
CAMERAS = {"corner": (None, 20.0), "front": (0.0, 8.0), "low": (None, 5.0), "high": (None, 42.0), "top": (0.0, 80.0),
           "side": (90.0, 10.0)}
MARGIN = 0.05  # of the picture around the box
VIEW_ANGLE_DISTANCE = 2.2  # of the eye from the middle, in diagonals of the box

SUN = np.array([0.8, 1.0, 0.3])  # towards the light: right, up, towards the camera


@dataclass
class Eye:
    """A camera: where it stands, what it looks at, and the height of the picture as an angle."""
    place: np.ndarray
    target: np.ndarray
    up: np.ndarray
    angle: float  # [degrees]


@dataclass
class Solid:
    points: np.ndarray      # (n, 3), where the case file puts the solid
    triangles: np.ndarray   # (m, 3)
    pose: np.ndarray = field(default_factory=lambda: np.eye(3, 4))  # rotation and translation since the start


def eye_of(box, up, azimuth, elevation, size):
    """The camera at these angles that sees the whole box. size: (width, height) of the picture."""
    upward, right, forward = axes(box.copy(), up, np.radians(azimuth), np.radians(elevation))
    middle = box.mean(axis=0)
    place = middle - VIEW_ANGLE_DISTANCE * np.linalg.norm(box[1] - box[0]) * forward
    for _ in range(8):  # aim at the middle of what is seen
        relative = box_corners(box) - place
        ahead = (middle - place) / np.linalg.norm(middle - place)
        right = np.cross(ahead, upward)
        right /= np.linalg.norm(right)
        upright = np.cross(right, ahead)
        x, y = relative @ right / (relative @ ahead), relative @ upright / (relative @ ahead)
        distance = np.linalg.norm(middle - place)
        middle = middle + 0.5 * distance * ((x.min() + x.max()) * right + (y.min() + y.max()) * upright)
    half = max(np.ptp(y) / 2, np.ptp(x) / 2 * size[1] / size[0]) / (1 - 2 * MARGIN)
    return Eye(place, middle, upward, 2 * np.degrees(np.arctan(half)))


def sun_of(eye, up):
    """Unit vector towards the light, which stands behind the right shoulder of whoever looks through this camera."""
    ahead = (eye.target - eye.place) / np.linalg.norm(eye.target - eye.place)
    right = np.cross(ahead, up)
    right /= np.linalg.norm(right)
    sun = SUN[0] * right + SUN[1] * np.asarray(up) + SUN[2] * np.cross(right, up)
    return sun / np.linalg.norm(sun)


def eyes_around(box, up, azimuth, elevation, size, turns):
    """Cameras that turn around the box by these angles [degrees]: all see it at the same angle, so that it does not seem to
    grow and shrink."""
    eyes = [eye_of(box, up, azimuth + turn, elevation, size) for turn in turns]
    widest = max((eye.angle for eye in eyes), default=0.0)
    return [replace(eye, angle=widest) for eye in eyes]


# ---------------------------------------------------------------------------------------------------------- solids
def solids_of(run, box):
    """The solids of a run as triangles; shapes without a surface of their own are cut out of the box."""
    found = []
    for solid in run.solids:
        pieces = [piece for part in parts_of(solid) for piece in [surface_of(part, box)] if piece is not None]
        if pieces:
            shift = np.cumsum([0] + [len(points) for points, _ in pieces])
            found.append(Solid(np.concatenate([points for points, _ in pieces]),
                               np.concatenate([triangles + n for (_, triangles), n in zip(pieces, shift)])))
        else:
            found.append(Solid(np.zeros((0, 3)), np.zeros((0, 3), dtype=int)))
    return found


def surface_of(shape, box):
    """Points and triangles of a shape; None if it has no part in the box."""
    if shape["shape"] == "mesh":
        points, triangles = read_mesh(Path(shape["file"]))
        matrix, offset = placement(shape)
        return points @ matrix.T + offset, triangles
    if "mesh" in str(shape.get("parts", "")):
        return None
    planes = planes_of(shape)
    return contour(lambda x: signed_distance(shape, x), box) if planes is None else clipped_box(box, planes)


def planes_of(shape):
    """Points on the plane faces of a shape and their outward normals; None for a shape with other faces."""
    matrix, offset = placement(shape)
    if shape["shape"] == "half_space":
        faces = [(vector(shape["point"]), vector(shape["normal"]))]
    elif shape["shape"] == "box" and len(shape["lower"]) == 3:
        faces = [(vector(shape[end]), sign * np.eye(3)[d]) for end, sign in (("lower", -1.0), ("upper", 1.0)) for d in range(3)]
    else:
        return None
    return [(matrix @ point + offset, matrix @ normal) for point, normal in faces]


def triangles_in(data):
    """Points and triangles of VTK's polygonal data; None if there are none."""
    from vtk.util.numpy_support import vtk_to_numpy
    if data.GetNumberOfPolys() == 0:
        return None
    return vtk_to_numpy(data.GetPoints().GetData()).astype(float), vtk_to_numpy(
        data.GetPolys().GetConnectivityArray()).reshape(-1, 3).astype(int)


def clipped_box(box, planes):
    """Points and triangles of what planes, given as points and outward normals, leave of a box; None if that is nothing."""
    import vtk
    cube = vtk.vtkCubeSource()
    cube.SetBounds(*np.ravel(np.transpose(box)))
    collection = vtk.vtkPlaneCollection()
    for point, normal in planes:
        plane = vtk.vtkPlane()
        plane.SetOrigin(*point)
        plane.SetNormal(*(-normal / np.linalg.norm(normal)))
        collection.AddItem(plane)
    clip = vtk.vtkClipClosedSurface()
    clip.SetInputConnection(cube.GetOutputPort())
    clip.SetClippingPlanes(collection)
    triangulate = vtk.vtkTriangleFilter()
    triangulate.SetInputConnection(clip.GetOutputPort())
    triangulate.PassLinesOff()
    triangulate.PassVertsOff()
    triangulate.Update()
    return triangles_in(triangulate.GetOutput())


def contour(distance, box, cells=120):
    """The zero surface of a distance, closed at the box, by VTK."""
    import vtk
    from vtk.util.numpy_support import numpy_to_vtk
    step = np.max(box[1] - box[0]) / cells
    counts = np.maximum(np.round((box[1] - box[0]) / step).astype(int), 2) + 3
    axis = [box[0][d] + step * (np.arange(counts[d]) - 1) for d in range(3)]
    x = np.stack(np.meshgrid(*axis, indexing="ij"), axis=-1)
    inside = np.max(np.maximum(box[0] - x, x - box[1]), axis=-1)  # of the box
    values = np.maximum(distance(x), inside)
    if values.min() >= 0:
        return None
    image = vtk.vtkImageData()
    image.SetDimensions(*map(int, counts))
    image.SetOrigin(*(float(a[0]) for a in axis))
    image.SetSpacing(step, step, step)
    image.GetPointData().SetScalars(numpy_to_vtk(values.ravel(order="F").astype(np.float32), deep=True))
    edges = vtk.vtkFlyingEdges3D()
    edges.SetInputData(image)
    edges.SetValue(0, 0.0)
    edges.Update()
    return triangles_in(edges.GetOutput())


def posed(solids, poses):
    """The solids where they stand in a snapshot. poses: (solids, 3, 4), or None if no solid moves."""
    return [Solid(s.points, s.triangles, np.eye(3, 4) if poses is None else poses[i]) for i, s in enumerate(solids)]
