"""How Strands Agents stores messages, sessions and snapshots."""
