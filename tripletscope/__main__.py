"""``python -m tripletscope`` is the command ``tripletscope``."""

import sys

from tripletscope.dashboard.serving.cli import main

sys.exit(main())
