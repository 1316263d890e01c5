# SPDX-License-Identifier: Apache-2.0
"""Many runs as one table."""
from pathlib import Path

import numpy as np

from .run import Run
from .tables import table


def find_runs(folder):
    """The runs in a folder and below, in the order of their paths. Errors: FileNotFoundError without such a folder"""
    folder = Path(folder)
    if not folder.is_dir():
        raise FileNotFoundError(f"there is no folder {folder}")
    return [Run(path.parent) for path in sorted(folder.rglob("input.resolved.toml"))
            if "failure" not in path.relative_to(folder).parts]


def collect(runs, measure=None):
    """One row a run: its name, status, the keys of the case file that differ between the runs, and its last step.

    runs: a folder, or Runs. measure: a function of a Run that returns {name: number}, for columns of one's own.
    A run that has not begun its first step has nan for the numbers of the last step. Errors: FileNotFoundError without any run
    """
    folder = runs
    runs = find_runs(runs) if isinstance(runs, (str, Path)) else list(runs)
    if not runs:
        raise FileNotFoundError(f"{folder} holds no runs")
    keys = [flat(run.parameters) for run in runs]
    differing = [key for key in dict.fromkeys(key for one in keys for key in one)
                 if len({repr(one.get(key)) for one in keys}) > 1 and not key.startswith("output.")]
    rows, units = [], {}
    for run, values in zip(runs, keys):
        row = {"run": run.directory.name, "status": run.status, **{key: values.get(key) for key in differing}}
        columns = run.step_columns
        units.update(columns.units)
        row.update({name: column[-1] for name, column in columns.items() if len(column)})
        row.update(measure(run) if measure else {})
        rows.append(row)
    names = list(dict.fromkeys(name for row in rows for name in row))
    return table({name: column([row.get(name) for row in rows]) for name in names}, units)


def column(values):
    """Numbers as floats, nan where there are none; everything else as it is."""
    if all(value is None or isinstance(value, (int, float, np.number)) and not isinstance(value, bool) for value in values):
        return np.array([np.nan if value is None else value for value in values], dtype=float)
    result = np.empty(len(values), dtype=object)
    result[:] = values
    return result


def flat(parameters, prefix=""):
    """Nested tables as {"table.key": value}; lists of tables as {"liquid.0.key": value}, as overrides name them."""
    found = {}
    for key, value in parameters.items():
        if isinstance(value, dict):
            found.update(flat(value, f"{prefix}{key}."))
        elif isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
            for number, one in enumerate(value):
                found.update(flat(one, f"{prefix}{key}.{number}."))
        else:
            found[prefix + key] = value
    return found
