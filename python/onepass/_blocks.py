"""Block-compressed textures."""
from __future__ import annotations

from ctypes import byref
from dataclasses import dataclass
from typing import Any, Dict, Optional, Tuple

import numpy as np

from . import _arrays, _c, _fields
from ._errors import refuse
from ._layout import Layout, Pixels
from ._library import call, initialised, lib
from ._types import Array, ArrayLike, BlockAlpha, BlockMetric, BlockQuality, Color, DTypeLike

#: Formats by their names in lower case, without the undefined one.
_FORMATS = {name.lower(): number for name, number in _c.ONEPASS_BLOCK_FORMAT.items() if number}
_ENDINGS = {"linear": ("_unorm", "_ufloat"), "srgb": ("_srgb",)}


@dataclass(repr=False, eq=False)
class Blocks:
    """An image in blocks, of which a GPU decodes the texels that it samples.

    Args:
        data: uint8 (rows of blocks, blocks in a row, bytes of a block), of stacks (N, rows, columns, bytes).
        format: Vulkan's name in lower case, "bc7_srgb".
        shape: (H, W) in texels, of stacks (N, H, W).

    >>> import numpy as np, onepass
    >>> blocks = onepass.compress(np.zeros((30, 50, 4), np.uint8), "bc7", color="srgb")
    >>> blocks
    <Blocks (30, 50), bc7_srgb, 1664 bytes>
    """

    data: Array
    format: str
    shape: Tuple[int, ...]

    def __repr__(self) -> str:
        return f"<Blocks {self.shape}, {self.format}, {self.data.nbytes} bytes>"


def _format(name: Any, color: str, kind: str, opaque: bool) -> str:
    """The format of a word such as "bc7" with the encoding of the colours, or a whole name."""
    if not isinstance(name, str):
        raise refuse("format", f"is {_fields.shown(name)}, expected a string")
    if name in _FORMATS:
        return name
    stem = name.replace("bc1", "bc1_rgb" if opaque else "bc1_rgba", 1)
    if kind == "f" and name.startswith("astc") and f"{name}_sfloat" in _FORMATS:
        return f"{name}_sfloat"
    for ending in _ENDINGS.get(color, ()):
        if stem + ending in _FORMATS:
            return stem + ending
    if stem + "_unorm" in _FORMATS or stem + "_ufloat" in _FORMATS:
        raise refuse("format", f"'{name}' has no form for color='{color}'")
    stems = sorted({known.rsplit("_", 1)[0] for known in _FORMATS})
    raise refuse("format", f"is '{name}', expected one of {', '.join(stems)}, with or without _unorm, _srgb and so on")


def _shape_in_blocks(format_: int, slices: int, height: int, width: int) -> Tuple[int, int, int, int]:
    block = lib.onepass_block_size(format_)
    return (slices, -(-height // block.height), -(-width // block.width), int(lib.onepass_block_bytes(format_)))


def _shape(blocks: Blocks) -> Tuple[int, int, int]:
    """(N, H, W) of blocks whose parts match each other."""
    if not isinstance(blocks, Blocks):
        raise refuse("blocks", f"is {_fields.shown(blocks)}, expected what compress() returns")
    if blocks.format not in _FORMATS:
        raise refuse("blocks", f"have the format {_fields.shown(blocks.format)}, which is not known")
    shape = tuple(blocks.shape)
    if len(shape) not in (2, 3) or not all(isinstance(n, (int, np.integer)) and n > 0 for n in shape):
        raise refuse("blocks", f"have the shape {_fields.shown(blocks.shape)}, expected (H, W) or (N, H, W)")
    slices, height, width = (1,) * (3 - len(shape)) + shape
    data = blocks.data
    expected = _shape_in_blocks(_FORMATS[blocks.format], slices, height, width)
    fits = isinstance(data, np.ndarray) and data.dtype == np.uint8 and data.shape == expected[4 - data.ndim :]
    if not fits or (data.ndim == 3 and slices > 1):
        raise refuse("blocks", f"have data that is not uint8 of shape {expected[(slices == 1) :]}")
    return slices, height, width


def view(blocks: Blocks) -> Tuple[Any, Array]:
    """A view of blocks, and the array that it points to."""
    slices, height, width = _shape(blocks)
    data = np.ascontiguousarray(blocks.data)
    _arrays.count_copy(0 if data is blocks.data else data.nbytes)
    size = _c.onepass_extent(width, height)
    return _c.onepass_block_view(data.ctypes.data, _FORMATS[blocks.format], size, slices, 0, 0), data


def compress(
    a: ArrayLike,
    format: str = "bc7",
    *,
    color: Color = "linear",
    quality: BlockQuality = "normal",
    metric: BlockMetric = "uniform",
    alpha: BlockAlpha = "independent",
    alpha_threshold: float = 0.5,
    threads: Optional[int] = None,
) -> Blocks:
    """Compresses an image or a stack to blocks, as GPUs sample them.

    Args:
        a: (H, W), (H, W, C) or (N, H, W, C) of uint8, uint16, float16 or float32. A missing channel is 0, alpha 1.
        format: "bc1", "bc3", "bc4", "bc5", "bc6h", "bc7" or "astc_4x4" to "astc_12x12", to which `color` adds _unorm
            or _srgb; or a whole name such as "bc5_snorm". Floats in ASTC become blocks of floats.
        color: "srgb": uint8 is sRGB-encoded, and so are the blocks; "linear": neither.
        quality: "fast", "normal" or "best". metric: "uniform", or "luma": colours count as in luma.
        alpha: "weighted": colours count by their alpha. alpha_threshold: of BC1 with alpha, 0 to 1.
        threads: the largest number of threads; None or 0: all that the process may use.

    Raises:
        ArgumentError (a ValueError); UnsupportedError for ASTC in a build without astcenc.

    >>> import numpy as np, onepass
    >>> photo = np.random.default_rng(1).integers(0, 256, (480, 640, 3), np.uint8)
    >>> levels = [onepass.compress(level, "bc7", color="srgb") for level in onepass.mips(photo, color="srgb")]
    >>> levels[0].format, levels[0].data.shape
    ('bc7_srgb', (120, 160, 16))
    """
    source = _arrays.image(a, "a")
    layout = Layout.of(source.shape, source.dtype.char, "a")
    _fields.word(color, "color", {"linear": 0, "srgb": 1})
    kind = "f" if source.dtype.kind == "f" else "u"
    name = _format(format, color, kind, layout.channels < 4)
    number = _FORMATS[name]
    o = initialised(_c.onepass_block_options)
    _fields.assign(o, dict(quality=quality, metric=metric, alpha=alpha, alpha_threshold=alpha_threshold))
    tuning = _tuning(threads)
    pixels = Pixels(layout, layout.format("a", color, True), "a", False).pads()
    _arrays.count_copy(pixels.read(source))
    data = np.empty(_shape_in_blocks(number, layout.slices, layout.height, layout.width), np.uint8)
    to = _c.onepass_mutable_block_view(data.ctypes.data, number, layout.size, layout.slices, 0, 0)
    call(lib.onepass_compress_blocks, pixels.ref, byref(to), byref(o), tuning)
    stack = source.ndim == 4
    return Blocks(data if stack else data[0], name, (layout.slices,) * stack + (layout.height, layout.width))


def decompress(
    blocks: Blocks, *, dtype: DTypeLike = None, out: Optional[Array] = None, threads: Optional[int] = None
) -> Array:
    """The texels of blocks, as cpu::decompress() decodes them.

    Args:
        blocks: what compress() returned, or a Blocks of data from elsewhere.
        dtype: uint8, uint16, float16 or float32; None: uint8, of BC6H, signed formats and ASTC of floats float32.
            uint8 of sRGB formats is sRGB-encoded, other types hold linear light.
        out: an array for the result.
        threads: the largest number of threads; None or 0: all that the process may use.

    Returns:
        (H, W) of BC4, (H, W, 2) of BC5, (H, W, 3) of BC6H and of BC1 without alpha, else (H, W, 4); of stacks with N
        before them.

    Raises:
        ArgumentError (a ValueError); UnsupportedError for ASTC in a build without astcenc.

    >>> import numpy as np, onepass
    >>> grey = np.full((8, 8), 100, np.uint8)
    >>> int(onepass.decompress(onepass.compress(grey, "bc4"))[3, 5])
    100
    """
    slices, height, width = _shape(blocks)
    name = blocks.format
    floats = name.endswith(("float", "snorm"))
    char = np.dtype(dtype if dtype is not None else np.float32 if floats else np.uint8).char
    if char not in _arrays.IMAGE_TYPES:
        raise refuse("dtype", f"is {np.dtype(dtype).name}, expected uint8, uint16, float16 or float32")
    channels = {"bc4": 1, "bc5": 2, "bc6h": 3}.get(name.split("_")[0], 3 if name.startswith("bc1_rgb_") else 4)
    stack = len(blocks.shape) == 3
    shape = (slices,) * stack + (height, width) + (channels,) * (channels > 1 or stack)
    target = _arrays.Output(out, shape, np.dtype(char), "out", (blocks.data,))
    layout = Layout.of(shape, char, "out")
    color = "srgb" if name.endswith("_srgb") and char == "B" else "linear"
    pixels = Pixels(layout, layout.format("out", color, True), "out", True).pads()
    pixels.write(target.array)
    given, data = view(blocks)
    call(lib.onepass_decompress_blocks, byref(given), pixels.ref, _tuning(threads))
    del data
    _arrays.count_copy(pixels.finish(target.array))
    return target.finish()


def _tuning(threads: Optional[int]) -> Any:
    o = initialised(_c.onepass_cpu_tuning)
    values: Dict[str, Any] = dict(threads=threads)
    _fields.assign(o, values)
    return byref(o)
