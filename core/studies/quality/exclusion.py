"""Leaving answers out, or weighting people: previews, a log, and exact undo.

Imported answers never change: a `Cleaning` is them with the exclusions, one after the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from tripletscope.core.data.columns import codes_of, one_per_trial
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.lazy import cached_property
from tripletscope.core.data.triplets import Answers, Triplets
from tripletscope.core.engine.declared import checked, parameters
from tripletscope.core.engine.short_repr import short_repr
from tripletscope.core.studies.quality.people import FEWEST_CHECKS
from tripletscope.core.studies.quality.rules import RULES, RuleData

#: The rule of catch and gold questions.
FAILED_CHECKS = "failed_checks"
#: The rule of manual exclusions.
MANUAL = "manual"
#: The rule of weights, which exclude nobody.
WEIGHTS = "weights"


@short_repr
@dataclass(frozen=True)
class Exclusion:
    """One step: a rule with its parameters, or participants and answers chosen by hand.

    Parameters
    ----------
    rule : str
        One of `RULES`, ``"manual"``, or ``"weights"``, which excludes nobody but weights the
        answers of these participants.
    parameters : mapping
        Of the rule, with defaults; for weights ``weights``, a number from 0 to 1 for each of the
        participants.
    participants : sequence of str
        By hand: all answers of these.
    answers : sequence of int
        By hand: positions among the imported answers.
    reason : str
        The user's words.

    Raises
    ------
    ValueError
        For an unknown rule or a parameter outside its range.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> few = ts.Exclusion("few_answers", {"least": 50}, reason="as stated beforehand")
    >>> len(ts.Cleaning(answers).excluding(few).triplets)
    800
    """

    rule: str = MANUAL
    parameters: Mapping[str, Any] = field(default_factory=dict)
    participants: tuple[str, ...] = ()
    answers: tuple[int, ...] = ()
    reason: str = ""

    def __post_init__(self) -> None:
        values = dict(self.parameters)
        if self.rule in RULES:
            values = checked(RULES[self.rule].find, values)
        elif self.rule == WEIGHTS:
            values = {"weights": _checked_weights(values, len(self.participants))}
        elif self.rule != MANUAL:
            rules = ", ".join(map(repr, [*RULES, MANUAL, WEIGHTS]))
            raise ValueError(f"rule is {self.rule!r}; it must be one of {rules}.")
        elif values:
            raise ValueError("a manual exclusion has no parameters")
        object.__setattr__(self, "parameters", values)
        object.__setattr__(self, "participants", tuple(map(str, self.participants)))
        object.__setattr__(self, "answers", tuple(map(int, self.answers)))

    @property
    def title(self) -> str:
        """Its name, with its parameters."""
        if self.rule == MANUAL:
            return "Manual selection"
        if self.rule == WEIGHTS:
            return "Weights by lapse rate"
        labels = {p.name: p.spec.label.lower() for p in parameters(RULES[self.rule].find)}
        words = [
            f"{labels[name]}: {_worded(value)}" for name, value in self.parameters.items()
            if value is not None
        ]
        return RULES[self.rule].title + (f" ({', '.join(words)})" if words else "")

    @property
    def source(self) -> str:
        """Publication of the rule; empty for manual exclusions."""
        return RULES[self.rule].source if self.rule in RULES else ""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "rule": self.rule, "parameters": dict(self.parameters),
            "participants": list(self.participants), "answers": list(self.answers),
            "reason": self.reason,
        }


def _checked_weights(values: Mapping[str, Any], number: int) -> list[float]:
    """The weights of so many participants."""
    if set(values) != {"weights"} or len(values["weights"]) != number:
        raise ValueError("weights need a number for each of the participants")
    weights = [float(weight) for weight in values["weights"]]
    if not all(0.0 <= weight <= 1.0 for weight in weights):
        raise ValueError(f"the weights are {weights}; they must be numbers from 0 to 1.")
    return weights


def _worded(value: float | str | list[str]) -> str:
    if isinstance(value, int | float):
        return f"{value:g}"
    texts = [value] if isinstance(value, str) else value
    return " / ".join(texts[:6]) + " …" * (len(texts) > 6)


@short_repr
class Preview(NamedTuple):
    """What an exclusion removes.

    mask bool (T,): The answers, among the imported ones.
    participants: Those without any answers left.
    touched: Participants and their number of lost answers; for weights, of answers that count less.
    few_checks: Those whom a rule leaves out by fewer than `FEWEST_CHECKS` catch or gold questions.
    """

    mask: np.ndarray
    n_answers: int
    n_trials: int
    participants: list[str]
    touched: dict[str, int]
    few_checks: tuple[str, ...] = ()


@short_repr
@dataclass(frozen=True, eq=False)
class Cleaning:
    """Imported answers and their exclusions. Immutable: each step gives a new one.

    Parameters
    ----------
    raw : Triplets or Quadruples
        The imported answers.
    catch_trials : DataFrame, optional
        As `tripletscope.core.reading.Imported.catch_trials`.
    gold : Triplets, optional
        See `tripletscope.core.studies.quality.gold_mistakes`.
    exclusions : sequence of Exclusion
        In order: each sees what the earlier ones have left.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> cleaning = ts.Cleaning(answers).excluding(
    ...     ts.Exclusion("manual", participants=["observer 3"], reason="did not finish")
    ... )
    >>> len(cleaning.raw), len(cleaning.triplets)
    (800, 700)
    >>> len(cleaning.undone().triplets)
    800
    """

    raw: Answers
    catch_trials: pd.DataFrame | None = None
    gold: Triplets | None = None
    exclusions: tuple[Exclusion, ...] = ()

    @cached_property
    def previews(self) -> list[Preview]:
        """What each exclusion removed."""
        if not self.exclusions:
            return []
        before = replace(self, exclusions=self.exclusions[:-1])
        return [*before.previews, before.preview(self.exclusions[-1])]

    @cached_property
    def kept(self) -> np.ndarray:
        """(T,) bool: imported answers that are not left out."""
        kept = np.ones(len(self.raw), dtype=bool)
        for removed in self.previews:
            kept &= ~removed.mask
        return kept

    @cached_property
    def triplets(self) -> Answers:
        """The remaining answers, about the same objects, with the steps' weights."""
        left = self.raw if self.kept.all() else self.raw.take(self.kept)
        steps = [step for step in self.exclusions if step.rule == WEIGHTS]
        if not steps:
            return left
        return left.reweighted(left.weight * np.prod([_weights_of(left, s) for s in steps], axis=0))

    @cached_property
    def _data(self) -> RuleData:
        return RuleData(self.triplets, self.catch_trials, self.gold)

    def preview(self, exclusion: Exclusion) -> Preview:
        """What a further exclusion would remove.

        Raises
        ------
        DataError
            If the data lack what the rule needs.
        """
        left, data = np.flatnonzero(self.kept), self._data
        who, names = data.who, data.names
        if exclusion.rule == WEIGHTS:
            return self._weighted(exclusion)
        if exclusion.rule == MANUAL:
            out = data.by(np.isin(names, exclusion.participants))
            out |= np.isin(left, exclusion.answers)
        else:
            out = RULES[exclusion.rule].find(data, **exclusion.parameters)
        trials = self.triplets.trials
        if trials is not None:  # answers of one trial go together
            out = np.isin(trials, trials[out])
        mask = np.zeros(len(self.raw), dtype=bool)
        mask[left[out]] = True
        loss, total = (
            np.bincount(who[which & (who >= 0)], minlength=len(names))
            for which in (out, np.ones(len(out), dtype=bool))
        )
        people = list(zip(names, loss.tolist(), total.tolist(), strict=True))
        few = {*data.people["participant"][data.people["checks"] < FEWEST_CHECKS]} if (
            exclusion.rule == FAILED_CHECKS) else set()
        return Preview(
            mask, int(out.sum()), int((out & one_per_trial(self.triplets)).sum()),
            [name for name, n, all_of in people if 0 < n == all_of],
            {name: n for name, n, _ in people if n},
            tuple(name for name, n, _ in people if n and name in few),
        )

    def _weighted(self, exclusion: Exclusion) -> Preview:
        """Preview of weights: nobody is excluded."""
        self._data.column("participant")
        total = np.bincount(self._data.who[self._data.who >= 0], minlength=len(self._data.names))
        weights = dict(zip(exclusion.participants, exclusion.parameters["weights"], strict=True))
        return Preview(np.zeros(len(self.raw), dtype=bool), 0, 0, [], {
            name: n for name, n in zip(self._data.names, total.tolist(), strict=True)
            if n and weights.get(name, 1.0) < 1.0
        })

    @property
    def effective(self) -> float:
        """Trials of equal weight with as much information as those in use (Kish, 1965)."""
        weight = self.triplets.weight[one_per_trial(self.triplets)]
        return float(weight.sum()) ** 2 / max(float(weight @ weight), 1e-300)

    def marked(self, views: Mapping[str, Cleaning]) -> Answers:
        """All imported answers with a column per view, for `tripletscope.people.robustness`."""
        return self.raw.with_columns({name: view.kept for name, view in views.items()})

    def with_log(self, log: Sequence[Mapping[str, Any]]) -> Cleaning:
        """The same answers and checks with the exclusions of a log."""
        return self.from_log(self.raw, log, self.catch_trials, self.gold)

    def excluding(self, exclusion: Exclusion) -> Cleaning:
        """The same with one more exclusion.

        Raises
        ------
        DataError
            If the data lack what the rule needs, or no answer would be left.
        """
        removed = self.preview(exclusion)
        if removed.n_answers == len(self.triplets):
            raise DataError(
                f"{exclusion.title}: no answer would remain", file=self.raw.name,
                remedy="Choose a less strict criterion.",
            )
        return self._with((*self.exclusions, exclusion), [*self.previews, removed])

    def undone(self) -> Cleaning:
        """The same without the last exclusion."""
        return self._with(self.exclusions[:-1], self.previews[:-1])

    def _with(self, exclusions: tuple[Exclusion, ...], previews: list[Preview]) -> Cleaning:
        """The same answers with exclusions whose previews are known."""
        made = replace(self, exclusions=exclusions)
        made.__dict__["previews"] = previews  # fills the cached property
        return made

    @property
    def by_checks(self) -> list[int]:
        """Numbers, from 1, of the exclusions by catch and gold questions."""
        return [k for k, made in enumerate(self.exclusions, 1) if made.rule == "failed_checks"]

    def with_gold(self, gold: Triplets | None) -> Cleaning:
        """The same with other gold questions, or none; the exclusions are made again.

        Raises
        ------
        DataError
            If they do not fit the answers, an exclusion lacks what it needs, or no answer would be
            left.
        """
        again = replace(self, gold=gold, exclusions=())
        for exclusion in self.exclusions:
            again = again.excluding(exclusion)
        return again

    def log(self) -> list[dict[str, Any]]:
        """Plain values of every exclusion with what it removed, for exports."""
        return [
            {
                **exclusion.to_dict(), "title": exclusion.title, "source": exclusion.source,
                "removed_answers": removed.n_answers, "removed_trials": removed.n_trials,
                "removed_participants": removed.participants,
            }
            for exclusion, removed in zip(self.exclusions, self.previews, strict=True)
        ]

    @classmethod
    def from_log(
        cls, raw: Answers, log: Sequence[Mapping[str, Any]],
        catch_trials: pd.DataFrame | None = None, gold: Triplets | None = None,
    ) -> Cleaning:
        """The cleaning that a log describes.

        Raises
        ------
        ValueError
            If it names an unknown rule or setting.
        """
        names = ("rule", "parameters", "participants", "answers", "reason")
        steps = [Exclusion(**{name: entry[name] for name in names}) for entry in log]
        return cls(raw, catch_trials, gold, tuple(steps))


def _weights_of(triplets: Answers, step: Exclusion) -> np.ndarray:
    """(T,) weights of a step; 1 for people that it does not name."""
    who, names = codes_of(triplets, "participant")
    weights = dict(zip(step.participants, step.parameters["weights"], strict=True))
    return np.append([weights.get(name, 1.0) for name in names], 1.0)[who]
