"""Makes what is derived in the samples: the simulated colours and the pictures on the cards.

    python sample_data/make.py

Ekman (1954) had observers rate the similarity of 14 spectral colours. Non-metric scaling of his
table is the colour circle; simulated observers see each colour there with a little noise and
answer triplet questions (the setting of Haghiri's thesis, section 4.5.3).
"""

from __future__ import annotations

import base64
import io
from pathlib import Path

import numpy as np
import pandas as pd
from PIL import Image, ImageDraw
from sklearn.manifold import MDS

from tripletscope.core.embedding import TSTE
from tripletscope.core.io import attach_pictures, read, read_pictures
from tripletscope.core.simulation.simulate import simulate
from tripletscope.core.uncertainty import bootstrap
from tripletscope.dashboard.figures.map import embedding_map
from tripletscope.dashboard.figures.points import MapData, MapStyle
from tripletscope.dashboard.figures.spectral import spectral_rgb
from tripletscope.dashboard.interface.theme import Canvas
from tripletscope.dashboard.keeping.samples import Sample, samples

CARD = Canvas(520.0, 240.0)
EKMAN = Path(__file__).parent / "ekman_colors"
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


def make_thumbnail(sample: Sample) -> None:
    """What one will see: a map of the sample with its pictures, on a transparent ground."""
    folder = sample.folder
    answers = read(folder / sample.answers, objects=folder / sample.objects)
    pictures = read_pictures(folder / sample.pictures)
    triplets, _ = attach_pictures(answers, pictures)
    fitted = TSTE().fit(triplets)
    samples = bootstrap(TSTE(), triplets, reference=fitted.embedding_)
    objects = triplets.objects
    quantity = next(c for c in objects if c not in ("id", "label", "image"))
    shown = {
        i: f"data:image/png;base64,{base64.b64encode(pictures.thumbnail(name, 96)).decode()}"
        for i, name in enumerate(objects["image"]) if name in pictures
    }
    data = MapData(fitted.embedding_, objects.assign(label=""), samples.covariances, shown)
    figure = embedding_map(data, MapStyle("pictures", quantity, coverage=0.8), canvas=CARD)
    figure.update_traces(marker_showscale=False, selector={"type": "scatter"})
    figure.update_xaxes(showline=False).update_yaxes(showline=False)
    figure.update_layout(margin=dict.fromkeys("lrtb", 0))
    drawn = figure.to_image("png", width=CARD.width, height=CARD.height, scale=2)
    with Image.open(io.BytesIO(drawn)) as image:
        few_colours = image.quantize(256, method=Image.Quantize.FASTOCTREE)
        few_colours.save(folder / "thumbnail.png", optimize=True)


def main() -> None:
    make_colours()
    for sample in samples():
        make_thumbnail(sample)


if __name__ == "__main__":
    main()
