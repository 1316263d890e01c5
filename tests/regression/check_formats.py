#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# needs: python:numpy python:h5py python:matplotlib python:vtk python:meshio vdb_print
# timeout: 300
"""Programs that are not freshet's read what `freshet export` and `freshet mesh` write, and find what the snapshot holds.

usage: check_formats.py BUILD_DIRECTORY_OR_EXECUTABLE
Prints a table of formats, readers and what each read back. VTK, meshio and OpenVDB's tools must be installed; Blender reads
too where it is installed, and ParaView where pvpython is, or where FRESHET_PVPYTHON names one (jobs/setup.sh --paraview).
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from xml.etree import ElementTree

import h5py
import matplotlib.pyplot as plt
import numpy as np

import commands
from check_bad_inputs import ROOT, WITHOUT_DAEMON, find_program

sys.path.insert(0, str(ROOT / "analysis"))
import convert_particles  # noqa: E402
from freshet.geometry.meshes import read_surface  # noqa: E402

CASE = """
run.end_time = 0.06
domain.cells = [16, 16, 16]
domain.cell_size = 0.0625
output.interval = 0.02
output.times = "exact"
output.particles = ["velocity", "id", "tag", "color", "stress"]
output.fields = ["pressure", "velocity", "label", "face_velocity", "distance", "curvature", "divergence", "vorticity",
                 "density_error", "open_fraction", "rank"]
fluid.surface_tension = 0.0728
[[attribute]]
name = "stress"
type = "real"
[[liquid]]
shape = "sphere"
center = [0.5, 0.5, 0.5]
radius = 0.3
velocity = [1.0, 0.5, 0.25]
color = [0.1, 0.3, 0.8]
"""
BLENDER = """
import bpy, json, sys
found = {}
for path in sys.argv[sys.argv.index("--") + 1:]:
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.delete()
    ending = path.rsplit(".", 1)[1]
    if ending == "obj":
        bpy.ops.wm.obj_import(filepath=path)
    elif ending == "vdb":
        bpy.ops.object.volume_import(filepath=path)
    else:
        getattr(bpy.ops.import_mesh, ending)(filepath=path)
    thing = bpy.context.selected_objects[0]
    if ending == "vdb":
        thing.data.grids.load()
        found[ending] = sorted(grid.name for grid in thing.data.grids)
    else:
        found[ending] = [len(thing.data.vertices), len(thing.data.polygons)]
print("FOUND" + json.dumps(found))
"""
SHOWN = """
import bpy
bpy.context.scene.frame_set({frame})
shown = [thing for thing in bpy.data.objects if thing.type == "MESH" and not thing.hide_render]
print("FOUND", len(bpy.data.meshes), *(len(thing.data.vertices) for thing in shown))
"""
PARAVIEW = """
import json, sys
from paraview import simple
def bounds(data):
    return data.GetDataInformation().GetBounds()
found, run = {"particles": [], "fields": []}, sys.argv[1]
for name in ("liquid", "fields"):
    data = simple.XDMFReader(registrationName=name, FileNames=[run + "/snapshots/snapshots.xdmf"])
    data.GridStatus = [grid for grid in data.GridStatus if grid.split("[")[0] == name]
    for time in data.TimestepValues:
        data.UpdatePipeline(time)
        if name == "liquid":
            speeds = [data.PointData["velocity"].GetRange(d) for d in range(3)]
            found["particles"].append([time, data.GetDataInformation().GetNumberOfPoints(), bounds(data), speeds])
        else:
            computed = {field: data.CellData[field].GetRange(0) for field in json.loads(sys.argv[4])}
            found["fields"].append([time, data.CellData["pressure"].GetRange(), bounds(data), computed])
    if name == "fields":
        found["points"] = []
        for place in json.loads(sys.argv[3]):
            probe = simple.ProbeLocation(Input=data, ProbeType="Fixed Radius Point Source")
            probe.ProbeType.Center, probe.ProbeType.Radius, probe.ProbeType.NumberOfPoints = place, 0.0, 1
            probe.UpdatePipeline(time)
            found["points"].append(probe.PointData["label"].GetRange()[0])
mesh = simple.XMLPolyDataReader(FileName=[sys.argv[2]])
mesh.UpdatePipeline()
found["mesh"] = [mesh.GetDataInformation().GetNumberOfPoints(), mesh.GetDataInformation().GetNumberOfCells()]
print("FOUND" + json.dumps(found))
"""
DROP = """
[run]
end_time = 0.08
[domain]
dimension = 2
cells = [8, 8]
cell_size = 0.125
[output]
interval = 0.001
times = "exact"
[[liquid]]
shape = "box"
lower = [0.25, 0.25]
upper = [0.75, 0.75]
"""

EMPTIED = """
run.end_time = 0.3
domain.cells = [32, 32, 32]
domain.cell_size = 0.03125
output.interval = 0.05
output.times = "exact"
output.fields = ["pressure", "velocity", "label"]
liquid = [{ shape = "box", lower = [0.25, 0.25, 0.25], upper = [0.75, 0.5, 0.75] }]
sink = [{ shape = "box", lower = [0.0, 0.0, 0.0], upper = [1.0, 1.0, 1.0] }]
"""
FRAME = 2
COMPUTED = ("distance", "curvature", "divergence", "vorticity", "density_error", "open_fraction", "rank")


class Checker:
    def __init__(self, program, folder):
        self.program, self.folder, self.problems, self.rows = program, folder, [], []
        self.run = folder / "run"
        with h5py.File(self.run / f"snapshots/snap_{FRAME:06}.h5") as file:
            frame = file[f"data/{FRAME}"]
            species = frame["particles/liquid"]
            self.records = {name: np.stack([species[name][c][()] for c in sorted(species[name])], axis=-1)
                            if isinstance(species[name], h5py.Group) else species[name][()]
                            for name in ("position", "velocity", "id", "tag", "color", "stress")}
            self.fields = {name: np.stack([thing[c][()] for c in "xyz"], axis=-1) if isinstance(thing, h5py.Group)
                           else thing[()] for name, thing in frame["meshes"].items()}

    def freshet(self, *words, ranks=1):
        done = commands.run(self.program, words, ranks)
        return done.returncode, done.stdout, done.stderr

    def expect(self, truth, what):
        if not truth:
            self.problems.append(what)

    def read(self, form, reader, take):
        """Has a reader open a file; take() returns (what it read, whether that is right)."""
        try:
            said, right = take()
        except Exception as error:  # the failure of any reader is what this script looks for
            said, right = f"{type(error).__name__}: {error}", False
        self.rows.append((form, reader, said))
        self.expect(right, f"{reader} read {form}: {said}")

    def point_file(self, ending):
        return self.folder / f"points/particles.{FRAME:06}.{ending}"

    def field_file(self, ending):
        return self.folder / f"points/fields.{FRAME:06}.{ending}"

    def mesh_file(self, ending):
        return self.folder / f"meshes_{ending}/mesh_{FRAME:06}.{ending}"


# ------------------------------------------------------------------------------------------------------------ export
def check_export(check):
    """All formats on 1 and 3 ranks have the same bytes; what is there already is left alone, what is missing is made."""
    for kind, endings in (("particles", "geo bgeo pda pdb ptc ply csv vtp vdb".split()), ("fields", ["vti", "vdb"])):
        for ending in endings:
            code, _, errors = check.freshet("export", check.run, f"--{kind}", ending, "--output", check.folder / "points")
            check.expect(code == 0, f"export --{kind} {ending}: {errors}")
    check.freshet("export", check.run, "--particles", "bgeo", "--output", check.folder / "ranks", ranks=3)
    for path in sorted((check.folder / "ranks").iterdir()):
        check.expect(path.read_bytes() == (check.folder / "points" / path.name).read_bytes(), f"{path.name} on 3 ranks")
    check.expect(len(list((check.folder / "ranks").glob("particles.*"))) == 4, "four frames on 3 ranks")
    check.point_file("csv").unlink()
    _, said, _ = check.freshet("export", check.run, "--particles", "csv", "--output", check.folder / "points")
    check.expect("1 frames written, 3 were there already" in said and check.point_file("csv").is_file(), f"resume: {said}")
    _, _, _ = check.freshet("export", check.run, "--particles", "csv", "--attributes", "id,velocity", "--frames", "0:2:2",
                            "--output", check.folder / "chosen")
    first = (check.folder / "chosen/particles.000000.csv").read_text().split("\n")[0]
    check.expect(first == "x,y,z,id,vx,vy,vz" and len(list((check.folder / "chosen").glob("particles.*"))) == 2, f"columns {first}")
    other = ["export", check.run, "--particles", "csv", "--output", check.folder / "chosen"]
    code, _, errors = check.freshet(*other)
    check.expect(code == 2 and "attributes = [id, velocity], and now attributes = []" in errors, f"other attributes: {code}, {errors}")
    code, _, errors = check.freshet(*other, "--force", ranks=2)
    check.expect(code == 0 and len(list((check.folder / "chosen").glob("particles.*"))) == 4, f"--force: {errors}")


def check_bad_input(check):
    """Exit code, part of the message, and no file."""
    damaged = check.folder / "damaged"
    shutil.copytree(check.run, damaged)
    path = damaged / "snapshots/snap_000001.h5"
    path.write_bytes(path.read_bytes()[:-700])
    empty = check.folder / "empty"
    empty.mkdir()
    full = check.folder / "full"
    full.mkdir()
    (full / "particles.000000.vtp.tmp").symlink_to("/dev/full")
    for words, code, part in (
            ([check.run, "--particles", "vpt"], 2, 'Did you mean "vtp"?'),
            ([check.run, "--fields", "vtk"], 2, 'Did you mean "vti"?'),
            ([check.run], 2, "--particles or --fields"),
            ([check.folder / "nothing", "--particles", "vtp"], 2, "there is no such directory"),
            ([empty, "--particles", "vtp"], 2, "no snapshots"),
            ([check.run, "--particles", "vtp", "--frames", "0:9"], 2, "frame 9 does not exist"),
            ([check.run, "--particles", "vtp", "--frames", "one"], 2, "is no range of frames"),
            ([check.run, "--particles", "vtp", "--attributes", "velocty"], 2, 'Did you mean "velocity"?'),
            ([damaged, "--particles", "vtp"], 4, "snap_000001.h5: the snapshot cannot be read"),
            ([check.run, "--particles", "vtp", "--output", full], 4, "No space left on device")):
        got, _, errors = check.freshet("export", *words)
        check.expect(got == code and part in errors, f"export {words}: {got}, {errors}")
    check.expect(not list(full.glob("particles*")), f"a full disk leaves {list(full.iterdir())}")
    got, _, errors = check.freshet("export", damaged, "--particles", "csv", "--output", check.folder / "two", ranks=2)
    check.expect(got == 4 and errors.count("the snapshot cannot be read") == 1 and "1 of 4 snapshots could not be read" in errors
                 and len(list((check.folder / "two").glob("particles.*"))) == 3, f"a damaged snapshot on 2 ranks: {got}, {errors}")


def check_emptied(check):
    """Fields of a run that a sink has emptied are written on any number of ranks of the run (on 4 no block is left) and of export."""
    case = check.folder / "emptied.toml"
    case.write_text(EMPTIED)
    for ranks in (1, 4):
        run = check.folder / f"emptied_{ranks}"
        code, _, errors = check.freshet("run", case, "--output-dir", run, ranks=ranks)
        check.expect(code == 0, f"a run that a sink empties on {ranks} ranks: {code}, {errors}")
        for n in (1, 2, 3, 4, 8) if commands.NIGHTLY else (1, 4):
            output = check.folder / f"emptied_{ranks}_{n}"
            for form in ("vti", "vdb"):
                code, _, errors = check.freshet("export", run, "--fields", form, "--output", output, ranks=n)
                check.expect(code == 0 and len(list(output.glob(f"fields.*.{form}"))) == 2,
                             f"export --fields {form} on {n} ranks of an emptied run of {ranks}: {code}, {errors}")
            for path in output.glob("fields.*.vti"):  # .vdb holds a random name
                check.expect(path.read_bytes() == (check.folder / f"emptied_{ranks}_1" / path.name).read_bytes(),
                             f"{path.name} on {n} ranks of an emptied run of {ranks}")


def check_stopped(check):
    """What export has said is there when a signal ends it between frames."""
    (check.folder / "drop.toml").write_text(DROP)
    run = check.folder / "drop"
    check.freshet("run", check.folder / "drop.toml", "--output-dir", run)
    with open(check.folder / "said", "w+") as said:
        with subprocess.Popen([str(check.program), "export", str(run), "--particles", "csv"], stdout=said,
                              env=dict(os.environ, **WITHOUT_DAEMON)) as job:
            while job.poll() is None and len(list(run.glob("export/particles.*.csv"))) < 3:
                time.sleep(1e-3)
            job.terminate()
        said.seek(0)
        check.expect(job.returncode in (0, -signal.SIGTERM) and said.read().startswith("1 of 81 frames\n2 of 81 frames\n"),
                     f"an export that SIGTERM ends: {job.returncode}, {(check.folder / 'said').read_text()!r}")


# ----------------------------------------------------------------------------------------------------------- readers
def same(found, wanted):
    found = np.asarray(found)
    return found.shape == wanted.shape and bool((found == wanted).all())


def vtk_readers(check):
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy

    def output(reader, path):
        reader.SetFileName(str(path))
        reader.Update()
        return reader.GetOutput()

    def points():
        data = output(vtk.vtkXMLPolyDataReader(), check.point_file("vtp"))
        arrays = {data.GetPointData().GetArrayName(i): vtk_to_numpy(data.GetPointData().GetArray(i))
                  for i in range(data.GetPointData().GetNumberOfArrays())}
        right = same(vtk_to_numpy(data.GetPoints().GetData()), check.records["position"]) and all(
            same(arrays[name], check.records[name]) for name in arrays) and len(arrays) == 5
        cells = vtk_to_numpy(data.GetVerts().GetConnectivityArray())  # a cell for each point
        right = right and data.GetNumberOfVerts() == len(cells) and same(cells, np.arange(data.GetNumberOfPoints()))
        return f"{data.GetNumberOfPoints()} points; {', '.join(arrays)}", right

    def fields():
        data = output(vtk.vtkXMLImageDataReader(), check.field_file("vti"))
        right = all(same(vtk_to_numpy(data.GetCellData().GetArray(name)).reshape(values.shape), values)
                    for name, values in check.fields.items())
        return f"{data.GetDimensions()} points; {', '.join(check.fields)}", right and len(check.fields) == 11

    def no_cells():
        data = output(vtk.vtkXMLImageDataReader(), check.folder / "emptied_4_1/fields.000001.vti")
        copy = vtk.vtkImageData()
        copy.DeepCopy(data)  # VTK fails here if an image without cells has arrays
        cells, points = copy.GetNumberOfCells(), copy.GetNumberOfPoints()
        return f"{cells} cells, {points} points", cells == points == 0

    def mesh(reader, ending, merges):
        data = output(reader, check.mesh_file(ending))
        if merges:  # the format repeats the corners of each triangle
            clean = vtk.vtkCleanPolyData()
            clean.SetInputData(data)
            clean.ToleranceIsAbsoluteOn()
            clean.SetAbsoluteTolerance(0.0)
            clean.Update()
            data = clean.GetOutput()
        edges = vtk.vtkFeatureEdges()
        edges.SetInputData(data)
        edges.FeatureEdgesOff()
        edges.Update()
        open_edges = edges.GetOutput().GetNumberOfCells()
        mass = vtk.vtkMassProperties()
        mass.SetInputData(data)
        volume = mass.GetVolume()
        count = (data.GetNumberOfPoints(), data.GetNumberOfPolys())
        right = count == check.mesh_size and open_edges == 0 and abs(volume / (4 / 3 * np.pi * 0.3**3) - 1) < 0.1
        return f"{count[0]} vertices, {count[1]} faces, {open_edges} open edges, {volume:.4f} m^3", right
    name = f"VTK {vtk.VTK_VERSION}"
    check.read("particles .vtp", name, points)
    check.read("fields .vti", name, fields)
    check.read("fields .vti without cells", name, no_cells)
    for reader, ending, merges in ((vtk.vtkXMLPolyDataReader(), "vtp", False), (vtk.vtkPLYReader(), "ply", False),
                                   (vtk.vtkOBJReader(), "obj", False), (vtk.vtkSTLReader(), "stl", True)):
        check.read(f"surface .{ending}", name, lambda r=reader, e=ending, m=merges: mesh(r, e, m))


def meshio_readers(check):
    import meshio

    def points():
        data = meshio.read(check.point_file("ply"))
        right = same(data.points, check.records["position"]) and same(data.point_data["id"], check.records["id"])
        return f"{len(data.points)} points; {', '.join(data.point_data)}", right

    def mesh(ending):
        data = meshio.read(check.mesh_file(ending))
        faces = data.cells_dict["triangle"]
        corners = data.points[faces].astype(float)
        volume = np.einsum("ij,ij->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6
        right = len(faces) == check.mesh_size[1] and abs(volume / (4 / 3 * np.pi * 0.3**3) - 1) < 0.1
        if ending != "stl":
            right = right and same(data.points.astype(np.float32), check.mesh_points)
        return f"{len(data.points)} vertices, {len(faces)} faces, {volume:.4f} m^3; {', '.join(data.point_data)}", right
    name = f"meshio {meshio.__version__}"
    check.read("particles .ply", name, points)
    for ending in ("obj", "ply", "stl"):
        check.read(f"surface .{ending}", name, lambda e=ending: mesh(e))


def openvdb_readers(check):
    def printed(path):
        return subprocess.run(["vdb_print", "-l", str(path)], capture_output=True, text=True, check=True).stdout

    def points():
        said = printed(check.point_file("vdb"))
        count = int(re.search(r"Max value: *(\d+)", said).group(1))
        return f"{re.search('Type: *(.*)', said).group(1)}, up to {count} points a leaf", "particles" in said and count > 0

    def fields():
        said = printed(check.field_file("vdb"))
        names = re.findall(r"^Name: (.*)$", said, re.M)
        lowest = float(re.search(r"Name: pressure.*?Min value: *(\S+)", said, re.S).group(1))
        pressure = check.fields["pressure"]
        right = sorted(names) == sorted(check.fields) and np.isclose(lowest, pressure[pressure != 0].min(), rtol=1e-4)
        return f"{', '.join(names)}; least pressure {lowest}", right

    def no_cells():
        said = printed(check.folder / "emptied_4_1/fields.000001.vdb")
        names = sorted(re.findall(r"^Name: (.*)$", said, re.M))
        return ", ".join(names), names == ["label", "pressure", "velocity"]

    def level_set():
        said = printed(check.mesh_file("vdb"))
        low, high = (np.array(json.loads(text)) for text in re.search(r"active voxels: (\[.*?\]) -> (\[.*?\])", said).groups())
        size = (high - low + 1) * float(re.search(r"voxel size: (\S+)", said).group(1))
        lowest = float(re.search(r"Min value: *(\S+)", said).group(1))
        right = "class: level set" in said and lowest < 0 and bool((np.abs(size - 0.6) < 0.3).all())
        return f"level set of {size.round(3).tolist()} m with its band, least distance {lowest}", right
    version = subprocess.run(["vdb_print", "-version"], capture_output=True, text=True).stdout
    name = "OpenVDB " + (re.search(r"(\d+\.\d+\.\d+)", version) or re.search("()", "")).group(1)
    check.read("particles .vdb", name, points)
    check.read("fields .vdb", name, fields)
    check.read("fields .vdb without cells", name, no_cells)
    check.read("surface .vdb", name, level_set)


def other_readers(check):
    def classic():
        rows = np.array(convert_particles.read_geo(check.point_file("geo").read_text()))
        right = same(rows[:, :3].astype(np.float32), check.records["position"])
        return f"{len(rows)} points, velocities", right and same(rows[:, 3:].astype(np.float32), check.records["velocity"])

    def table():
        rows = np.genfromtxt(check.point_file("csv"), delimiter=",", names=True)
        x = np.stack([rows[axis] for axis in "xyz"], axis=-1).astype(np.float32)
        right = same(x, check.records["position"]) and same(rows["vx"].astype(np.float32), check.records["velocity"][:, 0])
        return f"{len(rows)} rows; {', '.join(rows.dtype.names)}", right
    check.read("particles .geo", "convert_particles.py", classic)
    check.read("particles .csv", f"numpy {np.__version__}", table)
    for ending in ("geo", "bgeo", "pda", "pdb", "ptc", "csv"):
        def back(ending=ending):
            case = check.folder / f"back_{ending}.toml"
            case.write_text('run.end_time = 1.0\ndomain.cells = [16, 16, 16]\ndomain.cell_size = 0.0625\nliquid = '
                            f'[{{ shape = "particles", file = "{check.point_file(ending)}" }}]\n')
            code, said, errors = check.freshet("check", case)
            count = re.search(r"(\d+) particles, ", said)
            return f"{count.group(1)} particles" if count else errors, bool(count) and int(count.group(1)) == len(
                check.records["id"])
        check.read(f"particles .{ending}", "freshet", back)


def blender_reader(check):
    if shutil.which("blender") is None:
        check.rows.append(("surfaces, fields", "Blender", "not installed"))
        print("skipped: Blender reads nothing back, for it is not installed")
        return
    script = check.folder / "blender.py"
    script.write_text(BLENDER)
    paths = [check.mesh_file(ending) for ending in ("obj", "ply", "stl")] + [check.field_file("vdb")]
    done = subprocess.run(["blender", "-b", "--factory-startup", "--python", str(script), "--", *map(str, paths)],
                          capture_output=True, text=True)
    line = re.search("^FOUND(.*)$", done.stdout, re.M)
    found = json.loads(line.group(1)) if line else {}
    for ending in ("obj", "ply", "stl"):
        check.read(f"surface .{ending}", "Blender", lambda e=ending: (
            "{} vertices, {} faces".format(*found[e]), found[e] == list(check.mesh_size)))
    check.read("fields .vdb", "Blender", lambda: (", ".join(found["vdb"]), found["vdb"] == sorted(check.fields)))


def blender_animation(check):
    """analysis/blender_open.py makes one file in which each frame shows its own surface."""
    if shutil.which("blender") is None:
        return
    check.freshet("mesh", check.run)
    start = ["blender", "-b", "--python-exit-code", "1"]
    subprocess.run([*start, "--python", str(ROOT / "analysis/blender_open.py"), "--", str(check.run)], capture_output=True)

    def shown():
        done = subprocess.run([*start, str(check.run / "water.blend"), "--python-expr", SHOWN.format(frame=FRAME)],
                              capture_output=True, text=True)
        found = [int(word) for word in re.search("^FOUND (.*)$", done.stdout, re.M).group(1).split()]
        return f"{found[0]} frames, one of them shown: {found[1]} vertices", found == [4, check.mesh_size[0]]
    check.read("animation .blend", "Blender", shown)
    empty = subprocess.run([*start, "--python", str(ROOT / "analysis/blender_open.py"), "--", str(check.folder)],
                           capture_output=True, text=True)
    check.expect(empty.returncode == 2 and "holds no run" in empty.stderr, f"a folder without a run: {empty.stderr}")


def collections(check):
    """.pvd files list every frame with its time; what they list can be read."""
    import vtk
    check.freshet("mesh", check.run, "format=vtp")
    check.freshet("export", check.run, "--particles", "vtp", "--fields", "vti")
    script = ROOT / "analysis/paraview_open.py"
    done = subprocess.run([sys.executable, str(script), str(check.run), "--collections"], capture_output=True, text=True)
    wanted = {check.run / "meshes/mesh.pvd", check.run / "export/particles.pvd", check.run / "export/fields.pvd"}
    check.expect(set(map(Path, done.stdout.split())) == wanted, f"collections: {done.stdout}{done.stderr}")

    def listed():
        sets = ElementTree.parse(check.run / "meshes/mesh.pvd").getroot().findall("Collection/DataSet")
        times, counts = [float(one.get("timestep")) for one in sets], []
        for one in sets:
            reader = vtk.vtkXMLPolyDataReader()
            reader.SetFileName(str(check.run / "meshes" / one.get("file")))
            reader.Update()
            counts.append(reader.GetOutput().GetNumberOfPoints())
        right = np.allclose(times, 0.02 * np.arange(4), atol=1e-9) and counts[FRAME] == check.mesh_size[0] and min(counts) > 0
        return f"{len(times)} times up to {times[-1]:g} s, {counts[FRAME]} vertices at {times[FRAME]:g} s", right

    def opened():
        picture = check.folder / "paraview.png"
        said = subprocess.run([*display, pvpython, str(script), str(check.run), "--picture", str(picture)], env=bare,
                              capture_output=True, text=True)
        right = "4 times" in said.stdout and all(name in said.stdout for name in ("liquid", "fields", "mesh"))
        pixels = plt.imread(picture)[..., :3] if picture.is_file() else np.zeros((1, 1, 3))
        blue = pixels[..., 2] - pixels[..., 0] > 0.25  # the surface; the background is grey
        return f"{said.stdout.strip() or said.stderr[-300:]}; {100 * blue.mean():.0f} % liquid", right and 0.02 < blue.mean() < 0.6

    def numbers():
        """Times, counts, bounds and values are those of the snapshots, on their axes."""
        with h5py.File(check.run / "snapshots/snap_000003.h5") as file:
            group = file["data/3/meshes/label"]
            label, low = group[()], group.attrs["gridGlobalOffset"][::-1]
        cells = np.argwhere(label != label.transpose())[:12]  # z, y, x of those that tell the axes apart
        places = low + 0.0625 * (cells[:, ::-1] + 0.5)
        said = subprocess.run([pvpython, "-c", PARAVIEW, str(check.run), str(check.run / f"meshes/mesh_{FRAME:06}.vtp"),
                               json.dumps(places.tolist()), json.dumps(COMPUTED)], env=bare,
                              capture_output=True, text=True)
        if "FOUND" not in said.stdout:
            return said.stderr[-300:], False
        found = json.loads(said.stdout.split("FOUND")[1])
        time, count, bounds, speeds = found["particles"][FRAME]
        x, u = check.records["position"], check.records["velocity"]
        right = len(found["particles"]) == len(found["fields"]) == 4 and abs(time - 0.02 * FRAME) < 1e-9 and count == len(x)
        right &= np.allclose(np.reshape(bounds, (3, 2)), np.stack([x.min(axis=0), x.max(axis=0)], axis=1), atol=1e-6)
        right &= np.allclose(speeds, np.stack([u.min(axis=0), u.max(axis=0)], axis=1), atol=1e-5)
        right &= np.allclose(found["fields"][FRAME][1], [check.fields["pressure"].min(), check.fields["pressure"].max()], rtol=1e-6)
        for field, limits in found["fields"][FRAME][3].items():
            values = check.fields[field] if check.fields[field].ndim == 3 else check.fields[field][..., 0]
            right &= np.allclose(limits, [values.min(), values.max()], rtol=1e-6)
        right &= len(cells) == 12 and found["points"] == label[tuple(cells.T)].tolist() and found["mesh"][0] == check.mesh_size[0]
        return f"{count} particles, labels of {len(cells)} cells, {found['mesh'][0]} vertices", bool(right)
    check.read("animation .pvd", f"VTK {vtk.VTK_VERSION}, file by file", listed)
    display = ["xvfb-run", "-a"] if shutil.which("xvfb-run") else []
    pvpython = os.environ.get("FRESHET_PVPYTHON") or shutil.which("pvpython")
    bare = {key: value for key, value in WITHOUT_DAEMON.items() if key != "PYTHONPATH"}  # of another Python than ParaView's
    if pvpython:
        check.read("run, animation .pvd", "ParaView", opened)
        check.read(".xdmf, .vtp", "ParaView", numbers)
    else:
        check.rows.append(("run, animation .pvd", "ParaView", "not installed"))
        print("skipped: ParaView reads nothing back, for it is not installed (jobs/setup.sh --paraview, FRESHET_PVPYTHON)")


def check_meshes(check):
    for ending in ("ply", "obj", "stl", "vtp", "vdb"):
        code, said, errors = check.freshet("mesh", check.run, f"format={ending}", "--frames", FRAME, "--output",
                                           check.folder / f"meshes_{ending}")
        check.expect(code == 0 and check.mesh_file(ending).is_file(), f"mesh format={ending}: {said}{errors}")
    points, triangles, attributes = read_surface(check.mesh_file("ply"))
    check.mesh_points, check.mesh_size = points, (len(points), len(triangles))
    check.expect("velocity_x" in attributes and np.allclose(attributes["velocity_x"], 1.0, atol=0.3),
                 "the velocity at the vertices")


def main():
    program = find_program(sys.argv[1])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "case.toml").write_text(CASE)
        commands.run(program, ["run", folder / "case.toml", "--output-dir", folder / "run"]).check_returncode()
        check = Checker(program, folder)
        check_export(check)
        check_bad_input(check)
        check_emptied(check)
        check_stopped(check)
        check_meshes(check)
        for readers in (vtk_readers, meshio_readers, openvdb_readers, other_readers, blender_reader, collections,
                        blender_animation):
            try:
                readers(check)
            except (ImportError, FileNotFoundError) as error:
                check.problems.append(f"{error}: install python3-vtk9, python3-meshio, libopenvdb-dev, libboost-dev and libopenvdb-tools")
        for row in check.rows:
            print("| {} | {} | {} |".format(*row))
    for problem in check.problems:
        print(f"FAILED: {problem}")
    sys.exit(1 if check.problems else 0)


if __name__ == "__main__":
    main()
