"""Charts by the key of the item that they draw; each module has those of a document."""

from tripletscope.dashboard.views.papers.charts import forests, kernels, thesis, uncertainty

CHARTS = {**thesis.CHARTS, **forests.CHARTS, **uncertainty.CHARTS, **kernels.CHARTS}
