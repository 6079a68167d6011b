"""Parameters that several endpoints take."""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

from pydantic import AfterValidator, Field, StringConstraints

MOST: Final = 200


def _capped(limit: int) -> int:
    return min(limit, MOST)


# PostgreSQL takes no NUL in a text.
Text: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[^\x00]*$")]
Tier: TypeAlias = Annotated[
    Text, Field(description="A tier's name, or `compressed`; absent for the fullest one.")
]
After: TypeAlias = Annotated[
    str, Field(description="The `next` of the page before; absent for the first page.")
]
Limit: TypeAlias = Annotated[
    int,
    Field(ge=1, description=f"Items of a page; more than {MOST} count as {MOST}."),
    AfterValidator(_capped),
]
