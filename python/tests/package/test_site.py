# SPDX-License-Identifier: MIT
"""The site that script/docs builds: no warnings, no broken link, nothing from elsewhere; in a browser no error of the console,
and a search that finds classes, methods and words."""

import fcntl
import os
import re
import subprocess
import sys
from pathlib import Path

import browser
import pytest

ROOT = Path(__file__).parents[3]
BUILD = ROOT / "tools" / "docs" / "build.py"
TOOLS = ("sphinx", "furo", "myst_parser", "matplotlib")

pytestmark = pytest.mark.slow


def built(folder):
    """Builds the site in a folder. Pictures are those of script/docs if their code did not change."""
    command = [sys.executable, BUILD, folder, "--pictures", ROOT / "build" / "docs" / "pictures"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    return folder / "html"


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The folder of the built site: one for all processes of a run."""
    for tool in TOOLS:
        pytest.importorskip(tool)
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    with open(shared / "site.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (shared / "site" / "complete").exists():
            built(shared / "site")
            (shared / "site" / "complete").touch()
    return shared / "site" / "html"


@pytest.fixture(scope="module")
def chromium():
    if isinstance(missing := browser.find(), str):
        pytest.skip(f"{missing} is not installed")
    with browser.Browser() as one:
        yield one


@pytest.fixture(scope="module")
def links():
    sys.path.insert(0, str(BUILD.parent))
    import links

    sys.path.remove(str(BUILD.parent))
    return links


def address(site, page):
    return (site / f"{page}.html").as_uri()


def test_all_links_and_anchors_lead_somewhere(site, links):
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 150
    assert sum(len(links.read(page).links) for page in pages) > 10_000
    assert links.problems_of(site) == []


def test_broken_links_and_foreign_scripts_are_noticed(links, tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.html").write_text(
        '<p id="here"><a href="#here">x</a><a href="#there">x</a><a href="sub/b.html#c">x</a><a href="b.html">x</a>'
        '<a href="https://example.org/">x</a><script src="https://example.org/x.js"></script>'
    )
    (tmp_path / "sub" / "b.html").write_text('<a href="../a.html#here">x</a><img src="no.png">')
    assert links.problems_of(tmp_path) == [
        "a.html: #there has no such anchor",
        "a.html: sub/b.html#c has no such anchor",
        "a.html: b.html does not exist",
        "a.html loads https://example.org/x.js",
        "sub/b.html: no.png does not exist",
    ]


def test_every_page_of_docs_is_in_the_navigation(site):
    shown = (site / "index.html").read_text()
    for page in (ROOT / "docs").rglob("*.md"):
        name = page.relative_to(ROOT / "docs").with_suffix(".html").as_posix()
        assert (site / name).is_file()
        assert name == "index.html" or f'href="{name}"' in shown, name


def test_pictures_are_on_the_pages_of_the_blocks_that_make_them(site):
    for page in (ROOT / "docs").rglob("*.md"):
        html = (site / page.relative_to(ROOT / "docs").with_suffix(".html")).read_text()
        for name in re.findall(r"\]\((?:\.\./)*pictures/([\w.-]+)\)", page.read_text()):
            # Sphinx numbers pictures of the same name.
            stem, _, suffix = name.rpartition(".")
            (shown,) = set(re.findall(rf'src="((?:\.\./)*_images/{stem}\d*\.{suffix})"', html))
            assert (site / "_images" / Path(shown).name).stat().st_size > 500


def test_names_in_code_lead_to_the_reference_and_to_examples(site):
    assert re.search(r'href="reference/python/\w+\.html#quern\.Queue"', (site / "queues.html").read_text())
    assert 'href="examples/systems/pipeline.html"' in (site / "queues.html").read_text()


def test_a_link_to_nowhere_fails_the_build(site, tmp_path):
    """With the settings of the site, on two pages of its own."""
    for text, status in (
        ("# A\n\n[b](b.md)\n", 0),
        ("# A\n\n[b](b.md#no-such-heading)\n", 1),
        ("# A\n\n[b](c.md)\n", 1),
    ):
        source = tmp_path / "source"
        source.mkdir(exist_ok=True)
        (source / "index.md").write_text(text + "\n```{toctree}\nb\n```\n")
        (source / "b.md").write_text("# B\n\nText.\n")
        command = [
            "-m",
            "sphinx",
            "-b",
            "html",
            "-E",
            "-c",
            BUILD.parent,
            "-W",
            "-q",
            source,
            tmp_path / "html",
        ]
        done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False)
        assert (done.returncode != 0) == bool(status), done.stderr


PAGES = (
    "index",
    "tour-arrays",
    "queues",
    "performance",
    "reference/python/array",
    "reference/cpp/queue",
    "examples/index",
    "search",
)


@pytest.mark.parametrize("page", PAGES)
def test_pages_open_without_errors(site, chromium, page):
    chromium.open(address(site, page))
    assert chromium.run("return document.querySelector('h1, #search-results')")
    assert chromium.errors() == []
    broken = (
        "return [...document.images].filter(one => one.complete && !one.naturalWidth).map(one => one.src)"
    )
    assert chromium.run(broken) == []


@pytest.mark.parametrize(
    ("words", "target"),
    [
        ("ElementwiseKernel", "reference/python/generated-kernels.html#quern.ElementwiseKernel"),
        ("Queue.barrier", "reference/python/queues.html#quern.Queue.barrier"),
        ("out-of-order", "queues.html"),
        ("QueueScope", "reference/cpp/queue.html"),
    ],
)
def test_the_search_finds(site, chromium, words, target):
    chromium.open(address(site, "devices"))
    chromium.type(".sidebar-search", words + "\n")
    chromium.wait_for("return document.querySelector('#search-results .search li a')")
    found = "return [...document.querySelectorAll('#search-results .search li a')].map(one => one.href)"
    chromium.wait_for(
        "return document.querySelector('#search-results p.search-summary')?.textContent.includes('found')"
    )
    assert any(target in one for one in chromium.run(found)[:8]), chromium.run(found)
    assert chromium.errors() == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_follow_the_colours_of_the_system(site, chromium, scheme):
    chromium.devtools(
        "Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}]
    )
    chromium.open(address(site, "index"))
    colour = chromium.run("return getComputedStyle(document.body).backgroundColor")
    red, green, blue = (int(one) for one in re.findall(r"\d+", colour)[:3])
    assert (min(red, green, blue) > 200) == (scheme == "light"), colour
    shown = "return [...document.images].filter(one => getComputedStyle(one).display !== 'none').map(one => one.className)"
    assert not any(f"only-{'dark' if scheme == 'light' else 'light'}" in one for one in chromium.run(shown))


@pytest.mark.parametrize("page", PAGES)
def test_no_page_is_wider_than_a_phone(site, chromium, page):
    """Tables and code may scroll by themselves; the page does not."""
    chromium.devtools(
        "Emulation.setDeviceMetricsOverride", width=375, height=800, deviceScaleFactor=2, mobile=True
    )
    try:
        chromium.open(address(site, page))
        assert chromium.run("return document.documentElement.scrollWidth") <= 375
    finally:
        chromium.devtools("Emulation.clearDeviceMetricsOverride")
