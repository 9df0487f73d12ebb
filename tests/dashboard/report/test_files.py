"""Reports as web pages, PDF, Word and LaTeX."""

import io
import json
import re
from html.parser import HTMLParser
from itertools import pairwise

import docx
import pytest

import tripletscope as ts
from tests.browser import needs_browser
from tests.dashboard.report.conftest import computed, material_of
from tripletscope.core.engine.method import methods
from tripletscope.dashboard.report import html as web
from tripletscope.dashboard.report.docx import word
from tripletscope.dashboard.report.latex import escaped, latex
from tripletscope.dashboard.report.pdf import pdf
from tripletscope.dashboard.report.references import (
    SOURCES,
    bibtex,
    cited,
    csl_json,
    in_full,
    library,
)
from tripletscope.dashboard.report.report import ReportSettings, document, written

pytestmark = needs_browser
#: Results with tables and figures of several kinds, but not all: each takes the browser a while.
_METHOD, _TREE = ts.TSTE(n_init=2), ts.AgglomerativeClustering(n_clusters=3)
_ASKED = [
    ("fit", _METHOD, {}), ("bootstrap", _METHOD, {"replicates": 20}),
    *(("cross_validate", ts.TSTE(n_components=d, n_init=2), {}) for d in (1, 2)),
    ("fit", _TREE, {}), ("stability", _TREE, {"replicates": 10}),
    ("fit", ts.dimensions.SPoSE(n_components=3, penalty=2.0), {}),
]


@pytest.fixture(scope="module")
def made(colours):
    material = material_of(colours, computed(colours, _ASKED))
    report = ReportSettings(authors="A. <B> & C", left_out=("design",))
    return document(report, written(material), material.name)


class Outline(HTMLParser):
    """Headings, pictures without words, and addresses of a page."""

    def __init__(self):
        super().__init__()
        self.headings, self.nameless, self.addresses, self.ids = [], [], [], set()

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if given.get("role") == "img" and not given.get("aria-label"):
            self.nameless.append(tag)
        self.addresses += [v for k, v in attributes if k in ("href", "src") and v]
        self.ids.add(given.get("id"))


@pytest.fixture(scope="module")
def page(made):
    return web.page(made, interactive=False)


def test_page_needs_nothing_else(page):
    outline = Outline()
    outline.feed(page)
    assert all(a.startswith(("#", "data:")) for a in outline.addresses)
    assert all(a[1:] in outline.ids for a in outline.addresses if a.startswith("#fig-")
               or a.startswith(("#tab-", "#ref-")))
    assert "<script" not in page
    assert "A. &lt;B&gt; &amp; C" in page


def test_headings_step_down_one_by_one_and_pictures_have_words(page):
    outline = Outline()
    outline.feed(page)
    assert outline.headings[0] == 1
    assert outline.headings.count(1) == 1
    assert all(b - a <= 1 for a, b in pairwise(outline.headings))
    assert outline.nameless == []


def test_figures_can_be_explored(made):
    page = web.page(made, interactive=True)
    assert page.count('<details class="explore">') == len(made.figures)
    content = re.findall(r'<script type="application/json">(.*?)</script>', page, re.DOTALL)
    assert all(json.loads(one)["data"] for one in content)


def test_without_a_browser_figures_are_drawn_by_that_of_the_reader(made, monkeypatch):
    monkeypatch.setattr(web, "can_render", lambda: False)
    page = web.page(made, interactive=False)
    assert page.count('<details class="explore" open>') == len(made.figures)


def test_pdf_is_for_screen_readers_too(made):
    content = pdf(made)
    assert content.startswith(b"%PDF")
    assert b"/StructTreeRoot" in content
    assert b"/Outlines" in content


def test_word_has_headings_captions_and_words_for_pictures(made):
    found = docx.Document(io.BytesIO(word(made)))
    styles = [p.style.name for p in found.paragraphs]
    assert styles[0] == "Title"
    assert {"Heading 1", "Heading 2", "Caption"} <= set(styles)
    drawings = found.element.findall(".//{*}docPr")
    assert len(drawings) == len(made.figures)
    assert all(d.get("descr") for d in drawings)
    assert len(found.tables) == len(made.tables)
    text = "\n".join(p.text for p in found.paragraphs)
    assert not re.search(r"@fig-|@tab-|\[@|\*\*", text)
    assert found.core_properties.author == "A. <B> & C"
    titles = [p.text for p in found.paragraphs if p.style.name == "Heading 2"]
    assert "Findings" not in titles, "the only section of a chapter has that chapter's heading"
    assert titles


def test_figures_are_as_wide_as_the_column_that_is_asked_for(made):
    """Every figure was 165 mm wide, and had to be made smaller by hand."""
    settings = ReportSettings(width=85.0)
    narrow = document(settings, {one.name: one for one in made.sections}, "A")
    shapes = docx.Document(io.BytesIO(word(narrow))).inline_shapes
    assert {round(shape.width.mm) for shape in shapes} == {85}
    assert "width=85mm" in latex(narrow)["figures.tex"].decode()
    assert ReportSettings.from_dict({"width": 12.0}).width == 165.0
    assert ReportSettings.from_dict(settings.to_dict()) == settings


def test_latex_is_whole(made):
    files = latex(made)
    text = files["text.tex"].decode()
    labels = set(re.findall(r"\\label\{([\w-]+)\}", text))
    assert set(re.findall(r"\\ref\{([\w-]+)\}", text)) <= labels
    assert {f"figures/{name}.pdf" for name in made.figures} <= files.keys()
    known = set(re.findall(r"@\w+\{(\w+),", files["references.bib"].decode()))
    used = {key for group in re.findall(r"\\citep\{([^}]+)\}", text) for key in group.split(",")}
    assert used == known == set(made.references)
    assert text.count("{") - text.count(r"\{") == text.count("}") - text.count(r"\}")


def test_latex_shows_everything_literally():
    assert escaped(r"50% of_a & {b} \c #1 $x$ ~^") == (
        r"50\% of\_a \& \{b\} \textbackslash{}c \#1 \$x\$ \textasciitilde{}\textasciicircum{}"
    )


def test_references_in_their_styles():
    one = library()["haghiri2017"]
    assert cited(one) == "Haghiri et al., 2017"
    assert cited(library()["davison1997"]) == "Davison & Hinkley, 1997"
    text = "".join(piece for piece, _ in in_full(library()["haghiri2020"]))
    assert text == (
        "Haghiri, S., Wichmann, F. A., & von Luxburg, U. (2020). Estimation of perceptual scales "
        "using ordinal embedding. Journal of Vision, 20(9), Article 14. "
        "https://doi.org/10.1167/jov.20.9.14"
    )
    assert json.loads(csl_json(["nili2014"]))[0]["DOI"] == "10.1371/journal.pcbi.1003553"
    assert "author = {Nadeau, C. and Bengio, Y.}" in bibtex(["nadeau2003"])


def test_every_method_has_its_source():
    kinds = ("embedding", "kernel", "cluster", "scale", "dimensions")
    named = {name for kind in kinds for name in methods(kind)}
    assert named <= SOURCES.keys()
    assert set(SOURCES.values()) <= library().keys()
