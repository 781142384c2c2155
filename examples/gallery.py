# SPDX-License-Identifier: MIT
"""Runs the programs of the gallery that write PNG pictures, and puts the pictures on one page.

python examples/gallery.py --output demo-output
"""

import argparse
import ast
import html
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
SHELVES = ("first_steps", "science", "images", "systems")
PAGE = """<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>Quern: a gallery</title>
<style>
  :root { color-scheme: light dark; }
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
  main { display: grid; grid-template-columns: repeat(auto-fill, minmax(20rem, 1fr)); gap: 1.5rem; }
  figure { margin: 0; } img { width: 100%; image-rendering: auto; border-radius: 4px; }
</style>
<h1>A gallery</h1><main>
"""


def programs():
    """The Python programs that have an option --output."""
    files = [path for shelf in SHELVES for path in sorted((HERE / shelf).glob("*.py"))]
    return [path for path in files if '"--output"' in path.read_text()]


def title(path):
    """The first line of the program's description."""
    return ast.get_docstring(ast.parse(path.read_text())).partition("\n")[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--output", type=Path, default=Path("demo-output"), help="folder of the pictures")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="programs by name, such as nbody")
    options = parser.parse_args()
    page = [PAGE]
    for path in programs():
        if options.only and path.stem not in options.only:
            continue
        start = time.perf_counter()
        picture = options.output / f"{path.stem}.png"
        subprocess.run([sys.executable, path, "--output", picture], check=True, stdout=subprocess.DEVNULL)
        print(f"{path.relative_to(HERE)!s:36}{time.perf_counter() - start:7.1f} s", flush=True)
        about = html.escape(title(path))
        page.append(
            f'<figure><img src="{picture.name}" alt="{about}"><figcaption>{path.stem}: {about}</figcaption></figure>\n'
        )
    (options.output / "index.html").write_text("".join([*page, "</main></html>\n"]))
    print(f"saved {options.output / 'index.html'}")


if __name__ == "__main__":
    main()
