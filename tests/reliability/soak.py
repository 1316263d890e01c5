#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A soak: a dam breaks and goes on sloshing for an hour on 4 ranks that share fewer cores, around a paddle that turns,
under a source, over a sink, with open sides and every care for particles.

Memory stays flat, by freshet's own ledger and by what the system gives each rank; every particle is somewhere or has come
or gone by a rule; checkpoints come by wall-clock time and only the newest stay.
"""
import csv
import itertools
import json
import re
import statistics
import time
from pathlib import Path

from check import STOPPED_EARLY, Check, last_words, rank_pids

RANKS = 4
KEEP = 3
# Capacities grow with the most particles that a rank has met, so the first third is for warming up; afterwards what
# the fitted line gains is for leaks. A leak of one field of the smallest kind a step would be hundreds of times more.
WARM_UP = 1.0 / 3.0
MOST_GROWTH = 0.03  # of the memory at the end of the warm-up
WORDS = (f"checkpoint.keep={KEEP}",)


def resident(pid):
    """Memory that a process holds [MB]; nothing if it is gone."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        return pages * 4096 / 1e6
    except (FileNotFoundError, ProcessLookupError):
        return None


def sample(process, seconds, every):
    """Until the process ends: [(seconds since the start, memory of all ranks [MB])]."""
    start = time.monotonic()
    samples = []
    while process.poll() is None and time.monotonic() - start < seconds:
        held = [resident(pid) for pid in rank_pids(process)]
        if len(held) == RANKS and None not in held:
            samples.append((time.monotonic() - start, sum(held)))
        time.sleep(every)
    return samples


def growth(samples):
    """(relative gain of the line through what follows the warm-up, memory there): of [(time, memory)]."""
    begin = samples[0][0] + WARM_UP * (samples[-1][0] - samples[0][0])
    times, memory = zip(*[item for item in samples if item[0] >= begin])
    slope, intercept = statistics.linear_regression(times, memory)
    there = intercept + slope * times[0]
    return slope * (times[-1] - times[0]) / there, there


def read_steps(output):
    with open(output / "steps.csv", newline="") as file:
        rows = list(csv.reader(file))
    names = [name.split(" [")[0] for name in rows[0]]
    return [dict(zip(names, map(float, row))) for row in rows[1:]]


def record_memory(check, what, samples):
    if len(samples) < 10:
        check.record(what, len(samples), "too few samples to tell", False)
        return
    gain, there = growth(samples)
    check.record(what, len(samples), f"{100 * gain:+.2f} % after the first third, from {there:.0f} MB; "
                 f"at most {100 * MOST_GROWTH:.0f} % is flat", gain < MOST_GROWTH)


def main():
    check = Check(__doc__, options=[("--minutes", {"type": float, "help": "how long (default: 60; 2 with --quick)"})])
    minutes = check.options.minutes or (2.0 if check.quick else 60.0)
    program = check.program()
    seconds = 60.0 * minutes
    interval = seconds / 8
    process = check.start("tests/reliability/soak.toml", *WORDS, f"run.max_wall_time={seconds}",
                          f"checkpoint.wall_interval={interval}", ranks=RANKS, program=program)
    samples = sample(process, seconds + 300, every=max(0.5, seconds / 1000))
    run = check.end(process, timeout=60)
    check.record(f"{minutes:g} minutes of dam, paddle, source and sink on {RANKS} ranks", 1, f"exit code {run.code} {last_words(run.err)}",
                 run.code == STOPPED_EARLY)
    steps = read_steps(run.output)
    record_memory(check, "Memory of the ranks as the system counts it", samples)
    record_memory(check, "Memory by freshet's ledger, every step", [(row["step"], row["memory"] / 1e6) for row in steps])
    status = json.loads((run.output / "run.json").read_text())
    seeded = status["seeded"]
    gone = itertools.accumulate(row["left_domain"] + row["absorbed"] + row["removed"] for row in steps)
    come = itertools.accumulate(row["emitted"] + row["reseeded"] for row in steps)
    astray = [row for row, out, new in zip(steps, gone, come) if row["particles"] + out != seeded + new]
    rules = {name: int(sum(row[name] for row in steps)) for name in ("emitted", "reseeded", "absorbed", "removed", "left_domain")}
    check.record("Every particle is in the tank, or has come or gone by a rule", len(steps),
                 f"{len(astray)} steps where they do not add up to {seeded}; " + ", ".join(f"{n} {k}" for k, n in rules.items()),
                 not astray and seeded > 0 and rules["emitted"] > 0 and rules["absorbed"] > 0)
    kept = sorted((run.output / "checkpoints").glob("chk_*.h5"))
    written = len(re.findall(r"^checkpoint .* MB in ", (run.output / "log.txt").read_text(), re.MULTILINE))
    check.record(f"Checkpoints every {interval:.0f} s of wall-clock time, {KEEP} kept", written,
                 f"{written} written, {len(kept)} kept, the run is '{status['status']}'", len(kept) == KEEP and written >= 7)
    check.finish()


if __name__ == "__main__":
    main()
