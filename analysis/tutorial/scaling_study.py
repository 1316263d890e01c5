#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tutorial 5: run the same dam break on 1, 2, ... ranks, and draw speed-up and efficiency.

usage: scaling_study.py [FOLDER] [MOST_RANKS]     default: 2 ranks
For studies on a cluster there is jobs/scaling.sh, which submits the runs and records the machine.
"""
import subprocess
import sys
from pathlib import Path

import freshet
import freshet.analysis as fa
import matplotlib

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from launch import launch  # noqa: E402

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

WARM_UP = 2  # steps that build what later steps keep


def case(cells):
    """A dam break in a closed box: the liquid fills a quarter of it."""
    size = 1.0 / cells  # [m]
    made = freshet.Case(title=f"dam break on {cells}^3 cells")
    made.run = {"max_steps": 10, "end_time": 10.0}
    made.domain = {"cells": [cells, cells, cells], "cell_size": size}
    made.add("liquid", shape="box", lower=[0, 0, 0], upper=[0.5, 0.5, 1.0])
    return made


def seconds_a_step(folder):
    """Mean wall-clock time of a step, the first ones left out [s]."""
    return float(fa.open(folder).step_columns["seconds"][WARM_UP:].mean())


def main(folder, most):
    path = folder / "scaling.toml"
    path.write_text(case(24).text())
    ranks = [n for n in range(1, most + 1) if n & (n - 1) == 0]  # 1, 2, 4, ...
    seconds = []
    for n in ranks:
        output = folder / f"scaling_{n}"
        words = [sys.executable, "-m", "freshet", "run", path, "--output-dir", output, "--force"]
        launcher, environment = launch(n, 1)
        done = subprocess.run([*launcher, *map(str, words)], capture_output=True, text=True, env=environment)
        if done.returncode != 0:
            sys.exit(f"scaling_study: the run on {n} ranks ended with exit code {done.returncode}: {done.stderr.strip()}")
        seconds.append(seconds_a_step(output))
        print(f"{n} ranks: {1e3 * seconds[-1]:.1f} ms a step, speed-up {seconds[0] / seconds[-1]:.2f}, "
              f"efficiency {seconds[0] / seconds[-1] / n:.2f}")
    figure, axes = plt.subplots(figsize=(4, 3.2), layout="constrained")
    axes.plot(ranks, [seconds[0] / s for s in seconds], "o-", label="measured")
    axes.plot(ranks, ranks, "k--", lw=1, label="ideal")
    axes.set(xlabel="ranks", ylabel="speed-up", xticks=ranks)
    axes.legend()
    figure.savefig(folder / "scaling_study.pdf")


if __name__ == "__main__":
    where = Path(sys.argv[1] if len(sys.argv) > 1 else "output/tutorial")
    where.mkdir(parents=True, exist_ok=True)
    main(where, int(sys.argv[2]) if len(sys.argv) > 2 else 2)
