"""Pure functions on core values."""
