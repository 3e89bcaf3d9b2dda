"""Signs that a score is too good, which need no statistics: one sentence each, or nothing."""
