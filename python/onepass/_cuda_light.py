"""Tile reductions, meters and tone maps of arrays in CUDA memory."""
from __future__ import annotations

import ctypes
from ctypes import byref, c_void_p
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from . import _arrays, _c, _cache, _cuda, _engines, _fields
from ._errors import refuse
from ._layout import Layout
from ._library import call, initialised, lib, sized
from ._types import Array

#: Bytes of a measurement.
MEASUREMENT = ctypes.sizeof(_c.onepass_meter_result)


class Stored(NamedTuple):
    """An image in CUDA memory as the library reads it."""

    layout: Layout
    planar: bool
    image: _c.onepass_cuda_image
    device: int


def stored(memory: _cuda.Memory, name: str) -> Stored:
    """Arrays (H, W), (H, W, C) and (N, H, W, C)."""
    layout = Layout.of(memory.shape, memory.char, name)
    return Stored(layout, False, _cuda.image(memory, layout, name), memory.device)


def stored_planes(memory: _cuda.Memory, name: str) -> Stored:
    """Arrays (N, C, H, W), with the channels of a texel next to each other or in planes."""
    n, channels, height, width = memory.shape
    image, channel, row, texel = memory.strides
    layout = Layout.of((n, height, width, channels), memory.char, name)
    item = layout.texel // channels
    if channels > 1 and channel == item:
        turned = memory._replace(shape=(n, height, width, channels), strides=(image, row, texel, channel))
        return Stored(layout, False, _cuda.image(turned, layout, name), memory.device)
    if texel != item and width > 1:
        raise refuse(name, f"has strides of {memory.strides} bytes; texels of a row must be contiguous")
    view = _c.onepass_cuda_image(memory.data, row, image, channel)
    return Stored(layout, channels > 1, view, memory.device)


def _numbers(values: Dict[str, Any]) -> str:
    """Takes what is not an option of the library out of `values`; returns how integers encode light."""
    for name in ("engine", "threads"):
        values.pop(name, None)
    color = values.pop("color", "linear")
    return ("linear", "srgb")[_fields.word(color, "color", {"linear": 0, "srgb": 1})]


def _memory(source: bool, target: bool) -> Any:
    memory = initialised(_c.onepass_cuda_image_memory)
    memory.source_channels, memory.target_channels = int(source), int(target)
    return byref(memory)


class TileReduction(_cuda.Technique):
    PREFIX = "tile_reduction"

    def __init__(self, source: Stored, values: Dict[str, Any]) -> None:
        values = dict(values)
        o, numbers = initialised(_c.onepass_tile_reduction_options), _numbers(values)
        _fields.assign(o, values)
        layout = source.layout
        target = layout.changed(channels=2) if o.reduction == _c.ONEPASS_REDUCTION["min_max"] else layout
        o.size, o.slices = layout.size, layout.slices
        o.source, o.target = layout.format("a", numbers), target.format("a", numbers)
        self.create(source.device, byref(o), None)
        plan = sized(_c.onepass_tile_reduction_plan)
        o.source, o.target = layout.format("a", numbers, True), target.format("a", numbers, True)
        call(lib.onepass_plan_tile_reduction, byref(o), byref(plan))
        self.target = target.changed(width=plan.size.width, height=plan.size.height)

    def record(self, source: Stored, target: Stored, stream: int) -> None:
        """Enqueues the reduction."""
        binding = c_void_p()
        call(
            lib.onepass_cuda_tile_reduction_bind, self.handle, byref(source.image), byref(target.image), byref(binding)
        )
        try:
            call(lib.onepass_cuda_tile_reduction_record, self.handle, stream, binding)
        finally:
            lib.onepass_cuda_tile_reduction_binding_destroy(binding)


class ToneMap(_cuda.Technique):
    PREFIX = "tone_map"

    def __init__(self, source: Stored, char: str, planar: bool, values: Dict[str, Any]) -> None:
        values = dict(values)
        o, numbers = initialised(_c.onepass_tone_map_options), _numbers(values)
        _fields.assign(o, values, _engines.ToneMap.NAMES, _engines.ToneMap.FLAGS)
        layout = source.layout
        o.size, o.slices = layout.size, layout.slices
        o.source, o.target = layout.format("a", numbers), layout.changed(char=char).format("out")
        self.create(source.device, byref(o), _memory(source.planar, planar))
        self.scratch_bytes = int(lib.onepass_cuda_tone_map_scratch_bytes(self.handle))

    def record(
        self, source: Stored, target: Stored, exposure: float, exposures: Tuple[int, int], scratch: int, stream: int
    ) -> None:
        """Enqueues the map. `exposures`: address and stride of factors in CUDA memory; (0, 0): none."""
        images = initialised(_c.onepass_cuda_tone_map_images)
        images.source, images.target, images.scratch = source.image, target.image, scratch
        images.exposure, images.exposure_stride = exposures
        binding = c_void_p()
        call(lib.onepass_cuda_tone_map_bind, self.handle, byref(images), byref(binding))
        try:
            if scratch:
                call(lib.onepass_cuda_tone_map_record_reset, self.handle, stream, binding)
            call(lib.onepass_cuda_tone_map_record, self.handle, stream, binding, exposure)
        finally:
            lib.onepass_cuda_tone_map_binding_destroy(binding)


class Meter(_cuda.Technique):
    PREFIX = "meter"

    def __init__(self, source: Stored, mask_char: str, values: Dict[str, Any]) -> None:
        values = dict(values)
        o, numbers = initialised(_c.onepass_meter_options), _numbers(values)
        _engines.read_meter_options(o, values)
        layout = source.layout
        o.size, o.slices, o.source = layout.size, layout.slices, layout.format("a", numbers)
        if mask_char:
            o.mask = Layout(mask_char, 1, layout.height, layout.width, 1).format("mask")
        memory = initialised(_c.onepass_cuda_meter_memory)
        memory.source_channels = int(source.planar)
        self.create(source.device, byref(o), byref(memory))
        self.scratch_bytes = int(lib.onepass_cuda_meter_scratch_bytes(self.handle))

    def record(
        self,
        source: Stored,
        mask: Optional[Stored],
        results: int,
        continues: bool,
        seconds: float,
        cut: bool,
        *rest: int,
    ) -> None:
        """Enqueues the metering into `results`, of any content or with the history from which it `continues`. `rest`:
        the address of scratch memory and the stream."""
        scratch, stream = rest
        images = initialised(_c.onepass_cuda_meter_images)
        images.source, images.results, images.scratch = source.image, results, scratch
        if mask is not None:
            images.mask = mask.image
        binding = c_void_p()
        call(lib.onepass_cuda_meter_bind, self.handle, byref(images), byref(binding))
        try:
            kind = "_scratch" if continues else ""
            call(getattr(lib, f"onepass_cuda_meter_record_reset{kind}"), self.handle, stream, binding)
            frame = _c.onepass_meter_frame(seconds, 1 if cut else 0)
            call(lib.onepass_cuda_meter_record, self.handle, stream, binding, byref(frame))
        finally:
            lib.onepass_cuda_meter_binding_destroy(binding)


def _made(a: Any, shape: Sequence[int], char: str, name: str = "out") -> Any:
    made = _cuda.empty_like(a, shape, char)
    if made is None:
        raise refuse(name, f"is needed: arrays of {type(a).__module__} cannot be made in a standard way")
    return made


def _scratch(a: Any, count: int) -> Tuple[Any, int]:
    """Scratch memory of the array's library, and its address; 0: the library has none to give, or none is needed."""
    scratch = _cuda.empty_like(a, (count,), "B") if count > 0 else None
    return scratch, 0 if scratch is None else _cuda.describe(scratch, "scratch").data


def tile_reduce(a: Any, engine: str, out: Any, values: Dict[str, Any]) -> Any:
    """onepass.tile_reduce() of an array in CUDA memory."""
    _cuda.check_engine(engine)
    memory = _cuda.describe(a, "a")
    source = stored(memory, "a")
    key = ("cuda tiles", memory.device, memory.shape, memory.char, *values.items())
    held = _cache.take(key, lambda: TileReduction(source, values))
    try:
        shape = _arrays.like(held.target.shape, len(memory.shape))
        target = _made(a, shape, memory.char) if out is None else out
        to = _cuda.check_output(target, "out", shape, memory.char, memory)
        held.record(source, stored(to, "out"), _cuda.stream_of(a))
        return target
    finally:
        _cache.give(key, held)


def tonemap(name: str, a: Any, engine: str, dtype: Any, exposure: float, out: Any, values: Dict[str, Any]) -> Any:
    """onepass.tonemap() and onepass.local_exposure() of an array in CUDA memory."""
    _cuda.check_engine(engine)
    memory = _cuda.describe(a, "a")
    source = stored(memory, "a")
    char = np.dtype(memory.char if dtype is None else dtype).char if out is None else _cuda.describe(out, "out").char
    if char not in _arrays.IMAGE_TYPES:
        raise refuse("dtype", f"is {np.dtype(char)}, expected uint8, uint16, float16 or float32")
    key = ("cuda " + name, memory.device, memory.shape, memory.char, char, *values.items())
    held = _cache.take(key, lambda: ToneMap(source, char, False, values))
    try:
        target = _made(a, memory.shape, char) if out is None else out
        to = _cuda.check_output(target, "out", memory.shape, char, memory)
        owner, scratch = _scratch(a, held.scratch_bytes)
        held.record(source, stored(to, "out"), exposure, (0, 0), scratch, _cuda.stream_of(a))
        del owner  # its library reuses the memory after the work on the stream
        return target
    finally:
        _cache.give(key, held)


def meter(a: Any, mask: Any, engine: str, values: Dict[str, Any]) -> Array:
    """The measurements of an array in CUDA memory, copied to host memory: uint8 of shape (N, MEASUREMENT)."""
    _cuda.check_engine(engine)
    memory = _cuda.describe(a, "a")
    source = stored(memory, "a")
    weights: Optional[Stored] = None
    if mask is not None:
        if not _cuda.is_cuda(mask):
            raise refuse("mask", "is in host memory, a in CUDA memory")
        of_mask = _cuda.describe(mask, "mask")
        size = (source.layout.height, source.layout.width)
        if of_mask.shape != size:
            raise refuse("mask", f"has shape {of_mask.shape}, expected {size}: the height and width of a")
        weights = stored(of_mask, "mask")
    mask_char = "" if weights is None else weights.layout.char
    hashable: List[Any] = [tuple(v) if isinstance(v, list) else v for v in values.values()]
    key = ("cuda meter", memory.device, memory.shape, memory.char, mask_char, *values, *hashable)
    held = _cache.take(key, lambda: Meter(source, mask_char, values))
    try:
        results = _made(a, (source.layout.slices * MEASUREMENT,), "B", "a library with arrays")
        owner, scratch = _scratch(a, held.scratch_bytes)
        address = _cuda.describe(results, "results").data
        held.record(source, weights, address, False, 0.0, True, scratch, _cuda.stream_of(a))
        found = _cuda.to_host(results).reshape(source.layout.slices, MEASUREMENT)
        del owner
        return found
    finally:
        _cache.give(key, held)
