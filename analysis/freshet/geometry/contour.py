# SPDX-License-Identifier: Apache-2.0
"""The surface of a shape as triangles, by surface nets (Gibson 1998): one vertex in each cell that the surface crosses."""
import numpy as np


def contour(distance, low, step, counts):
    """Points (n, 3) and triangles (m, 3) of the zero surface of a signed distance; their normals point outwards.

    distance: a function of points (..., 3). low, step [m], counts: the first point, spacing and numbers of points (3) of the
    lattice that is looked at.
    """
    axes = [low[d] + step * np.arange(counts[d]) for d in range(3)]
    values = distance(np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1))
    inside = values < 0
    cells = tuple(n - 1 for n in counts)
    corners = np.array([[i, j, k] for i in (0, 1) for j in (0, 1) for k in (0, 1)])

    def at(corner, array):
        return array[tuple(slice(c, c + n) for c, n in zip(corner, cells))]

    number_inside = sum(at(corner, inside).astype(int) for corner in corners)
    crossed = (number_inside > 0) & (number_inside < 8)
    vertex = np.full(cells, -1)
    vertex[crossed] = np.arange(np.count_nonzero(crossed))
    total, hits = np.zeros((np.count_nonzero(crossed), 3)), np.zeros(np.count_nonzero(crossed))
    for a in corners:
        for d in range(3):
            if a[d] == 0:
                b = a + np.eye(3, dtype=int)[d]
                va, vb = at(a, values)[crossed], at(b, values)[crossed]
                cut = (va < 0) != (vb < 0)
                share = np.divide(va, va - vb, out=np.zeros_like(va), where=cut)
                total[cut] += (a + share[:, None] * (b - a))[cut]
                hits[cut] += 1
    points = np.asarray(low) + step * (np.argwhere(crossed) + total / np.maximum(hits, 1)[:, None])
    quads = [faces_across(inside, vertex, d) for d in range(3)]
    quads = np.concatenate(quads)
    return points, np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])


def faces_across(inside, vertex, d):
    """Quadrilaterals (n, 4) around the edges along axis d that cross the surface."""
    e, f = (d + 1) % 3, (d + 2) % 3
    first = [slice(1, n - 1) for n in inside.shape]
    second = list(first)
    first[d], second[d] = slice(0, inside.shape[d] - 1), slice(1, inside.shape[d])
    out, back = inside[tuple(first)] & ~inside[tuple(second)], ~inside[tuple(first)] & inside[tuple(second)]
    found = []
    for crossing, order in ((out, ((-1, -1), (0, -1), (0, 0), (-1, 0))), (back, ((-1, -1), (-1, 0), (0, 0), (0, -1)))):
        edge = np.argwhere(crossing)
        edge[:, [e, f]] += 1
        quad = []
        for shift_e, shift_f in order:
            cell = edge.copy()
            cell[:, e] += shift_e
            cell[:, f] += shift_f
            quad.append(vertex[tuple(cell.T)])
        found.append(np.stack(quad, axis=-1))
    return np.concatenate(found)
