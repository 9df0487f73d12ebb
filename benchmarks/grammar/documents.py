"""JSON and JSON lines, in the layouts of programs for experiments and with wrong types in them."""

from __future__ import annotations

import json
from typing import Any

from benchmarks.grammar.dice import WORDS, Dice, answers

_NUMERALS = ("1e999", "-1e999", "NaN", "Infinity", "-Infinity", "1e-999", "-0", "0.1e1", "01", "1.",
             "9" * 30, "9" * 5000, "1" + "0" * 400, "-" * 2, "0x10", "1e99999999999", "+1")
_TEXTS = ('"\\ud800"', '"\\udc00\\ud800"', '"\\u0000"', '"\\x"', '"\\u12"', '"a', "'a'", '"\x01"',
          '"\\ud83e\\udd5a"', "undefined", "nul", "tru", "/* a */ 1", "[,]", "{,}", '{"a" 1}')


class _Raw(str):
    """Text that stands in the document as it is."""


class _Pairs(list):
    """Keys and values of an object, in which a key may come twice."""


def document(dice: Dice) -> tuple[str, bytes]:
    """A file of JSON."""
    layout = dice.choice(_LAYOUTS)
    parts = [_written(dice, _bent(dice, layout(dice), 0))]
    if layout is _lines or dice.off(0.3):
        between = dice.choice(("\n", "\n\n", "\r\n", " ", "", ",", "\x1e", "\u2028"))
        content = layout(dice)
        rows = content if isinstance(content, list) else [content]
        parts = [between.join(_written(dice, _bent(dice, one, 1)) for one in rows)]
    text = "".join(parts)
    if dice.off(0.3):
        depth = dice.choice((10, 900, 3000, 100_000))
        opening = dice.choice(("[", '{"a":', '[{"a":', "[["))
        closing = "".join({"[": "]", "{": "}"}[sign] for sign in reversed(opening) if sign in "[{")
        text = opening * depth + text + (closing * depth if dice.random() < 0.7 else "")
    data = text.encode("utf-8", "surrogatepass")
    if dice.off(0.3):
        data = dice.choice((b"\xef\xbb\xbf", b"\xff", b"\0")) + data
    if dice.off(0.3):
        data = data[: dice.randrange(len(data) + 1)]
    return dice.choice(("a.json", "a.jsonl", "a.ndjson", "a.txt", "a.json")), data


def _scalar(dice: Dice) -> Any:
    return dice.choice((
        None, True, False, 0, 1, -1, 2, 1.5, "", "a", "left", "0", [], {}, dice.choice(WORDS),
        _Raw(dice.choice(_NUMERALS)), _Raw(dice.choice(_TEXTS)), 2**70, "x" * 2000,
    ))


def _bent(dice: Dice, value: Any, depth: int) -> Any:
    """The value with deviations at its nodes."""
    if dice.off(0.5) and depth:
        return dice.of(
            lambda: _scalar(dice), lambda: [value], lambda: {"a": value}, lambda: [value] * 3,
            lambda: {str(k): value for k in range(dice.few(50))}, lambda: [_scalar(dice), value],
        )
    if isinstance(value, dict):
        pairs = [(dice.word(key), _bent(dice, inner, depth + 1)) for key, inner in value.items()]
        return _Pairs(dice.shuffled(pairs))
    if isinstance(value, list):
        return [_bent(dice, inner, depth + 1) for inner in dice.shuffled(value)]
    return value


def _written(dice: Dice, value: Any) -> str:
    if isinstance(value, _Raw):
        return value
    if isinstance(value, dict):
        value = _Pairs(value.items())
    if isinstance(value, _Pairs):
        inside = (f"{json.dumps(key)}:{_written(dice, inner)}" for key, inner in value)
        return "{" + ",".join(inside) + ("," if dice.off(0.02) else "") + "}"
    if isinstance(value, list):
        return "[" + ",".join(_written(dice, inner) for inner in value) + "]"
    return json.dumps(value, ensure_ascii=dice.random() < 0.5)


def _typed(dice: Dice, one: str) -> Any:
    return int(one) if one.isascii() and one.isdigit() and len(one) < 9 else one


def _records(dice: Dice) -> Any:
    names, rows = answers(dice)
    return [dict(zip(names, (_typed(dice, one) for one in row), strict=True)) for row in rows]


def _columns(dice: Dice) -> Any:
    names, rows = answers(dice)
    return {name: [row[k] for row in rows] for k, name in enumerate(names)}


def _numbered(dice: Dice) -> Any:
    names, rows = answers(dice)
    return {name: {str(i): row[k] for i, row in enumerate(rows)} for k, name in enumerate(names)}


def _split(dice: Dice) -> Any:
    names, rows = answers(dice)
    return {"columns": names, "index": list(range(len(rows))), "data": rows}


def _lists(dice: Dice) -> Any:
    names, rows = answers(dice)
    return [names, *rows] if dice.random() < 0.5 else rows


def _lines(dice: Dice) -> Any:
    return dice.choice((_records, _lists))(dice)


def _jspsych(dice: Dice) -> Any:
    """Trials as jsPsych saves them, also several participants, and its nested responses."""
    def trial(k: int) -> dict:
        shown = [f"img/o{dice.randrange(6)}.png" for _ in range(3)]
        return {
            "rt": dice.choice((dice.randrange(5000), None, "null")), "trial_index": k,
            "stimulus": dice.choice((shown, "<p>Which?</p>", json.dumps(shown))),
            "response": dice.choice((0, 1, "f", "j", None, {"Q0": "a"})),
            "trial_type": dice.choice(("image-button-response", "html-keyboard-response", "x")),
            "time_elapsed": k * 1000, "internal_node_id": f"0.0-{k}.0", "head": shown[0],
            "left": shown[1], "right": shown[2], "winner": dice.choice(shown),
        }
    trials = [trial(k) for k in range(dice.few(60))]
    return dice.choice((trials, [trials, trials], {"data": trials}, {"trials": json.dumps(trials)}))


def _qualtrics(dice: Dice) -> Any:
    """Responses as Qualtrics hands them out: values and labels of numbered questions."""
    def response(k: int) -> dict:
        return {"responseId": f"R_{k}", "values": {
            "startDate": "2026-01-01T00:00:00Z", "finished": 1, "duration": k,
            **{f"QID{j}": dice.choice((1, 2, "1", None)) for j in range(1, 6)},
            **{f"{j}_QID7": dice.choice(("o1", "o2")) for j in range(3)},
        }, "labels": {f"QID{j}": "left" for j in range(1, 6)}, "displayedFields": ["QID1"]}
    return {"responses": [response(k) for k in range(dice.few(40))]}


def _next(dice: Dice) -> Any:
    """Answers as NEXT hands them out."""
    def target(k: int, label: str) -> dict:
        return {"index": k, "label": label, "target": {"alt_description": f"o{k}.png",
                "target_id": k, "primary_type": "image"}}
    def one() -> dict:
        shown = dice.sample(range(6), 3)
        labels = ("center", "left", "right")
        return {"target_indices": [target(k, la) for k, la in zip(shown, labels, strict=True)],
                "target_winner": dice.choice(shown), "q": [*shown[1:], shown[0]],
                "response_time": 1.5, "participant_uid": "p"}
    people = {f"p{k}": [one() for _ in range(dice.few(20))] for k in range(3)}
    return {"meta": {"status": "OK"}, "participant_responses": people}


def _salmon(dice: Dice) -> Any:
    return [{"head": dice.randrange(5), "left": dice.randrange(5), "right": dice.randrange(5),
             "winner": dice.randrange(5), "puid": "x", "sampler": "random", "head_html": "<img>"}
            for _ in range(dice.few(60))]


def _tree(dice: Dice) -> Any:
    def grown(depth: int) -> Any:
        kind = dice.randrange(3) if depth < 6 else 2
        if kind == 0:
            return [grown(depth + 1) for _ in range(dice.few(6))]
        if kind == 1:
            return {dice.choice(WORDS): grown(depth + 1) for _ in range(dice.few(6))}
        return _scalar(dice)
    return grown(0)


def _wide(dice: Dice) -> Any:
    n = dice.many(10, 20_000)
    rows = range(dice.few(40))
    return [{f"k{k * dice.choice((0, 1))}": k for k in range(i, i + n)} for i in rows]


_LAYOUTS = (_records, _columns, _numbered, _split, _lists, _lines, _jspsych, _qualtrics, _next,
            _salmon, _tree, _wide)
