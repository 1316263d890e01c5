# SPDX-License-Identifier: Apache-2.0
"""Draws the solids of a case file, shapes and triangle meshes.

A solid is given by its table of the case file. A pose (3, 4) holds its rotation and translation [m] since the start.
Rays are traced along signed distances (Hart 1996).
"""
from pathlib import Path

import numpy as np

from ..geometry.meshes import read_mesh
from ..geometry.shapes import box_distance, distance_of, parts_of, placement

FAR = np.inf
STEPS = 160  # of a ray at most


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
