#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the commands that a Containerfile (RUN) or an Apptainer definition (%post) runs in one of its stages, as a shell script.

usage: container_commands.py FILE STAGE      STAGE counts from 1
"""
import re
import sys
from pathlib import Path


def stages_of_containerfile(text):
    text = re.sub(r"\\\n\s*", " ", text)
    stages = []
    for line in text.splitlines():
        word, _, rest = line.partition(" ")
        if word == "FROM":
            stages.append([])
        elif word == "RUN":
            stages[-1] += rest.split(" && ")  # or set -e would not see a failure before the last one
        elif word == "WORKDIR":
            stages[-1] += [f"mkdir -p {rest}", f"cd {rest}"]
    return ["\n".join(["set -e", *(line.strip() for line in lines)]) for lines in stages]


def stages_of_definition(text):
    stages = []
    for part in re.split(r"^Bootstrap:", text, flags=re.MULTILINE)[1:]:
        [post] = re.findall(r"^%post\n(.*?)(?=^%|^#|\Z)", part, re.MULTILINE | re.DOTALL)
        stages.append("\n".join(line.removeprefix("    ") for line in post.strip("\n").splitlines()))
    return stages


def stages(path):
    text = Path(path).read_text()
    return stages_of_definition(text) if Path(path).suffix == ".def" else stages_of_containerfile(text)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    print(stages(sys.argv[1])[int(sys.argv[2]) - 1])
