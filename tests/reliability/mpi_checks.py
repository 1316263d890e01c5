#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""MPI used rightly: types and requests read from the sources, buffers of a run watched by valgrind's wrapper of MPI.

Handles that are never given back are listed by every test of sanitizers.py; here stands whether that watches all that
freshet makes.
"""
import concurrent.futures
import json
import os
import re
import subprocess
from pathlib import Path

from check import DONE, ROOT, Check
from memcheck import CASES, FAULTS as MEMORY_FAULTS, WRAPPER, finding, valgrind
from test_runs import PROBE, build_probe, missing, record_probes

CHECKS = "-*,mpi-*,clang-analyzer-optin.mpi.*"
FOLDERS = ("parallel", "pressure", "io")  # the only ones with MPI
FAULTS = {"type": "[mpi-type-mismatch]", "request": "no matching wait", "wait": "Double nonblocking"}
MAKES_A_HANDLE = re.compile(r"\bMPI_((?:I(?!n)[a-z]+|Comm_(?:dup|split|create|idup)|Type_(?!commit|free|size|get)|Op_create|"
                            r"Group_|Win_|File_open|Info_create|[A-Z][a-z]+_init|Dist_graph|Cart_create)[a-z_]*)\(")


def clang_tidy(arguments):
    done = subprocess.run(["clang-tidy", "-quiet", f"-checks={CHECKS}", *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True)
    return done.returncode, re.findall(r"^\S+: (?:warning|error): .*", done.stdout, re.MULTILINE)


def read_sources(check):
    flags = subprocess.run(["mpicxx", "--showme:compile"], capture_output=True, text=True, check=True).stdout.split()
    _, warnings = clang_tidy([str(PROBE), "--", "-std=c++20", *flags])
    missed = [fault for fault, words in FAULTS.items() if words not in "".join(warnings)]
    check.record(f"clang-tidy's MPI checks on mistakes made on purpose: {', '.join(FAULTS)}", len(FAULTS),
                 f"does not see {', '.join(missed)}" if missed else "every mistake seen", not missed)
    # clang's own flags for each source by itself; nothing is built
    folder = check.configure("tsan", folder="tidy", FRESHET_UNITY="OFF", FRESHET_PRECOMPILE="OFF")
    commands = json.loads((folder / "compile_commands.json").read_text())
    files = [Path(entry["file"]) for entry in commands]
    files = [str(file) for file in files if any(ROOT / "src" / name in file.parents for name in FOLDERS)
             and re.search(r"\b(MPI|Petsc)\w*\(", file.read_text())]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        results = list(pool.map(lambda file: clang_tidy(["-p", str(folder), file]), files))
    code = max((code for code, _ in results), default=1)
    warnings = [line for _, lines in results for line in lines]
    check.record("clang-tidy's MPI checks: types against buffers, requests against waits", len(files),
                 "; ".join(warnings[:5]) or ("nothing found" if code == 0 else f"clang-tidy ended with {code}"),
                 bool(files) and code == 0 and not warnings)


def watch_handles(check):
    watched = set(MAKES_A_HANDLE.findall((ROOT / "tests/support/handle_check.cpp").read_text()))
    used = {}
    for folder in ("src", "include"):
        for file in (ROOT / folder).rglob("*.?pp"):
            if file.name in ("count_calls.cpp", "patient_calls.cpp"):  # they hand on the calls of others, and are no part of
                continue                                               # builds with sanitizers
            for name in MAKES_A_HANDLE.findall(file.read_text()):
                used.setdefault(name, file.name)
    unwatched = [f"MPI_{name} in {file}" for name, file in sorted(used.items()) if name not in watched]
    check.record("Functions of MPI that make a handle are watched by the handle check", len(used),
                 "; ".join(unwatched) or f"watched: {', '.join(sorted(used))}", bool(used) and not unwatched)


def watch_buffers(check):
    why = missing("valgrind", WRAPPER)
    if why:
        check.not_run("Buffers of MPI calls", f"{why} (Debian: valgrind valgrind-mpi)")
        return
    probe = build_probe(check, "probe", "g++", [])
    faults = {"send": "Uninitialised byte(s) found during client check request",
              "receive": "Unaddressable byte(s) found during client check request"}
    tool = valgrind(WRAPPER)
    record_probes(check, "valgrind's wrapper of MPI", [*tool.launch(2), *tool.words, str(probe)], faults, tool.environment)
    program = check.program("memcheck")
    name, words = CASES[0]
    run = check.run(name, *words, ranks=2, program=program, prefix=tool.prefix, environment=tool.environment,
                    output=check.work / "out", timeout=1200)
    check.record(f"Buffers of every MPI call in a run of {name}, 2 ranks", 1,
                 "nothing found" if run.code == DONE else finding(run.err), run.code == DONE)


def main():
    check = Check(__doc__)
    why = missing("clang-tidy", "clang++")
    if why:
        check.not_run("MPI calls in the sources", f"{why} (Debian: clang clang-tidy libomp-dev)")
    else:
        read_sources(check)
    watch_handles(check)
    watch_buffers(check)
    check.finish()


if __name__ == "__main__":
    main()
