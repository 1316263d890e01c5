#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# needs: objdump as
"""The program and the compiled part of the Python package hold no instruction that approximates a reciprocal or a reciprocal
square root (rcp, rsqrt, AVX-512's rcp14 and rsqrt14, Arm's frecpe and frsqrte): processors of Intel and AMD give other bits, and
1 / sqrt(1) may be below 1. First the check shows that it finds each of them.

usage: check_instructions.py BUILD_DIRECTORY
"""
import platform
import re
import subprocess
import sys
import tempfile
from pathlib import Path

APPROXIMATE = re.compile(r"\t(?:\w+ )?(v?(?:rcp|rsqrt)(?:14|28)?[ps][sdh]|vexp2p[sd]|[fu](?:recp|rsqrt)e)\b")  # behind a prefix, too
FUNCTION = re.compile(r"[0-9a-f]+ <(.*)>:$")
FEWEST = 100_000  # instructions of a program: fewer are none that was disassembled

FAULTS = {"x86_64": ("rcpss %xmm0,%xmm1", "rcpps %xmm0,%xmm1", "rsqrtss %xmm0,%xmm1", "rsqrtps %xmm0,%xmm1", "vrcpps %ymm0,%ymm1",
                     "vrsqrtps %ymm0,%ymm1", "vrsqrtss %xmm0,%xmm1,%xmm2", "vrcp14ps %zmm0,%zmm1", "vrcp14sd %xmm0,%xmm1,%xmm2",
                     "vrsqrt14pd %zmm0,%zmm1", "vrsqrt14ss %xmm0,%xmm1,%xmm2", "vrsqrt28pd %zmm0,%zmm1", "vexp2ps %zmm0,%zmm1"),
          "aarch64": ("frecpe v0.4s,v1.4s", "frsqrte v0.2d,v1.2d", "frsqrte s0,s1")}
EXACT = {"x86_64": ("sqrtps %xmm0,%xmm1", "vsqrtpd %ymm0,%ymm1", "vdivps %zmm0,%zmm1,%zmm2", "vfmadd231pd %ymm0,%ymm1,%ymm2"),
         "aarch64": ("fsqrt v0.4s,v1.4s", "fdiv v0.4s,v1.4s,v2.4s")}


def approximate(file):
    """How many instructions a file has, and those that approximate, as 'instruction in function'."""
    count, found, function = 0, [], ""
    with subprocess.Popen(["objdump", "--disassemble", "--no-show-raw-insn", str(file)], stdout=subprocess.PIPE, text=True,
                          errors="replace") as dump:
        for line in dump.stdout:
            if line.startswith(" "):
                count += 1
                if instruction := APPROXIMATE.search(line):
                    found.append(f"{instruction[1]} in {function}")
            elif label := FUNCTION.match(line):
                function = label[1]
    if dump.returncode != 0:
        sys.exit(f"{file}: objdump ended with {dump.returncode}")
    return count, found


def prove():
    """End the program unless each approximate instruction is found, and no exact one."""
    machine = platform.machine()
    with tempfile.TemporaryDirectory() as folder:
        for lines, is_fault in ((FAULTS[machine], True), (EXACT[machine], False)):
            for line in lines:
                source, made = Path(folder) / "a.s", Path(folder) / "a.o"
                source.write_text(f"f:\n{line}\n")
                subprocess.run(["as", "-o", str(made), str(source)], check=True)
                if (found := approximate(made)) != (1, [f"{line.split()[0]} in f"] if is_fault else []):
                    sys.exit(f"testing itself: '{line}' gives {found}")


def main():
    if platform.machine() not in FAULTS:
        print(f"skipped: the approximate instructions of {platform.machine()} are not known here")
        sys.exit(77)
    prove()
    build = Path(sys.argv[1]).resolve()
    programs = sorted({*build.glob("src/freshet"), *build.glob("src/freshet-x86-64-*"), *build.glob("python/freshet/_freshet*.so")})
    failed = not programs
    for program in programs:
        count, found = approximate(program)
        print(f"{program.relative_to(build)}: {count} instructions, {len(found)} of them approximate")
        for line in sorted(set(found)):
            print(f"FAILED: {program.name}: {line}")  # c++filt reads the name
        failed = failed or found or count < FEWEST
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
