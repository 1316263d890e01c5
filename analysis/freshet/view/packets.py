# SPDX-License-Identifier: Apache-2.0
"""Arrays of numbers as one answer: 4 bytes with the length of a head, the head as JSON, then the arrays.

The head lists the arrays: [name, type, first byte after the head, number of values]. All numbers are little-endian, and
every part begins at a multiple of 4 bytes.
"""
import json

import numpy as np

TYPES = {"u1": "uint8", "u2": "uint16", "u4": "uint32", "f4": "float32", "f8": "float64"}
LARGEST = 65535


def pack(head, arrays):
    """The bytes of an answer. head: numbers, text, lists and dictionaries; arrays: {name: array}."""
    table, parts, at = [], [], 0
    for name, values in arrays.items():
        values = np.ascontiguousarray(values)
        data = values.astype(values.dtype.newbyteorder("<"), copy=False).tobytes()
        data += bytes(-len(data) % 8)
        table.append([name, TYPES[values.dtype.str[1:]], at, values.size])
        parts.append(data)
        at += len(data)
    text = json.dumps({**head, "arrays": table}, allow_nan=False).encode()
    text += b" " * (-(len(text) + 4) % 8)
    return b"".join([len(text).to_bytes(4, "little"), text, *parts])


def unpack(data):
    """The head and {name: array} of an answer."""
    size = int.from_bytes(data[:4], "little")
    head = json.loads(data[4:4 + size])
    types = {long: short for short, long in TYPES.items()}
    return head, {name: np.frombuffer(data, "<" + types[kind], count, 4 + size + first)
                  for name, kind, first, count in head["arrays"]}


def quantised(values):
    """Values as 16-bit numbers q, with low and step so that a value is low + step q to within step / 2; not-a-number is low.

    Integers that fit are kept exactly.
    """
    values = np.asarray(values)
    finite = values[np.isfinite(values)]
    if not finite.size:
        return np.zeros(values.shape, "u2"), 0.0, 1.0
    low, high = float(finite.min()), float(finite.max())
    step = (high - low) / LARGEST
    if values.dtype.kind in "iub" and high - low <= LARGEST:
        step = 1.0
    step = step or 1.0
    scaled = np.rint((np.where(np.isfinite(values), values, low) - low) / step)
    return np.minimum(scaled, LARGEST).astype("u2"), low, step
