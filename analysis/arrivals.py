#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tells when the liquid of a run first reaches a box; freshet.analysis.arrivals() says when it counts as reached.

usage: arrivals.py DIR --box 95,0,0 96,96,96 [--box ...] [--dt 0.5]     corners [m]; without z in 2-D
"""
import argparse
from pathlib import Path

import freshet.analysis as fa


def corner(text):
    return [float(x) for x in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path, help="output directory of a run")
    parser.add_argument("--box", nargs=2, type=corner, action="append", required=True, metavar=("LOW", "HIGH"))
    parser.add_argument("--dt", type=float, help="length of a step [s]; also print the number of the step")
    arguments = parser.parse_args()
    names = [" to ".join(str(end) for end in box) for box in arguments.box]
    times = fa.arrivals(fa.open(arguments.directory), dict(zip(names, arguments.box)))
    for name in names:
        if name not in times:
            print(f"{name}: not reached")
        else:
            step = f", step {times[name] / arguments.dt:g}" if arguments.dt else ""
            print(f"{name}: t = {times[name]:g} s{step}")


if __name__ == "__main__":
    main()
