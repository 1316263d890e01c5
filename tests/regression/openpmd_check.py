#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the snapshots of a run against the openPMD standard, version 1.1.0, and against what freshet promises.

Everything the standard requires or recommends has to be there, with the exact type. Besides: patches contain their
particles, no id comes twice, all numbers are finite, the side file names only what exists, no temporary file is left.

usage: openpmd_check.py DIR     (DIR: output directory of a run, with snapshots/ in it); exit code 0: all is well
"""
import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import h5py
import numpy as np

FLOAT = (np.float32, np.float64)
# powers of m, kg, s, A, K, mol, cd of the quantities that the standard's units can tell; others have no unit or one of the case
UNITS = {"position": (1,), "positionOffset": (1,), "offset": (1,), "extent": (1,), "velocity": (1, 0, -1),
         "face_velocity": (1, 0, -1), "pressure": (-1, 1, -2), "label": (), "id": (), "tag": (), "color": (),
         "numParticles": (), "numParticlesOffset": ()}
DATE = r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2} [+-]\d{4}"


class Checker:
    """Collects what is wrong with one file."""

    def __init__(self, path):
        self.path = path
        self.faults = []

    def expect(self, condition, message):
        if not condition:
            self.faults.append(f"{self.path.name}: {message}")
        return bool(condition)

    def text(self, thing, name, pattern=None):
        """A fixed-length, plain ASCII string attribute; its value, or None."""
        if not self.expect(name in thing.attrs, f"{thing.name}: no attribute {name}"):
            return None
        kind = thing.attrs.get_id(name).get_type()
        plain = isinstance(kind, h5py.h5t.TypeStringID) and not kind.is_variable_str() and kind.get_cset() == 0
        if not self.expect(plain, f"{thing.name}: {name} is no fixed-length ASCII string"):
            return None
        value = thing.attrs[name]
        value = value.decode("ascii") if isinstance(value, bytes) else str(value)
        if pattern is not None:
            self.expect(re.fullmatch(pattern, value), f"{thing.name}: {name} is '{value}', not {pattern}")
        return value

    def number(self, thing, name, types, shape=()):
        """A numeric attribute of one of the types and of this shape; its value, or None."""
        if not self.expect(name in thing.attrs, f"{thing.name}: no attribute {name}"):
            return None
        attribute = thing.attrs.get_id(name)
        types = types if isinstance(types, tuple) else (types,)
        self.expect(attribute.dtype.type in types, f"{thing.name}: {name} has the type {attribute.dtype}")
        self.expect(attribute.shape == shape, f"{thing.name}: {name} has the shape {attribute.shape}, not {shape}")
        return thing.attrs[name]

    # ------------------------------------------------------------------------------------------------- the file
    def check(self):
        with h5py.File(self.path, "r") as file:
            self.check_root(file)
            match = re.fullmatch(r"snap_(\d{6,})\.h5", self.path.name)
            if not self.expect(match, "the name does not follow iterationFormat"):
                return self.faults
            iterations = list(file["data"])
            if self.expect(iterations == [str(int(match.group(1)))], f"/data has the iterations {iterations}"):
                self.check_iteration(file[f"data/{iterations[0]}"])
        return self.faults

    def check_root(self, file):
        self.text(file, "openPMD", r"1\.1\.0")
        extension = self.number(file, "openPMDextension", np.uint32)
        self.expect(extension == 0, f"openPMDextension is {extension}")
        self.text(file, "basePath", re.escape("/data/%T/"))
        self.text(file, "iterationEncoding", "fileBased")
        self.text(file, "iterationFormat", re.escape("snap_%06T.h5"))
        self.text(file, "meshesPath", "meshes/")
        self.text(file, "particlesPath", "particles/")
        self.text(file, "software", "freshet")
        self.text(file, "softwareVersion", r"\d+\.\d+\.\d+.*")
        self.text(file, "author", ".+")
        self.text(file, "date", DATE)
        self.text(file, "machine", ".+")
        self.text(file, "freshetCommit", ".+")
        self.number(file, "freshetRanks", np.uint32)
        self.number(file, "freshetThreads", np.uint32)
        if self.expect("freshetInput" in file, "no resolved input"):
            self.expect(b"cell_size" in file["freshetInput"][()].tobytes(), "the resolved input is no case file")
        self.check_blocks(file)

    def check_blocks(self, file):
        """Keys of blocks ascend, and each rank has a stretch of them."""
        for name in ("freshetBlocks", "freshetFirstBlock"):
            if not self.expect(name in file and file[name].dtype == np.uint64, f"no numbers {name}"):
                return
        keys, firsts = file["freshetBlocks"][()].astype(np.int64), file["freshetFirstBlock"][()].astype(np.int64)
        self.expect((np.diff(keys) > 0).all(), "freshetBlocks do not ascend")
        self.expect(len(firsts) == file.attrs["freshetRanks"] and firsts[0] == 0 and (np.diff(firsts) >= 0).all() and
                    firsts[-1] <= len(keys), f"freshetFirstBlock is {firsts} of {len(keys)}")

    def check_iteration(self, iteration):
        self.number(iteration, "time", FLOAT)
        self.number(iteration, "dt", FLOAT)
        self.number(iteration, "timeUnitSI", np.float64)
        if self.expect("meshes" in iteration, "no group meshes"):
            for name in iteration["meshes"]:
                self.check_mesh(iteration["meshes"][name])
        if self.expect("particles" in iteration, "no group particles"):
            self.expect(list(iteration["particles"]) == ["liquid"], "the species is not 'liquid'")
            for name in iteration["particles"]:
                self.check_species(iteration["particles"][name])

    # ------------------------------------------------------------------------------------------------- records
    def components(self, record):
        """Name -> component; a scalar record is its own only component."""
        if isinstance(record, h5py.Dataset) or "value" in record.attrs:
            return {"": record}
        return {name: record[name] for name in record}

    def check_record(self, record):
        self.expect(re.fullmatch(r"\w+", record.name.rsplit("/", 1)[-1]), f"{record.name}: not a name of the standard")
        unit = self.number(record, "unitDimension", np.float64, (7,))
        name = record.name.rsplit("/", 1)[-1]
        if unit is not None and name in UNITS:
            wanted = [*UNITS[name], *[0] * (7 - len(UNITS[name]))]
            self.expect(list(unit) == wanted, f"{record.name}: unitDimension is {unit}, not {wanted}")
        self.number(record, "timeOffset", FLOAT)
        components = self.components(record)
        self.expect(components, f"{record.name}: no components")
        for component in components.values():
            unit = self.number(component, "unitSI", np.float64)
            self.expect(unit == 1.0, f"{component.name}: unitSI is {unit}, but everything is in SI units")
            if isinstance(component, h5py.Dataset):
                if component.dtype.kind == "f" and component.size:
                    self.expect(np.isfinite(component[()]).all(), f"{component.name}: not all numbers are finite")
            else:
                self.expect(len(component) == 0, f"{component.name}: a constant component with members")
                self.expect("value" in component.attrs, f"{component.name}: no value")
                self.number(component, "shape", np.uint64, (1,))
        return components

    def check_mesh(self, record):
        components = self.check_record(record)
        self.text(record, "geometry", "cartesian")
        self.text(record, "dataOrder", "C")
        spacing = self.number(record, "gridSpacing", FLOAT, (3,))
        self.expect(spacing is None or (spacing > 0).all(), f"{record.name}: gridSpacing is {spacing}")
        self.number(record, "gridGlobalOffset", np.float64, (3,))
        grid_unit = self.number(record, "gridUnitSI", np.float64)
        self.expect(grid_unit is None or grid_unit > 0, f"{record.name}: gridUnitSI is {grid_unit}")
        if self.expect("axisLabels" in record.attrs, f"{record.name}: no attribute axisLabels"):
            labels = record.attrs["axisLabels"]
            fixed = labels.dtype.kind == "S"
            self.expect(fixed and list(labels) == [b"z", b"y", b"x"], f"{record.name}: axisLabels are {labels}")
        shapes = set()
        for name, component in components.items():
            position = self.number(component, "position", FLOAT, (3,))
            if position is not None:
                wanted = [0.5, 0.5, 0.5]
                if record.name.endswith("/face_velocity"):
                    wanted["zyx".index(name)] = 0.0
                self.expect(list(position) == wanted, f"{component.name}: position is {position}, not {wanted}")
            shapes.add(component.shape)
        self.expect(len(shapes) == 1, f"{record.name}: components have the shapes {shapes}")
        self.expect(all(len(shape) == 3 for shape in shapes), f"{record.name}: {shapes} are not as many axes as axisLabels names")

    def check_species(self, species):
        for name in species:
            if name != "particlePatches":
                self.check_record(species[name])
        for name in ("position", "positionOffset", "particlePatches"):
            if not self.expect(name in species, f"{species.name}: no {name}"):
                return
        n = species["position/x"].size
        for name in ("position", "positionOffset"):
            self.expect(sorted(species[name]) == ["x", "y", "z"], f"{species[name].name}: not the components x, y, z")
        for name in species:
            if name == "particlePatches":
                continue
            for component in self.components(species[name]).values():
                count = component.size if isinstance(component, h5py.Dataset) else int(component.attrs["shape"][0])
                self.expect(count == n, f"{component.name}: {count} values for {n} particles")
        if "id" in species:
            ids = species["id"][()]
            self.expect(ids.dtype == np.uint64, f"{species.name}: ids have the type {ids.dtype}")
            self.expect(np.unique(ids).size == n, f"{species.name}: an id comes twice")
        self.check_patches(species, n)

    def check_patches(self, species, n):
        patches = species["particlePatches"]
        for name in ("numParticles", "numParticlesOffset", "offset", "extent"):
            if not self.expect(name in patches, f"{patches.name}: no {name}"):
                return
        counts = patches["numParticles"][()]
        firsts = patches["numParticlesOffset"][()]
        for name in ("numParticles", "numParticlesOffset"):
            self.expect(patches[name].dtype == np.uint64, f"{patches[name].name} has the type {patches[name].dtype}")
        self.expect(counts.size == species.file.attrs["freshetRanks"], f"{patches.name}: not one patch a rank")
        self.expect(counts.sum() == n, f"{patches.name}: {counts.sum()} particles of {n}")
        self.expect((np.cumsum(counts) - counts == firsts).all(), f"{patches.name}: patches do not follow each other")
        for name in ("offset", "extent"):
            self.check_record(patches[name])
        for axis in "xyz":
            x = species[f"position/{axis}"][()]
            for first, count, low, size in zip(firsts, counts, patches[f"offset/{axis}"], patches[f"extent/{axis}"]):
                inside = x[int(first):int(first + count)].astype(np.float64)
                self.expect(((inside >= low) & (inside < low + size)).all(),
                            f"{patches.name}: particles outside the box of their patch along {axis}")


def check_side_file(path, snapshots):
    """XDMF: well formed, and every dataset that it names exists with the shape it says."""
    faults = []
    for item in ElementTree.parse(path).iter("DataItem"):
        if item.get("Format") != "HDF":
            continue
        name, dataset = item.text.strip().split(":")
        shape = tuple(int(n) for n in item.get("Dimensions").split())
        if name not in snapshots:
            faults.append(f"{path.name}: names {name}, which is not there")
            continue
        with h5py.File(path.parent / name, "r") as file:
            if dataset not in file or file[dataset].shape != shape:
                faults.append(f"{path.name}: no dataset {name}:{dataset} of shape {shape}")
            elif file[dataset].dtype.itemsize != int(item.get("Precision")):
                faults.append(f"{path.name}: {name}:{dataset} has another precision")
    return faults


def check_output(output):
    """(number of snapshots in a run's output, what is wrong with them in words)."""
    folder = Path(output) / "snapshots"
    paths = sorted(folder.glob("snap_*.h5"))
    faults = [] if paths else [f"no snapshots in {folder}"]
    faults += [f"{path.name}: a temporary file was left" for path in folder.glob("*.tmp")]
    for path in paths:
        try:
            faults += Checker(path).check()
        except (OSError, KeyError) as error:
            faults.append(f"{path.name}: cannot be read ({error})")
    side_file = folder / "snapshots.xdmf"
    if side_file.exists():
        faults += check_side_file(side_file, {path.name for path in paths})
    return len(paths), faults


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    n, faults = check_output(sys.argv[1])
    for fault in faults:
        print(fault)
    print(f"{n} snapshots, {len(faults)} faults")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
