"""Similarity judgements and their errors: the types that everything takes."""
