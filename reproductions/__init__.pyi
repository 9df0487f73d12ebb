from .outcome import rebuild as rebuild
