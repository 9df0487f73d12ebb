"""The site is built without a warning, is complete, and is read without anything from elsewhere."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import threading
from html.parser import HTMLParser
from importlib.metadata import distributions
from pathlib import Path

import pytest
import uvicorn
from playwright.sync_api import expect, sync_playwright
from starlette.applications import Starlette
from starlette.routing import Mount

from tests.browser import CHROMIUM, needs_browser
from tests.docs.documents import DOCS
from tests.paths import ROOT
from tests.ports import free_port
from tests.public import public_things
from tests.waiting import becomes
from tripletscope.dashboard.serve.guard import Guard
from tripletscope.dashboard.serve.server import Help
from tripletscope.dashboard.ui.guide import HELP
from tripletscope.dashboard.ui.page_table import PAGES

#: What the site is made of, beside what is installed; what is made while it is built is not.
SOURCES = ("core", "dashboard", "docs", "pages", "reproductions", "sample_data", "tripletscope")
MADE = {"_build", "gallery", "generated", "help", "__pycache__"}


def digest(root: Path = ROOT) -> str:
    """Of all that a site is made of, to the letter."""
    found = hashlib.sha256(repr(sorted(
        (one.name, one.version) for one in distributions())).encode())
    files = [path for name in SOURCES for path in (root / name).rglob("*")]
    for path in sorted([*files, *root.glob("*.*")]):
        place = path.relative_to(root)
        if path.is_file() and not MADE & {*place.parts}:
            content = path.read_bytes()
            found.update(f"{place} {len(content)} ".encode() + content)
    return found.hexdigest()[:16]


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """The site, built anew unless the very same sources gave one without a warning before."""
    kept = DOCS / "_build" / f"site-{digest()}"
    if kept.exists():
        return kept
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html",
         "-d", folder / "state", DOCS, folder / "help"],
        capture_output=True, text=True, cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    for before in kept.parent.glob("site-*"):
        shutil.rmtree(before, ignore_errors=True)
    half = kept.with_name(f"half-{os.getpid()}")  # of a run that ends meanwhile, nothing is kept
    shutil.copytree(folder / "help", half)
    half.replace(kept)
    return kept


def test_another_letter_makes_another_site(tmp_path):
    (tmp_path / "docs" / "_build").mkdir(parents=True)
    (tmp_path / "docs" / "index.md").write_text("a")
    before = digest(tmp_path)
    (tmp_path / "docs" / "_build" / "index.html").write_text("a")
    assert digest(tmp_path) == before
    for name in ("docs/index.md", "docs/b.md", "CONTRIBUTING.md"):
        (tmp_path / name).write_text("b")
        assert digest(tmp_path) != before
        before = digest(tmp_path)


class _Read(HTMLParser):
    """What a page loads, and its pictures without a description."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.undescribed: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        if tag == "img" and not (known.get("alt") or "").strip():
            self.undescribed.append(known["src"])
        wants = "href" if tag == "link" else "src"
        if known.get(wants) and tag in ("link", "script", "img", "iframe", "source"):
            self.loaded.append(known[wants])


def test_every_page_loads_what_is_there(site):
    pages = list(site.rglob("*.html"))
    assert len(pages) > 80
    for page in pages:
        read = _Read()
        read.feed(page.read_text())
        assert read.loaded
        assert read.undescribed == [], page
        for place in read.loaded:
            assert "//" not in place, f"{page} loads {place}"
            if not place.startswith("data:"):
                assert (page.parent / re.split("[?#]", place)[0]).exists(), f"{page}: {place}"


def test_every_public_name_has_a_page(site):
    for name in public_things():
        module = name.rpartition(".")[0]
        page = module or f"generated/tripletscope.{name}"
        if not (site / "reference" / f"{page}.html").exists():
            page = f"generated/tripletscope.{name}"
        assert f'id="tripletscope.{name}"' in (site / "reference" / f"{page}.html").read_text()


def test_formulas_need_no_script(site):
    text = (site / "reference" / "index.html").read_text()
    assert text.count("<math") > 3
    assert "<mfrac>" in text


def test_declared_parameters_are_in_the_reference(site):
    text = (site / "reference" / "generated" / "tripletscope.STE.html").read_text()
    assert "int, 1 to 50, default 2" in text
    assert "Strength of the Gaussian prior" in text
    assert "triplet_error_" in text, "attributes of the base class"


@pytest.mark.parametrize("page", [*PAGES])
def test_every_page_of_the_program_is_explained(site, page):
    assert (site / "pages" / f"{page}.html").exists()


def test_the_command_line_is_that_of_the_program(site):
    text = (site / "command_line.html").read_text()
    for option in ("--port", "--no-open", "--lab", "--prepare"):
        assert option in text


def test_what_is_in_the_readme_leads_to_the_site(site):
    linked = re.findall(r"\]\(docs/([\w/]+)\.md\)", (ROOT / "README.md").read_text())
    assert len(linked) > 8
    assert [name for name in linked if not (site / f"{name}.html").exists()] == []


# Read --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def served(site):
    """The address of the site as the program serves it."""
    port = free_port()
    app = Guard(Starlette(routes=[Mount(HELP, Help(site))]))
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    assert becomes(lambda: server.started)
    yield f"http://localhost:{port}{HELP}"
    server.should_exit = True
    thread.join()


@needs_browser
def test_it_is_read_and_searched_without_anything_from_elsewhere(served):
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 400, "height": 800})
        asked, refused = [], []
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda said: refused.append(said.text) if said.type == "error" else None)
        names = ["index", "first_map", "files", "glossary", "figures", "pages/data",
                 "reference/index", "reference/generated/tripletscope.STE"]
        for name in names:
            page.goto(f"{served}/{name}.html")
            expect(page.get_by_role("heading", level=1)).to_be_visible()
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
        page.goto(f"{served}/search.html?q=bootstrap")
        expect(page.get_by_role("link", name="bootstrap").first).to_be_visible()
        browser.close()
    elsewhere = [url for url in asked if not url.startswith((served, "data:"))]
    assert elsewhere == []
    assert refused == [], "the content security policy allows what the site needs"
