"""The one way in for threads."""
