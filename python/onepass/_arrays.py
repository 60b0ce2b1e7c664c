"""Conversion of arguments to arrays that the library reads and writes in place."""
from __future__ import annotations

import os
import threading
from typing import Any, Callable, Optional, Sequence, Tuple

import numpy as np

from ._errors import refuse
from ._types import Array

#: dtype characters of images.
IMAGE_TYPES = "BHef"
#: dtype characters of labels.
LABEL_TYPES = "BHI"

_lock = threading.Lock()
_copied_bytes = 0


def count_copy(nbytes: int) -> None:
    """Adds to the bytes that copied_bytes() returns."""
    global _copied_bytes
    if nbytes:
        with _lock:
            _copied_bytes += nbytes


def _forget() -> None:
    global _lock
    _lock = threading.Lock()  # another thread of the parent may have held it


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def copied_bytes() -> int:
    """Bytes that the process has copied so far because an argument could not be read or written in place.

    >>> import numpy as np, onepass
    >>> a = np.zeros((64, 64, 4), np.uint8)
    >>> before = onepass.copied_bytes()
    >>> levels = onepass.mips(a)
    >>> onepass.copied_bytes() - before
    0
    """
    return _copied_bytes


def known(dtype: "np.dtype[Any]") -> "np.dtype[Any]":
    """A dtype with the character of LABEL_TYPES: uint32 is "L" on Windows, where C's unsigned long has 32 bits."""
    return np.dtype("I") if dtype.char == "L" and dtype.itemsize == 4 and dtype.isnative else dtype


def _known_array(a: Array) -> Array:
    dtype = a.dtype
    if dtype.char != "L" or known(dtype) is dtype:
        return a
    return a.view(known(dtype))


def as_array(value: Any, name: str) -> Array:
    """The array behind an object with the array interface, the buffer protocol or DLPack; sequences are converted."""
    return _known_array(_as_array(value, name))


def _as_array(value: Any, name: str) -> Array:
    if type(value) is np.ndarray:
        return value
    try:
        if hasattr(value, "__dlpack__") and not isinstance(value, np.ndarray) and not hasattr(value, "__array__"):
            if not hasattr(np, "from_dlpack"):
                raise TypeError(f"DLPack needs NumPy 1.22 or later, this is {np.__version__}")
            return np.from_dlpack(value)
        if isinstance(value, np.ma.MaskedArray):
            raise refuse(name, "is a masked array; onepass has no masks")
        return np.asarray(value)
    except ValueError:
        raise
    except Exception as error:
        raise refuse(name, f"is not an array: {error}") from None


def typed(a: Array, name: str, types: str, others: str = "") -> Array:
    """`a` with one of the dtypes `types` in native byte order. float64 becomes float32, complex128 complex64, and the
    kinds `others` become float32 with their values."""
    dtype = a.dtype
    if dtype.char in types and dtype.isnative:
        return a
    char = {"d": "f", "g": "f", "D": "F", "G": "F"}.get(dtype.char, dtype.char)
    if char == "L" and dtype.itemsize == 4:
        char = "I"
    if char not in types and dtype.kind in others:
        char = "f"
    if char not in types:
        known = ", ".join(np.dtype(c).name for c in types) + (" or float64" if "f" in types else "")
        hint = "; .astype(np.float32) converts numbers" if dtype.kind in "iub" and "f" in types else ""
        raise refuse(name, f"has dtype {dtype.name}, expected {known}{hint}")
    count_copy(a.nbytes)
    return a.astype(np.dtype(char), order="C")


def in_place(a: Array) -> bool:
    """Whether texels are contiguous and rows and images lie in ascending order without overlap."""
    if a.flags.c_contiguous:
        return a.flags.aligned
    if not a.flags.aligned or a.size == 0:
        return False
    shape, strides, item = a.shape, a.strides, a.itemsize
    ndim = len(shape)
    channels = shape[-1] if ndim > 2 else 1
    if channels > 1 and strides[-1] != item:
        return False
    x = 1 if ndim < 4 else 2
    row = channels * item * shape[x]
    if shape[x] > 1 and strides[x] != channels * item:
        return False
    step = strides[x - 1] if shape[x - 1] > 1 else row
    if step < row or step % item:
        return False
    if ndim == 4 and shape[0] > 1:
        return strides[0] >= (shape[1] - 1) * step + row and strides[0] % item == 0
    return True


def readable(a: Array) -> Array:
    """`a`, or a copy if the library cannot read it in place."""
    if in_place(a):
        return a
    count_copy(a.nbytes)
    return np.array(a, order="C")


def image(value: Any, name: str, types: str = IMAGE_TYPES, others: str = "") -> Array:
    """An argument as an image (H, W), (H, W, C) or a stack (N, H, W, C) that can be read in place."""
    a = as_array(value, name)
    shape = a.shape
    if not 2 <= len(shape) <= 4:
        raise refuse(name, f"has {len(shape)} dimensions; images are (H, W), (H, W, C) or (N, H, W, C)")
    if a.size == 0:
        raise refuse(name, f"is empty: its shape is {shape}")
    if len(shape) > 2 and not 1 <= shape[-1] <= 4:
        hint = "; a stack of grey images is a[..., np.newaxis]" if len(shape) == 3 else ""
        raise refuse(name, f"has {shape[-1]} channels; images have 1 to 4 (last axis of {shape}){hint}")
    return readable(typed(a, name, types, others))


class Codes:
    """Unsigned integers in the order of the integers of another dtype, which the library does not know.

    Signed integers of up to 32 bits have their highest bit inverted, booleans are 0 and 1. Labels of 64 bits are
    numbered by value, unless all fit in 32 bits.
    """

    _UNSIGNED = {"?": "B", "b": "B", "h": "H", "i": "I", "l": "I", "q": "I", "L": "I", "Q": "I"}

    def __init__(self, dtype: "np.dtype[Any]") -> None:
        self.dtype = dtype
        self.code = np.dtype(self._UNSIGNED[dtype.char])
        self._wide = dtype.itemsize == 8
        self._flip = 1 << (8 * dtype.itemsize - 1) if dtype.kind == "i" and not self._wide else 0
        self._values: Optional[Array] = None

    @staticmethod
    def of(dtype: Any, reduction: str) -> "Optional[Codes]":
        """None for a dtype that the library knows, and for one that cannot be reduced so."""
        dtype = np.dtype(dtype).newbyteorder("=")
        labels = reduction == "mode" and dtype.char in "?bhilqLQ" and not (dtype.char == "L" and dtype.itemsize == 4)
        kept = dtype.char == "?" and reduction in ("min", "max", "min_max")
        return Codes(dtype) if labels or kept or dtype.char in "bh" else None

    def encode(self, a: Array) -> Array:
        """A new array of codes."""
        count_copy(a.nbytes)
        a = np.ascontiguousarray(a, self.dtype)
        if not self._wide:
            return np.asarray(a.view(self.code) ^ self.code.type(self._flip))
        self._values = None
        if a.min() >= 0 and a.max() < 1 << 32:
            return a.astype(self.code)
        self._values, codes = np.unique(a, return_inverse=True)
        return codes.reshape(a.shape).astype(self.code)

    def decode(self, codes: Array) -> Array:
        """The array of values; codes of the same width are changed in place."""
        if not self._wide:
            codes ^= self.code.type(self._flip)
            return codes.view(self.dtype)
        return codes.astype(self.dtype) if self._values is None else self._values[codes]


class Output:
    """An array to write to: `given`, or a new one, or a temporary that finish() copies to `given`."""

    __slots__ = ("result", "array", "copies")

    def __init__(
        self,
        given: Optional[Array],
        shape: Tuple[int, ...],
        dtype: Any,
        name: str = "out",
        sources: Sequence[Array] = (),
        packed: bool = False,
    ) -> None:
        self.copies = False
        if given is None:
            self.result = self.array = np.empty(shape, dtype)
            return
        if not isinstance(given, np.ndarray):
            raise refuse(name, f"is a {type(given).__name__}, expected a NumPy array")
        if given.shape != shape or given.dtype != dtype and given.dtype.newbyteorder("=") != dtype:
            raise refuse(
                name, f"has shape {given.shape} and dtype {given.dtype}, expected {shape} and " f"{np.dtype(dtype)}"
            )
        if not given.flags.writeable:
            raise refuse(name, "is read-only")
        self.result = self.array = given
        fits = given.flags.c_contiguous and given.flags.aligned if packed else in_place(given)
        if fits and given.dtype.isnative:
            for source in sources:
                if np.may_share_memory(given, source):
                    break
            else:
                self.array = _known_array(given)
                return
        self.array = np.empty(shape, np.dtype(dtype).newbyteorder("="))
        self.copies = True

    def finish(self) -> Array:
        """The array of the caller, complete."""
        if self.copies:
            count_copy(self.array.nbytes)
            self.result[...] = self.array
        return self.result


def image_shape(a: Array) -> Tuple[int, int, int, int]:
    """(N, H, W, C) of an image or a stack."""
    shape = a.shape
    if len(shape) == 2:
        return (1, shape[0], shape[1], 1)
    if len(shape) == 3:
        return (1, shape[0], shape[1], shape[2])
    return shape  # type: ignore[return-value]


def like(shape4: Sequence[int], ndim: int) -> Tuple[int, ...]:
    """(N, H, W, C) with the number of dimensions of the argument; channels are kept if there are several."""
    n, h, w, c = shape4
    if ndim == 4:
        return (n, h, w, c)
    if ndim == 3 or c > 1:
        return (h, w, c)
    return (h, w)
