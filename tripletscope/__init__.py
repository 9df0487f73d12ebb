"""TripletScope: from similarity judgements to the figures of a paper.

Everything that scripts need is here, as ``import tripletscope as ts``: `read` a file, fit `STE`,
`bootstrap` it. The names are listed in ``__init__.pyi`` and loaded when they are first used.
"""

from pathlib import Path

import lazy_loader

__version__ = "0.3.0"

# In the repository core, dashboard, pages and sample_data stand beside this folder; in what is
# installed they are inside of it. Either way their names are tripletscope.core and so on.
if not (Path(__file__).parent / "core").is_dir():
    __path__.append(str(Path(__file__).parent.parent))

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
