"""Submission formats, one a file: each writes a ranking and checks any file of its kind."""
