"""Queries in, ranking out."""
