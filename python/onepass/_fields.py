"""Options of Python as fields of the library's structs. Every failure names the argument."""
from __future__ import annotations

import ctypes
import operator
from typing import Any, Container, Dict, List, Optional, Sequence, Tuple

from ._errors import refuse

_RANGES: Dict[Any, Tuple[int, int]] = {
    ctypes.c_uint32: (0, (1 << 32) - 1),
    ctypes.c_int32: (-(1 << 31), (1 << 31) - 1),
    ctypes.c_uint64: (0, (1 << 63) - 1),
}
_types: Dict[Any, Dict[str, Any]] = {}


def shown(value: Any) -> str:
    """A value in a message."""
    try:
        result = repr(value)
    except Exception:
        return "a value"
    return result if len(result) <= 60 else result[:57] + "..."


def integer(value: Any, name: str, kind: Any) -> int:
    """An integer in the range of a type of ctypes."""
    try:
        number = operator.index(value)
    except Exception:
        raise refuse(name, f"is {shown(value)}, expected an integer") from None
    low, high = _RANGES[kind]
    if not low <= number <= high:
        raise refuse(name, f"is {shown(value)}, expected {low} to {high}")
    return number


def flag(value: Any, name: str) -> int:
    """0 or 1."""
    try:
        return 1 if value else 0
    except Exception:
        raise refuse(name, f"is {shown(value)}, expected True or False") from None


def text(value: Any, name: str) -> bytes:
    """A text or a path, which need not be text."""
    if isinstance(value, str):
        try:
            value = value.encode()
        except UnicodeError:
            raise refuse(name, "is not valid Unicode") from None
    if not isinstance(value, bytes):
        raise refuse(name, f"is {shown(value)}, expected a string")
    if b"\0" in value:
        raise refuse(name, "contains a null character")
    return value


def word(value: Any, name: str, words: Dict[str, int], without: Container[str] = ()) -> int:
    """The number of a word."""
    if not isinstance(value, str):
        raise refuse(name, f"is {shown(value)}, expected a string")
    number = words.get(value)
    if number is None or value in without:
        known = ", ".join(f"'{known}'" for known in words if known not in without)
        raise refuse(name, f"is '{value}', expected one of {known}")
    return number


def floats(values: Any, count: int, name: str) -> List[float]:
    """A sequence of exactly `count` numbers."""
    try:
        numbers = list(values)
        for number in numbers:
            ctypes.c_float(number)  # refuses what is no number, texts among it
    except Exception:
        numbers = []
    if len(numbers) != count:
        raise refuse(name, f"is {shown(values)}, expected {count} numbers")
    return [float(number) for number in numbers]


def assign(
    struct: Any, values: Dict[str, Any], names: Optional[Dict[str, str]] = None, flags: Sequence[str] = ()
) -> None:
    """Assigns options to the fields of a struct; None leaves the default.

    `names`: fields that have another name than the option. `flags`: options that are true or false.
    """
    types = _types.get(type(struct))
    if types is None:
        types = _types[type(struct)] = dict(type(struct)._fields_)
    words = getattr(struct, "WORDS", {})
    for name, value in values.items():
        if value is None:
            continue
        field = names.get(name, name) if names else name
        if field not in types:
            raise refuse("options", f"contain a name that is not known: {name}")
        if name in flags:
            value = flag(value, name)
        elif field in words:
            value = word(value, name, words[field])
        elif types[field] in _RANGES:
            value = integer(value, name, types[field])
        elif types[field] is ctypes.c_char_p:
            value = text(value, name)
        try:
            setattr(struct, field, value)
        except (TypeError, ValueError, OverflowError):
            raise refuse(name, f"is {shown(value)}, expected a number") from None
