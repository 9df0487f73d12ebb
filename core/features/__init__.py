"""Features that explain people's answers: predictions, weights, and residuals."""
