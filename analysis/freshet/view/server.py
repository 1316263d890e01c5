# SPDX-License-Identifier: Apache-2.0
"""The page and the numbers of one run over HTTP, for whoever knows the token.

Addresses name a question (`particles`, `slice`, ...) and numbers, never a file: the page's own three files are the only ones
that are sent as they are.
"""
import contextlib
import json
import math
import re
import secrets
import socket
import sys
import threading
import traceback
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from urllib.parse import parse_qsl, urlsplit

from .scene import Missing

PAGE = {"": ("page.html", "text/html; charset=utf-8"), "page.js": ("page.js", "text/javascript; charset=utf-8"),
        "page.css": ("page.css", "text/css; charset=utf-8")}
HEADERS = {
    "Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY", "Cross-Origin-Resource-Policy": "same-origin",
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
                               "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
}
BUDGET = (1000, 32_000_000)
MOST_CONNECTIONS = 32  # each takes a thread and a file of this process; a browser opens six
PATIENCE = 1.0         # with a connection that is closed to make room [s]


class Refused(Exception):
    """The question is not one that the server answers."""


def whole(text, low, high):
    """A whole number in a range. Errors: Refused"""
    if not re.fullmatch(r"[0-9]{1,9}", text) or not low <= int(text) <= high:
        raise Refused(f"a number from {low} to {high} was expected")
    return int(text)


def share(text):
    """A number from 0 to 1. Errors: Refused"""
    if not re.fullmatch(r"[01](\.[0-9]{1,9})?", text) or not 0.0 <= float(text) <= 1.0:
        raise Refused("a number from 0 to 1 was expected")
    return float(text)


def name(text):
    """A name of a record, field or column. Errors: Refused"""
    if not re.fullmatch(r"\w{1,64}", text):
        raise Refused("a name was expected")
    return text


def moment(text):
    """A time [s]. Errors: Refused"""
    if not re.fullmatch(r"[0-9]{1,21}(\.[0-9]{1,21})?(e[+-]?[0-9]{1,3})?", text) or not math.isfinite(float(text)):
        raise Refused("a time was expected")
    return float(text)


def snapshot(text):
    """The number of a snapshot. Errors: Refused"""
    return whole(text, 0, 10**9)


def budget(text):
    """How many particles or triangles at most. Errors: Refused"""
    return whole(text, *BUDGET)


# {question: (how each of its values is read, the answer)}; places in the list of moments would change as files come
QUESTIONS = {
    "state": ({}, lambda scene, q: json.dumps(scene.state(), allow_nan=False).encode()),
    "particles": ({"snapshot": snapshot, "budget": budget, "color": name},
                  lambda scene, q: scene.particles(q["snapshot"], q["budget"], q["color"])),
    "surface": ({"t": moment, "budget": budget}, lambda scene, q: scene.surface(q["t"], q["budget"])),
    "blocks": ({"snapshot": snapshot}, lambda scene, q: scene.blocks(q["snapshot"])),
    "poses": ({"t": moment}, lambda scene, q: scene.poses(q["t"])),
    "slice": ({"snapshot": snapshot, "field": name, "axis": lambda text: whole(text, 0, 2), "place": share},
              lambda scene, q: scene.slice(q["snapshot"], q["field"], q["axis"], q["place"])),
    "curves": ({"columns": lambda text: [name(word) for word in text.split(",")]},
               lambda scene, q: scene.curves(q["columns"])),
    "solids": ({}, lambda scene, q: scene.solids()),
}


class Server(ThreadingHTTPServer):
    """Answers questions about a scene. Errors: OSError if the port is taken

    Anybody on this machine may connect, also without the token. When there are too many connections, the one that has waited
    longest without a question is closed for the new one.
    """

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 128  # connections that come at once wait for a second if the system's queue is full

    def __init__(self, scene, host, port, token=None):
        self.scene, self.token = scene, token or secrets.token_urlsafe(18)
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._open, self._asks = {}, set()  # connections, oldest first; those on which a question is being answered
        self._changed = threading.Condition()
        super().__init__((host, port), Handler)

    def process_request(self, request, client_address):
        with self._changed:
            idle = next((one for one in self._open if one not in self._asks), None)
            if len(self._open) >= MOST_CONNECTIONS and idle is not None:
                with contextlib.suppress(OSError):  # the other end has gone
                    idle.shutdown(socket.SHUT_RDWR)  # its thread sees the end, and closes it
                self._changed.wait_for(lambda: len(self._open) < MOST_CONNECTIONS, PATIENCE)
            is_full = len(self._open) >= MOST_CONNECTIONS
            if not is_full:
                self._open[request] = None
        if is_full:
            self.shutdown_request(request)
        else:
            super().process_request(request, client_address)

    def shutdown_request(self, request):
        super().shutdown_request(request)
        with self._changed:
            self._open.pop(request, None)
            self._changed.notify()

    @contextlib.contextmanager
    def answering(self, connection):
        """A connection on which a question is being answered is not closed; after the answer it is the youngest."""
        with self._changed:
            self._asks.add(connection)
        try:
            yield
        finally:
            with self._changed:
                self._asks.discard(connection)
                if connection in self._open:
                    self._open[connection] = self._open.pop(connection)

    @property
    def address(self):
        host, port = self.server_address[:2]
        shown = {"0.0.0.0": "127.0.0.1", "": "127.0.0.1", "::": "::1"}.get(host, host)
        return f"http://{f'[{shown}]' if ':' in shown else shown}:{port}/{self.token}/"

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], (ConnectionError, TimeoutError)):  # the browser went away
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "freshet", ""
    timeout = 60  # of a connection on which nothing comes [s]

    def do_GET(self):
        with self.server.answering(self.connection):
            self.answer()

    do_HEAD = do_GET

    def answer(self):
        try:
            body, kind = self.body()
            self.reply(HTTPStatus.OK, body, kind)
        except (ConnectionError, TimeoutError):
            self.close_connection = True
        except Refused as error:
            self.reply(HTTPStatus.BAD_REQUEST, str(error).encode())
        except (Missing, FileNotFoundError) as error:
            self.reply(HTTPStatus.NOT_FOUND, str(error).encode() if isinstance(error, Missing) else b"not there")
        except Exception:  # the page says that something went wrong, the terminal what
            traceback.print_exc()
            self.reply(HTTPStatus.INTERNAL_SERVER_ERROR, b"an error: see the terminal in which freshet view runs")

    def body(self):
        """The answer to the request, and its type. Errors: Refused, Missing"""
        try:
            parts = urlsplit(self.path)
            given = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
        except ValueError:
            raise Refused("the address is not well formed") from None
        match = re.fullmatch(r"/([\w-]+)/([\w.]*)", parts.path)
        if match is None or not secrets.compare_digest(match[1].encode(), self.server.token.encode()):
            raise Missing("not there")
        if match[2] in PAGE:
            file, kind = PAGE[match[2]]
            return resources.files(__package__).joinpath(file).read_bytes(), kind
        if match[2] not in QUESTIONS:
            raise Missing("not there")
        readers, answer = QUESTIONS[match[2]]
        if sorted(key for key, _ in given) != sorted(readers):
            raise Refused(f"expected: {', '.join(readers) or 'nothing'}")
        question = {key: readers[key](text) for key, text in given}
        return answer(self.server.scene, question), "application/json" if match[2] == "state" else "application/octet-stream"

    def reply(self, status, body, kind="text/plain; charset=utf-8"):
        self.send_response(status)
        for header, value in HEADERS.items():
            self.send_header(header, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def send_error(self, code, message=None, explain=None):
        """What http.server itself refuses: unknown methods, lines that are too long."""
        self.close_connection = True
        try:
            self.reply(code, b"refused")
        except AttributeError:  # the request's first line was not understood
            pass

    def log_message(self, *words):
        pass


def serve(scene, host, port, token=None):
    """A server that listens. port 0: any that is free."""
    return Server(scene, host, port, token)
