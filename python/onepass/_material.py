"""Textures of materials: levels of normal maps and their roughness, normals of heights."""
from __future__ import annotations

from ctypes import byref, c_uint32
from typing import Any, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _arrays, _c, _fields, _options
from ._errors import refuse
from ._layout import Layout, Pixels
from ._library import call, initialised, lib
from ._types import Array, ArrayLike, Boundary, DTypeLike, NormalVariance, NormalY


def _tuning(threads: Optional[int]) -> Any:
    tuning = initialised(_c.onepass_cpu_tuning)
    tuning.threads = 0 if threads is None else _fields.integer(threads, "threads", c_uint32)
    return tuning


def _source(a: Array, name: str) -> Pixels:
    layout = Layout.of(a.shape, a.dtype.char, name)
    pixels = Pixels(layout, layout.format(name), name, False)
    pixels.read(a)
    return pixels


def _levels(shape: Tuple[int, ...], dtype: Any) -> List[Array]:
    """New arrays of levels 1 and up of an image (N, H, W, C)."""
    n, h, w, c = shape
    levels = []
    while h > 1 or w > 1:
        h, w = max(1, h // 2), max(1, w // 2)
        levels.append(np.empty((n, h, w, c), dtype))
    return levels


def _views(levels: Sequence[Array]) -> Any:
    views = (_c.onepass_mutable_image_view * max(1, len(levels)))()
    for n, level in enumerate(levels):
        layout = Layout.of(level.shape, level.dtype.char, "levels")
        Pixels(layout, layout.format("levels"), "levels", True, views[n]).write(level)
    return views


def roughness_mips(
    normals: ArrayLike,
    roughness: Union[ArrayLike, float] = 0.0,
    *,
    variance: NormalVariance = "toksvig",
    channel: int = 0,
    threads: Optional[int] = None,
) -> Tuple[List[Array], List[Array]]:
    """Levels of a normal map, renormalised, and of the roughness that belongs to them, level 0 first.

    The mean of different normals is shorter than 1; the lost length becomes roughness, so that highlights of far surfaces
    stay as wide as they are. Roughness is perceptual: a GGX lobe has alpha = roughness ** 2.

    Args:
        normals: (H, W, C) or (N, H, W, C) with C from 2 to 4: x, y and z. uint8 and uint16 store 0.5 * n + 0.5, floats
            n itself. Two channels imply z; a fourth one is averaged.
        roughness: an array of the same height and width, or one number from 0 to 1.
        variance: "toksvig": one roughness, from the length of the mean. "covariance": two channels, roughness along x
            and along y, for anisotropic lobes.
        channel: the channel of an array `roughness` that holds it.
        threads: the largest number of threads; None or 0: all that the process may use.

    Returns:
        Two lists: normals, of the dtype and channels of `normals` (level 0 is `normals` itself), and roughness, (h, w)
        or (h, w, 2), of the dtype of `roughness` (of a number: float32). Stacks have a first axis N.

    Raises:
        ArgumentError (a ValueError): an argument is out of range. OutOfMemoryError.

    >>> import numpy as np, onepass
    >>> slopes = np.random.default_rng(1).normal(0, 0.2, (64, 64, 2)).astype(np.float32)
    >>> normals = np.dstack([slopes, np.ones((64, 64), np.float32)])
    >>> normal_levels, rough_levels = onepass.roughness_mips(normals, 0.3)
    >>> [round(float(level.mean()), 2) for level in rough_levels[:3]]
    [0.3, 0.49, 0.52]
    """
    a = _arrays.image(normals, "normals")
    options = initialised(_c.onepass_roughness_options)
    _fields.assign(options, {"variance": variance, "source_channel": channel})
    both = options.variance == _c.ONEPASS_NORMAL_VARIANCE["covariance"]
    rough: Optional[Array] = None
    if np.ndim(roughness) == 0:  # type: ignore[arg-type]
        options.roughness = _options.number(roughness, "roughness", "a number from 0 to 1, or an array")
        if options.source_channel != 0:
            raise refuse("channel", f"is {channel}, but roughness is one number")
    else:
        rough = _arrays.image(roughness, "roughness")
        if options.source_channel >= _arrays.image_shape(rough)[3]:
            raise refuse("channel", f"is {channel}, but roughness has {_arrays.image_shape(rough)[3]} channels")
    source = _source(a, "normals")
    of = None if rough is None else _source(rough, "roughness")
    n, h, w, _ = shape = _arrays.image_shape(a)
    normal_levels = _levels(shape, a.dtype)
    dtype = np.dtype(np.float32) if rough is None else rough.dtype
    rough_levels = _levels((n, h, w, 2 if both else 1), dtype)
    call(
        lib.onepass_roughness_mips,
        source.ref,
        None if of is None else of.ref,
        _views(normal_levels),
        len(normal_levels),
        _views(rough_levels),
        len(rough_levels),
        byref(options),
        byref(_tuning(threads)),
    )
    if rough is None:
        base = np.full((n, h, w, 2 if both else 1), options.roughness, dtype)
    else:
        one = rough.reshape(_arrays.image_shape(rough))[..., options.source_channel : options.source_channel + 1]
        base = np.repeat(one, 2, axis=3) if both else np.ascontiguousarray(one)
    rough_shaped = [level if both else level[..., 0] for level in [base, *rough_levels]]
    if a.ndim < 4:
        return [a] + [level[0] for level in normal_levels], [level[0] for level in rough_shaped]
    return [a] + normal_levels, rough_shaped


def height_to_normals(
    heights: ArrayLike,
    *,
    scale: float = 1.0,
    boundary: Boundary = "clamp",
    normal_y: NormalY = "up",
    dtype: DTypeLike = np.float32,
    threads: Optional[int] = None,
) -> Array:
    """The normal map of heights, by central differences.

    Args:
        heights: (H, W), or (N, H, W, 1): uint8 and uint16 stand for 0 to 1, floats for themselves.
        scale: the height of a value of 1 above 0, in texels; negative for depths.
        boundary: heights outside: "clamp" (one-sided differences at the edge), "wrap" for textures that repeat, or
            "mirror".
        normal_y: y points "up", to the first row (OpenGL), or "down" (Direct3D).
        dtype: of the result: float32, float16, or uint8 and uint16, which store 0.5 * n + 0.5.
        threads: the largest number of threads; None or 0: all that the process may use.

    Returns:
        An array (H, W, 3) of unit vectors, or (N, H, W, 3).

    Raises:
        ArgumentError (a ValueError): an argument is out of range. OutOfMemoryError.

    >>> import numpy as np, onepass
    >>> ramp = np.tile(np.arange(5, dtype=np.float32), (3, 1))
    >>> onepass.height_to_normals(ramp, scale=0.75)[1, 2]
    array([-0.6,  0. ,  0.8], dtype=float32)
    """
    a = _arrays.image(heights, "heights")
    n, h, w, c = _arrays.image_shape(a)
    if c != 1:
        raise refuse("heights", f"has {c} channels, expected one")
    try:
        made = np.dtype(dtype)
    except TypeError:
        raise refuse("dtype", f"is {dtype!r}, expected float32, float16, uint8 or uint16") from None
    if made.char not in _arrays.IMAGE_TYPES or not made.isnative:
        raise refuse("dtype", f"is {made}, expected float32, float16, uint8 or uint16")
    options = initialised(_c.onepass_height_options)
    values = _options.call("cpu", threads, scale=scale, boundary=boundary, normal_y=normal_y)
    _fields.assign(options, {name: values[name] for name in ("scale", "boundary", "normal_y")})
    out = np.empty((n, h, w, 3), made)
    layout = Layout.of(out.shape, out.dtype.char, "normals")
    target = Pixels(layout, layout.format("normals"), "normals", True)
    target.write(out)
    call(lib.onepass_height_to_normals, _source(a, "heights").ref, target.ref, byref(options), byref(_tuning(threads)))
    return out if a.ndim == 4 else out[0]
