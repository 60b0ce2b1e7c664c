"""Checks of options, which become the dictionaries that engines read."""
from __future__ import annotations

import math
import operator
import os
from typing import Any, Dict, Iterable, Optional, Tuple

import numpy as np

from ._errors import make_error, refuse

_vulkan_pid: Optional[int] = None

#: Magnitudes from which and up to which a double rounds to infinity and to 0 as float32.
_BECOMES_INFINITE = (2 - 2.0**-24) * 2.0**127
_BECOMES_ZERO = 2.0**-150

#: Words of scipy.ndimage and numpy.pad for boundaries. Theirs do not agree on "reflect" and "mirror", so that none is
#: accepted as an alias.
_BOUNDARIES = {"reflect": "mirror", "symmetric": "mirror", "constant": "zero", "nearest": "clamp", "edge": "clamp"}


def index(value: Any, name: str) -> int:
    """An integer: of Python, of NumPy, or another type with __index__. Floats are refused."""
    try:
        return operator.index(value)
    except TypeError:
        raise refuse(name, f"is {value!r}, expected an integer") from None


def indices(values: Iterable[Any], name: str, count: int, expected: str) -> Tuple[int, ...]:
    """A given number of integers."""
    try:
        numbers = tuple(operator.index(value) for value in values)
    except TypeError:
        numbers = ()
    if len(numbers) != count:
        raise refuse(name, f"is {values!r}, expected {expected}")
    return numbers


def shape_of(values: Iterable[Any]) -> Tuple[int, ...]:
    """The shape of an image or a stack."""
    try:
        return tuple(operator.index(value) for value in values)
    except TypeError:
        raise refuse("shape", f"is {values!r}, expected 2 to 4 integers") from None


def number(value: Any, name: str, expected: str = "a number") -> float:
    """A number that the library can hold: in float32, a large one must not become infinite or a small one 0."""
    try:
        result = float(value)
    except (TypeError, ValueError, OverflowError):
        raise refuse(name, f"is {value!r}, expected {expected}") from None
    size = abs(result)
    if _BECOMES_INFINITE <= size < math.inf:
        raise refuse(name, f"is {value!r}, above the largest float32, 3.4e38")
    if 0 < size <= _BECOMES_ZERO:
        raise refuse(name, f"is {value!r}, which float32 cannot tell from 0")
    return result


def use_vulkan(name: str) -> None:
    """Refuses Vulkan in a child of a process that has used it: drivers wait there for threads that do not exist."""
    global _vulkan_pid
    if _vulkan_pid is None:
        _vulkan_pid = os.getpid()
    if _vulkan_pid != os.getpid():
        raise make_error(
            "unsupported",
            "cannot use Vulkan: this process is a fork of one that has used it; use "
            'engine="cpu", or start processes by multiprocessing.get_context("spawn")',
            argument=name,
        )


def call(engine: str, threads: Optional[int], **values: Any) -> Dict[str, Any]:
    """The options of a call."""
    if not isinstance(engine, str):
        raise refuse("engine", f"is {engine!r}, expected a string")
    if engine.startswith("vulkan"):
        use_vulkan("engine")
    for name, value in values.items():
        if isinstance(value, (float, np.floating)):
            values[name] = number(value, name)
        elif name == "boundary" and isinstance(value, str) and value in _BOUNDARIES:
            other = _BOUNDARIES[value]
            note = " (with the edge texel repeated)" if other == "mirror" else ""
            raise refuse(name, f"is {value!r}, a word of SciPy or NumPy; here it is {other!r}{note}")
    values["engine"] = "cpu" if engine == "auto" else engine
    values["threads"] = threads
    return values


def key(options: Dict[str, Any]) -> Tuple[Any, ...]:
    """A hashable key of a dictionary of options."""
    return tuple(options.items())
