#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# The usage is printed, and python3 -OO drops docstrings: so this one is assigned.
__doc__ = """Prints results of jobs/walls.sh as the tables of M.-L. Eckert (TU Munich, 2014), with the paper's figures beside ours.

Iterations and seconds are means over the steps. Column "own div" is the largest divergence that the method leaves;
"max div" is that of the velocity that moves the particles, after velocities into walls have been removed; "compl." is
the residual of min(p_s, u.n) = 0 on wall faces. The paper solved with incomplete Cholesky on one core of 2008 or 2013.

usage: table_walls.py [DIR]     default: output/walls
"""
import json
import sys
from pathlib import Path

import numpy as np

from walls_scenes import ARRIVALS, AVERAGES, COLUMNS, GRID_ENDS, IDENTICAL, METHODS, ROWS, STEPS, SWEPT, paper_sweep

NUMBER = {"dam": "4.1", "stair": "4.5", "sphere": "4.6"}
STICKY = ("OrigPS", "ADMMVelStick", "ADMMDivStick", "IOPDivStick")
SEPARATING = ("ADMMVelSep", "ADMMDivSep", "IOPDivSep", "IOPDivSepBC", "OrigPSSep", "complementarity")


def load_results(directory):
    """All results in the directory, in the order of METHODS."""
    paths = sorted(Path(directory).glob("*/result.json"))
    results = [json.loads(path.read_text()) | {"name": path.parent.name} for path in paths]
    return sorted(results, key=lambda result: list(METHODS).index(result["record"]["method"]))


def load_agreements(directory):
    """The comparisons on equal states: {file name: states}."""
    return {path.name: json.loads(path.read_text()) for path in sorted(Path(directory).glob("agreement_*.json"))}


def of_part(results, part):
    """Results of one part, grouped by table: {(dimension, grid, preconditioner, steps): [...]}

    A run with another number of steps than in the paper has a group of its own; in the other groups steps is 0.
    """
    groups = {}
    for result in results:
        if result["part"] == part:
            record = result["record"]
            steps = result.get("planned_steps", min(record["steps"], STEPS[record["scene"]]))
            key = (record["dimension"], record["grid"] if part != "grids" else 0, result["preconditioner"],
                   steps if part in ("scenes", "thresholds") and steps != STEPS[record["scene"]] else 0)
            groups.setdefault(key, []).append(result)
    return groups


def shown(value, form=".3g"):
    return "-" if value is None else f"{value:{form}}"


def heading(text):
    print(f"\n{text}\n{'-' * len(text)}")


def grid_name(dimension, grid):
    return f"{dimension}-D" + (f", {grid}^{dimension}" if grid else "")


def print_arrivals(results):
    for (dimension, grid, _, _), group in of_part(results, "arrivals").items():
        heading(f"Steps at which the liquid reaches things, OrigPS, {grid_name(dimension, grid)} (paper: 3-D)")
        for result in group:
            scene = result["record"]["scene"]
            words = [f"{name} {shown(result['arrivals'].get(name), 'g')} ({step})"
                     for name, step in ARRIVALS[scene].items()]
            print(f"{scene:12}" + ", ".join(words))


def print_averages(results):
    """Prints Tables 4.1, 4.5 and 4.6, and one for the hard stair, for which the paper has none."""
    for (dimension, grid, preconditioner, steps), group in of_part(results, "scenes").items():
        for scene in STEPS:
            records = {r["record"]["method"]: r["record"] | {"projected": r.get("projected_divergence")} for r in group
                       if r["record"]["scene"] == scene}
            if not records:
                continue
            number = f"Table {NUMBER[scene]}: " if scene in NUMBER else ""
            heading(f"{number}{scene}, {grid_name(dimension, grid)}, {preconditioner}"
                    f"{f', {steps} steps' if steps else ''}{' (paper: 3-D, 96^3)' if number else ''}")
            print(f"{'method':16}{'CG it.':>8}{'outer':>8}{'ms/step':>9}{'own div':>9}{'max div':>9}{'compl.':>9}"
                  f"{'volume':>8}{'steps':>6}  | paper: CG it., outer, s/step")
            for method in METHODS:
                if method in records:
                    print_average(records[method], AVERAGES.get(scene, {}).get(method))


def print_average(r, paper):
    outer = None if r["epsilon_outer"] is None and r["method"] != "complementarity" else r["outer_iterations"]
    print(f"{r['method']:16}{r['cg_iterations']:8.1f}{shown(outer, '.2f'):>8}{1e3 * r['seconds_per_step']:9.3g}"
          f"{shown(r['projected'], '.1e'):>9}{r['max_divergence']:9.1e}{r['complementarity_residual']:9.1e}{100 * r['volume_change']:7.1f}%"
          f"{r['steps']:6}  | " + (", ".join(shown(x, "g") for x in paper) if paper else "-"))


def print_sweep(results):
    """Prints Tables 4.2 and 4.4."""
    for (dimension, grid, preconditioner, _), group in of_part(results, "thresholds").items():
        for method in SWEPT:
            found = {(r["record"]["epsilon_cg"], r["record"]["epsilon_outer"]): (r["record"], r.get("outer_loops_cut", 0))
                     for r in group if r["record"]["method"] == method}
            if not found:
                continue
            number = "4.4" if method == "IOPDivSepBC" else "4.2"
            heading(f"Table {number}: {method}, dam, {grid_name(dimension, grid)}, {preconditioner}: CG iterations a "
                    "step, ours / paper's (*: cut by max_outer)")
            print(f"{'eps_CG  eps_outer':18}" + "".join(f"{column:>16g}" for column in COLUMNS))
            for row in ROWS:
                print(f"{row:<18g}" + "".join(f"{sweep_entry(found, method, row, column):>16}" for column in COLUMNS))


def sweep_entry(found, method, row, column):
    paper = paper_sweep(method, row, column)
    if paper is None:
        return ""
    ours, cut = found.get((row, column), (None, 0))
    return f"{shown(ours and ours['cg_iterations'], '.0f')}{'*' if cut else ''} / {paper}"


def print_identical(agreements):
    """Prints Table 4.3."""
    for name, states in agreements.items():
        heading(f"Table 4.3: 2-D dam, all methods on the same {len(states)} states ({name})")
        print(f"{'method':16}{'accuracy':>9}{'CG it.':>9}{'outer':>8}{'ms':>9}{'max div':>9}{'compl.':>9}"
              "  | paper: CG it., outer, s")
        for accuracy in ("high", "low"):
            for method in dict.fromkeys(s["method"] for s in states[0]["solutions"]):
                own = [s for state in states for s in state["solutions"]
                       if (s["method"], s["accuracy"]) == (method, accuracy)]
                mean = {key: np.mean([s[key] for s in own]) for key in ("cg_iterations", "outer_iterations", "seconds")}
                worst = {key: max(s[key] for s in own) for key in ("max_divergence", "complementarity_residual")}
                failed = sum(not s["converged"] for s in own)
                paper = IDENTICAL.get(method, {}).get(accuracy)
                print(f"{method:16}{accuracy:>9}{mean['cg_iterations']:9.1f}{mean['outer_iterations']:8.1f}"
                      f"{1e3 * mean['seconds']:9.3g}{worst['max_divergence']:9.1e}"
                      f"{worst['complementarity_residual']:9.1e}  | "
                      + (", ".join(shown(x, "g") for x in paper) if paper else "-")
                      + (f"  {failed} not converged" if failed else ""))


def differences(states, a, b):
    """max |u_a - u_b| of each state [m/s]; a and b are (method, accuracy)."""
    order = [(s["method"], s["accuracy"]) for s in states[0]["solutions"]]
    i, j = order.index(a), order.index(b)
    return np.array([state["differences"][i][j] for state in states])


def print_agreement(agreements):
    """Prints section 4.3 as numbers: the largest difference on any face, and its median over the states."""
    for name, states in agreements.items():
        for group in (STICKY, SEPARATING):
            for accuracy in ("high", "low"):
                heading(f"Section 4.3: max |u_a - u_b| [m/s], {accuracy} accuracy, median over the states ({name})")
                print_matrix(states, [(method, accuracy) for method in group], [(m, accuracy) for m in group])
        heading(f"Section 4.3: low accuracy against the agreement solution, ADMMVelSep at high accuracy ({name})")
        print_matrix(states, [(method, "low") for method in SEPARATING], [("ADMMVelSep", "high")])
        heading(f"The same against complementarity at high accuracy ({name})")
        print_matrix(states, [(m, "low") for m in SEPARATING], [("complementarity", "high")])


def print_matrix(states, rows, columns):
    print(f"{'':16}" + "".join(f"{method:>16}" for method, _ in columns))
    for row in rows:
        print(f"{row[0]:16}" + "".join(f"{np.median(differences(states, row, column)):16.1e}" for column in columns))


def print_grids(results):
    """Prints Fig. 4.9 as a table."""
    for (dimension, _, preconditioner, _), group in of_part(results, "grids").items():
        found = {(r["record"]["method"], r["record"]["grid"]): r["record"] for r in group}
        grids = sorted({grid for _, grid in found})
        heading(f"Fig. 4.9: dam, {dimension}-D, {preconditioner}: CG iterations (outer) a step against the grid")
        print(f"{'method':16}" + "".join(f"{grid:>14}" for grid in grids) + "  | paper: smallest to largest grid")
        for method in METHODS:
            line = [found.get((method, grid)) for grid in grids]
            if any(line):
                words = [f"{r['cg_iterations']:.1f} ({r['outer_iterations']:.1f})" if r else "-" for r in line]
                ends = GRID_ENDS.get(method)
                print(f"{method:16}" + "".join(f"{word:>14}" for word in words)
                      + ("  | " + " to ".join(map(str, ends)) if ends else ""))


def print_classification(results):
    """Prints Fig. 4.15 as a table; plot_walls.py draws it."""
    for (dimension, grid, _, _), group in of_part(results, "classification").items():
        heading(f"Fig. 4.15: classification by velocity and by pressure, dam, {grid_name(dimension, grid)}")
        print(f"{'method':16}{'by':>10}{'CG it.':>8}{'outer':>8}{'separated':>11}{'compl.':>9}{'volume':>8}")
        for result in group:
            r = result["record"]
            print(f"{r['method']:16}{r['classification'] or '-':>10}{r['cg_iterations']:8.1f}"
                  f"{r['outer_iterations']:8.2f}{result['separated_faces']:11.1f}{r['complementarity_residual']:9.1e}"
                  f"{100 * r['volume_change']:7.1f}%")


def print_volumes(results):
    for (dimension, grid, _, steps), group in of_part(results, "scenes").items():
        volumes = {(r["record"]["method"], r["record"]["scene"]): r["record"]["volume_change"] for r in group}
        scenes = [scene for scene in STEPS if any(s == scene for _, s in volumes)]
        heading(f"Change of volume at the end [%], {grid_name(dimension, grid)}{f', {steps} steps' if steps else ''}")
        print(f"{'method':16}" + "".join(f"{scene:>12}" for scene in scenes))
        for method in METHODS:
            line = [volumes.get((method, scene)) for scene in scenes]
            if any(v is not None for v in line):
                print(f"{method:16}" + "".join(f"{shown(v and 100 * v, '.1f'):>12}" for v in line))


def print_tables(directory):
    results, agreements = load_results(directory), load_agreements(directory)
    if not results and not agreements:
        sys.exit(f"{directory} holds no results. Run jobs/walls.sh first")
    print_arrivals(results)
    print_averages(results)
    print_sweep(results)
    print_identical(agreements)
    print_grids(results)
    print_agreement(agreements)
    print_classification(results)
    print_volumes(results)


if __name__ == "__main__":
    if sys.argv[1:] in (["-h"], ["--help"]):
        print(__doc__)
        sys.exit()
    if len(sys.argv) > 2:
        sys.exit(__doc__)
    print_tables(sys.argv[1] if len(sys.argv) == 2 else "output/walls")
