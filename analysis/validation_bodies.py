#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Cases of validate.py with bodies that the liquid moves.

Theory is that of liquid without viscosity. Walls are sticky: no liquid leaves a body in these cases.
"""
import math

import numpy as np

from freshet.analysis import zero_crossings
from freshet.analysis.tables import read_columns
from validation_air import root, run_text
from validation_exact import RHO, first_harmonic, head
from validation_runs import G, data, gauge

LAMB = "Lamb 1932, articles 68 and 92"
HEAVE = "Maskell & Ursell 1970; Havelock 1955"


def motion(output, solid=0):
    """The columns of a body's table."""
    return read_columns(output / "bodies" / f"solid_{solid}.csv")


def steps(output):
    """The columns of steps.csv."""
    return read_columns(output / "steps.csv")


def basin(end, cells, cell, level, more=""):
    """Text of a case up to its bodies: a tank with water up to a level; y points up in 2-D and in 3-D."""
    gravity = [0.0, -G, 0.0][:len(cells)]
    corner = [[-1.0, -1.0, -1.0], [1e3, float(level), 1e3]]
    text = head(end, cells, cell, gravity, walls="sticky") + more
    return text + f'[[liquid]]\nshape = "box"\nlower = {corner[0][:len(cells)]}\nupper = {corner[1][:len(cells)]}\n'


def ball(center, radius, more):
    """A ball, or a disc in the plane; `more` says what it weighs."""
    return f'[[solid]]\nshape = "sphere"\ncenter = {[float(x) for x in center]}\nradius = {radius!r}\n{more}'


def density_line(value):
    return f"body.density = {float(value)!r}\n"


def box(center, breadth, height, angle, density, more=""):
    """A box in the plane, turned by an angle [degrees]."""
    (x, y), b, h = center, 0.5 * breadth, 0.5 * height
    text = f'[[solid]]\nshape = "box"\nlower = [{x - b!r}, {y - h!r}]\nupper = [{x + b!r}, {y + h!r}]\n'
    if angle:
        text += f"rotate.axis = [0.0, 0.0, 1.0]\nrotate.angle = {float(angle)!r}\nrotate.center = [{x!r}, {y!r}]\n"
    return text + f"body.density = {float(density)!r}\n{more}"


def rows_of_images(to_surface, to_floor):
    """(y, sign) of the images of an upright dipole between a free surface, where it keeps its sign, and a floor, where that turns."""
    for n in range(-40, 41):
        y, sign = 2 * n * (to_surface + to_floor), 1 if n % 2 == 0 else -1
        yield y, sign
        if to_surface > 0:
            yield y + 2 * to_surface, sign


def added_mass(dimension, half_width, to_surface, to_floor):
    """Added mass of a whole cylinder or sphere in a tank over the mass that it displaces; lengths in radii.

    The walls' images are dipoles; the error is of order (radius / distance)^4 in the plane, ^6 in space.
    """
    total = 0.0
    if dimension == 2:
        w = math.pi / (2 * half_width)
        for y, sign in rows_of_images(to_surface, to_floor):
            total += sign * (w**2 / math.sinh(w * y)**2 if y else -w**2 / 3)
        return 1 - 2 * total
    step, most = 2 * half_width, 60
    end = (most + 0.5) * step  # images beyond are integrated
    i = step * np.arange(-most, most + 1)
    across = (i[:, None]**2 + i[None, :]**2).ravel()
    across = across[across < end**2]
    for y, sign in rows_of_images(to_surface, to_floor):
        near = across if y else across[across > 0]
        plane = np.sum((2 * y**2 - near) / (near + y**2)**2.5)
        total += sign * (plane - 2 * math.pi * end**2 / (step**2 * (end**2 + y**2)**1.5))
    return 0.5 - 0.75 * total


LET_GO = (  # dimension, half width of the tank, depth of the body below the surface, height above the floor [radii]; density ratios
    ("deep cylinder", 2, 10, 12, 10, (0.0, 0.01, 0.1, 0.5, 2.0, 10.0)),
    ("deep sphere", 3, 3, 4, 3, (0.0, 0.01, 0.1, 0.5, 2.0, 10.0)),
    ("half-immersed cylinder", 2, 8, 0, 8, (0.1, 0.25, 0.75, 2.0)),
    ("half-immersed sphere", 3, 4, 0, 4, (0.1, 0.25, 0.75, 2.0)),
)


PLACES = (0.0, 0.25, 0.6)  # of bodies' middles beside a node of the grid [cells]


def let_go(bench):
    """Bodies at rest in still water are let go: their first acceleration, in one short step, at several places in the grid."""
    radius, dt = 0.1, 1e-4
    for name, dimension, half_width, below, above, ratios in LET_GO:
        c = added_mass(dimension, half_width, below, above)
        wet, held = (1.0, c) if below else (0.5, 0.5 * c)  # parts of the volume of the body
        errors = []
        sizes = ((4, 8) if bench.quick else (4, 8, 16)) if dimension == 2 else ((4,) if bench.quick else (4, 8))
        for n in sizes:
            cell = radius / n
            floor = above * radius
            cells = [2 * half_width * n, (above + below + 2) * n] + [2 * half_width * n] * (dimension - 2)
            middle = half_width * radius
            worst = np.zeros((len(PLACES), len(ratios)))
            for i, place in enumerate(PLACES):
                center = [middle + place * cell, floor + (0.6 * place * cell if below else 0.0)] + [middle] * (dimension - 2)
                for j, s in enumerate(ratios):
                    text = basin(dt, cells, cell, floor + below * radius, f"[time]\nmax_dt = {dt}\n[pressure]\ntolerance = 1e-8\n")
                    out = run_text(bench, f"{name.replace(' ', '_')}_{n}_{place:g}_{s:g}",
                                   text + ball(center, radius, density_line(RHO * s)))
                    body = motion(out)
                    worst[i, j] = body["v"][-1] / (G * body["t"][-1]) / ((wet - s) / (s + held)) - 1
            errors.append(np.max(np.abs(worst)))
            texts = [f"at {place:g} cells {', '.join(f'{e:+.4f}' for e in row)}" for place, row in zip(PLACES, worst)]
            bench.add((f"{name} let go", f"radius/{n}"), "first acceleration", "largest relative error", errors[-1],
                      f"{LAMB}; density ratios {ratios}: {'; '.join(texts)}", 0.02 if n == 8 else None)
        if len(sizes) > 1:
            bench.add(f"{name} let go", "order in the cell size", "2 - order", 2 - math.log2(errors[-2] / errors[-1]), "2")


def extremes(t, x, count):
    """Times and values of the first extremes of a curve, each from a parabola through the points around it."""
    far = 0.35  # in units of t
    found = []
    turns = np.flatnonzero(np.diff(np.sign(np.diff(x))) != 0) + 1
    for k in turns:
        if found and t[k] - found[-1][0] < 1.0:  # noise about an extreme
            continue
        near = np.abs(t - t[k]) < far
        a, b, c = np.polyfit(t[near] - t[k], x[near], 2)
        found.append((t[k] - b / (2 * a), c - b * b / (4 * a)))
    return np.array(found[:count]).T


def decay_of(bench, theory, out, n, radius, level, part):
    """Records of a half-immersed body with n cells in its radius that was let go from `part` of the radius above a level.

    Where the body comes to rest is found by least squares, and swings are counted from there.
    """
    body, start = motion(out), part * radius
    t, x = body["t"] / math.sqrt(radius / G), body["y"] - level
    table = data("heave_decay.csv")
    curve = np.interp(t, table["t"], table[theory])
    used = t <= 11.0
    rest = np.sum((x - start * curve) * (1 - curve) * used) / np.sum((1 - curve)**2 * used)
    exact = extremes(table["t"], table[theory], 3)
    times, values = extremes(t[used], (x[used] - rest) / (start - rest), 3)
    case = (f"{theory} let go from {part:g} a", f"radius/{n}")
    goals = (0.01, 0.03) if n >= 8 and part <= 0.1 else (None, None)  # linear theory holds for small swings
    reference = f"{HEAVE}; here at {', '.join(f'{a:.3f}' for a in times)}: {', '.join(f'{a:+.4f}' for a in values)}"
    bench.add(case, "first three extremes, times", "largest relative error", np.max(np.abs(times / exact[0] - 1)), reference, goals[0])
    bench.add(case, "first three extremes", "largest relative error", np.max(np.abs(values / exact[1] - 1)), reference, goals[1])
    bench.add(case, "first minimum", "relative error", abs(values[0] / exact[1][0] - 1), reference)
    bench.add(case, "height at rest", "error / cell", abs(rest) * n / radius, "half immersed", 0.1)


def cylinder_decay(bench):
    """A half-immersed cylinder is let go from a twentieth, and from a fifth of its radius above its rest."""
    radius, half, deep = 0.1, 40, 12  # in a tank half as wide the swings are up to a tenth higher at the end
    for n in (4, 8) if bench.quick else (4, 8, 16):
        cell = radius / n
        level = deep * radius
        for part in (0.05, 0.2):
            end = 11.2 * math.sqrt(radius / G)
            more = f'[time]\nsplitting = "strang"\nmax_dt = {0.1 * math.sqrt(radius / G)}\n[particles]\njitter = 0.0\n'
            text = basin(end, [2 * half * n, (deep + 2) * n], cell, level, more)
            text += ball([half * radius, level + part * radius], radius, density_line(0.5 * RHO))
            out = run_text(bench, f"cylinder_decay_{n}_{part:g}", text)
            decay_of(bench, "cylinder", out, n, radius, level, part)


def sphere_decay(bench):
    """A quarter of a half-immersed sphere in a corner of the tank, whose walls are planes of symmetry, is let go as the cylinder is."""
    radius, half, deep = 0.1, 8, 6
    for n, part in ((n, part) for n in ((4,) if bench.quick else (4, 8)) for part in (0.05, 0.2)):
        level = deep * radius
        more = f'[time]\nsplitting = "strang"\nmax_dt = {0.1 * math.sqrt(radius / G)}\n[particles]\njitter = 0.0\n'
        text = basin(11.2 * math.sqrt(radius / G), [half * n, (deep + 2) * n, half * n], radius / n, level, more)
        mass, y = RHO * math.pi / 6 * radius**3, level + part * radius  # of the quarter, half as dense as water
        text += ball([0.0, y, 0.0], radius,
                     f'body.mass = {mass!r}\nbody.fixed = ["x", "z", "rx", "ry", "rz"]\nbody.contact = false\n')
        decay_of(bench, "sphere", run_text(bench, f"sphere_decay_{n}_{part:g}", text), n, radius, level, part)


def sphere_at_its_radius(bench):
    """The sphere of 5 m of OES Task 10 is let go from its radius above its rest, where linear theory does not hold: a quarter, as above."""
    radius, half, deep = 5.0, 8, 6
    reference = "a code's result: NREL's Navier-Stokes solver in Wendt et al. 2019, doi:10.3390/jmse7110379"
    for n in (4,) if bench.quick else (4, 8):
        level = deep * radius
        more = f'[time]\nsplitting = "strang"\nmax_dt = {0.1 * math.sqrt(radius / G)}\n[particles]\njitter = 0.0\n'
        text = basin(5.5, [half * n, (deep + 2) * n, half * n], radius / n, level, more)
        mass = 261.8e3 / 4  # [kg]
        text += ball([0.0, level + radius, 0.0], radius,
                     f'body.mass = {mass!r}\nbody.fixed = ["x", "z", "rx", "ry", "rz"]\nbody.contact = false\n')
        body = motion(run_text(bench, f"sphere_at_its_radius_{n}", text))
        unit = math.sqrt(radius / G)
        times, values = extremes(body["t"] / unit, (body["y"] - level) / radius, 2)
        for name, t, x, when, exact in zip(("first minimum", "first maximum"), times * unit, values, (2.50, 4.91), (-0.843, 0.586)):
            here = f"{reference}: {exact:+.3f} at {when:.2f} s; here {x:+.3f} at {t:.2f} s"
            case = ("sphere let go from its radius", f"radius/{n}")
            bench.add(case, name, "relative error", abs(x / exact - 1), here, 0.05)
            bench.add(case, f"{name}, time", "relative error", abs(t / when - 1), here, 0.05)


def square_bar(bench):
    """A square bar comes to rest upright, tilted or corner down, by its density; a damper takes the energy of its roll."""
    side, start = 0.2, 10.0  # [m], [degrees]
    tilts = ((0.15, 0.0), (0.25, math.degrees(math.atan(0.5))), (0.5, 45.0), (0.75, math.degrees(math.atan(0.5))), (0.85, 0.0))
    for n in (8, 16) if bench.quick else (8, 16, 32):
        cell, level = side / n, 3 * side
        for s, exact in tilts:
            text = basin(8.0, [6 * n, 5 * n], cell, level, "[time]\nmax_dt = 0.03\n")
            text += box((3 * side, level + (0.5 - s) * side), side, side, start, RHO * s, "body.angular_damping = 0.3\n")
            body = motion(run_text(bench, f"square_bar_{n}_{s:g}", text))
            late = body["t"] > 4.0
            turned = body["rz"][late].mean() + start
            tilt = abs((turned + 45.0) % 90.0 - 45.0)
            case = (f"square bar, density ratio {s:g}", f"side/{n}")
            bench.add(case, "angle at rest", "error [degrees]", abs(tilt - exact), f"Archimedes: {exact:.2f}; here {tilt:.2f}", 1.0)
            drift = 2 * np.polyfit(body["t"][late], body["x"][late], 2)[0]
            bench.add(case, "drift sideways", "acceleration / g", abs(drift) / G, "0")


def draft_of_sphere(s):
    """Over the diameter."""
    return root(lambda h: h * h * (3 - 2 * h) - s, 0.0, 1.0)


def resting(kind, s, n, seconds):
    """A body at its draft in a tank six times as wide as the body is high. Returns the case's text, the height of the centre above the
    level [m], the same over the apex or the lowest face [m], and the direction up."""
    height = 0.4  # [m]
    cell = height / n
    angle = math.radians(20.0 if kind == "box in a tilted tank" else 0.0)
    up, along = np.array([-math.sin(angle), math.cos(angle)]), np.array([math.cos(angle), math.sin(angle)])
    middle = np.array([3 * height, 3 * height])
    if kind == "sphere":
        above = height * (0.5 - draft_of_sphere(s))
        text = basin(seconds, [3 * n, 3 * n, 3 * n], cell, 2 * height, "[time]\nmax_dt = 0.04\n")
        text += ball([1.5 * height, 2 * height + above, 1.5 * height], 0.5 * height, density_line(RHO * s))
        places = [[0.25 * height, y, 0.25 * height] for y in (0.0, 3 * height)]
        return text + probe(*places), above, above - 0.5 * height, np.array([0.0, 1.0]), 2 * height
    head_text = head(seconds, [6 * n, 6 * n], cell, (-G * up).tolist(), walls="sticky") + "[time]\nmax_dt = 0.04\n"
    text = head_text + f'[[liquid]]\nshape = "half_space"\npoint = {middle.tolist()}\nnormal = {up.tolist()}\n'
    foot = middle + 2.2 * height * along
    text += probe((foot - height * up).tolist(), (foot + 0.8 * height * up).tolist())
    if kind == "wedge":  # with a right angle at its apex; its centre of mass is at two thirds of its height
        top = 3 * height + height * (1 - math.sqrt(s))
        mass, side = RHO * s * height**2, math.sqrt(0.5) * height
        x, y = 3 * height, float(top - height / 3)
        turned = f"rotate.axis = [0.0, 0.0, 1.0], rotate.angle = 45.0, rotate.center = [{x!r}, {top!r}]"
        text += f"""[[solid]]
shape = "intersection"
parts = [
  {{ shape = "box", lower = [{x - side!r}, {top - side!r}], upper = [{x + side!r}, {top + side!r}], {turned} }},
  {{ shape = "box", lower = [0.0, 0.0], upper = [10.0, {top!r}] }},
]
body.mass = {mass!r}
body.center = [{x!r}, {y!r}]
body.inertia = [{mass * height**2 * 2 / 9!r}]
body.fixed = ["rz"]
"""
        return text, y - 3 * height, top - height - 3 * height, up, height
    above = height * (0.5 - s)
    center = tuple((middle + above * up).tolist())
    return text + box(center, 2 * height, height, math.degrees(angle), RHO * s), above, above - 0.5 * height, up, height


def probe(start, end):
    return f'[[gauge]]\nname = "level"\ntype = "height"\nstart = {start}\nend = {end}\n'


def draft(bench):
    """Bodies float at rest with the draft of Archimedes, upright and with gravity against the grid."""
    for kind in ("box", "box in a tilted tank", "wedge", "sphere"):
        seconds = 5.0 if kind == "sphere" and bench.quick else 20.0
        for n in (8,) if bench.quick or kind == "sphere" else (8, 16):
            for s in (0.1, 0.5, 0.9):
                text, above, lowest, up, still = resting(kind, s, n, seconds)
                out = run_text(bench, f"draft_{kind.replace(' ', '_')}_{n}_{s:g}", text)
                body, level = motion(out), gauge(out, "level")
                risen = (body["x"] - body["x"][0]) * up[0] + (body["y"] - body["y"][0]) * up[1]
                late, rows = body["t"] > 0.75 * seconds, level["t"] > 0.75 * seconds
                sunk = level["connected"][rows].mean() - still - risen[late].mean()
                case = (f"{kind}, density ratio {s:g}", f"height/{n}")
                bench.add(case, "draft", "error / cell", abs(sunk) * n / 0.4, f"Archimedes: {-lowest:.4f} m; here {sunk - lowest:.4f} m", 0.1)
                if kind.startswith("box"):  # wedges are held, balls may turn
                    bench.add(case, "turned", "mean of the last quarter [degrees]", abs(body["rz"][late].mean()), "upright", 1.0)
                    bench.add(case, "turned", "largest [degrees]", np.abs(body["rz"][late]).max(), "at rest", 1.0)
                bench.add(case, "speed", "largest / sqrt(g height)", np.hypot(body["u"], body["v"])[late].max() / math.sqrt(0.4 * G), "0")


def roll_period(t, angle):
    """From the first zero to the third. [s]"""
    zeros = zero_crossings(t, angle)
    return zeros[2] - zeros[0]


def roll(bench):
    """Boxes that can only roll, about their centres: the period, which is 15 to 24 % shorter without the water's inertia."""
    section = "added inertia of the section in deep water, by panels"
    cases = (("box of 2 : 1", 0.3, 0.15, None, 5.0, 5.525 * math.sqrt(0.3 / G), section),
             ("box of Jung", 0.3, 0.1, 0.236 / 0.9, 5.0, 0.9105, f"{section}; measured by Jung et al. 2006 from 15 degrees: 0.93 s"))
    for name, breadth, height, inertia, start, exact, reference in cases:
        for n in (4, 8) if bench.quick else (4, 8, 16):
            cell, level = height / n, 2 * breadth
            more = '[time]\nsplitting = "strang"\nmax_dt = 0.02\n'
            text = basin(1.6 * exact, [round(10 * breadth / cell), round((level + breadth) / cell)], cell, level, more)
            text += box((5 * breadth, level), breadth, height, start, 0.5 * RHO, 'body.fixed = ["x", "y"]\n')
            text += f"body.inertia = [{inertia!r}]\n" if inertia else ""
            body = motion(run_text(bench, f"roll_{name.replace(' ', '_').replace(':', 'to')}_{n}", text))
            found = roll_period(body["t"], body["rz"] + start)
            bench.add((f"roll, {name}", f"height/{n}"), "period", "relative error", abs(found / exact - 1), f"{reference}; here {found:.4f} s",
                      0.03 if n >= 8 else None)


def box_in_waves(bench):
    """A free box drifts in regular waves: heave, surge and pitch of the experiment of Ren et al. 2015."""
    depth, period, at = 0.4, 1.2, 4.0  # [m], [s], [m] of the box at the start
    runs = ((0.04, 0.0251, 0.0287, 2.8),) if bench.quick else ((0.04, 0.0251, 0.0287, 2.8), (0.10, 0.0473, 0.124, 11.1))
    for wave_height, heave, drift, pitch in runs:
        for cells in (40,) if bench.quick else (40, 80):
            more = "[time]\nmax_dt = 0.02\n"
            text = basin(16.0, [10 * cells, round(0.65 * cells)], 1 / cells, depth, more) + f"""
[[solid]]
shape = "box"
lower = [-1.0, -1.0]
upper = [0.5, 2.0]
wave.type = "stokes2"
wave.height = {wave_height}
wave.period = {period}
wave.depth = {depth}
surface = "fractions"
[[absorber]]
lower = [6.5, 0.0]
upper = [10.0, 1.0]
direction = [1.0, 0.0]
strength = 6.0
""" + box((at, depth), 0.3, 0.2, 0.0, 0.5 * RHO, "body.inertia = [0.3777]\n")
            body = motion(run_text(bench, f"box_in_waves_{wave_height:g}_{cells}", text), 1)
            used = (body["t"] > 16.0 - 5 * period)
            t = body["t"][used]
            speed = np.polyfit(t, body["x"][used], 1)[0]
            omega = 2 * math.pi / period * (1 - speed * period / 1.93625)  # waves overtake the box less often
            case = (f"box in waves of {wave_height:g} m", f"1/{cells} m")
            source = "Ren et al. 2015, doi:10.1016/j.apor.2014.12.003"
            for name, column, exact, goal in (("heave", "y", heave, 0.1), ("pitch", "rz", pitch, 0.1)):
                found = abs(first_harmonic(t, body[column][used], omega))
                bench.add(case, name, "relative error of the amplitude", abs(found / exact - 1), f"{source}: {exact:g}; here {found:.4g}", goal)
            bench.add(case, "drift", "relative error", abs(speed * period / drift - 1),
                      f"{source}: {drift:g} m a period; here {speed * period:.4f}", 0.15)


def volume_of(bench, case, output):
    """Record how far the liquid's volume is off at most."""
    drift = float(np.max(np.abs(steps(output)["volume_drift"])))
    bench.add(case, "volume", "largest relative drift", drift, "the goal of what moves in water", 0.005)


def hard_bodies(bench):
    """Light bodies that push their way, and two hundred that a paddle stirs: nothing leaks, drifts or blows up."""
    cell = 0.05
    plug = motion(output := run_text(bench, "plug", basin(6.0, [8, 40], cell, 1.4) + box((0.2, 0.65), 0.4, 0.3, 0.0, 100.0)))
    moved = np.hypot(plug["x"] - 0.2, plug["y"] - 0.65).max()
    bench.add("light plug in a tube", "way in 6 s", "cells", moved / cell, "it fills the tube: the water cannot pass", 0.001)
    volume_of(bench, "light plug in a tube", output)
    output = run_text(bench, "leaping_ball", basin(6.0, [32, 40], cell, 1.2) + ball((0.8, 0.6), 0.2, density_line(100.0)))
    volume_of(bench, "light ball leaps out of water", output)
    bench.add("light ball leaps out of water", "volume from 4 s on", "mean relative drift",
              abs(float(np.mean(steps(output)["volume_drift"][steps(output)["t"] > 4.0]))), "the goal of what moves in water", 0.005)
    discs = [(0.1 + 0.19 * i, 0.4 + 0.19 * j) for j in range(12) for i in range(21)]
    discs = [(x, y) for x, y in discs if not (abs(x - 2.0) < 0.7 and y < 0.95)][:200]
    text = basin(1.0 if bench.quick else 4.0, [160, 96], 0.025, 1.5)
    text += ('[[solid]]\nshape = "box"\nlower = [1.4, 0.2]\nupper = [2.6, 0.28]\nangular_velocity = [0.0, 0.0, 90.0]\n'
             "pivot = [2.0, 0.24]\n")
    for n, center in enumerate(discs):
        text += ball(center, 0.05, density_line(300.0 * (1 + n % 4)))
    output = run_text(bench, "stirred_bodies", text)
    volume_of(bench, "two hundred discs stirred", output)
    places = [motion(output, n + 1) for n in range(len(discs))]
    outside = max(max(np.max(0.05 - body["x"]), np.max(body["x"] - 3.95), np.max(0.05 - body["y"])) for body in places)
    bench.add("two hundred discs stirred", "farthest out of the tank", "cells", max(0.0, outside / 0.025), "none leaves", 0.05)


CASES = {
    "let_go": let_go,
    "cylinder_decay": cylinder_decay,
    "sphere_decay": sphere_decay,
    "sphere_at_its_radius": sphere_at_its_radius,
    "square_bar": square_bar,
    "draft": draft,
    "roll": roll,
    "box_in_waves": box_in_waves,
    "hard_bodies": hard_bodies,
}
