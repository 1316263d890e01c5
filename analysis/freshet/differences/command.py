# SPDX-License-Identifier: Apache-2.0
"""freshet diff RUN1 RUN2: where two runs begin to differ."""
import argparse
import json
from pathlib import Path

from ..analysis.run import Run
from ..command_line import FAILURES, number, refuse, whole
from .checkpoints import OF_THE_MACHINE as STATE
from .particles import AT_A_TIME
from .report import Options, as_json, compare_runs, lines
from .tables import OF_THE_MACHINE

OUT_OF_MEMORY = 5  # exit code
EPILOG = f"""
compared, up to the first row, frame or file of each kind that differs:
  steps.csv, tables of gauges   row by row
  snapshots                     particles by their ids, in whatever order; fields in the blocks of cells that both runs have
  checkpoints                   those of the same steps: particles, pressure, numbers of the state
  surfaces                      vertices in any order
Settings that differ are told, too; they alone are no difference.

not compared in steps.csv, because they belong to the machine:
{chr(10).join(f'  {name:<30}{why}' for name, why in OF_THE_MACHINE.items())}
and of the state in checkpoints:
{chr(10).join(f'  {name:<30}{why}' for name, why in STATE.items())}

exit codes: 0 the runs are the same; 1 they differ; 2 usage, no run, or a file that is damaged or not whole; 5 memory.
"""


def main(words=None):
    """Compare two runs. Returns the exit code."""
    parser = argparse.ArgumentParser(prog="freshet diff", description="Tell where two runs begin to differ: settings, step, quantity, "
                                     "particle.", epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("first", type=Path, help="output directory of a run")
    parser.add_argument("second", type=Path, help="output directory of the other run")
    parser.add_argument("--tolerance", type=number(0, 1), default=0.0, metavar="R",
                        help="real numbers may differ by R times their magnitude: of tables the larger of the two, of particles and "
                        "fields the largest in the frame (default: 0, bit for bit)")
    parser.add_argument("--ignore", action="append", default=[], metavar="NAME", help="leave out a column, record or field; may be repeated")
    parser.add_argument("--common", action="store_true", help="what only one of the runs has (steps, frames, columns) does not count")
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    parser.add_argument("--at-a-time", type=whole(1, 2**40), default=AT_A_TIME, metavar="N",
                        help="particles that are held in memory at a time, some 160 bytes each, if their order differs (default: %(default)d)")
    arguments = parser.parse_args(words)
    options = Options(arguments.tolerance, tuple(arguments.ignore), arguments.common, arguments.at_a_time)
    try:
        report = compare_runs(Run(arguments.first), Run(arguments.second), options)
    except FileNotFoundError as error:
        return refuse(f"{error}. Give the output directories of two runs")
    except MemoryError:
        refuse(f"not enough memory. Give --at-a-time less than {arguments.at_a_time}")
        return OUT_OF_MEMORY
    except (*FAILURES, RuntimeError) as error:  # code 1 would say that the runs differ
        return refuse(error)
    print(json.dumps(as_json(report), indent=1) if arguments.json else "\n".join(lines(report)))
    return 1 if report.differs else 0
