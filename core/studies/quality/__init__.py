"""Quality of answers: careless participants, consistency, and the best possible accuracy."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(__name__, submod_attrs={
    "consistency": ["coverage", "repeats", "transitivity"],
    "exclusion": ["Cleaning", "Exclusion", "Preview"],
    "people": [
        "MapAgreement", "agreement_with_map", "gold_mistakes", "obvious", "participants",
        "runs_test",
    ],
    "report": ["QualityReport", "objects", "over_time", "quality", "samplers"],
    "rules": ["RULES"],
    "verdict": ["Verdict"],
})
