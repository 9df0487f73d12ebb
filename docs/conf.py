"""How Sphinx makes the site: `make docs`. Nothing in it is fetched, while building or reading."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE / "extensions")]

import tripletscope  # noqa: E402 - of this checkout

project = "TripletScope"
author = "the TripletScope authors"
copyright = "the TripletScope authors, BSD 3-Clause licence"
version = release = tripletscope.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_copybutton",
    "declarations",
    "generated",
    "mathml",
    "papers",
]
root_doc = "index"
exclude_patterns = ["_build", "charts", "extensions", "gallery", "templates"]
templates_path = ["templates"]
nitpicky = True

myst_enable_extensions = ["attrs_block", "attrs_inline", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

# A page of a name that is gone would be read once more.
listed = (HERE / "reference" / "index.md").read_text("utf-8")
for page in (HERE / "reference" / "generated").glob("*.rst"):
    if f"~{page.stem}\n" not in listed:
        page.unlink(missing_ok=True)

autodoc_typehints = "none"  # docstrings say more of types
autodoc_member_order = "bysource"
autodoc_default_options = {
    "members": True, "inherited-members": "BaseEstimator, Exception, tuple",
}
autosummary_generate = True
numpydoc_show_class_members = False  # autodoc shows them
numpydoc_class_members_toctree = False
default_role = "py:obj"
add_module_names = False
maximum_signature_line_length = 88

html_theme = "furo"
html_title = "TripletScope"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_favicon = "../dashboard/ui/assets/icon.svg"
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "light_logo": "logo.svg",
    "dark_logo": "logo.svg",
    "sidebar_hide_name": True,
    "light_css_variables": {
        "color-brand-primary": "#0B6E69",
        "color-brand-content": "#0B6E69",
        "color-brand-visited": "#0B6E69",
    },
    "dark_css_variables": {
        "color-brand-primary": "#45B8AC",
        "color-brand-content": "#45B8AC",
        "color-brand-visited": "#45B8AC",
        "color-background-primary": "#12181A",
        "color-background-secondary": "#171E20",
    },
}
copybutton_exclude = ".linenos, .gp, .go"
