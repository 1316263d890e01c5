# SPDX-License-Identifier: Apache-2.0
"""freshet top RUN: the numbers of a run in the terminal, also while it goes on."""
import argparse
import contextlib
import os
import select
import shutil
import sys
import time
from pathlib import Path

import numpy as np

from .analysis.growing import GrowingTable
from .analysis.run import Run
from .command_line import FAILURES, number as number_option, printable, refuse

CURVES = (("volume", "volume"), ("kinetic_energy", "kinetic energy"), ("potential_energy", "potential energy"),
          ("iterations", "iterations"), ("max_div", "divergence"), ("imbalance", "imbalance"), ("seconds", "time of a step"))
NUMBERS = (("dt", "dt"), ("cfl", "cfl"), ("particles", "particles"), ("liquid_cells", "liquid cells"), ("blocks", "blocks"),
           ("residual", "residual"), ("volume_drift", "volume drift"), ("density_error", "density error"),
           ("left_domain", "left domain"), ("emitted", "emitted"), ("stuck", "stuck"), ("retries", "retries"))
BARS = " ▁▂▃▄▅▆▇█"
PLAIN_BARS = " .:-=+*#@"
RECENT = 50  # steps whose mean tells how long the rest takes
ENTER, LEAVE = "\x1b[?1049h\x1b[?25l", "\x1b[?25h\x1b[?1049l"  # a screen of our own without a cursor, and back


def number(value, unit=""):
    """A number of a table, short."""
    if not np.isfinite(value):
        return "-"
    text = f"{value:,.0f}".replace(",", " ") if value == int(value) and abs(value) < 1e12 else f"{value:.4g}"
    return f"{text} {unit}" if unit else text


def beside(title, value, width):
    """A title at the left and its value at the right; the title is cut where both do not fit."""
    room = max(0, width - 1 - len(value))
    return f"{title[:room]:<{room}} {value}"


def bars(values, width, blocks=BARS):
    """A line of blocks as high as the means of the values in `width` stretches."""
    values = values[np.isfinite(values)]
    if not len(values):
        return ""
    begin = np.unique(np.linspace(0, len(values), min(width, len(values)), endpoint=False).astype(int))
    means = np.add.reduceat(values, begin) / np.diff(np.append(begin, len(values)))
    low, extent = means.min(), np.ptp(means)
    place = (means - low) / extent if extent > 0 else np.full(len(means), 0.5)
    return "".join(blocks[1 + int(p * (len(blocks) - 2))] for p in place)


def clock(seconds):
    """h:mm:ss"""
    whole = int(round(seconds))
    return f"{whole // 3600}:{whole // 60 % 60:02d}:{whole % 60:02d}"


def remaining(steps, end_time):
    """Seconds that the run still needs if it goes on as in its last steps; None if that is not known."""
    if not end_time or not len(steps.get("seconds", ())):
        return None
    dt, cost = steps["dt"][-RECENT:].sum(), steps["seconds"][-RECENT:].sum()
    return max(0.0, end_time - steps["t"][-1]) / dt * cost if dt > 0 else None


def lines(run, steps, width, blocks=BARS):
    """What is shown, line by line."""
    info, end_time = run.info, run.parameters["run"].get("end_time", 0.0)
    head = f"{run.title}   {run.status}   {info.get('ranks', '?')} ranks x {info.get('threads', '?')} threads   {run.directory}"
    head = printable(head)
    if any(name not in steps for name in ("step", "t", "dt")) or not len(steps["step"]):
        return [head[:width], "no step is done yet"]
    t = steps["t"][-1]
    done = min(1.0, t / end_time) if end_time else 0.0
    filled = int(done * (width - 2))
    left = remaining(steps, end_time) if run.status == "running" else None
    time_line = f"step {number(steps['step'][-1])}   t = {t:.6g} s of {end_time:g} s   {100 * done:.0f} %   "
    time_line += f"{len(run.snapshots)} snapshots"
    if left is not None:
        time_line += f"   {clock(left)} left"
    found = [head, time_line, "[" + "#" * filled + "-" * (width - 2 - filled) + "]", ""]
    shown = [(title, number(steps[name][-1], steps.units.get(name, ""))) for name, title in NUMBERS if name in steps]
    if "memory" in steps:
        shown.append(("memory", f"{steps['memory'][-1] / 1e6:.4g} MB"))
    columns = max(1, width // 34)
    room = min(32, width)
    for first in range(0, len(shown), columns):
        found.append("  ".join(beside(title, value, room) for title, value in shown[first:first + columns]))
    found.append("")
    for name, title in CURVES:
        if name in steps:
            last = number(steps[name][-1], steps.units.get(name, ""))
            found.append(f"{beside(title, last, room)} {bars(steps[name], max(8, width - 34), blocks)}")
    return [line[:width].rstrip() for line in found]


@contextlib.contextmanager
def screen():
    """A screen of our own; keys come without Enter. Yields a function that waits, and tells whether q was pressed."""
    try:
        import termios
        import tty
        before = termios.tcgetattr(sys.stdin)
        tty.setcbreak(sys.stdin)
    except (ImportError, OSError, ValueError, termios.error):  # keys do not come from a terminal
        before = None

    def wait(seconds):
        if before is None:
            time.sleep(seconds)
            return False
        ready, _, _ = select.select([sys.stdin], [], [], seconds)
        return bool(ready) and os.read(sys.stdin.fileno(), 1) in (b"q", b"Q", b"")
    sys.stdout.write(ENTER)
    try:
        yield wait
    finally:
        sys.stdout.write(LEAVE)
        sys.stdout.flush()
        if before is not None:
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def main(words=None):
    """Show until q or Ctrl-C; once, if the output is no terminal. Returns the exit code."""
    parser = argparse.ArgumentParser(prog="freshet top", description="Show the numbers of a run in the terminal, also while it "
                                     "goes on. q ends it. Where the output goes into a file or a pipe they are shown once.")
    parser.add_argument("run", type=Path, help="output directory of a run")
    parser.add_argument("--once", action="store_true", help="show the numbers once, and end")
    parser.add_argument("--interval", type=number_option(0.05, 3600), default=1.0, help="seconds between looks (default: %(default)g)")
    arguments = parser.parse_args(words)
    try:
        text = show(arguments)
    except FileNotFoundError as error:
        return refuse(f"{error}. Give the output directory of a run")
    except FAILURES as error:
        return refuse(error)
    print(text, end="")
    return 0


def show(arguments):
    """Shows the numbers until q or Ctrl-C; where they are wanted once, the text that is to be printed. Errors: FAILURES"""
    run = Run(arguments.run)
    table = GrowingTable(run.directory / "steps.csv")
    blocks = BARS if "utf" in (sys.stdout.encoding or "").lower() else PLAIN_BARS
    if arguments.once or not sys.stdout.isatty():
        return "\n".join(lines(run, table.refresh(), shutil.get_terminal_size((100, 40)).columns, blocks)) + "\n"
    with contextlib.suppress(KeyboardInterrupt), screen() as wait:
        while True:
            size = shutil.get_terminal_size((100, 40))
            text = lines(Run(arguments.run), table.refresh(), size.columns, blocks)[:size.lines - 1]
            sys.stdout.write("\x1b[H" + "\x1b[K\n".join(text) + "\x1b[K\x1b[J")
            sys.stdout.flush()
            if wait(arguments.interval):
                break
    return ""
