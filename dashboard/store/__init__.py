"""What outlives a page: the workspace with its data sets, results and samples."""
