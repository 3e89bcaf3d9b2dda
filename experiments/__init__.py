"""The rig: datasets, pipeline, store, metrics, tracking, submission; one module per question."""
