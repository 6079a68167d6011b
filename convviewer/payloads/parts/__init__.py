"""What several payload types are built from: spans, text windows, cells, tables, trees, media."""

from __future__ import annotations
