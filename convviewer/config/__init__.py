"""Settings and entry points."""
