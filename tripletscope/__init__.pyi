# The public names of TripletScope. The package loads them from this list; type checkers read it.

from . import dimensions as dimensions
from . import experiment as experiment
from . import features as features
from . import figures as figures
from . import people as people
from . import ratings as ratings
from . import reproductions as reproductions
from .core.data.errors import DataError as DataError
from .core.data.quadruples import Quadruples as Quadruples
from .core.data.triplets import Triplets as Triplets
from .core.engine.engine import engine as engine
from .core.inference.held_out.score import cross_validate as cross_validate
from .core.inference.held_out.score import triplet_error as triplet_error
from .core.inference.held_out.tails import choose_tail as choose_tail
from .core.inference.uncertainty.calibration import calibrate as calibrate
from .core.inference.uncertainty.posterior import sample_posterior as sample_posterior
from .core.inference.uncertainty.reliability import reliability as reliability
from .core.inference.uncertainty.resampling import bootstrap as bootstrap
from .core.inference.validity import doubts as doubts
from .core.models.embedding.ckl import CKL as CKL
from .core.models.embedding.gnmds import GNMDS as GNMDS
from .core.models.embedding.gnmds import GNMDSK as GNMDSK
from .core.models.embedding.lore import LORE as LORE
from .core.models.embedding.soe import SOE as SOE
from .core.models.embedding.ste import STE as STE
from .core.models.embedding.tste import TSTE as TSTE
from .core.models.simulation.simulate import simulate as simulate
from .core.run import run as run
from .core.scales.map_scales import ordinal_scale as ordinal_scale
from .core.scales.mlds import MLDS as MLDS
from .core.scales.scale_samples import bootstrap_scale as bootstrap_scale
from .core.similarity.clusters.agglomerative import (
    AgglomerativeClustering as AgglomerativeClustering,
)
from .core.similarity.clusters.agreement import label_agreement as label_agreement
from .core.similarity.clusters.comparison import ComparisonLinkage as ComparisonLinkage
from .core.similarity.clusters.kmeans import KMeans as KMeans
from .core.similarity.clusters.spectral import SpectralClustering as SpectralClustering
from .core.similarity.kernels.gaussian import GaussianKernel as GaussianKernel
from .core.similarity.kernels.triplet import K1 as K1
from .core.similarity.kernels.triplet import K2 as K2
from .core.studies.quality.exclusion import Cleaning as Cleaning
from .core.studies.quality.exclusion import Exclusion as Exclusion
from .core.studies.quality.importing import read as read
from .core.studies.quality.report import quality as quality
from .core.trees.forest import ComparisonForest as ComparisonForest
from .core.trees.oracle.measured import MapOracle as MapOracle
from .core.trees.proximity import ForestProximity as ForestProximity
from .core.trees.supervised import ComparisonForestClassifier as ComparisonForestClassifier
from .core.trees.supervised import ComparisonForestRegressor as ComparisonForestRegressor
from .core.trees.tree import ComparisonTree as ComparisonTree
from .core.writing import write_answers as write_answers
from .dashboard.results.registry import drawings as drawings
from .dashboard.results.registry import sentences as sentences
from .dashboard.store.python_api import open as open

__version__: str
