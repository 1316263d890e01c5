# SPDX-License-Identifier: Apache-2.0
"""A table that grows while it is read: of a run that goes on, only the new rows are read again."""
import contextlib
import os
import stat

import numpy as np

from .tables import Columns, heads_of, number


def need_no_pipe(path):
    """Errors: ValueError for a pipe, on which a reader would wait for ever"""
    with contextlib.suppress(OSError):
        if stat.S_ISFIFO(os.stat(path).st_mode):
            raise ValueError(f"{path} is a pipe, and no file of a run")


class GrowingTable:
    """The columns of a .csv file such as steps.csv; `refresh()` reads what has been written since it was called last.

    A restart takes rows back, or repeats some. Of rows with the same first column the last one counts.
    """

    def __init__(self, path):
        self.path = path
        self._forget()

    def _forget(self):
        self._file, self._at, self._last = None, 0, b""  # which file, up to where it has been read, and the line before that
        self._names, self._units, self._values = [], {}, np.zeros((0, 0))

    def refresh(self):
        """The columns as they are now: Columns. No columns before the file has a head line. Errors: ValueError for a pipe"""
        need_no_pipe(self.path)
        try:
            with open(self.path, "rb") as file:
                new = self._read_on(file)
        except FileNotFoundError:
            self._forget()
            new = b""
        lines = [line for line in new.decode("utf-8", "replace").splitlines() if line and not line.startswith("#")]
        if lines and not self._names:
            self._names, self._units = heads_of(lines.pop(0).split(","))
            self._values = np.zeros((0, len(self._names)))
        rows = [[number(word) for word in words] for words in (line.split(",") for line in lines)
                if len(words) == len(self._names)]
        if rows:
            values = np.concatenate([self._values, np.array(rows, dtype=float)])
            if (np.diff(values[:, 0]) <= 0).any():
                _, last = np.unique(values[::-1, 0], return_index=True)
                values = values[len(values) - 1 - last]
            self._values = values
        return Columns(zip(self._names, self._values.T), self._units)

    def _read_on(self, file):
        """The whole lines that are new; all lines if the file is not the one that was read, or has lost some."""
        number_of_file = os.fstat(file.fileno()).st_ino
        file.seek(self._at - len(self._last))
        if number_of_file != self._file or file.read(len(self._last)) != self._last:
            self._forget()
            self._file = number_of_file
            file.seek(0)
        new = file.read()
        whole = new[:new.rfind(b"\n") + 1]
        if whole:
            self._at += len(whole)
            self._last = whole[whole.rfind(b"\n", 0, -1) + 1:]
        return whole
