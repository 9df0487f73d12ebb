"""Items of the papers with their rules, verdicts and pictures, from what is shipped."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from docutils import nodes
from generated import Written
from sphinx.application import Sphinx

from docs.charts.drawn import charts_of, legend
from tripletscope.core.presets import DOCUMENTS
from tripletscope.reproductions.continuations import CONTINUATIONS
from tripletscope.reproductions.item import Item, document_of, label_of
from tripletscope.reproductions.outcome import KNOWN, verdicts
from tripletscope.reproductions.registry import items
from tripletscope.reproductions.verdict import WORDS, verdict

_MARKS = re.compile(r"([\\`*_{}\[\]<>#$|~])")


def plain(text: str) -> str:
    """Text in which nothing is Markdown."""
    return _MARKS.sub(r"\\\1", text)


def overview() -> Iterator[str]:
    """How often each word was given, what it means, and all items."""
    tallies = Counter(known.word for known in verdicts().values())
    yield from ("| word | items | meaning |", "| --- | --- | --- |")
    for word, meaning in WORDS.items():
        yield f"| {word} | {tallies[word]} | {plain(meaning)} |"
    for document in DOCUMENTS:
        yield from ("", f"**{plain(DOCUMENTS[document])}**", "", "| item | verdict | claim |",
                    "| --- | --- | --- |")
        for key, item in items().items():
            if item.document == document:
                link = f"[{item.label}](#{key})"
                yield f"| {link} | {verdicts()[key].word} | {plain(item.claim)} |"


def cards(document: str) -> Iterator[str]:
    """The items of a document, one below the other."""
    for key, item in items().items():
        if item.document == document:
            yield from card(key, item)


def card(key: str, item: Item) -> Iterator[str]:
    """What an item claims, what came of it, and how it is computed."""
    known = verdicts()[key]
    yield from (f"({key})=", f"## {plain(f'{item.label}: {item.title}')}", "", plain(item.claim))
    other = f" on {plain(item.stand_in)}" if item.stand_in else ""
    share = ""
    if known.share.startswith(("held", "did")):
        share = f" The rule {known.share}{'; nothing is random' if item.exact else ''}."
    yield from ("", f"**{known.word.capitalize()}**{other}.{share}")
    for name, chart in charts_of(key).items():
        alt = plain(f"{item.label}, {chart.title or item.title}")
        yield from ("", f"![{alt}](../pictures/papers/{name}.webp)", "", plain(legend(chart)))
    texts = {
        "Rule": item.rule, "Not judged": item.not_judged, "Why": known.why,
        "Published": item.published, "Ours": known.ours, "Settings of the paper": item.setting,
        "Here": item.ours, "Also": "; ".join(map(place, item.also)),
    }
    for title, text in texts.items():
        if text:
            yield from ("", f"*{title}:* {plain(text)}")
    if item.experiment is not None:
        yield from ("", f"`python -m tripletscope.reproductions run {key}`")
    if key in CONTINUATIONS:
        yield from ("", f"<a href=\"/?paper={key}\">Open its answers in the program</a>")
    yield ""


def place(key: str) -> str:
    """Where else an item stands."""
    return f"{DOCUMENTS[document_of(key)]}, {label_of(key)}"


class _OfShipped(Written):
    """What follows from the verdicts that are shipped."""

    source = staticmethod(verdict)

    def run(self) -> list[nodes.Node]:
        self.env.note_dependency(str(KNOWN))
        return super().run()


class Overview(_OfShipped):
    """All items."""

    def lines(self) -> list[str]:
        return list(overview())


class Cards(_OfShipped):
    """The items of the document that is named."""

    required_arguments = 1

    def lines(self) -> list[str]:
        return list(cards(self.arguments[0]))


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("papers", Overview)
    app.add_directive("paper", Cards)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
