"""Short names of objects that stay different."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

from tripletscope.dashboard.figures.fonts import advances, width_of

#: Width of a label in em, about 24 letters.
WIDTH = 11.0
#: Least width of a common part that is left out, in em.
_WORTH = 2.0
#: Share of the end in a label that is cut in its middle.
_END = 1 / 3
#: Ideograms, kana and syllables of Hangul are parts of their own; so are words and numbers.
_IDEOGRAMS = "\u2e80-\u31ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_PART = re.compile(rf"\d+|[{_IDEOGRAMS}]|(?:(?![{_IDEOGRAMS}])[^\W\d_])+|[\W_]", re.DOTALL)
_JOINER = "\u200d"
#: Jamo, variation selectors, tags and tones of skin belong to the character before them.
_ATTACHED = re.compile("[\u1160-\u11ff\ufe00-\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")
_FLAGS = re.compile("[\U0001f1e6-\U0001f1ff]+$")
_COMPARED = 2_500  # labels
_MOST_SHARED = 6  # parts in the middle
_DEEPEST = 8


def escape(text: str) -> str:
    """A text as plotly shows it literally."""
    return html.escape(text, quote=False)


def shorten(label: str, width: float = WIDTH) -> str:
    """A text of at most so many em, cut in its middle."""
    return shorten_each([label], width)[0]


def short_labels(labels: Sequence[str], width: float = WIDTH) -> list[str]:
    """Labels of at most so many em, at least 4, of which those that differ stay different.

    Parts that all share are left out first, as they distinguish nothing; then the middle of those
    still too wide. Labels that would be the same keep their differences or, without room, get their
    number in the list.
    """
    return list(_short(tuple(labels), max(width, 4.0)))


def short_people(people: Sequence[str]) -> dict[str, str]:
    return dict(zip(people, short_labels(people, 16.0), strict=True))


def short_names(
    labels: Sequence[str], which: Sequence[int], width: float = WIDTH
) -> dict[int, str]:
    """Labels of some positions as of `short_labels`, by position.

    Two of these labels differ, but one may equal another label: only a sample of these is compared.
    """
    which = [int(i) for i in which]
    others = range(0, len(labels), -(-len(labels) // _COMPARED) or 1)
    members = list(dict.fromkeys([*which, *others]))
    if len(labels) <= _COMPARED:  # in the order of the list, as others ask for them
        members = list(range(len(labels)))
    short = dict(zip(members, short_labels([labels[i] for i in members], width), strict=True))
    return {i: short[i] for i in which}


@lru_cache(maxsize=32)
def _short(labels: tuple[str, ...], width: float) -> tuple[str, ...]:
    names = list(dict.fromkeys(labels))
    if not names or width_of(names).max() <= width:
        return labels
    short = _distinct(names, width)
    for group in _alike(short):
        room = width - float(width_of([short[group[0]]])[0])
        for name in group:
            short[name] = _beginning(name, room) + short[name]
    _say_of_what(short, width)
    _cut_at_the_end(short, width)
    taken = set(short.values())
    rank = {name: number for number, name in enumerate(names, 1)}
    for group in _alike(short):
        for name in group:
            short[name] = _numbered(name, rank[name], width, taken)
            taken.add(short[name])
    return tuple(short[label] for label in labels)


def _distinct(
    names: list[str], width: float, *, whole: bool = True, depth: int = 0
) -> dict[str, str]:
    """Labels by name, few the same; `whole` leaves out only whole words."""
    texts = _without_shared(names) if whole else _cores(names, *_shared_letters(names))
    short = dict(zip(names, shorten_each(texts, width), strict=True))
    if depth == _DEEPEST:
        return short
    for group in list(_alike(short)):
        if len(group) < len(names):
            short |= _distinct(group, width, depth=depth + 1)
        elif whole:
            return _distinct(names, width, whole=False, depth=depth)
    return short


def _cut_at_the_end(short: dict[str, str], width: float) -> None:
    """Leave out the end rather than the middle of a name whose beginning no other one has."""
    middle = dict(zip(short, shorten_each([*short], width), strict=True))
    room, ordered = width - float(width_of(["…"])[0]), ["", *sorted(short), ""]
    taken = set(short.values())
    for before, name, after in zip(ordered, ordered[1:], ordered[2:], strict=False):
        head = _beginning(name, room).rstrip() if short[name] == middle[name] != name else ""
        is_alone = head and not before.startswith(head) and not after.startswith(head)
        if is_alone and f"{head}…" not in taken:
            short[name] = f"{head}…"


def _say_of_what(short: dict[str, str], width: float) -> None:
    """Begin labels of what several names end in, such as a number, with the name's beginning."""
    every = "".join(f"{name}\n" for name in short) if len(short) <= _COMPARED else ""
    for name, label in short.items():
        if label.startswith("…") and every.count(f"{label[1:]}\n") > 1:
            short[name] = _beginning(name, width - float(width_of([label])[0])) + label


def _alike(short: dict[str, str]) -> Iterator[list[str]]:
    groups: dict[str, list[str]] = {}
    for name, label in short.items():
        groups.setdefault(label, []).append(name)
    return (group for group in groups.values() if len(group) > 1)


def _beginning(name: str, room: float) -> str:
    head = int(np.searchsorted(np.cumsum(advances(name), dtype=float), room, side="right"))
    while joined(name, head):
        head -= 1
    return name[:head]


def _numbered(name: str, number: int, width: float, taken: set[str]) -> str:
    while True:
        mark = f"#{number}"
        room = width - float(width_of([mark])[0])
        label = (shorten(name, room) if room >= 1.5 else "") + mark
        if label not in taken:
            return label
        number += 1


# What labels share ---------------------------------------------------------------------------


def _without_shared(names: Sequence[str]) -> list[str]:
    """Names with an ellipsis for every part, of whole words, that all of them have."""
    if len(names) < 2:
        return list(names)
    begin, end = _shared_words(names)
    begin, end = (part if width_of([part])[0] >= _WORTH else "" for part in (begin, end))
    bare = [name[len(begin) : len(name) - len(end)] for name in names]
    pieces = _between_shared(bare)
    if not (begin or end or len(pieces[0]) > 1):
        return list(names)
    edges = [""] * bool(begin), [""] * bool(end)
    texts = ("…".join([*edges[0], *(p.strip(" _-") for p in row), *edges[1]]) for row in pieces)
    return [re.sub("…+", "…", text) if "……" in text else text for text in texts]


def _cores(names: Sequence[str], begin: str, end: str) -> list[str]:
    dots = "…" * bool(begin), "…" * bool(end)
    return [f"{dots[0]}{name[len(begin) : len(name) - len(end)]}{dots[1]}" for name in names]


def _shared_letters(names: Sequence[str]) -> tuple[str, str]:
    """The common beginning, and the common end of the rest."""
    begin = _common(min(names), max(names))
    while begin and any(_together(begin[-1], c) for c in _after(names, begin)):
        begin = begin[:-1]
    backwards = [name[len(begin) :][::-1] for name in names]
    end = _common(min(backwards), max(backwards))[::-1]
    while end and any(_together(c, end[0]) for c in _before(names, end)):
        end = end[1:]
    return begin, end


def _common(first: str, last: str) -> str:
    """Common beginning of two texts; of the first and the last in order, that of all."""
    for place, (a, b) in enumerate(zip(first, last, strict=False)):
        if a != b:
            return first[:place]
    return min(first, last, key=len)


def _after(names: Sequence[str], begin: str) -> set[str]:
    return {name[len(begin) : len(begin) + 1] for name in names}


def _before(names: Sequence[str], end: str) -> set[str]:
    return {name[: len(name) - len(end)][-1:] for name in names}


def _shared_words(names: Sequence[str]) -> tuple[str, str]:
    """As `_shared_letters`, where neither a word nor a number is divided."""
    begin, end = _shared_letters(names)
    while begin and any(_one_part(begin[-1], c) for c in _after(names, begin)):
        begin = begin[: [*_PART.finditer(begin)][-1].start()]
    while end and any(_one_part(c, end[0]) for c in _before(names, end)):
        end = end[_PART.match(end).end() :]
    return begin, end


def _between_shared(texts: list[str]) -> list[list[str]]:
    """The pieces of each text between the words that all of them have once, in the same order."""
    words = [
        word for word in dict.fromkeys(_PART.findall(min(texts, key=len))) if len(word) > 1
    ]
    for text in texts:
        words = [word for word in words if text.count(word) == 1]
        if not words:
            return [[text] for text in texts]
    words = sorted(words, key=len, reverse=True)[:_MOST_SHARED]
    first = texts[0]
    for some in (sorted(words, key=first.index), words[:1]):
        edge = [r"\d" if word[0].isdigit() else r"[^\W\d_]" for word in some]
        pattern = "(.*?)".join(
            f"(?<!{e})({re.escape(w)})(?!{e})" for w, e in zip(some, edge, strict=True)
        )
        matches = [re.fullmatch(f"(.*?){pattern}(.*?)", text, re.DOTALL) for text in texts]
        if all(matches):
            return _merged([list(match.groups()) for match in matches])
    return [[text] for text in texts]


def _merged(pieces: list[list[str]]) -> list[list[str]]:
    """Without the pieces that are the same everywhere, if together they are wide enough."""
    kept, shared = [[""] for _ in pieces], ""

    def close() -> None:
        wide = bool(shared) and width_of([shared])[0] >= _WORTH
        for row in kept:
            if wide:
                row.append("")
            else:
                row[-1] += shared

    for column in zip(*pieces, strict=True):
        if len(set(column)) == 1:
            shared += column[0]
            continue
        close()
        shared = ""
        for row, piece in zip(kept, column, strict=True):
            row[-1] += piece
    close()
    return kept


# Cutting -------------------------------------------------------------------------------------


def shorten_each(texts: Sequence[str], width: float = WIDTH) -> list[str]:
    """Texts as by `shorten`; for thousands this is much quicker."""
    cut = list(texts)
    lengths = np.array([len(text) for text in texts], dtype=np.intp)
    stop = np.cumsum(lengths)
    start = stop - lengths
    ends = np.concatenate([[0.0], np.cumsum(advances("".join(texts)), dtype=float)])
    wide = np.flatnonzero(ends[stop] - ends[start] > width)
    room = max(width - float(width_of(["…"])[0]), 0.0)
    first = ends[start[wide]]
    head = np.searchsorted(ends, first + (1 - _END) * room, side="right") - 1
    used = ends[head] - first
    tail = np.searchsorted(ends, ends[stop[wide]] - (room - used), side="left")
    for i, h, t in zip(
        wide.tolist(), (head - start[wide]).tolist(), (tail - start[wide]).tolist(), strict=True
    ):
        text = texts[i]
        while joined(text, h):
            h -= 1
        while joined(text, t):
            t += 1
        cut[i] = f"{text[:h]}…{text[t:]}"
    return cut


def joined(text: str, place: int) -> bool:
    """Whether the characters before and after a place are one for the reader."""
    if text.isascii() or not 0 < place < len(text):
        return False
    flags = _FLAGS.search(text[:place])
    if flags and _FLAGS.match(text[place]):
        return len(flags[0]) % 2 == 1
    return _together(text[place - 1], text[place])


def _together(before: str, after: str) -> bool:
    """Whether two characters are one for the reader, or may be: flags are pairs of letters."""
    if not before or not after or (before + after).isascii():
        return False
    return (
        _JOINER in (before, after)
        or unicodedata.category(after)[0] == "M"
        or bool(_ATTACHED.match(after))
        or bool(_FLAGS.match(before) and _FLAGS.match(after))
    )


def _one_part(before: str, after: str) -> bool:
    """Whether two characters are in one word or number."""
    return _together(before, after) or len(_PART.findall(before + after)) == 1
