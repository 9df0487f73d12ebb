"""Models of answers: maps, the losses that they minimise, and answers drawn from them."""
