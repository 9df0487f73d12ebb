"""What kernels show in answers of people: clusters and maps of drawings and of musicians.

The paper's images of foods, cars and landscapes are not to be had. 231 people compared 300 drawings
of alien eggs, which differ in their spikiness, 59 answers for each; about as many as there are for
each landscape. Visitors of a website compared 412 musicians, whose genres are known.
"""

from __future__ import annotations

import time
from functools import lru_cache, partial

import numpy as np
import pandas as pd
from sklearn.neighbors import NearestNeighbors

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.models.embedding import GNMDS
from tripletscope.core.similarity.clusters.agglomerative import AgglomerativeClustering
from tripletscope.core.similarity.kernels.space import space_of
from tripletscope.core.similarity.kernels.spectrum import principal_components
from tripletscope.core.similarity.kernels.triplet import K1, K2
from tripletscope.reproductions.data import brought
from tripletscope.reproductions.item import (
    DOES_NOT_HOLD,
    HOLDS,
    Item,
    Observation,
)
from tripletscope.reproductions.samples import sample

_KERNELS = {"k1": K1, "k2": K2}
_CLUSTERS = 10
#: Members that a cluster needs for anything to be said of it.
_FEWEST = 3
#: Objects nearest in a map of which it is asked how much they differ.
_NEIGHBOURS = 10
#: Fits of which the median time counts.
_TIMED = 5


def egg_answers() -> Triplets:
    return sample("alien_eggs").triplets


@lru_cache(maxsize=1)
def musicians() -> tuple[Triplets, np.ndarray]:
    """Answers about 412 musicians, and (412, 412) whether two have a genre in common."""
    path = brought("music")
    rows = pd.read_csv(path)[["anchor", "near", "far"]].to_numpy() - 1
    rows = rows[[len(set(row)) == 3 for row in rows.tolist()]]
    genres = pd.read_csv(path.with_name("objects.csv"))["genres"].str.get_dummies("|").to_numpy()
    return Triplets.from_array(rows.astype(np.int32), len(genres)), genres @ genres.T > 0


def _spikiness(triplets: Triplets) -> np.ndarray:
    return triplets.objects["spikiness"].to_numpy(float)


def clusters(
    *, kernel: str, data: str = "eggs", seed: int = 0, progress: Progress = silent
) -> pd.DataFrame:
    """How homogeneous ten clusters by complete linkage are.

    ``alike`` is, of eggs, one less the standard deviation of spikiness divided by that of all; of
    musicians, the share of pairs with a genre in common.
    """
    if data == "eggs":
        triplets = egg_answers()
        known, spikiness = np.ones(triplets.n_objects, bool), _spikiness(triplets)
    else:
        triplets, same = musicians()
        known = same.diagonal()
    space = space_of(_KERNELS[kernel]().fit(triplets))
    clustering = AgglomerativeClustering(
        linkage="complete", n_clusters=_CLUSTERS, order_leaves=False
    )
    labels = clustering.fit_space(space).labels_
    rows = []
    for number in range(_CLUSTERS):
        members = np.flatnonzero((labels == number) & known)
        alike = np.nan
        if len(members) >= _FEWEST and data == "eggs":
            alike = 1.0 - spikiness[members].std() / spikiness.std()
        elif len(members) >= _FEWEST:
            pairs = same[np.ix_(members, members)]
            alike = pairs[np.triu_indices(len(members), 1)].mean()
        rows.append({"cluster": f"{number + 1} ({len(members)})", "members": len(members),
                     "alike": alike})
    progress(1.0)
    return pd.DataFrame(rows).assign(what="clusters", data=data)


def check_clusters(table: pd.DataFrame) -> Observation:
    """Whether most of ten clusters hold what is alike, by more than a half."""
    own = table[table["what"] == "clusters"]
    data = own["data"].iloc[0]
    good = int((own["alike"] > 0.5).sum())
    measure = (
        "the spikiness varies less than half as much as in all" if data == "eggs" else
        "more than half of the pairs have a genre in common"
    )
    said = (
        f"{good} of {len(own)} clusters of {data} are homogeneous: in at least {_FEWEST} members "
        f"{measure}; the largest has {own['members'].max():g} of {own['members'].sum():g} members"
    )
    if good > len(own) / 2:
        return Observation(HOLDS, said, "Most clusters hold what is alike.")
    return Observation(DOES_NOT_HOLD, said, "Most clusters mix what is not alike.")


def _map_of(places: np.ndarray, triplets: Triplets) -> pd.DataFrame:
    """Eggs in a map, by thirds of their spikiness; and how their neighbours differ from them."""
    spikiness = _spikiness(triplets)
    nearest = NearestNeighbors(n_neighbors=_NEIGHBOURS).fit(places).kneighbors(
        return_distance=False
    )
    others = np.abs(spikiness[:, None] - spikiness)[np.triu_indices(len(spikiness), 1)]
    thirds = np.array(["spiky", "between", "round"], dtype=object)
    return pd.DataFrame({
        "what": "map", "x": places[:, 0].round(5), "y": places[:, 1].round(5),
        "third": thirds[np.argsort(np.argsort(spikiness)) * 3 // len(spikiness)],
        "apart": np.abs(spikiness[nearest] - spikiness[:, None]).mean(axis=1),
        "chance": others.mean(),
    })


def projection(*, kernel: str, seed: int = 0, progress: Progress = silent) -> pd.DataFrame:
    """The first two kernel principal components of eggs."""
    triplets = egg_answers()
    space = space_of(_KERNELS[kernel]().fit(triplets))
    found = _map_of(principal_components(space, 2).coordinates, triplets)
    progress(1.0)
    return found


def check_projection(table: pd.DataFrame) -> Observation:
    """Whether neighbours in the map differ less than half as much as eggs do by chance."""
    own = table[table["what"] == "map"]
    apart, chance = own["apart"].mean(), own["chance"].iloc[0]
    said = (
        f"the {_NEIGHBOURS} nearest eggs in the map differ by {apart:.0f} in spikiness, any two by "
        f"{chance:.0f}"
    )
    if apart < chance / 2.0:
        return Observation(HOLDS, said, "What lies close together in the map is alike.")
    return Observation(DOES_NOT_HOLD, said, "Neighbours in the map are often not alike.")


def both(*, data: str, seed: int = 0, progress: Progress = silent) -> pd.DataFrame:
    """Clusters by k1 of what has categories, and a map by k1 of what has an order."""
    return pd.concat(
        [clusters(kernel="k1", data=data), projection(kernel="k1", progress=progress)],
        ignore_index=True,
    )


def _check_both(table: pd.DataFrame) -> Observation:
    found = check_clusters(table), check_projection(table)
    shows = HOLDS if all(one.shows == HOLDS for one in found) else DOES_NOT_HOLD
    return Observation(
        shows, "; ".join(one.ours for one in found), " ".join(one.why for one in found)
    )


def gnmds_map(*, seed: int = 0, progress: Progress = silent) -> pd.DataFrame:
    """Eggs in the map of GNMDS, and processor seconds of it and of kernels."""
    triplets, seconds = egg_answers(), {}
    gnmds = GNMDS(n_init=1, seed=seed)
    for name, method in (("GNMDS", gnmds), ("k1", K1()), ("k2", K2())):
        method.fit(triplets)  # what is compiled is not timed
        each = []
        for _ in range(_TIMED):
            begun = time.process_time()
            method.fit(triplets)
            if name != "GNMDS":
                _ = method.kernel_
            each.append(time.process_time() - begun)
        seconds[name] = float(np.median(each))
    progress(1.0)
    return _map_of(gnmds.embedding_, triplets).assign(**seconds)


def _check_gnmds_map(table: pd.DataFrame) -> Observation:
    """Whether GNMDS takes at least ten times as long as either kernel."""
    seconds = table[["GNMDS", "k1", "k2"]].iloc[0]
    times = seconds["GNMDS"] / seconds[["k1", "k2"]].max()
    said = ", ".join(f"{name} {value:.3f} s" for name, value in seconds.items())
    if times >= 10.0:
        return Observation(HOLDS, said, f"GNMDS takes {times:.0f} times as long.")
    return Observation(DOES_NOT_HOLD, said, f"GNMDS takes {times:.1f} times as long, not ten.")


_EGGS = "300 drawings that 231 people compared (alien eggs)"
_NATURE = "120 images, 6,710 answers from statements on the outlier of three"
_HOMOGENEOUS = (
    "Holds if most of ten clusters have at least three members {which}"
)


def _clusters_item(key: str, kernel: str) -> Item:
    return Item(
        key=key, title=f"Clusters of landscapes by {kernel}",
        claim=f"Most of ten clusters that complete linkage makes of {kernel} hold images of one "
        "kind.",
        published="clusters of deserts, forests, mountains, coastlines (pictures; no numbers)",
        setting=_NATURE, experiment=partial(clusters, kernel=kernel), check=check_clusters,
        rule=_HOMOGENEOUS.format(
            which="of which the standard deviation of spikiness is less than half of that of all "
            "drawings."
        ),
        exact=True, stand_in=f"{_EGGS} in place of landscapes",
    )


_CLOSE = (
    "the ten drawings nearest to one in the plane differ from it in spikiness by less than half of "
    "what two drawings at random do, on average."
)


def _map_item(key: str, kernel: str) -> Item:
    return Item(
        key=key, title=f"Landscapes by {kernel}",
        claim=f"Images that lie close together in the first two kernel principal components of "
        f"{kernel} show similar things.",
        published="a picture; regions of mountains, of forests, of coastlines", setting=_NATURE,
        experiment=partial(projection, kernel=kernel), check=check_projection,
        rule=f"Holds if {_CLOSE}", exact=True,
        not_judged="Where images are dense and where they are spread, which is of these images.",
        stand_in=f"{_EGGS} in place of landscapes",
    )


ITEMS = (
    Item(
        key="kernels-figure-4", title="Foods and cars",
        claim="Complete linkage on a kernel finds homogeneous clusters, and kernel PCA arranges "
        "objects sensibly, with answers of crowds.",
        published="ten clusters of foods: vegetables, fruits, desserts; cars: sports cars, "
        "ordinary ones, off-road",
        setting="Food: 100 images, 190,376 answers; cars: 60 images, 13,514 answers from "
        "statements on the most central of three",
        ours="quick: clusters of drawings", experiment=both, full={"data": "musicians"},
        quick={"data": "eggs"}, check=_check_both,
        rule=_HOMOGENEOUS.format(
            which=f"and more than half of the pairs in them a genre in common; and {_CLOSE}"
        ),
        exact=True, needs=("music", "musicians"),
        stand_in=f"412 musicians with genres (MusicSeer, 9,107 answers) in place of foods, {_EGGS} "
        "in place of cars",
    ),
    Item(
        key="kernels-figure-9", title="Foods by GNMDS",
        claim="A map of crowds' answers by GNMDS takes far longer than a kernel.",
        published="18 s, kernels 0.1 s", setting="100 images, 190,376 answers, two dimensions",
        ours="median of five fits", experiment=gnmds_map, check=_check_gnmds_map,
        rule="Holds if GNMDS in two dimensions takes at least ten times the processor seconds of "
        "k1 and of k2.",
        not_judged="What lies where in the picture, of which the paper says nothing.",
        stand_in=f"{_EGGS} in place of foods",
    ),
    _map_item("kernels-figure-10", "k1"),
    _map_item("kernels-figure-11", "k2"),
    Item(
        key="kernels-figure-12", title="Landscapes by GNMDS",
        claim="In the map of GNMDS three images lie far from all others, and in the bulk images "
        "that lie close together show similar things.",
        published="a picture, with three images far from all others", setting=_NATURE,
        stated="The images and their answers are not to be had, and which of them lie far from "
        "all others cannot be asked of other data.",
    ),
    _clusters_item("kernels-figure-13", "k1"),
    _clusters_item("kernels-figure-14", "k2"),
)
