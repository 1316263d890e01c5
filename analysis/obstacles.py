# SPDX-License-Identifier: Apache-2.0
"""Draws the solids of a case file: signed distances of shapes, and triangle meshes.

A solid is given by its table of the case file. A pose (3, 4) holds its rotation and translation [m] since the start.
Distances of combined shapes are bounds of the true distance, as in Quilez' distance functions. Rays are traced along
them (Hart 1996).
"""
from pathlib import Path

import numpy as np

from meshes import read_mesh

FAR = np.inf
STEPS = 160  # of a ray at most


def vector(values):
    """A vector of three entries; z is 0 in 2-D."""
    return np.array((list(values) + [0.0])[:3], dtype=float)


# -------------------------------------------------------------------------------------------------------- distances
def signed_distance(shape, x):
    """Signed distance [m] of points x (..., 3) from a shape without meshes; negative inside."""
    matrix, offset = placement(shape)
    scale = np.cbrt(np.linalg.det(matrix))
    return scale * DISTANCES[shape["shape"]](shape, (x - offset) @ (matrix / scale**2))  # by the inverse


def placement(shape):
    """Matrix and offset that scale, rotate and move a shape: its point X comes to matrix X + offset."""
    turn = shape.get("rotate", {})
    rotation = rotation_about(vector(turn.get("axis", [0, 0, 1])), np.radians(turn.get("angle", 0.0)))
    center = vector(turn.get("center", [0, 0, 0]))
    offset = center - rotation @ center + vector(shape.get("translate", [0, 0, 0]))
    return shape.get("scale", 1.0) * rotation, offset


def rotation_about(axis, angle):
    """Rotation matrix, by Rodrigues' formula."""
    x, y, z = axis / np.linalg.norm(axis)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def box_distance(lower, upper, x):
    q = np.abs(x - 0.5 * (lower + upper)) - 0.5 * (upper - lower)
    return np.linalg.norm(np.maximum(q, 0), axis=-1) + np.minimum(q.max(axis=-1), 0)


def box(shape, x):
    lower, upper = vector(shape["lower"]), vector(shape["upper"])
    if len(shape["lower"]) == 2:
        lower[2], upper[2] = -1e9, 1e9
    return box_distance(lower, upper, x)


def sphere(shape, x):
    return np.linalg.norm(x - vector(shape["center"]), axis=-1) - shape["radius"]


def cylinder(shape, x):
    start, end = vector(shape["start"]), vector(shape["end"])
    length = np.linalg.norm(end - start)
    if length == 0 or len(shape["start"]) == 2:
        return np.linalg.norm(x - start, axis=-1) - shape["radius"]
    height = (x - start) @ (end - start) / length
    across = np.linalg.norm(x - start - height[..., None] * (end - start) / length, axis=-1)
    q = np.stack([across - shape["radius"], np.abs(height - 0.5 * length) - 0.5 * length], axis=-1)
    return np.linalg.norm(np.maximum(q, 0), axis=-1) + np.minimum(q.max(axis=-1), 0)


def capsule(shape, x):
    start, along = vector(shape["start"]), vector(shape["end"]) - vector(shape["start"])
    t = np.clip((x - start) @ along / max(along @ along, 1e-300), 0, 1)
    return np.linalg.norm(x - start - t[..., None] * along, axis=-1) - shape["radius"]


def torus(shape, x):
    axis = vector(shape["axis"]) / np.linalg.norm(vector(shape["axis"]))
    height = (x - vector(shape["center"])) @ axis
    across = np.linalg.norm(x - vector(shape["center"]) - height[..., None] * axis, axis=-1)
    return np.hypot(across - shape["major_radius"], height) - shape["minor_radius"]


def half_space(shape, x):
    normal = vector(shape["normal"])
    return (x - vector(shape["point"])) @ normal / np.linalg.norm(normal)


def union(shape, x):
    return np.min([signed_distance(part, x) for part in shape["parts"]], axis=0)


def intersection(shape, x):
    return np.max([signed_distance(part, x) for part in shape["parts"]], axis=0)


def difference(shape, x):
    first, *others = shape["parts"]
    return np.max([signed_distance(first, x), *(-signed_distance(part, x) for part in others)], axis=0)


DISTANCES = {"box": box, "sphere": sphere, "cylinder": cylinder, "capsule": capsule, "torus": torus,
             "half_space": half_space, "union": union, "intersection": intersection, "difference": difference}


def distance_of(solid, pose, x):
    """Signed distance [m] of points x from a solid without meshes in a pose."""
    return signed_distance(solid, (x - pose[:, 3]) @ pose[:, :3])


# ------------------------------------------------------------------------------------------------------------- hits
def hit(solids, poses, camera, bounds):
    """Depth [m] and outward normal of the solids at each pixel of a camera; the depth is inf where there is none.

    bounds: (2, 3), the box that is shown; poses: one for each solid, or None if no solid moves.
    """
    depth = np.full((camera.height, camera.width), FAR)
    normal = np.zeros((camera.height, camera.width, 3))
    still = np.eye(3, 4)
    for number, solid in enumerate(solids):
        pose = still if poses is None else poses[number]
        for part in parts_of(solid):
            near, direction = hit_mesh(part, pose, camera) if part["shape"] == "mesh" else trace(
                lambda x: np.maximum(distance_of(part, pose, x), box_distance(*bounds, x)), camera, bounds)
            closer = near < depth
            depth[closer] = near[closer]
            normal[closer] = direction[closer]
    return depth, normal


def parts_of(solid):
    """The parts of a union of meshes, which are drawn one by one; else the solid itself."""
    return solid["parts"] if solid["shape"] == "union" and "mesh" in str(solid["parts"]) else [solid]


def trace(distance, camera, bounds):
    """Follows each ray in steps of the distance until the distance is nearly 0."""
    rays = camera.rays().reshape(-1, 3)
    length = np.linalg.norm(rays, axis=1)
    _, corner_depth = camera.project(np.array([[bounds[(i >> d) & 1][d] for d in range(3)] for i in range(8)]))
    near, far = 0.98 * corner_depth.min(), 1.02 * corner_depth.max()
    least = 2e-4 * np.linalg.norm(bounds[1] - bounds[0])
    depth = np.full(len(rays), near)
    going = np.arange(len(rays))
    met = np.zeros(len(rays), dtype=bool)
    for _ in range(STEPS):
        gap = distance(camera.eye + depth[going, None] * rays[going])
        met[going[gap < least]] = True
        depth[going] += gap / length[going]
        going = going[(gap >= least) & (depth[going] < far)]
        if not len(going):
            break
    normal = np.zeros_like(rays)
    x = camera.eye + depth[met, None] * rays[met]
    if met.any():
        slope = [distance(x + least * e) - distance(x - least * e) for e in np.eye(3)]
        normal[met] = normal_at(np.stack(slope, axis=-1))
    shape = (camera.height, camera.width)
    return np.where(met, depth, FAR).reshape(shape), normal.reshape(*shape, 3)


def hit_mesh(solid, pose, camera):
    """Depth and normal of the nearest triangle at each pixel. In the picture of a triangle 1 / depth is linear."""
    points, triangles = read_mesh(Path(solid["file"]))
    matrix, offset = placement(solid)
    points = (points @ matrix.T + offset) @ pose[:, :3].T + pose[:, 3]
    pixels, far = camera.project(points)
    corners = points[triangles]
    facing = normal_at(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]))
    facing *= -np.sign(np.einsum("ij,ij->i", facing, corners[:, 0] - camera.eye))[:, None]  # towards the camera
    depth = np.full((camera.height, camera.width), FAR)
    normal = np.zeros((camera.height, camera.width, 3))
    for number, triangle in enumerate(triangles):
        (ax, ay), (bx, by), (cx, cy) = pixels[triangle]
        area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
        left, top = (max(int(np.floor(min(v) - 0.5)), 0) for v in ((ax, bx, cx), (ay, by, cy)))
        right, bottom = min(int(max(ax, bx, cx)) + 1, camera.width), min(int(max(ay, by, cy)) + 1, camera.height)
        if area == 0 or left >= right or top >= bottom:
            continue
        y, x = np.mgrid[top:bottom, left:right] + 0.5
        v = ((x - ax) * (cy - ay) - (cx - ax) * (y - ay)) / area
        w = ((bx - ax) * (y - ay) - (x - ax) * (by - ay)) / area
        u = 1 - v - w
        inside = (u >= -1e-6) & (v >= -1e-6) & (w >= -1e-6)
        near = 1 / (u / far[triangle[0]] + v / far[triangle[1]] + w / far[triangle[2]])
        window = (slice(top, bottom), slice(left, right))
        closer = inside & (near < depth[window])
        depth[window] = np.where(closer, near, depth[window])
        normal[window] = np.where(closer[..., None], facing[number], normal[window])
    return depth, normal


def normal_at(v):
    return v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), 1e-300)
