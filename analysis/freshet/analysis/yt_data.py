# SPDX-License-Identifier: Apache-2.0
"""A snapshot in yt. yt 4.1.4 reads openPMD files itself, but finds no particles in them and mixes up the axes of fields."""
import numpy as np

UNITS = {"pressure": "Pa", "velocity": "m/s", "density": "kg/m**3"}


def to_yt(run, snapshot):
    """A yt dataset of a 3-D snapshot: its particles, ("io", "particle_position_x") and so on, and its fields in cells.

    Fields are ("stream", "pressure"), ("stream", "velocity_x"), ... in the box that the snapshot's fields cover; particles
    have the ids, tags and attributes of the snapshot. Errors: ImportError without yt, ValueError for a run in 2-D
    """
    import yt
    if run.dimension != 3:
        raise ValueError(f"{snapshot.path} is of a run in 2-D. Give one of a run in 3-D")
    data, box, cells = {}, run.box, None
    for name in snapshot.fields:
        values, origin, spacing = snapshot.field_on_grid(name)
        if name == "face_velocity":
            continue
        cells = np.array(values.shape[2::-1])
        box = np.stack([origin, origin + spacing * cells])
        for label, part in components(name, values, 4):
            data[label] = (np.ascontiguousarray(part.transpose(2, 1, 0), dtype=float), UNITS.get(name, ""))
    for name, values in snapshot.particles().items():
        for label, part in components(name, values, 2):
            unit = "m" if name == "position" else UNITS.get(name, "")
            data["io", f"particle_{label}"] = (part.astype(float), unit) if unit else part
    if cells is None:
        cells = np.ones(3, dtype=int)
        data["cells"] = (np.ones((1, 1, 1)), "")
    return yt.load_uniform_grid(data, cells, length_unit="m", mass_unit="kg", time_unit="s", velocity_unit="m/s", bbox=box.T,
                                sim_time=snapshot.time, periodicity=(False,) * 3, unit_system="mks")


def components(name, values, dimensions):
    """The parts of a record by name: "velocity_x", ..., or the record itself."""
    if values.ndim < dimensions:
        return [(name, values)]
    return [(f"{name}_{'xyz'[c] if values.shape[-1] == 3 else c}", values[..., c]) for c in range(values.shape[-1])]
