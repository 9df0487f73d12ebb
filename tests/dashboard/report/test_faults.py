"""What reports once got wrong: odd names, long words, results that come and go."""

import io
import json
import os
import re
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import docx
import numpy as np
import plotly.graph_objects as go
import pytest

import tripletscope as ts
from tests.processes import has_ended
from tripletscope.dashboard.printing.browser import ExportError
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
from tripletscope.dashboard.report.report import (
    Edited,
    ReportSettings,
    changes,
    document,
    merged,
    taken,
)
from tripletscope.dashboard.results import Drawing
from tripletscope.dashboard.views.report import gathering, writing
from tripletscope.dashboard.wording import ENGLISH


def drawn(name):
    return Drawing(name, "A map", f"See @fig-{name}.", "Points", 0.8, lambda canvas: go.Figure(),
                   lambda: None)


def of(*blocks, **given):
    """A report of one part."""
    fields = {"title": "T", "authors": "A", "made": "M", **given}
    return Document(**fields, words=ENGLISH, sections=(Section("data", "Data", blocks),))


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
    assert f"☐ Two ({ENGLISH('not ticked')})" in texts


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


def says(name, *blocks):
    return {name: Section(name, name, blocks)}


LIST = Listed(("One observer.", "Few answers."))


@pytest.mark.parametrize("edited", [
    {"text": 5, "instead": None}, {"text": "a", "instead": None}, {"text": 5, "instead": "a"},
])
def test_own_words_are_texts(edited):
    assert ReportSettings.from_dict({"edited": {"data": edited}}) == ReportSettings()


def test_changes_of_lists_tables_and_captions_are_told():
    before = {**says("limitations", LIST), **says("data", TABLE), **says("map", drawn("map")),
              **says("checklist", Listed(("Code",), (False,)))}
    report = taken(ReportSettings(), before)
    assert list(changes(report, before)) == []
    after = {
        **says("limitations", Listed(("One observer.",))),
        **says("data", replace(TABLE, rows=(("All", ""), ("Few", "4")))),
        **says("map", replace(drawn("map"), caption="Another.")),
        **says("checklist", Listed(("Code",), (True,))),
    }
    assert {c.part: (c.before, c.now) for c in changes(report, after)} == {
        "limitations": ("Few answers.", ""), "data": ("Few, 3", "Few, 4"),
        "map": ("See @fig-map.", "Another."), "checklist": ("☐ Code", "☑ Code"),
    }


def test_new_versions_of_libraries_and_another_order_are_no_change():
    before = {**says("software", Paragraph("NumPy 1.")), **says("data", Paragraph("One. Two."))}
    after = {**says("software", Paragraph("NumPy 2.")), **says("data", Paragraph("Two. One."))}
    assert list(changes(taken(ReportSettings(), before), after)) == []


def test_parts_that_come_and_go():
    report = taken(ReportSettings(), says("map", Paragraph("A map.")))
    new, gone = changes(report, says("data", Paragraph("Data.")))
    assert (new.part, new.before, new.now, new.gone) == ("data", "", "Data.", False)
    assert (gone.part, gone.before, gone.now, gone.gone) == ("map", "A map.", "", True)
    again = taken(report, says("data", Paragraph("Data.")))
    assert list(changes(again, says("data", Paragraph("Data.")))) == []


def test_changes_below_own_words_are_told_until_the_report_is_taken_away():
    after = says("map", Paragraph("Now."))
    report = ReportSettings().with_text("map", "Mine.", "Then.")
    (change,) = changes(report, after)
    assert (change.before, change.now, change.edited) == ("Then.", "Now.", True)
    report = taken(report, after)
    assert list(changes(report, after)) == []
    assert report.words_of("map") == Edited("Mine.", "Now.")
    assert list(changes(taken(report, {}), {})) == []


def test_words_of_paragraphs_are_not_said_of_a_list():
    report = ReportSettings().with_text("limitations", "There are none.", "No limits.")
    sections = says("limitations", LIST)
    assert document(report, sections, "x").sections[0].blocks == (LIST,)
    (change,) = changes(report, sections)
    assert change.edited
    assert change.unshown


def test_other_maps_do_not_undo_what_was_chosen():
    report = ReportSettings(results_left_out=("a",), results_added=("c",))
    # With another map open, "b" and "c" are what is usual.
    assert report.with_results(["b", "c"], ["b", "c"], ["b", "c"]) == report
    fewer = report.with_results(["b", "c"], ["b"], ["b", "c"])
    assert (fewer.results_left_out, fewer.results_added) == (("a", "c"), ())
    more = fewer.with_results(["b"], ["b", "a", "d"], ["b", "c"])
    assert (set(more.results_left_out), set(more.results_added)) == ({"c"}, {"a", "d"})


def test_two_tabs_keep_the_changes_of_each_other():
    seen = ReportSettings(title="T", left_out=("map", "data"), edited={"map": Edited("a", "b")})
    one = merged(seen, seen, replace(
        seen, title="One", left_out=("data", "groups"), edited={"data": Edited("c", "d")}
    ))
    both = merged(one, seen, replace(
        seen, authors="Two", left_out=("map",), taken={"map": "b"}
    ))
    assert both == ReportSettings(
        title="One", authors="Two", left_out=("groups",), taken={"map": "b"},
        edited={"data": Edited("c", "d")},
    )


# The page ------------------------------------------------------------------------------------


@pytest.fixture
def info(services):
    rng = np.random.default_rng(0)
    rows = np.array([rng.permutation(8)[:3] for _ in range(60)])
    return services.workspace.add_dataset(
        ts.Triplets.from_array(rows, 8), origin="a.csv", report=[]
    )


def kept(services, info):
    return ReportSettings.from_dict(services.workspace.dataset(info.id).extra["report"])


def test_note_is_taken_of_files_that_were_made_and_nothing_else_changes(
    services, info, monkeypatch
):
    sections = says("data", Paragraph("Data."))
    services.workspace.note(info.id, "report", ReportSettings("New").to_dict())
    took = partial(
        writing._keep, services.workspace, info.id, partial(taken, sections=sections)
    )
    notes = {}

    def fail(made):
        raise ExportError("No browser.")

    monkeypatch.setitem(writing._FILES, "pdf", ("PDF", "pdf", "", True, fail))
    with pytest.raises(ExportError):
        writing._file("pdf", of(), notes, took)
    assert list(notes.values()) == ["No browser."]
    assert kept(services, info).taken == {}
    assert writing._file("html", of(Paragraph("x")), notes, took).startswith(b"<!DOCTYPE")
    assert kept(services, info) == ReportSettings("New", taken={"data": "Data."})


def test_report_is_written_anew_when_what_it_tells_of_is_another(services, info, monkeypatch):
    keys = []
    monkeypatch.setattr(gathering, "_written", lambda key, *_: keys.append(key))
    monkeypatch.setattr(gathering, "number_cut", lambda session, key: None)
    workspace = services.workspace
    fitted = ts.run("fit", ts.STE(n_init=1), workspace.triplets(info))

    def write(info):
        gathering.sections_of(
            SimpleNamespace(info=info, session=None), [fitted.key]
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
