#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails on what breaks the module layers: an upward include, an include cycle, a third-party header outside its
module; and on a source without its SPDX line, a header without #pragma once, a file name that is not snake_case.

First it shows on small made-up trees that each rule finds its fault.  usage: check_layers.py [ROOT]
"""
import re
from pathlib import Path

from files_of_tree import files_of_tree
from made_up_trees import prove, run_check

MODULES = ["core", "keys", "parallel", "geometry", "grid", "linear", "particles", "transfer", "meshing", "solids", "bodies", "forces", "sources", "fluid", "free_surface", "pressure", "air", "viscosity", "turbulence", "io",
           "formats", "diagnostics", "gauges", "config", "driver", "python"]
# Pattern of an include -> the modules that may have it ("main" is src/main.cpp and src/program.cpp).
THIRD_PARTY = {
    r"mpi\.h": {"parallel", "pressure", "viscosity", "turbulence", "io", "main", "python"},
    r"petsc.*": {"parallel", "linear", "pressure", "viscosity"},
    r"(hdf5|H5.*)\.h": {"io"},
    r"toml\+\+/.*|toml\.hpp": {"config"},
    r"nlohmann/.*": {"io", "config", "driver"},
    r"openvdb/.*": {"formats"},
    r"CLI/.*": {"main"},
    r"pybind11/.*|Python\.h": {"python"},
    r"spdlog/.*|gtest/.*|gmock/.*|benchmark/.*": set(),
}
# Pattern of an include that takes long to compile -> what a header includes in its place.
SLOW = {r"nlohmann/json\.hpp": "nlohmann/json_fwd.hpp"}
FOLDERS = ["src", "include", "tests", "analysis", "jobs", ".ci"]
SOURCES = {".cpp", ".hpp", ".py", ".sh", ".sbatch", ".cmake", ".in"}
NAMED_BY_OTHERS = {"CMakeLists.txt", "__init__.py", "__main__.py", "freshetConfig.cmake.in", "freshetDependencies.cmake"}
# A type of a namespace, whose definition begins its line; one that is declared anywhere, or is nested or local; a word.
TYPE = re.compile(r"^(?:class|struct|enum class) ([A-Z]\w*)(?: final)?[^;{]*\{", re.MULTILINE)
DECLARED = re.compile(r"(?:class|struct|enum|class =|using|typename|concept) ([A-Z]\w*)")
WORD = re.compile(r"(?<![\w.])[A-Z]\w*")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def sources(root):
    """The repository's sources."""
    for path in files_of_tree(root):
        in_folder = path.parts[0] in FOLDERS and (path.suffix in SOURCES or path.parts[0] == ".ci")
        if in_folder or path.name == "CMakeLists.txt":
            yield path


def module_of(path):
    """The module of a library source, "main" for the program, None for anything else."""
    if path.parts[:2] == ("include", "freshet"):
        return path.parts[2]
    if path.parts[0] == "src" and len(path.parts) > 2:
        return path.parts[1]
    return "main" if str(path) in ("src/main.cpp", "src/program.cpp") else None


def includes(text):
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(2)


def check_include(path, number, included):
    """Problems of one include of a library source."""
    module = module_of(path)
    place = f"{path}:{number}"
    if included.startswith("freshet/"):
        other = included.split("/")[1]
        if module != "main" and other in MODULES and MODULES.index(other) > MODULES.index(module):
            yield f"{place}: {module} includes {included}, of a module after it"
        return
    if included.startswith("../"):
        yield f"{place}: {included} leads out of its folder; what others need is in include/freshet"
    owner = included.split("/")[0]
    if "/" in included and owner in MODULES and owner != module:
        yield f"{place}: {included} is a private header of {owner}"
    for pattern, allowed in THIRD_PARTY.items():
        if re.fullmatch(pattern, included) and module not in allowed:
            where = ", ".join(sorted(allowed)) or "no module"
            yield f"{place}: <{included}> is for {where}, not for {module}"
    for pattern, light in SLOW.items():
        if path.suffix == ".hpp" and re.fullmatch(pattern, included):
            yield f"{place}: <{included}> is slow to compile, a header includes <{light}>"


def check_file(root, path, text):
    """Problems of one file by itself."""
    if "SPDX-License-Identifier: Apache-2.0" not in "\n".join(text.splitlines()[:3]) and path.suffix != ".in":
        yield f"{path}: no SPDX line among the first three"
    if path.suffix == ".hpp" and "#pragma once" not in text:
        yield f"{path}: no #pragma once"
    if path.name not in NAMED_BY_OTHERS and not re.fullmatch(r"[a-z][a-z0-9_]*(\.[a-z]+)*", path.name):
        yield f"{path}: the file name is not snake_case"
    module = module_of(path)
    if module is None or path.suffix not in (".cpp", ".hpp"):
        return
    if module != "main" and module not in MODULES:
        yield f"{path}: no module is called {module}"
        return
    for number, included in includes(text):
        yield from check_include(path, number, included)


def resolve(root, path, included):
    """The project file that an include names, or None."""
    for candidate in (Path("include") / included, Path("src") / included, path.parent / included):
        if (root / candidate).is_file():
            return candidate
    return None


def check_cycles(graph):
    """One problem for each include that closes a cycle."""
    state = {}

    def visit(path, trail):
        state[path] = "open"
        for other in graph.get(path, []):
            if state.get(other) == "open":
                cycle = trail[trail.index(other):] + [other]
                yield "include cycle: " + " -> ".join(map(str, cycle))
            elif other not in state:
                yield from visit(other, trail + [other])
        state[path] = "done"

    for start in graph:
        if start not in state:
            yield from visit(start, [start])


def code_of(text):
    """The text without comments and strings."""
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', " ", text, flags=re.DOTALL)


def check_types(texts, graph):
    """A problem for each type of a header that a file uses without including the header, by itself or through others.

    Sources that are joined to be compiled faster see the includes of those before them, so that no compiler tells.
    """
    codes = {path: code_of(text) for path, text in texts.items() if module_of(path) is not None}
    homes = {}
    for path, code in codes.items():
        for name in TYPE.findall(code) if path.suffix == ".hpp" else []:
            homes.setdefault(name, set()).add(path)
    for path, code in codes.items():
        seen, waiting = {path}, [path]
        while waiting:
            further = [other for other in graph.get(waiting.pop(), []) if other not in seen]
            seen.update(further)
            waiting += further
        declared = set().union(*(DECLARED.findall(codes.get(other, "")) for other in seen))
        for name in sorted((set(WORD.findall(code)) & homes.keys()) - declared):
            if not homes[name] & seen:
                yield f"{path}: {name} is used and none of its headers is included: {', '.join(map(str, homes[name]))}"


def check(root):
    """All problems of the tree under root, and the number of files read."""
    problems = []
    graph = {}
    texts = {}
    for path in sources(root):
        text = (root / path).read_text(encoding="utf-8")
        problems += check_file(root, path, text)
        if path.suffix in (".cpp", ".hpp"):
            texts[path] = text
            found = (resolve(root, path, included) for _, included in includes(text))
            graph[path] = [other for other in found if other is not None]
    return problems + list(check_cycles(graph)) + list(check_types(texts, graph)), len(graph)


def self_test():
    """Each rule finds its fault in a tree made for it, and nothing in the clean one."""
    spdx = "// SPDX-License-Identifier: Apache-2.0\n"
    header = spdx + "#pragma once\n"
    clean = {"include/freshet/core/a.hpp": header, "src/grid/b.cpp": spdx + '#include "freshet/core/a.hpp"\n',
             "src/parallel/c.cpp": spdx + "#include <mpi.h>\n#include <petscksp.h>\n",
             "src/io/d.cpp": spdx + "#include <hdf5.h>\n#include <nlohmann/json.hpp>\n",
             "include/freshet/io/e.hpp": header + "#include <nlohmann/json_fwd.hpp>\n"}
    faults = {
        "after it": {"include/freshet/core/a.hpp": header + '#include "freshet/grid/b.hpp"\n'},
        "include cycle": {"include/freshet/core/a.hpp": header + '#include "freshet/core/b.hpp"\n',
                          "include/freshet/core/b.hpp": header + '#include "freshet/core/a.hpp"\n'},
        "private header": {"src/pressure/walls/a.hpp": header,
                           "src/driver/b.cpp": spdx + '#include "pressure/walls/a.hpp"\n'},
        "leads out of its folder": {"src/grid/b.cpp": spdx + '#include "../core/a.hpp"\n'},
        "<mpi.h> is for": {"src/grid/b.cpp": spdx + "#include <mpi.h>\n"},
        "<petscvec.h> is for": {"src/io/b.cpp": spdx + "#include <petscvec.h>\n"},
        "<hdf5.h> is for": {"src/driver/b.cpp": spdx + "#include <hdf5.h>\n"},
        "<toml++/toml.h> is for": {"src/driver/b.cpp": spdx + "#include <toml++/toml.h>\n"},
        "<nlohmann/json.hpp> is for": {"src/fluid/b.cpp": spdx + "#include <nlohmann/json.hpp>\n"},
        "Place is used": {"include/freshet/core/place.hpp": header + "class Place {\n};\n",
                          "src/grid/b.cpp": spdx + '#include "freshet/core/a.hpp"\nvoid move(const Place& place);\n'},
        "slow to compile": {"include/freshet/io/b.hpp": header + "#include <nlohmann/json.hpp>\n"},
        "no SPDX line": {"src/core/a.cpp": "int a;\n"},
        "#pragma once": {"include/freshet/core/a.hpp": spdx},
        "snake_case": {"src/core/BigName.cpp": spdx},
        "no module is called": {"src/water/a.cpp": spdx},
    }
    prove(check, clean, faults)


if __name__ == "__main__":
    self_test()
    run_check(check, "layers hold in {} C++ files")
