"""What answers are worth: who gave them with care, how consistent they are, what can be reached."""

from tripletscope.core.evaluation.ceiling import Ceiling, noise_ceiling
from tripletscope.core.evaluation.share import Share
from tripletscope.core.quality.consistency import (
    Coverage,
    Repeats,
    coverage,
    repeats,
    transitivity,
)
from tripletscope.core.quality.exclusion import Cleaning, Effect, Exclusion, Preview
from tripletscope.core.quality.people import (
    MapAgreement,
    agreement_with_map,
    gold_mistakes,
    obvious,
    participants,
    runs_test,
)
from tripletscope.core.quality.report import Finding, QualityReport, methods_paragraph, quality
from tripletscope.core.quality.rules import RULES, Criterion
from tripletscope.core.quality.tables import objects, over_time, samplers
from tripletscope.core.quality.verdict import Verdict, verdict
