"""Our own interchange form, read and written."""
