#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# needs: python:numpy python:h5py python:matplotlib
# timeout: 300
"""`freshet view` shows a run of 4 ranks while it goes on, and nothing else; `freshet top` prints its numbers.

usage: check_window.py BUILD_DIRECTORY_OR_EXECUTABLE [FOLDER_FOR_SCREENSHOTS]
The page is opened in Chromium by selenium (Debian: chromium-driver, python3-selenium). Without them that part is left out.
"""
import contextlib
import json
import os
import pty
import resource
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

import h5py
import matplotlib.pyplot as plt
import numpy as np

from check_bad_inputs import ENVIRONMENT, ROOT, find_program

sys.path.insert(0, str(ROOT / "analysis"))
import freshet.analysis as fa  # noqa: E402
from freshet.analysis.growing import GrowingTable  # noqa: E402
from freshet.analysis.snapshot import SEAL_SIZE, Snapshot  # noqa: E402
from freshet.geometry.contour import contour  # noqa: E402
from freshet.view import frames  # noqa: E402
from freshet.view.scene import Scene  # noqa: E402
from freshet.view.packets import pack, quantised, unpack  # noqa: E402

CASE = """
title = "window"
run.end_time = 1000
domain.cells = [32, 16, 16]
domain.cell_size = 0.0625
output.interval = 0.05
output.particles = ["velocity", "id", "tag", "heat"]
output.fields = ["pressure", "velocity", "label", "distance", "divergence", "vorticity", "density_error", "open_fraction", "rank"]
output.surface.interval = 0.1
[[attribute]]
name = "heat"
type = "real"
default = 2.5
[[attribute.region]]
shape = "half_space"
point = [1.0, 0.0, 0.0]
normal = [1.0, 0.0, 0.0]
value = -1.0
[[liquid]]
shape = "box"
lower = [0.0, 0.0, 0.0]
upper = [0.6, 0.75, 1.0]
tag = 3
[[liquid]]
shape = "box"
lower = [1.5, 0.0, 0.0]
upper = [2.0, 0.4, 1.0]
tag = 5
[[solid]]
shape = "sphere"
center = [1.1, 0.2, 0.5]
radius = 0.2
"""
SECRET = "this stands outside of the run"
BUDGET = 4000


class Window:
    """A run, `freshet view` of it, and what went wrong."""

    def __init__(self, program, folder):
        self.program, self.folder, self.run, self.problems = program, folder, folder / "run", []
        (folder / "case.toml").write_text(CASE)
        (folder / "secret.txt").write_text(SECRET)
        (folder / "secret").mkdir()
        # it waits for a run that has not begun
        self.view = subprocess.Popen([program, "view", str(self.run), "--follow", "--no-browser"], stdout=subprocess.PIPE,
                                     text=True, env=dict(ENVIRONMENT, FRESHET_PYTHON=sys.executable))
        self.job = subprocess.Popen(["mpirun", "-np", "4", program, "run", str(folder / "case.toml"), "--output-dir",
                                     str(self.run)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=ENVIRONMENT)
        while not (self.run / "input.resolved.toml").exists():
            if self.job.poll() is not None:
                self.view.terminate()
                sys.exit(f"the run has ended: {self.job.stderr.read().decode()}")
            time.sleep(0.02)
        self.url = self.view.stdout.readline().split()[-1].split("#")[0]
        self.port, self.token = int(self.url.split(":")[2].split("/")[0]), self.url.split("/")[3]

    def expect(self, truth, what):
        if not truth:
            self.problems.append(what)

    def state(self):
        return json.loads(urllib.request.urlopen(self.url + "state", timeout=20).read())

    def ask(self, question):
        return unpack(urllib.request.urlopen(self.url + question, timeout=20).read())

    def wait_for(self, moments):
        until = time.monotonic() + 60
        while time.monotonic() < until:
            state = self.state()
            if len(state["times"]) >= moments and state["steps"]:
                return state
            time.sleep(0.05)
        sys.exit("the run wrote no snapshots within a minute")

    def raw(self, request):
        """What the server says to bytes: (status or 0, body)."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as link:
            link.sendall(request)
            link.shutdown(socket.SHUT_WR)
            answer = b""
            while part := link.recv(65536):
                answer += part
        head, _, body = answer.partition(b"\r\n\r\n")
        words = head.split()
        return int(words[1]) if len(words) > 1 and words[0].startswith(b"HTTP/") else 0, body

    def get(self, path, method="GET"):
        return self.raw(f"{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())

    def stop(self):
        (self.run / "STOP").touch()  # mpirun kills ranks that need more than a second after a signal
        self.job.wait(60)


def check_parts(window):
    """Pieces that need no run."""
    ids = np.arange(100_000, dtype=np.uint64)
    kept = frames.hashes(ids) <= (1 << 29) - 1
    window.expect(abs(kept.mean() - 1 / 8) < 0.004, f"an eighth of the ids is chosen: {kept.mean()}")
    gaps = np.diff(np.flatnonzero(kept))  # of independent choices they are geometric: mean 8, deviation sqrt(56)
    window.expect(abs(gaps.mean() - 8) < 0.3 and abs(gaps.std() - 56**0.5) < 0.5, f"it looks random: {gaps.mean()}, {gaps.std()}")
    x = np.random.default_rng(1).normal(size=1000)
    q, low, step = quantised(x)
    window.expect(np.abs(low + step * q - x).max() <= 0.501 * step, "16 bits are as near as they can be")
    window.expect(unpack(pack({"a": 1}, {"q": q}))[1]["q"].tolist() == q.tolist(), "packets come back")
    points, triangles = contour(lambda p: np.linalg.norm(p - 0.5, axis=-1) - 0.3, np.zeros(3), 0.02, (51, 51, 51))
    corners = points[triangles]
    volume = np.einsum("ij,ij->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6
    window.expect(abs(volume / (4 / 3 * np.pi * 0.027) - 1) < 0.01, f"the net around a sphere encloses it: {volume}")
    path = window.folder / "growing.csv"
    table = GrowingTable(path)
    window.expect(not table.refresh(), "no file, no columns")
    for text, steps in (("step,t [s]\n1,0.1\n2,0.", [1]), ("step,t [s]\n1,0.1\n2,0.2\n3,0.3\n", [1, 2, 3]),
                        ("step,t [s]\n1,0.1\n2,0.2\n3,0.3\n2,0.25\n", [1, 2, 3]), ("step,t [s]\n1,0.1\n2,0.15\n3,0.2\n4,0.3\n", [1, 2, 3, 4]),
                        ("step,t [s]\n1,0.5\n", [1])):
        path.write_text(text)
        found = table.refresh()
        window.expect(found["step"].tolist() == steps, f"a table that changes: {found}")
    window.expect(found["t"].tolist() == [0.5] and found.units == {"t": "s"}, f"rows that were taken back are forgotten: {found}")


def check_answers(window):
    """What the server says of a snapshot is what stands in it."""
    state = window.wait_for(5)
    window.expect(state["status"] == "running" and state["ranks"] == 4 and state["solids"] == 1, f"state: {state}")
    window.expect(state["colors"] == ["speed", "tag", "rank", "heat", "id"], f"colours: {state['colors']}")
    index = max(i for i, number in enumerate(state["snapshots"]) if number is not None and state["surfaces"][i])
    number, t = state["snapshots"][index], state["times"][index]
    snapshot = fa.open(window.run).snapshots.at(t)
    parts = snapshot.particles()
    speed = np.linalg.norm(parts["velocity"], axis=1)
    for color, values in (("tag", parts["tag"]), ("heat", parts["heat"]), ("speed", speed)):
        head, arrays = window.ask(f"particles?snapshot={number}&budget=1000000&color={color}")
        order = np.argsort(frames.hashes(parts["id"]), kind="stable")
        x = np.array(head["low"]) + np.array(head["step"]) * arrays["position"].reshape(-1, 3)
        found = head["color_low"] + head["color_step"] * arrays["color"]
        window.expect(len(x) == snapshot.count and np.abs(x - parts["position"][order]).max() < 2.1 / 65535,
                      f"{color}: all particles, within half a step of 16 bits")
        window.expect(np.abs(found - values[order]).max() <= 0.51 * head["color_step"], f"values of {color}")
        window.expect(head["kind"] == ("category" if color == "tag" else "number"), f"kind of {color}: {head}")
    some, chosen = window.ask(f"particles?snapshot={number}&budget={BUDGET}&color=rank")
    window.expect(some["all"] == snapshot.count and 0.35 * BUDGET < some["count"] <= 1.1 * BUDGET, f"fewer particles: {some}")
    with h5py.File(snapshot.path) as file:
        patches = next(iter(file["data"].values()))["particles/liquid/particlePatches/numParticles"][()]
    ranks = {rank for rank, count in enumerate(patches) if count > 0.05 * snapshot.count}  # a small share may have no chosen one
    window.expect(len(ranks) > 1 and ranks <= set(chosen["color"]) <= {0, 1, 2, 3}, f"ranks: {set(chosen['color'])}, not {ranks}")
    first, again = window.ask(f"particles?snapshot=0&budget={BUDGET}&color=id")
    now, later = window.ask(f"particles?snapshot={number}&budget={BUDGET}&color=id")
    window.expect(first["level"] == now["level"] > 0 and np.array_equal(again["color"], later["color"]), "the same ones at every time")
    head, blocks = window.ask(f"blocks?snapshot={number}")
    own = {tuple(corner) for corner in blocks["corner"].reshape(-1, 3)}
    places = {tuple(place) for place in np.floor(parts["position"] / 0.5)}
    rank_of = {tuple(corner): rank for corner, rank in zip(blocks["corner"].reshape(-1, 3), blocks["rank"])}
    window.expect(head["are_all"] and len(own) == head["count"] and own > places and set(blocks["rank"]) == {0, 1, 2, 3},
                  f"blocks: {head}, {len(own)}, {places - own}")
    with_particles, ranks = frames.blocks_with_particles(snapshot, np.zeros(3), 0.5)
    guessed = dict(zip(map(tuple, with_particles), ranks))
    window.expect(guessed.keys() == places and all(rank_of[place] == rank for place, rank in guessed.items()),
                  "blocks of a snapshot that does not hold them")
    head, cut = window.ask(f"slice?snapshot={number}&field=pressure&axis=2&place=0.5")
    field = np.asarray(snapshot.field("pressure"))[8]
    label = np.asarray(snapshot.field("label"))[8]
    values = (head["value_low"] + head["value_step"] * cut["value"]).reshape(field.shape)
    wet = cut["mask"].reshape(field.shape) == 1
    window.expect(np.array_equal(wet, label == 1) and np.abs(values - field)[wet].max() <= 0.51 * head["value_step"], "slice of the pressure")
    for name in ("distance", "divergence", "vorticity", "density_error", "open_fraction", "rank"):
        head, cut = window.ask(f"slice?snapshot={number}&field={name}&axis=2&place=0.5")
        field = np.asarray(snapshot.field(name))[8]
        field = np.linalg.norm(field, axis=-1) if field.ndim == 3 else field
        values = (head["value_low"] + head["value_step"] * cut["value"]).reshape(field.shape)
        window.expect(np.abs(values - field)[wet].max() <= 0.51 * head["value_step"] + 1e-12, f"slice of the field {name}")
    head, mesh = window.ask(f"surface?t={t!r}&budget=1000000")
    fewer, _ = window.ask(f"surface?t={t!r}&budget=1000")
    window.expect(head["count"] == head["all"] > 1000 >= fewer["count"] > 200, f"surfaces: {head['count']}, {fewer['count']}")
    window.expect(mesh["triangle"].max() < len(mesh["position"]) // 3 == len(mesh["normal"]) // 4, "triangles name vertices")
    head, solid = window.ask("solids")
    radius = np.linalg.norm(solid["points 0"].reshape(-1, 3) - [1.1, 0.2, 0.5], axis=1)
    inside = solid["points 0"].reshape(-1, 3)[:, 1] > 0.01  # the floor cuts the sphere
    window.expect(head["missing"] == [] and np.abs(radius[inside] - 0.2).max() < 0.03, "the solid is where it is")
    head, curves = window.ask("curves?columns=volume,height_energy")
    steps = fa.open(window.run).step_columns
    n = head["steps"]
    window.expect(np.nanmax(curves["high volume"]) == np.nanmax(steps["volume"][:n]) and curves["low height_energy"].min() == 0, "curves")


def check_links(window):
    """Tables and texts of a run that are links out of its directory are not read."""
    folder = window.folder / "linked"
    folder.mkdir()
    (folder / "input.resolved.toml").write_text((window.run / "input.resolved.toml").read_text())
    (window.folder / "outside.csv").write_text("t [s],hunter2\n0,1\n")
    Scene(folder).run  # it is a run without the link
    (folder / "steps.csv").symlink_to(window.folder / "outside.csv")
    for name, ask in (("state", lambda: Scene(folder).run), ("curves", lambda: Scene(folder).curves(["hunter2"]))):
        try:
            ask()
            window.expect(False, f"{name} of a table outside the run is refused")
        except FileNotFoundError:
            pass


def answer_within(seconds, ask):
    """ask(), or what kept it from an answer."""
    found = []
    thread = threading.Thread(target=lambda: found.append(ask()), daemon=True)
    thread.start()
    thread.join(seconds)
    return found[0] if found else f"no answer within {seconds} s"


def check_other_files(window):
    """Numbers of a snapshot that stand in another file, and meshes that the run has not read, are not shown."""
    folder = window.folder / "pointing"
    shutil.copytree(window.run / "snapshots", folder / "snapshots", ignore=lambda _, names: names[1:] if len(names) > 1 else [])
    whole = next((folder / "snapshots").glob("snap_*.h5"))
    other = window.folder / "other.h5"
    with h5py.File(other, "w") as file:
        file["numbers"] = np.arange(8.0)
    source = h5py.VirtualSource(str(other), "numbers", shape=(8,))
    layout = h5py.VirtualLayout(shape=(8,), dtype="f8")
    layout[:] = source
    seal = whole.read_bytes()[-SEAL_SIZE:]
    edits = {1: lambda group: group.__setitem__("pressure_link", h5py.ExternalLink(str(other), "numbers")),
             2: lambda group: group.create_virtual_dataset("taken", layout),
             3: lambda group: group.create_dataset("outer", (8,), "f8", external=[(str(other), 0, 64)]),
             4: lambda group: group.create_dataset("endless", (10**15,), "f8", chunks=(1024,))}
    for number, edit in edits.items():
        path = folder / "snapshots" / f"snap_{900000 + number}.h5"
        shutil.copy(whole, path)
        with h5py.File(path, "r+") as file:
            edit(file[f"data/{next(iter(file['data']))}/particles/liquid"])
        with open(path, "ab") as file:
            file.write(seal)
        assert Snapshot(path).count, "it is a snapshot for readers on one's own machine"
    path = folder / "snapshots/snap_900005.h5"  # groups that contain themselves and each other are looked at once
    shutil.copy(whole, path)
    with h5py.File(path, "r+") as file:
        group = file[f"data/{next(iter(file['data']))}/meshes"]
        for number in range(40):  # 2^40 ways through them
            group[f"a{number}"] = group[f"b{number}"] = group.create_group(f"c{number}")
            group = group[f"a{number}"]
        group["again"] = file["data"]
        group["self"] = group
    with open(path, "ab") as file:
        file.write(seal)
    text = (window.run / "input.resolved.toml").read_text()
    mesh = window.folder / "secret.obj"
    mesh.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    (folder / "input.resolved.toml").write_text(text + f'\n[[solid]]\nshape = "mesh"\nfile = "{mesh}"\n')
    scene = Scene(folder)
    found = answer_within(20, lambda: list(scene.snapshots()))
    window.expect(found == [int(whole.stem[5:]), 900005], f"snapshots with parts elsewhere, or in circles: {found}")
    head, arrays = unpack(scene.solids())
    window.expect("not the one that the run has read" in head["missing"][-1] and not len(arrays["points 1"]), f"a mesh not of the run: {head}")
    digits = 14695981039346656037
    for byte in mesh.read_bytes():
        digits = (digits ^ byte) * 1099511628211 % 2 ** 64
    with open(folder / "input.resolved.toml", "a") as file:
        file.write(f'file_hash = "{digits:016x}"\n')
    head, arrays = unpack(Scene(folder).solids())
    window.expect(not head["missing"] and len(arrays["points 1"]) == 9, f"a mesh that the run has read: {head}")


def check_refusals(window):
    """Nothing but answers to questions comes out, and only with the token."""
    good, number = f"/{window.token}/", 1  # of a snapshot without a surface
    state = window.state()
    t = state["times"][state["snapshots"].index(number)]
    window.expect(window.get(good)[0] == 200 and window.get(good + "page.js")[0] == 200, "the page is there")
    (window.run / "meshes").mkdir(exist_ok=True)
    outside = window.folder / "secret.txt"
    for link, target in ((window.run / "meshes/mesh_000001.ply", outside), (window.run / "link", window.folder / "secret"),
                         (window.run / "snapshots/snap_999999.h5", outside)):
        link.symlink_to(target)
    window.expect(999999 not in window.state()["snapshots"], "a link that leads out of the run is no snapshot")
    here = str(window.run)
    paths = ["/", "/page.js", "/state", good + "../secret.txt", good + "..%2f..%2fsecret.txt", good + "%2e%2e/secret.txt", good + "run.json",
             good + "steps.csv", good + "snapshots/snap_000000.h5", good + "/etc/passwd", good + "//etc/passwd", "//etc/passwd",
             good + here + "/run.json", good + "link", good + "meshes/mesh_000001.ply", f"{good}surface?t={t!r}&budget=1000",
             "/" + window.token[:-1] + "/state", "/" + window.token + "x/state", "/" + window.token.swapcase() + "/state", "/%00/state",
             good + "state/..", good + "page.py", good + "scene.py", "http://127.0.0.1/etc/passwd", "/" + "A" * 200 + "/state",
             good + "particles?snapshot=99999999&budget=1000&color=speed", good + f"particles?snapshot={number}&budget=1000&color=secret",
             good + f"slice?snapshot={number}&field=pressures&axis=0&place=0", good + "surface?t=1e300&budget=1000"]
    bad = [good + "state?x=1", good + "particles", good + "particles?snapshot=-1&budget=1000&color=speed",
           good + "particles?snapshot=0&budget=1&color=speed", good + "particles?snapshot=0&snapshot=1&budget=1000&color=speed",
           good + f"particles?snapshot={number}&budget=1000&color=../velocity", good + f"particles?at={number}&budget=1000&color=speed",
           good + f"slice?snapshot={number}&field=pressure&axis=3&place=0.5", good + f"slice?snapshot={number}&field=pressure&axis=0&place=nan",
           good + "surface?t=nan&budget=1000", good + "surface?t=1e999&budget=1000", good + "poses?t=-1", good + "poses?t=%D9%A1",
           good + "curves?columns=", good + "curves?columns=t,../../secret", good + "blocks?snapshot=1e3", good + "blocks?snapshot=%D9%A1"]
    for path, statuses in [(path, {404, 400}) for path in paths] + [(path, {400}) for path in bad]:
        status, body = window.get(path)
        window.expect(status in statuses and SECRET.encode() not in body and b"root:" not in body and len(body) < 200, f"{path}: {status}, {body[:60]}")
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "CONNECT", "PROPFIND", "get", "../GET"):
        status, body = window.get(good + "state", method)
        window.expect(status in (400, 405, 501) and len(body) < 200, f"{method}: {status}, {body[:60]}")
    for request in (b"\r\n\r\n", b"GET\r\n\r\n", b"\0\1\2\3\r\n\r\n", b"GET " + good.encode() + b"state HTTP/9.9\r\n\r\n",
                    b"GET /" + b"A" * 70000 + b" HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 300 + b"\r\n"):
        status, body = window.raw(request)
        window.expect(status not in range(200, 300) and len(body) < 500, f"{request[:30]}: {status}, {body[:60]}")
    status, body = window.get(good + "state", "HEAD")
    window.expect(status == 200 and body == b"", f"HEAD: {status}, {body[:60]}")
    try:  # another address of this machine
        socket.create_connection((socket.gethostbyname(socket.gethostname()), window.port), timeout=1).close()
        window.expect(socket.gethostbyname(socket.gethostname()).startswith("127."), "only this machine's own address is listened on")
    except OSError:
        pass
    window.expect(window.state()["status"] == "running", "it still answers")
    for link in (window.run / "meshes/mesh_000001.ply", window.run / "link", window.run / "snapshots/snap_999999.h5"):
        link.unlink()


def check_idle_connections(window):
    """Connections that ask nothing do not keep others out, also where few files may be open."""
    def few_files():
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))

    with subprocess.Popen([window.program, "view", str(window.run), "--no-browser"], stdout=subprocess.PIPE, text=True,
                          env=dict(ENVIRONMENT, FRESHET_PYTHON=sys.executable), preexec_fn=few_files) as view:
        address = view.stdout.readline().split()[-1]
        port = int(address.split(":")[2].split("/")[0])
        links = []
        with contextlib.suppress(OSError):  # no more can be made
            while len(links) < 200:
                links.append(socket.create_connection(("127.0.0.1", port), timeout=2))
        for link in links[150:]:
            with contextlib.suppress(OSError):
                link.sendall(b"GET /")  # and no more
        try:
            state = json.loads(urllib.request.urlopen(address + "state", timeout=20).read())
            window.expect(len(state["snapshots"]) > 4, f"the snapshots beside 200 idle connections: {state['snapshots']}")
        except (OSError, ValueError) as error:
            window.expect(False, f"an answer beside 200 idle connections: {error}")
        for link in links:
            link.close()
        view.terminate()
        view.communicate(timeout=30)


def check_working_directory(window):
    """What lies in the working directory is not run: it may be a run of somebody else's."""
    folder = window.folder / "strange"
    folder.mkdir()
    done = window.folder / "has_run"
    for name in ("json", "h5py", "numpy", "freshet", "argparse", "signal", "runpy", "matplotlib", "http", "sitecustomize"):
        (folder / f"{name}.py").write_text(f"open({str(done)!r}, 'a').write({name!r} + ' ')\nraise SystemExit(77)\n")
    module = [sys.executable, "-m", "freshet"]
    (window.folder / "other").mkdir()
    for name in ("json", "h5py", "numpy", "argparse", "signal", "matplotlib"):  # -m looks for freshet itself before freshet can help it
        shutil.copy(folder / f"{name}.py", window.folder / "other")
    for command, path, environment in (
            ([window.program], folder, {}), ([window.program], folder, {"PYTHONPATH": ":/nowhere::"}),
            (module, window.folder / "other", {"PYTHONPATH": str(ROOT / "analysis")})):
        for words, part in ((["top", str(window.run)], "iterations"), (["plot", "energy", str(window.run)], "energy.pdf"),
                            (["view", "--help"], "--no-browser")):
            said = subprocess.run([*command, *words], cwd=path, capture_output=True, text=True,
                                  env=dict(ENVIRONMENT, FRESHET_PYTHON=sys.executable, **environment))
            window.expect(said.returncode == 0 and part in said.stdout, f"{words} among strange files: {said}")
    window.expect(not done.exists(), f"modules of the working directory have run: {done.exists() and done.read_text()}")


def check_address_of_version_6(window):
    """The view listens on an IPv6 address, where the machine has one, and prints an address that works."""
    try:
        with socket.socket(socket.AF_INET6) as found:
            found.bind(("::1", 0))
    except OSError:
        return
    with subprocess.Popen([window.program, "view", str(window.run), "--no-browser", "--host", "::1"], stdout=subprocess.PIPE, text=True,
                          env=dict(ENVIRONMENT, FRESHET_PYTHON=sys.executable)) as view:
        address = view.stdout.readline().split()[-1]
        window.expect("//[::1]:" in address and urllib.request.urlopen(address + "state", timeout=20).status == 200, f"IPv6: {address}")
        view.terminate()
        view.communicate(timeout=30)


def check_browser(window):
    """The address with its token stands in no command line: the browser gets a file that other users cannot read."""
    seen = window.folder / "seen"
    browser = window.folder / "browser.sh"
    browser.write_text(f'#!/bin/sh\nstat -c %a "$(dirname "${{1#file://}}")" > {seen}.part\necho "$@" >> {seen}.part\n'
                       f'cat "${{1#file://}}" >> {seen}.part\nmv {seen}.part {seen}\n')
    browser.chmod(0o755)
    view = subprocess.Popen([window.program, "view", str(window.run)], stdout=subprocess.PIPE, text=True,
                            env=dict(ENVIRONMENT, FRESHET_PYTHON=sys.executable, BROWSER=f"{browser} %s"))
    address = view.stdout.readline().split()[-1]
    until = time.monotonic() + 20
    while not seen.exists() and time.monotonic() < until:
        time.sleep(0.02)
    mode, words, text = seen.read_text().split("\n", 2)
    view.terminate()
    view.wait(20)
    file = Path(words.removeprefix("file://"))
    window.expect(mode == "700" and address.split("/")[-2] not in words and f'url={address}"' in text, f"the browser's file: {mode}, {words}, {text}")
    window.expect(not file.parent.exists(), "the file goes with the window")


def check_top(window):
    """The numbers in a pipe, and on a terminal until q is pressed."""
    done = subprocess.run([window.program, "top", str(window.run)], capture_output=True, text=True, env=dict(ENVIRONMENT, COLUMNS="90"))
    window.expect(done.returncode == 0 and "window" in done.stdout and "iterations" in done.stdout and "\x1b" not in done.stdout
                  and max(map(len, done.stdout.splitlines())) <= 90, f"top in a pipe: {done.stdout}{done.stderr}")
    narrow = subprocess.run([window.program, "top", str(window.run)], capture_output=True, text=True, env=dict(ENVIRONMENT, COLUMNS="24"))
    rows = [line for line in narrow.stdout.splitlines() if line.startswith(("particles ", "iterations "))]
    window.expect(len(rows) == 2 and all(line.split()[-1][0].isdigit() for line in rows) and max(map(len, narrow.stdout.splitlines())) <= 24,
                  f"top on a narrow screen: {narrow.stdout}{narrow.stderr}")
    nothing = subprocess.run([window.program, "top", str(window.folder)], capture_output=True, text=True, env=ENVIRONMENT)
    window.expect(nothing.returncode == 2 and "holds no run" in nothing.stderr, f"top without a run: {nothing}")
    nothing = subprocess.run([window.program, "view", str(window.folder)], capture_output=True, text=True, env=ENVIRONMENT)
    window.expect(nothing.returncode == 2 and "holds no run" in nothing.stderr, f"view without a run: {nothing}")
    own, terminal = pty.openpty()
    top = subprocess.Popen([window.program, "top", str(window.run), "--interval", "0.1"], stdin=terminal, stdout=terminal, env=ENVIRONMENT)
    text = b""
    until = time.monotonic() + 20
    while text.count(b"\x1b[H") < 2 and time.monotonic() < until:
        if select.select([own], [], [], 0.1)[0]:
            text += os.read(own, 65536)
    os.write(own, b"q")
    try:
        window.expect(top.wait(10) == 0 and b"iterations" in text and text.count(b"\x1b[H") >= 2, f"top on a terminal: {text[:300]}")
    except subprocess.TimeoutExpired:
        top.kill()
        window.problems.append("q does not end top")
    os.close(own)
    os.close(terminal)


# ------------------------------------------------------------------------------------------------------- in a browser
def browser():
    """Chromium without a screen, or None where it or selenium is not installed."""
    try:
        from selenium import webdriver
    except ImportError:
        return None
    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if program is None or driver is None:
        return None
    options = webdriver.ChromeOptions()
    for word in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
                 "--hide-scrollbars", "--disable-background-networking", "--no-first-run"):
        options.add_argument(word)
    options.binary_location = program
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=webdriver.chrome.service.Service(driver), options=options)


class Page:
    def __init__(self, window, driver, pictures):
        self.window, self.driver, self.pictures = window, driver, pictures

    def size(self, width, height, mobile=False):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile})

    def js(self, text):
        return self.driver.execute_script("return " + text)

    def until(self, text, what):
        until = time.monotonic() + 20
        while time.monotonic() < until:
            if self.js(text):
                return
            time.sleep(0.03)
        self.window.problems.append(f"page: {what}")

    def keys(self, *keys):
        from selenium.webdriver.common.action_chains import ActionChains
        ActionChains(self.driver).send_keys(*keys).perform()

    def choose(self, **values):
        for name, value in values.items():
            self.js(f"element('{name}').value = '{value}', element('{name}').dispatchEvent(new Event('change'))")
        self.until("!loading && !dirty", f"{values} are shown")
        time.sleep(0.1)

    def picture(self, name):
        """Pixels of the canvas alone, (h, w, 3), after the screenshot has been kept."""
        path = self.pictures / f"window_{name}.png"
        self.until("!loading && !dirty", f"{name}: what was loaded is drawn")
        time.sleep(0.1)  # until the browser has put it on its screen
        self.driver.save_screenshot(str(path))
        pixels = plt.imread(path)[..., :3]
        x, y, w, h = (round(v) for v in self.js("(b => [b.x, b.y, b.width, b.height])(element('picture').getBoundingClientRect())"))
        return pixels[max(y, 0):y + h, x:x + w]


def colourful(pixels):
    """Share of the pixels that are no grey."""
    return float((np.ptp(pixels, axis=-1) > 0.15).mean())


def check_page(window, driver, pictures):
    from selenium.webdriver.common.keys import Keys
    page = Page(window, driver, pictures)
    page.size(1280, 800)
    driver.get(window.url + "#newest")
    page.until("typeof state !== 'undefined' && state && at >= 0 && !loading && !dirty", "shows something")
    window.expect(page.js("element('follow').checked") and "running" in page.js("element('status').textContent"), "page: follows")
    before = page.js("state.times.length")
    page.until(f"state.times.length > {before} && at > {before - 1}", "new moments come while the run goes on")
    for _ in range(10):  # new moments may come between drawing and the screenshot
        share = colourful(page.picture("running"))
        if share > 0.03:
            break
    window.expect(share > 0.03, f"page: liquid is in the picture: {share}")
    window.stop()
    page.until("state.status !== 'running'", "the end of the run is noticed")
    page.keys(Keys.HOME)
    page.until("at === 0 && !loading && !element('follow').checked", "Home goes to the first moment")
    page.choose(color="tag")
    start = page.picture("tag")
    window.expect(page.js("element('legend').textContent") == "tag35", "page: tags have names in the legend")
    page.keys(Keys.RIGHT, Keys.RIGHT)
    page.until("at === 2 && !loading", "the arrow goes on")
    page.choose(rate=5)
    page.keys(" ")
    page.until("playing && at >= 3", "space plays")
    page.keys(" ")
    window.expect(not page.js("playing"), "page: space stops")
    page.keys("d", "d", "d", "w", "+", "+")
    page.until("!moving() && !dirty", "the view has been turned")
    window.expect(np.abs(page.picture("turned") - start).max() > 0.2, "page: the view turns")
    page.js("show(state.snapshots.findIndex((number, i) => i > 2 && number !== null))")  # other moments have no fields
    page.keys("r", "b", "g")
    page.choose(liquid="none")
    window.expect(page.js("Boolean(shown.blocks && shown.slice && !shown.particles)"), "page: blocks and slice alone")
    window.expect(colourful(page.picture("slice")) > 0.02, "page: blocks and slice are in the picture")
    page.keys("b", "g")
    page.choose(liquid="surface")
    page.js("show(state.surfaces.lastIndexOf(1))")
    page.until("shown.surface && !loading && !dirty", "a surface is shown")
    time.sleep(0.1)
    window.expect(colourful(page.picture("surface")) > 0.03, "page: the surface is in the picture")
    window.expect(page.js("document.querySelectorAll('.curve canvas').length") == 4, "page: four curves")
    page.js("element('curves').querySelector('canvas').click()")
    page.until("at === 0 && !loading", "a click on a curve goes to its time")
    page.keys("?")
    window.expect(page.js("element('help').open"), "page: ? shows the keys")
    page.keys(Keys.ESCAPE)
    unnamed = page.js("[...document.querySelectorAll('input, select, button, canvas')].filter(e => !e.labels?.length && !e.ariaLabel && "
                      "!e.textContent.trim() && !e.closest('.curve')).map(e => e.id)")
    window.expect(unnamed == [], f"page: every control has a name: {unnamed}")
    for width, height in ((390, 844), (320, 568), (740, 360)):
        page.size(width, height, mobile=True)
        driver.get(window.url)
        page.until("typeof state !== 'undefined' && state && at >= 0 && !loading && !dirty", "shows something on a phone")
        time.sleep(0.1)
        window.expect(page.js("document.documentElement.scrollWidth") <= width, f"page: nothing lies beside a screen of {width}")
        window.expect(colourful(page.picture(f"phone_{width}")) > 0.03, f"page: liquid on a screen of {width} x {height}")
        small = page.js("[...document.querySelectorAll('#timeline button')].filter(e => e.getBoundingClientRect().height < 36).length")
        window.expect(small == 0, "page: buttons can be hit by a finger")
    messages = [entry["message"] for entry in driver.get_log("browser")]
    window.expect(messages == [], f"page: no errors: {messages}")
    window.view.terminate()
    page.until("lost", "the page says that the server is gone")


def main():
    with tempfile.TemporaryDirectory() as name:
        window = Window(find_program(sys.argv[1]), Path(name))
        pictures = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(name)
        driver = None
        try:
            check_parts(window)
            check_answers(window)
            check_refusals(window)
            check_idle_connections(window)
            check_working_directory(window)
            check_address_of_version_6(window)
            check_links(window)
            check_other_files(window)
            check_browser(window)
            check_top(window)
            driver = browser()
            if driver is None:
                print("skipped: the page itself, for there is no Chromium with its driver, or no selenium")
            else:
                check_page(window, driver, pictures)
        finally:
            if driver is not None:
                driver.quit()
            for process in (window.view, window.job):
                if process.poll() is None:
                    process.terminate()
                    process.wait(30)
    for problem in window.problems:
        print(f"FAILED: {problem}")
    sys.exit(1 if window.problems else 0)


if __name__ == "__main__":
    main()
