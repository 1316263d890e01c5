#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# needs: python:numpy python:h5py
"""A run ends as it is told to: signals, a STOP file, the wall-time limit; it goes on where it ended, and it never replaces
another run unasked.

usage: check_run_control.py BUILD_DIRECTORY_OR_EXECUTABLE
"""
import csv
import json
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

import h5py
import numpy

import commands
from check_bad_inputs import ENVIRONMENT, ROOT, find_program

CASE = str(ROOT / "inputs" / "dam_break_2d.toml")
GAUGES = """
[run]
end_time = 0.4
[domain]
dimension = 2
cells = [64, 48]
cell_size = 0.015625
[[liquid]]
shape = "box"
lower = [0.0, 0.0]
upper = [0.25, 0.5]
[[gauge]]
name = "h"
type = "height"
start = [0.3, 0.0]
end = [0.3, 0.75]
[[gauge]]
name = "p"
type = "pressure"
interval = 0.04
point = [0.0, 0.1]
[[gauge]]
name = "mean"
type = "profile"
interval = 0.04
mean = true
start = [0.1, 0.0]
end = [0.9, 0.0]
line = [0.0, 0.75]
count = 11
"""
FRAMES = """
[run]
end_time = 1.0
[domain]
dimension = 2
cells = [32, 32]
cell_size = 0.04
[output]
interval = 0.1
[checkpoint]
steps = 31
keep = 5
[[liquid]]
shape = "box"
lower = [0.0, 0.0]
upper = [0.4, 0.9]
"""
DRIFTING = """
run.end_time = 1.5
output.interval = 1.0
density.correction = "off"
time.cfl = 5.0
[domain]
dimension = 2
cells = [32, 24]
cell_size = 0.05
[[liquid]]
shape = "box"
lower = [0.0, 0.0]
upper = [0.5, 1.0]
"""
LEAVING = """
run.end_time = 0.3
output.interval = 1.0
[domain]
dimension = 2
cells = [32, 24]
cell_size = 0.05
boundary = { x_high = "open", y_high = "open" }
[[liquid]]
shape = "box"
lower = [0.0, 0.0]
upper = [1.6, 0.6]
[[solid]]
shape = "sphere"
center = [1.4, 0.6]
radius = 0.12
body.density = 500
body.velocity = [0.6, 0.0]
[[solid]]
shape = "sphere"
center = [0.4, 0.3]
radius = 0.05
body.density = 500
"""
FOUNTAIN = """
[run]
end_time = 0.2
[domain]
dimension = 2
cells = [16, 16]
cell_size = 0.05
[domain.boundary]
y_high = "open"
[[liquid]]
shape = "box"
lower = [0.0, 0.0]
upper = [0.8, 0.3]
[[liquid]]
shape = "box"
lower = [0.2, 0.6]
upper = [0.6, 0.75]
velocity = [0.0, 3.0]
"""
DROP = """
[run]
end_time = 0.2
[domain]
dimension = 2
cells = [16, 32]
cell_size = 0.05
[time]
cfl = 2.0
[output]
interval = 0.05
times = "exact"
particles = ["velocity"]
fields = ["velocity", "face_velocity", "pressure", "label"]
[checkpoint]
steps = 3
keep = 9
[[liquid]]
shape = "sphere"
center = [0.4, 1.2]
radius = 0.2
"""
DONE, INPUT, SOLVER, FILE_SYSTEM, STOPPED_EARLY = 0, 2, 3, 4, 75


class Check:
    """Runs the program and collects what is not as it should be."""

    def __init__(self, program, folder):
        self.program = program
        self.folder = Path(folder)
        self.failures = []
        self.n_checks = 0

    def expect(self, condition, message):
        self.n_checks += 1
        if not condition:
            self.failures.append(message)

    def start(self, output, *words, ranks=0):
        launcher = ["mpirun", "-np", str(ranks)] if ranks else []
        command = [*launcher, self.program, "run", CASE, "output.interval=0", *words, "--output-dir", str(output)]
        return subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run(self, output, *words, ranks=0):
        done = commands.run(self.program, ["run", CASE, "output.interval=0", *words, "--output-dir", output], max(1, ranks))
        return done.returncode, done.stdout, done.stderr

    def wait_for_steps(self, process, output):
        """Until steps.csv has a row of data, so that the run is under way."""
        for _ in range(600):
            table = output / "steps.csv"
            if process.poll() is not None or (table.is_file() and table.read_text().count("\n") > 2):
                return
            time.sleep(0.05)

    def stopped_early(self, name, code, output):
        self.expect(code == STOPPED_EARLY, f"{name}: exit code {code}, not {STOPPED_EARLY}")
        status = json.loads((output / "run.json").read_text())["status"]
        self.expect(status == "stopped early", f"{name}: run.json says '{status}'")
        steps = int((output / "steps.csv").read_text().splitlines()[-1].split(",")[0])
        checkpoint = output / "checkpoints" / f"chk_{steps:06}.h5"
        self.expect(checkpoint.is_file(), f"{name}: no {checkpoint.name}")

    def check_signals(self):
        for ranks, number in ((0, signal.SIGTERM), (0, signal.SIGINT), (0, signal.SIGUSR2), (2, signal.SIGUSR2)):
            output = self.folder / f"signal_{ranks}_{number.name}"
            process = self.start(output, ranks=ranks)
            self.wait_for_steps(process, output)
            process.send_signal(number)
            process.communicate(timeout=120)
            self.stopped_early(f"{number.name} on {max(1, ranks)} ranks", process.returncode, output)

    def check_checkpoint_signal(self):
        output = self.folder / "usr1"
        process = self.start(output)
        self.wait_for_steps(process, output)
        process.send_signal(signal.SIGUSR1)
        latest = output / "checkpoints" / "latest"
        for _ in range(600):
            if latest.is_file():
                break
            time.sleep(0.05)
        self.expect(latest.is_file() and process.poll() is None, "SIGUSR1: no checkpoint of a run that goes on")
        process.send_signal(signal.SIGUSR2)
        process.communicate(timeout=120)
        self.stopped_early("SIGUSR2 after SIGUSR1", process.returncode, output)

    def check_restart(self):
        whole, cut = self.folder / "whole", self.folder / "cut"
        words = ("output.interval=0.03", "run.max_steps=40")
        code, _, err = self.run(whole, *words, ranks=2)
        self.expect(code == DONE, f"the whole run: exit code {code}: {err}")
        self.run(cut, *words, "run.max_wall_time=0.05", ranks=2)
        with open(cut / "steps.csv", "a") as table:
            table.write("39,0.1,0.0")  # a row that a killed run did not finish
        code, out, err = self.run(cut, *words, "--restart", "auto", ranks=2)
        self.expect(code == DONE and "run.max_wall_time" in out, f"restart: exit code {code}: {err}")
        rows = {folder: [line.split(",")[:17] for line in (folder / "steps.csv").read_text().splitlines()]
                for folder in (whole, cut)}
        self.expect(rows[whole] == rows[cut], "steps.csv after a restart is not that of the whole run")
        for name in ("snapshots", "checkpoints"):
            self.expect(sorted(path.name for path in (whole / name).glob("*.h5"))[-1:] ==
                        sorted(path.name for path in (cut / name).glob("*.h5"))[-1:], f"{name} after a restart")
        series = [(folder / "snapshots" / "snapshots.xdmf").read_text() for folder in (whole, cut)]
        self.expect(series[0] == series[1], "snapshots.xdmf after a restart is not that of the whole run")
        code, out, err = self.run(cut, *words, "--restart", "auto", ranks=2)
        self.expect(code == DONE and "nothing is left to do" in out, f"restart of a finished run: {code}: {out} {err}")
        code, _, err = self.run(cut, *words, "--restart", "auto", "fluid.density=900", "particles.jitter=0.5", ranks=2)
        self.expect(code == INPUT and "fluid.density" in err and "particles.jitter" in err,
                    f"a restart with another density: exit code {code}: {err}")
        code, out, err = self.run(self.folder / "branch", "run.max_steps=43", "--restart", str(cut), ranks=3)
        self.expect(code == DONE and "restart 2 from" in out, f"restart from another directory: {code}: {out} {err}")
        table = cut / "steps.csv"
        for text in ("somebody's,table\n1,2\n", None):
            table.unlink()
            if text:
                table.write_text(text)
            steps = 41 if text else 42
            code, out, err = self.run(cut, f"run.max_steps={steps}", words[0], "--restart", "auto", ranks=2)
            rows = table.read_text().splitlines() if table.is_file() else []
            self.expect(code == DONE and "the table begins anew" in out + err and len(rows) == 2
                        and rows[-1].startswith(f"{steps},"),
                        f"restart with {'another' if text else 'no'} steps.csv: {code}: {rows} {out} {err}")
        self.expect((cut / "steps.csv.other").read_text().startswith("somebody's"), "the other steps.csv is not kept")
        for checkpoint in (cut / "checkpoints").iterdir():
            checkpoint.unlink()
        code, _, err = self.run(cut, *words, "--restart", "auto", ranks=2)
        self.expect(code == INPUT and "is done, and its directory checkpoints has none" in err and (cut / "run.json").is_file(),
                    f"restart of a finished run whose checkpoints are gone: exit code {code}: {err}")

    def check_output_times(self):
        """Output changes no step, and states are those nearest to the multiples; exact ones only where they are asked for."""
        silent, busy, exact = (self.folder / name for name in ("silent", "busy", "exact"))
        words = ("run.max_steps=40",)
        self.run(silent, *words, ranks=2)
        _, out, _ = self.run(busy, *words, "output.interval=0.05", ranks=2)
        self.expect("left out" not in out, f"snapshots are said to be left out where none are: {out}")
        few = ("run.max_steps=3", "output.interval=1e-4")
        _, out, _ = self.run(self.folder / "late", *few, "output.start_time=0.5")
        self.expect("left out" not in out, f"snapshots are said to be left out before the first is due: {out}")
        _, out, _ = self.run(self.folder / "few", *few)
        self.expect(out.count("left out") == 1 and " output times (output.interval) are nearest" in out,
                    f"snapshots that are left out: {out}")
        self.run(exact, *words, "output.interval=0.05", 'output.times="exact"', ranks=2)
        rows = {folder: list(csv.DictReader((folder / "steps.csv").open())) for folder in (silent, busy, exact)}
        same = [[{name: row[name] for name in ("t [s]", "dt [s]", "kinetic_energy [J]", "iterations")} for row in rows[folder]]
                for folder in (silent, busy)]
        self.expect(same[0] == same[1], "a run with snapshots takes other steps than one without")
        for folder in (busy, exact):
            series = (folder / "snapshots" / "snapshots.xdmf").read_text()
            times = sorted({float(text) for text in re.findall(r'<Time Value="([^"]+)"', series)})
            ends = [0.0] + [float(row["t [s]"]) for row in rows[folder]]
            wanted = [0.05 * n for n in range(int(ends[-1] / 0.05 + 1e-9) + 1)]
            found = [min(ends, key=lambda t, w=w: abs(t - w)) for w in wanted]
            if abs(ends[-1] - found[-1]) > 1e-9:
                found.append(ends[-1])
            self.expect(len(times) == len(found) and all(abs(a - b) < 1e-6 for a, b in zip(times, found)),
                        f"{folder.name}: snapshots at {times}, not at {found}")
            if folder is exact:
                self.expect(all(abs(a - b) < 1e-9 for a, b in zip(times, wanted)), f"exact times: {times}")

    def check_liquid_that_leaves(self):
        """The log says when liquid begins to leave through open sides, and again at 1, 10 and 50 %: not only at the end."""
        case, output = self.folder / "fountain.toml", self.folder / "fountain"
        case.write_text(FOUNTAIN)
        commands.run(self.program, ["run", case, "--output-dir", output])
        rows = list(csv.DictReader((output / "steps.csv").open()))
        seeded = int(rows[0]["particles"]) + int(rows[0]["left_domain"])
        left, wanted, level = 0, [], 0
        for row in rows:
            left += int(row["left_domain"])
            if (now := sum(left > share * seeded for share in (0, 0.01, 0.1, 0.5))) > level:
                level = now
                wanted.append((int(row["step"]), left * 0.05**3 / 4))
        said = re.findall(r"step (\d+): (\S+) m\^3, \S+ % of the liquid, have left through open sides \(y_high\)",
                          (output / "log.txt").read_text())
        self.expect(len(wanted) >= 2 and len(said) == len(wanted) and
                    all(int(step) == there[0] and abs(float(volume) / there[1] - 1) < 0.01 for (step, volume), there in zip(said, wanted)),
                    f"the log says {said} of liquid that leaves, not {wanted}")

    def check_bodies_that_leave(self):
        """The log warns of a body that is small for the grid, and once of one that reaches through a side beyond which there is no water."""
        case, output = self.folder / "leaving.toml", self.folder / "leaving"
        case.write_text(LEAVING)
        commands.run(self.program, ["run", case, "--output-dir", output])
        log = (output / "log.txt").read_text()
        small = re.findall(r"solid\.(\d) is 1\.7 cells across: the liquid lifts it", log)
        left = re.findall(r"step (\d+): solid\.(\d) reaches through the open side (\w+),", log)
        at = [float(row["x [m]"]) for row in csv.DictReader((output / "bodies" / "solid_0.csv").open())]
        beyond = [step for step, x in enumerate(at) if x + 0.12 > 1.6 + 0.025]
        self.expect(small == ["1"] and len(left) == 1 and beyond and left[0] == (str(beyond[0]), "0", "x_high"),
                    f"the log warns of small bodies {small} and of leaving ones {left}, which is out in steps {beyond[:3]}")

    def check_volume_that_drifts(self):
        """The log says once when the volume is more than 5 % off, and of the correction that is off."""
        case, output = self.folder / "drifting.toml", self.folder / "drifting"
        case.write_text(DRIFTING)
        commands.run(self.program, ["run", case, "--output-dir", output])
        off = [(row["step"], float(row["volume_drift"])) for row in csv.DictReader((output / "steps.csv").open()) if abs(float(row["volume_drift"])) > 0.05]
        said = re.findall(r"step (\d+): the volume of the liquid is (\S+) % off; .* density\.correction is off", (output / "log.txt").read_text())
        self.expect(len(off) > 1 and len(said) == 1 and said[0][0] == off[0][0] and abs(float(said[0][1]) - 100 * off[0][1]) < 0.1,
                    f"the log says {said} of a volume that is off in {off[:2]}")

    def check_frames_of_restarts(self):
        """A run has a frame an interval, whatever steps it took and wherever it ended for a while."""
        case = self.folder / "frames.toml"
        case.write_text(FRAMES)

        def frames(name, *starts):
            """Times of the snapshots, in the order of their numbers, and of the side file, after these starts of one run."""
            output = self.folder / name
            for number, words in enumerate(starts):
                again = ["--restart", "auto"] if number > 0 and "--restart" not in words else []
                done = commands.run(self.program, ["run", case, *words, *again, "--output-dir", output])
                self.expect(done.returncode == DONE, f"{name}, start {number}: {done.returncode}: {done.stderr}")
            times = []
            for path in sorted((output / "snapshots").glob("snap_*.h5")):
                with h5py.File(path) as file:
                    times.append(float(next(iter(file["data"].values())).attrs["time"]))
            series = (output / "snapshots" / "snapshots.xdmf").read_text()
            listed = [float(text) for text in re.findall(r'<Time Value="([^"]+)"', series)]
            self.expect(listed == times, f"{name}: snapshots at {times}, side file: {listed}")
            return times

        whole = frames("frames_whole", [])
        at_04 = self.folder / "frames_whole" / "checkpoints" / "chk_000031.h5"  # just after the frame of 0.4 s
        starts = {"shorter steps": [[], ["time.cfl=0.3", "--restart", str(at_04)]],
                  "longer steps": [["time.cfl=0.3", "run.max_steps=8"], ["time.cfl=1"]],
                  "bounded steps": [["run.max_steps=30"], ["time.max_dt=0.005"]],
                  "exact times": [["run.max_steps=31"], ['output.times="exact"']],
                  "a raised end": [["run.end_time=0.55"], []],
                  "an end at an output time": [["run.end_time=0.5"], []],
                  "raised steps": [["run.max_steps=20"], ["run.max_steps=23"], ["run.max_steps=0"]]}
        for name, words in starts.items():
            if name == "shorter steps":
                words = words[1:]
                (self.folder / name).symlink_to(self.folder / "frames_whole")
            times = frames(name, *words)
            near = all(abs(time - 0.1 * number) < 0.015 for number, time in enumerate(times))  # half of the longest step
            self.expect(len(times) == 11 and near, f"{name}: frames at {times}")
            if name == "raised steps":
                self.expect(times == whole, f"{name}: frames at {times}, and at {whole} of a run that was not stopped")
        # the state at the end was the nearest to 0.6 s for the longer steps, but 0.6 s was no output time then
        times = frames("a raised end, another interval", ["run.end_time=0.59", "output.interval=0.5"],
                       ["output.interval=0.06", "time.max_dt=0.005"])
        self.expect(any(abs(time - 0.6) < 0.003 for time in times), f"a raised end, another interval: frames at {times}")

    def check_kept_choices(self):
        """A run that began with other values than a new one would choose goes on with them where the case sets nothing."""
        began = {"labels.surface": "voxels", "pressure.walls.condition": "sticky", "density.correction": "off",
                 "time.splitting": "strang"}
        words = [f"{key}={value}" for key, value in began.items()]
        whole, cut = self.folder / "kept_whole", self.folder / "kept_cut"
        self.run(whole, *words, "run.max_steps=12", ranks=2)
        self.run(cut, *words, "run.max_steps=6", ranks=2)
        code, out, err = self.run(cut, "run.max_steps=12", "--restart", "auto", ranks=2)
        self.expect(code == DONE and all(f'that of a new run): {key}: ' in out for key in began),
                    f"a restart without keys: exit code {code}: {out} {err}")
        rows = [[line.split(",")[:17] for line in (folder / "steps.csv").read_text().splitlines()] for folder in (whole, cut)]
        self.expect(rows[0] == rows[1] and len(rows[0]) == 13, "a restart without keys has not gone on as it began")
        resolved = tomllib.loads((cut / "input.resolved.toml").read_text())
        found = {"labels.surface": resolved["labels"]["surface"], "density.correction": resolved["density"]["correction"],
                 "pressure.walls.condition": resolved["pressure"]["walls"]["condition"],
                 "time.splitting": resolved["time"]["splitting"]}
        self.expect(found == began, f"the resolved input of a restart without keys: {found}")
        code, _, err = self.run(cut, "run.max_steps=13", "density.correction=implicit", "--restart", "auto", ranks=2)
        self.expect(code == INPUT and 'density.correction: "off" -> "implicit"' in err,
                    f"a restart with another value: exit code {code}: {err}")

    def times_of_velocities(self, output):
        """Of the snapshots of a drop that falls freely: by how much the time offset of its velocities is wrong [s]; the
        offsets of particles' velocities, of the fields' and of the pressure [s]."""
        errors, offsets = [], []
        for path in sorted((output / "snapshots").glob("*.h5")):
            with h5py.File(path) as file:
                state = next(iter(file["data"].values()))
                time = state.attrs["time"]
                velocity, meshes = state["particles/liquid/velocity"], state["meshes"]
                offsets.append((velocity.attrs["timeOffset"], meshes["velocity"].attrs["timeOffset"],
                                meshes["pressure"].attrs["timeOffset"]))
                in_liquid = meshes["velocity/y"][()][meshes["label"][()] == 1]
                self.expect(meshes["face_velocity"].attrs["timeOffset"] == meshes["velocity"].attrs["timeOffset"] and
                            meshes["label"].attrs["timeOffset"] == 0.0 and
                            state["particles/liquid/position"].attrs["timeOffset"] == 0.0, f"{path}: time offsets")
                for values, offset in zip((velocity["y"][()], in_liquid), offsets[-1]):
                    errors.append(abs(values / -9.81 - (time + offset)).max())
        return max(errors), offsets

    def check_times_of_velocities(self):
        """Velocities and energies are those of the times that files state, also where a restart goes on within a pair."""
        case = self.folder / "drop.toml"
        case.write_text(DROP)
        for splitting in ("first_order", "strang", "reflection"):
            for ranks, words in (1, []), (3, []), (2, ["--restart", "auto"]):
                output = self.folder / f"{splitting}_{ranks}"
                if words:  # what the first run left after three steps
                    self.expect(self.run_case(case, output, f"time.splitting={splitting}", "run.max_steps=3") == DONE,
                                f"{splitting}: the first steps failed")
                self.expect(self.run_case(case, output, *words, f"time.splitting={splitting}", ranks=ranks) == DONE,
                            f"{splitting} on {ranks} ranks failed")
                error, offsets = self.times_of_velocities(output)
                rows = self.rows_of(output / "steps.csv")
                speed = [(2.0 * row["kinetic_energy"] / row["mass"]) ** 0.5 for row in rows]
                energies = max(abs(u / 9.81 - row["velocity_time"]) for u, row in zip(speed, rows))
                # velocities have single precision, and ten steps round them
                self.expect(len(offsets) == 5 and error < 1e-6 and energies < 1e-6,
                            f"{splitting} on {ranks} ranks: {len(offsets)} snapshots, velocities are {error} s and energies "
                            f"{energies} s off the times that are given")
                lead = [row["velocity_time"] - row["t"] for row in rows]
                half = [0.5 * row["dt"] for row in rows]
                signs = {"first_order": (0, 0), "strang": (-1, -1), "reflection": (1, -1)}[splitting]
                self.expect(all(abs(a - signs[n % 2] * b) < 1e-12 for n, (a, b) in enumerate(zip(lead, half))),
                            f"{splitting}: velocity_time is later than t by {lead}, half of dt is {half}")
                self.expect(offsets[0] == (0.0, 0.0, 0.0) and
                            all((of_fields < 0) == (pressure < 0) == (splitting != "first_order")
                                for _, of_fields, pressure in offsets[1:]), f"{splitting}: time offsets {offsets}")

    def run_case(self, case, output, *words, ranks=1):
        done = commands.run(self.program, ["run", case, *words, "--output-dir", output], ranks)
        if done.returncode not in (DONE, STOPPED_EARLY):
            print(done.stdout[-1000:], done.stderr[-2000:])
        return done.returncode

    @staticmethod
    def rows_of(path):
        """Rows of steps.csv, without the units of the columns; `mass` is that of a liquid of 1000 kg/m^3 at 2 x 2 a cell."""
        with open(path, newline="") as file:
            rows = [{name.split(" [")[0]: float(value) for name, value in row.items()} for row in csv.DictReader(file)]
        for row in rows:
            row["mass"] = row["particles"] * 1000.0 * 0.05**3 / 4
        return rows

    def check_gauges(self):
        """Tables of gauges have neither a gap nor a double row after a restart, even if the run was killed."""
        case = self.folder / "gauges.toml"
        case.write_text(GAUGES)

        def start(output, *words):
            command = [self.program, "run", str(case), *words, "--output-dir", str(output)]
            return subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

        whole, killed = self.folder / "gauges_whole", self.folder / "gauges_killed"
        _, err = start(whole).communicate(timeout=120)
        process = start(killed, "checkpoint.steps=7")
        for _ in range(1200):  # a checkpoint, and later steps that it does not hold
            if list((killed / "checkpoints").glob("*.h5")) or process.poll() is not None:
                break
            time.sleep(0.005)
        process.kill()
        process.communicate(timeout=120)
        with open(killed / "gauges" / "p.csv", "a") as table:
            table.write("1000000,0.1,")  # a row that a killed run did not finish
        process = start(killed, "--restart", "auto")
        out, err = process.communicate(timeout=120)
        warnings = [line for line in (out + err).splitlines() if "not whole" in line]
        self.expect(len(warnings) == 1 and re.search(r"gauges/p\.csv: a row .* goes on after step \d+, t = [\d.]+ s", warnings[0]),
                    f"warnings of a row that was cut short: {warnings}")
        self.expect(process.returncode == DONE, f"restart with gauges: exit code {process.returncode}: {err}")
        heads = {"h": "step,t [s],height [m],connected [m],top [m]", "p": "step,t [s],pressure [Pa],cell_pressure [Pa],wet",
                 "mean": "step,t [s]," + ",".join(f"mean_height_{n:02} [m]" for n in range(11))}
        for name, head in heads.items():
            rows = [(folder / "gauges" / f"{name}.csv").read_text().splitlines() for folder in (whole, killed)]
            self.expect(rows[0] == rows[1], f"gauges/{name}.csv after a restart is not that of the whole run")
            self.expect(rows[0][0] == head, f"gauges/{name}.csv begins with {rows[0][0]}")
        for table in (whole / "steps.csv", *sorted((whole / "gauges").glob("*.csv"))):
            head = table.read_text().splitlines()[0].split(",")
            names = numpy.genfromtxt(table, delimiter=",", names=True).dtype.names
            kept = [re.sub(r"\W", "", name.replace(" ", "_")) for name in head]  # a name taken twice would get a number
            self.expect(list(names) == kept and len(set(kept)) == len(head), f"{table}: genfromtxt reads columns {names}")
        steps = [int(row.split(",")[0]) for row in (whole / "gauges" / "h.csv").read_text().splitlines()[1:]]
        self.expect(steps == list(range(len(steps))) and len(steps) > 20, "a height has a row a step, from step 0 on")
        last = float((whole / "gauges" / "p.csv").read_text().splitlines()[-1].split(",")[1])
        self.expect(len((whole / "gauges" / "p.csv").read_text().splitlines()) == 12 and last == 0.4,
                    "a gauge with an interval of a tenth of the run has a row of the start and ten more")
        self.check_gauge_of_a_restart(case, killed, start)

    def check_gauge_of_a_restart(self, case, output, start):
        """A gauge that is added at a restart begins without a warning; one whose table has vanished says so."""
        case.write_text(GAUGES + '[[gauge]]\nname = "new"\ntype = "height"\nstart = [0.5, 0.0]\nend = [0.5, 0.75]\n')
        (output / "gauges" / "h.csv").unlink()
        out, err = start(output, "--restart", "auto", "run.end_time=0.42").communicate(timeout=120)
        warnings = [line for line in (out + err).splitlines() if "removed or emptied" in line]
        self.expect(len(warnings) == 1 and "gauges/h.csv" in warnings[0], f"warnings of tables: {warnings} {err}")
        rows = (output / "gauges" / "new.csv").read_text().splitlines()
        self.expect(len(rows) > 1 and float(rows[1].split(",")[1]) > 0.4, f"a gauge of a restart: {rows}")

    def check_stop_file_and_wall_time(self):
        output = self.folder / "stop"
        process = self.start(output, ranks=2)
        self.wait_for_steps(process, output)
        (output / "steps.csv").unlink()
        self.wait_for_steps(process, output)  # in a new table
        (output / "STOP").touch()
        process.communicate(timeout=120)
        self.stopped_early("STOP file", process.returncode, output)
        output = self.folder / "wall"
        process = self.start(output, "run.max_wall_time=0.2")  # which counts from the start of the process
        process.communicate(timeout=120)
        self.stopped_early("run.max_wall_time", process.returncode, output)

    def check_overwriting(self):
        output = self.folder / "twice"
        code, _, err = self.run(output, "run.max_steps=3", ranks=2)
        self.expect(code == DONE, f"first run: exit code {code}: {err}")
        table = (output / "steps.csv").read_bytes()
        code, _, err = self.run(output, "run.max_steps=5", ranks=2)
        self.expect(code == INPUT and "--force" in err, f"second run: exit code {code}: {err}")
        self.expect((output / "steps.csv").read_bytes() == table, "the refused run changed steps.csv")
        code, _, err = self.run(output, "run.max_steps=5", "--force", ranks=2)
        self.expect(code == DONE, f"run with --force: exit code {code}: {err}")
        self.expect((output / "steps.csv").read_bytes() != table, "--force did not replace steps.csv")
        info = commands.run(self.program, ["info", output / "snapshots" / "snap_000000.h5"])
        self.expect(info.returncode == DONE and "liquid" in info.stdout, f"info: {info.returncode} {info.stderr}")

    def check_two_at_once(self):
        output = self.folder / "race"  # nothing is there when both begin; the second one finds the first one's run
        runs = {steps: self.start(output, f"run.max_steps={steps}") for steps in (3, 4)}
        codes = {steps: (process.communicate(timeout=120), process.returncode)[1] for steps, process in runs.items()}
        self.expect(sorted(codes.values()) == [DONE, INPUT], f"two runs at once: exit codes {codes}")
        first = next((steps for steps, code in codes.items() if code == DONE), 0)
        self.expect((output / "checkpoints" / f"chk_{first:06}.h5").is_file(), "the first of two runs lost its checkpoint")

    def check_table_that_cannot_grow(self):
        # What a full disk is to steps.csv: a limit on file sizes, set once MPI has made its own files.
        for ranks in (0, 3):
            output = self.folder / f"full_{ranks}"
            process = self.start(output, "output.log_every=100000", ranks=ranks)
            self.wait_for_steps(process, output)
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
            for pid in [int(word) for word in children.read_text().split()] if ranks else [process.pid]:
                resource.prlimit(pid, resource.RLIMIT_FSIZE, (16384, 16384))
            _, err = process.communicate(timeout=120)
            self.expect(process.returncode == FILE_SYSTEM and "steps.csv" in err,
                        f"full steps.csv on {ranks} ranks: exit code {process.returncode}: {err}")
            status = json.loads((output / "run.json").read_text())["status"]
            self.expect(status == "failed", f"full steps.csv on {ranks} ranks: run.json says '{status}'")

    def check_petsc_options(self):
        for words in (["--", "-pressure_ksp_typ", "gmres"], ["pressure.petsc.pc_type=nonsense"],
                      ["pressure.preconditioner=hypre", "--", "-pressure_pc_hypre_boomeramg_P_maxx", "2"]):
            output = self.folder / "petsc"
            process = commands.run(self.program, ["run", CASE, "--output-dir", output, *words], 2)
            self.expect(process.returncode == INPUT and not output.exists(),
                        f"{words}: exit code {process.returncode}: {process.stderr}")

    def check_solver_failure(self):
        for ranks in (0, 3):
            output = self.folder / f"failed_{ranks}"
            code, _, err = self.run(output, "pressure.tolerance=1e-12", "pressure.max_iterations=1", ranks=ranks)
            self.expect(code == SOLVER and "did not converge" in err and "then block_mic0" in err,
                        f"a solver told to stop at one iteration: exit code {code}: {err}")
            status = json.loads((output / "run.json").read_text())["status"]
            self.expect(status == "failed", f"failed solve on {ranks} ranks: run.json says '{status}'")
            state = output / "failure" / "snapshots" / "snap_000000.h5"
            info = commands.run(self.program, ["info", state])
            records = ("face_velocity", "pressure", "label", "particles/liquid/velocity", "particles/liquid/id")
            self.expect(info.returncode == DONE and all(record in info.stdout for record in records),
                        f"state of a failed step on {ranks} ranks: {info.returncode} {info.stdout} {info.stderr}")
            code, out, err = self.run(self.folder / f"second_{ranks}", "pressure.max_iterations=20",
                                      "pressure.preconditioner=jacobi", "run.max_steps=3", ranks=ranks)
            self.expect(code == DONE and "done again by block_mic0" in out + err,
                        f"a second try: exit code {code}: {out} {err}")

    def check_pressure_of_a_failed_step(self):
        output = self.folder / "unsettled"  # the sets of separated faces need a third solve in some step
        code, _, err = self.run(output, "pressure.walls.condition=separating", "pressure.walls.max_outer=2",
                                "time.max_retries=0", ranks=2)
        self.expect(code == SOLVER and "still changed after" in err, f"sets that keep changing: exit code {code}: {err}")
        with h5py.File(output / "failure" / "snapshots" / "snap_000000.h5") as file:
            pressure = file["data/0/meshes/pressure"][()]
        largest = pressure.max()  # [Pa] of water about 0.3 m deep that falls and splashes
        self.expect(300.0 < largest < 3e5 and numpy.isfinite(pressure).all(),
                    f"largest pressure of a failed step: {largest} Pa")

    def check_bad_places(self):
        (self.folder / "a_file").write_text("not a directory")
        for ranks in (0, 3):
            code, _, err = self.run(self.folder / "a_file" / "out", "run.max_steps=1", ranks=ranks)
            self.expect(code == FILE_SYSTEM and "a_file" in err, f"output below a file: exit code {code}: {err}")
        info = commands.run(self.program, ["info", self.folder / "a_file"])
        self.expect(info.returncode == FILE_SYSTEM, f"info of a foreign file: exit code {info.returncode}")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        check = Check(find_program(sys.argv[1]), folder)
        check.check_signals()
        check.check_checkpoint_signal()
        check.check_restart()
        check.check_output_times()
        check.check_liquid_that_leaves()
        check.check_bodies_that_leave()
        check.check_volume_that_drifts()
        check.check_kept_choices()
        check.check_frames_of_restarts()
        check.check_times_of_velocities()
        check.check_gauges()
        check.check_stop_file_and_wall_time()
        check.check_overwriting()
        check.check_two_at_once()
        check.check_table_that_cannot_grow()
        check.check_petsc_options()
        check.check_solver_failure()
        check.check_pressure_of_a_failed_step()
        check.check_bad_places()
    for failure in check.failures:
        print(failure)
    print(f"{check.n_checks} checks, {len(check.failures)} failures")
    return 1 if check.failures else 0


if __name__ == "__main__":
    sys.exit(main())
