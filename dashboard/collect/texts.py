"""What the participant's page shows: texts of a language or the experiment's own, as safe HTML."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt

from tripletscope.core.data.errors import DataError
from tripletscope.core.studies.experiment.experiment import TEXTS, WORDS, Experiment
from tripletscope.core.studies.experiment.lists import person_list
from tripletscope.core.studies.experiment.question import ASKINGS

#: The page, its scripts and its style.
CLIENT = Path(__file__).parent / "client"
#: Texts of more than a line, in Markdown; the others are words on buttons.
PAGES = (
    "consent", "instructions", "practice", "practised", "right", "wrong", "break", "end",
    "excluded", "unanswered", "closed", "paused", "full", "elsewhere", "other_browser", "wrong_id",
    "declined", "desktop_only", "no_connection", "saving", "not_loaded", "wrong_address",
    "still_there",
)


@cache
def shipped_texts(language: str) -> dict[str, Any]:
    """Every text of a language by its name; some by task (`of_task`)."""
    path = CLIENT / "texts" / f"{language}.json"
    return json.loads(path.read_text(encoding="utf-8"))


def of_task(text: str | dict[str, str], task: str) -> str:
    """A text for a task: its own, or that of all questions or of all tables."""
    if isinstance(text, str):
        return text
    return text.get(task) or text["tables" if ASKINGS[task].is_table else "questions"]


def texts_of_file(data: bytes, name: str, task: str) -> dict[str, str]:
    """Texts for `Experiment.texts` from JSON like that of the languages we ship."""
    remedy = "Copy the English file, and translate the texts behind the colons."
    try:
        texts = {word: of_task(text, task) for word, text in json.loads(data).items()}
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DataError(f"this is not a file of texts: {error}", file=name, remedy=remedy) from None
    for word, text in texts.items():
        if word not in (*TEXTS, *WORDS) or not isinstance(text, str):
            raise DataError(f"there is no text {word!r}", file=name, remedy=remedy)
        if any("\ud800" <= letter <= "\udfff" for letter in text):
            raise DataError(f"the text {word!r} has half a character", file=name,
                            remedy="Write it again in UTF-8.")
    return texts


def _asked(experiment: Experiment) -> tuple[int, bool]:
    """Questions of the first participant, and whether practice tells right from wrong."""
    try:
        asked = person_list(experiment, 0).questions
    except DataError:  # a draft
        return experiment.n_questions, False
    return len(asked), any(one and one.kind == "practice" and one.correct for one in asked)


@cache
def _markdown() -> MarkdownIt:
    markdown = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])

    def opened(self: Any, tokens: Any, place: int, options: Any, env: Any) -> str:
        # A link that replaced the page would look like the end of the experiment.
        tokens[place].attrSet("target", "_blank")
        tokens[place].attrSet("rel", "noopener noreferrer")
        return self.renderToken(tokens, place, options, env)

    markdown.add_render_rule("link_open", opened)
    return markdown


def rendered(markdown: str) -> str:
    """Markdown as HTML in which nothing runs: tags appear as text."""
    return _markdown().render(markdown)


def page_texts(experiment: Experiment) -> dict[str, Any]:
    """HTML of `PAGES` (a list for `instructions`), and plain text of the others."""
    texts: dict[str, Any] = {
        name: of_task(text, experiment.task)
        for name, text in shipped_texts(experiment.language).items()
    }
    texts |= {"title": experiment.title, **experiment.texts}
    number, tells = _asked(experiment)
    places = {
        "n_questions": f"{number:,}" if experiment.language == "en" else str(number),
        "n_chosen": str(experiment.n_chosen), "title": experiment.title,
        **{name: texts[name] if tells else "" for name in ("feedback", "no_feedback")},
    }
    for name in ("question", "how", *PAGES):  # the first two are places in those that follow
        for place, words in places.items():
            texts[name] = texts[name].replace(f"{{{place}}}", words)
        if name in ("question", "how"):
            places[name] = texts[name]
    # A line of dashes begins a page; without the empty line before, it would make a heading.
    pages = texts["instructions"].replace("\r\n", "\n").split("\n\n---\n")
    for name in PAGES:
        texts[name] = rendered(texts[name])
    texts["instructions"] = [rendered(page) for page in pages]
    return texts


def care_said(experiment: Experiment, texts: dict[str, Any]) -> list[str]:
    """Beside the instructions, that questions may be skipped or have a time limit.

    As client/experiment.js says it, also beside an experiment's own texts.
    """
    limit = experiment.time_limit
    return [
        *[texts["how_skip"].replace("{skip}", texts["skip"])] * experiment.skip,
        *[texts["how_limit"].replace("{seconds}", str(limit))] * (limit is not None),
        *[texts["how_unanswered"]] * bool(experiment.unanswered),
    ]


def page_data(experiment: Experiment, log: str) -> dict[str, Any]:
    """What a participant's browser receives of an experiment: nothing that gives answers away.

    log: Name of the log; browsers keep nothing for another log at the same address.
    """
    texts = page_texts(experiment)
    return {
        "log": log,
        "title": experiment.title,
        "objects": [
            {"id": one.id, "medium": one.medium, "content": one.content, "label": one.label}
            for one in experiment.objects
        ],
        "texts": texts,
        "task": experiment.task,
        "asking": {**vars(ASKINGS[experiment.task]), "levels": experiment.levels},
        "n_chosen": experiment.n_chosen,
        "size": experiment.size,
        "labels": experiment.labels,
        "least_ms": experiment.least_ms,
        "skip": experiment.skip,
        "time_limit": experiment.time_limit,
        "desktop_only": experiment.desktop_only,
        "break_every": experiment.break_every,
        "background": experiment.background,
        "language": texts["language"],
        "parameters": list(experiment.parameters),
        "n_before": len(experiment.before) + experiment.n_practice,
    }
