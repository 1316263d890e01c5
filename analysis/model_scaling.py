#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# This text is printed, and python3 -OO drops docstrings: so this one is assigned.
__doc__ = """Predicts strong and weak scaling to 10^5 ranks on named machines, and says how far the prediction may be trusted.

What is measured: the time of a step of one rank here, and how many iterations and solves its steps take (model_work.py). What is
computed: which rank gets which block (model_geometry.py), what they exchange (model_counts.py), how long that takes
(model_machines.py, which lists what it assumes). Checks (model_checks.py): counts against the counters of real runs on 2 to 16
ranks, and waits against runs whose MPI calls are delayed by a known latency (delay_mpi.c).

Two settings: "shipped", what a case has that sets nothing (level set, density correction, separating walls), and "voxels" (voxels, no
correction, sticky walls).
"""
import argparse
import csv
import json
import os
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import model_machines
from model_checks import ALL_LAYOUTS, NIGHT, ROOT, check_counts, check_times
from model_counts import SETTINGS, W_OF_LARGE
from model_machines import DESIGNS, MACHINES, PARTS, TODAY, dam, ghosts_of_small_ranks, most_iterations, predict
from model_work import from_json, measure_numbers, measure_seconds, to_json, work_of

GOALS = (("weak", 100000, 0.85), ("strong", 16384, 0.60))
RANKS = {"weak": (512, 1000, 4096, 10000, 32768, 100000), "strong": (512, 1000, 2048, 4096, 10000, 16384, 32768, 100000)}
QUICK_RANKS = {"weak": (512, 4096), "strong": (512, 4096)}
DESIGNS_OF = {"shipped": DESIGNS, "voxels": DESIGNS[:2]}


# ----------------------------------------------------------------------------------------------------------------- output
def plot_efficiencies(one, rows, kind, goal):
    """Efficiency over ranks, of each machine and of both settings."""
    styles = dict(zip(SETTINGS, ("-", "--")))
    chosen = [r for r in rows if (r["kind"], r["design"]) == (kind, TODAY.name)]
    for n, machine in enumerate(dict.fromkeys(r["machine"] for r in chosen)):
        for settings in dict.fromkeys(r["settings"] for r in chosen):
            line = [r for r in chosen if (r["machine"], r["settings"]) == (machine, settings)]
            one.plot([r["ranks"] for r in line], [r["efficiency"] for r in line], ls=styles[settings], marker="o", ms=3, color=f"C{n}",
                     label=f"{machine}, {settings}")
    one.plot(*goal, "k*", ms=12, ls="", label="goal")
    one.axhline(1.0, color="0.6", lw=1, ls="--")
    one.set(xscale="log", ylim=(0, 1.05), xlabel="ranks, one a core", ylabel="efficiency against one full node",
            title="Weak scaling: 64^3 cells a rank" if kind == "weak" else "Strong scaling: dam on 1024^3 cells")
    one.grid(alpha=0.3)
    one.legend(fontsize=8, loc="lower left")


def plot_parts(one, rows):
    """What a step of the shipped settings consists of, on the ranks of both goals."""
    bars = [r for r in rows if (r["settings"], r["design"]) == ("shipped", TODAY.name) and (r["kind"], r["ranks"]) in [goal[:2] for goal in GOALS]]
    bottom = np.zeros(len(bars))
    for n, part in enumerate(PARTS):
        values = np.array([100 * r["parts"][part] / r["seconds a step"] for r in bars])
        one.bar(range(len(bars)), values, bottom=bottom, color=plt.get_cmap("tab10")(n), label=part)
        bottom += values
    one.set_xticks(range(len(bars)), [f"{r['kind']}\n{r['machine']}" for r in bars], fontsize=8)
    one.set(title="Parts of a step, shipped settings, ranks of the goals", ylabel="[% of the step]", ylim=(0, 100))
    one.set_xlim(-0.6, 9.4)
    one.legend(fontsize=8, loc="center right")


def plot_designs(one, rows, kind, ranks, goal):
    """Efficiencies with one thing changed."""
    chosen = [r for r in rows if (r["settings"], r["kind"], r["ranks"]) == ("shipped", kind, ranks)]
    names = list(dict.fromkeys(r["design"] for r in chosen))
    machines = list(dict.fromkeys(r["machine"] for r in chosen))
    for n, machine in enumerate(machines):
        line = [r["efficiency"] for r in chosen if r["machine"] == machine]
        one.barh(np.arange(len(names)) + (n - 1) * 0.27, line, 0.25, color=f"C{n}", label=machine)
    one.axvline(goal, color="k", lw=1, ls="--", label="goal")
    one.set_yticks(range(len(names)), names, fontsize=8)
    one.invert_yaxis()
    one.set(title=f"One thing changed: {kind}, {ranks} ranks, shipped", xlabel="efficiency against one full node, as it is")
    one.grid(alpha=0.3, axis="x")
    one.set_xlim(0.0, 1.6)
    one.legend(fontsize=8, loc="upper right")


def plot_checks(one, checks):
    for n, what in enumerate(dict.fromkeys(check["what"] for check in checks)):
        for settings, marker in zip(SETTINGS, "ox"):
            points = [check for check in checks if (check["what"], check["settings"]) == (what, settings)]
            one.plot([c["counted"] for c in points], [c["predicted"] for c in points], marker, color=f"C{n}",
                     label=what if settings == "shipped" else None)
    both = [v for c in checks for v in (c["counted"], c["predicted"]) if v > 0]
    ends = np.array([min(both), max(both)])
    one.plot(ends, ends, color="0.4", lw=1)
    one.fill_between(ends, 0.9 * ends, 1.1 * ends, color="0.85", label="10 %")
    one.set(xscale="log", yscale="log", xlabel="counted in runs here, a step", ylabel="predicted",
            title="Check on 2 to 16 ranks (x: voxels)")
    one.grid(alpha=0.3)
    one.legend(fontsize=8)


def plot(rows, checks, picture):
    figure, axes = plt.subplots(2, 3, figsize=(21, 11), layout="constrained")
    for one, (kind, *goal) in zip(axes[0], GOALS):
        plot_efficiencies(one, rows, kind, goal)
    plot_parts(axes[0, 2], rows)
    for one, (kind, ranks, goal) in zip(axes[1], GOALS):
        plot_designs(one, rows, kind, ranks, goal)
    plot_checks(axes[1, 2], checks)
    figure.savefig(picture, dpi=90)
    plt.close(figure)


def table(head, rows):
    """Lines of a table of markdown."""
    return ["", "| " + " | ".join(head) + " |", "|" + "---|" * len(head), *("| " + " | ".join(map(str, row)) + " |" for row in rows)]


def number(of):
    return f"{of:.2f}".rstrip("0").rstrip(".")


def lines_of_work(works, seconds):
    lines = ["", "## What goes in"]
    lines += table(("settings", "ns a particle", "ns a liquid cell", "of it iterations", "bytes a particle", "bytes a cell", "commit", "measured", "load"),
                   [(name, f"{1e9 * work.particle:.1f}", f"{1e9 * work.cell:.0f}", f"{100 * work.share:.0f} %", *work.size, seconds[name]["commit"],
                     seconds[name]["at"], f"{seconds[name]['load']:.1f}") for name, work in works.items()])
    lines += table(("settings", "levels outside the W-cycle", "solves", "updates between them", "iterations", "density iterations", "after an update",
                    "width of the motion's ghosts"),
                   [(name, first, *map(number, (n.solves, n.updates, n.iterations, n.density_iterations, n.density_updates)),
                     ", ".join(f"{width}: {100 * share:.0f} %" for width, share in n.reaches))
                    for name, work in works.items() for first, n in enumerate(work.numbers)])
    lines += table(("machine", "cores a node", "memory, peak", "network", "latency", "source"),
                   [(m.name, m.cores, f"{1e-9 * m.memory:.0f} GB/s", f"{1e-9 * m.network:.1f} GB/s", f"{1e6 * m.latency:.1f} us", m.source) for m in MACHINES])
    return lines


def lines_of_rows(rows):
    lines = []
    for kind, head in (("weak", "64^3 cells a rank"), ("strong", "the dam on 1024^3 cells")):
        lines += ["", f"## {kind.capitalize()} scaling: {head}"]
        lines += table(("settings", "machine", "design", "ranks", "ms a step", "efficiency", "iterations", "exchanges of one", "exchanges a step",
                        "reductions a step", "kB a step", "first bottleneck", "second"),
                       [(r["settings"], r["machine"], r["design"], r["ranks"], f"{1e3 * r['seconds a step']:.2f}", f"{r['efficiency']:.3f}",
                         number(r["iterations"]), r["exchanges an iteration"], f"{r['exchanges a step']:.0f}", f"{r['reductions a step']:.0f}",
                         f"{1e-3 * r['bytes a step']:.0f}", *bottlenecks(r)) for r in rows if r["kind"] == kind])
    return lines


def bottlenecks(row):
    """The two largest parts of a step that one full node's work does not have."""
    others = sorted(((seconds, name) for name, seconds in row["parts"].items() if name not in ("work", "new blocks")), reverse=True)
    return [f"{name}, {1e3 * seconds:.2f} ms" for seconds, name in others[:2]]


def markdown(rows, checks, works, seconds, most):
    lines = ["# Predicted scaling", "", __doc__.strip(), "", model_machines.__doc__.split("\n\n", 1)[1].strip()]
    lines += lines_of_work(works, seconds)
    lines += ["", "## Check"]
    lines += table(("settings", "ranks", "cells", "above the W-cycle", "what", "counted", "predicted", "off"),
                   [(c["settings"], c["ranks"], c["cells"], c["first"], c["what"], f"{c['counted']:.5g}", f"{c['predicted']:.5g}", f"{100 * c['off']:+.1f} %")
                    for c in checks])
    lines += lines_of_rows(rows)
    lines += ["", "## How many more iterations a design may take before it gains nothing (shipped settings, ranks of the goals)"]
    lines += table(("kind", "machine", "design", "times"), [(*row[:3], f"{row[3]:.2f}") for row in most])
    lines += ["", "## Ghost cells for each owned one"]
    small = [(ranks, *ghosts_of_small_ranks(ranks)) for ranks in (8, 64)]
    lines += table(("what", "blocks a rank", "whole ghost blocks", "rims 4 cells wide", "3", "2", "1"),
                   [(f"first case of README.md, {ranks} ranks", f"{n / ranks:.1f}", f"{whole:.2f}", *(f"{rims[w]:.2f}" for w in (4, 3, 2, 1)))
                    for ranks, n, whole, rims in small] + [of_large_ranks(rows)])
    return "\n".join(lines) + "\n"


def of_large_ranks(rows):
    """The row of the largest weak study."""
    ranks = max(r["ranks"] for r in rows if r["kind"] == "weak")
    finest = dam(model_machines.cells_of("weak", ranks), ranks, SETTINGS["shipped"]).levels[0]
    owned = finest.blocks / ranks * 512
    return (f"weak study, {ranks} ranks", f"{finest.blocks / ranks:.0f}", f"{finest.ghosts.mean() * 512 / owned:.2f}",
            *(f"{finest.rims[w].mean() / owned:.2f}" for w in (4, 3, 2, 1)))


def write(rows, checks, works, seconds, most, folder):
    folder.mkdir(parents=True, exist_ok=True)
    text = markdown(rows, checks, works, seconds, most)
    (folder / "model.md").write_text(text)
    with open(folder / "model.csv", "w", newline="") as file:
        writer = csv.writer(file)
        names = [name for name in rows[0] if name != "parts"]
        writer.writerow(names + [f"{part} [s]" for part in PARTS])
        for row in rows:
            writer.writerow([row[name] for name in names] + [row["parts"][part] for part in PARTS])
    (folder / "check.json").write_text(json.dumps(checks, indent=1))
    plot(rows, checks, folder / "model.png")
    return text


# ------------------------------------------------------------------------------------------------------------------- main
def measure(arguments, program):
    """What runs here tell: {"counts", "problems", "times", "numbers", "seconds"}; what the file of --measured holds is not run again."""
    file = arguments.measured
    found = json.loads(file.read_text()) if file and file.exists() else {}
    if arguments.times_again:
        found.pop("seconds", None)
    quick = arguments.quick
    large = arguments.iterations_on or (64 if quick else 128)

    def once(name, make):
        if name not in found:
            found[name] = make()
            if file:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(json.dumps(found, indent=1))
        return found[name]

    once("counts", lambda: check_counts(program, NIGHT if quick else ALL_LAYOUTS, (3, 6) if quick else (6, 14)))
    once("times", lambda: check_times(program, quick))
    once("numbers", lambda: {s.name: to_json(measure_numbers(program, s, large, 8 if quick else 20)) for s in SETTINGS.values()})
    once("seconds", lambda: {s.name: measure_seconds(program, s, quick) for s in SETTINGS.values()})
    return found


def predict_all(works, quick):
    """(rows of the prediction, rows of most_iterations())."""
    machines = MACHINES[:1] if quick else MACHINES
    rows, most = [], []
    for kind, ranks, _ in GOALS:
        counts = (QUICK_RANKS if quick else RANKS)[kind]
        for name, work in works.items():
            rows += predict(machines, work, SETTINGS[name], kind, counts, (TODAY,))
            rows += [row for row in predict(machines, work, SETTINGS[name], kind, (max(counts) if quick else ranks,), DESIGNS_OF[name])
                     if row["design"] != TODAY.name and row["ranks"] in counts]
        if not quick:
            of_dam = dam(model_machines.cells_of(kind, ranks), ranks, SETTINGS["shipped"])
            most += [(kind, machine.name, design.name, most_iterations(machine, works["shipped"], SETTINGS["shipped"], of_dam, design))
                     for machine in machines for design in DESIGNS if design.levels_a_step > 1 or 0 < design.w_levels < W_OF_LARGE]
    return rows, most


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "build/release/src/freshet"), help="the freshet binary")
    parser.add_argument("--quick", action="store_true", help="few and small runs, few rank counts, one machine")
    parser.add_argument("--output", type=Path, default=ROOT / "output/model", help="folder for model.csv, .md and .png")
    parser.add_argument("--measured", type=Path, metavar="FILE", help="keeps what was measured; what it holds is not run again")
    parser.add_argument("--times-again", action="store_true",
                        help="measures the times of a rank's work again, on a machine that does nothing else, and keeps the rest of FILE")
    parser.add_argument("--iterations-on", type=int, metavar="N",
                        help="iterations of a solve are those of the dam on N^3 cells (default: 128, with --quick 64)")
    arguments = parser.parse_args()
    found = measure(arguments, os.path.abspath(arguments.program))
    counts, problems = found["counts"]
    checks = counts + found["times"]
    works = {name: work_of(SETTINGS[name], found["seconds"][name], from_json(numbers)) for name, numbers in found["numbers"].items()}
    rows, most = predict_all(works, arguments.quick)
    print(write(rows, checks, works, found["seconds"], most, arguments.output))
    # the few steps of --quick are no measure of time
    off = [c for c in found["times"] if abs(c["off"]) > 0.1 and not arguments.quick]
    print("\n".join(problems + [f"{c['settings']}, {c['ranks']} ranks: {c['counted']:.1f} {c['what']}, {c['predicted']:.1f} predicted" for c in off]))
    print(f"{len(checks)} checks; off: {len(problems) + len(off)}. The tables are in {arguments.output}")
    sys.exit(1 if problems or off else 0)


if __name__ == "__main__":
    main()
