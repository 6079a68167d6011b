"""What several writers, and only they, are made of."""

from __future__ import annotations
