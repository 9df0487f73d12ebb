"""Names of objects inside HTML, or inside a sentence that asks about them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from tripletscope.core.reading.names import (
    asked_for,
    asks_otherwise,
    listing,
    stem_key,
    without_tags,
)
from tripletscope.core.reading.table import Codes, Table

#: Rows that show whether cells hold more than names.
_LOOKED_AT = 200
#: Letters of a sentence, and of the HTML of a screen, at most.
_LONGEST, _SCREEN = 300, 10_000
#: Most different cells of a column that are looked through.
_MOST = 5_000
#: Share of the rows in which a name may be that of another column.
_SHOWN = 0.1
#: Signs before a name.
_OPENING = "\"'‘“("
_MARKS = re.compile(r"<[^<>]*>")
#: Share of the different texts around objects that must name one.
_MOSTLY = 0.5
#: Different objects that a column, or the sentence around them, must be about.
_FEWEST = 3


def unwrapped(table: Table) -> Table:
    """The table with names alone, where these stand as such in another column.

    Experiments show an object by HTML, or name it in their question; elsewhere in the same row is
    its name or file. Cells that are about nothing of the kind stay as they are.
    """
    coded = _wrapped(table)
    if not coded:
        return table
    bare = {
        column: [without_tags(text) for text in codes.values] for column, codes in coded.items()
    }
    spelt = _spelt(table, bare)
    changed = {}
    for column, codes in coded.items():
        elsewhere = {
            name: next(text for own, text in ways.items() if own != column)
            for name, ways in spelt.items() if ways.keys() - {column}
        }
        names, alike = [elsewhere.get(stem_key(text)) for text in bare[column]], bare[column]
        around = " ".join({
            _MARKS.sub(" ", text).strip() for text, name in zip(codes.values, names, strict=True)
            if name is not None
        })
        if not _is_about(names, alike, codes.codes):
            names, alike, around = _in_sentences(bare[column], elsewhere)
        if not _is_about(names, alike, codes.codes) or _is_of_options(table, column, names):
            continue
        asked = asked_for(around)
        if asks_otherwise(around) and asked != "farther":
            continue  # the question is needed to know what was said
        values = [name or own for name, own in zip(names, codes.values, strict=True)]
        name = f"{column} (less similar)" if asked == "farther" else column
        changed[column] = name, codes.spelt(values)
    if not changed:
        return table
    data = table.data
    for column, (name, cells) in changed.items():
        data = data.set_column(data.column_names.index(column), name, cells)
    note = f"Names of objects were taken out of the text around them: {listing(list(changed))}."
    return table.holding(data).with_columns({}, note)


def _wrapped(table: Table) -> dict[str, Codes]:
    """Columns of HTML or sentences, but for those whose cells stand in another column as well."""
    head = table.head(_LOOKED_AT)
    texts = [column for column in table.columns
             if not pa.types.is_floating(table.data.column(column).type)]
    more = [column for column in texts if any(map(_holds_more, head.codes(column).values))]
    if not more:
        return {}
    begins = table.head(_MOST)
    often = Counter(text for column in texts for text in {*begins.codes(column).values})
    coded = {column: table.codes(column) for column in more}
    return {
        column: codes for column, codes in coded.items()
        if len(codes.values) <= _MOST and max(map(len, codes.values)) <= _SCREEN
        and 2 * sum(often[text] > 1 for text in codes.values) < len(codes.values)
    }


def _spelt(table: Table, bare: Mapping[str, list[str]]) -> dict[str, dict[str, str]]:
    """How columns spell each name, by the name without HTML, case and extension.

    bare: Cells of some columns without HTML; other columns come first.
    """
    spelt: dict[str, dict[str, str]] = defaultdict(dict)
    begins = table.head(_MOST)
    for column in sorted(table.columns, key=lambda name: name in bare):
        if pa.types.is_floating(table.data.column(column).type):
            continue
        for text in bare.get(column) or begins.codes(column).values:
            if len(text) <= _LONGEST and not text.startswith("["):
                name = without_tags(text)
                if not _holds_more(name):
                    spelt[stem_key(name)].setdefault(column, text)
    return spelt


def _holds_more(text: str) -> bool:
    """Whether a cell is HTML or a sentence, and no list."""
    return not text.startswith("[") and ("<" in text or text.count(" ") > 1)


def _is_about(names: list[str | None], texts: list[str], codes: np.ndarray) -> bool:
    """Whether most of these texts name objects, of which some recur in the cells (codes)."""
    different = len({*names} - {None})
    told = np.array([*(name is not None for name in names), False])[codes].sum()
    return different >= max(_FEWEST, _MOSTLY * len({*texts})) and told > different


def _is_of_options(table: Table, column: str, names: list[str | None]) -> bool:
    """Whether the name is often that of another column in its row: of an option, no anchor."""
    own = np.array([*((None if name is None else stem_key(name)) for name in names), None])
    own = own[table.codes(column).codes[:_MOST]]
    told = np.array([name is not None for name in own])
    begins = table.head(_MOST)
    for name in table.columns:
        if name == column or pa.types.is_floating(table.data.column(name).type):
            continue
        other = begins.codes(name).each(lambda text: stem_key(without_tags(text)), "", object)
        if len(other) == len(own) and np.sum((other == own) & told) > _SHOWN * max(told.sum(), 1):
            return True
    return False


def _in_sentences(
    texts: list[str], names: Mapping[str, str]
) -> tuple[list[str | None], list[str], str]:
    """The name in each text of a sentence, all texts of that kind, and the sentence."""
    found: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    begin = {name[:2] for name in names}
    longest = max((name.count(" ") + 1 for name in names), default=0)
    for text in texts:
        words = text.split(" ") if len(text) <= _LONGEST else []
        for first in range(len(words)):
            for last in range(first + 1, min(first + longest, len(words)) + 1):
                start = words[first].lstrip(_OPENING)[:2].casefold()
                if not {start, start[:1]} & begin:
                    break
                name = " ".join(words[first:last])
                kept = name.rstrip("?!.:;,\"'’”)")
                after = " ".join([name[len(kept):], *words[last:]])
                name = kept.lstrip(_OPENING)
                before = " ".join([*words[:first], kept[: len(kept) - len(name)]])
                if name and stem_key(name) in names:
                    found[before, after][text] = names[stem_key(name)]
    kinds = sorted(found.items(), key=lambda one: -len(one[1]))
    # Of several sentences about objects, each may ask for something else.
    if not kinds or (len(kinds) > 1 and len(kinds[1][1]) >= _FEWEST):
        return [None] * len(texts), texts, ""
    (before, after), most = kinds[0]
    alike = [text for text in texts
             if text.startswith(before.rstrip()) and text.endswith(after.lstrip())]
    return [most.get(text) for text in texts], alike, f"{before} {after}"
