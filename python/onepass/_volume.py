"""Pyramids of volumes: 3-D images, in memory or plane by plane (in files: _volume_files.py)."""
from __future__ import annotations

from ctypes import byref, c_uint32, c_void_p, string_at
from typing import Any, Iterable, Iterator, List, Optional, Sequence, Sized, Tuple

import numpy as np

from . import _arrays, _c, _fields, _options, _watch
from ._errors import refuse
from ._library import call, failure, initialised, lib, sized
from ._types import Array, ArrayLike, Progress, VolumeReduction

#: Names of dtypes that the library knows.
TYPES = tuple(name.lower() for name in _c.ONEPASS_VOXEL_TYPE)
#: The code with which a sink ends a stream.
_OUT_OF_MEMORY = 6
_MOST_STEPS = 31


def typed(a: Array, name: str, reduction: Any) -> Array:
    """The array in a dtype that the library knows, in native byte order; bool stays and is reduced as uint8."""
    dtype = a.dtype
    known = dtype.name
    if dtype.kind == "b":
        if reduction == "mean":
            raise refuse(name, "has dtype bool, of which there is no mean; .astype(np.float32) makes it numbers")
    elif known == "float64":
        known = "float32"
    elif known not in TYPES:
        hint = "; labels of 64 bits are uint64" if known == "int64" else ""
        raise refuse(name, f"has dtype {known}, expected bool, {', '.join(TYPES)} or float64{hint}")
    if dtype.name == known and dtype.isnative:
        return a
    _arrays.count_copy(a.nbytes)
    return a.astype(known)


def _plane(value: Any, name: str, reduction: Any) -> Array:
    """A plane (Y, X) or (Y, X, C) whose rows can be read in place."""
    a = typed(_arrays.as_array(value, name), name, reduction)
    if a.ndim not in (2, 3):
        raise refuse(name, f"has {a.ndim} dimensions; planes are (Y, X) or (Y, X, C)")
    if a.size == 0:
        raise refuse(name, f"is empty: its shape is {a.shape}")
    if a.ndim == 3 and not 1 <= a.shape[2] <= 4:
        raise refuse(name, f"has {a.shape[2]} channels; volumes have 1 to 4")
    return _arrays.readable(a)


def _row_stride(plane: Array) -> int:
    return int(plane.strides[0] if plane.shape[0] > 1 else plane[0].nbytes)


def given_steps(steps: Sequence[Sequence[int]]) -> List[Tuple[int, int, int]]:
    """The factors (z, y, x) of an argument."""
    try:
        given = list(steps)
    except TypeError:
        raise refuse("steps", f"is {_fields.shown(steps)}, expected a sequence of (z, y, x)") from None
    if len(given) > _MOST_STEPS:
        raise refuse("steps", f"has {len(given)} steps, at most {_MOST_STEPS} are possible")
    made = []
    for n, step in enumerate(given):
        z, y, x = _options.indices(step, f"steps[{n}]", 3, "(z, y, x), each 1 or 2")
        if any(factor not in (1, 2) for factor in (z, y, x)):
            raise refuse(f"steps[{n}]", f"is {tuple(step)}, expected (z, y, x), each 1 or 2")
        made.append((z, y, x))
    return made


def step_array(steps: Sequence[Tuple[int, int, int]]) -> Any:
    """Factors (z, y, x) as the library takes them."""
    made = (_c.onepass_volume_step * max(1, len(steps)))()
    for to, (z, y, x) in zip(made, steps):
        to.x, to.y, to.z = x, y, z
    return made


def voxel_lengths(voxel_size: Sequence[float]) -> List[float]:
    """The lengths (z, y, x) of an argument."""
    try:
        lengths = [float(length) for length in voxel_size]
    except (TypeError, ValueError, OverflowError):
        raise refuse("voxel_size", f"is {_fields.shown(voxel_size)}, expected three lengths (z, y, x)") from None
    if len(lengths) != 3:
        raise refuse("voxel_size", f"is {_fields.shown(voxel_size)}, expected three lengths (z, y, x)")
    if not all(0 < length < float("inf") for length in lengths):
        raise refuse("voxel_size", f"is {_fields.shown(voxel_size)}, expected positive lengths")
    return lengths


def _steps(
    size: Any, voxel_size: Sequence[float], steps: Optional[Sequence[Sequence[int]]], largest: int
) -> List[Tuple[int, int, int]]:
    """Factors (z, y, x) of every level."""
    if steps is not None:
        return given_steps(steps)
    lengths = voxel_lengths(voxel_size)
    room = (_c.onepass_volume_step * _MOST_STEPS)()
    most = _fields.integer(largest, "largest", c_uint32)
    count = lib.onepass_isotropic_steps(size, *reversed(lengths), most, room)
    return [(step.z, step.y, step.x) for step in room[:count]]


#: Numbers of reductions.
WORDS = {word: number for word, number in _c.ONEPASS_REDUCTION.items() if word != "min_max"}


class _Job:
    """Options of a volume and its plan. `shape` is (Z, Y, X) or (Z, Y, X, C)."""

    def __init__(self, shape: Sequence[int], dtype: Any, reduction: Any, how: Tuple[Any, ...]) -> None:
        self.dtype = np.dtype(dtype)
        self.options = o = initialised(_c.onepass_volume_options)
        z, y, x = (_fields.integer(extent, "volume", c_uint32) for extent in shape[:3])
        o.size = _c.onepass_volume_size(width=x, height=y, planes=z)
        o.type = _c.ONEPASS_VOXEL_TYPE["UINT8" if self.dtype.kind == "b" else self.dtype.name.upper()]
        o.channels = shape[3] if len(shape) > 3 else 1
        o.reduction = _fields.word(reduction, "reduction", WORDS)
        self.steps = _steps(o.size, *how)
        self._room = step_array(self.steps)
        o.steps = self._room
        o.step_count = len(self.steps)
        self.channels = tuple(shape[3:])
        self.shapes: List[Tuple[int, ...]] = []
        if self.steps:
            self.plan = sized(_c.onepass_volume_plan)
            call(lib.onepass_plan_volume, byref(o), byref(self.plan))
            sizes = self.plan.sizes[1 : self.plan.levels]
            self.shapes = [(size.planes, size.height, size.width, *self.channels) for size in sizes]


def _tuning(threads: Optional[int]) -> Any:
    tuning = initialised(_c.onepass_cpu_tuning)
    tuning.threads = 0 if threads is None else _fields.integer(threads, "threads", c_uint32)
    return tuning


def mips3d(
    volume: ArrayLike,
    *,
    reduction: VolumeReduction = "mean",
    voxel_size: Sequence[float] = (1.0, 1.0, 1.0),
    steps: Optional[Sequence[Sequence[int]]] = None,
    largest: int = 64,
    threads: Optional[int] = None,
    progress: Optional[Progress] = None,
) -> List[Array]:
    """All levels of a volume, level 0 (the input) first.

    A level has ceil(size / step) voxels per axis. A voxel of a level stands for its cell of base voxels, each with the
    same weight, also at borders. Integers have exact sums and are rounded once per level, ties to even.

    Args:
        volume: (Z, Y, X) or (Z, Y, X, C) with C from 1 to 4, of any integer dtype but int64, float16 or float32, in
            memory or a memory map; float64 is converted to float32. bool and uint64 have no mean.
        reduction: "mean", "min", "max" or "mode" (the most frequent of the labels one level finer, up to eight of them,
            the smallest one of equally frequent ones; integers and bool without channels).
        voxel_size: lengths (z, y, x) of a voxel, in any unit. Each level halves the axes whose length is below sqrt(2)
            times the smallest, so that voxels become cubes.
        steps: the factors (z, y, x) of every level instead, each 1 or 2.
        largest: without steps, levels end when no axis has more voxels.
        threads: the largest number of threads; None or 0: all that the process may use.
        progress: called with the fraction done, about ten times a second; returns False to cancel.

    Returns:
        A list of arrays of the dtype of `volume`. Level 0 is `volume` itself (or its converted copy).

    Raises:
        ArgumentError (a ValueError): an argument is out of range. UnsupportedError: there is no such mean.
        CancelledError. OutOfMemoryError.

    >>> import numpy as np, onepass
    >>> stack = np.zeros((100, 512, 512), np.uint16)
    >>> [level.shape for level in onepass.mips3d(stack, voxel_size=(2.0, 0.4, 0.4))]
    [(100, 512, 512), (100, 256, 256), (100, 128, 128), (50, 64, 64)]
    """
    a = typed(_arrays.as_array(volume, "volume"), "volume", reduction)
    if a.ndim not in (3, 4):
        raise refuse("volume", f"has {a.ndim} dimensions; volumes are (Z, Y, X) or (Z, Y, X, C)")
    if a.size == 0:
        raise refuse("volume", f"is empty: its shape is {a.shape}")
    if a.ndim == 4 and not 1 <= a.shape[3] <= 4:
        raise refuse("volume", f"has {a.shape[3]} channels; volumes have 1 to 4 (last axis of {a.shape})")
    a = _readable_volume(a)
    job = _Job(a.shape, a.dtype, reduction, (voxel_size, steps, largest))
    tuning = _tuning(threads)
    _watch.check(progress)
    if not job.steps:
        return [a]
    levels = [np.empty(shape, a.dtype) for shape in job.shapes]
    source = _c.onepass_volume_view(
        data=a.ctypes.data, row_stride=_row_stride(a[0]), plane_stride=a.strides[0] if a.shape[0] > 1 else 0
    )
    views = (_c.onepass_mutable_volume_view * len(levels))()
    for view, level in zip(views, levels):
        view.data, view.row_stride, view.plane_stride = level.ctypes.data, level[0, 0].nbytes, level[0].nbytes
    state = _watch.State()
    report = _watch.callback(state, _c.onepass_progress)
    tuning.progress = report

    def work() -> None:
        call(lib.onepass_cpu_build_volume, byref(job.options), byref(tuning), byref(source), views, len(levels))

    if progress is None and a.nbytes < _watch.SHORT:
        work()
    else:
        _watch.run(state, progress, work, ())
    return [a, *levels]


def _readable_volume(a: Array) -> Array:
    """`a`, or a copy if its rows or planes overlap or its voxels are not side by side."""
    item = a.itemsize
    texel = a[0, 0, 0].nbytes
    row = texel * a.shape[2]
    good = a.shape[2] == 1 or a.strides[2] == texel
    if a.ndim == 4:
        good = good and (a.shape[3] == 1 or a.strides[3] == item)
    rows = a.strides[1] if a.shape[1] > 1 else row
    planes = (a.shape[1] - 1) * rows + row
    good = good and rows >= row and (a.shape[0] == 1 or a.strides[0] >= planes)
    if good:
        return a
    _arrays.count_copy(a.nbytes)
    return np.array(a, order="C")


def mips3d_planes(
    planes: Iterable[ArrayLike],
    count: Optional[int] = None,
    *,
    reduction: VolumeReduction = "mean",
    voxel_size: Sequence[float] = (1.0, 1.0, 1.0),
    steps: Optional[Sequence[Sequence[int]]] = None,
    largest: int = 64,
    threads: Optional[int] = None,
) -> Iterator[Tuple[int, int, Array]]:
    """The levels of a volume that is larger than memory, plane by plane: (level, z, plane), levels from 1.

    A generator: it takes the planes of the base one at a time and yields each plane of a level as soon as it is
    complete, finer levels before coarser ones, z in order within a level. It holds a few planes per level, never the
    volume. The planes are those of mips3d(), bit for bit.

    Args:
        planes: arrays (Y, X) or (Y, X, C) of one shape and dtype, z = 0 first: a list, a generator, a volume.
        count: the number of planes; None: len(planes).
        reduction, voxel_size, steps, largest, threads: as in mips3d().

    Yields:
        (level, z, plane): a new array of the dtype of the planes.

    Raises:
        ArgumentError (a ValueError): an argument is out of range, or there are fewer or more planes than `count`.
        UnsupportedError: there is no such mean. OutOfMemoryError.

    >>> import numpy as np, onepass
    >>> def scan():
    ...     for z in range(5):
    ...         yield np.full((8, 8), z, np.float32)
    >>> for level, z, plane in onepass.mips3d_planes(scan(), 5, steps=[(2, 2, 2), (2, 2, 2)]):
    ...     print(level, z, plane.shape, plane[0, 0])
    1 0 (4, 4) 0.5
    1 1 (4, 4) 2.5
    2 0 (2, 2) 1.5
    1 2 (4, 4) 4.0
    2 1 (2, 2) 4.0
    """
    if count is None:
        if not isinstance(planes, Sized):
            raise refuse("count", "is None, but planes has no length")
        count = len(planes)
    number = _fields.integer(count, "count", c_uint32)
    if number == 0:
        raise refuse("count", "is 0, expected 1 or more")
    try:
        iterator = iter(planes)
    except TypeError:
        raise refuse("planes", f"is a {type(planes).__name__}, expected arrays one after the other") from None
    return _stream(iterator, number, reduction, (voxel_size, steps, largest), threads)


def _stream(
    planes: Iterator[Any], count: int, reduction: Any, how: Tuple[Any, ...], threads: Optional[int]
) -> Iterator[Tuple[int, int, Array]]:
    finished: List[Tuple[int, int, Array]] = []
    failures: List[BaseException] = []
    job: Optional[_Job] = None
    shape: Tuple[int, ...] = ()

    def take(_user: Any, finished_plane: Any) -> int:
        try:
            assert job is not None
            plane = finished_plane.contents
            data = string_at(plane.data, plane.row_stride * plane.height)
            array = np.frombuffer(bytearray(data), job.dtype).reshape(plane.height, plane.width, *job.channels)
            finished.append((plane.level, plane.z, array))
            return 0
        except BaseException as error:  # no exception passes through the library
            failures.append(error)
            return _OUT_OF_MEMORY

    sink = _c.onepass_volume_sink(take)
    handle = c_void_p()
    error = _c.onepass_error()
    seen = 0
    try:
        for value in planes:
            name = f"planes[{seen}]"
            plane = _plane(value, name, reduction)
            if job is None:
                shape = plane.shape
                job = _Job((count, *shape), plane.dtype, reduction, how)
                if not job.steps:
                    return
                call(
                    lib.onepass_cpu_volume_stream_create,
                    byref(job.options),
                    byref(_tuning(threads)),
                    sink,
                    None,
                    byref(handle),
                )
            if plane.shape != shape or plane.dtype != job.dtype:
                raise refuse(name, f"has shape {plane.shape} and dtype {plane.dtype}, expected {shape} and {job.dtype}")
            if seen == count:
                raise refuse("planes", f"has more than {count} planes")
            code = lib.onepass_cpu_volume_stream_push(handle, plane.ctypes.data, _row_stride(plane), 0, 1, byref(error))
            if failures:
                raise failures[0]
            if code:
                raise failure(error)
            seen += 1
            yield from finished
            finished.clear()
        if seen < count:
            raise refuse("planes", f"has {seen} planes, expected {count}")
    finally:
        lib.onepass_cpu_volume_stream_destroy(handle)
