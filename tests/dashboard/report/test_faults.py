"""What reports once got wrong: odd names, long words, results that come and go."""

import io
import json
import re
from dataclasses import replace

import docx
import plotly.graph_objects as go
import pytest

from tripletscope.dashboard.drawing import Drawing
from tripletscope.dashboard.report import html as web
from tripletscope.dashboard.report import latex as tex
from tripletscope.dashboard.report.document import (
    Document,
    Listed,
    Paragraph,
    Section,
    TextTable,
)
from tripletscope.dashboard.report.docx import word
from tripletscope.dashboard.report.references import bibtex, csl_json, in_full, library
from tripletscope.dashboard.wording import Words


def drawn(name):
    return Drawing(name, "A map", f"See @fig-{name}.", "Points", 0.8, lambda canvas: go.Figure(),
                   lambda: None)


def of(*blocks, language="en", **given):
    """A report of one part."""
    fields = {"title": "T", "authors": "A", "made": "M", **given}
    return Document(**fields, words=Words(language), sections=(Section("data", "Data", blocks),))


TABLE = TextTable("flow", "What was left out", ("Step", "Removed"), (("All", ""), ("Few", "3")))


# Files ---------------------------------------------------------------------------------------


@pytest.fixture
def undrawn(monkeypatch):
    """Pictures of figures need no browser."""
    monkeypatch.setattr(tex, "picture", lambda drawing, form: b"%PDF")


def test_names_of_figures_stay_in_their_folder_and_are_safe_in_latex(undrawn):
    names = ["../../x", "a b_%{}", "A-b", "a-b", "ähnlich"]
    files = tex.latex(of(*map(drawn, names), Paragraph("See @fig-a-b.")))
    figures = [name for name in files if name.startswith("figures/")]
    assert len(figures) == len(names)
    assert all(re.fullmatch(r"figures/[a-z0-9-]+\.pdf", name) for name in figures)
    text = files["text.tex"].decode()
    labels = re.findall(r"\\label\{(.*?)\}", text)
    assert len(set(labels)) == len(names)
    assert set(re.findall(r"\\ref\{(.*?)\}", text)) <= set(labels)
    assert set(re.findall(r"alt=\{Points\}\]\{(.*?)\}", text)) == {
        name.removeprefix("figures/").removesuffix(".pdf") for name in figures
    }


def test_latex_has_no_commands_of_babel_and_no_options_from_texts():
    document = of(Listed(("[x] say \"a\"",)), replace(TABLE, rows=(("*", "[1]"), ("[2]", "*"))))
    text = "".join(tex._block(document, block) for block in document.blocks())
    assert '"' not in text
    assert r"\textquotedbl{}a\textquotedbl{}" in text
    assert not re.search(r"(\\item|\\\\)\s*[\[*]", text)


def test_word_takes_long_names_and_characters_that_xml_has_no_place_for():
    odd = "a\x07b\x0bc"
    made = of(
        Paragraph(odd), Listed((odd,)), replace(TABLE, caption=odd, rows=((odd, odd),), note=odd),
        title=odd + "t" * 300, authors=odd + "x" * 300,
    )
    found = docx.Document(io.BytesIO(word(made)))
    assert found.core_properties.title == ("abc" + "t" * 300)[:255]
    assert found.core_properties.author == ("abc" + "x" * 300)[:255]
    assert "abc" + "x" * 300 in [p.text for p in found.paragraphs]
    assert not re.search(r"[\x07\x0b]", web.page(made) + found.element.xml)


def test_word_says_what_an_empty_box_means():
    listed = Listed(("One", "Two"), (True, False))
    texts = [p.text for p in docx.Document(io.BytesIO(word(of(listed)))).paragraphs]
    assert "☑ One" in texts
    assert f"☐ Two ({Words('en')('not ticked')})" in texts


def test_empty_cells_have_a_dash(undrawn):
    made = of(TABLE)
    assert '<td class="number">–</td>' in web.page(made)
    assert "All & -- " in tex.latex(made)["text.tex"].decode()
    (table,) = docx.Document(io.BytesIO(word(made))).tables
    assert table.cell(1, 1).text == "–"


def test_letters_of_authors_and_of_the_day_come_along(monkeypatch):
    asked = []
    monkeypatch.setattr(web, "face_for", lambda text: asked.append(text) or "")
    web.page(of(Paragraph("x"), authors="Łódź", made="ĦĦ"))
    assert {"Ł", "ź", "Ħ"} <= set(asked[0])


def test_only_pages_with_scripts_may_run_them(monkeypatch):
    monkeypatch.setattr(web, "picture", lambda drawing, form: b"<svg/>")
    monkeypatch.setattr(web, "can_render", lambda: True)
    made = of(drawn("map"), TABLE)
    policies = [re.search(r'Policy" content="(.*?)"', web.page(made, interactive=which))[1]
                for which in (False, True)]
    assert "script-src" not in policies[0]
    assert "script-src" in policies[1]
    assert all("base-uri 'none'; form-action 'none'" in one for one in policies)


def test_what_can_be_used_is_no_picture_and_tables_can_be_scrolled(monkeypatch):
    monkeypatch.setattr(web, "can_render", lambda: False)
    page = web.page(of(drawn("map"), TABLE))
    assert '<div role="group" aria-label="Points"></div>' in page
    assert ('id="tab-flow" tabindex="0" role="region" aria-label="Table 1. What was left out"'
            in page)


# References ----------------------------------------------------------------------------------


def test_authors_are_listed_as_the_style_has_it():
    texts = {name: "".join(piece for piece, _ in in_full(library()[name]))
             for name in ("harris2020", "virtanen2020", "pedregosa2011", "nili2014")}
    assert "Peterson, P., … Oliphant, T. E. (2020). Array" in texts["harris2020"]
    assert "Larson, E., … SciPy 1.0 Contributors. (2020)" in texts["virtanen2020"]
    assert "Perrot, M., & Duchesnay, E. (2011)" in texts["pedregosa2011"]
    assert "PLoS Computational Biology, 10(4), Article e1003553." in texts["nili2014"]
    assert "pages = {e1003553}" in bibtex(["nili2014"])
    listed = [author for one in json.loads(csl_json(library())) for author in one["author"]]
    assert {"literal": "others"} not in listed
