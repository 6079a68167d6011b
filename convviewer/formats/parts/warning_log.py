"""Warnings collected while a source is read: one of a kind, with its count and first place."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from convviewer.core.thread import Warning as ThreadWarning


@dataclass(slots=True, kw_only=True)
class WarningLog:
    """Equal warnings (same code and message) become one that counts them and names the first."""

    _met: dict[tuple[str, str], ThreadWarning] = field(default_factory=dict)

    def add(
        self, code: str, message: str, *, path: str = "", pointer: str = "", count: int = 1
    ) -> None:
        """Note something a reader must know; codes are listed in interfaces.md."""
        first = self._met.get((code, message))
        if first is None:
            first = ThreadWarning(code=code, message=message, path=path, pointer=pointer, count=0)
        self._met[code, message] = replace(first, count=first.count + count)

    def all(self) -> tuple[ThreadWarning, ...]:
        """Everything noted so far, in the order first met."""
        return tuple(self._met.values())


def joined(*groups: tuple[ThreadWarning, ...]) -> tuple[ThreadWarning, ...]:
    """The warnings of several readings of one thread; what two of them met counts once."""
    met: dict[tuple[str, str], ThreadWarning] = {}
    for warning in (warning for group in groups for warning in group):
        key = warning.code, warning.message
        if key not in met or met[key].count < warning.count:
            met[key] = warning
    return tuple(met.values())
