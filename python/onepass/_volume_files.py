"""Pyramids of volumes in files, larger than memory."""
from __future__ import annotations

import mmap
import os
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Callable, Iterator, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _arrays, _file_calls, _volume
from ._errors import refuse
from ._files import _bar, _path
from ._types import ArrayLike, Path, VolumeCompression, VolumeReduction

_Axes = Tuple[int, int, int]


@dataclass
class VolumeReport:
    """A finished run of volume(). Sizes and steps are (z, y, x)."""

    #: What was made: the output, or the directory of a shard.
    output: str
    #: The shape of every level.
    sizes: List[_Axes]
    #: steps[n] leads from level n to level n + 1.
    steps: List[_Axes]
    #: "uint8", "float32" and so on.
    dtype: str
    times: int
    channels: int
    chunk: _Axes
    #: Of files; the chunk's if they hold one chunk each.
    shard_size: _Axes
    #: Voxels of the base that were reduced at a time.
    block: _Axes
    #: Blocks made.
    blocks: int
    #: Blocks kept from an interrupted run.
    blocks_kept: int
    #: Memory that the run was planned with.
    planned_bytes: int
    #: A shard that an earlier run has made, or an output that it has finished.
    was_complete: bool
    bytes_written: int
    seconds: float
    warnings: List[str]


def volume(
    input: Union[Path, ArrayLike, None],
    output: Path,
    *,
    planes: Optional[str] = None,
    raw: Optional[str] = None,
    voxel_size: Optional[Sequence[float]] = None,
    steps: Optional[Sequence[Sequence[int]]] = None,
    levels: Optional[int] = None,
    reduction: VolumeReduction = "mean",
    zarr_version: int = 3,
    chunk: Optional[Sequence[int]] = None,
    shard_size: Optional[Sequence[int]] = None,
    compression: VolumeCompression = "zstd",
    max_bytes: Optional[int] = None,
    viewer: bool = False,
    resume: bool = False,
    shard: Optional[Tuple[int, int]] = None,
    merge: int = 0,
    threads: Optional[int] = None,
    progress: Union[bool, Callable[[float], Optional[bool]], None] = None,
) -> VolumeReport:
    """Makes OME-Zarr of a volume (a 3-D image) that may be larger than memory, with the levels of mips3d(). Linux only.

    Args:
        input: a path: OME-Zarr, an OME-TIFF, ImageJ or plain stack of TIFF pages (these also as http:// or https://
            addresses), NIfTI. Or an array (Z, Y, X) of the dtypes of mips3d(), or an object with such a shape whose
            slices have compute() (dask arrays). A memory map of a file is read from its file. Other arrays are written
            to a temporary file beside the output first, which takes their size on disk. None with `planes`.
        output: a directory NAME.zarr.
        planes: the names of files of one plane each, "plane_{z}.tif". raw: the layout of a file without a header,
            "XxYxZ:FORMAT[:be][+OFFSET]" with a FORMAT such as uint16; x varies fastest.
        voxel_size: lengths (z, y, x) of a voxel in micrometres; None: as the file says.
        steps: the factors (z, y, x) of every level, each 1 or 2, the last one repeated; None: those that bring voxels
            nearer to a cube. levels: their number with the base; None: until one chunk holds a level.
        reduction: "mean", "min", "max" or "mode" (of labels), as in mips3d().
        zarr_version: 3 (OME-NGFF 0.5) or 2 (OME-NGFF 0.4). chunk: voxels (z, y, x) of a chunk; None: 64 per axis, fewer
            planes of flat volumes. shard_size: voxels (z, y, x) of a file of chunks; None: four chunks per axis.
            compression: "zstd", "none", "blosc-lz4" or "blosc-zstd". Blosc sorts the bytes of voxels by significance
                first.
        max_bytes: limit of the memory; None: 1 GiB.
        viewer: also writes NAME.html, a page that shows the output from any web server (python3 -m http.server).
        resume: continues an interrupted run with the same input and options.
        shard: (index, count): makes this part of the pyramid only; any number of processes make one each. merge: joins
            this many of them. Not for arrays in temporary files, nor is `resume`.
        threads: the largest number of threads; None or 0: all that the process may use.
        progress: called with the fraction done; returns False to cancel. True: a bar of tqdm, if that is installed.

    Returns:
        A VolumeReport.

    Raises:
        ArgumentError (a ValueError), NotFoundError (a FileNotFoundError), FileError (an OSError), DataError,
        UnsupportedError (ValueErrors), OutOfMemoryError (a MemoryError): also if max_bytes is too small. CancelledError.
        Messages write sizes as XxYxZ. KeyboardInterrupt stops the run; `resume` continues it.

    >>> import numpy as np, onepass, tempfile, os
    >>> output = os.path.join(tempfile.mkdtemp(), "cells.zarr")
    >>> stack = np.zeros((40, 300, 200), np.uint16)
    >>> onepass.volume(stack, output, voxel_size=(2.0, 0.4, 0.4)).sizes
    [(40, 300, 200), (40, 150, 100), (40, 75, 50), (20, 38, 25)]
    """
    values = dict(
        output=_path(output, "output"),
        planes=planes,
        raw=raw,
        voxel_size=voxel_size,
        steps=steps,
        levels=levels,
        reduction=reduction,
        zarr_version=zarr_version,
        chunk=chunk,
        shard_size=shard_size,
        compression=compression,
        max_bytes=max_bytes,
        viewer=viewer,
        resume=resume,
        shard=shard,
        merge=merge,
        threads=threads,
    )
    with _bar(progress) as report:
        if input is None or isinstance(input, (str, bytes, os.PathLike)):
            values["input"] = None if input is None else _path(input, "input")
            return VolumeReport(**_file_calls.volume(values, report))
        for name in ("planes", "raw"):
            if values[name] is not None:
                raise refuse(name, "is for files; an array has its layout")
        with _file_of(input, values) as (values["input"], values["raw"]):
            return VolumeReport(**_file_calls.volume(values, report))


@contextmanager
def _file_of(a: Any, values: Any) -> Iterator[Tuple[bytes, str]]:
    """A file with the voxels of an array, and its layout: that of a memory map, or a temporary one."""
    if not hasattr(a, "shape"):
        a = _arrays.as_array(a, "input")
    if len(a.shape) != 3 or 0 in a.shape:
        raise refuse("input", f"has shape {tuple(a.shape)}, expected a path or an array (Z, Y, X)")
    if _is_file(a):
        order = "" if a.dtype.newbyteorder("<") == a.dtype else ":be"
        yield os.fsencode(a.filename), f"{_layout(a.shape, a.dtype.name)}{order}+{a.offset}"
        return
    for name in ("resume", "shard", "merge"):
        if values[name]:
            raise refuse(name, "is for files and memory maps; other arrays are written to a new file in every run")
    folder, name = os.path.split(os.path.abspath(os.fsdecode(values["output"])))
    try:
        temporary = tempfile.TemporaryDirectory(dir=folder, prefix=".onepass-")
    except FileNotFoundError:
        raise refuse("output", f"is in a directory that does not exist: {folder}") from None
    with temporary:
        path = os.path.join(temporary.name, os.path.splitext(name)[0] + ".raw")  # the output states the name
        yield os.fsencode(path), _layout(a.shape, _write(a, path, values["reduction"]))


def _layout(shape: Sequence[int], dtype: str) -> str:
    return f"{shape[2]}x{shape[1]}x{shape[0]}:{dtype}"


def _is_file(a: Any) -> bool:
    """Whether the voxels of `a` are those of a file, from its offset on."""
    return (
        isinstance(a, np.memmap)
        and isinstance(a.base, mmap.mmap)  # not a part of another map
        and a.filename is not None
        and a.mode != "c"
        and a.flags.c_contiguous
        and a.dtype.name in _volume.TYPES
    )


def _write(a: Any, path: str, reduction: Any) -> str:
    """Writes voxels to a file, some planes at a time; returns their type."""
    plane_bytes = int(np.prod(a.shape[1:])) * 8
    count = max(1, (16 << 20) // plane_bytes)
    dtype = None
    with open(path, "wb") as file:
        for z in range(0, a.shape[0], count):
            part = a[z : z + count]
            compute = getattr(part, "compute", None)
            part = _arrays.as_array(compute() if callable(compute) else part, "input")
            part = _volume.typed(part, "input", reduction)
            if part.shape != (min(count, a.shape[0] - z), *a.shape[1:]) or part.dtype != (dtype or part.dtype):
                raise refuse("input", f"has slices of shape {part.shape} and dtype {part.dtype}, unlike its own")
            dtype = part.dtype
            file.write(np.ascontiguousarray(part).data)
    return "uint8" if dtype is None or dtype.kind == "b" else dtype.name
