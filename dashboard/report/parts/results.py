"""What was found."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tripletscope.core.cluster.clustering import Hierarchy
from tripletscope.core.inference.evaluation.choosing import choice_accuracies
from tripletscope.core.inference.evaluation.compare import Suggestion, is_chance
from tripletscope.core.inference.evaluation.paired import behind_best
from tripletscope.core.inference.evaluation.score import ErrorEstimate
from tripletscope.core.kernel.evidence import evidence
from tripletscope.core.kernel.triplet import TripletKernel
from tripletscope.core.run import Run
from tripletscope.dashboard.report.document import Block, TextTable, joined
from tripletscope.dashboard.report.material import Material
from tripletscope.dashboard.report.parts.part import part
from tripletscope.dashboard.report.references import SOURCES
from tripletscope.dashboard.results.clusters import clusters_of, described
from tripletscope.dashboard.results.comparison import dimensions_said
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.quality import predicted_said
from tripletscope.dashboard.results.scales import scale_runs
from tripletscope.dashboard.results.showing import presented
from tripletscope.dashboard.wording import Words

#: Objects that random comparisons of a kernel are counted for.
_COUNTED = 50
#: Clusters whose sizes are told.
_SIZES = 12


def error_of(words: Words, estimate: ErrorEstimate) -> str:
    """A held-out error with its interval."""
    over = words.over(estimate.unit, estimate.n_units)
    return (f"{words.share(estimate.error)}, {words.interval(estimate.low, estimate.high)}{over}")


@part("dimension", "results", 1)
def dimension(material: Material) -> Iterator[Block]:
    """How many dimensions the answers support.

    Silent on: coin flips (tests/dashboard/report/test_report.py::test_no_number_is_told_at_chance).
    """
    words, found = material.words, material.suggestion
    if found is None:
        return
    errors = material.by_dimension
    sentences = list(dimensions_said(
        words, material.map.fresh().title, found, errors[found.best]
    ))
    if not found.is_chance:
        sentences.append(_of_shown(material, found))
    yield joined(*sentences, words("see figure", place="@fig-dimensions"))
    yield from material.drawn(*material.compared.values())
    if runs := material.all_of("uncertainty_by_dimension"):
        yield from material.drawn(*runs)


def _of_shown(material: Material, found: Suggestion) -> str:
    """How the number of dimensions of the map shown compares.

    Silent on: what is undecided
    (tests/dashboard/report/test_report.py::test_what_is_decided_is_not_called_undecided).
    """
    words, errors, d = material.words, material.by_dimension, material.dimensions
    if d == found.best:
        return words("shown best", d=d)
    if d not in errors:
        return ""
    return words("shown as well" if d in found.undecided else "shown worse", d=d,
                 error=words.share(errors[d].error))


@part("map", "results", 2)
def shown_map(material: Material) -> Iterator[Block]:
    """The map, how well it predicts, and how sure its positions are."""
    fit = material.map
    if fit is None:
        return
    words, error, d = material.words, material.error, material.dimensions
    sentences = [words("map shown", d=d)]
    if error is None:
        sentences.append(words("no held-out error",
                               error=words.share(fit.numbers["triplet_error_"])))
    else:
        sentences.append(words("map predicts", error=error_of(words, error)))
        sentences += _against_the_ceiling(material, error)
        sentences += [
            said for choice in choice_accuracies(material.answers, error)
            for said in predicted_said(words, choice)
        ]
    if d > 1:
        sentences.append(words("turned"))
    yield joined(*sentences)
    yield joined(*_of_uncertainty(material))
    for shown in presented(material.shown(), fit):  # its caption tells the error, as on the page
        if isinstance(shown, Drawing):
            yield material.named(shown)
    for task in ("reliability", "calibrate", "abstention", "compare_active"):
        run = material.of_map(task)
        if run is not None:
            yield from material.told(run)


def _against_the_ceiling(material: Material, error: ErrorEstimate) -> Iterator[str]:
    words, ceiling = material.words, material.quality.ceiling
    if is_chance(error):
        yield words("like guessing")
        return
    if ceiling.is_precise:
        yield words("least error", low=words.share(1 - ceiling.upper.value),
                    high=words.share(1 - ceiling.lower.value))
        if ceiling.is_reached(error.error, error.low):
            yield words("ceiling reached")


def _of_uncertainty(material: Material) -> Iterator[str]:
    words, run = material.words, material.uncertainty
    if run is None:
        return
    found = run.samples()
    yield words("average uncertainty", value=words.share(found.average_uncertainty))
    if found.rhat is not None:
        yield words("chains agree" if found.chains_agree else "chains disagree",
                    rhat=f"{found.rhat:.3f}", effective=words.whole(round(found.effective or 0)))


@part("comparison", "results", 3)
def comparison(material: Material) -> Iterator[Block]:
    """Several methods by their held-out errors; more answers."""
    words = material.words
    tests = material.alike
    if len({words.method(run.fresh()) for run in tests}) > 1:
        yield from _methods(material, tests)
    elif tests and material.map is None and not scale_runs(material.shown()):
        yield joined(words("one predicts", method=words.method(tests[0].fresh()),
                           error=error_of(words, tests[0].result())))
    yield from material.told_in("comparison")


def _methods(material: Material, tests: list[Run]) -> Iterator[Block]:
    """Errors in the same folds, and whether what is behind the best is so by chance."""
    words = material.words
    errors = {words.method(run.fresh()): run.result() for run in tests}
    ratio = 1.0 / (tests[0].options["folds"] - 1)
    best, behind = behind_best(errors, material.answers, ratio, any_pair=True)
    yield joined(words("compared", best=best, error=error_of(words, errors[best])))
    rows = []
    for name, found in sorted(errors.items(), key=lambda item: item[1].error):
        apart = behind.get(name)
        rows.append((
            name, words.share(found.error),
            f"[{words.share(found.low)}, {words.share(found.high)}]",
            words.share(apart.difference) if apart else "–",
            words.p(apart.p).removeprefix("*p* ").removeprefix("= ") if apart else "–",
        ))
    columns = tuple(words(f"methods {name}") for name in (
        "method", "error", "interval", "behind", "p"
    ))
    first = tests[0].result()
    yield TextTable(
        "methods", words("methods caption"), columns, tuple(rows),
        words("methods note", over=words.over(first.unit, first.n_units)),
    )


@part("similarities", "results", 4)
def similarities(material: Material) -> Iterator[Block]:
    """Kernels: what the answers say without a map."""
    words = material.words
    for run in material.all_of("fit", "kernel"):
        kernel, sentences = run.fitted(), []
        figures = list(material.drawn(run))
        place = f"@fig-{figures[0].name}" if figures else ""
        sentences.append(words("similar", method=words.method(run.fresh()),
                               place=f" ({place})" if place else ""))
        if isinstance(kernel, TripletKernel):
            found = evidence(kernel, material.answers, most=_COUNTED)
            sentences.append(words("shared", share=words.percent(found.shared)))
            if found.is_noise:
                sentences.append(words("mostly chance"))
        yield joined(*sentences)
        yield from figures
    yield from material.told_in("similarities")


@part("clusters", "results", 5)
def clusters(material: Material) -> Iterator[Block]:
    """Which objects belong together, and how surely."""
    words = material.words
    fits = material.all_of("fit", "cluster")
    about = [run for task in ("stability", "count_clusters") for run in material.all_of(task)]
    support = material.all_of("stability")
    for figures, run in zip(_figures_of(material, fits, support), fits, strict=True):
        found = clusters_of(material.shown(run), run)
        sizes = np.bincount(found[found >= 0]).tolist()
        told = [words.whole(size) for size in sizes[:_SIZES]]
        if len(sizes) > _SIZES:
            told.append("…")
        without = int((found < 0).sum())
        yield joined(words(
            "clustered", method=described(material.shown(run), run), source=SOURCES[run.method],
            number=words.count(len(sizes), "cluster"), sizes=", ".join(told),
            place=f"; @fig-{figures[0].name}" if figures else "",
        ), words("without a cluster", number=words.count(without, "object")) if without else "",
            *_number_of(material, run, len(sizes)))
        yield from figures
    for run in about:
        yield from material.told(run)
    yield from material.told_in("clusters")


def _figures_of(material: Material, fits: list[Run], support: list[Run]) -> list[list]:
    """Figures of every clustering: their names differ, and branches have their support."""
    keys = {run.key for run in fits}
    everything = list(material.drawn(
        *fits, *support, *([material.map] if material.map else []), names=False
    ))
    own = {run.key: [] for run in fits}
    for drawing in everything:
        first = drawing.runs[0]
        if first in keys:
            own[first].append(material.named(drawing))
    return [own[run.key] for run in fits]


def _number_of(material: Material, run: Run, number: int) -> Iterator[str]:
    """Where the number of clusters comes from, if nobody has chosen it."""
    fitted = run.fitted()
    chosen = run.parameters.get("n_clusters") or run.key in material.cuts
    if isinstance(fitted, Hierarchy) and not chosen and len(fitted.silhouettes_):
        yield material.words("by silhouette", number=number)


@part("scales", "results", 6)
def scales(material: Material) -> Iterator[Block]:
    """Perceptual scales."""
    return material.told_in("scales")


@part("trees", "results", 7)
def trees(material: Material) -> Iterator[Block]:
    """Neighbours, classes and values from comparisons alone."""
    return material.told_in("trees")


@part("groups", "results", 8)
def groups(material: Material) -> Iterator[Block]:
    """How people and groups differ, and the weights or groups behind it."""
    tasks = ("errors_by_group", "with_lapses", "compare_people", "compare_conditions")
    for run in (
        *(run for task in tasks for run in material.all_of(task)),
        *material.all_of("fit", "individuals"),
    ):
        # Where nobody gave answers enough, there is only the error of all.
        if run.task != "errors_by_group" or run.result().table["error"].count() > 1:
            yield from material.told(run)
    yield from material.told_in("groups")
