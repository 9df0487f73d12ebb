"""Relations of a dimension to other values and categories of the objects."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from scipy.special import expit, logit
from scipy.stats import norm, rankdata, spearmanr, t

#: Fewest objects inside and outside a category.
_FEWEST = 3


def rank_correlation(weights: np.ndarray, values: np.ndarray) -> tuple[float, float, float, int]:
    """Spearman's correlation with its 95 % interval over objects, and their number.

    weights, values (n,): Objects without a value in either are left out.
    Returns: Correlation, ends of the interval, and number of objects; NaN if undefined, such as the
        interval of a perfect correlation, whose standard error would be 0.

    References
    ----------
    Bonett, D. G., & Wright, T. A. (2000). Sample size requirements for estimating Pearson, Kendall
    and Spearman correlations. Psychometrika, 65, 23-28: the standard error of Fisher's z.
    """
    complete = np.isfinite(weights) & np.isfinite(values)
    n = int(complete.sum())
    if n < 4 or not (np.ptp(weights[complete]) and np.ptp(values[complete])):
        return math.nan, math.nan, math.nan, n
    r = min(max(float(spearmanr(weights[complete], values[complete]).statistic), -1.0), 1.0)
    if abs(r) == 1:
        return r, math.nan, math.nan, n
    reach = norm.ppf(0.975) * math.sqrt((1 + r * r / 2) / (n - 3))
    return r, math.tanh(math.atanh(r) - reach), math.tanh(math.atanh(r) + reach), n


def category_table(weights: np.ndarray, categories: pd.Series) -> pd.DataFrame:
    """Discrimination of each category from all other objects by weights (n,), the best first.

    Columns are ``category``, ``objects``, mean ``weight``, and ``auc``, the probability that an
    object of the category has a larger weight than another one, with ``low`` and ``high`` of its 95
    % interval; NaN for fewer than three objects on a side, and for equal weights. Objects without a
    category are left out.

    The interval is DeLong's on the log odds, with Student's quantile for the smaller number of
    objects; for perfect discrimination, that of as many comparisons.
    """
    complete = (categories.notna() & np.isfinite(weights)).to_numpy()
    names, of = np.unique(categories[complete].astype(str), return_inverse=True)
    weights = weights[complete]
    rows = [
        {"category": str(name), "objects": int((of == k).sum()),
         "weight": float(weights[of == k].mean()),
         **dict(zip(("auc", "low", "high"), _auc(weights[of == k], weights[of != k]), strict=True))}
        for k, name in enumerate(names)
    ]
    columns = ["category", "objects", "weight", "auc", "low", "high"]
    table = pd.DataFrame(rows, columns=columns)
    return table.sort_values(["auc", "weight"], ascending=False, ignore_index=True)


def _auc(inside: np.ndarray, outside: np.ndarray) -> tuple[float, float, float]:
    m, n = len(inside), len(outside)
    if min(m, n) < _FEWEST or not np.ptp(np.concatenate([inside, outside])):
        return math.nan, math.nan, math.nan
    ranks = rankdata(np.concatenate([inside, outside]))
    within, without = rankdata(inside), rankdata(outside)
    above = (ranks[:m] - within) / n
    below = 1 - (ranks[m:] - without) / m
    auc = float(above.mean())
    error = math.sqrt(above.var(ddof=1) / m + below.var(ddof=1) / n)
    if auc in (0.0, 1.0):
        far = 0.025 ** (1 / min(m, n))
        return auc, far if auc else 0.0, 1.0 if auc else 1 - far
    reach = t.ppf(0.975, min(m, n) - 1) * error / (auc * (1 - auc))
    return auc, float(expit(logit(auc) - reach)), float(expit(logit(auc) + reach))
