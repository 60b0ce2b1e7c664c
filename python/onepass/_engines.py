"""Engines: the library's objects for one shape, type and set of options, which read and write arrays in place.

The package has copied all arrays that the library cannot read before it calls an engine (_arrays.py). An engine checks
shapes, types and strides once more, so that an error of the package ends in an exception and never in a wrong read.
"""
from __future__ import annotations

import ctypes
import os
import threading
from ctypes import byref, c_uint32, c_void_p
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from . import _c, _fields, _watch
from ._errors import refuse
from ._layout import Layout, Pixels, Shape
from ._library import call, failure, initialised, lib, sized, text
from ._types import Array

Options = Dict[str, Any]


class Device:
    """A Vulkan device that is opened once per process and text of tunings. One call at a time runs on it."""

    _opened: Dict[Tuple[str, bytes], "Device"] = {}
    _lock = threading.Lock()
    tunings = b""  # of the devices that are opened from now on

    def __init__(self, selector: str, tunings: bytes) -> None:
        request = initialised(_c.onepass_vulkan_device_request)
        request.selector, request.allow_software = selector.encode("utf-8", "replace"), 1
        request.tunings = tunings
        self.handle = c_void_p()
        call(lib.onepass_vulkan_device_open, byref(request), byref(self.handle))
        self.busy = threading.Lock()

    @staticmethod
    def of(engine: str) -> "Optional[Device]":
        """None for "cpu". "vulkan": the first usable GPU, or a software device if there is no GPU. "vulkan:NAME": the
        device with this index or with this text in its name. It is never destroyed: at the end of the process the
        driver may already be unloaded."""
        if engine == "cpu":
            return None
        if engine != "vulkan" and not engine.startswith("vulkan:"):
            raise refuse("engine", f"is '{engine}', expected 'auto', 'cpu', 'vulkan' or 'vulkan:DEVICE'")
        with Device._lock:
            key = (engine, Device.tunings)
            if key not in Device._opened:
                Device._opened[key] = Device(engine[len("vulkan:") :], Device.tunings)
            return Device._opened[key]


def use_tunings(tunings: str) -> None:
    """Sets the text of tunings of the devices that engines use from now on."""
    if not isinstance(tunings, str):
        raise refuse("tunings", f"is {tunings!r}, expected a string")
    if "\0" in tunings:
        raise refuse("tunings", "has a NUL character")
    encoded = tunings.encode("utf-8", "replace")
    call(lib.onepass_vulkan_check_tunings, encoded)
    Device.tunings = encoded


def devices() -> List[Dict[str, Any]]:
    """The devices of this machine."""
    handle = c_void_p()
    call(lib.onepass_vulkan_list_devices, byref(handle))
    try:
        found = []
        for index in range(lib.onepass_vulkan_device_list_count(handle)):
            info = sized(_c.onepass_vulkan_device_info)
            call(lib.onepass_vulkan_device_list_info, handle, index, byref(info))
            found.append(
                dict(
                    index=info.index,
                    name=text(info.name),
                    driver=text(info.driver),
                    software=bool(info.software),
                    usable=bool(info.usable),
                    unusable_reason=text(info.unusable_reason),
                    memory_bytes=info.memory_bytes,
                    processors=info.processors,
                    tunings=text(info.tunings),
                )
            )
        return found
    finally:
        lib.onepass_vulkan_device_list_destroy(handle)


def next_smooth_size(n: int) -> int:
    """The smallest size >= n without prime factors above 7."""
    return int(lib.onepass_next_smooth_size(n))


class Engine:
    """What all engines have: options of the call, a handle, errors, one call at a time."""

    #: The names of the library's functions begin with it.
    PREFIX = ""
    #: The library's struct of options.
    OPTIONS: Any = None
    #: Options that have another name in the struct, and those that are true or false.
    NAMES: Dict[str, str] = {}
    FLAGS: Sequence[str] = ()

    def __init__(self, values: Options) -> None:
        values = dict(values)
        engine, threads, color = (values.pop(name, None) for name in ("engine", "threads", "color"))
        self.o = initialised(self.OPTIONS)
        self.read(values)
        self.threads = 0 if threads is None else _fields.integer(threads, "threads", c_uint32)
        self.numbers = "linear"
        if color is not None:
            self.numbers = ("linear", "srgb")[_fields.word(color, "color", {"linear": 0, "srgb": 1})]
        self.device = Device.of("cpu" if engine is None else engine)
        self.busy = threading.Lock() if self.device is None else self.device.busy
        self.bytes = 0
        self.error = _c.onepass_error()
        self.error_ref = byref(self.error)
        self.state = _watch.State()
        self.handle = c_void_p()
        self._pid = os.getpid()
        self._destroy: Any = None

    def read(self, values: Options) -> None:
        """Reads the options of the technique."""
        _fields.assign(self.o, values, self.NAMES, self.FLAGS)

    def create(self) -> None:
        """Creates the object of the CPU engine."""
        tuning = initialised(_c.onepass_cpu_tuning)
        tuning.threads = self.threads
        tuning.progress = self._callback = _watch.callback(self.state, _c.onepass_progress)
        create = getattr(lib, f"onepass_cpu_{self.PREFIX}_create")
        self.check(create(byref(self.o), byref(tuning), byref(self.handle), self.error_ref))
        self._destroy = getattr(lib, f"onepass_cpu_{self.PREFIX}_destroy")

    def __del__(self) -> None:
        destroy = getattr(self, "_destroy", None)
        if destroy is not None and self._pid == os.getpid():  # a child of a fork never frees engines of its parent
            destroy(self.handle)

    def check(self, code: int) -> None:
        """Raises the error of a call."""
        if code:
            raise failure(self.error)

    def run(self, report: Any, work: Callable[..., int], *arguments: Any) -> int:
        """Runs the work of a call, one at a time: a long one on the CPU with progress and a reaction to Ctrl+C."""
        if report is None and (self.bytes < _watch.SHORT or self.device is not None):
            with self.busy:
                self.state.stop = False
                return work(*arguments)
        if self.device is None:
            return int(_watch.run(self.state, report, self._alone, (work, *arguments)))
        _watch.check(report)
        copied = self._alone(work, *arguments)
        report(1.0)
        return copied

    def _alone(self, work: Callable[..., int], *arguments: Any) -> int:
        with self.busy:
            self.state.begin()
            return work(*arguments)


_FILTER_FIELDS = ("boundary", "ringing", "kaiser_width", "kaiser_alpha")


class Pyramid(Engine):
    PREFIX, OPTIONS, FLAGS = "pyramid", _c.onepass_pyramid_options, ("normal_map",)
    NAMES = {"filter": "filter_kind", **{name: f"filter_{name}" for name in _FILTER_FIELDS}}

    def __init__(self, shape: Sequence[int], char: str, values: Options) -> None:
        super().__init__(values)
        o = self.o
        self.source = Layout.of(shape, char, "a")
        min_max = o.reduction == _c.ONEPASS_REDUCTION["min_max"]
        target = self.source.changed(channels=2) if min_max else self.source
        numbers = "labels" if o.reduction == _c.ONEPASS_REDUCTION["mode"] else self.numbers
        o.size = self.source.size
        # Streams of rows take three channels as they are. Other engines and options need a fourth.
        tight = o.footprint == _c.ONEPASS_FOOTPRINT["tight"]
        three = self.source.channels == 3
        filtered = o.filter_kind != _c.ONEPASS_MIP_FILTER["box"]
        self.streams = three and self.device is None and not (tight or o.normal_map or min_max or filtered)
        pads = three and not self.streams
        o.source = self.source.format("a", numbers, pads)
        o.target = target.format("a", numbers, pads)
        plan = sized(_c.onepass_pyramid_plan)
        if self.streams:
            self.check(lib.onepass_plan_pyramid_stream(byref(o), byref(plan), self.error_ref))
            o.slices = self.source.slices
            self._tuning = initialised(_c.onepass_cpu_tuning)
            self._tuning.threads = self.threads
            self._tuning.progress = self._callback = _watch.callback(self.state, _c.onepass_progress)
        else:
            o.slices = self.source.slices
            if self.device is None:
                self.create()
            self.check(lib.onepass_plan_pyramid(byref(o), byref(plan), self.error_ref))
        self.bytes = (plan.bytes_read + plan.bytes_written) * (self.source.slices if self.streams else 1)
        self.count = count = plan.levels - 1
        self._from = Pixels(self.source, o.source, "a", False)
        self._views = (_c.onepass_mutable_image_view * max(1, count))()
        layouts = [target.changed(width=s.width, height=s.height) for s in plan.sizes[1 : plan.levels]]
        self._to = [Pixels(lay, o.target, "out", True, self._views[n]) for n, lay in enumerate(layouts)]
        if pads:
            for pixels in [self._from, *self._to]:
                pixels.pads()
        self.pads = pads
        self.shapes = [self.source.shape] + [layout.shape for layout in layouts]

    def build(self, a: Array, levels: Sequence[Array], progress: Any) -> int:
        """Makes the levels from level 1; returns the bytes that were copied because of three channels."""
        return self.run(progress, self._work, a, levels, None)

    def update(self, a: Array, levels: Sequence[Array], rect: Sequence[int], progress: Any) -> int:
        """Rewrites what a change inside (x, y, width, height) affects."""
        return self.run(progress, self._work, a, levels, _c.onepass_rect(*rect))

    def _work(self, a: Array, levels: Sequence[Array], rect: Any) -> int:
        if len(levels) != self.count:
            raise refuse("out", f"has {len(levels)} arrays, expected {self.count}")
        source, to, count = self._from, self._to, self.count
        copied = source.read(a)
        for pixels, level in zip(to, levels):
            pixels.write(level)
        if self.streams:
            code = lib.onepass_cpu_pyramid_stream_image(
                byref(self.o), byref(self._tuning), source.ref, self._views, count, self.error_ref
            )
        elif self.device is not None:
            changed = None if self.pads or rect is None else byref(rect)
            code = lib.onepass_vulkan_make_pyramid(
                self.device.handle, byref(self.o), None, source.ref, self._views, count, changed, None, self.error_ref
            )
        elif rect is None or self.pads:
            code = lib.onepass_cpu_pyramid_build(self.handle, source.ref, self._views, count, self.error_ref)
        else:
            code = lib.onepass_cpu_pyramid_update(self.handle, source.ref, self._views, count, rect, self.error_ref)
        if code:
            raise failure(self.error)
        if self.pads:
            copied += sum(pixels.finish(level) for pixels, level in zip(to, levels))
        return copied


class TileReduction(Engine):
    PREFIX, OPTIONS = "tile_reduction", _c.onepass_tile_reduction_options

    def __init__(self, shape: Sequence[int], char: str, values: Options) -> None:
        super().__init__(values)
        o = self.o
        source = Layout.of(shape, char, "a")
        target = source.changed(channels=2) if o.reduction == _c.ONEPASS_REDUCTION["min_max"] else source
        o.size, o.slices = source.size, source.slices
        o.source = source.format("a", self.numbers, True)
        o.target = target.format("a", self.numbers, True)
        plan = sized(_c.onepass_tile_reduction_plan)
        self.check(lib.onepass_plan_tile_reduction(byref(o), byref(plan), self.error_ref))
        target = target.changed(width=plan.size.width, height=plan.size.height)
        if self.device is None:
            self.create()
        self._from = Pixels(source, o.source, "a", False).pads()
        self._to = Pixels(target, o.target, "out", True).pads()
        self.shape = target.shape

    def reduce(self, a: Array, out: Array) -> int:
        """Makes the coarse image; returns the bytes that were copied."""
        return self.run(None, self._work, a, out)

    def _work(self, a: Array, out: Array) -> int:
        copied = self._from.read(a)
        self._to.write(out)
        if self.device is None:
            code = lib.onepass_cpu_tile_reduction_reduce(self.handle, self._from.ref, self._to.ref, self.error_ref)
        else:
            code = lib.onepass_vulkan_reduce_tiles(
                self.device.handle, byref(self.o), None, self._from.ref, self._to.ref, None, self.error_ref
            )
        self.check(code)
        return copied + self._to.finish(out)


class Transform(Engine):
    PREFIX, OPTIONS = "transform", _c.onepass_transform_options

    def __init__(self, shape: Sequence[int], char: str, values: Options) -> None:
        """`shape` and `char` are those of the image, float16, float32 or complex64. The options height and width are
        those of the domain: the image is cropped or padded with zeros."""
        super().__init__(values)
        o = self.o
        image = Layout.of(shape, char, "a")
        width = image.width if self._width is None else self._width
        height = image.height if self._height is None else self._height
        o.size = _c.onepass_extent(width, height)
        is_complex = char == "F"
        result = image.changed(width=width, height=height, char="F" if is_complex else "f")
        o.slices = image.slices
        o.signal = _c.ONEPASS_SIGNAL["complex" if is_complex else "real"]
        o.channels = image.channels * 2 if is_complex else image.channels
        o.source = image.format("a", "linear", True)
        o.target = result.format("a", "linear", True)
        o.crop = _c.onepass_rect(0, 0, min(image.width, width), min(image.height, height))
        plan = sized(_c.onepass_transform_plan)
        self.check(lib.onepass_plan_transform(byref(o), byref(plan), self.error_ref))
        self.bytes = plan.forward_bytes_read + plan.forward_bytes_written
        self._spectrum_bytes = plan.spectrum_bytes
        size = plan.spectrum_size
        self.spectrum_shape: Shape = (image.slices, size.height, size.width, plan.spectrum_channels)
        self.result_shape = result.shape
        self._from = Pixels(image, o.source, "a", False)
        self._to = Pixels(result, o.target, "out", True)
        if self.device is not None:
            self._from.pads(), self._to.pads()
            return
        self._from.takes("linear"), self._to.takes("linear")
        self.create()

    def read(self, values: Options) -> None:
        sizes = [values.pop(name, None) for name in ("height", "width")]
        super().read(values)
        self._height = None if sizes[0] is None else _fields.integer(sizes[0], "height", c_uint32)
        self._width = None if sizes[1] is None else _fields.integer(sizes[1], "width", c_uint32)

    def forward(self, a: Array, out: Array) -> int:
        """Image to spectrum, an array (N, H, W, C) without gaps; returns the bytes that were copied."""
        return self.run(None, self._forward, a, out)

    def inverse(self, spectrum: Array, out: Array) -> int:
        """Spectrum to image."""
        return self.run(None, self._inverse, spectrum, out)

    def _forward(self, a: Array, out: Array) -> int:
        copied = self._from.read(a)
        spectrum = self._packed(out, "out")
        if not out.flags.writeable:
            raise refuse("out", "is read-only")
        if self.device is None:
            code = lib.onepass_cpu_transform_forward(
                self.handle, self._from.ref, spectrum, self._spectrum_bytes, self.error_ref
            )
        else:
            code = lib.onepass_vulkan_transform_forward(
                *(self.device.handle, byref(self.o), None),
                *(self._from.ref, spectrum, self._spectrum_bytes, None, self.error_ref),
            )
        self.check(code)
        return copied

    def _inverse(self, spectrum: Array, out: Array) -> int:
        data = self._packed(spectrum, "spectrum")
        self._to.write(out)
        if self.device is None:
            code = lib.onepass_cpu_transform_inverse(
                self.handle, data, self._spectrum_bytes, self._to.ref, self.error_ref
            )
        else:
            code = lib.onepass_vulkan_transform_inverse(
                *(self.device.handle, byref(self.o), None),
                *(data, self._spectrum_bytes, self._to.ref, None, self.error_ref),
            )
        self.check(code)
        return self._to.finish(out)

    def _packed(self, a: Array, name: str) -> int:
        if a.shape != self.spectrum_shape or a.dtype.char != "F":
            raise refuse(name, "does not have the shape and type of the spectrum")
        if not (a.flags.c_contiguous and a.flags.aligned):
            raise refuse(name, "is not contiguous and aligned")
        return int(a.ctypes.data)


class Correlator(Engine):
    PREFIX, OPTIONS = "correlator", _c.onepass_correlation_options

    def __init__(self, shape: Sequence[int], first: str, second: str, values: Options) -> None:
        super().__init__(values)
        o = self.o
        a, b = Layout.of(shape, first, "a"), Layout.of(shape, second, "b")
        if a.slices != 1:
            raise refuse("a", "is a stack; one image is correlated at a time")
        o.size = a.size
        numbers = [self.numbers if char == "B" else "linear" for char in (first, second)]
        o.first, o.second = a.format("a", numbers[0], True), b.format("b", numbers[1], True)
        plan = sized(_c.onepass_correlation_plan)
        self.check(lib.onepass_plan_correlation(byref(o), byref(plan), self.error_ref))
        self.bytes = plan.bytes_read + plan.bytes_written
        self._first, self._second = Pixels(a, o.first, "a", False), Pixels(b, o.second, "b", False)
        surface = a.changed(char="f", channels=1)
        self._surface = Pixels(surface, surface.format("out"), "out", True)
        if self.device is not None:
            self._first.pads(), self._second.pads()
            return
        self._first.takes(numbers[0]), self._second.takes(numbers[1])
        self.create()

    def estimate(self, a: Array, b: Array) -> Tuple[float, float, float, int]:
        """x, y, confidence, bytes copied."""
        shift = _c.onepass_shift()
        copied = self.run(None, self._estimate, a, b, None, shift)
        return shift.x, shift.y, shift.confidence, copied

    def correlate(self, a: Array, b: Array, out: Array) -> int:
        """The correlation for all shifts; returns the bytes that were copied."""
        return self.run(None, self._estimate, a, b, out, _c.onepass_shift())

    def _estimate(self, a: Array, b: Array, out: Optional[Array], shift: Any) -> int:
        copied = self._first.read(a) + self._second.read(b)
        images = (self._first.ref, self._second.ref)
        surface = None
        if out is not None:
            self._surface.write(out)
            surface = self._surface.ref
        if self.device is not None:
            options = (self.device.handle, byref(self.o), None)
            code = lib.onepass_vulkan_estimate_shift(*options, *images, surface, byref(shift), None, self.error_ref)
        elif surface is None:
            code = lib.onepass_cpu_correlator_estimate(self.handle, *images, byref(shift), self.error_ref)
        else:
            code = lib.onepass_cpu_correlator_correlate(self.handle, *images, surface, self.error_ref)
        self.check(code)
        return copied


class _Operation(Engine):
    """Makes an image from an image, some with a kernel image."""

    #: The plan's struct and function, the functions that run on the CPU and on a device.
    PLAN: Any = None
    PLANS, CPU, VULKAN = "", "", ""
    #: Whether there is a kernel image, and whether the options name the channels.
    KERNEL, CHANNELS = True, True

    def __init__(self, shape: Sequence[int], char: str, kernel_shape: Optional[Sequence[int]], values: Options) -> None:
        super().__init__(values)
        o = self.o
        source = Layout.of(shape, char, "a")
        o.size, o.slices = source.size, source.slices
        if self.CHANNELS:
            o.channels = source.channels
        o.source = o.target = source.format("a", self.numbers, True)
        self._kernel: Optional[Pixels] = None
        self._weights: Any = None
        if self.KERNEL and kernel_shape is not None:
            kernel = Layout.of(kernel_shape, "f", "kernel")
            o.kernel_size, o.kernel = kernel.size, kernel.format("kernel", "linear", True)
            self._kernel = Pixels(kernel, o.kernel, "kernel", False).takes("linear")
        plan = sized(self.PLAN)
        self.check(getattr(lib, self.PLANS)(byref(o), byref(plan), self.error_ref))
        self.bytes = plan.bytes_read + plan.bytes_written
        target = self.result(source, plan)
        self.shape = target.shape
        self._from, self._to = Pixels(source, o.source, "a", False), Pixels(target, o.target, "out", True)
        if self.device is not None:
            self._from.pads(), self._to.pads()
            self._function = getattr(lib, self.VULKAN)
            return
        self._from.takes(self.numbers), self._to.takes(self.numbers)
        self._function = getattr(lib, self.CPU)
        self.create()

    def result(self, source: Layout, plan: Any) -> Layout:
        """The layout of the result."""
        return source

    def set_kernel(self, kernel: Array) -> None:
        """Weights equal to those of the last call cost a comparison."""
        self._alone(self._set_kernel, kernel)

    def _set_kernel(self, kernel: Array) -> int:
        assert self._kernel is not None
        if not kernel.flags.c_contiguous:
            raise refuse("kernel", "has strides that need a copy")
        if self._weights is not None and self._weights.tobytes() == kernel.tobytes():
            return 0
        self._weights = None  # no kernel is set if the next step fails
        self._kernel.read(kernel)
        if self.device is None:
            self.check(
                getattr(lib, f"onepass_cpu_{self.PREFIX}_set_kernel")(self.handle, self._kernel.ref, self.error_ref)
            )
        self._weights = kernel.copy()
        self._kernel.read(self._weights)  # devices receive the weights with each call
        return 0

    def apply(self, a: Array, out: Array, progress: Any = None) -> int:
        """Makes the image; returns the bytes that were copied."""
        return self.run(progress, self._apply, a, out)

    def _apply(self, a: Array, out: Array) -> int:
        copied = self._from.read(a)
        self._to.write(out)
        if self.device is None:
            code = self._function(self.handle, self._from.ref, self._to.ref, self.error_ref)
        else:
            kernel: Tuple[Any, ...] = ()
            if self.KERNEL:
                if self._kernel is not None and self._weights is None:
                    raise refuse("kernel", "is not set")
                kernel = (None if self._kernel is None else self._kernel.ref,)
            code = self._function(
                self.device.handle, byref(self.o), None, *kernel, self._from.ref, self._to.ref, None, self.error_ref
            )
        self.check(code)
        return copied + self._to.finish(out)


def _take_origin(o: Any, values: Options) -> None:
    origin = values.pop("origin", None)
    if origin is not None:
        y, x = _fields.floats(origin, 2, "origin")
        limit = float(1 << 31)
        if not (-limit <= x < limit and -limit <= y < limit):
            raise refuse("origin", f"is {_fields.shown(origin)}, outside the kernel")
        o.has_kernel_origin, o.kernel_origin = 1, _c.onepass_offset(int(x), int(y))


class Convolver(_Operation):
    PREFIX, OPTIONS, PLAN = "convolver", _c.onepass_convolution_options, _c.onepass_convolution_plan
    PLANS, CPU, VULKAN = "onepass_plan_convolution", "onepass_cpu_convolver_convolve", "onepass_vulkan_convolve_image"

    def read(self, values: Options) -> None:
        _take_origin(self.o, values)
        super().read(values)

    def result(self, source: Layout, plan: Any) -> Layout:
        return source.changed(width=plan.result_size.width, height=plan.result_size.height)


class Deconvolver(_Operation):
    PREFIX, OPTIONS, PLAN = "deconvolver", _c.onepass_deconvolution_options, _c.onepass_deconvolution_plan
    PLANS, CPU = "onepass_plan_deconvolution", "onepass_cpu_deconvolver_deconvolve"
    VULKAN = "onepass_vulkan_deconvolve_image"

    def read(self, values: Options) -> None:
        _take_origin(self.o, values)
        super().read(values)


class Filter(_Operation):
    PREFIX, OPTIONS, PLAN = "filter", _c.onepass_filter_options, _c.onepass_filter_plan
    PLANS, CPU, VULKAN = "onepass_plan_filter", "onepass_cpu_filter_apply", "onepass_vulkan_filter_image"
    KERNEL = False

    def read(self, values: Options) -> None:
        notches = values.pop("notches", None)
        super().read(values)
        if notches is None:
            return
        if not isinstance(notches, (tuple, list)) or len(notches) > 32:
            raise refuse("notches", "must be a sequence of at most 32 tuples (fx, fy, radius)")
        self._notches = (_c.onepass_notch * max(1, len(notches)))(
            *(_c.onepass_notch(*_fields.floats(notch, 3, "notches")) for notch in notches)
        )
        self.o.notches, self.o.notch_count = self._notches, len(notches)


class Bloom(_Operation):
    PREFIX, OPTIONS, PLAN = "bloom", _c.onepass_bloom_options, _c.onepass_bloom_plan
    PLANS, CPU, VULKAN = "onepass_plan_bloom", "onepass_cpu_bloom_apply", "onepass_vulkan_bloom_image"
    CHANNELS = False
    NAMES = {"field_of_view": "glare_field_of_view", "rays": "glare_rays"}


def meter_fields() -> Dict[str, Any]:
    """The fields of a measurement, for numpy.dtype."""
    hidden = ("has_history", "adapted_log2", "reserved0", "reserved1")
    kinds = {ctypes.c_uint32: "u4", ctypes.c_float: "f4", ctypes.c_uint64: "u8"}
    result = _c.onepass_meter_result
    fields: List[Tuple[str, Any]] = [field for field in result._fields_ if field[0] not in hidden]
    formats = [kinds.get(kind) or f"{kind._length_}{kinds[kind._type_]}" for _, kind in fields]
    names = [name for name, _ in fields]
    return dict(
        names=names,
        formats=formats,
        offsets=[getattr(result, name).offset for name in names],
        itemsize=ctypes.sizeof(result),
    )


def read_meter_options(o: Any, values: Options) -> None:
    """Reads the options of a meter into its struct."""
    rect = [values.pop(name, None) for name in ("x", "y", "width", "height")]
    shares = values.pop("percentiles", None)
    _fields.assign(o, values, Meter.NAMES)
    if rect[0] is not None:
        o.rect = _c.onepass_rect(*(_fields.integer(n, "rect", c_uint32) for n in rect))
    if shares is not None:
        o.percentiles[:] = _fields.floats(shares, 8, "percentiles")


class Meter(Engine):
    PREFIX, OPTIONS = "meter", _c.onepass_meter_options
    NAMES = {name: f"adaptation_{name}" for name in ("up_stops_per_second", "down_stops_per_second", "ease_stops")}

    def __init__(self, shape: Sequence[int], char: str, mask_char: str, values: Options) -> None:
        super().__init__(values)
        o = self.o
        image = Layout.of(shape, char, "a")
        o.size, o.slices = image.size, image.slices
        o.source = image.format("a", self.numbers, True)
        self._mask: Optional[Pixels] = None
        if mask_char:
            mask = Layout(mask_char, 1, image.height, image.width, 1)
            o.mask = mask.format("mask")
            self._mask = Pixels(mask, o.mask, "mask", False)
        self._slices = image.slices
        self._results_shape = (image.slices, ctypes.sizeof(_c.onepass_meter_result))
        self._results: Any = _c.onepass_meter_result * image.slices
        self._frame = _c.onepass_meter_frame()
        self._frame_ref = byref(self._frame)
        self._from = Pixels(image, o.source, "a", False)
        if self.device is not None:
            self._from.pads()
            return
        self._from.takes(self.numbers)
        self.create()

    def read(self, values: Options) -> None:
        read_meter_options(self.o, values)

    def measure(self, a: Array, results: Array, mask: Optional[Array], seconds: float, cut: bool) -> int:
        """`results`: uint8 of shape (N, bytes of a measurement), read and written."""
        return self.run(None, self._measure, a, results, mask, seconds, cut)

    def _measure(self, a: Array, results: Array, mask: Optional[Array], seconds: float, cut: bool) -> int:
        copied = self._from.read(a)
        flags = results.flags
        if results.shape != self._results_shape or not (flags.c_contiguous and flags.writeable):
            raise refuse("results", "does not have the shape and type of the measurements")
        if results.dtype.char != "B":
            raise refuse("results", "does not have the shape and type of the measurements")
        values = self._results.from_buffer(results)
        weights = None
        if self._mask is not None:
            if mask is None:
                raise refuse("mask", "is missing")
            self._mask.read(mask)
            weights = self._mask.ref
        self._frame.seconds, self._frame.cut = seconds, 1 if cut else 0
        if self.device is None:
            code = lib.onepass_cpu_meter_measure(
                self.handle, self._from.ref, values, self._slices, self._frame_ref, weights, self.error_ref
            )
        else:
            code = lib.onepass_vulkan_meter_image(
                *(self.device.handle, byref(self.o), None),
                *(self._from.ref, values, self._slices, self._frame_ref, weights, None, self.error_ref),
            )
        self.check(code)
        return copied


class ToneMap(Engine):
    PREFIX, OPTIONS, FLAGS = "tone_map", _c.onepass_tone_map_options, ("dither",)
    NAMES = {
        "operator": "tone_operator",
        **{name: f"local_{name}" for name in ("highlights", "shadows", "detail", "grey", "region")},
    }

    def __init__(self, shape: Sequence[int], char: str, target_char: str, values: Options) -> None:
        super().__init__(values)
        o = self.o
        source = Layout.of(shape, char, "a")
        target = source.changed(char=target_char)
        o.size, o.slices = source.size, source.slices
        o.source = source.format("a", self.numbers, True)
        o.target = target.format("out", "linear", True)
        self._from, self._to = Pixels(source, o.source, "a", False), Pixels(target, o.target, "out", True)
        if self.device is not None:
            self._from.pads(), self._to.pads()
            return
        self._from.takes(self.numbers), self._to.takes("linear")
        self.create()

    def apply(self, a: Array, out: Array, exposure: float) -> int:
        """Maps the image; returns the bytes that were copied."""
        return self.run(None, self._apply, a, out, exposure)

    def _apply(self, a: Array, out: Array, exposure: float) -> int:
        copied = self._from.read(a)
        self._to.write(out)
        if self.device is None:
            code = lib.onepass_cpu_tone_map_apply(self.handle, self._from.ref, self._to.ref, exposure, self.error_ref)
        else:
            code = lib.onepass_vulkan_map_tones(
                *(self.device.handle, byref(self.o), None),
                *(self._from.ref, self._to.ref, exposure, None, self.error_ref),
            )
        self.check(code)
        return copied + self._to.finish(out)
