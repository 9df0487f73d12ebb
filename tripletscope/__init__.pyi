# The public names of TripletScope. This list is all there is: tripletscope loads from it, and type
# checkers read it.

from .core.cluster.agglomerative import Agglomerative as Agglomerative
from .core.cluster.comparison import ComparisonLinkage as ComparisonLinkage
from .core.cluster.kmeans import KMeans as KMeans
from .core.cluster.spectral import Spectral as Spectral
from .core.computing.engine import engine as engine
from .core.data.errors import DataError as DataError
from .core.data.quadruples import Quadruples as Quadruples
from .core.data.triplets import Triplets as Triplets
from .core.design.active import propose as propose
from .core.design.plan import plan as plan
from .core.design.scenario import SampleSizes as SampleSizes
from .core.design.scenario import Scenario as Scenario
from .core.embedding.ckl import CKL as CKL
from .core.embedding.gnmds import GNMDS as GNMDS
from .core.embedding.gnmdsk import GNMDSK as GNMDSK
from .core.embedding.loe import LOE as LOE
from .core.embedding.lore import LORE as LORE
from .core.embedding.nmds import NMDS as NMDS
from .core.embedding.soe import SOE as SOE
from .core.embedding.ste import STE as STE
from .core.embedding.stored import StoredAnswers as StoredAnswers
from .core.embedding.stored import fit_stored as fit_stored
from .core.embedding.tste import TSTE as TSTE
from .core.evaluation.score import cross_validate as cross_validate
from .core.evaluation.score import triplet_error as triplet_error
from .core.io.asked import read_gold as read_gold
from .core.io.interpret.interpretation import read as read
from .core.io.objects.objects import read_objects as read_objects
from .core.io.writing import write_answers as write_answers
from .core.kernel.gaussian import GaussianKernel as GaussianKernel
from .core.kernel.triplet import K1 as K1
from .core.kernel.triplet import K2 as K2
from .core.kernel.weisfeiler_lehman import WeisfeilerLehman as WeisfeilerLehman
from .core.papers.outcome import rebuild as rebuild
from .core.quality.exclusion import Cleaning as Cleaning
from .core.quality.exclusion import Exclusion as Exclusion
from .core.quality.report import quality as quality
from .core.run import run as run
from .core.scale.mlds import MLDS as MLDS
from .core.scale.ordinal import ordinal_scale as ordinal_scale
from .core.scale.resampling import bootstrap_scale as bootstrap_scale
from .core.simulation.simulate import simulate as simulate
from .core.tree.forest import ComparisonForest as ComparisonForest
from .core.tree.oracle.measured import Fitted as Fitted
from .core.tree.proximity import ForestProximity as ForestProximity
from .core.tree.supervised import ComparisonForestClassifier as ComparisonForestClassifier
from .core.tree.supervised import ComparisonForestRegressor as ComparisonForestRegressor
from .core.tree.tree import ComparisonTree as ComparisonTree
from .core.uncertainty.calibration import calibrate as calibrate
from .core.uncertainty.heterogeneity import heterogeneity as heterogeneity
from .core.uncertainty.posterior import sample_posterior as sample_posterior
from .core.uncertainty.reliability import reliability as reliability
from .core.uncertainty.resampling import bootstrap as bootstrap

__version__: str
