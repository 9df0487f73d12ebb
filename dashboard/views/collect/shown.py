"""A question as participants will see it, small enough for the page."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence

import numpy as np

from tripletscope.core.studies.experiment.experiment import Experiment, Stimulus
from tripletscope.core.studies.experiment.question import ASKINGS

#: CSS pixels that a row of stimuli has on a usual page, that are between two of them, and that the
#: frame of an option takes. On a narrower page all of them shrink.
_WIDTH = 600
_GAP, _FRAME = 24, 10
_MEDIA_NAMES = {"sound": "Sound", "video": "Video", "picture": "Picture"}


def example_of(experiment: Experiment, turn: int) -> tuple[Stimulus, ...]:
    """Objects of some question, another one at each turn."""
    rng = np.random.default_rng([experiment.seed, turn])
    places = rng.choice(len(experiment.objects), experiment.n_shown, replace=False)
    return tuple(experiment.objects[place] for place in places)


def question_as_shown(
    experiment: Experiment, words: str, shown: Sequence[Stimulus], address: Callable[[str], str]
) -> tuple[str, float]:
    """HTML of a question, and how large it is at most, beside the participant's screen.

    words: What is asked, as HTML.
    address: Where the browser finds the file of a stimulus; empty where it does not.
    """
    asking = ASKINGS[experiment.task]
    options = shown[asking.is_anchored :]
    blocks = [options[k : k + asking.size] for k in range(0, len(options), asking.size)]
    widest = max(len(blocks), 1)
    room = _WIDTH - _GAP * (widest - 1) - _FRAME * widest
    scale = min(1.0, room / (widest * experiment.size))
    size = round(experiment.size * scale)

    def one(stimulus: Stimulus) -> str:
        label = html.escape(stimulus.label)
        below = (
            f'<div style="font-size:{max(round(15 * scale), 11)}px">{label}</div>'
            if experiment.labels and stimulus.medium != "text" else ""
        )
        return f"<div>{_inside(stimulus, size, scale, address)}{below}</div>"

    anchor = "".join(map(one, shown[: asking.is_anchored]))
    row = "".join(
        f'<div style="border:1px solid #8884;border-radius:6px;padding:4px;min-width:0">'
        f"{''.join(map(one, block))}</div>" for block in blocks
    )
    style = (
        f"background:{experiment.background};color:{_ink(experiment.background)};"
        "border:1px solid #8886;border-radius:8px;padding:16px;text-align:center;overflow-x:auto"
    )
    flex = f"display:flex;gap:{_GAP}px;justify-content:center;margin-top:{_GAP}px"
    return (
        f'<div class="ts-question" style="{style}"><div>{words}</div>'
        + (f'<div style="{flex}">{anchor}</div>' if anchor else "")
        + f'<div style="{flex}">{row}</div></div>'
    ), scale


def _inside(
    stimulus: Stimulus, size: int, scale: float, address: Callable[[str], str]
) -> str:
    label = html.escape(stimulus.label or stimulus.id)
    square = f"width:{size}px;max-width:100%;aspect-ratio:1"
    box = f"{square};display:flex;align-items:center;justify-content:center;overflow:hidden"
    if stimulus.medium == "colour":
        return (
            f'<div style="{box};background:{html.escape(stimulus.content)}" '
            f'role="img" aria-label="{label}"></div>'
        )
    if stimulus.medium == "text":
        words = html.escape(stimulus.content)
        place = box.replace("aspect-ratio:1", f"min-height:{size // 2}px")  # long texts need more
        letters = f"font-size:{max(round(24 * scale), 10)}px;overflow-wrap:anywhere"
        return f'<div style="{place};{letters}"><span>{words}</span></div>'
    where = html.escape(address(stimulus.content))
    if where and stimulus.medium == "picture":
        return (
            f'<img src="{where}" alt="{label}" style="{square};object-fit:contain">'
        )
    if where:
        name = "audio" if stimulus.medium == "sound" else "video"
        return (
            f'<div style="{box}"><{name} controls src="{where}" aria-label="{label}" '
            'style="max-width:100%;max-height:100%"></' + name + "></div>"
        )
    return f'<div style="{box}"><span>{_MEDIA_NAMES[stimulus.medium]}<br>{label}</span></div>'


def _ink(background: str) -> str:
    """Black or white, whichever is read better on a colour."""
    red, green, blue = (int(background[k : k + 2], 16) for k in (1, 3, 5))
    return "#111111" if 0.299 * red + 0.587 * green + 0.114 * blue > 140 else "#ffffff"
