"""How items of the papers are drawn: charts by the key of the item, a module a document."""

from tripletscope.dashboard.views.papers.charts import forests, kernels, thesis, uncertainty

CHARTS = {**thesis.CHARTS, **forests.CHARTS, **uncertainty.CHARTS, **kernels.CHARTS}
