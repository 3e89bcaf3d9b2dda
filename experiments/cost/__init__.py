"""What a pipeline costs beside what it scores."""
