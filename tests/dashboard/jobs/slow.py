"""A template that takes long to get ready."""

import time

time.sleep(600)
