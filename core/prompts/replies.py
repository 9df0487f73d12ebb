"""Replies of a language or vision model to prompts, as answers of another participant."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.quadruples import as_answers
from tripletscope.core.data.triplets import Answers, Triplets
from tripletscope.core.engine.short_repr import short_repr
from tripletscope.core.prompts.prompts import CODES, LETTERS, digest_of, labels_of, split
from tripletscope.core.ratings.pooling import pool_ratings
from tripletscope.core.reading.formats.encoding import to_utf8
from tripletscope.core.reading.formats.source import Source, fetch
from tripletscope.core.reading.loading import load
from tripletscope.core.reading.names import named

#: Columns or keys with grades of options, by number or letter: p_1, logprob_A and so on.
_GRADED = re.compile(r"(log_?)?(?:p|prob|probability)(?:[_ .-]([a-z])|[_ .-]?(\d+))", re.I)
_DECLINES = re.compile(r"\b(sorry|can(?:no|['’])?t|unable|refuse|decline|leider|nicht)\b", re.I)


@short_repr
@dataclass(frozen=True)
class Replies:
    """Answers of a model.

    Attributes
    ----------
    answers : Triplets
        Of the model as a participant, about the objects of the data, with trials.
    omitted : DataFrame
        ``row`` and ``reason`` of every line without an answer.
    n_replies : int
        Replies in the file: a line may have several, or probabilities of the options.
    n_refused, n_graded : int
        Replies that decline to answer; replies that grade the options.
    both_ways : int
        Questions with answers in all orders of the options.
    consistent : int
        Those of them with the same answer in all orders.
    first_share : float
        Share of replies that name the first option; of graded ones its probability. If every
        question was asked in all orders, a model without a preference for positions names it as
        often as any other.
    """

    answers: Triplets
    omitted: pd.DataFrame
    n_replies: int
    n_refused: int
    n_graded: int
    both_ways: int
    consistent: int
    first_share: float


def read_replies(
    source: Source, triplets: Triplets, *, observer: str = "model", name: str | None = None
) -> Replies:
    r"""A model's replies to the prompts of `write_prompts`, as answers of another participant.

    Parameters
    ----------
    source : path, bytes or binary file object
        JSON lines with ``id`` and ``reply`` (or ``response``, ``text``, ``content``, or the shape
        of a chat completion, also from batch services, with ``custom_id``), or a CSV of ``id`` and
        ``reply``. A line may have several replies (``choices``, ``replies``), several lines one
        id. Instead of a reply, columns or keys such as ``p_1``, ``p_A``, ``logprob_A``, or the
        ``top_logprobs`` of a chat completion, grade the options.
    triplets : Triplets
        Answers on the same objects.
    observer : str
        Name of the model as a participant.
    name : str, optional
        Of the file, for messages.

    Raises
    ------
    DataError
        If the file has no readable reply, or the prompts are about other objects.

    Notes
    -----
    A graded reply becomes expected counts: an answer for each option, weighted by its probability
    among the options, so that every reply counts as one answer. A method with a likelihood then
    learns what it would from very many samples, weighted as one. Several samples are an answer
    each: they vary as repeated answers of a person do.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.Triplets.from_array([[0, 1, 2]], ids=["cup", "mug", "fork"])
    >>> prompts = ts.people.write_prompts(answers).splitlines()
    >>> asked = [line.split(b'"')[3].decode() for line in prompts]
    >>> replies = "".join(f'{{"id": "{one}", "reply": "A"}}' + "\n" for one in asked)
    >>> found = ts.people.read_replies(replies.encode(), answers, observer="always A")
    >>> len(found.answers), found.first_share
    (2, 1.0)
    """
    data = as_answers(triplets)
    content, name = fetch(source, name)
    digest = digest_of(data)
    rows, trials, weights, omitted, first = [], [], [], [], []
    chosen: dict[tuple[str, tuple[int, ...]], dict[tuple[int, ...], set[int]]] = {}
    number = refused = graded = 0
    for row, prompt_id, reply in _records(content, name):
        number += 1
        prompt = _prompt(prompt_id, digest, data, name, row)
        if isinstance(prompt, str):
            omitted.append((row, prompt))
            continue
        kind, shown = prompt
        fixed, options = split(kind, shown)
        share = _shares(reply, split(kind, labels_of(data, shown))[1])
        if isinstance(share, str):
            omitted.append((row, share))
            refused += isinstance(reply, str) and bool(_DECLINES.search(reply))
            continue
        graded += not isinstance(reply, str)
        first.append(share[0])
        question = chosen.setdefault((kind, (*fixed, *sorted(options))), {})
        question.setdefault(tuple(options), set()).add(options[int(np.argmax(share))])
        for place in np.flatnonzero(share).tolist():
            implied = _implied(kind, shown, place)
            rows += implied
            # Each option of a graded reply is a choice of its own.
            trials += [len(weights)] * len(implied)
            weights += [share[place]] * len(implied)
    if not rows:
        reason = f" ({omitted[0][1]})" if omitted else ""
        raise DataError(
            f"no reply names an option{reason}", file=name,
            row=omitted[0][0] if omitted else None,
            remedy="Each line needs the id of its prompt and the letter of an option as reply.",
        )
    # Questions with replies in every order.
    again = [
        set().union(*orders.values()) for orders in chosen.values()
        if len(orders) == len(next(iter(orders)))
    ]
    answers = pd.DataFrame({
        "participant": pd.Categorical.from_codes(np.zeros(len(rows), np.int8), [observer]),
        "trial": trials,
    })
    if graded:
        answers["weight"] = weights
    return Replies(
        Triplets(np.array(rows), data.objects, answers, observer),
        pd.DataFrame(omitted, columns=["row", "reason"]), number, refused, graded, len(again),
        sum(len(replies) == 1 for replies in again), float(np.mean(first)),
    )


def with_observer(people: Triplets, model: Triplets) -> Triplets:
    """Answers of people and of a model as another participant.

    Parameters
    ----------
    people, model : Triplets
        About the same objects; `model` as of `read_replies`. "(model)" is added to its name if a
        person has the same.

    Examples
    --------
    >>> import tripletscope as ts
    >>> people = ts.Triplets.from_array([[0, 1, 2], [1, 2, 0]])
    >>> both = ts.people.with_observer(people, ts.Triplets.from_array([[0, 2, 1]]))
    >>> both.answers["participant"].dropna().tolist()
    ['model']
    """
    own, further = people.answers, model.answers
    taken = own["participant"].astype("str").unique() if "participant" in own else []
    name = further.get("participant", pd.Series("model", further.index)).astype("str")
    further["participant"] = name.where(~name.isin(taken), name + " (model)")
    both = pool_ratings(people, Triplets(model.rows, people.objects, further, model.name))
    joined = both.answers.drop(columns="source").astype({"participant": "category"})
    if "trial" not in own and model.choices.are_triplets:
        joined = joined.drop(columns="trial")
    if "weight" not in own and "weight" not in further:
        joined = joined.drop(columns="weight")
    return Triplets(both.rows, people.objects, joined, people.name)


def _records(content: bytes, name: str) -> Iterator[tuple[int, str, str | dict[int, float]]]:
    """Row, id of the prompt, and each reply of every line, or its grades of the options."""
    text, _ = to_utf8(content, None, name)
    if text.lstrip().startswith(b"{"):
        for row, line in enumerate(text.decode().split("\n"), 1):
            if line.strip():
                prompt_id, replies = _of_json(line, name, row)
                for reply in replies:
                    yield row, prompt_id, reply
        return
    table = load(content, name, header=True, least_columns=1, reshape=False)
    prompt_id = named(table.columns, ["id"])
    reply = named(table.columns, ["reply", "response", "text", "content", "answer"])
    graded = [column for column in table.columns if _GRADED.fullmatch(column)]
    if prompt_id is None or (reply is None and not graded):
        raise DataError(
            "there are no columns id and reply", file=name, row=1,
            remedy="Give JSON lines or a CSV with the id of each prompt and the model's reply.",
        )
    rows = table.row_numbers(np.arange(table.n_rows)).tolist()
    texts = table.texts(reply) if reply else [""] * len(rows)
    grades = {column: table.texts(column) for column in graded}
    for k, (row, one, text) in enumerate(zip(rows, table.texts(prompt_id), texts, strict=True)):
        yield row, one, _grades({column: grades[column][k] for column in graded}) or text


def _grades(record: Mapping[str, Any]) -> dict[int, float]:
    """Grade of each option, by position, from keys such as p_1, prob_A, logprob_A."""
    result: dict[int, float] = {}
    logarithms: list[tuple[int, float]] = []
    for key, value in record.items():
        match = _GRADED.fullmatch(key)
        if match is None:
            continue
        place = int(match[3]) - 1 if match[3] else LETTERS.index(match[2].upper())
        if place < 0:
            raise DataError(f"{key} is of no option", remedy="Number options from 1.")
        with suppress(TypeError, ValueError, OverflowError):
            if match[1]:
                logarithms.append((place, float(value)))
            else:
                result[place] = result.get(place, 0.0) + float(value)
    # Probabilities of long texts would underflow; only their ratios matter.
    largest = max((value for _, value in logarithms), default=0.0)
    for place, value in logarithms:
        result[place] = result.get(place, 0.0) + math.exp(value - largest)
    return result


def _token_grades(record: Any, letters: str) -> dict[int, float]:
    """Grades from the ``top_logprobs`` of the first token that is most likely an option.

    Other tokens do not count: in a refusal, the options share a rest of probability.
    """
    if isinstance(record, dict):
        result, others = {}, 0.0
        with suppress(AttributeError, KeyError, TypeError, ValueError, OverflowError):
            for one in record.get("top_logprobs") or ():
                letter, p = one["token"].strip(), math.exp(float(one["logprob"]))
                if len(letter) == 1 and letter in letters:
                    place = letters.index(letter)
                    result[place] = result.get(place, 0.0) + p
                else:
                    others += p
        if sum(result.values()) > others:
            return result
        record = list(record.values())
    inner = record if isinstance(record, list) else []
    return next(filter(None, (_token_grades(one, letters) for one in inner)), {})


def _of_json(line: str, name: str, row: int) -> tuple[str, list[str] | list[dict[int, float]]]:
    try:
        record = json.loads(line)
    except json.JSONDecodeError as error:
        raise DataError(
            f"this is no JSON ({error.msg})", file=name, row=row,
            remedy="Each line is one JSON object with id and reply.",
        ) from error
    if not isinstance(record, dict):
        return "", [""]
    prompt_id = record.get("id") if "custom_id" not in record else record["custom_id"]
    _, kind, *shown = f"{prompt_id}--".split("-")[:-1]
    letters = LETTERS[: len(shown) - 1 - (kind == CODES["nearer"])]
    graded = _grades(record) or _token_grades(record, letters)
    return str(prompt_id or ""), [graded] if graded else _texts(record) or [""]


def _texts(record: Any) -> list[str]:
    """The replies in a record: its own, or within the output of a chat service."""
    if isinstance(record, str):
        return [record] if record else []
    if isinstance(record, list):
        return next(filter(None, map(_texts, record)), [])
    if not isinstance(record, dict):
        return []
    for place in (
        "reply", "replies", "answer", "text", "content", "message", "choices", "output", "body",
        "response", "result",
    ):
        inner = record.get(place)
        if place in ("choices", "replies") and isinstance(inner, list):  # one for each sample
            result = [text for one in inner for text in _texts(one) or [""]]
        else:
            result = _texts(inner)
        if result:
            return result
    return []


def _prompt(
    prompt_id: str, digest: str, data: Answers, name: str, row: int
) -> tuple[str, tuple[int, ...]] | str:
    """Kind and objects of a prompt, or why its id is invalid."""
    match = re.fullmatch(r"([0-9a-f]{8})-([noc])-(\d+(?:-\d+)+)", prompt_id.strip())
    if match is None:
        return f"the id {prompt_id[:40]!r} is none of a prompt"
    if match[1] != digest:
        raise DataError(
            "the prompts are about other objects", file=name, row=row,
            remedy="Open the data set from which the prompts were made, with the same objects.",
        )
    kind = {code: kind for kind, code in CODES.items()}[match[2]]
    shown = tuple(int(number) for number in match[3].split("-"))
    wrong = len(set(shown)) < len(shown) or max(shown) >= data.n_objects
    if wrong or len(shown) < 3 or (kind != "nearer" and len(shown) != 3):
        return f"the id {prompt_id[:40]!r} names objects that are not there"
    return kind, shown


def _shares(reply: str | Mapping[int, float], labels: list[str]) -> np.ndarray | str:
    """(m,) probability of each option under a reply, or why there is none."""
    if isinstance(reply, str):
        place = _chosen(reply, labels)
        return place if isinstance(place, str) else np.eye(len(labels))[place]
    p = np.array([reply.get(place, 0.0) for place in range(len(labels))])
    if not (np.isfinite(p).all() and (p >= 0).all() and p.sum() > 0):
        return "no option has a probability"
    return p / p.sum()


def _chosen(reply: str, labels: list[str]) -> int | str:
    """Position of the option that a reply names, or why there is none."""
    letters = LETTERS[: len(labels)]
    text = re.sub(r"[*_`\"'“”„]", "", reply).strip()
    if not text:
        return "the reply is empty"
    alone = re.fullmatch(rf"\W*([{letters}{letters.lower()}])\W*", text)
    if alone:
        return letters.index(alone[1].upper())
    # A letter at the beginning, or after words such as "answer". "A" before a word is an article.
    article = r"(?!\s+[a-zäöüß])"
    first = re.match(rf"\W*(A(?!\w){article}|[{letters[1:]}](?!\w))", text)
    letter = first or re.search(
        rf"(?:answer|option|choice|choose|pick|select|antwort|wähle)\w*\W+(?:is\W+|ist\W+)?"
        rf"(A(?!\w){article}|[{letters[1:]}](?!\w))", text, flags=re.IGNORECASE,
    )
    if letter and letter[1] in letters:
        return letters.index(letter[1])
    places = {place for place, label in enumerate(labels)
              if re.search(rf"(?<!\w){re.escape(label)}(?!\w)", text, flags=re.IGNORECASE)}
    # The name of one option may be part of another's.
    folded = [label.casefold() for label in labels]
    places -= {a for a, b in permutations(places, 2) if folded[a] in folded[b]}
    denied = re.search(r"\b(not|none|neither|cannot|nicht|kein\w*)\b", text, flags=re.IGNORECASE)
    if len(places) == 1 and not denied:
        return places.pop()
    what = "several options" if len(places) > 1 else "no option clearly"
    return f"the reply {reply.strip()[:40]!r} names {what}"


def _implied(kind: str, shown: tuple[int, ...], place: int) -> list[tuple[int, int, int]]:
    if kind == "nearer":
        near = shown[1 + place]
        return [(shown[0], near, far) for far in shown[1:] if far != near]
    one = shown[place]
    a, b = (other for other in shown if other != one)
    return [(a, b, one), (b, a, one)] if kind == "odd" else [(a, one, b), (b, one, a)]
