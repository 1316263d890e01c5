# SPDX-License-Identifier: Apache-2.0
"""Reads triangle meshes for pictures: .obj, and .stl and .ply as text or binary. Polygons are divided into triangles.

Surfaces that freshet wrote are read with their attributes from .ply and .vtp.
"""
import re

import numpy as np

PLY_TYPES = {"char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4", "float": "f4",
             "double": "f8", "int8": "i1", "uint8": "u1", "int16": "i2", "uint16": "u2", "int32": "i4", "uint32": "u4",
             "float32": "f4", "float64": "f8"}
VTK_TYPES = {"Float32": "f4", "Float64": "f8", "Int32": "i4", "Int64": "i8", "UInt8": "u1", "UInt64": "u8"}


def read_mesh(path):
    """Points (n, 3) of a mesh file and the triangles (m, 3) of their numbers."""
    data = path.read_bytes()
    return {".obj": read_obj, ".stl": read_stl, ".ply": read_ply}[path.suffix.lower()](data)


def read_surface(path):
    """Points (n, 3), triangles (m, 3) and attributes {name: (n,)} of a .ply, .vtp, .obj or .stl that freshet wrote.

    Errors: ValueError for a file that is damaged
    """
    if path.suffix == ".ply":
        return read_surface_ply(path)
    if path.suffix == ".vtp":
        return read_vtp(path)
    try:
        points, triangles = read_mesh(path)
    except (IndexError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is damaged ({error})") from None
    points = points.reshape(-1, 3)
    return points, triangles, dict(zip("xyz", points.T))


def read_vtp(path):
    """As read_surface(), of a .vtp whose arrays stand behind the XML, each after its length as a 64-bit number."""
    head, found, body = path.read_bytes().partition(b'<AppendedData encoding="raw">\n_')
    arrays = {}
    for kind, name, width, offset in re.findall(r'<DataArray type="(\w+)" Name="(\w+)" NumberOfComponents="(\d+)" '
                                                r'format="appended" offset="(\d+)"/>', head.decode("utf-8", "replace")):
        dtype, begin = np.dtype("<" + VTK_TYPES[kind]), int(offset) + 8
        n_bytes = int.from_bytes(body[begin - 8:begin], "little")
        if len(body) < begin + n_bytes:
            raise ValueError(f"{path} is damaged: '{name}' is not whole")
        values = np.frombuffer(body, dtype, n_bytes // dtype.itemsize, begin)
        arrays[name] = values.reshape(-1, int(width)) if int(width) > 1 else values
    if not found or not {"Points", "connectivity"} <= arrays.keys():
        raise ValueError(f"{path} is no .vtp file of freshet")
    points, triangles = arrays.pop("Points"), arrays.pop("connectivity").reshape(-1, 3).astype(int)
    parts = dict(zip("xyz", points.T))
    for name, values in arrays.items():
        if name != "offsets":
            parts.update({f"{name}_{axis}": values[:, d] for d, axis in enumerate("xyz")} if values.ndim == 2 else {name: values})
    return points, triangles, parts


def read_surface_ply(path):
    """As read_surface(), of a binary .ply."""
    with open(path, "rb") as file:
        head = b""
        while not head.endswith(b"end_header\n"):
            line = file.readline()
            if not line:
                raise ValueError(f"{path} is no .ply file")
            head += line
        words = head.decode()
        vertices, faces = (int(re.search(rf"element {name} (\d+)", words).group(1)) for name in ("vertex", "face"))
        kinds = re.findall(r"property (\w+) (\w+)\n", words)
        table = np.fromfile(file, np.dtype([(name, "<" + PLY_TYPES[kind]) for kind, name in kinds]), vertices)
        corners = np.fromfile(file, np.dtype([("count", "u1"), ("v", "<i4", 3)]), faces)
    if len(table) != vertices or len(corners) != faces or (faces and (corners["count"] != 3).any()):
        raise ValueError(f"{path} is damaged, or holds more than triangles")
    points = np.stack([table[axis] for axis in "xyz"], axis=-1)
    return points, corners["v"].astype(int), {name: table[name] for _, name in kinds}


def speed_of(attributes):
    """Speed of the liquid at the vertices; 0 if the mesh has no velocity. [m/s]"""
    parts = [attributes[f"velocity_{axis}"] for axis in "xyz" if f"velocity_{axis}" in attributes]
    return np.sqrt(sum(part.astype(float) ** 2 for part in parts)) if parts else np.zeros(len(attributes["x"]))


def fans(polygons):
    return np.array([(p[0], p[i], p[i + 1]) for p in polygons for i in range(1, len(p) - 1)], dtype=int).reshape(-1, 3)


def read_obj(data):
    points, polygons = [], []
    for words in map(str.split, data.decode().splitlines()):
        if words[:1] == ["v"]:
            points.append([float(word) for word in words[1:4]])
        elif words[:1] == ["f"]:
            corners = [int(word.split("/")[0]) for word in words[1:]]
            polygons.append([c - 1 if c > 0 else c + len(points) for c in corners])
    return np.array(points), fans(polygons)


def read_stl(data):
    n = int.from_bytes(data[80:84], "little")
    if len(data) == 84 + 50 * n:
        record = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("more", "<u2")])
        points = np.frombuffer(data, record, n, 84)["corners"].reshape(-1, 3).astype(float)
    else:
        lines = (line.split() for line in data.decode().splitlines())
        points = np.array([[float(word) for word in words[1:4]] for words in lines if words[:1] == ["vertex"]])
    return points, np.arange(len(points)).reshape(-1, 3)


def read_ply(data):
    head, _, body = data.partition(b"end_header\n")
    words = [line.split() for line in head.decode().splitlines()]
    form = next(line[1] for line in words if line[0] == "format")
    elements = []
    for line in words:
        if line[0] == "element":
            elements.append((line[1], int(line[2]), []))
        elif line[0] == "property":
            elements[-1][2].append(line[1:])
    values = PlyText(body) if form == "ascii" else PlyBytes(body, "<" if "little" in form else ">")
    found = {name: [{p[-1]: values.take(p) for p in properties} for _ in range(count)]
             for name, count, properties in elements}
    points = np.array([[vertex[axis][0] for axis in "xyz"] for vertex in found["vertex"]], dtype=float)
    key = "vertex_indices" if found["face"] and "vertex_indices" in found["face"][0] else "vertex_index"
    return points, fans([face[key] for face in found["face"]])


class PlyText:
    def __init__(self, body):
        self.words = iter(body.split())

    def take(self, kind):
        count = int(next(self.words)) if kind[0] == "list" else 1
        number = int if kind[0] == "list" else float
        return [number(next(self.words)) for _ in range(count)]


class PlyBytes:
    def __init__(self, body, order):
        self.body, self.order, self.at = body, order, 0

    def values(self, kind, count):
        dtype = np.dtype(self.order + PLY_TYPES[kind])
        values = np.frombuffer(self.body, dtype, count, self.at)
        self.at += count * dtype.itemsize
        return values

    def take(self, kind):
        if kind[0] != "list":
            return self.values(kind[0], 1)
        return self.values(kind[2], int(self.values(kind[1], 1)[0]))
