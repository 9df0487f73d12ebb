from .core.dimensions.penalties import penalty_curve as penalty_curve
from .core.dimensions.reproducibility import bootstrap_dimensions as bootstrap_dimensions
from .core.dimensions.reproducibility import dimension_reproducibility as dimension_reproducibility
from .core.dimensions.simulated import simulate_choices as simulate_choices
from .core.dimensions.spose import SPoSE as SPoSE
from .core.dimensions.vice import VICE as VICE
from .core.features.shared_dimensions import shared_dimensions as shared_dimensions
from .core.inference.evaluation.choosing import choice_accuracies as choice_accuracies
