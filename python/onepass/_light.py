"""Meters, tone maps, local exposure and bloom."""
from __future__ import annotations

import os
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _arrays, _cache, _cuda, _cuda_light, _engines, _options
from ._errors import refuse
from ._fourier import _kernel, _operate
from ._types import (
    AgxLook,
    Array,
    ArrayLike,
    BloomMethod,
    BloomResolution,
    Boundary,
    Changed,
    Color,
    DTypeLike,
    ExposureRule,
    LuminanceWeights,
    Metering,
    MeterStatistic,
    ToneOperator,
    TonePrimaries,
    Transfer,
)

_FIELDS: "np.dtype[Any]" = np.dtype(_engines.meter_fields())  # type: ignore[call-overload]


class Measurement:
    """The light of one image.

    Linear values are in units of the array: floats as they are; uint8 and uint16 as fractions of 255 and 65535.

    Attributes:
        exposure (float): multiply linear colours by it.
        ev100 (float): exposure value at ISO 100 of adapted_luminance.
        log_average, mean_luminance, min_luminance, max_luminance (float): statistics of luminance.
        metered_luminance, adapted_luminance (float): the luminance of the exposure, before and after adaptation.
        mean_colour (float32 array of 3): the mean of red, green and blue.
        percentiles (float32 array of 8): the luminances of the percentiles asked for.
        histogram (uint64 array of 256): weights of bins of log2 of luminance from histogram_low to histogram_high.
        zero_weight, total_weight (int): weight of the pixels of luminance 0, and of all pixels.
        finite_count, nan_count, infinite_count, negative_count, zero_count (int): numbers of pixels.
        valid (bool): False if there was no finite pixel with a weight above 0.

    >>> import numpy as np, onepass
    >>> measured = onepass.meter(np.full((4, 4, 3), 0.5, np.float32))
    >>> round(measured.mean_luminance, 3), round(measured.exposure, 3)
    (0.5, 0.36)
    """

    __slots__ = ("_record",)

    def __init__(self, record: Any) -> None:
        self._record = record

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in (_FIELDS.names or ()):
            raise AttributeError(f"Measurement has no attribute {name!r}")
        value = self._record[name]
        if isinstance(value, np.ndarray):
            return value
        return bool(value) if name == "valid" else value.item()

    def __reduce__(self) -> Tuple[Any, ...]:
        return Measurement, (self._record,)

    def __dir__(self) -> List[str]:
        return list(_FIELDS.names or ())

    def __repr__(self) -> str:
        return (
            f"Measurement(exposure={self.exposure:.6g}, ev100={self.ev100:.6g}, "
            f"log_average={self.log_average:.6g}, min_luminance={self.min_luminance:.6g}, "
            f"max_luminance={self.max_luminance:.6g})"
        )


def _meter_options(options: Dict[str, Any], rect: Any, shape: Sequence[int]) -> Dict[str, Any]:
    if rect is not None:
        from ._pyramid import _rect

        height, width = shape[-3 if len(shape) > 2 else -2 :][:2]
        options["x"], options["y"], options["width"], options["height"] = _rect(rect, height, width, "rect")
    if options.get("percentiles") is not None:
        try:
            options["percentiles"] = tuple(options["percentiles"])
        except TypeError:
            raise refuse("percentiles", "must be a sequence of 8 shares") from None
    return options


def _mask(mask: ArrayLike) -> Array:
    a = _arrays.as_array(mask, "mask")
    if a.dtype.kind == "b":
        _arrays.count_copy(a.nbytes)
        a = a.astype(np.uint8) * np.uint8(255)
    a = _arrays.image(a, "mask")
    if a.ndim != 2:
        raise refuse("mask", f"has shape {a.shape}, expected (H, W)")
    return a


class Meter:
    """Meters images one after the other, with an exposure that adapts over time.

    Args:
        mask, rect, weights, metering, statistic, rule, delta, centre_x, centre_y, radius, histogram_low,
            histogram_high, clip_low, clip_high, lowest_ev100, highest_ev100, key, calibration, lens_attenuation, compensation,
            percentiles, color, engine, threads: as in meter().
        up_stops_per_second, down_stops_per_second, ease_stops: the speed of adaptation, 3, 1 and 1.5.

    Images may change in shape and dtype; the number of images of a stack stays the same. Threads: one call at a time.
    Adaptation begins with the first image that has light, at once; black images before it (no pixel brighter than
    delta), and images without a finite pixel, have exposure 1.

    >>> import numpy as np, onepass
    >>> meter = onepass.Meter(key=0.18)
    >>> first = meter.measure(np.full((8, 8), 0.18, np.float32))
    >>> later = meter.measure(np.full((8, 8), 1.8, np.float32), seconds=1 / 60)
    >>> round(first.exposure, 2), 0.9 < later.exposure < 1   # it follows slowly
    (1.0, True)
    """

    def __init__(
        self,
        *,
        mask: Optional[ArrayLike] = None,
        rect: Optional[Changed] = None,
        weights: Optional[LuminanceWeights] = None,
        metering: Optional[Metering] = None,
        statistic: Optional[MeterStatistic] = None,
        rule: Optional[ExposureRule] = None,
        delta: Optional[float] = None,
        centre_x: Optional[float] = None,
        centre_y: Optional[float] = None,
        radius: Optional[float] = None,
        histogram_low: Optional[float] = None,
        histogram_high: Optional[float] = None,
        clip_low: Optional[float] = None,
        clip_high: Optional[float] = None,
        lowest_ev100: Optional[float] = None,
        highest_ev100: Optional[float] = None,
        key: Optional[float] = None,
        calibration: Optional[float] = None,
        lens_attenuation: Optional[float] = None,
        compensation: Optional[float] = None,
        percentiles: Optional[Sequence[float]] = None,
        up_stops_per_second: Optional[float] = None,
        down_stops_per_second: Optional[float] = None,
        ease_stops: Optional[float] = None,
        color: Color = "linear",
        engine: str = "auto",
        threads: Optional[int] = None,
    ) -> None:
        self._mask = None if mask is None else _mask(mask)
        if self._mask is not None and metering is None:
            metering = "mask"
        self._rect = rect
        options: Dict[str, Any] = dict(
            weights=weights,
            metering=metering,
            statistic=statistic,
            rule=rule,
            delta=delta,
            centre_x=centre_x,
            centre_y=centre_y,
            radius=radius,
            histogram_low=histogram_low,
            histogram_high=histogram_high,
            clip_low=clip_low,
            clip_high=clip_high,
            lowest_ev100=lowest_ev100,
            highest_ev100=highest_ev100,
            key=key,
            calibration=calibration,
            lens_attenuation=lens_attenuation,
            compensation=compensation,
            percentiles=percentiles,
            up_stops_per_second=up_stops_per_second,
            down_stops_per_second=down_stops_per_second,
            ease_stops=ease_stops,
        )
        self._given = {name: value for name, value in options.items() if value is not None}
        self._call: Dict[str, Any] = dict(color=color, engine=engine, threads=threads)
        _options.call(engine, threads, color=color, **self._given)  # refuses what it can before an image comes
        self._state: Optional[Array] = None
        self._engine: Any = None
        self._key: Any = None

    def __reduce__(self) -> Tuple[Any, ...]:
        return _made_meter, (dict(self._given, **self._call, mask=self._mask, rect=self._rect), self._state)

    def __repr__(self) -> str:
        call = {name: value for name, value in self._call.items() if value not in ("linear", "auto", None)}
        return "Meter(" + ", ".join(f"{name}={value!r}" for name, value in {**self._given, **call}.items()) + ")"

    def _arguments(self, source: Array) -> Tuple[Any, ...]:
        """The arguments of the engine for an image."""
        options = _meter_options(_options.call(**self._call, **self._given), self._rect, source.shape)
        return source.shape, source.dtype.char, "" if self._mask is None else self._mask.dtype.char, options

    def measure(self, a: ArrayLike, *, seconds: float = 0.0, cut: Optional[bool] = None) -> Any:
        """The Measurement of an image, or a list of them for a stack.

        Args:
            a: (H, W), (H, W, C) or (N, H, W, C); uint8, uint16, float16, float32 or float64 (converted).
            seconds: the time since the previous image.
            cut: True ignores previous images; None: True for the first image.

        >>> import numpy as np, onepass
        >>> onepass.Meter().measure(np.zeros((2, 4, 4), np.float32)[0]).zero_count
        16
        """
        if _cuda.is_cuda(a):
            raise refuse("a", "is in CUDA memory: meter() and onepass.torch.meter() measure there")
        source = _arrays.image(a, "a")
        count = _arrays.image_shape(source)[0]
        if self._state is None or len(self._state) != count:
            if self._state is not None and cut is not True:
                raise refuse("a", f"has {count} images, expected {len(self._state)} as before")
            self._state = np.zeros((count, _FIELDS.itemsize), np.uint8)
            cut = True
        key = (source.shape, source.dtype.char, os.getpid())
        if key != self._key:
            if self._key is not None and self._key[2] != key[2]:
                _cache.keep(self._engine)
            self._engine = _engines.Meter(*self._arguments(source))
            self._key = key
        return _measured(self._engine, source, self._state, self._mask, _options.number(seconds, "seconds"), bool(cut))


def _measured(engine: Any, source: Array, state: Array, mask: Optional[Array], seconds: float, cut: bool) -> Any:
    """The Measurement of an image, or a list of them for a stack. `state` is read and written."""
    if mask is not None and mask.shape != source.shape[-3 if source.ndim > 2 else -2 :][:2]:
        raise refuse("mask", f"has shape {mask.shape}, expected the height and width of a")
    _arrays.count_copy(engine.measure(source, state, mask, seconds, cut))
    return _measurements(state.copy(), source.ndim == 4)


def _measurements(state: Array, stack: bool) -> Any:
    records = state.view(_FIELDS)
    return [Measurement(record[0]) for record in records] if stack else Measurement(records[0, 0])


def _made_meter(options: Dict[str, Any], state: Optional[Array]) -> Meter:
    """Makes a Meter that was pickled."""
    meter = Meter(**options)
    meter._state = state
    return meter


def meter(
    a: ArrayLike,
    *,
    mask: Optional[ArrayLike] = None,
    rect: Optional[Changed] = None,
    weights: Optional[LuminanceWeights] = None,
    metering: Optional[Metering] = None,
    statistic: Optional[MeterStatistic] = None,
    rule: Optional[ExposureRule] = None,
    delta: Optional[float] = None,
    centre_x: Optional[float] = None,
    centre_y: Optional[float] = None,
    radius: Optional[float] = None,
    histogram_low: Optional[float] = None,
    histogram_high: Optional[float] = None,
    clip_low: Optional[float] = None,
    clip_high: Optional[float] = None,
    lowest_ev100: Optional[float] = None,
    highest_ev100: Optional[float] = None,
    key: Optional[float] = None,
    calibration: Optional[float] = None,
    lens_attenuation: Optional[float] = None,
    compensation: Optional[float] = None,
    percentiles: Optional[Sequence[float]] = None,
    color: Color = "linear",
    engine: str = "auto",
    threads: Optional[int] = None,
) -> Any:
    """Measures the light of an image in one pass: mean, log-average, extremes, histogram, percentiles, exposure.

    Args:
        a: (H, W), (H, W, C) or (N, H, W, C) with linear values; one or two channels are grey. uint8, uint16, float16,
            float32 or float64 (converted).
        mask: (H, W) of weights 0 to 1 (floats), 0 to full scale (integers) or bool.
        rect: the pixels to meter as two slices, np.s_[rows, columns], or (y0, y1, x0, x1); None: all.
        color: "linear", or "srgb" for uint8 encoded as sRGB.
        engine, threads: as in build_pyramid().
        weights: "rec709", "rec2020" or "acescg". delta: added before the logarithm, 1e-4.
        metering: "average", "centre_weighted" or "spot", with centre_x=0.5, centre_y=0.5 and radius=0.
        histogram_low, histogram_high: log2 of luminance; equal: automatic. percentiles: 8 shares.
        statistic: "log_average", "mean" or "percentiles", with clip_low=0.1 and clip_high=0.9.
        lowest_ev100, highest_ev100: -32 and 32. compensation: 0 stops.
        rule: "key" or "saturation", with key=0.18, calibration=12.5 and lens_attenuation=0.65.
            None stands for the first word or the number that this list states.

    Returns:
        A Measurement; a list of them for a stack (N, H, W, C). NaN and Inf are counted and left out.

    Raises:
        ArgumentError (a ValueError): an argument is out of range. OutOfMemoryError.

    >>> import numpy as np, onepass
    >>> scene = np.full((8, 8, 3), 0.09, np.float32)
    >>> measured = onepass.meter(scene)
    >>> round(measured.log_average, 3), round(measured.exposure, 1)
    (0.09, 2.0)
    """
    if mask is not None and metering is None:
        metering = "mask"
    options: Dict[str, Any] = dict(
        weights=weights,
        metering=metering,
        statistic=statistic,
        rule=rule,
        delta=delta,
        centre_x=centre_x,
        centre_y=centre_y,
        radius=radius,
        histogram_low=histogram_low,
        histogram_high=histogram_high,
        clip_low=clip_low,
        clip_high=clip_high,
        lowest_ev100=lowest_ev100,
        highest_ev100=highest_ev100,
        key=key,
        calibration=calibration,
        lens_attenuation=lens_attenuation,
        compensation=compensation,
        percentiles=percentiles,
    )
    options = {name: value for name, value in options.items() if value is not None}
    if _cuda.is_cuda(a):
        shape = _cuda.describe(a, "a").shape
        values = _options.call(engine, threads, color=color, **_meter_options(options, rect, shape))
        return _measurements(_cuda_light.meter(a, mask, engine, values), len(shape) == 4)
    source = _arrays.image(a, "a")
    weights_of_pixels = None if mask is None else _mask(mask)
    given = _meter_options(options, rect, source.shape)
    mask_type = "" if weights_of_pixels is None else weights_of_pixels.dtype.char
    of_call = ("meter", source.shape, source.dtype.char, mask_type, color, engine, threads, _options.key(given))

    def create() -> Any:
        values = _options.call(engine, threads, color=color, **given)
        return _engines.Meter(source.shape, source.dtype.char, mask_type, values)

    held = _cache.take(of_call, create)
    try:
        state = np.zeros((_arrays.image_shape(source)[0], _FIELDS.itemsize), np.uint8)
        return _measured(held, source, state, weights_of_pixels, 0.0, True)
    finally:
        _cache.give(of_call, held)


def _exposure(exposure: Any) -> float:
    if isinstance(exposure, Measurement):
        exposure = exposure.exposure
    exposure = _options.number(exposure, "exposure", "a number or a Measurement")
    if not 0 < exposure < float("inf"):
        raise refuse("exposure", f"is {exposure!r}, expected a finite number above 0")
    return float(exposure)


def _map(name: str, a: ArrayLike, dtype: Any, exposure: Any, options: Dict[str, Any], out: Optional[Array]) -> Array:
    source = _arrays.image(a, "a")
    if out is not None and dtype is None and isinstance(out, np.ndarray):
        dtype = out.dtype
    try:
        wanted = np.dtype(source.dtype if dtype is None else dtype)
    except TypeError:
        raise refuse("dtype", f"is {dtype!r}, expected uint8, uint16, float16 or float32") from None
    if wanted.char not in _arrays.IMAGE_TYPES:
        raise refuse("dtype", f"is {wanted}, expected uint8, uint16, float16 or float32")
    exposure = _exposure(exposure)
    key = (name, source.shape, source.dtype.char, wanted.char, _options.key(options))
    held = _cache.take(key, lambda: _engines.ToneMap(source.shape, source.dtype.char, wanted.char, options))
    try:
        target = _arrays.Output(out, source.shape, wanted, sources=(source,))
        _arrays.count_copy(held.apply(source, target.array, exposure))
        return target.finish()
    finally:
        _cache.give(key, held)


def tonemap(
    a: ArrayLike,
    operator: ToneOperator = "agx_blender",
    *,
    exposure: Union[float, Measurement] = 1.0,
    transfer: Transfer = "srgb",
    dtype: DTypeLike = np.uint8,
    highlights: float = 1.0,
    shadows: float = 1.0,
    detail: float = 1.0,
    grey: float = 0.18,
    region: float = 0.0625,
    white: float = 4.0,
    look: AgxLook = "none",
    gamma: float = 2.2,
    peak_nits: float = 1000.0,
    paper_white_nits: float = 203.0,
    headroom: float = 1.0,
    primaries: TonePrimaries = "rec709",
    dither: bool = False,
    drago: Tuple[float, float, float] = (0.85, 0.18, 100.0),
    color: Color = "linear",
    out: Optional[Array] = None,
    engine: str = "auto",
    threads: Optional[int] = None,
) -> Array:
    """Maps scene light to the range of a display or file: exposure, tone curve, transfer function.

    Args:
        a: linear light, (H, W), (H, W, C) or (N, H, W, C); one or two channels are grey. float16, float32, float64
            (converted), uint8 or uint16 (fractions of full scale). NaN and negative channels count as 0.
        operator: "agx_blender", "aces_hill", "reinhard", "pbr_neutral", "exposure" or another ToneOperator; an unknown
            word raises an error that lists all.
        exposure: a factor on the light, or the Measurement of meter().
        transfer: "srgb", "linear", "gamma" (with `gamma`), "pq" (up to peak_nits) or "hlg".
        dtype: of the result: uint8, uint16, float16 or float32; integers are fractions of full scale. Ignored with out.
        highlights, shadows, detail: contrasts of local exposure; 1 is off. See local_exposure() for grey and region.
        white: the light that "reinhard_extended" and "reinhard_luminance" map to 1.
        look: of AgX: "none", "golden" or "punchy".
        paper_white_nits, headroom, primaries: of HDR output; primaries "rec709" or "rec2020".
        dither: adds up to half a step to integers, by position.
        drago: bias, average and white of "drago".
        color: "linear", or "srgb" for uint8 input encoded as sRGB.
        out: an array of the shape of `a`; its dtype is that of the result.
        engine, threads: as in build_pyramid().

    Returns:
        An array of the shape of `a`.

    Raises:
        ArgumentError (a ValueError): an argument is out of range. OutOfMemoryError.

    >>> import numpy as np, onepass
    >>> scene = np.array([[[0.18, 0.18, 0.18], [4.0, 1.0, 0.5]]], np.float32)
    >>> onepass.tonemap(scene, "reinhard")
    array([[[109, 109, 109],
            [231, 188, 156]]], dtype=uint8)
    """
    if isinstance(out, np.ndarray):
        dtype = out.dtype
    try:
        bias, average, drago_white = drago
    except (TypeError, ValueError):
        raise refuse("drago", f"is {drago!r}, expected (bias, average, white)") from None
    options = _options.call(
        engine,
        threads,
        operator=operator,
        transfer=transfer,
        highlights=highlights,
        shadows=shadows,
        detail=detail,
        grey=grey,
        region=region,
        white=white,
        look=look,
        gamma=gamma,
        peak_nits=peak_nits,
        paper_white_nits=paper_white_nits,
        headroom=headroom,
        primaries=primaries,
        dither=dither,
        drago_bias=bias,
        drago_average=average,
        drago_white=drago_white,
        color=color,
    )
    if _cuda.is_cuda(a):
        made: Array = _cuda_light.tonemap("tonemap", a, engine, dtype, _exposure(exposure), out, options)
        return made
    return _map("tonemap", a, dtype, exposure, options, out)


def local_exposure(
    a: ArrayLike,
    *,
    highlights: float = 0.6,
    shadows: float = 0.6,
    detail: float = 1.0,
    grey: float = 0.18,
    region: float = 0.0625,
    exposure: Union[float, Measurement] = 1.0,
    out: Optional[Array] = None,
    engine: str = "auto",
    threads: Optional[int] = None,
) -> Array:
    """Moves bright and dark regions of linear light nearer to grey and keeps the contrast inside each region.

    tonemap() does the same before its tone curve, in the same pass, with its arguments highlights, shadows and detail.

    Args:
        a: linear light as in tonemap(), float16, float32 or float64 (converted).
        highlights: contrast of regions brighter than grey, in stops: 0.5 halves their distance from grey. 0 to 2.
        shadows: contrast of regions darker than grey, 0 to 2.
        detail: contrast inside regions, 0 to 4.
        grey: the exposed luminance that does not change.
        region: side of a region as a share of the shorter side, 1/256 to 1/2.
        exposure: a factor on the light, or the Measurement of meter(). The result includes it.
        out, engine, threads: as in tonemap().

    Returns:
        Linear light with the shape and dtype of `a`; values above 10000 are clipped.

    Raises:
        ArgumentError (a ValueError): an argument is out of range. OutOfMemoryError.

    >>> import numpy as np, onepass
    >>> scene = np.full((64, 64, 3), 2.88, np.float32)   # 4 stops above grey
    >>> flat = onepass.local_exposure(scene, highlights=0.5)
    >>> round(float(flat[32, 32, 0]), 2)                  # 2 stops above grey
    0.72
    """
    options = _options.call(
        engine,
        threads,
        operator="exposure",
        transfer="linear",
        headroom=10000.0,
        highlights=highlights,
        shadows=shadows,
        detail=detail,
        grey=grey,
        region=region,
    )
    if _cuda.is_cuda(a):
        if _cuda.describe(a, "a").char not in "ef":
            raise refuse("a", "has integers, expected float16 or float32")
        made: Array = _cuda_light.tonemap("local", a, engine, None, _exposure(exposure), out, options)
        return made
    source = _arrays.image(a, "a")
    if source.dtype.kind != "f":
        raise refuse("a", f"has dtype {source.dtype}, expected float16, float32 or float64")
    return _map("local", source, source.dtype, exposure, options, out)


def bloom(
    a: ArrayLike,
    *,
    method: BloomMethod = "convolution",
    scatter: float = 0.1,
    threshold: float = 0.0,
    knee: float = 0.0,
    kernel: Optional[ArrayLike] = None,
    kernel_width: float = 0.5,
    field_of_view: float = 60.0,
    rays: int = 0,
    resolution: BloomResolution = "full",
    boundary: Boundary = "mirror",
    spread: float = 0.75,
    color: Color = "linear",
    out: Optional[Array] = None,
    engine: str = "auto",
    threads: Optional[int] = None,
) -> Array:
    """The glare of bright light in a lens or an eye: light is moved, its sum is kept.

    Args:
        a: linear light, (H, W), (H, W, C) or (N, H, W, C); uint8, uint16, float16, float32 or float64 (converted).
            Alpha is kept.
        method: "convolution" (any kernel) or "mip_chain" (round glow, with `spread` from 0 to 1).
        scatter: the share of bright light that scatters, 0 to 1.
        threshold, knee: only light above the threshold scatters; knee is half the width of the transition.
        kernel: a kernel image; None: scattering in the human eye, for `field_of_view` degrees, with `rays` streaks.
        kernel_width: width of the glow in widths of the image.
        resolution: "full", or "half" (about a quarter of the cost).
        boundary: light beyond the edges: "mirror", "clamp", "zero" or "wrap".
        color, out, engine, threads: as in convolve().

    Raises:
        ArgumentError (a ValueError): an argument is out of range. DataError (a ValueError): weights that are not finite
        or sum to 0. OutOfMemoryError.

    >>> import numpy as np, onepass
    >>> night = np.zeros((64, 96, 3), np.float32); night[30, 40] = 100
    >>> glowing = onepass.bloom(night, scatter=0.2)
    >>> bool(np.allclose(glowing.sum(), night.sum(), rtol=1e-3)), bool(glowing[30, 50, 0] > 0)
    (True, True)
    """
    source = _arrays.image(a, "a")
    weights = None if kernel is None else _kernel(kernel)
    options = _options.call(
        engine,
        threads,
        method=method,
        scatter=scatter,
        threshold=threshold,
        knee=knee,
        kernel_width=kernel_width,
        field_of_view=field_of_view,
        rays=rays,
        resolution=resolution,
        boundary=boundary,
        spread=spread,
        color=color,
    )
    return _operate(_engines.Bloom, "bloom", source, weights, options, out)
