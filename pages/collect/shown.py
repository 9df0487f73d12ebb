"""A question as participants will see it, small enough for the page."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from tripletscope.core.studies.experiment.experiment import Experiment, Stimulus
from tripletscope.core.studies.experiment.question import ASKINGS

#: CSS pixels that a row of stimuli has on a usual page, that are between two of them, and that the
#: frame of an option takes. On a narrower page all of them shrink.
_WIDTH = 600
_GAP, _FRAME = 24, 10
#: Objects of a table in one row, and levels of a rating that are buttons.
_MOST_IN_ROW, _MOST_BUTTONS = 8, 11
_MEDIA_NAMES = {"sound": "Sound", "video": "Video", "picture": "Picture"}


def example_of(experiment: Experiment, turn: int) -> tuple[Stimulus, ...]:
    """Objects of some question, another one at each turn."""
    rng = np.random.default_rng([experiment.seed, turn])
    places = rng.choice(len(experiment.objects), experiment.n_shown, replace=False)
    asking = ASKINGS[experiment.task]
    if asking.step < asking.size:
        places.sort()
    return tuple(experiment.objects[place] for place in places)


def question_as_shown(
    experiment: Experiment, texts: Mapping[str, str], shown: Sequence[Stimulus],
    address: Callable[[str], str],
) -> tuple[str, float]:
    """HTML of a question, and how large it is at most, beside the participant's screen.

    address: Where the browser finds the file of a stimulus; empty where it does not.
    """
    asking = ASKINGS[experiment.task]
    words, answering = html.escape(texts["question"]), _answering(experiment, texts)
    blocks = asking.options(shown)
    widest = min(max(len(blocks), 1), _MOST_IN_ROW)
    room = _WIDTH - _GAP * (widest - 1) - _FRAME * widest
    scale = min(1.0, room / (widest * experiment.size))
    size = round(experiment.size * scale)

    def labelled(stimuli: Iterable[Stimulus]) -> str:
        divisions = []
        for stimulus in stimuli:
            label = ""
            if experiment.labels and stimulus.medium != "text":
                font = max(round(15 * scale), 11)
                label = f'<div style="font-size:{font}px">{html.escape(stimulus.label)}</div>'
            divisions.append(f"<div>{_inside(stimulus, size, scale, address)}{label}</div>")
        return "".join(divisions)

    anchor = labelled(shown[: asking.is_anchored])
    edge = "" if answering else "border:1px solid #8884;border-radius:6px;padding:4px;"
    row = "".join(f'<div style="{edge}min-width:0">{labelled(block)}</div>' for block in blocks)
    style = (
        f"background:{experiment.background};color:{_ink(experiment.background)};"
        "border:1px solid #8886;border-radius:8px;padding:16px;text-align:center;overflow-x:auto"
    )
    flex = f"display:flex;flex-wrap:wrap;gap:{_GAP}px;justify-content:center;margin-top:{_GAP}px"
    return (
        f'<div class="ts-question" style="{style}"><div>{words}</div>'
        + (f'<div style="{flex}">{anchor}</div>' if anchor else "")
        + f'<div style="{flex}">{row}</div>{answering}{_skip(experiment, texts)}</div>'
    ), scale


def _skip(experiment: Experiment, texts: Mapping[str, str]) -> str:
    """The button below a question that may be skipped; as HTML."""
    box = "display:inline-block;border:1px solid #8888;border-radius:8px;padding:4px 14px"
    return (
        f'<div style="margin-top:{_GAP}px"><span style="{box}">{html.escape(texts["skip"])}</span>'
        "</div>" if experiment.skip else ""
    )


def _answering(experiment: Experiment, texts: Mapping[str, str]) -> str:
    """What answers are given with, where that is not one of the objects; as HTML."""
    answer = ASKINGS[experiment.task].answer
    box = "border:1px solid #8888;border-radius:6px;padding:4px 10px"
    row = f"display:flex;gap:6px;justify-content:center;align-items:center;margin-top:{_GAP}px"

    def boxes(words: Iterable[str], style: str = box) -> str:
        return "".join(f'<div style="{style}">{html.escape(word)}</div>' for word in words)

    if answer == "words":
        return f'<div style="{row}">{boxes((texts["same"], texts["different"]))}</div>'
    if answer == "number":
        levels = [str(k) for k in range(1, experiment.n_levels + 1)]
        scale = boxes(levels) if len(levels) <= _MOST_BUTTONS else '<input type="range" disabled>'
        low, high = (html.escape(texts[f"scale_{end}"]) for end in ("low", "high"))
        return f'<div style="{row}"><span>{low}</span>{scale}<span>{high}</span></div>'
    if answer == "piles":
        piles = [texts["pile"].replace("{n}", str(k)) for k in (1, 2, 3)]
        dashed = "border:2px dashed #8888;border-radius:8px;padding:4px 16px 60px"
        return f'<div style="{row}">{boxes(piles, dashed)}</div>'
    if answer == "positions":
        return (
            '<div style="border:2px solid #8888;border-radius:50%;aspect-ratio:1;width:220px;'
            f'margin:{_GAP}px auto 0"></div>'
        )
    return ""


def _inside(stimulus: Stimulus, size: int, scale: float, address: Callable[[str], str]) -> str:
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
        return f'<img src="{where}" alt="{label}" style="{square};object-fit:contain">'
    if where:
        name = "audio" if stimulus.medium == "sound" else "video"
        return (
            f'<div style="{box}"><{name} controls src="{where}" aria-label="{label}" '
            f'style="max-width:100%;max-height:100%"></{name}></div>'
        )
    return f'<div style="{box}"><span>{_MEDIA_NAMES[stimulus.medium]}<br>{label}</span></div>'


def _ink(background: str) -> str:
    """Black or white, whichever is read better on a colour."""
    red, green, blue = (int(background[k : k + 2], 16) for k in (1, 3, 5))
    return "#111111" if 0.299 * red + 0.587 * green + 0.114 * blue > 140 else "#ffffff"
