"""Questions as prompts for a language or vision model.

Nothing is sent from here: the prompts are a file of JSON lines, which any program that talks to a
model can go through; the replies come back as such a file.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.places import run_starts
from tripletscope.core.data.quadruples import Quadruples, as_answers
from tripletscope.core.data.triplets import Answers, Triplets
from tripletscope.core.engine.declared import with_random_state
from tripletscope.core.engine.short_repr import short_repr
from tripletscope.core.reading.languages import WORDS

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

#: Wordings of questions, by language and kind.
WORDINGS: dict[str, dict[str, str]] = WORDS["prompts"]
#: Codes of the kinds in the ids of prompts.
CODES = {"nearer": "n", "odd": "o", "central": "c"}


@short_repr
class Questions(NamedTuple):
    """Questions of one kind, for people or for a model.

    Attributes
    ----------
    kind : {"nearer", "odd", "central", "pairs"}
        Which is most similar to the anchor; which of three does not belong; which lies between the
        two others; which pair is more similar.
    shown : ndarray of int, shape (q, s)
        Positions of the objects, an anchor first.
    n_chosen : int
        Options that an answer names.
    in_order : bool
        Whether it ranks them.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.Triplets.from_array([[0, 1, 2]], ids=["cup", "mug", "fork"])
    >>> [(one.kind, one.shown.tolist()) for one in ts.people.questions_of(answers)]
    [('nearer', [[0, 1, 2]])]
    """

    kind: str
    shown: np.ndarray
    n_chosen: int = 1
    in_order: bool = True


@with_random_state
def write_prompts(
    triplets: Answers, *, questions: Sequence[Questions] | None = None, most: int = 1000,
    language: str = "en", seed: int = 0,
) -> bytes:
    """Questions as prompts for a model, one JSON object a line.

    Parameters
    ----------
    triplets : Triplets
        With the objects.
    questions : list of Questions, optional
        By default those that people answered. Each is asked in every order of two options, and of
        more in as many orders as options, so that each has every position: models prefer
        positions. Questions whose answers name several options are left out.
    most : int
        Of more distinct questions, this many are drawn at random.
    language : {"en", "de"}
    seed : int

    Returns
    -------
    bytes
        JSON lines: ``id`` of the question for `read_replies`; ``messages``, one of the role
        ``user``, as for chat models; ``objects``, ids of the objects, the anchor first; and
        ``images``, names of their pictures, if there are any.

    Raises
    ------
    DataError
        If no question suits a prompt: rankings, choices of several, and comparisons of pairs are
        left out.
    ValueError
        For an unknown language, or fewer than one question.

    Examples
    --------
    >>> import json
    >>> import tripletscope as ts
    >>> answers = ts.Triplets.from_array([[0, 1, 2]], ids=["cup", "mug", "fork"])
    >>> first = json.loads(ts.people.write_prompts(answers).splitlines()[0])
    >>> print(first["messages"][0]["content"])
    Which of the following is most similar to cup?
    A: mug
    B: fork
    Reply with one letter and nothing else.
    """
    if language not in WORDINGS:
        raise ValueError(f"language is {language!r}; it must be one of {', '.join(WORDINGS)}.")
    if most < 1:
        raise ValueError(f"most is {most!r}; it must be 1 or more.")
    data = as_answers(triplets)
    every = prompted(questions_of(data) if questions is None else questions)
    if not every:
        raise DataError(
            "no question can be put to a model", file=data.name,
            remedy="Questions are about an anchor and its options, or about three objects.",
        )
    rng = np.random.default_rng(seed)
    if len(every) > most:
        drawn = np.sort(rng.choice(len(every), most, replace=False))
        every = [every[i] for i in drawn]
    # Orders of one question must not be neighbours: some programs keep a context.
    prompts = [prompt for question in every for prompt in _orders(*question)]
    shuffled = [prompts[i] for i in rng.permutation(len(prompts))]
    lines = [_line(data, kind, shown, WORDINGS[language]) for kind, shown in shuffled]
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines).encode()


def questions_of(data: Answers) -> list[Questions]:
    """The distinct questions behind the answers; none for comparisons of pairs.

    Parameters
    ----------
    data : Triplets or Quadruples

    Returns
    -------
    list of Questions

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/odd_one_out/answers.csv")
    >>> [(one.kind, len(one.shown)) for one in ts.people.questions_of(answers)]
    [('odd', 2102)]
    """
    if isinstance(data, Quadruples):
        return []
    choices = data.choices
    steps = np.bincount(choices.trial)[choices.trial]
    begins = np.zeros(len(choices), dtype=bool)  # first stages of rankings
    begins[np.lexsort((-choices.n_shown, choices.trial))[run_starts(np.sort(choices.trial))]] = True
    several = np.bincount(choices.trial, choices.n_shown > 2) > 0
    ranked = (several[choices.trial] & (steps > 1))
    usable = (data.weight[choices.answer] > 0) & (begins | ~ranked)
    n_chosen = np.where(ranked, steps, choices.n_chosen)
    result = []
    for shown, number, in_order in sorted({*zip(
        choices.n_shown[usable].tolist(), n_chosen[usable].tolist(), ranked[usable].tolist(),
        strict=True,
    )}):
        stages = choices.take(np.flatnonzero(
            usable & (choices.n_shown == shown) & (n_chosen == number) & (ranked == in_order)
        ))
        pairs = stages.pairs.reshape(-1, shown, 2)
        anchored = (pairs[:, :, 0] == pairs[:, :1, 0]).all(axis=1)
        about = {"nearer": np.column_stack(
            [pairs[:, 0, 0], np.sort(pairs[:, :, 1], axis=1)]
        )[anchored]}
        for kind, sign in (("odd", 1), ("central", -1)):
            three = pairs[~anchored & (stages.sign == sign)].reshape(-1, 2 * shown)
            # Each of three objects is in two of their pairs.
            about[kind] = np.sort(three, axis=1)[:, ::2]
        result += [
            Questions(kind, np.unique(rows, axis=0), number, in_order or number == 1)
            for kind, rows in about.items() if len(rows)
        ]
    return result


def prompted(questions: Sequence[Questions]) -> list[tuple[str, tuple[int, ...]]]:
    """Questions for prompts, one by one: those whose answer names one of few options."""
    return [
        (one.kind, tuple(row)) for one in questions
        if one.n_chosen == 1 and one.kind in CODES and one.shown.shape[1] <= len(LETTERS) + 1
        for row in one.shown.tolist()
    ]


def split(kind: str, shown: Sequence[Any]) -> tuple[Sequence[Any], Sequence[Any]]:
    """The anchor, if there is one, and the options."""
    return (shown[:1], shown[1:]) if kind == "nearer" else (shown[:0], shown)


def _orders(kind: str, objects: tuple[int, ...]) -> Iterator[tuple[str, tuple[int, ...]]]:
    """A question with its options rotated, so that each has every position."""
    fixed, options = split(kind, objects)
    for turn in range(len(options)):
        yield kind, (*fixed, *options[turn:], *options[:turn])


def _line(
    data: Triplets, kind: str, shown: tuple[int, ...], words: dict[str, str]
) -> dict[str, Any]:
    anchor, options = split(kind, labels_of(data, shown))
    text = "\n".join([
        words[kind].format(anchor="".join(anchor)),
        *(f"{letter}: {label}" for letter, label in zip(LETTERS, options, strict=False)),
        words["reply"],
    ])
    numbers = "-".join(map(str, shown))
    line = {
        "id": f"{digest_of(data)}-{CODES[kind]}-{numbers}",
        "messages": [{"role": "user", "content": text}],
        "objects": [data.ids[i] for i in shown],
    }
    if "image" in data.objects:
        images = data.objects["image"]
        line["images"] = [None if pd.isna(images[i]) else str(images[i]) for i in shown]
    return line


def labels_of(data: Answers, shown: tuple[int, ...]) -> list[str]:
    """Labels on one line each; equal labels are followed by ids."""
    labels = [" ".join(data.labels[i].split()) for i in shown]
    return [
        f"{label} ({data.ids[i]})" if labels.count(label) > 1 else label
        for i, label in zip(shown, labels, strict=True)
    ]


def digest_of(data: Answers) -> str:
    """Of the ids of the objects: positions in a prompt's id mean nothing for other objects."""
    return blake2b("\x1f".join(data.ids).encode(), digest_size=4).hexdigest()
