#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails on comments and texts of src/ and include/ that are fragments, or that a new wrap has left ragged:

- the comment of a member or of another declaration begins with of, that, its, likewise or see;
- a line of a comment holds one word, below another line of the comment;
- a string literal is broken into pieces, one of which holds one short word.

It prints FILE:LINE: TEXT for each. First it shows on small made-up trees that each rule finds its fault.

usage: check_prose.py [DIRECTORY...]    default: src and include
"""
import re
import sys
from pathlib import Path

from made_up_trees import prove

# behind code, or on the first line of a comment that stands before a declaration
FRAGMENT = re.compile(r"(?:///<|[;,{}()] +//|^(?! *//).*\n *///) ?\(?(?:of|that|its|likewise|see)\b", flags=re.I | re.M)
LEFT_WORD = re.compile(r"//.* \S+\n *///?<? *[A-Za-z0-9(\[|][^\s\\]*$", flags=re.M)
# the line before ends within a sentence, not with a line end of the text itself
LEFT_PIECE = re.compile(r'(?<!\\n)"\n *"[^"\s\\]{1,20} ?"|^[^"\n]*"[^"\s\\]{1,20} "\n *"', flags=re.M)


def findings(text):
    """Numbers of the lines with a fault, in order."""
    return sorted({text.count("\n", 0, match.end()) + 1
                   for rule in (FRAGMENT, LEFT_WORD, LEFT_PIECE) for match in rule.finditer(text)})


def check(root, folders=None):
    """All findings below the folders, or in src and include; and the number of files read."""
    problems = []
    count = 0
    for folder in folders or [root / "src", root / "include"]:
        for file in sorted(file for ending in ("cpp", "hpp") for file in folder.rglob(f"*.{ending}")):
            path = file.relative_to(root)
            count += 1
            text = file.read_text(encoding="utf-8")
            lines = text.splitlines()
            problems += [f"{path}:{number}: {lines[number - 1].strip()}" for number in findings(text)]
    return problems, count


def self_test():
    """Each rule finds its fault in a tree made for it, and nothing in the clean one."""
    name = "src/a_module/a.hpp"
    clean = {name: "/// One line.\n///\n/// Another line\n/// of two words\nint a;  ///< area of a face [m^2]\n"
                   'auto b = "one "\n         "two three" + f("word");\nauto c = "one\\n"\n         "two\\n";\n'}
    faults = {":1: int a;  ///< of a face": {name: "int a;  ///< of a face\n"},
              ":1: int a;  // its area": {name: "int a;  // its area\n"},
              ":2: /// See b.": {name: "\n/// See b.\nint a;\n"},
              ":2: /// word": {name: "/// a line and one\n/// word\n"},
              ":2: ///< word": {name: "int a;  ///< a line and one\n        ///< word\n"},
              ':2: "word"': {name: 'auto a = "one "\n         "word";\n'}}
    clean[name] = clean[name].replace('"one "', '"one and "')
    prove(check, clean, faults)


def main():
    folders = [Path(word).resolve() for word in sys.argv[1:]]
    if any(not folder.is_dir() for folder in folders):
        sys.exit(__doc__)
    self_test()
    problems, count = check(Path(__file__).resolve().parents[2], folders or None)
    print("\n".join(problems) if problems else f"comments of {count} C++ files are sentences")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
