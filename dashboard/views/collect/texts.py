"""Texts that participants read, to be rewritten, each with how its Markdown comes out."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from tripletscope.core.data.errors import DataError
from tripletscope.core.studies.experiment.experiment import STIMULI, TEXTS, Experiment
from tripletscope.dashboard.collecting.texts import (
    of_task,
    page_texts,
    shipped_texts,
    texts_of_file,
)
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import pick, text
from tripletscope.dashboard.state import Session

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

    Returns: texts: Those that are not as in the language's own; name: The one that is shown;
        preview: Where it is shown as participants read it.
    """
    language, task = values["language"], values["task"]
    by_task = shipped_texts(language)
    shipped = {name: of_task(words, task) for name, words in by_task.items()}
    base = begin.get("texts", {}) if begin.get("language", language) == language else {}
    name = pick(
        current, f"{place}.text", "Text",
        {name: _TITLES[name] for name in TEXTS if name in _TITLES},
    )
    area = st.container()
    preview = st.container(border=True)
    given, mark = _of_file(place, task)
    base = given or base

    def key(name: str) -> str:
        whose = f".{task}" if isinstance(by_task[name], dict) else ""
        return f"{place}.text.{language}.{name}{whose}{mark}"

    own = {one: words for one, words in base.items() if one not in _TITLES}
    for one in _TITLES:
        begins = base.get(one, shipped[one])
        now = current.drafts.get(key(one), begins)
        if one == name:
            with area:
                now = text(
                    current, key(one), _TITLES[one], begins,
                    height=200 if one in ("consent", "instructions") else 100,
                    help="Plain words." if one in ("question", "scale_low", "scale_high") else
                    "Markdown. Words in braces are filled in; a line --- begins another page of "
                    "the instructions.",
                )
        if now.strip() and now != shipped[one]:
            own[one] = now
    changed = {one: words for one, words in own.items() if words != shipped.get(one)}
    return changed, name, preview


def _of_file(place: str, task: str) -> tuple[dict[str, str], str]:
    """Texts of another language, and what tells the file from others."""
    file = st.file_uploader(
        "Another language", key=f"{place}.texts.file", type=["json"],
        help="A translation of the file below, with all texts of participants’ pages.",
    )
    st.download_button(
        "English file", lambda: json.dumps(
            shipped_texts("en"), ensure_ascii=False, indent=1
        ).encode(), "texts-en.json", "application/json", key=f"{place}.texts.english",
        on_click="ignore", icon=":material/translate:",
    )
    if file is None:
        return {}, ""
    try:
        return texts_of_file(file.getvalue(), file.name, task), f".{file.file_id}"
    except DataError as error:
        st.error(panels.plain(str(error)), icon=":material/error:")
        return {}, ""


def text_as_html(experiment: Experiment, name: str, address: Callable[[str], str]) -> str:
    """A text as the participant's page shows it; its pictures are at the addresses."""
    made = page_texts(experiment)[name]
    whole = "<hr>".join(made) if isinstance(made, list) else made
    for file in experiment.files:
        whole = whole.replace(f'src="{STIMULI}/{file}"', f'src="{address(file)}" width="300"')
    return whole
