"""Arrays in CUDA memory, and pyramids of them: of PyTorch, CuPy, Numba and every library with __cuda_array_interface__ or DLPack.

Work is enqueued on the current stream of the array's library; nothing waits and no image is copied.
"""
from __future__ import annotations

import ctypes
import os
from ctypes import byref, c_void_p
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from . import _arrays, _c, _cache, _fields
from ._errors import refuse
from ._layout import Layout
from ._library import call, initialised, lib, sized
from ._types import Array

# DLDeviceType of DLPack.
_DLPACK_CUDA, _DLPACK_CUDA_MANAGED = 2, 13
#: dtype characters of images, by the name that PyTorch has for them.
_TORCH_CHARS = {"torch.uint8": "B", "torch.uint16": "H", "torch.float16": "e", "torch.float32": "f"}


class Memory(NamedTuple):
    """An array in CUDA memory."""

    data: int
    shape: Tuple[int, ...]
    strides: Tuple[int, ...]  # in bytes
    char: str  # of the dtype
    device: int
    writeable: bool
    owner: Any  # keeps the memory alive


def is_cuda(value: Any) -> bool:
    """Whether an argument is an array in CUDA memory."""
    if type(value) is np.ndarray:
        return False
    where = getattr(value, "__dlpack_device__", None)
    if where is not None:
        try:
            return where()[0] in (_DLPACK_CUDA, _DLPACK_CUDA_MANAGED)
        except Exception:  # objects that export only some of their arrays
            return False
    return hasattr(value, "__cuda_array_interface__")


def _is_torch(value: Any) -> bool:
    return type(value).__module__.split(".")[0] == "torch" and hasattr(value, "data_ptr")


def _contiguous(shape: Sequence[int], item: int) -> Tuple[int, ...]:
    strides: List[int] = []
    for n in reversed(shape):
        strides.insert(0, item)
        item *= n
    return tuple(strides)


def describe(value: Any, name: str) -> Memory:
    """The memory of an array."""
    if _is_torch(value):
        if value.requires_grad:
            raise refuse(name, "requires a gradient: onepass.torch has functions with gradients; or use detach()")
        char = _TORCH_CHARS.get(str(value.dtype))
        if char is None:
            raise refuse(name, f"has dtype {value.dtype}, expected uint8, uint16, float16 or float32")
        item = value.element_size()
        strides = tuple(n * item for n in value.stride())
        return Memory(value.data_ptr(), tuple(value.shape), strides, char, value.device.index or 0, True, value)
    if hasattr(value, "__cuda_array_interface__"):
        interface: Dict[str, Any] = value.__cuda_array_interface__
        if interface.get("mask") is not None:
            raise refuse(name, "has a mask; onepass has no masks")
        dtype = np.dtype(interface["typestr"])
        shape = tuple(interface["shape"])
        strides = interface.get("strides") or _contiguous(shape, dtype.itemsize)
        data, read_only = interface["data"]
        return Memory(data or 0, shape, tuple(strides), _char(dtype, name), _device_of(value), not read_only, value)
    return _from_dlpack(value, name)


def _char(dtype: "np.dtype[Any]", name: str) -> str:
    if dtype.char not in _arrays.IMAGE_TYPES or not dtype.isnative:
        raise refuse(name, f"has dtype {dtype}, expected uint8, uint16, float16 or float32")
    return dtype.char


def _device_of(value: Any) -> int:
    where = getattr(value, "__dlpack_device__", None)
    if where is not None:
        return int(where()[1])
    return int(getattr(getattr(value, "device", None), "id", 0))


class _DlTensor(ctypes.Structure):
    _fields_ = [
        ("data", c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("type_code", ctypes.c_uint8),
        ("type_bits", ctypes.c_uint8),
        ("type_lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),  # in elements; null: without gaps
        ("byte_offset", ctypes.c_uint64),
    ]


# DLDataTypeCode: 1 unsigned, 2 float.
_DLPACK_CHARS = {(1, 8): "B", (1, 16): "H", (2, 16): "e", (2, 32): "f"}


def _from_dlpack(value: Any, name: str) -> Memory:
    """Reads a capsule without consuming it: its destructor, which runs with the last reference, frees the memory."""
    capsule = value.__dlpack__(stream=stream_of(value) or 1)  # 1: the default stream
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = c_void_p, [ctypes.py_object, ctypes.c_char_p]
    tensor = _DlTensor.from_address(pointer(capsule, b"dltensor"))
    char = _DLPACK_CHARS.get((tensor.type_code, tensor.type_bits)) if tensor.type_lanes == 1 else None
    if char is None:
        raise refuse(name, "has another dtype than uint8, uint16, float16 or float32")
    item = tensor.type_bits // 8
    shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
    strides = _contiguous(shape, item)
    if tensor.strides:
        strides = tuple(tensor.strides[i] * item for i in range(tensor.ndim))
    data = (tensor.data or 0) + tensor.byte_offset
    return Memory(data, shape, strides, char, tensor.device_id, False, capsule)


def stream_of(value: Any) -> int:
    """The stream on which the library of an array works now: a CUstream; 0 is the default stream."""
    if _is_torch(value):
        import torch

        return int(torch.cuda.current_stream(value.device).cuda_stream)
    if type(value).__module__.split(".")[0] == "cupy":
        import cupy

        return int(cupy.cuda.get_current_stream().ptr)
    interface = getattr(value, "__cuda_array_interface__", None)
    return int((interface or {}).get("stream") or 0)


def empty_like(value: Any, shape: Sequence[int], char: str) -> Any:
    """A new array of the library of `value` on its device. None if the library has no standard way to make one."""
    if _is_torch(value):
        import torch

        names = {c: name.split(".")[1] for name, c in _TORCH_CHARS.items()}
        return torch.empty(tuple(shape), dtype=getattr(torch, names[char]), device=value.device)
    if type(value).__module__.split(".")[0] == "numba":
        from numba import cuda

        return cuda.device_array(tuple(shape), np.dtype(char))
    namespace = getattr(value, "__array_namespace__", None)
    if namespace is None or type(value).__module__.split(".")[0].startswith("jax"):  # arrays of JAX never change
        return None
    xp = namespace()
    return xp.empty(tuple(shape), dtype=getattr(xp, np.dtype(char).name), device=value.device)


class Device:
    """A CUDA device that is opened once per process, in its primary context."""

    _opened: Dict[int, "Device"] = {}

    def __init__(self, ordinal: int) -> None:
        self.handle = c_void_p()
        call(lib.onepass_cuda_device_open, ordinal, byref(self.handle))

    @staticmethod
    def of(ordinal: int) -> "Device":
        if ordinal not in Device._opened:
            Device._opened[ordinal] = Device(ordinal)
        return Device._opened[ordinal]


def devices() -> List[Dict[str, Any]]:
    """The CUDA devices of this machine; none without a driver."""
    count = ctypes.c_uint32()
    error = _c.onepass_error()
    code = lib.onepass_cuda_count_devices(byref(count), byref(error))
    if code == _c.ONEPASS_CODE["NOT_FOUND"]:
        return []
    found = []
    for ordinal in range(count.value):
        info = sized(_c.onepass_cuda_device_info)
        call(lib.onepass_cuda_describe_device, ordinal, byref(info))
        found.append(
            dict(
                ordinal=info.ordinal,
                name=info.name.decode("utf-8", "replace"),
                compute_capability=(info.compute_major, info.compute_minor),
                memory_bytes=info.memory_bytes,
                multiprocessors=info.multiprocessors,
                driver_version=info.driver_version,
            )
        )
    return found


def to_host(value: Any) -> Array:
    """A NumPy array with a copy of an array that empty_like() made. Waits for the work on the current stream."""
    if _is_torch(value):
        copied: Array = value.cpu().numpy()
        return copied
    for method in ("get", "copy_to_host"):  # of CuPy and of Numba
        if hasattr(value, method):
            return np.asarray(getattr(value, method)())
    raise refuse("a", f"is an array of {type(value).__module__}, which cannot be copied in a standard way")


def check_engine(engine: str) -> None:
    """Refuses engines that do not read CUDA memory."""
    if engine not in ("auto", "cuda"):
        raise refuse("engine", f"is {engine!r}, but a is in CUDA memory: expected 'auto' or 'cuda'")


def check_output(given: Any, name: str, shape: Sequence[int], char: str, source: Memory) -> Memory:
    """The memory of an output with this shape and dtype on the device of the source."""
    memory = describe(given, name)
    if memory.shape != tuple(shape) or memory.char != char:
        found = f"has shape {memory.shape} and dtype {np.dtype(memory.char)}"
        raise refuse(name, f"{found}, expected {tuple(shape)} and {np.dtype(char)}")
    if not memory.writeable:
        raise refuse(name, "is read-only")
    if memory.device != source.device:
        raise refuse(name, f"is on CUDA device {memory.device}, a on {source.device}")
    return memory


def image(memory: Memory, layout: Layout, name: str) -> _c.onepass_cuda_image:
    """The memory as an image: texels without gaps, rows and images in ascending order."""
    shape, strides = memory.shape, memory.strides
    if len(shape) == 2:
        shape, strides = (*shape, 1), (*strides, layout.texel)
    if len(shape) == 3:
        shape, strides = (1, *shape), (0, *strides)
    item = layout.texel // layout.channels
    row = strides[1] if shape[1] > 1 else layout.row
    plane = strides[0] if shape[0] > 1 else 0
    gaps = (shape[3] > 1 and strides[3] != item) or (shape[2] > 1 and strides[2] != layout.texel)
    if gaps or row < layout.row or (shape[0] > 1 and plane < row * (layout.height - 1) + layout.row):
        raise refuse(
            name, f"has strides of {memory.strides} bytes; texels must be contiguous, rows and images in order"
        )
    return _c.onepass_cuda_image(memory.data, row, plane, 0)


class Technique:
    """An object of the library on a device."""

    #: The names of the library's functions begin with onepass_cuda_ and it.
    PREFIX = ""

    def create(self, ordinal: int, options: Any, memory: Any) -> None:
        """Creates it. `memory`: how images are stored; None: the default."""
        self.handle = c_void_p()
        made = getattr(lib, f"onepass_cuda_{self.PREFIX}_create")
        call(made, Device.of(ordinal).handle, options, memory, byref(self.handle))
        self._destroy = getattr(lib, f"onepass_cuda_{self.PREFIX}_destroy")
        self._getpid, self._pid = os.getpid, os.getpid()

    def __del__(self) -> None:
        destroy = getattr(self, "_destroy", None)
        if destroy is not None and self._pid == self._getpid():  # a child of a fork has no CUDA context
            destroy(self.handle)


class Pyramid(Technique):
    """The library's pyramid of one shape on a device."""

    PREFIX = "pyramid"

    def __init__(self, shape: Sequence[int], char: str, ordinal: int, color: str, values: Dict[str, Any]) -> None:
        self.layout = Layout.of(shape, char, "a")
        o = initialised(_c.onepass_pyramid_options)
        _fields.assign(o, values, {"filter": "filter_kind"}, ("normal_map",))
        numbers = ("linear", "srgb")[_fields.word(color, "color", {"linear": 0, "srgb": 1})]
        target = self.layout
        if o.reduction == _c.ONEPASS_REDUCTION["min_max"]:
            target = target.changed(channels=2)
        o.size, o.slices = self.layout.size, self.layout.slices
        o.source, o.target = self.layout.format("a", numbers), target.format("a", numbers)
        plan = sized(_c.onepass_pyramid_plan)
        self.create(ordinal, byref(o), None)
        cost = sized(_c.onepass_cuda_pyramid_plan)
        call(lib.onepass_cuda_pyramid_get_plan, self.handle, byref(cost))
        self.scratch_bytes = int(cost.scratch_bytes)
        if self.layout.channels == 3:  # sizes do not depend on formats; the plan of other engines has no three channels
            o.source = o.target = self.layout.format("a", numbers, True)
        call(lib.onepass_plan_pyramid, byref(o), byref(plan))
        self.targets = [target.changed(width=s.width, height=s.height) for s in plan.sizes[1 : plan.levels]]

    def record(self, source: _c.onepass_cuda_image, levels: Sequence[Memory], scratch: int, stream: int) -> None:
        """Enqueues the pyramid. `scratch`: the address of scratch_bytes; 0: the library allocates them and waits."""
        images = (_c.onepass_cuda_image * max(1, len(levels)))(
            *(image(level, layout, f"out[{n}]") for n, (level, layout) in enumerate(zip(levels, self.targets)))
        )
        binding = c_void_p()
        call(lib.onepass_cuda_pyramid_bind, self.handle, byref(source), images, len(levels), scratch, byref(binding))
        try:
            if scratch:
                call(lib.onepass_cuda_pyramid_record_reset, self.handle, stream, binding)
            call(lib.onepass_cuda_pyramid_record, self.handle, stream, binding)
        finally:
            lib.onepass_cuda_pyramid_binding_destroy(binding)


def _outputs(engine: Pyramid, a: Any, ndim: int, out: Optional[Sequence[Any]]) -> List[Any]:
    shapes = [_arrays.like(layout.shape, ndim) for layout in engine.targets]
    char = engine.layout.char
    if out is None:
        made = [empty_like(a, shape, char) for shape in shapes]
        if any(level is None for level in made):
            raise refuse("out", f"is needed: arrays of {type(a).__module__} cannot be made in a standard way")
        return made
    given: List[Array] = list(out)
    if len(given) == len(shapes) + 1:
        given = given[1:]
    if len(given) != len(shapes):
        raise refuse("out", f"has {len(given)} arrays, expected {len(shapes)}: levels 1 to {len(shapes)}")
    return given


def build(a: Any, engine: str, color: str, values: Dict[str, Any], out: Optional[Sequence[Any]]) -> List[Any]:
    """All levels of an array in CUDA memory, level 0 (the input) first."""
    check_engine(engine)
    memory = describe(a, "a")
    key = ("cuda pyramid", memory.device, memory.shape, memory.char, color, *values.items())
    held = _cache.take(key, lambda: Pyramid(memory.shape, memory.char, memory.device, color, values))
    try:
        source = image(memory, held.layout, "a")
        levels = _outputs(held, a, len(memory.shape), out)
        described = [
            check_output(level, f"out[{n}]", _arrays.like(layout.shape, len(memory.shape)), memory.char, memory)
            for n, (level, layout) in enumerate(zip(levels, held.targets))
        ]
        if levels:
            scratch = empty_like(a, (held.scratch_bytes,), "B")
            address = 0 if scratch is None else describe(scratch, "scratch").data
            held.record(source, described, address, stream_of(a))
        return [a, *levels]
    finally:
        _cache.give(key, held)
