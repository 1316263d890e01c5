#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""freshet with a PETSc of 64-bit integers, Debian's libpetsc64-real-dev in a private folder: all unit tests, the parallel
ones on all their rank counts, and runs with the same bits as those of the installed PETSc."""
import re
import shutil
import subprocess
from pathlib import Path

import checkpoints
from check import DONE, ENVIRONMENT, Check, last_words
from test_runs import record_tests, targets

PACKAGE = "libpetsc64-real-dev"
TESTS = {"Unit tests": "^unit[.]", "Tests on ranks": "^parallel[.]"}
CASES = (("inputs/dam_break_2d.toml", "run.max_steps=40"),
         ("inputs/dam_break.toml", "domain.cells=[48,16,24]", "domain.cell_size=0.0671", "run.max_steps=20"))


def missing_packages():
    """Names of the packages that Debian would install for PACKAGE, itself included."""
    done = subprocess.run(["apt-get", "install", "--print-uris", "-y", "--no-install-recommends", PACKAGE],
                          capture_output=True, text=True)
    return re.findall(r"^'\S+' ([^_\s]+)_\S+\.deb", done.stdout, re.MULTILINE)


def unpack(root):
    """PETSc's folder, below `root` into which the packages are unpacked, or None with the reason why not."""
    installed = sorted(Path("/usr/lib/petscdir").glob("petsc64-*/*-real/include/petsc.h"))
    if installed:
        return installed[-1].parents[1], ""
    if not (root / "unpacked").exists():
        packages = missing_packages()
        if not packages:
            return None, f"apt knows no {PACKAGE}"
        shutil.rmtree(root, ignore_errors=True)
        root.mkdir(parents=True)
        done = subprocess.run(["apt-get", "download", *packages], cwd=root, capture_output=True, text=True)
        if done.returncode != 0:
            return None, f"apt-get download: {last_words(done.stderr)}"
        for package in root.glob("*.deb"):
            subprocess.run(["dpkg", "-x", package, root], check=True)
            package.unlink()
        shared = root / "usr/share/petsc"  # headers of every PETSc; no package of the list if they are installed
        if not shared.exists():
            shared.symlink_to("/usr/share/petsc")
        (root / "unpacked").touch()
    found = sorted(root.glob("usr/lib/petscdir/petsc64-*/*-real"))
    if not found:
        return None, f"{PACKAGE} holds no PETSc"
    for file in found[-1].glob("lib/pkgconfig/*.pc"):
        if not file.is_symlink():
            file.write_text(re.sub(r"^prefix=.*", f"prefix={found[-1]}", file.read_text(), flags=re.MULTILINE))
    return found[-1], ""


def libraries(root):
    """Folders of the unpacked libraries: PETSc's, and those that it loads in turn."""
    return sorted({str(file.parent) for file in root.glob("usr/lib/*/**/*.so*") if "petscdir" not in file.parts})


def main():
    check = Check(__doc__)
    if shutil.which("apt-get") is None or shutil.which("dpkg") is None:
        check.not_run("PETSc with 64-bit integers", "there is no apt-get")
        check.finish()
    root = check.options.builds.resolve() / "petsc64_packages"
    petsc, why = unpack(root)
    if petsc is None:
        check.not_run("PETSc with 64-bit integers", why)
        check.finish()
    reference = check.program("test")
    ENVIRONMENT.pop("PETSC_ARCH", None)
    ENVIRONMENT["PETSC_DIR"] = str(petsc)
    # RPATH, not RUNPATH: PETSc's own libraries are looked for there too
    flags = "-Wl,--disable-new-dtags" + "".join(f",-rpath,{folder}" for folder in libraries(root))
    options = {"folder": "petsc64", "CMAKE_EXE_LINKER_FLAGS": flags, "FRESHET_WERROR": "ON", "FRESHET_UNITY": "ON"}
    build = check.configure("test", **options)
    build = check.build("test", "freshet", *targets(build, "|".join(TESTS.values())), **options)
    program = build / "src" / "freshet"
    version = subprocess.run([program, "--version"], capture_output=True, text=True, env=ENVIRONMENT).stdout
    integers = re.search(r"PETSc integers\W+(\d+) bits", version)
    check.record("Build without warnings", 1, integers.group(0) if integers else f"no word of PETSc's integers: {version}",
                 integers is not None and integers.group(1) == "64")
    for name, pattern in TESTS.items():
        record_tests(check, name, build, pattern, {})
    for number, (case, *words) in enumerate(CASES):
        for ranks in (1, 2, 4):
            runs = [check.run(case, *words, "checkpoint.steps=20", ranks=ranks, program=which,
                              output=check.work / f"{name}_{number}_{ranks}")
                    for name, which in (("small", reference), ("large", program))]
            wrong = [f"exit code {run.code}: {last_words(run.err)}" for run in runs if run.code != DONE]
            wrong = wrong or checkpoints.differences(runs[1].output, runs[0].output)
            check.record(f"{case} on {ranks} ranks with integers of 32 and 64 bits", 1, "; ".join(wrong) or "the same bits",
                         not wrong)
    check.finish()


if __name__ == "__main__":
    main()
