"""Hard facts in a text: identifiers, figures, dates, places, errors, quotations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, Literal, NamedTuple

FactKind = Literal[
    "id", "number", "date", "time", "path", "url", "email", "error", "code", "quoted"
]

# Characters of one block that are read for facts.
MAX_TEXT: Final = 65_536


class Name(NamedTuple):
    """What makes two mentions the same fact: its kind, and its value in one spelling.

    Numbers are equal by value: 1,000 is 1000 and 42.10 is 42.1; a unit makes no difference.
    """

    kind: FactKind
    value: str


def find_facts(text: str, *, prose: bool) -> Iterator[tuple[Name, str]]:
    """Yield each mention: its name and its own spelling. Quotations count in prose only."""
    text = text[:MAX_TEXT]
    if "\x1b" in text:  # colours of a terminal would run into what stands beside them
        text = _ESCAPE.sub("", text)
    if prose:
        yield from _quotations(text)
        text = _LIST_NUMBER.sub("", text)
    if any(word in text for word in _SEVERAL_WORDS):
        for found in _WORDY.finditer(text):
            yield _wordy_name(found), found.group()
        text = _WORDY.sub(" ", text)
    yield from _mentions_in(text.split())


def _mentions_in(tokens: Sequence[str]) -> Iterator[tuple[Name, str]]:
    for number, token in enumerate(tokens):
        # Most words hold no fact; this keeps the patterns away from them.
        if token.isalpha():
            continue
        for name, spelling in _mentions(token[:_MAX_TOKEN]):
            if name.kind != "number":
                yield name, spelling
                continue
            unit = tokens[number + 1] if number + 1 < len(tokens) else ""
            if _is_unit(unit):
                yield name, f"{spelling} {unit.rstrip(_TAIL)}"
            elif len(spelling) > 1:
                # A bare digit, as in "3 pumps", says too little to be missed.
                yield name, spelling


def number_words(text: str) -> Iterator[str]:
    """Yield the values of numbers that a text writes as words: "three" is 3."""
    for found in _NUMBER_WORD.finditer(text[:MAX_TEXT]):
        yield str(_WORDS.index(found.group().lower()))


def _quotations(text: str) -> Iterator[tuple[Name, str]]:
    if '"' in text or "\u201c" in text:
        for found in _QUOTED.finditer(text):
            quoted = " ".join((found[1] or found[2]).split())
            yield Name("quoted", quoted.casefold()), quoted


def _wordy_name(found: re.Match[str]) -> Name:
    text = found.group()
    match found.lastgroup:
        case "date":
            return Name("date", _date(text))
        case "error":
            return Name("error", text)
        case _:
            of = "HTTP" if text.startswith("HTTP") else "CODE"
            return Name("code", f"{of} {text[-_digits_at_end(text) :]}")


def number_in_code(name: Name) -> Name | None:
    """Return the number that a code such as HTTP 503 ends in: records often hold it bare."""
    digits = _digits_at_end(name.value)
    return Name("number", _value(name.value[-digits:])) if name.kind == "code" and digits else None


def _digits_at_end(text: str) -> int:
    return len(text) - len(text.rstrip("0123456789"))


@lru_cache(maxsize=10_000)
def _is_unit(token: str) -> bool:
    return _UNITS.fullmatch(token.rstrip(_TAIL)) is not None


@lru_cache(maxsize=100_000)
def _mentions(token: str) -> tuple[tuple[Name, str], ...]:
    """Return the facts in a text without blanks; the same tokens come again and again."""
    token = _DATE_WITH_TIME.sub(r"\1 \2", token)
    return tuple(
        (_name(found.lastgroup or "", found.group()), found.group().rstrip(_TAIL))
        for found in _FACT.finditer(token)
    )


def _name(kind: str, spelling: str) -> Name:
    match kind:
        case "date" | "id" | "code":
            return Name(kind, spelling)
        case "time":
            return Name("time", spelling.replace(",", "."))
        case "url" | "path":
            return Name(kind, spelling.rstrip(_TAIL))
        case "email":
            return Name("email", spelling.rstrip(_TAIL).casefold())
        case _:
            return Name("number", _value(spelling))


def _value(spelling: str) -> str:
    found = _VALUE.search(spelling)
    if found is None:
        return spelling
    whole = _GROUPING.sub("", found["whole"]).lstrip("0") or "0"
    fraction = (found["fraction"] or "").rstrip("0")
    sign = "-" if spelling.lstrip("$€£").startswith(("-", "\u2212")) else ""
    exponent = (found["exponent"] or "").lower()
    return f"{sign}{whole}.{fraction}{exponent}" if fraction else f"{sign}{whole}{exponent}"


def _date(spelling: str) -> str:
    """Return year-month-day where the order is certain, else the text as it stands."""
    month = _MONTH.search(spelling)
    if not month:
        return spelling
    numbers = re.findall(r"\d+", spelling)
    day, year = sorted(numbers, key=len)
    return f"{year}-{_MONTHS.index(month[1].lower()) + 1:02}-{int(day):02}"


_TAIL: Final = ".,;:!?'\""
_MONTHS: Final = (
    *("jan", "feb", "mar", "apr", "may", "jun"),
    *("jul", "aug", "sep", "oct", "nov", "dec"),
)
_WORDS: Final = (
    *("zero", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
_NUMBER_WORD: Final = re.compile(rf"\b(?:{'|'.join(_WORDS)})\b", re.IGNORECASE)
_MONTH_NAMES: Final = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}"
_MONTH: Final = re.compile(r"(?i)(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)")
_FILE_ENDINGS: Final = (
    "bag|c|cfg|conf|cpp|css|csv|db|go|gz|h|html|ini|java|jpg|js|json|log|mcap|md|parquet|pdf|png"
    "|py|rs|sh|sql|toml|ts|txt|xml|yaml|yml|zip"
)
_UNIT: Final = (
    r"%|°[CF]?|ns|[µum]s|s|secs?|seconds?|mins?|minutes?|h|hrs?|hours?|days?|weeks?|months?|years?"
    r"|EUR|USD|GBP|CHF|JPY|€|£|B|bytes?|[KMGTk]i?B|[kMG]?Hz|[kM]?W|[mk]?V|m?A|bar|psi|[kM]?Pa"
    r"|[cmk]?m|[mk]?g|tokens?|rows?|px|rpm|dB|fps"
)
_UNITS: Final = re.compile(_UNIT)
_ERROR_ENDINGS: Final = ("Error", "Exception", "Timeout", "Failure", "Fault")
_MAX_TOKEN: Final = 1_024
_FACT: Final = re.compile(
    "(?<![A-Za-z0-9_])(?:"
    r"(?P<url>[a-z][a-z0-9+.-]{1,15}://[^\s<>\"'`\])}|\\]+)"
    r"|(?P<email>[A-Za-z0-9.+-][\w.+-]{0,63}@[\w-]{1,63}(?:\.[\w-]{1,63})+)"
    r"|(?P<date>\d{4}-\d\d-\d\d(?!\d)|\d{1,2}[./]\d{1,2}[./]\d{4}(?!\d))"
    r"|(?P<time>\d{1,2}:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?(?![\w:]))"
    r"|(?P<path>(?:~|\.{1,2})?/[\w.@%+-]{1,255}(?:/[\w.@%+-]{1,255})+/?"
    r"|[A-Za-z]:\\[^\s\"'<>|]{1,255}"
    rf"|[\w-]{{1,64}}(?:[./][\w-]{{1,64}}){{0,16}}\.(?:{_FILE_ENDINGS})(?![\w-]))"
    r"|(?P<id>[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"
    r"|[A-Za-z]{1,16}(?:[_-][A-Za-z0-9]{1,32}){0,6}[_-][A-Za-z]{0,32}\d[A-Za-z0-9]{0,64}(?![A-Za-z])"
    r"|\d{2,16}-[A-Z]{2,}[A-Z0-9-]{0,32}|\#\d{2,12}(?!\w)|v?\d{1,5}(?:\.\d{1,5}){2,5}(?!\w)"
    r"|(?=[a-z]{0,40}\d)(?=\d{0,40}[a-z])[a-z0-9]{8,64}(?!\w))"
    r"|(?P<code>[A-Z][A-Z0-9]{0,32}(?:_[A-Z0-9]{1,32})+(?!\w)|(?:ERR|E)-?\d{2,5}(?!\w))"
    r"|(?P<number>(?<!\.)[$€£]?[-+\u2212]?(?:\d{1,3}(?:[,'\u00a0\u202f]\d{3})+|\d{1,40})"
    rf"(?:\.\d{{1,40}})?(?:[eE][+-]?\d{{1,4}})?(?:{_UNIT})?(?![A-Za-z0-9_]|\.\d))"
    ")"
)
# Facts that blanks divide.
_SEVERAL_WORDS: Final = (
    *("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
    *("HTTP", "ode ", "ode=", "ode:", "rrno", *_ERROR_ENDINGS),
)
_WORDY: Final = re.compile(
    r"(?<!\w)(?:"
    rf"(?P<date>\d{{1,2}}\.? {_MONTH_NAMES} \d{{4}}|{_MONTH_NAMES} \d{{1,2}},? \d{{4}})"
    r"|(?P<code>HTTP[ -]\d{3}|(?i:exit code|error code|errno|code)[ =:#]{1,3}-?\d{1,6})"
    rf"|(?P<error>[A-Z][A-Za-z0-9]{{1,64}}?(?:{'|'.join(_ERROR_ENDINGS)})))(?![\w-])"
)
_ESCAPE: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_DATE_WITH_TIME: Final = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:)")
_VALUE: Final = re.compile(
    r"(?P<whole>\d[\d,'\u00a0\u202f]*)(?:\.(?P<fraction>\d+))?(?P<exponent>[eE][+-]?\d+)?"
)
_GROUPING: Final = re.compile(r"[,'\u00a0\u202f]")
_LIST_NUMBER: Final = re.compile(r"^[ \t]*\d{1,3}[.)][ \t]", re.MULTILINE)
_QUOTED: Final = re.compile(r"\"([^\"\n]{3,80})\"|\u201c([^\u201d\n]{3,80})\u201d")
