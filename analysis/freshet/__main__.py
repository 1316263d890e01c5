# SPDX-License-Identifier: Apache-2.0
"""python3 -m freshet run ...: the program freshet, with its output and exit codes. view, top and plot need no compiled part."""
import os
import sys

from . import _load

PARTS = {"view": "view.command", "top": "top", "plot": "plot.command"}
if sys.argv[1:2] and sys.argv[1] in PARTS:
    try:
        sys.exit(_load(PARTS[sys.argv[1]]).main(sys.argv[2:]))
    except ModuleNotFoundError as error:
        if error.name not in ("numpy", "h5py", "matplotlib", "scipy"):
            raise
        print(f"freshet: error: freshet {sys.argv[1]} needs Python's {error.name} ({error}). Install python3-{error.name}, or "
              "name a Python that has it in FRESHET_PYTHON", file=sys.stderr)
        sys.exit(2)
_freshet = _load("_freshet")
_freshet.sleep_when_idle(list(sys.orig_argv))
code = _freshet.run_program(["freshet"] + sys.argv[1:])
sys.stdout.flush()
sys.stderr.flush()
os._exit(code)  # MPI has ended: nothing of Python's is left to do
