# SPDX-License-Identifier: Apache-2.0
"""Particles of two files, matched by their ids. The order in the files does not matter.

Where both files have the same ids in the same order they are compared piece by piece. Otherwise ranges of ids are taken one after
the other, of about AT_A_TIME particles each, and both files are read once for each range. With positions and velocities that takes
160 bytes of memory for each particle of a range.
"""
import functools

import numpy as np

from .values import Tally, magnitude

AT_A_TIME = 1 << 23  # particles that are held at a time
PIECE = 1 << 20      # particles that are read at a time
BINS = 1 << 16       # of the histogram by which ids are divided into ranges
NAMED = 5            # ids of missing particles that are told


def pieces(count):
    """Ranges (first, last) of up to PIECE particles."""
    return ((first, min(first + PIECE, count)) for first in range(0, count, PIECE))


def compare_particles(first, second, names, tolerance=0.0, at_a_time=AT_A_TIME):
    """(Quantities that differ, texts on particles that only one file has, notes) of the records `names`.

    first, second: sources with `count`, `has_ids`, read(name, first, last) -> (m,) or (m, k), place(first, last) -> (m, 3) [m],
    and `exact`: {name of a record that read() rounds: what to read in its place where bits are compared}. Real numbers differ by more than tolerance times the largest magnitude of the record in both files.
    Errors: ValueError for a file with an id twice
    """
    tallies = {name: Tally(name, tolerance, max(largest(first, name), largest(second, name)) if tolerance > 0 else None)
               for name in names}
    if not (first.has_ids and second.has_ids):
        return _without_ids(first, second, tallies, tolerance)
    if _same_order(first, second):
        _compare_in_order(first, second, tallies)
        return _results(tallies), [], []
    alone = ([], [])  # ids that one file has
    counts = [0, 0]
    for low, high in id_ranges((first, second), at_a_time):
        for side, ids in enumerate(_compare_range(first, second, low, high, tallies)):
            counts[side] += len(ids)
            alone[side].extend(map(int, ids[:NAMED - len(alone[side])]))
    texts = [f"only the {which} run has {count} of the particles (id {', '.join(map(str, ids))}{', ...' * (count > len(ids))})"
             for which, count, ids in zip(("first", "second"), counts, alone) if count]
    return _results(tallies), texts, []


def largest(source, name):
    """The largest magnitude of a record."""
    return max((magnitude(source.read(name, begin, end)) for begin, end in pieces(source.count)), default=0.0)


def _results(tallies):
    return [found for found in (tally.result() for tally in tallies.values()) if found]


def _same_order(first, second):
    return first.count == second.count and all(
        (first.read("id", begin, end) == second.read("id", begin, end)).all() for begin, end in pieces(first.count))


def id_ranges(sources, at_a_time):
    """Ranges low <= id <= high that divide all ids, none with many more than at_a_time particles of a source."""
    if max(source.count for source in sources) <= at_a_time:
        return [(0, 2**64 - 1)]
    low, high = 2**64 - 1, 0
    for source in sources:
        for begin, end in pieces(source.count):
            ids = source.read("id", begin, end)
            low, high = min(low, int(ids.min())), max(high, int(ids.max()))
    width = (high - low) // BINS + 1
    counts = [np.zeros(BINS, dtype=np.int64) for _ in sources]
    for source, count in zip(sources, counts):
        for begin, end in pieces(source.count):
            ids = source.read("id", begin, end)
            count += np.bincount(((ids - np.uint64(low)) // np.uint64(width)).astype(np.int64), minlength=BINS)
    ranges, held, start = [], 0, 0
    for number, here in enumerate(np.maximum.reduce(counts)):
        if held and held + here > at_a_time:
            ranges.append((low + start * width, low + number * width - 1))
            held, start = 0, number
        held += int(here)
    return [*ranges, (low + start * width, high)]


class _Chosen:
    """The particles of a source whose ids lie in a range: their rows in the file, in the order of their ids."""

    def __init__(self, source, low, high):
        rows, ids = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.uint64)]
        for begin, end in pieces(source.count):
            here = source.read("id", begin, end)
            inside = np.flatnonzero((here >= np.uint64(low)) & (here <= np.uint64(high)))
            rows.append(inside + begin)
            ids.append(here[inside])
        self._count, self._rows = source.count, np.concatenate(rows)
        ids = np.concatenate(ids)
        self._order = np.argsort(ids, kind="stable")
        self.ids = ids[self._order]
        twice = self.ids[1:][self.ids[1:] == self.ids[:-1]]
        if len(twice):
            raise ValueError(f"{source} is damaged (id {twice[0]} is that of two particles)")

    def values(self, read):
        """What read(first, last) gives of the particles, in the order of their ids."""
        found = []
        for begin, end in pieces(self._count):
            inside = self._rows[np.searchsorted(self._rows, begin):np.searchsorted(self._rows, end)] - begin
            if len(inside):
                found.append(read(begin, end)[inside])
        return np.concatenate(found)[self._order] if found else read(0, 0)


def _compare_range(first, second, low, high, tallies):
    """Compare the particles whose ids lie in a range. Returns the ids that one file alone has: of the first, of the second."""
    a, b = _Chosen(first, low, high), _Chosen(second, low, high)
    ids, rows_a, rows_b = np.intersect1d(a.ids, b.ids, assume_unique=True, return_indices=True)
    places = a.values(first.place)[rows_a]

    def both(name):
        return [chosen.values(functools.partial(source.read, name))[rows]
                for chosen, source, rows in ((a, first, rows_a), (b, second, rows_b))]
    for name, tally in tallies.items():
        exact = both(first.exact[name]) if name in first.exact else None
        tally.add(*both(name), lambda row: {"id": int(ids[row]), "position": places[row].tolist()}, exact)
    return np.setdiff1d(a.ids, b.ids, assume_unique=True), np.setdiff1d(b.ids, a.ids, assume_unique=True)


def _compare_in_order(first, second, tallies, is_named=True):
    """Compare particles that have the same places in both files. is_named: they have ids."""
    for begin, end in pieces(first.count):
        def where(row):
            one = begin + row
            named = {"id": int(first.read("id", one, one + 1)[0])} if is_named else {"row": int(one)}
            return {**named, "position": first.place(one, one + 1)[0].tolist()}

        def both(name):
            return [source.read(name, begin, end) for source in (first, second)]
        for name, tally in tallies.items():
            tally.add(*both(name), where, both(first.exact[name]) if name in first.exact else None)


def _without_ids(first, second, tallies, tolerance):
    """As compare_particles(), of files without ids: in the order of the files, or as sets of particles in any order."""
    note = 'the particles have no ids: output.particles = ["id", ...] names those that differ'
    in_order = note + "; they were compared in the order of the files"
    if first.count == second.count:
        _compare_in_order(first, second, tallies, is_named=False)
        found = _results(tallies)
        if not found or tolerance > 0:
            return found, [], [in_order if found else note]
        if all(quantity.name != "position" for quantity in found):
            return found, [], [in_order]
    one, other = (digests(source, list(tallies)) for source in (first, second))
    n_same = in_common(one, other)
    texts = [f"{len(mine) - n_same} of {len(mine)} particles of the {which} run have no equal one in the other"
             for which, mine in (("first", one), ("second", other)) if len(mine) > n_same]
    return [], texts, [note]


def digests(source, names):
    """A 64-bit number of each particle that depends on the bits of its records: (n,) uint64, sorted."""
    parts = [np.zeros(0, dtype=np.uint64)]
    for begin, end in pieces(source.count):
        parts.append(mix(*(source.read(name, begin, end) for name in names)))
    return np.sort(np.concatenate(parts))


def mix(*records):
    """A 64-bit number of each row that depends on the bits of all its numbers: (n,) uint64. The mixer is that of SplitMix64."""
    digest = np.full(len(records[0]), 0x9E3779B97F4A7C15, dtype=np.uint64)
    for values in records:
        columns = np.ascontiguousarray(values.reshape(len(values), -1).T)
        for words in columns.view(f"u{values.dtype.itemsize}").astype(np.uint64):
            digest = (digest ^ words) * np.uint64(0xBF58476D1CE4E5B9)  # modulo 2^64
            digest ^= digest >> np.uint64(29)
    return digest


def in_common(one, other):
    """How many numbers two sorted arrays share, each as often as both have it."""
    values, counts = np.unique(one, return_counts=True)
    there = np.searchsorted(other, values, side="right") - np.searchsorted(other, values, side="left")
    return int(np.minimum(counts, there).sum())
