"""What several formats, or the parts of one, are read with."""
