"""Values and texts that the JSON tests share."""

from __future__ import annotations

from hypothesis import strategies as st

from convviewer.core.json import Json

# Text without surrogates, and text with lone ones that never pair up by accident.
UNICODE = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
LONE_SURROGATES = st.lists(
    st.one_of(UNICODE.map(lambda text: text + "."), st.sampled_from(["\ud800.", "\udfff."])),
    max_size=4,
).map("".join)
INTEGERS = st.integers() | st.integers(min_value=-(10**60), max_value=10**60)
KEYS = UNICODE | st.sampled_from(["$number", "$", "$$", "$ref", "a/b", "m~n", "", "0"])


def _values(text: st.SearchStrategy[str], floats: st.SearchStrategy[float]):
    scalars = st.none() | st.booleans() | INTEGERS | floats | text | st.just("NaN")
    return st.recursive(
        scalars,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS | text, inner, max_size=4),
        max_leaves=25,
    )


STRICT_VALUES: st.SearchStrategy[Json] = _values(
    UNICODE, st.floats(allow_nan=False, allow_infinity=False)
)
STORED_VALUES: st.SearchStrategy[Json] = _values(LONE_SURROGATES, st.floats(allow_nan=False))
READABLE_VALUES: st.SearchStrategy[Json] = _values(UNICODE, st.floats(allow_nan=False))


def nested(levels: int, inside: str) -> str:
    """Return a JSON text with `inside` below that many arrays."""
    return "[" * levels + inside + "]" * levels
