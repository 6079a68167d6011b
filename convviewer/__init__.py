"""Browse and debug stored agent conversations: verbatim and compressed, side by side."""

from __future__ import annotations

VERSION = "0.1.0"
