# SPDX-License-Identifier: Apache-2.0
"""A stand-in for the part of Houdini's module `hou` that analysis/houdini/freshet_houdini.py uses.

Written from Houdini's public documentation of the Houdini Object Model: names, arguments and conventions are Houdini's (points
are row vectors, matrices multiply from the right, the first frame is at time 0). What the tests need to set up a scene, such
as animation by a function of time, begins with an underscore.
"""
import os
import re
import struct
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "analysis"))
import convert_particles  # noqa: E402
from freshet.geometry.meshes import read_obj  # noqa: E402

_frame, _fps, _variables = 1.0, 24.0, {}


class OperationInterrupted(Exception):
    pass


# -------------------------------------------------------------------------------------------------- numbers and time
class Matrix4:
    def __init__(self, values=1.0):
        self._m = np.eye(4) * values if np.isscalar(values) else np.array(values, dtype=float).reshape(4, 4)

    def __mul__(self, other):
        return Matrix4(self._m @ other._m)

    def inverted(self):
        return Matrix4(np.linalg.inv(self._m))

    def asTupleOfTuples(self):
        return tuple(map(tuple, self._m.tolist()))


def fps():
    return _fps


def frameToTime(frame):
    return (frame - 1) / _fps


def timeToFrame(time):
    return time * _fps + 1.0


class text:
    @staticmethod
    def expandString(string):
        return re.sub(r"\$(\w+)", lambda match: _variables[match[1]], string)


# ------------------------------------------------------------------------------------------------------ parameters
class _Template:
    def __init__(self, name, label, num_components, default_value, help):
        self._name, self._values = name, list(default_value)
        assert label and help and len(self._values) == num_components

    def name(self):
        return self._name


def FloatParmTemplate(name, label, num_components, default_value=(), help=None):
    assert all(isinstance(v, float) for v in default_value)
    return _Template(name, label, num_components, default_value, help)


def IntParmTemplate(name, label, num_components, default_value=(), help=None):
    assert all(isinstance(v, int) for v in default_value)
    return _Template(name, label, num_components, default_value, help)


def StringParmTemplate(name, label, num_components, default_value=(), help=None):
    assert all(isinstance(v, str) for v in default_value)
    return _Template(name, label, num_components, default_value, help)


def ToggleParmTemplate(name, label, default_value=False, help=None):
    return _Template(name, label, 1, (int(default_value),), help)


class ParmTemplateGroup:
    def __init__(self, templates):
        self._templates = list(templates)

    def find(self, name):
        return next((one for one in self._templates if one.name() == name), None)

    def append(self, template):
        assert self.find(template.name()) is None
        self._templates.append(template)


class ParmTuple:
    def __init__(self, template):
        self._template, self._values, self._keys = template, list(template._values), {}

    def eval(self):
        return tuple(self._values)

    def evalAtTime(self, time):
        return tuple(self._values)

    def set(self, values):
        assert len(values) == len(self._values)
        self._values = list(values)


class Parm:
    def __init__(self, owner, index):
        self._owner, self._index = owner, index

    def eval(self):
        return self._owner._values[self._index]

    def set(self, value):
        self._owner._values[self._index] = value

    def deleteAllKeyframes(self):
        self._owner._keys.pop(self._index, None)

    def setKeyframes(self, keyframes):
        assert all(key._expression == "linear()" and key._language == exprLanguage.Hscript for key in keyframes)
        self._owner._keys[self._index] = sorted((key._frame, key._value) for key in keyframes)

    def evalAtFrame(self, frame):
        keys = self._owner._keys.get(self._index)
        return float(np.interp(frame, *zip(*keys))) if keys else self.eval()

    def pressButton(self):
        self._owner._values[self._index] += 1


class exprLanguage:
    Hscript, Python = "hscript", "python"


class Keyframe:
    def setFrame(self, frame):
        self._frame = float(frame)

    def setValue(self, value):
        self._value = float(value)

    def setExpression(self, expression, language=None):
        self._expression, self._language = expression, language


# ----------------------------------------------------------------------------------------------------------- geometry
class BoundingBox:
    def __init__(self, points):
        self._points = points

    def center(self):
        return tuple((self._points.min(axis=0) + self._points.max(axis=0)) / 2)


class Geometry:
    def __init__(self):
        self._points, self._polygons, self._attributes = np.zeros((0, 3)), [], {}

    def merge(self, geometry):
        shift = len(self._points)
        self._points = np.concatenate([self._points, geometry._points])
        self._polygons += [[corner + shift for corner in polygon] for polygon in geometry._polygons]

    def transform(self, matrix):
        self._points = self._points @ matrix._m[:3, :3] + matrix._m[3, :3]

    def boundingBox(self):
        return BoundingBox(self._points)

    def saveToFile(self, file_name):
        assert file_name.endswith(".obj")
        with open(file_name, "w") as file:
            for point in self._points:
                file.write("v %.9g %.9g %.9g\n" % tuple(point))
            for polygon in self._polygons:
                file.write("f " + " ".join(str(corner + 1) for corner in polygon) + "\n")

    def pointFloatAttribValues(self, name):
        return tuple(np.ravel(self._points if name == "P" else self._attributes[name]))

    def pointCount(self):
        return len(self._points)


def _read(path):
    """A geometry file: .obj, classic .geo, classic .bgeo."""
    found = Geometry()
    if path.endswith(".obj"):
        found._points, triangles = read_obj(Path(path).read_bytes())
        found._polygons = triangles.tolist()
    elif path.endswith(".geo"):
        rows = np.array(convert_particles.read_geo(Path(path).read_text()), dtype=float).reshape(-1, 6)
        found._points, found._attributes = rows[:, :3], {"v": rows[:, 3:]}
    else:
        found._points, found._attributes = _read_bgeo(Path(path).read_bytes())
    return found


def _read_bgeo(data):
    """Points and attributes of a classic .bgeo: big-endian; each point is x, y, z, w and its attributes, 4 bytes a number."""
    assert data[:5] == b"BgeoV" and struct.unpack_from(">i", data, 5)[0] == 5
    points, _, _, _, attributes = struct.unpack_from(">5i", data, 9)
    at, fields = 9 + 8 * 4, [("P", ">f4", (4,))]
    for _ in range(attributes):
        size = struct.unpack_from(">H", data, at)[0]
        name = data[at + 2:at + 2 + size].decode()
        count, kind = struct.unpack_from(">Hi", data, at + 2 + size)
        assert kind in (0, 1, 5)  # float, integer, vector
        fields.append((name, ">i4" if kind == 1 else ">f4", (count,)))
        at += 2 + size + 6 + 4 * count
    table = np.frombuffer(data, np.dtype(fields), points, at)
    return table["P"][:, :3].astype(float), {name: table[name].astype(float) for name, _, _ in fields[1:]}


# -------------------------------------------------------------------------------------------------------------- nodes
_OWN = {"file": {"file": 1, "missingframe": 1, "reload": 1}, "geo": {"t": 3, "r": 3}}  # {parameter: its components}


class Node:
    def __init__(self, parent, type_name, name):
        self._parent, self._type, self._name, self._children, self._inputs = parent, type_name, name, [], {}
        self._geometry, self._transform, self._display = None, None, None
        self._parms = {parm: ParmTuple(_Template(parm, parm, n, (0,) * n, parm)) for parm, n in _OWN.get(type_name, {}).items()}

    def name(self):
        return self._name

    def parent(self):
        return self._parent

    def path(self):
        return "/" + self._name if self._parent is None else self._parent.path() + "/" + self._name

    def children(self):
        return tuple(self._children)

    def node(self, name):
        return next((child for child in self._children if child._name == name), None)

    def createNode(self, type_name, name=None):
        assert self.node(name) is None
        self._children.append(Node(self, type_name, name))
        return self._children[-1]

    def setInput(self, index, node):
        self._inputs[index] = node

    def setDisplayFlag(self, on):
        self._parent._display = self

    def setRenderFlag(self, on):
        pass

    def layoutChildren(self):
        pass

    def parmTuple(self, name):
        return self._parms.get(name)

    def parm(self, name):
        owner = self._parms.get(name)
        if owner is None and name[-1:] in "xyz" and len(self._parms.get(name[:-1], ParmTuple(_Template("", " ", 0, (), " ")))._values) == 3:
            return Parm(self._parms[name[:-1]], "xyz".index(name[-1]))
        return Parm(owner, 0) if owner is not None and len(owner._values) == 1 else None

    def parmTemplateGroup(self):
        return ParmTemplateGroup(entry._template for entry in self._parms.values())

    def setParmTemplateGroup(self, group):
        self._parms = {one.name(): self._parms.get(one.name()) or ParmTuple(one) for one in group._templates}

    # of geometry objects
    def displayNode(self):
        return self._display

    def worldTransformAtTime(self, time):
        if self._transform:
            return Matrix4(self._transform(time))
        return Matrix4(self._own_transform(timeToFrame(time))) if "t" in self._parms else Matrix4()

    def _own_transform(self, frame):
        """Of the parameters t and r, in the order that objects have at first: about x, y, z, then the shift; row vectors."""
        matrix = np.eye(4)
        for axis in range(3):
            angle = np.radians(self.parm("r" + "xyz"[axis]).evalAtFrame(frame))
            a, b, turn = (axis + 1) % 3, (axis + 2) % 3, np.eye(4)
            turn[a, a], turn[b, b], turn[a, b], turn[b, a] = np.cos(angle), np.cos(angle), np.sin(angle), -np.sin(angle)
            matrix = matrix @ turn
        matrix[3, :3] = [self.parm("t" + axis).evalAtFrame(frame) for axis in "xyz"]
        return matrix

    # of geometry nodes
    def isTimeDependent(self):
        return callable(self._geometry)

    def geometry(self, output_index=0):
        return self.geometryAtFrame(_frame)

    def geometryAtFrame(self, frame, output_index=0):
        if self._type == "file":
            pattern = re.sub(r"`padzero\((\d), max\(0, \$F - (\d+)\)\)`",
                             lambda m: str(max(0, int(frame) - int(m[2]))).zfill(int(m[1])), self.parm("file").eval())
            if not os.path.exists(pattern) and self.parm("missingframe").eval() == 1:
                return Geometry()
            return _read(pattern)
        if self._type == "merge":
            found = Geometry()
            for input_node in self._inputs.values():
                found.merge(input_node.geometryAtFrame(frame))
            return found
        return self._geometry(frame) if callable(self._geometry) else self._geometry


_root = Node(None, "root", "")
_root._children.append(Node(None, "obj", "obj"))
_selected = []


def node(path):
    return next(one for one in _root._children if one.path() == path) if path.count("/") == 1 else \
        node(path.rsplit("/", 1)[0]).node(path.rsplit("/", 1)[1])


def selectedNodes():
    return tuple(_selected)


# ------------------------------------------------------------------------------------------------------ the interface
class InterruptableOperation:
    _progress, _escape_after = [], None

    def __init__(self, operation_name, long_operation_name=None, open_interrupt_dialog=False):
        assert operation_name

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False

    def updateProgress(self, percentage):
        assert 0.0 <= percentage <= 1.0
        self._progress.append(percentage)
        if self._escape_after is not None and percentage > self._escape_after:
            raise OperationInterrupted


class severityType:
    Error = "error"


class ui:
    _messages = []

    @classmethod
    def displayMessage(cls, text, severity=None, title=None):
        cls._messages.append(text)
