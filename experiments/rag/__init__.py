"""From a ranking to answers: what the model read, what it said, and where evidence was lost."""
