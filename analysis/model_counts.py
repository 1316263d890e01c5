# SPDX-License-Identifier: Apache-2.0
"""What a step exchanges between ranks: every exchange of ghosts and every reduction, with its bytes, on any number of ranks.

It is a table of the program's calls, not a fit: each row stands for calls that the source makes, and says which ranks they reach.
The blocks of model_geometry.py give the ranks and the ghost cells of a row; a run, or a model of one, gives the numbers of
iterations and solves (Numbers). model_checks.py holds the table against the counters of real runs.
"""
import math
from dataclasses import dataclass

import numpy as np

import model_geometry as geometry

W_LEVELS = 6            # of multigrid's coarsest levels form a W-cycle on grids of up to MOST_USUAL levels, W_OF_LARGE on others
W_OF_LARGE = 4
MOST_USUAL = 7
DIRECT = 128            # unknowns at most of the level that is solved directly: CoarseSolve::most_unknowns
LARGEST_CORRECTION = 0.25  # [cells] density.max_displacement
LABEL = CHOICE = 1      # [B] a cell
FLOAT, DOUBLE = 4, 8    # [B] of a number
FACES = 3 * DOUBLE      # [B] of a face field in a cell
ROW = 16 * FLOAT        # [B] of a row of the deposit: momenta and weights of eight faces
MOMENTS = 4 * FLOAT     # [B] of a node: the particles' weight, and their mean offset times it
WEIGHTS = 9 * 2         # [B] of an aggregate's equation on its way to the coarser level
ALL, BESIDE, PARENTS, CHILDREN = "all", "beside", "parents", "children"  # ranks with blocks around ours; beyond faces; of other levels
SEARCH = "search for sealed bodies"
WORKS = ("exchanges", "reductions", "messages", "bytes")


@dataclass(frozen=True)
class Settings:
    """What a case chooses of the methods that communicate."""
    name: str
    level_set: bool      # labels.surface = "level_set"
    density: bool        # density.correction = "implicit"
    separating: bool     # pressure.walls.condition = "separating"

    def words(self):
        """Overrides on the command line."""
        return [f"labels.surface={'level_set' if self.level_set else 'voxels'}",
                f"density.correction={'implicit' if self.density else 'off'}",
                f"pressure.walls.condition={'separating' if self.separating else 'sticky'}"]

    def lattice(self, cells):
        """Blocks along each axis: walls on high sides that liquid may leave store the cells behind them, as Domain says."""
        return [-(-(n + (1 if self.separating else 0)) // geometry.WIDTH) for n in cells]

    def correction(self):
        return LARGEST_CORRECTION if self.density else 0.0

    def layers(self):
        """Layers of air that get a velocity, where dt was chosen for a CFL number of 1."""
        return math.ceil((1.0 if self.level_set else 0.0) + 1.0 + self.correction() + 0.5)

    def reach(self, cfl):
        """Width of the ghosts that a particle's motion reads [cells]."""
        return math.ceil(cfl + self.correction()) + 1


SHIPPED = Settings("shipped", level_set=True, density=True, separating=True)
VOXELS = Settings("voxels", level_set=False, density=False, separating=False)
SETTINGS = {settings.name: settings for settings in (SHIPPED, VOXELS)}


@dataclass(frozen=True)
class Numbers:
    """What steps.csv tells of a step, as means."""
    iterations: float              # of all solves for the pressure
    solves: float = 1.0            # for the pressure: with separating walls at least two
    updates: float = 0.0           # of the multigrid, where faces of walls opened or closed between two solves
    density_iterations: float = 0.0
    density_updates: float = 0.0
    reaches: tuple = ((2, 1.0),)   # (width of the ghosts that the motion reads, share of the steps)

    def all_iterations(self):
        return self.iterations + self.density_iterations


def numbers_of(columns, settings, first=0):
    """The Numbers of the steps of columns of steps.csv, from row `first` on."""
    def mean(values):
        return float(np.mean(values[first:]))

    reaches = [settings.reach(cfl) for cfl in columns["cfl"][first:]]
    reaches = tuple((width, reaches.count(width) / len(reaches)) for width in sorted(set(reaches)))
    if not settings.separating:
        return Numbers(mean(columns["iterations"]), reaches=reaches)
    # the sets of faces change after each solve but the last one; after the first, loose one perhaps not
    between = np.minimum(columns["outer_iterations"] - 1, columns["set_changes"])
    return Numbers(mean(columns["iterations"]), mean(columns["outer_iterations"]), mean(between), mean(columns["density_iterations"]),
                   mean(columns["separated_faces"] > 0), reaches)


# ---------------------------------------------------------------------------------------------------------- the multigrid
def levels_of_multigrid(unknowns):
    """Number of levels for so many unknowns in all."""
    levels = 1
    while unknowns > DIRECT:
        unknowns /= 8
        levels += 1
    return levels


def levels_of_w_cycle(n_levels, w_levels=0):
    """CycleShape::levels_of_w_cycle() in src/pressure/multigrid/multigrid.hpp; w_levels is pressure.w_cycle_levels."""
    return w_levels or (W_OF_LARGE if n_levels > MOST_USUAL else W_LEVELS)


def first_of_w_cycle(unknowns, w_levels=0):
    """Number of levels above the W-cycle, for so many unknowns in all."""
    n_levels = levels_of_multigrid(unknowns)
    return max(n_levels - levels_of_w_cycle(n_levels, w_levels), 0)


def visits_of_level(level, first=0):
    """In an iteration: CycleShape::visits_of_level() in src/pressure/multigrid/multigrid.hpp."""
    return 2 ** max(level - first, 0)


def rims_of_visit(level, first=0):
    """One rim for each half-sweep: two sweeps each way on the finest level and above the W-cycle, else one."""
    return 8 if level == 0 or level < first else 4


def exchanges_of_iteration(n_shared, first=0):
    """Exchanges of an iteration when the n_shared finest levels are on several ranks."""
    return 1 + sum(visits_of_level(level, first) * (rims_of_visit(level, first) + 2) for level in range(n_shared))


# ---------------------------------------------------------------------------------------------------------------- the table
@dataclass(frozen=True)
class Event:
    """An exchange between the ranks of a level, or a reduction."""
    phase: str          # of the step, as timers.json names it
    what: str
    n: float            # in a step
    to: str = ""        # ranks that get messages: ALL, BESIDE, PARENTS, CHILDREN; "": a reduction
    level: int = 0      # of the multigrid, 0: the finest
    size: float = 0.0   # bytes that a rank of the level sends each time, mean
    waits: bool = True  # False: it is under way together with the exchange before
    solves: bool = False  # part of a solve

    def neighbours(self, levels):
        """Ranks that a rank of the level sends to: one value for each rank that was looked at."""
        level = levels[self.level]
        return {ALL: level.neighbours, BESIDE: level.face_neighbours, PARENTS: level.up, CHILDREN: level.down}[self.to]


class Table:
    """Collects the events of a step on blocks shared as `levels` say."""

    def __init__(self, settings, numbers, levels, first=0, hops=0):
        """first: levels above the W-cycle; hops: hops_to_air(), 0 where every rank's liquid touches air"""
        self.settings, self.numbers, self.levels, self.first, self.hops = settings, numbers, levels, first, hops
        self.events = []
        self.outside()
        self.pressure()
        if settings.density:
            self.density()

    def gather(self, phase, what, size_of_cell, width=1, n=1.0, waits=True, solves=False):
        """Ghosts of the finest level, up to `width` cells away."""
        self.events.append(Event(phase, what, n, ALL, 0, size_of_cell * self.levels[0].rims[width].mean(), waits, solves))

    def reduce(self, phase, what, n=1.0, solves=False):
        if n > 0:
            self.events.append(Event(phase, what, n, solves=solves))

    def outside(self):
        """What no solve needs."""
        finest, layers = self.levels[0], self.settings.layers()
        cells = LABEL * finest.rims[3 if self.settings.level_set else 1].mean()
        self.events.append(Event("deposit", "rows of momenta and weights, cells with particles", 1, ALL, 0,
                                 ROW * finest.rows.mean() + cells))
        if self.settings.level_set:
            self.events.append(Event("labels", "moments of particles", 1, ALL, 0, MOMENTS * finest.nodes.mean()))
            self.gather("labels", "distance", FLOAT)
            self.gather("labels", "distance without holes", FLOAT)
            self.gather("labels", "weights and velocities of faces", 2 * FACES)
            self.gather("labels", "velocities for one-sided faces", FACES, 2)
            layers += 1  # of ghosts beside the surface, where the velocity is corrected afterwards
        size = LABEL * finest.rims[layers + 1].mean() + FACES * finest.rims[layers].mean()
        self.events.append(Event("extrapolate", "labels and velocity", 1, ALL, 0, size))
        self.reduce("extrapolate", "largest displacement")
        for width, share in self.numbers.reaches:
            self.gather("blend", "velocities before and after", 2 * FACES, width, share)
        self.reduce("migrate", "who sends particles to whom")
        self.reduce("migrate", "missing blocks")
        self.reduce("statistics", "sums for the next dt")

    def pressure(self):
        """The solves for the pressure, and what walls ask before and after them."""
        solves, iterations = self.numbers.solves, self.numbers.iterations
        self.gather("pressure", "unknowns and velocity", CHOICE + FACES, solves=True)
        self.make_levels("pressure")
        self.gather("pressure", "product with the start", DOUBLE, n=solves, solves=True)
        self.gather("pressure", "solution", DOUBLE, n=solves, solves=True)
        self.reduce("pressure", "unknowns, |b|, |r| of the start", 3 * solves, solves=True)
        self.search("pressure", solves)
        self.iterate("pressure", iterations)
        measured = solves
        if self.settings.separating:
            measured = solves - 1  # the first solve is a loose one
            self.gather("pressure", "pressure beside walls", DOUBLE, solves=True)
            self.reduce("pressure", "faces of walls before and after", 2, solves=True)
            self.reduce("pressure", "violation at walls", measured, solves=True)
            self.update_levels("pressure", self.numbers.updates)
        self.reduce("pressure", "residual", measured, solves=True)

    def density(self):
        """The density correction: sums over particles, and its solve on the levels of the last one for the pressure."""
        self.gather("density", "inner cells", CHOICE)
        self.events.append(Event("density", "counts of particles", 1, ALL, 0, DOUBLE * self.levels[0].nodes.mean()))
        if self.settings.separating:  # the diagonal may differ from the last solve's
            self.reduce("density", "unknowns", solves=True)
            self.search("density", 1)
            self.update_levels("density", self.numbers.density_updates)
        self.reduce("density", "|b|, |r| of the start, largest |r| of a cell", 3, solves=True)
        self.iterate("density", self.numbers.density_iterations)
        self.gather("density", "solution", DOUBLE, solves=True)
        self.gather("density", "displacement", FACES)

    def search(self, phase, n):
        """Ranks show that their liquid hangs together with the air, as in the step before."""
        if self.hops > 0:
            self.gather(phase, SEARCH, DOUBLE, n=n, solves=True)
            self.reduce(phase, SEARCH, n, solves=True)

    def link(self, phase, what, n, number, to, size_of_cell):
        """Cells of the blocks whose parent another rank has, from level `number` to the coarser one or back."""
        size = size_of_cell * (geometry.WIDTH // 2) ** 3 * self.levels[number].children_elsewhere.mean()
        self.events.append(Event(phase, what, n, to, number, size, solves=True))

    def make_levels(self, phase):
        """Set the multigrid up: equations go to the coarser levels, whose cells need those beside them."""
        for number, level in enumerate(self.levels):
            if number > 0:
                size = 3 * FLOAT * level.face_rim.mean() / 2
                for waits in (True, False):  # cells of each colour
                    self.events.append(Event(phase, "equations beside", 1, BESIDE, number, size, waits, True))
            self.link(phase, "diagonals", 1, number, PARENTS, FLOAT)
            self.link(phase, "equations", 1, number, PARENTS, WEIGHTS)
        self.agree_on_levels(phase, 1)

    def update_levels(self, phase, n):
        """Diagonals have changed in some blocks."""
        if n > 0:
            for number in range(len(self.levels)):
                self.link(phase, "diagonals", n, number, PARENTS, FLOAT)
            self.agree_on_levels(phase, n)

    def agree_on_levels(self, phase, n):
        """Each shared coarse level is small enough to be solved directly or not; and how many levels there are."""
        self.reduce(phase, "unknowns of levels", n * (len(self.levels) - 1), solves=True)
        self.reduce(phase, "number of levels", n * (1 if self.first > 0 else 0), solves=True)

    def iterate(self, phase, n):
        """n iterations of the conjugate gradients."""
        self.gather(phase, "product", DOUBLE, n=n, solves=True)
        for number, level in enumerate(self.levels):
            visits = n * visits_of_level(number, self.first)
            rims = visits * rims_of_visit(number, self.first)
            self.events.append(Event(phase, "half-sweeps", rims, BESIDE, number, FLOAT * level.face_rim.mean() / 2, solves=True))
            self.link(phase, "residual", visits, number, PARENTS, FLOAT)
            self.link(phase, "correction", visits, number, CHILDREN, FLOAT)
        self.reduce(phase, "p.Ap, r.z", 2 * n, solves=True)

    def count(self, of=lambda event: True):
        """{work: number in a step} of some events: exchanges and reductions of a rank that has all shared levels, messages and bytes as
        the mean over all ranks."""
        found = dict.fromkeys(WORKS, 0.0)
        ranks = self.levels[0].ranks
        for event in filter(of, self.events):
            if not event.to:
                found["reductions"] += event.n
                continue
            share = event.n * self.levels[event.level].ranks / ranks
            found["exchanges"] += event.n
            found["messages"] += self.messages(event) * event.n
            found["bytes"] += event.size * share
        return found

    def messages(self, event):
        """Messages of an exchange, mean over all ranks."""
        level, ranks = self.levels[event.level], self.levels[0].ranks
        if event.to == CHILDREN:  # a value for each rank of the coarser level
            return event.neighbours(self.levels).sum() / ranks
        return event.neighbours(self.levels).mean() * level.ranks / ranks

    def count_by_phase(self):
        return {phase: self.count(lambda event, phase=phase: event.phase == phase)
                for phase in dict.fromkeys(event.phase for event in self.events)}

    def waits(self):
        """Latencies that a step waits for, of exchanges and of reductions, whose doublings of the ranks count each."""
        doublings = math.ceil(math.log2(self.levels[0].ranks))
        return sum(event.n * (doublings if not event.to else 1) for event in self.events if event.waits)
