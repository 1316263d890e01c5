# SPDX-License-Identifier: Apache-2.0
"""Two runs side by side: all that they have written, what differs first, and how that is told."""
import math
from dataclasses import asdict, dataclass, field

from ..analysis.collection import flat
from ..command_line import printable
from .checkpoints import compare_checkpoints
from .frames import compare_frames
from .particles import AT_A_TIME
from .surfaces import compare_surfaces
from .tables import compare_tables
from .values import number_text

SHOWN = 8  # columns of a table and keys that are told with their values


@dataclass
class Options:
    """How runs are compared."""
    tolerance: float = 0.0       # 0: bit for bit
    ignored: tuple = ()          # names of columns, records and fields that are left out
    common: bool = False         # what only one of the runs has does not count
    at_a_time: int = AT_A_TIME   # particles that are held at a time, if their order differs


@dataclass
class Report:
    """What a comparison of two Runs has found."""
    runs: tuple
    options: Options
    settings: list = field(default_factory=list)   # (key, value in the first, in the second)
    parts: list = field(default_factory=list)

    @property
    def differs(self):
        return any(part.differs(self.options.common) for part in self.parts)

    @property
    def first(self):
        """The Part with the earliest difference in numbers that both runs have; None without any."""
        found = [part for part in self.parts if part.quantities or part.missing]
        return min(found, key=lambda part: (math.inf if part.step is None else part.step,
                                            math.inf if part.time is None else part.time), default=None)


def compare_settings(first, second):
    """(key, value in the first, in the second) of the keys of two resolved inputs that differ; None: the key is not there."""
    one, other = (flat(run.parameters) for run in (first, second))
    return [(key, one.get(key), other.get(key)) for key in dict.fromkeys([*one, *other]) if repr(one.get(key)) != repr(other.get(key))]


def compare_runs(first, second, options=None):
    """The Report of two Runs. Errors: ValueError for a file that is damaged or not whole, FileNotFoundError"""
    options = options or Options()
    chosen = (options.tolerance, options.ignored)
    report = Report((first, second), options, compare_settings(first, second))
    report.parts.append(compare_tables("steps.csv", *(run.directory / "steps.csv" for run in report.runs), "step", *chosen))
    gauges = sorted({path.name for run in report.runs for path in (run.directory / "gauges").glob("*.csv")})
    for name in gauges:
        paths = [run.directory / "gauges" / name for run in report.runs]
        report.parts.append(compare_tables(f"gauges/{name}", *paths, "step", *chosen))
    report.parts.append(compare_frames(first, second, [key for key, _, _ in report.settings], *chosen, options.at_a_time))
    report.parts.append(compare_checkpoints(first, second, *chosen, options.at_a_time))
    paths = [run.directory / "surfaces" / "surfaces.csv" for run in report.runs]
    if any(path.exists() for path in paths):
        report.parts += [compare_tables("surfaces/surfaces.csv", *paths, "surface", *chosen), compare_surfaces(first, second)]
    return report


# ---------------------------------------------------------------------------------------------------------------- text
def lines(report):
    """What is printed, line by line."""
    found = []
    for which, run in zip(("first ", "second"), report.runs):
        info = run.info
        found.append(printable(f"{which}  {run.directory}: freshet {info.get('version', '?')} ({info.get('commit', '?')}), "
                               f"{count(info, 'rank')} x {count(info, 'thread')}, {run.status}"))
    found += settings_lines(report.settings)
    for part in report.parts:
        found += part_lines(part)
    found.append(summary(report))
    return found


def count(info, thing):
    number = info.get(f"{thing}s", "?")
    return f"{number} {thing}{'s' * (number != 1)}"


def settings_lines(settings):
    if not settings:
        return ["settings: the same"]
    found = [f"settings: {len(settings)} key{'s differ' if len(settings) > 1 else ' differs'}"]
    for key, one, other in settings[:SHOWN]:
        found.append(printable(f"  {key}: " + " and ".join("not there" if value is None else str(value) for value in (one, other))))
    return found + ([f"  and {len(settings) - SHOWN} more: " + ", ".join(key for key, _, _ in settings[SHOWN:])] if settings[SHOWN:] else [])


def moment(part):
    """Where the first difference of a part is."""
    step = f"step {part.step}" if part.step is not None and part.place != f"step {part.step}" else ""
    time = f"t = {part.time:.6g} s" if part.time is not None else ""
    more = ", ".join(filter(None, (step, time)))
    return part.place + (f" ({more})" if more else "")


def part_lines(part):
    """A part, and below it what differs."""
    head = f"{part.name}: {part.extent}"
    if part.quantities or part.missing:
        found = [f"{head}; they differ first in {moment(part)}"]
    else:
        found = [f"{head}, the same" + (" where both have them" if part.only else "")]
    is_table = part.rows == "rows"
    for quantity in part.quantities[:SHOWN] if is_table else part.quantities:
        unit = part.units.get(quantity.name, "")
        if is_table:
            found.append(f"  {quantity.name}: {number_text(quantity.first)} and {number_text(quantity.second)}"
                         + (f" {unit}" if unit else "") + f" (relative {quantity.relative:.2g}; {quantity.count} of {quantity.of} rows differ)")
        else:
            found.append("  " + quantity.text())
    if is_table and part.quantities[SHOWN:]:
        found.append("  also: " + ", ".join(quantity.name for quantity in part.quantities[SHOWN:]))
    if part.later:
        found.append("  later: " + ", ".join(f"{name} (step {step})" for name, step in part.later))
    return found + [printable(f"  {text}") for text in (*part.missing, *part.only, *part.notes)]


def summary(report):
    """The last line."""
    first = report.first
    if first is not None:
        names = ", ".join(quantity.name for quantity in first.quantities[:4]) or "particles"
        ids = next((f", particle {quantity.where['id']}" for quantity in first.quantities if "id" in quantity.where), "")
        return f"The first difference is in {moment(first)}, {first.name}: {names}{ids}"
    if report.differs:
        return "What both runs have is the same; each of the lines 'only the ...' is a difference (--common leaves them out)"
    tolerance = f" within {report.options.tolerance:g}" if report.options.tolerance > 0 else ", bit for bit"
    common = any("the first run holds" in note for part in report.parts for note in part.notes)
    return ("What both runs hold is the same" if common else "The runs are the same") + tolerance


# ---------------------------------------------------------------------------------------------------------------- JSON
def as_json(report):
    """The report as what json.dumps() takes; numbers that JSON does not have are texts."""
    first = report.first
    return plain({
        "same": not report.differs, "tolerance": report.options.tolerance,
        "runs": [{"directory": str(run.directory), "status": run.status,
                  **{key: run.info.get(key) for key in ("version", "commit", "ranks", "threads")}} for run in report.runs],
        "settings": [{"key": key, "first": one, "second": other} for key, one, other in report.settings],
        "first": None if first is None else {"part": first.name, "place": first.place, "step": first.step, "t": first.time,
                                             "quantities": [quantity.name for quantity in first.quantities]},
        "parts": [{**asdict(part), "differs": part.differs(report.options.common)} for part in report.parts],
    })


def plain(value):
    """A value with Python's own types alone."""
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if isinstance(value, (bool, int, float, str, type(None))) else str(value)
