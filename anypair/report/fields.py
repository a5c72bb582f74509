"""Typed access to the fields of JSON from anywhere: each wrong one is named with its value."""

import math
from collections.abc import Mapping
from typing import Any

_REQUIRED: Any = object()


class NotOurs(Exception):
    """A file that is no result or trace, with the reason."""


class Fields:
    """The fields of a JSON object.

    >>> Fields({"scale": "ten"}).count("scale")
    Traceback (most recent call last):
    ...
    anypair.report.fields.NotOurs: the field 'scale' is 'ten', not a whole number of 0 or more
    """

    def __init__(self, content: Any) -> None:
        if not isinstance(content, Mapping):
            raise NotOurs(f"holds {_short(content)} where an object with fields has to be")
        self._content = content

    def count(self, name: str, default: int = _REQUIRED) -> int:
        """A whole number, not negative."""
        value = self._get(name, default)
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise self._wrong(name, "a whole number of 0 or more")
        return value

    def number(self, name: str, default: float = _REQUIRED) -> float:
        """A number, not negative."""
        value = self._get(name, default)
        if name in self._content and self._content[name] is not None and not _is_number(value):
            raise self._wrong(name, "a finite number of 0 or more")
        return float(value)

    def numbers(self, name: str) -> list[float]:
        """A list of numbers, not negative."""
        value = self._get(name, _REQUIRED)
        if not isinstance(value, list) or not all(map(_is_number, value)):
            raise self._wrong(name, "a list of finite numbers of 0 or more")
        return [float(number) for number in value]

    def text(self, name: str, default: str = _REQUIRED) -> str:
        """Words."""
        value = self._get(name, default)
        if not isinstance(value, str):
            raise self._wrong(name, "a text")
        return value

    def truth(self, name: str, default: bool = _REQUIRED) -> bool:
        """True or false."""
        value = self._get(name, default)
        if not isinstance(value, bool):
            raise self._wrong(name, "true or false")
        return value

    def mapping(self, name: str, default: Mapping[str, Any] = _REQUIRED) -> Mapping[str, Any]:
        """An object with fields."""
        value = self._get(name, default)
        if not isinstance(value, Mapping):
            raise self._wrong(name, "an object with fields")
        return value

    def objects(self, name: str) -> list[Any]:
        """A list."""
        value = self._get(name, _REQUIRED)
        if not isinstance(value, list):
            raise self._wrong(name, "a list")
        return value

    def _get(self, name: str, default: Any) -> Any:
        value = self._content.get(name)
        if value is not None:
            return value
        if default is _REQUIRED:
            raise NotOurs(f"has no field {name!r}")
        return default

    def _wrong(self, name: str, wanted: str) -> NotOurs:
        return NotOurs(f"the field {name!r} is {_short(self._content[name])}, not {wanted}")


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return math.isfinite(value) and value >= 0


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
