"""What the program concludes, on data where it should and on data where it must not.

    python benchmarks/verdicts.py                 every sentence, as many runs as its table says
    python benchmarks/verdicts.py clusters lapses --runs 20

A line of the table is a sentence: what was said before, what is said now, how often it is said of
null data (false alarms) and of planted data (power), with standard errors over runs. Each module of
`benchmarks/planted` has a function ``sentences(runs)`` that yields `planted.Sentence`.
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil

import planted
from report import machine, print_table

HEADER = [
    "place", "words before", "words now", "null data", "false before", "false now",
    "planted data", "said there",
]


def main() -> None:
    places = [module.name for module in pkgutil.iter_modules(planted.__path__)]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("places", nargs="*", help=", ".join(places))
    parser.add_argument("--runs", type=int, help="runs of each; otherwise each takes its own")
    options = parser.parse_args()
    print(machine())
    for place in options.places or places:
        found = importlib.import_module(f"planted.{place}").sentences(options.runs)
        print_table(HEADER, [sentence.row() for sentence in found])


if __name__ == "__main__":
    main()
