# SPDX-License-Identifier: Apache-2.0
"""Lists the runs that the tables of the wall scenes need."""
from dataclasses import dataclass

from walls_scenes import COLUMNS, METHODS, ROWS, STEPS, SWEPT, THRESHOLDS, paper_sweep

PARTS = ("arrivals", "scenes", "thresholds", "identical", "grids", "classification", "strip")
SCENE_METHODS = ("OrigPS", "OrigPSSep", "ADMMVelSep", "ADMMDivSep", "IOPDivSep", "IOPDivSepBC", "sticky",
                 "complementarity")
CLASSIFIED = ("OrigPSSep", "ADMMVelSep", "IOPDivSep", "IOPDivSepBC")  # Fig. 4.15
GRID_METHODS = ("OrigPS", "OrigPSSep", "ADMMVelSep", "IOPDivSep", "IOPDivSepBC", "complementarity")  # Fig. 4.9
GRIDS = (32, 48, 64, 96, 128, 192)
STRIP_STEPS = (66, 100, 120, 160)
ARRIVAL_STEPS = {"dam": 140, "stair": 90, "sphere": 60}
CLASSIFICATION_STEPS = 85
RESIDUAL_STEP = 150  # Figs. 4.3 to 4.5
FIELD_STEPS = (70, 125, 195)  # Fig. 4.11
EVERY = 5  # steps between two states on which the methods are compared


@dataclass(frozen=True)
class Case:
    """One run. Thresholds are in cells, as in the paper; times are in s."""
    part: str
    scene: str
    dimension: int
    grid: int
    steps: int
    method: str
    classification: str = "velocity"
    epsilon_cg: float = THRESHOLDS["cg"]
    epsilon_outer: float = 0.0  # 0: the method has no outer loop
    interval: float = 0.0
    keep: tuple = ()
    particles: tuple = ()

    def name(self, preconditioner):
        words = [self.part, self.scene, f"{self.dimension}d", self.grid, self.steps, self.method,
                 self.classification, f"{self.epsilon_cg:g}", f"{self.epsilon_outer:g}", preconditioner]
        return "_".join(str(word) for word in words)


def practical_outer(method):
    stopping = METHODS[method][2]
    return THRESHOLDS[stopping] if stopping else 0.0


class Plan:
    """Collects the cases that the user asks for."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.grid = arguments.grid or (48 if arguments.quick else 96)
        self.dimensions = arguments.dimensions or ((2,) if arguments.quick else (2, 3))
        self.cases = []

    def wants(self, part, scene, dimension, method=None):
        a = self.arguments
        return (part in a.parts and scene in (a.scenes or STEPS) and dimension in self.dimensions
                and (method is None or method in (a.methods or METHODS)))

    def limited(self, steps):
        return min(steps, self.arguments.steps or steps)

    def add(self, part, scene, dimension, steps, method, **more):
        if self.wants(part, scene, dimension, method):
            more = {"grid": self.grid, "epsilon_outer": practical_outer(method)} | more
            self.cases.append(Case(part=part, scene=scene, dimension=dimension, steps=self.limited(steps),
                                   method=method, **more))

    def add_scenes(self):
        for dimension in (2, 3):
            for scene, steps in ARRIVAL_STEPS.items():
                self.add("arrivals", scene, dimension, steps, "OrigPS", interval=0.5)
            for scene, steps in STEPS.items():
                for method in SCENE_METHODS:
                    self.add("scenes", scene, dimension, steps, method)

    def add_sweeps(self):
        quick = self.arguments.quick
        for row in ROWS:
            for column in COLUMNS:
                for method in SWEPT:
                    if paper_sweep(method, row, column) and not (quick and column not in (1e-4, 1e-3, 1e-2)):
                        self.add("thresholds", "dam", 2, 60 if quick else 250, method, epsilon_cg=row,
                                 epsilon_outer=column)
        for grid in GRIDS[:4] if quick else GRIDS:
            for method in GRID_METHODS:
                self.add("grids", "dam", 2, 100 if quick else 250, method, grid=grid)

    def add_pictures(self):
        self.add("classification", "dam", 2, CLASSIFICATION_STEPS, "complementarity", particles=("velocity",))
        for method in CLASSIFIED:
            for classification in ("velocity", "pressure"):
                self.add("classification", "dam", 2, CLASSIFICATION_STEPS, method, classification=classification,
                         particles=("velocity",))
        for method in ("OrigPS", "complementarity"):
            self.add("strip", "dam", 3, STRIP_STEPS[-1], method, interval=1.0,
                     keep=tuple(0.5 * step for step in STRIP_STEPS), particles=("velocity",))


def plan(arguments):
    """The cases, and (grid, steps, every, steps at which rounds and fields are kept) for the program that compares methods, or
    None."""
    made = Plan(arguments)
    made.add_scenes()
    made.add_sweeps()
    made.add_pictures()
    agreement = None
    if made.wants("identical", "dam", 2):
        steps, every = made.limited(100 if arguments.quick else 250), 10 if arguments.quick else EVERY
        at = [step for step in (RESIDUAL_STEP, *FIELD_STEPS) if step < steps] or [(steps - 1) // every * every]
        agreement = (made.grid, steps, every, at)
    return made.cases, agreement
