# SPDX-License-Identifier: Apache-2.0
"""Signals that come while Python works between two steps; during a step the solver catches them itself."""
import contextlib
import signal
import sys
import threading
import weakref

from . import _load

STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGUSR2)
USUAL = {signal.SIGINT: signal.default_int_handler}  # of the others: SIG_DFL


class Interrupts:
    """Handlers of the signals that a run knows, as long as a simulation is open. Handlers of the user's own stay.

    On one rank a signal to stop raises KeyboardInterrupt at once. Ranks of a job may be at different places when it comes:
    there the first one counts at the end of the next step, which all ranks take together, and a second one raises
    KeyboardInterrupt. SIGUSR1 asks for a checkpoint after the next step.
    """

    def __init__(self):
        self._open = weakref.WeakSet()
        self._noted = False

    def begin(self, simulation):
        """A simulation has been opened."""
        self._open.add(simulation)
        if threading.current_thread() is not threading.main_thread():
            return  # Python has signals in its main thread alone
        for number in (*STOPS, signal.SIGUSR1):
            if signal.getsignal(number) is USUAL.get(number, signal.SIG_DFL):
                signal.signal(number, self._handle)

    def end(self, simulation):
        """A simulation has been closed."""
        self._open.discard(simulation)
        if self._open or threading.current_thread() is not threading.main_thread():
            return
        for number in (*STOPS, signal.SIGUSR1):
            if signal.getsignal(number) == self._handle:
                signal.signal(number, USUAL.get(number, signal.SIG_DFL))

    def stepped(self):
        """A step has looked at what was noted."""
        self._noted = False

    def _handle(self, number, frame):
        if number == signal.SIGUSR1:
            _load("_freshet").note_signal(number)
            return
        name = signal.Signals(number).name
        several = any(simulation.size > 1 for simulation in self._open)
        if not several or self._noted:
            self._noted = False
            raise KeyboardInterrupt(name)
        self._noted = True
        _load("_freshet").note_signal(number)
        with contextlib.suppress(OSError, ValueError):
            print(f"freshet: {name}: the run stops at the end of its next step; another one ends it at once", file=sys.stderr,
                  flush=True)
