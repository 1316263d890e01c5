#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# needs: mkdocs doxygen node file:/usr/share/javascript/katex
# timeout: 300
"""The site of jobs/site.sh is made without a warning, every link of it leads to what it names, its formulas are marked for KaTeX,
which can draw them, and declarations and pages are in its search. First its checks of links and formulas find each kind of fault in
sites made for it."""
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from made_up_trees import prove

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "jobs/site"))
import links  # noqa: E402


def self_test():
    clean = {"index.html": '<a href="a/b.html#c">x</a><img src="p.png"><a href="a">y</a><a href="https://x.org/z">z</a><a href="#d" id="d">',
             "a/b.html": '<h2 id="c">c</h2>', "a/index.html": '<a name="e"></a><a href="../index.html#d">', "p.png": ""}
    faults = {"index.html: a/c.html: there is no such file": '<a href="a/c.html">x</a>',
              "index.html: q.png: there is no such file": '<img src="q.png">',
              "index.html: a/b.html#f: the page has no such place": '<a href="a/b.html#f">x</a>',
              "index.html: #g: the page has no such place": '<a href="#g">x</a>'}
    prove(links.check, clean, {problem: {**clean, "index.html": f'<p id="d">{text}'} for problem, text in faults.items()})

    with tempfile.TemporaryDirectory() as name:
        for formula, code in ((r"\[a &lt; V^{\ast}\]", 0), (r"\(V^\*\)", 1)):
            (Path(name) / "a.html").write_text(f'<p class="arithmatex">{formula}</p>', encoding="utf-8")
            done = subprocess.run(["node", ROOT / "jobs/site/check_formulas.js", name, "/usr/share/javascript/katex/katex.min.js"],
                                  capture_output=True, text=True)
            if done.returncode != code:
                sys.exit(f"the check of formulas ends with {done.returncode} at {formula}: {done.stderr}")


def main():
    self_test()
    problems = []
    with tempfile.TemporaryDirectory() as name:
        site = Path(name) / "site"
        done = subprocess.run([ROOT / "jobs/site.sh", "--output", site], capture_output=True, text=True)
        if done.returncode != 0 or done.stderr:
            sys.exit(f"jobs/site.sh ended with {done.returncode}: {done.stdout}{done.stderr}")
        print(done.stdout.splitlines()[0])
        method = (site / "src/method.html").read_text(encoding="utf-8")
        source = re.sub(r"```math", "", (ROOT / "src/method.md").read_text(encoding="utf-8"))
        n_marked, n_dollars = method.count('class="arithmatex"'), source.count("$")
        if n_marked < n_dollars // 2 or "$" in re.sub(r"<script.*?</script>", "", method, flags=re.S):
            problems.append(f"the method's page has {n_marked} formulas for {n_dollars} dollar signs")
        found = {page["location"].partition("#")[0] for page in json.loads((site / "search/search_index.json").read_text())["docs"]}
        for page in ("index.html", "inputs/index.html", "src/method.html", "interfaces/grid.html", "analysis/figures/waves.html"):
            if page not in found:
                problems.append(f"the search does not know {page}")
        declared = re.sub(r"<[^>]*>", "", (site / "interfaces/core.html").read_text(encoding="utf-8"))
        if "bool open(const std::string &amp;path, FileMode mode);" not in declared:
            problems.append("interfaces/core.html does not declare Log::open() as its header does")
    print("\n".join(problems) or "the site is whole")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
