#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds the site from docs/, the examples, the registry of functions with all docstrings, and the C++ headers.

    tools/docs/build.py [FOLDER] [--pictures FOLDER]

FOLDER is build/docs where none is named: html/ is the site, source/ what Sphinx reads. Pictures are kept in its pictures/, or in the
other folder.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "python")]

import cpp_reference  # noqa: E402
import examples  # noqa: E402
import links  # noqa: E402
import navigation  # noqa: E402
import pictures  # noqa: E402
import python_reference  # noqa: E402

# A link, or code, in which nothing is a link.
_LINK = re.compile(
    r"(?P<code>^(`{3,}).*?^\2$|``.*?``|`[^`\n]+`)|(?P<text>!?\[(?:[^\[\]]|\[[^\]]*\])*\])\((?P<target>[^)\s]+)\)",
    re.MULTILINE | re.DOTALL,
)


def _page_of(file: Path) -> str | None:
    """The page of the site, without its suffix, for a file of the repository; None if it is on no page."""
    if file == ROOT / "CHANGELOG.md":
        return "changes"
    if file == ROOT / "README.md":
        return "index"
    if file.is_relative_to(ROOT / "docs") and file.suffix == ".md":
        return file.relative_to(ROOT / "docs").with_suffix("").as_posix()
    if file == ROOT / "examples" / "README.md" or (file.is_dir() and file.is_relative_to(ROOT / "examples")):
        return "examples/index"
    if (
        file.is_relative_to(ROOT / "examples")
        and file.suffix in examples.LANGUAGES
        and file.parent != ROOT / "examples"
    ):
        return f"examples/{examples.page_name(file.relative_to(ROOT / 'examples'))}"
    return None


def _relinked(text: str, origin: Path, page: Path, source: Path) -> str:
    """Links to files of the repository as links of the site; other files come along."""

    def changed(match: re.Match[str]) -> str:
        if match["code"]:
            return match[0]
        name, _, anchor = match["target"].partition("#")
        if "://" in match["target"] or not name or name.startswith(("pictures/", "../pictures/", "mailto:")):
            return match[0]
        file = Path(os.path.normpath(origin.parent / name))
        if not file.exists():
            raise FileNotFoundError(f"{origin}: {match['target']} does not exist")
        if (target := _page_of(file)) is not None:
            target = f"{target}.md"
        elif file.is_relative_to(ROOT / "docs"):
            return match[0]
        else:
            target = f"files/{file.relative_to(ROOT).as_posix()}"
            (source / target).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, source / target)
        relative = os.path.relpath(source / target, page.parent)
        return f"{match['text']}({relative}{'#' + anchor if anchor else ''})"

    return _LINK.sub(changed, text)


def _copy_pages(source: Path) -> None:
    """docs/ and the list of changes."""
    shutil.copytree(ROOT / "docs", source, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.md"))
    for origin in [*(ROOT / "docs").rglob("*.md"), ROOT / "CHANGELOG.md"]:
        page = source / f"{_page_of(origin)}.md"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(_relinked(origin.read_text(encoding="utf-8"), origin, page, source), encoding="utf-8")


def assemble(source: Path, cache: pictures.Cache) -> None:
    """Writes all that Sphinx reads into an empty folder."""
    import quern as qn

    _copy_pages(source)
    say(f"{examples.write(source / 'examples', ROOT, cache)} examples")
    say(f"{python_reference.write(source / 'reference' / 'python', qn)} names of Python")
    say(f"{cpp_reference.write(source / 'reference' / 'cpp', ROOT / 'include' / 'quern')} headers of C++")
    say(f"{pictures.make(source, cache)} pictures")
    navigation.add_to(source)


def say(text: str) -> None:
    """Progress, on standard error."""
    print(f"docs: {text}", file=sys.stderr, flush=True)


def _update(new: Path, old: Path) -> None:
    """Makes `old` equal to `new`, and touches only what differs, so that Sphinx reads again what has changed."""
    old.mkdir(parents=True, exist_ok=True)
    wanted = {path.relative_to(new) for path in new.rglob("*") if path.is_file()}
    for path in [path for path in old.rglob("*") if path.is_file()]:
        if path.relative_to(old) not in wanted:
            path.unlink()
    for name in wanted:
        content = (new / name).read_bytes()
        target = old / name
        if not target.is_file() or target.read_bytes() != content:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)


def _has_other_navigation(source: Path, stamp: Path) -> bool:
    """Whether pages were added, removed or renamed since the last build: the navigation on all pages then differs."""
    pages = sorted(source.rglob("*.md"))
    titles = [re.search("^# .*", path.read_text(encoding="utf-8"), re.MULTILINE) for path in pages]
    trees = [
        tree
        for path in pages
        for tree in re.findall(r"```\{toctree\}.*?```", path.read_text(encoding="utf-8"), re.DOTALL)
    ]
    text = "\n".join(
        [*(f"{path} {title and title[0]}" for path, title in zip(pages, titles, strict=True)), *trees]
    )
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == text:
        return False
    stamp.write_text(text, encoding="utf-8")
    return True


def build(folder: Path, kept: Path) -> int:
    """Builds the site in a folder, and returns the exit status: warnings and broken links are errors."""
    from quern import _core

    started = time.monotonic()
    os.environ["PYTHONPATH"] = os.pathsep.join(
        [str(ROOT / "python"), *filter(None, [os.environ.get("PYTHONPATH")])]
    )
    fresh, source, site = folder / "fresh", folder / "source", folder / "html"
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    cache = pictures.Cache(kept, Path(_core.__file__))
    assemble(fresh, cache)
    cache.prune()
    _update(fresh, source)
    shutil.rmtree(fresh)
    jobs = str(min(os.cpu_count() or 1, 8))
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-c", str(HERE), "-d", str(folder / "doctrees"),
               "-W", "--keep-going", "-q", "-j", jobs, str(source), str(site)]  # fmt: skip
    if _has_other_navigation(source, folder / "navigation"):
        command.append("-a")
    if status := subprocess.run(command, check=False).returncode:
        return status
    problems = links.problems_of(site)
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    say(f"{len(list(site.rglob('*.html')))} pages in {site}, in {time.monotonic() - started:.0f} s")
    return 1 if problems else 0


def main() -> int:
    """Reads the arguments."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "build" / "docs")
    parser.add_argument("--pictures", type=Path)
    options = parser.parse_args()
    folder = options.folder.resolve()
    return build(folder, options.pictures.resolve() if options.pictures else folder / "pictures")


if __name__ == "__main__":
    raise SystemExit(main())
