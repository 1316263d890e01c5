# SPDX-License-Identifier: Apache-2.0
"""Numbers that differ: which, how many, and by how much at worst."""
from dataclasses import dataclass, field

import numpy as np

AXES = "xyz"


def bits_differ(a, b):
    """Where two arrays differ bit for bit. Any NaN is like any other; 0 and -0 differ."""
    if a.dtype.kind == "f" and b.dtype.kind == "f":
        return ~((a == b) & (np.signbit(a) == np.signbit(b)) | np.isnan(a) & np.isnan(b))
    return a != b


def differ(a, b, tolerance=0.0, scale=None):
    """Where two arrays differ: bit for bit, real numbers by more than tolerance * scale where a tolerance is given.

    scale: a number; None: the larger magnitude of the two values.
    """
    found = bits_differ(a, b)
    if tolerance > 0 and a.dtype.kind == "f" and found.any():
        with np.errstate(invalid="ignore", over="ignore"):
            size = np.maximum(np.abs(a), np.abs(b)) if scale is None else scale
            found &= ~(np.abs(a.astype(float) - b) <= tolerance * size)  # NaN beside a number stays
    return found


@dataclass
class Quantity:
    """What differs of one quantity."""
    name: str
    count: int = 0               # of rows (particles, cells, steps) that differ
    of: int = 0                  # rows that were compared
    difference: float = 0.0      # the largest, in the quantity's unit; inf where one of the two is no number
    relative: float = 0.0        # that / the largest magnitude of the quantity in what was compared
    first: object = None         # the two values there
    second: object = None
    where: dict = field(default_factory=dict)  # that place: id, position [m], cell, step, component

    def text(self):
        """One line: how many rows, and the worst of them."""
        head = f"{self.name}: " + (f"{self.count} of {self.of} differ, at worst " if self.of > 1 else "")
        place = ", ".join(f"{key} {_short(value)}" for key, value in self.where.items())
        size = "" if isinstance(self.first, str) else f" (difference {self.difference:.3g}, relative {self.relative:.2g})"
        return head + f"{number_text(self.first)} and {number_text(self.second)}{size}" + (f" at {place}" if place else "")


def counted(one, other, thing):
    """"3 frames", or "3 and 4 frames"."""
    return f"{one} {thing}{'s' * (one != 1)}" if one == other else f"{one} and {other} {thing}s"


def number_text(value):
    """A number with as many digits as tell it from others of its type."""
    if isinstance(value, np.floating):
        return np.format_float_scientific(value) if 0 < abs(value) < 1e-3 or abs(value) >= 1e7 else np.format_float_positional(value, trim="-")
    return str(value).removesuffix(".0")


def _short(value):
    if isinstance(value, (list, tuple, np.ndarray)):
        return "(" + ", ".join(_short(one) for one in value) + ")"
    return f"{value:.6g}" if isinstance(value, (float, np.floating)) else str(value)


class Tally:
    """Compares a quantity piece by piece: counts the rows that differ, and keeps the worst."""

    def __init__(self, name, tolerance=0.0, scale=None):
        self._tolerance, self._scale, self._magnitude = tolerance, scale, 0.0
        self.quantity = Quantity(name, difference=-1.0)

    def add(self, a, b, where, exact=None):
        """Compare rows of a with those of b, (n,) or (n, k). where(row): a dict that tells where the row is.

        exact: two arrays whose bits tell which rows differ, where a and b are rounded.
        """
        quantity = self.quantity
        quantity.of += len(a)
        if exact is None or self._tolerance > 0:
            changed = differ(a, b, self._tolerance, self._scale)
        else:
            changed = np.broadcast_to(bits_differ(*exact).any(axis=1)[:, None], a.shape)
        a, b, changed = (values.reshape(len(a), -1) for values in (a, b, changed))
        self._magnitude = max(self._magnitude, magnitude(a), magnitude(b))
        rows = np.flatnonzero(changed.any(axis=1))
        if not len(rows):
            return
        quantity.count += len(rows)
        with np.errstate(invalid="ignore", over="ignore"):
            size = np.abs(a[rows].astype(float) - b[rows].astype(float))
        size = np.where(changed[rows], np.where(np.isnan(size), np.inf, size), -1.0)
        row, component = np.unravel_index(np.argmax(size), size.shape)
        if size[row, component] > quantity.difference:
            quantity.difference = float(size[row, component])
            quantity.first, quantity.second = a[rows[row], component], b[rows[row], component]
            quantity.where = dict(where(rows[row]))
            if a.shape[1] > 1:
                quantity.where["component"] = AXES[component] if a.shape[1] == 3 else int(component)

    def result(self):
        """The Quantity; None if nothing differs."""
        if not self.quantity.count:
            return None
        self.quantity.relative = relative(self.quantity.difference, self._magnitude)
        return self.quantity


def magnitude(values):
    """The largest magnitude of the finite values; 0 without any."""
    if not values.size:
        return 0.0
    size = np.abs(values.astype(float))
    return float(size.max(initial=0.0, where=np.isfinite(size)))


def relative(difference, scale):
    return difference / scale if scale > 0 else 0.0 if difference == 0 else np.inf


@dataclass
class Part:
    """What a comparison of one kind of file has found."""
    name: str                        # "steps.csv", "snapshots", ...
    extent: str                      # what was compared
    place: str = ""                  # of the first difference: "step 12", "frame 3"
    step: object = None              # number of the step at whose end it is
    time: object = None              # [s]
    rows: str = "values"             # what Quantity.count counts
    quantities: list = field(default_factory=list)
    units: dict = field(default_factory=dict)
    later: list = field(default_factory=list)         # (name, step) of columns that differ first in a later row
    missing: list = field(default_factory=list)       # texts: particles that only one of the runs has in that frame
    only: list = field(default_factory=list)          # texts: what only one of the runs has
    notes: list = field(default_factory=list)         # texts: what was not compared, and why

    def differs(self, common=False):
        """Whether the runs differ here. common: what only one of them has does not count."""
        return bool(self.quantities or self.missing) or bool(self.only) and not common
