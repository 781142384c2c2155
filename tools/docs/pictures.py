# SPDX-License-Identifier: MIT
"""Makes the pictures of the pages: runs each block that is followed by one, once for light and once for dark pages."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from blocks import Block, blocks_of

_COMMON = """figure.figsize: 7, 3.2
figure.dpi: 130
figure.facecolor: none
axes.facecolor: none
axes.spines.top: False
axes.spines.right: False
savefig.facecolor: none
savefig.transparent: True
savefig.bbox: tight
svg.fonttype: path
svg.hashsalt: quern
"""
_COLOURED = (
    "text.color",
    "axes.labelcolor",
    "axes.edgecolor",
    "xtick.color",
    "ytick.color",
    "legend.edgecolor",
)
STYLES = {
    style: _COMMON + "".join(f"{name}: {colour}\n" for name in _COLOURED)
    for style, colour in (("light", "333333"), ("dark", "cfd0d0"))
}


class Cache:
    """Files that were made by code, by a digest of the code and of the library; a change of either makes them anew."""

    def __init__(self, folder: Path, library: Path) -> None:
        self.folder = folder
        self.library = f"{library.stat().st_size} {library.stat().st_mtime_ns}"
        self.used: set[Path] = set()

    def of(self, code: tuple[str, ...], make: Callable[[Path], list[Path]]) -> list[Path]:
        """The files that `make` returns, which is called with an empty folder if they are not there."""
        digest = hashlib.sha256("\0".join([self.library, *code]).encode()).hexdigest()[:24]
        place = self.folder / digest
        if not place.is_dir():
            with tempfile.TemporaryDirectory() as scratch:
                made = make(Path(scratch))
                partial = self.folder / f"{digest}.new"
                shutil.rmtree(partial, ignore_errors=True)
                partial.mkdir(parents=True)
                for one in made:
                    shutil.copyfile(one, partial / one.name)
                partial.rename(place)
        self.used.add(place)
        return sorted(place.iterdir())

    def prune(self) -> None:
        """Removes what this build did not use."""
        for one in self.folder.glob("*"):
            # The folder may be the user's: only names that of() makes are removed.
            if one not in self.used and re.fullmatch(r"[0-9a-f]{24}(\.new)?", one.name):
                shutil.rmtree(one)


def run_in(folder: Path, program: Path) -> None:
    """Runs a program of Python in a folder; an error is raised with what it printed."""
    settings = folder / "matplotlibrc"
    environment = {**os.environ, "MPLBACKEND": "agg"} | (
        {"MATPLOTLIBRC": str(settings)} if settings.exists() else {}
    )
    done = subprocess.run(
        [sys.executable, str(program)],
        cwd=folder,
        capture_output=True,
        text=True,
        env=environment,
        check=False,
        timeout=600,
    )
    if done.returncode != 0:
        raise RuntimeError(f"{program} failed:\n{done.stderr.strip()}")


def make(source: Path, cache: Cache) -> int:
    """Makes all pictures of the pages in a folder, in its folder `pictures`, and marks the images of the pages."""
    folder = source / "pictures"
    folder.mkdir(exist_ok=True)
    count = 0
    for page in sorted(source.rglob("*.md")):
        for block in list(blocks_of(page)):
            if block.language == "python" and block.pictures:
                made = cache.of(
                    (block.code, *STYLES.values(), *block.pictures),
                    lambda there, block=block: _run(block, there),
                )
                for one in made:
                    if (folder / one.name).exists():
                        raise RuntimeError(
                            f"{block.page}:{block.line}: another picture has the name {one.name}"
                        )
                    shutil.copyfile(one, folder / one.name)
                _mark(page, [one.name for one in made if one.name.startswith("dark-")])
                count += len(block.pictures)
    return count


def _run(block: Block, scratch: Path) -> list[Path]:
    """Runs a block in both styles; a picture that differs between them has the second form with `dark-` before its name."""
    found = []
    for style, settings in STYLES.items():
        there = scratch / style
        there.mkdir()
        program = there / "block.py"
        program.write_text("\n" * (block.line - 1) + block.code, encoding="utf-8")
        (there / "matplotlibrc").write_text(settings, encoding="utf-8")
        run_in(there, program)
        if missing := [name for name in block.pictures if not (there / name).is_file()]:
            raise RuntimeError(f"{block.page}:{block.line} does not write {', '.join(missing)}")
    for name in block.pictures:
        light, dark = scratch / "light" / name, scratch / "dark" / name
        found.append(light)
        if light.read_bytes() != dark.read_bytes():
            found.append(dark.rename(dark.with_name(f"dark-{name}")))
    return found


def _mark(page: Path, dark: list[str]) -> None:
    """Shows each picture that has two forms in the one that suits the page."""
    text = page.read_text(encoding="utf-8")
    for name in (one.removeprefix("dark-") for one in dark):
        text = re.sub(
            rf"!\[([^\]]*)\]\(((?:\.\./)*)pictures/{re.escape(name)}\)",
            rf"![\1](\2pictures/{name}){{.only-light}}\n![\1](\2pictures/dark-{name}){{.only-dark}}",
            text,
        )
    page.write_text(text, encoding="utf-8")
