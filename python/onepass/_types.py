"""Types of arguments and results: for type checkers in full, for help() in plain words."""
from __future__ import annotations

import inspect
import os
import re
from typing import Any, BinaryIO, Callable, Dict, Optional, Protocol, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from typing import Literal

Array = npt.NDArray[Any]
ComplexArray = npt.NDArray[np.complex64]
FloatArray = npt.NDArray[np.float32]


class _HasArray(Protocol):
    def __array__(self) -> Array: ...


class _HasInterface(Protocol):
    @property
    def __array_interface__(self) -> Dict[str, Any]: ...


class _HasDlpack(Protocol):
    def __dlpack__(self) -> Any: ...

    def __dlpack_device__(self) -> Tuple[Any, int]: ...


_Number = Union[float, complex]

#: Whatever numpy.asarray() takes as numbers, and objects with DLPack.
ArrayLike = Union[Array, _HasArray, _HasInterface, _HasDlpack, memoryview, Sequence[Sequence[_Number]],
                  Sequence[Sequence[Sequence[_Number]]], Sequence[Sequence[Sequence[Sequence[_Number]]]]]
DTypeLike = npt.DTypeLike
Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
Readable = Union[Path, bytearray, memoryview, BinaryIO]
Progress = Callable[[float], Optional[bool]]
Changed = Union[Tuple[slice, slice], Tuple[int, int, int, int]]

Alpha = Literal["independent", "weighted", "coverage"]
AlphaPolicy = Literal["filter", "pass"]
Association = Literal["straight", "premultiplied"]
Band = Literal["low", "high", "band", "stop", "all"]
BloomMethod = Literal["convolution", "mip_chain"]
Boundary = Literal["zero", "wrap", "clamp", "mirror"]
Color = Literal["linear", "srgb"]
ConvolutionMode = Literal["same", "full", "valid"]
CorrelationKind = Literal["phase", "cross"]
DeconvolutionEdges = Literal["auto", "unknown", "mirror", "taper", "wrap"]
DeconvolutionMethod = Literal["wiener", "richardson_lucy"]
DeconvolutionStart = Literal["image", "constant"]
ExposureRule = Literal["key", "saturation"]
ExrCompression = Literal["zip", "zips", "piz", "rle", "none"]
FileColor = Literal["auto", "srgb", "linear"]
FilterDc = Literal["filter", "keep", "remove"]
FilterDomain = Literal["linear", "logarithm"]
FilterShape = Literal["ideal", "butterworth", "gaussian"]
Footprint = Literal["covering", "aligned", "edge", "tight", "ceil"]
KernelChannels = Literal["shared", "per_channel"]
KernelScale = Literal["none", "unit_sum", "unit_sum_per_channel"]
Look = Literal["none", "golden", "punchy"]
Metering = Literal["average", "centre_weighted", "spot", "mask"]
Norm = Literal["backward", "ortho", "forward"]
Operator = Literal["exposure", "reinhard", "reinhard_extended", "reinhard_luminance", "hable", "hejl_burgess_dawson",
                   "aces_narkowicz", "aces_hill", "agx_sobotka", "agx_blender", "pbr_neutral", "lottes", "uchimura",
                   "drago"]
PrimariesName = Literal["rec709", "rec2020", "display_p3", "acescg", "aces2065", "xyz"]
Primaries = Union[PrimariesName, Sequence[float]]
Prior = Literal["flat", "laplacian"]
Reduction = Literal["mean", "min", "max", "min_max", "mode"]
Refinement = Literal["fourier", "parabola", "none"]
Resolution = Literal["full", "half"]
Statistic = Literal["log_average", "mean", "percentiles"]
TileCompression = Literal["auto", "none", "jpeg", "deflate", "zstd", "lzw"]
TileFormat = Literal["auto", "jpeg", "png", "webp"]
TileReduction = Literal["min", "max", "mean", "min_max"]
TilesReduction = Literal["mean", "min", "max", "mode"]
TonePrimaries = Literal["rec709", "rec2020"]
Transfer = Literal["srgb", "linear", "gamma", "pq", "hlg"]
Weights = Literal["rec709", "rec2020", "acescg"]
Window = Literal["data", "display"]
WindowFunction = Literal["hann", "none"]

_PLAIN = {"Array": "ndarray", "ComplexArray": "ndarray", "FloatArray": "ndarray", "ArrayLike": "array_like",
          "DTypeLike": "dtype", "Path": "path", "Readable": "path, bytes or file", "Progress": "function",
          "Changed": "slices", "Primaries": "str or 8 numbers", "BinaryIO": "file", "Any": "object"}
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
    while (shorter := re.sub(r"Optional\[([^\[\]]*(?:\[[^\[\]]*\])*[^\[\]]*)\]", r"\1 or None", text)) != text:
        text = shorter
    return _Plain(re.sub(r"Union\[(.*)\]", lambda types: types[1].replace(", ", " or "), text))


def plain_help(function: Callable[..., Any]) -> None:
    """Makes help() show plain types; __annotations__ stay."""
    signature = inspect.signature(function)
    parameters = [parameter.replace(annotation=_plain(parameter.annotation))
                  if parameter.annotation is not parameter.empty else parameter
                  for parameter in signature.parameters.values()]
    result = signature.return_annotation
    if result is not inspect.Signature.empty:
        result = _plain(result)
    function.__signature__ = inspect.Signature(parameters, return_annotation=result)  # type: ignore[attr-defined]
