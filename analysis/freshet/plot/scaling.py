# SPDX-License-Identifier: Apache-2.0
"""A scaling study: speed-up and efficiency beside the ideal line, shares of the phases, imbalance, messages and bytes a
step, memory a rank. The studies are those that jobs/scaling.sh leaves as .json."""
import matplotlib.pyplot as plt

PHASES = plt.get_cmap("tab20").colors


def lines_of(studies):
    """(label, records of one number of threads in the order of cores) of every line to draw."""
    for study in studies:
        for threads in sorted({r["threads"] for r in study["records"]}):
            records = [r for r in study["records"] if r["threads"] == threads]
            plural = "" if threads == 1 else "s"
            yield f"{study['kind']}, {threads} thread{plural} a rank", sorted(records, key=lambda r: r["cores"])


def curve(axes, lines, key, title, label, scale=1.0, **style):
    for n, (name, records) in enumerate(lines):
        axes.plot([r["cores"] for r in records], [scale * r[key] for r in records], "o-", ms=4, color=f"C{n}",
                  label=name, **style)
    axes.set(title=title, ylabel=label)


def cores_axis(axes, cores):
    axes.set_xscale("log", base=2)
    axes.set_xticks(cores, [str(c) for c in cores])
    axes.minorticks_off()
    axes.set_xlabel("cores (ranks x threads)")
    axes.grid(alpha=0.3)


def plot_speed_up(axes, lines, cores):
    curve(axes, lines, "speed_up", "Speed-up", "particles a second, relative")
    axes.plot(cores, cores, color="0.4", lw=1, ls="--", label="ideal")
    axes.set_yscale("log", base=2)
    axes.set_yticks(cores, [str(c) for c in cores])
    axes.legend(fontsize=8)


def plot_efficiency(axes, lines, cores):
    curve(axes, lines, "efficiency", "Efficiency", "speed-up / cores")
    axes.plot(cores, [1.0] * len(cores), color="0.4", lw=1, ls="--")
    axes.set_ylim(0, None)


def plot_phases(axes, lines):
    """Plots a stacked bar of the share of each phase for every run."""
    runs = [record for _, records in lines for record in records]
    kinds = [name.split(",")[0] for name, records in lines for _ in records]
    names = sorted({name for r in runs for name in r["phases"]}, key=lambda name: -max(r["phases"].get(name, 0) for r in runs))
    bottom = [0.0] * len(runs)
    for n, name in enumerate(names):
        shares = [100 * r["phases"].get(name, 0.0) / sum(r["phases"].values()) for r in runs]
        axes.bar(range(len(runs)), shares, bottom=bottom, color=PHASES[n % len(PHASES)], label=name)
        bottom = [b + s for b, s in zip(bottom, shares)]
    axes.set_xticks(range(len(runs)), [f"{kind} {r['ranks']}x{r['threads']}" for kind, r in zip(kinds, runs)],
                    rotation=90 if len(runs) > 4 else 0, fontsize=8)
    axes.set(title="Shares of the phases, by ranks x threads", ylabel="[%]", ylim=(0, 100), xlim=(-0.6, 1.35 * len(runs)))
    handles, labels = axes.get_legend_handles_labels()
    axes.legend(handles[::-1], labels[::-1], fontsize=8, loc="center right")


def plot_traffic(axes, lines):
    """Plots messages and, on the right axis, bytes that the mean rank sends in a step."""
    curve(axes, lines, "messages", "Sent by a rank in a step", "messages (solid)")
    axes.set_ylim(0, None)
    other = axes.twinx()
    for n, (_, records) in enumerate(lines):
        other.plot([r["cores"] for r in records], [1e-6 * r["bytes"] for r in records], "s--", ms=3, lw=1, color=f"C{n}")
    other.set_ylabel("megabytes (dashed)")
    other.set_ylim(0, None)


def plot_memory(axes, lines):
    curve(axes, lines, "memory_per_rank", "Memory of a rank: mean, and largest (dashed)", "[MB]", 1e-6)
    for n, (_, records) in enumerate(lines):
        axes.plot([r["cores"] for r in records], [1e-6 * r["memory_largest_rank"] for r in records], "--", lw=1, color=f"C{n}")
    axes.set_ylim(0, None)


def scaling(studies):
    """The figure of studies as jobs/scaling.sh leaves them."""
    lines = list(lines_of(studies))
    cores = sorted({r["cores"] for _, records in lines for r in records})
    figure, axes = plt.subplots(2, 3, figsize=(16, 9), layout="constrained")
    (speed, efficiency, phases), (imbalance, traffic, memory) = axes
    plot_speed_up(speed, lines, cores)
    plot_efficiency(efficiency, lines, cores)
    plot_phases(phases, lines)
    curve(imbalance, lines, "imbalance", "Imbalance", "largest cost of a rank / mean")
    imbalance.set_ylim(1.0, max(1.05, 1.02 * max(r["imbalance"] for _, records in lines for r in records)))
    plot_traffic(traffic, lines)
    plot_memory(memory, lines)
    for one in (speed, efficiency, imbalance, traffic, memory):
        cores_axis(one, cores)
    environment = studies[0]["environment"]
    figure.suptitle(f"{' and '.join(study['kind'] for study in studies).capitalize()} scaling of {studies[0]['case']}\n"
                    f"commit {environment.get('commit')}, {environment.get('processor')}, {environment.get('compiler')}, "
                    f"{environment.get('MPI')}", fontsize=11)
    return figure
