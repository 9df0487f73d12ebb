"""What can be concluded: held-out errors, comparisons, uncertainty."""
