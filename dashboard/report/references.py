"""The papers behind a report, cited in it, and for reference managers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from tripletscope import __version__

#: Sources of methods.
SOURCES = {
    "ste": "vandermaaten2012", "tste": "vandermaaten2012", "ckl": "tamuz2011",
    "gnmds": "agarwal2007", "gnmdsk": "agarwal2007", "soe": "terada2014", "loe": "terada2014",
    "lore": "anand2026", "nmds": "kruskal1964", "k1": "kleindessner2017",
    "k2": "kleindessner2017", "gaussian": "schoelkopf2002", "proximity": "haghiri2018",
    "agglomerative": "muellner2011",
    "comparison": "ghoshdastidar2019", "kmeans": "lloyd1982", "spectral": "zelnik2004",
    "mlds": "maloney2003", "spose": "hebart2020", "vice": "muttenthaler2022",
    "snmf": "ding2005",
}
#: This program, as it asks to be cited.
PROGRAM = {
    "id": "tripletscope", "type": "software", "title": "TripletScope",
    "author": [{"literal": "The TripletScope maintainers"}], "version": __version__,
    "issued": {"date-parts": [[2026]]},
}
_BIBTEX = {"article-journal": "article", "paper-conference": "inproceedings", "book": "book",
           "article": "misc", "software": "misc"}
_FIELDS = {"volume": "volume", "issue": "number", "page": "pages", "DOI": "doi", "URL": "url",
           "number": "pages", "publisher": "publisher", "version": "version"}
#: Most authors, and the first ones of more that are named beside the last.
_MOST, _FIRST = 20, 19
_TEX = str.maketrans({"&": r"\&", "%": r"\%", "_": r"\_", "#": r"\#", "–": "--"})


@cache
def library() -> dict[str, dict[str, Any]]:
    """All references as CSL-JSON has them, by id."""
    listed = json.loads(Path(__file__).with_name("references.json").read_text("utf-8"))
    return {one["id"]: one for one in [*listed, PROGRAM]}


def year(reference: dict[str, Any]) -> int:
    return reference["issued"]["date-parts"][0][0]


def cited(reference: dict[str, Any]) -> str:
    """A reference as it stands in brackets: Haghiri et al., 2018."""
    names = [_family(author) for author in reference["author"]]
    who = f"{names[0]} et al." if len(names) > 2 else " & ".join(names)
    return f"{who}, {year(reference)}"


def in_full(reference: dict[str, Any]) -> list[tuple[str, str]]:
    """A reference in the style of the American Psychological Association.

    Returns: Pieces of text, each "plain" or "emphasis".
    """
    plain, names = "plain", [_name(author) for author in reference["author"]]
    if len(names) > _MOST:
        who = f"{', '.join(names[:_FIRST])}, … {names[-1]}"
    elif len(names) > 1:
        who = f"{', '.join(names[:-1])}, & {names[-1]}"
    else:
        who = names[0]
    who += "" if who.endswith(".") else "."
    pieces = [(f"{who} ({year(reference)}). ", plain)]
    title, kind = reference["title"], reference["type"]
    if kind in ("book", "software", "article"):
        version = f" (Version {reference['version']}) [Computer software]" if (
            kind == "software"
        ) else ""
        pieces += [(title, "emphasis"), (f"{version}.", plain)]
        if "publisher" in reference:
            pieces.append((f" {reference['publisher']}.", plain))
    else:
        pieces.append((f"{title}. {'In ' if kind == 'paper-conference' else ''}", plain))
        pieces.append((reference["container-title"], "emphasis"))
        if "volume" in reference:
            pieces += [(", ", plain), (reference["volume"], "emphasis")]
        if "issue" in reference:
            pieces.append((f"({reference['issue']})", plain))
        if "page" in reference:
            pages = reference["page"]
            at = f" (pp. {pages})" if kind == "paper-conference" else f", {pages}"
            pieces.append((at, plain))
        if "number" in reference:
            pieces.append((f", Article {reference['number']}", plain))
        pieces.append((".", plain))
    link = f"https://doi.org/{reference['DOI']}" if "DOI" in reference else reference.get("URL")
    return [*pieces, (f" {link}", plain)] if link else pieces


def ordered(ids: Iterable[str]) -> list[dict[str, Any]]:
    references = [library()[name] for name in set(ids)]
    return sorted(references, key=lambda one: (
        [_family(author).lower().removeprefix("the ") for author in one["author"]], year(one)
    ))


def bibtex(ids: Iterable[str]) -> str:
    return "\n".join(_entry(one) for one in ordered(ids))


def csl_json(ids: Iterable[str]) -> str:
    """References for Zotero, Mendeley, pandoc and others."""
    return json.dumps(ordered(ids), indent=1, ensure_ascii=False)


def _entry(reference: dict[str, Any]) -> str:
    authors = " and ".join(
        f"{a['family']}, {a['given']}" if "family" in a else f"{{{a['literal']}}}"
        for a in reference["author"]
    )
    fields = {"author": authors, "title": f"{{{reference['title']}}}",
              "year": str(year(reference))}
    if "container-title" in reference:
        place = "booktitle" if reference["type"] == "paper-conference" else "journal"
        fields[place] = reference["container-title"]
    fields |= {tex: str(reference[csl]) for csl, tex in _FIELDS.items() if csl in reference}
    lines = [
        f"  {name} = {{{value if name in ('doi', 'url') else value.translate(_TEX)}}},"
        for name, value in fields.items()
    ]
    return "\n".join([f"@{_BIBTEX[reference['type']]}{{{reference['id']},", *lines, "}", ""])


def _family(author: dict[str, str]) -> str:
    return author.get("family") or author["literal"]


def _name(author: dict[str, str]) -> str:
    if "family" not in author:
        return author["literal"]
    given = re.sub(r"\s+", " ", author["given"].strip())
    return f"{author['family']}, {given}" if given else author["family"]
