# SPDX-License-Identifier: MIT
"""The order of the pages. A page that does not exist yet is left out; one that is not named here fails the build."""

from __future__ import annotations

from fnmatch import fnmatch
from pathlib import Path

# Captions of the navigation, and the pages below them. A pattern takes the pages that no line names, by name.
SECTIONS = (
    ("First steps", ("overview", "install", "tour-arrays", "tour-kernels", "tour-cpp", "coming-from", "examples/index", "notebooks", "notebooks/index")),
    ("Guide", ("devices", "kernels", "generators", "arrays", "numpy-differences", "algorithms", "linalg", "products", "fft", "sparse", "random",
               "interoperability", "opencl-platform", "queues", "graphs", "memory", "distributed", "language", "command-line", "tuning", "settings")),
    ("Questions", ("performance-guide", "profiles", "reproducibility", "errors", "faq")),
    ("Reference", ("reference", "reference/python/index", "reference/cpp/index")),
    ("Measurements", ("performance", "ladders", "ladders/index")),
    ("How it works", ("architecture", "contributing", "building", "decisions", "changes")),
)  # fmt: skip
# A page and the pages below it.
BELOW = (
    ("coming-from", "coming-from/*"),
    ("ladders", "ladders/*"),
    ("contributing", "add-*"),
    ("notebooks/index", "notebooks/*"),
)


def tree(names: list[str], caption: str = "") -> str:
    """A hidden table of contents, which the theme shows at the side."""
    lines = ["```{toctree}", ":hidden:"] + ([f":caption: {caption}"] if caption else [])
    return "\n".join([*lines, "", *names, "```", ""])


def add_to(source: Path) -> None:
    """Adds the navigation to the pages in a folder."""
    pages = {path.relative_to(source).with_suffix("").as_posix() for path in source.rglob("*.md")}
    index = source / "index.md"
    text = index.read_text(encoding="utf-8") + "\n"
    for caption, names in SECTIONS:
        if present := [name for name in names if name in pages]:
            text += "\n" + tree(present, caption)
    index.write_text(text, encoding="utf-8")
    reference = source / "reference.md"
    links = (
        "\nRead the reference of [Python](reference/python/index.md) or of [C++](reference/cpp/index.md).\n"
    )
    reference.write_text(reference.read_text(encoding="utf-8") + links, encoding="utf-8")
    listed = {name for _, names in SECTIONS for name in names}
    for parent, pattern in BELOW:
        below = sorted(one for one in pages - listed if fnmatch(one, pattern) and one != parent)
        if parent in pages and below:
            page = source / f"{parent}.md"
            page.write_text(
                page.read_text(encoding="utf-8") + "\n" + tree([f"/{one}" for one in below]), encoding="utf-8"
            )
