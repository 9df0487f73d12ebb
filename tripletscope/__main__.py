"""``python -m tripletscope`` is the command ``tripletscope``."""

import sys

from tripletscope.dashboard.serve.cli import main

sys.exit(main())
