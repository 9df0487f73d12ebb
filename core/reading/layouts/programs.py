"""Programs for experiments: jsPsych, PsychoPy and Pavlovia, Gorilla, Meadows, NEXT, Salmon.

docs/files.md has samples. ``response`` of jsPsych may also list the two objects that were clicked.

tripletTools adds ``sampleAlg`` and ``sampleSet`` to NEXT's columns, and reads older names. NEXT's
own JSON is nested: per participant a list of answers, each with ``target_indices``, labelled
center, left and right, and ``index_winner`` or ``target_winner``; without these the question was
not answered. Its ``q`` is winner, loser, center.

Salmon's versions are 0.4 to 1.0; response times are in seconds, and ``score`` is the sampler's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from tripletscope.core.reading.columns.guess import (
    SAMPLE_ROWS,
    anchored_roles,
    numbered_columns,
    plain_texts,
    side_roles,
)
from tripletscope.core.reading.columns.reading import Reading
from tripletscope.core.reading.layouts import Layout, items
from tripletscope.core.reading.names import (
    by_names,
    file_name,
    is_picture_name,
    listing,
    named,
    normalised,
    stem,
    without_tags,
)
from tripletscope.core.reading.table import Table

_ANCHORED = ("anchor", "left", "right")
_LISTS = ("stimulus", "stimuli", "images", "items", "choices")
_NO_TRIALS = ("practice", "training", "example", "instructions", "instruction", "consent",
              "fixation", "feedback", "debrief", "preload", "speedy")
_PSYCHOPY = ("psychopyversion", "expname", "framerate", "trialsthisn", "trialsthistrialn",
             "trialsthisindex")
_ZONES = ("zonetype", "responsetype")
_MEADOWS_TIME = "response time (s)"


# jsPsych -------------------------------------------------------------------------------------


def _jspsych(table: Table) -> list[Reading]:
    columns = JSPSYCH.columns(table)
    response = named(table.columns, ("response", "choice", "buttonpressed"))
    if len(columns) < 2 or response is None:
        return []
    pair = _parts(table, response)
    target = named(table.columns, ("stimulus", "target", "reference", "center"))
    only = _trials(table)
    readings = []
    for name in _LISTS:
        parts = _parts(table, named(table.columns, (name,)))
        candidates: list[tuple[str, dict[str, str], str]] = []
        if len(parts) == 2 and target and name != target:
            candidates = [("nearer", dict(zip(_ANCHORED, (target, *parts), strict=True))
                      | {"choice": response}, f"{target} is the target, {name} the two options.")]
        elif len(parts) == 3 and len(pair) == 2:
            candidates = [("similar_pair", items(parts) | {"choice": pair[0], "choice2": pair[1]},
                      f"{response} lists two of the three: the pair that belongs together.")]
        elif len(parts) == 3:
            doubt = (f"{name} lists three objects; the file does not say whether {response} is the "
                     f"odd one or another: check the sentences.")
            candidates = [(task, items(parts) | {"choice": response}, doubt)
                     for task in ("odd_one_out", "most_central")]
        for task, roles, reason in candidates:
            side, reasons = side_roles(table, roles)
            side |= {"time": columns["trialindex"]} if "trialindex" in columns else {}
            reasons += [f"Rows are trials where {listing([*only])} says so."] if only else []
            readings.append(JSPSYCH.reading(
                table, roles, "Columns such as trial_type and trial_index are those of jsPsych.",
                reason, *reasons, side=side, task=task, only=only, program="jsPsych",
                # It numbers buttons from 0.
                choice_coding="position_0" if _are_digits(table, response) else None,
            ))
    return readings


def _are_digits(table: Table, column: str) -> bool:
    texts = set(plain_texts(table.head(SAMPLE_ROWS), column)) - {""}
    return texts <= {"0", "1", "2"} and f"{column}[1]" not in table.columns


def _parts(table: Table, column: str | None) -> list[str]:
    return [c for c in table.columns if column and c.startswith(f"{column}[") and c.endswith("]")]


def _trials(table: Table) -> dict[str, tuple[str, ...]]:
    """Kinds of rows that are neither practice nor instructions, if a column shows them."""
    column = named(table.columns, ("trialcategory", "task", "phase", "part"))
    kinds = table.codes(column).values if column else []
    kept = [kind for kind in kinds if normalised(kind) not in _NO_TRIALS]
    return {column: tuple(kept)} if 0 < len(kept) < len(kinds) else {}


# PsychoPy ------------------------------------------------------------------------------------


def _psychopy(table: Table) -> list[Reading]:
    markers = [column for column in table.columns if normalised(column) in _PSYCHOPY]
    keys = [c for c in table.columns if c.endswith((".keys", ".clicked_name", ".response"))]
    if not markers or not keys:
        return []
    # Of several keyboards the one with the most answers belongs to the trials.
    choice = max(keys, key=lambda c: int((table.codes(c).codes >= 0).sum()))
    device = choice.rpartition(".")[0]
    if f"{choice}[1]" in table.columns:  # a mouse lists its clicks
        choice = f"{choice}[1]"
    side, reasons = side_roles(table, {"choice": choice})
    timers = [name for name in (f"{device}.rt", f"{device}.time[1]") if name in table.columns]
    side |= {"response_time": timers[0]} if timers else {}
    return [
        PSYCHOPY.reading(
            table, roles | {"choice": choice},
            f"Column {markers[0]} is PsychoPy's; participants responded by {device}.", *reasons,
            side={role: c for role, c in side.items() if c not in (*roles.values(), choice)},
            task=task, program="PsychoPy",
        )
        for task, roles in _objects(table, choice)
    ]


def _objects(table: Table, choice: str) -> list[tuple[str, dict[str, str]]]:
    """Possible tasks with the roles of the objects, the likeliest first."""
    anchored = anchored_roles(table, table.columns)
    if anchored:
        return [("nearer", anchored)]
    words = set(plain_texts(table.head(SAMPLE_ROWS), choice)) - {""}
    for columns in numbered_columns(table.columns).values():
        tasks = ()
        if len(columns) == 3:
            tasks = ("odd_one_out", "most_central") if len(words) > 2 else (
                "larger_difference", "smaller_difference"
            )
        elif len(columns) == 4:
            tasks = ("larger_pair", "smaller_pair")
        if tasks:
            levels = normalised(columns[0]) in ("s1", "stim1", "stimulus1", "level1")
            more = [("nearer", dict(zip(_ANCHORED, columns, strict=True)))] if (
                "larger_difference" in tasks and not levels
            ) else []
            return [*((task, items(columns)) for task in tasks), *more]
    return []


# Gorilla -------------------------------------------------------------------------------------


def _gorilla(table: Table) -> list[Reading]:
    side = GORILLA.columns(table)
    zone, response = named(table.columns, _ZONES), named(table.columns, ("response",))
    if "participant" not in side or zone is None or response is None:
        return []
    only = response_zones(table)
    free = [c for c in table.columns if normalised(c) not in ("response", "responsetype")]
    anchored = anchored_roles(table, free)
    groups = [g for g in numbered_columns(free).values() if len(g) == 3]
    candidates: list[tuple[str, dict[str, str]]] = [("nearer", anchored)] if anchored else [
        (task, items(group)) for group in groups[:1] for task in ("odd_one_out", "most_central")
    ]
    return [
        GORILLA.reading(
            table, roles | {"choice": response},
            f"Columns {side['participant']} and {zone} are Gorilla's; answers are the rows of "
            f"{listing(only[zone]) if only else 'every zone'}.",
            side=side, task=task, only=only, program="Gorilla",
        )
        for task, roles in candidates
    ]


def response_zones(table: Table) -> dict[str, tuple[str, ...]]:
    """Kinds of rows with responses in Gorilla's files; empty for others."""
    zone = named(table.columns, _ZONES)
    kinds = table.codes(zone).values if zone else []
    responses = tuple(kind for kind in kinds if re.match("response", kind, re.I))
    return {zone: responses} if responses else {}


# Meadows -------------------------------------------------------------------------------------


def _meadows(table: Table) -> list[Reading]:
    roles = MEADOWS.columns(table)
    if len(roles) < 6:
        return []
    side = by_names(table.columns, {"time": ["start"]})
    side |= {"response_time": _MEADOWS_TIME} if _MEADOWS_TIME in table.columns else {}
    return [
        MEADOWS.reading(
            table, roles,
            "Columns participation, stim1_name and label are those of Meadows' annotations.",
            "Label is the chosen object; the file does not say whether as the odd one or another: "
            "check the sentences.",
            side=side, task=task, program="Meadows", choice_coding="item",
            response_time_unit="s" if "response_time" in side else None,
        )
        for task in ("odd_one_out", "most_central")
    ]


def _with_times(table: Table) -> Table | None:
    """The table with response times as difference of two moments."""
    start, end = named(table.columns, ["start"]), named(table.columns, ["resp"])
    if len(MEADOWS.columns(table)) < 6 or not start or not end:
        return None
    seconds = (table.moments(end) - table.moments(start)) / np.timedelta64(1, "s")
    return table.with_columns(
        {_MEADOWS_TIME: pa.array(seconds)}, f"{_MEADOWS_TIME} is {end} minus {start}."
    )


def _arranged(document: Any) -> Sequence[Mapping[str, Any]] | None:
    """A record for each pair, or else for each place, of the arrangements in a tree of tasks."""
    found = [
        (who, task, names) for who, tasks in _participations(document) for task in tasks
        if (names := [_called(one) for one in task.get("stimuli", ())])
    ]
    halves = [
        (who, _task_name(task), names, task["rdm"]) for who, task, names in found
        if len(names) > 2 and isinstance(task.get("rdm"), list)
        and 2 * len(task["rdm"]) == len(names) * (len(names) - 1)
    ]
    # Several tasks of a person may ask for several things, which are not to be averaged.
    several = len({name for _, name, *_ in halves}) > 1
    pairs = [
        {"participant": f"{who}, {name}" if several else who, "item1": one, "item2": other,
         "dissimilarity": value}
        for who, name, names, values in halves
        for (one, other), value in zip(combinations(names, 2), values, strict=True)
        if value is not None
    ]
    places = [] if pairs else [
        {"participant": who, "trial": f"{_task_name(task)} {number}".strip(),
         "item": by_id.get(place.get("id"), place.get("name", place.get("id"))),
         "x": place["x"], "y": place["y"]}
        for who, task, names in found
        for by_id in [dict(zip([one.get("id") for one in task["stimuli"]], names, strict=True))]
        for number, trial in enumerate(task.get("trials", ()), 1)
        for place in trial.get("positions", ()) if {"x", "y"} <= place.keys()
    ]
    records = pairs or places
    if any(record["participant"] for record in records):
        return records
    return [{key: record[key] for key in record if key != "participant"} for record in records]


def _participations(document: Any) -> Iterator[tuple[str, list[Mapping[str, Any]]]]:
    """People and their tasks, of one or of all; one that was downloaded alone has no name."""
    if isinstance(document, dict) and not {"tasks", "rdm", "trials"} & document.keys():
        people = [*document.items()]
    else:
        people = [("", one) for one in (document if isinstance(document, list) else [document])]
    for k, (who, one) in enumerate(people):
        if isinstance(one, dict):
            tasks = one["tasks"] if isinstance(one.get("tasks"), list) else [one]
            called = who or str(one.get("name", "" if len(people) == 1 else k + 1))
            yield called, [task for task in tasks if isinstance(task, dict)]


def _task_name(task: Mapping[str, Any]) -> str:
    about = task.get("task")
    return str(about.get("name", "")) if isinstance(about, dict) else ""


def _called(stimulus: Any) -> str:
    if not isinstance(stimulus, dict):
        return str(stimulus)
    return str(stimulus.get("name") or stimulus.get("id"))


def _on_arranged(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """A sentence on several tasks."""
    tasks = dict.fromkeys(str(record["participant"]).rpartition(", ")[2] for record in records
                          if ", " in str(record.get("participant", "")))
    if "dissimilarity" not in records[0] or len(tasks) < 2:
        return []
    return [f"The tasks {listing([*tasks])} are read as raters of their own: leave those out that "
            "asked for something else."]


JSPSYCH = Layout("jspsych", "jsPsych", 12, _jspsych)
PSYCHOPY = Layout("psychopy", "PsychoPy", 13, _psychopy)
GORILLA = Layout("gorilla", "Gorilla", 14, _gorilla)
MEADOWS = Layout("meadows", "Meadows", 15, _meadows, reshape=_with_times,
                 unpack=_arranged, told=_on_arranged)


# NEXT and tripletTools --------------------------------------------------------------------------

#: Keys that repeat the targets.
_INSIDE = ("target_indices", "q", "index_winner", "target_winner", "_id")


def _next(table: Table) -> list[Reading]:
    roles = NEXT.columns(table)
    if len(roles) < 4:
        return []
    return [NEXT.reading(
        table, roles,
        f"Columns {listing(list(roles.values()))} are those of NEXT and tripletTools.",
    )]


def _answers_of(document: Any) -> Sequence[Mapping[str, Any]] | None:
    """One record per answer from NEXT's JSON, of versions 1 and 2."""
    if isinstance(document, dict) and isinstance(document.get("participant_responses"), dict):
        document = [
            answer for answers in document["participant_responses"].values() for answer in answers
        ]
    if not isinstance(document, list) or not document or "target_indices" not in document[0]:
        return None
    return [_record(answer) for answer in document]


def _record(answer: Mapping[str, Any]) -> dict[str, Any]:
    shown = {target["label"]: target for target in answer["target_indices"]}
    objects = {label: _name_of(target) for label, target in shown.items()}
    winner = answer.get("index_winner", answer.get("target_winner"))
    names = {
        str(key): objects[label] for label, target in shown.items()
        for key in (target.get("index"), target.get("target_id"), _id_of(target)) if key is not None
    }
    chosen = None if winner is None else names.get(str(winner), winner)
    order = answer.get("q")
    numbers = {label: target.get("index") for label, target in shown.items()}
    if chosen is not None and order and None not in numbers.values() and (
        order[0] != winner or order[-1] != numbers.get("center")
    ):
        chosen = None  # two records of one answer that contradict each other
    return {
        **{f"target_{label}": objects.get(label) for label in ("center", "left", "right")},
        "target_winner": chosen,
        **{key: value for key, value in answer.items() if key not in _INSIDE},
    }


def _id_of(target: Mapping[str, Any]) -> Any:
    inner = target.get("target")
    return inner.get("target_id") if isinstance(inner, dict) else None


def _name_of(target: Mapping[str, Any]) -> Any:
    inner = target.get("target")
    described = inner if isinstance(inner, dict) else target
    return described.get("primary_description") or described.get("target_id", target.get("index"))


NEXT = Layout("center", "Center, Left, Right, Answer (NEXT, tripletTools)", 20, _next,
                unpack=_answers_of)


# Salmon -----------------------------------------------------------------------------------------


_OF_SALMON = ("puid", "algident", "sampler", "networklatency", "timereceived")
_NAMED_BY = ("filename", "html", "object")


def _salmon(table: Table) -> list[Reading]:
    roles = SALMON.columns(table)
    markers = [column for column in table.columns if normalised(column) in _OF_SALMON]
    if len(roles) < 4 or not markers:
        return []
    named_by = _name_columns(table)
    source = (
        f"their names are in columns such as {next(iter(named_by.values()))}"
        if named_by else "the file does not name them"
    )
    return [SALMON.reading(
        table, roles, f"Columns head, left, right, winner and {markers[0]} are Salmon's.",
        f"Objects are numbers counted from 0; {source}.", choice_coding="item",
    )]


def _describe(table: Table, reading: Reading) -> pd.DataFrame | None:
    named_by = _name_columns(table)
    parts = [
        pd.DataFrame({"id": plain_texts(table, column), "shown": table.texts(named_by[column])})
        for role in _ANCHORED if (column := reading.roles.get(role)) in named_by
    ]
    names = pd.concat([pd.DataFrame({"id": [], "shown": []}, dtype=object), *parts])
    names = names[(names["id"] != "") & (names["shown"] != "")].drop_duplicates("id")
    if not len(names):
        return None
    shown = dict(zip(names["id"], map(without_tags, names["shown"]), strict=True))
    table_of_objects = pd.DataFrame({"id": list(shown), "label": map(stem, shown.values())})
    if all(map(is_picture_name, shown.values())):
        table_of_objects["image"] = [file_name(text) for text in shown.values()]
    return table_of_objects


def _name_columns(table: Table) -> dict[str, str]:
    """Column of object numbers -> column of what was shown."""
    return {
        column: beside
        for column in table.columns
        if (beside := named(table.columns, [normalised(column) + name for name in _NAMED_BY]))
    }


SALMON = Layout("salmon", "Salmon responses", 10, _salmon, _describe)
