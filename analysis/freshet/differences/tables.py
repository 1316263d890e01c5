# SPDX-License-Identifier: Apache-2.0
"""Tables of two runs: steps.csv, gauges, the list of surfaces."""
import numpy as np

from ..analysis.growing import GrowingTable
from .values import Part, Quantity, counted, differ, relative

OF_THE_MACHINE = {  # columns that are not compared, with the reason
    "seconds": "wall-clock time",
    "memory": "what the ranks hold",
    "imbalance": "cost by rank",
    "moved_rank": "particles that went to another rank",
    "allocated_blocks": "each rank keeps a margin",
}


def compare_tables(name, first, second, key, tolerance=0.0, ignored=()):
    """Part of two .csv files, whose rows belong together by the numbers in the column `key`.

    Real numbers differ by more than tolerance times the larger of the two. Errors: ValueError for a table without that column
    """
    tables = [GrowingTable(path).refresh() for path in (first, second)]
    for path, table in zip((first, second), tables):
        if table and key not in table:
            raise ValueError(f"{path} is damaged (it has no column '{key}')")
    counts = [len(table[key]) if table else 0 for table in tables]
    part = Part(name, counted(*counts, "row"), rows="rows")
    if not all(tables):
        part.only += [f"only the {which} run has {name}" for which, table in zip(("first", "second"), tables) if table]
        return part
    a, b = tables
    part.units = {**b.units, **a.units}
    _, rows_a, rows_b = np.intersect1d(a[key], b[key], return_indices=True)
    left_out = [column for column in OF_THE_MACHINE if column in a or column in b]
    if left_out:
        part.notes.append("not compared: " + ", ".join(f"{column} ({OF_THE_MACHINE[column]})" for column in left_out))
    for which, mine, other in (("first", a, b), ("second", b, a)):
        only_here = [column for column in mine if column not in other and column not in ignored and column not in left_out]
        if only_here:
            part.only.append(f"only the {which} run has the columns {', '.join(only_here)}")
        part.only += only_rows(which, key, np.setdiff1d(mine[key], other[key]))
    columns = [column for column in a if column in b and column not in ignored and column not in left_out]
    _compare_rows(part, {c: a[c][rows_a] for c in columns}, {c: b[c][rows_b] for c in columns}, key, tolerance)
    return part


def only_rows(which, key, numbers):
    """A text on rows that one run alone has; none for none."""
    if not len(numbers):
        return []
    span = f"{numbers[0]:.0f}" if len(numbers) == 1 else f"{numbers[0]:.0f} to {numbers[-1]:.0f}"
    return [f"only the {which} run has {len(numbers)} row{'s' * (len(numbers) > 1)} ({key} {span})"]


def _compare_rows(part, a, b, key, tolerance):
    """The first row that differs: its columns, the largest relative difference first; and when the others follow."""
    masks = {column: differ(a[column], b[column], tolerance) for column in a}
    begin = {column: int(np.argmax(mask)) for column, mask in masks.items() if mask.any()}
    if not begin:
        return
    row = min(begin.values())
    for column in (column for column in begin if begin[column] == row):
        one, other = float(a[column][row]), float(b[column][row])
        size = abs(one - other)
        size = np.inf if np.isnan(size) else size
        part.quantities.append(Quantity(column, int(masks[column].sum()), len(masks[column]), size,
                                        relative(size, np.nanmax([abs(one), abs(other), 0.0])), one, other))
    part.quantities.sort(key=lambda quantity: -quantity.relative)
    number_of = a["step"] if "step" in a else a[key]
    part.later = sorted(((column, int(number_of[at])) for column, at in begin.items() if at > row), key=lambda entry: entry[1])
    part.place, part.step = f"{key} {a[key][row]:.0f}", int(number_of[row])
    part.time = float(a["t"][row]) if "t" in a else None
