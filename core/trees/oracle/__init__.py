"""Oracles answer the question "is x nearer to p than to q?", and count it.

Objects are numbers from 0. A question is a row (x, p, q); its answer is True if p is at least as
near as q. Algorithms that ask are *dialogues*: generators that yield questions, receive answers,
and return their result. `converse` holds many at once and asks in batches.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(__name__, submod_attrs={
    "answered": ["AnswersOracle", "Unanswered"],
    "asking": ["Dialogue", "Observer", "Oracle", "Repeated", "Tally", "answered_rows", "converse"],
    "measured": [
        "MISMATCH", "Distances", "KernelOracle", "MapOracle", "DistanceOracle", "Vectors",
        "metrics",
    ],
})
