#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Cases of validate.py with an exact solution."""
import math

import numpy as np

from freshet.analysis import Run, crossing, moving_mean
from validation_runs import CASES as FOLDER
from validation_runs import G, gauge, rms, volume_drift

RHO = 1000.0  # [kg/m^3]


def lattice(cell, size, inside):
    """Particles of the seeding lattice, two along each axis of a cell, where inside(x, y) holds. 2-D, (n, 2) [m]"""
    x, y = (0.5 * cell * (np.arange(2 * round(length / cell)) + 0.5) for length in size)
    points = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)
    return points[inside(points[:, 0], points[:, 1])]


def case_of_particles(bench, name, text, cell, position, velocity):
    """Write the case and its particles; return the case file."""
    particles = bench.directory / f"{name}.csv"
    if position.shape[1] == 2:  # in the middle of the layer
        position = np.hstack([position, np.full((len(position), 1), 0.5 * cell)])
        velocity = np.hstack([velocity, np.zeros((len(velocity), 1))])
    np.savetxt(particles, np.hstack([position, velocity]), delimiter=",", header="x,y,z,vx,vy,vz", comments="", fmt="%.9g")
    case = bench.directory / f"{name}.toml"
    case.write_text(text + f'\n[[liquid]]\nshape = "particles"\nfile = "{particles.resolve()}"\n', encoding="utf-8")
    return case


def head(end, cells, cell, gravity, walls="separating"):
    """The text of a case up to its liquids and solids, with the set of parameters of all cases. cells and gravity in 2-D or 3-D."""
    return f"""# Made by validate.py.
[run]
end_time = {float(end)!r}
[domain]
dimension = {len(cells)}
cells = {[int(n) for n in cells]}
cell_size = {float(cell)!r}
[fluid]
gravity = {[float(g) for g in gravity]}
[labels]
surface = "level_set"
[density]
correction = "implicit"
[pressure.walls]
condition = "{walls}"
[output]
log_every = 1000
"""


def outside_of_cylinder(middle, radius):
    """A solid all around an upright cylinder with its axis at x = y = middle, which cuts the cells. [m]"""
    return f"""
[[solid]]
shape = "difference"
parts = [{{ shape = "box", lower = [-1.0, -1.0, -1.0], upper = [2.0, 2.0, 2.0] }},
         {{ shape = "cylinder", start = [{float(middle)!r}, {float(middle)!r}, -2.0], end = [{float(middle)!r}, {float(middle)!r}, 3.0], radius = {radius} }}]
surface = "fractions"
"""


def hydrostatic(bench):
    """Pressures and forces in water at rest, upright and with gravity tilted against the grid."""
    for cells in (16, 32) if bench.quick else (16, 32, 64):
        out = bench.run(f"hydrostatic_{cells}", FOLDER / "hydrostatic.toml", f"domain.cells=[{2 * cells}, {3 * cells // 2}]",
                        f"domain.cell_size={1 / cells!r}")
        case, depth = ("hydrostatic", f"1/{cells}"), 1.0
        p, q = gauge(out, "floor_pressure"), gauge(out, "wall_pressure")
        bench.add(case, "pressure on the floor", "relative error", abs(p["pressure"][-1] / (RHO * G * depth) - 1), "p = rho g h",
                  0.5 / cells)
        bench.add(case, "pressure on the wall, 3/4 deep", "relative error", abs(q["pressure"][-1] / (RHO * G * 0.75) - 1),
                  "p = rho g h")
        floor, wall = gauge(out, "floor"), gauge(out, "wall")
        thick = 1 / cells
        bench.add(case, "force on the floor", "relative error", abs(-floor["force_y"][-1] / (RHO * G * depth * 2 * thick) - 1),
                  "F = rho g h A", 0.5 / cells)
        bench.add(case, "force on a wall", "relative error", abs(-wall["force_x"][-1] / (0.5 * RHO * G * depth**2 * thick) - 1),
                  "F = rho g h^2/2 b", 1.0 / cells)
        energy = Run(out).step_columns["kinetic_energy"][-1] / (RHO * G * depth**2 * thick)
        bench.add(case, "speed at rest", "sqrt(E_kin / rho g h V)", np.sqrt(energy), "0", 1e-3)
        bench.add(case, "volume", "largest relative drift", volume_drift(out), "conservation", 0.005)


def tilted_tank(bench):
    """Gravity at 20 degrees to the grid, the surface across it: water stays at rest."""
    angle = np.radians(20.0)
    down = np.array([np.sin(angle), -np.cos(angle)])
    for n in (16, 32) if bench.quick else (16, 32, 64):
        cell = 1.0 / n
        inside = lambda x, y: down[0] * (x - 0.5) + down[1] * (y - 0.5) > 0  # noqa: E731
        text = head(end=2.0, cells=[n, n], cell=cell, gravity=G * down)
        text += '[[gauge]]\nname = "p"\ntype = "pressure"\npoint = [0.5, 0.0]\n'
        text += '[[gauge]]\nname = "all"\ntype = "region"\nlower = [0.0, 0.0]\nupper = [1.0, 1.0]\n'
        position = lattice(cell, (1.0, 1.0), inside)
        out = bench.run(f"tilted_tank_{n}", case_of_particles(bench, f"tilted_tank_case_{n}", text, cell, position, 0 * position))
        case, p = ("tilted tank", f"1/{n}"), gauge(out, "p")
        exact = RHO * G * 0.5 * np.cos(angle)
        late = p["t"] > 0.5
        bench.add(case, "pressure on the floor", "relative error of the mean", abs(p["pressure"][late].mean() / exact - 1), "p = rho g h",
                  1.0 / n)
        bench.add(case, "pressure on the floor", "rms deviation / mean", p["pressure"][late].std() / p["pressure"][late].mean(), "0")
        energy = Run(out).step_columns["kinetic_energy"]
        mass = RHO * len(position) * cell**3 / 4
        bench.add(case, "speed", "rms / sqrt(g h)", np.sqrt(2 * energy[-1] / mass / (G * 0.5)), "0", 0.02)


def free_fall(bench):
    """A block of water falls freely: the centre of mass moves by -g t^2/2. What matters is the length of the steps."""
    runs = [(16, 0.001), (32, 0.0), (32, 0.01), (32, 0.001)] + ([] if bench.quick else [(64, 0.001)])
    for cells, limit in runs:  # limit of dt [s], 0: none
        text = head(end=0.3, cells=[cells, 2 * cells], cell=1 / cells, gravity=[0.0, -G])
        text += '[[liquid]]\nshape = "box"\nlower = [0.25, 1.25]\nupper = [0.75, 1.75]\n'
        case = bench.directory / f"free_fall_case_{cells}.toml"
        case.write_text(text, encoding="utf-8")
        steps = Run(bench.run(f"free_fall_{cells}_{limit}", case, f"time.max_dt={limit}")).step_columns
        fall = 1.5 - steps["center_y"]
        name = f"free fall, dt <= {limit} s" if limit else "free fall"
        bench.add((name, f"1/{cells}"), "centre of mass", "relative error of g t^2/2", abs(fall[-1] / (0.5 * G * steps["t"][-1]**2) - 1),
                  f"Galilei; {len(fall)} steps", 0.005 if limit == 0.001 else None)


def frequency_of(t, y, near):
    """The angular frequency within half of `near` whose decaying wave about a constant fits y best."""
    def residual(omega, decay):
        envelope = np.exp(-decay * t)
        basis = np.stack([np.ones_like(t), envelope * np.cos(omega * t), envelope * np.sin(omega * t)], axis=-1)
        return np.sum((basis @ np.linalg.lstsq(basis, y, rcond=None)[0] - y)**2)

    omega, decay = near, 0.25 * near
    for k in range(4):  # ever finer lattices around the best point
        omegas = omega + 0.5 * near / 20**k * np.linspace(-1, 1, 101)
        decays = decay + 0.25 * near / 5**k * np.linspace(-1, 1, 11)
        omega, decay = min(((a, b) for a in omegas for b in decays), key=lambda point: residual(*point))
    return omega


def first_mode(bench, name, cells, amplitude, *overrides, more=""):
    """First mode of a tank of half a wavelength, water as deep as a quarter of it, for ten periods; the clock is that of its momentum.

    Returns the columns of steps.csv, and the angular frequency of linear theory [1/s].
    """
    length, depth = 1.0, 0.5
    k = np.pi / length
    omega = np.sqrt(G * k * np.tanh(k * depth))
    cell = 2 * length / cells
    n = round(length / cell)
    position = lattice(cell, (length, depth), lambda x, y: x == x)
    x, y = position.T
    speed = amplitude * omega / np.sinh(k * depth)
    velocity = speed * np.stack([np.cosh(k * y) * np.sin(k * x), -np.sinh(k * y) * np.cos(k * x)], axis=-1)
    text = head(end=10.25 * 2 * np.pi / omega, cells=[n, n], cell=cell, gravity=[0.0, -G]) + more
    out = bench.run(f"{name}_{cells}", case_of_particles(bench, f"{name}_case_{cells}", text, cell, position, velocity), *overrides)
    return Run(out).step_columns, omega


def amplitude_lost(steps, omega):
    """Part of a wave's amplitude that nine periods take, by its largest kinetic energies."""
    period = 2 * np.pi / omega
    energy = steps["kinetic_energy"]
    first, last = (energy[(steps["t"] > a * period) & (steps["t"] <= (a + 1) * period)].max() for a in (0, 9))
    return 1 - np.sqrt(last / first)


def standing_frequency(amplitude, k, depth):
    """The angular frequency [1/s] of a standing wave to the second order in k times its amplitude [m]; Tadjbakhsh & Keller 1960."""
    first = np.sqrt(np.tanh(k * depth))
    second = (9 * first**-7 - 12 * first**-3 - 3 * first - 2 * first**5) / 32
    return np.sqrt(G * k) * (first + (k * amplitude)**2 / 2 * second)


def standing_wave(bench):
    """The frequency and the decay of standing waves whose amplitudes are 1/50 and 1/200 of their length.

    The goals are for the larger one: on 32 cells the other one's amplitude is a sixth of a cell.
    """
    for cells, goals in ((32, (0.01, None)), (64, (None, None)), (128, (0.002, 0.002))):
        if bench.quick and cells > 64:
            continue
        for part, goal in zip((50, 200), goals):
            amplitude = 2.0 / part
            steps, linear = first_mode(bench, f"standing_wave_{part}", cells, amplitude, more="[time]\nmax_dt = 0.01\n")
            theory = standing_frequency(amplitude, np.pi, 0.5)
            early = steps["t"] < 3 * 2 * np.pi / linear  # later the wave is as small as the noise
            error = frequency_of(steps["t"][early], steps["center_x"][early], linear) / theory - 1
            case = (f"standing wave of 1/{part}", f"{cells} cells a wave")
            bench.add(case, "frequency", "relative error", abs(error), f"Tadjbakhsh & Keller 1960; here {error:+.4f}", goal)
            bench.add(case, "amplitude", "lost in 9 periods", amplitude_lost(steps, linear), "inviscid: 0")


TRANSFERS = {"PIC": ["transfer.flip_fraction=0.0"], "FLIP 0.95": [], "FLIP": ["transfer.flip_fraction=1.0"], "APIC": ["transfer.method=apic"]}


def splittings(bench):
    """What ways to transfer velocities and to split a step in time keep of a wave and of a vortex, with steps of the same length."""
    for cells in (32,) if bench.quick else (32, 64, 128):
        for transfer, keys in TRANSFERS.items():
            for splitting in ("first_order", "strang", "reflection"):
                words = [*keys, f"time.splitting={splitting}"]
                name = f"{transfer.replace(' ', '_')}_{splitting}"
                case = (f"{transfer}, {splitting}", f"{cells} cells")
                steps, omega = first_mode(bench, f"wave_{name}", cells, 0.02, *words, f"time.max_dt={0.32 / cells}")
                bench.add(case, "standing wave, amplitude", "lost in 9 periods", amplitude_lost(steps, omega), "inviscid: 0")
                steps = vortex(bench, f"vortex_{name}", cells, *words)[0]
                bench.add(case, "Taylor-Green, energy", "lost in 2 s", energy_lost(steps, cells), "inviscid: 0")


def stoker(high, low):
    """Depth of the middle state and speed of the bore, by bisection."""
    a, b = low, high
    for _ in range(200):
        m = 0.5 * (a + b)
        rest = 2 * (np.sqrt(G * high) - np.sqrt(G * m)) - (m - low) * np.sqrt(G * (m + low) / (2 * m * low))
        a, b = (m, b) if rest > 0 else (a, m)
    u = 2 * (np.sqrt(G * high) - np.sqrt(G * m))
    return m, u * m / (m - low)


def wet_bed(bench):
    """Dam break on a wet bed, before the bore breaks: Stoker's middle state and bore."""
    middle, bore = stoker(1.0, 0.5)
    for cells in (16, 32) if bench.quick else (16, 32, 64):
        out = bench.run(f"wet_bed_{cells}", FOLDER / "wet_bed.toml", f"domain.cells=[{40 * cells}, {3 * cells // 2}]",
                        f"domain.cell_size={1 / cells!r}")
        case = ("wet bed", f"1/{cells}")
        h = gauge(out, "middle")
        late = h["t"] > 2.0
        bench.add(case, "depth of the middle state", "relative error of the mean", abs(h["height"][late].mean() / middle - 1),
                  "Stoker 1957", 0.02)
        level = 0.5 * (middle + 0.5)
        near, far = (crossing(h["t"], moving_mean(h["t"], h["height"], 0.1), level)  # single drops fly ahead of the bore
                     for h in (gauge(out, name) for name in ("bore_1", "bore_2")))
        bench.add(case, "speed of the bore", "relative error", abs(6.0 / (far - near) / bore - 1), "Stoker 1957", 0.03)
        bench.add(case, "volume", "largest relative drift", volume_drift(out), "conservation", 0.005)


class Solitary:
    """A wave of translation of first order in its height (Boussinesq), with its crest at x = center. [m, m/s]"""

    def __init__(self, depth, height, center):
        self.depth, self.height, self.center = depth, height, center
        self.celerity = np.sqrt(G * (depth + height))
        self.kappa = np.sqrt(3 * height / (4 * depth**3))

    def elevation(self, x):
        return self.height / np.cosh(self.kappa * (x - self.center))**2

    def velocity(self, position):
        x, y = position.T
        eta = self.elevation(x)
        u = self.celerity * eta / (self.depth + eta)
        slope = -2 * self.kappa * eta * np.tanh(self.kappa * (x - self.center))
        return np.stack([u, y * self.celerity * slope * -self.depth / (self.depth + eta)**2], axis=-1)


def solitary_wave(bench):
    """A solitary wave of a fifth of the depth travels through still water."""
    depth, height, length = 1.0, 0.2, 30.0
    wave = Solitary(depth, height, 8.0)
    for cells in (16, 32) if bench.quick else (16, 32, 64):
        cell = depth / cells
        position = lattice(cell, (length, 1.5), lambda x, y: y < depth + wave.elevation(x))
        text = head(end=4.5, cells=[round(length / cell), round(1.5 / cell)], cell=cell, gravity=[0.0, -G])
        for name, place in (("near", 12.0), ("far", 20.0)):
            text += f'[[gauge]]\nname = "{name}"\ntype = "height"\nstart = [{place}, 0.0]\nend = [{place}, 1.5]\n'
        out = bench.run(f"solitary_wave_{cells}",
                        case_of_particles(bench, f"solitary_wave_case_{cells}", text, cell, position, wave.velocity(position)))
        level = depth + 0.5 * height
        rise = [crossing(gauge(out, name)["t"], gauge(out, name)["height"], level) for name in ("near", "far")]
        case = ("solitary wave", f"1/{cells}")
        bench.add(case, "celerity", "relative error", abs(8.0 / (rise[1] - rise[0]) / wave.celerity - 1), "c^2 = g (h + a)", 0.02)
        crest = gauge(out, "far")["height"].max() - depth
        bench.add(case, "height after 12 depths", "relative error", abs(crest / height - 1), "permanent form")


def synolakis(depth, height, slope):
    """Run-up of a solitary wave that does not break on a plane beach of an angle `slope` [rad], in shallow water. [m]"""
    return 2.831 * depth * np.sqrt(1 / np.tan(slope)) * (height / depth)**1.25


BEACHES = ((10, 0.1), (20, 0.2))  # slope [degrees], height of the wave / depth


def run_up(bench):
    """Solitary waves run up plane beaches without breaking."""
    depth, toe, top = 1.0, 15.0, 2.0
    foot = np.array([toe, 0.0])
    for degrees, height in BEACHES:
        along = np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))])
        up = np.array([-along[1], along[0]])
        wave = Solitary(depth, height, 7.0)
        law = synolakis(depth, height, np.radians(degrees))
        for cells in (16, 32) if bench.quick else (16, 32, 64):
            cell = depth / cells
            length = np.ceil(toe + top * along[0] / along[1])
            is_wet = lambda x, y: (y < depth + wave.elevation(x)) & ((x - toe) * up[0] + y * up[1] > 0)  # noqa: E731
            position = lattice(cell, (length, top), is_wet)
            text = head(end=6.5, cells=[round(length / cell), round(top / cell)], cell=cell, gravity=[0.0, -G])
            text += f'[[solid]]\nshape = "half_space"\npoint = {foot.tolist()}\nnormal = {up.tolist()}\nsurface = "fractions"\n'
            begin = foot + 0.5 * cell * up  # a line half a cell above the beach
            end = begin + along * (top - 2 * cell) / along[1]
            text += f'[[gauge]]\nname = "tongue"\ntype = "height"\nstart = {begin.tolist()}\nend = {end.tolist()}\n'
            name = f"run_up_{degrees}_{cells}"
            out = bench.run(name, case_of_particles(bench, f"{name}_case", text, cell, position, wave.velocity(position)))
            reached = begin[1] + gauge(out, "tongue")["connected"].max() * along[1] - depth
            bench.add((f"run-up of a wave of {height:g} d, {degrees} degrees", f"1/{cells}"), "height above still water", "relative error",
                      abs(reached / law - 1), "Synolakis (1987)", 0.1 if cells == 64 else None)


def vortex(bench, name, n, *overrides):
    """One vortex of speed 1 m/s in a full square box of 1 m without gravity, for 2 s. Returns the columns of steps.csv, and the output."""
    cell = 1.0 / n
    position = lattice(cell, (1.0, 1.0), lambda x, y: x == x)
    x, y = np.pi * position.T
    velocity = np.stack([np.sin(x) * np.cos(y), -np.cos(x) * np.sin(y)], axis=-1)
    text = head(end=2.0, cells=[n, n], cell=cell, gravity=[0.0, 0.0])
    for gauge_name, place in (("corner", [0.0, 0.0]), ("centre", [0.5, 0.5])):
        text += f'[[gauge]]\nname = "{gauge_name}"\ntype = "pressure"\npoint = {place}\n'
    out = bench.run(f"{name}_{n}", case_of_particles(bench, f"{name}_case_{n}", text, cell, position, velocity), *overrides)
    return Run(out).step_columns, out


def energy_lost(steps, n):
    return 1 - steps["kinetic_energy"][-1] / (RHO / n / 4)


def taylor_green(bench):
    """Kinetic energy and pressure of one vortex."""
    for n in (32, 64) if bench.quick else (32, 64, 128):
        steps, out = vortex(bench, "taylor_green", n)
        case = ("Taylor-Green", f"1/{n}")
        bench.add(case, "kinetic energy after 2 s", "lost part", energy_lost(steps, n), "inviscid: 0")
        # p = rho/4 (cos 2x + cos 2y): corner - centre = rho. The rows of the start and of the first step have no pressure: that
        # step begins free of divergence, and what the motion adds comes after its projection.
        p = {name: gauge(out, name)["pressure"][2:12].mean() for name in ("corner", "centre")}
        bench.add(case, "pressure, corner to centre", "relative error", abs((p["corner"] - p["centre"]) / RHO - 1), "rho/4 (cos 2x + cos 2y)",
                  0.05)


def taylor_green_1600(bench):
    """Decay of the Taylor-Green vortex at Re = 1600: u = sin x cos y cos z, v = -cos x sin y cos z in a box of (2 pi)^3.

    The energy a unit of mass and time that is lost rises while the vortices are stretched, and is largest at t = 9.
    """
    reference = "van Rees et al. 2011, doi:10.1016/j.jcp.2010.11.031: 0.0129 at t = 9.0"
    for n in (32,) if bench.quick else (32, 48, 128):
        cell = 2 * np.pi / n
        places = cell / 2 * (np.arange(2 * n) + 0.5)
        x, y, z = (grid.ravel() for grid in np.meshgrid(places, places, places, indexing="ij"))
        velocity = np.stack([np.sin(x) * np.cos(y) * np.cos(z), -np.cos(x) * np.sin(y) * np.cos(z), 0 * x], axis=-1)
        text = head(12.0, (n, n, n), cell, (0.0, 0.0, 0.0)).replace('[pressure.walls]\ncondition = "separating"\n', "")
        text = text.replace("[fluid]", "[fluid]\ndensity = 1.0\nviscosity = 6.25e-4")
        text += "[domain.boundary]\n" + "".join(f'{axis}_low = "periodic"\n{axis}_high = "periodic"\n' for axis in "xyz")
        case = case_of_particles(bench, f"taylor_green_1600_{n}", text, cell, np.stack([x, y, z], axis=-1), velocity)
        for scheme, keys in (("FLIP", ()), ("APIC", ('transfer.method="apic"',)), ("strang", ("time.splitting=strang",)),
                             ("reflection", ("time.splitting=reflection",))):
            steps = Run(bench.run(f"taylor_green_1600_{n}_{scheme}", case, "output.interval=0", *keys)).steps
            t = np.arange(0.0, 12.0, 0.25)
            energy = np.interp(t, steps["velocity_time"], steps["kinetic_energy"]) / (2 * np.pi)**3
            lost = -np.gradient(energy, t)
            peak = int(np.argmax(lost))
            name = (f"taylor_green_1600, {scheme}", f"{n}^3")
            bench.add(name, "dissipation", "relative error of the largest", abs(lost[peak] / 0.0129 - 1), f"{reference}; here {lost[peak]:.4f}",
                      0.1 if n == 128 else None)
            bench.add(name, "dissipation", "time of the largest less 9.0", abs(t[peak] - 9.0), reference)


def enright(bench):
    """LeVeque's deformation of a ball and back: particles come back to where they were."""
    errors = []
    grids = (16, 32) if bench.quick else (16, 32, 64)
    for n in grids:
        out = bench.run(f"enright_{n}", FOLDER / "enright.toml", f"domain.cells=[{n}, {n}, {n}]", f"domain.cell_size={1 / n!r}")
        first, last = Run(out).snapshots[0], Run(out).snapshots[-1]
        ends = [s.position()[np.argsort(s.record("id"))] for s in (first, last)]
        errors.append(np.linalg.norm(ends[1] - ends[0], axis=1).mean())
        bench.add(("Enright", f"1/{n}"), "place of particles after T", "mean distance / radius", errors[-1] / 0.15,
                  "LeVeque 1996; Enright et al. 2002", 0.01 if n == grids[-1] else None)
    bench.add("Enright", "order in the cell size", "2 - order", 2 - np.log2(errors[-2] / errors[-1]), "2", 0.3)


def zalesak(bench):
    """A notched disk turns once about the middle of the unit square as a rigid body: particles come back to where they were."""
    errors = []
    grids = (25, 50) if bench.quick else (25, 50, 100)
    for n in grids:
        out = bench.run(f"zalesak_{n}", FOLDER / "zalesak.toml", f"domain.cells=[{n}, {n}]", f"domain.cell_size={1 / n!r}")
        first, last = Run(out).snapshots[0], Run(out).snapshots[-1]
        ends = [s.position()[np.argsort(s.record("id"))] for s in (first, last)]
        errors.append(np.linalg.norm(ends[1] - ends[0], axis=1).max())
        bench.add(("Zalesak", f"1/{n}"), "place of particles after a turn", "largest distance / width of notch", errors[-1] / 0.05,
                  "Zalesak 1979", 0.01 if n == grids[-1] else None)
    bench.add("Zalesak", "order in the cell size", "3 - order", 3 - np.log2(errors[-2] / errors[-1]), "3: Runge-Kutta at CFL 1", 0.5)


def bessel_1(x):
    """J_1, by its integral."""
    angle = np.pi * (np.arange(200) + 0.5) / 200
    return np.cos(angle - np.asarray(x)[..., None] * np.sin(angle)).mean(axis=-1)


def cylinder_sloshing(bench):
    """First mode of water in an upright cylinder whose wall cuts the cells; the clock is that of its momentum."""
    radius, depth, zero = 0.25, 0.25, 1.8411837813  # [m], [m], of J_1'
    k = zero / radius
    omega = np.sqrt(G * k * np.tanh(k * depth))
    period = 2 * np.pi / omega
    for n in (16, 24) if bench.quick else (16, 24, 32):  # cells across
        cell = 2 * radius / n
        side, up = n + 2, round(1.5 * depth / cell)
        middle = 0.5 * side * cell
        x, z = 0.5 * cell * (np.arange(2 * side) + 0.5), 0.5 * cell * (np.arange(round(2 * depth / cell)) + 0.5)
        position = np.stack(np.meshgrid(x, x, z, indexing="ij"), axis=-1).reshape(-1, 3)
        r = np.hypot(position[:, 0] - middle, position[:, 1] - middle)
        position, r = position[r < radius], r[r < radius]
        c, s = (position[:, 0] - middle) / r, (position[:, 1] - middle) / r
        j, over_r = bessel_1(k * r), bessel_1(k * r) / r
        slope = (bessel_1(k * (r + 1e-6)) - bessel_1(k * (r - 1e-6))) / 2e-6
        a = 0.04 * radius * omega / (k * np.sinh(k * depth) * bessel_1(zero))  # 0.04 R at the wall
        cosh, sinh = np.cosh(k * position[:, 2]), np.sinh(k * position[:, 2])
        velocity = a * np.stack([(slope * c * c + over_r * s * s) * cosh, (slope - over_r) * c * s * cosh, k * j * c * sinh], axis=-1)
        text = head(end=3.25 * period, cells=[side, side, up], cell=cell, gravity=[0.0, 0.0, -G])
        text += "[time]\nmax_dt = 0.01\n" + outside_of_cylinder(middle, radius)
        out = bench.run(f"cylinder_sloshing_{n}",
                        case_of_particles(bench, f"cylinder_sloshing_case_{n}", text, cell, position, velocity))
        steps = Run(out).step_columns
        measured = frequency_of(steps["t"], steps["center_x"], omega)
        bench.add(("sloshing in a cylinder", f"{n} cells"), "frequency", "relative error", abs(measured / omega - 1),
                  f"omega^2 = g k tanh(k h), J_1'(k R) = 0; here {measured / omega - 1:+.4f}", 0.01 if n >= 24 else None)


def wave_number(omega, depth):
    """k with omega^2 = g k tanh(k depth). [1/m]"""
    k = omega**2 / G
    for _ in range(200):
        k = 0.5 * (k + omega**2 / (G * np.tanh(k * depth)))
    return k


def first_harmonic(t, y, omega):
    """a of y = Re(a exp(i omega t)) plus a constant and two higher harmonics, by least squares."""
    basis = np.stack([np.ones_like(t)] + [f(n * omega * t) for n in (1, 2, 3) for f in (np.cos, np.sin)], axis=-1)
    fit = np.linalg.lstsq(basis, y, rcond=None)[0]
    return fit[1] - 1j * fit[2]


def opposite_waves(places, harmonics, k):
    """Amplitudes at x = 0 of the waves along x and against it whose sum has these harmonics at these places, by least squares."""
    return np.linalg.lstsq(np.exp(np.outer(places, [-1j * k, 1j * k])), np.asarray(harmonics), rcond=None)[0]


def wave_tank(bench):
    """Waves of a piston and of a flap, and what the absorbing zone sends back: least squares over three gauges (Mansard & Funke 1980)."""
    depth, period, height = 0.5, 1.5, 0.08
    omega = 2 * np.pi / period
    k = wave_number(omega, depth)
    flap = ("solid.0.wave.paddle=flap", "solid.0.pivot=[0.5, 0.0]", "solid.0.wave.type=linear")
    for cells in (20, 40) if bench.quick else (20, 40, 80):  # a metre
        for case, words in (("wave tank", ()), ("wave tank with a flap", flap)):
            out = bench.run(f"{case.replace(' ', '_')}_{cells}", FOLDER.parent / "wave_tank.toml",
                            f"domain.cells=[{12 * cells}, {round(0.8 * cells)}]", f"domain.cell_size={1 / cells!r}", "output.interval=0",
                            *words)
            places, waves = np.array([4.0, 4.35, 4.9]), []
            for name in ("H1", "H2", "H3"):
                h = gauge(out, name)
                late = h["t"] > 12.0  # 8 periods: waves have come back from the far end by then
                waves.append(first_harmonic(h["t"][late], h["height"][late], omega))
            there, back = opposite_waves(places, waves, k)
            bench.add((case, f"1/{cells}"), "height of the first harmonic", "relative error", abs(2 * abs(there) / height - 1),
                      f"Biesel & Suquet 1951; here {2 * abs(there):.4f} m", 0.1)
            bench.add((case, f"1/{cells}"), "wave from the absorbing zone", "height / height of the waves", abs(back / there),
                      "Mansard & Funke 1980", 0.05)


def orifice(bench):
    """Jet through a slot in the floor: Torricelli's speed with the contraction pi/(pi + 2) of a slot in a thin wall."""
    for cells in (8, 16) if bench.quick else (8, 16, 32):  # across the slot
        out = bench.run(f"orifice_{cells}", FOLDER / "orifice.toml", f"domain.cells=[{16 * cells}, {20 * cells}]",
                        f"domain.cell_size={0.1 / cells!r}")
        q, depth = gauge(out, "jet"), gauge(out, "depth")
        late = (q["t"] > 0.4) & (q["t"] < 0.8)
        h = np.interp(q["t"], depth["t"], depth["height"])
        thick = 0.1 / cells
        measured = (q["flow_rate"] / (-0.1 * thick * np.sqrt(2 * G * h)))[late].mean()
        exact = np.pi / (np.pi + 2)
        bench.add(("orifice", f"{cells} cells"), "coefficient of discharge", "relative error", abs(measured / exact - 1),
                  f"Kirchhoff: {exact:.3f}; here {measured:.3f}", 0.1)


def paraboloid(bench):
    """Water in a turning cylinder, at rest relative to it, with the surface of rigid rotation."""
    radius, spin, still = 0.2, 6.0, 0.25  # [m], [rad/s], level at rest [m]
    for n in (24, 36) if bench.quick else (24, 36, 48):
        cell = 0.48 / n
        x = 0.5 * cell * (np.arange(2 * n) + 0.5)
        points = np.stack(np.meshgrid(x, x, x, indexing="ij"), axis=-1).reshape(-1, 3)
        r2 = (points[:, 0] - 0.24)**2 + (points[:, 1] - 0.24)**2
        level = still + spin**2 / (2 * G) * (r2 - 0.5 * radius**2)
        position = points[(r2 < radius**2) & (points[:, 2] < level)]
        text = head(end=2.0, cells=[n, n, n], cell=cell, gravity=[0.0, 0.0, -G])
        text += f"[frame]\nangular_velocity = [0.0, 0.0, {math.degrees(spin)!r}]\npivot = [0.24, 0.24, 0.0]\n"
        text += outside_of_cylinder(0.24, radius)
        places = {"axis": 0.0, "half": 0.5 * radius, "outer": 0.85 * radius}
        for name, r in places.items():
            text += f'[[gauge]]\nname = "{name}"\ntype = "height"\nstart = [{0.24 + r}, 0.24, 0.0]\nend = [{0.24 + r}, 0.24, 0.48]\n'
        out = bench.run(f"paraboloid_{n}", case_of_particles(bench, f"paraboloid_case_{n}", text, cell, position, 0 * position))
        errors = []
        for name, r in places.items():
            h = gauge(out, name)
            exact = still + spin**2 / (2 * G) * (r**2 - 0.5 * radius**2)
            errors.append(h["height"][h["t"] > 1.0].mean() - exact)
        rise = spin**2 * radius**2 / (2 * G)
        bench.add(("paraboloid", f"{round(radius / cell)} cells"), "surface on three radii", "rms error / rise", rms(np.array(errors)) / rise,
                  "z = omega^2 r^2 / 2 g", 0.1)


CASES = {
    "hydrostatic": hydrostatic,
    "tilted_tank": tilted_tank,
    "free_fall": free_fall,
    "standing_wave": standing_wave,
    "taylor_green": taylor_green,
    "splittings": splittings,
    "enright": enright,
    "zalesak": zalesak,
    "cylinder_sloshing": cylinder_sloshing,
    "wave_tank": wave_tank,
    "wet_bed": wet_bed,
    "solitary_wave": solitary_wave,
    "run_up": run_up,
    "paraboloid": paraboloid,
    "orifice": orifice,
}
