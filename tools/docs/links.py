# SPDX-License-Identifier: MIT
"""Follows all links of the built site: each internal one leads to a file and an anchor, and no page loads from elsewhere."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


@dataclass
class Page:
    """What one page has: anchors, links, and what it loads to be shown."""

    anchors: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.page = Page()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        for name in ("id", "name"):
            if values.get(name):
                self.page.anchors.add(values[name])
        if tag == "a" and "href" in values:
            self.page.links.append(values["href"])
        if tag in ("script", "img", "iframe", "source", "video", "audio") and values.get("src"):
            self.page.loads.append(values["src"])
        if tag == "link" and values.get("rel") != "canonical" and values.get("href"):
            self.page.loads.append(values["href"])


def read(path: Path) -> Page:
    """What a page has."""
    reader = _Reader()
    reader.feed(path.read_text(encoding="utf-8"))
    return reader.page


def problems_of(site: Path) -> list[str]:
    """Every broken link of the site, and everything that a page would load from elsewhere."""
    pages = {path: read(path) for path in sorted(site.rglob("*.html"))}
    found = []
    for path, page in pages.items():
        own = path.relative_to(site)
        for target in page.links + page.loads:
            parts = urlsplit(target)
            if parts.scheme in ("http", "https") or target.startswith("//"):
                if target in page.loads:
                    found.append(f"{own} loads {target}")
                continue
            if parts.scheme in ("mailto", "data", "javascript"):
                continue
            other = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not other.exists():
                found.append(f"{own}: {target} does not exist")
            elif parts.fragment and other in pages and unquote(parts.fragment) not in pages[other].anchors:
                found.append(f"{own}: {target} has no such anchor")
    return found
