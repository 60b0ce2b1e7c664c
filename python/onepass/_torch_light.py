"""The operators of onepass.torch for meters and tone maps. Options are texts of JSON."""
from __future__ import annotations

import json
from typing import Any, Optional, Tuple

import numpy as np
import torch
from torch import Tensor

from . import _cache, _cuda, _cuda_light, _engines, _light, _options
from ._tone_formula import Formula, program_of

DTYPES = {"uint8": torch.uint8, "float16": torch.float16, "float32": torch.float32}


def _texels(images: Tensor) -> Any:
    """Images (N, C, H, W) in host memory as (N, H, W, C); contiguous ones of several channels are copied."""
    return images.detach().permute(0, 2, 3, 1).contiguous().numpy()


# ---- Tone maps


def _empty(images: Tensor, dtype: str) -> Tensor:
    return torch.empty_like(images, dtype=DTYPES[dtype], memory_format=torch.preserve_format)


def _mapped_on_cpu(images: Tensor, exposures: Optional[Tensor], exposure: float, dtype: str, options: str) -> Tensor:
    values = _options.call("cpu", None, **json.loads(options))
    source = _texels(images)
    if exposures is None:
        made = _light._map("tonemap", source, dtype, exposure, values, None)
    else:
        made = np.empty(source.shape, dtype)
        factors = np.broadcast_to(exposures.detach().numpy(), (len(source),))
        for n, factor in enumerate(factors.tolist()):
            usable = factor if 0 < factor < float("inf") else 1.0  # as on the device
            _light._map("tonemap", source[n : n + 1], dtype, exposure * usable, values, made[n : n + 1])
    result = _empty(images, dtype)
    result.copy_(torch.from_numpy(made).permute(0, 3, 1, 2))
    return result


def _mapped_on_cuda(images: Tensor, exposures: Optional[Tensor], exposure: float, dtype: str, options: str) -> Tensor:
    memory = _cuda.describe(images.detach(), "x")
    source = _cuda_light.stored_planes(memory, "x")
    result = _empty(images, dtype)
    target = _cuda_light.stored_planes(_cuda.describe(result, "out"), "out")
    char = np.dtype(dtype).char
    key = ("cuda torch tonemap", memory.device, memory.shape, memory.char, source.planar, target.planar, char, options)
    held = _cache.take(key, lambda: _cuda_light.ToneMap(source, char, target.planar, json.loads(options)))
    try:
        factors = (0, 0)
        if exposures is not None:
            factors = (exposures.data_ptr(), 4 if exposures.numel() > 1 else 0)
        held.record(source, target, exposure, factors, 0, _cuda.stream_of(images))
        return result
    finally:
        _cache.give(key, held)


def _mapped_on_meta(images: Tensor, exposures: Optional[Tensor], exposure: float, dtype: str, options: str) -> Tensor:
    return _empty(images, dtype)


class _ToneMap(torch.autograd.Function):
    """Gradients of light and exposures by the formula of the operator, as if stored values were not rounded."""

    @staticmethod
    def forward(ctx: Any, images: Tensor, exposures: Optional[Tensor], *rest: Any) -> Tensor:
        below = torch._C._AutoDispatchBelowAutograd()
        try:
            made: Tensor = torch.ops.onepass.tonemap(images, exposures, *rest)
        finally:
            del below
        ctx.rest = rest
        ctx.save_for_backward(images, exposures)
        if not made.is_floating_point():
            ctx.mark_non_differentiable(made)
        return made

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> Tuple[Optional[Tensor], ...]:
        images, exposures = ctx.saved_tensors
        exposure, _, options = ctx.rest
        with torch.enable_grad():
            light = images.detach().float().requires_grad_(ctx.needs_input_grad[0])
            factors = None
            scale = torch.full((1,), exposure, device=light.device)
            if exposures is not None:
                factors = exposures.detach().clone().requires_grad_(ctx.needs_input_grad[1])
                usable = torch.where((factors > 0) & (factors < float("inf")), factors, torch.ones_like(factors))
                scale = scale * usable
            formula = Formula(program_of(options), light)
            made = formula.map(light.permute(0, 2, 3, 1), scale.view(-1, 1, 1, 1)).permute(0, 3, 1, 2)
            wanted = [t for t in (light, factors) if t is not None and t.requires_grad]
            found = list(torch.autograd.grad(made, wanted, gradient.float(), allow_unused=True))
        of_images = found.pop(0) if ctx.needs_input_grad[0] else None
        of_factors = found.pop(0) if ctx.needs_input_grad[1] else None
        return (None if of_images is None else of_images.to(images.dtype)), of_factors, None, None, None


def _mapped_with_gradient(images: Tensor, exposures: Optional[Tensor], *rest: Any) -> Tensor:
    made: Tensor = _ToneMap.apply(images, exposures, *rest)
    return made


# ---- Meters


def _measured_on_cpu(images: Tensor, previous: Optional[Tensor], seconds: float, cut: bool, options: str) -> Tensor:
    source = _texels(images)
    key = ("torch meter", source.shape, source.dtype.char, options)
    values = _options.call("cpu", None, **json.loads(options))
    held = _cache.take(key, lambda: _engines.Meter(source.shape, source.dtype.char, "", values))
    try:
        state = np.zeros((len(source), _cuda_light.MEASUREMENT), np.uint8)
        if previous is not None:
            state[:] = previous.numpy()
        held.measure(source, state, None, seconds, cut)
        return torch.from_numpy(state)
    finally:
        _cache.give(key, held)


def _measured_on_cuda(images: Tensor, previous: Optional[Tensor], seconds: float, cut: bool, options: str) -> Tensor:
    memory = _cuda.describe(images.detach(), "x")
    source = _cuda_light.stored_planes(memory, "x")
    key = ("cuda torch meter", memory.device, memory.shape, memory.char, source.planar, options)
    held = _cache.take(key, lambda: _cuda_light.Meter(source, "", json.loads(options)))
    try:
        state = _measured_on_meta(images, previous, seconds, cut, options) if previous is None else previous.clone()
        scratch = torch.empty((held.scratch_bytes,), dtype=torch.uint8, device=images.device)
        work = (scratch.data_ptr(), _cuda.stream_of(images))
        held.record(source, None, state.data_ptr(), previous is not None, seconds, cut, *work)
        return state
    finally:
        _cache.give(key, held)


def _measured_on_meta(images: Tensor, previous: Optional[Tensor], seconds: float, cut: bool, options: str) -> Tensor:
    return torch.empty((images.shape[0], _cuda_light.MEASUREMENT), dtype=torch.uint8, device=images.device)


def _measured_without_gradient(images: Tensor, *rest: Any) -> Tensor:
    below = torch._C._AutoDispatchBelowAutograd()
    try:
        made: Tensor = torch.ops.onepass.meter(images, *rest)
    finally:
        del below
    return made


def register(library: Any) -> None:
    """Adds the operators to PyTorch's."""
    # Images are (N, C, H, W), contiguous or channels_last. `exposures`: factors in the memory of the images, one for
    # all or one for each.
    library.define("tonemap(Tensor images, Tensor? exposures, float exposure, str dtype, str options) -> Tensor")
    # Measurements (N, bytes of onepass_meter_result), which continue from `previous` ones.
    library.define("meter(Tensor images, Tensor? previous, float seconds, bool cut, str options) -> Tensor")
    for key, mapped, measured in (
        ("CPU", _mapped_on_cpu, _measured_on_cpu),
        ("CUDA", _mapped_on_cuda, _measured_on_cuda),
        ("Meta", _mapped_on_meta, _measured_on_meta),
        ("Autograd", _mapped_with_gradient, _measured_without_gradient),
    ):
        library.impl("tonemap", mapped, key)
        library.impl("meter", measured, key)
