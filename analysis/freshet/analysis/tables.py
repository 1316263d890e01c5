# SPDX-License-Identifier: Apache-2.0
"""Tables of numbers: pandas where it is installed, numpy arrays by name where it is not."""
import csv
import re
from pathlib import Path

import numpy as np


class Columns(dict):
    """A table without pandas: {name: array with one value a row}; `units` is {name: unit}."""

    def __init__(self, columns=(), units=None):
        super().__init__(columns)
        self.units = dict(units or {})

    @property
    def columns(self):
        """The names, as pandas calls them."""
        return list(self)


def table(columns, units=None):
    """A pandas DataFrame of {name: values}, or Columns without pandas. DataFrame.attrs["units"] is {name: unit}."""
    try:
        import pandas
    except ImportError:
        return Columns({name: np.asarray(values) for name, values in columns.items()}, units)
    frame = pandas.DataFrame(dict(columns))
    frame.attrs["units"] = dict(units or {})
    return frame


def read_columns(path):
    """The columns of a .csv file with a head line of names such as "t [s]": Columns, its names without units.

    Values stand between commas; or between semicolons or tabs, where numbers may have decimal commas. A last row that is not
    whole yet, and lines that begin with #, are left out. Text among numbers is nan; a column without a number keeps its text.
    Errors: FileNotFoundError; ValueError for a file without a head line
    """
    text = Path(path).read_bytes().decode("utf-8-sig", "replace")
    whole = text if text.endswith("\n") else text[:text.rfind("\n") + 1]
    lines = [line for line in whole.splitlines() if line.strip() and not line.startswith("#")]
    between = next((mark for mark in ";\t" if lines and mark in lines[0]), ",")
    rows = list(csv.reader(lines, delimiter=between))
    if not rows or all(np.isfinite(number(word.replace(",", "."))) for word in rows[0]):
        raise ValueError(f"{path} has no head line. Give it a first line of names, such as t [s],height [m]")
    if between != ",":
        rows[1:] = [[word.replace(",", ".") for word in row] for row in rows[1:]]
    names, units = heads_of(rows[0])
    whole_rows = [row for row in rows[1:] if len(row) == len(names)]
    columns = {name: column_of([row[n] for row in whole_rows]) for n, name in enumerate(names)}
    return Columns(columns, units)


def column_of(words):
    """The numbers in words, nan for text among them; the words where none is a number."""
    values = np.array([number(word) for word in words], dtype=float)
    is_text = len(words) and np.isnan(values).all() and any(word.strip().lower() not in ("", "nan", "-nan") for word in words)
    return np.array([word.strip() for word in words]) if is_text else values


def heads_of(words):
    """Names and {name: unit} of heads such as "t [s]"."""
    heads = [re.fullmatch(r"\s*(.*?)\s*(?:\[(.*)\])?\s*", word).groups() for word in words]
    return [name for name, _ in heads], {name: unit for name, unit in heads if unit}


def read_table(path):
    """The numbers of a .csv file as a table (see table()). Rows and errors as in read_columns()."""
    columns = read_columns(path)
    return table(columns, columns.units)


def number(word):
    try:
        return float(word)
    except ValueError:
        return np.nan


def array(values):
    """The values of a column of either kind of table, as floats."""
    return np.asarray(values, dtype=float)
