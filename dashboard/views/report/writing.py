"""The page: a report, its settings beside it, and its files."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from tripletscope.dashboard import export
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.keeping.services import services
from tripletscope.dashboard.keeping.workspace import Workspace
from tripletscope.dashboard.printing.browser import ExportError, can_render
from tripletscope.dashboard.report.document import Document, Section
from tripletscope.dashboard.report.docx import word
from tripletscope.dashboard.report.html import page
from tripletscope.dashboard.report.latex import latex
from tripletscope.dashboard.report.parts.parts import PARTS
from tripletscope.dashboard.report.pdf import pdf
from tripletscope.dashboard.report.references import bibtex, csl_json
from tripletscope.dashboard.report.report import (
    Change,
    ReportSettings,
    changes,
    document,
    merged,
    taken,
    text_of,
)
from tripletscope.dashboard.views.context import Context
from tripletscope.dashboard.views.page import tab
from tripletscope.dashboard.views.report.gathering import PAGE, chosen, offered, sections_of
from tripletscope.dashboard.views.report.showing import show

#: Where a session notes why there is no file.
_FAILED = f"{PAGE}.failed"
#: Letters of what has changed in a part; whole tables may be new.
_LONGEST = 600


def _references(draft: Document) -> bytes:
    return export.bundle({
        "references.bib": bibtex(draft.references).encode(),
        "references.json": csl_json(draft.references).encode(),
    })


#: Files: title, ending, media type, whether a browser on the server draws them, and how.
_FILES: dict[str, tuple[str, str, str, bool, Callable[[Document], bytes]]] = {
    "html": ("Web page", "html", "text/html", False, lambda draft: page(draft).encode()),
    "pdf": ("PDF", "pdf", "application/pdf", True, pdf),
    "docx": (
        "Word", "docx",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document", True, word,
    ),
    "latex": ("LaTeX", "zip", "application/zip", True, lambda draft: export.bundle(latex(draft))),
    "references": ("References", "zip", "application/zip", False, _references),
}


@tab(PAGE, "Report", 1, slot=None)
def show_report(context: Context) -> None:
    """The report, and what can be set."""
    report = ReportSettings.from_dict(context.info.extra.get(PAGE, {}))
    titles, usual = offered(context)
    picture, side = st.columns([3, 1], gap="large")
    with side:
        files = st.container()
        set_to = _results(context, _head(context, report), titles, usual)
    sections = sections_of(context, chosen(set_to, titles, usual))
    with side:
        set_to = _parts(context, set_to, sections)
    draft = document(set_to, sections, context.info.name)
    with files:
        _files(context, set_to, sections, draft)
    if set_to != report:
        _keep(services().workspace, context.info.id, partial(merged, before=report, after=set_to))
        st.rerun()
    with picture:
        _changes(set_to, sections)
        if not titles and not context.session.jobs():
            panels.empty(
                "There are no results to report yet",
                "So far the report covers only the answers. Compute a map, clusters or a scale to "
                "add them.",
            )
        show(draft)


def _keep(
    workspace: Workspace, dataset: str, change: Callable[[ReportSettings], ReportSettings]
) -> None:
    """Change the settings as they are by now, which another tab may have changed meanwhile."""
    info = workspace.dataset(dataset)
    if info is not None:
        stored = ReportSettings.from_dict(info.extra.get(PAGE, {}))
        workspace.note(dataset, PAGE, change(stored).to_dict())


def _key(context: Context, name: str, value: object) -> str:
    """Key of a widget whose value is kept with the data set."""
    return context.session.key_following(f"{PAGE}.{name}@{context.info.id}", value)


def _head(context: Context, report: ReportSettings) -> ReportSettings:
    title = st.text_input(
        "Title", report.title, key=_key(context, "title", report.title),
        placeholder=f"{context.info.name}: similarity judgements",
    )
    authors = st.text_input("Authors", report.authors, key=_key(context, "authors", report.authors))
    return replace(report, title=title.strip(), authors=authors.strip())


def _results(
    context: Context, report: ReportSettings, titles: dict[str, str], usual: list[str]
) -> ReportSettings:
    if not titles:
        return report
    before = chosen(report, titles, usual)
    now = st.multiselect(
        "Results", list(titles), before, format_func=titles.get,
        key=_key(context, "results", tuple(before)),
        help="Results in the report: usually the open map with its uncertainty, and the newest of "
        "all others.",
    )
    return report.with_results(before, now, usual)


def _parts(
    context: Context, report: ReportSettings, sections: Mapping[str, Section]
) -> ReportSettings:
    """Choose a part; show or hide it, move it, edit its words."""
    names = report.ordered(list(sections))
    with st.expander("Order and words"):
        place = f"{PAGE}.part@{context.info.id}"
        name = st.selectbox("Part", names, format_func=lambda n: sections[n].title, key=place)
        was_shown = name not in report.left_out
        shown = st.toggle("In the report", was_shown, key=_key(context, f"shown.{name}", was_shown))
        left_out = tuple(other for other in report.left_out if other != name)
        report = replace(report, left_out=left_out if shown else (*left_out, name))
        with st.container(horizontal=True):
            chapter = [other for other in names if PARTS[other].chapter == PARTS[name].chapter]
            for by, label, end in ((-1, "Up", chapter[0]), (1, "Down", chapter[-1])):
                if st.button(label, key=f"{place}.{label}", disabled=name == end,
                             icon=f":material/arrow_{label.lower()}ward:"):
                    report = report.moved(name, names, by)
        automatic, edited = text_of(sections[name]), report.words_of(name)
        if automatic:
            before = edited.text if edited else automatic
            text = st.text_area(
                "Words", before, height=260,
                key=_key(context, f"text.{name}", before),
                help="Your paragraphs replace the program's; leave the field empty to return to "
                "those. *emphasis*, **strong**, @fig-map for a figure, @tab-flow for a table, "
                "[@lohaus2019] for a reference.",
            )
            if text != before:
                report = report.with_text(name, text, automatic)
        elif edited:
            st.caption("This part has no paragraphs now, so your text is not in the report.")
            st.text(edited.text)
            if st.button("Remove your words", key=f"{place}.remove", icon=":material/delete:"):
                report = report.with_text(name, "", automatic)
    return report


def _files(
    context: Context, report: ReportSettings, sections: Mapping[str, Section], draft: Document
) -> None:
    can_draw = can_render()
    forms = [name for name, (*_, is_drawn, _) in _FILES.items() if can_draw or not is_drawn]
    form = st.selectbox("File", forms, format_func=lambda name: _FILES[name][0], key=f"{PAGE}.form")
    title, ending, media, *_ = _FILES[form]
    notes = context.session.drafts
    name = export.file_name(context.info.name, "report")
    # Files are made in a thread that belongs to nobody, and has no workspace of its own.
    took = partial(
        _keep, services().workspace, context.info.id, partial(taken, sections=sections)
    )
    st.download_button(
        f"Download: {title}", partial(_file, form, draft, notes, took), f"{name}.{ending}",
        media, key=f"{PAGE}.download", icon=":material/download:", type="primary",
        width="stretch", on_click="ignore",
    )
    if _FAILED in notes:
        st.error(notes.pop(_FAILED))
    if not can_draw:
        st.caption("PDF, Word and LaTeX need a Chrome or Chromium on the server for figures. Your "
                   "own browser can print the web page.")


def _file(form: str, draft: Document, notes: dict[str, Any], took: Callable[[], None]) -> bytes:
    """A file, of which note is taken once it is made.

    Nobody sees more of an error here than that there is no file: the page says why when it is
    shown next.
    """
    try:
        content = _FILES[form][-1](draft)
    except ExportError as error:
        notes[_FAILED] = str(error)
        raise
    took()
    return content


def _changes(report: ReportSettings, sections: Mapping[str, Section]) -> None:
    """Say what is not as it was when the report was taken away, or its words were written."""
    lines = [
        f"- **{panels.plain(change.title)}**: {_told(change)}"
        for change in changes(report, sections)
    ]
    if lines:
        since = "since you downloaded the report or edited its text"
        title = f"{len(lines)} of its parts changed {since}"
        if box := panels.folded(title, f"{PAGE}.changes", icon=":material/update:"):
            box.markdown("\n".join(lines))


def _told(change: Change) -> str:
    if change.gone:
        return "It is no longer in the report."
    before, now = (
        panels.plain(textwrap.shorten(text, _LONGEST, placeholder=" …"))
        for text in (change.before, change.now)
    )
    sentences = [f"It said: “{before}”" if before else "", f"Now: “{now}”" if now else ""]
    if change.unshown and change.edited:
        sentences.append("This part has no paragraphs any more, so your text is not shown.")
    elif change.edited:
        sentences.append("Your text there is unchanged.")
    return " ".join(filter(None, sentences))
