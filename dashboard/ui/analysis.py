"""What pages compute: maps, their uncertainty, their held-out error, several as one job."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from threading import Lock
from types import MappingProxyType
from typing import Any

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.declared import checked, parameters, with_seed
from tripletscope.core.engine.method import Method, Piece
from tripletscope.core.engine.progress import Progress, Stopped, as_coarse_as
from tripletscope.core.models.embedding.default import DEFAULT_EMBEDDING
from tripletscope.core.models.embedding.tste import TSTE
from tripletscope.core.ratings import RatedDissimilarities
from tripletscope.core.run import TASKS, Run, key
from tripletscope.dashboard.jobs.pool import pool
from tripletscope.dashboard.jobs.queue import Job, Step, current_job
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.store.dataset import DatasetInfo, RunInfo
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.words import words

_SECONDS_PER_ANSWER = 5e-5  # of a fit; other tasks make some
_SECONDS_OF_SQUARE = 5e-3  # of a map of dissimilarities and its replicates
_LOOK_AGAIN = 0.1  # seconds
#: Results that take longer are preceded by a first one, of fewer replicates.
_FIRST_WITHIN = 5.0  # seconds
#: A first result is at most this part of the whole.
_MUCH_LESS = 0.35
#: What the tails are where a form leaves them open.
FROM_ANSWERS = {"alpha": "from the answers"}
#: Up to so many answers choose the tails of a map.
_MOST_FOR_TAILS = 1_000_000
#: The jobs that compute results at this moment.
_at_work: dict[str, Job | None] = {}
_at_work_lock = Lock()


def start(
    session: Session,
    info: DatasetInfo,
    triplets: Triplets,
    method: Method,
    tasks: Mapping[str, Mapping[str, Any]],
    fitted: Callable[[], None] | None = None,
) -> Job:
    """Compute a map, and tasks on it, in the background.

    tasks: Options by task, in this order.
    fitted: Called once the map is whole, before the tasks; not if it was stopped or has failed.
    """
    pieces: list[Piece] = [(method, "fit", {})]
    pieces += [(method, task, options) for task, options in tasks.items()]
    title = f"{method.title}: {info.name}"
    return submit(session, info, triplets, "embedding", title, pieces, first_done=fitted)


def submit(
    session: Session,
    info: DatasetInfo | None,
    triplets: Triplets | None,
    page: str,
    title: str,
    pieces: Sequence[Piece],
    names: Sequence[str] = (),
    *,
    unasked: bool = False,
    first_done: Callable[[], None] | None = None,
) -> Job:
    """Compute missing results in the background; they reach the workspace one by one.

    triplets: None for simulations, which belong to no data set; what was measured, for tasks of it.
    page: A newer job of the same page on the same data replaces this one.
    unasked: Whether looking at a page was the only request.
    first_done: Called once the first piece is there as a whole.
    """
    slot = session.slot(page) if info else page
    names = names or [describe(method) for method, _, _ in pieces]
    steps = []
    for name, piece in zip(names, pieces, strict=True):
        whole = step_of(info, triplets, piece, name, _words(info, page, piece), unasked=unasked)
        share = _share_of_first(piece)
        if whole.seconds >= _FIRST_WITHIN and share <= _MUCH_LESS:
            first = _compute(
                info, triplets, piece, name, unasked=unasked, preview=TASKS[piece[1]].first
            )
            steps.append(Step(f"{whole.title}, a first result", first, share * whole.weight,
                              share * whole.seconds))
        steps += _earlier_parts(info, triplets, piece, name, whole)
        steps.append(whole)
        if first_done is not None and piece is pieces[0]:
            steps[-1] = _followed(whole, info, triplets, piece, first_done)
    return services().jobs.submit(Job(session.id, slot, title, steps))


def _followed(
    step: Step, info: DatasetInfo | None, triplets: Triplets | None, piece: Piece,
    done: Callable[[], None],
) -> Step:
    """The step, and what is done once its result is there as a whole."""
    given, task, options = piece
    chooses = _chooses(info)

    def work(progress: Progress) -> None:
        step.work(progress)
        method = settled(info, given) if chooses else given  # as it was computed
        run = find(info, triplets, method, task, options)
        if run is not None and run.complete:
            done()

    return replace(step, work=work)


def _share_of_first(piece: Piece) -> float:
    """How much of a result its first one is; 1 where there is none."""
    _, task, options = piece
    first = TASKS[task].first
    if not first:
        return 1.0
    whole = checked(TASKS[task].function, with_seed(options))
    return min(value / whole[name] for name, value in first.items())


def _words(info: DatasetInfo | None, page: str, piece: Piece) -> str:
    method, task, _ = piece
    words = TASKS[task].words
    if task == "fit":
        words += f" {method.title}"
    if page != "embedding":
        words = f"{words}: {describe(method) if info else method.title}"
    return words


def _earlier_parts(
    info: DatasetInfo | None, triplets: Triplets | None, piece: Piece, name: str, whole: Step
) -> list[Step]:
    """Steps before the whole of a result that is computed in parts: what is there is kept."""
    parts = TASKS[piece[1]].parts
    return [
        replace(whole, work=_compute(info, triplets, piece, name, unasked=False,
                                     part=(k / parts, (k + 1) / parts)))
        for k in range(parts - 1)
    ]


def step_of(
    info: DatasetInfo | None, triplets: Triplets | None, piece: Piece, name: str, words: str, *,
    unasked: bool = False,
) -> Step:
    """A step that computes a piece, unless it exists or another job is computing it.

    name: Under which the result is kept.
    unasked: See `submit`.
    """
    task = piece[1]
    return Step(
        words, _compute(info, triplets, piece, name, unasked=unasked),
        1.0 if task == "fit" else 2.0, seconds_of(triplets, task),
        "error" if task == "cross_validate" else "",
    )


def _compute(
    info: DatasetInfo | None, triplets: Triplets | None, piece: Piece, name: str, *,
    unasked: bool, preview: Mapping[str, Any] = MappingProxyType({}),
    part: tuple[float, float] = (0.0, 1.0),
) -> Callable[[Progress], None]:
    """The work of a step.

    preview: Options of a first result, which is kept as an incomplete one until the whole is there.
    part: Share of the result at the beginning, if all went well, and at the end of the step.
    """
    given, task, options = piece
    chooses = _chooses(info)

    def work(progress: Progress) -> None:
        method = _with_tails(info, triplets, given, progress) if chooses else given
        called = name if method is given or name != describe(given) else describe(method)
        workspace, wanted = services().workspace, key(task, method, triplets, options)
        if preview and find(info, triplets, method, task, options) is not None:
            return
        with _alone(f"{info and info.id} {wanted}", progress):
            run = before = find(info, triplets, method, task, options)
            if run is None or not (run.complete or preview):
                if info is not None and workspace.dataset(info.id) is None:
                    raise Stopped  # there is no place for results
                with pool().taken() as worker:
                    run = worker.compute(
                        task, method, triplets, {**options, **preview},
                        begun=None if preview else before, progress=_within(progress, *part),
                    )
                    if preview:
                        run = replace(
                            run, key=wanted, complete=False,
                            options=checked(TASKS[task].function, with_seed(options)),
                        )
                    if before is not None and not run.complete and run.seconds <= before.seconds:
                        raise Stopped  # what is kept was computed for longer, and has more
                    listed = workspace.add_run(info, run, called, unasked=unasked)
            elif info is None or run.key in {
                listed.key for listed in workspace.runs(info.id, task)
            }:
                return
            else:  # of the same answers, left by other exclusions: it is listed anew
                listed = workspace.add_run(info, run, called, unasked=unasked)
            if listed is None:
                raise Stopped

    return work


def _within(progress: Progress, low: float, high: float) -> Progress:
    """Progress of a part of a longer computation, which stops at the end of the part."""
    def report(fraction: float, **details: Any) -> bool:
        share = min(max((fraction - low) / (high - low), 0.0), 1.0)
        return progress(share, **details) or fraction >= high < 1.0

    return as_coarse_as(progress, report)


def forgiving(step: Step) -> Step:
    """The step with the message of its failure as result, so that other steps go on."""
    def work(progress: Progress) -> str | None:
        try:
            step.work(progress)
        except (DataError, ValueError) as error:
            return str(error)
        return None

    return replace(step, work=work)


@contextmanager
def _alone(result: str, progress: Progress) -> Iterator[None]:
    """Wait until no other job is computing a result."""
    mine = current_job()
    while True:
        with _at_work_lock:
            if result not in _at_work:
                _at_work[result] = mine
                break
            other = _at_work[result]
        if other is not None and mine is not None:
            mine.follow(other)
        if progress(0.0 if other is None else other.fraction):
            raise Stopped
        time.sleep(_LOOK_AGAIN)
    try:
        yield
    finally:
        with _at_work_lock:
            del _at_work[result]


def seconds_of(triplets: Triplets | RatedDissimilarities | None, task: str) -> float:
    """Approximate duration of a task on an idle machine."""
    if triplets is None:  # a simulation, whose size is in its options
        return 5.0
    if isinstance(triplets, RatedDissimilarities):
        return 1.0 + _SECONDS_OF_SQUARE * triplets.n_objects**2
    return _SECONDS_PER_ANSWER * len(triplets) * (1 if task == "fit" else 10)


def find(
    info: DatasetInfo | None,
    triplets: Triplets | None,
    method: Method,
    task: str,
    options: Mapping[str, Any] | None = None,
) -> Run | None:
    """The result of a task for a method; of a simulation where there is no data set.

    Without `options`, the newest of any options, one that is whole before all others.
    """
    workspace = services().workspace
    dataset = info.id if info else None
    if options is not None or task == "fit":
        return workspace.run(dataset, key(task, method, triplets, options))
    wanted, first = (method.name, checked(type(method), method.get_params(deep=False))), None
    for listed in workspace.runs(dataset, task):
        record = listed.record
        # Earlier records lack later parameters, which had their defaults.
        before = {p.name: p.default for p in parameters(type(method))}
        if (record["method"], {**before, **record["parameters"]}) != wanted:
            continue
        if listed.key == key(task, method, triplets, record["options"]):
            if listed.complete:
                return workspace.run(dataset, listed.key)
            first = first or listed.key
    return workspace.run(dataset, first) if first else None


def settled(info: DatasetInfo | None, method: Method) -> Method:
    """The method with tails from the answers where it, or one that it builds on, leaves them open.

    They are chosen once for a data set, in the background, before the first map: what is excluded
    later does not change the method. Until then the method is as it was.
    """
    values = method.get_params(deep=False)
    others = {name: settled(info, value) for name, value in values.items()
              if isinstance(value, Method)}
    if isinstance(method, TSTE) and method.alpha is None and (run := tails(info)):
        others["alpha"] = run.record["numbers"]["alpha"]
    if all(value is values[name] for name, value in others.items()):
        return method
    return type(method)(**{**values, **others})


def _chooses(info: DatasetInfo | None) -> bool:
    """Whether tails are still to be chosen; later, what a method leaves open is meant so."""
    return info is not None and tails(info) is None


def tails(info: DatasetInfo | None) -> RunInfo | None:
    """The first choice of tails for the answers of a data set; None without."""
    if info is None:
        return None
    listed = services().workspace.runs(info.id, "choose_tail", of_any_exclusions=True)
    return listed[-1] if listed else None


def _with_tails(
    info: DatasetInfo | None, triplets: Triplets | None, method: Method, progress: Progress
) -> Method:
    """The method as `settled`, after the tails were chosen if it leaves any open."""
    if info is not None and _is_open(method) and tails(info) is None:
        with _alone(f"{info.id} tails", progress):
            if tails(info) is None and triplets.objects_recur and len(triplets) <= _MOST_FOR_TAILS:
                with pool().taken() as worker:
                    run = worker.compute(
                        "choose_tail", DEFAULT_EMBEDDING(), triplets, {},
                        progress=lambda share, **_: progress(0.0),
                    )
                    # Its arrays stay in the process until they are written.
                    services().workspace.add_run(info, run, words("tails"), unasked=True)
    return settled(info, method)


def _is_open(method: Method) -> bool:
    """Whether it, or one that it builds on, leaves the tails of its response open."""
    return (isinstance(method, TSTE) and method.alpha is None) or any(
        isinstance(value, Method) and _is_open(value)
        for value in method.get_params(deep=False).values()
    )


def describe(method: Method) -> str:
    return words.method(method)
