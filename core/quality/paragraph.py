"""The paragraph of a methods section that says what the answers are."""

from __future__ import annotations

import numpy as np

from tripletscope import __version__
from tripletscope.core.data.triplets import Judgements
from tripletscope.core.evaluation.ceiling import noise_ceiling
from tripletscope.core.evaluation.choosing import choice_accuracies
from tripletscope.core.evaluation.share import Share
from tripletscope.core.evaluation.units import over_units
from tripletscope.core.io.names import counted
from tripletscope.core.quality.columns import codes_of, one_per_trial
from tripletscope.core.quality.consistency import repeats
from tripletscope.core.quality.exclusion import WEIGHTS, Cleaning, Exclusion


def methods_paragraph(cleaning: Cleaning, asked: str = "") -> str:
    """All counts that a methods section needs, as one paragraph.

    cleaning: The imported answers and what was left out of them.
    asked: What was asked, such as the title of a `tripletscope.core.io.Task`.
    """
    raw, kept = cleaning.raw, cleaning.triplets
    task = f" (task: {asked[:1].lower()}{asked[1:]})" if asked else ""
    lines = [f"We collected {_size(raw)} on {counted(raw.n_objects, 'object')}{task}."]
    catch = cleaning.catch_trials
    if catch is not None and len(catch):
        lines.append(
            f"On a further {counted(len(catch), 'catch trial')} the anchor was among the options; "
            f"{catch['correct'].mean():.1%} were answered correctly."
        )
    if cleaning.exclusions:
        used = int((kept.answers_per_object > 0).sum())
        lines.append(
            f"We applied these exclusions, in this order: {'; '.join(_steps(cleaning))}. This left "
            f"{_size(kept)} on {counted(used, 'object')}."
        )
    else:
        lines.append("No answers were excluded.")
    lines += _trials(kept) + _consistency(kept)
    lines.append(f"Answers were read and checked with TripletScope {__version__}.")
    return " ".join(lines)


def _steps(cleaning: Cleaning) -> list[str]:
    steps = []
    for exclusion, removed in zip(cleaning.exclusions, cleaning.previews, strict=True):
        title = exclusion.title
        if exclusion.rule == WEIGHTS:
            steps.append(_weighted(exclusion, cleaning))
            continue
        people = len(removed.participants)
        steps.append(
            f"{title[:1].lower()}{title[1:]}: {counted(removed.n_trials, 'trial')}"
            + (f", {counted(people, 'participant')} entirely" if people else "")
            + (f" ({exclusion.reason})" if exclusion.reason else "")
        )
    return steps


def _weighted(step: Exclusion, cleaning: Cleaning) -> str:
    weights = step.parameters["weights"]
    reason = f" ({step.reason})" if step.reason else ""
    return (
        f"answers of {counted(len(weights), 'participant')} were weighted by how rarely they "
        f"looked like guesses (median weight {np.median(weights):.2f}, lowest {min(weights):.2f}; "
        f"effective number of trials {cleaning.effective:,.0f}){reason}"
    )


def _size(triplets: Judgements) -> str:
    once = one_per_trial(triplets)
    text = counted(int(once.sum()), "trial")
    if not once.all():
        text += f" ({len(triplets):,} triplets)"
    who, names = codes_of(triplets.take(once), "participant")
    if "participant" in triplets.answers and names:
        each = np.median(np.bincount(who[who >= 0]))
        text += f" from {counted(len(names), 'participant')} (median {each:,.0f} trials each)"
    return text


def _trials(kept: Judgements) -> list[str]:
    lines = []
    answers = kept.take(one_per_trial(kept)).answers
    for column, what in (("sampler", "Questions were selected by"), (
        "split", "Trials were assigned to"
    )):
        if column in answers:
            shares = answers[column].value_counts(normalize=True)
            words = [f"{name} ({share:.1%})" for name, share in shares.items() if share > 0]
            lines.append(f"{what} {', '.join(words)}.")
    times = answers.get("response_time")
    if times is not None and times.notna().any():
        low, middle, high = times.quantile([0.25, 0.5, 0.75])
        lines.append(
            f"The median response time was {middle:.2f} s (quartiles {low:.2f} and {high:.2f} s)."
        )
    return lines


def _consistency(kept: Judgements) -> list[str]:
    pairs = repeats(kept)
    lines = [
        f"{counted(pairs.questions, 'different question')} were asked, {pairs.repeated:,} of "
        "them more than once."
    ]
    if pairs.within.n:
        lines.append(
            f"Intra-observer consistency: participants gave the same answer in {pairs.within} of "
            f"{pairs.within.n:,} pairs of repeats ({_interval(pairs.within)})."
        )
    if pairs.between.n:
        lines.append(
            "Inter-observer agreement: different participants gave the same answer in "
            f"{pairs.between} of {pairs.between.n:,} pairs of answers ({_interval(pairs.between)})."
        )
    choices = [choice.sentence for choice in choice_accuracies(kept)]
    return [*lines, noise_ceiling(kept).sentence, *choices]


def _interval(share: Share) -> str:
    if share.n_units is None:
        return "95% interval, by question"
    return f"95% interval{over_units('participants', share.n_units)}"
