"""Field types and the base of the inputs of search capabilities, with the limits of the specification."""

from __future__ import annotations

import re
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, ConfigDict, Field

from ...kernel.models import FrozenModel, Text
from ...parsing.url.urls import JudgedUrl, judge_url
from ..arguments import Question

__all__ = [
    "ALIASES",
    "Claim",
    "Country",
    "Domain",
    "Language",
    "LensName",
    "Phrase",
    "Safe",
    "SearchInput",
    "SearchQuery",
    "provider_name",
]

_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_COUNTRY: Final = re.compile(r"[A-Za-z]{2}")
_LANGUAGE: Final = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,2}")
_DOMAIN: Final = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}")
_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,39}")
ALIASES: Final = {"google": "google_cse", "ddg": "duckduckgo", "hn": "hackernews", "s2": "semanticscholar"}
"""Names that the specification or people use for providers, beside those of the catalogue."""


def _one_line(text: str) -> str:
    if _CONTROL.search(text):
        raise ValueError("contains control characters")
    return text


def _country(text: str) -> str:
    if _COUNTRY.fullmatch(text) is None:
        raise ValueError("is not a country code of two letters (ISO 3166-1)")
    return text.lower()


def _language(text: str) -> str:
    if _LANGUAGE.fullmatch(text) is None:
        raise ValueError("is not a language code such as `en` or `pt-BR`")
    return text.lower()


def _domain(text: str) -> str:
    """A domain; the address of its front page says the same."""
    name = text.strip().lower().rstrip("/").rstrip(".")
    name = re.sub(r"^https?://", "", name).removeprefix("*.")
    if len(name) > 253 or _DOMAIN.fullmatch(name) is None or not isinstance(judge_url(f"https://{name}"), JudgedUrl):
        raise ValueError("is not a public domain such as example.org")
    return name


def _phrase(text: str) -> str:
    if not text.strip() or '"' in text:
        raise ValueError("is empty or holds quotation marks")
    return text.strip()


SearchQuery = Annotated[Question, AfterValidator(_one_line)]
Country = Annotated[Text, AfterValidator(_country)]
Language = Annotated[Text, AfterValidator(_language)]
Domain = Annotated[Text, Field(max_length=300), AfterValidator(_domain)]
Phrase = Annotated[Text, Field(max_length=300), AfterValidator(_one_line), AfterValidator(_phrase)]
Claim = Annotated[Text, Field(max_length=1_000), AfterValidator(_one_line)]
LensName = Annotated[Text, Field(min_length=1, max_length=100), AfterValidator(_one_line)]
Safe = Literal["off", "medium", "high"]


class SearchInput(FrozenModel):
    """What every search takes."""

    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True)

    query: SearchQuery
    provider: Annotated[Text | None, Field(min_length=1, max_length=100)] = None
    """The only provider to ask: there is no fallback."""
    session_id: Annotated[Text | None, Field(alias="sessionId", max_length=200)] = None
    """Reserved for research trails."""


def provider_name(given: str | None) -> str | None:
    """The name in the catalogue's spelling; `unknown` for what cannot be one."""
    if given is None:
        return None
    name = given.strip().lower().replace("-", "_").replace(" ", "_")
    name = ALIASES.get(name, name)
    return name if _NAME.fullmatch(name) else "unknown"
