"""Questions are chosen by the answers that came in, beside a server that never waits for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.core.studies.experiment.made import experiment_of
from tests.dashboard.collect.serving import Page, serving
from tripletscope.dashboard.collect import answer_log
from tripletscope.dashboard.collect.adaptive import refill


@pytest.fixture
def folder(tmp_path) -> Path:
    experiment = experiment_of(
        7, source="uncertain", random_share=0.2, n_questions=20, repeated=0.0, catch=0.0,
        n_practice=0,
    )
    experiment.save(tmp_path)
    return tmp_path


def answer_all(port: int, person: str) -> None:
    page = Page(port, person)
    page.begin()
    page.answer_all()


def sources(folder: Path) -> dict[str, int]:
    return answer_log.state(folder).sources


def test_chosen_when_there_are_answers_and_again_when_there_are_more(folder):
    with serving(folder) as port:
        assert refill(folder) == 0, "there is nothing to choose by"
        answer_all(port, "first")
        assert sources(folder) == {"random": 4, "stand-in": 16}
        assert refill(folder) == 20
        assert answer_log.state(folder).n_queued == 100
        assert refill(folder, 20) == 20, "nothing is new, and many are left"
        answer_all(port, "second")
        assert sources(folder) == {"random": 8, "stand-in": 16, "uncertain": 16}
        assert refill(folder, 20) == 40
        assert answer_log.state(folder).n_queued == 100, "old ones are replaced"


def test_chosen_anew_when_a_participant_was_deleted(folder):
    with serving(folder) as port:
        answer_all(port, "first")
        answer_all(port, "second")
        known = refill(folder)
        assert known == 40
        answer_log.delete_person(folder, "second")
        assert refill(folder, known) == 20, "what the deleted answers chose is not asked"
        answer_log.delete_person(folder, "first")
        assert refill(folder, 20) == 0, "and new answers count from nothing"
