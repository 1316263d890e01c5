#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Times the pressure solvers on a dam, a full box, a thin sheet and spray, and prints nanoseconds per liquid cell.

Each figure is the fastest of a few solves from zero pressure to 1e-5, set-up included, after one solve to warm up. Rows
with more ranks than cores are for their iterations, not for their speed.
"""
import argparse
import json

from launch import add_json_options, run, write_records

CASES = [("dam", "unit"), ("dam", "general"), ("dam", "level_set"), ("box", "unit"), ("sheet", "unit"), ("spray", "unit")]
PRECONDITIONERS = ["multigrid", "mic0", "icc", "hypre", "gamg"]
TWO_CORES = [(2, 1), (1, 2)]
MORE_RANKS = [(1, 1), (4, 1), (8, 1)]
FLAT = 2  # iterations may lie this far from their middle, over sizes and over ranks
SPEED_GOAL = {"unit": 200, "general": 350}  # [ns a liquid cell] of the dam at 128^3
RATIO_GOAL = {"icc": 6, "hypre": 6, "gamg": 10}  # how many times faster multigrid should be there


def plan(arguments):
    """The list of runs: (grid, ranks, threads, preconditioners, timed solves)."""
    if arguments.grids:
        return [(n, *layout, PRECONDITIONERS, 1) for n in arguments.grids for layout in TWO_CORES]
    if arguments.quick:
        return [(64, *layout, PRECONDITIONERS, 3) for layout in TWO_CORES]
    runs = [(n, *layout, PRECONDITIONERS, 5) for n in (64, 128) for layout in TWO_CORES]
    runs += [(256, *layout, PRECONDITIONERS[:2], 3) for layout in TWO_CORES]
    return runs + [(n, *layout, PRECONDITIONERS[:1], 1) for n in (64, 128) for layout in MORE_RANKS]


def is_alike(a, b, *keys):
    return all(a[key] == b[key] for key in keys)


def ratio_to_multigrid(record, records):
    """Time of this solve divided by that of multigrid in the same run."""
    for other in records:
        if other["preconditioner"] == "multigrid" and is_alike(record, other, "case", "coefficients", "grid", "ranks",
                                                               "threads"):
            return record["ns_per_cell"] / other["ns_per_cell"]
    return float("nan")


def print_head():
    print(f"{'case':14}{'grid':>6}{'cells':>10}{'r x t':>6}  {'preconditioner':14}{'iterations':>11}{'setup ms':>10}"
          f"{'solve ms':>10}{'ns a cell':>10}{'/ multigrid':>12}")


def print_row(record, records):
    name = record["case"] + (" " + record["coefficients"] if record["coefficients"] != "unit" else "")
    layout = f"{record['ranks']}x{record['threads']}"
    print(f"{name:14}{record['grid']:>4}^3{record['liquid_cells']:>10}{layout:>6}  {record['preconditioner']:14}"
          f"{record['iterations']:>11}{record['setup_ms']:>10.1f}{record['solve_ms']:>10.1f}"
          f"{record['ns_per_cell']:>10.0f}{ratio_to_multigrid(record, records):>12.2f}"
          + ("" if record["converged"] else "  not converged"), flush=True)


def print_goals(records):
    """Prints the dam on two cores at the largest common size, and the range of multigrid's iterations."""
    grid = min(128, max(r["grid"] for r in records))
    dam = [r for r in records if r["case"] == "dam" and r["grid"] == grid and r["ranks"] * r["threads"] == 2]
    print(f"\ndam {grid}^3 on two cores (goals are for 128^3):")
    for kind, goal in SPEED_GOAL.items():
        for r in dam:
            if is_alike(r, {"coefficients": kind, "preconditioner": "multigrid"}, "coefficients", "preconditioner"):
                print(f"  multigrid, {kind} coefficients, {r['ranks']}x{r['threads']}: {r['ns_per_cell']:.0f} ns a cell"
                      f" (goal: under {goal})")
    for name, goal in RATIO_GOAL.items():
        ratios = [f"{ratio_to_multigrid(r, records):.1f}x at {r['ranks']}x{r['threads']}" for r in dam
                  if r["preconditioner"] == name and r["coefficients"] == "unit"]
        print(f"  multigrid against {name}: {', '.join(ratios)} (goal: at least {goal}x)")
    print(f"iterations of multigrid, least to most over grids and over ranks (goal: at most {2 * FLAT} apart):")
    for case, kind in CASES:
        own = [r for r in records if r["preconditioner"] == "multigrid" and (r["case"], r["coefficients"]) == (case, kind)]
        grids = [r["iterations"] for r in own if r["ranks"] == 2]
        ranks = [[r["iterations"] for r in own if r["grid"] == n] for n in sorted({r["grid"] for r in own})]
        print(f"  {case + ' ' + kind:14}{min(grids)} to {max(grids)} over grids; "
              + ", ".join(f"{min(i)} to {max(i)}" for i in ranks) + " over ranks")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="the pressure_table binary")
    parser.add_argument("--quick", action="store_true", help="64^3 only, on 2 cores, under a minute")
    parser.add_argument("--grids", type=int, nargs="+", metavar="N", help="these sizes, one timed solve each")
    add_json_options(parser)
    arguments = parser.parse_args()
    records = []
    print_head()
    for n, ranks, threads, preconditioners, repeats in plan(arguments):
        for case, coefficients in CASES:
            done = run([arguments.program, "--case", case, "--coefficients", coefficients, "--cells", str(n),
                        "--preconditioners", ",".join(preconditioners), "--repeats", str(repeats)], ranks, threads)
            records += (new := json.loads(done))
            for record in new:
                print_row(record, records)
            write_records(records, arguments)  # after every run, so that the records survive an interruption
    print_goals(records)


if __name__ == "__main__":
    main()
