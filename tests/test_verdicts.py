"""What concludes has null data on which it is silent, and a test of that: ``verdicts.toml``."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.paths import ROOT
from tests.sources import tree_of
from tripletscope.dashboard.words.sentences import catalogue

KINDS = (ast.FunctionDef, ast.ClassDef)
#: Words of sentences that conclude.
CONCLUDES = re.compile(
    r"\b(clearly|surely|significant\w*|stable (?:under|\()|beats|ahead of|told apart|no sign|"
    r"mostly chance|hardly larger|not (?:seen|shown) to|better than|no better|predicts? best|"
    r"Enough[,:?. ]|(?:told|distinguishable) from|more than chance|(?:scale does|do) not hold|"
    r"stands? out|compatible with|chains (?:have|agreed|did)|speaks against|\w+confident|"
    r"dependence|read correctly|Adds? to the others|unexplained:|[Ff]eatures that count|answers "
    "reveal)",
)
#: Where sentences are named by their keys.
WORDED = ("dashboard/results/", "dashboard/report/")
#: What has such words and concludes nothing, and why.
NO_VERDICTS = {
    ("pages/data/direction.py", "_comparison"): "what is meant by clearly",
    ("pages/data/weighting.py", "_compared"): "that a comparison needs somebody",
    ("dashboard/results/dimension_details.py", "_categories"): "an estimate with its interval",
    ("core/prompts/replies.py", "_chosen"): "why a reply of a model was not read",
}


@cache
def parts_of(file: Path) -> list[ast.AST]:
    """Its classes and functions."""
    found, todo = [], [tree_of(file)]
    while todo:  # through statements alone: expressions define nothing
        node = todo.pop()
        if isinstance(node, KINDS):
            found.append(node)
        for inner in ("body", "orelse", "finalbody", "handlers", "cases"):
            todo += getattr(node, inner, ())
    return found


def names_in(node: ast.AST, within: tuple[str, ...] = ()) -> Iterator[str]:
    """Classes and functions, by their places, such as ``Samples.chains_agree``."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, KINDS):
            yield ".".join((*within, child.name))
            yield from names_in(child, (*within, child.name))
        else:
            yield from names_in(child, within)


def table() -> dict[str, dict[str, dict[str, str]]]:
    """Tests by file, name of what concludes, and null data on which it is silent."""
    return tomllib.loads((ROOT / "tests" / "verdicts.toml").read_text())


@cache
def named_tests(file: str) -> set[str]:
    return set(re.findall(r"^def (test_\w+)", (ROOT / file).read_text(), re.MULTILINE))


def test_what_concludes_has_a_test_of_its_silence():
    faults, number = [], 0
    for place, concluding in table().items():
        there = set(names_in(tree_of(ROOT / place)))
        faults += [f"{place} has no {name}" for name in concluding if name not in there]
        for tests in concluding.values():
            number += len(tests)
            for test in tests.values():
                file, _, name = test.partition("::")
                if name not in named_tests(file):
                    faults.append(f"{file} has no test {name}")
    assert number > 90
    assert not faults


def functions() -> Iterator[tuple[str, ast.FunctionDef]]:
    """All that may word something, and where."""
    for folder in ("core", "dashboard/ui", "dashboard/report", "dashboard/results", "pages"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            for node in parts_of(file):
                if isinstance(node, ast.FunctionDef):
                    yield str(file.relative_to(ROOT)), node


def within(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """What it does: no docstring, help, kind of sorting, refusal, empty place, function in it."""
    todo = function.body[ast.get_docstring(function) is not None :]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Raise):
            continue
        yield node
        if isinstance(node, ast.Call):
            node.keywords = [one for one in node.keywords
                             if one.arg not in ("help", "kind", "promise")]
            if getattr(node.func, "attr", "") == "empty":
                node.args = []
        todo += ast.iter_child_nodes(node)


def test_who_words_a_conclusion_names_its_silence_or_who_decides():
    every = list(functions())
    decide = {
        name.rpartition(".")[2] for concluding in table().values() for name in concluding
    }
    texts = catalogue().texts
    keys = {key for key, sentence in texts.items() if CONCLUDES.search(sentence)}
    found, unnecessary = {}, set(NO_VERDICTS)
    for place, node in every:
        parts = list(within(node))
        texts = [part.value for part in parts if isinstance(part, ast.Constant)]
        said = [
            text for text in texts if isinstance(text, str) and (
                CONCLUDES.search(text) or (text in keys and place.startswith(WORDED))
            )
        ]
        used = {part.attr for part in parts if isinstance(part, ast.Attribute)}
        used |= {getattr(part.func, "id", "") for part in parts if isinstance(part, ast.Call)}
        if said and not (used | {node.name}) & decide:
            found[place, node.name] = said
            unnecessary.discard((place, node.name))
    assert not unnecessary
    assert {where: said for where, said in found.items() if where not in NO_VERDICTS} == {}
