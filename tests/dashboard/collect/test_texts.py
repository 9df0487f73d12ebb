"""Texts of participants: every language says everything, and nothing in them runs."""

from __future__ import annotations

import html
import json
import re
from dataclasses import replace

import pytest

from tests.dashboard.collect.participants import colours
from tripletscope.core.data.errors import DataError
from tripletscope.core.studies.experiment.experiment import TEXTS, WORDS, Experiment
from tripletscope.core.studies.experiment.lists import person_list
from tripletscope.core.studies.experiment.question import ASKINGS
from tripletscope.dashboard.collect.texts import (
    CLIENT,
    PAGES,
    page_data,
    page_texts,
    rendered,
    shipped_texts,
    texts_of_file,
)

LANGUAGES = sorted(path.stem for path in (CLIENT / "texts").iterdir())


def test_every_language_of_an_experiment_is_there():
    made = [Experiment(title="T", objects=colours(), language=one) for one in LANGUAGES]
    assert LANGUAGES == ["de", "en", "es", "fr"]
    assert [page_data(one, "a log")["language"] for one in made] == LANGUAGES


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_says_everything(language):
    texts = shipped_texts(language)
    assert {*texts} == {*TEXTS, *WORDS} - {"title"}
    for name in ("question", "how"):
        assert {*texts[name]} == {*ASKINGS}
    english = json.dumps([shipped_texts("en")[name] for name in sorted(texts)])
    own = json.dumps([texts[name] for name in sorted(texts)])
    assert sorted(re.findall(r"{\w+}", own)) == sorted(re.findall(r"{\w+}", english))


#: Places in texts that the page fills in.
BY_THE_PAGE = {
    "break": ("done", "all"), "progress": ("done", "all"), "option": ("n",), "pile": ("n",),
    "number_range": ("low", "high"), "out_of_range": ("low", "high"), "understood": ("number",),
    "too_long": ("n",), "left_open": ("n",), "how_skip": ("skip",), "how_limit": ("seconds",),
    "seconds_left": ("n",),
}


@pytest.mark.parametrize("task", ASKINGS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_pages_are_filled_in(language, task):
    experiment = Experiment(title="T", objects=colours(), task=task, language=language)
    texts = page_texts(experiment)
    left = {name for name in texts for place in re.findall(r"{(\w+)}", str(texts[name]))
            if place not in BY_THE_PAGE.get(name, ())}
    assert not left
    assert len(texts["instructions"]) == 2
    assert shipped_texts(language)["question"][task].split("{")[0] in texts["instructions"][0]


@pytest.mark.parametrize("language", LANGUAGES)
def test_texts_say_what_is_set(language):
    plain = Experiment(title="T", objects=colours(), language=language, n_questions=14)
    gold = replace(plain, gold_share=0.0, gold=(
        {"shown": ["c0", "c1", "c7"], "correct": [0], "kind": "gold"},))
    words = shipped_texts(language)
    for experiment, tells in ((plain, False), (gold, True)):
        texts = page_texts(experiment)
        assert (words["feedback"] in html.unescape(texts["practice"])) == tells
        assert (words["no_feedback"] in html.unescape(texts["practised"])) == tells
        (number,) = re.findall(r"\b\d+\b", texts["instructions"][1])
        assert int(number) == len(person_list(experiment, 0).questions) > 14


def test_what_the_page_asks_for_is_there():
    asked = set()
    for path in CLIENT.glob("*.js"):
        asked |= set(re.findall(r"texts\.([a-z_]+)", path.read_text()))
    assert asked - {"instructions"} <= {*TEXTS, *WORDS}
    assert asked > {"agree", "consent", "question"}


def test_nothing_in_a_text_runs():
    made = rendered(
        "<script>x()</script> <img src=x onerror=x()> [a](javascript:x()) [b](data:text/html,x) "
        "[c](https://d.invalid)\n\n<iframe src=x></iframe>"
    )
    assert not re.search(r"<(script|img|iframe)|href=\"(javascript|data)", made)
    assert '<a href="https://d.invalid" target="_blank" rel="noopener noreferrer">' in made
    experiment = Experiment(title="<b>", objects=colours(), texts={
        name: "<script>x()</script> {title}" for name in PAGES if name in (*TEXTS, *WORDS)})
    texts = page_texts(experiment)
    assert not [name for name in PAGES if "<script" in str(texts[name])]
    assert "&lt;b&gt;" in texts["end"]


def test_another_language_comes_as_a_file():
    texts = shipped_texts("en") | {"language": "fr", "agree": "D'accord"}
    given = texts_of_file(json.dumps(texts).encode(), "fr.json", "pairs")
    experiment = Experiment(title="T", objects=colours(), task="pairs", texts=given)
    page = page_data(experiment, "a log")
    assert page["language"] == "fr"
    assert page["texts"]["agree"] == "D'accord"
    assert page["texts"]["question"] == texts["question"]["pairs"]
    for wrong in (b"[]", b"{", b'{"agree": 3}', b'{"unknown": "x"}', rb'{"agree": "\ud800"}'):
        with pytest.raises(DataError, match=r"fr\.json"):
            texts_of_file(wrong, "fr.json", "pairs")
