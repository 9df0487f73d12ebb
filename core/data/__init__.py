"""Judgements of similarity and what is wrong with them: the types that everything takes."""
