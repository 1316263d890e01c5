# SPDX-License-Identifier: Apache-2.0
"""The variables of jobs/mpi.sh for Python."""
import os
import re
from pathlib import Path


def mpi_settings(environment=os.environ):
    """What jobs/mpi.sh exports and `environment` does not set, as a dictionary."""
    lines = re.findall(r'^export (\w+)="\$\{\1-(.*)\}"$', text(), re.MULTILINE)
    return {name: value for name, value in lines if name not in environment}


def mpi_choice(what):
    """The settings of the line `mpi_<what>` of jobs/mpi.sh, as a dictionary."""
    line = re.search(rf'^mpi_{what}="(.*)"$', text(), re.MULTILINE)
    return dict(setting.split("=", 1) for setting in line.group(1).split())


def text():
    return Path(__file__).with_name("mpi.sh").read_text()
