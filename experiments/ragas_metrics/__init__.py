"""The metrics of ragas over the rows of a run of answers: those without a model and those with."""
