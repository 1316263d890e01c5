#!/usr/bin/pvpython
# SPDX-License-Identifier: Apache-2.0
"""Opens a run in ParaView: particles as spheres coloured by speed, surfaces, fields, the box, at the right times.

usage: paraview --script=analysis/paraview_open.py        with FRESHET_RUN=DIR in the environment, or in DIR itself
       pvpython analysis/paraview_open.py DIR [--picture FILE.png] [--time SECONDS] [--state FILE.pvsm]
       python3 analysis/paraview_open.py DIR --collections      only writes DIR/meshes/*.pvd and DIR/export/*.pvd
A .pvd file lists the frames of `freshet mesh format=vtp` or `freshet export --particles vtp --fields vti` with their times;
ParaView opens it as one animation. Needs no module but ParaView's own; --collections needs none.
"""
import argparse
import os
import re
import sys
from pathlib import Path
from xml.sax.saxutils import quoteattr

SEQUENCE = re.compile(r"(.+)[._](\d+)\.(vtp|vti)")  # mesh_000012.vtp, particles.000012.vtp


def times_of(run):
    """{number: time [s]} of the snapshots, from snapshots.xdmf."""
    found = {}
    for grid in (run / "snapshots/snapshots.xdmf").read_text().split("<Time ")[1:]:
        value, number = re.match(r'Value="([^"]+)"', grid), re.search(r"snap_(\d+)\.h5", grid)
        if value and number:
            found[int(number.group(1))] = float(value.group(1))
    return found


def times_of_surfaces(run):
    """{number: time [s]} of the surfaces that the run wrote, from the table beside them."""
    table = run / "surfaces/surfaces.csv"
    rows = [line.split(",") for line in table.read_text().splitlines()[1:]] if table.is_file() else []
    return {int(row[0]): float(row[1]) for row in rows}


def write_collections(run):
    """Write a .pvd file for each sequence of .vtp or .vti files. Returns the paths."""
    times_of_snapshots, written = times_of(run), []
    for folder in (run / "meshes", run / "surfaces", run / "export"):
        times, sequences = times_of_surfaces(run) if folder.name == "surfaces" else times_of_snapshots, {}
        for path in sorted(folder.glob("*.vt[pi]")):
            match = SEQUENCE.fullmatch(path.name)
            if match and int(match.group(2)) in times:
                sequences.setdefault(match.group(1), []).append((times[int(match.group(2))], path.name))
        for name, frames in sequences.items():
            rows = "".join(f"<DataSet timestep=\"{time!r}\" part=\"0\" file={quoteattr(file)}/>\n" for time, file in frames)
            target = folder / f"{name}.pvd"
            temporary = target.with_suffix(".tmp")
            temporary.write_text('<?xml version="1.0"?>\n<VTKFile type="Collection" version="0.1" '
                                 f'byte_order="LittleEndian">\n<Collection>\n{rows}</Collection>\n</VTKFile>\n')
            temporary.replace(target)
            written.append(target)
    return written


def spacing_of(run):
    """Edge of a cell / particles along it: a particle's diameter [m]."""
    text = (run / "input.resolved.toml").read_text()
    size = float(re.search(r"^cell_size = (\S+)", text, re.M).group(1))
    per_axis = re.search(r"^per_axis = (\d+)", text, re.M)
    return size / (int(per_axis.group(1)) if per_axis else 2)


def up_of(run):
    """Against gravity; y if there is none."""
    found = re.search(r"^gravity = \[([^]]+)\]", (run / "input.resolved.toml").read_text(), re.M)
    gravity = [float(word) for word in found.group(1).split(",")] if found else [0.0]
    gravity = (gravity + [0.0, 0.0])[:3]
    size = sum(g * g for g in gravity) ** 0.5
    return [-g / size for g in gravity] if size > 0 else [0.0, 1.0, 0.0]


def show(run):
    """Build the pipeline and the view. Returns the view, and what is coloured by speed."""
    from paraview import simple
    simple._DisableFirstRenderCameraReset()
    view = simple.GetActiveViewOrCreate("RenderView")
    view.OrientationAxesVisibility = 1
    colored, collections = [], write_collections(run)
    surfaces = [path for path in collections if path.parent.name in ("meshes", "surfaces")]
    listed = run / "snapshots/snapshots.xdmf"
    names = dict.fromkeys(re.findall(r'<Grid Name="(\w+)" GridType="Collection"', listed.read_text())) if listed.exists() else []
    for name in names:
        data = simple.XDMFReader(registrationName=name, FileNames=[str(listed)])
        every_step = [grid for grid in data.GridStatus if grid.split("[")[0] == name]  # ParaView numbers the steps' grids
        data.GridStatus = every_step
        data.UpdatePipeline()
        display = simple.Show(data, view)
        if len(data.CellData):
            display.SetRepresentationType("Outline")
            continue
        display.SetRepresentationType("Point Gaussian")
        display.GaussianRadius = 0.5 * spacing_of(run)
        display.ShaderPreset = "Sphere"
        if data.PointData.GetArray("velocity") is not None:
            simple.ColorBy(display, ("POINTS", "velocity", "Magnitude"))
            colored.append(display)
        display.Visibility = 0 if surfaces else 1
    for path in surfaces:
        surface = simple.PVDReader(registrationName=path.stem, FileName=str(path))
        display = simple.Show(surface, view)
        display.SetRepresentationType("Surface")
        display.DiffuseColor = [0.25, 0.5, 0.8]
        display.Specular = 0.4
    simple.GetAnimationScene().UpdateAnimationUsingDataTimeSteps()
    up = up_of(run)
    beside = [abs(up[1]) + abs(up[2]), 0.0, abs(up[0])] if not up[2] else [0.5, -1.0, 0.0]
    view.CameraViewUp = up
    view.CameraFocalPoint = [0.0, 0.0, 0.0]
    view.CameraPosition = [0.5 * u + b + s for u, b, s in zip(up, beside, [0.0, 0.0, 1.6 if not up[2] else 0.0])]
    return view, colored


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, nargs="?", default=Path(os.environ.get("FRESHET_RUN", ".")))
    parser.add_argument("--picture", type=Path, help="save a picture")
    parser.add_argument("--time", type=float, help="[s]; default: the last one")
    parser.add_argument("--state", type=Path, help="save a state file that ParaView opens")
    parser.add_argument("--collections", action="store_true", help="write .pvd files and nothing else")
    arguments = parser.parse_args(None if __name__ == "__main__" and sys.argv[0].endswith("paraview_open.py") else [])
    if not (arguments.run / "input.resolved.toml").exists():
        parser.error(f"{arguments.run} holds no run: it has no input.resolved.toml")
    return arguments


def main():
    arguments = parse()
    if arguments.collections:
        for path in write_collections(arguments.run):
            print(path)
        return
    from paraview import simple
    view, colored = show(arguments.run)
    times = list(simple.GetTimeKeeper().TimestepValues)
    view.ViewTime = arguments.time if arguments.time is not None else times[-1] if times else 0.0
    simple.Render(view)
    for display in colored:  # the colours' range is that of the time which is shown
        display.RescaleTransferFunctionToDataRange(False, True)
    simple.ResetCamera(view)
    if arguments.picture:
        simple.SaveScreenshot(str(arguments.picture), view, ImageResolution=[1280, 720])
    if arguments.state:
        simple.SaveState(str(arguments.state))
    print(f"{len(times)} times, {', '.join(name for name, _ in simple.GetSources())}")


main()
