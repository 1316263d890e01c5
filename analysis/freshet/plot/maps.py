# SPDX-License-Identifier: Apache-2.0
"""Maps of one moment: heights of the surface, and slices of fields."""
import numpy as np

from .. import analysis as fa
from .curves import drawn
from .style import named

UNITS = {"pressure": "Pa", "velocity": "m/s", "face_velocity": "m/s"}


def colored(axes, x, y, values, label):
    """A map with its bar of colours. Its cells are one picture in the file, text and axes stay vectors."""
    mesh = axes.pcolormesh(x, y, values, rasterized=True, cmap="viridis")
    axes.grid(False)
    axes.set_aspect("equal")
    axes.figure.colorbar(mesh, cax=axes.inset_axes([1.03, 0.0, 0.04, 1.0]), label=label)


@drawn
def heights(run, time=None, axes=None):
    """The height of the liquid over the floor at the snapshot nearest to a time (default: the last): a map, in 2-D a curve."""
    snapshot = run.snapshots[-1] if time is None else run.snapshots.at(time)
    vertical = int(np.argmax(np.abs(run.up)))
    across = ["xyz"[d] for d in range(3) if d != vertical]
    found, first, second = fa.height_map(run, snapshot)
    axes.set_title(f"t = {snapshot.time:.4g} s")
    if run.dimension == 2:
        line = found.max(axis=1, initial=-np.inf, where=np.isfinite(found))
        axes.plot(0.5 * (first[1:] + first[:-1]), np.where(np.isfinite(line), line, np.nan), drawstyle="steps-mid")
        axes.set(xlabel=f"{across[0]} [m]", ylabel="height of the liquid [m]", xlim=(first[0], first[-1]))
        axes.set_ylim(0, None)
        return
    colored(axes, first, second, found.T, "height of the liquid [m]")
    axes.set(xlabel=f"{across[0]} [m]", ylabel=f"{across[1]} [m]")


@drawn
def slice_of(run, field="pressure", axis="z", place=0.5, time=None, axes=None):
    """A plane of a field; place: share of the domain's extent along the axis. Vectors show their length. In 2-D all of it.

    Cells that are not liquid are left out where the snapshot has the field `label`.
    """
    if not 0 <= place <= 1:
        raise ValueError(f"the plane is at {place:g} of the domain (a share from 0 to 1)")
    snapshot = run.snapshots[-1] if time is None else run.snapshots.at(time)
    d = "xyz".index(axis)
    values, label, edges = on_grid(snapshot, field)
    if run.dimension == 3:
        low, high = run.box[:, d]
        index = int(np.clip(np.searchsorted(edges[d], low + place * (high - low), side="right") - 1, 0, len(edges[d]) - 2))
        values = np.take(values, index, axis=2 - d)
        label = None if label is None else np.take(label, index, axis=2 - d)
        where = f", {axis} = {0.5 * (edges[d][index] + edges[d][index + 1]):.4g} m"
        first, second = (e for e in range(3) if e != d)
    else:
        first, second, where = 0, 1, ""
        values, label = values[0], None if label is None else label[0]
    values = values if label is None else np.where(label == 1, values, np.nan)
    colored(axes, edges[first], edges[second], values, named(field, UNITS.get(field, "")))
    axes.set(xlabel=f"{'xyz'[first]} [m]", ylabel=f"{'xyz'[second]} [m]", title=f"t = {snapshot.time:.4g} s{where}")


def on_grid(snapshot, field):
    """(values [z][y][x], labels or None, edges of the cells along x, y, z [m]). Errors: KeyError without the field"""
    if field not in snapshot.fields:
        raise KeyError(f"{snapshot.path} has no field '{field}' (it has {', '.join(snapshot.fields) or 'none'}). Fields are "
                       "written if the case names them in output.fields")
    values, origin, spacing = snapshot.field_on_grid(field)  # in 2-D with one cell along z
    values = np.linalg.norm(values, axis=-1) if values.ndim > 3 else values.astype(float)
    label = snapshot.field_on_grid("label")[0] if "label" in snapshot.fields else None
    edges = [origin[e] + spacing * np.arange(values.shape[2 - e] + 1) for e in range(3)]
    return values, label, edges
