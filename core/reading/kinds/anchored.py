"""An anchor, two options, and a response that says which of them is nearer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tripletscope.core.reading.columns.guess import option_roles
from tripletscope.core.reading.columns.object_columns import (
    TELLING,
    Response,
    in_order,
    may_name,
    object_groups,
    pair_of_options,
    responses,
)
from tripletscope.core.reading.columns.reading import CHOICE_CODINGS
from tripletscope.core.reading.columns.values import (
    NEARLY_ALL,
    ColumnCells,
    Columns,
    differ,
    names_one_of,
)
from tripletscope.core.reading.kinds import (
    CERTAIN,
    LIKELY,
    POSSIBLE,
    Claim,
    Kind,
    Sign,
    answers,
    named_together,
)
from tripletscope.core.reading.languages import FOREIGN_CELLS, foreign_names
from tripletscope.core.reading.names import (
    ALIASES,
    FARTHER,
    WEAK_TRIPLES,
    asked_for,
    begins,
    by_names,
    named,
    normalised,
    words_of,
)

#: Names of responses that are true if the first option is nearer.
_YES = ("eval", "firstisnearer")
#: Least share of rows in which the anchor is none of two options; others are catch trials.
_APART = 0.1
#: A place between left and right, which any of three may have.
_BETWEEN = ("middle", "mittler", *FOREIGN_CELLS["middle"])


def _evidence(columns: Columns) -> list[Claim]:
    found: list[Claim] = []
    for objects in [*_by_names(columns), *object_groups(columns)]:
        if len(objects) == 3:
            for response in responses(columns, objects)[:3]:
                found += _of(columns, objects, response)
    return found


def _by_names(columns: Columns) -> list[list[ColumnCells]]:
    """Columns with the usual names of an anchor and two options, if their values can be such."""
    roles = option_roles(columns.table)
    names = [roles[role] for role in ("anchor", "left", "right") if role in roles]
    objects = [columns[name] for name in names]
    if len(objects) < 3 or not all(may_name(column) or column.is_constant for column in objects):
        return []
    # In ABX tasks X is always A or B.
    apart = differ(objects[1:]) > 0.5 and differ(objects) > _APART
    return [objects] if apart else []


def _of(columns: Columns, objects: Sequence[ColumnCells], response: Response) -> list[Claim]:
    anchor, options, said = _anchor([column.name for column in objects])
    if response.how == "item" and anchor is not None:
        chosen = [columns[name] for name in options]
        if names_one_of(response.column, chosen) > NEARLY_ALL:
            return [_one(columns, response, anchor, options, "item", CERTAIN, said)]
    if response.how in ("item", "columns"):
        return _of_named(columns, objects, response)
    codings = [coding for coding in response.codings if _of_two(coding, response.column)]
    if not codings or len(response.column.values) > 2:
        return []
    sure = normalised(response.column.name) in _YES and "first_is_nearer" in codings
    if sure:
        codings.sort(key=lambda coding: coding != "first_is_nearer")
    numeric = all(column.is_numeric for column in objects)
    if anchor is None or not (response.called or normalised(anchor) in ALIASES["anchor"]):
        return _of_any(columns, objects, response, codings, numeric)
    # Usual names and a response that is called so can hardly mean anything else.
    points = CERTAIN if len(codings) == 1 and response.how != "words" else LIKELY
    if not response.called:
        points = LIKELY if response.alone and not numeric else POSSIBLE
    return [
        _one(columns, response, anchor, options, coding,
             points if not sure else POSSIBLE if k else CERTAIN, said)
        for k, coding in enumerate(codings)
    ] + [
        # Without a name that says so, only the answers can tell what was asked.
        _one(columns, response, anchor, options, coding, points, said, opposite=True)
        for coding in codings if not response.called
    ]


def _of_named(
    columns: Columns, objects: Sequence[ColumnCells], response: Response
) -> list[Claim]:
    """Of a response that names two of the objects, or of their columns: the third is the anchor."""
    by_item = response.how == "item"
    if len(response.options) != 2 or (by_item and response.column.n_written < TELLING):
        return []
    first, second = response.options
    anchor = next(column.name for column in objects if column.name not in response.options)
    sign = Sign("never_anchor" if by_item else "names_columns", {
        "choice": response.column.name, "first": first, "second": second,
        **({"anchor": anchor} if by_item else {}),
    })
    coding = "item" if by_item else response.codings[0]
    return [_one(columns, response, anchor, response.options, coding, CERTAIN, sign)]


def _of_any(
    columns: Columns, objects: Sequence[ColumnCells], response: Response,
    codings: Sequence[str | Mapping[str, int]], numeric: bool,
) -> list[Claim]:
    """Each of the objects as the anchor: what the columns are called tells no order either."""
    sign = Sign("same_objects", {"columns": named_together(objects)})
    told = response.called or response.alone
    points = LIKELY if told and not numeric else POSSIBLE
    names = [column.name for column in objects]
    return [
        _one(columns, response, anchor, [name for name in names if name != anchor], coding, points,
             sign, opposite)
        for opposite in (False, True) for coding in codings for anchor in names
    ]


def _of_two(coding: str | Mapping[str, int], column: ColumnCells) -> bool:
    """Whether all that is written means one of two options."""
    if isinstance(coding, Mapping):
        return set(coding.values()) <= {1, 2}
    words = {text.casefold() for text in column.values}
    return words <= {word for words in CHOICE_CODINGS[coding].words[:2] for word in words}


def _anchor(names: Sequence[str]) -> tuple[str | None, tuple[str, ...], Sign]:
    """The anchor among three names, the options in order, and why."""
    for triple in WEAK_TRIPLES:
        if [normalised(name) for name in names] == [*triple]:
            return names[0], tuple(names[1:]), Sign("by_names", {"anchor": names[0]})
    options = [name for name in names
               if normalised(name) in ALIASES["left"] or normalised(name) in ALIASES["right"]]
    usual = by_names(names, {role: ALIASES[role] for role in ("anchor", "left", "right")})
    if len(usual) < 3:  # the sides of other languages have no other meaning
        usual = by_names(names, {role: foreign_names(role) for role in ("left", "right")})
        others = [name for name in names if name not in usual.values() and not _is_between(name)]
        usual |= {"anchor": others[0]} if len(others) == 1 else {}
    if len(usual) == 3:
        return usual["anchor"], (usual["left"], usual["right"]), Sign(
            "by_names", {"anchor": usual["anchor"]}
        )
    pair = pair_of_options(names)
    numbered = all(name[-1:].isdigit() for name in names)
    if pair and not numbered:
        anchor = next(name for name in names if name not in pair)
        if _is_between(anchor):  # three places
            return None, (), Sign("by_names", {"anchor": ""})
        return anchor, pair, Sign("by_names", {"anchor": anchor})
    anchor = named(names, ALIASES["anchor"])
    if anchor is not None and not numbered:
        rest = tuple(in_order([name for name in names if name != anchor]))
        first = named(rest, ALIASES["left"])
        if first == rest[1] and len(options) == 2:
            rest = rest[::-1]
        return anchor, rest, Sign("by_names", {"anchor": anchor})
    return None, (), Sign("by_names", {"anchor": ""})


def _is_between(name: str) -> bool:
    words = words_of(name)
    return "mid" in words or any(
        word.startswith(_BETWEEN) or word.endswith(_BETWEEN) for word in words
    )


def _one(
    columns: Columns, response: Response, anchor: str, options: Sequence[str],
    coding: str | Mapping[str, int], points: int, sign: Sign, opposite: bool = False,
) -> Claim:
    choice = response.column.name
    farther = begins(choice, FARTHER) or "farther" in map(asked_for, (choice, anchor))
    task = "farther" if farther != opposite else "nearer"
    if not response.called:
        points = min(points, LIKELY)
    roles = {"anchor": anchor, "left": options[0], "right": options[1], "choice": choice}
    return answers(columns, "anchored", points, task, roles, sign, coding=coding)


ANCHORED = Kind(
    "anchored", "an anchor, two options and the response", 30, _evidence, "tripletscope.read"
)
