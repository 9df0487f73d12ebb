"""The main analysis beside others of the same answers, and what chance makes of them."""
