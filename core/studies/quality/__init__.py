"""What answers are worth: who gave them with care, how consistent they are, what can be reached."""

from tripletscope.core.inference.evaluation.ceiling import Ceiling, noise_ceiling
from tripletscope.core.inference.evaluation.share import Share
from tripletscope.core.studies.quality.consistency import (
    Coverage,
    Repeats,
    coverage,
    repeats,
    transitivity,
)
from tripletscope.core.studies.quality.exclusion import Cleaning, Effect, Exclusion, Preview
from tripletscope.core.studies.quality.people import (
    MapAgreement,
    agreement_with_map,
    gold_mistakes,
    obvious,
    participants,
    runs_test,
)
from tripletscope.core.studies.quality.report import (
    Finding,
    QualityReport,
    methods_paragraph,
    quality,
)
from tripletscope.core.studies.quality.rules import RULES, Criterion
from tripletscope.core.studies.quality.tables import objects, over_time, samplers
from tripletscope.core.studies.quality.verdict import Verdict, verdict
