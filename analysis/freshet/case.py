# SPDX-License-Identifier: Apache-2.0
"""Cases as Python values: dicts with the names of the keys in `freshet schema`, turned into TOML for the one reader."""
import copy
import json
import math
import os
import re
from collections.abc import Mapping

_DOTTED = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)+")  # as in "run.end_time"
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def schema(section=""):
    """The keys of a case: dicts with key, type, required, default, unit, range, changes_at_restart and text.

        for key in freshet.schema("gauge"):       # a table, or one key; without it all
            print(key["key"], key["unit"], key["text"])

    Entry N of an array of tables has keys such as gauge.N.type: case.add("gauge", type="height", ...) gives them by name.
    Errors: KeyError for a section that there is not
    """
    from . import _load
    keys = json.loads(_load("_freshet").schema_json())["keys"]
    found = [key for key in keys if not section or key["key"] == section or key["key"].startswith(section + ".")]
    if not found:
        tables = ", ".join(dict.fromkeys(key["key"].split(".")[0] for key in keys))
        raise KeyError(f"there is no table and no key '{section}' (the tables are {tables})")
    return found


class Case(dict):
    """A case as a dict whose tables are attributes too.

        case = freshet.Case(title="drop")
        case.domain.cells = [32, 32, 32]
        case.domain.cell_size = 1 / 32          # [m]
        case.run.end_time = 0.5                 # [s]
        case.add("liquid", shape="sphere", center=[0.5, 0.5, 0.5], radius=0.2)
        sim = freshet.Simulation(case)

    case["run.end_time"] = 0.5 is the same. Keys are those of `freshet schema`, or freshet.schema(). They are checked when a
    Simulation is made.
    """

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self.setdefault(name, Case())

    def __setattr__(self, name, value):
        self[name] = value

    def __delattr__(self, name):
        del self[name]

    def __deepcopy__(self, memo):
        return Case({key: copy.deepcopy(value, memo) for key, value in self.items()})

    def add(self, table, **keys):
        """Append an entry to an array of tables: liquid, solid, gauge, source, sink, attribute. Returns the entry."""
        entry = Case(keys)
        self.setdefault(table, []).append(entry)
        return entry

    def text(self):
        """The case as TOML."""
        return to_toml(self)[0]


def _quoted(text):
    return json.dumps(str(text), ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value, place):
    """A TOML value."""
    if hasattr(value, "tolist"):  # numpy
        value = value.tolist()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, float):
        if math.isnan(value) or math.isinf(value):
            return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
        text = float.__repr__(value)  # of a number that has a text of its own, too
        return text if any(mark in text for mark in ".en") else text + ".0"
    if isinstance(value, (str, os.PathLike)):
        return _quoted(os.fspath(value))
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(item, place) for item in value) + "]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(k, place)} = {_value(v, place)}" for k, v in value.items()) + "}"
    from .errors import InputError
    raise InputError(f"{place}: a value of type {type(value).__name__} (a case holds numbers, texts, booleans, lists and "
                     f"dicts). Give one of them")


def _key(key, place):
    if not isinstance(key, str):
        from .errors import InputError
        raise InputError(f"{place}: a key of type {type(key).__name__} (keys are texts). Give a text")
    return key if _BARE.fullmatch(key) else _quoted(key)


def _is_table(value):
    return isinstance(value, Mapping)


def _is_table_array(value):
    return isinstance(value, (list, tuple)) and len(value) > 0 and all(_is_table(item) for item in value)


def nested(case):
    """A dict with its keys such as "run.end_time" as tables. Errors: InputError if a key has two values"""
    result = {}

    def put(table, name, value, place):
        if _is_table(value) and _is_table(table.setdefault(name, {})):
            for key, inner in value.items():
                put(table[name], key, inner, f"{place}.{key}")
        elif name in table:
            from .errors import InputError
            raise InputError(f"case: '{place}' has two values (names with and without dots are the same key). Leave one out")
        else:
            table[name] = value

    for key, value in case.items():
        names = key.split(".") if isinstance(key, str) and _DOTTED.fullmatch(key) else [key]
        for name in reversed(names[1:]):
            value = {name: value}
        put(result, names[0], value, names[0])
    return result


def to_toml(case):
    """The TOML text of a dict, and the place in the dict of each of its lines: ("...", ["title", "run", "run.end_time"])."""
    lines, places = [], []

    def write(line, place):
        lines.append(line)
        places.append(place)

    def write_table(table, name, place):
        plain = {k: v for k, v in table.items() if not _is_table(v) and not _is_table_array(v)}
        for key, value in plain.items():
            here = f"{place}.{key}" if place else str(key)
            write(f"{_key(key, here)} = {_value(value, here)}", here)
        for key, value in table.items():
            if key in plain:
                continue
            here = f"{place}.{key}" if place else str(key)
            inner = f"{name}.{_key(key, here)}" if name else _key(key, here)
            if _is_table(value):
                write(f"[{inner}]", here)
                write_table(value, inner, here)
            else:
                for number, entry in enumerate(value):
                    write(f"[[{inner}]]", f"{here}[{number}]")
                    write_table(entry, inner, f"{here}[{number}]")

    write_table(nested(case), "", "")
    return "\n".join(lines) + "\n", places


def overrides(changes):
    """"key=value" for each item of a dict with dotted or nested keys."""
    words = []

    def walk(table, name):
        for key, value in table.items():
            here = f"{name}.{key}" if name else str(key)
            if _is_table(value):
                walk(value, here)
            else:
                words.append(f"{here}={_value(value, here)}")

    walk(changes, "")
    return words
