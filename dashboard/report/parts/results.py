"""What was found."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tripletscope.core.cluster.clustering import Hierarchy
from tripletscope.core.evaluation.score import CHANCE, ErrorEstimate
from tripletscope.core.kernel.evidence import evidence
from tripletscope.core.kernel.triplet import TripletKernel
from tripletscope.core.run import Run
from tripletscope.core.scale import MLDS
from tripletscope.core.uncertainty.sampling import AGREED
from tripletscope.dashboard.drawing.clusters import clusters_of
from tripletscope.dashboard.drawing.results import drawn
from tripletscope.dashboard.drawing.scales import scale_runs
from tripletscope.dashboard.report.document import Block, TextTable
from tripletscope.dashboard.report.material import Material, plain
from tripletscope.dashboard.report.parts.method import joined
from tripletscope.dashboard.report.parts.part import part
from tripletscope.dashboard.report.references import SOURCES
from tripletscope.dashboard.wording import Words

#: Objects that random comparisons of a kernel are counted for.
_COUNTED = 50
#: Overlap with clusters of resampled answers above which a cluster is stable, and below which it
#: dissolves.
_STABLE, _DISSOLVED = 0.75, 0.5


def error_of(words: Words, estimate: ErrorEstimate) -> str:
    """A held-out error with its interval."""
    over = words.over(estimate.unit, estimate.n_units)
    return (f"{words.share(estimate.error)}, {words.interval(estimate.low, estimate.high)}{over}")


@part("dimension", "results", 1)
def dimension(material: Material) -> Iterator[Block]:
    """How many dimensions the answers support."""
    words, found = material.words, material.suggestion
    if found is None:
        return
    errors, d = material.by_dimension, material.map.parameters["n_components"]
    best, few = found.best, found.n_components
    sentences = [words(
        "best dimension", least=min(errors), most=max(errors), best=best,
        error=error_of(words, errors[best]),
    )]
    if few < best:
        sentences.append(words("fewer suffice", few=few, p=words.p(found.p_values[few]),
                               error=words.share(errors[few].error)))
    worse = max((k for k in found.p_values if k < few), default=None)
    if worse is not None:
        sentences.append(words("worse with fewer", d=worse, error=words.share(errors[worse].error),
                               p=words.p(found.p_values[worse])))
    if d == few:
        sentences.append(words("hence", d=d))
    elif d in errors:
        sentences.append(words("shown otherwise", d=d, error=words.share(errors[d].error)))
    if best == max(errors):
        sentences.append(words("at the edge", best=best))
    yield joined(*sentences)
    runs = [run for run in material.all_of("cross_validate", "embedding")
            if run.method == material.map.method]
    yield from drawn(material.shown(*runs))
    for run in material.all_of("uncertainty_by_dimension"):
        yield from drawn(material.shown(run))


@part("map", "results", 2)
def shown_map(material: Material) -> Iterator[Block]:
    """The map, how well it predicts, and how sure its positions are."""
    fit = material.map
    if fit is None:
        return
    words, error, d = material.words, material.error, fit.parameters["n_components"]
    sentences = [words("map shown", d=d)]
    if error is None:
        sentences.append(words("no held-out error",
                               error=words.share(fit.numbers["triplet_error_"])))
    else:
        sentences.append(words("map predicts", error=error_of(words, error)))
        sentences += _against_the_ceiling(material, error)
    if d > 1:
        sentences.append(words("turned"))
    yield joined(*sentences)
    yield joined(*_of_uncertainty(material))
    runs = (fit, material.uncertainty) if material.uncertainty else (fit,)
    yield from drawn(material.shown(*runs))
    for run in (material.of_map("reliability"), material.of_map("calibrate")):
        if run is not None:
            yield from drawn(material.shown(run))


def _against_the_ceiling(material: Material, error: ErrorEstimate) -> Iterator[str]:
    words, ceiling = material.words, material.quality.ceiling
    if error.high >= CHANCE:
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
    unit = found.unit if found.source == "bootstrap" else "posterior"
    yield words(f"ellipses over {unit}")
    yield words("average uncertainty", value=words.share(found.average_uncertainty))
    if found.rhat is not None:
        agree = found.rhat <= AGREED
        yield words("chains agree" if agree else "chains disagree", rhat=f"{found.rhat:.3f}",
                    effective=words.whole(round(found.effective or 0)))
    reliability = material.of_map("reliability")
    if reliability is not None:
        real = reliability.result()
        low, high = real.error_interval()
        yield words(
            "calibrated responses", error=words.share(real.expected_error()),
            interval=words.interval(low, high), chance=words.share(real.error_by_chance()),
        )
    calibrate = material.of_map("calibrate")
    if calibrate is not None:
        simulated = calibrate.result()
        inside = np.nanmean(simulated.coverage, axis=0)
        at = int(np.argmin(np.abs(simulated.levels - 0.95)))
        yield words("covered", nominal=words.percent(simulated.levels[at], 0),
                    share=words.percent(inside[at]))


@part("comparison", "results", 3)
def comparison(material: Material) -> Iterator[Block]:
    """Several methods by their held-out errors; more answers."""
    words = material.words
    tests = material.all_of("cross_validate")
    names = {(run.method, run.kind) for run in tests}
    if len(names) > 1:
        rows = {}
        for run in tests:
            found, method = run.error(), run.fresh()
            rows.setdefault(words.method(method), (found.error, (
                words.method(method), words.share(found.error),
                f"[{words.share(found.low)}, {words.share(found.high)}]",
            )))
        ordered = sorted(rows.values())
        yield joined(words("compared", best=ordered[0][1][0], error=ordered[0][1][1]))
        columns = tuple(words(f"methods {name}") for name in ("method", "error", "interval"))
        first = tests[0].error()
        yield TextTable("methods", words("methods caption"), columns,
                    tuple(row for _, row in ordered),
                    words("methods note", over=words.over(first.unit, first.n_units)))
    for run in material.all_of("learning_curve"):
        curve = run.curve()
        yield joined(words("learned", first=words.share(curve.mean[0]),
                           few=words.whole(int(curve.n_answers[0])),
                           last=words.share(curve.mean[-1]),
                           many=words.whole(int(curve.n_answers[-1]))))
        yield from drawn(material.shown(run))
    for run in material.all_of("tune"):
        yield from drawn(material.shown(run))


@part("similarities", "results", 4)
def similarities(material: Material) -> Iterator[Block]:
    """Kernels: what the answers say without a map."""
    words = material.words
    for run in material.all_of("fit", "kernel"):
        kernel, sentences = run.fitted(), []
        figures = list(drawn(material.shown(run)))
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
    for run in material.all_of("spectrum"):
        found = run.result()
        yield joined(words("signal", number=words.count(found.n_signal, "component")))
        yield from drawn(material.shown(run))


@part("clusters", "results", 5)
def clusters(material: Material) -> Iterator[Block]:
    """Which objects belong together, and how surely."""
    words = material.words
    fits = material.all_of("fit", "cluster")
    about = [run for task in ("stability", "count_clusters") for run in material.all_of(task)]
    support = material.all_of("stability")
    for figures, run in zip(_figures_of(material, fits, support), fits, strict=True):
        found = clusters_of(material.shown(run), run)
        sizes = np.bincount(found[found >= 0])
        yield joined(words(
            "clustered", method=words.method(run.fresh()), source=SOURCES[run.method],
            number=words.count(len(sizes), "cluster"),
            sizes=words.listing([words.whole(int(size)) for size in sizes[:12]]),
            place=f" (@fig-{figures[0].name})" if figures else "",
        ), *_number_of(material, run, len(sizes)))
        yield from figures
    for run in about:
        sentences = list(_of_stability(words, run) if run.task == "stability" else
                         _of_counts(words, run))
        yield joined(*sentences)
        yield from drawn(material.shown(run))


def _figures_of(material: Material, fits: list[Run], support: list[Run]) -> list[list]:
    """Figures of every clustering: their names differ, and branches have their support."""
    keys = {run.key for run in fits}
    everything = list(drawn(material.shown(*fits, *support, *(
        [material.map] if material.map else []
    ))))
    own = {run.key: [] for run in fits}
    for drawing in everything:
        first = drawing.runs[0]
        if first in keys:
            own[first].append(drawing)
    return [own[run.key] for run in fits]


def _number_of(material: Material, run: Run, number: int) -> Iterator[str]:
    """Where the number of clusters comes from, if nobody has chosen it."""
    fitted = run.fitted()
    chosen = run.parameters.get("n_clusters") or run.key in material.cuts
    if isinstance(fitted, Hierarchy) and not chosen and len(fitted.silhouettes_):
        yield material.words("by silhouette", number=number)


def _of_stability(words: Words, run: Run) -> Iterator[str]:
    found = run.result()
    yield words(
        "stable", number=words.whole(len(found.agreement)),
        over=words.over(found.unit, found.n_units),
        clusters=words.count(len(found.recovery), "cluster"),
        sure=words.whole(int((found.recovery > _STABLE).sum())),
        lost=words.whole(int((found.recovery < _DISSOLVED).sum())),
    )


def _of_counts(words: Words, run: Run) -> Iterator[str]:
    found = run.result()
    one = found.best_by_gap == 1
    yield words("no clusters" if one else "gap says",
                number=words.count(int(found.best_by_gap), "cluster"))


@part("scales", "results", 6)
def scales(material: Material) -> Iterator[Block]:
    """Perceptual scales."""
    words, shown = material.words, material.shown()
    runs = scale_runs(shown)
    if not runs:
        return
    sentences = [words("scale shown")]
    for run in runs:
        method = run.fresh()
        rises = run.result().is_monotone()
        sentences.append(words("rises" if rises else "falls", method=words.method(method)))
        fit = shown.of(run, "fit")
        if isinstance(method, MLDS) and fit is not None:
            fitted = fit.fitted()
            sentences.append(words(
                "difference scaling", answers=words.count(fitted.n_answers_, "answer"),
                sigma=words.number(fitted.sigma_), aic=words.number(fitted.aic_, 4),
                daf=words.percent(fitted.daf_),
            ))
    errors = {
        words.method(run.fresh()): run.error() for run in material.all_of("cross_validate")
        if any((run.method, run.parameters) == (one.method, one.parameters) for one in runs)
    }
    for name, error in errors.items():
        sentences.append(words("scale predicts", method=name, error=error_of(words, error)))
    yield joined(*sentences)
    yield from drawn(material.shown(*(
        run for run in material.runs
        if run in runs or run.task == "diagnose" or (run.task, run.kind) == ("fit", "scale")
    )))


@part("trees", "results", 7)
def trees(material: Material) -> Iterator[Block]:
    """Neighbours, classes and values from comparisons alone."""
    words = material.words
    for run in material.all_of("search_curve"):
        figures = list(drawn(material.shown(run)))
        yield joined(words("searched", place=f"@fig-{figures[0].name}"))
        yield from figures
    for run in material.all_of("forest_errors"):
        found = run.result()
        a, b = found.best
        error = float(found.errors[:, a, b].mean())
        gain, reach = found.gain(a, b)
        figures = list(drawn(material.shown(run)))
        show = words.share if len(found.classes) else words.number
        yield joined(words(
            "predicted", column=plain(run.options["column"]), error=show(error),
            number=words.count(int(np.isfinite(found.truth).sum()), "object"),
            chance=show(found.chance), trees=words.count(int(found.n_trees[b]), "tree"),
            place=f"@fig-{figures[0].name}",
        ), words("optimistic"), words("no gain") if gain <= reach else "")
        yield from figures


@part("groups", "results", 8)
def groups(material: Material) -> Iterator[Block]:
    """How people and groups differ."""
    words = material.words
    for run in material.all_of("errors_by_group"):
        found = run.result()
        table = found.table.dropna(subset="error")
        if table.empty:
            continue
        figures = list(drawn(material.shown(run)))
        yield joined(words(
            "by group", by=plain(run.options["by"]), method=words.method(run.fresh()),
            least=words.share(table["error"].min()), most=words.share(table["error"].max()),
            place=f"@fig-{figures[0].name}",
        ))
        yield from figures
