"""Charts of the items of papers by their keys; each module has those of a document."""

from docs.charts import forests, kernels, thesis, uncertainty
from docs.charts.chart import Chart

CHARTS = {
    key: (charts,) if isinstance(charts, Chart) else charts
    for document in (thesis, forests, uncertainty, kernels)
    for key, charts in document.CHARTS.items()
}
