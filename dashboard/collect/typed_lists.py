"""Questions of one's own: lists to be asked, and gold questions with their right answers."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.question_kinds import CHECKS
from tripletscope.core.studies.experiment.experiment import Stimulus
from tripletscope.core.studies.experiment.items import SurveyItem
from tripletscope.core.studies.experiment.question import ASKINGS, KINDS, Question

#: Columns that name objects, in their order, in lists that Simulate makes and in usual ones.
_ROLES = (("anchor", "left", "right"), ("head", "left", "right"), ("anchor", "first", "second"))


def gold_questions(
    lines: str, stimuli: Sequence[Stimulus], task: str, n_shown: int, n_chosen: int
) -> tuple[dict[str, Any], ...]:
    """Gold questions: a line for each, objects separated by commas, the correct option first."""
    ids = _ids_by_name(stimuli)
    right = tuple(range(n_chosen))
    questions = []
    for row, names in _rows(lines):
        shown = _shown(names, ids, n_shown, "the gold questions", row)
        name = f"gold {len(questions) + 1}"
        questions.append(Question(name, task, shown, n_chosen, "gold", "list", right).described())
    return tuple(questions)


def listed_questions(
    lines: str, stimuli: Sequence[Stimulus], task: str, n_shown: int, n_chosen: int
) -> tuple[dict[str, Any], ...]:
    """Questions of a table: objects in the order shown, perhaps ``list`` (from 1) and ``kind``.

    Rows without objects are passed over, and so are practice and checks: the experiment has its
    own.
    """
    where, ids = "the list of questions", _ids_by_name(stimuli)
    rows = list(_rows(lines))
    header = [name.lower() for name in rows[0][1]] if rows else []
    columns = _columns(header, n_shown)
    if columns is not None:
        rows = rows[1:]
    questions = []
    for number, values in rows:
        row = dict(zip(header, values, strict=False)) if columns is not None else {}
        names = [row.get(name, "") for name in columns] if columns is not None else values
        if not any(names) or row.get("kind") in (*CHECKS, "practice"):
            continue
        kind = row.get("kind") if row.get("kind") in KINDS else "question"
        shown = _shown(names, ids, n_shown, where, number)
        question = Question(
            f"list {len(questions) + 1}", task, shown, n_chosen, kind, "list"
        ).described()
        if row.get("list", "").isdigit():
            question["list"] = max(int(row["list"]) - 1, 0)
        questions.append(question)
    if not questions:
        raise DataError("there are no questions", file=where, remedy="Give one per row.")
    return tuple(questions)


def _ids_by_name(stimuli: Sequence[Stimulus]) -> dict[str, str]:
    """Ids by what may stand for them: ids themselves, and labels that are no other's id."""
    labels = {stimulus.label: stimulus.id for stimulus in stimuli}
    return labels | {stimulus.id: stimulus.id for stimulus in stimuli}


def questionnaire(lines: str, where: str) -> tuple[SurveyItem, ...]:
    """Items of a questionnaire, a line for each: name; kind; question; details."""
    items = []
    for number, line in enumerate(lines.splitlines(), 1):
        if not line.strip():
            continue
        name, kind, text, *more = [*(part.strip() for part in line.split(";", 3)), "", ""][:4]
        required, kind = not kind.endswith("?"), kind.removesuffix("?").strip().lower()
        parts = [part.strip() for part in "".join(more).split("|") if part.strip()]
        try:
            options = tuple(parts[:2] if kind == "scale" else parts if kind == "choice" else ())
            low, high = 0.0, 7.0
            if kind == "number":
                low, high = map(float, parts or (0, 1_000_000))
            elif kind == "scale":
                high = int(parts[2]) if len(parts) > 2 else 7
            items.append(SurveyItem(name, kind, text, options, low, high, required))
        except DataError as error:
            raise DataError(error.problem, file=where, row=number, remedy=error.remedy) from None
        except ValueError:
            raise DataError("its numbers cannot be read", file=where, row=number, remedy="For a "
                            "number, write smallest | largest; for a scale, low end | high end | "
                            "levels.") from None
    return tuple(items)


def questionnaire_as_lines(items: Iterable[SurveyItem]) -> str:
    """Items as they are typed."""
    details = {
        "choice": lambda item: " | ".join(item.options), "text": lambda item: "",
        "number": lambda item: f"{item.low:.15g} | {item.high:.15g}",
        "scale": lambda item: " | ".join([*item.options, f"{item.high:g}"]),
    }
    return "\n".join("; ".join(filter(None, [
        item.name, item.kind + "?" * (not item.required), item.text, details[item.kind](item),
    ])) for item in items)


def as_lines(questions: Iterable[dict[str, Any]]) -> str:
    """Gold questions as they are typed."""
    return "\n".join(", ".join(map(_quoted, _right_first(record))) for record in questions)


def _right_first(record: dict[str, Any]) -> list[str]:
    """Objects of a gold question, what is right before what is not."""
    asking, shown, right = ASKINGS[record["task"]], record["shown"], record["correct"]
    rest = (k for k in range(len(asking.options(shown))) if k not in right)
    return list(asking.placed(shown, [*right, *rest]))


def _quoted(name: str) -> str:
    return f'"{name.replace(chr(34), 2 * chr(34))}"' if "," in name or '"' in name else name


def _rows(lines: str) -> Iterator[tuple[int, list[str]]]:
    """Rows that are not empty, with their numbers; apart by commas, semicolons or tabs."""
    split = lines.lstrip("\ufeff").splitlines()
    first = next(filter(str.strip, split), "")
    separator = max(",;\t", key=first.count)
    for number, line in enumerate(split, 1):
        if line.strip():
            values = next(csv.reader([line], delimiter=separator, skipinitialspace=True))
            yield number, [value.strip() for value in values]


def _columns(header: Sequence[str], n_shown: int) -> list[str] | None:
    """Columns of the objects, where the first row names columns."""
    for roles in _ROLES:
        if len(roles) == n_shown and {*roles} <= {*header}:
            return list(roles)
    numbered = [f"object {k}" for k in range(1, n_shown + 1)]
    return numbered if {*numbered} <= {*header} else None


def _shown(
    names: Sequence[str], ids: dict[str, str], n_shown: int, where: str, row: int
) -> tuple[str, ...]:
    if len(names) != n_shown:
        raise DataError(
            f"it names {len(names)} objects, and a question shows {n_shown}", file=where, row=row,
            remedy="Separate them by commas.",
        )
    for name in names:
        if name not in ids:
            raise DataError(f"there is no object {name!r}", file=where, row=row,
                            remedy="Write it as in the list of objects.")
    shown = tuple(ids[name] for name in names)
    if len({*shown}) < len(shown):
        raise DataError("an object appears twice", file=where, row=row)
    return shown
