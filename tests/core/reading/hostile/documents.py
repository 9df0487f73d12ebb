"""JSON that is hostile."""

from __future__ import annotations

import json

from tests.core.reading.hostile.making import Files

_ROW = {"anchor": "a", "near": "b", "far": "c"}


def _rows(first: str, n: int = 3) -> bytes:
    """Records, the first of which is given as text."""
    return ("[" + ",".join([first, *[json.dumps(_ROW)] * n]) + "]").encode()


FILES: Files = {
    "lists a hundred thousand deep": lambda: b"[" * 100_000 + b"]" * 100_000,
    "objects a hundred thousand deep": lambda: b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "lists 900 deep": lambda: b"[" * 900 + b"1" + b"]" * 900,
    "a deep cell in a good record": lambda: _rows(
        '{"anchor":' + "[" * 800 + "]" * 800 + ',"near":"b","far":"c"}'),
    "objects in objects in a record": lambda: _rows('{"a":' * 100 + "1" + "}" * 100),
    "lists that never end": lambda: b"[" * 100_000,
    "a text that never ends": lambda: b'[{"anchor": "' + b"x" * 100_000,
    "nothing but a list": lambda: b"[]",
    "nothing but an object": lambda: b"{}",
    "empty records": lambda: b"[" + b"{}," * 10_000 + b"{}]",
    "empty lists": lambda: b"[" + b"[]," * 10_000 + b"[]]",
    "a number beyond floating point": lambda: _rows('{"anchor": 1e999, "near": -1e999, "far": 1}'),
    "numbers that are none": lambda: _rows('{"anchor": NaN, "near": Infinity, "far": -Infinity}'),
    "a number of 5,000 digits": lambda: _rows(
        '{"anchor": ' + "9" * 5_000 + ', "near": 1, "far": 2}'),
    "an exponent of ten digits": lambda: _rows('{"anchor": 1e9999999999, "near": 1, "far": 2}'),
    "one key twice": lambda: _rows('{"anchor": "a", "anchor": "z", "near": "b", "far": "c"}'),
    "ten thousand keys that are the same": lambda: _rows("{" + '"a":1,' * 10_000 + '"b":2}'),
    "half a surrogate in a name": lambda: _rows('{"anchor": "\\ud800", "near": "b", "far": "c"}'),
    "half a surrogate in a key": lambda: _rows('{"\\udc00": "a", "near": "b", "far": "c"}'),
    "surrogates the wrong way round": lambda: _rows(
        '{"anchor": "\\udc00\\ud800", "near": "b", "far": "c"}'),
    "a NUL in a key": lambda: _rows('{"a\\u0000": "a", "near": "b", "far": "c"}'),
    "an empty key": lambda: _rows('{"": "a", " ": "b", "  ": "c"}'),
    "keys of a hundred thousand letters": lambda: _rows(json.dumps({"k" * 100_000: 1, **_ROW})),
    "keys that are no others in columns": lambda: _rows('{"a.b": 1, "a": {"b": 2}, "c": 3}'),
    "a key for each record": lambda: json.dumps([{f"k{k}": k} for k in range(30_000)]).encode(),
    "records of other records' keys": lambda: json.dumps(
        [{f"k{k * 7 % 900}": 1, f"k{k % 800}": 2} for k in range(5_000)]).encode(),
    "columns of different lengths": lambda: json.dumps({"a": [1, 2], "b": [1], "c": [1]}).encode(),
    "columns that are numbered otherwise": lambda: json.dumps(
        {"a": {"0": 1, "1": 2}, "b": {"1": 1, "0": 2}, "c": {"0": 1, "1": 2}}).encode(),
    "rows of all lengths": lambda: json.dumps([list(range(k)) for k in range(300)]).encode(),
    "records among numbers": lambda: json.dumps([_ROW, 1, None, "x", [_ROW]]).encode(),
    "lists where texts should be": lambda: json.dumps(
        [{"anchor": ["a"], "near": {"x": 1}, "far": [[]]}] * 5).encode(),
    "every type in one column": lambda: json.dumps(
        [{**_ROW, "x": one} for one in (1, 1.5, None, True, "a", [1], {"a": 1}, -0.0)]).encode(),
    "JSON in JSON in JSON": lambda: json.dumps(json.dumps(json.dumps([_ROW]))).encode(),
    "records as text in a record": lambda: json.dumps([{"data": json.dumps([_ROW] * 5)}]).encode(),
    "documents one after the other": lambda: json.dumps([_ROW]).encode() * 100,
    "lines with a broken one": lambda: (json.dumps(_ROW) + "\n").encode() * 5 + b'{"anchor":\n',
    "lines of all kinds": lambda: b'{"anchor": 1}\n[1, 2]\n"x"\n3\nnull\n' * 20,
    "a hundred thousand lines that are numbers": lambda: b"[1]\n" * 100_000,
    "comments and commas too many": lambda: b'[{"anchor": 1,}, /* no */ {"near": 2},]',
    "quotes of Python": lambda: b"[{'anchor': 'a', 'near': 'b', 'far': 'c'}]",
    "control characters in a text": lambda: _rows(
        '{"anchor": "a\x01\x1f", "near": "b", "far": "c"}'),
    "jsPsych with responses of wrong types": lambda: json.dumps([
        {"trial_type": 3, "trial_index": "x", "stimulus": [None], "response": {"Q0": [[]]},
         "rt": "soon", "head": {}, "left": [], "right": None, "winner": True}] * 10).encode(),
    "NEXT with targets of wrong types": lambda: json.dumps({"participant_responses": {
        "p": [{"target_indices": 3, "target_winner": [], "q": {}}, None, []]}}).encode(),
    "NEXT without an end of people": lambda: json.dumps({"participant_responses": {
        f"p{k}": [{}] for k in range(5_000)}}).encode(),
    "Qualtrics with values of wrong types": lambda: json.dumps({"responses": [
        {"responseId": [], "values": {"QID1": {"a": [1]}}, "labels": 3}] * 10}).encode(),
    "a tensor of wrong lengths": lambda: json.dumps(
        {"coords": [[0, 1], [1]], "data": [1], "shape": [2, 2, 2]}).encode(),
    "a huge list of nulls": lambda: b"[" + b"null," * 300_000 + b"null]",
    "UTF-16": lambda: json.dumps([_ROW] * 3).encode("utf-16"),
    "a mark of byte order before": lambda: b"\xef\xbb\xbf" + json.dumps([_ROW] * 3).encode(),
    "bytes that are no UTF-8": lambda: b'[{"anchor": "\xff\xfe", "near": "b", "far": "c"}]',
}
