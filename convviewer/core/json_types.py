"""The type of a decoded JSON value."""

from __future__ import annotations

from typing_extensions import TypeAliasType

# A TypeAliasType, not a string alias: the API's schema generator resolves it by name.
Json = TypeAliasType("Json", "bool | int | float | str | list[Json] | dict[str, Json] | None")
