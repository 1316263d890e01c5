#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Cases of validate.py with one body in a wide tank that is full of liquid: no surface, no gravity or a steady one.

Theory is that of an ideal liquid without walls (Kirchhoff's equations; Lamb 1932, articles 68, 92 and 124 to 127), in which
nothing holds the body up. Steps are those of `reflection`: with others the projection takes energy from a body that glides.
"""
import math

import numpy as np

from validation_air import run_text
from validation_bodies import ball, density_line, motion
from validation_exact import head
from validation_runs import data

LENGTHS = 10  # of a body, which it passes
LONG, HIGH, START = 34, 20, (6.0, 10.0)  # of the tank, and where the body begins [radii, or longer semi-axes]
RATIO = 0.5  # density of the body over the liquid's
WALLS = 1 + 2 / 3 * (math.pi / HIGH)**2  # added mass of a cylinder between two walls over the one without: its images


def full_tank(end, n, gravity=(0.0, 0.0)):
    """Text of a case up to its body, with n cells a unit of length and a liquid of density 1."""
    text = head(end, [LONG * n, HIGH * n], 1.0 / n, gravity, walls="sticky")
    text = text.replace("[fluid]\n", "[fluid]\ndensity = 1.0\n")
    return text + '[time]\nsplitting = "reflection"\n[[liquid]]\nshape = "box"\nlower = [-1.0, -1.0]\nupper = [1e3, 1e3]\n'


def moving(velocity, omega=0.0):
    """Keys of a body that has this velocity, and angular velocity [rad/s], as soon as the liquid moves as well."""
    return f"body.velocity = [{velocity!r}, 0.0]\nbody.angular_velocity = [0.0, 0.0, {math.degrees(omega)!r}]\n"


def sizes_of(bench):
    return (8,) if bench.quick else (8, 16)


def gliding_disc(bench):
    """A disc goes on without gravity: in an ideal liquid it keeps its speed, here it loses a part."""
    way = 2.0 * LENGTHS
    for n in sizes_of(bench):
        text = full_tank(way, n) + ball(START, 1.0, density_line(RATIO) + moving((RATIO + WALLS) / RATIO))
        body = motion(run_text(bench, f"gliding_disc_{n}", text))
        case, gone = ("disc without gravity", f"radius/{n}"), body["x"] - START[0]
        speeds = ", ".join(f"{np.interp(t, body['t'], body['u']):.3f} at {t:g}" for t in (0.1, 3.0, 10.0, way))
        bench.add(case, f"way in the time for {LENGTHS} diameters", "relative error", abs(gone[-1] / way - 1),
                  f"Lamb 1932, article 68: speed 1; here in radii over the time for one: {speeds}", 0.02)
        # the speed falls as 1 / (1 + k x) over a way x if the drag is C_d rho u^2 for a disc of radius 1
        near = (gone > 1.0) & (gone < 5.0)
        rate = -np.polyfit(gone[near], np.log(body["u"][near]), 1)[0]
        bench.add(case, "drag", "coefficient of rho u^2 / 2 times the diameter", rate * math.pi * (RATIO + WALLS), "0")


def rising_disc(bench):
    """A disc rises in a full tank: it has a steady acceleration in an ideal liquid."""
    way, g = 2.0 * LENGTHS, 1.0
    acceleration = (1 - RATIO) / (RATIO + WALLS) * g
    end = math.sqrt(2 * way / acceleration)
    for n in sizes_of(bench):
        text = full_tank(end, n, (-g, 0.0)) + ball(START, 1.0, density_line(RATIO))
        body = motion(run_text(bench, f"rising_disc_{n}", text))
        gone = body["x"] - START[0]
        parts = ", ".join(f"{np.interp(f * end, body['t'], gone) / (f * f * way):.3f} after {f:g} of the time" for f in (0.1, 0.25, 0.5, 1.0))
        bench.add(("disc that rises", f"radius/{n}"), f"way in the time for {LENGTHS} diameters", "relative error",
                  abs(gone[-1] / way - 1), f"Lamb 1932, article 68; way here over theory's: {parts}", 0.02)


def ellipse_mesh(path, sides=200):
    """A cylinder with semi-axes of 0.5 along x and 1 along y, as a mesh that closes at z = -1 and 1."""
    lines = []
    for z in (-1, 1):
        for i in range(sides):
            angle = 2 * math.pi * i / sides
            lines.append(f"v {0.5 * math.cos(angle):.9f} {math.sin(angle):.9f} {z}")
    for i in range(sides):
        j = (i + 1) % sides
        lines.append(f"f {i + 1} {j + 1} {sides + j + 1} {sides + i + 1}")
    lines.append("f " + " ".join(str(i + 1) for i in reversed(range(sides))))
    lines.append("f " + " ".join(str(sides + i + 1) for i in range(sides)))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def kirchhoff_ellipse(bench):
    """An ellipse with its long axis across the motion wobbles without gravity."""
    exact = data("kirchhoff_ellipse.csv")
    arc = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(exact["x"]), np.diff(exact["y"])))])
    way = 2.0 * LENGTHS
    end = float(np.interp(way, arc, exact["t"]))
    ellipse_mesh(bench.directory / "ellipse.obj")
    area = 0.5 * math.pi
    inertia, added = RATIO * area * (1 + 0.25) / 4, math.pi / 8 * (1 - 0.25)**2  # moments of inertia of body and liquid
    start = moving((RATIO * area + math.pi) / (RATIO * area), (inertia + added) / inertia)
    for n in sizes_of(bench):
        text = full_tank(end, n)
        text += f'[[solid]]\nshape = "mesh"\nfile = "ellipse.obj"\ntranslate = {list(START)}\n' + density_line(RATIO) + start
        body = motion(run_text(bench, f"kirchhoff_ellipse_{n}", text))
        t = body["t"]
        apart = np.hypot(body["x"] - START[0] - np.interp(t, exact["t"], exact["x"]), body["y"] - START[1] - np.interp(t, exact["t"], exact["y"]))
        case = ("Kirchhoff's ellipse", f"axis/{n}")
        source = "Kirchhoff's equations, Lamb 1932, article 124"
        passed = np.interp(t, exact["t"], arc)
        early = ", ".join(f"{np.interp(s, passed, apart) / s:.3f} after {s / 2:g}" for s in (2.0, 4.0, 10.0))
        bench.add(case, f"path over {LENGTHS} lengths", "largest distance / way", np.max(apart) / way, f"{source}; distance over way: {early} lengths", 0.02)
        turned = np.abs(np.radians(body["rz"]) + 0.5 * math.pi - np.interp(t, exact["t"], exact["angle"]))
        bench.add(case, "angle", "largest error [degrees]", np.degrees(turned.max()), source)


CASES = {
    "gliding_disc": gliding_disc,
    "rising_disc": rising_disc,
    "kirchhoff_ellipse": kirchhoff_ellipse,
}
