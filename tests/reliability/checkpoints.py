# SPDX-License-Identifier: Apache-2.0
"""Checkpoints of a run seen from outside: their seals, formed anew here, and their contents, for comparing two runs."""
import random
import zlib
from pathlib import Path

import h5py
import numpy

SEAL_BYTES = 512
PIECE_BYTES = 1 << 20
MASK = (1 << 64) - 1


def mix(x):
    """The finaliser of MurmurHash3."""
    x = (x ^ x >> 33) * 0xff51afd7ed558ccd & MASK
    x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53 & MASK
    return x ^ x >> 33


def seal_of(content):
    """The seal of a file's bytes (src/io/seal.hpp says how it is formed)."""
    total = 0
    for piece, start in enumerate(range(0, len(content), PIECE_BYTES)):
        part = content[start:start + PIECE_BYTES]
        total += mix(mix(piece ^ len(part) << 40) ^ zlib.crc32(part))
    return b"freshet seal 1 bytes=%d sum=%016x\n" % (len(content), total & MASK)


def is_whole(path):
    """Whether a file ends with the seal that its bytes ask for."""
    data = Path(path).read_bytes()
    return data[-SEAL_BYTES:].rstrip(b"\0") == seal_of(data[:-SEAL_BYTES])


def seal(path):
    """Seal a file that was written anew, and so lost its seal."""
    content = Path(path).read_bytes()
    Path(path).write_bytes(content + seal_of(content).ljust(SEAL_BYTES, b"\0"))


def files(output, name="checkpoints"):
    """Checkpoints or snapshots of a run under their final names, oldest first."""
    return sorted((Path(output) / name).glob("*.h5"))


def damaged(output):
    """Names of those that are not whole; files under their final names always should be."""
    return [path.name for name in ("checkpoints", "snapshots") for path in files(output, name) if not is_whole(path)]


def contents(path):
    """{name: values} of the state in a checkpoint; particles in the order of the file."""
    values = {}
    with h5py.File(path, "r") as file:
        file.visititems(lambda name, item: values.__setitem__(name, item[()]) if isinstance(item, h5py.Dataset) else None)
        for name, number in file["state"].attrs.items():
            values[f"state/{name}"] = numpy.asarray(number)
    for name in ("freshetInput", "state/wall_seconds", "state/restarts"):
        values.pop(name, None)
    return values


def differences(output, reference):
    """What differs between the last checkpoints of two runs, bit for bit, in words; an empty list if nothing does."""
    a, b = (files(folder)[-1] for folder in (output, reference))
    if a.name != b.name:
        return [f"{a.name} instead of {b.name}"]
    a, b = contents(a), contents(b)
    found = [f"only one has {name}" for name in sorted(a.keys() ^ b.keys())]
    return found + [name for name in sorted(a.keys() & b.keys()) if a[name].tobytes() != b[name].tobytes()]


def flip_a_bit(path, where=random):
    """Turn one bit anywhere in a file; returns its place."""
    data = bytearray(Path(path).read_bytes())
    place, bit = where.randrange(len(data)), where.randrange(8)
    data[place] ^= 1 << bit
    Path(path).write_bytes(data)
    return place, bit


def cut(path, where=random):
    """Take bytes off the end of a file; returns how many are left."""
    left = where.randrange(Path(path).stat().st_size)
    with open(path, "r+b") as file:
        file.truncate(left)
    return left
