"""Which columns name the objects of a row, and which says what was chosen, by their values."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations, pairwise, permutations

import numpy as np

from tripletscope.core.reading.columns.guess import codings_of, numbered_columns
from tripletscope.core.reading.columns.values import (
    ColumnCells,
    Columns,
    coincidences,
    differ,
    names_one_of,
    share,
)
from tripletscope.core.reading.languages import WORDS, spelt
from tripletscope.core.reading.names import (
    ALIASES,
    GROUP_NAMES,
    TASK_NAMES,
    normalised,
    respelt,
    says,
    words_of,
)

#: Least share of the values of one column that another one of the same objects has; of few rows,
#: most objects are in one place only.
_SHARED, _SHARED_OF_FEW = 0.5, 0.0
_FEW_ROWS = 30
#: Rows from which 0, 1, 2 ... is no accident.
_FEW_COUNTED = 5
#: Least share of rows in which columns of objects differ: in catch trials an option is the anchor.
_DIFFER = 0.8
#: Times that cells of a row would be alike by chance, from which never is no accident; share of
#: these from which columns are about different things, and up to which they never are alike.
_BY_CHANCE, _OFTEN, _HARDLY = 5.0, 0.5, 0.1
#: Share of responses of slips and of what nobody has said: other values are seldom.
_SELDOM = 0.05
#: Least share of the catch trials of which the same is said.
_CAUGHT = 0.8
#: Words in names of what another row was about.
_ELSEWHERE = spelt(WORDS["beside"]["elsewhere"])
#: Columns that are compared with each other, in quadratic time.
_COMPARED = 40
#: Sets of columns that are looked at: a table of many like columns has any number.
_MOST_CLIQUES = 100
#: Columns of the same values beside the objects, such as the response, the right one, the rejected.
_MOST_RESPONSES = 6
#: Share of responses that name an option of their row: a few are slips.
_NAMED = 0.98
#: Rows from which "never" says something.
TELLING = 15

_NEVER_OBJECTS = frozenset({
    *(name for role in ("participant", "response_time", "time", "trial", "block", "split", "weight",
                 "side")
      for name in ALIASES[role]),
    *GROUP_NAMES, *WORDS["beside"]["columns"],
})
_RESPONSES = frozenset({*ALIASES["choice"], *(name for names in TASK_NAMES.values()
                                              for name in names)})
_RESPONSE_WORDS = frozenset(spelt(WORDS["beside"]["responses"]))
_NO_RESPONSE_WORDS = frozenset(spelt(WORDS["beside"]["no_responses"]))
#: Values of a column that are looked at for words; share of one from which it tells nothing.
_MOST_WORDS, _NEARLY_ONE = 12, 0.9
#: Rows of a keyboard, from left to right.
_KEYS = ("1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm")
_NEUTRAL = re.compile(
    r"(column|col|v|x|c|f|unnamed|var|field|name|t)?[ _.:]*\d*|[a-z]|first|second|third|fourth|"
    "one|two|three|four",
    re.IGNORECASE,
)


@dataclass(frozen=True, eq=False)
class Response:
    """A column that may say what was chosen among columns of objects.

    how: "item" names the object, "columns" its column, "position" codes its place, "keys" are those
        of a keyboard, "words" are two or three unknown ones.
    codings: Those that fit, best first: names of codings, or the option of each word.
    options: Columns that it chooses among, if it tells.
    called: Whether its name is that of a response.
    alone: Whether no other column may say what was chosen.
    """

    column: ColumnCells
    how: str
    codings: tuple[str | Mapping[str, int], ...]
    options: tuple[str, ...] = ()
    called: bool = False
    alone: bool = False


def never_objects(name: str) -> bool:
    """Whether the name is that of participants, trials, times and the like."""
    return normalised(name) in _NEVER_OBJECTS


def is_neutral(columns: Columns, names: Sequence[str]) -> bool:
    """Whether names say nothing of what the columns hold."""
    if not columns.table.header or all(_NEUTRAL.fullmatch(name) for name in names):
        return True
    return is_numbered(names)


def object_groups(columns: Columns) -> list[list[ColumnCells]]:
    """Columns, three or four, that share their values and differ within a row, likeliest first."""
    return columns.once("objects", lambda: _object_groups(columns))


def _object_groups(columns: Columns) -> list[list[ColumnCells]]:
    free = [column for column in columns if not never_objects(column.name)]
    candidates = [column for column in free if may_name(column)][:_COMPARED]
    numbered = [
        [columns[name] for name in group]
        for group in numbered_columns(column.name for column in free).values()
        if len(group) in (3, 4) and is_numbered(group)
    ]
    found = [
        group for group in numbered
        if any(_is_of_mlds(column, group) for column in columns)
        or (_are_objects(group) and all(may_name(c) or c.is_constant for c in group))
    ]
    taken = {column.name for group in found for column in group}
    rest = [
        c for c in candidates if c.name not in taken
        and not (c.counts_rows and c.n_written > _FEW_COUNTED)
    ]
    named = [[columns[name] for name in group] for group in _named_by_cells(columns)]
    found += [group for group in named if _are_objects(group)]
    most = max((len(column.values) for column in rest), default=0)
    # Where others have more values, three numbers are places.
    rest = [c for c in rest if not (c.is_whole and most > 3 >= len(c.values))]
    found += _cliques(rest)
    found = found or _with_catch_trials(columns, rest)
    # Groups of a table of many like columns have most of these in common.
    alike = cache(lambda one, other: _mostly_alike(columns[one], columns[other]))
    return [group for group in found if not _are_a_part(group, free, alike)]


def _are_a_part(
    group: Sequence[ColumnCells], free: Sequence[ColumnCells], alike: Callable[[str, str], bool],
) -> bool:
    """Whether the same objects are in further columns, which are no responses.

    Either as many or more, or one that names yet another object of the question. Of responses, and
    what was made of them, there are not so many.
    """
    names = {column.name for column in group}
    most = max(len(column.values) for column in group)
    same = [one for one in free if one.name not in names and len(one.values) > 1
            and not (one.is_whole and len(one.values) <= 3 < most)  # places
            and all(alike(one.name, column.name) for column in group)]
    others = [one for one in same if not is_called_response(one.name)
              and names_one_of(one, group) < _NAMED]
    return len(others) >= len(group) or len(same) > _MOST_RESPONSES or any(
        not one.is_measure and never_alike([*group, one]) for one in others
    )


def _mostly_alike(one: ColumnCells, other: ColumnCells) -> bool:
    fewer, more = sorted((len(one.values), len(other.values)))
    return 2 * fewer > more and share(one, other) >= _SHARED


def _named_by_cells(columns: Columns) -> list[list[str]]:
    """Three columns whose names are what another column holds."""
    names = {normalised(name): name for name in columns.names}
    found = []
    for column in columns:
        words = {normalised(text) for text in column.values} if len(column.values) == 3 else set()
        if words and words <= names.keys():
            found.append([name for word, name in names.items() if word in words])
    return found


def may_name(column: ColumnCells) -> bool:
    """Whether a column may name objects, or levels that are numbers and recur."""
    few = column.n_written < _FEW_ROWS
    recurs = column.is_measure and (few or 2 * len(column.values) <= column.n_written)
    return len(column.values) > 1 and not column.is_clock and (not column.is_measure or recurs)


def is_numbered(names: Sequence[str]) -> bool:
    """Whether names of a header differ in a number alone."""
    if names[0].startswith("column "):
        return False
    return any(set(names) == set(group) for group in numbered_columns(names).values())


def _is_of_mlds(response: ColumnCells, objects: Sequence[ColumnCells]) -> bool:
    """Whether these are resp and S1, S2 ... of R's MLDS, also where few levels or answers occur."""
    usual = ["s1", "s2", "s3", "s4"][: len(objects)]
    return normalised(response.name) == "resp" and (
        [normalised(one.name) for one in objects] == usual
        and frozenset() < response.values <= {"0", "1"}
        and all(differ(columns) >= _DIFFER for columns in _asked_apart(objects))
    )


def _asked_apart(group: Sequence[ColumnCells]) -> list[Sequence[ColumnCells]]:
    """Columns whose cells differ in a row: two pairs may have an object in common."""
    return [group[:2], group[2:]] if len(group) == 4 else [group]


def _are_objects(group: Sequence[ColumnCells]) -> bool:
    return _share_objects(group) and _are_apart(group)


def _share_objects(group: Sequence[ColumnCells]) -> bool:
    """Whether columns are about the same things."""
    union = frozenset().union(*(column.values for column in group))
    few = max(column.n_written for column in group) < _FEW_ROWS
    numbered = len(group) > 2 and is_numbered([column.name for column in group])
    if numbered and (few or _are_things(group)):
        return len(union) > 2
    # Levels may ascend in a row: the first and the last column then have little in common.
    pairs = [*(pairwise(group) if numbered else combinations(group, 2))]
    least = _SHARED_OF_FEW if few else _SHARED
    return (
        # Ranks and orders of places have as many values as columns.
        len(union) > (2 if few else len(group))
        and all(share(one, other) >= least for one, other in pairs)
        and any(one.values & other.values for one, other in pairs)
        # Numbers of trials are numbers, too.
        and (few or numbered or all(
            not one.is_numeric or _alike(one, other) for one, other in pairs
        ))
    )


def _are_apart(group: Sequence[ColumnCells]) -> bool:
    """Whether the cells of a row are other objects; rows take longer to compare than values."""
    apart = _asked_apart(group)
    if not all(differ(columns) >= _DIFFER for columns in apart):
        return False
    for columns in apart:
        alike, by_chance = coincidences(columns)
        if by_chance >= _BY_CHANCE and alike > _OFTEN * by_chance and not _are_things(columns):
            return False
    measures = any(one.is_measure for one in group)
    return not measures or is_numbered([one.name for one in group]) or never_alike(group)


def never_alike(columns: Sequence[ColumnCells]) -> bool:
    """Whether cells of a row hardly ever are alike, where chance would have made them so."""
    alike, by_chance = coincidences(columns)
    return by_chance >= _BY_CHANCE and alike <= _HARDLY * by_chance


def _are_things(group: Sequence[ColumnCells]) -> bool:
    """Whether three columns are numbered, and called objects."""
    return len(group) > 2 and is_numbered([one.name for one in group]) and (
        normalised(group[0].name).rstrip("0123456789") in WORDS["beside"]["things"]
    )


def _alike(one: ColumnCells, other: ColumnCells) -> bool:
    """Whether two columns of numbers have about the same ones."""
    return len(one.values & other.values) >= _SHARED * len(one.values | other.values)


def _cliques(candidates: Sequence[ColumnCells]) -> list[list[ColumnCells]]:
    """Three or four columns of which each two are alike, and no other is, the first ones first."""
    n = len(candidates)
    alike: list[set[int]] = [set() for _ in range(n)]
    for i, j in combinations(range(n), 2):
        if _are_objects([candidates[i], candidates[j]]):
            alike[i].add(j)
            alike[j].add(i)
    found: list[list[int]] = []

    def extend(clique: list[int], free: set[int], done: set[int]) -> None:
        if not free and not done:
            found.append(sorted(clique))
        if len(clique) == 4:  # of five and more nobody asks
            return
        # Who is alike to one of them is found beside it (Bron & Kerbosch, 1973).
        pivot = max(free | done, key=lambda one: len(free & alike[one]), default=None)
        for one in sorted(free - alike[pivot]) if free else ():
            if len(found) == _MOST_CLIQUES:
                return
            extend([*clique, one], free & alike[one], done & alike[one])
            free, done = free - {one}, done | {one}

    extend([], set(range(n)), set())
    groups = [[candidates[i] for i in clique] for clique in sorted(found) if len(clique) > 2]
    return [group for group in groups if _are_objects(group)]


def _with_catch_trials(columns: Columns, candidates: list[ColumnCells]) -> list[list[ColumnCells]]:
    """Three objects of which two are alike in catch trials: of many, as often as by chance.

    Either two options never are alike, as beside an anchor, or a response names each of the three.
    Numbers of many things are alike by chance, and of another question, such as the last one,
    the response says nothing.
    """
    names = [c for c in candidates if not c.is_numeric and not says(c.name, _ELSEWHERE)]
    alike = {
        frozenset((one.name, other.name)) for one, other in combinations(names, 2)
        if _share_objects([one, other]) and differ([one, other]) >= _DIFFER
    }
    groups = [
        [*three] for three in combinations(names, 3)
        if all(frozenset((one.name, other.name)) in alike
               for one, other in combinations(three, 2))
        and differ(three) >= _DIFFER
    ]
    return [group for group in groups[:_MOST_CLIQUES] if _are_caught(columns, group) and (
        any(never_alike(pair) for pair in combinations(group, 2))
        or any(_names_each(column, group) for column in columns)
    )]


def _names_each(column: ColumnCells, group: Sequence[ColumnCells]) -> bool:
    return names_one_of(column, group) >= _NAMED and all(
        _share_named(column, one, group) > 0.05 for one in group
    )


def _are_caught(columns: Columns, group: Sequence[ColumnCells]) -> bool:
    """Whether rows with two like cells are told as catch trials are, and others otherwise.

    Mostly the same two are alike, as an anchor and what is nearer; or the response, or a column of
    the kind of trial, mostly says the same of them, which it seldom says elsewhere.
    """
    pairs = [(a, b, c) for a, b, c in ([*group], [group[0], group[2], group[1]], [*group[::-1]])]
    same = [(a.keys == b.keys) & a.written & b.written for a, b, _ in pairs]
    often = [int(rows.sum()) for rows in same]
    if max(often) >= _CAUGHT * sum(often):
        return True
    names, elsewhere = {one.name for one in group}, ~np.logical_or.reduce(same)
    for column in columns:
        if column.name in names:
            continue
        texts, told = column.texts, np.zeros(3)  # rows that say the like one, the third, the usual
        for (one, _, third), rows in zip(pairs, same, strict=True):
            if not rows.any():
                continue
            text, number = Counter(texts[rows].tolist()).most_common(1)[0]
            is_usual = not text or float((texts == text)[elsewhere].mean()) >= _CAUGHT
            told += [*(int((texts == cells.texts)[rows].sum()) for cells in (one, third)),
                     0 if is_usual else number]
        if told.max() >= _CAUGHT * sum(often):
            return True
    return False


def responses(columns: Columns, objects: Sequence[ColumnCells]) -> list[Response]:
    """Columns that may say which of the objects was chosen, the likeliest first."""
    names = ("responses", *(column.name for column in objects))
    return columns.once(names, lambda: _responses_in(columns, objects))


def _responses_in(columns: Columns, objects: Sequence[ColumnCells]) -> list[Response]:
    found = []
    names = {column.name for column in objects}
    for column in columns:
        # Where no column has a name, none is called otherwise.
        called = is_called_response(column.name) or not columns.table.header
        numbers = column.is_measure and names_one_of(column, objects) < _NAMED
        if column.name in names or numbers or column.is_clock or not column.values or (
            column.is_constant and not called
        ) or (column.counts_rows and not called):
            continue
        if not called and (never_objects(column.name) or _is_one_part(column)):
            continue
        said = column.responses
        if called:
            naming = _naming(said, objects)
            said = naming if names_one_of(naming, objects) >= _NAMED else _coded(said)
        found += _responses(said, objects, called)
    if not found:  # codes of a lab's own
        found = [
            Response(column, "words", _orders_of({text.casefold() for text in column.values}))
            for column in columns if column.name not in names
            and not (never_objects(column.name) or _is_one_part(column))
            and 1 < len(column.values) <= 3 and not column.is_numeric
        ]
    if len({one.column.name for one in found}) == 1:
        found = [replace(one, alone=True) for one in found]
    # Of those that say the same, the one that says it plainly.
    order = {"item": 0, "columns": 1, "position": 2, "keys": 3, "words": 4}
    return sorted(found, key=lambda one: (not one.called, order[one.how]))


def _naming(column: ColumnCells, objects: Sequence[ColumnCells]) -> ColumnCells:
    """A response as names of objects, where half of its cells or more are: others are no answer.

    People and models say that they cannot tell, in words of their own.
    """
    names = frozenset[str]().union(*(one.values for one in objects))
    words = {text.casefold() for text in column.values}
    # Of 1.png, 2.png and 3.png, 1 may be the first.
    if column.values <= names or column.is_numeric or any(codings_of(words, n) for n in (2, 3)):
        return column
    spelt = column.spelt(respelt(column.values, names))
    naming = spelt.without(spelt.values - names)
    enough = 2 * naming.n_written >= column.n_written
    return naming if enough and names_one_of(naming, objects) >= _NAMED else column


def _coded(column: ColumnCells) -> ColumnCells:
    """A response without its sentences, where half of its cells or more are codes of options."""
    coded = column.without({text for text in column.values if len(text.split()) > 2})
    words = {text.casefold() for text in coded.values}
    is_coded = 1 < len(words) <= 3 or (words and any(codings_of(words, n) for n in (2, 3)))
    return coded if is_coded and 2 * coded.n_written >= column.n_written else column


def is_called_response(name: str) -> bool:
    if normalised(name) in _RESPONSES or name.endswith(".keys"):
        return True
    words = {*map(normalised, words_of(name))}
    # Numbered ones are options.
    return not re.search(r"\d", name) and not never_objects(name) and bool(
        words & _RESPONSE_WORDS and not words & _NO_RESPONSE_WORDS
    )


def _responses(
    column: ColumnCells, objects: Sequence[ColumnCells], called: bool
) -> Iterator[Response]:
    if names_one_of(column, objects) >= _NAMED and not _is_of_mlds(column, objects):
        # In catch trials an option has the name of the anchor.
        named = [one.name for one in objects if _share_named(column, one, objects) > 0]
        yield Response(column, "item", ("item",), tuple(named), called)
        return
    words = {text.casefold() for text in column.values}
    names = {normalised(one.name): one.name for one in objects}
    few = words if len(words) <= _MOST_WORDS else ()
    columns = {word: names[normalised(word)] for word in few if normalised(word) in names}
    if {*few} == {"2", "3"}:  # of three numbered columns, never the anchor's
        columns = {one.name[-1]: one.name for one in objects if one.name[-1:] in few}
    if len(columns) == len(words) > 1 and not words <= {"left", "right"}:
        options = [one.name for one in objects if one.name in columns.values()]
        coding = {word: options.index(name) + 1 for word, name in columns.items()}
        yield Response(column, "columns", (coding,), tuple(options), called)
        return
    of_two: list[str | Mapping[str, int]] = [*codings_of(words, 2)]
    codings = [*of_two, *(one for one in codings_of(words, 3) if one not in of_two)]
    if words <= {"-1", "0", "1"} and "-1" in words:  # from left to right, or no and yes
        of_two.append({"-1": 1, "1": 2})
        codings.append(of_two[-1] if len(words) < 3 else {"-1": 1, "0": 2, "1": 3})
    if codings:
        yield Response(column, "position", tuple(codings), (), called)
    if of_two or (len(codings) and len(words) > 2):
        return
    if 1 < len(words) <= min(3, len(objects)) and (called or not column.is_numeric):
        keys = in_order_of_keys(words)
        if keys or called or codings:
            yield Response(column, "keys" if keys else "words", _orders_of(words), (), called)
    elif len(words) > 1 and (usual := _often_said(column)) is not column:
        yield from _responses(usual, objects, called)


def _often_said(column: ColumnCells) -> ColumnCells:
    """The column without its seldom cells, if these are few altogether."""
    counts = Counter(column.texts[column.texts != ""].tolist())
    seldom = {text for text, n in counts.items() if n <= _SELDOM * column.n_written / 2}
    n_seldom = sum(counts[text] for text in seldom)
    return column.without(seldom) if n_seldom <= _SELDOM * column.n_written else column


def says_practice(text: str) -> bool:
    """Whether a cell or a name says practice."""
    return any(word in normalised(text) for word in WORDS["beside"]["practice"])


def says_part(text: str) -> bool:
    """Whether a name is that of a part of a study, such as practice, and of no person."""
    parts = tuple(WORDS["beside"]["parts"])
    return says_practice(text) or any(
        word.startswith(parts) and not word.startswith("participant") for word in words_of(text)
    )


def _is_one_part(column: ColumnCells) -> bool:
    """Whether a column tells practice from trials, or is nearly always the same."""
    most = max(Counter(column.texts[column.texts != ""].tolist()).values(), default=0)
    return any(map(says_practice, (column.name, *list(column.values)[:_MOST_WORDS]))) or (
        most > _NEARLY_ONE * column.n_written
    )


def _orders_of(words: Set[str]) -> tuple[dict[str, int], ...]:
    """Places of words in every order; of keys only from the left to the right and back."""
    keys = in_order_of_keys(words)
    orders = [keys, keys[::-1]] if keys else permutations(sorted(words))
    return tuple({word: k + 1 for k, word in enumerate(order)} for order in orders)


def _share_named(
    column: ColumnCells, other: ColumnCells, objects: Sequence[ColumnCells]
) -> float:
    """Share of the written cells that name what is in one column of the objects alone."""
    same = [column.texts == one.texts for one in objects if one.name != other.name]
    alone = (column.texts == other.texts) & ~np.logical_or.reduce(same)
    written = column.texts != ""
    return float(alone[written].mean()) if written.any() else 0.0


def in_order_of_keys(words: Set[str]) -> list[str]:
    """Keys of one row of a keyboard from left to right, or none."""
    for row in _KEYS:
        if all(len(word) == 1 and word in row for word in words):
            return sorted(words, key=row.index)
    return []


def may_choose(columns: Columns, objects: Sequence[ColumnCells]) -> list[Response]:
    """Responses because of which the order of the columns cannot be that of the answer.

    A column that says something of a participant, such as a condition, does not; nor does one of
    two values that is not called a response, which the answers can tell from one.
    """
    who = next((column for column in columns
                if normalised(column.name) in ALIASES["participant"]), None)
    return [
        one for one in responses(columns, objects)
        if one.called or one.how in ("item", "columns", "keys") or not (
            len(one.column.values) == 2 or (who is not None and _says_who(one.column, who))
        )
    ]


def _says_who(column: ColumnCells, who: ColumnCells) -> bool:
    """Whether each participant has one value of a column."""
    pairs = {*zip(who.texts.tolist(), column.texts.tolist(), strict=True)}
    return len(pairs) == len(who.values | {""} & set(who.texts.tolist()))


def pair_of_options(names: Sequence[str]) -> tuple[str, str] | None:
    """The two of three names that differ in a number, a letter or a side alone."""
    for one, other in combinations(names, 2):
        parts = _parts(one), _parts(other)
        if parts[0] and parts[0][0] == parts[1][0] and parts[0][1] != parts[1][1]:
            return tuple(in_order([one, other]))
    return None


def in_order(names: Sequence[str]) -> list[str]:
    """Columns in the order of places: by number, letter or side of their names, or as they are."""
    numbers = [re.findall(r"\d+", name) for name in names]
    if all(len(found) == 1 for found in numbers):
        return sorted(names, key=lambda name: int(re.findall(r"\d+", name)[0]))
    endings = [re.search(r"(?:^|[\W_]|option)([a-z])$", _apart(name)) for name in names]
    if all(endings) and {found[1] for found in endings} <= set("abc"):
        return sorted(names, key=lambda name: name.casefold()[-1])
    sides = [_place(name) for name in names]
    return sorted(names, key=_place) if None not in sides else list(names)


def _place(name: str) -> int | None:
    """Place that a name says: from the left to the right, from above, from the first."""
    text = normalised(name)
    for place, words in enumerate((
        ("left", "upper", "top", "first", "l"), ("middle", "center", "centre", "second", "m"),
        ("right", "lower", "bottom", "third", "r"),
    )):
        if any(text == word or (len(word) > 1 and word in text) for word in words) or (
            re.search(rf"[\W_]{words[-1]}$", name.casefold())
        ):
            return place
    return None


def _apart(name: str) -> str:
    """A name in small letters, whose last capital stands apart: ``candidate_a``."""
    return re.sub(r"(?<=[a-z])(?=[A-Z]$)", "_", name).casefold()


def _parts(name: str) -> tuple[str, str]:
    """What a name is about, and which of two it is: ``("ref", "1")``, ``("image", "left")``."""
    text = _apart(name)
    side = re.search(r"(left|right)", text)
    if side:
        return "side " + re.sub(r"[\W_]", "", text.replace(side[1], "")), side[1]
    ending = re.fullmatch(r"(.*?)[\W_]*(\d|(?<=[\W_])[a-z]|(?<=\d)[lr])", text)
    return (ending[1], ending[2]) if ending else ("", "")


def task_said(columns: Columns) -> str | None:
    """The question, if the name of the file or of the experiment, or a cell, says it."""
    texts = [columns.table.name]
    for column in columns:
        if len(column.values) <= 10 and not column.is_numeric:
            texts += [column.name, *column.values]
    said = {
        task for task, words in WORDS["said"].items()
        if any(word in re.sub(r"[^a-z]", "", text.casefold()) for text in texts for word in words)
    }
    return said.pop() if len(said) == 1 else None
