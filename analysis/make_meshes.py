#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the meshes of inputs/meshes: a gear, a torus knot, a figure, a cube and a hull, each about 1 m large, in several formats.
It needs numpy only.

  cube.stl        text .stl, the unit cube about the origin
  gear.obj        .obj with polygons: a spur gear with a bore, its axis along z
  torus_knot.ply  binary .ply, little endian: the (2, 3) knot about y
  figure.stl      binary .stl: a person, 1.7 m tall, feet on y = 0
  hull.obj        .obj with polygons: Wigley's hull with a deck, its bow towards -x, its waterline on y = 0
All meshes are closed. The corners of a triangle run counter-clockwise as seen from outside.
"""
import argparse
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]


# ------------------------------------------------------------------------------------------------------------- files
def write_obj(path, points, polygons, comment):
    lines = [f"# {comment}"]
    lines += ["v " + " ".join(f"{x:.6g}" for x in point) for point in points]
    lines += ["f " + " ".join(str(corner + 1) for corner in polygon) for polygon in polygons]
    path.write_text("\n".join(lines) + "\n")


def write_text_stl(path, points, triangles, name):
    lines = [f"solid {name}"]
    for triangle in triangles:
        a, b, c = points[list(triangle)]
        normal = np.cross(b - a, c - a)
        normal /= np.linalg.norm(normal)
        lines.append("facet normal " + " ".join(f"{x:g}" for x in normal))
        lines.append("  outer loop")
        lines += ["    vertex " + " ".join(f"{x:g}" for x in corner) for corner in (a, b, c)]
        lines += ["  endloop", "endfacet"]
    path.write_text("\n".join(lines + [f"endsolid {name}"]) + "\n")


def write_binary_stl(path, points, triangles, comment):
    record = np.zeros(len(triangles), dtype=[("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    corners = points[triangles]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    record["normal"] = normal / np.maximum(np.linalg.norm(normal, axis=1), 1e-300)[:, None]
    record["corners"] = corners
    header = comment.encode("ascii").ljust(80)[:80]
    path.write_bytes(header + np.uint32(len(triangles)).astype("<u4").tobytes() + record.tobytes())


def write_binary_ply(path, points, triangles, comment):
    header = ["ply", "format binary_little_endian 1.0", f"comment {comment}", f"element vertex {len(points)}",
              "property float x", "property float y", "property float z", f"element face {len(triangles)}",
              "property list uchar int vertex_indices", "end_header"]
    faces = np.zeros(len(triangles), dtype=[("n", "u1"), ("corners", "<i4", 3)])
    faces["n"] = 3
    faces["corners"] = triangles
    path.write_bytes(("\n".join(header) + "\n").encode("ascii") + points.astype("<f4").tobytes() + faces.tobytes())


# ------------------------------------------------------------------------------------------------------------ bodies
def cube():
    points = np.array([[x, y, z] for z in (-0.5, 0.5) for y in (-0.5, 0.5) for x in (-0.5, 0.5)])
    quads = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    return points, [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]


def gear(n_teeth=12, outer=0.5, root=0.38, bore=0.15, thickness=0.2):
    """A prism. Each of its two ends is a ring of quadrilaterals between the rim and the bore."""
    per_tooth = 8
    n = n_teeth * per_tooth
    share = np.array([0.0, 0.14, 0.24, 0.38, 0.5, 0.64, 0.76, 0.88])  # where the corners are, as parts of the pitch
    radius = np.array([root, root, outer, outer, outer, root, root, root])
    angle = 2.0 * np.pi / n_teeth * (np.arange(n_teeth)[:, None] + share[None, :]).ravel()
    rim = np.tile(radius, n_teeth)
    around = np.column_stack([np.cos(angle), np.sin(angle)])
    layers = [np.column_stack([r[:, None] * around, np.full(n, z)])
              for z in (-0.5 * thickness, 0.5 * thickness) for r in (rim, np.full(n, bore))]
    points = np.concatenate(layers)  # low rim, low bore, high rim, high bore
    polygons = []
    for i in range(n):
        j = (i + 1) % n
        polygons += [(2 * n + i, 2 * n + j, 3 * n + j, 3 * n + i), (j, i, n + i, n + j),  # faces
                     (i, j, 2 * n + j, 2 * n + i), (n + j, n + i, 3 * n + i, 3 * n + j)]  # rim, bore
    return points, polygons


def torus_knot(p=2, q=3, n_along=360, n_around=24, radius=0.35, wave=0.14, tube=0.07):
    """A tube along a curve that winds q times around the tube of a torus and p times around its axis."""
    t = np.linspace(0.0, 2.0 * np.pi, n_along, endpoint=False)

    def curve(t):
        r = radius + wave * np.cos(q * t)
        return np.stack([r * np.cos(p * t), wave * np.sin(q * t), r * np.sin(p * t)], axis=-1)

    step = 1e-5
    tangent = curve(t + step) - curve(t - step)
    tangent /= np.linalg.norm(tangent, axis=1)[:, None]
    # The normal points away from the centre line of the torus, so that it is the same at both ends of the curve.
    center = np.stack([radius * np.cos(p * t), np.zeros_like(t), radius * np.sin(p * t)], axis=-1)
    normal = curve(t) - center
    normal -= np.sum(normal * tangent, axis=1)[:, None] * tangent
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    binormal = np.cross(tangent, normal)
    s = np.linspace(0.0, 2.0 * np.pi, n_around, endpoint=False)
    points = (curve(t)[:, None, :] + tube * (np.cos(s)[None, :, None] * normal[:, None, :] +
                                             np.sin(s)[None, :, None] * binormal[:, None, :])).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(n_along), np.arange(n_around), indexing="ij")
    at = lambda i, j: (i % n_along) * n_around + j % n_around  # noqa: E731
    a, b, c, d = at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)
    triangles = np.concatenate([np.stack([a, c, b], axis=-1).reshape(-1, 3), np.stack([a, d, c], axis=-1).reshape(-1, 3)])
    return points, triangles


def hull(length=1.0, beam=0.25, draft=0.1, freeboard=0.06, n_along=40, n_down=10):
    """Wigley's parabolic hull, z = +-beam / 2 (1 - (2 x / length)^2) (1 - (y / draft)^2), which displaces 4/9 length beam draft.

    Above the waterline its sides are upright, up to a deck. Wigley, Calculated and measured wave resistance of a series of forms
    defined algebraically, Trans. INA 84, 52-71 (1942).
    """
    x = np.linspace(-0.5, 0.5, n_along + 1) * length
    y = np.concatenate([-draft * np.linspace(1.0, 0.0, n_down + 1), [freeboard]])
    half = 0.5 * beam * np.outer(1.0 - (2.0 * x / length) ** 2, 1.0 - (np.minimum(y, 0.0) / draft) ** 2)
    points, numbers = [], {}

    def corner(i, j, side):
        """The corner on one side; both are one point at the stem, the stern and the keel."""
        key = (i, j, side if half[i, j] > 1e-12 else 0)
        if key not in numbers:
            numbers[key] = len(points)
            points.append((x[i], y[j], key[2] * half[i, j]))
        return numbers[key]

    polygons = []
    for i in range(n_along):
        for side in (1, -1):
            around = [[corner(i, j, side), corner(i + 1, j, side), corner(i + 1, j + 1, side), corner(i, j + 1, side)]
                      for j in range(len(y) - 1)]
            polygons += [quad[::side] for quad in around]
        top = len(y) - 1
        polygons.append([corner(i, top, 1), corner(i + 1, top, 1), corner(i + 1, top, -1), corner(i, top, -1)])
    without_twins = [[a for a, b in zip(polygon, polygon[1:] + polygon[:1]) if a != b] for polygon in polygons]
    return np.array(points), [polygon for polygon in without_twins if len(polygon) > 2]


def capsule(x, a, b, r_a, r_b):
    """Distance from a rod from a to b with radius r_a at a and r_b at b; a bound of it where the radii differ."""
    a, b = np.array(a), np.array(b)
    share = np.clip((x - a) @ (b - a) / ((b - a) @ (b - a)), 0.0, 1.0)
    return np.linalg.norm(x - a - share[..., None] * (b - a), axis=-1) - (r_a + share * (r_b - r_a))


def ellipsoid(x, center, radii):
    scaled = (x - np.array(center)) / np.array(radii)
    length = np.linalg.norm(scaled, axis=-1)
    return length * (length - 1.0) / np.maximum(np.linalg.norm(scaled / np.array(radii), axis=-1), 1e-9)


def smooth_union(a, b, width):
    share = np.clip(0.5 + 0.5 * (b - a) / width, 0.0, 1.0)
    return b + share * (a - b) - width * share * (1.0 - share)


def figure_level(x):
    """Negative inside a person with arms held out, smooth where the limbs meet."""
    body = ellipsoid(x, (0.0, 1.14, 0.0), (0.19, 0.28, 0.12))
    body = smooth_union(body, ellipsoid(x, (0.0, 0.9, 0.0), (0.17, 0.14, 0.125)), 0.08)
    body = smooth_union(body, capsule(x, (0.0, 1.35, 0.0), (0.0, 1.47, 0.01), 0.065, 0.055), 0.05)
    body = smooth_union(body, ellipsoid(x, (0.0, 1.575, 0.015), (0.095, 0.125, 0.11)), 0.03)
    for side in (-1.0, 1.0):
        limbs = [((0.17, 1.33, 0.0), (0.42, 1.2, 0.02), 0.065, 0.05), ((0.42, 1.2, 0.02), (0.6, 1.38, 0.1), 0.048, 0.038),
                 ((0.6, 1.38, 0.1), (0.66, 1.46, 0.12), 0.042, 0.035), ((0.1, 0.86, 0.0), (0.17, 0.48, 0.03), 0.095, 0.065),
                 ((0.17, 0.48, 0.03), (0.2, 0.08, -0.01), 0.062, 0.045), ((0.2, 0.05, -0.01), (0.22, 0.045, 0.14), 0.05, 0.04)]
        for a, b, r_a, r_b in limbs:
            mirror = np.array([side, 1.0, 1.0])
            body = smooth_union(body, capsule(x, mirror * a, mirror * b, r_a, r_b), 0.045)
    return body


def surface_nets(level, lower, upper, h):
    """Closed surface of level = 0: a point in every cell with a change of sign, a quadrilateral about every such edge.

    Gibson 1998; the points are then pulled onto the surface along the gradient.
    """
    n = np.ceil((np.array(upper) - np.array(lower)) / h).astype(int) + 1
    axes = [lower[d] + h * np.arange(n[d]) for d in range(3)]
    x = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    inside = level(x) < 0.0
    corners = sum(inside[i:n[0] - 1 + i, j:n[1] - 1 + j, k:n[2] - 1 + k].astype(int)
                  for i in (0, 1) for j in (0, 1) for k in (0, 1))
    mixed = (corners > 0) & (corners < 8)
    number = np.full(mixed.shape, -1)
    number[mixed] = np.arange(mixed.sum())
    points = x[:-1, :-1, :-1][mixed] + 0.5 * h
    for _ in range(8):  # Newton's method along the gradient
        step = 1e-4
        gradient = np.stack([level(points + step * e) - level(points - step * e) for e in np.eye(3)], axis=-1) / (2 * step)
        points -= np.clip(level(points) / np.maximum(np.sum(gradient**2, axis=-1), 1e-3), -h, h)[:, None] * gradient
    triangles = []
    for d in range(3):
        u, v = (d + 1) % 3, (d + 2) % 3
        low = [slice(1, -1) for _ in range(3)]
        low[d] = slice(0, -1)
        high = list(low)
        high[d] = slice(1, None)
        for leaves in (True, False):  # the edge leaves the body along d, or enters it
            crossing = (inside[tuple(low)] == leaves) & (inside[tuple(high)] != leaves)
            edge = np.argwhere(crossing) + np.array([0 if axis == d else 1 for axis in range(3)])
            e_u, e_v = np.eye(3, dtype=int)[u], np.eye(3, dtype=int)[v]
            a, b, c, e = (number[tuple((edge - s).T)] for s in (e_u + e_v, e_v, 0 * e_u, e_u))
            quad = np.stack([a, b, c, e] if leaves else [a, e, c, b], axis=-1)
            triangles += [quad[:, [0, 1, 2]], quad[:, [0, 2, 3]]]
    return points, np.concatenate(triangles)


def figure():
    return surface_nets(figure_level, (-0.8, -0.06, -0.25), (0.8, 1.8, 0.3), 0.022)


# ------------------------------------------------------------------------------------------------------------- checks
def check_closed(points, polygons, name):
    """Checks that each edge is used once in each direction and that the volume is positive. Returns the volume."""
    edges = {}
    volume = 0.0
    for polygon in polygons:
        corners = [int(i) for i in polygon]
        for a, b in zip(corners, corners[1:] + corners[:1]):
            edges[a, b] = edges.get((a, b), 0) + 1
        for i in range(1, len(corners) - 1):
            volume += np.dot(points[corners[0]], np.cross(points[corners[i]], points[corners[i + 1]])) / 6.0
    open_edges = sum(1 for (a, b), n in edges.items() if edges.get((b, a), 0) != n)
    if open_edges or volume <= 0.0:
        sys.exit(f"{name}: {open_edges} open edges, volume {volume:g} m^3")
    return volume


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "inputs" / "meshes", help="default: inputs/meshes")
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    bodies = {"cube.stl": cube(), "gear.obj": gear(), "torus_knot.ply": torus_knot(), "figure.stl": figure(), "hull.obj": hull()}
    for name, (points, polygons) in bodies.items():
        volume = check_closed(points, polygons, name)
        path = folder / name
        if name == "gear.obj":
            write_obj(path, points, polygons, "A spur gear of 12 teeth, made by analysis/make_meshes.py")
        elif name == "hull.obj":
            write_obj(path, points, polygons, "Wigley's hull with a deck, made by analysis/make_meshes.py")
        elif name == "cube.stl":
            write_text_stl(path, points, polygons, "cube")
        elif name == "torus_knot.ply":
            write_binary_ply(path, points, polygons, "A (2, 3) torus knot, made by analysis/make_meshes.py")
        else:
            write_binary_stl(path, points, np.asarray(polygons), "A figure, made by analysis/make_meshes.py")
        print(f"{path}: {len(points)} points, {len(polygons)} faces, {volume:.4g} m^3, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
