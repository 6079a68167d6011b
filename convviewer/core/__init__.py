"""Values and errors that every layer shares."""

from __future__ import annotations
