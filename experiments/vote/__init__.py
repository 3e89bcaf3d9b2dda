"""Several rankings or submission files as one, by weighted votes."""
