"""Numbers as people and programs write them: decimal commas, and marks between thousands."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from tripletscope.core.data.cells import bare

#: A number without marks of thousands.
NUMERAL = r"[+-]?(\d+([.,]\d*)?|[.,]\d+)(e[+-]?\d+)?"
#: Spaces and apostrophes between thousands.
_GAPS = "([0-9])[ \u00a0\u2009\u202f'\u2019]([0-9]{3})"
#: Both marks, so that the last one is that of decimals; or a mark that is there twice.
_COMMA_GROUPS = r"^[+-]?[0-9]{1,3}(,[0-9]{3})+\.[0-9]*$|^[+-]?[0-9]{1,3}(,[0-9]{3}){2,}$"
_DOT_GROUPS = r"^[+-]?[0-9]{1,3}(\.[0-9]{3})+,[0-9]*$|^[+-]?[0-9]{1,3}(\.[0-9]{3}){2,}$"
#: One mark, which may be either.
_COMMA_GROUP = r"^[+-]?[1-9][0-9]{0,2},[0-9]{3}$"
_DOT_GROUP = r"^[1-9][0-9]{0,2}\.[0-9]{3}$"
_WITH_THOUSANDS = r"^([0-9]{1,3}|[1-9][0-9]{0,2}\.[0-9]{3})?$"
_HUNDREDS = "^[1-9][0-9]{2}$"
#: What every text of a number has.
_NUMERAL = r"(?i)\p{Nd}|inf"


def plain_floats(texts: pa.Array | pa.ChunkedArray) -> np.ndarray | None:
    """(n,) float64 of texts that are written plainly, NaN for empty ones; None if some are not."""
    plain = pc.utf8_trim_whitespace(texts)
    try:
        written = pc.if_else(pc.equal(plain, ""), None, plain)
        return pc.cast(written, pa.float64()).to_numpy(zero_copy_only=False)
    except pa.ArrowInvalid:
        return None


def floats(texts: pa.Array | pa.ChunkedArray, delimiter: str | None) -> np.ndarray:
    """(n,) float64 of texts that may have marks of thousands or a decimal comma; NaN otherwise.

    What is ambiguous in one text is decided by all of them. Where commas separate cells, a comma
    within one more likely separates thousands.
    """
    plain = pc.utf8_trim_whitespace(texts)
    if not _any(pc.match_substring_regex(plain, _NUMERAL)):
        return np.full(len(plain), np.nan)
    for _ in range(2):  # neighbours share a digit
        plain = pc.replace_substring_regex(plain, _GAPS, r"\1\2")
    comma_groups = pc.match_substring_regex(plain, _COMMA_GROUPS)
    dot_groups = pc.match_substring_regex(plain, _DOT_GROUPS)
    without_commas = pc.replace_substring(plain, ",", "")
    without_dots = pc.replace_substring(pc.replace_substring(plain, ".", ""), ",", ".")
    with_comma = pc.replace_substring(plain, ",", ".")
    if _commas_group(plain, comma_groups, dot_groups, delimiter):
        plain = without_commas
    elif _any(dot_groups) and not _any(comma_groups):  # dots separate thousands in all texts
        plain = without_dots
    else:
        others = pc.if_else(dot_groups, without_dots, with_comma)
        plain = pc.if_else(comma_groups, without_commas, others)
    result = plain_floats(plain)
    if result is not None:
        return result
    bare_texts = pd.Series(map(bare, pc.fill_null(plain, "").to_pylist()), dtype="str")
    return pd.to_numeric(bare_texts, errors="coerce").to_numpy(dtype=np.float64)


def _any(matches: pa.Array | pa.ChunkedArray) -> bool:
    return bool(pc.any(matches).as_py())


def _commas_group(
    plain: pa.Array, comma_groups: pa.Array, dot_groups: pa.Array, delimiter: str | None
) -> bool:
    """Whether commas separate thousands in all texts."""
    if _any(dot_groups):
        return False
    if _any(comma_groups):
        return True
    with_comma = plain.filter(pc.match_substring(plain, ","))
    if not len(with_comma) or not pc.all(
        pc.match_substring_regex(with_comma, _COMMA_GROUP)
    ).as_py():
        return False
    if delimiter == ",":
        return True
    return _any(pc.match_substring(plain, ".")) or _any(pc.match_substring_regex(plain, _HUNDREDS))


def may_be_of_thousands(texts: pa.Array | pa.ChunkedArray) -> np.ndarray:
    """(n,) bool, texts that are as they would be where dots separate thousands, or empty."""
    plain = pc.utf8_trim_whitespace(texts)
    return pc.match_substring_regex(plain, _WITH_THOUSANDS).to_numpy(zero_copy_only=False)


def dots_are_of_thousands(texts: pa.Array | pa.ChunkedArray) -> bool:
    """Whether 1.740 is 1740 beside 853: all numbers are whole then, and none begins with a zero.

    Seconds with three decimals have values such as 0.853, or lose their last zeros.
    """
    plain = pc.utf8_trim_whitespace(texts)
    return bool(
        may_be_of_thousands(texts).all() and _any(pc.match_substring_regex(plain, _DOT_GROUP))
        and _any(pc.match_substring_regex(plain, _HUNDREDS))
    )
