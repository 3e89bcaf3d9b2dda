"""Ranked nodes in, prompt and answer out."""
