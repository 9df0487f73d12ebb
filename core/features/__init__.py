"""Do features explain the answers of people: predictions, weights, and what is left over."""
