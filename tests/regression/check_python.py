#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# needs: python:numpy python:h5py python:mpi4py
"""The Python package does what the program does, on 1, 2 and 4 ranks; arrays, forces, sources, errors and signals behave as
documented.  usage: check_python.py BUILD_DIR (starts itself under mpirun for the ranks)
"""
# timeout: 300
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

from commands import NIGHTLY
from numpy2 import Numpy2

HERE = Path(__file__).resolve()
ROOT = HERE.parents[2]
RANKS = (1, 2, 4) if NIGHTLY else (1, 2)
CASE = {
    "title": "dam of the Python checks",
    "run": {"end_time": 0.12, "reproducible": True},
    "domain": {"dimension": 2, "cells": [32, 24], "cell_size": 0.05, "origin": [-0.2, 0.1]},
    "time": {"max_dt": 0.01},
    "fluid": {"gravity": [0.0, -9.81]},
    "liquid": [{"shape": "box", "lower": [-0.2, 0.1], "upper": [0.4, 0.9]}],
    "attribute": [{"name": "dye", "type": "real", "default": [1.5]}],
    "output": {"interval": 0.05, "times": "exact"},
    "checkpoint": {"steps": 4, "keep": 100},
}


def changed(**tables):
    """CASE with other values in some tables."""
    case = {key: dict(value) if isinstance(value, dict) else value for key, value in CASE.items()}
    for name, table in tables.items():
        if isinstance(table, dict):
            case.setdefault(name, {}).update(table)
        else:
            case[name] = table
    return case


def fails_with(kind, action):
    """The exception that the action throws, which is of that kind."""
    try:
        action()
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__} was thrown")


def state(sim):
    """Particles of all ranks as one array, in order of their ids: id, position, velocity."""
    rows = np.column_stack([sim.particles.id, sim.particles.position, sim.particles.velocity])
    if sim.size > 1:
        from mpi4py import MPI
        rows = np.concatenate(MPI.COMM_WORLD.allgather(rows))
    return rows[np.argsort(rows[:, 0])]


def same(a, b):
    return a.shape == b.shape and a.tobytes() == b.tobytes()


def with_mpi4py(size):
    if size == 1:
        return
    from mpi4py import MPI  # noqa: F401  MPI is started by it


# ------------------------------------------------------------------------------------------------ on all ranks, one by one
def check_gauges(freshet, folder):
    """sim.gauges are the rows of the gauges' files, on all ranks, with output and without; seconds are those of the step."""
    case = changed(gauge=[{"name": "floor", "type": "pressure", "point": [0.0, 0.1]},
                          {"name": "sometimes", "type": "height", "start": [0.0, 0.1], "end": [0.0, 1.2], "interval": 0.04}])
    rows = {"floor": [], "sometimes": []}
    with freshet.Simulation(case) as sim:
        assert {name: row.t for name, row in sim.gauges.items()} == {"floor": 0.0, "sometimes": 0.0}, "all begin with the start"
        while True:
            for name, row in sim.gauges.items():
                rows[name].append(list(row.values()))
            if sim.is_over:
                break
            assert 0.0 < sim.step().seconds < 60.0 and sim.gauges["floor"].pressure > 0.0
        assert len(rows["floor"]) == sim.steps + 1 > len(rows["sometimes"]) > 2
    if sim.size > 1:
        from mpi4py import MPI
        assert all(other == rows for other in MPI.COMM_WORLD.allgather(rows)), "the same on all ranks"
    with freshet.Simulation(case, output_dir=folder / "gauges") as sim:
        sim.run()
        if sim.rank == 0:
            for name, values in rows.items():
                written = np.loadtxt(folder / "gauges/gauges" / f"{name}.csv", delimiter=",", skiprows=1)
                assert np.array_equal(written, values), name


def check_end(freshet, folder):
    """A run is over between two steps only, and a step that is under way is named where another one is asked for."""
    sim = freshet.Simulation(changed(run={"max_steps": 2}))
    sim.step()
    step = sim.begin_step()
    step.deposit()
    assert not sim.is_over and "its next phase is label" in str(fails_with(RuntimeError, sim.step))
    for _ in step:
        assert sim.is_over == (not step.next)
    assert "at its end" in str(fails_with(freshet.Error, sim.step))


def check_ways_to_step(freshet, folder):
    """run(), step(), the sub-steps and a change of nothing take the same steps as the program."""
    whole = freshet.Simulation(CASE, output_dir=folder / "python")
    assert whole.run() == "done" and whole.is_over
    end = state(whole)
    assert json.loads((folder / "python" / "run.json").read_text())["status"] == "done"

    stepped = freshet.Simulation(freshet.Case(CASE).text())  # the same case as a text
    n = 0
    for frame in stepped.frames(0.05):
        assert abs(frame.time - min(0.05 * frame.number, 0.12)) < 1e-15, frame
        n += 1
    assert n == 4 and same(state(stepped), end), "frames at the times of the snapshots change nothing"
    fails_with(freshet.Error, stepped.step)

    phased = freshet.Simulation(CASE, overrides={"output.interval": 0.05})
    names = []
    while not phased.is_over:
        step = phased.begin_step()
        assert fails_with(RuntimeError, step.blend).args[0] == "blend is out of order: the next phase is deposit"
        assert "a step is under way" in str(fails_with(RuntimeError, phased.run))
        step.deposit()
        assert step.next == "label"
        names = ["deposit"] + list(step)
    assert names == ["deposit", "label", "forces", "project", "extrapolate", "blend", "resample", "correct", "move",
                     "exchange", "end"], names
    assert same(state(phased), end), "sub-steps one by one change nothing"
    assert phased.report["step"] == whole.report.step == whole.steps and phased.report.dt == whole.report.dt

    retried = freshet.Simulation(CASE)
    for wrong in (-1.0, 0.0, float("nan"), float("inf")):
        for take in (retried.step, retried.begin_step):
            try:
                take(wrong)
                raise AssertionError(f"a step of {wrong} s is taken")
            except freshet.InputError as error:
                assert "dt = " in str(error)
    step = retried.begin_step(1e-3)
    for call in (step.deposit, step.label, step.forces, step.project):
        call()
    step.retry(5e-4)
    rest = list(step)
    assert rest[0] == "forces" and retried.time == retried.report.dt == 5e-4


def check_errors(freshet, folder):
    """Messages are those of the program and name the key; those of dicts name it by its place in the dict."""
    error = fails_with(freshet.InputError, lambda: freshet.Simulation(changed(fluid={"gravty": [0.0, -1.0]})))
    assert isinstance(error, ValueError) and str(error).startswith("case: unknown key 'fluid.gravty' (") and str(error).count(
        "fluid.gravty") == 1 and "fluid.gravity" in str(error), error
    error = fails_with(freshet.InputError, lambda: freshet.Simulation(changed(liquid=[{"shape": "box", "lower": [0, 0]}])))
    assert str(error).startswith("case, key liquid[0]: 'liquid[0].upper' is missing"), error
    error = fails_with(freshet.InputError, lambda: freshet.Simulation(changed(run={"end_time": -1})))
    assert str(error).startswith("case: 'run.end_time' = -1 is out of range"), error
    fails_with(freshet.InputError, lambda: freshet.Simulation(changed(run={"end_time": {1, 2}})))
    fails_with(freshet.InputError, lambda: freshet.Simulation(CASE, overrides=["time.cfl=77"]))
    assert "overrides: a text" in str(fails_with(freshet.InputError, lambda: freshet.Simulation(CASE, overrides="time.cfl=0.5")))
    with freshet.Simulation({"run.end_time": 0.05, **changed(run={"max_steps": 1}, output={"particles": []})} | {
            "run": {"max_steps": 1, "reproducible": True}}) as sim:
        assert "end_time = 0.05" in sim.case and sim.step() and sim.is_over, "names with dots are keys as schema() has them"
    error = fails_with(freshet.InputError, lambda: freshet.Simulation({**CASE, "run.end_time": 0.05}))
    assert "'run.end_time' has two values" in str(error), error
    sim = freshet.Simulation(CASE)
    for add in (sim.add_force, sim.add_source):
        assert "is no function" in str(fails_with(freshet.InputError, lambda add=add: add(3)))
    fails_with(freshet.InputError, lambda: freshet.Simulation(CASE, output_dir=folder / "python"))  # holds a run
    fails_with(freshet.InputError, freshet.Simulation(CASE).snapshot)
    assert any(key["key"] == "fluid.gravity" and key["unit"] == "m/s^2" for key in freshet.schema())


def check_retries(freshet, folder):
    """Phases retry as step() does where dt proves too long, in the iteration by themselves."""
    blocks = [{"shape": "box", "lower": [0.2, 0.2], "upper": [0.9, 0.9], "velocity": [3, 0]},
              {"shape": "box", "lower": [1.1, 0.2], "upper": [1.8, 0.9], "velocity": [-3, 0]}]  # meet in the third step
    case = {"run": {"end_time": 0.6, "max_steps": 5, "reproducible": True},
            "domain": {"dimension": 2, "cells": [40, 30], "cell_size": 0.05}, "density": {"correction": "implicit"},
            "pressure": {"walls": {"condition": "separating"}}, "fluid": {"gravity": [0, 0]}, "liquid": blocks}
    stepped, phased, called = (freshet.Simulation(case) for _ in range(3))
    for sim in (stepped, phased, called):
        sim.step()
        sim.step()
        assert sim.report.retries == 0
    stepped.step()
    step = phased.begin_step()
    longest, names = step.dt, []
    for name in step:
        names.append(name)
        assert step.dt < longest or len(names) <= 5, "the second trial is shorter"
    assert step.retries == 1 == stepped.report.retries
    assert names[2:8] == ["forces", "project", "extrapolate", "forces", "project", "extrapolate"] and names[8] == "blend", names
    step = called.begin_step()
    for call in (step.deposit, step.label, step.forces, step.project):
        call()
    assert "retry() goes back to the forces with dt = " in str(fails_with(freshet.RunError, step.extrapolate))
    assert step.next == "retry" and "the next phase is retry" in str(fails_with(RuntimeError, step.blend))
    step.retry()
    for call in (step.forces, step.project, step.extrapolate):
        call()
    fails_with(RuntimeError, step.retry)  # this dt is short enough
    list(step)
    for sim in (phased, called):
        same_numbers = {name: (sim.report[name], value) for name, value in stepped.report.items()
                        if name not in ("seconds", "memory", "imbalance")}
        assert all(a == b for a, b in same_numbers.values()), same_numbers
        for _ in range(2):
            list(sim.begin_step())
    while not stepped.is_over:
        stepped.step()
    assert same(state(phased), state(stepped)) and same(state(called), state(stepped))


def check_failed_steps(freshet, folder):
    """A step that fails before particles change is given up; one that fails later ends the simulation, which says so."""
    whole, sim = freshet.Simulation(CASE), freshet.Simulation(CASE, output_dir=folder / "given_up")
    whole.run()

    def force(faces):
        if sim.steps == 3:
            raise ArithmeticError("made for a test")

    sim.add_force(force)
    sim.step(), sim.step()
    for take in (sim.step, lambda: list(sim.begin_step())):
        error = fails_with(ArithmeticError, take)
        notes = "\n".join(error.__notes__) if hasattr(error, "__notes__") else ""
        if sys.version_info >= (3, 11):
            assert "force check_failed_steps.<locals>.force (" in notes and "check_python.py:" in notes, notes
            assert "step 3 was given up: the simulation is as step 2 left it" in notes, notes
        assert sim.steps == 2
    fails_with(KeyError, lambda: sim.remove_force(print))
    sim.remove_force(force)
    assert sim.run() == "done" and same(state(sim), state(whole)), "and goes on without the force"
    sim.close()
    if sim.rank == 0:
        assert json.loads((folder / "given_up" / "run.json").read_text())["status"] == "done"

    case = changed(checkpoint={"steps": 1})
    with freshet.Simulation(case, output_dir=folder / "broken") as sim:
        def source(time, dt):
            if sim.steps == 3:
                return {"position": [[0.5, 0.5]]}

        sim.add_source(source)
        sim.step(), sim.step()
        error = fails_with(freshet.InputError, sim.step)
        assert "position: an array of shape (1, 2) is not (n, 3)" in str(error), error
        told = str(fails_with(freshet.Error, sim.step))
        assert "step 3 failed when it had changed particles" in told and 'restart = "auto"' in told, told
        fails_with(freshet.Error, lambda: sim.remove_source(source))
    if sim.rank == 0:
        assert json.loads((folder / "broken" / "run.json").read_text())["status"] == "failed"
    with freshet.Simulation(case, output_dir=folder / "broken", restart="auto") as sim:
        assert sim.steps == 2 and sim.run() == "done" and same(state(sim), state(whole))

    def wrong(value, text, kind="force"):
        sim = freshet.Simulation(CASE)
        getattr(sim, "add_" + kind)(lambda *arguments: value)
        error = fails_with(ValueError if text else freshet.RunError, sim.step)
        assert text in str(error) and (text or "force check_failed_steps.<locals>.wrong.<locals>.<lambda> (" in str(error)), error

    wrong(np.nan, "")
    wrong([1.0, 2.0, 3.0], "the acceleration of axis 0: an array of shape (3,) is no array of numbers that broadcasts to")
    wrong("fast", "the acceleration of axis 0: a str is no array")
    wrong({"positions": [[0, 0, 0]]}, "a source gave 'positions'", "source")
    wrong({"position": [[0, 0, 0]], "tag": 300}, "tag: 300 is no tag", "source")
    sim = freshet.Simulation(CASE)
    assert "tag: 300 is no tag" in str(fails_with(freshet.InputError, lambda: setattr(sim.particles, "tag", 300)))
    assert "particles.velocity: an array of shape (2,)" in str(
        fails_with(freshet.InputError, lambda: setattr(sim.particles, "velocity", [1.0, 2.0])))
    sim.particles.tag = 3
    assert (sim.particles.tag == 3).all() and "t = 0 s" in repr(sim)
    sim.close()
    assert repr(sim) == "<freshet.Simulation, closed>"


def check_numbers_in_callbacks(freshet, folder):
    """Within a step sim.report and sim.gauges are those of the last step that came to its end."""
    sim = freshet.Simulation(changed(gauge=[{"name": "floor", "type": "pressure", "point": [0.0, 0.1]}]))
    seen = []

    def look(*given):
        seen.append((dict(sim.report), {name: dict(row) for name, row in sim.gauges.items()}))

    sim.add_force(look)
    sim.add_source(look)
    for _ in range(3):
        before = dict(sim.report), {name: dict(row) for name, row in sim.gauges.items()}
        seen.clear()
        sim.step()
        assert len(seen) == 3 and all(one == before for one in seen), (before, seen)
    for phase in sim.begin_step():
        assert sim.report["step"] == (4 if phase == "end" else 3), phase


def check_strange_numbers(freshet, folder):
    """What is no number, or no time step, is refused on all ranks, and the simulation goes on as if nothing had been asked."""
    sim, other = freshet.Simulation(changed(time={"min_dt": 1e-6})), freshet.Simulation(changed(time={"min_dt": 1e-6}))
    for wrong in (np.nan, np.inf, 1e300):
        error = fails_with(freshet.InputError, lambda wrong=wrong: setattr(sim.particles, "velocity", [0.0, wrong, 0.0])) \
            if len(sim.particles) else fails_with(freshet.CallbackError, lambda wrong=wrong: setattr(sim.particles, "velocity", 0.0))
        assert "no number that a particle can have" in str(error), error
    for wrong in (np.nan, np.inf, -1.0):
        error = fails_with(freshet.InputError, lambda wrong=wrong: sim.add_force(print, largest_acceleration=wrong))
        assert "largest_acceleration is " in str(error), error
    for take in (sim.step, sim.begin_step):
        error = fails_with(freshet.InputError, lambda take=take: take(1e-9))
        assert "dt = 1e-09 s is below time.min_dt (1e-06 s)" in str(error), error
    assert "time.min_dt" in str(fails_with(freshet.InputError, lambda: next(sim.frames(1e-9))))
    sim.step(np.float64(5e-3)), other.step(5e-3)
    assert sim.steps == 1 and same(state(sim), state(other))
    step = sim.begin_step(5e-3)
    for call in (step.deposit, step.label, step.forces):
        call()
    assert "below time.min_dt" in str(fails_with(freshet.InputError, lambda: step.retry(1e-9)))
    list(step), other.step(5e-3)
    assert same(state(sim), state(other))
    for given in ({"position": [[np.nan, 0.5, 0.0]]}, {"position": [[0.5, 0.5, 0.0]], "velocity": [0.0, np.inf, 0.0]}):
        sim = freshet.Simulation(CASE)
        sim.add_source(lambda time, dt, given=given: given)
        error = fails_with(freshet.InputError, sim.step)
        assert "no number that a particle can have" in str(error), error


def check_other_cases(freshet, folder):
    """Ranks that are given different things say so, and what differs."""
    rank, size = freshet.Simulation(CASE).rank, freshet.Simulation(CASE).size
    if size == 1:
        return
    last = rank == size - 1
    one = changed(run={"end_time": 0.1}) if last else CASE
    for make, part in ((lambda: freshet.Simulation(one), f"rank {size - 1} has 'end_time = 0.1' and rank 0 has 'end_time = 0.12'"),
                       (lambda: freshet.Simulation(CASE, overrides=["time.cfl=0.5"] if last else []), "overrides: rank "),
                       (lambda: freshet.Simulation(CASE, output_dir=folder / f"own_{rank}"), "output_dir: rank 1 has "),
                       (lambda: freshet.Simulation(CASE, output_dir=folder / "own", force=last), "force: rank ")):
        error = fails_with(freshet.InputError, make)
        assert part in str(error), error
    assert not list(folder.glob("own*"))
    sim = freshet.Simulation(CASE)
    assert "ranks ask for different steps" in str(fails_with(freshet.InputError, lambda: sim.step(1e-3 if last else 2e-3)))
    assert "ranks ask for different steps" in str(fails_with(freshet.InputError, lambda: sim.step(1e-3 if last else None)))
    assert "change: rank " in str(fails_with(freshet.InputError, lambda: sim.change({"time.cfl": 0.5 if last else 0.6})))
    sim.step()
    assert sim.steps == 1


def check_attributes(freshet, folder):
    """Attributes of each type by their names: numbers (n,) and vectors (n, 3), which go with their particles."""
    sim = freshet.Simulation(changed(attribute=[{"name": "spin", "type": "vector", "default": [1.0, 2.0, 3.0]},
                                                {"name": "grain", "type": "integer", "default": [4]}]))
    spin, grain = sim.particles["spin"], sim.particles["grain"]
    assert spin.shape == (len(sim.particles), 3) and spin.dtype == np.float32 and grain.dtype == np.int32 and (grain == 4).all()
    grain[:] = sim.particles.id
    spin[:, 1] = sim.particles.id
    for _ in range(3):
        sim.step()
    assert (sim.particles["spin"] == np.column_stack([np.full(len(sim.particles), 1), sim.particles.id, np.full(len(sim.particles), 3)])).all()
    assert (sim.particles["grain"] == sim.particles.id).all()
    assert "they have position, velocity, id, tag, spin, grain" in str(fails_with(KeyError, lambda: sim.particles["spn"]))


def check_views(freshet, folder):
    """A view of an array that the solver has left keeps the copy's values; is_current() tells it from the present state."""
    sim = freshet.Simulation(CASE)
    tag, ux, x = sim.particles.tag, sim.fields.velocity[0], sim.particles.position
    views = [tag, tag[:5], tag[::2][1:], ux, ux[:, 0], ux.reshape(-1)]
    assert all(sim.is_current(view) for view in views) and not sim.is_current(x) and not sim.is_current(tag.copy())
    sim.step()
    assert not any(sim.is_current(view) for view in views)
    part = sim.particles.tag[:5]
    if len(tag):
        views[1][:] = 99
    assert not (sim.particles.tag == 99).any() and (len(tag) == 0 or tag[0] == 99), "the view is one of the held copy"
    assert sim.is_current(part)
    part[:] = 98
    assert (sim.particles.tag[:5] == 98).all()
    sim.close()
    assert not sim.is_current(part)


def check_arrays(freshet, folder):
    """Arrays share memory until the solver goes on; then those that are held keep their values."""
    sim = freshet.Simulation(CASE)
    sim.step()
    n = len(sim.particles)
    x, u, tag, dye = sim.particles.position, sim.particles.velocity, sim.particles.tag, sim.particles["dye"]
    assert x.shape == u.shape == (n, 3) and x.dtype == float and tag.shape == sim.particles.id.shape == dye.shape == (n,)
    assert u.dtype == np.float32 and not u.flags.writeable and tag.flags.writeable and (dye == 1.5).all()
    assert "dye" in sim.particles.names
    tag[:] = 7
    dye[: n // 2] = 2.5
    assert (sim.particles.tag == 7).all() and (n == 0 or np.shares_memory(tag, sim.particles.tag))
    before, part, epoch = u.copy(), u[n // 2:, 1], sim.epoch
    for _ in range(3):
        sim.step()
    assert sim.epoch > epoch and same(before, u) and same(part, before[n // 2:, 1]), "a held array keeps its values"
    assert not tag.flags.writeable and not np.shares_memory(tag, sim.particles.tag)
    fails_with(ValueError, lambda: tag.__setitem__(slice(None), 1))
    assert (sim.particles.tag == 7).all(), "and the solver goes on with a copy"
    assert n == 0 or not same(sim.particles.velocity, before)
    totals = np.array([float(len(sim.particles)), sim.particles["dye"].sum()])
    if sim.size > 1:
        from mpi4py import MPI
        MPI.COMM_WORLD.Allreduce(MPI.IN_PLACE, totals)
    assert 1.5 * totals[0] < totals[1] < 2.5 * totals[0], "values go with their particles"

    pressure, labels, (ux, uy) = sim.fields.pressure, sim.fields.labels, sim.fields.velocity
    assert pressure.shape == labels.shape == ux.shape == uy.shape == (len(sim.fields.first_cell), 1, 8, 8)
    dense, seen = sim.fields.gather("pressure"), sim.fields.gather("labels")
    assert dense.shape == seen.shape == (1, 24, 32)
    for b, (i, j, _) in enumerate(sim.fields.first_cell):
        assert (dense[0, j:j + 8, i:i + 8] == pressure[b, 0]).all() and (seen[0, j:j + 8, i:i + 8] == labels[b, 0]).all()
    held = pressure.copy()
    sim.step()
    after = sim.fields.gather("pressure")
    assert same(held, pressure) and not same(dense, after)
    sim.particles.velocity = [0.25, 0.0, 0.0]
    assert (sim.particles.velocity == [0.25, 0, 0]).all()
    assert abs(sim.report.kinetic_energy / (0.5 * sim.particle_mass * sim.report.particles * 0.25 ** 2) - 1) < 1e-6
    arrays = (sim.particles.velocity, sim.fields.velocity[0])
    values = [a.copy() for a in arrays]
    sim.close()
    del sim
    assert all(same(a, b) for a, b in zip(arrays, values)), "arrays outlive the simulation"


def check_forces(freshet, folder):
    """A Python force of -9.81 is gravity; coordinates are those of the faces."""
    fall = changed(fluid={"gravity": [0.0, 0.0]})
    sim, usual = freshet.Simulation(fall), freshet.Simulation(CASE)
    sim.add_force(lambda faces: -9.81 if faces.axis == 1 else None, largest_acceleration=9.81)
    for _ in range(6):
        sim.step(), usual.step()
    assert abs(sim.time / usual.time - 1) < 1e-12
    assert np.abs(state(sim) - state(usual)).max() < 1e-5, "Gravity adds the same product on faces"

    sim = freshet.Simulation(fall)
    kept = []

    @sim.add_force
    def shear(faces):
        kept.append(faces.velocity)
        assert not faces.velocity.flags.writeable and faces.shape == faces.velocity.shape
        return (3.0 * faces.x + faces.y ** 2, faces.y * faces.x)[faces.axis]

    step = sim.begin_step(1e-3)
    step.deposit(), step.label(), step.forces()
    first = sim.fields.first_cell
    for axis, velocity in enumerate(sim.fields.velocity):
        i, j = np.meshgrid(np.arange(8), np.arange(8), indexing="xy")
        x = -0.2 + 0.05 * (first[:, 0, None, None] + i + (0.5 if axis else 0.0))
        y = 0.1 + 0.05 * (first[:, 1, None, None] + j + (0.0 if axis else 0.5))
        wanted = 1e-3 * (3.0 * x + y ** 2 if axis == 0 else y * x)
        assert np.abs(velocity[:, 0] - wanted).max() < 1e-15, axis
    assert len(kept) == 2 and all((u == 0).all() for u in kept), "the liquid was at rest"
    list(step)
    assert all((u == 0).all() for u in kept), "and arrays kept from a force keep their values"
    assert sim.largest_dt < 0.1  # by the acceleration that the force gave


def check_cycles(freshet, folder):
    """A force that holds its simulation goes with it, when it is closed and at the end of the process."""
    for closed in (True, False):
        sim = freshet.Simulation(CASE)
        sim.add_force(lambda faces, sim=sim: None)
        sim.add_source(lambda time, dt, sim=sim: None)
        sim.step()
        if closed:
            sim.close()
            assert "closed" in str(fails_with(RuntimeError, sim.step)) and 0 <= sim.rank < sim.size
        del sim


def check_sources(freshet, folder):
    """Each rank gives particles of its own, anywhere; they get ids, the tag and attributes."""
    sim = freshet.Simulation(CASE)
    n = sim.report.particles

    @sim.add_source
    def drops(time, dt):
        if sim.steps > 1:  # the number of the step that is under way
            return None
        x = 0.925 - 0.1 * sim.rank  # in the middle of a cell
        return {"position": [[x, 0.975, 0.0], [x, 50.0, 0.0]], "velocity": [0.0, -1.0, 0.0], "tag": 9}

    sim.step()
    assert sim.report.emitted == sim.size and sim.report.particles == n + sim.size
    sim.step()
    assert sim.report.emitted == 0 and sim.totals.emitted == sim.size
    rows = state(sim)
    assert len(np.unique(rows[:, 0])) == n + sim.size
    mine = sim.particles.tag == 9
    assert (sim.particles.velocity[mine, 1] < -0.9).all() and (sim.particles["dye"][mine] == 1.5).all()


def check_stops(freshet, folder):
    """A stop condition counts from one rank; Ctrl-C ends the step that is under way, with a checkpoint."""
    sim = freshet.Simulation(CASE, output_dir=folder / "stopped")
    assert sim.run(stop=lambda s: s.rank == s.size - 1 and s.steps >= 3) == "stopped early" and sim.steps == 3
    sim.close()
    on = freshet.Simulation(CASE, output_dir=folder / "stopped", restart="auto")
    assert on.steps == 3 and on.run() == "done"
    whole = freshet.Simulation(CASE)
    whole.run()
    assert same(state(on), state(whole)), "a stopped run goes on as if it had not stopped"

    sim = freshet.Simulation(CASE, output_dir=folder / "interrupted")

    @sim.add_force
    def interrupt(faces):
        if sim.steps == 2 and sim.rank == 0 and faces.axis == 0:
            os.kill(os.getpid(), signal.SIGINT)

    fails_with(KeyboardInterrupt, sim.run)
    assert sim.steps == 2
    if sim.rank == 0:
        run = json.loads((folder / "interrupted" / "run.json").read_text())
        assert run["status"] == "stopped early" and list((folder / "interrupted" / "checkpoints").glob("chk_*2.h5"))
    seen = []
    sim = freshet.Simulation(CASE)
    with_signal = sim.frames(0.02)

    def walk():
        for frame in with_signal:
            seen.append(frame.number)
            if frame.number == 1 and sim.rank == 0:
                os.kill(os.getpid(), signal.SIGINT)

    fails_with(KeyboardInterrupt, walk)
    assert seen == [0, 1], seen


def check_exceptions(freshet, folder):
    """What one rank throws in a function reaches all ranks; the run can be told from one that ended well."""
    for kind in ("force", "source", "stop"):
        sim = freshet.Simulation(CASE, output_dir=folder / ("failed_" + kind))
        last = sim.size - 1

        def fail(*arguments, sim=sim, last=last):
            if sim.rank == last:
                raise ZeroDivisionError("made for a test")

        if kind != "stop":
            getattr(sim, "add_" + kind)(fail)
        error = fails_with(Exception, lambda: sim.run(stop=fail if kind == "stop" else None))
        if sim.rank == last:
            assert isinstance(error, ZeroDivisionError) and error.on_all_ranks
        else:
            assert isinstance(error, freshet.CallbackError) and "made for a test" in str(error) and "fail" in str(error)
        if kind == "force" and sim.rank == 0:
            assert json.loads((folder / "failed_force" / "run.json").read_text())["status"] == "failed"
    sim = freshet.Simulation(CASE)
    sim.add_force(lambda faces: np.where(faces.x > 0.0, np.nan, 0.0))
    assert "not a finite number" in str(fails_with(freshet.RunError, sim.step))


def check_calls_at_work(freshet, folder):
    """A function that the solver calls may read the simulation, and not change, write or close it; threads wait, too."""
    sim = freshet.Simulation(CASE, output_dir=folder / "at_work")
    refused = []

    def act(*given):
        for call in (sim.step, sim.run, sim.begin_step, sim.checkpoint, sim.snapshot, sim.close, sim.refresh,
                     lambda: sim.change({"time.cfl": 0.5}), lambda: sim.add_force(print), lambda: sim.remove_force(act)):
            refused.append("the solver is at work" in str(fails_with(RuntimeError, call)))

    sim.add_force(act)
    sim.add_source(act)
    sim.step()
    assert sim.steps == 1 and refused == [True] * 30, refused  # of a force for two axes, and of a source
    assert not list(folder.glob("at_work/checkpoints/*.h5"))
    sim.close()
    sim, seen = freshet.Simulation(CASE), []

    def read(faces):
        seen.append((sim.is_over, len(sim.particles.position) == len(sim.particles), sim.fields.gather("pressure").shape))

    def read_elsewhere(time, dt):
        told = []
        thread = threading.Thread(target=lambda: told.append(str(fails_with(RuntimeError, lambda: sim.particles.position))))
        thread.start()
        thread.join()
        seen.append(told)

    sim.add_force(read)
    sim.add_source(read_elsewhere)
    sim.step()
    assert seen[:2] == [(False, True, (1, 24, 32))] * 2 and "the solver is at work" in seen[2][0], seen


def check_changes(freshet, folder):
    """Changed keys act as they do at a restart from a file; what may not change leaves the run as it was."""
    sim = freshet.Simulation(CASE, output_dir=folder / "changed")
    for _ in range(4):
        sim.step()
    other = freshet.Simulation(CASE, restart=folder / "changed" / "checkpoints", overrides={"time.cfl": 0.5})
    assert other.steps == sim.steps == 4
    held = sim.particles.velocity
    values = held.copy()
    sim.change({"time": {"cfl": 0.5}})
    assert same(held, values) and "cfl = 0.5" in sim.case
    for _ in range(3):
        sim.step(), other.step()
    assert same(state(sim), state(other)) and sim.report.dt == other.report.dt
    before = state(sim)
    fails_with(freshet.InputError, lambda: sim.change({"fluid.density": 900.0}))
    fails_with(freshet.InputError, lambda: sim.change({"output.interval": 0.01}))
    fails_with(freshet.InputError, lambda: sim.change({"time.cfl": 99}))
    assert same(state(sim), before)
    calls = []
    sim.add_force(lambda faces: calls.append(faces.axis))
    sim.change({"fluid.gravity": [0.0, 0.0]})
    speed = sim.report.kinetic_energy
    sim.step()
    assert calls[:2] == [0, 1], "own forces stay"
    assert sim.report.kinetic_energy < 1.02 * speed, "without gravity nothing falls faster"


def check_threads(freshet, folder):
    """Python's other threads go on while the solver works."""
    sim = freshet.Simulation(changed(domain={"cells": [96, 64], "cell_size": 0.0125}))
    count, done = [0], threading.Event()

    def work():
        while not done.wait(0.001):
            count[0] += 1

    thread = threading.Thread(target=work)
    thread.start()
    inside = []
    sim.run(stop=lambda s: inside.append(count[0]))
    done.set()
    thread.join()
    assert inside[-1] > 5, "the thread has run during the steps"


def check_communicators(freshet, folder):
    """Two halves of the ranks run by themselves."""
    whole = freshet.Simulation(CASE)
    if whole.size == 1:
        return
    from mpi4py import MPI
    whole.run()
    wanted = state(whole)
    half = MPI.COMM_WORLD.Split(whole.rank % 2)
    sim = freshet.Simulation(CASE, half)
    assert sim.size == half.size and sim.rank == half.rank
    sim.run()
    assert sim.time == whole.time and sim.report.particles == whole.report.particles
    rows = np.concatenate(half.allgather(np.column_stack([sim.particles.id, sim.particles.position])))
    assert same(rows[np.argsort(rows[:, 0])], wanted[:, :4]), "the case is reproducible on any number of ranks"
    half.Free()


def inside(folder):
    signal.signal(signal.SIGINT, signal.default_int_handler)  # it is ignored in a shell's background
    size = int(os.environ.get("OMPI_COMM_WORLD_SIZE", "1"))
    if size == 1:
        sys.modules["mpi4py"] = None  # it works without
    with_mpi4py(size)
    import freshet
    for name, check in list(globals().items()):
        if name.startswith("check_"):
            check(freshet, Path(folder))
    assert freshet.Simulation.__doc__ and freshet.__version__


# ------------------------------------------------------------------------------------------------ from outside, in processes
def command(*words, n=1, env, **more):
    ranks = ["mpirun", "-np", str(n)] if n > 1 else []
    return subprocess.run([*ranks, *map(str, words)], env=env, capture_output=True, text=True, timeout=120, **more)


def outside_program(build, folder, env):
    """python3 -m freshet is the program: output, messages, exit codes, checkpoints."""
    sys.path.insert(0, str(ROOT / "analysis"))
    from freshet.case import Case
    case = folder / "dam.toml"
    case.write_text(Case(CASE).text())
    bad = folder / "bad.toml"
    bad.write_text(Case(changed(fluid={"gravty": [0.0, 0.0]})).text())
    module, program = [sys.executable, "-m", "freshet"], [build / "src" / "freshet"]
    for words in (["schema"], ["--version"], ["run", bad], ["run"], ["nonsense"], ["check", case]):
        a, b = command(*module, *words, env=env), command(*program, *words, env=env)
        kept = [[line for line in text.splitlines() if not line.startswith("# memory")] for text in (a.stdout, b.stdout)]
        assert (a.returncode, kept[0], a.stderr) == (b.returncode, kept[1], b.stderr), (words, a, b)
        with open(folder / "said", "w+") as file:  # as in a pipe: the compiled part writes by C's own buffers
            subprocess.run([*map(str, module), *map(str, words)], env=env, stdout=file, stderr=subprocess.DEVNULL, timeout=120)
            file.seek(0)
            assert [line for line in file.read().splitlines() if not line.startswith("# memory")] == kept[0], words
    for n in (1, 2):
        outputs = []
        for name, start in (("module", module), ("program", program)):
            done = command(*start, "run", case, "--output-dir", folder / f"{name}_{n}", n=n, env=env)
            assert done.returncode == 0, done
            outputs.append((folder / f"{name}_{n}" / "steps.csv").read_text().splitlines())
        strip = [[",".join(line.split(",")[:-2]) for line in lines] for lines in outputs]  # without memory and seconds
        assert strip[0] == strip[1]
    early = command(*module, "run", case, "run.max_wall_time=1e-6", "--output-dir", folder / "early", env=env)
    assert early.returncode == 75, early
    error = command(sys.executable, "-c", f"import freshet; freshet.Simulation({str(bad)!r})", env=env)
    told = command(*program, "run", bad, env=env).stderr.replace("freshet: error: ", "").strip()
    assert error.returncode == 1 and "freshet.errors.InputError: " + told in error.stderr, (error.stderr, told)


def outside_signals(build, folder, env):
    """Ctrl-C and SIGTERM end python3 -m freshet as they end the program, where the command does not catch them."""
    case = folder / "large.toml"  # 4 million particles: the check takes its time
    from freshet.case import Case
    case.write_text(Case(changed(domain={"cells": [1600, 1200], "cell_size": 0.001}, time={}, output={})).text())
    for number in (signal.SIGINT, signal.SIGTERM):
        with subprocess.Popen([sys.executable, "-m", "freshet", "check", str(case)], env=env, stdout=subprocess.PIPE,
                              preexec_fn=default_interrupt) as job:
            while job.poll() is None:
                maps, status = (Path(f"/proc/{job.pid}/{name}").read_text() for name in ("maps", "status"))
                caught = int(next(line for line in status.splitlines() if line.startswith("SigCgt")).split()[1], 16)
                if "libpetsc" in maps and not caught >> (signal.SIGINT - 1) & 1:
                    job.send_signal(number)
                    break
                time.sleep(0.02)
            job.communicate(timeout=60)
        assert job.returncode == -number, (number, job.returncode)


def outside_last_words(folder, env):
    """What the solver has said is there, whatever way the script ends."""
    for way, end in (("return", ""), ("exception", "raise ArithmeticError"), ("interrupt", "raise KeyboardInterrupt"),
                     ("exit", "sys.exit(3)"), ("left", "os._exit(0)"),
                     ("terminated", "os.kill(os.getpid(), signal.SIGTERM)"), ("killed", "os.kill(os.getpid(), signal.SIGKILL)")):
        with open(folder / "said", "w+") as file:
            script = f"import os, signal, sys, freshet\nfreshet.Simulation(sys.argv[1], output_dir=sys.argv[2]).step()\n{end}\n"
            subprocess.run([sys.executable, "-c", script, folder / "dam.toml", folder / f"words_{way}"], env=env, stdout=file,
                           stderr=subprocess.DEVNULL, timeout=120)
            file.seek(0)
            said = file.read()
        log = (folder / f"words_{way}/log.txt").read_text()
        assert log and said.startswith(log), (way, said, log)


def outside_checkpoints(folder):
    """The program, python3 -m freshet and Simulation.run write the same checkpoints."""
    import h5py
    names = ["program_1", "module_1", "program_2", "module_2", "inside_1/python", "inside_2/python"]
    newest = [sorted((folder / name / "checkpoints").glob("chk_*.h5"))[-1] for name in names]
    seen = []
    for path in newest:
        with h5py.File(path) as file:
            order = np.argsort(file["particles/id"][()])
            seen.append([file["particles/" + name][()][order].tobytes() for name in ("id", "velocity", "tag", "dye")])
    assert all(one == seen[0] for one in seen), [path.name for path in newest]


def outside_ends(folder, env):
    """An exception that one rank does not catch ends all of them, with its traceback."""
    case = folder / "dam.toml"
    script = folder / "ends.py"
    script.write_text(f"""
import sys, freshet
sim = freshet.Simulation({str(case)!r}, output_dir=sys.argv[2])
def broken(faces):
    if sim.rank == 1: raise ZeroDivisionError("in a force")
if sys.argv[1] == "force":
    sim.add_force(broken)
sim.step()
if sys.argv[1] == "exit":
    with sim:
        if sim.rank == 1: sys.exit(3)
        sim.run()
if sim.rank == 1: raise KeyError("between steps")
sim.run()
""")
    left = command(sys.executable, script, "exit", folder / "ended_exit", n=2, env=env)
    assert left.returncode == 3 and json.loads((folder / "ended_exit/run.json").read_text())["status"] == "failed", left
    for what, text in (("force", "ZeroDivisionError: in a force"), ("between", "KeyError: 'between steps'")):
        ended = command(sys.executable, script, what, folder / ("ended_" + what), n=2, env=env)
        assert ended.returncode != 0 and text in ended.stderr and "ends.py" in ended.stderr, ended
        status = json.loads((folder / ("ended_" + what) / "run.json").read_text())["status"]
        assert status == "failed", (what, status)


INTERRUPTED = """
import json, os, sys, time
import freshet
case, out, place = json.loads(sys.argv[1]), sys.argv[2], sys.argv[3]

def wait():
    with open(f"{out}.{sim.rank}", "w") as file:
        file.write(str(os.getpid()))
    end = time.monotonic() + (60 if sim.size == 1 else 0.4)  # of several ranks each goes on: the signal counts at the next step
    while time.monotonic() < end:
        time.sleep(0.05)

def take_steps():
    while not sim.is_over:
        for phase in sim.begin_step():
            if place == "move" and phase == "move" and sim.steps == 3:
                wait()
        if place in ("between", "bare") and sim.steps == 3:
            wait()

sim = freshet.Simulation(case, output_dir=out)
if place == "force":
    sim.add_force(lambda faces: wait() if sim.steps == 3 and faces.axis == 1 else None)
if place == "bare":
    take_steps()
with sim:
    take_steps()
"""


def default_interrupt():
    """Shells start jobs in the background with SIGINT ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def outside_interrupts(folder, env):
    """A real SIGINT at any place of a script leaves a checkpoint and a true run.json, from which the run goes on."""
    import h5py
    script = folder / "interrupted.py"
    script.write_text(INTERRUPTED)
    wanted = None
    for n, place, steps in ((1, "between", 3), (1, "bare", 3), (1, "force", 2), (1, "move", 3), (2, "between", 4), (2, "force", 3)):
        out = folder / f"interrupted_{place}_{n}"
        ranks = ["mpirun", "-np", str(n)] if n > 1 else []
        with subprocess.Popen([*ranks, sys.executable, script, json.dumps(CASE), str(out), place], env=env, text=True,
                              stderr=subprocess.PIPE, preexec_fn=default_interrupt) as job:
            ready = [Path(f"{out}.{rank}") for rank in range(n)]
            deadline = time.monotonic() + 60
            while job.poll() is None and time.monotonic() < deadline and not all(f.exists() and f.read_text() for f in ready):
                time.sleep(0.02)
            for file in ready:
                os.kill(int(file.read_text()), signal.SIGINT)
            told = job.communicate(timeout=60)[1]
        assert job.returncode != 0 and "KeyboardInterrupt" in told, (place, n, told)
        run = json.loads((out / "run.json").read_text())
        assert (run["status"], run["steps"], run["last_checkpoint"]) == ("stopped early", steps, steps), (place, n, run, told)
        assert len((out / "steps.csv").read_text().splitlines()) == steps + 1
        done = command(sys.executable, "-c", "import sys, freshet\nwith freshet.Simulation(sys.argv[1], output_dir=sys.argv[2], "
                       "restart='auto') as sim: sim.run()", folder / "dam.toml", out, env=env)
        assert done.returncode == 0, done
        with h5py.File(sorted((out / "checkpoints").glob("chk_*.h5"))[-1]) as file:
            order = np.argsort(file["particles/id"][()])
            found = [file["particles/" + name][()][order].tobytes() for name in ("id", "velocity")]
        wanted = wanted or found
        assert found == wanted, (place, n)


def outside_bare(env):
    """Without the compiled part the package says so, and its other parts work."""
    bare = dict(env, PYTHONPATH=str(ROOT / "analysis"))
    told = command(sys.executable, "-c", "import freshet; freshet.InputError; freshet.Simulation", env=bare)
    assert told.returncode == 1 and "ImportError: the compiled part of freshet is missing" in told.stderr, told
    told = command(sys.executable, "-m", "freshet", "--version", env=bare)
    assert told.returncode == 2 and told.stderr.startswith("freshet: error: the compiled part of freshet is missing"), told


def outside_numbers():
    """Numbers of numpy 2, whose repr is np.float64(0.5), are written as the numbers that they are."""
    sys.path.insert(0, str(ROOT / "analysis"))
    import convert_settings_xml
    from freshet import case
    half = Numpy2(0.5)
    assert case.to_toml({"run": {"end_time": half}, "x": [half, (half, 2)], "y": np.array([0.5, 1]), "z": np.int64(3)})[0] == (
        "x = [0.5, [0.5, 2]]\ny = [0.5, 1.0]\nz = 3\n[run]\nend_time = 0.5\n")
    assert case.overrides({"time.cfl": half, "liquid": [half]}) == ["time.cfl=0.5", "liquid=[0.5]"]
    assert convert_settings_xml.toml([half, 1]) == "[0.5, 1.0]"
    import validation_exact
    import validation_experiments
    assert "np." not in validation_exact.outside_of_cylinder(half, 0.25) + validation_exact.head(half, [8, 8, 8], half, [half] * 3)
    assert "np." not in "".join(validation_experiments.marin_grid(Numpy2(0.05)))


def outside_optimised(folder, env):
    """Python drops docstrings and assertions by -OO; the package needs neither, and the list of sub-steps stays."""
    script = """
import sys, freshet
sim = freshet.Simulation(sys.argv[1])
step = sim.begin_step()
for call in (step.deposit, step.label, step.forces, step.project, step.extrapolate, step.blend, step.resample, step.correct, step.move,
             step.exchange):
    call()
print(step.end().step, *sim.begin_step(), freshet.Case.__doc__)
"""
    for flag in ("-OO", "-s") if NIGHTLY else ("-OO",):
        done = command(sys.executable, flag, "-c", script, folder / "dam.toml", env=env)
        assert done.returncode == 0 and done.stdout.startswith("1 deposit label forces project "), done
        told = command(sys.executable, flag, "-c", "import freshet; print(freshet.Step.__doc__, freshet.Step.move.__doc__)", env=env).stdout
        assert "    move         particles move through" in told and "    end          sums" in told and "blocks. Collective." in told, told
    for name, part in (("convert_particles.py", "usage"), ("convert_fluid_json.py", "usage"), ("convert_settings_xml.py", "usage")):
        done = command(sys.executable, "-OO", ROOT / "analysis" / name, env=env)
        assert done.returncode == 2 and part in done.stderr, done  # not "None"


def outside_stubs(build, env):
    """The stubs name what the compiled part has."""
    stub = (ROOT / "analysis" / "freshet" / "_freshet.pyi").read_text()
    names = command(sys.executable, "-c", "from freshet import _freshet as f\n"
                    "print(*[n for n in [*dir(f), *dir(f.Run)] if not n.startswith('_')])", env=env).stdout.split()
    missing = [name for name in names if f"def {name}(" not in stub and f"class {name}" not in stub]
    assert names and not missing, missing


def main():
    if sys.argv[1] == "inside":
        return inside(sys.argv[2])
    build = Path(sys.argv[1]).resolve()
    if not list((build / "python" / "freshet").glob("_freshet*.so")):
        sys.exit("the compiled part of the Python package is not built: ninja _freshet")
    env = dict(os.environ, PYTHONPATH=str(build / "python"), OMP_NUM_THREADS="1", PYTHONDONTWRITEBYTECODE="1")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        outside_bare(env)
        outside_stubs(build, env)
        outside_program(build, folder, env)
        outside_numbers()
        outside_optimised(folder, env)
        outside_signals(build, folder, env)
        outside_last_words(folder, env)
        for n in RANKS:
            (folder / f"inside_{n}").mkdir()
            done = command(sys.executable, HERE, "inside", folder / f"inside_{n}", n=n, env=env)
            assert done.returncode == 0, f"on {n} ranks:\n{done.stdout[-2000:]}\n{done.stderr[-6000:]}"
        outside_checkpoints(folder)
        outside_ends(folder, env)
        outside_interrupts(folder, env)
    print(f"the Python package does what the program does on {RANKS} ranks")
    return 0


if __name__ == "__main__":
    sys.exit(main())
