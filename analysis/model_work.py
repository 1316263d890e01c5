# SPDX-License-Identifier: Apache-2.0
"""What the arithmetic of one rank takes here, and what a step's solves need, for model_machines.py.

Times are those of the dam of inputs/benchmark_dam.toml on 64^3 cells and one rank, and want a quiet machine. Numbers of iterations
and solves are counted, on any machine, on a larger grid and with as many levels outside the W-cycle as large grids have.
"""
import os
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import model_geometry as geometry
from freshet.analysis import Run
from model_checks import ROOT, run
from model_counts import Numbers, levels_of_multigrid, numbers_of, rims_of_visit, visits_of_level

BYTES = {  # settings: through memory in a step, of a particle and of a liquid cell with its solves, counted by memory_traffic.py
    "voxels": (320, 846),
    # 522 bytes a particle in all, counted in dam_break.toml (figures/limits_of_a_step.md); a cell's share by its iterations
    "shipped": (384, 1100),
}
REPEATS = 7  # of the runs that time a rank's work: others may have slowed some of them down


@dataclass(frozen=True)
class Work:
    """Times of a step here, and the Numbers of a step."""
    particle: float  # [s] for a particle and step: all but solves
    cell: float      # [s] for a liquid cell and the solves of a step that takes iterations[0]
    share: float     # of that, which all iterations together take
    numbers: tuple   # Numbers of a step with none, one, two, ... levels outside the W-cycle
    size: tuple      # [B] that a particle, a liquid cell moves through memory

    def numbers_with(self, first):
        return self.numbers[min(first, len(self.numbers) - 1)]

    def iterations(self):
        return self.numbers[0].all_iterations()

    def sweep(self):
        """Of a block, each way [s]: an iteration of a W-cycle has two on the finest level, and one in each visit of a coarser one."""
        sweeps = 2 + sum(visits_of_level(level) / 8 ** level for level in range(1, 8))
        return geometry.WIDTH ** 3 * self.cell * self.share / self.iterations() / sweeps

    def on(self, bandwidth, numbers):
        """(seconds of a particle, of a cell) on a core with this bandwidth of memory [B/s]."""
        cell = max(self.cell, self.size[1] / bandwidth)
        more = numbers.all_iterations() / self.iterations() - 1.0
        return max(self.particle, self.size[0] / bandwidth), cell * (1.0 + self.share * more)


def run_dam(program, settings, n, steps, folder, *words):
    """(phases by name, columns of steps.csv) of the dam on n^3 cells."""
    case = Path(folder) / "dam.toml"
    text = (ROOT / "inputs/benchmark_dam.toml").read_text()
    text = text.replace("cells = [64, 64, 64]", f"cells = [{n}, {n}, {n}]").replace("0.015625", repr(1.0 / n))
    case.write_text(text + "interval = 0\n")
    return run(program, case, 1, steps, folder, [*settings.words(), *words])


def measure_numbers(program, settings, n, steps):
    """Numbers of a step of the dam on n^3 cells, with none, one, two, ... levels outside the W-cycle."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for w_levels in range(levels_of_multigrid(n ** 3 / 4), 1, -1):
            _, columns = run_dam(program, settings, n, steps, folder, f"pressure.w_cycle_levels={w_levels}")
            found.append(numbers_of(columns, settings))
    return found


def fastest(runs, choose):
    """The least seconds of the chosen phases of several runs."""
    return min(sum(phase["max"] for name, phase in phases.items() if choose(name)) for phases, _ in runs)


def measure_seconds(program, settings, quick):
    """Times of the dam on 64^3 cells, with quick on 32^3, in the fastest of several runs; and when and of what they are."""
    n, steps, repeats = (32, 8, 1) if quick else (64, 20, REPEATS)
    phase, key = ("density", "density.tolerance") if settings.density else ("pressure", "pressure.tolerance")
    with tempfile.TemporaryDirectory() as folder:
        usual, tight = [], []
        for _ in range(repeats):  # in turn, as the machine changes its speed
            usual.append(run_dam(program, settings, n, steps, folder))
            tight.append(run_dam(program, settings, n, steps, folder, f"{key}=1e-8"))
        commit = Run(Path(folder) / "out").info.get("commit", "unknown")
    _, columns = usual[0]
    few, many = (of[0][1]["density_iterations" if settings.density else "iterations"].sum() for of in (usual, tight))
    of_phase, of_tight = (fastest(of, lambda name: name == phase) for of in (usual, tight))
    iteration = max(of_tight - of_phase, 0.0) / (many - few)
    of_density = iteration * columns["density_iterations"].sum()  # 0 without the correction
    rest = fastest(usual, lambda name: name not in ("pressure", "start", "output", "checkpoint"))
    solves = fastest(usual, lambda name: name == "pressure") + of_density
    iterations = columns["iterations"].sum() + columns["density_iterations"].sum()
    return {"particle": float((rest - of_density) / columns["particles"].sum()), "cell": float(solves / columns["liquid_cells"].sum()),
            "share": float(min(iteration * iterations / solves, 1.0)), "iterations": float(iterations / len(columns["t"])),
            "commit": commit, "at": time.strftime("%d %B %Y, %H:%M"), "load": os.getloadavg()[0]}


def work_of(settings, seconds, numbers):
    """Work with the Numbers of a large grid, from the times of a small one."""
    numbers = tuple(numbers)
    more = numbers[0].all_iterations() / seconds["iterations"] - 1.0
    scale = 1.0 + seconds["share"] * more
    return Work(seconds["particle"], seconds["cell"] * scale, seconds["share"] * (1.0 + more) / scale, numbers, BYTES[settings.name])


def to_json(numbers):
    return [asdict(of_first) for of_first in numbers]


def from_json(numbers):
    return tuple(Numbers(**{**of_first, "reaches": tuple(map(tuple, of_first["reaches"]))}) for of_first in numbers)


def sweeps_of_blocks(n_levels, first, blocks):
    """Sweeps over a block, each way, on the levels between the finest and the last one, where blocks(level) are worked on."""
    return sum(visits_of_level(level, first) * rims_of_visit(level, first) / 4 * blocks(level) for level in range(1, n_levels - 1))
