"""Names of columns and objects: aliases of roles, natural order, stems of files, lookalikes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from os.path import commonprefix
from urllib.parse import unquote

from tripletscope.core.reading.languages import WORDS, foreign_names, spelt

#: Column names of each role, `normalised`, by priority.
ALIASES: dict[str, tuple[str, ...]] = {
    role: tuple(dict.fromkeys((*names, *foreign_names(role))))
    for role, names in WORDS["English"].items()
}

#: Columns of conditions of participants or trials.
GROUP_NAMES = (*WORDS["groups"]["English"], *spelt(WORDS["groups"]["foreign"]))

#: Columns of the choice whose names show the task.
TASK_NAMES = {task: spelt(names) for task, names in WORDS["asked"].items()}

_WORDING = {name: tuple(words) for name, words in WORDS["wording"].items()}
#: Words in names of responses that are the less similar one.
FARTHER = (
    "less", "least", "farther", "farthest", "further", "furthest", "dissim", "dissimilar",
    "dissimilarity", "different", "difference",
)

#: Names that only mean something together: anchor, then two options, or without a column of the
#: choice, near and far.
WEAK_TRIPLES = (("head", "b", "c"), ("x", "a", "b"), ("a", "b", "c"), ("i", "j", "k"))

#: Names that mean nothing else.
PLAIN = {
    "anchor": ("anchor",), "near": ("near", "nearer", "closer"),
    "far": ("far", "farther", "further"),
}

#: Columns of a table of objects.
ID_NAMES, LABEL_NAMES, IMAGE_NAMES = map(tuple, WORDS["objects"].values())

_USUAL_NAMES = frozenset({
    *chain(*ALIASES.values(), *TASK_NAMES.values()), *GROUP_NAMES, *ID_NAMES, *LABEL_NAMES,
    *IMAGE_NAMES,
})
#: Words before an opposite in a name, and words that only begin like "less".
_BEFORE = ("is", "was", "the", "picked", "selected", "chosen")
_NO_LESS = ("lesson", "lessen", "lessee", "lessor")
#: Words that are written together with others.
_WITH_OTHERS = frozenset({*WORDS["beside"]["things"], *WORDS["wording"]["together"]})


@lru_cache(4096)  # columns, cells and words are compared many times
def normalised(name: str) -> str:
    """The name without case, spaces and punctuation: ``"Alg.Label"`` is ``"alglabel"``.

    Full-width letters and separate accents are normalised, too.
    """
    name = unicodedata.normalize("NFKC", name).casefold()
    return "".join(character for character in name if character.isalnum())


def words_of(text: str) -> list[str]:
    """The words of a text or a name in small letters; signs, numbers and capitals divide them."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", unicodedata.normalize("NFKC", text))
    return re.findall(r"[^\W\d_]+(?:['’][^\W\d_]+)*", apart.casefold())


def asked_for(text: str) -> str:
    """What a question asks for: "nearer", "farther", or "" if its words do not tell for sure."""
    words = words_of(text)
    if {*words} & {*_WORDING["negations"]}:
        return ""
    near = [k for k, word in enumerate(words) if word.startswith(_WORDING["nearer"])
            or (word == "like" and words[k - 1 : k] in (["more"], ["most"], ["less"], ["least"]))]
    far = [word for word in words if word.startswith(_WORDING["farther"])]
    less = [k for k, word in enumerate(words) if word in _WORDING["less"]]
    if less:  # of one thing that is near
        is_plain = not far and len(near) == len(less) == 1 and near[0] == less[0] + 1
        return "farther" if is_plain else ""
    if far:
        return "" if near else "farther"
    return "nearer" if near else ""


def asks_otherwise(text: str) -> bool:
    """Whether any word of a text says "less", what is farther, or "not"."""
    words = words_of(text)
    return any(word.startswith(_WORDING["farther"]) for word in words) or bool(
        {*words} & {*_WORDING["less"], *_WORDING["negations"]}
    )


def asks_what_belongs_not(text: str) -> bool:
    """Whether the one is asked for that does not belong to the others."""
    words = words_of(text)
    return bool({*words} & {*_WORDING["negations"]}) and any(
        word.startswith(_WORDING["belonging"]) for word in words
    )


def is_usual_name(name: str) -> bool:
    return normalised(name) in _USUAL_NAMES


def says(name: str, words: Iterable[str]) -> bool:
    """Whether a name has one of some words, alone or written together with a usual one.

    What has one by chance says another thing: ``performer``, ``lasting``, ``wireless``.
    """
    return any(
        not rest or rest in _WITH_OTHERS or is_usual_name(rest)
        for own in words_of(name) for word in words
        for rest in (own.removeprefix(word), own.removesuffix(word)) if rest != own
    )


def begins(name: str, words: Iterable[str]) -> bool:
    """Whether a word of a name begins with one of some words, after usual ones at most.

    What says the opposite turns answers round where it is overlooked, so that ``leastsimilarface``
    has it; but no ``lesson``, and no ``wireless``.
    """
    words = tuple(words)
    return any(
        own[k:].startswith(words) and not own[k:].startswith(_NO_LESS)
        and (not k or own[:k] in _BEFORE or own[:k] in _WITH_OTHERS or is_usual_name(own[:k]))
        for own in words_of(name) for k in range(len(own))
    )


def named(columns: Iterable[str], aliases: Iterable[str]) -> str | None:
    """The column with the first of `aliases` that occurs, or None."""
    by_name: dict[str, str] = {}
    for column in columns:
        by_name.setdefault(normalised(column), column)
    return next((by_name[alias] for alias in aliases if alias in by_name), None)


def by_names(columns: Iterable[str], names: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """The column of each role, by its names; each column has one role."""
    roles: dict[str, str] = {}
    for role, many in names.items():
        column = named([c for c in columns if c not in roles.values()], many)
        if column is not None:
            roles[role] = column
    return roles


def natural_key(text: str) -> tuple:
    """Sort key that puts i2 before i10."""
    parts = re.split(r"([0-9]+)", text.casefold())
    # Digits are compared by length and then as text: int() refuses more than 4,300 of them.
    parts[1::2] = [(len(digits.lstrip("0")), digits.lstrip("0")) for digits in parts[1::2]]
    return tuple(parts), text


def natural_order(names: Iterable[str]) -> list[str]:
    names = list(names)
    if all(len(name) < 19 and name.isascii() and name.isdigit() for name in names):
        return sorted(names, key=lambda name: (int(name), name))  # the same order, faster
    return sorted(names, key=natural_key)


def file_name(text: str) -> str:
    return text.replace("\\", "/").rstrip("/").rpartition("/")[2]


def stem(text: str) -> str:
    """File name without folder and extension; other texts unchanged.

    An extension is short and begins with a letter, so that ``"v1.5"`` stays whole.
    """
    name = file_name(text)
    return re.sub(r"(?<=.)\.[A-Za-z][A-Za-z0-9]{0,4}$", "", name) or text


def name_of_several(files: Sequence[str]) -> str:
    """One name for several files: the part that their names share."""
    if len(files) == 1:
        return files[0]
    common = commonprefix([stem(name) for name in files])  # noqa: RUF071 - names, no paths
    common = re.sub(r"[\W_]+[^\W\d_]?$", "", common.rstrip("0123456789"))  # session_p01
    return common if len(common) > 2 else f"{len(files):,} files"


def stem_key(text: str) -> str:
    """The stem regardless of case and of the Unicode form of accents, which file systems change."""
    return unicodedata.normalize("NFC", stem(text)).casefold()


def respelt(texts: Iterable[str], names: Collection[str]) -> dict[str, str]:
    """The names that other texts mean: in quotes, other case, with a full stop, without ending."""
    others = [text for text in texts if text not in names]
    known: dict[str, str] = {}
    for name in names if others else ():
        key = _said_key(name)
        known[key] = "" if key in known else name  # of two, neither is meant
    return {text: name for text in others if (name := known.get(_said_key(text)))}


def _said_key(text: str) -> str:
    return stem_key(text.strip(" \t\"'`*“”„‘’«».,:;!?()[]")) or text


def is_picture_name(text: str) -> bool:
    return bool(re.search(r"\.(png|jpe?g|gif|webp|bmp|svg|tiff?)$", text, re.IGNORECASE))


def without_tags(text: str) -> str:
    """File name in the ``src`` of an HTML tag, or the text without tags."""
    shown = re.search(r"""\bsrc\s*=\s*(?:"([^"]+)"|'([^']+)'|([^"'\s>]+))""", text, re.IGNORECASE)
    if shown:
        address = next(filter(None, shown.groups()))
        # Queries follow the path of an address; a local name may have such signs.
        return unquote(file_name(re.sub(r"(\.\w{2,5})[?#][\s\S]*", r"\1", address)))
    return re.sub(r"<[^<>]*>", "", text).strip() or text


def common_start(names: Iterable[str]) -> str:
    """What all names begin with."""
    return commonprefix([*names])  # noqa: RUF071 - names, no paths


def whole_number(text: str) -> int | None:
    return int(text) if re.fullmatch(r"[+-]?[0-9]{1,18}", text) else None


def listing(items: Sequence[str], most: int = 5) -> str:
    """``"a, b and 7 more"``: the first few of `items` in words."""
    shown = list(items[:most])
    rest = len(items) - len(shown)
    if rest:
        return f"{', '.join(shown)} and {rest:,} more"
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]])) if shown else "none"


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """``"1 row"``, ``"2,000 rows"``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


#: Zero-width characters, marks of direction, soft hyphens, variation selectors.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff]"
)
#: Lookalikes of a space.
_SPACES = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\t]| {2,}")
_SHOWN = 3


def seen(name: str) -> str:
    """The name as it looks, without invisible characters."""
    if name.isascii() and "  " not in name and "\t" not in name:
        return name
    return unicodedata.normalize("NFC", _SPACES.sub(" ", _INVISIBLE.sub("", name))).strip()


def lookalikes(names: Sequence[str]) -> list[list[str]]:
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(seen(name), []).append(name)
    return [group for group in groups.values() if len(group) > 1]


def spelled(name: str) -> str:
    """The name with the code points of invisible and misleading characters."""
    def code(result: re.Match) -> str:
        return "".join(f"[U+{ord(character):04X}]" for character in result[0])

    plain = _INVISIBLE.sub(code, _SPACES.sub(code, name))
    return "".join(f"[U+{ord(c):04X}]" if unicodedata.combining(c) else c for c in plain)


def notes_on(names: Sequence[str]) -> list[str]:
    """A report's sentence about names that look the same, with their differences."""
    result = lookalikes(names)
    if not result:
        return []
    shown = "; ".join(
        f"{seen(group[0])} ({' and '.join(map(spelled, group))})" for group in result[:_SHOWN]
    )
    more = f"; and {len(result) - _SHOWN:,} more" if len(result) > _SHOWN else ""
    which = f"{counted(len(result), 'name')} of objects {'is' if len(result) == 1 else 'are'} "
    return [
        f"{which}written in several ways that look the same, and read as different objects: "
        f"{shown}{more}. Write each in one way if it is one object."
    ]
