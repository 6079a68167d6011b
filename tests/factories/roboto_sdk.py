"""The Roboto SDK as an oracle, imported past a deprecation in one of its own dependencies."""

from __future__ import annotations

import warnings

with warnings.catch_warnings():
    warnings.filterwarnings("ignore", "GitWildMatchPattern", DeprecationWarning)
    from roboto.ai.agent_thread.record import AgentThreadRecord, AgentToolDetailResponse
    from roboto.ai.core.content import (
        AGENT_CONTENT_MODEL_BY_TYPE,
        AgentClientContextEntry,
        AgentContent,
        AgentErrorContent,
        AgentTextContent,
        AgentToolResultContent,
        AgentToolUseContent,
    )

__all__ = [
    "AGENT_CONTENT_MODEL_BY_TYPE",
    "AgentClientContextEntry",
    "AgentContent",
    "AgentErrorContent",
    "AgentTextContent",
    "AgentThreadRecord",
    "AgentToolDetailResponse",
    "AgentToolResultContent",
    "AgentToolUseContent",
]
