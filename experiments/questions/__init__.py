"""Questions written from passages, for a set that has none."""
