# SPDX-License-Identifier: Apache-2.0
"""python3 -m freshet run ...: the program freshet, with its output and exit codes."""
import os
import sys

from . import _load

_freshet = _load("_freshet")
_freshet.sleep_when_idle(list(sys.orig_argv))
code = _freshet.run_program(["freshet"] + sys.argv[1:])
sys.stdout.flush()
sys.stderr.flush()
os._exit(code)  # MPI has ended: nothing of Python's is left to do
