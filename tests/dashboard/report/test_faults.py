"""What reports once got wrong: odd names, long words, results that come and go."""

import io
import json
import os
import re
from dataclasses import replace
from types import SimpleNamespace

import docx
import numpy as np
import plotly.graph_objects as go
import pytest

import tripletscope as ts
from tests.processes import has_ended
from tripletscope.dashboard.print.browser import ExportError
from tripletscope.dashboard.report import gathering
from tripletscope.dashboard.report import html as web
from tripletscope.dashboard.report import latex as tex
from tripletscope.dashboard.report import pdf as printed
from tripletscope.dashboard.report.document import (
    Document,
    Listed,
    Paragraph,
    Section,
    TextTable,
)
from tripletscope.dashboard.report.docx import word
from tripletscope.dashboard.report.references import bibtex, csl_json, in_full, library
from tripletscope.dashboard.report.report import ReportSettings
from tripletscope.dashboard.results import Drawing
from tripletscope.dashboard.words import words
from tripletscope.pages.report import writing


def drawn(name):
    return Drawing(name, "A map", f"See @fig-{name}.", "Points", 0.8, lambda canvas: go.Figure(),
                   lambda: None)


def of(*blocks, **given):
    """A report of one part."""
    fields = {"title": "T", "authors": "A", "made": "M", **given}
    return Document(**fields, sections=(Section("data", "Data", blocks),))


TABLE = TextTable("flow", "What was left out", ("Step", "Removed"), (("All", ""), ("Few", "3")))


# Files ---------------------------------------------------------------------------------------


@pytest.fixture
def undrawn(monkeypatch):
    """Pictures of figures need no browser."""
    monkeypatch.setattr(tex, "picture", lambda drawing, form, width: b"%PDF")


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
    assert f"☐ Two ({words('not ticked')})" in texts


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
    monkeypatch.setattr(web, "picture", lambda drawing, form, width: b"<svg/>")
    monkeypatch.setattr(web, "can_render", lambda: True)
    made = of(drawn("map"), TABLE)
    policies = [re.search(r'Policy" content="(.*?)"', web.page(made, interactive=which))[1]
                for which in (False, True)]
    assert "script-src" not in policies[0]
    assert "script-src" in policies[1]
    assert all("base-uri 'none'; form-action 'none'" in one for one in policies)


@pytest.mark.skipif(os.name == "nt", reason="the script is one of a shell")
def test_a_browser_that_takes_too_long_ends_with_what_it_has_started(monkeypatch, tmp_path):
    script, started = tmp_path / "browser", tmp_path / "started"
    script.write_text(f"#!/bin/sh\nsleep 600 &\necho $! > {started}\nwait\n")
    script.chmod(0o755)
    monkeypatch.setattr(printed, "browser_path", lambda: str(script))
    monkeypatch.setattr(printed, "_PATIENCE", 2.0)
    with pytest.raises(ExportError, match="in time"):
        printed.pdf(of(Paragraph("x")))
    # On a machine that is very busy it has not started yet.
    if started.exists() and (number := started.read_text()):
        assert has_ended(int(number))


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


# What somebody sets --------------------------------------------------------------------------


def test_other_maps_do_not_undo_what_was_chosen():
    report = ReportSettings(results_left_out=("a",), results_added=("c",))
    # With another map open, "b" and "c" are what is usual.
    fewer = report.with_result("c", False, True)
    assert (fewer.results_left_out, fewer.results_added) == (("a", "c"), ())
    more = fewer.with_result("a", True, False).with_result("d", True, False)
    assert (more.results_left_out, more.results_added) == (("c",), ("a", "d"))
    again = more.with_result("c", True, True).with_result("d", False, False)
    assert (again.results_left_out, again.results_added) == ((), ("a",))


# The page ------------------------------------------------------------------------------------


@pytest.fixture
def info(services):
    rng = np.random.default_rng(0)
    rows = np.array([rng.permutation(8)[:3] for _ in range(60)])
    return services.workspace.add_dataset(
        ts.Triplets.from_array(rows, 8), origin="a.csv", report=[]
    )


def test_why_there_is_no_file_is_noted(monkeypatch):
    notes = {}

    def fail(made):
        raise ExportError("No browser.")

    monkeypatch.setitem(writing._FILES, "pdf", ("PDF", "pdf", "", True, fail))
    with pytest.raises(ExportError):
        writing._file("pdf", of(), notes)
    assert list(notes.values()) == ["No browser."]
    assert writing._file("html", of(Paragraph("x")), notes).startswith(b"<!DOCTYPE")


def test_report_is_written_anew_when_what_it_tells_of_is_another(services, info, monkeypatch):
    keys = []
    monkeypatch.setattr(gathering, "_written", lambda key, *_: keys.append(key))
    workspace = services.workspace
    fitted = ts.run("fit", ts.STE(n_init=1), workspace.triplets(info))

    def write(info):
        gathering.sections_of(
            SimpleNamespace(info=info, session=SimpleNamespace(drafts={}),
                            triplets=workspace.triplets(info)), [fitted.key]
        )

    for created in ("2026-01-01T00:00:00+00:00", "2026-01-02T00:00:00+00:00"):
        workspace.add_run(info, replace(fitted, created=created), "STE")
        write(info)
    write(replace(info, extra={"asked": "Which is nearer?"}))
    exclusion = {"rule": "manual", "parameters": {}, "participants": [], "answers": [0]}
    for reason in ("slow", "fast"):
        write(replace(info, exclusions=[{**exclusion, "reason": reason}]))
    write(replace(info, exclusions=[{**exclusion, "reason": "fast"}]))
    assert len(set(keys)) == len(keys) - 1
    assert all(keys)
