"""The study of chunk quality: every measure with its control, and what bad chunks cost."""
