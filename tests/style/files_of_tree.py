# SPDX-License-Identifier: Apache-2.0
"""The files that a check of a tree looks at."""
import shutil
import subprocess
from pathlib import Path

MADE = {"build", "output", "install"}  # folders at the top that building and running make


def files_of_tree(root, *, with_new=False):
    """Sorted paths below root of the repository's files; where there is no git, of all but those that were made.

    with_new: also those that are not tracked yet.
    """
    git = shutil.which("git") if (root / ".git").exists() else None
    if git is not None:
        new = ["--cached", "--others", "--exclude-standard"] if with_new else []
        listed = subprocess.run([git, "-C", str(root), "ls-files", "-z", *new], capture_output=True, text=True)
        if listed.returncode == 0:
            return sorted(Path(name) for name in listed.stdout.split("\0") if name and (root / name).is_file())
    paths = (path.relative_to(root) for path in root.rglob("*") if path.is_file())
    return sorted(path for path in paths if path.parts[0] not in MADE and "__pycache__" not in path.parts)
