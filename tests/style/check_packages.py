#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The package of Spack, the easyconfig of EasyBuild and the page of versions agree with CMake: what is needed, and how new.
Whatever names the version of freshet names the same: packages, pages, changelog, citation and tests."""
import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ROOT / "jobs/packages"
# What CMake looks for, by the names it has there, in Spack and in EasyBuild. MPI and OpenMP come with EasyBuild's toolchain.
NAMES = {"Eigen3": ("eigen", "Eigen"), "fmt": ("fmt", "fmt"), "tomlplusplus": ("tomlplusplus", "tomlplusplus"), "ZLIB": ("zlib-api", "zlib"),
         "nlohmann_json": ("nlohmann-json", "nlohmann_json"),
         "MPI": ("mpi", None), "OpenMP": ("cxx", None), "PkgConfig": ("pkgconfig", "pkgconf"), "PETSc": ("petsc", "PETSc"),
         "HDF5": ("hdf5", "HDF5"), "CLI11": ("cli11", "CLI11"), "pybind11": ("py-pybind11", "pybind11"), "Python": ("python", "Python"),
         "CMake": ("cmake", "CMake")}


def number(text):
    return tuple(int(part) for part in re.findall(r"\d+", text))


def needed_by_cmake(texts):
    """name -> the oldest version that CMake accepts, or None."""
    found = {}
    for text in texts:
        for name, version in re.findall(r"find_package\((\w+)(?: +([\d.]+))?", text):
            found[name] = version or found.get(name)
    found["PETSc"] = re.search(r"PETSc>=([\d.]+)", texts[1]).group(1)
    found["CMake"] = re.search(r"cmake_minimum_required\(VERSION ([\d.]+)\)", texts[0]).group(1)
    return found


def read_spack(path):
    """Versions, what it depends on (name -> oldest version), and the options that it passes to CMake."""
    tree = ast.parse(path.read_text(), str(path))
    versions, depends, options = [], {}, set()
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
        if name in ("version", "depends_on", "define", "define_from_variant"):
            first = ast.literal_eval(call.args[0])
            if name == "version":
                versions.append(first)
            elif name == "depends_on":
                package, oldest = re.match(r"([\w-]+)(?:@([\d.]+):)?", first).groups()
                depends[package] = oldest
            else:
                options.add(first)
    return versions, depends, options


def read_easyconfig(path):
    """The same of an easyconfig, which is Python whose names EasyBuild gives: here they are their own text."""
    values = {name: name for name in re.findall(r"\b[A-Z][A-Z_]{3,}\b", path.read_text())}
    exec(compile(path.read_text(), str(path), "exec"), values)
    depends = {entry[0]: entry[1] for key in ("builddependencies", "dependencies") for entry in values[key]}
    return values, depends, set(re.findall(r"-D(\w+)=", values["configopts"]))


def compare(who, column, needed, depends, options, declared):
    faults = [f"{who}: CMake has no option {name}" for name in sorted(options - declared)]
    for name, oldest in needed.items():
        package = NAMES[name][column]
        if package is None:
            continue
        if package not in depends:
            faults.append(f"{who}: {package} is missing, which CMake needs as {name}")
        elif oldest and depends[package] and number(depends[package]) < number(oldest):
            faults.append(f"{who}: {package} {depends[package]} is older than {oldest}, which CMake needs")
        elif oldest and not depends[package]:
            faults.append(f"{who}: {package} needs at least {oldest}")
    return faults


def other_versions(version):
    """Places that name another version of freshet than CMake does, or none."""
    changelog = re.search(r"^## \[([\d.]+)\] - ([\d-]+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    date = changelog.group(2) if changelog else "a date"
    patterns = {"CHANGELOG.md": r"^## \[([\d.]+)\] - ", "CITATION.cff": r"^version: (\S+)",
                "jobs/clusters.md": r"freshet/(\d[\d.]*\d)|Version: (\S+)\"", "include/freshet/core/version.hpp": r"///< \"([\d.]+)\"",
                "tests/unit/core/test_version.cpp": r"version, \"([\d.]+)\"", "tests/install/consumer/main.cpp": r"version == \"([\d.]+)\"",
                "jobs/packages/easybuild/freshet-%s-foss-2024a.eb" % version: r"freshet-(\d[\d.]*\d)[-/.]",
                "jobs/packages/spack/spack_repo/freshet/packages/freshet/package.py": r"freshet@([\d.]+)"}
    for name, pattern in patterns.items():
        text = (ROOT / name).read_text() if (ROOT / name).exists() else ""
        found = re.findall(pattern, text, re.MULTILINE)[:1 if name == "CHANGELOG.md" else None]
        said = ["".join(one) for one in found]
        if not said or set(said) != {version}:
            yield f"{name}: it names the version {', '.join(said) or 'nowhere'}, CMake's is {version}"
    if f"date-released: {date}\n" not in (ROOT / "CITATION.cff").read_text():
        yield f"CITATION.cff: its date is not {date}, that of CHANGELOG.md"


def main():
    texts = [(ROOT / name).read_text() for name in ("CMakeLists.txt", "src/freshetDependencies.cmake", "src/CMakeLists.txt")]
    version = re.search(r"project\(freshet VERSION ([\d.]+)", texts[0]).group(1)
    declared = set(re.findall(r"^ *option\((\w+)|^ *set\((\w+) [^)]*CACHE", "\n".join(texts), re.MULTILINE))
    declared = {first or second for first, second in declared}
    needed = needed_by_cmake(texts)
    faults = [f"this test does not know {name}, which CMake needs" for name in needed if name not in NAMES]
    faults += other_versions(version)
    needed = {name: oldest for name, oldest in needed.items() if name in NAMES}

    [recipe] = PACKAGES.glob("spack/spack_repo/freshet/packages/freshet/package.py")
    versions, depends, options = read_spack(recipe)
    if versions != [version]:
        faults.append(f"{recipe.name}: its version is {versions}, CMake's is {version}")
    faults += compare(recipe.name, 0, needed, depends, options, declared)

    [recipe] = PACKAGES.glob("easybuild/*.eb")
    values, depends, options = read_easyconfig(recipe)
    toolchain = values["toolchain"]
    name = f"{values['name']}-{values['version']}-{toolchain['name']}-{toolchain['version']}.eb"
    if values["version"] != version or recipe.name != name:
        faults.append(f"{recipe.name}: it is for {values['version']} and would be called {name}; CMake's version is {version}")
    faults += compare(recipe.name, 1, needed, depends, options, declared)

    page = (ROOT / "jobs/versions.md").read_text()
    said = {NAMES[name][1]: oldest for name, oldest in needed.items() if oldest}
    for package, oldest in said.items():
        row = re.search(rf"^\| {package}\b[^|]*\| ([\d.]*) *\|", page, re.MULTILINE)
        if not row or row.group(1) != oldest:
            faults.append(f"jobs/versions.md: it does not say that {package} must be at least {oldest}")
    print("\n".join(faults) or "the packages agree with CMake")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
