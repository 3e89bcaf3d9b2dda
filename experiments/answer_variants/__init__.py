"""One ranking, read by a model in several ways: how many passages, and in which order."""
