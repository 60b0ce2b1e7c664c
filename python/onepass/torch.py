"""Pyramids, large convolutions, meters and tone maps of PyTorch tensors, with gradients: import onepass.torch.

Images are tensors (N, C, H, W) or (C, H, W), contiguous or channels_last, in host or CUDA memory. Nothing is copied
unless a tensor has other strides. On CUDA devices work is enqueued on the current stream, allocates by PyTorch's
allocator and can be captured into a graph. Convolutions run in host memory only.

The operators are torch.ops.onepass.*, with kernels for CPU, CUDA and meta tensors, so that torch.compile does not break
at them.

>>> import torch, onepass.torch
>>> levels = onepass.torch.mip_pyramid(torch.rand(2, 3, 48, 64))
>>> [tuple(level.shape) for level in levels[:3]]
[(2, 3, 48, 64), (2, 3, 24, 32), (2, 3, 12, 16)]
"""
from __future__ import annotations

from typing import Any, List, Literal, NamedTuple, Optional, Sequence, Tuple, Union

import torch
from torch import Tensor

from . import _cuda, _engines, _fourier, _options, _pyramid, _torch_light
from ._errors import make_error, refuse
from ._types import AgxLook, ExposureRule, LuminanceWeights, Metering, MeterStatistic
from ._types import ToneOperator, TonePrimaries, Transfer

_Footprint = Literal["covering", "aligned"]
_Padding = Literal["same", "valid"]
_Boundary = Literal["zero", "wrap", "clamp", "mirror"]

_library = torch.library.Library("onepass", "DEF")
# Images are (N, H, W, C) without gaps, C from 1 to 4. Returns level 1 and up; levels counts level 0, 0: down to 1 x 1.
_library.define("pyramid(Tensor images, str reduction, str footprint, int levels) -> Tensor[]")

# Cross-correlation of images (N, C, H, W) with a weight (C, h, w) or (1, h, w); zeros beyond the edges if `same`, else
# the part where the weight lies within the image.
_library.define("fft_conv2d(Tensor images, Tensor weight, bool same) -> Tensor")

_torch_light.register(_library)

_VALUES = (torch.uint8, torch.float16, torch.float32)


# ---- Kernels


def _on_cpu(images: Tensor, reduction: Any, footprint: Any, levels: int) -> List[Tensor]:
    made = _pyramid.build_pyramid(
        images.detach().numpy(), reduction=reduction, footprint=footprint, levels=levels or None
    )
    return [torch.from_numpy(level) for level in made[1:]]


def _on_cuda(images: Tensor, reduction: str, footprint: str, levels: int) -> List[Tensor]:
    values = dict(reduction=reduction, footprint=footprint, levels=levels or None)
    return list(_cuda.build(images.detach(), "cuda", "linear", values, None)[1:])


def _on_meta(images: Tensor, reduction: str, footprint: str, levels: int) -> List[Tensor]:
    n, height, width, channels = images.shape
    made: List[Tensor] = []
    while (height > 1 or width > 1) and len(made) + 1 != levels:
        height, width = max(1, height // 2), max(1, width // 2)
        made.append(images.new_empty((n, height, width, 2 if reduction == "min_max" else channels)))
    return made


class _Pyramid(torch.autograd.Function):
    """The mean has the gradient of its weights, as if levels were not rounded; the other reductions have none."""

    @staticmethod
    def forward(ctx: Any, images: Tensor, reduction: str, footprint: str, levels: int) -> Tuple[Tensor, ...]:
        below = torch._C._AutoDispatchBelowAutograd()  # as long as it lives, kernels are those of devices
        try:
            made = tuple(torch.ops.onepass.pyramid(images, reduction, footprint, levels))
        finally:
            del below  # also where a traceback keeps the frame
        ctx.size, ctx.footprint = images.shape, footprint
        if reduction != "mean":
            ctx.mark_non_differentiable(*made)
        return made

    @staticmethod
    def backward(ctx: Any, *gradients: Optional[Tensor]) -> Tuple[Optional[Tensor], None, None, None]:
        sizes = [ctx.size[1:3]]
        for _ in gradients:
            sizes.append((max(1, sizes[-1][0] // 2), max(1, sizes[-1][1] // 2)))
        total: Optional[Tensor] = None
        for gradient, (height, width) in zip(reversed(gradients), reversed(sizes[:-1])):
            if gradient is not None:
                # Sums of many levels: not in half precision.
                wide = gradient.float() if gradient.dtype == torch.float16 else gradient
                total = wide if total is None else total + wide
            if total is not None:
                total = _spread(_spread(total, 1, height, ctx.footprint), 2, width, ctx.footprint)
        if total is not None and gradients[0] is not None:
            total = total.to(gradients[0].dtype)
        return total, None, None, None


def _spread(level: Tensor, axis: int, size: int, footprint: str) -> Tensor:
    """The transposed step along an axis: what each texel of a level gives to the texels of the finer one, `size` of
    them. The weights of Footprint::kCovering at odd sizes are those of docs/pyramid.md."""
    count = level.shape[axis]
    if count == size:
        return level
    level = level.movedim(axis, -1)
    zero = level.new_zeros((*level.shape[:-1], 1))
    if size == 2 * count or footprint == "aligned":
        made = (level * 0.5).repeat_interleave(2, -1)
        if size > 2 * count:
            made = torch.cat((made, zero), -1)
        return made.movedim(-1, axis)
    i = torch.arange(count, dtype=level.dtype, device=level.device)
    left, middle, right = level * ((count - i) / size), level * (count / size), level * ((i + 1) / size)
    even = torch.cat((left, zero), -1) + torch.cat((zero, right), -1)
    pairs = torch.stack((even[..., :count], middle), -1).flatten(-2)
    return torch.cat((pairs, even[..., count:]), -1).movedim(-1, axis)


def _with_gradient(images: Tensor, reduction: str, footprint: str, levels: int) -> List[Tensor]:
    return list(_Pyramid.apply(images, reduction, footprint, levels))


_library.impl("pyramid", _on_cpu, "CPU")
_library.impl("pyramid", _on_cuda, "CUDA")
_library.impl("pyramid", _on_meta, "Meta")
_library.impl("pyramid", _with_gradient, "Autograd")


def _convolved_on_cpu(images: Tensor, weight: Tensor, same: bool) -> Tensor:
    n, channels, height, width = images.shape
    h, w = weight.shape[1:]
    made = images.new_empty((n, channels, *_convolved_size(height, width, h, w, same)))
    # A convolution with the weight turned; its texel (0, 0) is then the last one.
    turned = weight.flip(1, 2).numpy()
    origin = (h - 1 - (h - 1) // 2, w - 1 - (w - 1) // 2)
    options: Any = dict(mode="same", origin=origin) if same else dict(mode="valid")
    if weight.shape[0] == 1:
        sources, results = images.reshape(-1, 1, height, width), made.view(-1, 1, *made.shape[2:])
    else:
        sources, results = images, made
    for c in range(weight.shape[0]):
        source, result = (t[:, c, :, :, None].numpy() for t in (sources, results))
        _fourier.convolve(source, turned[c], out=result, **options)
    return made


def _convolved_on_cuda(images: Tensor, weight: Tensor, same: bool) -> Tensor:
    raise make_error("unsupported", "is in CUDA memory, where there are no convolutions", argument="x")


def _convolved_on_meta(images: Tensor, weight: Tensor, same: bool) -> Tensor:
    size = _convolved_size(*images.shape[2:], *weight.shape[1:], same)
    return images.new_empty((*images.shape[:2], *size))


def _convolved_size(height: int, width: int, h: int, w: int, same: bool) -> Tuple[int, int]:
    return (height, width) if same else (height - h + 1, width - w + 1)


class _Convolution(torch.autograd.Function):
    """Both gradients are cross-correlations again, so that they have gradients, too."""

    @staticmethod
    def forward(ctx: Any, images: Tensor, weight: Tensor, same: bool) -> Tensor:
        below = torch._C._AutoDispatchBelowAutograd()
        try:
            made: Tensor = torch.ops.onepass.fft_conv2d(images, weight, same)
        finally:
            del below
        ctx.save_for_backward(images, weight)
        ctx.same = same
        return made

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tuple[Optional[Tensor], Optional[Tensor], None]:
        images, weight = ctx.saved_tensors
        gradient = gradient.contiguous()
        h, w = weight.shape[1:]
        top, left = ((h - 1) // 2, (w - 1) // 2) if ctx.same else (0, 0)
        bottom, right = (h - 1 - top, w - 1 - left) if ctx.same else (0, 0)
        pad, convolve = torch.nn.functional.pad, torch.ops.onepass.fft_conv2d
        of_images = of_weight = None
        if ctx.needs_input_grad[0]:
            around = (w - 1 - left, w - 1 - right, h - 1 - top, h - 1 - bottom)
            of_images = convolve(pad(gradient, around), weight.flip(1, 2).contiguous(), False)
        if ctx.needs_input_grad[1]:
            n, channels = images.shape[:2]
            padded = pad(images, (left, right, top, bottom))
            apart = convolve(padded.reshape(1, n * channels, *padded.shape[2:]), gradient.flatten(0, 1), False)
            of_weight = apart.reshape(n, channels, h, w).sum(0)
            if weight.shape[0] == 1:
                of_weight = of_weight.sum(0, keepdim=True)
        return of_images, of_weight, None


def _convolved_with_gradient(images: Tensor, weight: Tensor, same: bool) -> Tensor:
    made: Tensor = _Convolution.apply(images, weight, same)
    return made


_library.impl("fft_conv2d", _convolved_on_cpu, "CPU")
_library.impl("fft_conv2d", _convolved_on_cuda, "CUDA")
_library.impl("fft_conv2d", _convolved_on_meta, "Meta")
_library.impl("fft_conv2d", _convolved_with_gradient, "Autograd")


# ---- Functions


def _checked(x: Tensor, name: str = "x") -> Tensor:
    if not isinstance(x, Tensor):
        raise refuse(name, f"is a {type(x).__name__}, expected a tensor")
    if x.dim() not in (3, 4):
        raise refuse(name, f"has {x.dim()} dimensions; images are (N, C, H, W) or (C, H, W)")
    if 0 in x.shape:
        raise refuse(name, f"is empty: its shape is {tuple(x.shape)}")
    if x.dtype not in (*_VALUES, torch.bfloat16, torch.float64):
        raise refuse(name, f"has dtype {x.dtype}, expected uint8, float16, bfloat16, float32 or float64")
    return x


def _levels_of(levels: Optional[int]) -> int:
    if levels is None:
        return 0
    if not isinstance(levels, int) or not 1 <= levels <= 31:
        raise refuse("levels", f"is {levels!r}, expected 1 to 31")
    return levels


def mip_pyramid(x: Tensor, levels: Optional[int] = None, *, footprint: _Footprint = "covering") -> List[Tensor]:
    """The mip chain: level 0 (`x` itself) first, each half the size of the one before, rounded down.

    Channels are averaged apart. Every level comes from unrounded finer levels, with sums in single precision.

    Args:
        x: (N, C, H, W) or (C, H, W), H and W up to 65535; uint8, float16, bfloat16, float32 or float64. bfloat16 and
            float64 are converted to float32, and levels back.
        levels: the number of levels with level 0; None: down to 1 x 1.
        footprint: "covering" (at odd sizes every texel has the same weight) or "aligned" (an odd row or column is
            dropped, as torch.nn.functional.avg_pool2d does).

    Returns:
        Tensors of the dtype and memory format of `x`, with gradients if `x` requires one.

    Raises:
        ArgumentError (a ValueError); UnsupportedError, DeviceError for CUDA tensors where the library has no kernels.

    >>> import torch, onepass.torch
    >>> x = torch.zeros(1, 1, 4, 4, requires_grad=True)
    >>> onepass.torch.mip_pyramid(x)[2].sum().backward()
    >>> float(x.grad[0, 0, 3, 1])
    0.0625
    """
    if footprint not in ("covering", "aligned"):
        raise refuse("footprint", f"is {footprint!r}, expected 'covering' or 'aligned'")
    return _made(_checked(x), "mean", footprint, _levels_of(levels))


def min_max_pyramid(x: Tensor, levels: Optional[int] = None) -> List[Tuple[Tensor, Tensor]]:
    """Minimum and maximum of each channel: a pair of tensors per level, level 0 (`x`, `x`) first.

    At odd sizes no row or column is lost (footprint "covering" of onepass.min_max_pyramid). No gradients. Arguments and
    errors are those of mip_pyramid().

    >>> import torch, onepass.torch
    >>> low, high = onepass.torch.min_max_pyramid(torch.arange(12.0).reshape(1, 3, 4))[-1]
    >>> float(low), float(high)
    (0.0, 11.0)
    """
    x = _checked(x)
    images = _converted(x).contiguous()
    height, width = images.shape[-2:]
    flat = images.reshape(-1, height, width, 1)
    made = torch.ops.onepass.pyramid(flat, "min_max", "covering", _levels_of(levels))
    pairs = [(x, x)]
    for level in made:
        shape = (*x.shape[:-2], *level.shape[1:3])
        low, high = (level[..., c].reshape(shape).to(x.dtype) for c in (0, 1))
        pairs.append((low, high))
    return pairs


def resize_antialiased(x: Tensor, size: Sequence[int]) -> Tensor:
    """Resizes to (height, width) without aliasing: bilinear interpolation of the finest mip level that is less than
    twice as large, or of `x` where it is enlarged.

    One pass over `x`, whatever the factor, where filters of that width take more with it. Has a gradient.

    Args:
        x: as in mip_pyramid(); floats.
        size: height and width of the result.

    >>> import torch, onepass.torch
    >>> onepass.torch.resize_antialiased(torch.rand(1, 3, 480, 640), (100, 150)).shape
    torch.Size([1, 3, 100, 150])
    """
    x = _checked(x)
    if not x.is_floating_point():
        raise refuse("x", f"has dtype {x.dtype}, expected a floating-point one")
    try:
        height, width = (int(n) for n in size)
    except (TypeError, ValueError):
        height = width = 0
    if height < 1 or width < 1:
        raise refuse("size", f"is {size!r}, expected a height and a width of 1 or more")
    levels = 1
    while x.shape[-2] >> levels >= height and x.shape[-1] >> levels >= width:
        levels += 1
    level = mip_pyramid(x, levels)[-1]
    stack = level if level.dim() == 4 else level[None]
    resized = torch.nn.functional.interpolate(stack, (height, width), mode="bilinear", align_corners=False)
    return resized if x.dim() == 4 else resized[0]


def fft_conv2d(x: Tensor, weight: Tensor, *, padding: _Padding = "same", boundary: _Boundary = "zero") -> Tensor:
    """The depthwise convolution of torch.nn.functional.conv2d with a kernel of any size, by spectra: the time does not
    depend on the kernel.

    As in PyTorch the kernel is not turned: the result is a cross-correlation.

    Args:
        x: (N, C, H, W) or (C, H, W) in host memory; float16, bfloat16, float32 or float64, computed in float32.
        weight: (h, w) for all channels, or (C, h, w); of any size up to that of `x` for "valid".
        padding: "same" (the size of `x`; an even kernel has its extra row and column below and to the right, as in
            PyTorch) or "valid" (H - h + 1 by W - w + 1).
        boundary: content beyond the edges, for "same": "zero", "wrap", "clamp" or "mirror" (with the edge texel
            repeated).

    Returns:
        A tensor of the dtype of `x`, with gradients of `x` and `weight` of any order.

    >>> import torch, onepass.torch
    >>> x, weight = torch.rand(2, 3, 40, 50), torch.rand(3, 31, 31)
    >>> y = onepass.torch.fft_conv2d(x, weight, padding="valid")
    >>> bool(torch.allclose(y, torch.nn.functional.conv2d(x, weight[:, None], groups=3), rtol=1e-4))
    True
    """
    x = _checked(x)
    if not x.is_floating_point():
        raise refuse("x", f"has dtype {x.dtype}, expected a floating-point one")
    stack = x if x.dim() == 4 else x[None]
    if not isinstance(weight, Tensor) or weight.dim() not in (2, 3) or not weight.is_floating_point():
        raise refuse("weight", "must be a floating-point tensor (h, w) or (C, h, w)")
    kernels = weight if weight.dim() == 3 else weight[None]
    n, channels, height, width = stack.shape
    count, h, w = kernels.shape
    if count not in (1, channels) or h < 1 or w < 1:
        raise refuse("weight", f"has shape {tuple(weight.shape)}, expected (h, w) or ({channels}, h, w)")
    if padding not in ("same", "valid"):
        raise refuse("padding", f"is {padding!r}, expected 'same' or 'valid'")
    if boundary not in ("zero", "wrap", "clamp", "mirror"):
        raise refuse("boundary", f"is {boundary!r}, expected 'zero', 'wrap', 'clamp' or 'mirror'")
    if padding == "valid" and (h > height or w > width):
        raise refuse("weight", f"is {h} x {w}, larger than x: {height} x {width}")
    images = stack.float()
    same = padding == "same"
    if same and boundary != "zero":
        images = _extended(_extended(images, 2, h, boundary), 3, w, boundary)
        same = False
    made: Tensor = torch.ops.onepass.fft_conv2d(images.contiguous(), kernels.float().contiguous(), same)
    made = made.to(x.dtype)
    return made if x.dim() == 4 else made[0]


class Measurements(NamedTuple):
    """The light of each of N images, in the memory of the images. No field has a gradient.

    Attributes:
        exposure: (N,); multiply linear colours by it, or give it to tonemap().
        ev100, log_average, mean_luminance, min_luminance, max_luminance, metered_luminance, adapted_luminance: (N,), as
            in onepass.Measurement.
        mean_colour: (N, 3). percentiles: (N, 8).
        histogram: (N, 256), int64: weights of bins of log2 of luminance from histogram_low to histogram_high, (N,).
        finite_count: (N,), int32.
        valid: (N,), bool: False if an image had no finite pixel.
        state: (N, bytes), uint8: the history, for the argument `previous` of meter().
    """

    exposure: Tensor
    ev100: Tensor
    log_average: Tensor
    mean_luminance: Tensor
    min_luminance: Tensor
    max_luminance: Tensor
    metered_luminance: Tensor
    adapted_luminance: Tensor
    mean_colour: Tensor
    percentiles: Tensor
    histogram: Tensor
    histogram_low: Tensor
    histogram_high: Tensor
    finite_count: Tensor
    valid: Tensor
    state: Tensor


_KINDS = {"f4": torch.float32, "u4": torch.int32, "u8": torch.int64}


def _measurements(state: Tensor) -> Measurements:
    table = _engines.meter_fields()
    found = {}
    for name, form, offset in zip(table["names"], table["formats"], table["offsets"]):
        if name not in Measurements._fields:
            continue
        kind, count = form[-2:], int(form[:-2] or 1)
        field = state[:, offset : offset + count * int(kind[1])].contiguous().view(_KINDS[kind])
        found[name] = field if len(form) > 2 else field[:, 0]
    found["valid"] = found["valid"] != 0
    return Measurements(**found, state=state)


def _pictures(x: Tensor) -> Tensor:
    """Images (N, C, H, W) whose channels are those of colours."""
    images = _converted(_checked(x))
    stack = images if images.dim() == 4 else images[None]
    if stack.shape[1] > 4:
        raise refuse("x", f"has {stack.shape[1]} channels; light has 1 to 4")
    return stack if stack.is_contiguous(memory_format=torch.channels_last) else stack.contiguous()


def meter(
    x: Tensor,
    *,
    previous: Optional[Measurements] = None,
    seconds: float = 0.0,
    cut: bool = False,
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
) -> Measurements:
    """Measures the light of images in one pass: mean, log-average, extremes, histogram, percentiles, exposure.

    Nothing is copied to host memory. A contiguous tensor of several channels in host memory is copied once.

    Args:
        x: linear light, (N, C, H, W) or (C, H, W), C from 1 to 4; uint8 (fractions of 255), float16, bfloat16, float32
            or float64.
        previous: the Measurements of the images before; exposures then adapt from theirs.
        seconds: the time since then. cut: True adapts at once.
        weights, metering ("mask" has no argument here), statistic, rule, delta, centre_x, centre_y, radius,
            histogram_low, histogram_high, clip_low, clip_high, lowest_ev100, highest_ev100, key, calibration,
            lens_attenuation, compensation, percentiles: as in onepass.meter(). up_stops_per_second,
            down_stops_per_second, ease_stops: as in onepass.Meter.

    Raises:
        ArgumentError (a ValueError); UnsupportedError, DeviceError for CUDA tensors where the library has no kernels.

    >>> import torch, onepass.torch
    >>> measured = onepass.torch.meter(torch.full((2, 3, 8, 8), 0.09))
    >>> [round(float(e), 1) for e in measured.exposure]
    [2.0, 2.0]
    """
    images = _pictures(x)
    if metering == "mask":
        raise refuse("metering", "is 'mask', which onepass.torch.meter() does not take")
    given = dict(
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
        percentiles=None if percentiles is None else list(percentiles),
        up_stops_per_second=up_stops_per_second,
        down_stops_per_second=down_stops_per_second,
        ease_stops=ease_stops,
    )
    options = _json({name: value for name, value in given.items() if value is not None})
    state = None if previous is None else previous.state
    if state is not None and (state.shape[0] != images.shape[0] or state.device != images.device):
        raise refuse("previous", f"is of {state.shape[0]} images on {state.device}, x of {len(images)} on {x.device}")
    time = _options.number(seconds, "seconds")
    return _measurements(torch.ops.onepass.meter(images, state, time, bool(cut), options))


def _json(values: Any) -> str:
    """Options as JSON, without the functions of module json, which torch.compile cannot trace."""
    fields = []
    for name, value in values.items():
        if isinstance(value, str) and '"' not in value and "\\" not in value and value.isprintable():
            text = f'"{value}"'
        elif isinstance(value, (list, tuple)) and all(isinstance(item, (int, float)) for item in value):
            text = "[" + ", ".join([_json_number(item) for item in value]) + "]"
        elif isinstance(value, (int, float)):
            text = _json_number(value)
        else:
            raise refuse(name, f"is {value!r}, expected a number or a word")
        fields.append(f'"{name}": {text}')
    return "{" + ", ".join(fields) + "}"


def _json_number(value: float) -> str:
    if value != value:
        return "NaN"
    if value in (float("inf"), -float("inf")):
        return "Infinity" if value > 0 else "-Infinity"
    return f"{float(value)}"


def tonemap(
    x: Tensor,
    operator: ToneOperator = "agx_blender",
    *,
    exposure: Union[float, Tensor] = 1.0,
    transfer: Transfer = "srgb",
    dtype: Optional[torch.dtype] = None,
    white: float = 4.0,
    look: AgxLook = "none",
    gamma: float = 2.2,
    peak_nits: float = 1000.0,
    paper_white_nits: float = 203.0,
    headroom: float = 1.0,
    primaries: TonePrimaries = "rec709",
    drago: Tuple[float, float, float] = (0.85, 0.18, 100.0),
) -> Tensor:
    """Maps scene light to the range of a display: exposure, tone curve, transfer function.

    A contiguous tensor of several channels in host memory is copied; in CUDA memory nothing is.

    Args:
        x: linear light, (N, C, H, W) or (C, H, W); one or two channels are grey, the second and fourth are alpha. uint8
            (fractions of 255), float16, bfloat16, float32 or float64. NaN and negative light count as 0.
        exposure: a factor, or a tensor of one factor or N, such as Measurements.exposure; factors of a tensor that are
            not finite or not above 0 count as 1.
        dtype: of the result: torch.uint8, float16 or float32; None: that of `x` (float32 for bfloat16 and float64,
            converted back).
        operator, transfer, white, look, gamma, peak_nits, paper_white_nits, headroom, primaries, drago: as in
            onepass.tonemap().

    Returns:
        A tensor of the shape and memory format of `x`. Floats have gradients of `x` and of an exposure in a tensor, by
        the formula of the operator.

    Raises:
        ArgumentError (a ValueError); UnsupportedError, DeviceError for CUDA tensors where the library has no kernels.

    >>> import torch, onepass.torch
    >>> x = torch.full((1, 3, 2, 2), 0.18, requires_grad=True)
    >>> y = onepass.torch.tonemap(x, "reinhard", transfer="linear")
    >>> y.sum().backward()
    >>> round(float(x.grad[0, 0, 0, 0]), 3)    # of x / (1 + x)
    0.718
    """
    images = _pictures(x)
    wanted = dtype if dtype is not None else images.dtype
    names = {kind: name for name, kind in _torch_light.DTYPES.items()}
    if wanted not in names:
        raise refuse("dtype", f"is {dtype}, expected torch.uint8, torch.float16 or torch.float32")
    try:
        bias, average, drago_white = drago
    except (TypeError, ValueError):
        raise refuse("drago", f"is {drago!r}, expected (bias, average, white)") from None
    options = _json(
        dict(
            operator=operator,
            transfer=transfer,
            white=white,
            look=look,
            gamma=gamma,
            peak_nits=peak_nits,
            paper_white_nits=paper_white_nits,
            headroom=headroom,
            primaries=primaries,
            drago_bias=bias,
            drago_average=average,
            drago_white=drago_white,
        )
    )
    factors: Optional[Tensor] = None
    factor = 1.0
    if isinstance(exposure, Tensor):
        if exposure.numel() not in (1, len(images)) or exposure.dim() > 1 or exposure.device != images.device:
            shape = tuple(exposure.shape)
            raise refuse("exposure", f"has shape {shape} on {exposure.device}, expected 1 or {len(images)} as x")
        factors = exposure.reshape(-1).float().contiguous()
    else:
        factor = _options.number(exposure, "exposure", "a number or a tensor")
        if not 0 < factor < float("inf"):
            raise refuse("exposure", f"is {exposure!r}, expected a finite number above 0")
    made: Tensor = torch.ops.onepass.tonemap(images, factors, factor, names[wanted], options)
    if dtype is None:
        made = made.to(x.dtype)
    return made if x.dim() == 4 else made[0]


def _extended(images: Tensor, axis: int, size: int, boundary: str) -> Tensor:
    """Images with the texels beyond the edges that a kernel of this size reads."""
    n = images.shape[axis]
    before = (size - 1) // 2
    i = torch.arange(-before, n + size - 1 - before, device=images.device)
    if boundary == "wrap":
        i = i % n
    elif boundary == "clamp":
        i = i.clamp(0, n - 1)
    else:
        i = i % (2 * n)
        i = torch.where(i < n, i, 2 * n - 1 - i)
    return images.index_select(axis, i)


def _converted(x: Tensor) -> Tensor:
    return x if x.dtype in _VALUES else x.float()


def _made(x: Tensor, reduction: str, footprint: str, levels: int) -> List[Tensor]:
    """All levels of images in either memory format, as the operator takes them, and back."""
    images = _converted(x)
    stack = images if images.dim() == 4 else images[None]
    n, channels, height, width = stack.shape
    last = channels > 1 and channels <= 4 and stack.is_contiguous(memory_format=torch.channels_last)
    # Channels are apart: each is an image of one channel, or they are interleaved in one image.
    flat = stack.permute(0, 2, 3, 1) if last else stack.contiguous().view(n * channels, height, width, 1)
    made = [x]
    for level in torch.ops.onepass.pyramid(flat, reduction, footprint, levels):
        h, w = level.shape[1:3]
        level = level.permute(0, 3, 1, 2) if last else level.view(n, channels, h, w)
        level = level.to(x.dtype)
        made.append(level if x.dim() == 4 else level[0])
    return made


__all__ = ["Measurements", "fft_conv2d", "meter", "min_max_pyramid", "mip_pyramid", "resize_antialiased", "tonemap"]
