"""TripletScope: from similarity judgements to the figures of a paper.

``import tripletscope as ts`` gives data, methods, evaluation, uncertainty, trees and scales:
`read` a file, fit `STE`, `bootstrap` it. Further names are in `experiment`, `features`, `people`,
`ratings`, `dimensions`, `figures` and `reproductions`, such as ``ts.people.compare_people``.

``__init__.pyi`` lists the names. Each is loaded when it is first used.
"""

from pathlib import Path

from ._names import public_names

__version__ = "0.5.0"

# In the repository core, dashboard, pages, reproductions and sample_data stand beside this folder.
# Installed, they are inside it. Their names are tripletscope.core and so on in both. A checkout may
# hold links to them for editors (packaging/backend.py); modules are never loaded through these.
_HERE = Path(__file__).parent
if (_HERE / "core").is_symlink() or not (_HERE / "core").is_dir():
    __path__.insert(0, str(_HERE.parent))

__getattr__, __dir__, __all__ = public_names(__name__, __file__)
