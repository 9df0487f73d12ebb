"""Questionnaires with a column for each question: forms of Google, Qualtrics and the like."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from tripletscope.core.reading.columns.object_columns import is_called_response
from tripletscope.core.reading.formats.listed import hold_already, objects_in_cells
from tripletscope.core.reading.formats.text import unique_names
from tripletscope.core.reading.formats.wide import (
    counts_of_options,
    melted,
    pairs_of_rows,
    people_of_columns,
    trials_of_rows,
)
from tripletscope.core.reading.names import (
    TASK_NAMES,
    asked_for,
    asks_what_belongs_not,
    counted,
    listing,
    normalised,
)
from tripletscope.core.reading.table import Table

#: Fewest questions of a kind, most different answers to one, and rows that are looked at.
_FEWEST, _ANSWERS, _ROWS = 4, 5, 5_000
#: Fewest different prompts, most rows with one, and most columns of such a table.
_PROMPTS, _MOST_PROMPTS, _BESIDE = 10, 200_000, 40
#: Answers that are numbers of options.
_PLACES = {"1", "2", "3"}
_LETTERS = {letter: str(k % 3 + 1) for k, letter in enumerate("ABCabc")}
#: What models put around a reply.
_QUOTES = " .*\"'“”()"
#: Share of the cells that must be numbers, where these are asked for.
_NUMBERS = 0.9
#: Share of the questions that have a word of their kind.
_USUAL = 0.8
#: What answers are called, where the question does not say what was asked for.
_SAID = "said"
#: Letters of a question at most.
_LONGEST = 500
#: Words and signs of a question.
_WORDS = re.compile(r"\w+(?:[-'’]\w+)*|[^\w\s]")
#: The row of Qualtrics that says where columns are from.
_IMPORT = "ImportId"
#: What SurveyMonkey writes below its questions.
_REPLIES = ("response", "openendedresponse")


class _Question(NamedTuple):
    """What a column asks: an anchor, if any, and the options."""

    anchor: str | None
    options: tuple[str, ...]


class _Questions(NamedTuple):
    """Questions by their columns, and the words that are the same in all.

    alike: Number of those of which one option alone was ever chosen, and the other is unknown.
    """

    of: dict[str, _Question]
    words: str
    alike: int


def rows_of_columns(table: Table) -> Table:
    """A row for each person and question of a questionnaire, or pair of objects; else as it is."""
    table = objects_in_cells(table) or questions_in_cells(table) or table
    table, asked = below_questions(table)
    for reshape in (
        people_of_columns, counts_of_options, pairs_of_rows, questions_of_columns,
        ratings_of_columns, trials_of_rows,
    ):
        changed = reshape(asked)
        if changed is not None:
            return changed
    return table


def questions_of_columns(table: Table) -> Table | None:
    """A row for each person and question, if columns are questions about some objects.

    Questions are one sentence with other objects in it; the answer is one of these objects. Where
    answers alone name the options, both must have been chosen by somebody.
    """
    if not table.header or len(table.columns) < _FEWEST or table.n_rows > _ROWS:
        return None
    answers = {column: {*table.codes(column).values} for column in table.columns}
    asked = {
        column: _bare(column) for column, values in answers.items()
        if 0 < len(values) <= _ANSWERS and _is_sentence(_bare(column))
    }
    for columns in _alike(asked):
        found = _questions({column: asked[column] for column in columns}, answers)
        if len(found.of) >= _FEWEST:
            return _of_questions(table, found)
    return None


def questions_in_cells(table: Table) -> Table | None:
    """The table with a column for each object of the question that a cell of each row asks.

    So are prompts of language models. The response beside it is one of the objects, or its place.
    """
    if not table.header or not 2 <= len(table.columns) <= _BESIDE or table.n_rows > _MOST_PROMPTS:
        return None
    said = [column for column in table.columns if is_called_response(column)]
    for column in table.columns if len(said) == 1 else ():
        coded, response = table.codes(column), table.codes(said[0])
        asked = {text: _bare(text) for text in coded.values}
        if column in said or len(asked) < _PROMPTS or not all(map(_is_sentence, asked.values())):
            continue
        answers = {text: set() for text in asked}
        replies = [text.strip(_QUOTES) for text in response.values]
        if {*replies} <= _LETTERS.keys():
            replies = [_LETTERS[text] for text in replies]
        for own, code in zip(coded.codes.tolist(), response.codes.tolist(), strict=True):
            if own >= 0 and code >= 0:
                answers[coded.values[own]].add(replies[code])
        found = _questions(asked, answers)
        if len(found.of) >= _USUAL * len(asked) and not found.alike:
            roles, value, _ = _roles(found)
            if hold_already(table.head(_ROWS), {one for own in roles.values() for one in own}):
                return None
            objects = dict(zip(found.of, zip(*roles.values(), strict=True), strict=True))
            nothing = (None,) * len(roles)
            of_each = zip(*(objects.get(text, nothing) for text in coded.values), strict=True)
            added = {
                name: coded.spelt(texts) for name, texts in zip(roles, of_each, strict=True)
            }
            named_so = {} if value in table.columns else {value: table.data.column(said[0])}
            kept = table.holding(table.data.drop_columns(said)) if named_so else table
            return kept.with_columns(
                added | named_so, f"Cells of column {column} are questions about three objects."
            )
    return None


def ratings_of_columns(table: Table) -> Table | None:
    """A row for each person and pair, if columns ask for a number about two objects."""
    if not table.header or len(table.columns) < _FEWEST or table.n_rows > _ROWS:
        return None
    asked = {}
    for column in table.columns:
        if _is_sentence(_bare(column)):
            written = table.codes(column).codes >= 0
            if np.isfinite(table.numbers(column)).sum() > _NUMBERS * written.sum():
                asked[column] = _bare(column)
    for columns in _alike(asked):
        gaps, slots, fixed = _slots({column: asked[column] for column in columns})
        pairs = {column: tuple(own[k] for k in slots) for column, own in gaps.items()}
        often = Counter(one for pair in pairs.values() for one in {*pair})
        if len(slots) == 2 and len(pairs) >= _FEWEST <= len(often) and min(often.values()) > 1:
            words = " ".join(fixed)
            value = {"nearer": "similarity", "farther": "dissimilarity"}.get(
                asked_for(words), "rating"
            )
            first, second = zip(*pairs.values(), strict=True)
            return melted(
                table, [*pairs], {"item1": first, "item2": second}, value,
                counted(len(pairs), "pair"), "no such question",
            )
    return None


def below_questions(table: Table) -> tuple[Table, Table]:
    """The answers of a questionnaire, and the same with its questions as names of columns.

    Qualtrics names columns, asks in the next row, and says in a third where columns are from;
    SurveyMonkey has a row of the word "Response". Other tables are as they were.
    """
    head = table.head(3)
    first = {
        column: head.codes(column).each(str, "", object).tolist() for column in table.columns
    } if table.header else {}
    for row in range(min(3, table.n_rows) if first else 0):
        cells = [own[row] for own in first.values()]
        rest = np.arange(row + 1, table.n_rows)
        if any(_IMPORT in cell for cell in cells):
            names = [own[row - 1] or column for column, own in first.items()] if row else [*first]
            answers = table.only(rest, f"Rows of Qualtrics about columns: {row + 1}, left out.")
            return answers, answers.holding(answers.data.rename_columns(unique_names(names, [])))
        if 2 * sum(normalised(cell) in _REPLIES for cell in cells) > len(cells):
            answers = table.only(rest, "The row below the questions is left out.")
            return answers, answers
    return table, table


def _is_sentence(text: str) -> bool:
    return len(text) <= _LONGEST and len([word for word in text.split() if word[-1:].isalnum()
                                          or len(word) > 1]) > 2


def _bare(text: str) -> str:
    """A question without its number, and without the mark of a repeated name."""
    return re.sub(r"^\s*(Q?\d+|[a-z])\s*[.):]\s*|\s*\((\d+|copy)\)\s*$", "", text, flags=re.I)


def _alike(asked: dict[str, str]) -> list[list[str]]:
    """Columns whose questions have words in common or begin alike, most of them first."""
    words = {column: _WORDS.findall(text.casefold()) for column, text in asked.items()}
    often = Counter(word for own in words.values() for word in {*own})
    usual = {word for word, number in often.items() if number >= _USUAL * len(words)}
    groups = defaultdict(list)
    for column, own in words.items():
        for first in range(1, 4):
            groups[tuple(own[:first])].append(column)
        if usual and usual <= {*own}:
            groups["",].append(column)
    return sorted((own for own in groups.values() if len(own) >= _FEWEST), key=len, reverse=True)


def _questions(asked: dict[str, str], answers: dict[str, set[str]]) -> _Questions:
    gaps, slots, fixed = _slots(asked)
    spelt = {one.casefold(): one for own in gaps.values() for one in own}
    answers = {
        column: {spelt.get(text.casefold(), text) for text in answers[column]} for column in gaps
    }
    chosen = Counter(k for column, own in gaps.items() for k in slots if own[k] in answers[column])
    # Numbers of options; which of three is an anchor, the answers tell, or somebody says.
    by_number = len(slots) == 3 and all(answers[column] <= _PLACES for column in gaps)
    options = slots if by_number else [k for k in slots if chosen[k]]
    anchors = [k for k in slots if k not in options]
    objects = {text for own in gaps.values() for text in own}
    questions, alike = {}, 0
    for column, own in gaps.items():
        told, said = tuple(own[k] for k in options), answers[column]
        if len(anchors) == 1 and not options:  # answers alone name the options
            told = tuple(sorted(said & objects))
            alike += len(told) == 1
        elif said & objects - {*told} - _PLACES or len({*told}) < len(told):
            continue  # an answer of none, such as "not sure", is a missing one
        if (len(anchors), len(told)) in {(1, 2), (0, 3)}:
            questions[column] = _Question(own[anchors[0]] if anchors else None, told)
    if not _are_about_objects(questions.values()):
        questions = {}
    return _Questions(questions, " ".join(fixed), alike)


def _slots(asked: dict[str, str]) -> tuple[dict[str, list[str]], list[int], list[str]]:
    """What is between the words that all questions have, where all have something, and these."""
    first, *others = (_WORDS.findall(text) for text in asked.values())
    everywhere = {*first}.intersection(*others)
    fixed = [word for word in first if word in everywhere]
    gaps = {column: _between(text, fixed) for column, text in asked.items()}
    gaps = {column: own for column, own in gaps.items() if own is not None}
    filled = Counter(k for own in gaps.values() for k, text in enumerate(own) if text)
    return gaps, [k for k, often in sorted(filled.items()) if often == len(gaps)], fixed


def _are_about_objects(questions: Collection[_Question]) -> bool:
    """Whether questions share objects, and most anchors are options of others."""
    often = Counter(one for question in questions for one in question.options)
    anchors = [question.anchor for question in questions if question.anchor is not None]
    known = sum(anchor in often for anchor in anchors)
    return len(often) >= _FEWEST and sum(often.values()) >= 2 * len(often) and (
        2 * known >= len(anchors)
    )


def _between(text: str, fixed: Sequence[str]) -> list[str] | None:
    """What stands between the words that are the same in all, "" for nothing."""
    gaps, end, words = [], 0, _WORDS.finditer(text)
    for word in fixed:
        found = next((one for one in words if one[0] == word), None)
        if found is None:
            return None
        gaps.append(text[end : found.start()])
        end = found.end()
    return [gap.strip(" \"'‘’“”„[]()") for gap in (*gaps, text[end:])]


def _roles(found: _Questions) -> tuple[dict[str, list[str]], str, bool]:
    """Objects of each question by their columns, a name for the answers, and whether by number."""
    own, words = [*found.of.values()], found.words
    asked, by_number = asked_for(words), False
    if own[0].anchor is None:
        said = {*_WORDS.findall(words.casefold())}
        odd = said & {*TASK_NAMES["odd_one_out"]} or asks_what_belongs_not(words)
        value = "odd" if odd else "central" if "central" in said else "choice" if asked else _SAID
        roles = {f"item{k + 1}": [one.options[k] for one in own] for k in range(3)}
    else:
        value = {"nearer": "choice", "farther": "less similar"}.get(asked, _SAID)
        by_number = not asked
        roles = {"anchor": [one.anchor for one in own]} | {
            f"option{k + 1}": [one.options[k] for one in own] for k in range(2)
        }
    return roles, value, by_number


def _of_questions(table: Table, found: _Questions) -> Table:
    roles, value, by_number = _roles(found)
    table, unsaid = _of_options(table, found.of, by_number)
    return melted(
        table, [*found.of], roles, value, counted(len(found.of), "question"), "no such question",
        *[f"{counted(found.alike, 'question')} left out that all answered alike: the other option "
          "is in no cell."] * bool(found.alike),
        *[f"Answers that name no option, and count as missing: {listing(unsaid)}."] * bool(unsaid),
    )


def _of_options(
    table: Table, questions: dict[str, _Question], by_number: bool
) -> tuple[Table, list[str]]:
    """The table without answers that are none of the options, and these.

    by_number: Whether an option is told by its number, which does not say what was asked for.
    """
    data, unsaid = table.data, []
    for column, question in questions.items():
        codes = table.codes(column)
        spelt = {one: one for one in _PLACES}
        for place, one in enumerate(question.options, 1):
            spelt[one.casefold()] = str(place) if by_number else one
        kept = [spelt.get(text.casefold()) for text in codes.values]
        if kept != codes.values:
            unsaid += [text for text, own in zip(codes.values, kept, strict=True) if own is None]
            data = data.set_column(data.column_names.index(column), column, codes.spelt(kept))
    return table.holding(data), list(dict.fromkeys(unsaid))
