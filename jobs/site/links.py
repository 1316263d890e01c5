#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails on a link of a site whose file is not there, or whose #place is not on the page that it names.

usage: links.py FOLDER
"""
import os
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The places of a page and what it asks for."""

    def __init__(self, text):
        super().__init__()
        self.places, self.links = {"", "__skip"}, []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        self.places.update(filter(None, (named.get("id"), named.get("name") if tag == "a" else None)))
        self.links += filter(None, (named.get("href"), named.get("src")))


def check(folder):
    """All problems of the site in a folder, and the number of links."""
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.html")) if path.name != "404.html"}
    problems, n_links = [], 0
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            n_links += 1
            target = Path(os.path.normpath(path.parent / unquote(parts.path))) if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            if not target.is_file():
                problems.append(f"{path.relative_to(folder)}: {link}: there is no such file")
            elif target in pages and unquote(parts.fragment) not in pages[target].places:
                problems.append(f"{path.relative_to(folder)}: {link}: the page has no such place")
    return problems, n_links


if __name__ == "__main__":
    found, count = check(Path(sys.argv[1]).resolve())
    print("\n".join(found) or f"site: {count} links lead to what they name")
    sys.exit(1 if found or not count else 0)
