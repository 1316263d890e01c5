#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# The usage is printed, and python3 -OO drops docstrings: so this one is assigned.
__doc__ = """Turns the XML settings of the Houdini PIC/FLIP solver into a case of freshet.

usage: convert_settings_xml.py settings.xml CASE.toml

The file has one <solver> and several <liquid>, not nested (appendix of "Houdini PIC/FLIP solver with OpenMP", figure
50). A liquid is the vertices of an .obj file, scaled by 0.025 and placed around the middle of a unit cube of 32^3 cells;
a table beside the case holds them. Viscosity is the share of PIC in percent. A static object becomes a solid made of the
triangles of its .obj; the solid moves if the object has an initial velocity. The .obj is searched at its path, then
beside the settings.
"""
import json
import os
import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from convert_particles import convert

CELLS = 32
SCALE = 0.025
MIDDLE = 0.5


def fail(message):
    print(message, file=sys.stderr)
    sys.exit(2)


def quoted(text):
    """A TOML string of one line."""
    return json.dumps("".join(c if c.isprintable() else " " for c in text), ensure_ascii=False)


def text_of(element, name, default=None):
    found = element.find(name)
    value = None if found is None else (found.text or "").strip()
    if not value and default is None:
        fail(f"no <{name}> in <{element.tag}>. Add it")
    return value or default


def number_of(element, name, default=None):
    try:
        return float(text_of(element, name, default))
    except ValueError:
        fail(f"<{name}> of <{element.tag}> is no number. Correct it")


def vector_of(element, name, default="0 0 0"):
    try:
        values = [float(word) for word in text_of(element, name, default).split()]
    except ValueError:
        values = []
    if len(values) != 3:
        fail(f"<{name}> of <{element.tag}> is not three numbers. Correct it")
    return values


def toml(values):
    return "[" + ", ".join(repr(float(value)) for value in values) + "]"


def file_of(element, settings, target):
    path = Path(text_of(element, "LoadOBJPath"))
    found = [p for p in (settings.parent / path, settings.parent / path.name) if p.is_file()]
    if not found:
        fail(f"{path} is not there. Put {path.name} beside the settings")
    return os.path.relpath(found[0], target.parent)


def is_static(element):
    return number_of(element, "staticObject", "0") != 0.0


def table_of(element, settings, target):
    """A table of the vertices of a liquid's .obj, beside the case."""
    source = file_of(element, settings, target)
    table = target.parent / (Path(source).stem + ".csv")
    convert(target.parent / source, table)
    return table.name


def placed(element, settings, target, file):
    """Where an object's file is, and where it stands."""
    move = [MIDDLE + SCALE * x for x in vector_of(element, "initialPosition")]
    return [f"file = {quoted(file)}", f"scale = {SCALE}", f"translate = {toml(move)}"]


def solid_of(element, settings, target):
    lines = ["[[solid]]", 'shape = "mesh"',
             *placed(element, settings, target, file_of(element, settings, target))]
    velocity = vector_of(element, "initialVelocity")
    if any(velocity):
        lines.append(f"velocity = {toml(velocity)}")
    return "\n".join(lines)


def liquid_of(element, settings, target):
    velocity = vector_of(element, "initialVelocity")
    lines = ["[[liquid]]", 'shape = "particles"',
             *placed(element, settings, target, table_of(element, settings, target)), f"velocity = {toml(velocity)}"]
    if element.find("visualizationColour") is not None:
        color = [min(max(value, 0.0), 1.0) for value in vector_of(element, "visualizationColour")]
        lines.append(f"color = {toml(color)}")
    return "\n".join(lines)


def main():
    if sys.argv[1:] in (["-h"], ["--help"]):
        print(__doc__)
        return
    if len(sys.argv) != 3:
        fail(__doc__)
    settings, target = Path(sys.argv[1]), Path(sys.argv[2])
    try:
        text = re.sub(r"<\?xml.*?\?>", "", settings.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        fail(f"{settings}: cannot be read ({error}). Give a text file")
    if "<!" in text.replace("<!--", ""):
        fail(f"{settings}: it declares a document type or entities. Leave them out")
    try:
        root = ElementTree.fromstring(f"<settings>{text}</settings>")
    except ElementTree.ParseError as error:
        fail(f"{settings}: no XML ({error}). Correct it")
    solver = root.find("solver")
    objects = root.findall("liquid")
    liquids = [element for element in objects if not is_static(element)]
    if solver is None or not liquids:
        fail(f"{settings}: no <solver> or no <liquid>. Give both")
    dt = number_of(solver, "timeStep")
    pic = number_of(solver, "viscosity", "0") / 100.0
    boost = number_of(solver, "vortexBoost", "0")
    bodies = "\n\n".join([f"{liquid_of(liquid, settings, target)}\ntag = {n}" for n, liquid in enumerate(liquids)]
                         + [solid_of(element, settings, target) for element in objects if is_static(element)])
    colored = any(liquid.find("visualizationColour") is not None for liquid in liquids)
    vortex = f'\n[vortex]\nboost = {boost!r}\nmethod = "weights"\n' if boost != 0.0 else ""
    target.write_text(f"""title = {quoted(text_of(solver, 'OutputFileName', 'liquid'))}
reference = {quoted("Houdini PIC/FLIP solver with OpenMP; settings " + settings.name)}

[run]
end_time = {number_of(solver, 'simFrames') * dt!r}  # [s]

[domain]
cells = [{CELLS}, {CELLS}, {CELLS}]
cell_size = {1.0 / CELLS!r}  # [m]

[labels]
surface = "voxels"  # as in the source

[density]
correction = "off"  # as in the source

[pressure.walls]
condition = "sticky"  # as in the source

[transfer]
flip_fraction = {1.0 - pic!r}
{vortex}
[time]
max_dt = {dt!r}  # [s]

{bodies}

[output]
interval = {dt!r}  # [s]
particles = ["velocity", "tag"{', "color"' if colored else ''}]
""", encoding="utf-8")


if __name__ == "__main__":
    main()
