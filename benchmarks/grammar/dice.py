"""Chance, and the tables of answers that files are made of."""

from __future__ import annotations

import random
from collections.abc import Callable

WORDS = (
    "", " ", "NA", "nan", "0", "1", "-1", "1.5", "1e999", "-1e-999", "1e308", "5e-324", "-0",
    "99999999999999999999", "9223372036854775808", "inf", "-Infinity", "0x1", "1_000", "1,5",
    "true", "None", "left", "right", "a", "é", "ß", "日本", "\u202e", "\ufeff", "\u0000", "\u2028",
    "🥚", "a\u0300" * 50, '"', '""', "'", "[", "]", '["a","b"]', '["a","b","c"]', "{}", "#",
    "=1+1", '=HYPERLINK("http://x")', "<img src='a.png'>", "<script>", "../a", "a.png", "\n",
    "\r\n", "\t", "x" * 1001, "2023-01-05T10:00:00.000Z", "25:00", "0001-01-01", "99999-12-31",
    "{'a': 1}", "a;b;c", "a|b|c", "%s", "\\", "\x7f", "\x1b[0m",
)
#: What integers are taken for: counts, sizes, places.
NUMBERS = (
    0, 1, 2, 3, 7, 8, 255, 256, 1000, 16_384, 16_385, 65_535, 65_536, 1_048_576, 1_048_577,
    2**24, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**40, 2**53, 2**63 - 1, 2**63, 2**64 - 1,
    -1, -2, -8, -2**31, -2**63,
)
_HEADERS = (
    ("anchor", "near", "far"), ("head", "winner", "loser"), ("head", "left", "right", "response"),
    ("center", "left", "right", "choice", "participant", "rt"), ("resp", "S1", "S2", "S3", "S4"),
    ("S1", "S2", "S3", "Response"), ("image1", "image2", "image3", "choice"),
    ("trial", "participant", "anchor", "near", "far", "weight", "response_time", "time"),
    ("a", "b", "c"), ("s1", "s2", "s3"), ("target", "option1", "option2", "selected"),
    ("id", "label", "image", "size"), ("stimulus", "response", "rt", "trial_type"),
)


class Dice(random.Random):
    """Chances, among them that of a deviation.

    rate: Probability that a node of a grammar deviates.
    """

    def __init__(self, seed: int, rate: float | None = None) -> None:
        super().__init__(seed)
        self.rate = self.choice((0.0, 0.01, 0.03, 0.1, 0.3)) if rate is None else rate

    def off(self, times: float = 1.0) -> bool:
        """Whether this node deviates."""
        return self.random() < self.rate * times

    def number(self, usual: int) -> int:
        """`usual`, or a number that something is often not ready for."""
        if not self.off():
            return usual
        return self.choice((
            self.choice(NUMBERS), usual + self.choice((-1, 1, 2)), usual * 2, -usual,
            usual ^ 1 << self.randrange(64), self.getrandbits(self.choice((8, 16, 32, 64))),
        ))

    def word(self, usual: str) -> str:
        """`usual`, or another text."""
        return self.choice(WORDS) if self.off() else usual

    def few(self, most: int) -> int:
        """A number of things, more often a small one."""
        return int(most ** self.random())

    def many(self, usual: int, most: int) -> int:
        """`usual`, or a number of things up to `most`."""
        return int(2 ** self.uniform(0, most.bit_length() - 1)) if self.off(0.5) else usual

    def shuffled(self, items: list) -> list:
        """The items; or in another order, with one twice, or without one."""
        items = list(items)
        if items and self.off():
            kind, k = self.randrange(3), self.randrange(len(items))
            if kind == 0:
                self.shuffle(items)
            elif kind == 1:
                items.insert(k, items[self.randrange(len(items))])
            else:
                items.pop(k)
        return items

    def of(self, *makers: Callable):
        """What one of the makers makes."""
        return self.choice(makers)()


def answers(dice: Dice, most: int = 200) -> tuple[list[str], list[list[str]]]:
    """Header and rows of a table of answers, with a deviation here and there."""
    names = [dice.word(name) for name in dice.shuffled(list(dice.choice(_HEADERS)))]
    objects = [dice.word(f"o{k}") for k in range(dice.choice((3, 4, 5, 12, 40)))]
    n = dice.few(most)

    def cell(name: str, k: int) -> str:
        if name in ("participant", "trial", "id"):
            return str(k % 7)
        if name in ("rt", "response_time", "weight", "size"):
            return repr(round(dice.lognormvariate(0, 1), 3))
        if name in ("resp", "response", "Response", "choice", "selected"):
            return dice.choice(("0", "1", "left", "right", objects[0]) if dice.off() else "01")
        return dice.choice(objects)

    rows = [
        [dice.word(cell(name, k)) if dice.off() else cell(name, k) for name in names]
        for k in range(n)
    ]
    return names, rows
