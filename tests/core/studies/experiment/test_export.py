"""Questions asked by other programs, whose results are read by themselves as what was answered."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from tests.core.studies.experiment.made import answered, experiment_of, whole
from tripletscope.core.data.errors import DataError
from tripletscope.core.reading import load, propose
from tripletscope.core.reading.columns.guess import complete
from tripletscope.core.reading.interpretation.interpret import interpret
from tripletscope.core.reading.layouts import layouts
from tripletscope.core.studies.experiment.experiment import Stimulus
from tripletscope.core.studies.experiment.export import PROGRAMS, questions_for
from tripletscope.core.studies.experiment.items import SurveyItem
from tripletscope.core.studies.experiment.results import checks_answered, gathered_answers

#: Whose results carry our own columns.
RECOGNISED = ("jspsych", "psychopy", "gorilla")
TASKS = ("triplet", "odd_one_out", "similar_pair", "pairs")


def number(record) -> int:
    """The number of the response to one press."""
    return sum(record.chosen) - 1 if record.task == "similar_pair" else record.chosen[0]


def as_jspsych(file: bytes, records) -> str:
    """What jsPsych's own CSV of such an experiment has, between other events."""
    trials = json.loads(file)["timeline"]
    rows = [{"trial_type": "html-button-response", "trial_index": 0, "time_elapsed": 9, "rt": 900,
             "response": 0, "stimulus": "<p>Agree?</p>"}]
    rows += [
        {"trial_type": "html-button-response", "trial_index": k, "time_elapsed": 999 * k,
         "rt": record.rt_ms, "response": number(record), "participant": record.participant,
         **trial["data"]}
        for k, (trial, record) in enumerate(zip(trials, records, strict=True), 1)
    ]
    return pd.DataFrame(rows).to_csv(index=False)


def as_psychopy(file: bytes, records) -> str:
    table = pd.read_csv(io.BytesIO(file), dtype=str, keep_default_na=False)
    keys = table["keys"][0].split(",")
    table["trials.thisN"] = range(len(table))
    table["resp.keys"] = [keys[number(record)] for record in records]
    table["resp.rt"] = [record.rt_ms / 1000 for record in records]
    table["participant"] = [record.participant for record in records]
    table["psychopyVersion"] = "2024.2"
    return table.to_csv(index=False)


def as_gorilla(file: bytes, records, before: str = "") -> str:
    table = pd.read_csv(io.BytesIO(file), dtype=str, keep_default_na=False)
    by_name = records[0].task in ("triplet", "odd_one_out")
    zone = pd.DataFrame({
        "Event Index": range(1, len(table) + 1), "Trial Number": range(1, len(table) + 1),
        "Participant Private ID": [record.participant for record in records],
        "Zone Type": "response_button_image",
        "Reaction Time": [record.rt_ms for record in records],
        "Response": [
            record.shown[(record.task == "triplet") + number(record)] if by_name
            else number(record) + 1 for record in records
        ],
    })
    fixation = zone.assign(**{"Zone Type": "fixation", "Response": ""})
    rows = [
        pd.concat([part, table.add_prefix(before)], axis=1) for part in (fixation, zone)
    ]
    return pd.concat(rows).sort_values("Event Index", kind="stable").to_csv(index=False)


ANSWERED = {"jspsych": as_jspsych, "psychopy": as_psychopy, "gorilla": as_gorilla}


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("program", RECOGNISED)
def test_results_are_recognised_and_say_what_was_answered(program, task):
    experiment = whole(9, task)
    records = answered(experiment, 1)
    (file,) = questions_for(experiment, program).values()
    table = load(ANSWERED[program](file, records).encode(), "results.csv")
    reading = propose(table)[0]
    assert reading.layout == "collect"
    imported = interpret(table, reading)
    read = imported.pairs.quadruples() if imported.pairs else imported.triplets
    mine = gathered_answers(experiment, records)
    ids = np.array(imported.triplets.ids, dtype=object)
    assert ids[read.rows].tolist() == np.array(mine.ids, dtype=object)[mine.rows].tolist()
    for column in ("kind", "sampler", "participant"):
        told = read.answers[column].astype("str").tolist()
        assert told == mine.answers[column].astype("str").tolist()
    assert np.allclose(read.answers["response_time"], mine.answers["response_time"])
    expected = checks_answered(records)
    assert len(expected) == 8
    assert imported.catch_trials["correct"].tolist() == expected["correct"].tolist()


@pytest.mark.parametrize("program", RECOGNISED)
def test_the_layouts_of_the_programs_themselves_read_the_objects_as_well(program):
    experiment = experiment_of(9, n_questions=30, catch=0.0, n_practice=0)
    records = answered(experiment, 1)
    (file,) = questions_for(experiment, program).values()
    text = ANSWERED[program](file, records)
    if program == "jspsych":  # with the lists of what was shown, by name
        rows = json.loads(file)["timeline"]
        table = pd.read_csv(io.StringIO(text), dtype=str)[1:].drop(columns="response")
        choices = [json.dumps([row["data"]["left"], row["data"]["right"]]) for row in rows]
        text = table.assign(
            stimulus=table["anchor"], choices=choices, response=[r.chosen[0] for r in records]
        ).to_csv(index=False)
    table = load(text.encode(), "results.csv")
    (reading,) = layouts()[program].propose(table)[:1]
    found = [one for one in propose(table) if one.layout == program]
    imported = interpret(table, found[0] if found else complete(table, reading)[0])
    mine = gathered_answers(experiment, records)
    ids = np.array(imported.triplets.ids, dtype=object)
    assert ids[imported.triplets.rows].tolist() == np.array(mine.ids)[mine.rows].tolist()


def test_newer_gorilla_says_whose_the_columns_are():
    experiment = whole(9)
    records = answered(experiment, 1)
    (file,) = questions_for(experiment, "gorilla").values()
    table = load(as_gorilla(file, records, "Spreadsheet: ").encode(), "results.csv")
    reading = propose(table)[0]
    assert reading.layout == "collect"
    mine = gathered_answers(experiment, records)
    assert len(interpret(table, reading).triplets) == len(mine)


def test_every_person_has_a_file_of_their_own():
    files = questions_for(experiment_of(12), "jspsych", people=range(3))
    assert list(files) == ["jspsych_1.json", "jspsych_2.json", "jspsych_3.json"]
    assert len({*files.values()}) == 3


@pytest.mark.parametrize("program", PROGRAMS)
def test_questionnaires_are_left_to_the_program(program):
    experiment = experiment_of(6, n_questions=4)
    items = (SurveyItem("age", "number", "How old are you?"),)
    asking = replace(experiment, before=items, after=(SurveyItem("why", "text", "Why?"),))
    (file,), (alone,) = (questions_for(one, program).values() for one in (asking, experiment))
    assert b"questionnaire" not in file
    assert len(file.splitlines()) == len(alone.splitlines())


def test_what_a_page_shows_is_escaped_and_files_are_preloaded():
    experiment = replace(
        experiment_of(3, labels=True, n_questions=3, texts={"question": "Is a < b?"}),
        objects=(
            Stimulus("a", "text", "<script>alert(1)</script>", label='"x"'),
            Stimulus("b", "picture", "cat.png"), Stimulus("c", "colour", "#ff0000"),
        ),
    )
    (file,) = questions_for(experiment, "jspsych").values()
    text = file.decode()
    assert "<script" not in text
    assert "Is a &lt; b?" in text
    assert json.loads(text)["preload"] == ["stimuli/cat.png"]
    assert 'src=\\"stimuli/cat.png\\"' in text


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("values", [
    {"source": "gain"}, {"task": "ranking"}, {"task": "arrangement", "n_on_table": 5},
])
def test_what_another_program_cannot_ask_is_refused_with_a_remedy(program, values):
    if program == "plain" and "task" in values:
        (file,) = questions_for(experiment_of(9, **values), program).values()
        assert b"object 5" in file
        return
    with pytest.raises(DataError) as found:
        questions_for(experiment_of(9, **values), program)
    assert found.value.remedy


def test_gorilla_could_not_tell_objects_apart_that_show_the_same():
    experiment = replace(experiment_of(3), objects=tuple(
        Stimulus(one, "text", "same") for one in "abc"
    ))
    with pytest.raises(DataError, match="several objects show 'same'"):
        questions_for(experiment, "gorilla")
    questions_for(experiment, "psychopy")
    with pytest.raises(ValueError, match="program is 'word'"):
        questions_for(experiment, "word")
