# SPDX-License-Identifier: Apache-2.0
"""What freshet throws. The messages are those of the program `freshet`."""


class Error(Exception):
    """A failure that all ranks have alike: ranks that catch it may go on together."""

    on_all_ranks = True


class InputError(Error, ValueError):
    """The case or a call is wrong: "<place>: <problem> (<why>). <what to do>"."""


class RunError(Error, RuntimeError):
    """The solver failed: it diverged, or lost particles."""


class FileError(Error, OSError):
    """A file could not be read or written."""


class CallbackError(Error, RuntimeError):
    """A Python function of a simulation failed on another rank; the message is its traceback."""


class LocalError(RuntimeError):
    """A call of MPI or PETSc failed, perhaps on this rank alone."""
