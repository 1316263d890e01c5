#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails on a link of a page (.md) whose file is not in the repository or a C++ source, or whose #heading is not on the page that it names,
on a page that a source or a page names as FOLDER/PAGE.md or FOLDER/PAGE.md#HEADING, without a link, and that is not there,
and on a warning of the program that names no entry of the page of troubleshooting.

First it shows on small made-up trees that each rule finds its fault.  usage: check_links.py [ROOT]
"""
import os
import re
from pathlib import Path
from urllib.parse import unquote

from files_of_tree import files_of_tree
from made_up_trees import prove, run_check

SOURCES = {".md", ".py", ".sh", ".cpp", ".hpp", ".toml", ".sbatch", ".txt", ".cff"}
ITSELF = "tests/style/check_links.py"  # names pages of made-up trees
FENCE = re.compile(r"^(```|~~~).*?^\1[ \t]*$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")
LINK = re.compile(r"\]\(\s*<?([^()\s>]+(?:\([^()\s]*\))?)>?(?:\s+\"[^\"]*\")?\s*\)")
HEADING = re.compile(r"^#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*$", re.MULTILINE)
ANCHOR = re.compile(r"<a\s+(?:id|name)=\"([^\"]+)\"")
NAMED = re.compile(r"(?<![\w./-])(?:analysis|include|inputs|jobs|src|tests)(?:/[\w-]+)*/[\w-]+\.md\b(?:#([\w-]+))?")
WARNING = re.compile(r"\b\w*log\w*(?:\(\))?\.warn\((.*?)\);", re.DOTALL)
ENTRY = "inputs/troubleshooting.md#"  # "{}", warning: those of the scene, which have theirs from add_warnings()


def blank(match):
    """As many line feeds as the text has, so that line numbers stay."""
    return "\n" * match.group().count("\n")


def anchors(text):
    """The words after # that lead to a page's headings, as GitHub makes them."""
    found = set()
    plain = FENCE.sub(blank, text)
    for title in HEADING.findall(plain):
        title = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", title)
        slug = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        number, name = 0, slug
        while name in found:
            number += 1
            name = f"{slug}-{number}"
        found.add(name)
    return found | set(ANCHOR.findall(plain))


def check_link(page, link, pages, files, folders):
    """What is wrong with one link of a page, or None."""
    if re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//", link):
        return None
    path, _, anchor = unquote(link).partition("#")
    target = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
    if target not in files and target not in folders:
        return f"there is no file {target}"
    if target.endswith((".cpp", ".hpp")):
        return "an installed freshet has its pages but no sources: name the file in `...`"
    if anchor and target in pages and anchor not in pages[target]:
        return f"{target} has no heading #{anchor}"
    return None


def check(root):
    """All problems of the tree under root, and the number of links."""
    files = {str(path) for path in files_of_tree(root, with_new=True)}
    folders = {str(parent) for name in files for parent in Path(name).parents}
    texts = {name: (root / name).read_text(encoding="utf-8", errors="replace") for name in sorted(files)
             if Path(name).suffix in SOURCES and name != ITSELF}
    pages = {name: anchors(text) for name, text in texts.items() if name.endswith(".md")}
    problems, n_links = [], 0
    for name, text in texts.items():
        without_links = LINK.sub(blank, text)
        for match in NAMED.finditer(without_links):
            page, anchor = match.group().partition("#")[0], match.group(1)
            line = without_links.count("\n", 0, match.start()) + 1
            if page not in files:
                problems.append(f"{name}:{line}: {page}: there is no such page")
            elif anchor and anchor not in pages[page]:
                problems.append(f"{name}:{line}: {page} has no heading #{anchor}")
        problems += [f"{name}:{text.count(chr(10), 0, match.start()) + 1}: a warning names no entry of {ENTRY[:-1]}"
                     for match in WARNING.finditer(text)
                     if name.startswith("src/") and ENTRY not in match.group(1) and match.group(1) != '"{}", warning']
        if name not in pages:
            continue
        plain = CODE.sub("", FENCE.sub(blank, text))
        for match in LINK.finditer(plain):
            n_links += 1
            problem = check_link(name, match.group(1), pages, files, folders)
            if problem is not None:
                line = plain.count("\n", 0, match.start()) + 1
                problems.append(f"{name}:{line}: [...]({match.group(1)}): {problem}")
    return problems, n_links


def self_test():
    """Each rule finds its fault in a tree made for it, and nothing in the clean one."""
    page = "# One page\n\n## The `key` of it: x^2\n\n```sh\n# not a heading\n[no](link.md)\n```\n\n## Twice\n\n## Twice\n"
    clean = {"README.md": "![p](analysis/p.png) [a](analysis/one.md#the-key-of-it-x2) [b](analysis) [c](#here)\n# Here\n"
                          "`[d](nowhere.md)` [e](https://example.org/x.md#y) [f](analysis/one.md#twice-1)\n",
             "analysis/one.md": page, "analysis/p.png": "", "src/a.py": "# see analysis/one.md#twice and work/results.md\n",
             "inputs/troubleshooting.md": "# A\n", "src/a.cpp": 'log_.warn("b {} (inputs/troubleshooting.md#a)", f(1));\n',
             "build/copy/README.md": "[a page that was copied](../nowhere.md)\n"}
    faults = {
        "there is no file analysis/two.md": {"README.md": "[a](analysis/two.md)\n"},
        "has its pages but no sources": {"README.md": "[a](src/a.cpp)\n"},
        "there is no file p.png": {"README.md": "x ![a](p.png \"title\") y\n"},
        "has no heading #not-a-heading": {"README.md": "[a](analysis/one.md#not-a-heading)\n"},
        "has no heading #twice-2": {"README.md": "[a](analysis/one.md#twice-2)\n"},
        "README.md:3: [...](#there): README.md has no heading": {"README.md": "# Here\n\n[a](#there)\n"},
        "README.md:4: [...](two.md)": {"README.md": "```\n\n```\n[a](two.md)\n"},
        "src/a.py:2: analysis/two.md: there is no such page": {"src/a.py": "\n# see analysis/two.md\n"},
        "src/a.py:2: analysis/one.md has no heading #thrice": {"src/a.py": "\n# see analysis/one.md#thrice\n"},
        "src/a.cpp:2: a warning names no entry": {"src/a.cpp": '\n  log_.warn("b {}",\n  f(1));\n'},
        "README.md:1: analysis/two.md: there is no such page": {"README.md": "`analysis/two.md` tells more\n"},
    }
    prove(check, clean, {expected: {**clean, **changed} for expected, changed in faults.items()})


if __name__ == "__main__":
    self_test()
    run_check(check, "{} links of the pages lead to what they name")
