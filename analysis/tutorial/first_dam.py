#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tutorial 1: run a dam break from Python and draw its energies.  usage: first_dam.py [FOLDER]"""
import sys
from pathlib import Path

import freshet
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

CASE = """
title = "first dam"
run.end_time = 0.6       # [s]
domain.dimension = 2
domain.cells = [64, 32]
domain.cell_size = 0.02  # [m]
liquid = [{ shape = "box", lower = [0, 0], upper = [0.4, 0.5] }]
"""


def main(folder):
    times, kinetic, potential = [], [], []
    with freshet.Simulation(CASE, output_dir=folder / "first_dam", force=True) as sim:
        while not sim.is_over:
            report = sim.step()  # the numbers of steps.csv
            times.append(report.t)
            kinetic.append(report.kinetic_energy)
            potential.append(report.potential_energy)
        x = sim.particles.position  # of this rank, (n, 3) [m]
        if sim.rank == 0:
            print(f"{sim.steps} steps; {report.particles} particles; the highest of this rank is at {x[:, 1].max():.3f} m")
    if sim.rank > 0:
        return
    figure, axes = plt.subplots(figsize=(5, 3.2), layout="constrained")
    axes.plot(times, kinetic, label="kinetic")
    axes.plot(times, potential, label="potential")
    axes.plot(times, [a + b for a, b in zip(kinetic, potential)], "k--", label="sum")
    axes.set(xlabel="t [s]", ylabel="energy [J]")
    axes.legend()
    figure.savefig(folder / "first_dam.pdf")


if __name__ == "__main__":
    where = Path(sys.argv[1] if len(sys.argv) > 1 else "output/tutorial")
    where.mkdir(parents=True, exist_ok=True)
    main(where)
