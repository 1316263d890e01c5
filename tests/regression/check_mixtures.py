#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# needs: python:numpy python:h5py
# timeout: 7200
"""Random mixtures of features have the same bits on any ranks and threads, and over a restart; so do shipped cases.

Each seed gives a case. It runs on 1 rank; on 2, 3 or 4 ranks; on 1 rank with 2 threads; and on some ranks up to a checkpoint,
from which another number of ranks goes on. Particles, steps.csv and all tables have to be the same. The seeds
are new ones each time, 10 by day and 300 with FRESHET_NIGHTLY=ON, and are printed. Runs take fewer steps by day: a seed of the
night is repeated with FRESHET_NIGHTLY=ON.

usage: check_mixtures.py BUILD_DIRECTORY_OR_EXECUTABLE [--show] [SEED ...]
"""
import csv
import random
import sys
import tempfile
from pathlib import Path

import h5py
import numpy

import commands
from check_bad_inputs import ROOT, find_program

N_CASES = 300 if commands.NIGHTLY else 10
RANKS = (2, 3, 4)
STEPS = {2: 16, 3: 8} if commands.NIGHTLY else {2: 10, 3: 6}  # by dimension
OF_THE_MACHINE = {"moved_rank", "allocated_blocks", "imbalance", "memory", "seconds"}  # columns that may differ
SHIPPED = (("honey_rope", ("run.max_steps=10",)),  # cases that have to have the same bits, too
           ("dam_break_2d", ("run.max_steps=40", "fluid.viscosity=1000")))
TABLES = ("gauges", "bodies", "joints", "moorings")  # folders whose tables have the same bits
RECORDS = ("position", "velocity", "id", "tag")


def text_of(value):
    """A value as TOML."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(text_of(entry) for entry in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {text_of(entry)}" for key, entry in value.items()) + "}"
    return repr(value)


class Mixture:
    """A case that a seed chooses: `keys` of the file's tables, and entries of its arrays of tables."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.keys = {}
        self.entries = []
        self.dimension = self.random.choice((2, 2, 2, 3))
        self.steps = STEPS[self.dimension]
        self.dx = self.random.choice((0.05, 0.01))
        self.choose_domain(seed)
        self.choose_methods()
        self.choose_liquids()
        self.choose_scene()
        self.choose_gauges()
        self.choose_air()
        self.choose_jointed_bodies()
        self.choose_bodies()
        self.choose_turbulence()
        self.choose_band()

    def chance(self, probability):
        return self.random.random() < probability

    def place(self, low=0.0, high=1.0):
        """A point, between these shares of the domain's size along each axis."""
        return [round(self.random.uniform(low, high) * size, 5) for size in self.size]

    def vector(self, largest):
        return [round(self.random.uniform(-largest, largest), 4) for _ in range(self.dimension)]

    def add(self, array, **entry):
        self.entries.append((array, entry))

    def choose_domain(self, seed):
        chosen = self.random
        least, most = (24, 48) if self.dimension == 2 else (12, 18)
        cells = [chosen.randint(least, most) for _ in range(self.dimension)]
        cells[1] += most // 2  # empty blocks, some of which fall wet and dry
        sides = {}
        for axis, name in enumerate("xyz"[:self.dimension]):
            kinds = ["periodic"] * 2 if name != "y" and self.chance(0.2) else [
                chosen.choice(("free_slip", "no_slip", "free_slip", "open")) for _ in range(2)]
            if kinds[0] == "periodic":
                cells[axis] = 8 * max(2, round(cells[axis] / 8))
            sides[name + "_low"], sides[name + "_high"] = kinds
        if sides["y_low"] == "open" and self.chance(0.8):
            sides["y_low"] = "no_slip"
        self.sides = sides
        self.size = [n * self.dx for n in cells]
        self.keys["run"] = {"end_time": 100.0, "max_steps": self.steps, "reproducible": True, "seed": seed % 1000}
        self.keys["domain"] = {"dimension": self.dimension, "cells": cells, "cell_size": self.dx}
        self.keys["domain.boundary"] = sides

    def choose_methods(self):
        chosen = self.random
        self.keys["labels"] = {"surface": chosen.choice(("level_set", "level_set", "voxels"))}
        self.has_level_set = self.keys["labels"]["surface"] == "level_set"
        if not self.has_level_set and self.chance(0.3):
            self.keys["labels"]["method"] = "density"
        self.keys["transfer"] = {"method": chosen.choice(("flip", "apic"))}
        self.keys["time"] = {"cfl": chosen.choice((0.5, 1.0, 1.0, 2.0, 2.0)),
                             "splitting": chosen.choice(("first_order", "first_order", "strang", "reflection"))}
        self.keys["extrapolation"] = {"method": chosen.choice(("layers", "distance"))}
        self.keys["motion"] = {"scheme": chosen.choice(("rk2", "rk3"))}
        self.keys["pressure.walls"] = {"condition": chosen.choice(("sticky", "separating"))}
        self.keys["pressure"] = {"preconditioner": chosen.choice(("multigrid",) * 5 + ("block_mic0", "jacobi"))}
        self.keys["density"] = {"correction": chosen.choice(("off", "implicit"))}
        self.keys["balance"] = {"threshold": chosen.choice((1.0, 1.0, 1.02, 1.1)),
                                "cell_cost": chosen.choice((0.5, 2.0, 20.0))}
        self.keys["particles"] = {"jitter": chosen.choice((0.0, 1.0))}
        self.keys["particles.reseeding"] = {"enabled": self.chance(0.25)}
        self.keys["particles.distribution"] = {"enabled": self.chance(0.25)}
        self.keys["fluid"] = {}
        self.is_viscous = self.chance(0.6)
        if self.is_viscous:
            self.keys["fluid"]["viscosity"] = self.viscosity()
            self.keys["viscosity"] = {"coupling": chosen.choice(("stokes", "stokes", "split"))}
        if self.has_level_set and self.chance(0.25):
            self.keys["fluid"]["surface_tension"] = chosen.choice((0.07, 1.0))
            self.keys["fluid"]["contact_angle"] = chosen.choice((60.0, 90.0))
        if self.chance(0.15):
            self.keys["fluid.wind"] = {"velocity": [chosen.choice((5.0, 20.0)), 0.0, 0.0]}
        if self.chance(0.15):
            self.keys["vortex"] = {"boost": 2.0}

    def viscosity(self):
        """As of water, any one, or one that reaches from cell to cell within a step. [Pa s]"""
        least, most = self.random.choice(((-4.0, -1.5), (-3.0, 5.0), (2.5, 5.0), (2.5, 5.0)))
        return float(f"{10.0 ** self.random.uniform(least, most):.4g}")

    def choose_liquids(self):
        chosen = self.random
        shares = (chosen.uniform(0.3, 1.0), chosen.uniform(0.1, 0.4), 1.0)
        self.add("liquid", shape="box", lower=[0.0] * self.dimension, velocity=self.vector(1.0),
                 upper=[share * size for share, size in zip(shares, self.size)])
        # with a viscosity for every liquid, fluid.viscosity is that of nobody
        share = chosen.choice((0.5, 0.5, 1.0)) if self.is_viscous else 0.0
        if share == 1.0:
            self.entries[-1][1]["viscosity"] = self.viscosity()
        for tag in range(1, chosen.randint(2, 4)):
            own = {"tag": tag}
            if self.chance(share):
                own["viscosity"] = self.viscosity()
            self.add("liquid", shape="sphere", center=self.place(0.2, 0.8), velocity=self.vector(2.0),
                     radius=round(chosen.uniform(2.0, 6.0) * self.dx, 5), **own)

    def choose_scene(self):
        chosen = self.random
        has_source = self.chance(0.3)  # which must not lie on a solid that moves: no body moves beside one
        inlet = self.place(0.3, 0.6)
        for _ in range(chosen.randint(0, 2)):
            radius = chosen.uniform(2.0, 5.0) * self.dx
            body = {"shape": "sphere", "center": self.place(0.2, 0.8), "radius": radius}
            low, high = ([x + sign * radius for x in body["center"]] for sign in (-1.0, 1.0))
            if self.chance(0.4):
                low = self.place(0.2, 0.6)
                high = [x + chosen.uniform(2.0, 6.0) * self.dx for x in low]
                body = {"shape": "box", "lower": low, "upper": high}
            # whoever covers an inlet holds the place 2 cells before or behind its middle
            if has_source and all(a < x + 4.5 * self.dx and b > x - 0.5 * self.dx for a, b, x in zip(low, high, inlet)):
                continue
            if not has_source and self.chance(0.6):
                body["velocity"] = self.vector(0.5)
            self.add("solid", slip=chosen.choice(("free_slip", "no_slip")),
                     surface=chosen.choice(("auto", "fractions", "voxels")), **body)
        if has_source:
            # its liquid has a tag of its own, or that of a liquid, whose viscosity it then has, too
            own = {"tag": 9, "viscosity": self.viscosity()} if self.is_viscous and self.chance(0.5) else {"tag": 1}
            self.add("source", shape="box", lower=inlet, upper=[x + 4.0 * self.dx for x in inlet],
                     velocity=[0.5] + [-1.0] * (self.dimension - 1), **own)
        if self.chance(0.2):
            self.add("sink", shape="box", lower=[0.0] * self.dimension, upper=[4.0 * self.dx] * self.dimension)
        if self.chance(0.15):
            self.add("absorber", lower=[0.5 * self.size[0]] + [0.0] * (self.dimension - 1), upper=self.size,
                     strength=5.0)
        if self.chance(0.2):
            self.keys["frame"] = {"angular_velocity": [0.0, 0.0, 30.0],
                                  "pivot": self.place() + [0.0] * (3 - self.dimension)}

    def choose_air(self):
        """Trapped air, and a hole in the first liquid."""
        if self.chance(0.6):
            return
        self.keys["air"] = {"bubbles": self.random.choice(("incompressible", "compressible")), "least_cells": 2,
                            "atmosphere": self.random.choice(("above", "above", "open_sides")),
                            "pressure": self.random.choice((100.0, 101325.0))}
        _, liquid = next(entry for entry in self.entries if entry[0] == "liquid")
        box = {key: liquid.pop(key) for key in ("shape", "lower", "upper")}
        middle = [0.5 * (low + high) for low, high in zip(box["lower"], box["upper"])]
        hole = {"shape": "sphere", "center": middle, "radius": self.random.uniform(2.0, 5.0) * self.dx}
        liquid.update(shape="difference", parts=[box, hole])

    def choose_bodies(self):
        """Bodies that the liquid moves."""
        clashes = any(array in ("source", "joint") for array, _ in self.entries)
        if clashes or "frame" in self.keys or "periodic" in self.sides.values() or self.chance(0.5):
            return
        chosen = self.random
        if self.is_viscous:  # such bodies know thin liquids only
            self.keys["fluid"]["viscosity"] = 0.001
            for _, entry in self.entries:
                entry.pop("viscosity", None)
        for _ in range(chosen.randint(1, 2)):
            center, radius = self.place(0.25, 0.75), chosen.uniform(2.5, 5.0) * self.dx
            self.add("solid", shape="sphere", center=center, radius=radius,
                     surface=chosen.choice(("auto", "fractions", "voxels")),
                     body={"density": chosen.choice((0.0, 300.0, 800.0, 3000.0)), "velocity": self.vector(0.5)})

    def choose_turbulence(self):
        """An eddy viscosity, and walls with a law for the stress in place of no slip."""
        own_viscosities = {entry.get("viscosity") for array, entry in self.entries if array in ("liquid", "source")}
        if own_viscosities != {None} or self.chance(0.7):
            return
        self.keys["turbulence"] = {"model": self.random.choice(("smagorinsky", "wale"))}
        self.keys["fluid"].setdefault("viscosity", 0.001)
        for side, condition in self.sides.items():
            if condition == "no_slip":
                self.sides[side] = "wall_law"
                if not any(entry.get("type") == "wall_stress" for _, entry in self.entries):
                    self.add("gauge", type="wall_stress", name="wall_stress", point=self.place(0.0, 0.3))

    def choose_band(self):
        """Particles in a narrow band only, without what needs them everywhere."""
        if not self.chance(0.25):
            return
        self.entries = [(array, entry) for array, entry in self.entries if array not in ("source", "sink")]
        for _, entry in self.entries:
            entry.pop("tag", None)
        liquids = [entry for array, entry in self.entries if array == "liquid"]
        for liquid in liquids[1:]:  # as particles of one tag
            liquid.pop("viscosity", None)
            if "viscosity" in liquids[0]:
                liquid["viscosity"] = liquids[0]["viscosity"]
        liquids[0]["upper"] = [size * share for size, share in zip(self.size, (1.0, 0.75, 1.0))]
        if liquids[0]["shape"] == "difference":
            liquids[0].update(liquids[0].pop("parts")[0] | {"upper": liquids[0]["upper"]})
        for table in ("air", "vortex"):
            self.keys.pop(table, None)
        self.keys["labels"].pop("method", None)
        self.keys["particles.distribution"]["enabled"] = False
        if self.keys["time"]["splitting"] == "reflection":
            self.keys["time"]["splitting"] = "strang"
        self.keys["time"]["cfl"] = min(1.0, self.keys["time"]["cfl"])
        self.keys["particles"]["band"] = self.random.choice((4, 4, 5))

    def is_free(self, center, radius):
        """Whether a ball reaches into no solid, and lies inside the domain."""
        if any(x < radius or x > size - radius for x, size in zip(center, self.size)):
            return False
        for array, solid in self.entries:
            if array != "solid":
                continue
            low, high = solid.get("lower", solid.get("center")), solid.get("upper", solid.get("center"))
            nearest = [min(max(x, a), b) for x, a, b in zip(center, low, high)]
            if sum((x - y) ** 2 for x, y in zip(center, nearest)) < (radius + solid.get("radius", 0.0)) ** 2:
                return False
        return True

    def choose_jointed_bodies(self):
        """Bodies that the liquid moves, joined and moored, where the other choices allow them."""
        chosen = self.random
        clashes = "frame" in self.keys or any(array == "source" for array, _ in self.entries)
        if self.is_viscous or clashes or not self.chance(0.5):
            return
        first, places = sum(name == "solid" for name, _ in self.entries), []
        for _ in range(chosen.randint(2, 3)):
            radius = round(chosen.uniform(2.0, 4.0) * self.dx, 5)
            # what a joint holds in place cannot give way to a solid that it overlaps
            places.append(next((place for place in (self.place(0.25, 0.7) for _ in range(30)) if self.is_free(place, radius)), None))
            if places[-1] is None:
                return
            spin = {} if self.dimension == 3 else {"fixed": chosen.choice(([], ["x"], ["rz"]))}
            body = {"density": chosen.choice((50.0, 600.0, 3000.0)), "velocity": self.vector(0.3), **spin}
            if "x" in spin.get("fixed", []):  # joints could not follow bodies that are held on ways apart
                body["velocity"][0] = 0.0
            self.add("solid", shape="sphere", center=places[-1], radius=radius, body=body)
        kind = chosen.choice(("hinge", "ball", "fixed", "slider"))
        drag = {"stiffness": 5.0, "damping": 0.5} if kind in ("hinge", "slider") else {}
        axis = {"axis": [1.0, 0.5]} if kind == "slider" else {}
        if self.dimension == 3 and kind in ("hinge", "slider"):
            axis = {"axis": [0.3, 1.0, 0.5]}
        self.add("joint", name="one", kind=kind, solids=[first, first + 1], anchor=places[0], **drag, **axis)
        self.add("joint", name="two", kind="spring", solids=[first + 1], anchor=places[1], end=self.place(), stiffness=50.0,
                 damping=1.0)
        if self.chance(0.5):
            self.add("joint", name="three", kind="ball", solids=[len(places) - 1 + first], anchor=places[-1])
        self.add("mooring", name="line", kind="tether", solid=first, anchor=self.place(), fairlead=places[0], stiffness=1e4)

    def choose_gauges(self):
        if self.chance(0.5):
            self.add("gauge", type="velocity", name="velocity", point=self.place(0.1, 0.4))
            self.add("gauge", type="pressure", name="pressure", point=self.place(0.1, 0.4))
        if self.sides["x_low"] not in ("periodic", "open") and self.chance(0.5):
            self.add("gauge", type="force", name="force", side="x_low")

    def text(self):
        lines = [f"[{name}]\n" + "".join(f"{key} = {text_of(value)}\n" for key, value in keys.items())
                 for name, keys in self.keys.items()]
        lines += [f"[[{name}]]\n" + "".join(f"{key} = {text_of(value)}\n" for key, value in entry.items())
                  for name, entry in self.entries]
        return "\n".join(lines) + '\n[output]\nparticles = ["velocity", "id", "tag"]\n'


def run(program, case, output, ranks, threads, *words):
    """Run a case; return what went wrong, or an empty text."""
    result = commands.run(program, ["run", case, *words, "--output-dir", output], ranks, threads)
    return f"exit code {result.returncode}: {result.stderr.strip()[-300:]}" if result.returncode != 0 else ""


def particles_of(output):
    """The last snapshot's particles in the order of their ids: each component's bytes by name."""
    with h5py.File(sorted(output.glob("snapshots/*.h5"))[-1]) as file:
        species = file["data"][list(file["data"])[0]]["particles/liquid"]
        components = {}
        for record in RECORDS:
            entry = species[record]
            for name, dataset in (entry.items() if isinstance(entry, h5py.Group) else [("", entry)]):
                if isinstance(dataset, h5py.Dataset):
                    components[f"{record} {name}".strip()] = dataset[()]
    order = numpy.argsort(components["id"])
    return {name: values[order].tobytes() for name, values in components.items()}


def first_difference(output, reference):
    """Name the first number that differs; an empty text if none does."""
    tables = [list(csv.reader((folder / "steps.csv").open(newline=""))) for folder in (reference, output)]
    names = [name.split(" [")[0] for name in tables[0][0]]
    if len(tables[0]) != len(tables[1]):
        return f"{len(tables[1]) - 1} steps, not {len(tables[0]) - 1}"
    for expected, row in zip(*tables):
        differing = [name for name, a, b in zip(names, expected, row) if a != b and name not in OF_THE_MACHINE]
        if differing:
            return f"step {expected[0]}: {', '.join(differing)}"
    expected, found = particles_of(reference), particles_of(output)
    differing = [name for name in expected if expected[name] != found.get(name)]
    if differing:
        return "particles: " + ", ".join(differing)
    for path in sorted(path for folder in TABLES for path in reference.glob(f"{folder}/*.csv")):
        if path.read_bytes() != (output / path.parent.name / path.name).read_bytes():
            return f"{path.parent.name}/{path.name}"
    return ""


def check_shipped(program, name, words, folder):
    """What is wrong with a case of inputs/ on 3 ranks, as a list of texts."""
    words = ("run.reproducible=true", 'output.particles=["velocity", "id", "tag"]', *words)
    for output, ranks in (("alone", 1), ("spread", 3)):
        problem = run(program, ROOT / "inputs" / f"{name}.toml", folder / output, ranks, 1, *words)
        if problem:
            return [f"{ranks} ranks: {problem}"]
    return list(filter(None, [first_difference(folder / "spread", folder / "alone")]))


def check(program, seed, folder):
    """What is wrong with a seed's case, as a list of texts."""
    case = folder / "case.toml"
    mixture = Mixture(seed)
    case.write_text(mixture.text())
    chosen = random.Random(-seed)
    ranks = chosen.choice(RANKS)
    before, after = chosen.sample((1, *RANKS), 2)
    problem = run(program, case, folder / "alone", 1, 1)
    if problem:
        return [f"1 rank: {problem}"]
    problems = []
    for name, *trials in ((f"{ranks} ranks", (ranks, 1)), ("2 threads", (1, 2)),
                          (f"restart of {before} ranks on {after}", (before, 1, f"run.max_steps={mixture.steps // 2}"),
                           (after, 1, "--restart", "auto"))):
        output = folder / name.replace(" ", "_")
        failed = next(filter(None, (run(program, case, output, *trial) for trial in trials)), "")
        problem = failed or first_difference(output, folder / "alone")
        if problem:
            problems.append(f"{name}: {problem}")
    return problems


def main():
    words = [word for word in sys.argv[1:] if word != "--show"]
    if not words:
        sys.exit(__doc__)
    program = find_program(words[0])
    chosen = words[1:]
    seeds = [int(word) for word in chosen] or random.SystemRandom().sample(range(1, 10**6), N_CASES)
    if "--show" in sys.argv:
        print("\n".join(Mixture(seed).text() for seed in seeds))
        return
    print("seeds", *seeds, flush=True)
    trials = [(f"seed {seed}", check, (seed,)) for seed in seeds]
    trials += [(name, check_shipped, (name, words)) for name, words in SHIPPED if not chosen]
    n_failed = 0
    for title, check_one, arguments in trials:
        with tempfile.TemporaryDirectory(prefix="freshet_mixture_") as folder:
            problems = check_one(program, *arguments, Path(folder))
        n_failed += 1 if problems else 0
        for problem in problems:
            print(f"{title}: {problem}", flush=True)
    print(f"{len(trials) - n_failed} of {len(trials)} cases have the same bits")
    sys.exit(1 if n_failed else 0)


if __name__ == "__main__":
    main()
