"""Text: CSV and its relatives."""

from __future__ import annotations

from benchmarks.grammar.dice import Dice, answers

_ENDS = ("\n", "\r\n", "\r", "\n\r", "\n\n", "\x0b", "\x0c", "\x85", "\u2028", "\0")
_ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252",
              "koi8-r", "shift_jis", "gb18030", "utf-7", "cp037")
_SIGNS = (",", ";", "\t", " ", "|", "  ", ", ", "\x1f", ":", "")


def text(dice: Dice) -> tuple[str, bytes]:
    """A table in text."""
    shape = dice.choice(_SHAPES)(dice) if dice.off(0.5) else None
    content = shape if shape is not None else _table(dice)
    encoding = dice.choice(_ENCODINGS) if dice.off(2) else "utf-8"
    data = content.encode(encoding, "surrogatepass" if encoding.startswith("utf") else "replace")
    if dice.off(0.5):
        data = dice.choice((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff", b"sep=;\n",
                            b"\x1a", b"\0", b"# by a program\n")) + data
    if dice.off(0.5):
        data = data[: dice.randrange(len(data) + 1)]
    return dice.choice(("a.csv", "a.tsv", "a.txt", "a.dat")), data


def _table(dice: Dice) -> str:
    names, rows = answers(dice)
    sign = dice.choice(_SIGNS[:4]) if not dice.off() else dice.choice(_SIGNS)
    end = dice.choice(_ENDS[:2]) if not dice.off() else dice.choice(_ENDS)
    lines = []
    if dice.off():
        lines += ["A study of eggs", ""] * dice.few(5)
    if not dice.off():
        lines.append(names)
    lines += rows
    return "".join(
        _line(dice, line, sign) + (dice.choice(_ENDS) if dice.off(0.3) else end) for line in lines
    )


def _line(dice: Dice, line: str | list[str], sign: str) -> str:
    if isinstance(line, str):
        return line
    cells = [_quoted(dice, one, sign) for one in line]
    if dice.off(0.3):
        cells = cells[: dice.randrange(len(cells) + 1)] + [""] * dice.many(0, 4000)
    return (dice.choice(_SIGNS) if dice.off(0.1) else sign).join(cells)


def _quoted(dice: Dice, one: str, sign: str) -> str:
    if dice.off(0.2):
        one *= dice.many(2, 200_000 // max(len(one), 1) + 1)
    if any(mark in one for mark in ('"', "\n", "\r", sign or ",")) or dice.off():
        one = '"' + (one if dice.off() else one.replace('"', '""')) + '"'
    if dice.off(0.2):
        one = dice.choice((f'"{one}', f'{one}"', f"'{one}'", f' "{one}"', f'"{one}"x'))
    return one


def _wide(dice: Dice) -> str:
    row = ",".join(dice.choice((["1"], ["a", "b"], [str(k) for k in range(100)]))
                   * dice.few(20_000))
    return "\n".join([row] * dice.few(4))


def _long(dice: Dice) -> str:
    line = dice.choice(("a", "a,b", "a,b,c", "1,2,3,4", ",,", '"', '""', '"a', "", " ", "\t\t"))
    head = dice.choice(("", "anchor,near,far\n"))
    return head + (line + dice.choice(_ENDS)) * int(10 ** dice.uniform(2, 6))


def _distinct(dice: Dice) -> str:
    n, width = int(10 ** dice.uniform(2, 5)), dice.choice((3, 4, 12))
    return "anchor,near,far\n" + "".join(
        ",".join(f"{dice.choice('abc')}{k * width + j}" for j in range(width)) + "\n"
        for k in range(n // width + 1)
    )


def _ragged(dice: Dice) -> str:
    return "a,b,c\n" + "".join(
        ",".join(["1"] * dice.few(3000)) + "\n" for _ in range(dice.few(1000))
    )


def _endless(dice: Dice) -> str:
    return "anchor,near,far\n" + dice.choice(('"', "x", "é", "\0", " ", "1")) * int(
        10 ** dice.uniform(3, 6.7)) + ",b,c\n"


def _repeated_names(dice: Dice) -> str:
    names = [dice.choice(("a", "a_1", "a 2", "", "A", "column 1"))] * dice.few(3000)
    return ",".join(names) + "\n" + (",".join(["1"] * len(names)) + "\n") * dice.few(20)


def _square(dice: Dice) -> str:
    n = dice.few(300)
    return "\n".join(
        dice.choice((",", " ", "\t")).join(dice.word(str(abs(i - j))) for j in range(n))
        for i in range(n)
    )


_SHAPES = (_wide, _long, _distinct, _ragged, _endless, _repeated_names, _square)
