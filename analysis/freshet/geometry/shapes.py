# SPDX-License-Identifier: Apache-2.0
"""Signed distances of the shapes of a case file.

A solid is given by its table of the case file. A pose (3, 4) holds its rotation and translation [m] since the start.
Distances of combined shapes are bounds of the true distance, as in Quilez' distance functions.
"""
import numpy as np


def vector(values):
    """A vector of three entries; z is 0 in 2-D."""
    return np.array((list(values) + [0.0])[:3], dtype=float)


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


def parts_of(solid):
    """The parts of a union of meshes, which are drawn one by one; else the solid itself."""
    return solid["parts"] if solid["shape"] == "union" and "mesh" in str(solid["parts"]) else [solid]
