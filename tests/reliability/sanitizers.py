#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Unit and parallel tests at 2 ranks with the address and undefined-behaviour sanitizers. --quick: without the files of SLOW.

The build also lists memory and MPI handles that the program loses (tests/support/leak_check.cpp, handle_check.cpp), and
the fuzzers share it. Floating-point traps are for floating_point.py.
"""
from check import ROOT, Check
from test_runs import build_probe, record_probes, record_tests, targets

ENVIRONMENT = {"LSAN_OPTIONS": "print_suppressions=0", "UBSAN_OPTIONS": "print_stacktrace=1", "OMP_NUM_THREADS": "2"}
FLAGS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer",
         "-Wl,--export-dynamic-symbol=dlclose"]
FAULTS = {"read": "heap-buffer-overflow", "leak": "detected memory leaks", "integer": "signed integer overflow",
          "communicator": "a communicator was never given back", "datatype": "a datatype was never given back",
          "request": "a request was never given back", "wait": "a request was never given back"}
UNIT = r"^unit[.]"
PARALLEL = r"^parallel[.].*np2$"
# those that take more than 10 s with the sanitizers, where others call the same code
SLOW = ["unit/geometry/test_mesh_shape.cpp", "unit/geometry/test_mesh_cracks.cpp", "unit/meshing/test_cube_table.cpp",
        "unit/config/test_resolved.cpp", "unit/transfer/test_deposit.cpp",
        "parallel/pressure/multigrid/test_multigrid.cpp", "parallel/pressure/test_solver.cpp",
        "parallel/viscosity/test_viscous_step.cpp", "parallel/viscosity/test_cell_viscosity.cpp",
        "parallel/particles/test_seeding.cpp", "parallel/particles/test_mesh_seeding.cpp",
        "parallel/meshing/test_quality.cpp", "parallel/meshing/test_level_set.cpp", "parallel/gauges/test_viscous_force.cpp",
        "parallel/io/test_parallel_file.cpp",
        *(f"parallel/driver/test_{name}.cpp" for name in ("reproducible", "empty_blocks", "turning_vessels", "reseeded_volume",
                                                          "reseeding", "density", "moving_solids", "motion_in_steps",
                                                          "overshoot", "sources_at_solids", "sources_in_pools",
                                                          "simulation", "time_stepping", "restart", "distribution",
                                                          "stuck"))]


def main():
    check = Check(__doc__)
    support = ROOT / "tests" / "support"
    probe = build_probe(check, "probe", "clang++", FLAGS, [support / "leak_check.cpp", support / "handle_check.cpp"])
    record_probes(check, "Address, undefined-behaviour, leak and handle checks", ["mpirun", "-np", "2", str(probe)],
                  FAULTS, ENVIRONMENT)
    without = SLOW if check.quick else []
    build = check.configure("sanitize")
    check.build("sanitize", *targets(build, f"{UNIT}|{PARALLEL}"))
    check.record("Build with sanitizers", 1, "built", True)
    record_tests(check, "Unit tests, 2 threads", build, UNIT, ENVIRONMENT, without)
    record_tests(check, "Parallel tests, 2 ranks", build, PARALLEL, dict(ENVIRONMENT, OMP_NUM_THREADS="1"), without)
    check.finish()


if __name__ == "__main__":
    main()
