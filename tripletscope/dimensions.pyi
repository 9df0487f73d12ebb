from .core.features.shared_dimensions import shared_dimensions as shared_dimensions
from .core.inference.held_out.choice_accuracy import choice_accuracies as choice_accuracies
from .core.models.dimensions.known_dimensions import simulate_choices as simulate_choices
from .core.models.dimensions.penalties import penalty_curve as penalty_curve
from .core.models.dimensions.reproducibility import bootstrap_dimensions as bootstrap_dimensions
from .core.models.dimensions.reproducibility import (
    dimension_reproducibility as dimension_reproducibility,
)
from .core.models.dimensions.spose import SPoSE as SPoSE
from .core.models.dimensions.symmetric import SymmetricNMF as SymmetricNMF
from .core.models.dimensions.symmetric import number_curve as number_curve
from .core.models.dimensions.vice import VICE as VICE
