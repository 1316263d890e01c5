# SPDX-License-Identifier: Apache-2.0
"""Ranks of one job: an exception that one of them alone does not catch ends them all."""
import sys

_watched = False
_before_the_end = []  # functions of an exception's class


def watch_exceptions(before_the_end=None):
    """From now on an uncaught exception of one rank ends the job: the others would wait for that rank for ever.

    Exceptions that all ranks have alike (`on_all_ranks`) end each rank as usual. before_the_end: called first, with the
    class of the exception.
    """
    global _watched
    if before_the_end is not None:
        _before_the_end.append(before_the_end)
    if _watched:
        return
    _watched = True
    before = sys.excepthook

    def end_job(kind, error, trace):
        before(kind, error, trace)
        abort = None if getattr(error, "on_all_ranks", False) else abort_of_job()
        if abort is None:
            return
        for function in _before_the_end:
            function(kind)
        sys.stdout.flush()
        sys.stderr.flush()
        abort(1)

    sys.excepthook = end_job


def abort_of_job():
    """The function that ends all ranks with a code; None where MPI does not run, and where it runs on one rank."""
    compiled = sys.modules.get("freshet._freshet")
    if compiled is not None:
        return compiled.abort if compiled.n_ranks() > 1 else None
    mpi = sys.modules.get("mpi4py.MPI")  # it may have started MPI before a part of freshet failed to load
    if mpi is None or not mpi.Is_initialized() or mpi.Is_finalized() or mpi.COMM_WORLD.Get_size() == 1:
        return None
    return mpi.COMM_WORLD.Abort
