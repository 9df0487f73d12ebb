"""Files that compute a data set's results again: script, notebook, environment, archive."""
