"""The parts of a search over the weights of a fusion."""
