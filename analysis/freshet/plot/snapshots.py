# SPDX-License-Identifier: Apache-2.0
"""A run as pictures through time: shaded water in 3-D, particles coloured by speed in 2-D."""
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.collections import EllipseCollection
from matplotlib.colors import Normalize

from ..geometry.shapes import distance_of
from .water import PAPER_COLOR, SPEED_COLORS, Scene

AIR_COLOR = "#e9ebee"


def choose(snapshots, times, count):
    """The snapshots nearest to the given times, or `count` of them at equal distances through the run."""
    if times:
        return [min(snapshots, key=lambda snapshot: abs(snapshot.time - t)) for t in times]
    count = min(count, len(snapshots))
    return [snapshots[round(i * (len(snapshots) - 1) / max(1, count - 1))] for i in range(count)]


def top_speed(snapshots):
    """A round number [m/s] that at most one particle in a hundred exceeds; None if the files hold no velocity."""
    if not all("velocity" in snapshot.records for snapshot in snapshots):
        return None
    fast = max((np.percentile(snapshot.speed(), 99) for snapshot in snapshots if snapshot.count), default=1.0)
    if fast <= 0:
        return 1.0
    unit = 10.0 ** np.floor(np.log10(fast))
    return unit * min(step for step in (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10) if step * unit >= 0.95 * fast)


def shown_box(run, snapshots):
    """The domain up to a little above the highest water."""
    box = run.box
    axis = int(np.argmax(np.abs(run.up)))
    low, high = (0, 1) if run.up[axis] > 0 else (1, 0)
    sign = np.sign(run.up[axis])
    peak = max((sign * np.percentile(sign * snapshot.position()[:, axis], 99.9) for snapshot in snapshots
                if snapshot.count), key=lambda level: sign * level, default=box[high][axis])
    rise = 1.15 * abs(peak - box[low][axis])
    box[high][axis] = box[low][axis] + sign * min(abs(box[high][axis] - box[low][axis]), rise)
    return box


def sign_of_azimuth(run, first):
    """Sign of the azimuth that looks from the side where there is no water at first."""
    box = run.box
    extent = box[1] - box[0]
    extent[int(np.argmax(np.abs(run.up)))] = -1
    axis = int(np.argmax(extent))
    middle = first.position()[:, axis].mean() if first.count else 0.0
    return 1.0 if middle <= box[:, axis].mean() else -1.0


def picture_size(box, up, width):
    """Width and height of a picture [pixels] that shows the box from slightly above."""
    axis = int(np.argmax(np.abs(up)))
    sides = sorted((box[1] - box[0])[d] for d in range(3) if d != axis)
    across = 0.9 * sides[1] + 0.45 * sides[0]
    upright = 0.95 * (box[1] - box[0])[axis] + 0.36 * sides[0] + 0.15 * sides[1]
    return width, int(width * np.clip(upright / across, 0.35, 1.3)) // 2 * 2


def draw_3d(run, chosen, axes, limit, width, azimuth, elevation):
    box = shown_box(run, chosen)
    azimuth = 28.0 * sign_of_azimuth(run, run.snapshots[0]) if azimuth is None else azimuth
    size = picture_size(box, run.up, width)
    scene = Scene(box, run.up, run.cell_size, run.solids, size, azimuth, elevation)
    for snapshot, panel in zip(chosen, axes):
        speed = None if limit is None else snapshot.speed()
        panel.imshow(scene.draw(snapshot.position(), speed, limit, snapshot.solid_poses))
        panel.set_axis_off()


def draw_2d(run, chosen, axes, limit):
    box = run.box[:, :2]
    size = 0.9 * run.cell_size
    for snapshot, panel in zip(chosen, axes):
        panel.set(xlim=box[:, 0], ylim=box[:, 1], aspect="equal", facecolor=AIR_COLOR)
        value = np.zeros(snapshot.count) if limit is None else snapshot.speed()
        order = np.argsort(value)
        panel.add_collection(EllipseCollection(
            size, size, 0, units="xy", offsets=snapshot.position()[order, :2], offset_transform=panel.transData,
            array=value[order], cmap=SPEED_COLORS, norm=Normalize(0, limit or 1), linewidths=0, rasterized=True))
        draw_solids_2d(panel, run.solids, snapshot.solid_poses, box)
        panel.tick_params(labelsize=7)
        panel.set_xlabel("x [m]", fontsize=8)
        panel.set_ylabel("y [m]", fontsize=8)


def draw_solids_2d(panel, solids, poses, box):
    if not solids:
        return
    x, y = (np.linspace(*box[:, axis], 600) for axis in (0, 1))
    points = np.stack([*np.meshgrid(x, y), np.zeros((600, 600))], axis=-1)
    still = np.eye(3, 4)
    distance = np.min([distance_of(solid, still if poses is None else poses[number], points)
                       for number, solid in enumerate(solids)], axis=0)
    panel.contourf(x, y, distance, levels=[-np.inf, 0], colors=["#9e9185"], zorder=3)
    panel.contour(x, y, distance, levels=[0], colors=["#5d554d"], linewidths=0.6, zorder=3)


def layout(run, chosen, columns, width):
    """A figure with one panel for each snapshot."""
    columns = min(columns, len(chosen))
    rows = -(-len(chosen) // columns)
    if run.dimension == 3:
        pixels = picture_size(shown_box(run, chosen), run.up, width)
        size = (pixels[0] / 100, pixels[1] / 100 + 0.25)
    else:
        extent = run.box[1] - run.box[0]
        size = (width / 140, width / 140 * np.clip(extent[1] / extent[0], 0.25, 2.0) + 0.5)
    return plt.subplots(rows, columns, figsize=(columns * size[0] + 0.9, rows * size[1] + 0.5), squeeze=False,
                        layout="constrained")


def snapshots(run, times=None, count=6, columns=3, width=640, azimuth=None, elevation=20.0):
    """The figure of the snapshots nearest to some times [s], or of `count` of them through the run.

    width: of a picture [pixels]; azimuth, elevation: of the view in 3-D, from that along the short side of the tank and
    above the horizontal [degrees]. Errors: ValueError for a run without snapshots
    """
    if not run.snapshots:
        raise ValueError(f"there are no snapshots in {run.directory}/snapshots")
    chosen = choose(run.snapshots, times, count)
    limit = top_speed(chosen)
    figure, grid = layout(run, chosen, columns, width)
    axes = grid.ravel()
    if run.dimension == 3:
        figure.set_facecolor(PAPER_COLOR)
        draw_3d(run, chosen, axes, limit, width, azimuth, elevation)
    else:
        draw_2d(run, chosen, axes, limit)
    for snapshot, panel in zip(chosen, axes):
        panel.set_title(f"t = {snapshot.time:.4g} s", fontsize=10)
    for panel in axes[len(chosen):]:
        panel.set_axis_off()
    if limit is not None:
        colors = ScalarMappable(Normalize(0, limit), SPEED_COLORS)
        bar = figure.colorbar(colors, ax=grid, shrink=0.7, aspect=30, pad=0.01)
        bar.set_label("speed [m/s]")
    figure.suptitle(f"{run.title}: " + f"{chosen[0].count:,} particles".replace(",", " "))
    return figure
