# SPDX-License-Identifier: Apache-2.0
"""A run at a glance: energy, volume, time step, pressure solve, divergence, cost, and its time by phase."""
import matplotlib.pyplot as plt
import numpy as np

from ..analysis.measures import energy

PHASES = plt.get_cmap("tab20").colors


def plot_energy(axes, columns):
    axes.plot(columns["t"], columns["kinetic"], label="kinetic")
    axes.plot(columns["t"], columns["potential"], label="potential, above its minimum")
    axes.plot(columns["t"], columns["total"], color="0.3", lw=1, ls="--", label="sum")
    axes.set(title="Energy", ylabel="[J]", ylim=(0, None))
    axes.legend(fontsize=8)


def plot_volume(axes, steps):
    """Plots the volume of the liquid relative to its first value, less what came and went."""
    axes.plot(steps["t"], 100 * steps["volume_drift"])
    axes.axhline(0, color="0.6", lw=0.8)
    axes.set(title=f"Volume of the liquid, {steps['volume'][0]:.4g} m$^3$ after the first step", ylabel="drift [%]")


def plot_pressure(axes, steps):
    axes.plot(steps["t"], steps["iterations"], color="C0", lw=1)
    axes.set(title="Pressure solve", ylim=(0, None))
    axes.set_ylabel("iterations", color="C0")
    other = axes.twinx()
    other.semilogy(steps["t"], positive(steps["residual"]), color="C1", ls="", marker=".", ms=1.5, alpha=0.5)
    other.set_ylabel("residual / right-hand side", color="C1")


def plot_divergence(axes, steps):
    axes.semilogy(steps["t"], positive(steps["max_div"]))
    axes.set(title="Largest divergence left in a cell", ylabel="[1/s]")


def plot_time_step(axes, steps):
    axes.semilogy(steps["t"], 1e3 * steps["dt"], color="C0", lw=1)
    axes.set(title="Time step")
    axes.set_ylabel("dt [ms]", color="C0")
    other = axes.twinx()
    other.plot(steps["t"], steps["cfl"], color="C1", lw=0.8)
    other.set_ylim(0, None)
    other.set_ylabel("CFL number [cells]", color="C1")


def plot_cost(axes, steps):
    axes.semilogy(steps["t"], positive(steps["seconds"]), color="C0", lw=1)
    axes.set(title="Cost")
    axes.set_ylabel("wall-clock time of a step [s]", color="C0")
    other = axes.twinx()
    other.plot(steps["t"], steps["imbalance"], color="C1", lw=1)
    other.set_ylim(1, max(1.05, 1.1 * steps["imbalance"].max()))
    other.set_ylabel("largest rank / mean", color="C1")


def plot_phases(axes, timers):
    """Plots a stacked bar of mean seconds over ranks by phase. The legend names phases with a slow rank."""
    if timers is None:
        axes.text(0.5, 0.5, "there is no timers.json yet", ha="center", transform=axes.transAxes)
        axes.set_axis_off()
        return
    left = 0.0
    total = sum(phase["avg"] for phase in timers["phases"]) or 1.0
    for i, phase in enumerate(sorted(timers["phases"], key=lambda phase: -phase["avg"])):
        label = f"{phase['name']} {100 * phase['avg'] / total:.0f} %"
        if phase["avg"] > 0.02 * total and phase["max"] > 1.1 * phase["avg"]:
            label += f" (max {phase['max'] / phase['avg']:.2f} of mean)"
        axes.barh(0, phase["avg"], left=left, color=PHASES[i % len(PHASES)], label=label)
        left += phase["avg"]
    rate = timers["particle_steps"] / max(timers["total_seconds"], 1e-9)
    axes.set(title=f"Time by phase: {counted(timers['ranks'], 'rank')} x {counted(timers['threads'], 'thread')}, "
                   f"{counted(timers['steps'], 'step')}, "
                   f"{timers['total_seconds']:.4g} s, {rate:.3g} particle-steps/s",
             xlabel="mean over ranks [s]", yticks=[], ylim=(-0.5, 0.5), xlim=(0, left or 1))
    axes.legend(fontsize=8, ncols=5, loc="upper center", bbox_to_anchor=(0.5, -0.28), frameon=False)


def counted(n, noun):
    return f"{n} {noun}" + ("" if n == 1 else "s")


def positive(values):
    """Values with nan in place of zeros, for logarithmic axes."""
    return np.where(values > 0, values, np.nan)


def overview(run):
    """The figure of a run, from its steps.csv and timers.json. Errors: ValueError before the first step"""
    steps = run.step_columns
    if not len(steps.get("t", ())):
        raise ValueError(f"{run.directory} has no steps yet")
    figure, axes = plt.subplot_mosaic([["energy", "volume", "time step"], ["pressure", "divergence", "cost"],
                                       ["phases"] * 3], figsize=(15, 10), height_ratios=[1, 1, 0.45],
                                      layout="constrained")
    plot_energy(axes["energy"], energy(run))
    plot_volume(axes["volume"], steps)
    plot_time_step(axes["time step"], steps)
    plot_pressure(axes["pressure"], steps)
    plot_divergence(axes["divergence"], steps)
    plot_cost(axes["cost"], steps)
    plot_phases(axes["phases"], run.timers)
    for name in ("energy", "volume", "time step", "pressure", "divergence", "cost"):
        axes[name].set_xlabel("t [s]")
        axes[name].grid(alpha=0.3)
    figure.suptitle(f"{run.title}: {int(steps['particles'][-1])} particles, cells of {run.cell_size:g} m")
    return figure
