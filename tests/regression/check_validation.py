#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# needs: python:numpy python:h5py python:matplotlib python:PIL
"""The cases of inputs/validation are legal and have one set of parameters, the figures of merit of analysis/validate.py are right on
known curves, its exact solutions hold, and a short case gives records with goals.

usage: check_validation.py BUILD_DIRECTORY_OR_EXECUTABLE
"""
import contextlib
import io
import json
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import numpy as np

import commands
from check_bad_inputs import ENVIRONMENT, ROOT, find_program

sys.path.insert(0, str(ROOT / "analysis"))
import freshet.analysis as fa  # noqa: E402
import plot_validation  # noqa: E402
import validation_air as air  # noqa: E402
import validation_bodies as bodies  # noqa: E402
import validation_bodies_alone as alone  # noqa: E402
import validation_channel as channel  # noqa: E402
import validation_exact as exact  # noqa: E402
import validation_experiments  # noqa: E402
import validation_page  # noqa: E402
import validation_runs as runs  # noqa: E402


def check_figures(expect):
    """On curves whose figures are known by hand."""
    t = np.linspace(0, 10, 2001)
    expect(abs(fa.crossing(t, 2 * t, 5.0) - 2.5) < 1e-12, "the crossing of a line")
    expect(np.isnan(fa.crossing(t, 0 * t, 1.0)), "a level that is never reached")
    zeros = fa.zero_crossings(t, np.cos(t))
    expect(len(zeros) == 3 and abs(zeros[0] - np.pi / 2) < 1e-5, f"the zeros of a cosine: {zeros}")
    expect(fa.zero_crossings([0, 1, 2, 3], [1, 0, -1, -2]).tolist() == [1.0], "a zero that is a point of the curve")
    expect(abs(fa.moving_mean(t, t, 1.0)[1000] - 5.0) < 1e-12, "the moving mean of a line")
    step = fa.moving_mean(t, np.where(t < 5, 0.0, 1.0), 1.0)
    expect(abs(np.interp(5.25, t, step) - 0.75) < 0.01, "the moving mean of a step")
    z, mean, least, most = validation_experiments.spread_of_runs(runs.data("martin_moyce_front_2.csv"))
    k = int(np.argmin(np.abs(z - 1.44)))
    expect(least[k] == most[k] == mean[k] == 1.19, "all runs of Martin & Moyce agree where their clocks were set")
    record = runs.data("spheric02_marin.csv")
    expect(fa.crossing(record["t"], record["H1"], 0.05) < fa.crossing(record["t"], record["H3"], 0.05),
           "water comes to H1, beside the reservoir, before H3")


def check_waves(expect):
    """Fits to waves whose frequency, decay and amplitudes are known."""
    t = np.cumsum(np.random.default_rng(1).uniform(0.005, 0.015, 600))  # [s], steps of any length
    for near in (2.4, 3.0, 4.0):
        found = exact.frequency_of(t, 0.3 + 0.01 * np.exp(-0.2 * t) * np.cos(3.1 * t + 0.4), near)
        expect(abs(found / 3.1 - 1) < 1e-5, f"the frequency of a decaying wave, sought near {near}: {found}")
    omega, decay = 2 * np.pi, 0.05
    t = np.linspace(0, 10.5, 20001)
    lost = exact.amplitude_lost({"t": t, "kinetic_energy": np.exp(-2 * decay * t) * np.cos(omega * t)**2}, omega)
    expect(abs(lost - (1 - np.exp(-9 * decay))) < 1e-4, f"what nine periods of a decaying wave lose: {lost}")
    for depth in (0.05, 0.5, 50.0):
        k = exact.wave_number(omega, depth)
        expect(abs(omega**2 / (runs.G * k * np.tanh(k * depth)) - 1) < 1e-9, f"the dispersion relation in {depth} m of water")
    expect(abs(exact.wave_number(omega, 50.0) / (omega**2 / runs.G) - 1) < 1e-9, "deep water")
    linear = np.sqrt(runs.G * 2.1 * np.tanh(2.1 * 0.5))
    expect(abs(exact.standing_frequency(0.0, 2.1, 0.5) / linear - 1) < 1e-12, "a standing wave without height is that of linear theory")
    slower = 1 - exact.standing_frequency(0.1, 2.1, 50.0) / np.sqrt(runs.G * 2.1)
    expect(abs(slower / (0.21**2 / 8) - 1) < 1e-9, f"a standing wave on deep water is slower by an eighth of (k a)^2: {slower}")
    slower = [1 - exact.standing_frequency(0.1, 2.1, depth / 2.1) / exact.standing_frequency(0.0, 2.1, depth / 2.1) for depth in (1.05, 1.07)]
    expect(slower[0] < 0 < slower[1], f"on less than 0.17 lengths of water higher waves are faster: {slower}")
    k, there, back = 2.1, 0.04 * np.exp(0.3j), 0.003 * np.exp(-1.2j)
    places, harmonics = np.array([4.0, 4.35, 4.9]), []
    for x in places:
        first = (there * np.exp(1j * (omega * t - k * x)) + back * np.exp(1j * (omega * t + k * x))).real
        harmonics.append(exact.first_harmonic(t, 0.5 + first + 0.005 * np.cos(2 * omega * t + x), omega))
    found = exact.opposite_waves(places, harmonics, k)
    expect(np.allclose(found, [there, back], atol=1e-9), f"waves to and fro: {found}, not {there}, {back}")


def check_exact(expect):
    """Exact solutions satisfy the equations that they solve."""
    for high, low in ((1.0, 0.5), (2.0, 0.1), (1.0, 0.99)):
        middle, bore = exact.stoker(high, low)
        u = 2 * (np.sqrt(runs.G * high) - np.sqrt(runs.G * middle))  # behind the rarefaction
        mass = u * middle - bore * (middle - low)
        momentum = u**2 * middle + 0.5 * runs.G * (middle**2 - low**2) - bore * u * middle
        expect(low < middle < high and abs(mass) < 1e-9 and abs(momentum) < 1e-9,
               f"the bore keeps mass and momentum from {high} to {low} m: {mass}, {momentum}")
    expect(abs(exact.stoker(1.001, 1.0)[1] / np.sqrt(runs.G) - 1) < 1e-3, "a weak bore is as fast as long waves")
    # Synolakis' beach, 1 : 19.85, by hand: 2.831 * 4.4553 * 0.0185^1.25, and 0.0185^1.25 = 0.0068230
    law = exact.synolakis(0.5, 0.0185 * 0.5, np.arctan(1 / 19.85))
    expect(abs(law / 0.5 - 0.08606) < 1e-4, f"run-up over depth on Synolakis' beach: {law / 0.5}")
    for degrees, height in exact.BEACHES:  # Synolakis 1987, (4.11)
        expect(height < 0.8183 * np.tan(np.radians(degrees))**(10 / 9), f"a wave of {height} breaks on {degrees} degrees")
    wave, x, small = exact.Solitary(1.0, 0.2, 8.0), np.linspace(2.0, 14.0, 25), 1e-5
    at = lambda dx, y: wave.velocity(np.stack([x + dx, 0 * x + y], axis=-1))  # noqa: E731
    divergence = (at(small, 0.4)[:, 0] - at(-small, 0.4)[:, 0] + at(0, 0.4 + small)[:, 1] - at(0, 0.4 - small)[:, 1]) / (2 * small)
    expect(np.abs(divergence).max() < 1e-8, f"the solitary wave's divergence: {np.abs(divergence).max()}")
    flux = at(0, 0.4)[:, 0] * (1.0 + wave.elevation(x))
    expect(np.allclose(flux, np.sqrt(1.2 * runs.G) * wave.elevation(x)), "the solitary wave carries its own volume")
    # Abramowitz & Stegun 1972, table 9.5
    expect(np.allclose(exact.bessel_1(np.array([1.8411837813, 3.8317059702])), [0.5818652, 0.0], atol=1e-7), "J_1 at its first extremum and zero")


def check_air(expect):
    """Pistons, swings and cups of air, against series and against digits found elsewhere by other means."""
    expect(np.allclose([air.bagnold_peak(s) for s in (0.1, 1.0, 10.0)], [1.468071, 3.574112, 71.06312], rtol=1e-6), "Bagnold's piston stops at its peak")
    small = np.sqrt(2 * 1.4)  # [1/s] of a slug between two pockets, in units of sqrt(p0 / (rho L D))
    t, y, _ = air.follow(lambda y: (1 + y)**-1.4 - (1 - y)**-1.4, 0.0, 0.001 * small, 9.0)
    expect(abs(air.period(t, y) / (2 * np.pi / small) - 1) < 1e-5 and abs(y.max() / 0.001 - 1) < 1e-3, "a small swing of a slug is harmonic")
    rise = air.rise_in_cup(0.3, 0.0, 0.2, 0.2, 0.04)  # a cup of 0.2 m full of air, pushed down to 0.3 m
    expect(abs(rise - 0.081191) < 1e-6, f"the rise of water in a diving bell: {rise}")
    expect(abs(2000 * (0.2 / (0.2 - rise))**1.4 - 2000 - 1000 * runs.G * (0.3 - rise)) < 1e-3, "pressure in the bell and outside agree")


def check_channel(expect):
    """Laws of uniform flow against their integral, each other and a figure by hand."""
    depth, sand = channel.DEPTH, 0.002
    y = depth * (np.arange(100000) + 0.5) / 100000
    integral = depth * np.mean([channel.rough_law(at, depth, sand) for at in y])
    expect(abs(channel.flow_of_rough_law(depth, sand) / integral - 1) < 2e-3, f"the flow rate of the logarithmic law: {integral}")
    for n in (0.015, 0.02):  # Strickler 1923: n says the same as a roughness of a tenth to a two-hundredth of the depth
        ratio = channel.flow_of_manning(depth, n) / channel.flow_of_rough_law(depth, (8.1 * np.sqrt(runs.G) * n)**6)
        expect(abs(ratio - 1) < 0.02, f"Manning's flow rate over that of its roughness: {ratio}")
    expect(abs(channel.flow_of_manning(1.0, 0.02) - 5.0482) < 1e-3, f"Manning's formula: {channel.flow_of_manning(1.0, 0.02)}")
    found = channel.depth_of(lambda h: channel.flow_of_manning(h, 0.02), channel.flow_of_manning(0.7, 0.02))
    expect(abs(found - 0.7) < 1e-9, f"the depth of a flow rate: {found}")


def check_bodies(expect):
    """Added masses, drafts and swings against digits found elsewhere by other means."""
    # Lamb 1932, article 93 and 99: a dipole and its image in a plane change the mass by a^2 / (2 h^2) and 3 a^3 / (16 h^3) at most
    for wanted, found in ((1.0, bodies.added_mass(2, 200, 200, 200)), (0.5, bodies.added_mass(3, 60, 60, 60)),
                          (1 - 1 / 50, bodies.added_mass(2, 2000, 5, 2000)), (0.498502, bodies.added_mass(3, 100, 5, 1000)),
                          (0.5 + 3 / 16 / 125, bodies.added_mass(3, 100, 1000, 5))):
        expect(abs(found - wanted) < 1e-4, f"an added mass: {found}, not {wanted}")
    expect(abs(bodies.draft_of_sphere(0.1) - 0.1958) < 1e-5 and abs(bodies.draft_of_sphere(0.5) - 0.5) < 1e-9, "a sphere's draft")
    swings = runs.data("heave_decay.csv")
    for body, times, values in (("cylinder", (3.720, 7.225, 10.594), (-0.6409, 0.3046, -0.2136)),
                                ("sphere", (3.099, 6.188, 9.241), (-0.8671, 0.6350, -0.4649))):
        found = bodies.extremes(swings["t"], swings[body], 3)
        expect(np.allclose(found, [times, values], atol=0.004), f"extremes of a {body}: {found}")
    ellipse = runs.data("kirchhoff_ellipse.csv")
    vx, vy, rate = ((8 * (f[3:-1] - f[1:-3]) - f[4:] + f[:-4]) / (12 * 0.1) for f in (ellipse["x"], ellipse["y"], ellipse["angle"]))
    c, s = np.cos(ellipse["angle"][2:-2]), np.sin(ellipse["angle"][2:-2])
    along, across = np.pi / 2 * (c * vx + s * vy), 5 * np.pi / 4 * (c * vy - s * vx)  # impulses; Lamb 1932, article 71
    expect(np.abs(c * along - s * across - 5 * np.pi / 4).max() < 0.01 and np.abs(s * along + c * across).max() < 0.01,
           "Kirchhoff's ellipse keeps its impulse")
    energy = along**2 / np.pi + across**2 / (2.5 * np.pi) + 0.46633 / 2 * rate**2
    expect(np.abs(energy - 2.19666).max() < 0.01, f"Kirchhoff's ellipse keeps its energy: {energy.min()} to {energy.max()}")
    t = np.arange(0, 3, 0.01)
    expect(abs(bodies.roll_period(t, np.cos(2 * np.pi * t / 1.3)) - 1.3) < 1e-3, "the period of a roll")


def check_table(expect, folder):
    """Records have their six fields; lines show goals and what others reach, and figures of several grids once more."""
    (folder / "gauges").mkdir()
    (folder / "gauges" / "all.csv").write_text("step,t [s],volume [m^3]\n0,0,2.0\n1,0.1,2.02\n2,0.2,1.96\n", encoding="utf-8")
    expect(abs(runs.volume_drift(folder) - 0.02) < 1e-12, "the largest drift of a volume, which shrinks")
    printed, table = io.StringIO(), runs.Table()
    with contextlib.redirect_stdout(printed):
        bench = runs.Bench("freshet", folder, True, 1, table, "voxels")
        for grid, value in (("1/8", 0.04), ("1/16", 0.01)):
            bench.add(("wave", grid), "height", "error", value, "Airy", 0.02, "others 3 %")
        table.by_grid()
    lines = printed.getvalue().splitlines()
    expect(table.records[0] == {"case": "wave, voxels, 1/8", "quantity": "height", "metric": "error", "value": 0.04, "bound": 0.02,
                                "reference": "Airy; others 3 %"}, f"a record: {table.records[0]}")
    expect("NO" in lines[0] and "yes" in lines[1] and all(line.endswith("others 3 %") for line in lines[:2]), f"lines: {lines}")
    expect(lines[-1].endswith("0.04 (1/8), 0.01 (1/16)"), f"the line by grid: {lines[-1]}")


def check_page(expect):
    """Rows of the page are those that are known, and a row changes where all of its grids were run, there alone."""
    page = (ROOT / "analysis/figures/validation.md").read_text(encoding="utf-8")
    rows = validation_page.rows_of(page)[2:]
    expect({validation_page.key_of(row) for row in rows} == set(validation_page.ROWS), "the page has other rows than validation_page.py")
    expect(validation_page.rewritten(page, []) == page, "a page changes where nothing was run")
    scripts = "".join(file.read_text(encoding="utf-8") for file in sorted((ROOT / "analysis").glob("validation_[abce]*.py")))
    for row in validation_page.ROWS.values():
        expect(f'"{row.metric}"' in scripts, f"no case measures '{row.metric}'")
    table, printed = runs.Table(), io.StringIO()
    with contextlib.redirect_stdout(printed):
        for surface, factor in ((None, 1.0), ("voxels", 10.0)):
            bench = runs.Bench("freshet", Path("."), True, 1, table, surface)
            for cells, error in ((20, 0.061), (40, 0.0063), (80, 0.0006)):
                for case in ("wave tank", *(("wave tank with a flap",) if surface else ())):
                    bench.add((case, f"1/{cells}"), "height of the first harmonic", "relative error", factor * error, "theory", 0.1)
        for cell, seconds in ((0.04, 0.0184), (0.025, 0.016), (0.02, 0.0094)):
            runs.Bench("freshet", Path("."), True, 1, table).add(("spheric02_marin", f"{cell} m"), "P2 arrival (1 kPa)", "|error| [s]", seconds, "")
    new = validation_page.rows_of(validation_page.rewritten(page, table.records))[2:]
    changed = {validation_page.key_of(after): after[3:5] for before, after in zip(rows, new) if before != after}
    tank, arrival = ("wave tank, piston and flap", "height of the waves"), ("SPHERIC 2", "arrival at P2")
    expect(set(changed) == {tank, arrival}, f"changed rows: {changed}")
    expect(changed.get(tank, ["", ""])[1] == "61, 6.3, 0.6 % and 61, 6.3, 0.6 %", f"both tanks of voxels: {changed}")
    expect(changed.get(tank, [""])[0] == next(row for row in rows if validation_page.key_of(row) == tank)[3], "no flap was run with a level set")
    expect(changed.get(arrival, [""])[0] == "18, 16, 9.4 ms", f"the arrival: {changed}")
    expect(plot_validation.numbers("0.84, -, below 0.1 % and 3.0, 2.0, 1.0 %") == [0.84, None, 0.1], "figures of a cell are read wrongly")
    shown = {validation_page.key_of(row) for row in rows if plot_validation.drawable(row)}
    expect(tank in shown and arrival not in shown, f"panels of the picture: {shown}")
    with tempfile.TemporaryDirectory() as folder:
        picture = Path(folder) / "page.png"
        plot_validation.draw(page, picture)
        expect(picture.read_bytes()[:4] == b"\x89PNG", "the rows are not drawn")
    try:
        validation_page.rewritten(page.replace("| jet from a slot |", "| jet from a pipe |"), [])
        expect(False, "a row that is not known is taken")
    except ValueError as error:
        expect("jet from a pipe" in str(error), str(error))


def check_parameters(expect, cases):
    """All cases that solve for a pressure name the defaults, so that they keep to them."""
    texts = {case.name: case.read_text(encoding="utf-8") for case in cases}
    texts["head() in 2-D"] = exact.head(1.0, [8, 8], 0.1, [0.0, -9.81])
    texts["a tube of air"] = air.tube(1.0, 16, 2.0, [(1.0, 2.0, 0.5)], ["y_high"])
    texts["a channel"] = channel.channel_text(8, True, lambda y: 1.0)
    texts["a body in a basin"] = bodies.basin(1.0, [8, 8], 0.1, 0.4) + bodies.ball([0.4, 0.4], 0.2, bodies.density_line(500))
    texts["a body in a full tank"] = alone.full_tank(1.0, 4) + bodies.ball(alone.START, 1.0, bodies.density_line(0.5) + alone.moving(3.0, 1.0))
    texts["head() in 3-D"] = exact.head(1.0, [8, 8, 8], 0.1, [0.0, 0.0, -9.81])
    for name, text in texts.items():
        scene = tomllib.loads(text)
        found = (scene.get("labels", {}).get("surface"), scene.get("density", {}).get("correction"),
                 scene.get("pressure", {}).get("walls", {}).get("condition"))
        # stretched air pulls at the liquid, and bodies are held by it: walls do not let go
        held = scene.get("air", {}).get("bubbles", "off") != "off" or any("body" in solid for solid in scene.get("solid", ()))
        walls = "sticky" if held else "separating"
        wanted = (None, None, None) if "field" in scene.get("motion", {}) else ("level_set", "implicit", walls)
        expect(found == wanted, f"{name} has {found}, not {wanted}")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program = find_program(sys.argv[1])
    problems = []

    def expect(condition, message):
        if not condition:
            problems.append(message)

    check_figures(expect)
    check_waves(expect)
    check_exact(expect)
    check_air(expect)
    check_channel(expect)
    check_bodies(expect)
    check_page(expect)
    cases = sorted((ROOT / "inputs" / "validation").glob("*.toml")) + [ROOT / "inputs" / "wave_tank.toml", air.SLOSHING]
    expect(len(cases) >= 8, f"cases: {cases}")
    check_parameters(expect, cases)
    for case in cases:
        done = commands.run(program, ["check", case])
        expect(done.returncode == 0, f"{case.name}: {done.stderr}")
    with tempfile.TemporaryDirectory() as folder:
        check_table(expect, Path(folder))
        file = Path(folder) / "records.json"
        done = subprocess.run(["/usr/bin/python3", "analysis/validate.py", "--program", program, "--output", folder, "--quick",
                               "--only", "free_fall", "--json", str(file)], cwd=ROOT, env=ENVIRONMENT, capture_output=True,
                              text=True, timeout=300)
        expect(done.returncode == 0, f"validate.py ended with {done.returncode}: {(done.stdout + done.stderr)[-2000:]}")
        records = json.loads(file.read_text()) if file.is_file() else []
    keys = {"case", "quantity", "metric", "value", "bound", "reference"}
    expect(len(records) == 4 and all(set(record) == keys for record in records), f"records: {records}")
    for record in records:
        expect(record["bound"] is None or record["value"] <= record["bound"], f"goal missed: {record}")
    print("\n".join(problems) or "validation works")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
