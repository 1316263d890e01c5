# SPDX-License-Identifier: Apache-2.0
"""freshet view RUN: the command line."""
import argparse
import contextlib
import html
import signal
import sys
import tempfile
import time
import webbrowser
from pathlib import Path

from ..command_line import refuse
from .scene import Scene
from .server import Server

EPILOG = """\
The page needs no internet. Only programs of this machine reach it, and only with the token in its address. On a login node
start `freshet view RUN --no-browser --port 8421` there and `ssh -L 8421:localhost:8421 NODE` here, and open the address that
it prints. Keys in the page: ? lists them. Ctrl-C ends it."""
WAIT = 0.5  # between looks for a run that has not begun [s]


def parser():
    made = argparse.ArgumentParser(prog="freshet view", description="Show a run in the browser, also while it goes on.",
                                   epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("run", type=Path, help="output directory of a run")
    made.add_argument("--follow", action="store_true", help="show the newest moment as it comes, and wait for a run that has "
                                                            "not begun")
    made.add_argument("--port", type=int, default=0, help="port to listen on (default: one that is free)")
    made.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s, this machine alone; "
                                                          "0.0.0.0: all networks)")
    made.add_argument("--no-browser", action="store_true", help="print the address and open no browser")
    return made


def wait_for(directory):
    """Return once a run has begun in a directory, and say so where it has not yet."""
    begins = directory / "input.resolved.toml"
    if not begins.exists():
        print(f"freshet view: waiting for a run in {directory} (Ctrl-C ends)", file=sys.stderr, flush=True)
    while not begins.exists():
        time.sleep(WAIT)


def main(words=None):
    """Serve until Ctrl-C or SIGTERM. Returns the exit code."""
    arguments = parser().parse_args(words)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    scene = Scene(arguments.run)
    try:
        if arguments.follow:
            wait_for(scene.directory)
        scene.run.parameters
        server = Server(scene, arguments.host, arguments.port)
    except KeyboardInterrupt:
        return 0
    except FileNotFoundError as error:
        return refuse(f"{error}. Give the output directory of a run, or --follow to wait for one")
    except ValueError as error:
        return refuse(error)
    except (OSError, OverflowError) as error:
        return refuse(f"cannot listen on {arguments.host}, port {arguments.port} ({error}). Give another --port, or leave it out")
    address = server.address + ("#newest" if arguments.follow else "")
    print(f"freshet view: {address}", flush=True)
    if arguments.host not in ("127.0.0.1", "localhost", "::1"):
        print("freshet view: other machines may reach this address. Whoever has it sees the run.", file=sys.stderr, flush=True)
    try:
        with contextlib.nullcontext() if arguments.no_browser else opened(address):
            server.serve_forever()
    except KeyboardInterrupt:
        with contextlib.suppress(OSError):  # nobody reads it any more
            print(flush=True)
    finally:
        server.server_close()
    return 0


@contextlib.contextmanager
def opened(address):
    """Open the browser, by a file that only this user can read: all users of the machine see the words of a command."""
    with tempfile.TemporaryDirectory(prefix="freshet-view-") as folder:
        file = Path(folder) / "open.html"  # TemporaryDirectory makes a folder for this user alone
        file.write_text(f'<!doctype html><meta charset="utf-8"><title>freshet view</title>'
                        f'<meta http-equiv="refresh" content="0; url={html.escape(address)}">'
                        f'<a href="{html.escape(address)}">freshet view</a>\n')
        webbrowser.open(file.as_uri())
        yield
