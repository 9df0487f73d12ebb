"""Makes what is derived in the samples: simulated answers, and the pictures on the cards.

    python sample_data/make.py

What is wholly simulated is described in `simulated.py`. Ekman (1954) had observers rate the
similarity of 14 spectral colours. Non-metric scaling of his table is the colour circle; simulated
observers see each colour there with a little noise and answer triplet questions (the setting of
Haghiri's thesis, section 4.5.3).
"""

from __future__ import annotations

import base64
import io
from pathlib import Path

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from PIL import Image, ImageDraw
from sklearn.manifold import MDS

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.inference.uncertainty import bootstrap
from tripletscope.core.models.embedding import TSTE
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.reading import attach_pictures, read_pictures
from tripletscope.core.scales import MLDS, bootstrap_scale
from tripletscope.core.studies.quality.importing import read
from tripletscope.dashboard.figures.map import embedding_map
from tripletscope.dashboard.figures.points import PLATES, MapData, MapStyle
from tripletscope.dashboard.figures.scale_curves import Curve, scale_curves
from tripletscope.dashboard.figures.spectral import spectral_rgb
from tripletscope.dashboard.figures.theme import Canvas
from tripletscope.dashboard.store.samples import Sample, samples
from tripletscope.sample_data.simulated import CONTRASTS, SIMULATED, Made

CARD = Canvas(520.0, 240.0)
FEW = 40  # pictures that a card has room for
FOLDER = Path(__file__).parent
EKMAN = FOLDER / "ekman_colors"
N_ANSWERS = 800
NOISE = 0.1  # standard deviation of a seen position; the circle has radius 1
OBSERVERS = 8


def colour_circle(similarity: np.ndarray) -> np.ndarray:
    """(14, 2) positions by non-metric scaling, centred, of unit root mean square radius."""
    scaling = MDS(
        n_components=2, metric="precomputed", metric_mds=False, init="classical_mds", n_init=1,
        max_iter=3000, eps=1e-9, random_state=0, normalized_stress=True,
    )
    positions = scaling.fit_transform(1.0 - similarity)
    positions -= positions.mean(axis=0)
    return positions / np.sqrt(np.mean(np.sum(positions**2, axis=1)))


def swatch(colour: tuple[int, int, int], size: int = 96) -> Image.Image:
    """A disc of one colour on a transparent ground."""
    large = Image.new("RGBA", (4 * size, 4 * size), (0, 0, 0, 0))
    ImageDraw.Draw(large).ellipse([8, 8, 4 * size - 9, 4 * size - 9], fill=(*colour, 255))
    return large.resize((size, size), Image.Resampling.LANCZOS)


def make_colours() -> None:
    """Answers of simulated observers about Ekman's colours, with a swatch of each colour."""
    table = pd.read_csv(EKMAN / "similarity.csv", index_col=0)
    wavelengths = table.index.to_numpy()
    names = [f"{w} nm" for w in wavelengths]
    answers = simulate(
        colour_circle(table.to_numpy()), N_ANSWERS, noise="positions", level=NOISE, seed=1954
    )
    observer = np.random.default_rng(1954).permutation(np.arange(N_ANSWERS) % OBSERVERS) + 1
    rows = pd.DataFrame(np.array(names)[answers.rows], columns=["anchor", "near", "far"])
    rows.insert(0, "participant", [f"observer {o}" for o in observer])
    rows.to_csv(EKMAN / "answers.csv", index=False)
    pd.DataFrame({"id": names, "wavelength_nm": wavelengths}).to_csv(
        EKMAN / "objects.csv", index=False
    )
    (EKMAN / "images").mkdir(exist_ok=True)
    for name, wavelength in zip(names, wavelengths, strict=True):
        swatch(spectral_rgb(wavelength)).save(EKMAN / "images" / f"{name}.png", optimize=True)


def make_simulated(name: str) -> None:
    """Answers, table of objects and pictures of a sample that is wholly simulated."""
    folder, made = FOLDER / name, SIMULATED[name]()
    folder.mkdir(exist_ok=True)
    made.answers.to_csv(folder / "answers.csv", index=False)
    made.objects.to_csv(folder / "objects.csv", index=False)
    if name not in PICTURES:
        return
    (folder / "images").mkdir(exist_ok=True)
    for file, picture in PICTURES[name](made).items():
        picture.save(folder / "images" / file, optimize=True)


def gratings(made: Made) -> dict[str, Image.Image]:
    """A patch of a grating of every contrast."""
    y, x = np.mgrid[-1:1:96j, -1:1:96j]
    wave = np.sin(7.0 * np.pi * x) * np.exp(-4.0 * (x**2 + y**2))
    grey = [np.round(127.5 * (1.0 + c / 100.0 * wave)).astype(np.uint8) for c in CONTRASTS]
    names = made.objects["image"]
    return {name: Image.fromarray(of) for name, of in zip(names, grey, strict=True)}


def stones(made: Made) -> dict[str, Image.Image]:
    """A pebble as long, round and dark as its numbers say, on a transparent ground."""
    drawn, size = {}, 64
    for _, one in made.objects.iterrows():
        half = 4 * size * one["length_mm"] / 160.0
        across = half * (0.3 + 0.7 * one["roundness"])
        shade = round(225 * (1.0 - one["darkness"])) + 15
        large = Image.new("LA", (4 * size, 4 * size), (0, 0))
        ImageDraw.Draw(large).ellipse(
            [2 * size - half, 2 * size - across, 2 * size + half, 2 * size + across],
            fill=(shade, 255), outline=(110, 255), width=5,
        )
        drawn[one["image"]] = large.resize((size, size), Image.Resampling.LANCZOS)
    return drawn


PICTURES = {"difference_scaling": gratings, "pebbles": stones}


def make_thumbnail(sample: Sample) -> None:
    """What one will see of the sample, on a transparent ground."""
    folder = sample.folder
    answers = read(folder / sample.answers, objects=folder / sample.objects)
    figure = scale_card(answers) if sample.page == "scale" else map_card(sample, answers)
    figure.update_layout(margin=dict.fromkeys("lrtb", 0), showlegend=False)
    drawn = figure.to_image("png", width=CARD.width, height=CARD.height, scale=2)
    with Image.open(io.BytesIO(drawn)) as image:
        few_colours = image.quantize(256, method=Image.Quantize.FASTOCTREE)
        few_colours.save(folder / "thumbnail.png", optimize=True)


def map_card(sample: Sample, triplets: Triplets) -> go.Figure:
    """A map with the pictures of the sample, or with points where it has none."""
    shown: dict[int, str] = {}
    if sample.pictures:
        pictures = read_pictures(sample.folder / sample.pictures)
        triplets, _ = attach_pictures(triplets, pictures)
        shown = {
            i: f"data:image/png;base64,{base64.b64encode(pictures.thumbnail(name, 96)).decode()}"
            for i, name in enumerate(triplets.objects["image"]) if name in pictures
        }
    fitted = TSTE().fit(triplets)
    maps = bootstrap(TSTE(), triplets, reference=fitted.embedding_)
    objects = triplets.objects
    column = next(c for c in objects if c not in ("id", "label", "image"))
    data = MapData(fitted.embedding_, objects.assign(label=""), maps.covariances, shown)
    style = MapStyle("pictures" if 0 < len(shown) <= FEW else "points", column, coverage=0.8)
    figure = embedding_map(data, style, canvas=CARD)
    figure.update_traces(marker_showscale=False, selector={"type": "scatter"})
    figure.update_traces(visible=False, selector={"name": PLATES})  # white on any ground
    figure.update_layout(annotations=[])  # lines to the places of labels that are not there
    figure.update_xaxes(showline=False).update_yaxes(showline=False)
    return figure


def scale_card(triplets: Triplets) -> go.Figure:
    """The scale of every participant with its band."""
    curves = []
    for name, part in triplets.answers.groupby("participant").groups.items():
        own = triplets.take(np.asarray(part))
        stimulus = next(c for c in own.objects if c not in ("id", "label", "image"))
        method = MLDS(stimulus=stimulus)
        low, high = bootstrap_scale(method, own).interval(0.95)
        fitted = method.fit(own)
        curves.append(Curve(str(name), fitted.levels_, fitted.scale_, low, high))
    figure = scale_curves(curves, stimulus="", value="", canvas=CARD)
    return figure.update_xaxes(visible=False).update_yaxes(visible=False)


def main() -> None:
    make_colours()
    for name in SIMULATED:
        make_simulated(name)
    samples.cache_clear()
    for sample in samples():
        make_thumbnail(sample)


if __name__ == "__main__":
    main()
