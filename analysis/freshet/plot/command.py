# SPDX-License-Identifier: Apache-2.0
"""freshet plot: the command line."""
import argparse
import json
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

from .. import analysis as fa  # noqa: E402
from ..command_line import FAILURES, number, refuse, whole  # noqa: E402
from . import curves, maps  # noqa: E402
from .blocks import blocks  # noqa: E402
from .overview import overview  # noqa: E402
from .scaling import scaling  # noqa: E402
from .style import ENDINGS, SETTINGS, figure_of, save  # noqa: E402

EPILOG = """\
Figures go to RUN/plots, or to what -o names; .pdf, .svg and .eps are vector graphics. A size is that on paper. Examples:
  freshet plot run RUN
  freshet plot energy COARSE FINE --label "32 cells" --label "64 cells" -o energy.pdf
  freshet plot gauge RUN --gauge wall --column height --experiment wall.csv --shift=-0.1,0.1
  freshet plot slice RUN --field pressure --axis z --at 0.5 --time 0.4
  freshet plot study output/study --x fluid.viscosity --y kinetic_energy --log"""


# ------------------------------------------------------------------------------------------------------------ command line
def size(text):
    width, height = (float(word) for word in text.split("x"))
    if not (0.5 <= width <= 100 and 0.5 <= height <= 100):
        raise ValueError
    return width, height


def numbers(text):
    return [number()(word) for word in text.split(",")]


def shift(text):
    found = numbers(text)
    if len(found) > 2:
        raise ValueError
    return found[0] if len(found) == 1 else tuple(found)


def path_of_figure(text):
    if Path(text).suffix not in ENDINGS:
        raise argparse.ArgumentTypeError(f"'{text}' ends in '{Path(text).suffix}': {', '.join(ENDINGS)} are known")
    return Path(text)


class Commands:
    """The commands with their options."""

    def __init__(self):
        self.parser = argparse.ArgumentParser(prog="freshet plot", description="Draw figures of runs for papers.",
                                              epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter)
        self.commands = self.parser.add_subparsers(dest="command", required=True, metavar="FIGURE")
        self._whole_figures()
        self._curves()
        self._maps()

    def add(self, name, text, draw, runs=True, paper=True, ending=".pdf"):
        """A command that draws. runs: it takes several runs; paper: it draws into axes of a size on paper."""
        made = self.commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
        made.set_defaults(draw=draw, several=runs, paper=paper, ending=ending)
        if runs is not None:
            made.add_argument("run", type=Path, nargs="+" if runs else None, help="output directory of a run")
        made.add_argument("-o", "--output", type=path_of_figure, action="append", metavar="FILE",
                          help=f"{', '.join(ENDINGS)}; may be given several times (default: RUN/plots/{name}...{ending})")
        if paper:
            made.add_argument("--size", type=size, default=(8.5, 6.0), metavar="WxH", help="on paper [cm] (default: 8.5x6)")
            made.add_argument("--font", type=number(1, 100), default=8.0, help="size of the text [points] (default: 8)")
            made.add_argument("--title", help="above the figure")
        if runs and paper:
            made.add_argument("--label", action="append", help="of a run in the legend, once for each run")
        return made

    def _whole_figures(self):
        self.add("run", "a run at a glance: energy, volume, time step, pressure solve, cost, phases",
                 lambda a: overview(a.run), runs=False, paper=False)
        made = self.add("snapshots", "pictures through time: shaded water in 3-D, particles by speed in 2-D", draw_snapshots,
                        runs=False, paper=False, ending=".png")
        made.add_argument("--times", type=numbers, help="times [s], separated by commas; the nearest snapshots are shown")
        made.add_argument("--count", type=whole(1, 1000), default=6, help="number of pictures if --times is not given")
        made.add_argument("--columns", type=whole(1, 1000), default=3)
        made.add_argument("--width", type=whole(16, 10000), default=640, help="width of a picture [pixels]")
        made.add_argument("--azimuth", type=number(), help="3-D: angle from the view along the short side of the tank [degrees]")
        made.add_argument("--elevation", type=number(), default=20.0, help="3-D: angle above the horizontal [degrees]")
        made = self.add("blocks", "the blocks of cells in the checkpoints of a 3-D run", lambda a: blocks(a.run, a.count),
                        runs=False, paper=False)
        made.add_argument("--count", type=whole(1, 1000), default=4, help="number of pictures")
        made = self.add("scaling", "a scaling study of jobs/scaling.sh", lambda a: scaling(a.studies), runs=None, paper=False)
        made.add_argument("studies", nargs="+", type=Path, metavar="STUDY.json", help="strong.json and weak.json, or one of them")

    def _curves(self):
        made = self.add("energy", "kinetic, potential and total energy against time",
                        lambda a: curves.energy(a.run, a.label, a.relative, axes=a.axes))
        made.add_argument("--relative", action="store_true", help="to the total at the first step")
        made = self.add("steps", "a column of steps.csv against time",
                        lambda a: curves.steps(a.run, a.column, a.label, a.log, axes=a.axes))
        made.add_argument("--column", required=True, help="such as volume_drift, iterations, max_div, seconds")
        made.add_argument("--log", action="store_true", help="a logarithmic axis")
        made = self.add("gauge", "a gauge against time, with an experiment's values", lambda a: curves.gauge(
            a.run, a.gauge, a.column, a.label, a.experiment, a.experiment_column, a.shift, axes=a.axes))
        of_gauge(made)
        of_experiment(made)
        made = self.add("spectrum", "the power spectrum of a gauge",
                        lambda a: curves.spectrum(a.run, a.gauge, a.column, a.label, axes=a.axes))
        of_gauge(made)
        made = self.add("front", "how far the liquid reaches, against time", lambda a: curves.front(
            a.run, a.axis, a.label, a.share, -1 if a.backwards else 1, a.experiment, a.experiment_column, a.shift, axes=a.axes))
        made.add_argument("--axis", choices="xyz", default="x")
        made.add_argument("--backwards", action="store_true", help="towards the axis' low end")
        made.add_argument("--share", type=number(0, 1), default=0.999, help="of the particles that are behind the front (0.999)")
        of_experiment(made)
        self.add("volume", "volume of each liquid by its tag, against time", lambda a: curves.volume(a.run, a.label, axes=a.axes))
        made = self.add("histogram", "particles by speed, place or a record", lambda a: curves.histogram(
            a.run, a.record, a.times, a.bins, a.log, axes=a.axes), runs=False)
        made.add_argument("--record", default="speed", help="speed, x, y, z, or a record of the particles (default: speed)")
        made.add_argument("--times", type=numbers, help="times [s], separated by commas (default: the last)")
        made.add_argument("--bins", type=whole(1, 100000), default=50)
        made.add_argument("--log", action="store_true", help="a logarithmic axis")
        made = self.add("study", "a result of the runs in a folder against a key that varies", lambda a: curves.study(
            a.table, a.x, a.y, a.by, a.log, axes=a.axes), runs=None)
        made.add_argument("folder", type=Path, help="of the runs, as jobs/study.py leaves it")
        made.add_argument("--x", required=True, help="key of the case file, with numbers or words, such as solid.0.radius")
        made.add_argument("--y", required=True, help="column of steps.csv, at the runs' ends")
        made.add_argument("--x-label", help="with its unit, such as 'viscosity [Pa s]' (default: the key)")
        made.add_argument("--by", help="key of the case file: a curve for each of its values")
        made.add_argument("--log", action="store_true", help="logarithmic axes, where they have numbers")

    def _maps(self):
        made = self.add("heights", "height of the liquid over the floor", lambda a: maps.heights(a.run, a.time, axes=a.axes),
                        runs=False)
        made.add_argument("--time", type=number(), help="the snapshot nearest to it [s] (default: the last)")
        made = self.add("slice", "a plane of a field", lambda a: maps.slice_of(a.run, a.field, a.axis, a.at, a.time,
                                                                            axes=a.axes), runs=False)
        made.add_argument("--field", default="pressure", help="of output.fields (default: pressure)")
        made.add_argument("--axis", choices="xyz", default="z", help="across the plane")
        made.add_argument("--at", type=number(0, 1), default=0.5, help="share of the domain along the axis (0.5)")
        made.add_argument("--time", type=number(), help="the snapshot nearest to it [s] (default: the last)")


def of_gauge(made):
    made.add_argument("--gauge", required=True, help="name of the gauge")
    made.add_argument("--column", help="default: the first one")


def of_experiment(made):
    made.add_argument("--experiment", type=Path, metavar="FILE.csv", help="measured values; its first column is the time [s]")
    made.add_argument("--experiment-column", help="default: the second one")
    made.add_argument("--shift", type=shift, default=0.0, metavar="S or LOW,HIGH",
                      help="added to the experiment's times [s], or the range in which the best is sought")


# ----------------------------------------------------------------------------------------------------------------- drawing
def draw_snapshots(arguments):
    from .snapshots import snapshots  # needs scipy
    return snapshots(arguments.run, arguments.times, arguments.count, arguments.columns, arguments.width, arguments.azimuth,
                     arguments.elevation)


def default_output(arguments):
    """Where the figure goes without -o."""
    chosen = [getattr(arguments, option, None) for option in ("gauge", "column", "field", "record")]
    name = "_".join([arguments.command, *filter(None, chosen)]) + arguments.ending
    if arguments.command == "scaling":
        return arguments.studies[0].with_suffix(".pdf")
    if arguments.command == "study":
        return arguments.folder / "plots" / name
    return (arguments.run[0] if arguments.several else arguments.run).directory / "plots" / name


def open_inputs(arguments):
    """Put runs, tables and studies in the place of their paths."""
    if arguments.several is not None:
        arguments.run = list(map(fa.open, arguments.run)) if arguments.several else fa.open(arguments.run)
    elif arguments.command == "study":
        arguments.table = fa.collect(arguments.folder)


def read_study(path):
    """A study that jobs/scaling.sh has left. Errors: ValueError for any other file"""
    try:
        study = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        study = None
    records = study.get("records") if isinstance(study, dict) else None
    needed = {"ranks", "threads", "cores", "speed_up", "efficiency", "phases"}
    if not isinstance(records, list) or not records or "kind" not in study or not all(
            isinstance(record, dict) and needed <= record.keys() for record in records):
        raise ValueError(f"{path} is no scaling study. Give strong.json or weak.json of jobs/scaling.sh")
    return study


def draw(arguments):
    """The figure that the command line asks for."""
    if arguments.command == "scaling":
        arguments.studies = list(map(read_study, arguments.studies))
    if not arguments.paper:
        return arguments.draw(arguments)
    with plt.rc_context({**SETTINGS, "font.size": arguments.font, **{
            f"{part}size": arguments.font * scale for part, scale in
            (("axes.title", 1), ("axes.label", 1), ("legend.font", 0.9), ("xtick.label", 0.9), ("ytick.label", 0.9))}}):
        figure, arguments.axes = figure_of(*arguments.size)
        arguments.draw(arguments)
        if getattr(arguments, "x_label", None):
            arguments.axes.set_xlabel(arguments.x_label)
        if arguments.title:
            figure.suptitle(arguments.title)
        return figure


def main(words=None):
    """Draw one figure. Returns the exit code."""
    arguments = Commands().parser.parse_args(words)
    try:
        open_inputs(arguments)
        outputs = arguments.output or [default_output(arguments)]
        with plt.rc_context({key: SETTINGS[key] for key in ("pdf.fonttype", "ps.fonttype", "svg.fonttype")}):
            save(draw(arguments), outputs, dpi=300 if arguments.paper else 110)
    except FAILURES as error:
        return refuse(error)
    print(*outputs, sep="\n")
    return 0
