#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""valgrind's memcheck on short runs in two and three dimensions: values used before they are set, memory out of bounds.

What Open MPI does inside itself is left out by its own list and by valgrind.supp. Leaks are for sanitizers.py.
"""
import re
from types import SimpleNamespace

from check import DONE, ROOT, Check, last_words
from mpi_settings import mpi_choice
from test_runs import build_probe, missing, record_probes

WRAPPER = "/usr/lib/x86_64-linux-gnu/valgrind/libmpiwrap-amd64-linux.so"
FAULTS = {"uninitialised": "uninitialised value", "read": "Invalid read"}
ALL_OUTPUT = ('output.fields=["pressure","velocity","label","face_velocity"]', 'output.particles=["velocity","id","tag"]',
              "output.xdmf=true", "run.max_steps=2")
CASES = (("inputs/dam_break_2d.toml", ("domain.cells=[64,52]", "domain.cell_size=0.015625", "checkpoint.steps=1")),
         ("inputs/dam_break_obstacle.toml", ("domain.cells=[46,15,15]", "domain.cell_size=0.07")))


def valgrind(wrapper=None):
    """How to start a program under memcheck; with the wrapper every buffer of an MPI call is looked at."""
    words = ["valgrind", "-q", "--error-exitcode=9", "--leak-check=no", "--num-callers=30",
             f"--suppressions={ROOT / 'tests/reliability/valgrind.supp'}",
             "--suppressions=/usr/share/openmpi/openmpi-valgrind.supp"]
    preload = ["-x", f"LD_PRELOAD=libmpi.so:{wrapper}", "-x", "MPIWRAP_DEBUG=quiet"] if wrapper else []
    return SimpleNamespace(words=words, prefix=[*preload, *words], environment={"OMP_NUM_THREADS": "1"},
                           launch=lambda ranks: ["mpirun", "-np", str(ranks), *preload])


def finding(text):
    """What memcheck found first: its words and the first place in our sources."""
    kind = re.search(r"==\d+== ((?:Invalid|Conditional|Use of|Syscall|Uninit|Unaddr|Mismatched|Source and).*)", text)
    place = re.search(r"(?:at|by) 0x\w+: (\S.*\(\w+\.[ch]pp:\d+\))", text)
    return f"{kind.group(1)} {place.group(1) if place else ''}" if kind else last_words(text)


def main():
    check = Check(__doc__)
    why = missing("valgrind", "/usr/share/openmpi/openmpi-valgrind.supp")
    if why:
        check.not_run("Short runs under memcheck", f"{why} (Debian: valgrind)")
        check.finish()
    tool = valgrind()
    probe = build_probe(check, "probe", "g++", [])
    record_probes(check, "memcheck", [*tool.launch(2), *tool.words, str(probe)], FAULTS, tool.environment)
    program = check.program("memcheck")
    for number, (case, words) in enumerate(CASES):
        for ranks in (2,) if check.quick else (1, 2):
            run = check.run(case, *ALL_OUTPUT, *words, ranks=ranks, program=program, prefix=tool.prefix, timeout=1200,
                            output=check.work / f"out_{number}_{ranks}", environment=mpi_choice("without_kernel_copies"))
            check.record(f"2 steps of {case} with all outputs, {ranks} ranks", 1,
                         "nothing found" if run.code == DONE else finding(run.err), run.code == DONE)
    check.finish()


if __name__ == "__main__":
    main()
