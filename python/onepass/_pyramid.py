"""Mip chains, hierarchical depth buffers and tile reductions."""
from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from . import _arrays, _cache, _cuda, _cuda_light, _engines, _options
from ._errors import refuse
from ._types import (
    Alpha,
    Array,
    ArrayLike,
    Boundary,
    Changed,
    Color,
    DTypeLike,
    Footprint,
    MipFilter,
    MipFilterInput,
    Progress,
    Reduction,
    Ringing,
    TileReduction,
)


class _Source(NamedTuple):
    """An image as given, as the engine reads it, and how its values are coded, if at all."""

    given: Array
    array: Array
    codes: Optional[_arrays.Codes]


def _source(a: ArrayLike, reduction: str, plain: bool = True) -> _Source:
    if not isinstance(reduction, str):
        raise refuse("reduction", f"is {reduction!r}, expected a string")
    given = _arrays.as_array(a, "a")
    codes = _arrays.Codes.of(given.dtype, reduction) if given.dtype.kind in "iub" else None
    if codes is None:
        if given.dtype.kind == "b":
            raise refuse(
                "a",
                'has dtype bool, which reduction="min", "max" and "mode" keep; a mean needs ' "a.astype(np.float32)",
            )
        types = _arrays.LABEL_TYPES if reduction == "mode" else _arrays.IMAGE_TYPES
        if given.dtype.kind in "iu" and given.dtype.char not in types:
            raise refuse(
                "a",
                f'has dtype {given.dtype}, which only reduction="mode" takes: labels. Numbers need '
                "a.astype(np.float32)",
            )
        array = _arrays.image(given, "a", types)
        return _Source(array, array, None)
    if not plain:
        raise refuse("a", f"has dtype {given.dtype}; alpha and normal maps are for unsigned integers and floats")
    if given.size == 0 or given.ndim < 2:
        _arrays.image(given, "a", given.dtype.char)  # refuses it
    return _Source(given, _arrays.image(codes.encode(given), "a", codes.code.char), codes)


def _is_plain(alpha: Any, normal_map: Any) -> bool:
    """Whether channels are reduced without regard to their meaning."""
    return isinstance(alpha, str) and alpha == "independent" and normal_map is False


class _CodedOutput:
    """An array to write to, and the array that the engine writes: its codes."""

    def __init__(self, codes: _arrays.Codes, output: _arrays.Output) -> None:
        self._codes, self._output = codes, output
        self.copies, self.values = output.copies, output.array
        wide = codes.dtype.itemsize != codes.code.itemsize
        self.array = np.empty(self.values.shape, codes.code) if wide else self.values.view(codes.code)

    def finish(self) -> Array:
        values = self._codes.decode(self.array)
        if not np.may_share_memory(values, self.values):
            self.values[...] = values
        return self._output.finish()


_Target = Union[_arrays.Output, _CodedOutput]


def _target(source: _Source, shape: Tuple[int, ...], out: Optional[Array], name: str) -> _Target:
    sources = (source.array,) if source.array is source.given else (source.array, source.given)
    if source.codes is None:
        return _arrays.Output(out, shape, source.array.dtype, name, sources)
    return _CodedOutput(source.codes, _arrays.Output(out, shape, source.codes.dtype, name, sources))


def _targets(shapes: Sequence[Tuple[int, int, int, int]], a: _Source, out: Optional[Sequence[Array]]) -> List[_Target]:
    shapes = shapes[1:]
    ndim = a.array.ndim
    if out is None:
        return [_target(a, _arrays.like(shape, ndim), None, "out") for shape in shapes]
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
    return [
        _target(a, _arrays.like(shape, ndim), level, f"out[{n}]") for n, (level, shape) in enumerate(zip(given, shapes))
    ]


def _build(engine: Any, a: _Source, shapes: Any, out: Any, progress: Optional[Progress]) -> List[Array]:
    targets = _targets(shapes, a, out)
    _arrays.count_copy(engine.build(a.array, [t.array for t in targets], progress))
    return [a.given] + [t.finish() for t in targets]


def _rect(changed: Changed, height: int, width: int, name: str = "changed") -> List[int]:
    """x, y, width, height of an index expression."""
    try:
        if len(changed) == 4:
            y0, y1, x0, x1 = _options.indices(changed, name, 4, "(y0, y1, x0, x1)")
        else:
            rows, columns = changed  # type: ignore[misc]
            y0, y1, ystep = rows.indices(height)
            x0, x1, xstep = columns.indices(width)
            if ystep != 1 or xstep != 1:
                raise refuse(name, "has a step other than 1")
    except (TypeError, AttributeError, OverflowError):
        raise refuse(name, "must be two slices, such as np.s_[10:20, 30:40], or (y0, y1, x0, x1)") from None
    if not (0 <= y0 < y1 <= height and 0 <= x0 < x1 <= width):
        raise refuse(name, f"is rows {y0} to {y1}, columns {x0} to {x1}: empty or not within {height} x {width}")
    return [x0, y0, x1 - x0, y1 - y0]


class Pyramid:
    """Makes pyramids of one shape and dtype again and again, without allocating image memory.

    Args:
        shape: (H, W), (H, W, C) or (N, H, W, C), C from 1 to 4.
        dtype: that of the images, as in build_pyramid().
        reduction, footprint, levels, color, alpha, alpha_threshold, normal_map, filter, filter_input, boundary,
            ringing, kaiser_width, kaiser_alpha, engine, threads: as in build_pyramid().

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

    def __init__(
        self,
        shape: Sequence[int],
        dtype: DTypeLike = np.float32,
        *,
        reduction: Reduction = "mean",
        footprint: Footprint = "covering",
        levels: Optional[int] = None,
        color: Color = "linear",
        alpha: Alpha = "independent",
        alpha_threshold: float = 0.5,
        normal_map: bool = False,
        filter: MipFilter = "box",
        filter_input: MipFilterInput = "finer_level",
        boundary: Boundary = "clamp",
        ringing: Ringing = "keep",
        kaiser_width: float = 3.0,
        kaiser_alpha: float = 4.0,
        engine: str = "auto",
        threads: Optional[int] = None,
    ) -> None:
        self._shape = _options.shape_of(shape)
        try:
            self._dtype = _arrays.known(np.dtype(dtype).newbyteorder("="))
        except TypeError:
            raise refuse("dtype", f"is {dtype!r}, expected a dtype") from None
        if self._dtype == np.float64:
            self._dtype = np.dtype(np.float32)
        self._arguments: Dict[str, Any] = dict(
            reduction=reduction,
            footprint=footprint,
            levels=levels,
            color=color,
            alpha=alpha,
            alpha_threshold=alpha_threshold,
            normal_map=normal_map,
            filter=filter,
            filter_input=filter_input,
            boundary=boundary,
            ringing=ringing,
            kaiser_width=kaiser_width,
            kaiser_alpha=kaiser_alpha,
            engine=engine,
            threads=threads,
        )
        self._reduction = reduction
        self._plain = _is_plain(alpha, normal_map)
        codes = _arrays.Codes.of(self._dtype, reduction) if isinstance(reduction, str) else None
        code = self._dtype if codes is None else codes.code
        whole, arguments = self._shape, self._arguments
        self._own = _cache.Own(lambda: _engines.Pyramid(whole, code.char, _options.call(**arguments)))
        self._shapes = self._own.get().shapes

    def __reduce__(self) -> Tuple[Any, ...]:
        return _made, (Pyramid, (self._shape, self._dtype), self._arguments)

    def __repr__(self) -> str:
        options = "".join(
            f", {name}={value!r}" for name, value in self._arguments.items() if value != _PYRAMID_DEFAULTS[name]
        )
        return f"Pyramid({self._shape}, {self._dtype}{options})"

    @property
    def shapes(self) -> List[Tuple[int, ...]]:
        """The shapes of all levels, level 0 first."""
        return [_arrays.like(shape, len(self._shape)) for shape in self._shapes]

    def build(
        self, a: ArrayLike, *, out: Optional[Sequence[Array]] = None, progress: Optional[Progress] = None
    ) -> List[Array]:
        """All levels of `a`, level 0 (the input) first.

        Args:
            a: an array of the object's shape and dtype.
            out: arrays for the levels, from level 1; or a list that build() has returned.
            progress: as in build_pyramid().

        >>> import numpy as np, onepass
        >>> onepass.Pyramid((2, 2)).build(np.array([[1, 2], [3, 4]], np.float32))[1]
        array([[2.5]], dtype=float32)
        """
        return _build(self._own.get(), self._checked(a), self._shapes, out, progress)

    def update(
        self, a: ArrayLike, levels: Sequence[Array], changed: Changed, *, progress: Optional[Progress] = None
    ) -> List[Array]:
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
        if source.codes is not None and source.given.dtype.itemsize == 8:
            raise refuse("a", f"has dtype {source.given.dtype}; labels of up to 32 bits can be updated")
        targets = _targets(self._shapes, source, levels)
        for target in targets:
            if target.copies:
                raise refuse("levels", "have strides that need a copy, or share memory with a")
        _, height, width, _ = _arrays.image_shape(source.array)
        rect = _rect(changed, height, width)
        if source.codes is not None:
            for target in targets:
                assert isinstance(target, _CodedOutput)
                target.array[...] = source.codes.encode(target.values)
        try:
            self._own.get().update(source.array, [t.array for t in targets], rect, progress)
        finally:
            results = [target.finish() for target in targets]
        return [source.given] + results

    def _checked(self, a: ArrayLike) -> _Source:
        source = _source(a, self._reduction, self._plain)
        dtype = source.array.dtype if source.codes is None else source.codes.dtype
        if source.array.shape != self._shape or dtype != self._dtype:
            raise refuse(
                "a", f"has shape {source.array.shape} and dtype {dtype}, expected {self._shape} and " f"{self._dtype}"
            )
        return source


def _made(make: Any, arguments: Tuple[Any, ...], options: Dict[str, Any]) -> Any:
    """Makes an object that was pickled."""
    return make(*arguments, **options)


_PYRAMID_DEFAULTS = dict(Pyramid.__init__.__kwdefaults__)


def build_pyramid(
    a: ArrayLike,
    *,
    reduction: Reduction = "mean",
    footprint: Footprint = "covering",
    levels: Optional[int] = None,
    color: Color = "linear",
    alpha: Alpha = "independent",
    alpha_threshold: float = 0.5,
    normal_map: bool = False,
    filter: MipFilter = "box",
    filter_input: MipFilterInput = "finer_level",
    boundary: Boundary = "clamp",
    ringing: Ringing = "keep",
    kaiser_width: float = 3.0,
    kaiser_alpha: float = 4.0,
    out: Optional[Sequence[Array]] = None,
    engine: str = "auto",
    threads: Optional[int] = None,
    progress: Optional[Progress] = None,
) -> List[Array]:
    """All levels of a pyramid, level 0 (the input) first.

    Level n has max(1, floor(H / 2**n)) rows and max(1, floor(W / 2**n)) columns. Every level comes from unrounded finer
    levels; integers are rounded to nearest once.

    Args:
        a: (H, W), (H, W, C) or (N, H, W, C) with C from 1 to 4 and sizes from 1 to 65535; uint8, uint16, float16 or
            float32; float64 is converted to float32. int8 and int16 are copied, and so is bool for "min" and "max".
            Arrays in CUDA memory (of PyTorch, CuPy, Numba or with DLPack) stay there, and so do the levels; work is
            enqueued on the current stream of their library.
        reduction: "mean", "min", "max", "min_max" (minimum in channel 0, maximum in channel 1; `a` has one channel or
            two) or "mode" (the most frequent label of 2 x 2, the smallest one of equally frequent ones; integers of any
            size and bool; footprint "ceil" or "aligned").
        footprint: the base texels of a texel: "covering" (no row or column of an odd size is lost), "aligned" (an odd
            row or column is dropped), "edge", "tight" (min and max only), or "ceil" (sizes are rounded up, as in
            DeepZoom, TIFF and OME-Zarr).
        levels: the number of levels with level 0; None: down to 1 x 1.
        color: "linear", or "srgb" for uint8 that is averaged as linear light.
        alpha: of four channels: "independent", "weighted" (colours are averaged with alpha as weight) or "coverage"
            ("weighted", and alpha is scaled so that the share of texels that store alpha_threshold or more stays).
        normal_map: the channels are unit vectors; averages get length 1 again.
        filter: weights of a mean: "box" (the footprint), "triangle", "catmull_rom", "mitchell", "lanczos" or "kaiser".
            Others than "box" need reduction "mean", footprint "covering" and the CPU.
        filter_input: "finer_level", or "base": slower, no filter is applied to the result of another.
        boundary: texels beyond the edges, for filters: "clamp", "wrap" (textures that repeat) or "mirror".
        ringing: "keep", or "limit": no value lies beyond those of the texels around it. alpha "weighted" needs it.
        kaiser_width: half width of "kaiser" in texels of the level, 1 to 16.
        kaiser_alpha: shape of "kaiser", 0 to 20; higher values blur and ring less.
        out: arrays to write to, from level 1; a list that an earlier call returned fits.
        engine: "auto" and "cpu": the CPU; "vulkan" or "vulkan:DEVICE": a GPU, see devices(). For arrays in CUDA
            memory "auto" and "cuda": their device.
        threads: the largest number of threads; None or 0: all that the process may use.
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
    if _cuda.is_cuda(a):
        values = dict(
            reduction=reduction,
            footprint=footprint,
            levels=levels,
            alpha=alpha,
            alpha_threshold=alpha_threshold,
            normal_map=normal_map,
            filter=filter,
        )
        return _cuda.build(a, engine, color, values, out)
    source = _source(a, reduction, _is_plain(alpha, normal_map))
    array = source.array
    key = (
        "pyramid",
        array.shape,
        array.dtype.char,
        reduction,
        footprint,
        levels,
        color,
        alpha,
        alpha_threshold,
        normal_map,
        filter,
        filter_input,
        boundary,
        ringing,
        kaiser_width,
        kaiser_alpha,
        engine,
        threads,
    )

    def create() -> Tuple[Any, Any]:
        options = _options.call(
            engine,
            threads,
            reduction=reduction,
            footprint=footprint,
            levels=levels,
            color=color,
            alpha=alpha,
            alpha_threshold=alpha_threshold,
            normal_map=normal_map,
            filter=filter,
            filter_input=filter_input,
            boundary=boundary,
            ringing=ringing,
            kaiser_width=kaiser_width,
            kaiser_alpha=kaiser_alpha,
        )
        made = _engines.Pyramid(array.shape, array.dtype.char, options)
        return made, made.shapes

    held = _cache.take(key, create)
    try:
        return _build(held[0], source, held[1], out, progress)
    finally:
        _cache.give(key, held)


def mips(
    a: ArrayLike,
    *,
    footprint: Footprint = "covering",
    levels: Optional[int] = None,
    color: Color = "linear",
    alpha: Alpha = "independent",
    alpha_threshold: float = 0.5,
    normal_map: bool = False,
    filter: MipFilter = "box",
    filter_input: MipFilterInput = "finer_level",
    boundary: Boundary = "clamp",
    ringing: Ringing = "keep",
    kaiser_width: float = 3.0,
    kaiser_alpha: float = 4.0,
    out: Optional[Sequence[Array]] = None,
    engine: str = "auto",
    threads: Optional[int] = None,
    progress: Optional[Progress] = None,
) -> List[Array]:
    """The mip chain of an image: a list of levels, level 0 (the input) first, each half the size of the one before.

    Every texel of the input has the same weight in every level, at odd sizes too; the last level is the exact mean. With
    another filter than "box" levels are sharper, and the last one is near the mean. Arguments, results and errors are
    those of build_pyramid() with reduction="mean".

    >>> import numpy as np, onepass
    >>> photo = np.random.default_rng(1).integers(0, 256, (480, 640, 3), np.uint8)
    >>> levels = onepass.mips(photo, color="srgb")
    >>> [level.shape for level in levels[:3]]
    [(480, 640, 3), (240, 320, 3), (120, 160, 3)]
    >>> sharper = onepass.mips(photo, color="srgb", filter="kaiser", boundary="wrap")
    """
    return build_pyramid(
        a,
        footprint=footprint,
        levels=levels,
        color=color,
        alpha=alpha,
        alpha_threshold=alpha_threshold,
        normal_map=normal_map,
        filter=filter,
        filter_input=filter_input,
        boundary=boundary,
        ringing=ringing,
        kaiser_width=kaiser_width,
        kaiser_alpha=kaiser_alpha,
        out=out,
        engine=engine,
        threads=threads,
        progress=progress,
    )


def hiz(
    a: ArrayLike,
    *,
    reduction: Reduction = "max",
    footprint: Footprint = "covering",
    levels: Optional[int] = None,
    out: Optional[Sequence[Array]] = None,
    engine: str = "auto",
    threads: Optional[int] = None,
    progress: Optional[Progress] = None,
) -> List[Array]:
    """The hierarchical depth buffer of a depth image, level 0 (the input) first; by default with the maximum.

    Arguments, results and errors are those of build_pyramid().

    >>> import numpy as np, onepass
    >>> depth = np.array([[0.1, 0.2, 0.9], [0.3, 0.4, 0.5]], np.float32)
    >>> onepass.hiz(depth)[1]
    array([[0.9]], dtype=float32)
    """
    return build_pyramid(
        a,
        reduction=reduction,
        footprint=footprint,
        levels=levels,
        out=out,
        engine=engine,
        threads=threads,
        progress=progress,
    )


def min_max_pyramid(
    a: ArrayLike,
    *,
    footprint: Footprint = "covering",
    levels: Optional[int] = None,
    out: Optional[Sequence[Array]] = None,
    engine: str = "auto",
    threads: Optional[int] = None,
    progress: Optional[Progress] = None,
) -> List[Array]:
    """The pyramid of minimum (channel 0) and maximum (channel 1), level 0 (the input) first.

    `a` has one channel, or two that are already a minimum and a maximum. Levels from 1 have the shape (h, w, 2). Other
    arguments, results and errors are those of build_pyramid().

    >>> import numpy as np, onepass
    >>> onepass.min_max_pyramid(np.array([[1, 2], [3, 4]], np.uint8))[1]
    array([[[1, 4]]], dtype=uint8)
    """
    return build_pyramid(
        a,
        reduction="min_max",
        footprint=footprint,
        levels=levels,
        out=out,
        engine=engine,
        threads=threads,
        progress=progress,
    )


def update(
    a: ArrayLike,
    levels: Sequence[Array],
    changed: Changed,
    *,
    reduction: Reduction = "mean",
    footprint: Footprint = "covering",
    color: Color = "linear",
    alpha: Alpha = "independent",
    alpha_threshold: float = 0.5,
    normal_map: bool = False,
    filter: MipFilter = "box",
    filter_input: MipFilterInput = "finer_level",
    boundary: Boundary = "clamp",
    ringing: Ringing = "keep",
    kaiser_width: float = 3.0,
    kaiser_alpha: float = 4.0,
    engine: str = "auto",
    threads: Optional[int] = None,
    progress: Optional[Progress] = None,
) -> List[Array]:
    """Rewrites the texels of a pyramid that a change inside a rectangle affects; returns the levels.

    The result is that of build_pyramid() with the same options. The whole base is read. Pyramid.update() after
    Pyramid.build() reads only the rectangle.

    Args:
        a: the changed base.
        levels: the list that build_pyramid() returned, or its levels from level 1.
        changed: the rectangle as two slices, np.s_[rows, columns], or (y0, y1, x0, x1).
        reduction, footprint, color, alpha, alpha_threshold, normal_map, filter, filter_input, boundary, ringing,
            kaiser_width, kaiser_alpha, engine, threads, progress: as in build_pyramid(), and those with which the
            levels were made.

    Raises:
        ArgumentError (a ValueError): an argument is out of range.

    >>> import numpy as np, onepass
    >>> a = np.zeros((64, 64), np.uint8)
    >>> levels = onepass.build_pyramid(a, reduction="max")
    >>> a[5, 7] = 200
    >>> int(onepass.update(a, levels, np.s_[5:6, 7:8], reduction="max")[-1][0, 0])
    200
    """
    source = _arrays.as_array(a, "a")
    try:
        count = len(levels)
        first = levels[0] if count else None
    except (TypeError, KeyError, ValueError):
        raise refuse("levels", f"is a {type(levels).__name__}, expected a list of arrays") from None
    if isinstance(first, np.ndarray) and first.shape != source.shape:
        count += 1
    # An engine of its own: engines in the cache keep levels of other images.
    pyramid = Pyramid(
        source.shape,
        source.dtype,
        reduction=reduction,
        footprint=footprint,
        levels=count,
        color=color,
        alpha=alpha,
        alpha_threshold=alpha_threshold,
        normal_map=normal_map,
        filter=filter,
        filter_input=filter_input,
        boundary=boundary,
        ringing=ringing,
        kaiser_width=kaiser_width,
        kaiser_alpha=kaiser_alpha,
        engine=engine,
        threads=threads,
    )
    return pyramid.update(source, levels, changed, progress=progress)


def tile_reduce(
    a: ArrayLike,
    factor: int = 16,
    *,
    reduction: TileReduction = "min",
    color: Color = "linear",
    out: Optional[Array] = None,
    engine: str = "auto",
    threads: Optional[int] = None,
) -> Array:
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
    if isinstance(reduction, str) and reduction == "mode":  # type: ignore[comparison-overlap]
        raise refuse("reduction", 'is "mode", expected "min", "max", "mean" or "min_max"')
    if _cuda.is_cuda(a):
        return _cuda_light.tile_reduce(a, engine, out, dict(factor=factor, reduction=reduction, color=color))
    source = _source(a, reduction)
    array = source.array
    key = ("tiles", array.shape, array.dtype.char, factor, reduction, color, engine, threads)

    def create() -> Any:
        options = _options.call(engine, threads, factor=factor, reduction=reduction, color=color)
        return _engines.TileReduction(array.shape, array.dtype.char, options)

    held = _cache.take(key, create)
    try:
        target = _target(source, _arrays.like(held.shape, array.ndim), out, "out")
        _arrays.count_copy(held.reduce(array, target.array))
        return target.finish()
    finally:
        _cache.give(key, held)
