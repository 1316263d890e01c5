#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# timeout: 300
"""`freshet mesh` and [output.surface]: the same bytes on 1, 2 and 3 ranks, frames that are there are kept, and what cannot be
done is refused with an exit code and a message, without files under their final names.

usage: check_surfaces.py BUILD_DIRECTORY_OR_EXECUTABLE
"""
import subprocess
import sys
import tempfile
from pathlib import Path

from check_bad_inputs import ENVIRONMENT, find_program

CASE = """
[run]
end_time = 0.04
[domain]
cells = [16, 16, 16]
cell_size = 0.0625
[[liquid]]
shape = "box"
lower = [0.0, 0.0, 0.0]
upper = [0.5, 0.75, 1.0]
[[solid]]
shape = "sphere"
center = [0.75, 0.1, 0.5]
radius = 0.2
[output]
interval = 0.02
particles = ["velocity", "tag"]
[output.surface]
interval = 0.02
attributes = ["velocity", "tag"]
"""
FLAT = """
[run]
end_time = 0.01
[domain]
dimension = 2
cells = [16, 16]
cell_size = 0.0625
[[liquid]]
shape = "box"
lower = [0.0, 0.0]
upper = [0.5, 0.75]
[output]
interval = 0.01
"""


class Check:
    """Runs commands and collects what is not as it should be."""

    def __init__(self, program, folder):
        self.program = program
        self.folder = folder
        self.problems = []

    def expect(self, holds, problem):
        if not holds:
            self.problems.append(problem)

    def freshet(self, words, code=0, message="", ranks=1):
        start = ["mpirun", "-np", str(ranks)] if ranks > 1 else []
        done = subprocess.run([*start, self.program, *map(str, words)], capture_output=True, text=True, cwd=self.folder,
                              env=ENVIRONMENT, check=False)
        output = done.stdout + done.stderr
        self.expect(done.returncode == code, f"{words}: exit code {done.returncode}, not {code}: {output[-600:]}")
        self.expect(message in output, f"{words}: no '{message}' in {output[-600:]}")
        return output

    def case(self, name, text):
        (self.folder / f"{name}.toml").write_text(text, encoding="utf-8")
        self.freshet(["run", f"{name}.toml", "--output-dir", name])


def main():
    program = find_program(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        check = Check(program, Path(folder))
        check.case("box", CASE)
        surfaces = sorted(file.name for file in (Path(folder) / "box" / "surfaces").iterdir())
        check.expect(surfaces == [f"surface_00000{n}.ply" for n in range(3)], f"the run wrote {surfaces}")
        bytes_of = {}
        for ranks in (1, 2, 3):
            output = check.freshet(["mesh", "box", "--output", f"m{ranks}", 'attributes=["velocity", "tag"]'], ranks=ranks)
            check.expect(output.count("open edges on walls") == 3, output)
            bytes_of[ranks] = [file.read_bytes() for file in sorted((Path(folder) / f"m{ranks}").iterdir())]
        check.expect(len(bytes_of[1]) == 3, "not three meshes")
        check.expect(bytes_of[1] == bytes_of[2] == bytes_of[3], "meshes differ between 1, 2 and 3 ranks")
        check.freshet(["mesh", "box", "--output", "m1"], message="3 of 3 meshes are there already")
        check.freshet(["mesh", "box", "--output", "c", "--frames", "1", "--solids", "closed", "--method", "anisotropic"],
                      message="closed")
        check.freshet(["mesh", "box", "--output", "d", "--frames", "2", "--solids", "closed", "smoothing=5", "decimate=0.3",
                       "min_particles=4", "--format", "obj"], message="closed")
        check.expect((Path(folder) / "d" / "mesh_000002.obj").is_file(), "no .obj")
        for words, message in [
                (["mesh", "nothing"], "nothing"),
                (["mesh", "box", "--frames", "7"], "7"),
                (["mesh", "box", "--frames", "x"], "x"),
                (["mesh", "box", "--method", "marbles"], "marbles"),
                (["mesh", "box", "--resolution", "4"], "resolution"),
                (["mesh", "box", "--format", "xyz"], "format"),
                (["mesh", "box", "kernal=2"], "kernel"),
                (["mesh", "box", 'attributes=["heat"]', "--output", "e"], "heat"),
                (["mesh", "box", "radius_from=size", "--output", "e"], "size"),
                (["mesh"], "run")]:
            check.freshet(words, code=2, message=message)
        check.freshet(["mesh", "box", "--frames", "9", "--output", "e"], code=2, ranks=2)
        check.expect(not (Path(folder) / "e").exists() or not any((Path(folder) / "e").iterdir()), "files of a refused command")
        damaged = Path(folder) / "box" / "snapshots" / "snap_000001.h5"
        damaged.write_bytes(damaged.read_bytes()[:2000])
        check.freshet(["mesh", "box", "--frames", "1", "--output", "f"], code=2, message="snap_000001.h5")
        check.case("flat", FLAT)
        check.freshet(["mesh", "flat"], code=2, message="2-D")
        flat_surface = FLAT.replace("[output]", "[output.surface]\ninterval = 0.01\n[output]")
        (Path(folder) / "flat_surface.toml").write_text(flat_surface, encoding="utf-8")
        check.freshet(["check", "flat_surface.toml"], code=2, message="2-D")
    print("\n".join(check.problems) if check.problems else "surfaces are as they should be")
    return 1 if check.problems else 0


if __name__ == "__main__":
    sys.exit(main())
