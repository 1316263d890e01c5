# SPDX-License-Identifier: Apache-2.0
"""The blocks of cells that exist in the checkpoints of a run: blocks in green, the whole grid in yellow."""
import h5py
import matplotlib.pyplot as plt
import numpy as np
from mpl_toolkits.mplot3d.art3d import Line3DCollection

from ..analysis.snapshot import block_coordinates

BLOCK_CELLS = 8
SHOWN_PARTICLES = 6000


def read_checkpoint(path, origin, dx):
    """Reads the time [s], the low corners of the blocks (n, 3) [m] and the positions of the particles (n, 3) [m]."""
    with h5py.File(path, "r") as file:
        time = float(np.ravel(file["state"].attrs["time"])[0])
        corners = origin + dx * BLOCK_CELLS * block_coordinates(file["blocks/key"][()])
        counts = np.diff(file["blocks/first_particle"][()].astype(np.int64))
        inside = file["particles/position"][()].reshape(-1, 3)
    return time, corners, np.repeat(corners, counts, axis=0) + dx * inside


def edges(corners, size):
    """The twelve edges of each of n boxes with these low corners, (12 n, 2, 3)."""
    unit = np.array([[i, j, k] for i in (0, 1) for j in (0, 1) for k in (0, 1)], dtype=float)
    pairs = [(a, b) for a in range(8) for b in range(a) if np.abs(unit[a] - unit[b]).sum() == 1]
    ends = np.array([[unit[a], unit[b]] for a, b in pairs]) * size
    return (np.asarray(corners)[:, None, None, :] + ends[None]).reshape(-1, 2, 3)


def draw(panel, run, path):
    box, dx = run.box, run.cell_size
    time, corners, particles = read_checkpoint(path, box[0], dx)
    shown = particles[:: max(1, len(particles) // SHOWN_PARTICLES)]
    panel.scatter(*shown.T[[0, 2, 1]], s=0.6, color="#1f6fb2", linewidths=0)
    swap = [0, 2, 1]  # the plot's third axis points up: y
    panel.add_collection3d(Line3DCollection(edges(corners, dx * BLOCK_CELLS)[:, :, swap], colors="#3a9d4a", linewidths=0.5))
    panel.add_collection3d(Line3DCollection(edges(box[:1], box[1] - box[0])[:, :, swap], colors="#d9a400", linewidths=1.6))
    low, high = box[0][swap], box[1][swap]
    panel.set(xlim=(low[0], high[0]), ylim=(high[1], low[1]), zlim=(low[2], high[2]))
    panel.set_box_aspect(high - low)
    panel.view_init(elev=18, azim=-60)
    panel.set_axis_off()
    all_blocks = int(np.prod(np.ceil((box[1] - box[0]) / dx / BLOCK_CELLS - 1e-9)))
    panel.set_title(f"t = {time:.3g} s: {len(corners)} of {all_blocks} blocks", fontsize=10)


def blocks(run, count=4):
    """The figure of `count` checkpoints. Errors: ValueError for a run without checkpoints, or in 2-D"""
    files = sorted((run.directory / "checkpoints").glob("chk_*.h5"))
    if not files or run.dimension != 3:
        raise ValueError(f"{run.directory} has no checkpoints of a 3-D run: set checkpoint.interval and keep")
    count = min(count, len(files))
    chosen = [files[round(i * (len(files) - 1) / max(1, count - 1))] for i in range(count)]
    figure = plt.figure(figsize=(4.2 * count, 4.4), layout="constrained")
    for place, path in enumerate(chosen, 1):
        draw(figure.add_subplot(1, count, place, projection="3d"), run, path)
    figure.suptitle(run.title)
    return figure
