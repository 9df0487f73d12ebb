"""Charts by the key of the item that they draw; each module has those of a document."""

from tripletscope.dashboard.views.papers.chart import Chart
from tripletscope.dashboard.views.papers.charts import forests, kernels, thesis, uncertainty

CHARTS = {
    key: (charts,) if isinstance(charts, Chart) else charts
    for document in (thesis, forests, uncertainty, kernels)
    for key, charts in document.CHARTS.items()
}
