from .core.similarity.clusters.tanglegram import untangle as untangle
from .dashboard.figures.tanglegram import tanglegram as tanglegram
from .dashboard.figures.tree import ComparisonTreeData as ComparisonTreeData
from .dashboard.figures.tree import tree_diagram as tree_diagram
from .dashboard.results.drawing import Drawing as Drawing
