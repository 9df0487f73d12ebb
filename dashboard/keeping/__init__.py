"""What outlives a page: the workspace, jobs, samples."""
