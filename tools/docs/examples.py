# SPDX-License-Identifier: MIT
"""Pages of the examples: what each shows, how to run it, its picture and its source, in shelves."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from pictures import Cache, run_in

# Folders that examples/README.md has no table of: a title, and a sentence.
OTHERS = {
    "everyday": (
        "Everyday NumPy",
        "NumPy programs that run with the names of the modules replaced and no other change.",
    ),
    "ranks": ("Many ranks", "Programs for `mpiexec` and for ipyparallel."),
}
LANGUAGES = {".py": "python", ".cpp": "cpp", ".hpp": "cpp"}
# Examples save their picture below this folder, if they make one.
PICTURES = "demo-output"


def description_of(path: Path) -> str:
    """The docstring, or the comment at the head."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return ast.get_docstring(ast.parse(text)) or ""
    head = re.match(r"// SPDX[^\n]*\n((?://[^\n]*\n)*)", text)
    return re.sub(r"^// ?", "", head[1] if head else "", flags=re.MULTILINE).strip()


def sources(examples: Path) -> list[Path]:
    """All programs of the examples."""
    return sorted(
        path for path in examples.rglob("*") if path.suffix in LANGUAGES and path.parent != examples
    )


def page_name(path: Path) -> str:
    """The page of a file below examples/, without its suffix: one name for each language."""
    return path.with_suffix("").as_posix() + {".py": "", ".cpp": "-cpp", ".hpp": "-hpp"}[path.suffix]


def code_of(path: Path) -> str:
    """The program without its licence and its description, which are on the page already."""
    text = path.read_text(encoding="utf-8").partition("\n")[2]
    pattern = r'""".*?"""\n+' if path.suffix == ".py" else r"(?://[^\n]*\n)*"
    return re.sub(rf"\A{pattern}", "", text, count=1, flags=re.DOTALL).rstrip()


def _titled(path: Path, text: str, told: str) -> tuple[str, str]:
    """The title, which is that of the gallery or the first sentence, and the text without it."""
    flat = " ".join(text.partition("\n\n")[0].split())
    sentence = re.match(r".*?\.(?=\s|$)", flat)
    first = sentence[0].rstrip(".") if sentence and len(sentence[0]) <= 90 else ""
    title = told or first or path.stem.replace("_", " ").capitalize()
    if title != first:
        return title, text
    rest = flat[len(first) + 1 :].strip()
    return title, "\n\n".join(filter(None, [rest, text.partition("\n\n")[2]]))


def _picture(path: Path, examples: Path, target: Path, cache: Cache) -> str:
    """Runs an example that saves a picture, in a folder of its own; the name of the picture or nothing."""
    text = path.read_text(encoding="utf-8")
    if (
        path.suffix != ".py"
        or '"--output"' not in text
        or not re.search(rf"{PICTURES}/[\w.-]+\.(?:png|svg)", text)
    ):
        return ""
    made = cache.of(
        (text, (examples / "pictures.py").read_text(encoding="utf-8")), lambda there: _run(path, there)
    )
    if not made:
        return ""
    target.mkdir(parents=True, exist_ok=True)
    name = f"{path.stem}{made[0].suffix}"
    (target / name).write_bytes(made[0].read_bytes())
    return name


def _run(path: Path, there: Path) -> list[Path]:
    run_in(there, path)
    return sorted((there / PICTURES).glob("*.png")) + sorted((there / PICTURES).glob("*.svg"))


_ROW = re.compile(r"^\| \[[^\]]*\]\(([^)]+\.(?:py|cpp))\) \| (.*?) \|.*$", re.MULTILINE)
_COMMANDS = re.compile(r"(?:^    .*\n?)+", re.MULTILINE)


def _page(own: Path, title: str, about: str, picture: str, code: str) -> str:
    """The page of one example. Indented lines of its description are commands."""
    about = _COMMANDS.sub(
        lambda match: "```sh\n" + re.sub("^    ", "", match[0], flags=re.MULTILINE).strip() + "\n```\n", about
    )
    up = "../" * (len(own.parts) - 1)
    shown = f"![{title}]({up}pictures/{picture})\n" if picture else ""
    parts = [
        f"# {title}",
        "",
        f"`examples/{own.as_posix()}`",
        "",
        shown,
        about,
        "",
        f"````{LANGUAGES[own.suffix]}",
        code,
        "````",
        "",
    ]
    return "\n".join(parts)


def write(folder: Path, root: Path, cache: Cache) -> int:
    """Writes the pages into a folder, and returns how many there are."""
    examples = root / "examples"
    gallery = (examples / "README.md").read_text(encoding="utf-8").partition("## Other folders")[0]
    told = dict(_ROW.findall(gallery))
    titles, thumbnails = {}, {}
    for path in sources(examples):
        own = path.relative_to(examples)
        page = folder / f"{page_name(own)}.md"
        page.parent.mkdir(parents=True, exist_ok=True)
        title, about = _titled(path, description_of(path), told.get(own.as_posix(), ""))
        picture = _picture(path, examples, folder / "pictures", cache)
        page.write_text(_page(own, title, about, picture, code_of(path)), encoding="utf-8")
        titles[own], thumbnails[own] = title, picture

    def row(own: Path) -> str:
        page, picture = f"{page_name(own)}.md", thumbnails[own]
        image = f"[![{own.stem}](pictures/{picture}){{.thumbnail}}]({page})" if picture else ""
        return f"| [{titles[own]}]({page})<br>`{own.as_posix()}` | {image} |"

    text = re.sub(
        r"^\|( program \|).*\n.*$", r"| program | picture |\n|---|---|", gallery, flags=re.MULTILINE
    )
    lines = [
        _COMMANDS.sub(
            lambda match: f"```sh\n{match[0].strip()}\n```\n",
            _ROW.sub(lambda match: row(Path(match[1])), text),
        )
    ]
    for shelf, (title, sentence) in OTHERS.items():
        rows = [row(own) for own in titles if own.parts[0] == shelf and own.suffix != ".hpp"]
        lines += [f"## {title}", "", sentence, "", "| program | picture |", "|---|---|", *rows, ""]
    first = [page_name(Path(name)) for name in told]
    rest = [page_name(own) for own in titles if page_name(own) not in first]
    short = {
        name: f"{Path(name).name.removesuffix('-cpp').removesuffix('-hpp')}{' (C++)' if name.endswith('pp') else ''}"
        for name in (*first, *rest)
    }
    lines += [
        "```{toctree}",
        ":hidden:",
        "",
        *(f"{text} <{name}>" for name, text in short.items()),
        "```",
        "",
    ]
    (folder / "index.md").write_text("\n".join(lines), encoding="utf-8")
    return len(titles)
