"""Arrays as views of the library: images whose texels are contiguous, and whose rows and slices may be any distance apart."""
from __future__ import annotations

from ctypes import addressof, byref, c_char
from typing import Any, Optional, Sequence, Tuple

import numpy as np

from . import _c
from ._arrays import in_place
from ._errors import refuse
from ._types import Array

Shape = Tuple[int, int, int, int]

_byte: Any = c_char.from_buffer
_MOST_TEXELS = 1 << 30
_FORMATS = _c.ONEPASS_FORMAT
_LINEAR = {
    "B": ("R8_UNORM", "R8G8_UNORM", "R8G8B8_UNORM", "R8G8B8A8_UNORM"),
    "H": ("R16_UNORM", "R16G16_UNORM", "R16G16B16_UNORM", "R16G16B16A16_UNORM"),
    "e": ("R16_SFLOAT", "R16G16_SFLOAT", "R16G16B16_SFLOAT", "R16G16B16A16_SFLOAT"),
    "f": ("R32_SFLOAT", "R32G32_SFLOAT", "R32G32B32_SFLOAT", "R32G32B32A32_SFLOAT"),
}
_SRGB = ("R8_SRGB", "R8G8_SRGB", "R8G8B8_SRGB", "R8G8B8A8_SRGB")
_LABELS = {"B": "R8_UINT", "H": "R16_UINT", "I": "R32_UINT"}
_ITEMS = {"B": 1, "H": 2, "e": 2, "I": 4, "f": 4, "F": 8}
_OPAQUE = {"B": 255, "H": 65535, "e": 1, "f": 1}


class Layout:
    """The shape and type of an array as an image."""

    __slots__ = ("char", "slices", "height", "width", "channels", "shapes", "texel", "row", "slice")

    def __init__(self, char: str, slices: int, height: int, width: int, channels: int) -> None:
        self.char, self.slices, self.height, self.width, self.channels = char, slices, height, width, channels
        self.texel = _ITEMS[char] * channels
        self.row = self.texel * width
        self.slice = self.row * height
        # The shapes of arrays that are this image.
        self.shapes = [(slices, height, width, channels)]
        if slices == 1:
            self.shapes.append((height, width, channels))  # type: ignore[arg-type]
            if channels == 1:
                self.shapes.append((height, width))  # type: ignore[arg-type]

    @staticmethod
    def of(shape: Sequence[int], char: str, name: str) -> "Layout":
        """The layout of a shape of two to four dimensions. `name` is that of the argument, for errors."""
        if not 2 <= len(shape) <= 4:
            raise refuse(name, f"has {len(shape)} dimensions; images are (H, W), (H, W, C) or (N, H, W, C)")
        if char not in _ITEMS:
            raise refuse(name, f"has dtype character '{char}'")
        for n in shape:
            if n < 1:
                raise refuse(name, f"is empty: its shape contains {n}")
            if n > _MOST_TEXELS:
                raise refuse(name, f"dimension {n} is too large")
        first = len(shape) - 3 if len(shape) > 2 else 0
        channels = shape[-1] if len(shape) > 2 else 1
        if channels > 4:
            raise refuse(name, f"has {channels} channels; images have 1 to 4")
        return Layout(char, shape[0] if len(shape) == 4 else 1, shape[first], shape[first + 1], channels)

    def changed(self, char: str = "", height: int = 0, width: int = 0, channels: int = 0) -> "Layout":
        """The layout with other values."""
        height, width = height or self.height, width or self.width
        return Layout(char or self.char, self.slices, height, width, channels or self.channels)

    @property
    def shape(self) -> Shape:
        """(N, H, W, C)."""
        return (self.slices, self.height, self.width, self.channels)

    @property
    def size(self) -> _c.onepass_extent:
        """Width and height."""
        return _c.onepass_extent(self.width, self.height)

    def format(self, name: str, numbers: str = "linear", padded: bool = False) -> int:
        """The format of texels whose numbers are "linear", "srgb" or "labels". `padded`: that of four channels for
        three, which the options of engines name."""
        c = 3 if padded and self.channels == 3 else self.channels - 1
        if numbers == "labels":
            if c != 0 or self.char not in _LABELS:
                raise refuse(name, "must be uint8, uint16 or uint32 with one channel: labels")
            return _FORMATS[_LABELS[self.char]]
        if numbers == "srgb":
            if self.char != "B":
                raise refuse(name, "must be uint8 with color='srgb'")
            return _FORMATS[_SRGB[c]]
        if self.char == "F":
            if c > 1:
                raise refuse(name, "has more than two complex channels")
            return _FORMATS[_LINEAR["f"][2 * c + 1]]
        if self.char not in _LINEAR:
            raise refuse(name, "must be uint8, uint16, float16 or float32; uint32 holds labels only")
        return _FORMATS[_LINEAR[self.char][c]]

    def view(self, struct: Any, format_: int) -> Any:
        """A view of the library whose pixels point() sets."""
        return struct(None, format_, self.size, self.slices, self.row, self.slice)

    def point(self, view: Any, a: Any, name: str, writes: bool = False) -> None:
        """Lets a view point to the pixels of an array of this layout."""
        if type(a) is not np.ndarray:
            raise refuse(name, "must hold NumPy arrays")
        if a.shape not in self.shapes or a.dtype.char != self.char:
            raise refuse(name, f"is {a.shape} of type '{a.dtype.char}', expected {self.shape} of type '{self.char}'")
        flags = a.flags
        writeable = flags.writeable
        if writes and not writeable:
            raise refuse(name, "is read-only")
        if flags.c_contiguous and flags.aligned:
            view.row_stride, view.slice_stride = self.row, self.slice
            # Where NumPy gives the buffer away, this is twice as fast as a.ctypes.
            view.data = addressof(_byte(a)) if writeable else a.ctypes.data
            return
        if not in_place(a):
            raise refuse(name, "has strides that need a copy")
        strides, y = a.strides, 1 if a.ndim == 4 else 0
        view.row_stride = row = strides[y] if self.height > 1 else self.row
        view.slice_stride = strides[0] if a.ndim == 4 and self.slices > 1 else row * (self.height - 1) + self.row
        view.data = a.ctypes.data


def _copy_colours(to: Array, of: Array) -> None:
    """Copies three channels of (N, H, W, C), one after the other in rows that stay in the cache."""
    step = max(1, (1 << 16) // to.shape[2])
    for y in range(0, to.shape[1], step):
        for c in range(3):
            to[:, y : y + step, :, c] = of[:, y : y + step, :, c]


class Pixels:
    """The view of one argument of an engine. Arrays of three channels are copied to and from one with four, if the
    engine does not take three; the copy stays for the next call."""

    __slots__ = ("view", "ref", "layout", "name", "_copy", "_wide")

    def __init__(self, layout: Layout, format_: int, name: str, writes: bool, view: Any = None) -> None:
        """`format_`: that of the engine's options. `view`: the struct to use, an element of an array of views."""
        struct = _c.onepass_mutable_image_view if writes else _c.onepass_image_view
        self.layout, self.name = layout, name
        self._copy: Optional[Array] = None
        self._wide = layout
        made = layout.view(struct, format_)
        if view is not None:
            for field in ("format", "size", "slices", "row_stride", "slice_stride"):
                setattr(view, field, getattr(made, field))
            made = view
        self.view = made
        self.ref = byref(made)

    def pads(self) -> "Pixels":
        """Makes copies with four channels, if the layout has three."""
        if self.layout.channels == 3:
            self._wide = self.layout.changed(channels=4)
        return self

    def takes(self, numbers: str) -> "Pixels":
        """The engine takes views of three channels."""
        self.view.format = self.layout.format(self.name, numbers)
        return self

    def read(self, a: Array) -> int:
        """Prepares reading; returns the bytes that were copied."""
        if self._wide is self.layout:
            self.layout.point(self.view, a, self.name)
            return 0
        copy = self._room()
        a = a.reshape(self.layout.shape) if a.ndim < 4 else a
        _copy_colours(copy, a)
        copy[..., 3] = _OPAQUE[self.layout.char]
        return int(copy.nbytes)

    def write(self, a: Array) -> None:
        """Prepares writing."""
        if self._wide is self.layout:
            self.layout.point(self.view, a, self.name, True)
        else:
            self._room()

    def finish(self, a: Array) -> int:
        """Moves the channels that were written to the array; returns the bytes that were copied."""
        if self._wide is self.layout or self._copy is None:
            return 0
        out = a.reshape(self.layout.shape) if a.ndim < 4 else a
        _copy_colours(out, self._copy)
        return int(self._copy.nbytes)

    def _room(self) -> Array:
        copy: Array = np.empty(self._wide.shape, self.layout.char) if self._copy is None else self._copy
        self._copy = copy
        self._wide.point(self.view, copy, self.name)
        return copy
