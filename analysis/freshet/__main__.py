# SPDX-License-Identifier: Apache-2.0
"""python3 -m freshet run ...: the program freshet, with its output and exit codes. view and top need no compiled part."""
import os
import sys

from . import _load

if sys.argv[1:2] in (["view"], ["top"]):
    try:
        main = _load("view.command" if sys.argv[1] == "view" else "top").main
    except ModuleNotFoundError as error:
        if error.name not in ("numpy", "h5py"):
            raise
        print(f"freshet: error: freshet {sys.argv[1]} needs Python's numpy and h5py ({error}). Install python3-numpy and "
              "python3-h5py, or name a Python that has them in FRESHET_PYTHON", file=sys.stderr)
        sys.exit(2)
    sys.exit(main(sys.argv[2:]))
_freshet = _load("_freshet")
_freshet.sleep_when_idle(list(sys.orig_argv))
code = _freshet.run_program(["freshet"] + sys.argv[1:])
sys.stdout.flush()
sys.stderr.flush()
os._exit(code)  # MPI has ended: nothing of Python's is left to do
