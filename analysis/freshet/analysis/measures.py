# SPDX-License-Identifier: Apache-2.0
"""What is measured in a run: energy, front, heights, histograms, volumes, arrivals; and of curves: spectra, crossings."""
from dataclasses import dataclass

import numpy as np

from .tables import array, table

AXES = {"x": 0, "y": 1, "z": 2}


def energy(run):
    """Energy against time: a table of t [s], kinetic, potential (above its least value) and total [J].

    Errors: ValueError for a run whose steps.csv has no energies
    """
    steps = run.step_columns
    if not {"t", "kinetic_energy", "potential_energy"} <= steps.keys():
        raise ValueError(f"{run.directory} has no steps yet")
    potential = steps["potential_energy"] - steps["potential_energy"].min(initial=np.inf)
    kinetic = steps["kinetic_energy"]
    return table({"t": steps["t"], "kinetic": kinetic, "potential": potential, "total": kinetic + potential},
                 {"t": "s", "kinetic": "J", "potential": "J", "total": "J"})


def front(run, axis="x", share=0.999, direction=1):
    """How far the liquid reaches in each snapshot: a table of t [s] and position [m].

    share: of the particles that are behind the front, so that single drops do not count; 1: the furthest particle.
    direction: 1 or -1, towards the high or the low end of the axis. nan where there are no particles.
    """
    if axis not in AXES:
        raise KeyError(f"there is no axis '{axis}' (they are x, y, z)")
    d = AXES[axis]
    times, places = [], []
    for snapshot in run.snapshots:
        x = direction * snapshot.position()[:, d]
        times.append(snapshot.time)
        places.append(direction * np.quantile(x, share) if len(x) else np.nan)
    return table({"t": np.array(times), "position": np.array(places)}, {"t": "s", "position": "m"})


def height_map(run, snapshot, spacing=None):
    """Height of the highest particle in each column: (heights [m], first edges [m], second edges [m]).

    heights[i, j] belongs to the i-th interval of the first horizontal axis and the j-th of the second, in the order x, y, z;
    it is measured against gravity from the domain's floor, and nan where no particle is. spacing: [m], default: a cell.
    """
    spacing = spacing or run.cell_size
    vertical = int(np.argmax(np.abs(run.up)))
    across = [d for d in range(3) if d != vertical]
    low, high = run.box
    edges = [low[d] + spacing * np.arange(max(1, int(np.ceil((high[d] - low[d]) / spacing - 1e-9))) + 1) for d in across]
    x = snapshot.position()
    sign = np.sign(run.up[vertical])
    height = sign * (padded(x)[:, vertical] - (low if sign > 0 else high)[vertical])
    index = [np.clip(((padded(x)[:, d] - low[d]) / spacing).astype(int), 0, len(e) - 2) for d, e in zip(across, edges)]
    heights = np.full([len(e) - 1 for e in edges], -np.inf)
    np.maximum.at(heights, tuple(index), height)
    return np.where(np.isfinite(heights), heights, np.nan), *edges


def padded(x):
    """Positions (n, 3); those of 2-D get z = 0."""
    return x if x.shape[1] == 3 else np.concatenate([x, np.zeros((len(x), 3 - x.shape[1]))], axis=1)


def histogram(snapshot, name="speed", bins=50, range=None, tag=None):  # noqa: A002  (as in numpy)
    """Particles by the size of a record, "speed", or "x", "y", "z": (counts, edges in the record's unit)."""
    if name in AXES:
        values = snapshot.particles([], tag=tag)["position"][:, AXES[name]]
    else:
        record = "velocity" if name == "speed" else name
        values = snapshot.particles([record], tag=tag)[record]
        values = np.linalg.norm(values, axis=1) if values.ndim == 2 else values
    return np.histogram(values, bins=bins, range=range)


def volume_by_tag(run):
    """Volume of each liquid's particles in each snapshot: a table of t [s] and one column a tag [m^3; in 2-D m^2].

    A particle counts as its share of a full cell, and for those that output.particle_share leaves out. Without the record `tag`
    all liquid has the tag 0.
    """
    volume = run.particle_volume / (run.parameters["output"].get("particle_share", 1.0) or 1.0)
    times, found = [], []
    for snapshot in run.snapshots:
        times.append(snapshot.time)
        if "tag" in snapshot.records:
            found.append(dict(zip(*map(np.ndarray.tolist, np.unique(snapshot.record("tag"), return_counts=True)))))
        else:
            found.append({0: snapshot.count})
    tags = sorted(set().union(*found)) if found else []
    columns = {f"tag {tag}": volume * np.array([counts.get(tag, 0) for counts in found]) for tag in tags}
    unit = "m^3" if run.dimension == 3 else "m^2"
    return table({"t": np.array(times), **columns}, {"t": "s", **{name: unit for name in columns}})


@dataclass
class Spectrum:
    """Energy of a signal by frequency: density[i] in (unit of the signal)^2 / Hz at frequency[i] [Hz]."""
    frequency: np.ndarray
    density: np.ndarray

    @property
    def peak(self):
        """Frequency with the most energy, the mean left out [Hz]."""
        return float(self.frequency[1:][np.argmax(self.density[1:])])


def spectrum(t, values, window=True):
    """One-sided power spectrum of a gauge's values at times t [s], which need not be evenly spaced.

    The values are interpolated to the mean spacing, their mean is taken off. window: Hann's, which lets peaks leak less.
    The integral of the density over the frequencies is the variance of the (windowed) values. Errors: ValueError for fewer
    than four times
    """
    t, values = array(t), array(values)
    keep = np.isfinite(values)
    t, values = t[keep], values[keep]
    if len(t) < 4:
        raise ValueError(f"a spectrum needs four values or more, there are {len(t)}")
    even = np.linspace(t[0], t[-1], len(t))
    step = even[1] - even[0]
    signal = np.interp(even, t, values)
    signal = signal - signal.mean()
    weight = np.hanning(len(signal) + 1)[:-1] if window else np.ones(len(signal))
    power = np.abs(np.fft.rfft(signal * weight)) ** 2 * step / np.sum(weight**2)
    power[1:len(power) - (len(signal) % 2 == 0)] *= 2  # the negative frequencies
    return Spectrum(np.fft.rfftfreq(len(signal), step), power)


def crossing(t, values, level):
    """The first time at which a curve rises to a level, by linear interpolation; nan if it never does."""
    t, values = array(t), array(values)
    above = np.nonzero(values >= level)[0]
    if len(above) == 0:
        return np.nan
    n = above[0]
    return t[0] if n == 0 else t[n - 1] + (t[n] - t[n - 1]) * (level - values[n - 1]) / (values[n] - values[n - 1])


def zero_crossings(t, values):
    """All times at which a curve changes its sign, by linear interpolation; points that are exactly 0 between two signs count."""
    t, values = array(t), array(values)
    zeros = np.nonzero((values[1:-1] == 0) & (values[:-2] * values[2:] < 0))[0] + 1
    n = np.nonzero(values[:-1] * values[1:] < 0)[0]
    between = t[n] + (t[n + 1] - t[n]) * values[n] / (values[n] - values[n + 1])
    return np.sort(np.concatenate([between, t[zeros]]))


def moving_mean(t, values, width):
    """Means of a curve, linear between its points, over [t - width/2, t + width/2]."""
    t, values = array(t), array(values)
    integral = np.concatenate([[0], np.cumsum(0.5 * (values[1:] + values[:-1]) * np.diff(t))])
    low, high = np.clip(t - width / 2, t[0], t[-1]), np.clip(t + width / 2, t[0], t[-1])
    return (np.interp(high, t, integral) - np.interp(low, t, integral)) / np.maximum(high - low, 1e-300)


def arrivals(run, boxes):
    """When the liquid first reaches boxes: {name: [s]} for those of {name: (low, high)} [m] that it reaches.

    A box counts as reached when it holds as much liquid as a strip with half a cell for its cross-section that is as long as
    the box is deep along z. The times are those of snapshots: choose output.interval accordingly.
    """
    needed = {name: particles_of_strip(run, *box) for name, box in boxes.items()}
    times = {}
    for snapshot in run.snapshots:
        x = snapshot.position()[:, :run.dimension]
        for name in boxes.keys() - times.keys():
            low, high = (np.asarray(corner, dtype=float)[:run.dimension] for corner in boxes[name])
            if np.count_nonzero(((x >= low) & (x <= high)).all(axis=1)) >= needed[name]:
                times[name] = snapshot.time
        if len(times) == len(boxes):
            break
    return times


def particles_of_strip(run, low, high):
    """Particles in a strip with half a cell for its cross-section, as long as a box is deep along z."""
    depth = (high[2] - low[2]) / run.cell_size if run.dimension == 3 else 1.0
    return max(1.0, 0.5 * depth * run.parameters["particles"]["per_axis"] ** run.dimension)
