"""About a dozen findings of a data set, the cheapest first, for page and report.

Each yields sentences and at most one figure, or nothing where its results are missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from sklearn.base import clone

from tripletscope.core.data.lazy import cached_property
from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.declared import checked, parameters
from tripletscope.core.engine.method import Method, Piece
from tripletscope.core.inference.held_out.compare import Suggestion, is_chance, needed_answers
from tripletscope.core.inference.held_out.paired import behind_best
from tripletscope.core.inference.held_out.score import (
    can_divide,
    cross_validate,
    has_split,
    n_groups,
)
from tripletscope.core.inference.validity import another_method, popularity
from tripletscope.core.models.embedding import SOE, STE
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.people import WeightedEuclidean
from tripletscope.core.people.comparing import ONE
from tripletscope.core.people.floor import Floor, answers_needed
from tripletscope.core.people.groups import counted, groups_of
from tripletscope.core.run import TASKS, Run
from tripletscope.core.scales import MLDS
from tripletscope.core.similarity.clusters import AgglomerativeClustering
from tripletscope.core.similarity.clusters.counting import GROUP, recommend_clusters
from tripletscope.core.studies.quality.verdict import Verdict
from tripletscope.dashboard.figures.labels import short_people
from tripletscope.dashboard.figures.points import MapStyle
from tripletscope.dashboard.results.clusters import counts_of
from tripletscope.dashboard.results.comparison import (
    dimensions_advised,
    dimensions_elsewhere,
    dimensions_said,
    methods_said,
    suggestions_of,
)
from tripletscope.dashboard.results.dividing import condition_columns, main_condition
from tripletscope.dashboard.results.doubts import HELP, doubts_of, doubts_said
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.families import families_of, others_ahead, ratio_of
from tripletscope.dashboard.results.maps import (
    DrawnMap,
    error_of,
    error_said,
    fit_said,
    stimulus_of,
    uncertainty_said,
)
from tripletscope.dashboard.results.people import (
    beside_conditions,
    conditions_said,
    floor_said,
    people_said,
)
from tripletscope.dashboard.results.presentation import (
    Advice,
    Element,
    ShownResults,
    Statement,
    uncertainty_of,
)
from tripletscope.dashboard.results.quality import ceiling_sentences, of_choices, verdict_of
from tripletscope.dashboard.results.scales import no_scale_said
from tripletscope.dashboard.words import LinkedSentence, unmarked, words

#: Dimensions in which errors are compared.
DIMENSIONS = (1, 2, 3)
#: Objects of which durations are known.
_OBJECTS = 300
_NAMED = 5  # people who stand out
#: Difference scaling is made for about ten levels; more than so many are joined to fewer.
MANY_LEVELS, FEW_LEVELS = 20, 12
_FOLDS = next(p.default for p in parameters(cross_validate) if p.name == "folds")


@dataclass(frozen=True)
class Subject:
    """The answers, and the method of the map, not fitted."""

    answers: Answers
    method: OrdinalEmbedding

    @cached_property
    def condition(self) -> str:
        """The column whose values are likely conditions of the answers; empty without one."""
        return main_condition(counted(self.answers).answers)


@dataclass(frozen=True)
class SubjectResults(Subject):
    """Results behind findings.

    shown: Results of the answers.
    verdict_of: Makes the verdict on participants.
    """

    shown: ShownResults
    verdict_of: Callable[[], Verdict]

    def run(self, method: Method, task: str) -> Run | None:
        """The first result of a task for a method, whatever its options."""
        return next(iter(self.of_method(method, task)), None)

    def of_method(self, method: Method, task: str, *, besides: str = "") -> list[Run]:
        """Results of a task for a method, with any value of parameter `besides`."""
        def settings(values: Mapping[str, Any]) -> dict[str, Any]:
            return {name: value for name, value in values.items() if name != besides}

        wanted = settings(checked(type(method), method.get_params(deep=False)))
        return [run for run in self.shown.all_of(task)
                if run.method == method.name and settings(run.parameters) == wanted]

    @property
    def map(self) -> Run | None:
        return self.run(self.method, "fit")

    @property
    def error(self) -> Run | None:
        """Held-out error of the map, which is that of its page."""
        return error_of(self.shown, self.map) if self.map else None


Said = Callable[[SubjectResults], Iterator[Element]]


@dataclass(frozen=True)
class Topic:
    """A finding of every data set that it applies to.

    name: Also the key of its heading, after "finding".
    said: Yields sentences and figure; nothing where results are missing.
    lacks: A sentence on too few answers; empty otherwise.
    seconds: Roughly, per answer about `_OBJECTS` objects.
    claims: Whether it says what the objects are like, which nobody knows of answers that a map
        predicts no better than guesses.
    """

    name: str
    page: str
    tab: str
    said: Said
    applies: Callable[[Subject], bool]
    pieces: Callable[[Subject], list[Piece]]
    lacks: Callable[[Subject], str]
    seconds: float
    claims: bool

    def takes(self, answers: Answers) -> float:
        """Roughly how many seconds it takes: the more objects, the more iterations."""
        share = float(np.clip(answers.n_objects / _OBJECTS, 0.2, 5.0))
        return self.seconds * len(answers) * share

    def told(self, results: SubjectResults) -> list[Element]:
        """What is said; no structure of guesses, nor before it is known that they are none."""
        if self.claims and FINDINGS["error"].applies(results):
            if results.error is None:
                return []
            if is_chance(results.error.result()):
                return [Statement(words("silent of guesses"))]
        return list(self.said(results))


@dataclass(frozen=True)
class Reason(Statement):
    """A reason of a finding, which a page folds away."""


def reasoned(texts: Iterable[str]) -> Iterator[Statement]:
    """The first sentence as the finding, the others as its reasons."""
    for place, text in enumerate(texts):
        yield Reason(text) if place else Statement(text)


def headed(text: str) -> tuple[str, ...]:
    """A sentence up to its colon, and what follows that as another one."""
    head, _, why = text.partition(": ")
    return (f"{head}.", f"{why[:1].upper()}{why[1:]}") if why else (text,)


#: All findings by name, in their order.
FINDINGS: dict[str, Topic] = {}


def are_triplets(subject: Subject) -> bool:
    return not isinstance(subject.answers, Quadruples) and subject.answers.objects_recur


def finding(
    name: str, page: str, tab: str, *, applies: Callable[[Subject], bool] = are_triplets,
    pieces: Callable[[Subject], list[Piece]] = lambda subject: [],
    lacks: Callable[[Subject], str] = lambda subject: "", seconds: float = 0.0,
    claims: bool = False,
) -> Callable[[Said], Said]:
    """Declare a finding; see `Topic`."""

    def declare(said: Said) -> Said:
        FINDINGS[name] = Topic(name, page, tab, said, applies, pieces, lacks, seconds, claims)
        return said

    return declare


def usual_tasks(answers: Answers) -> dict[str, dict[str, Any]]:
    """Tasks of a map by default: error and uncertainty."""
    if has_split(answers):
        return {"split_error": {}, "bootstrap": {}}
    return {"cross_validate": {}, "bootstrap": {}} if _can_hold_out(answers) else {"bootstrap": {}}


def _can_hold_out(answers: Answers) -> bool:
    return can_divide(answers, _FOLDS)


def _too_few_questions(subject: Subject) -> str:
    if _can_hold_out(subject.answers):
        return ""
    if subject.answers.is_one_rating:
        return words("one rating")
    return words("too few questions", number=n_groups(subject.answers), needed=_FOLDS)


def _too_few_for_an_error(subject: Subject) -> str:
    return "" if has_split(subject.answers) else _too_few_questions(subject)


# The answers ---------------------------------------------------------------------------------


@finding("care", "data", "quality", applies=lambda subject: True)
def care(results: SubjectResults) -> Iterator[Element]:
    """Participants to look at; names are for the page alone."""
    *said, last = (part for part in verdict_of(results.shown, results.verdict_of())
                   if isinstance(part, Statement))
    yield from said
    if people := [*results.verdict_of().reasons]:
        names = [unmarked(name) for name in short_people(people).values()]
        yield Advice(words("who stands out", names=words.first(names, _NAMED)))
    yield Reason(last.text) if said else last  # what was looked at, if anything


@finding("ceiling", "data", "quality", applies=lambda subject: True)
def ceiling(results: SubjectResults) -> Iterator[Element]:
    limits = results.shown.limits
    yield from reasoned((
        *ceiling_sentences(limits.ceiling), *(of_choices(one) for one in limits.choices),
    ))


# The map -------------------------------------------------------------------------------------


def _of_error(subject: Subject) -> list[Piece]:
    tasks = usual_tasks(subject.answers)
    del tasks["bootstrap"]
    return [(subject.method, "fit", {}), *((subject.method, *task) for task in tasks.items())]


@finding("error", "embedding", "embedding", pieces=_of_error, lacks=_too_few_for_an_error,
         seconds=1e-4)
def error(results: SubjectResults) -> Iterator[Element]:
    if results.error is None:
        return
    parts = error_said(results.shown, results.error)
    said = [part.text for part in parts if isinstance(part, Statement)]
    if is_chance(results.error.result()):
        yield from map(Statement, said)
    else:
        # Beside the lowest possible error it says whether the map leaves much to explain.
        ceiling = results.shown.limits.ceiling
        first = 1 + (ceiling.is_precise and not ceiling.differ)
        yield Statement(" ".join(said[:first]))
        yield from map(Reason, said[first:])


@finding("map", "embedding", "embedding", lacks=_too_few_for_an_error, seconds=2e-4,
         pieces=lambda subject: [(subject.method, "fit", {}), (subject.method, "bootstrap", {})])
def shown_map(results: SubjectResults) -> Iterator[Element]:
    """The map with its uncertainty, where it predicts better than guesses."""
    fit = results.map
    if fit is None or results.error is None:
        return
    if is_chance(results.error.result()):
        yield Statement(words("map withheld"))
        return
    yield from map(Statement, doubts_said([popularity(results.error.result())]))
    samples, said = uncertainty_of(results.shown, fit), [_named(fit)]
    if samples is not None:
        said += uncertainty_said(results.shown, samples, MapStyle(), fit.fitted().n_components)
    yield from reasoned(said)
    yield DrawnMap(results.shown, fit).drawing


def _named(fit: Run) -> str:
    """The method of a map, and problems of its fit."""
    is_sound = fit.complete and fit.numbers["converged_"]
    if is_sound:
        return f"{words.method(fit.fresh())}."
    return LinkedSentence(f"{fit_said(fit)}.", HELP["unfinished"])


def _tried(subject: Subject) -> list[int]:
    """Numbers of dimensions that are compared: also one more than the map has."""
    d = subject.method.n_components
    return sorted({*DIMENSIONS, d, d + 1})


def _in_dimensions(subject: Subject) -> list[Piece]:
    methods = [clone(subject.method).set_params(n_components=d) for d in _tried(subject)]
    return [(one, task, {}) for one in methods for task in ("fit", "cross_validate")] + [
        (one, "cross_validate", {}) for one in _rival_with_more(subject)
    ]


def _rival_with_more(subject: Subject) -> list[OrdinalEmbedding]:
    """A method of another family in as many dimensions, and in one more, which it may not need."""
    *_, rival = _rivals(subject)
    return [rival, clone(rival).set_params(n_components=rival.n_components + 1)]


@finding("dimensions", "compare", "dimensions", pieces=_in_dimensions, seconds=4e-4,
         lacks=_too_few_questions, claims=True)
def dimensions(results: SubjectResults) -> Iterator[Element]:
    """The number of dimensions that held-out errors of the same folds recommend."""
    runs = _errors_by_dimension(results)
    if {run.parameters["n_components"] for run in runs} >= set(_tried(results)):
        every = [*runs, *_errors_of_others(results, runs[0])]
        name = families_of(every)[runs[0].key]
        suggestion, best = suggestions_of(every, results.answers)[name]
        # The lowest of errors whose intervals overlap is no finding.
        why = islice(dimensions_said(name, suggestion, best), 1, None)
        yield from reasoned((*dimensions_advised(suggestion), *why))
        yield from map(Statement, dimensions_elsewhere(name, suggestion))


def _errors_of_others(results: SubjectResults, own: Run) -> list[Run]:
    """Errors of maps of other methods, in the same folds."""
    return [run for run in results.shown.all_of("cross_validate")
            if run.complete and run.kind == own.kind and run.method != own.method
            and run.options == own.options]


def _errors_by_dimension(results: SubjectResults) -> list[Run]:
    """Held-out errors of the map's method by cross-validation with default options."""
    usual = checked(TASKS["cross_validate"].function, {})
    return [
        run for run in results.of_method(results.method, "cross_validate", besides="n_components")
        if run.options == usual
    ]


def _rivals(subject: Subject) -> list[OrdinalEmbedding]:
    """Methods of other families, in as many dimensions."""
    d = subject.method.n_components
    return [other(n_components=d) for other in (SOE, STE)
            if not isinstance(subject.method, other)]


@finding("methods", "embedding", "maps", seconds=4e-4, lacks=_too_few_questions,
         claims=True, pieces=lambda subject: [
             (one, task, {}) for one in _rivals(subject) for task in ("fit", "cross_validate")
         ] + [(subject.method, "cross_validate", {})])
def methods(results: SubjectResults) -> Iterator[Element]:
    """Whether another method predicts better than that of the map."""
    own, *rivals = (
        results.run(one, "cross_validate") for one in (results.method, *_rivals(results))
    )
    if own is None or not all(rivals):
        return
    ahead = others_ahead(results.shown, own)
    if better := another_method(ahead):
        yield from map(Statement, (*doubts_said([better]), words("see both")))
    else:
        yield Statement(words("none predicts better", names=[*ahead]))
    for name, more in ahead.items():
        yield Reason(words("rival ahead", name=name, p=more.p,
                           more=(more.difference, more.low, more.high)))


# Structure -----------------------------------------------------------------------------------


def _too_few_objects(subject: Subject) -> str:
    n = int((subject.answers.answers_per_object > 0).sum())
    if n < 2 * GROUP:
        return words("too few objects", number=n, needed=2 * GROUP, least=GROUP)
    return _too_few_questions(subject)


def usual_clustering(method: OrdinalEmbedding) -> AgglomerativeClustering:
    """The default clustering of its page, of the map of a method."""
    return AgglomerativeClustering(basis=method)


@finding("clusters", "clusters", "numbers", lacks=_too_few_objects, seconds=6e-4, claims=True,
         pieces=lambda subject: [(usual_clustering(subject.method), "count_clusters", {})])
def clusters(results: SubjectResults) -> Iterator[Element]:
    run = results.run(usual_clustering(results.method), "count_clusters")
    if run is None:
        return
    is_told = recommend_clusters(run.result()).n_clusters is not None
    for part in counts_of(results.shown, run):
        if is_told and isinstance(part, Statement):
            yield from reasoned(headed(part.text))
        elif is_told or not isinstance(part, Drawing):
            yield part


def _scale(subject: Subject) -> MLDS:
    """Difference scaling along the first column of numbers, as its page begins."""
    column = stimulus_of(subject.answers.objects)
    levels = subject.answers.objects[column].nunique()
    return MLDS(stimulus=column, most_levels=FEW_LEVELS if levels > MANY_LEVELS else None)


def _has_stimulus(subject: Subject) -> bool:
    """Whether every object has a physical value, as far as columns can tell."""
    objects = subject.answers.objects
    column = stimulus_of(objects)
    return subject.answers.objects_recur and column is not None and bool(
        objects[column].notna().all()
    ) and objects[column].nunique() >= 3


@finding("scale", "scale", "scales", applies=_has_stimulus, lacks=_too_few_questions, seconds=4e-4,
         claims=True, pieces=lambda subject: [(_scale(subject), "cross_validate", {})])
def scale(results: SubjectResults) -> Iterator[Element]:
    """The prediction of a scale along a column of numbers, beside the map."""
    run = results.run(_scale(results), "cross_validate")
    if run is None:
        return
    name, result = words.method(run.fresh()), run.result()
    said = [*no_scale_said(name, result)] or [words(
        "one predicts", method=name, error=(result.error, result.low, result.high),
        over=(result.unit, result.n_units),
    )]
    others = [one for one in _errors_by_dimension(results)
              if one.parameters["n_components"] == results.method.n_components]
    if others and not is_chance(result):
        both = {name: result, words.method(results.method): others[0].result()}
        best, behind = behind_best(both, results.answers, ratio_of(run))
        is_seen = all(more.p < Suggestion.level for more in behind.values())
        key = "alike" if not is_seen else "ahead" if best == name else "behind"
        stimulus = stimulus_of(results.answers.objects)
        said = [words(f"scale {key}", stimulus=stimulus), *methods_said(best, behind), *said]
    yield from reasoned(said)


# People --------------------------------------------------------------------------------------


def _has_people(subject: Subject) -> bool:
    column = subject.answers.answers.get("participant")
    return are_triplets(subject) and column is not None and column.nunique() > 1


def _too_few_of_each(subject: Subject, by: str = "participant") -> str:
    """That fewer than two people, or conditions, have answers enough for weights of their own."""
    answers, method = subject.answers, WeightedEuclidean(by=by)
    counts = {who: int((answers.weight[of] > 0).sum())
              for who, of in groups_of(answers, method.by).items()}
    placed = int((answers.answers_per_object > 0).sum())
    needed = np.full(len(counts), answers_needed(placed, method.n_components))
    floor = Floor(np.array(list(counts)), np.array(list(counts.values())), needed, "weights",
                  method.n_components)
    if floor.reached.sum() < 2:
        return floor_said(floor, method.by)
    return _too_few_questions(subject)


@finding("people", "people", "weights", applies=_has_people, lacks=_too_few_of_each, seconds=2.5e-3,
         claims=True, pieces=lambda subject: [
             (WeightedEuclidean(), task, {}) for task in ("compare_people", "fit")
         ])
def people(results: SubjectResults) -> Iterator[Element]:
    """Whether weights of each person predict better than one map, where that predicts anything."""
    method = WeightedEuclidean()
    run = results.run(method, "compare_people")
    if run is not None:
        said, *further = people_said(run.result(), method.by)
        yield from reasoned((*headed(said), *further))


@finding(
    "conditions", "people", "conditions", seconds=2e-3, claims=True,
    applies=lambda subject: are_triplets(subject) and bool(subject.condition),
    lacks=lambda subject: _too_few_of_each(subject, subject.condition),
    pieces=lambda subject: [(WeightedEuclidean(by=subject.condition), task, {})
                            for task in ("compare_conditions", "fit")],
)
def conditions(results: SubjectResults) -> Iterator[Element]:
    """Whether the likeliest column of conditions changes what people attend to."""
    run = results.run(WeightedEuclidean(by=results.condition), "compare_conditions")
    if run is None:
        return
    said, *further = conditions_said(run.result(), results.condition)
    yield from reasoned(headed(said))
    if run.result().weights_differ:  # guesses can look like this
        yield Statement(further.pop(0))
    yield from map(Reason, further)
    compared = results.run(WeightedEuclidean(), "compare_people")
    if compared is not None and compared.result().chosen == ONE:
        yield from beside_conditions(results.shown, "participant")
    columns = condition_columns(results.answers.answers)
    if others := [name for name in columns if name != results.condition]:
        yield Reason(words("conditions not compared", names=others))


# What to do ----------------------------------------------------------------------------------


@finding("objects", "data", "objects", applies=lambda subject: subject.answers.objects_recur)
def objects(results: SubjectResults) -> Iterator[Element]:
    each = results.answers.answers_per_object
    if not len(each):
        return
    least, most = int(each.min()), int(each.max())
    yield Statement(words(
        "all per object" if least == most else "per object", least=least, most=most,
        median=int(np.median(each) + 0.5),
    ))
    if never := int((each == 0).sum()):
        yield Statement(words("objects never asked", number=never))
    yield from map(Statement, doubts_said(doubts_of(results.shown, None)))


@finding("questions", "simulate", "questions")
def questions(results: SubjectResults) -> Iterator[Element]:
    """How many questions a map takes, and whether more would lower its error."""
    answers, d = results.answers, results.method.n_components
    needed, number = needed_answers(answers.n_objects, d), answers.n_questions
    if results.shown.measured:  # nobody was asked them: they are what values of pairs imply
        yield Statement(words("questions of values"))
    elif number < needed:
        yield Statement(words("answers missing", d=d, needed=round(needed), number=number,
                              more=round(needed) - number))
    elif needed:
        yield Statement(words("rule of thumb", times=words.number(number / needed, 2), d=d))
    result = results.error.result() if results.error else None
    if result is not None and results.shown.limits.ceiling.leaves_nothing(
        result.error, result.low, result.high
    ):
        yield Statement(words("at the ceiling"))
