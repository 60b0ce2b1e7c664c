"""Mip chains, hierarchical depth buffers and tile reductions."""
from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _arrays, _cache, _onepass
from ._errors import refuse

Progress = Callable[[float], Optional[bool]]
Changed = Union[Tuple[slice, slice], Tuple[int, int, int, int]]


def _source(a: Any, reduction: str) -> np.ndarray:
    if not isinstance(reduction, str):
        raise refuse("reduction", f"is {reduction!r}, expected a string")
    return _arrays.image(a, "a", _arrays.LABEL_TYPES if reduction == "mode" else _arrays.IMAGE_TYPES)


def _targets(shapes: Sequence[Tuple[int, int, int, int]], a: np.ndarray, out: Optional[Sequence[np.ndarray]],
             ) -> List[_arrays.Output]:
    shapes = shapes[1:]
    if out is None:
        return [_arrays.Output(None, _arrays.like(shape, a.ndim), a.dtype) for shape in shapes]
    if isinstance(out, np.ndarray):
        raise refuse("out", "is an array, expected a sequence of arrays, one per level from level 1")
    try:
        given = list(out)
    except TypeError:
        raise refuse("out", f"is a {type(out).__name__}, expected a sequence of arrays") from None
    if len(given) == len(shapes) + 1:
        given = given[1:]  # the list that an earlier call returned: level 0 is the input
    if len(given) != len(shapes):
        raise refuse("out", f"has {len(given)} arrays, expected {len(shapes)}: levels 1 to {len(shapes)}")
    return [_arrays.Output(level, _arrays.like(shape, a.ndim), a.dtype, f"out[{n}]", (a,))
            for n, (level, shape) in enumerate(zip(given, shapes))]


def _build(engine: Any, a: np.ndarray, shapes: Any, out: Any, progress: Optional[Progress]) -> List[np.ndarray]:
    targets = _targets(shapes, a, out)
    _arrays.count_copy(engine.build(a, [t.array for t in targets], progress))
    return [a] + [t.finish() for t in targets]


def _rect(changed: Changed, height: int, width: int) -> List[int]:
    """x, y, width, height of an index expression."""
    try:
        if len(changed) == 4:
            y0, y1, x0, x1 = (int(v) for v in changed)  # type: ignore[arg-type]
        else:
            rows, columns = changed  # type: ignore[misc]
            y0, y1, ystep = rows.indices(height)
            x0, x1, xstep = columns.indices(width)
            if ystep != 1 or xstep != 1:
                raise refuse("changed", "has a step other than 1")
    except (TypeError, AttributeError, OverflowError):
        raise refuse("changed", "must be two slices, such as np.s_[10:20, 30:40], or (y0, y1, x0, x1)") from None
    if not (0 <= y0 < y1 <= height and 0 <= x0 < x1 <= width):
        raise refuse("changed", f"is rows {y0} to {y1}, columns {x0} to {x1}: empty or not within {height} x {width}")
    return [x0, y0, x1 - x0, y1 - y0]


class Pyramid:
    """Makes pyramids of one shape and dtype again and again, without allocating image memory.

    Args:
        shape: (H, W), (H, W, C) or (N, H, W, C), C from 1 to 4.
        dtype: uint8, uint16, float16 or float32; uint8, uint16 or uint32 for reduction="mode".
        reduction, footprint, levels, color, alpha, alpha_threshold, normal_map, engine, threads: as in build_pyramid().

    Threads: calls from several threads work one after the other.

    Raises:
        ArgumentError: an argument is out of range. OutOfMemoryError.

    >>> import numpy as np, onepass
    >>> pyramid = onepass.Pyramid((480, 640), np.float32, reduction="max")
    >>> levels = pyramid.build(np.ones((480, 640), np.float32))
    >>> levels = pyramid.build(np.zeros((480, 640), np.float32), out=levels)   # writes to the same arrays
    >>> levels[1].shape, levels[-1].shape
    ((240, 320), (1, 1))
    """

    def __init__(self, shape: Sequence[int], dtype: Any = np.float32, *, reduction: str = "mean",
                 footprint: str = "covering", levels: Optional[int] = None, color: str = "linear",
                 alpha: str = "independent", alpha_threshold: float = 0.5, normal_map: bool = False,
                 engine: str = "auto", threads: Optional[int] = None) -> None:
        options = dict(reduction=reduction, footprint=footprint, levels=levels, color=color, alpha=alpha,
                       alpha_threshold=alpha_threshold, normal_map=normal_map)
        try:
            self._shape = tuple(int(n) for n in shape)
            self._dtype = np.dtype(dtype)
        except TypeError as error:
            raise refuse("shape", f"or dtype is not valid: {error}") from None
        if self._dtype == np.float64:
            self._dtype = np.dtype(np.float32)
        self._reduction = reduction
        options.update(_cache.call_options(engine, threads))
        self._engine = _onepass.Pyramid(self._shape, self._dtype.char, options)
        self._shapes = self._engine.shapes

    @property
    def shapes(self) -> List[Tuple[int, ...]]:
        """The shapes of all levels, level 0 first."""
        return [_arrays.like(shape, len(self._shape)) for shape in self._shapes]

    def build(self, a: Any, *, out: Optional[Sequence[np.ndarray]] = None,
              progress: Optional[Progress] = None) -> List[np.ndarray]:
        """All levels of `a`, level 0 (the input) first.

        Args:
            a: an array of the object's shape and dtype.
            out: arrays for the levels, from level 1; or a list that build() has returned.
            progress: as in build_pyramid().

        >>> import numpy as np, onepass
        >>> onepass.Pyramid((2, 2)).build(np.array([[1, 2], [3, 4]], np.float32))[1]
        array([[2.5]], dtype=float32)
        """
        return _build(self._engine, self._checked(a), self._shapes, out, progress)

    def update(self, a: Any, levels: Sequence[np.ndarray], changed: Changed, *,
               progress: Optional[Progress] = None) -> List[np.ndarray]:
        """Rewrites the texels of `levels` that a change of `a` inside a rectangle affects; returns the levels.

        After build() of the same object an update costs little, because the object keeps unrounded levels. `levels` is
        the list that build() returned, or its levels from level 1.

        Args:
            changed: the rectangle as two slices, np.s_[rows, columns], or (y0, y1, x0, x1).

        >>> import numpy as np, onepass
        >>> a = np.zeros((256, 256), np.float32)
        >>> pyramid = onepass.Pyramid(a.shape)
        >>> levels = pyramid.build(a)
        >>> a[10, 20] = 65536
        >>> levels = pyramid.update(a, levels, np.s_[10:11, 20:21])
        >>> levels[-1]
        array([[1.]], dtype=float32)
        """
        source = self._checked(a)
        targets = _targets(self._shapes, source, levels)
        for target in targets:
            if target.array is not target.result:
                raise refuse("levels", "have strides that need a copy, or share memory with a")
        _, height, width, _ = _arrays.image_shape(source)
        self._engine.update(source, [t.array for t in targets], _rect(changed, height, width), progress)
        return [source] + [t.result for t in targets]

    def _checked(self, a: Any) -> np.ndarray:
        source = _source(a, self._reduction)
        if source.shape != self._shape or source.dtype != self._dtype:
            raise refuse("a", f"has shape {source.shape} and dtype {source.dtype}, expected {self._shape} and "
                              f"{self._dtype}")
        return source


def build_pyramid(a: Any, *, reduction: str = "mean", footprint: str = "covering", levels: Optional[int] = None,
                  color: str = "linear", alpha: str = "independent", alpha_threshold: float = 0.5,
                  normal_map: bool = False, out: Optional[Sequence[np.ndarray]] = None, engine: str = "auto",
                  threads: Optional[int] = None, progress: Optional[Progress] = None) -> List[np.ndarray]:
    """All levels of a pyramid, level 0 (the input) first.

    Level n has max(1, floor(H / 2**n)) rows and max(1, floor(W / 2**n)) columns. Every level comes from unrounded finer
    levels; integers are rounded to nearest once.

    Args:
        a: (H, W), (H, W, C) or (N, H, W, C) with C from 1 to 4 and sizes from 1 to 65535; uint8, uint16, float16 or
            float32; float64 is converted to float32.
        reduction: "mean", "min", "max", "min_max" (minimum in channel 0, maximum in channel 1; `a` has one channel or
            two) or "mode" (the most frequent label of 2 x 2; uint8, uint16 or uint32; footprint "ceil" or "aligned").
        footprint: the base texels of a texel: "covering" (no row or column of an odd size is lost), "aligned" (an odd
            row or column is dropped), "edge", "tight" (min and max only), or "ceil" (sizes are rounded up, as in
            DeepZoom, TIFF and OME-Zarr).
        levels: the number of levels with level 0; None: down to 1 x 1.
        color: "linear", or "srgb" for uint8 that is averaged as linear light.
        alpha: of four channels: "independent", "weighted" (colours are averaged with alpha as weight) or "coverage"
            (alpha is scaled so that the share of texels above alpha_threshold stays).
        normal_map: the channels are unit vectors; averages get length 1 again.
        out: arrays to write to, from level 1; a list that an earlier call returned fits.
        engine: "auto" and "cpu": the CPU; "vulkan" or "vulkan:DEVICE": a GPU, see devices().
        threads: the largest number of threads; None: all that the process may use.
        progress: called with the fraction done, about ten times a second; returns False to cancel.

    Returns:
        A list of arrays of the dtype of `a`. Level 0 is `a` itself (or its converted copy).

    Raises:
        ArgumentError (a ValueError): an argument is out of range. CancelledError. OutOfMemoryError.

    >>> import numpy as np, onepass
    >>> depth = np.random.default_rng(1).random((1080, 1920), np.float32)
    >>> levels = onepass.build_pyramid(depth, reduction="min", footprint="tight")
    >>> len(levels), levels[1].shape, levels[10].shape
    (11, (540, 960), (1, 1))
    >>> bool(levels[10] == depth.min())
    True
    """
    source = _source(a, reduction)
    key = ("pyramid", source.shape, source.dtype.char, reduction, footprint, levels, color, alpha, alpha_threshold,
           normal_map, engine, threads)

    def create() -> Tuple[Any, Any]:
        options: Dict[str, Any] = dict(reduction=reduction, footprint=footprint, levels=levels, color=color, alpha=alpha,
                                       alpha_threshold=alpha_threshold, normal_map=normal_map)
        options.update(_cache.call_options(engine, threads))
        made = _onepass.Pyramid(source.shape, source.dtype.char, options)
        return made, made.shapes

    held = _cache.take(key, create)
    try:
        return _build(held[0], source, held[1], out, progress)
    finally:
        _cache.give(key, held)


def mips(a: Any, *, footprint: str = "covering", levels: Optional[int] = None, color: str = "linear",
         alpha: str = "independent", alpha_threshold: float = 0.5, normal_map: bool = False,
         out: Optional[Sequence[np.ndarray]] = None, engine: str = "auto", threads: Optional[int] = None,
         progress: Optional[Progress] = None) -> List[np.ndarray]:
    """The mip chain of an image: a list of levels, level 0 (the input) first, each half the size of the one before.

    Every texel of the input has the same weight in every level, at odd sizes too; the last level is the exact mean.
    Arguments, results and errors are those of build_pyramid() with reduction="mean".

    >>> import numpy as np, onepass
    >>> photo = np.random.default_rng(1).integers(0, 256, (480, 640, 3), np.uint8)
    >>> levels = onepass.mips(photo, color="srgb")
    >>> [level.shape for level in levels[:3]]
    [(480, 640, 3), (240, 320, 3), (120, 160, 3)]
    """
    return build_pyramid(a, footprint=footprint, levels=levels, color=color, alpha=alpha,
                         alpha_threshold=alpha_threshold, normal_map=normal_map, out=out, engine=engine, threads=threads,
                         progress=progress)


def hiz(a: Any, *, reduction: str = "max", footprint: str = "covering", levels: Optional[int] = None,
        out: Optional[Sequence[np.ndarray]] = None, engine: str = "auto", threads: Optional[int] = None,
        progress: Optional[Progress] = None) -> List[np.ndarray]:
    """The hierarchical depth buffer of a depth image, level 0 (the input) first; by default with the maximum.

    Arguments, results and errors are those of build_pyramid().

    >>> import numpy as np, onepass
    >>> depth = np.array([[0.1, 0.2, 0.9], [0.3, 0.4, 0.5]], np.float32)
    >>> onepass.hiz(depth)[1]
    array([[0.9]], dtype=float32)
    """
    return build_pyramid(a, reduction=reduction, footprint=footprint, levels=levels, out=out, engine=engine,
                         threads=threads, progress=progress)


def min_max_pyramid(a: Any, *, footprint: str = "covering", levels: Optional[int] = None,
                    out: Optional[Sequence[np.ndarray]] = None, engine: str = "auto", threads: Optional[int] = None,
                    progress: Optional[Progress] = None) -> List[np.ndarray]:
    """The pyramid of minimum (channel 0) and maximum (channel 1), level 0 (the input) first.

    `a` has one channel, or two that are already a minimum and a maximum. Levels from 1 have the shape (h, w, 2). Other
    arguments, results and errors are those of build_pyramid().

    >>> import numpy as np, onepass
    >>> onepass.min_max_pyramid(np.array([[1, 2], [3, 4]], np.uint8))[1]
    array([[[1, 4]]], dtype=uint8)
    """
    return build_pyramid(a, reduction="min_max", footprint=footprint, levels=levels, out=out, engine=engine,
                         threads=threads, progress=progress)


def update(a: Any, levels: Sequence[np.ndarray], changed: Changed, *, reduction: str = "mean",
           footprint: str = "covering", color: str = "linear", alpha: str = "independent",
           alpha_threshold: float = 0.5, normal_map: bool = False, engine: str = "auto",
           threads: Optional[int] = None, progress: Optional[Progress] = None) -> List[np.ndarray]:
    """Rewrites the texels of a pyramid that a change inside a rectangle affects; returns the levels.

    The result is that of build_pyramid() with the same options. The whole base is read. Pyramid.update() after
    Pyramid.build() reads only the rectangle.

    Args:
        a: the changed base.
        levels: the list that build_pyramid() returned, or its levels from level 1.
        changed: the rectangle as two slices, np.s_[rows, columns], or (y0, y1, x0, x1).
        reduction, footprint, color, alpha, alpha_threshold, normal_map, engine, threads, progress: as in
            build_pyramid(), and those with which the levels were made.

    Raises:
        ArgumentError (a ValueError): an argument is out of range.

    >>> import numpy as np, onepass
    >>> a = np.zeros((64, 64), np.uint8)
    >>> levels = onepass.build_pyramid(a, reduction="max")
    >>> a[5, 7] = 200
    >>> int(onepass.update(a, levels, np.s_[5:6, 7:8], reduction="max")[-1][0, 0])
    200
    """
    source = _source(a, reduction)
    try:
        count = len(levels)
        first = levels[0] if count else None
    except (TypeError, KeyError, ValueError):
        raise refuse("levels", f"is a {type(levels).__name__}, expected a list of arrays") from None
    if isinstance(first, np.ndarray) and first.shape != source.shape:
        count += 1
    # An engine of its own: engines in the cache keep levels of other images.
    pyramid = Pyramid(source.shape, source.dtype, reduction=reduction, footprint=footprint, levels=count, color=color,
                      alpha=alpha, alpha_threshold=alpha_threshold, normal_map=normal_map, engine=engine,
                      threads=threads)
    return pyramid.update(source, levels, changed, progress=progress)


def tile_reduce(a: Any, factor: int = 16, *, reduction: str = "min", color: str = "linear",
                out: Optional[np.ndarray] = None, engine: str = "auto", threads: Optional[int] = None) -> np.ndarray:
    """One coarse image whose texels are the reductions of factor x factor tiles.

    Args:
        a: an image as in build_pyramid().
        factor: the side of a tile: 2, 4, 8, 16, 32 or 64.
        reduction: "min", "max", "mean" or "min_max" (two channels).
        out: an array of the result's shape and dtype.
        color, engine, threads: as in build_pyramid().

    Returns:
        ceil(H / factor) x ceil(W / factor) texels of the dtype of `a`.

    Raises:
        ArgumentError (a ValueError): an argument is out of range.

    >>> import numpy as np, onepass
    >>> onepass.tile_reduce(np.arange(64, dtype=np.float32).reshape(8, 8), 4)
    array([[ 0.,  4.],
           [32., 36.]], dtype=float32)
    """
    source = _arrays.image(a, "a")
    key = ("tiles", source.shape, source.dtype.char, factor, reduction, color, engine, threads)

    def create() -> Any:
        options = dict(factor=factor, reduction=reduction, color=color, **_cache.call_options(engine, threads))
        return _onepass.TileReduction(source.shape, source.dtype.char, options)

    held = _cache.take(key, create)
    try:
        target = _arrays.Output(out, _arrays.like(held.shape, source.ndim), source.dtype, sources=(source,))
        _arrays.count_copy(held.reduce(source, target.array))
        return target.finish()
    finally:
        _cache.give(key, held)
