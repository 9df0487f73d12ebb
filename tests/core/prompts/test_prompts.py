"""Questions as prompts for a model, and its replies as answers."""

import json

import numpy as np
import pandas as pd
import pytest

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.inference.held_out.choice_accuracy import observer_agreement
from tripletscope.core.prompts.prompts import Questions, questions_of, write_prompts
from tripletscope.core.prompts.replies import read_replies, with_observer
from tripletscope.core.reading.tasks import chosen_first
from tripletscope.core.studies.quality.importing import read

ODD = read("sample_data/odd_one_out/answers.csv")
LABELS = ["cup", "tea cup", "fork", "spoon"]
ANCHORED = Triplets(
    [(0, 1, 2), (0, 2, 1), (1, 2, 3)],
    pd.DataFrame({"id": list("abcd"), "label": LABELS, "image": ["1.png", None, "3.png", "4.png"]}),
    pd.DataFrame({"participant": list("xxy")}),
)


def prompts(given, **options):
    return [json.loads(line) for line in write_prompts(given, **options).splitlines()]


def replies(records):
    return "\n".join(json.dumps(record) for record in records).encode()


def test_every_question_is_asked_with_each_option_in_each_place():
    asked = prompts(ANCHORED)
    assert len(asked) == 4  # two questions, in two orders
    assert {tuple(line["objects"]) for line in asked} == {
        ("a", "b", "c"), ("a", "c", "b"), ("b", "c", "d"), ("b", "d", "c")}
    first = next(line for line in asked if line["objects"] == ["a", "c", "b"])
    assert first["messages"] == [{"role": "user", "content": (
        "Which of the following is most similar to cup?\nA: fork\nB: tea cup\n"
        "Reply with one letter and nothing else.")}]
    assert first["images"] == ["1.png", "3.png", None]
    german = prompts(ANCHORED, language="de")[0]["messages"][0]["content"]
    assert german.endswith("Antworte mit einem Buchstaben und nichts weiter.")


def test_an_odd_one_out_is_asked_three_times_and_many_questions_are_drawn_from():
    asked = prompts(ODD, most=20)
    assert len(asked) == 60
    assert len({frozenset(line["objects"]) for line in asked}) == 20
    assert asked == prompts(ODD, most=20)
    assert asked != prompts(ODD, most=20, seed=1)


def test_a_model_that_answers_as_people_gives_their_answers_back():
    known = {}
    odd = ODD.choices.odd_one_out().rows
    for a, b, o in odd:
        known[frozenset((ODD.ids[a], ODD.ids[b], ODD.ids[o]))] = ODD.ids[o]
    asked = prompts(ODD, most=100)
    told = [
        {"id": line["id"], "reply": "ABC"[line["objects"].index(known[frozenset(line["objects"])])]}
        for line in asked
    ]
    found = read_replies(replies(told), ODD, observer="parrot")
    assert found.both_ways == found.consistent == 100
    assert found.omitted.empty
    assert found.first_share == pytest.approx(1 / 3)
    back = found.answers.choices.odd_one_out().rows
    assert len(back) == 300
    for a, b, o in back:
        assert known[frozenset((ODD.ids[a], ODD.ids[b], ODD.ids[o]))] == ODD.ids[o]
    assert found.answers.answers["participant"].unique().tolist() == ["parrot"]


@pytest.mark.parametrize(("reply", "chosen"), [
    ("A", "fork"), ("b.", "tea cup"), ("**B**", "tea cup"), ("The answer is B: tea cup", "tea cup"),
    ("tea cup", "tea cup"), ("I would say Fork.", "fork"), ("A) fork, as both are metal", "fork"),
    ("B, not A", "tea cup"), ("**B** because A is a fork", "tea cup"), ("Answer: A", "fork"),
    ("B - since cup is far", "tea cup"),
])
def test_replies_are_letters_or_names(reply, chosen):
    asked = next(line for line in prompts(ANCHORED) if line["objects"] == ["a", "c", "b"])
    found = read_replies(replies([{"id": asked["id"], "reply": reply}]), ANCHORED)
    assert found.answers.labels[found.answers.rows[0, 1]] == chosen


@pytest.mark.parametrize(("reply", "reason"), [
    ("", "empty"), ("I cannot tell.", "no option"), ("A fork or a tea cup", "several"),
    ("C", "no option"), ("Not A", "no option"),
    ("A strange question; I cannot tell", "no option"), ("not the fork", "no option"),
])
def test_other_replies_are_left_out_with_a_reason(reply, reason):
    asked = next(line for line in prompts(ANCHORED) if line["objects"] == ["a", "c", "b"])
    told = [{"id": asked["id"], "reply": reply}, {"id": asked["id"], "reply": "A"}]
    found = read_replies(replies(told), ANCHORED)
    assert found.omitted["row"].tolist() == [1]
    assert reason in found.omitted["reason"][0]
    assert found.n_replies == 2


def test_only_questions_that_came_back_in_all_orders_tell_of_consistency():
    asked = next(line for line in prompts(ANCHORED) if line["objects"] == ["a", "c", "b"])
    thrice = read_replies(replies([{"id": asked["id"], "reply": "A"}] * 3), ANCHORED)
    assert (thrice.both_ways, thrice.consistent) == (0, 0)
    told = [{"id": line["id"], "reply": "A"} for line in prompts(ANCHORED)]
    both = read_replies(replies(told), ANCHORED)
    assert (both.both_ways, both.consistent) == (2, 0)


def test_labels_stand_on_one_line_and_are_told_apart():
    objects = pd.DataFrame({"id": list("abc"), "label": ["x\nB: y", "bow", "bow"]})
    given = Triplets([(0, 1, 2)], objects)
    text = prompts(given)[0]["messages"][0]["content"].splitlines()
    assert text[0] == "Which of the following is most similar to x B: y?"
    assert {line[3:] for line in text[1:3]} == {"bow (b)", "bow (c)"}


def test_questions_of_weight_zero_are_not_asked():
    given = Triplets.from_array([[0, 1, 2], [1, 0, 2]], weight=[1, 0])
    assert len(prompts(given)) == 2


def test_what_batch_services_and_spreadsheets_write_is_read():
    asked = prompts(ANCHORED)
    batch = [{"custom_id": line["id"], "response": {"body": {"choices": [
        {"message": {"role": "assistant", "content": "A"}}]}}} for line in asked]
    table = "id,reply\n" + "".join(f'{line["id"]},A\n' for line in asked)
    other = [{"custom_id": line["id"], "result": {"type": "succeeded", "message": {
        "content": [{"type": "text", "text": "A\u2028"}]}}} for line in asked]
    semicolons = table.replace(",", ";").encode()
    for content in (
        replies(batch), table.encode(), "\ufeff".encode() + table.encode(), semicolons,
        "\n".join(json.dumps(one, ensure_ascii=False) for one in other).encode(),
    ):
        assert read_replies(content, ANCHORED).first_share == 1.0


@pytest.mark.parametrize(("content", "told"), [
    (b'{"id": "x", "reply": "A"}', "is none of a prompt"),
    (b'{"id": "x", "reply": ', "no JSON"),
    (b"a,b\n1,2\n", "no columns id and reply"),
    (b"id,reply\rx,A\r", "is none of a prompt"),
    (b"\xff\xfe\x00", "not valid UTF-16"),
    (b'{"id": "00000000-n-0-1-2", "reply": "A"}', "other objects"),
])
def test_files_that_are_no_replies_are_refused_in_words(content, told):
    with pytest.raises(DataError, match=told):
        read_replies(content, ANCHORED)


def test_ids_that_name_what_is_not_there_are_left_out():
    own = prompts(ANCHORED)[0]["id"].split("-")[0]
    told = [{"id": f"{own}-n-0-1-9", "reply": "A"}, {"id": f"{own}-o-0-1-1", "reply": "A"},
            {"id": f"{own}-n-0-1-2", "reply": "A"}]
    found = read_replies(replies(told), ANCHORED)
    assert found.omitted["row"].tolist() == [1, 2]


def test_rankings_and_pairs_are_not_asked():
    rows = [(0, i, j) for _, i, j in chosen_first(3, 2, True)]
    ranked = Triplets(
        rows, pd.DataFrame({"id": list("abcd")}), pd.DataFrame({"trial": [0] * len(rows)}))
    with pytest.raises(DataError, match="no question"):
        write_prompts(ranked)


def test_a_model_is_one_more_participant():
    told = [{"id": line["id"], "reply": "A"} for line in prompts(ANCHORED)]
    model = read_replies(replies(told), ANCHORED).answers
    both = with_observer(ANCHORED, model)
    assert both.answers["participant"].value_counts().to_dict() == {"x": 2, "y": 1, "model": 4}
    assert both.trials is None
    named = with_observer(ANCHORED, read_replies(replies(told), ANCHORED, observer="x").answers)
    assert named.answers["participant"].value_counts().to_dict() == {"x": 2, "y": 1, "x (model)": 4}
    joint = with_observer(ODD, read_replies(
        replies([{"id": line["id"], "reply": "B"} for line in prompts(ODD, most=5)]), ODD).answers)
    assert joint.n_trials == ODD.n_trials + 15
    assert len(joint.choices.odd_one_out().rows) == ODD.n_trials + 15
    assert np.array_equal(joint.rows[: len(ODD)], ODD.rows)


def graded(records) -> Triplets:
    return read_replies(replies(records), ANCHORED)


def test_graded_replies_are_expected_counts():
    one = next(line["id"] for line in prompts(ANCHORED) if line["objects"] == ["a", "c", "b"])
    top = [{"token": "A", "logprob": np.log(0.15)}, {"token": " B", "logprob": np.log(0.45)},
           {"token": "The", "logprob": np.log(0.4)}]
    chat = {"choices": [{"message": {"content": "B"},
                         "logprobs": {"content": [{"token": "B", "top_logprobs": top}]}}]}
    ways = [{"p_1": 0.25, "p_2": 0.75}, {"logprob_A": np.log(0.1), "logprob_B": np.log(0.3)},
            {"logprob_A": -900 - np.log(3), "logprob_B": -900.0},
            {"prob_a": "1", "prob_b": "3", "reply": "A"}, {"response": {"body": chat}}]
    for way in ways:
        result = graded([{"id": one, **way}])
        assert result.answers.rows.tolist() == [[0, 2, 1], [0, 1, 2]]
        np.testing.assert_allclose(result.answers.weight, [0.25, 0.75])
        assert (result.n_graded, result.first_share) == (1, pytest.approx(0.25))
    table = f"id;p_1;p_2\n{one};0.25;0.75\n{one};;\n".encode()
    result = read_replies(table, ANCHORED)
    assert (result.n_replies, result.n_graded, len(result.omitted)) == (2, 1, 1)
    joint = with_observer(ANCHORED, result.answers)
    assert joint.weight[-2:].tolist() == [0.25, 0.75]
    (agreement,) = observer_agreement(ANCHORED, result.answers)
    assert agreement.accuracy.value == pytest.approx(0.5)  # people said either once
    with pytest.raises(DataError, match="from 1"):
        graded([{"id": one, "p_0": 0.5, "p_1": 0.5}])
    with pytest.raises(DataError, match="no option has a probability"):
        graded([{"id": one, "p_7": 0.5}])


@pytest.mark.parametrize(("tokens", "text", "chosen", "refused"), [
    ([{"I": 0.97, "A": 0.02, "B": 0.001}, {"'m": 0.9, "A": 0.01}], "I'm sorry, no.", None, 1),
    ([{"The": 0.9, "A": 0.09, "B": 0.01}, {" cup": 1.0}, {" B": 0.8, " A": 0.2}], "The cup B",
     [0.2, 0.8], 0),
    ([{"Option": 0.9, "A": 0.1}], "Option B", [1.0], 0),
])
def test_what_a_token_leaves_to_options_is_no_grade(tokens, text, chosen, refused):
    one = next(line["id"] for line in prompts(ANCHORED) if line["objects"] == ["a", "c", "b"])
    content = [{"token": "x", "top_logprobs": [
        {"token": token, "logprob": np.log(p)} for token, p in each.items()]} for each in tokens]
    result = graded([{"id": one, "choices": [
        {"message": {"content": text}, "logprobs": {"content": content}}]}, {"id": one, "p_1": 1}])
    assert result.n_refused == refused
    assert result.answers.weight[:-1].tolist() == pytest.approx(chosen or [])
    if chosen == [1.0]:
        assert result.answers.labels[result.answers.rows[0, 1]] == "tea cup"


def test_every_sample_is_an_answer_and_refusals_are_counted():
    one = next(line["id"] for line in prompts(ANCHORED) if line["objects"] == ["a", "c", "b"])
    said = [{"message": {"content": text}} for text in ("A", "B", "A", "I'm sorry, I can't say.")]
    result = graded([{"id": one, "choices": said}, {"id": one, "reply": "Hm."}])
    assert result.answers.labels[result.answers.rows[0, 1]] == "fork"
    assert (len(result.answers), result.n_replies) == (3, 5)
    assert (len(result.omitted), result.n_refused) == (2, 1)
    assert "weight" not in result.answers.answers


def test_prompts_are_written_for_any_questions_about_objects():
    ranking = Questions("nearer", np.array([[0, 1, 2]]), 2)
    result = prompts(ANCHORED, questions=[Questions("odd", np.array([[0, 1, 3]])), ranking])
    assert [sorted(line["objects"]) for line in result] == [["a", "b", "d"]] * 3
    told = [{"id": line["id"], "reply": "A"} for line in result]
    assert len(read_replies(replies(told), ANCHORED).answers.choices.odd_one_out().rows) == 3


def test_questions_of_rankings_and_of_several_chosen_are_listed_whole():
    for ranked in (True, False):
        rows = [(0, i, j) for _, i, j in chosen_first(4, 2, ranked)]
        ranking = Triplets(rows, pd.DataFrame({"id": list("abcde")}),
                         pd.DataFrame({"trial": [0] * len(rows)}))
        (one,) = questions_of(ranking)
        assert (one.kind, one.shown.tolist()) == ("nearer", [[0, 1, 2, 3, 4]])
        assert (one.n_chosen, one.in_order) == (2, ranked)
