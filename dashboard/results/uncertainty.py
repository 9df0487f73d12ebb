"""Calibration of probabilities and ellipses, abstention, and adaptive questions."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from tripletscope.core.inference.held_out.units import ENOUGH
from tripletscope.core.inference.uncertainty.abstention import Abstention
from tripletscope.core.inference.uncertainty.calibration import Calibration
from tripletscope.core.inference.uncertainty.reliability import SURE, Reliability
from tripletscope.core.inference.uncertainty.sampling import AGREED, JUDGED
from tripletscope.core.run import Run
from tripletscope.core.studies.design.active import STRATEGIES, ActiveComparison
from tripletscope.dashboard.figures.trust import (
    NAMES,
    abstention_curves,
    asking_curves,
    coverage,
    reliability,
    response_reliability,
)
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.presentation import (
    Advice,
    Element,
    ShownResults,
    Statement,
    presents,
    table_of,
)
from tripletscope.dashboard.results.quality import ceiling_said
from tripletscope.dashboard.words import words

#: Response probabilities from which responses are predicted, in the figure and in words.
THRESHOLDS = np.round(np.arange(0.5, 0.991, 0.02), 2)
_SURE = 0.9
#: Least effective maps for stable ellipses and R-hat (Vehtari et al., 2021).
_EFFECTIVE = 400
_HALF = 0.8  # height of a square figure, divided by its width


@presents("bootstrap", told_in="map")
@presents("posterior", told_in="map")
@presents("laplace", told_in="map")
def positions_of(shown: ShownResults, run: Run) -> Iterator[Statement | Advice]:
    """Certainty of orders of distances, and convergence of chains."""
    samples = run.samples()
    value = samples.average_uncertainty if shown.average is None else shown.average
    yield Statement(words("average uncertainty", value=value))
    yield Advice(words("average explained"))
    if samples.rhat is not None:
        agree = samples.chains_agree
        yield Statement(words("chains agree" if agree else "chains disagree",
                              rhat=f"{samples.rhat:.3f}", effective=round(samples.effective or 0)))
        yield Advice(words("chains explained", judged=JUDGED, agreed=AGREED))
        if not agree and samples.reference.shape[1] == 1:
            yield Advice(words("chains on a line"))
    if samples.effective is not None and not (
        samples.effective >= _EFFECTIVE and samples.chains_agree
    ):
        yield Advice(words("sample more"))


@presents("reliability", told_in="map")
def reliability_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """How often held-out responses were given as predicted."""
    result = run.result()
    yield from map(Statement, responses_said(result))
    if result.judgement is None:
        return
    over = words.over("participants", result.n_people) if result.n_people is not None else words(
        f"over {shown.answers.grouped_by}s"
    )
    text = words(
        "reliability of", method=words.method(run.fresh()), source=_source(run),
        number=_predicted(result), folds=run.options["folds"], over=over,
    )
    yield Drawing(
        "reliability", words("title reliability"), text, words("alt diagonal"), 0.5,
        lambda canvas: response_reliability(result, caption=text, canvas=canvas),
        lambda: pd.concat([
            pd.DataFrame({"probability": name, **vars(result.bins(which))})
            for which, name in NAMES.items()
        ], ignore_index=True),
        (run.key,),
    )
    order, lapse = result.expected_error("order"), result.lapse
    yield Advice(words("order is no answer", lapse=lapse, error=order))
    sure = result.sure("order")
    if sure.count:
        yield Advice(words("sure orders", least=SURE, said=sure.said, right=sure.right))


def responses_said(result: Reliability) -> Iterator[str]:
    """Whether response probabilities hold, and those of sure predictions."""
    if result.judgement is None:
        yield words("responses unpredicted")
        return
    number = _predicted(result)
    yield words(f"responses {result.judgement}", number=number) + words(
        "responses off", number=number, error=result.expected_error(),
        interval=result.error_interval(), chance=result.error_by_chance(),
    )
    sure = result.sure()
    if sure.judgement is None:
        yield words("no sure responses", least=SURE)
    else:
        yield words("sure responses", least=SURE, said=sure.said, right=sure.right,
                    judgement=words(f"judged {sure.judgement}"))


def _predicted(result: Reliability) -> int:
    return int(np.isfinite(result.response).sum())


def _source(run: Run) -> str:
    return words(f"maps from {run.options['source']}")


@presents("calibrate", told_in="map")
def calibration_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """How often true positions of simulated data lie in their ellipses, and orders are right."""
    result = run.result()
    yield from map(Statement, ellipses_said(result))
    about = words(
        "calibration of", method=words.method(run.fresh()), source=_source(run),
        number=words.count(len(result.coverage), "simulated data set"), error=result.error,
        about=shown.about,
    )
    for name, figure, table in (
        ("coverage", coverage, lambda: pd.DataFrame(
            result.coverage, columns=[f"{level:g}" for level in result.levels]
        )),
        ("calibration", reliability, table_of(
            said=result.confidence, right=result.accuracy, comparisons=result.counts
        )),
    ):
        text = f"{words(f'caption {name}')} {about}"
        yield Drawing(
            name, words(f"title {name}"), text, words("alt diagonal"), _HALF,
            lambda canvas, figure=figure, text=text: figure(result, caption=text, canvas=canvas),
            table, (run.key,), is_half=True,
        )
    yield Advice(words("about simulations", error=result.expected_error))


def ellipses_said(result: Calibration) -> Iterator[str]:
    """Whether ellipses and order certainty hold in simulated data, and of whom."""
    people = ""
    if result.heterogeneity is not None:
        enough = result.n_participants >= ENOUGH
        people = words(
            "people who differ" if enough else "people too few to differ",
            number=words.count(result.n_participants, "participant"), least=ENOUGH,
            share=result.heterogeneity,
        )
    number = words.count(len(result.coverage), "simulated data set")
    if result.ellipse_judgement is None:
        yield words("ellipses too few", number=number, people=people)
    else:
        yield words(
            "ellipses judged", number=number, people=people, level=result.levels[-1],
            judgement=words(f"judged {result.ellipse_judgement}"), share=result.held.mean(),
        )
    said, right = result.order
    yield words("orders judged", said=said, right=right,
                judgement=words(f"judged {result.order_judgement}"))


@presents("abstention", told_in="map")
def abstention_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    result: Abstention = run.result()
    which = "response"
    if result.response is None:
        which = "order"
        yield Advice(words("abstention of before"))
    else:
        result = result.by_response
    error, omitted = result.at(THRESHOLDS)
    yield from map(Statement, omission_said(error, omitted, which))
    text = words(
        "abstention of", method=words.method(run.fresh()), about=shown.about,
        number=words.count(len(result.held_out), "held-out answer"), which=words(which),
    )
    ceiling = shown.limits.ceiling
    if ceiling.is_precise:
        text += f" {words('ceiling band')}"
    yield Drawing(
        "abstention", words("title abstention"), text, words("alt curve"), 0.5,
        lambda canvas: abstention_curves(
            THRESHOLDS, {"error of predictions": error, "not predicted": omitted},
            ceiling=ceiling, caption=text, canvas=canvas,
        ),
        lambda: pd.DataFrame({
            f"minimum {NAMES[which]}": THRESHOLDS, "error of what is predicted": error,
            "left open": omitted,
        }),
        (run.key,),
    )
    yield Advice(ceiling_said(ceiling))


def omission_said(error: np.ndarray, omitted: np.ndarray, which: str = "response") -> Iterator[str]:
    """The gain by leaving responses open, from the curves of one of the probabilities."""
    if not np.isfinite(error[0]):
        yield words("answers unpredicted")
        return
    yield words("most predicted" if omitted[0] > 0 else "all predicted", error=error[0],
                omitted=omitted[0])
    sure = int(np.flatnonzero(THRESHOLDS == _SURE)[0])
    yield words(
        "sure predicted" if np.isfinite(error[sure]) else "none sure", which=words(which),
        least=_SURE, error=error[sure], omitted=omitted[sure],
    )


@presents("compare_active", told_in="map")
def adaptive_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """Error with adaptively selected and with random questions, as answers come in."""
    result: ActiveComparison = run.result()
    yield Statement(adaptive_said(result))
    names = (STRATEGIES[run.options["strategy"]], "Random")
    table = pd.concat([
        pd.DataFrame({
            "design": name, "answers": result.n_answers, "error": errors.mean(axis=0),
            "reach": 2.0 * errors.std(axis=0, ddof=1) / np.sqrt(len(errors)),
        }) for name, errors in zip(names, (result.chosen, result.by_chance), strict=True)
    ], ignore_index=True)
    text = words("adaptive of", method=words.method(run.fresh()), about=shown.about,
                 number=words.whole(len(result.chosen)))
    yield Drawing(
        "adaptive-questions", words("title adaptive"), text, words("alt curve"), 0.5,
        lambda canvas: asking_curves(table, caption=text, canvas=canvas), lambda: table,
        (run.key,),
    )


def adaptive_said(result: ActiveComparison) -> str:
    return words(
        f"adaptive {result.judgement}", number=len(result.chosen), answers=result.n_answers[-1],
        chosen=result.chosen[:, -1].mean(), random=result.by_chance[:, -1].mean(),
    )
