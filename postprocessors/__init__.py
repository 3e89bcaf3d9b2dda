"""Ranked nodes in, fewer or better-ranked nodes out."""
