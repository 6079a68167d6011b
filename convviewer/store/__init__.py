"""The tables, and the only code that writes them."""
