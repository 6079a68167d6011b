"""The page that documents the API, made from its OpenAPI document: no script, nothing from afar."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from ninja import NinjaAPI
from ninja.openapi.docs import DocsBase

OpenAPI = Mapping[str, Any]
_REFERENCE = "#/components/schemas/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A parameter, or a field of an answer. `type_` names its type, `of` the shape it leads to."""

    name: str
    type_: str
    of: str
    required: bool = False
    default: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of the API; `answer` names the shape of what it gives, "" for bytes or text."""

    method: str
    path: str
    description: str
    parameters: tuple[Field, ...]
    answer: str
    media_type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """An object that calls take or give."""

    name: str
    description: str
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DocsPage:
    """Everything the page shows."""

    openapi_url: str
    calls: tuple[Call, ...]
    shapes: tuple[Shape, ...]


class Docs(DocsBase):
    """A page of the site's own, with its theme, keyboard and content security policy."""

    def render_page(self, request: HttpRequest, api: NinjaAPI, **kwargs: Any) -> HttpResponse:
        """The page."""
        document = api.get_openapi_schema()
        page = DocsPage(
            openapi_url=self.get_openapi_url(api, kwargs),
            calls=tuple(_calls(document)),
            shapes=tuple(_shapes(document)),
        )
        return render(request, "api/docs.html", {"page": page})


def _calls(document: OpenAPI) -> Iterator[Call]:
    for path, methods in document["paths"].items():
        for method, call in methods.items():
            media_type, answer = _answer(call["responses"])
            yield Call(
                method=method.upper(),
                path=path,
                description=call.get("description", ""),
                parameters=tuple(map(_parameter, call.get("parameters", []))),
                answer=answer,
                media_type=media_type,
            )


def _answer(responses: OpenAPI) -> tuple[str, str]:
    """Media type and shape of the first answer that is no error."""
    content = next(iter(responses.values())).get("content", {})
    for media_type, body in content.items():
        return media_type, _shape_of(body.get("schema", {}))
    return "", ""


def _shapes(document: OpenAPI) -> Iterator[Shape]:
    for name, schema in sorted(document["components"]["schemas"].items()):
        required = schema.get("required", [])
        yield Shape(
            name=name,
            description=schema.get("description", ""),
            fields=tuple(
                _field(field, value, required=field in required)
                for field, value in schema.get("properties", {}).items()
            ),
        )


def _parameter(parameter: OpenAPI) -> Field:
    return _field(parameter["name"], parameter["schema"], required=bool(parameter["required"]))


def _field(name: str, schema: OpenAPI, *, required: bool) -> Field:
    default = schema.get("default")
    return Field(
        name=name,
        type_=_type(schema),
        of=_shape_of(schema),
        required=required,
        default="" if default in (None, "", []) else str(default),
    )


def _type(schema: OpenAPI) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).removeprefix(_REFERENCE)
    if "enum" in schema:
        return " | ".join(map(str, schema["enum"]))
    if "const" in schema:
        return str(schema["const"])
    options = schema.get("anyOf") or schema.get("oneOf")
    if options:
        return " | ".join(dict.fromkeys(map(_type, options)))
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    return str(schema.get("type", "any JSON"))


def _shape_of(schema: OpenAPI) -> str:
    """The one shape that a schema leads to; "" for none, or several."""
    if "$ref" in schema:
        return str(schema["$ref"]).removeprefix(_REFERENCE)
    if schema.get("type") == "array":
        return _shape_of(schema.get("items", {}))
    found = {_shape_of(option) for option in schema.get("anyOf", [])} - {""}
    return found.pop() if len(found) == 1 else ""
