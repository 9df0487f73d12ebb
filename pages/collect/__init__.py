"""The page Collect: experiments that are made, tried, run and taken elsewhere."""
