"""How Roboto AI stores a thread."""
