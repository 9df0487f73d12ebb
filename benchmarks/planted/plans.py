"""Analyses as planned: how often a question's criterion is met where there is nothing to find."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import pandas as pd

import tripletscope as ts
from planted import Case
from tripletscope.core.data.triplets import Triplets, numbered_objects
from tripletscope.core.engine.method import make_method
from tripletscope.core.models.simulation.simulate import personal_maps
from tripletscope.core.studies.preregistration.analysis_plan import PlannedStep
from tripletscope.core.studies.preregistration.planned_questions import QUESTIONS

PEOPLE, EACH, OBJECTS = 24, 80, 16


def cases() -> Iterator[Case]:
    def case(question: str, role: str, data: str, neighbour: str = "", **people: float) -> Case:
        return Case(
            place="Data, Plan", words=f"criterion met: {question}", data=data, role=role,
            says=partial(_met, question, people), neighbour=neighbour,
        )

    yield case("groups", "null", "24 people who are alike")
    yield case("groups", "neighbour", "24 people, each a little different", "other maps", apart=0.3)
    yield case("groups", "neighbour", "24 people, of whom 4 guess", "people who guess", guess=4)
    yield case("groups", "planted", "two groups of 12 with different maps", groups=2)
    yield case("conditions", "null", "24 people who are alike, under two conditions")
    yield case("directions", "null", "a random column of the objects")
    yield case("clusters", "null", "a normal cloud of objects")
    for k, words in enumerate(("groups", "conditions")):
        for data, neighbour, people in (
            ("24 people who are alike", "", {}),
            ("24 people, each a little different", "other maps", {"apart": 0.3}),
            ("24 people, of whom 4 guess", "people who guess", {"guess": 4}),
        ):
            yield Case(
                place="Compare, Multiverse", words=f"{words} in most analyses", data=data,
                role="neighbour" if neighbour else "null", neighbour=neighbour,
                says=partial(_stands, k, people),
            )
    yield Case(
        place="Compare, Multiverse", words="groups in most analyses", role="planted",
        data="two groups of 12 with different maps", says=partial(_stands, 0, {"groups": 2}),
    )


def _stands(k: int, people: dict[str, float], seed: int) -> bool:
    """Whether groups, or conditions, stand in most analyses in two and three dimensions."""
    found = ts.experiment.multiverse(
        ts.STE(n_init=1), _answered(seed, **people), methods=["ste"], fewest=2, most=3,
        clusters=False, groups=k == 0, conditions=["condition"] if k else None, folds=2,
        replicates=10, seed=seed,
    )
    return found.differ[found.told[:, 0], 0].mean() > 0.5


def _met(question: str, people: dict[str, float], seed: int) -> bool:
    """Whether a criterion is met, after planned exclusions and the planned choice of dimensions."""
    answers = _answered(seed, **people)
    columns = {"conditions": ["condition"], "directions": ["random"]}.get(question, [])
    plan = ts.experiment.AnalysisPlan(
        title="Null", n_objects=OBJECTS, n_participants=PEOPLE, n_answers=len(answers),
        exclusions=[ts.Exclusion("inconsistent"), ts.Exclusion("few_answers", {"least": EACH})],
        method=ts.STE(n_init=1), questions={question: columns},
    )
    cleaning = ts.Cleaning(answers)
    for rule in plan.exclusions:
        cleaning = cleaning.excluding(rule)
    left = cleaning.triplets
    errors = {d: _run(step, left).result() for d, step in plan.compared.items()}
    steps = plan.steps_in(plan.chosen(errors, left))
    (test,) = [step for step in steps if step.question == question]
    return bool(QUESTIONS[question].is_met(_run(test, left).result()))


def _run(step: PlannedStep, answers: Triplets) -> ts.Run:
    return ts.run(step.task, make_method(step.method), answers, step.options)


def _answered(seed: int, *, apart: float = 0.0, guess: int = 0, groups: int = 1) -> Triplets:
    """Answers of people to random questions, a tenth of which are asked again."""
    rng = np.random.default_rng([seed, 68])
    maps = 1.3 * rng.normal(size=(groups, OBJECTS, 2))
    rows = []
    for person in range(PEOPLE):
        own = maps[person % groups]
        own = personal_maps(own, 1, apart, rng)[0] if apart else own
        asked = np.array([rng.choice(OBJECTS, 3, replace=False) for _ in range(EACH)])
        asked[-EACH // 10 :] = asked[: EACH // 10]
        near, far = (np.sum((own[asked[:, 0]] - own[asked[:, k]]) ** 2, axis=1) for k in (1, 2))
        share = 0.5 if person < guess else 1 / (1 + np.exp(near - far))
        turned = rng.random(EACH) > share
        asked[turned] = asked[turned][:, [0, 2, 1]]
        rows.append(asked)
    who = np.arange(PEOPLE).repeat(EACH)
    facts = pd.DataFrame({"participant": [f"p{k}" for k in who],
                          "condition": np.where(rng.permutation(PEOPLE)[who] % 2, "a", "b")})
    objects = numbered_objects(OBJECTS).assign(random=rng.normal(size=OBJECTS))
    return Triplets(np.concatenate(rows), objects, facts, "Planned")
