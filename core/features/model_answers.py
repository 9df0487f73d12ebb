"""Choices of a model, drawn from its features or distances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np
import pandas as pd

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.quadruples import Quadruples, as_answers
from tripletscope.core.data.triplets import Answers, Triplets
from tripletscope.core.engine.declared import Number, Seed
from tripletscope.core.engine.short_repr import short_repr
from tripletscope.core.engine.task import declared
from tripletscope.core.features.feature_model import FeatureModel
from tripletscope.core.features.spaces import FeatureSpace
from tripletscope.core.prompts.prompts import Questions
from tripletscope.core.reading.tasks import chosen_first

Temperature = Annotated[float | None, Number(
    0.0, 100.0, "Temperature", "Dissimilarities of what is shown, in standard deviations, are "
    "divided by it: 0 for a model that never errs.", automatic="As people answered",
)]


@short_repr
class ModelAnswers(NamedTuple):
    """Answers of a model.

    answers: The model as a participant, with the trial of each answer.
    temperature: Of the softmax; infinite where people's answers are unrelated to the model.
    left_out: Number of questions about objects without features.
    """

    answers: Answers
    temperature: float
    left_out: int


@declared
def answer_questions(
    space: FeatureSpace, questions: Sequence[Questions], about: Answers, *,
    temperature: Temperature = None, observer: str = "model", seed: Seed = 0,
) -> ModelAnswers:
    """Draw a model's answers to questions from its features, distances or similarities.

    Parameters
    ----------
    space : FeatureSpace
    questions : list of Questions
        From `tripletscope.people.questions_of` or
        `tripletscope.experiment.experiment_questions`. Questions about pairs are not mixed with
        others.
    about : Triplets or Quadruples
        Holds the objects, and the answers that the temperature is fitted to.
    observer : str
        Name of the model as a participant.

    Raises
    ------
    DataError
        If no question is about objects with features, or there are no answers to fit to.

    Notes
    -----
    The most similar pair is drawn by softmax of -d / temperature, with dissimilarities d, squared
    if they are Euclidean, among all three for an odd one out and those with the anchor for others;
    a ranking draws one after the other (Plackett and Luce). The default temperature has the
    highest likelihood.

    References
    ----------
    Mahner, F. P., et al. (2025). Nature Machine Intelligence, 7, 848-859 (arXiv:2406.19087).

    Examples
    --------
    >>> import numpy as np, tripletscope as ts
    >>> network = ts.features.FeatureSpace(name="network", values=[[0.0], [1.0], [5.0]])
    >>> about = ts.Triplets.from_array([[0, 1, 2]])
    >>> questions = [ts.people.Questions("odd", np.array([[0, 1, 2]]))]
    >>> ts.features.answer_questions(network, questions, about, temperature=0).answers.rows.tolist()
    [[0, 1, 2], [1, 0, 2]]
    """
    data = as_answers(about)
    (space,) = FeatureModel.of(space).spaces_about(data.n_objects)
    there = [one._replace(shown=one.shown[space.known[one.shown].all(axis=1)]) for one in questions]
    left_out = sum(len(one.shown) for one in questions) - sum(len(one.shown) for one in there)
    if not any(len(one.shown) for one in there):
        raise DataError(
            "no question is about objects with features", file=space.name,
            remedy="Complete the table, or ask about other objects.",
        )
    compared = [_compared(one) for one in there]
    differences = [space.apart(pairs.reshape(-1, 2)).reshape(pairs.shape[:2]) for pairs in compared]
    spread = float(np.std(np.concatenate([one.ravel() for one in differences]))) or 1.0
    if temperature is None:
        weight = FeatureModel.of(space).fit(data).weights_[0] * spread
        temperature = 1 / weight if weight > 0 else np.inf
    rng, rows, trials, n = np.random.default_rng(seed), [], [], 0
    for one, difference in zip(there, differences, strict=True):
        sign = -1.0 if one.kind == "central" else 1.0
        likely = -sign * difference / spread / (temperature or 1.0)
        noise = rng.gumbel(size=difference.shape)
        # Gumbel noise makes an order a draw by Plackett and Luce, and decides ties.
        order = np.lexsort((-noise, -(likely + noise * bool(temperature))))
        implied = _implied(one, order)
        rows.append(implied.reshape(-1, implied.shape[2]))
        trials.append(n + np.repeat(np.arange(len(implied)), implied.shape[1]))
        n += len(implied)
    answers = pd.DataFrame({"participant": observer, "trial": np.concatenate(trials)})
    kind = Quadruples if rows[0].shape[1] == 4 else Triplets
    result = kind(np.concatenate(rows), objects=data.objects, answers=answers, name=observer)
    return ModelAnswers(result, float(temperature), left_out)


def _compared(questions: Questions) -> np.ndarray:
    """(q, p, 2) pairs of objects among which each answer chooses."""
    shown = questions.shown
    if questions.kind == "nearer":
        first = np.broadcast_to(shown[:, :1], shown[:, 1:].shape)
        return np.stack([first, shown[:, 1:]], axis=2)
    return shown[:, [(0, 1), (2, 3)] if questions.kind == "pairs" else [(0, 1), (0, 2), (1, 2)]]


def _implied(questions: Questions, order: np.ndarray) -> np.ndarray:
    """(q, r, 3) triplets that answers imply, by pairs (q, p) in their order of choice."""
    shown, k = questions.shown, questions.n_chosen
    if questions.kind == "nearer":
        sorted_options = np.take_along_axis(shown[:, 1:], order, axis=1)
        ranked = np.column_stack([shown[:, 0], sorted_options])
        return ranked[:, list(chosen_first(order.shape[1], k, questions.in_order))]
    if questions.kind == "pairs":
        pairs = np.take_along_axis(_compared(questions), order[:, :, None], axis=1)
        return pairs.reshape(-1, 1, 4)
    # The object that is not in the chosen pair: odd, or central.
    one = np.take_along_axis(shown, 2 - order[:, :1], axis=1)[:, 0]
    a, b = shown[shown != one[:, None]].reshape(-1, 2).T
    first, second = ((a, b, one), (b, a, one)) if questions.kind == "odd" else (
        (a, one, b), (b, one, a))
    return np.stack([np.column_stack(first), np.column_stack(second)], axis=1)
