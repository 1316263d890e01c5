#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# The usage is printed, and python3 -OO drops docstrings: so this one is assigned.
__doc__ = """Turn the particles of other programs into a table that freshet reads.

usage: convert_particles.py SOURCE TABLE.csv

SOURCE is known by its ending:
  .geo  points of Houdini with their attribute v, if it has one: JSON (since version 12) or the classic text
        ("PGEOMETRY V5"). Write packed geometry (.bgeo, .sc) as .geo first
  .obj  vertices of a Wavefront file; they are at rest
  .txt  lines of x y z or x y z vx vy vz, between spaces, tabs, commas or semicolons; # starts a comment
TABLE.csv has the columns x, y, z [m] and vx, vy, vz [m/s].
"""
import json
import math
import re
import sys
from pathlib import Path

import numpy as np

MOST_COMPONENTS = 64  # of an attribute
MOST_POINTS = 1 << 48
ONE_PLACE = "P: a constant page of several points (particles of a liquid do not lie at one place)"


def fail(message):
    print(message, file=sys.stderr)
    sys.exit(2)


class Flaw(Exception):
    """What is wrong with a file, and with which line of it."""

    def __init__(self, problem, line=None):
        super().__init__(problem)
        self.line = line


def number(word, line):
    try:
        value = float(word)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or "_" in word:
        raise Flaw(f"'{word[:40]}' is no finite number", line)
    return value


def count(value, most, what, line=None):
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value // 1 or not 0 <= value <= most:
        raise Flaw(f"{what} is no whole number up to {most} ({str(value)[:40]})", line)
    return int(value)


def row_of(words, line):
    if len(words) < 3 or 3 < len(words) < 6:
        raise Flaw(f"{len(words)} numbers (a particle takes 3 or 6)", line)
    row = [number(word, line) for word in words[:6]]
    return row + [0.0] * (6 - len(row))


# --------------------------------------------------------------------------------------------------- lines of text
def read_obj(text):
    rows = []
    for line, content in enumerate(text.split("\n"), 1):
        words = content.split("#")[0].split()
        if words and words[0] == "v":
            if len(words) < 4:
                raise Flaw(f"a vertex of {len(words) - 1} numbers (it takes 3)", line)
            rows.append([number(word, line) for word in words[1:4]] + [0.0] * 3)
    return rows


def read_table(text):
    rows = []
    for line, content in enumerate(text.split("\n"), 1):
        content = content.split("#")[0].strip(" \t\r,;")
        decimal = re.search(r"\d+,\d+", content)
        if decimal and re.search(r";|[^\s,;]\s+[^\s,;]", content):  # commas are not all that separates numbers here
            raise Flaw(f"'{decimal[0]}' has a decimal comma (numbers have a decimal point)", line)
        words = re.split(r"[\s,;]+", content)
        if words != [""]:
            rows.append(row_of(words, line))
    return rows


# ------------------------------------------------------------------------------------------------ Houdini's classic .geo
class Words:
    """Lines of a text as words, empty lines left out."""

    def __init__(self, text):
        self.lines = iter(enumerate(text.split("\n"), 1))
        self.line = 0

    def next(self, missing):
        for self.line, content in self.lines:
            words = re.sub("[()]", " ", content).split()
            if words:
                return words
        raise Flaw(f"the file ends ({missing})", self.line)


def read_classic(text):
    source = Words(text)
    words = source.next("it starts with PGEOMETRY V5")
    if words[:2] != ["PGEOMETRY", "V5"]:
        raise Flaw("it starts neither with [, as JSON, nor with PGEOMETRY V5", source.line)
    header = {}
    while "NPointAttrib" not in header:  # NPoints 8 NPrims 1 ..., NPointAttrib 1 ...
        words = source.next("no NPointAttrib in the header")
        header.update({name: (value, source.line) for name, value in zip(words[::2], words[1::2])})
    if "NPoints" not in header:
        raise Flaw("no NPoints in the header", source.line)

    def counted(name, most):
        value, line = header[name]
        return count(int(value) if value.isdecimal() else value, most, name, line)

    n_points = counted("NPoints", MOST_POINTS)
    velocity, width = find_velocity(source, counted("NPointAttrib", 1024))
    rows = []
    for point in range(n_points):
        words = source.next(f"{n_points - point} points are missing")
        if len(words) < width:
            raise Flaw(f"{len(words)} entries (a point takes {width})", source.line)
        columns = words[:3] + (words[velocity:velocity + 3] if velocity else ["0"] * 3)
        rows.append([number(word, source.line) for word in columns])
    return rows


def find_velocity(source, n_attributes):
    """The column where v begins (0: there is none), and the columns of a point: x y z w, then the attributes."""
    velocity, width = 0, 4
    if n_attributes == 0:
        return velocity, width
    while source.next("no PointAttrib")[0] != "PointAttrib":
        pass
    for _ in range(n_attributes):
        words = source.next("attributes of the points are missing")  # name size type defaults ...
        if len(words) < 3:
            raise Flaw("no attribute (name, size and type are wanted)", source.line)
        is_index = words[2] == "index"  # a number into a list of texts
        size = 1 if is_index else count(int(words[1]) if words[1].isdecimal() else words[1], MOST_COMPONENTS,
                                        "the size of an attribute", source.line)
        if words[0] == "v" and size == 3:
            velocity = width
        width += size
    return velocity, width


# --------------------------------------------------------------------------------------------------- Houdini's JSON .geo
def pairs(value, what):
    """A list of keys and values by turns, or an object, as a dict."""
    if isinstance(value, dict):
        return value
    if not isinstance(value, list) or len(value) % 2 or not all(isinstance(key, str) for key in value[::2]):
        raise Flaw(f"{what} is no list of keys and values by turns")
    return dict(zip(value[::2], value[1::2]))


def numbers(values, name):
    """A list of numbers as an array."""
    if not isinstance(values, list) or not all(type(value) in (int, float) for value in values):
        raise Flaw(f"{name}: something else among numbers")
    return np.array(values, dtype=float)


def flags_of(values, n_packs, n_pages):
    """Whether a pack is constant in a page, as [pack][page]."""
    constant = values.get("constantpageflags", [])
    if not isinstance(constant, list) or len(constant) > n_packs:
        raise Flaw("constantpageflags of more packs than there are")
    result = [[False] * n_pages for _ in range(n_packs)]
    for pack, flags in enumerate(constant):
        if not isinstance(flags, list) or not all(isinstance(flag, bool) for flag in flags):
            raise Flaw("constantpageflags that are no flags")
        if flags and len(flags) != n_pages:
            raise Flaw(f"constantpageflags of {len(flags)} pages where there are {n_pages}")
        result[pack] = flags or result[pack]
    return result


def unpack_pages(values, name, n_points, size):
    """Points in pages of equal size, the last one shorter. A page holds one pack of components after the other
    (x y z x y z ..., then w w ... for packs of 3 and 1), and a pack that is constant in the page only once."""
    page_size = count(values.get("pagesize", 0), MOST_POINTS, "pagesize")
    if page_size == 0:
        raise Flaw(f"{name}: no pagesize")
    packs = values.get("packing", [size])
    if not isinstance(packs, list) or not all(type(pack) is int and pack > 0 for pack in packs) or sum(packs) != size:
        raise Flaw(f"{name}: a packing that is none of {size} components")
    data = numbers(values["rawpagedata"], name)
    n_pages = -(-n_points // page_size)
    if n_pages * len(packs) > data.size:  # each pack has at least a number a page
        raise Flaw(f"{name}: the pages end before point {n_points}")
    constant = flags_of(values, len(packs), n_pages)
    pieces, wanted = [], 0  # (first point, last point, first component, components, numbers, where they begin)
    for page in range(n_pages):
        first, last = page * page_size, min((page + 1) * page_size, n_points)
        if name == "P" and last - first > 1 and all(flags[page] for flags in constant):
            raise Flaw(ONE_PLACE)
        column = 0
        for pack, width in enumerate(packs):
            n = 1 if constant[pack][page] else last - first
            pieces.append((first, last, column, width, n, wanted))
            wanted, column = wanted + n * width, column + width
        if wanted > data.size:
            raise Flaw(f"{name}: the pages end at point {first} of {n_points}")
    if wanted != data.size:
        raise Flaw(f"{name}: {data.size - wanted} numbers too many in the pages")
    points = np.empty((n_points, size))
    for first, last, column, width, n, at in pieces:
        points[first:last, column:column + width] = data[at:at + n * width].reshape(n, width)
    return points


def unpack(values, name, n_points, size):
    """The first three components of all points, from whichever of the three layouts the file has."""
    layouts = [layout for layout in ("tuples", "arrays", "rawpagedata") if layout in values]
    if len(layouts) != 1:
        raise Flaw(f"{name}: {len(layouts)} of tuples, arrays and rawpagedata (one is wanted)")
    if layouts[0] == "rawpagedata":
        return unpack_pages(values, name, n_points, size)[:, :3]
    lists = values[layouts[0]]
    wanted = (n_points, size) if layouts[0] == "tuples" else (size, n_points)
    if not isinstance(lists, list) or len(lists) != wanted[0]:
        raise Flaw(f"{name}: {len(lists) if isinstance(lists, list) else 'no'} {layouts[0]}, not {wanted[0]}")
    for entry in lists:
        if not isinstance(entry, list) or len(entry) != wanted[1]:
            raise Flaw(f"{name}: a list of {len(entry) if isinstance(entry, list) else 'no'} numbers, not {wanted[1]}")
    table = np.array([numbers(entry, name) for entry in lists]).reshape(wanted)
    return (table if layouts[0] == "tuples" else table.T)[:, :3]


def read_json(text):
    def no_number(word):
        raise ValueError(f"{word} is no number")

    try:
        file = pairs(json.loads(text, parse_constant=no_number), "the file")
    except json.JSONDecodeError as error:
        raise Flaw(f"no JSON: {error.msg}", error.lineno) from None
    except (ValueError, RecursionError) as error:
        raise Flaw(f"no JSON of Houdini ({error})") from None
    if "pointcount" not in file:
        raise Flaw("no pointcount (it says how many points there are)")
    n_points = count(file["pointcount"], MOST_POINTS, "pointcount")
    found = {}
    attributes = pairs(file.get("attributes", []), "attributes").get("pointattributes", [])
    for attribute in attributes if isinstance(attributes, list) else []:
        if not isinstance(attribute, list) or len(attribute) < 2:
            raise Flaw("a point attribute is no list of its definition and its values")
        definition = pairs(attribute[0], "the definition of an attribute")
        name = definition.get("name")
        if name not in ("P", "v") or definition.get("type", "numeric") != "numeric":
            continue
        values = pairs(pairs(attribute[1], f"the data of {name}").get("values", []), f"the values of {name}")
        size = count(values.get("size", 1), MOST_COMPONENTS, f"the size of {name}")
        if name == "v" and size != 3:
            continue
        if name == "P" and size < 3:
            raise Flaw(f"P of {size} numbers (a place takes three)")
        if name in found:
            raise Flaw(f"an attribute {name} twice (a point has one)")
        found[name] = (values, name, n_points, size)
    if "P" not in found:
        raise Flaw("no attribute P among pointattributes (it says where the points are)")
    position = unpack(*found["P"])  # first: it takes a number a point, so that there are no more points than numbers
    return np.hstack([position, unpack(*found["v"]) if "v" in found else np.zeros((n_points, 3))])


def read_geo(text):
    return read_json(text) if text.startswith("[") else read_classic(text)


READERS = {".geo": read_geo, ".obj": read_obj, ".txt": read_table}


def convert(source, table):
    """Write the particles of a file to a table; ends the program with a message if it cannot."""
    reader = READERS.get(source.suffix)
    if reader is None:
        fail(f"{source}: nothing is known of '{source.suffix}' ({', '.join(READERS)} are read). Write it as one of them")
    if not source.is_file():
        fail(f"{source}: there is no such file, or it is no plain file. Give a text file")
    try:
        rows = np.array(reader(source.read_text(encoding="utf-8-sig")), dtype=float).reshape(-1, 6)
        bad = np.flatnonzero(~np.isfinite(rows).all(axis=1))
        if bad.size:
            raise Flaw(f"point {bad[0]} has a number that is not finite")
    except (OSError, UnicodeDecodeError) as error:
        fail(f"{source}: it cannot be read ({error}). Give a text file")
    except Flaw as flaw:
        fail(f"{source}{'' if flaw.line is None else f':{flaw.line}'}: {flaw}. Correct the file")
    with open(table, "w", encoding="utf-8") as file:
        file.write("x,y,z,vx,vy,vz\n")
        file.writelines(",".join(map(repr, row)) + "\n" for row in rows.tolist())
    return len(rows)


def main():
    if sys.argv[1:] in (["-h"], ["--help"]):
        print(__doc__)
        return
    if len(sys.argv) != 3:
        fail(__doc__)
    source, table = map(Path, sys.argv[1:])
    print(f"{table}: {convert(source, table)} particles")


if __name__ == "__main__":
    main()
