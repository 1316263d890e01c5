# SPDX-License-Identifier: Apache-2.0
"""Programs that a script starts and that do not outlive it: a signal that ends the script ends its program first."""
import contextlib
import signal
import subprocess
import sys

STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
PATIENCE = 15  # [s] in which mpirun and srun end their ranks


def exit_on_signals(message):
    """Makes each of STOPS print the message, its {name} in it, and exit with 128 + number, as a shell reports a signal.

    A signal that is ignored stays so, as nohup wants it, and one that the script already handles keeps its handler.
    """
    def handle(number, _):
        print(message.format(name=signal.Signals(number).name), file=sys.stderr)
        sys.exit(128 + number)

    for number in STOPS:
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, handle)


@contextlib.contextmanager
def signals_wait():
    """Signals that come inside take effect at the end."""
    came = []
    handlers = {number: signal.getsignal(number) for number in STOPS}
    kept = [number for number, handler in handlers.items() if callable(handler)]
    for number in kept:
        signal.signal(number, lambda number, _: came.append(number))
    try:
        yield
    finally:
        for number in kept:
            signal.signal(number, handlers[number])
    if came:
        signal.raise_signal(came[0])


def run_stoppable(command, **options):
    """As subprocess.run(command, capture_output=True, text=True, **options), but an exception during the wait ends the program,
    with time to end what it has started."""
    process = None
    try:
        with signals_wait():  # else one could come after the program has started and before `process` is set
            # In a group of its own, because Ctrl-C would reach it too, and mpirun leaves its ranks at a second signal.
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       text=True, process_group=0, **options)
        out, err = process.communicate()
        return subprocess.CompletedProcess(command, process.returncode, out, err)
    except BaseException:
        if process:
            end(process)
        raise


def end(process):
    """Terminates a program, and kills it if it does not end. The script is ending: further signals do not cut this short."""
    for number in STOPS:
        signal.signal(number, signal.SIG_IGN)
    process.terminate()
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
