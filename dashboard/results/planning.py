"""Simulated experiments: required answers, effects of noise, and suggested dimensions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from tripletscope.core.data.lazy import cached_property
from tripletscope.core.engine.declared import parameters
from tripletscope.core.engine.method import Method
from tripletscope.core.inference.held_out.share import wilson
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.run import Run
from tripletscope.core.studies.design.detection import Detection
from tripletscope.core.studies.design.plan import VARIED, Plan, plan, ranking, rounded_up
from tripletscope.core.studies.design.scenario import Scenario
from tripletscope.dashboard.figures.planning import (
    QUANTITIES,
    detection_bars,
    noise_curves,
    plan_curves,
)
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.presentation import (
    Advice,
    Element,
    Numbers,
    ShownResults,
    Statement,
    presents,
)
from tripletscope.dashboard.words import distinct, words

#: Parameters of a scenario, which tasks have too.
SCENARIO = tuple(p.name for p in parameters(Scenario))
#: Parameters of a plan that say what varies, if not the number of answers.
VARYING = ("vary", "lowest", "highest", "steps", "participants")
(_DESIGNS,) = (p.spec.options for p in parameters(plan) if p.name == "design")
_HALF, _FLAT = 0.83, 0.5


@dataclass(frozen=True)
class Simulation:
    """A simulation and its description.

    options: Of a task that needs no data.
    run: None before it is computed.
    """

    method: Method
    options: Mapping[str, Any]
    run: Run | None = None

    @classmethod
    def of(cls, run: Run) -> Simulation:
        return cls(run.fresh(), run.options, run)

    @cached_property
    def plan(self) -> Plan:
        return self.run.result()

    @property
    def title(self) -> str:
        """Short name of the method with settings that differ from the defaults."""
        described, title = words.method(self.method), self.method.title
        if isinstance(self.method, OrdinalEmbedding):
            dimensions = words.count(self.method.n_components, "dimension")
            described = described.replace(f", {dimensions}", "", 1)
        return described.replace(title, short(title), 1)

    @property
    def scenario(self) -> Scenario:
        return Scenario(**{name: self.options[name] for name in SCENARIO})

    @property
    def design(self) -> str:
        """The design in a word or two; empty where questions are random anyhow."""
        design = self.options.get("design", "")
        if design == "repeated":
            return f"{self.options['repeated']} times each"
        return _DESIGNS[design].partition(",")[0].lower() if design else ""

    @property
    def setting(self) -> str:
        """The scenario in a few words, with the range of the varied parameter."""
        scenario, options = self.scenario, self.options
        varied = varied_in(options)
        if varied == "answers":
            return scenario.described
        alone = f" {scenario.level:.3g}" if varied == "level" else (
            f", length scale {scenario.length_scale:g}"
        )
        return (
            f"{scenario.described.replace(alone, '')}, {VARIED[varied].lower()} "
            f"{options['lowest']:g} to {options['highest']:g}"
        )

    @property
    def facets(self) -> dict[str, str]:
        """Differences from other simulations, in words."""
        return {
            "method": self.title, "design": self.design, "scenario": self.setting,
            "most": f"up to {self.options['most']:,} answers",
            "repeats": words.count(self.options["repeats"], "simulation"),
            "seed": f"seed {self.options['seed']}",
        }

    @property
    def about(self) -> str:
        """Experiment and number of simulations, for captions."""
        return f"{self.setting}; {self.facets['repeats']}"

    @property
    def way(self) -> str:
        return ", ".join(filter(None, (self.title, self.design)))

    @property
    def name(self) -> str:
        return f"{self.way}: {self.setting}, {self.facets['most']}"


def varied_in(options: Mapping[str, Any]) -> str:
    """What varies in a simulation; earlier plans do not say it."""
    return options.get("vary", "answers")


def short(title: str) -> str:
    """A method's title without its brackets."""
    return title.partition(" (")[0]


def names_of(simulations: Sequence[Simulation]) -> list[str]:
    """Short different names of simulations: what is the same in all is left out."""
    facets = [one.facets for one in simulations]
    differ = [name for name in (facets[0] if facets else ()) if len({f[name] for f in facets}) > 1]
    names = []
    for one in facets:
        first, *others = (one[name] for name in differ or ["method", "design"])
        names.append(f"{first} ({', '.join(others)})" if others else first)
    return distinct(names)


def groups(simulations: Sequence[Simulation]) -> list[list[int]]:
    """Positions of simulations of the same people, which can be compared one by one."""
    alike: dict[tuple, list[int]] = {}
    for number, one in enumerate(simulations):
        alike.setdefault((one.scenario, one.options["seed"]), []).append(number)
    return list(alike.values())


@dataclass(frozen=True)
class PlanLook:
    """How plans are shown.

    wanted: Targets by quantity.
    is_fixed: Whether the number of answers comes from elsewhere, such as an experiment.
    """

    wanted: Mapping[str, float | None] = field(default_factory=dict)
    is_fixed: bool = False


@presents("plan")
def plans_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """Results against the number of answers, once for all plans; or against the noise."""
    if varied_in(run.options) != "answers":
        yield from _by_noise(shown, run)
        return
    runs = [one for one in shown.all_of("plan") if varied_in(one.options) == "answers"]
    if run is not runs[0]:
        return
    look, simulations = shown.look_of(run, PlanLook), [Simulation.of(one) for one in runs]
    plans = dict(zip(names_of(simulations), (one.plan for one in simulations), strict=True))
    comparable = groups(simulations)
    for members in () if look.is_fixed else comparable:
        named = {name: plans[name] for name in (list(plans)[k] for k in members)}
        yield from map(Statement, plans_said(named, alone=len(plans) == 1))
    if look.is_fixed:
        plan = simulations[0].plan
        yield Statement(words(
            "answers given", most=int(plan.n_answers[-1]), end=float(plan.accuracy[:, -1].mean()),
            top=float(plan.ceiling.mean()),
        ))
    wanted = {name: value for name, value in look.wanted.items() if value is not None}
    if len(plans) == 1:
        for quantity, value in wanted.items():
            yield Statement(words(
                "wanted takes", wanted=words(f"wanted {quantity}", value=value),
                answers=_answers_for(simulations[0].plan, quantity, value),
            ))
    ways, about = (
        "; ".join(dict.fromkeys(getattr(one, name) for one in simulations))
        for name in ("way", "about")
    )
    ceiling = float(simulations[0].plan.ceiling.mean()) if len(comparable) == 1 else None
    for quantity in QUANTITIES:
        table = _bands(plans, quantity)
        if table.empty:
            continue
        text = words("simulated", meaning=words(f"meaning {quantity}"), ways=ways, about=about)
        yield _half(
            f"plan-{quantity}", words(f"title {quantity}"), text,
            partial(plan_curves, table, quantity, wanted=wanted.get(quantity),
                    ceiling=ceiling if quantity == "accuracy" else None),
            table, *runs,
        )
    if table.empty:
        yield Advice(words("no map, no shape"))
    yield Numbers(words("numbers"), partial(_ends, plans, wanted))


def plans_said(plans: Mapping[str, Plan], *, alone: bool) -> Iterator[str]:
    """How many answers to collect, and by which plan; see `Plan.judgement` and `ranking`.

    alone: Whether it is the only plan, which needs no name.
    """
    best = next(iter(plans))
    if len(plans) > 1:
        try:
            ranks = ranking(plans)
        except ValueError:  # they went so far that they share no number of answers
            best = max(plans, key=lambda name: plans[name].accuracy[:, -1].mean())
            yield words("plans apart")
        else:
            best, *others = ranks.accuracy
            key = "plans alike" if ranks.alike else "plan ahead"
            yield words(key, number=ranks.n_answers, best=best, names=ranks.alike,
                        accuracy=ranks.accuracy[best], next=others[0],
                        behind=ranks.accuracy[others[0]], simulations=ranks.n_simulations)
    one = plans[best]
    needed, reached = one.needed if one.judgement in ("fewer", "enough") else (0, np.nan)
    text = words(
        f"answers {one.judgement}", needed=needed, reached=reached, most=int(one.n_answers[-1]),
        end=float(one.accuracy[:, -1].mean()), top=float(one.ceiling.mean()),
        simulations=len(one.accuracy), gain=100 * one.gain if len(one.n_answers) > 1 else np.nan,
    )
    yield text if alone else words("with plan", name=best, advice=text)


def answers_to_collect(one: Plan, wanted: Mapping[str, float | None]) -> int | None:
    """How many are needed for what is wanted, or in general; None where nobody can tell.

    The most that were simulated, where more would still help.
    """
    enough = [one.enough(**{name: value}) for name, value in wanted.items() if value is not None]
    if enough:
        return None if None in enough else rounded_up(max(enough))
    if one.judgement in ("fewer", "enough"):
        return one.needed[0]
    return int(one.n_answers[-1]) if one.judgement in ("rising", "alone") else None


def _answers_for(one: Plan, quantity: str, value: float) -> str:
    enough = one.enough(**{quantity: value})
    if enough is None:
        return words("more than, if ever", number=int(one.n_answers[-1]))
    if enough == one.n_answers[0]:
        return words("at most", number=enough)
    return words("about so many", number=rounded_up(enough))


def _bands(plans: Mapping[str, Plan], quantity: str) -> pd.DataFrame:
    parts = [one.band(quantity).assign(plan=name) for name, one in plans.items()]
    return pd.concat(parts, ignore_index=True)[["plan", "answers", "mean", "low", "high"]].dropna()


def _ends(plans: Mapping[str, Plan], wanted: Mapping[str, float]) -> pd.DataFrame:
    rows = []
    for name, one in plans.items():
        row = {"plan": name} | {
            words(f"wanted {quantity}", value=value):
            _answers_for(one, quantity, value).rstrip(",")
            for quantity, value in wanted.items()
        }
        row["answers"] = int(one.n_answers[-1])
        for quantity in QUANTITIES:
            end = one.band(quantity)[["mean", "low", "high"]].iloc[-1]
            row[words(f"title {quantity}").lower()] = "—" if end.isna().any() else (
                words.estimate(*end)
            )
        rows.append(row)
    return pd.DataFrame(rows)


def _by_noise(shown: ShownResults, run: Run) -> Iterator[Drawing]:
    """Results against the noise, or against differences of observers."""
    one = Simulation.of(run)
    varied = VARIED[run.options["vary"]]
    for quantity in QUANTITIES:
        table = one.plan.band(quantity).assign(series=one.title).dropna()
        if table.empty:
            continue
        if quantity == "accuracy":
            top = one.plan.ceiling.mean(axis=0)
            truth = table.assign(series="true positions", mean=top, low=top, high=top)
            table = pd.concat([table, truth], ignore_index=True)
        text = words("simulated", meaning=words(f"meaning {quantity}"), ways=one.way,
                     about=one.about)
        yield _half(
            f"noise-{quantity}", words(f"title {quantity}"), text,
            partial(noise_curves, table, quantity, varied), table, run,
        )


@presents("detect_dimension")
def dimension_of(shown: ShownResults, run: Run) -> Iterator[Element]:
    """The number of dimensions that cross-validation suggests, by the number of answers."""
    detection, one = run.result(), Simulation.of(run)
    yield Statement(detection_said(detection))
    text = words("detected of", ways=one.way, about=one.about)
    most = max(int(detection.suggested.max()), detection.true)
    yield Drawing(
        "plan-dimension", words("title detected"), text, words("alt detected"), _FLAT,
        lambda canvas: detection_bars(detection, caption=text, canvas=canvas),
        lambda: pd.DataFrame({"answers": detection.n_answers} | {
            words.count(d, "dimension"): np.mean(detection.suggested == d, axis=0)
            for d in range(1, most + 1)
        }), (run.key,),
    )
    yield Advice(words("too few dimensions"))


def detection_said(detection: Detection) -> str:
    """From how many answers on the dimension is detected; see `Detection.revealed`."""
    first = detection.revealed
    at = len(detection.found) - 1 if first is None else first
    key = "reveal none" if first is None else "reveal from on" if first else "reveal at once"
    share, repeats = float(detection.found[at]), len(detection.suggested)
    low, high = wilson(share, repeats)
    return words(
        key, number=int(detection.n_answers[at]), share=share, repeats=repeats, low=low, high=high,
        which=words("all dimensions" if detection.true > 1 else "one dimension",
                    true=detection.true),
        fewer=int(detection.n_answers[at - 1]), before=float(detection.found[at - 1]),
    )


def _half(
    name: str, title: str, text: str, draw: Callable, table: pd.DataFrame, *runs: Run
) -> Drawing:
    return Drawing(
        name, title, text, words("alt curve"), _HALF,
        lambda canvas: draw(caption=text, canvas=canvas), lambda: table,
        tuple(one.key for one in runs), is_half=True,
    )
