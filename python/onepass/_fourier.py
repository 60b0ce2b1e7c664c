"""Fourier transforms and operations on spectra."""
from __future__ import annotations

import os
from typing import Any, Dict, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from . import _arrays, _cache, _engines, _options
from ._errors import refuse
from ._pyramid import _made
from ._types import (
    AlphaPolicy,
    Array,
    ArrayLike,
    Boundary,
    Color,
    ComplexArray,
    ConvolutionMode,
    CorrelationKind,
    CorrelationWindow,
    DcGain,
    DeconvolutionEdges,
    DeconvolutionMethod,
    DeconvolutionStart,
    DTypeLike,
    FilterBand,
    FilterDomain,
    FilterShape,
    FloatArray,
    KernelChannels,
    KernelScale,
    Norm,
    PeakRefinement,
    Progress,
    WienerPrior,
)


class Shift(NamedTuple):
    """The shift that aligns a second image with a first one: first(x, y) ~ second(x - shift.x, y - shift.y)."""

    #: Texels to the right that the second image must move.
    x: float
    #: Texels down that it must move.
    y: float
    #: Correlation at the peak, 0 to 1.
    confidence: float


def _signal(value: Any, name: str, is_complex: bool, other: str = "fft2") -> Array:
    """float16, float32 or complex64; integers become float32 with their values."""
    a = _arrays.as_array(value, name)
    kind = a.dtype.kind
    if kind == "c" and not is_complex:
        raise refuse(name, f"is complex, expected real numbers; use {other}")
    if kind not in "buifc":
        raise refuse(name, f"has dtype {a.dtype}, expected numbers")
    if a.size == 0 or 0 in a.shape:
        raise refuse(name, f"is empty: its shape is {a.shape}")
    if kind in "bui" or (is_complex and kind == "f"):
        _arrays.count_copy(a.nbytes)
        return a.astype(np.complex64 if is_complex else np.float32, order="C")
    return _arrays.typed(a, name, "F" if is_complex else "ef")


class _Axes:
    """The axes of a call, as images (N, H, W, C)."""

    def __init__(self, a: Array, axes: Any, name: str, most_channels: int) -> None:
        ndim = a.ndim
        given = _options.indices(axes, "axes", 2, "two integers")
        if ndim < 2:
            raise refuse(name, f"has {ndim} dimensions, expected 2 or more")
        for axis in given:
            if not -ndim <= axis < ndim:
                raise refuse("axes", f"contains {axis}; {name} has {ndim} dimensions")
        y, x = (axis % ndim for axis in given)
        if y == x:
            raise refuse("axes", "must be two different axes")
        # (..., H, W, C): one to four channels after the axes are transformed together. Others are moved to the front.
        self.channels = (y, x) == (ndim - 3, ndim - 2) and a.shape[-1] <= most_channels
        last = [y, x, ndim - 1] if self.channels else [y, x]
        self.order = [i for i in range(ndim) if i not in last] + last
        self.back = list(np.argsort(self.order))
        self.moved = self.order != list(range(ndim))

    def images(self, a: Array) -> Array:
        """`a` as (N, H, W, C)."""
        if self.moved:
            a = a.transpose(self.order)
        if not self.channels:
            a = a[..., np.newaxis]
        if a.ndim == 3:
            return a[np.newaxis]
        if a.ndim == 4:
            return a
        shape = (-1,) + a.shape[-3:]
        view = a.reshape(shape)
        if not np.may_share_memory(view, a):
            _arrays.count_copy(a.nbytes)
        return view

    def shape(self, a: Array, height: int, width: int) -> Tuple[int, ...]:
        """The shape of `a` with another height and width."""
        moved = list(a.transpose(self.order).shape)
        at = len(moved) - (3 if self.channels else 2)
        moved[at], moved[at + 1] = height, width
        return tuple(moved[i] for i in self.back)

    def restore(self, images: Array, shape: Tuple[int, ...]) -> Array:
        """A view of (N, H, W, C) in the caller's order of axes."""
        if not self.moved:
            return images.reshape(shape)
        moved = [shape[i] for i in self.order]
        return images.reshape(moved).transpose(self.back)


def _norm(norm: Any) -> Any:
    return "backward" if norm is None else norm


def _processors() -> int:
    """The number of processors in the affinity mask, where the system has one."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _workers(threads: Any, workers: Any) -> Any:
    if workers is None or threads is not None:
        return threads
    count = _options.index(workers, "workers")
    if count < 0:
        count += 1 + _processors()
    if count < 1:
        raise refuse("workers", f"is {workers!r}")
    return count


def _size(s: Any, name: str = "s") -> Optional[Tuple[int, int]]:
    if s is None:
        return None
    height, width = _options.indices(s, name, 2, "two integers")
    if height < 1 or width < 1:
        raise refuse(name, f"is {s!r}, expected positive integers")
    return height, width


def _transform_engine(
    key_shape: Tuple[int, ...], char: str, size: Tuple[int, int], norm: Any, engine: str, threads: Any
) -> Tuple[Any, Any]:
    key = ("transform", key_shape, char, size, norm, engine, threads)

    def create() -> Any:
        options = _options.call(engine, threads, norm=norm, height=size[0], width=size[1])
        return _engines.Transform(key_shape, char, options)

    return key, _cache.take(key, create)


def _forward(
    a: ArrayLike, is_complex: bool, s: Any, axes: Any, norm: Any, out: Optional[Array], threads: Any, engine: str
) -> Array:
    source = _signal(a, "a", is_complex)
    axis = _Axes(source, axes, "a", 2 if is_complex else 4)
    images = _arrays.readable(axis.images(source))
    size = _size(s) or (images.shape[1], images.shape[2])
    key, held = _transform_engine(images.shape, images.dtype.char, size, _norm(norm), engine, threads)
    try:
        spectrum = held.spectrum_shape
        shape = axis.shape(source, spectrum[1], spectrum[2])
        if axis.moved:
            packed = np.empty(spectrum, np.complex64)
            _arrays.count_copy(held.forward(images, packed))
            result = axis.restore(packed, shape)
            if out is None:
                return result
            target = _arrays.Output(out, shape, np.complex64, packed=True)
            _arrays.count_copy(result.nbytes)
            target.result[...] = result
            return target.result
        target = _arrays.Output(out, shape, np.complex64, sources=(source,), packed=True)
        _arrays.count_copy(held.forward(images, target.array.reshape(spectrum)))
        return target.finish()
    finally:
        _cache.give(key, held)


def _fitted(spectrum: Array, height: int, width: int) -> Array:
    """A spectrum (N, H, W, C) cropped or padded with zeros, as numpy.fft does it."""
    if spectrum.shape[1:3] == (height, width):
        return spectrum
    fitted = np.zeros((spectrum.shape[0], height, width, spectrum.shape[3]), np.complex64)
    rows, columns = min(height, spectrum.shape[1]), min(width, spectrum.shape[2])
    fitted[:, :rows, :columns] = spectrum[:, :rows, :columns]
    _arrays.count_copy(fitted.nbytes)
    return fitted


def _inverse(
    a: ArrayLike, is_complex: bool, s: Any, axes: Any, norm: Any, out: Optional[Array], threads: Any, engine: str
) -> Array:
    source = _signal(a, "a", True)
    axis = _Axes(source, axes, "a", 2 if is_complex else 4)
    images = axis.images(source)
    size = _size(s)
    if size is None:
        size = (images.shape[1], images.shape[2] if is_complex else max(1, 2 * (images.shape[2] - 1)))
    height, width = size
    images = _fitted(images, height, width if is_complex else width // 2 + 1)
    if not (images.flags.c_contiguous and images.flags.aligned):
        _arrays.count_copy(images.nbytes)
        images = np.array(images, order="C")
    channels = images.shape[3]
    dtype = np.dtype(np.complex64 if is_complex else np.float32)
    key, held = _transform_engine(
        (images.shape[0], height, width, channels), dtype.char, size, _norm(norm), engine, threads
    )
    try:
        result = held.result_shape
        shape = axis.shape(source, height, width)
        if axis.moved:
            pixels = np.empty(result, dtype)
            _arrays.count_copy(held.inverse(images, pixels))
            restored = axis.restore(pixels, shape)
            if out is None:
                return restored
            target = _arrays.Output(out, shape, dtype, packed=True)
            _arrays.count_copy(restored.nbytes)
            target.result[...] = restored
            return target.result
        target = _arrays.Output(out, shape, dtype, sources=(source,), packed=True)
        _arrays.count_copy(held.inverse(images, target.array.reshape(result)))
        return target.finish()
    finally:
        _cache.give(key, held)


def rfft2(
    a: ArrayLike,
    s: Optional[Sequence[int]] = None,
    axes: Sequence[int] = (-2, -1),
    norm: Optional[Norm] = None,
    overwrite_x: bool = False,
    workers: Optional[int] = None,
    *,
    out: Optional[Array] = None,
    threads: Optional[int] = None,
    engine: str = "auto",
) -> ComplexArray:
    """The two-dimensional Fourier transform of real images: the non-negative half of the last axis.

    A replacement for numpy.fft.rfft2 and scipy.fft.rfft2, in single precision: the relative error (L2) is below 5e-7.
    Every size from 1 to 65535 works; factors 2, 3, 5 and 7 are fast (next_smooth_size).

    Args:
        a: real array of two or more dimensions. float16 and float32 are read in place; float64 is converted to float32,
            integers to float32 with their values.
        s: the size (height, width) of the transform: `a` is cropped or padded with zeros; None: the size of `a`.
        axes: the axes of height and width. (-2, -1) transforms every image of a stack; (0, 1) all channels of an image
            (H, W, C), in one pass if C is 1 to 4. Axes in another order cost a copy.
        norm: "backward" (None), "ortho" or "forward", as in NumPy.
        overwrite_x: accepted for compatibility; `a` is never overwritten.
        workers: the same as threads; negative numbers count from the processors of the affinity mask (-1: all).
        out: complex64 array of the result's shape.
        threads: the largest number of threads; None or 0: all that the process may use.
        engine: "auto" and "cpu": the CPU; "vulkan" or "vulkan:DEVICE": a GPU.

    Returns:
        complex64, shape of `a` (or `s`) with W // 2 + 1 instead of W.

    Raises:
        ArgumentError (a ValueError): an argument is out of range. OutOfMemoryError.

    >>> import numpy as np, onepass
    >>> image = np.random.default_rng(1).random((480, 640), np.float32)
    >>> spectrum = onepass.rfft2(image)
    >>> spectrum.shape, spectrum.dtype
    ((480, 321), dtype('complex64'))
    >>> bool(np.allclose(spectrum[0, 0].real, image.sum(), rtol=1e-5))
    True
    """
    return _forward(a, False, s, axes, norm, out, _workers(threads, workers), engine)


def irfft2(
    a: ArrayLike,
    s: Optional[Sequence[int]] = None,
    axes: Sequence[int] = (-2, -1),
    norm: Optional[Norm] = None,
    overwrite_x: bool = False,
    workers: Optional[int] = None,
    *,
    out: Optional[Array] = None,
    threads: Optional[int] = None,
    engine: str = "auto",
) -> FloatArray:
    """The inverse of rfft2: real images from half spectra.

    Args:
        a: complex array, complex64 in place; complex128 is converted to complex64. Imaginary parts that a real image
            cannot have are ignored.
        s: the size (height, width) of the result; None: (rows, 2 * (columns - 1)). State it for odd widths.
        axes, norm, overwrite_x, workers, threads, engine: as in rfft2().
        out: float32 array of the result's shape.

    Returns:
        float32.

    Raises:
        ArgumentError (a ValueError): an argument is out of range. OutOfMemoryError.

    >>> import numpy as np, onepass
    >>> image = np.random.default_rng(1).random((35, 63), np.float32)
    >>> again = onepass.irfft2(onepass.rfft2(image), s=image.shape)
    >>> bool(np.abs(again - image).max() < 1e-6)
    True
    """
    return _inverse(a, False, s, axes, norm, out, _workers(threads, workers), engine)


def fft2(
    a: ArrayLike,
    s: Optional[Sequence[int]] = None,
    axes: Sequence[int] = (-2, -1),
    norm: Optional[Norm] = None,
    overwrite_x: bool = False,
    workers: Optional[int] = None,
    *,
    out: Optional[Array] = None,
    threads: Optional[int] = None,
    engine: str = "auto",
) -> ComplexArray:
    """The two-dimensional Fourier transform of complex images, as numpy.fft.fft2 in single precision.

    Args:
        a: complex64 in place; complex128 and real numbers are converted to complex64. rfft2 takes half the time for
            real images.
        s, axes, norm, overwrite_x, workers, out, threads, engine: as in rfft2(); images (H, W, C) with axes=(0, 1) are
            transformed in one pass if C is 1 or 2.

    Returns:
        complex64.

    Raises:
        ArgumentError (a ValueError): an argument is out of range. OutOfMemoryError.

    >>> import numpy as np, onepass
    >>> onepass.fft2(np.array([[1, 2], [3, 4]])).real
    array([[10., -2.],
           [-4.,  0.]], dtype=float32)
    """
    return _forward(a, True, s, axes, norm, out, _workers(threads, workers), engine)


def ifft2(
    a: ArrayLike,
    s: Optional[Sequence[int]] = None,
    axes: Sequence[int] = (-2, -1),
    norm: Optional[Norm] = None,
    overwrite_x: bool = False,
    workers: Optional[int] = None,
    *,
    out: Optional[Array] = None,
    threads: Optional[int] = None,
    engine: str = "auto",
) -> ComplexArray:
    """The inverse of fft2, as numpy.fft.ifft2 in single precision.

    Arguments, result and errors are those of fft2().

    >>> import numpy as np, onepass
    >>> onepass.ifft2(onepass.fft2(np.array([[1, 2], [3, 4j]])))
    array([[1.+0.j, 2.+0.j],
           [3.+0.j, 0.+4.j]], dtype=complex64)
    """
    return _inverse(a, True, s, axes, norm, out, _workers(threads, workers), engine)


def next_smooth_size(n: int) -> int:
    """The smallest size >= n without prime factors above 7, which transforms fastest.

    >>> import onepass
    >>> onepass.next_smooth_size(1081)
    1120
    """
    size = _options.index(n, "n")
    if not 0 <= size <= 1 << 31:
        raise refuse("n", f"is {n!r}, expected 0 to 2147483648")
    return _engines.next_smooth_size(size)


class Transform:
    """Transforms images of one shape and dtype again and again, without allocating.

    Args:
        shape: (H, W), (H, W, C) or (N, H, W, C); C from 1 to 4, for complex64 1 or 2.
        dtype: float32, float16 or complex64.
        norm, threads, engine: as in rfft2().

    Threads: calls from several threads work one after the other.

    >>> import numpy as np, onepass
    >>> transform = onepass.Transform((64, 48))
    >>> spectrum = transform.forward(np.ones((64, 48), np.float32))
    >>> image = transform.inverse(spectrum)
    >>> spectrum.shape, float(abs(image - 1).max()) < 1e-6
    ((64, 25), True)
    """

    def __init__(
        self,
        shape: Sequence[int],
        dtype: DTypeLike = np.float32,
        *,
        norm: Optional[Norm] = None,
        engine: str = "auto",
        threads: Optional[int] = None,
    ) -> None:
        self._shape = whole = _options.shape_of(shape)
        try:
            self._dtype = np.dtype(dtype).newbyteorder("=")
        except TypeError:
            raise refuse("dtype", f"is {dtype!r}, expected a dtype") from None
        if self._dtype.char not in "efF":
            raise refuse("dtype", f"is {self._dtype}, expected float32, float16 or complex64")
        char = self._dtype.char
        self._arguments: Dict[str, Any] = dict(norm=_norm(norm), engine=engine, threads=threads)
        arguments = self._arguments
        self._own = _cache.Own(lambda: _engines.Transform(whole, char, _options.call(**arguments)))
        self._spectrum = self._own.get().spectrum_shape
        self._result = np.dtype(np.complex64 if char == "F" else np.float32)

    def __reduce__(self) -> Tuple[Any, ...]:
        return _made, (Transform, (self._shape, self._dtype), self._arguments)

    def __repr__(self) -> str:
        defaults = {"norm": "backward", "engine": "auto", "threads": None}
        options = "".join(f", {name}={value!r}" for name, value in self._arguments.items() if value != defaults[name])
        return f"Transform({self._shape}, {self._dtype}{options})"

    @property
    def spectrum_shape(self) -> Tuple[int, ...]:
        """The shape of spectra."""
        return _arrays.like(self._spectrum, len(self._shape))

    def forward(self, a: ArrayLike, *, out: Optional[Array] = None) -> ComplexArray:
        """The spectrum (complex64) of an image of the object's shape and dtype.

        >>> import numpy as np, onepass
        >>> onepass.Transform((1, 2)).forward(np.array([[1, 2]], np.float32)).real
        array([[ 3., -1.]], dtype=float32)
        """
        source = _arrays.image(a, "a", "efF")
        if source.shape != self._shape or source.dtype != self._dtype:
            raise refuse(
                "a", f"has shape {source.shape} and dtype {source.dtype}, expected {self._shape} and " f"{self._dtype}"
            )
        target = _arrays.Output(out, self.spectrum_shape, np.complex64, sources=(source,), packed=True)
        _arrays.count_copy(self._own.get().forward(source, target.array.reshape(self._spectrum)))
        return target.finish()

    def inverse(self, spectrum: ArrayLike, *, out: Optional[Array] = None) -> Array:
        """The image (float32, or complex64) of a spectrum that forward() has made.

        >>> import numpy as np, onepass
        >>> onepass.Transform((1, 2)).inverse(np.array([[3, -1]], np.complex64))
        array([[1., 2.]], dtype=float32)
        """
        source = _arrays.typed(_arrays.as_array(spectrum, "spectrum"), "spectrum", "F")
        if source.shape != self.spectrum_shape:
            raise refuse("spectrum", f"has shape {source.shape}, expected {self.spectrum_shape}")
        if not (source.flags.c_contiguous and source.flags.aligned):
            _arrays.count_copy(source.nbytes)
            source = np.array(source, order="C")
        target = _arrays.Output(out, self._shape, self._result, sources=(source,))
        _arrays.count_copy(self._own.get().inverse(source.reshape(self._spectrum), target.array))
        return target.finish()


#: dtype characters of images that are convolved: signed integers are computed in float32.
_SIGNED_TOO = _arrays.IMAGE_TYPES + "bh"


def _origin(origin: Any, kernel: Array) -> Tuple[int, ...]:
    if origin is None:
        return (kernel.shape[0] - 1) // 2, (kernel.shape[1] - 1) // 2
    return _options.indices(origin, "origin", 2, "two integers (row, column)")


def _kernel(kernel: ArrayLike) -> Array:
    """A kernel image as float32 (h, w) or (h, w, C)."""
    a = _arrays.as_array(kernel, "kernel")
    if a.ndim not in (2, 3) or a.size == 0 or (a.ndim == 3 and a.shape[2] > 4):
        raise refuse("kernel", f"has shape {a.shape}, expected (h, w) or (h, w, C)")
    if a.dtype.kind not in "buif":
        raise refuse("kernel", f"has dtype {a.dtype}, expected real numbers")
    return np.ascontiguousarray(a, np.float32)


def _operate(
    make: Any,
    name: str,
    a: Array,
    kernel: Optional[Array],
    options: Dict[str, Any],
    out: Optional[Array],
    progress: Optional[Progress] = None,
) -> Array:
    if a.dtype.kind == "i":  # int8 and int16, which float32 holds exactly
        _arrays.count_copy(a.nbytes)
        values = _operate(make, name, a.astype(np.float32), kernel, options, None, progress)
        limits = np.iinfo(a.dtype)
        target = _arrays.Output(out, values.shape, a.dtype, sources=(a,))
        target.array[...] = np.clip(np.rint(values, out=values), limits.min, limits.max, out=values)
        return target.finish()
    shape = None if kernel is None else kernel.shape
    key = (name, a.shape, a.dtype.char, shape, _options.key(options))
    held = _cache.take(key, lambda: make(a.shape, a.dtype.char, shape, options))
    try:
        if kernel is not None:
            held.set_kernel(kernel)
        target = _arrays.Output(out, _arrays.like(held.shape, a.ndim), a.dtype, sources=(a,))
        _arrays.count_copy(held.apply(a, target.array, progress))
        return target.finish()
    finally:
        _cache.give(key, held)


def convolve(
    a: ArrayLike,
    kernel: ArrayLike,
    mode: ConvolutionMode = "same",
    *,
    boundary: Boundary = "zero",
    origin: Optional[Tuple[int, int]] = None,
    scale: KernelScale = "none",
    kernel_channels: KernelChannels = "shared",
    alpha: AlphaPolicy = "filter",
    mix: float = 1.0,
    color: Color = "linear",
    out: Optional[Array] = None,
    engine: str = "auto",
    threads: Optional[int] = None,
) -> Array:
    """Convolves images with a kernel image of any size, by multiplication of spectra.

    The result is that of scipy.signal.fftconvolve on every image and channel. The cost does not depend on the kernel.

    Args:
        a: (H, W), (H, W, C) or (N, H, W, C); uint8, uint16, int8, int16, float16, float32 or float64
            (converted). Results of integers are rounded and clipped to their range.
        kernel: (h, w), or (h, w, C) for kernel_channels="per_channel"; any real dtype, converted to float32.
        mode: "same", "full" or "valid", as in SciPy.
        boundary: content beyond the edges: "zero", "wrap", "clamp" or "mirror" (with the edge texel repeated: "reflect"
            of scipy.ndimage, "symmetric" of numpy.pad).
        origin: the kernel texel (row, column) that is aligned with the image texel; None: ((h - 1) // 2, (w - 1) // 2),
            as in SciPy.
        scale: "none", "unit_sum" (weights are divided by their sum) or "unit_sum_per_channel".
        alpha: of four channels: "filter" or "pass" (copied).
        mix: result = (1 - mix) * a + mix * convolved; other values than 1 need mode "same".
        color: "linear", or "srgb" for uint8 that is convolved as linear light.
        out, engine, threads: as in rfft2(); the dtype is that of `a`.

    Raises:
        ArgumentError (a ValueError): an argument is out of range. DataError (a ValueError): weights that are not
        finite, or a sum of 0 with "unit_sum". OutOfMemoryError.

    >>> import numpy as np, onepass
    >>> a = np.zeros((4, 5), np.uint8); a[1, 2] = 10
    >>> onepass.convolve(a, np.ones((3, 3)))
    array([[ 0, 10, 10, 10,  0],
           [ 0, 10, 10, 10,  0],
           [ 0, 10, 10, 10,  0],
           [ 0,  0,  0,  0,  0]], dtype=uint8)
    """
    source = _arrays.image(a, "a", _SIGNED_TOO)
    weights = _kernel(kernel)
    options = _options.call(
        engine,
        threads,
        mode=mode,
        boundary=boundary,
        origin=_origin(origin, weights),
        scale=scale,
        kernel_channels=kernel_channels,
        alpha=alpha,
        mix=mix,
        color=color,
    )
    return _operate(_engines.Convolver, "convolve", source, weights, options, out)


def deconvolve(
    a: ArrayLike,
    kernel: ArrayLike,
    method: DeconvolutionMethod = "wiener",
    *,
    iterations: int = 20,
    start: DeconvolutionStart = "image",
    noise: float = 0.01,
    prior: WienerPrior = "flat",
    edges: DeconvolutionEdges = "auto",
    origin: Optional[Tuple[int, int]] = None,
    kernel_channels: KernelChannels = "shared",
    alpha: AlphaPolicy = "pass",
    color: Color = "linear",
    out: Optional[Array] = None,
    engine: str = "auto",
    threads: Optional[int] = None,
    progress: Optional[Progress] = None,
) -> Array:
    """Removes a known blur from images.

    Args:
        a: (H, W), (H, W, C) or (N, H, W, C); uint8, uint16, float16, float32 or float64 (converted).
        kernel: the blur, (h, w), or (h, w, C) for kernel_channels="per_channel"; it is scaled to sum 1.
        method: "wiener" (linear, one pass) or "richardson_lucy" (iterative, never negative, for noise of counts).
        iterations: of Richardson-Lucy, 1 to 10000.
        start: the first estimate of Richardson-Lucy: "image", its edges repeated outside, or "constant", which leaves
            less noise in few iterations.
        noise: Wiener's noise power over image power, 0 or more.
        prior: Wiener's noise spectrum: "flat" or "laplacian" (damps fine detail more).
        edges: content beyond the edges: "auto" ("taper" for Wiener, or "mirror" if the kernel is larger than the image;
            "unknown" for Richardson-Lucy), "unknown" (Richardson-Lucy), "mirror", "taper" (Wiener) or "wrap".
        origin: as in convolve(). alpha: of four channels: "pass" (copied) or "filter".
        color, out, engine, threads: as in convolve().
        progress: on the CPU, called with the fraction done, about ten times a second; returns False to cancel.

    Raises:
        ArgumentError (a ValueError): an argument is out of range. DataError (a ValueError): weights that are not
        finite, sum to 0 or, for Richardson-Lucy, are negative. OutOfMemoryError, CancelledError.

    >>> import numpy as np, onepass
    >>> sharp = np.zeros((64, 64), np.float32); sharp[20:40, 30:35] = 1
    >>> blur = np.ones((5, 5))
    >>> blurred = onepass.convolve(sharp, blur, scale="unit_sum")
    >>> restored = onepass.deconvolve(blurred, blur, "richardson_lucy", iterations=30)
    >>> bool(abs(restored - sharp).mean() < abs(blurred - sharp).mean() / 2)
    True
    """
    source = _arrays.image(a, "a", _SIGNED_TOO)
    weights = _kernel(kernel)
    options = _options.call(
        engine,
        threads,
        method=method,
        iterations=iterations,
        start=start,
        noise=noise,
        prior=prior,
        edges=edges,
        origin=_origin(origin, weights),
        kernel_channels=kernel_channels,
        alpha=alpha,
        color=color,
    )
    return _operate(_engines.Deconvolver, "deconvolve", source, weights, options, out, progress)


def filter(
    a: ArrayLike,
    band: FilterBand = "low_pass",
    *,
    cutoff: float = 0.1,
    upper_cutoff: float = 0.2,
    shape: FilterShape = "butterworth",
    order: int = 2,
    sigma: Optional[float] = None,
    stop_gain: float = 0.0,
    pass_gain: float = 1.0,
    notches: Sequence[Tuple[float, float, float]] = (),
    dc: DcGain = "filter",
    domain: FilterDomain = "linear",
    log_offset: float = 1 / 256,
    alpha: AlphaPolicy = "filter",
    boundary: Boundary = "mirror",
    margin: int = 0,
    color: Color = "linear",
    out: Optional[Array] = None,
    engine: str = "auto",
    threads: Optional[int] = None,
) -> Array:
    """Filters images by a transfer function: each frequency is multiplied by a gain.

    Args:
        a: (H, W), (H, W, C) or (N, H, W, C); uint8, uint16, float16, float32 or float64 (converted).
        band: frequencies that pass: "low_pass", "high_pass", "band_pass", "band_stop", or "all" (for notches alone).
        cutoff, upper_cutoff: cycles per texel; 0.5 is the finest stripes. upper_cutoff is for "band_pass" and
            "band_stop".
        shape: "ideal", "butterworth" (of this order, 1 to 64) or "gaussian".
        sigma: a Gaussian low-pass (or high-pass) with this standard deviation in texels, instead of cutoff and shape.
        stop_gain, pass_gain: the gains outside and inside the band.
        notches: up to 32 frequencies to suppress, (fx, fy, radius) in cycles per texel.
        dc: the gain of the mean: "filter" (the formula), "keep" (1) or "remove" (0).
        domain: "linear", or "logarithm" (homomorphic, with log_offset as share of full scale).
        boundary: "mirror" (exact), "wrap", "clamp" or "zero", with `margin` texels on each side (0: automatic).
        alpha: of four channels: "filter" or "pass" (copied).
        color, out, engine, threads: as in convolve().

    Raises:
        ArgumentError (a ValueError): an argument is out of range. OutOfMemoryError.

    >>> import numpy as np, onepass
    >>> noisy = np.random.default_rng(1).random((256, 256), np.float32)
    >>> smooth = onepass.filter(noisy, sigma=3)
    >>> bool(smooth.std() < noisy.std() / 5)
    True
    """
    source = _arrays.image(a, "a", _SIGNED_TOO)
    if sigma is not None:
        try:
            cutoff = 1 / (2 * np.pi * float(sigma))
        except (TypeError, ValueError, ZeroDivisionError):
            raise refuse("sigma", f"is {sigma!r}, expected a positive number of texels") from None
        shape = "gaussian"
    try:
        notches = tuple(tuple(_options.number(n, "notches") for n in notch) for notch in notches)  # type: ignore[misc]
    except TypeError:
        raise refuse("notches", "must be a sequence of tuples (fx, fy, radius)") from None
    options = _options.call(
        engine,
        threads,
        band=band,
        cutoff=cutoff,
        upper_cutoff=upper_cutoff,
        shape=shape,
        order=order,
        stop_gain=stop_gain,
        pass_gain=pass_gain,
        notches=notches,
        dc=dc,
        domain=domain,
        log_offset=log_offset,
        alpha=alpha,
        boundary=boundary,
        margin=margin,
        color=color,
    )
    return _operate(_engines.Filter, "filter", source, None, options, out)


def _correlator(a: ArrayLike, b: ArrayLike, options: Dict[str, Any]) -> Tuple[Any, Any, Array, Array]:
    first, second = _arrays.image(a, "a", others="iub"), _arrays.image(b, "b", others="iub")
    if first.ndim == 4 or second.ndim == 4:
        raise refuse("a", "or b is a stack; one image is correlated at a time")
    if first.shape != second.shape:
        raise refuse("b", f"has shape {second.shape}, expected that of a, {first.shape}")
    key = ("correlate", first.shape, first.dtype.char, second.dtype.char, _options.key(options))
    held = _cache.take(key, lambda: _engines.Correlator(first.shape, first.dtype.char, second.dtype.char, options))
    return key, held, first, second


def align(
    a: ArrayLike,
    b: ArrayLike,
    *,
    kind: CorrelationKind = "phase",
    window: CorrelationWindow = "hann",
    refinement: PeakRefinement = "fourier",
    floor: float = 1e-5,
    color: Color = "linear",
    engine: str = "auto",
    threads: Optional[int] = None,
) -> Shift:
    """The shift between two images, to a fraction of a texel: a(x, y) ~ b(x - shift.x, y - shift.y).

    Args:
        a, b: images (H, W) or (H, W, C) of the same shape; of colours the luminance is correlated.
        kind: "phase" (all frequencies have the same weight: sharp, for photographs) or "cross" (Pearson's coefficient,
            for smooth or noisy images).
        window: "hann", or "none" for images that wrap around.
        refinement: "fourier" (exact for band-limited images), "parabola" or "none" (whole texels).
        floor: "phase": weaker frequencies, relative to the mean, are left out.
        color, engine, threads: as in convolve().

    Returns:
        Shift(x, y, confidence): texels to the right and down, and the correlation at the peak, 0 to 1.

    Raises:
        ArgumentError (a ValueError): an argument is out of range. DataError (a ValueError): NaN. OutOfMemoryError.

    >>> import numpy as np, onepass
    >>> b = np.random.default_rng(1).random((128, 128), np.float32)
    >>> a = np.roll(b, (5, -3), axis=(0, 1))
    >>> shift = onepass.align(a, b, window="none")
    >>> round(shift.x, 3), round(shift.y, 3), round(shift.confidence, 3)
    (-3.0, 5.0, 1.0)
    """
    options = _options.call(engine, threads, kind=kind, window=window, refinement=refinement, floor=floor, color=color)
    key, held, first, second = _correlator(a, b, options)
    try:
        x, y, confidence, copied = held.estimate(first, second)
        _arrays.count_copy(copied)
        return Shift(x, y, confidence)
    finally:
        _cache.give(key, held)


def correlate(
    a: ArrayLike,
    b: ArrayLike,
    *,
    kind: CorrelationKind = "phase",
    window: CorrelationWindow = "hann",
    floor: float = 1e-5,
    color: Color = "linear",
    out: Optional[Array] = None,
    engine: str = "auto",
    threads: Optional[int] = None,
) -> FloatArray:
    """The correlation of two images for all shifts.

    Arguments and errors are those of align().

    Returns:
        float32 (H, W): element (y, x) is the correlation for the shift (x, y), modulo the size; at most 1.

    >>> import numpy as np, onepass
    >>> b = np.random.default_rng(1).random((64, 64), np.float32)
    >>> surface = onepass.correlate(np.roll(b, (5, 3), axis=(0, 1)), b, window="none")
    >>> [int(i) for i in np.unravel_index(surface.argmax(), surface.shape)]
    [5, 3]
    """
    options = _options.call(engine, threads, kind=kind, window=window, floor=floor, color=color)
    key, held, first, second = _correlator(a, b, options)
    try:
        target = _arrays.Output(out, first.shape[:2], np.float32, sources=(first, second))
        _arrays.count_copy(held.correlate(first, second, target.array))
        return target.finish()
    finally:
        _cache.give(key, held)
