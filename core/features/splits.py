"""Training and held-out choices of a model of features, and how well it predicts the latter."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from tripletscope.core.data.choices import Choices
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.grouping import connected_objects
from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.parallel import CancelToken
from tripletscope.core.features.feature_model import FeatureModel
from tripletscope.core.features.models import MODELS, choices_about, log_likelihood, right
from tripletscope.core.features.spaces import FeatureSpace
from tripletscope.core.inference.held_out.score import n_groups, pair_folds, question_folds

#: Fewest objects of a fold; fewest training choices, and held-out choices.
FEWEST_OBJECTS, FEWEST_CHOICES = 4, 50
#: Held-out choices that repeated divisions of the objects aim at, and most repetitions.
_ENOUGH, _MOST_REPEATS = 1000, 5
#: Parts of a training part by which a penalty is chosen; one is enough from `_MANY` choices on.
_OBJECT_PARTS, _TRIAL_PARTS, _MANY = 3, 5, 20_000
#: Most divisions of the objects for that, and penalties in a row without improvement.
_TIMES, _WORSE = 3, 2


@dataclass(frozen=True, eq=False)
class Division:
    """Training and held-out choices.

    Objects (n,) that may be learned from and that are held out; or, where trials are divided, the
    fold (T,) of every answer, of which `number` is held out. Of one set of ratings it is the folds
    (T, 2) of both pairs: what compares pairs of two folds is neither learned from nor held out.
    """

    objects: np.ndarray
    held_out: np.ndarray
    fold: np.ndarray | None = None
    number: int = 0

    def learned(self, sets: Choices) -> np.ndarray:
        """(S,) bool: choices of the training part."""
        if self.fold is not None:
            return _all(self.fold[sets.answer] != self.number)
        return sets.among(self.objects)

    def predicted(self, sets: Choices) -> np.ndarray:
        """(S,) bool: held-out choices."""
        if self.fold is not None:
            return _all(self.fold[sets.answer] == self.number)
        return sets.among(self.held_out)


def _all(of_pairs: np.ndarray) -> np.ndarray:
    """(S,) of what is so for each choice, or for each of its pairs."""
    return of_pairs if of_pairs.ndim == 1 else of_pairs.all(axis=1)


def by_trials(
    answers: Answers, which: np.ndarray, usable: np.ndarray, folds: int, rng: np.random.Generator,
) -> list[Division]:
    """Questions and trials of the answers `which` in folds, at most `folds`."""
    part = answers.take(which)
    if part.is_one_rating:
        fold = np.full((len(answers), 2), -1)
        fold[which] = pair_folds(part, folds, rng)
    else:
        folds = max(min(folds, n_groups(part)), 2)
        fold = np.full(len(answers), -1)
        fold[which] = question_folds(part, folds, rng)
    return [Division(usable, usable, fold, number) for number in range(folds)]


def by_objects(
    usable: np.ndarray, folds: int, rng: np.random.Generator, company: np.ndarray | None = None,
) -> list[Division]:
    """Choices among objects of a fold, from those among all others; a `company` shares a fold."""
    fold = np.full(len(usable), -1)
    objects = np.flatnonzero(usable)
    if company is not None:
        together = np.unique(company[objects], return_inverse=True)[1]
        fold[objects] = (rng.permutation(together.max() + 1) % folds)[together]
    else:
        order = rng.permutation(objects)
        fold[order] = np.arange(len(order)) % folds
    return [Division(usable & (fold != k), fold == k) for k in range(folds)]


def repeats_for(n_choices: int, folds: int) -> int:
    """Divisions of the objects; three are in one fold with a probability of about 1 / folds²."""
    return int(np.clip(np.ceil(_ENOUGH * folds**2 / max(n_choices, 1)), 1, _MOST_REPEATS))


def too_few(
    sets: Choices, usable: np.ndarray, divisions: list[Division], folds: int
) -> dict[str, str | int]:
    """Why objects cannot be held out: a `code` and its numbers; empty where they can."""
    n = int(usable.sum())
    if n < FEWEST_OBJECTS * folds:
        return {"code": "few objects", "objects": n, "fewest": FEWEST_OBJECTS, "folds": folds}
    learned = min(int(part.learned(sets).sum()) for part in divisions)
    predicted = int(np.logical_or.reduce([part.predicted(sets) for part in divisions]).sum())
    if min(learned, predicted) < FEWEST_CHOICES:
        return {
            "code": "few choices", "predicted": predicted, "learned": learned,
            "fewest": FEWEST_CHOICES,
        }
    return {}


@dataclass(frozen=True, eq=False)
class ChoiceSets:
    """Choices as asked, and as answers between two pairs; the same object where those are equal.

    groups (T,): Of each answer, as `Answers.groups`.
    company (n,): Objects that are compared with each other, where none recurs; else None.
    """

    choices: Choices
    between_two: Choices
    groups: np.ndarray
    company: np.ndarray | None


@dataclass(frozen=True, eq=False)
class Prediction:
    """Predictions of held-out choices and answers between two, and the penalty's strength."""

    right: np.ndarray
    log_likelihood: np.ndarray
    right_of_two: np.ndarray
    strength: float


def predict(
    space: FeatureSpace, name: str, data: ChoiceSets, division: Division, components: int,
    seed: int, halt: CancelToken, strength: float | None = None,
) -> Prediction:
    """Learn one of `MODELS` from one part of the choices and predict another.

    Without a strength, the penalty is chosen by parts drawn with `seed`.
    """
    learned = data.choices.take(division.learned(data.choices))
    if strength is None:  # first, to free those models before the next one
        strength = _strength(space, name, learned, division, data, components, seed, halt)
    model = MODELS[name](space, np.flatnonzero(division.objects), components)
    result = next(model.path(learned, [strength]))
    choices = data.choices.take(division.predicted(data.choices))
    hit = right(choices, model.ranks(result, choices.distinct))
    of_two = hit
    if data.between_two is not data.choices:
        two = data.between_two.take(division.predicted(data.between_two))
        of_two = right(two, model.ranks(result, two.distinct))
    return Prediction(
        hit, log_likelihood(choices, model.log_odds(result, choices.distinct)), of_two, strength
    )


def fitted_to(
    space: FeatureSpace, name: str, data: ChoiceSets, division: Division, components: int,
    seed: int, halt: CancelToken,
) -> tuple[float, np.ndarray]:
    """Strength of the penalty, and dissimilarities (u,) of all different pairs as log-odds."""
    learned = data.choices.take(division.learned(data.choices))
    strength = _strength(space, name, learned, division, data, components, seed, halt)
    model = MODELS[name](space, np.flatnonzero(division.objects), components)
    return strength, model.log_odds(next(model.path(learned, [strength])), data.choices.distinct)


def _strength(
    space: FeatureSpace, name: str, sets: Choices, division: Division, data: ChoiceSets,
    components: int, seed: int, halt: CancelToken,
) -> float:
    """The penalty that predicts best within the training part, held out in the same way.

    Begins with the strongest, and keeps it where objects are too few to hold out: choices of other
    trials would not show that it is needed.
    """
    if len(MODELS[name].strengths) == 1:
        return MODELS[name].strengths[0]
    rng = np.random.default_rng(seed)
    if division.fold is None or division.fold.ndim > 1:
        parts = _object_parts(sets, division.objects, data.company, rng)
    else:
        parts = _trial_parts(sets, division.objects, data.groups, rng)
    strengths = MODELS[name].strengths
    models = []
    for part in parts:
        # Components of the same objects are the same, and large.
        again = bool(models) and part.objects is parts[0].objects
        models.append(models[0] if again else MODELS[name](
            space, np.flatnonzero(part.objects), components
        ))
    paths = [
        model.path(sets.take(part.learned(sets)), strengths)
        for model, part in zip(models, parts, strict=True)
    ]
    beyond = [sets.take(part.predicted(sets)) for part in parts]
    chosen, best, worse = strengths[0], -np.inf, 0
    for strength, *result in zip(strengths, *paths, strict=False):
        total = sum(
            float(log_likelihood(test, model.log_odds(one, test.distinct)) @ test.weight)
            for test, model, one in zip(beyond, models, result, strict=True)
        )
        worse = 0 if total > best else worse + 1
        if total > best:
            chosen, best = strength, total
        if worse == _WORSE or halt() or not parts:
            break
    return chosen


def _object_parts(
    sets: Choices, objects: np.ndarray, company: np.ndarray | None, rng: np.random.Generator
) -> list[Division]:
    """Objects in parts, one if none recurs; none if too few choices are among those of a part."""
    parts, predicted = [], 0
    while len(parts) < _OBJECT_PARTS * _TIMES and predicted < FEWEST_CHOICES // 2:
        parts += by_objects(objects, _OBJECT_PARTS, rng, company)
        predicted = sum(int(one.predicted(sets).sum()) for one in parts)
    parts = [one for one in parts if one.predicted(sets).any()]
    parts = parts if company is None else parts[:1]
    learned = min((int(one.learned(sets).sum()) for one in parts), default=0)
    return parts if min(predicted, learned) >= FEWEST_CHOICES // 2 else []


def _trial_parts(
    sets: Choices, objects: np.ndarray, groups: np.ndarray, rng: np.random.Generator
) -> list[Division]:
    group = np.unique(groups[sets.answer], return_inverse=True)[1]
    fold = np.full(len(groups), -1)
    fold[sets.answer] = (rng.permutation(int(group.max()) + 1) % _TRIAL_PARTS)[group]
    kept = 1 if len(sets) > _MANY else _TRIAL_PARTS
    parts = [Division(objects, objects, fold, k) for k in range(kept)]
    return [one for one in parts if one.learned(sets).any() and one.predicted(sets).any()]


def averaged(
    parts: Sequence[np.ndarray], divisions: Sequence[Division], sets: Choices
) -> np.ndarray:
    """(..., S) means over the divisions that held a choice out; NaN where none did.

    parts (..., t): Of the choices that each division held out.
    """
    times, sums = np.zeros(len(sets)), np.zeros((*parts[0].shape[:-1], len(sets)))
    for values, division in zip(parts, divisions, strict=True):
        where = division.predicted(sets)
        times[where] += 1
        sums[..., where] += values
    return np.where(times > 0, sums / np.maximum(times, 1), np.nan)


def prepared(
    spaces: FeatureModel | FeatureSpace | Iterable[FeatureSpace], answers: Answers
) -> tuple[list[FeatureSpace], np.ndarray, ChoiceSets]:
    """Feature spaces, objects (n,) with features in all of them, and the choices among these."""
    method = spaces if isinstance(spaces, FeatureModel) else FeatureModel.of(spaces)
    tables = method.spaces_about(answers.n_objects)
    has_features = np.logical_and.reduce([space.known for space in tables])
    between_two = choices_about(answers, has_features, as_asked=False)
    if len(between_two) < FEWEST_CHOICES:
        raise DataError(
            f"{len(between_two):,} answers are among the objects that have features in every "
            f"space; {FEWEST_CHOICES} are needed", file=answers.name,
            remedy="Complete the tables of features, leave out the one that lacks most objects, "
            "or collect more answers.",
        )
    choices = between_two if answers.choices.are_triplets else choices_about(answers, has_features)
    company = None if answers.objects_recur else connected_objects(answers.rows, answers.n_objects)
    return tables, has_features, ChoiceSets(choices, between_two, answers.groups, company)


def divisions_of(
    answers: Answers, has_features: np.ndarray, data: ChoiceSets, object_folds: int,
    folds: int, seed: int,
) -> tuple[dict[str, list[Division]], dict[str, str | int]]:
    """Divisions by scheme, "objects" and "trials", and why there are none of the former."""
    rng = np.random.default_rng(seed)
    seen = np.zeros(len(has_features), dtype=bool)
    seen[data.choices.pairs] = True
    times = repeats_for(len(data.choices), object_folds) if data.company is None else 1
    objects = [
        part for _ in range(times) for part in by_objects(seen, object_folds, rng, data.company)
    ]
    why = too_few(data.choices, seen, objects, object_folds)
    trials = by_trials(answers, data.between_two.answer, seen, folds, rng)
    return {"objects": [] if why else objects, "trials": trials}, why
