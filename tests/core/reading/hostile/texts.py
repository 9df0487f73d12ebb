"""Text that is hostile."""

from __future__ import annotations

import pickle

from tests.core.reading.hostile.making import GOOD, Files

_HEAD = b"anchor,near,far\n"
_ROWS = b"a,b,c\nb,a,c\nc,a,b\n"


def _encoded(encoding: str) -> bytes:
    return GOOD.decode().encode(encoding)


FILES: Files = {
    "no bytes": lambda: b"",
    "one NUL": lambda: b"\0",
    "NULs only": lambda: bytes(100_000),
    "blanks and line ends only": lambda: b" \t\r\n" * 1_000,
    "a header only": lambda: _HEAD,
    "separators only": lambda: b",,,,\n" * 1_000,
    "line ends of four kinds": lambda: _HEAD + b"a,b,c\rb,a,c\r\nc,a,b\n\rb,c,a",
    "old line ends of Macs": lambda: GOOD.replace(b"\n", b"\r"),
    "line separators of Unicode": lambda: GOOD.replace(b"\n", "\u2028".encode()),
    "a quote that never ends": lambda: _HEAD + b'"a,b,c\n' * 100,
    "a quote in the middle": lambda: _HEAD + b'a"b,b,c\n' * 100,
    "quotes only": lambda: b'"' * 10_001,
    "quoted quotes without end": lambda: _HEAD + b'""""""",b,c\n',
    "a quoted header of many lines": lambda: b'"' + b"a\n" * 1_000 + b'",b,c\n1,2,3\n',
    "a NUL in a cell": lambda: _HEAD + b"a\0b,b,c\n" + _ROWS,
    "a NUL in the header": lambda: b"anchor\0,near,far\n" + _ROWS,
    "an escape of the terminal": lambda: _HEAD + b"\x1b[2J\x1b]0;owned\x07,b,c\n" + _ROWS,
    "a formula": lambda: _HEAD + b'"=cmd|\' /C calc\'!A0",b,c\n' + _ROWS,
    "a script in a name": lambda: _HEAD + b"<script>alert(1)</script>,b,c\n" + _ROWS,
    "a script in the header": lambda: b"<img src=x onerror=alert(1)>,near,far\n" + _ROWS,
    "names that turn the text round": lambda: _HEAD + "\u202ecba\u202c,b,c\n".encode() + _ROWS,
    "one long cell with a byte that is no text": lambda: (
        _HEAD + b"\xff,b,c\n" + b"x" * 1_000_000 + b",b,c\n"),
    "one long text that is no UTF-8": lambda: b"[" * 1_000_000 + b"\xff",
    "a long name in another encoding": lambda: (
        _HEAD + b"\xe4\xf6\xfc " * 250_000 + b",b,c\n" + _ROWS),
    "names without width": lambda: _HEAD + "\u200b,\u200c,\u200d\n".encode() * 3,
    "combining marks in a pile": lambda: _HEAD + ("a" + "\u0300" * 900 + ",b,c\n").encode() + _ROWS,
    "UTF-8 that is cut off": lambda: _HEAD + "é,b,c\n".encode() + _ROWS + b"\xc3",
    "UTF-8 in too many bytes": lambda: _HEAD + b"\xc0\xaf,b,c\n" + _ROWS,
    "surrogates in UTF-8": lambda: _HEAD + b"\xed\xa0\x80,b,c\n" + _ROWS,
    "UTF-16 without its mark": lambda: _encoded("utf-16-le"),
    "UTF-16 with half a character": lambda: _encoded("utf-16")[:-1],
    "UTF-16 with lone surrogates": lambda: b"\xff\xfe" + b"\x00\xd8" * 100,
    "UTF-16 by its mark, UTF-8 by its bytes": lambda: b"\xff\xfe" + GOOD,
    "UTF-32": lambda: _encoded("utf-32"),
    "UTF-32 beyond Unicode": lambda: b"\xff\xfe\0\0" + b"\xff\xff\xff\x7f" * 30,
    "UTF-7": lambda: "anchor,near,far\nä,b,c\n".encode("utf-7"),
    "EBCDIC": lambda: _encoded("cp037"),
    "three marks of byte order": lambda: b"\xef\xbb\xbf" * 3 + GOOD,
    "a row of a million cells": lambda: b"1," * 1_000_000,
    "a header of 30,000 names": lambda: b",".join(b"c%d" % k for k in range(30_000)) + b"\n",
    "names that are all the same": lambda: (
        b",".join([b"a"] * 2_000) + b"\n" + b"1," * 1_999 + b"1\n"),
    "names that are numbered already": lambda: b"a,a (2),a,a (2),a (3)\n1,2,3,4,5\n" * 2,
    "names that are empty": lambda: b",,\n1,2,3\n2,1,3\n",
    "rows of all lengths": lambda: b"a,b,c\n" + b"".join(b"1," * k + b"\n" for k in range(1_000)),
    "a line of five million letters": lambda: _HEAD + b"x" * 5_000_000 + b",b,c\n" + _ROWS,
    "a cell of a million quotes": lambda: _HEAD + b'"' + b'""' * 500_000 + b'",b,c\n' + _ROWS,
    "half a million empty lines": lambda: _HEAD + b"\n" * 500_000 + _ROWS,
    "a hundred thousand cells alone": lambda: b"a\n" * 100_000,
    "numbers beyond all limits": lambda: _HEAD + b"1e999,-1e999,1e-999\nnan,inf,-inf\n" * 20,
    "numbers of ten thousand digits": lambda: _HEAD + b"9" * 10_000 + b",1,2\n" + _ROWS,
    "numbers of every notation": lambda: _HEAD + "0x10,1_000,٣\n1,٣,0x10\n".encode() * 20,
    "responses beyond 64 bits": lambda: b"resp,S1,S2,S3\n" + b"18446744073709551616,1,2,3\n" * 9,
    "dates that do not exist": lambda: (
        b"anchor,near,far,time\n" + b"a,b,c,2026-02-31T25:61:61Z\n" * 9),
    "a matrix with a hole": lambda: b"0,1,2\n1,,3\n2,3,0\n",
    "one answer many times over": lambda: _HEAD + b"a,a,a\n" * 5_000,
    "a separator that is said to be another": lambda: b"sep=|\n" + GOOD,
    "a program for the shell": lambda: b"#!/bin/sh\nrm -rf /\n",
    "a pickle": lambda: pickle.dumps([{"anchor": "a"}] * 9),
    "a web page": lambda: b"<!DOCTYPE html><html><body>anchor,near,far</body></html>",
    "XML with entities": lambda: b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>',
    "a text that ends as a control character": lambda: GOOD + b"\x1a",
}
