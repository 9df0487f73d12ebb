"""Questionnaires with a column a question, objects inside sentences and HTML, and other columns."""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import partial

import numpy as np
import pandas as pd
import pytest

import tripletscope as ts
from tripletscope.core.data.errors import DataError
from tripletscope.core.reading import AmbiguousTable, OtherTask, load
from tripletscope.core.reading.objects.feature_tables import read_features

NAMES = ["cello", "drum", "flute", "harp", "lute", "oboe", "organ", "tuba", "viola", "zither"]
PLACES = np.random.default_rng(7).normal(size=(10, 2))
APART = np.linalg.norm(PLACES[:, None] - PLACES[None], axis=2)

#: What is asked, and what the answer names: the nearer of two options, the farther, or the odd one.
ASKED = {
    "Is {a} more similar to {b} or to {c}?": "nearer",
    "Was ist ähnlicher zu „{a}“: {b} oder {c}?": "nearer",
    "Which is less similar to {a}, {b} or {c}?": "farther",
    "Was ist {a} unähnlicher, {b} oder {c}?": "farther",
    "Which is the odd one out: {a}, {b} or {c}?": "odd",
    "Which one does not belong? {a} | {b} | {c}": "odd",
    "Which is the most central: {a}, {b} or {c}?": "central",
}


def answered(trial: tuple[int, int, int], kind: str, rng: np.random.Generator):
    """What somebody says of (a, b, c), and the answers (anchor, nearer, farther) it stands for."""
    a, b, c = trial
    noisy = APART + 0.2 * rng.normal(size=APART.shape)
    if kind in ("nearer", "farther"):
        near, far = (b, c) if noisy[a, b] < noisy[a, c] else (c, b)
        return (near if kind == "nearer" else far), [(a, near, far)]
    apart = {a: noisy[b, c], b: noisy[a, c], c: noisy[a, b]}
    one = (min if kind == "odd" else max)(apart, key=apart.get)
    x, y = (k for k in trial if k != one)
    return one, [(x, y, one), (y, x, one)] if kind == "odd" else [(x, one, y), (y, one, x)]


def survey(text: str, kind: str, *, people: int = 12, questions: int = 40, names=NAMES):
    """Questions, the cells of all people, and the answers they stand for."""
    rng = np.random.default_rng(1)
    trials = [tuple(map(int, rng.permutation(10)[:3])) for _ in range(questions)]
    heads = [text.format(a=names[a], b=names[b], c=names[c]) for a, b, c in trials]
    told = [[answered(trial, kind, rng) for trial in trials] for _ in range(people)]
    meant = Counter(tuple(names[k] for k in one) for row in told for _, all_of in row
                    for one in all_of)
    return heads, [[names[said] for said, _ in row] for row in told], meant


def google(heads, rows) -> bytes:
    table = [[f"2026/01/02 {k}:00:00 PM GMT+1", 20 + k % 9, *row] for k, row in enumerate(rows)]
    return csv(table, ["Timestamp", "How old are you?", *heads])


def qualtrics(heads, rows) -> bytes:
    own = [f"Q{k + 2}" for k in range(len(heads))]
    columns = ["StartDate", "Progress", "ResponseId", "Q1", *own]
    above = [["Start Date", "Progress", "Response ID", "Do you agree to take part?", *heads],
             [json.dumps({"ImportId": name}) for name in columns]]
    below = [[f"2026-01-0{k % 9 + 1}", 100, f"R_{k:03}", "Yes", *row] for k, row in enumerate(rows)]
    return csv([*above, *below], columns)


def surveymonkey(heads, rows) -> bytes:
    below = [[1000 + k, 7, *row] for k, row in enumerate(rows)]
    return csv([["", "", *["Response"] * len(heads)], *below],
               ["Respondent ID", "Collector ID", *heads])


def csv(rows, columns) -> bytes:
    return pd.DataFrame(rows, columns=columns).to_csv(index=False).encode()


FORMS: tuple[Callable[..., bytes], ...] = (google, qualtrics, surveymonkey)


def read_as(data: bytes, columns: dict[str, str] | None = None) -> Counter:
    answers = ts.read(data, columns)
    return Counter(tuple(answers.ids[k] for k in row) for row in answers.rows.tolist())


@pytest.mark.parametrize("text", ASKED)
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_a_column_a_question_is_read(form, text):
    heads, rows, meant = survey(text, ASKED[text])
    assert read_as(form(heads, rows)) == meant


@pytest.mark.parametrize("text", [
    "Which goes worst with {a}: {b} or {c}?", "Which is not similar to {a}: {b} or {c}?",
    "Was ist weiter entfernt von {a}: {b} oder {c}?", "Who is taller than {a}: {b} or {c}?",
    "Even if the difference is small: which is more similar to {a}, {b} or {c}?",
    "Which is least different from {a}: {b} or {c}?", "更不相似 {a} {b} {c}", "{a}: {b} or {c}?",
])
@pytest.mark.parametrize("kind", ["nearer", "farther"])
def test_a_wording_that_nobody_knows_is_asked_about(text, kind):
    """Or the answers tell; they are never turned round."""
    heads, rows, meant = survey(text, kind, people=3)
    with suppress(AmbiguousTable, OtherTask):
        assert read_as(google(heads, rows)) == meant


@pytest.mark.parametrize("text", [
    "Which do you like best: {a}, {b} or {c}? If you are not sure, guess.",
    "There is no right answer. Which is the best of {a}, {b} and {c}?",
])
def test_liked_ones_are_no_odd_ones(text):
    """Chosen by what is liked whatever the others."""
    heads, rows, _ = survey(text, "odd", people=6)
    liked = [[max(NAMES, key=lambda name: (name in head) * (10 - NAMES.index(name)))
              for head in heads] for _ in rows]
    with pytest.raises(DataError):
        ts.read(google(heads, liked))


def test_spelling_is_that_of_the_question():
    heads, rows, meant = survey("Is {a} more similar to {b} or to {c}?", "nearer")
    names = ["date", "time", *NAMES[2:]]  # which are columns beside answers elsewhere
    change = dict(zip(NAMES, names, strict=True))
    heads = [" ".join(change.get(word.strip("?"), word.strip("?")) for word in head.split()) + "?"
             for head in heads]
    rows = [[change[cell].title() if i % 2 else change[cell] for cell in row]
            for i, row in enumerate(rows)]
    assert read_as(google(heads, rows)) == Counter(
        {tuple(change[name] for name in one): number for one, number in meant.items()}
    )


@pytest.mark.parametrize(("text", "large"), [
    ("How similar are {a} and {b} (1 = very different, 7 = very similar)?", None),
    ("How similar or different are {a} and {b}?", None),
    ("Wie ähnlich sind {a} und {b} (1 = verschieden, 7 = gleich)?", None),
])
def test_directions_of_ratings_are_not_taken_from_the_ends_of_their_scale(text, large):
    rng = np.random.default_rng(12)
    pairs = [(a, b) for a in range(6) for b in range(a)]
    heads = [text.format(a=NAMES[a], b=NAMES[b]) for a, b in pairs]
    rows = [[int(rng.integers(1, 8)) for _ in pairs] for _ in range(6)]
    with pytest.raises(DataError, match="large"):
        ts.ratings.read_measured(google(heads, rows))


def test_names_of_several_words_numbers_and_what_names_no_option():
    names = [f"{colour} {shape}" for colour in ("red", "blue", "tiny", "big", "old")
             for shape in ("square", "star")]
    heads, rows, meant = survey("Is the {a} more similar to the {b} or to the {c}?", "nearer",
                                names=names)
    heads = [f"{k + 1}. {head}" for k, head in enumerate(heads)]
    assert read_as(qualtrics(heads, rows)) == meant
    unsure = [["Not sure" if (i + k) % 9 == 0 else cell for k, cell in enumerate(row)]
              for i, row in enumerate(rows)]
    found = read_as(google(heads, unsure))
    assert found <= meant
    assert found.total() == sum(cell != "Not sure" for row in unsure for cell in row)
    assert any("Not sure" in note for note in load(google(heads, unsure)).notes)


def test_options_that_only_answers_name():
    """Where all chose the same option nobody knows the other one, which is said."""
    heads, rows, meant = survey("Which is more similar to {a}?", "nearer")
    found = read_as(google(heads, rows))
    assert 0 < found.total() < meant.total()
    assert found <= meant
    assert any("answered alike" in note for note in load(google(heads, rows)).notes)


def test_numbers_of_options_stand_for_them():
    heads, rows, meant = survey("Is {a} more similar to {b} or to {c}?", "nearer")
    order = [[head[:-1].split(" similar to ")[1].split(" or to ").index(cell) + 1
              for head, cell in zip(heads, row, strict=True)] for row in rows]
    asked = {"anchor": "item1", "left": "item2", "right": "item3", "choice": "choice",
             "choice_coding": "position_1"}
    assert read_as(qualtrics(heads, order), asked) == meant


@pytest.mark.parametrize("text", [
    "How similar are the {a} and the {b}?", "Rate the similarity of {a} and {b} (1 to 7)",
    "Wie unähnlich sind {a} und {b}?",
])
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_ratings_asked_in_sentences(form, text):
    rng = np.random.default_rng(2)
    pairs = [(a, b) for a in range(7) for b in range(a)]
    heads = [text.format(a=NAMES[a], b=NAMES[b]) for a, b in pairs]
    values = [[float(np.clip(np.round(2 * APART[a, b] + rng.normal()), 1, 7)) for a, b in pairs]
              for _ in range(8)]
    means_similar = "unähnlich" not in text
    given = [[int(8 - one if means_similar else one) for one in row] for row in values]
    rated = ts.ratings.read_measured(form(heads, given))
    assert len(rated.raters) == 8
    assert sorted(rated.ids) == sorted(NAMES[:7])
    order = [rated.ids.index(name) for name in NAMES[:7]]
    got = rated.dissimilarities().mean[np.ix_(order, order)][tuple(zip(*pairs, strict=True))]
    assert np.corrcoef(got, np.mean(values, axis=0))[0, 1] > 0.99


@pytest.mark.parametrize("questions", [
    [f"I see myself as someone who {what}" for what in ("talks", "worries", "is lazy", "is kind")],
    [f"Do you own a {what}?" for what in ("car", "bike", "dog", "cat", "house")],
    ["Do you like tea or coffee?", "Do you like cats or dogs?", "Do you like beer or wine?",
     "Do you like summer or winter?", "Do you like sweet or salty?"],
    ["What is the capital of France? Paris, Lyon or Nice",
     "What is the capital of Italy? Rome, Milan or Turin",
     "What is the capital of Japan? Tokyo, Kyoto or Osaka",
     "What is the capital of Peru? Lima, Cusco or Ica"],
    [f"How often do you eat {what}?" for what in ("rice", "bread", "soup", "fish", "meat")],
], ids=["traits", "things", "likes", "quiz", "numbers"])
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_other_questionnaires_hold_no_judgements(form, questions):
    rng = np.random.default_rng(3)

    def options(question: str) -> list:
        if "like" in question:
            return question[12:-1].split(" or ")
        if "capital" in question:
            return question.partition("? ")[2].replace(" or ", ", ").split(", ")
        if "often" in question:
            return [*range(1, 8)]
        return ["Yes", "No"] if "own" in question else ["Agree", "Neutral", "Disagree"]

    rows = [[rng.choice(options(question)) for question in questions] for _ in range(30)]
    with pytest.raises(OtherTask):
        ts.read(form(questions, rows))


@pytest.mark.parametrize(("anchor", "option"), [
    ("<img src='{}.png'>", "{}"), ("<p>{}</p>", "{}"), ("Which is more similar to {}?", "{}"),
    ("<p>Which?</p><img src=\"img/{}.jpg\" width=200>", "<img src=\"img/{}.jpg\">"),
])
@pytest.mark.parametrize("as_json", [True, False])
def test_objects_inside_of_html_and_questions(anchor, option, as_json):
    """Screens between the trials show something else."""
    rng = np.random.default_rng(4)
    records, meant = [], Counter()
    for _ in range(200):
        a, b, c = map(int, rng.permutation(10)[:3])
        said, ((_, near, far),) = answered((a, b, c), "nearer", rng)
        meant[NAMES[a], NAMES[near], NAMES[far]] += 1
        records += [
            {"trial_type": "html-keyboard-response", "stimulus": "<p>+</p>", "choices": ["Next"],
             "response": None, "rt": 500},
            {"trial_type": "html-keyboard-response", "stimulus": "<p>Do not be less careful!</p>",
             "choices": ["Next"], "response": None, "rt": 500},
            {"trial_type": "html-button-response", "stimulus": anchor.format(NAMES[a]),
             "choices": [option.format(NAMES[b]), option.format(NAMES[c])],
             "response": int(said == c), "rt": int(rng.integers(500, 3000))},
        ]
    data = json.dumps(records).encode() if as_json else pd.DataFrame(
        [{**one, "choices": json.dumps(one["choices"])} for one in records]
    ).to_csv(index=False).encode()
    answers = ts.read(data)
    names = answers.labels
    assert Counter(tuple(names[k] for k in row) for row in answers.rows.tolist()) == meant


@pytest.mark.parametrize("said", [
    "Most people chose {}.", "<p>The right answer was {}!</p>", "You chose {}"
])
def test_feedback_is_no_response(said):
    """What the response says is random here, and what the feedback names is not."""
    rng = np.random.default_rng(13)
    rows = [[NAMES[k] for k in rng.permutation(10)[:3]] for _ in range(200)]
    table = pd.DataFrame(rows, columns=["anchor", "left", "right"])
    table["response"] = rng.choice(["left", "right"], size=200)
    table["feedback"] = [said.format(row[1 + (k % 3 > 0)]) for k, row in enumerate(rows)]
    answers = ts.read(table.to_csv(index=False).encode())
    near = [answers.ids[k] for k in answers.rows[:, 1]]
    assert near == [row[1 + (said == "right")]
                    for row, said in zip(rows, table["response"], strict=True)]


@pytest.mark.parametrize("stimulus", [
    "Which is less similar to {}?", "<p>Which is less similar to {}?</p>",
    "<p>Which is less similar?</p><img src='{}.png'>",
])
def test_a_question_for_the_farther_is_not_thrown_away(stimulus):
    records, meant = trials()
    table = pd.DataFrame(records)
    table["anchor"] = [stimulus.format(name) for name in table["anchor"]]
    table["choice"] = table["choice"].map({"left": "right", "right": "left"})
    table = table.rename(columns={"anchor": "stimulus", "choice": "response"})
    assert read_as(table.to_csv(index=False).encode()) == meant


def test_a_name_inside_of_a_word_is_no_object():
    names = ["ear", "art", "a", "no", *NAMES[4:]]
    rng = np.random.default_rng(14)
    rows = [[names[k] for k in rng.permutation(10)[:3]] for _ in range(200)]
    table = pd.DataFrame([
        [f"Please start: what is nearer to {a}?", b, c, b] for a, b, c in rows
    ], columns=["stimulus", "left", "right", "response"])
    answers = ts.read(table.to_csv(index=False).encode())
    assert sorted(answers.ids) == sorted(names)
    assert [answers.ids[k] for k in answers.rows[:, 0]] == [row[0] for row in rows]


def test_comments_that_mention_objects_stay_as_they_are():
    rng = np.random.default_rng(5)
    rows = [[NAMES[k] for k in rng.permutation(10)[:3]] for _ in range(120)]
    table = pd.DataFrame(rows, columns=["anchor", "near", "far"])
    table["comment"] = [f"I had {k % 40} doubts, {row[0]}!" if k % 4 else f"was it {k}?"
                        for k, row in enumerate(rows)]
    answers = ts.read(table.to_csv(index=False).encode())
    assert answers.answers["comment"].astype(str).tolist() == table["comment"].tolist()


def test_numbers_of_columns_are_a_response():
    heads, rows = ["similar_to_top", "pos1", "pos2", "pos3"], []
    rng, meant = np.random.default_rng(6), Counter()
    for _ in range(200):
        a, b, c = map(int, rng.permutation(10)[:3])
        said, ((_, near, far),) = answered((a, b, c), "nearer", rng)
        meant[NAMES[a], NAMES[near], NAMES[far]] += 1
        rows.append([2 if said == b else 3, NAMES[a], NAMES[b], NAMES[c]])
    assert read_as(csv(rows, heads)) == meant


def test_a_graded_response_is_not_passed_over():
    rng = np.random.default_rng(8)
    rows = [[k % 8, *(NAMES[one] for one in rng.permutation(10)[:3]), int(rng.integers(1, 7))]
            for k in range(200)]
    with pytest.raises(AmbiguousTable):
        ts.read(csv(rows, ["pid", "ref", "A", "B", "rating"]))


# One container a person ---------------------------------------------------------------------------


def trials(number: int = 160) -> tuple[list[dict], Counter]:
    rng, records, meant = np.random.default_rng(9), [], Counter()
    for k in range(number):
        a, b, c = map(int, rng.permutation(10)[:3])
        said, ((_, near, far),) = answered((a, b, c), "nearer", rng)
        meant[NAMES[a], NAMES[near], NAMES[far]] += 1
        records.append({
            "anchor": NAMES[a], "left": NAMES[b], "right": NAMES[c],
            "choice": "left" if said == b else "right", "rt": 900 + k,
        })
    return records, meant


def keyed(records: list) -> bytes:
    """As Firebase exports what it holds."""
    return json.dumps({
        f"-Nx{who}": {"info": {"age": 20, "browser": "Chrome"},
                      "trials": {f"-O{k:03}": one for k, one in enumerate(records[who::8])}}
        for who in range(8)
    }).encode()


def nested(records: list) -> bytes:
    return json.dumps({"study": "x", "participants": [
        {"id": f"s{who}", "age": 20, "trials": records[who::8]} for who in range(8)
    ]}).encode()


def numbered(records: list, pattern: str = "t{k}_{field}") -> bytes:
    return pd.DataFrame([
        {"subject": f"s{who}", **{pattern.format(k=k + 1, field=field): value
                                  for k, one in enumerate(records[who::8])
                                  for field, value in one.items()}}
        for who in range(8)
    ]).to_csv(index=False).encode()


def sheets(records: list) -> bytes:
    buffer = io.BytesIO()
    with pd.ExcelWriter(buffer) as book:
        for who in range(8):
            pd.DataFrame(records[who::8]).to_excel(book, sheet_name=f"P{who + 1}", index=False)
        pd.DataFrame({"age": [20, 30]}).to_excel(book, sheet_name="People", index=False)
    return buffer.getvalue()


@pytest.mark.parametrize("write", [
    keyed, nested, numbered, partial(numbered, pattern="{field}.{k}"), sheets,
], ids=["keyed", "nested", "numbered", "numbered behind", "sheets"])
def test_each_person_has_a_part_of_the_file(write):
    records, meant = trials()
    answers = ts.read(write(records))
    assert Counter(tuple(answers.ids[k] for k in row) for row in answers.rows.tolist()) == meant
    if write is not nested:
        assert answers.answers["participant"].nunique() == 8


@pytest.mark.parametrize("shared", [True, False])
def test_trials_of_people_under_keys_are_all_read(shared):
    """Keys of trials that are the same for all people, or not."""
    records, meant = trials()
    data = {f"p{who}": {f"t{k}" if shared else f"-N{who}{k}": one
                        for k, one in enumerate(records[who::8])} for who in range(8)}
    answers = ts.read(json.dumps(data).encode())
    assert Counter(tuple(answers.ids[k] for k in row) for row in answers.rows.tolist()) == meant
    assert answers.answers["participant"].nunique() == 8


@pytest.mark.parametrize("keys", [("practice", "main"), ("train", "test"), ("block1", "block2")])
def test_parts_of_a_study_are_no_people(keys):
    """And practice is no answer."""
    records, _ = trials(60)
    parts = dict(zip(keys, (records[:15], records[15:]), strict=True))
    answers = ts.read(json.dumps(parts).encode())
    assert "participant" not in answers.answers
    assert len(answers) == (45 if keys[0] == "practice" else 60)


def test_questions_that_recur_and_their_numbers_stay_apart():
    heads, rows, meant = survey("Is {a} more similar to {b} or to {c}?", "nearer")
    heads, rows = [heads[0], f"{heads[0]} (2)", *heads], [[row[0], row[0], *row] for row in rows]
    found = read_as(qualtrics(heads, rows))
    assert found.total() >= meant.total()
    assert found.keys() == meant.keys()


def test_tables_of_pandas_keep_their_orientation():
    table = pd.DataFrame({"anchor": ["a", "b", "c"], "near": ["b", "c", "a"],
                          "far": ["c", "a", "b"], "rt": [1, 2, 3], "who": ["x", "y", "z"]})
    for index in (None, ["r1", "r2", "r3"]):
        one = table.set_axis(index) if index else table
        found = load(one.to_json().encode())
        assert found.columns == [*table]
        assert found.n_rows == 3
    features = pd.DataFrame({"size": [1.5, 2, 3], "kind": ["x", "y", "x"]}, ["cup", "mug", "pot"])
    found = read_features(features.to_json(orient="index").encode())
    assert found["id"].tolist() == ["cup", "mug", "pot"]


@pytest.mark.parametrize("titles", [["v1", "v2 corrected"], ["v1", "v2", "v3"]])
def test_versions_of_a_sheet_are_no_people(titles):
    records, meant = trials(60)
    buffer = io.BytesIO()
    with pd.ExcelWriter(buffer) as book:
        for title in titles:
            pd.DataFrame(records).to_excel(book, sheet_name=title, index=False)
    assert ts.read(buffer.getvalue()).weight.sum() == meant.total()


@pytest.mark.parametrize("fields", [
    ("ext", "agr", "neu"), ("mood", "sleep", "stress", "answer"), ("a", "b", "c", "choice"),
])
@pytest.mark.parametrize("values", [[*range(1, 8)], ["calm", "sad", "happy", "angry"]])
def test_batteries_of_scales_are_no_trials(fields, values):
    rng = np.random.default_rng(10)
    table = pd.DataFrame([
        {"id": k, **{f"{field}{i}": rng.choice(values) for i in range(1, 9) for field in fields}}
        for k in range(40)
    ])
    with pytest.raises(OtherTask):
        ts.read(table.to_csv(index=False).encode())


@pytest.mark.parametrize("name", ["p_left", "score_left", "left.rating"])
def test_a_number_about_an_option_is_a_response_that_nobody_passes_over(name):
    records, _ = trials()
    table = pd.DataFrame(records).drop(columns=["choice", "rt"])
    table[name] = np.random.default_rng(11).random(len(table)).round(2)
    with pytest.raises(AmbiguousTable):
        ts.read(table.to_csv(index=False).encode())
