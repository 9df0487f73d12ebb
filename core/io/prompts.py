"""Questions as prompts for a language or vision model, and its replies as answers.

Nothing is sent from here: the prompts are a file of one JSON object a line, which any program that
talks to a model can go through, and the replies come back as such a file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.quadruples import Quadruples, as_answers
from tripletscope.core.data.triplets import Judgements, Triplets
from tripletscope.core.engine.declared import with_random_state
from tripletscope.core.io.formats.encoding import to_utf8
from tripletscope.core.io.formats.source import Source, fetch
from tripletscope.core.io.languages import WORDS
from tripletscope.core.io.loading import load
from tripletscope.core.io.names import named
from tripletscope.core.ratings.pooling import pool_ratings

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

#: How questions are put, by language and by what is asked.
WORDINGS: dict[str, dict[str, str]] = WORDS["prompts"]
#: Codes of what is asked, as they stand in the names of prompts.
_CODES = {"nearer": "n", "odd": "o", "central": "c"}


@dataclass(frozen=True)
class Replies:
    """What a model answered.

    Attributes
    ----------
    answers : Triplets
        The model as a participant: its answers about the objects of the data, each with its
        trial.
    omitted : DataFrame
        ``row`` and ``reason`` of every line that is no answer.
    n_replies : int
        Lines that were read.
    both_ways : int
        Questions that were asked in several orders of the options, and answered in all.
    consistent : int
        How many of these got the same answer in all orders.
    first_share : float
        Share of replies that name the first option. Where every question was asked in all orders,
        a model without a preference for places names it as often as any other.
    """

    answers: Triplets
    omitted: pd.DataFrame
    n_replies: int
    both_ways: int
    consistent: int
    first_share: float


@with_random_state
def write_prompts(
    triplets: Judgements, *, most: int = 1000, language: str = "en", seed: int = 0
) -> bytes:
    """Questions of people as prompts for a model, one JSON object a line.

    Parameters
    ----------
    triplets : Triplets
        Each question is asked once in every order of two options, and of more in as many orders
        as there are options, so that each stands in each place: models prefer places.
    most : int
        Of more different questions so many are drawn at random.
    language : {"en", "de"}
    seed : int

    Returns
    -------
    bytes
        JSON lines: ``id``, by which `read_replies` knows the question; ``messages``, one of the
        role ``user``, as programs for chat models take them; ``objects``, ids of what is shown,
        the anchor first; and ``images``, names of their pictures, if the objects have some.

    Raises
    ------
    DataError
        If no question can be put so: rankings, choices of several, and comparisons of pairs are
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
    questions = _questions(data)
    if not questions:
        raise DataError(
            "no question can be put to a model", file=data.name,
            remedy="Questions are about an anchor and its options, or about three objects.",
        )
    rng = np.random.default_rng(seed)
    if len(questions) > most:
        drawn = np.sort(rng.choice(len(questions), most, replace=False))
        questions = [questions[i] for i in drawn]
    # Neighbours in the file would be orders of one question; some programs keep a context.
    prompts = [prompt for question in questions for prompt in _orders(*question)]
    shuffled = [prompts[i] for i in rng.permutation(len(prompts))]
    lines = [_line(data, kind, shown, WORDINGS[language]) for kind, shown in shuffled]
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines).encode()


def read_replies(
    source: Source, triplets: Triplets, *, observer: str = "model", name: str | None = None
) -> Replies:
    r"""A model's replies to the prompts of `write_prompts`, as answers of one more participant.

    Parameters
    ----------
    source : path, bytes or binary file object
        JSON lines with ``id`` and ``reply`` (or ``response``, ``text``, ``content``, or the shape
        of a chat completion, also as batch services write it, with ``custom_id``), or a CSV of
        ``id`` and ``reply``.
    triplets : Triplets
        Whose questions were asked: the objects must be the same.
    observer : str
        What the model is called as a participant.
    name : str, optional
        Of the file, for messages.

    Raises
    ------
    DataError
        If the file has no reply that can be read, or the prompts are of other objects.

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
    digest = _digest(data)
    rows, trials, omitted, places = [], [], [], []
    chosen: dict[tuple[str, tuple[int, ...]], dict[tuple[int, ...], set[int]]] = {}
    number = 0
    for number, (row, prompt_id, reply) in enumerate(_records(content, name), 1):
        prompt = _prompt(prompt_id, digest, data, name, row)
        if isinstance(prompt, str):
            omitted.append((row, prompt))
            continue
        kind, shown = prompt
        fixed, options = _split(kind, shown)
        place = _chosen(reply, _split(kind, _labels(data, shown))[1])
        if isinstance(place, str):
            omitted.append((row, place))
            continue
        places.append(place)
        question = chosen.setdefault((kind, (*fixed, *sorted(options))), {})
        question.setdefault(tuple(options), set()).add(options[place])
        implied = _implied(kind, shown, place)
        rows += implied
        trials += [number] * len(implied)
    if not rows:
        told = f" ({omitted[0][1]})" if omitted else ""
        raise DataError(
            f"no reply names an option{told}", file=name,
            row=omitted[0][0] if omitted else None,
            remedy="Each line needs the id of its prompt and the letter of an option as reply.",
        )
    # Complete are those of which every order came back.
    again = [
        set().union(*orders.values()) for orders in chosen.values()
        if len(orders) == len(next(iter(orders)))
    ]
    answers = pd.DataFrame({
        "participant": pd.Categorical.from_codes(np.zeros(len(rows), np.int8), [observer]),
        "trial": trials,
    })
    return Replies(
        Triplets(np.array(rows), data.objects, answers, observer),
        pd.DataFrame(omitted, columns=["row", "reason"]), number, len(again),
        sum(len(replies) == 1 for replies in again), float(np.mean(np.array(places) == 0)),
    )


def with_observer(people: Triplets, model: Triplets) -> Triplets:
    """The answers of people and of a model, as those of one more participant.

    Parameters
    ----------
    people, model : Triplets
        About the same objects; `model` as `read_replies` gives it. If somebody is called as the
        model is, its name is followed by "(model)".

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
    if "weight" not in own:
        joined = joined.drop(columns="weight")
    return Triplets(both.rows, people.objects, joined, people.name)


def n_questions(triplets: Judgements) -> int:
    """How many different questions `write_prompts` can put to a model."""
    return len(_questions(as_answers(triplets)))


# Questions -----------------------------------------------------------------------------------


def _questions(data: Judgements) -> list[tuple[str, tuple[int, ...]]]:
    """The different questions: what is asked, and about which objects, the anchor first."""
    if isinstance(data, Quadruples):
        return []
    choices = data.choices
    several = np.bincount(choices.trial, choices.n_shown > 2) > 0
    ranked = (several & (np.bincount(choices.trial) > 1))[choices.trial]
    counts = data.weight[choices.answer] > 0
    usable = (choices.n_chosen == 1) & ~ranked & (choices.n_shown <= len(_LETTERS)) & counts
    result = []
    for shown in np.unique(choices.n_shown[usable]).tolist():
        stages = choices.take(np.flatnonzero(usable & (choices.n_shown == shown)))
        pairs = stages.pairs.reshape(-1, shown, 2)
        anchored = (pairs[:, :, 0] == pairs[:, :1, 0]).all(axis=1)
        about = np.column_stack([pairs[:, 0, 0], np.sort(pairs[:, :, 1], axis=1)])[anchored]
        result += [("nearer", tuple(row)) for row in np.unique(about, axis=0).tolist()]
        for kind, sign in (("odd", 1), ("central", -1)):
            three = pairs[~anchored & (stages.sign == sign)].reshape(-1, 2 * shown)
            # Each of three objects is in two of their pairs.
            about = np.sort(three, axis=1)[:, ::2]
            result += [(kind, tuple(row)) for row in np.unique(about, axis=0).tolist()]
    return result


def _split(kind: str, shown: Sequence[Any]) -> tuple[Sequence[Any], Sequence[Any]]:
    """The anchor, if there is one, and the options."""
    return (shown[:1], shown[1:]) if kind == "nearer" else (shown[:0], shown)


def _orders(kind: str, objects: tuple[int, ...]) -> Iterator[tuple[str, tuple[int, ...]]]:
    """A question with its options in every turn, so that each is in each place."""
    fixed, options = _split(kind, objects)
    for turn in range(len(options)):
        yield kind, (*fixed, *options[turn:], *options[:turn])


def _line(
    data: Triplets, kind: str, shown: tuple[int, ...], words: dict[str, str]
) -> dict[str, Any]:
    anchor, options = _split(kind, _labels(data, shown))
    text = "\n".join([
        words[kind].format(anchor="".join(anchor)),
        *(f"{letter}: {label}" for letter, label in zip(_LETTERS, options, strict=False)),
        words["reply"],
    ])
    numbers = "-".join(map(str, shown))
    line = {
        "id": f"{_digest(data)}-{_CODES[kind]}-{numbers}",
        "messages": [{"role": "user", "content": text}],
        "objects": [data.ids[i] for i in shown],
    }
    if "image" in data.objects:
        images = data.objects["image"]
        line["images"] = [None if pd.isna(images[i]) else str(images[i]) for i in shown]
    return line


def _labels(data: Judgements, shown: tuple[int, ...]) -> list[str]:
    """Labels on one line each; objects of the same label are told apart by their ids."""
    labels = [" ".join(data.labels[i].split()) for i in shown]
    return [
        f"{label} ({data.ids[i]})" if labels.count(label) > 1 else label
        for i, label in zip(shown, labels, strict=True)
    ]


def _digest(data: Judgements) -> str:
    """Of the ids of the objects: numbers in a prompt's id mean nothing for others."""
    return blake2b("\x1f".join(data.ids).encode(), digest_size=4).hexdigest()


# Replies -------------------------------------------------------------------------------------


def _records(content: bytes, name: str) -> Iterator[tuple[int, str, str]]:
    """Row, id of the prompt, and reply of every line."""
    text, _ = to_utf8(content, None, name)
    if text.lstrip().startswith(b"{"):
        for row, line in enumerate(text.decode().split("\n"), 1):
            if line.strip():
                yield row, *_of_json(line, name, row)
        return
    table = load(content, name, header=True, least_columns=1, reshape=False)
    prompt_id = named(table.columns, ["id"])
    reply = named(table.columns, ["reply", "response", "text", "content", "answer"])
    if prompt_id is None or reply is None:
        raise DataError(
            "there are no columns id and reply", file=name, row=1,
            remedy="Give JSON lines or a CSV with the id of each prompt and the model's reply.",
        )
    rows = table.row_numbers(np.arange(table.n_rows)).tolist()
    yield from zip(rows, table.texts(prompt_id), table.texts(reply), strict=True)


def _of_json(line: str, name: str, row: int) -> tuple[str, str]:
    try:
        record = json.loads(line)
    except json.JSONDecodeError as error:
        raise DataError(
            f"this is no JSON ({error.msg})", file=name, row=row,
            remedy="Each line is one JSON object with id and reply.",
        ) from error
    if not isinstance(record, dict):
        return "", ""
    prompt_id = record.get("id") if "custom_id" not in record else record["custom_id"]
    return str(prompt_id or ""), _text(record)


def _text(record: Any) -> str:
    """The reply in a record: its own, or inside of what a chat service writes."""
    if isinstance(record, str):
        return record
    if isinstance(record, list):
        return next(filter(None, map(_text, record)), "")
    if not isinstance(record, dict):
        return ""
    for place in (
        "reply", "answer", "text", "content", "message", "choices", "output", "body", "response",
        "result",
    ):
        result = _text(record.get(place))
        if result:
            return result
    return ""


def _prompt(
    prompt_id: str, digest: str, data: Judgements, name: str, row: int
) -> tuple[str, tuple[int, ...]] | str:
    """What a prompt asked and about which objects, or why that cannot be told."""
    match = re.fullmatch(r"([0-9a-f]{8})-([noc])-(\d+(?:-\d+)+)", prompt_id.strip())
    if match is None:
        return f"the id {prompt_id[:40]!r} is none of a prompt"
    if match[1] != digest:
        raise DataError(
            "the prompts are about other objects", file=name, row=row,
            remedy="Open the data set from which the prompts were made, with the same objects.",
        )
    kind = {code: kind for kind, code in _CODES.items()}[match[2]]
    shown = tuple(int(number) for number in match[3].split("-"))
    wrong = len(set(shown)) < len(shown) or max(shown) >= data.n_objects
    if wrong or len(shown) < 3 or (kind != "nearer" and len(shown) != 3):
        return f"the id {prompt_id[:40]!r} names objects that are not there"
    return kind, shown


def _chosen(reply: str, labels: list[str]) -> int | str:
    """Place of the option that a reply names, or why none can be told."""
    letters = _LETTERS[: len(labels)]
    text = re.sub(r"[*_`\"'“”„]", "", reply).strip()
    if not text:
        return "the reply is empty"
    alone = re.fullmatch(rf"\W*([{letters}{letters.lower()}])\W*", text)
    if alone:
        return letters.index(alone[1].upper())
    # A letter at the beginning, or after a word that announces it. "A" before a word is an article.
    article = r"(?!\s+[a-zäöüß])"
    first = re.match(rf"\W*(A(?!\w){article}|[{letters[1:]}](?!\w))", text)
    told = first or re.search(
        rf"(?:answer|option|choice|choose|pick|select|antwort|wähle)\w*\W+(?:is\W+|ist\W+)?"
        rf"(A(?!\w){article}|[{letters[1:]}](?!\w))", text, flags=re.IGNORECASE,
    )
    if told and told[1] in letters:
        return letters.index(told[1])
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
    """The triplets that a reply implies."""
    if kind == "nearer":
        near = shown[1 + place]
        return [(shown[0], near, far) for far in shown[1:] if far != near]
    one = shown[place]
    a, b = (other for other in shown if other != one)
    return [(a, b, one), (b, a, one)] if kind == "odd" else [(a, one, b), (b, one, a)]
