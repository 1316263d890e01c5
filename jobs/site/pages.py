#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts the pages of the repository, the files that they show or link, and KaTeX where mkdocs reads them, and writes mkdocs' menu.

usage: pages.py FOLDER     pages go to FOLDER/pages, where interfaces.py has left its own; the configuration to FOLDER/mkdocs.yml
"""
import html
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
KATEX = Path("/usr/share/javascript/katex")
PIPE = "\\|"
CONTRIBUTING = ".github/CONTRIBUTING.md"  # mkdocs leaves out folders with a dot
MENU = {"First hour": ["README.md", {"An engineer's path": "inputs/engineer.md"}, {"An artist's path": "inputs/artist.md"}],
        "Cases": ["inputs/README.md", "inputs/troubleshooting.md"],
        "Runs": ["jobs/README.md", "jobs/clusters.md", "jobs/versions.md"],
        "Results": ["analysis/README.md", "analysis/columns.md", "analysis/files.md", "analysis/houdini/README.md",
                    "analysis/freshet/README.md"],
        "Figures": ["analysis/figures/README.md"],  # and the studies that it links, in its order
        "Method": ["src/method.md", "src/limits.md"],
        "Development": ["src/README.md", "tests/README.md", "tests/reported_cases.md", "CONTRIBUTING.md", "CHANGELOG.md"],
        "Interfaces": ["interfaces/README.md"]}  # and the modules


def place_of(name):
    """Where a page stands in the site."""
    return name.replace(CONTRIBUTING, "CONTRIBUTING.md")


def links_of(text):
    """Files that a page links or shows, without web addresses and anchors."""
    found = re.findall(r"\]\(([^()\s]+)\)", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S))
    return [link.partition("#")[0] for link in found if not re.match(r"[a-z]+:|#", link)]


def for_mkdocs(name, text):
    """A page as Python's Markdown takes it: in the code of a table it keeps the backslash of \\|, where GitHub shows | alone."""
    def code(match):
        return f"<code>{html.escape(match.group(1)).replace(PIPE, '&#124;')}</code>" if PIPE in match.group(1) else match.group()
    if name == CONTRIBUTING:
        text = text.replace("](../", "](")
    text = re.sub(r"(\]\((?:\.\./)*)" + re.escape(CONTRIBUTING), r"\1" + place_of(CONTRIBUTING), text)
    return "\n".join(re.sub(r"`([^`]*)`", code, row) if row.startswith("|") else row for row in text.split("\n"))


def names_of_pages():
    """Paths of the repository's pages; where there is no git, of all but those that were made."""
    if (ROOT / ".git").exists() and shutil.which("git"):
        listed = subprocess.run(["git", "-C", ROOT, "ls-files", "*.md"], capture_output=True, text=True, check=True)
        return [name for name in listed.stdout.split("\n") if (ROOT / name).is_file()]
    names = (str(path.relative_to(ROOT)) for path in ROOT.rglob("*.md"))
    return sorted(name for name in names if name.split("/")[0] not in ("build", "output", "install"))


def copy_pages(pages):
    """Copy all pages and what they link. Returns the names of the pages."""
    names = names_of_pages()
    names = [name for name in names if not name.startswith(".github/") or name == CONTRIBUTING]
    for name in names:
        text = (ROOT / name).read_text(encoding="utf-8")
        target = pages / place_of(name)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(for_mkdocs(name, text), encoding="utf-8")
        for link in links_of(text):
            source = Path(os.path.normpath((ROOT / name).parent / link))
            if source.suffix != ".md" and source.is_file():
                place = pages / source.relative_to(ROOT)
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, place)
    return names


def copy_scripts(folder):
    """KaTeX, and the site's own scripts and styles."""
    if not (KATEX / "katex.min.js").exists():
        sys.exit(f"site: {KATEX} is missing. Install libjs-katex")
    (folder / "fonts").mkdir(parents=True)
    for path in [KATEX / "katex.min.js", KATEX / "katex.min.css", HERE / "formulas.js", HERE / "site.css"]:
        shutil.copy(path, folder)
    for path in (KATEX / "fonts").glob("*.woff2"):
        shutil.copy(path, folder / "fonts")


def menu_of(pages, names):
    """The menu, with the studies and modules. Errors: ends the program where a page is in no menu"""
    menu = {title: list(entries) for title, entries in MENU.items()}
    figures = links_of((pages / menu["Figures"][0]).read_text(encoding="utf-8"))
    menu["Figures"] += dict.fromkeys(f"analysis/figures/{link}" for link in figures if re.fullmatch(r"\w+\.md", link))
    menu["Interfaces"] += sorted(str(path.relative_to(pages)) for path in (pages / "interfaces").glob("[a-z]*.md"))
    missing = {place_of(name) for name in names} - {path for entries in menu.values() for entry in entries
                                                      for path in (entry.values() if isinstance(entry, dict) else [entry])}
    if missing:
        sys.exit(f"site: no menu has {', '.join(sorted(missing))}. See jobs/site/pages.py")
    return [{title: entries} for title, entries in menu.items()]


def main(folder):
    pages = folder / "pages"
    names = copy_pages(pages)
    copy_scripts(pages / "site")
    menu = json.dumps(menu_of(pages, names), indent=1)
    (folder / "mkdocs.yml").write_text(f"{(HERE / 'mkdocs.yml').read_text()}nav: {menu}\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
