#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# needs: python:numpy python:mpi4py
"""sim.solids of the Python package: bodies that the liquid moves are read, set and loaded by functions, on 1, 2 and 3 ranks.
usage: check_python_bodies.py BUILD_DIR (starts itself under mpirun for the ranks)
"""
# timeout: 300
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve()
sys.path.insert(0, str(HERE.parents[2] / "jobs"))
from mpi_settings import mpi_settings  # noqa: E402

RANKS = (1, 2, 3)


def raft(**more):
    """A box that floats, whose centre of mass lies beside its middle, so that it heels."""
    return {
        "run": {"end_time": 2.0, "reproducible": True},
        "domain": {"dimension": 2, "cells": [48, 32], "cell_size": 0.05},
        "fluid": {"gravity": [0.0, -9.81]},
        "liquid": [{"shape": "box", "lower": [0.0, 0.0], "upper": [2.4, 0.8]}],
        "solid": [{"shape": "box", "lower": [0.8, 0.6], "upper": [1.6, 1.0], "body": {"density": 500.0, "center": [1.28, 0.8]}},
                  {"shape": "box", "lower": [0.0, 0.0], "upper": [0.2, 0.1]}],
        **more,
    }


def fails_with(kind, action):
    try:
        action()
    except kind as error:
        return str(error)
    raise AssertionError(f"no {kind.__name__}")


def angle(solid):
    """Heel about z [degrees]."""
    return math.degrees(math.atan2(solid.rotation[1, 0], solid.rotation[0, 0]))


def check_controller(freshet, folder):
    """A moment against heel and its rate keeps the raft level, which heels without it."""
    heels = []
    for is_controlled in (False, True):
        with freshet.Simulation(raft()) as sim:
            body, calls = sim.solids[0], []

            def hold(solid, time, dt):
                calls.append((time, dt))
                heel = math.radians(angle(solid))
                return [0.0, 0.0, 0.0], [0.0, 0.0, -4e4 * heel - 3e3 * solid.angular_velocity[2]]

            if is_controlled:
                assert body.add_load(hold) is hold
            largest = 0.0
            while sim.time < 1.0:
                sim.step(0.01)
                largest = max(largest, abs(angle(body)))
            heels.append(largest)
            assert not is_controlled or len(calls) >= sim.steps and calls[0][0] == 0.0
            assert (body.position[:2] != [1.28, 0.8]).any() and abs(body.position[2] - 0.025) < 1e-12
    assert heels[0] > 6.0, heels
    assert heels[1] < 1.0, heels


def check_loads(freshet, folder):
    """A constant load is body.force, to the solver's tolerance, as the first guess of its pressure is another one; a load that is
    removed acts no more."""
    exact = {"pressure": {"tolerance": 1e-11}}
    pushed = raft(**exact)
    pushed["solid"][0]["body"]["force"] = [40.0, 0.0]
    with freshet.Simulation(pushed) as by_case, freshet.Simulation(raft(**exact)) as by_function:
        body = by_function.solids[0]
        push = body.add_load(lambda solid, time, dt: [40.0, 0.0, 0.0])
        for _ in range(4):
            by_case.step(0.005), by_function.step(0.005)
        apart = np.abs(by_case.solids[0].position - body.position).max()
        assert apart < 1e-10, apart
        assert abs(by_case.solids[0].velocity[0]) > 1e-4
        body.remove_load(push)
        fails_with(KeyError, lambda: body.remove_load(push))
        by_function.change({"time.cfl": 0.9})  # which restarts in memory
        by_function.step(0.005)


def check_values(freshet, folder):
    """What is read is what the case and the table say; what is set is read back."""
    with freshet.Simulation(raft(), output_dir=folder / "values") as sim:
        body, floor = sim.solids
        assert body.is_free and not floor.is_free and len(sim.solids) == 2
        assert abs(body.mass - 500.0 * 0.8 * 0.4) < 1e-9 and (body.position[:2] == [1.28, 0.8]).all()
        own = 160.0 * ((0.8 ** 2 + 0.4 ** 2) / 12.0 + 0.08 ** 2)  # Steiner
        assert abs(body.inertia[2, 2] / own - 1.0) < 1e-12
        assert (floor.rotation == np.eye(3)).all() and (floor.translation == 0.0).all()
        for _ in range(3):
            sim.step(0.005)
        x, u, spin, force, moment = body.position, body.velocity, body.angular_velocity, body.force, body.moment
        at = body.translation + body.rotation @ np.array([1.28, 0.8, x[2]])
        assert np.abs(at - x).max() < 1e-14
        body.position = x + [0.1, 0.05, 0.0]
        turn = np.array([[math.cos(0.2), -math.sin(0.2), 0.0], [math.sin(0.2), math.cos(0.2), 0.0], [0.0, 0.0, 1.0]])
        body.set(rotation=turn, velocity=[0.3, -0.1, 0.0])
        body.angular_velocity = [0.0, 0.0, 0.5]
        assert np.abs(body.position - x - [0.1, 0.05, 0.0]).max() < 1e-15 and np.abs(body.rotation - turn).max() < 1e-15
        assert (body.velocity == [0.3, -0.1, 0.0]).all() and (body.angular_velocity == [0.0, 0.0, 0.5]).all()
        sim.step(0.001)
        assert np.abs(body.position - x - [0.1003, 0.0499, 0.0]).max() < 5e-4, "it goes on from there"
        sim.checkpoint()
        kept = body.position
    with freshet.Simulation(raft(), output_dir=folder / "values", restart="auto") as again:
        assert (again.solids[0].position == kept).all()
        if again.rank == 0:
            rows = np.loadtxt(folder / "values/bodies/solid_0.csv", delimiter=",", skiprows=1)
            assert np.array_equal(rows[3][2:5], x) and np.array_equal(rows[3][8:11], u) and np.array_equal(rows[3][14:17], force)
            assert np.abs(np.radians(rows[3][11:14]) - spin).max() < 1e-15 and np.array_equal(rows[3][17:20], moment)


def check_snapshots(freshet, folder):
    """A snapshot holds what the body's table says at its time, and files without such numbers are read as before."""
    if int(os.environ.get("OMPI_COMM_WORLD_SIZE", "1")) > 1:
        return
    import h5py
    import freshet.analysis as fa
    with freshet.Simulation(raft(), output_dir=folder / "snapshots") as sim:
        for _ in range(3):
            sim.step(0.005)
        sim.snapshot()
        solid = sim.solids[0]
        said = [solid.position, solid.velocity, solid.angular_velocity, solid.force, solid.moment]
    last = fa.open(folder / "snapshots").snapshots[-1]
    assert list(last.bodies) == [0] and last.solid_poses.shape == (2, 3, 4)
    body = last.bodies[0]
    for told, found in zip(said, [body.center, body.velocity, body.angular_velocity, body.force, body.moment]):
        assert np.array_equal(told, found), (told, found)
    assert 0.5 < body.force[1] / (160.0 * 9.81) < 1.5, "of one metre of thickness"
    turn = last.solid_poses[0]
    assert np.abs(turn[:, :3] @ [1.28, 0.8, 0.025] + turn[:, 3] - body.center).max() < 1e-14
    seal = last.path.read_bytes()[-512:]
    with h5py.File(last.path, "r+") as file:
        group = file[f"data/{last.iteration}"]
        for name in [name for name in group.attrs if name.startswith("freshetSolid") and name != "freshetSolidPoses"]:
            del group.attrs[name]
    with open(last.path, "ab") as file:  # h5py cuts off what follows the data
        file.write(seal)
    old = fa.Snapshot(last.path)
    assert old.bodies == {} and np.array_equal(old.solid_poses, last.solid_poses)


def check_mistakes(freshet, folder):
    """Messages for what cannot be."""
    with freshet.Simulation(raft()) as sim:
        body, floor = sim.solids
        assert "does not move solid 1" in fails_with(freshet.InputError, lambda: floor.position)
        assert "does not move solid 1" in fails_with(freshet.InputError, lambda: floor.add_load(print))
        assert "no function" in fails_with(freshet.InputError, lambda: body.add_load(3))
        assert "no rotation" in fails_with(freshet.InputError, lambda: body.set(rotation=2.0 * np.eye(3)))
        assert "leave the plane" in fails_with(freshet.InputError, lambda: body.set(velocity=[0, 0, 1]))
        assert "finite" in fails_with(freshet.InputError, lambda: body.set(position=[math.nan, 0, 0]))
        assert "broadcasts" in fails_with(freshet.InputError, lambda: body.set(position=[1, 2]))
        where = body.position
        wrong = body.add_load(lambda solid, time, dt: [1.0, 2.0])
        assert "three numbers" in fails_with(freshet.InputError, sim.step)
        body.remove_load(wrong)

        def move(solid, time, dt):
            solid.velocity = [1.0, 0.0, 0.0]

        body.add_load(move)
        assert "solver is at work" in fails_with(RuntimeError, sim.step)
        body.remove_load(move)
        if sim.size > 1:
            rank = sim.rank
            other = body.add_load(lambda solid, time, dt: [float(rank), 0.0, 0.0])
            assert "other numbers on other ranks: force x from 0 to" in fails_with(freshet.RunError, sim.step)
            body.remove_load(other)
            assert "different places" in fails_with(freshet.InputError, lambda: body.set(position=where + [0.01 * rank, 0, 0]))
        assert (body.position == where).all()
        sim.step(0.005)


def check_joint(freshet, folder):
    """Where bodies are joined, one that is set takes the other along, and the joint holds in the liquid."""
    case = raft(joint=[{"name": "arm", "kind": "hinge", "solids": [0], "anchor": [0.8, 0.8], "damping": 3.0}],
                mooring=[{"name": "rope", "kind": "tether", "solid": 0, "anchor": [1.6, 0.0], "fairlead": [1.6, 0.6],
                          "stiffness": 2000.0}])
    with freshet.Simulation(case, output_dir=folder / "joint") as sim:
        body = sim.solids[0]
        for _ in range(5):
            sim.step(0.01)
        body.set(rotation=[[math.cos(0.1), -math.sin(0.1), 0], [math.sin(0.1), math.cos(0.1), 0], [0, 0, 1]])
        sim.step(0.01)
        hinge = body.translation + body.rotation @ np.array([0.8, 0.8, 0.025])
        assert np.abs(hinge - [0.8, 0.8, 0.025]).max() < 1e-12
    if sim.rank == 0:
        arm = (folder / "joint/joints/arm.csv").read_text().splitlines()
        rope = (folder / "joint/moorings/rope.csv").read_text().splitlines()
        assert len(arm) == len(rope) == 8 and arm[0].startswith("step,t [s],angle [degrees]"), arm[0]
        # the body was turned about its centre, and came back onto the hinge by the shortest way
        assert float(arm[-1].split(",")[2]) - float(arm[-2].split(",")[2]) > 0.5


def inside(folder):
    import freshet
    size = int(os.environ.get("OMPI_COMM_WORLD_SIZE", "1"))
    if size > 1:
        from mpi4py import MPI  # noqa: F401
    for name, check in sorted(globals().items()):
        if name.startswith("check_"):
            check(freshet, Path(folder))
    return 0


def main():
    if sys.argv[1] == "inside":
        return inside(sys.argv[2])
    build = Path(sys.argv[1]).resolve()
    if not list((build / "python" / "freshet").glob("_freshet*.so")):
        print("skipped: this build has no compiled part of the Python package")
        return 77
    env = {**os.environ, **mpi_settings(os.environ), "PYTHONPATH": str(build / "python"), "OMP_NUM_THREADS": "1",
           "PYTHONDONTWRITEBYTECODE": "1"}
    with tempfile.TemporaryDirectory() as name:
        for n in RANKS:
            folder = Path(name) / f"inside_{n}"
            folder.mkdir()
            launcher = ["mpirun", "-np", str(n)] if n > 1 else []
            done = subprocess.run([*launcher, sys.executable, str(HERE), "inside", str(folder)], env=env, capture_output=True,
                                  text=True, timeout=200, check=False)
            assert done.returncode == 0, f"on {n} ranks:\n{done.stdout[-2000:]}\n{done.stderr[-6000:]}"
    print(f"bodies can be read, set and loaded from Python on {RANKS} ranks")
    return 0


if __name__ == "__main__":
    sys.exit(main())
