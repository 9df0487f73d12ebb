"""What the columns of a table mean: readings, and guesses at them."""
