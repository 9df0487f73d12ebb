"""Licence and authors of a data set."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from tripletscope import __version__


@dataclass(frozen=True)
class Licence:
    """A licence of data; `spdx` is empty for none, `address` that of the legal text."""

    name: str
    short: str
    spdx: str
    address: str
    allows: str


_CC = "https://creativecommons.org"
#: Licences by their keys. None is taken for granted: a licence cannot be taken back.
LICENCES = {
    "other": Licence(
        "No licence chosen", "None yet", "", "",
        "No licence was chosen yet. Without one, others may read this data set, but neither copy "
        "nor adapt it. Replace this text by the licence that you choose.",
    ),
    "CC-BY-4.0": Licence(
        "Creative Commons Attribution 4.0 International", "CC BY 4.0", "CC-BY-4.0",
        f"{_CC}/licenses/by/4.0/legalcode",
        "You may share and adapt this data set for any purpose, if you give appropriate credit, "
        "link to the licence and say what was changed.",
    ),
    "CC0-1.0": Licence(
        "Creative Commons Zero 1.0 Universal", "CC0", "CC0-1.0",
        f"{_CC}/publicdomain/zero/1.0/legalcode",
        "To the extent possible under law, all copyright and related rights to this data set are "
        "waived. Good practice in science is to cite it all the same.",
    ),
    "CC-BY-NC-4.0": Licence(
        "Creative Commons Attribution-NonCommercial 4.0 International", "CC BY-NC 4.0",
        "CC-BY-NC-4.0", f"{_CC}/licenses/by-nc/4.0/legalcode",
        "You may share and adapt this data set for non-commercial purposes, if you give "
        "appropriate credit, link to the licence and say what was changed.",
    ),
}


@dataclass(frozen=True)
class Terms:
    """Licence and citation of an archive.

    authors: As "Ada Lovelace" or "Lovelace, Ada".
    pseudonyms: Whether participants are called sub-001 and so on.
    """

    title: str
    authors: tuple[str, ...] = ()
    licence: str = "other"
    pseudonyms: bool = False

    def __post_init__(self) -> None:
        if self.licence not in LICENCES:
            raise ValueError(
                f"licence is {self.licence!r}; it must be one of {', '.join(LICENCES)}."
            )

    def licence_file(self) -> bytes:
        chosen, who = LICENCES[self.licence], ", ".join(self.authors)
        lines = [self.title, *([f"by {who}"] if who else []), "", chosen.name]
        lines += [f"SPDX-License-Identifier: {chosen.spdx}"] if chosen.spdx else []
        lines += ["", chosen.allows]
        lines += ["", f"The licence is this text: {chosen.address}"] if chosen.address else []
        return "\n".join([*lines, ""]).encode()

    def citation_file(self) -> bytes:
        """``CITATION.cff``, version 1.2.0 of the format."""
        chosen = LICENCES[self.licence]
        lines = [
            "cff-version: 1.2.0",
            "message: Please cite this data set, and the software that computed its results.",
            "type: dataset", f"title: {_quoted(self.title)}", "authors:",
            *(line for author in self.authors for line in _person(author)),
            f"date-released: {datetime.now(UTC):%Y-%m-%d}",
        ]
        lines += [f"license: {chosen.spdx}"] if chosen.spdx else []
        lines += [
            "references:", "  - type: software", "    title: TripletScope",
            f"    version: {_quoted(__version__)}", "    authors:",
            "      - name: The TripletScope maintainers", "",
        ]
        return "\n".join(lines).encode()


def authors_of(text: str) -> tuple[str, ...]:
    """Authors in one line, separated by semicolons or "and".

    Commas separate them, too, unless they stand between family and first name: where there are
    semicolons, or only one word stands before a comma.
    """
    parts = re.split(r"\s*;\s*|\s+and\s+", text)
    if len(parts) == 1 and all(" " in one.strip() for one in text.split(",")):
        parts = text.split(",")
    return tuple(part.strip() for part in parts if part.strip())


def _person(author: str) -> list[str]:
    family, comma, given = (part.strip() for part in author.partition(","))
    if not comma:
        given, _, family = author.rpartition(" ")
    if not given:
        return [f"  - name: {_quoted(family)}"]
    return [f"  - family-names: {_quoted(family)}", f"    given-names: {_quoted(given.strip())}"]


def _quoted(text: str) -> str:
    plain = "".join(c if c.isprintable() else " " for c in text)
    return '"' + plain.replace("\\", "\\\\").replace('"', '\\"') + '"'
