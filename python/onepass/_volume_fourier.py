"""Fourier transforms, convolution and deconvolution of volumes, on the CPU."""
from __future__ import annotations

from ctypes import byref, c_uint32, c_uint64
from typing import Any, List, Optional, Sequence, Tuple

import numpy as np

from . import _arrays, _c, _fields, _options, _volume, _watch
from ._errors import refuse
from ._fourier import _norm, _signal
from ._library import call, initialised, lib, sized
from ._types import (
    Array,
    ArrayLike,
    Boundary,
    ComplexArray,
    ConvolutionMode,
    DeconvolutionAcceleration,
    DeconvolutionStart,
    DTypeLike,
    FloatArray,
    KernelScale,
    Norm,
    Progress,
)

_TYPES = tuple(name for name in _volume.TYPES if name != "uint64")


def _size3(zyx: Sequence[int]) -> Any:
    z, y, x = (_fields.integer(extent, "size", c_uint32) for extent in zyx)
    return _c.onepass_volume_size(width=x, height=y, planes=z)


def _view(a: Array, kind: Any) -> Any:
    """Strides of an array (Z, Y, X), or of (Z, Y, X) pairs."""
    row = a[0, 0].nbytes
    rows = a.strides[1] if a.shape[1] > 1 else row
    planes = a.strides[0] if a.shape[0] > 1 else rows * (a.shape[1] - 1) + row
    return kind(data=a.ctypes.data, row_stride=rows, plane_stride=planes)


def _run(
    function: Any, options: Any, threads: Optional[int], progress: Optional[Progress], large: bool, *rest: Any
) -> None:
    """Calls a function of the library, where a long call reports and can be interrupted."""
    tuning = initialised(_c.onepass_cpu_tuning)
    tuning.threads = 0 if threads is None else _fields.integer(threads, "threads", c_uint32)
    _watch.check(progress)
    state = _watch.State()
    report = _watch.callback(state, _c.onepass_progress)
    tuning.progress = report

    def work() -> None:
        call(function, byref(options), byref(tuning), *rest)

    if progress is None and not large:
        work()
    else:
        _watch.run(state, progress, work, ())


# ---- Transforms


def _fitted(a: Array, shape: Sequence[int]) -> Array:
    """The last three axes cropped or padded with zeros, as numpy.fft does it."""
    if a.shape[-3:] == tuple(shape):
        return a
    fitted = np.zeros(a.shape[:-3] + tuple(shape), a.dtype)
    z, y, x = (min(has, wants) for has, wants in zip(a.shape[-3:], shape))
    fitted[..., :z, :y, :x] = a[..., :z, :y, :x]
    _arrays.count_copy(fitted.nbytes)
    return fitted


def _transform(
    a: ArrayLike, is_complex: bool, inverse: bool, s: Any, axes: Any, norm: Any, out: Any, threads: Any
) -> Array:
    source = _signal(a, "a", is_complex or inverse, "fft3")
    if source.dtype.char == "e":
        _arrays.count_copy(2 * source.nbytes)
        source = source.astype(np.float32)
    ndim = source.ndim
    given = _options.indices(axes, "axes", 3, "three integers")
    if ndim < 3:
        raise refuse("a", f"has {ndim} dimensions, expected 3 or more")
    for axis in given:
        if not -ndim <= axis < ndim:
            raise refuse("axes", f"contains {axis}; a has {ndim} dimensions")
    if len({axis % ndim for axis in given}) != 3:
        raise refuse("axes", "must be three different axes")
    moved = np.moveaxis(source, given, (-3, -2, -1))
    if s is not None:
        s = _options.indices(s, "s", 3, "three integers")
        if min(s) < 1 or max(s) > 65535:
            raise refuse("s", f"is {s!r}, expected integers from 1 to 65535")
    if inverse and not is_complex:
        z, y, x = moved.shape[-3:] if s is None else s
        size = (z, y, max(1, 2 * (x - 1)) if s is None else x)
        moved = _fitted(moved, (size[0], size[1], size[2] // 2 + 1))
    else:
        size = moved.shape[-3:] if s is None else s
        moved = _fitted(moved, size)
    if not (moved.flags.c_contiguous and moved.flags.aligned):
        _arrays.count_copy(moved.nbytes)
        moved = np.array(moved, order="C")
    options = initialised(_c.onepass_volume_transform_options)
    options.size = _size3(size)
    options.signal = _c.ONEPASS_SIGNAL["complex" if is_complex else "real"]
    options.norm = _fields.word(_norm(norm), "norm", _c.ONEPASS_NORM, ("none",))
    half = (size[0], size[1], size[2] if is_complex else size[2] // 2 + 1)
    shape = moved.shape[:-3] + (tuple(size) if inverse else half)
    dtype = np.dtype(np.complex64 if is_complex or not inverse else np.float32)
    back = np.moveaxis(np.empty(shape, dtype), (-3, -2, -1), given)
    target = _arrays.Output(out, back.shape, dtype, sources=(source,), packed=True)
    in_place = back.flags.c_contiguous and back.strides == target.array.strides
    result = target.array.reshape(shape) if in_place else np.empty(shape, dtype)
    volumes = (-1,) + moved.shape[-3:]
    for from_volume, to_volume in zip(moved.reshape(volumes), result.reshape((-1,) + shape[-3:])):
        large = from_volume.nbytes >= _watch.SHORT
        if inverse:
            view = byref(_view(to_volume, _c.onepass_mutable_volume_view))
            function = lib.onepass_cpu_inverse_transform_volume
            _run(function, options, threads, None, large, from_volume.ctypes.data, from_volume.nbytes, view)
        else:
            view = byref(_view(from_volume, _c.onepass_volume_view))
            function = lib.onepass_cpu_transform_volume
            _run(function, options, threads, None, large, view, to_volume.ctypes.data, to_volume.nbytes)
    if not in_place:
        restored = np.moveaxis(result, (-3, -2, -1), given)
        if out is None:
            return restored
        _arrays.count_copy(restored.nbytes)
        target.array[...] = restored
    return target.finish()


def rfft3(
    a: ArrayLike,
    s: Optional[Sequence[int]] = None,
    axes: Sequence[int] = (-3, -2, -1),
    norm: Optional[Norm] = None,
    *,
    out: Optional[Array] = None,
    threads: Optional[int] = None,
) -> ComplexArray:
    """The three-dimensional Fourier transform of real volumes: the non-negative half of the last axis.

    numpy.fft.rfftn over three axes, in single precision: the relative error (L2) is below 5e-7. Every size from 1 to
    65535 works; factors 2, 3, 5 and 7 are fast (next_smooth_size). On the CPU.

    Args:
        a: real array of three or more dimensions. float32 is read in place; others are converted to float32.
        s: the size (z, y, x) of the transform: `a` is cropped or padded with zeros; None: the size of `a`.
        axes: the axes of z, y and x. Others than the last three cost a copy.
        norm: "backward" (None), "ortho" or "forward", as in NumPy.
        out: complex64 array of the result's shape.
        threads: the largest number of threads; None or 0: all that the process may use.

    Returns:
        complex64, shape of `a` (or `s`) with X // 2 + 1 instead of X.

    Raises:
        ArgumentError (a ValueError): an argument is out of range. OutOfMemoryError.

    >>> import numpy as np, onepass
    >>> volume = np.random.default_rng(1).random((20, 32, 48), np.float32)
    >>> spectrum = onepass.rfft3(volume)
    >>> spectrum.shape, spectrum.dtype
    ((20, 32, 25), dtype('complex64'))
    >>> bool(np.allclose(spectrum, np.fft.rfftn(volume), atol=1e-2))
    True
    """
    return _transform(a, False, False, s, axes, norm, out, threads)


def irfft3(
    a: ArrayLike,
    s: Optional[Sequence[int]] = None,
    axes: Sequence[int] = (-3, -2, -1),
    norm: Optional[Norm] = None,
    *,
    out: Optional[Array] = None,
    threads: Optional[int] = None,
) -> FloatArray:
    """The inverse of rfft3: real volumes from half spectra.

    Args:
        a: complex array, complex64 in place. Imaginary parts that a real volume cannot have are ignored.
        s: the size (z, y, x) of the result; None: (z, y, 2 * (x - 1)). State it for odd widths.
        axes, norm, threads: as in rfft3().
        out: float32 array of the result's shape.

    Returns:
        float32.

    Raises:
        ArgumentError (a ValueError): an argument is out of range. OutOfMemoryError.

    >>> import numpy as np, onepass
    >>> volume = np.random.default_rng(1).random((9, 20, 33), np.float32)
    >>> again = onepass.irfft3(onepass.rfft3(volume), s=volume.shape)
    >>> bool(np.abs(again - volume).max() < 1e-6)
    True
    """
    return _transform(a, False, True, s, axes, norm, out, threads)


def fft3(
    a: ArrayLike,
    s: Optional[Sequence[int]] = None,
    axes: Sequence[int] = (-3, -2, -1),
    norm: Optional[Norm] = None,
    *,
    out: Optional[Array] = None,
    threads: Optional[int] = None,
) -> ComplexArray:
    """The three-dimensional Fourier transform of complex volumes, as numpy.fft.fftn in single precision.

    Args:
        a: complex64 in place; complex128 and real numbers are converted. rfft3 takes half the time for real volumes.
        s, axes, norm, out, threads: as in rfft3().

    Returns:
        complex64.

    Raises:
        ArgumentError (a ValueError): an argument is out of range. OutOfMemoryError.

    >>> import numpy as np, onepass
    >>> onepass.fft3(np.ones((2, 2, 2)))[0, 0].real
    array([8., 0.], dtype=float32)
    """
    return _transform(a, True, False, s, axes, norm, out, threads)


def ifft3(
    a: ArrayLike,
    s: Optional[Sequence[int]] = None,
    axes: Sequence[int] = (-3, -2, -1),
    norm: Optional[Norm] = None,
    *,
    out: Optional[Array] = None,
    threads: Optional[int] = None,
) -> ComplexArray:
    """The inverse of fft3, as numpy.fft.ifftn in single precision.

    Arguments, result and errors are those of fft3().

    >>> import numpy as np, onepass
    >>> bool(abs(onepass.ifft3(onepass.fft3(np.ones((3, 4, 5)))) - 1).max() < 1e-6)
    True
    """
    return _transform(a, True, True, s, axes, norm, out, threads)


# ---- Convolution and deconvolution


def _volume_of(value: ArrayLike, name: str) -> Array:
    """A volume (Z, Y, X) of a type of the library, whose rows can be read in place."""
    a = _arrays.as_array(value, name)
    if a.ndim != 3:
        raise refuse(name, f"has {a.ndim} dimensions, expected (Z, Y, X)")
    if a.size == 0:
        raise refuse(name, f"is empty: its shape is {a.shape}")
    if a.dtype.kind not in "uif" or a.dtype.name in ("uint64", "int64"):
        raise refuse(name, f"has dtype {a.dtype}, expected {', '.join(_TYPES)} or float64")
    return _volume._readable_volume(_volume.typed(a, name, None))


def _kernel_of(kernel: ArrayLike) -> Array:
    a = _arrays.as_array(kernel, "kernel")
    if a.ndim != 3 or a.size == 0:
        raise refuse("kernel", f"has shape {a.shape}, expected (z, y, x)")
    if a.dtype.kind not in "buif":
        raise refuse("kernel", f"has dtype {a.dtype}, expected real numbers")
    return np.ascontiguousarray(a, np.float32)


def _type(dtype: "np.dtype[Any]", name: str) -> int:
    if dtype.name not in _TYPES:
        raise refuse(name, f"is {dtype}, expected one of {', '.join(_TYPES)}")
    return _c.ONEPASS_VOXEL_TYPE[dtype.name.upper()]


def _result_type(dtype: Any, out: Optional[Array]) -> "np.dtype[Any]":
    try:
        asked = np.dtype(np.float32 if dtype is None else dtype).newbyteorder("=")
    except TypeError:
        raise refuse("dtype", f"is {dtype!r}, expected a dtype") from None
    return out.dtype.newbyteorder("=") if dtype is None and isinstance(out, np.ndarray) else asked


def _set_volume(options: Any, source: Array, weights: Array, result: "np.dtype[Any]", dtype: Any, origin: Any) -> None:
    """`dtype`: the argument; None: the result has the dtype of `out`."""
    options.size = _size3(source.shape)
    options.source = _type(source.dtype, "volume")
    options.target = _type(result, "out" if dtype is None else "dtype")
    options.kernel_size = _size3(weights.shape)
    if origin is None:
        at: Sequence[int] = [(extent - 1) // 2 for extent in weights.shape]
    else:
        at = _options.indices(origin, "origin", 3, "three integers (z, y, x)")
    z, y, x = (_fields.integer(value, "origin", c_uint32) for value in at)
    options.has_kernel_origin = 1
    options.kernel_origin = _c.onepass_volume_point(x=x, y=y, z=z)


def _written(out: Optional[Array], shape: Tuple[int, ...], dtype: Any, source: Array) -> _arrays.Output:
    """An output whose rows are in place, as those of a memory map."""
    if (
        isinstance(out, np.ndarray)
        and out.shape == shape
        and out.dtype == dtype
        and out.dtype.isnative
        and out.flags.writeable
        and out.flags.c_contiguous
        and not np.may_share_memory(out, source)
    ):
        target = _arrays.Output(None, (0,), dtype)
        target.result = target.array = out
        return target
    return _arrays.Output(out, shape, dtype, sources=(source,), packed=True)


def convolve3(
    volume: ArrayLike,
    kernel: ArrayLike,
    mode: ConvolutionMode = "same",
    *,
    boundary: Boundary = "zero",
    origin: Optional[Sequence[int]] = None,
    scale: KernelScale = "none",
    dtype: Optional[DTypeLike] = None,
    out: Optional[Array] = None,
    threads: Optional[int] = None,
    progress: Optional[Progress] = None,
) -> Array:
    """Convolves a volume with a kernel of any size, by multiplication of spectra, on the CPU.

    The result is that of scipy.signal.fftconvolve. The cost does not depend on the kernel.

    Args:
        volume: (Z, Y, X) of any integer dtype of up to 32 bits, float16 or float32, in memory or a memory map; float64
            is converted to float32.
        kernel: (z, y, x) of real numbers, converted to float32.
        mode: "same", "full" or "valid", as in SciPy.
        boundary: content beyond the edges: "zero", "wrap", "clamp" or "mirror" (with the edge voxel repeated).
        origin: the kernel voxel (z, y, x) that is aligned with the volume's; None: (n - 1) // 2 per axis, as in SciPy.
        scale: "none" or "unit_sum" (weights are divided by their sum).
        dtype: of the result: float32 (None), or an integer type, whose values are rounded and clipped.
        out: array of the result's shape, whose dtype is that of the result; it may be a memory map.
        threads: the largest number of threads; None or 0: all that the process may use.
        progress: called with the fraction done, about ten times a second; returns False to cancel.

    Raises:
        ArgumentError (a ValueError): an argument is out of range. DataError (a ValueError): weights that are not
        finite, or a sum of 0 with "unit_sum". CancelledError. OutOfMemoryError.

    >>> import numpy as np, onepass
    >>> a = np.zeros((3, 3, 4), np.uint16); a[1, 1, 1] = 10
    >>> onepass.convolve3(a, np.ones((1, 1, 3)), dtype=np.uint16)[1]
    array([[ 0,  0,  0,  0],
           [10, 10, 10,  0],
           [ 0,  0,  0,  0]], dtype=uint16)
    """
    source = _volume_of(volume, "volume")
    weights = _kernel_of(kernel)
    result = _result_type(dtype, out)
    options = initialised(_c.onepass_volume_convolution_options)
    _set_volume(options, source, weights, result, dtype, origin)
    _options.call("auto", threads, boundary=boundary)
    options.boundary = _fields.word(boundary, "boundary", _c.ONEPASS_BOUNDARY)
    options.mode = _fields.word(mode, "mode", _c.ONEPASS_CONVOLUTION_MODE)
    options.scale = _fields.word(scale, "scale", _c.ONEPASS_KERNEL_SCALE)
    plan = sized(_c.onepass_volume_convolution_plan)
    call(lib.onepass_plan_volume_convolution, byref(options), byref(plan))
    shape = (plan.result_size.planes, plan.result_size.height, plan.result_size.width)
    target = _written(out, shape, result, source)
    views = [_view(source, _c.onepass_volume_view), _view(weights, _c.onepass_volume_view)]
    views.append(_view(target.array, _c.onepass_mutable_volume_view))
    large = source.nbytes >= _watch.SHORT
    _run(lib.onepass_cpu_convolve_volume, options, threads, progress, large, *(byref(view) for view in views))
    return target.finish()


def deconvolve3(
    volume: ArrayLike,
    kernel: ArrayLike,
    iterations: int = 20,
    *,
    acceleration: DeconvolutionAcceleration = "none",
    background: float = 0.0,
    start: DeconvolutionStart = "image",
    origin: Optional[Sequence[int]] = None,
    max_bytes: int = 1 << 31,
    halo: Optional[Sequence[int]] = None,
    dtype: Optional[DTypeLike] = None,
    out: Optional[Array] = None,
    threads: Optional[int] = None,
    progress: Optional[Progress] = None,
) -> Array:
    """Removes a known blur from a volume by Richardson-Lucy, on the CPU.

    The content beyond the edges is unknown and estimated, too, so that edges do not ring. Volumes that need more than
    `max_bytes` are deconvolved in tiles; with memory maps as `volume` and `out` they need not fit into memory.

    Args:
        volume: (Z, Y, X) of any integer dtype of up to 32 bits, float16 or float32, in memory or a memory map; float64
            is converted to float32. Negative voxels and NaN count as 0.
        kernel: the measured point spread function (z, y, x); it is scaled to sum 1 and has no negative weight.
        iterations: 1 to 10000. More iterations: sharper and noisier.
        acceleration: "none", or "momentum" (Wang and Miller): 20 iterations reach what 60 do without; one more
            array of floats.
        background: of the detector and the medium, in the unit of the volume: it is in the volume, not in the result.
        start: "image", or "constant", which leaves less noise in few iterations.
        origin: the voxel (z, y, x) of the kernel that is the position of the light; None: (n - 1) // 2 per axis.
            np.unravel_index(kernel.argmax(), kernel.shape) is its brightest voxel.
        max_bytes: memory that the call may allocate besides the result; decides the tiles.
        halo: voxels (z, y, x) that a tile reads beyond itself; None: half of the kernel.
        dtype: of the result: float32 (None), or an integer type, whose values are rounded and clipped.
        out: array of the shape of `volume`, whose dtype is that of the result; it may be a memory map.
        threads: the largest number of threads; None or 0: all that the process may use.
        progress: called with the fraction done, about ten times a second; returns False to cancel.

    Raises:
        ArgumentError (a ValueError): an argument is out of range. DataError (a ValueError): weights that are negative,
        not finite or all 0. CancelledError. OutOfMemoryError.

    >>> import numpy as np, onepass
    >>> beads = np.zeros((12, 24, 24), np.float32); beads[6, 8, 9] = 1000
    >>> z, y, x = np.mgrid[-3:4, -3:4, -3:4]
    >>> psf = np.exp(-(x**2 + y**2) / 2 - z**2 / 4)
    >>> blurred = onepass.convolve3(beads, psf, scale="unit_sum")
    >>> sharp = onepass.deconvolve3(blurred, psf, 50, acceleration="momentum")
    >>> bool(blurred.max() < 50 and sharp[6, 8, 9] > 900)
    True
    """
    source = _volume_of(volume, "volume")
    weights = _kernel_of(kernel)
    result = _result_type(dtype, out)
    options = initialised(_c.onepass_volume_deconvolution_options)
    _set_volume(options, source, weights, result, dtype, origin)
    options.iterations = _fields.integer(iterations, "iterations", c_uint32)
    options.acceleration = _fields.word(acceleration, "acceleration", _c.ONEPASS_DECONVOLUTION_ACCELERATION)
    options.start = _fields.word(start, "start", _c.ONEPASS_DECONVOLUTION_START)
    options.background = _options.number(background, "background")
    options.max_bytes = _fields.integer(max_bytes, "max_bytes", c_uint64)
    if halo is not None:
        options.has_halo = 1
        given: List[int] = list(_options.indices(halo, "halo", 3, "three integers (z, y, x)"))
        z, y, x = (_fields.integer(extent, "halo", c_uint32) for extent in given)
        options.halo = _c.onepass_volume_size(width=x, height=y, planes=z)
    plan = sized(_c.onepass_volume_deconvolution_plan)
    call(lib.onepass_plan_volume_deconvolution, byref(options), byref(plan))
    target = _written(out, source.shape, result, source)
    views = [_view(source, _c.onepass_volume_view), _view(weights, _c.onepass_volume_view)]
    views.append(_view(target.array, _c.onepass_mutable_volume_view))
    large = source.nbytes * int(options.iterations) >= _watch.SHORT
    _run(lib.onepass_cpu_deconvolve_volume, options, threads, progress, large, *(byref(view) for view in views))
    return target.finish()
