# SPDX-License-Identifier: Apache-2.0
"""The state that a run left, as far as its last snapshot tells it: for comparing two runs."""
from pathlib import Path

import h5py
import numpy

# what a case must write for the comparison to see it
OUTPUT = ('output.fields=["pressure","face_velocity"]', 'output.particles=["velocity","id"]')


def last_snapshot(output):
    """Path of the snapshot with the highest number; errors: FileNotFoundError."""
    files = sorted((Path(output) / "snapshots").glob("snap_*.h5"))
    if not files:
        raise FileNotFoundError(f"no snapshot in {output}")
    return files[-1]


def read(file):
    """{name: values} of every dataset, and the attributes time and dt; particles in order of their ids."""
    values = {}
    with h5py.File(file, "r") as h5:
        iteration = next(iter(h5["data"].values()))
        for name in ("time", "dt"):
            values[name] = numpy.asarray(iteration.attrs[name])
        iteration.visititems(lambda name, item: values.__setitem__(name, item[()]) if isinstance(item, h5py.Dataset) else None)
    # patches say which rank wrote what, which is not the state
    values = {name: value for name, value in values.items() if "particlePatches" not in name}
    for species in {name.rsplit("/", 1)[0] for name in values if name.endswith("/id")}:
        order = numpy.argsort(values[f"{species}/id"], kind="stable")
        for name in values:
            if name.startswith(f"{species}/") and len(values[name]) == len(order):
                values[name] = values[name][order]
    return values


def differences(output, reference):
    """What differs in the last states of two runs, bit for bit, in words; an empty list if nothing does."""
    a, b = read(last_snapshot(output)), read(last_snapshot(reference))
    found = [f"only one has {name}" for name in sorted(a.keys() ^ b.keys())]
    for name in sorted(a.keys() & b.keys()):
        if a[name].shape != b[name].shape:
            found.append(f"{name}: {a[name].shape} instead of {b[name].shape}")
        elif a[name].tobytes() != b[name].tobytes():
            largest = numpy.max(numpy.abs(a[name].astype(float) - b[name].astype(float)))
            found.append(f"{name}: differs by {largest:.3g} at most")
    return found
