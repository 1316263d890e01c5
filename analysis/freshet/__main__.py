# SPDX-License-Identifier: Apache-2.0
"""python3 -m freshet run ...: the program freshet, with its output and exit codes. view, top, plot and diff need no compiled part."""
import os
import sys

# `python3 -m` looks for modules in the working directory first: a run that somebody else has made could bring a json.py.
if not getattr(sys.flags, "safe_path", False) and sys.path[:1] == [os.path.realpath(os.curdir)]:
    del sys.path[0]

import errno  # noqa: E402
import signal  # noqa: E402

from . import _load  # noqa: E402

PARTS = {"view": "view.command", "top": "top", "plot": "plot.command", "diff": "differences.command"}
FILE_SYSTEM = 4  # exit code
UNWRITTEN = "freshet: error: standard output cannot be written. Check where it is redirected to, and whether the disk is full"


def run_part(name, words):
    """The exit code of one of PARTS."""
    if sys.stdout is None:  # it is closed
        if name in ("top", "diff"):  # whose output is what they print
            print(UNWRITTEN, file=sys.stderr)
            return FILE_SYSTEM
        sys.stdout = open(os.devnull, "w", encoding="utf-8")
    try:
        try:
            code = _load(PARTS[name]).main(words)
        except SystemExit as end:  # of argparse
            code = end.code
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # whoever read the output has seen enough
        silence()
        return 128 + signal.SIGPIPE
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EIO, errno.EFBIG):
            raise
        silence()
        print(UNWRITTEN, file=sys.stderr)
        return FILE_SYSTEM
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except ModuleNotFoundError as error:
        if error.name not in ("numpy", "h5py", "matplotlib", "scipy"):
            raise
        print(f"freshet: error: freshet {name} needs Python's {error.name} ({error}). Install python3-{error.name}, or name a "
              "Python that has it in FRESHET_PYTHON", file=sys.stderr)
        return 2


def silence():
    """What waits for standard output is dropped: Python would try again when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def run_program(words):
    """The exit code of the program freshet, which treats signals in its own way."""
    try:
        compiled = _load("_freshet")
    except ImportError as error:
        print(f"freshet: error: {error}", file=sys.stderr)
        return 2
    compiled.sleep_when_idle(list(sys.orig_argv))
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # which Python ignores
        signal.signal(number, signal.SIG_DFL)
    return compiled.run_program(["freshet", *words])


def leave(code):
    """End this process. MPI has ended: nothing of Python's is left to do."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except OSError:
            code = code or FILE_SYSTEM
    os._exit(code)


if sys.argv[1:2] and sys.argv[1] in PARTS:
    sys.exit(run_part(sys.argv[1], sys.argv[2:]))
leave(run_program(sys.argv[1:]))
