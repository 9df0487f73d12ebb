"""Texts that participants read, to be rewritten, each with how its Markdown comes out."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from html import escape
from typing import Any

import streamlit as st

from tripletscope.core.studies.experiment.experiment import STIMULI, TEXTS, Experiment
from tripletscope.dashboard.collect.texts import (
    care_said,
    of_task,
    page_texts,
    shipped_texts,
    texts_of_file,
)
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.ui.controls import pick, text
from tripletscope.dashboard.ui.elements import errors_shown

#: Texts by what they are called here; that of `TEXTS` that is missing is the experiment's title.
_TITLES = {
    "consent": "Consent", "instructions": "Instructions", "question": "Question",
    "practice": "Before practice", "right": "Practice: right", "wrong": "Practice: wrong",
    "break": "Break", "end": "End", "excluded": "Stopped", "closed": "Closed",
    "paused": "Paused", "elsewhere": "Open in another tab", "scale_low": "Rating: low end",
    "scale_high": "Rating: high end",
}


def ask_for_texts(
    current: Session, place: str, values: Mapping[str, Any], begin: Mapping[str, Any]
) -> tuple[dict[str, str], str, Any]:
    """Ask for one text at a time.

    Returns those that are not as in the language's own, the name of the one that is shown, and the
    place for it as participants read it.
    """
    language, task = values["language"], values["task"]
    by_task = shipped_texts(language)
    shipped = {name: of_task(words, task) for name, words in by_task.items()}
    shown = pick(
        current, f"{place}.text", "Text",
        {name: _TITLES[name] for name in TEXTS if name in _TITLES},
    )
    area = st.container()
    preview = st.container(border=True)
    base, mark = _of_file(place, task)
    if not base and begin.get("language", language) == language:
        base = begin.get("texts", {})
    texts = {name: words for name, words in base.items() if name not in _TITLES}
    for name, title in _TITLES.items():
        whose = f".{task}" if isinstance(by_task[name], dict) else ""
        key = f"{place}.text.{language}.{name}{whose}{mark}"
        initial = base.get(name, shipped[name])
        words = current.drafts.get(key, initial)
        if name == shown:
            with area:
                words = text(
                    current, key, title, initial,
                    height=200 if name in ("consent", "instructions") else 100,
                    help="Plain words." if name in ("question", "scale_low", "scale_high") else
                    "Markdown. Words in braces are filled in; a line --- begins another page of "
                    "the instructions.",
                )
        if words.strip():
            texts[name] = words
    changed = {name: words for name, words in texts.items() if words != shipped.get(name)}
    return changed, shown, preview


def _of_file(place: str, task: str) -> tuple[dict[str, str], str]:
    """Texts of another language, and what tells the file from others."""
    file = st.file_uploader(
        "Another language", key=f"{place}.texts.file", type=["json"],
        help="A translation of the file below, with all texts of participants’ pages.",
    )
    st.download_button(
        "English file", lambda: json.dumps(shipped_texts("en"), ensure_ascii=False, indent=1),
        "texts-en.json", "application/json", key=f"{place}.texts.english", on_click="ignore",
        icon=":material/translate:",
    )
    if file is not None:
        with errors_shown():
            return texts_of_file(file.getvalue(), file.name, task), f".{file.file_id}"
    return {}, ""


def text_as_html(experiment: Experiment, name: str, address: Callable[[str], str]) -> str:
    """A text as the participant's page shows it; its pictures are at the addresses."""
    texts = page_texts(experiment)
    pages = texts[name]
    html = "<hr>".join(pages) if isinstance(pages, list) else pages
    if name == "instructions":
        html += "".join(f"<p>{escape(one)}</p>" for one in care_said(experiment, texts))
    for file in experiment.files:
        html = html.replace(f'src="{STIMULI}/{file}"', f'src="{address(file)}" width="300"')
    return html
