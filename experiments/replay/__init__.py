"""A run made again from what it left, and what is no longer the same."""
