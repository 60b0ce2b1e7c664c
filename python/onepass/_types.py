"""Types of arguments and results: for type checkers in full, for help() in plain words."""
from __future__ import annotations

import inspect
import os
import re
from typing import Any, BinaryIO, Callable, Dict, Optional, Protocol, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from typing import Literal

from ._words import *  # noqa: F403

Array = npt.NDArray[Any]
ComplexArray = npt.NDArray[np.complex64]
FloatArray = npt.NDArray[np.float32]


class _HasArray(Protocol):
    def __array__(self) -> Array:
        ...


class _HasInterface(Protocol):
    @property
    def __array_interface__(self) -> Dict[str, Any]:
        ...


class _HasDlpack(Protocol):
    def __dlpack__(self) -> Any:
        ...

    def __dlpack_device__(self) -> Tuple[Any, int]:
        ...


_Number = Union[float, complex]

#: Whatever numpy.asarray() takes as numbers, and objects with DLPack.
ArrayLike = Union[
    Array,
    _HasArray,
    _HasInterface,
    _HasDlpack,
    memoryview,
    Sequence[Sequence[_Number]],
    Sequence[Sequence[Sequence[_Number]]],
    Sequence[Sequence[Sequence[Sequence[_Number]]]],
]
DTypeLike = npt.DTypeLike
Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
Readable = Union[Path, bytearray, memoryview, BinaryIO]
Progress = Callable[[float], Optional[bool]]
Changed = Union[Tuple[slice, slice], Tuple[int, int, int, int]]

Association = Literal["straight", "premultiplied"]
Color = Literal["linear", "srgb"]
FileColor = Literal["auto", "srgb", "linear"]
PrimariesName = Literal["rec709", "rec2020", "display_p3", "acescg", "aces2065", "xyz"]
Primaries = Union[PrimariesName, Sequence[float]]
TileReduction = Literal["min", "max", "mean", "min_max"]
TilesReduction = Literal["mean", "min", "max", "mode"]
VolumeReduction = Literal["mean", "min", "max", "mode"]

_PLAIN = {
    "Array": "ndarray",
    "ComplexArray": "ndarray",
    "FloatArray": "ndarray",
    "ArrayLike": "array_like",
    "DTypeLike": "dtype",
    "Path": "path",
    "Readable": "path, bytes or file",
    "Progress": "function",
    "Changed": "slices",
    "Primaries": "str or 8 numbers",
    "BinaryIO": "file",
    "Any": "object",
}
_PLAIN.update({name: "str" for name, value in list(globals().items()) if getattr(value, "__origin__", None) is Literal})


class _Plain:
    """An annotation that help() shows as it is."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def _plain(annotation: Any) -> _Plain:
    text = str(annotation)
    text = re.sub(r"\b_types\.|\bnp\.", "", text)
    text = re.sub(r"\b\w+\b", lambda word: _PLAIN.get(word[0], word[0]), text)
    while (shorter := re.sub(r"Optional\[((?:[^\[\]]|\[(?:[^\[\]]|\[[^\[\]]*\])*\])*)\]", r"\1 or None", text)) != text:
        text = shorter
    return _Plain(re.sub(r"Union\[(.*)\]", lambda types: types[1].replace(", ", " or "), text))


def plain_help(function: Callable[..., Any]) -> None:
    """Makes help() show plain types; __annotations__ stay."""
    signature = inspect.signature(function)
    parameters = [
        parameter.replace(annotation=_plain(parameter.annotation))
        if parameter.annotation is not parameter.empty
        else parameter
        for parameter in signature.parameters.values()
    ]
    result = signature.return_annotation
    if result is not inspect.Signature.empty:
        result = _plain(result)
    function.__signature__ = inspect.Signature(parameters, return_annotation=result)  # type: ignore[attr-defined]
