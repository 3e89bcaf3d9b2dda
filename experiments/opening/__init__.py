"""Opening a sealed private half for one trial that was fixed before."""
