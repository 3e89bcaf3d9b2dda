"""`submission=none`: a run that submits nothing."""


def no_submission() -> None:
    """No format: nothing is written."""
