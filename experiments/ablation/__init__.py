"""What each part of a pipeline is worth."""
