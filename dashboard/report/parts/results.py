"""Sentences of results, in the order of a paper."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from tripletscope.core.inference.held_out.compare import Suggestion
from tripletscope.core.inference.held_out.paired import behind_best
from tripletscope.core.run import Run
from tripletscope.dashboard.report.document import Block, TextTable
from tripletscope.dashboard.report.material import Material
from tripletscope.dashboard.report.parts.part import part
from tripletscope.dashboard.results import UNCERTAIN
from tripletscope.dashboard.results.comparison import (
    dimensions_elsewhere,
    methods_of,
    ratio_of,
    suggestions_of,
)
from tripletscope.dashboard.results.families import families_of
from tripletscope.dashboard.results.presentation import REPORT_PARTS
from tripletscope.dashboard.results.scales import scale_runs
from tripletscope.dashboard.words import words


@part("dimension", "results", 1)
def dimension(material: Material) -> Iterator[Block]:
    suggestion = material.suggestion
    if suggestion is None:
        return
    runs = list(material.compared.values())
    said = [_of_shown(material, suggestion), *_elsewhere(material, runs)]
    yield from material.blocks_of(runs[0], among=runs, also=said)
    for run in material.all_of("uncertainty_by_dimension"):
        yield from material.blocks_of(run)


def _elsewhere(material: Material, runs: list[Run]) -> Iterator[str]:
    """Whether another method does with fewer dimensions than that of the map."""
    every = [*runs, *(
        run for run in material.all_of("cross_validate", "embedding")
        if run.method != runs[0].method and run.options == runs[0].options
    )]
    name = families_of(every)[runs[0].key]
    yield from dimensions_elsewhere(name, suggestions_of(every, material.answers)[name][0])


def _of_shown(material: Material, suggestion: Suggestion) -> str:
    """How the number of dimensions of the map compares."""
    errors, d = material.by_dimension, material.dimensions
    if suggestion.is_chance or d not in errors:
        return ""
    if d == suggestion.best:
        return words("shown best", d=d)
    return words("shown as well" if d in suggestion.undecided else "shown worse", d=d,
                 error=words.share(errors[d].error))


@part("map", "results", 2)
def shown_map(material: Material) -> Iterator[Block]:
    """The map, its held-out error, and the uncertainty of its positions."""
    for task, _ in REPORT_PARTS["map"]:
        # The choice of tails is of the method before it had them.
        run = next(iter(material.all_of(task)), None) if task == "choose_tail" else (
            material.of_map(task)
        )
        if run is not None and (task not in UNCERTAIN or run is material.uncertainty):
            yield from material.blocks_of(run)


@part("comparison", "results", 3)
def comparison(material: Material) -> Iterator[Block]:
    """Several methods by their held-out errors; more answers."""
    tests = material.alike
    if len({words.method(run.fresh()) for run in tests}) > 1:
        see = words("see figure", place="@tab-methods")
        yield from material.blocks_of(tests[0], among=tests, by=methods_of, also=[see])
        yield _methods(material, tests)
    elif tests and material.map is None and not scale_runs(material.shown()):
        yield from material.blocks_of(tests[0], among=tests, by=methods_of)
    yield from material.blocks_in("comparison")


def _methods(material: Material, tests: list[Run]) -> TextTable:
    """Errors in the same folds, and tests of differences to the best."""
    errors = {words.method(run.fresh()): run.result() for run in tests}
    _, behind = behind_best(errors, material.answers, ratio_of(tests[0]), any_pair=True)
    rows = []
    for name, error in sorted(errors.items(), key=lambda item: item[1].error):
        more = behind.get(name)
        rows.append((
            name, words.share(error.error),
            f"[{words.share(error.low)}, {words.share(error.high)}]",
            words.share(more.difference) if more else "–",
            words.p(more.p).removeprefix("*p* ").removeprefix("= ") if more else "–",
        ))
    columns = tuple(words(f"methods {name}") for name in (
        "method", "error", "interval", "behind", "p"
    ))
    first = tests[0].result()
    return TextTable(
        "methods", words("methods caption"), columns, tuple(rows),
        words("methods note", over=words.over(first.unit, first.n_units)),
    )


# These consist of the presentations that are declared for them.
for _order, _name in enumerate(
    ("dissimilarities", "similarities", "clusters", "scales", "trees", "features", "groups"), 4
):
    part(_name, "results", _order)(partial(Material.blocks_in, part=_name))
