# SPDX-License-Identifier: Apache-2.0
"""Where rays meet the solids of a case file: boxes, spheres, cylinders, half spaces and unions of them."""
import numpy as np

FAR = np.inf


def vector(values):
    """Three entries; z is 0 in 2-D."""
    return np.array((list(values) + [0.0])[:3], dtype=float)


def hit(solids, eye, rays, bounds):
    """Nearest hits: depth along the rays (inf: none) and outward normals. bounds: (2, 3), cuts half spaces off."""
    depth = np.full(rays.shape[:2], FAR)
    normal = np.zeros(rays.shape)
    for solid in solids:
        near, direction = hit_one(solid, eye, rays, bounds)
        closer = near < depth
        depth = np.where(closer, near, depth)
        normal = np.where(closer[..., None], direction, normal)
    return depth, normal


def hit_one(solid, eye, rays, bounds):
    kind = solid["shape"]
    if kind == "box":
        return hit_slabs(vector(solid["lower"]), vector(solid["upper"]), eye, rays)
    if kind == "sphere":
        return hit_sphere(vector(solid["center"]), solid["radius"], eye, rays)
    if kind == "cylinder":
        return hit_cylinder(vector(solid["start"]), vector(solid["end"]), solid["radius"], eye, rays)
    if kind == "half_space":
        return hit_half_space(vector(solid["point"]), vector(solid["normal"]), eye, rays, bounds)
    return hit(solid["parts"], eye, rays, bounds)


def hit_slabs(lower, upper, eye, rays):
    with np.errstate(divide="ignore", invalid="ignore"):
        a, b = (lower - eye) / rays, (upper - eye) / rays
    entry, leave = np.minimum(a, b), np.maximum(a, b)
    axis = np.argmax(entry, axis=-1)
    first, last = entry.max(axis=-1), leave.min(axis=-1)
    normal = -np.sign(rays) * (np.arange(3) == axis[..., None])
    return np.where((first < last) & (first > 0), first, FAR), normal


def hit_sphere(center, radius, eye, rays):
    depth = first_root((rays ** 2).sum(-1), rays @ (eye - center), ((eye - center) ** 2).sum() - radius ** 2)
    return depth, normal_at((eye + np.where(np.isfinite(depth), depth, 0)[..., None] * rays - center))


def hit_cylinder(start, end, radius, eye, rays):
    length = np.linalg.norm(end - start)
    along = (end - start) / length
    across = rays - (rays @ along)[..., None] * along
    offset = (eye - start) - ((eye - start) @ along) * along
    side = first_root((across ** 2).sum(-1), across @ offset, offset @ offset - radius ** 2)
    finite = np.where(np.isfinite(side), side, 0)[..., None]
    height = (eye - start + finite * rays) @ along
    side = np.where((height >= 0) & (height <= length), side, FAR)
    depth, normal = side, normal_at(offset + finite * across)
    for cap, direction in ((start, -along), (end, along)):
        with np.errstate(divide="ignore"):
            at = ((cap - eye) @ along) / (rays @ along)
        where = eye + np.where(np.isfinite(at), at, 0)[..., None] * rays
        inside = (((where - cap) ** 2).sum(-1) <= radius ** 2) & (at > 0)
        closer = inside & (at < depth)
        depth, normal = np.where(closer, at, depth), np.where(closer[..., None], direction, normal)
    return depth, normal


def hit_half_space(point, normal, eye, rays, bounds):
    normal = normal / np.linalg.norm(normal)
    with np.errstate(divide="ignore"):
        at = ((point - eye) @ normal) / (rays @ normal)
    where = eye + np.where(np.isfinite(at), at, 0)[..., None] * rays
    inside = ((where >= bounds[0]) & (where <= bounds[1])).all(-1) & (at > 0)
    return np.where(inside, at, FAR), np.broadcast_to(normal, rays.shape)


def first_root(a, half_b, c):
    """Least positive root of a t^2 + 2 half_b t + c; inf without one."""
    disc = half_b ** 2 - a * c
    t = (-half_b - np.sqrt(np.maximum(disc, 0))) / np.maximum(a, 1e-300)
    return np.where((disc > 0) & (t > 0), t, FAR)


def normal_at(v):
    return v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), 1e-300)
