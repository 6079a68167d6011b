"""Template tags: formatting, links and Markdown."""

from __future__ import annotations
