"""Labels for a set that has none: a pool of several runs, judged in a browser."""
