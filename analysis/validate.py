#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs cases of experiments and of exact solutions, compares, and draws them. jobs/validate.sh builds freshet and calls it.

Each record is `case, quantity, metric, value, bound, reference`; where there is a goal, the value should be at most the bound.
One set of parameters holds for all cases, the defaults: labels.surface = "level_set", density.correction = "implicit" and
pressure.walls.condition = "separating". A case that differs says why in its file. Beside a figure stands what published codes
reach, where that is known.
"""
import argparse
import json
import sys
from pathlib import Path

import validation_air
import validation_bodies
import validation_bodies_alone
import validation_channel
import validation_dam_breaks
import validation_exact
import validation_experiments
import plot_validation
import validation_page
from validation_runs import Bench, Table

DEAR = {"taylor_green_1600": validation_exact.taylor_green_1600, **validation_dam_breaks.CASES_OF_WATER}  # run with --dear, or by name
CASES = {
    "martin_moyce": validation_experiments.martin_moyce,
    **validation_exact.CASES,
    **validation_channel.CASES,
    **validation_air.CASES,
    **validation_bodies.CASES,
    **validation_bodies_alone.CASES,
    "spheric02_marin": validation_experiments.spheric02_marin,
    "spheric02_shifts": validation_experiments.spheric02_shifts,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=Path, required=True, help="the program freshet")
    parser.add_argument("--output", type=Path, default=Path("output/validate"), help="for runs and figures")
    parser.add_argument("--quick", action="store_true", help="coarse grids: minutes instead of hours")
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--dear", action="store_true", help="also cases that take many hours: " + ", ".join(DEAR))
    parser.add_argument("--only", nargs="*", choices=[*CASES, *DEAR], help="these cases")
    parser.add_argument("--surfaces", nargs="+", choices=("voxels", "level_set"),
                        help="run every case with these values of labels.surface, not with level_set alone, in directories of their names")
    parser.add_argument("--set", nargs="+", metavar="KEY=VALUE", default=[],
                        help="run every case with these keys, as freshet run takes them: particles.band=4")
    parser.add_argument("--json", type=Path, help="write the records as a list")
    parser.add_argument("--page", type=Path, help="put the figures into the table of this page, as figures/validation.md has it, and draw them beside it")
    options = parser.parse_args()
    table, failures = Table(), []
    benches = [Bench(options.program.resolve(), options.output, options.quick, options.ranks, table, surface,
                     options.set)
               for surface in options.surfaces or [None]]
    table.head()
    for name, case in (CASES | DEAR).items():
        if name not in (options.only or [*CASES, *(DEAR if options.dear else [])]):
            continue
        for bench in benches:
            try:
                case(bench)
            except (RuntimeError, OSError, ValueError, IndexError) as error:  # the others still run
                failures.append(name)
                print(f"{name}: {error}", flush=True)
        if options.json:
            options.json.write_text(json.dumps(table.records, indent=1) + "\n", encoding="utf-8")
    if options.page:
        page = options.page.read_text(encoding="utf-8")
        page = validation_page.rewritten(page, table.records)
        options.page.write_text(page, encoding="utf-8")
        plot_validation.draw(page, options.page.with_suffix(".png"))
    table.by_grid()
    goals = [record for record in table.records if record["bound"] is not None]
    missed = [record for record in goals if not record["value"] <= record["bound"]]
    print(f"\n{len(table.records)} records, {len(goals)} goals, {len(missed)} missed; figures in {options.output}")
    for record in missed:
        print(f"  missed: {record['case']}, {record['quantity']}, {record['metric']}: {record['value']:.4g} > {record['bound']:g}")
    if failures:
        print(f"failed: {', '.join(failures)}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
