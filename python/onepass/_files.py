"""Image files and tiled pyramids."""
from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Callable, Dict, Iterable, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _arrays, _file_calls, _options
from ._blocks import Blocks
from ._errors import refuse
from ._types import (
    Array,
    ArrayLike,
    Association,
    Color,
    DdsHeader,
    ExrCompression,
    FileColor,
    Path,
    Primaries,
    Readable,
    TileCompression,
    TileFormat,
    TilesReduction,
    Window,
)


@dataclass(repr=False)
class Picture:
    """The content of an image file. NumPy functions and those of onepass accept it as an array: level 0.

    >>> import numpy as np, onepass
    >>> picture = onepass.Picture([np.zeros((2, 3), np.float32)])
    >>> np.asarray(picture).shape
    (2, 3)
    """

    #: Level 0 first; files other than KTX2 and mip-mapped EXR have one level.
    levels: List[Array]
    #: "srgb" if uint8 values are encoded as sRGB, otherwise "linear".
    color: Color = "linear"
    #: "PNG", "OpenEXR" and so on.
    type: str = ""
    #: "none", "straight" or "premultiplied": the association of colours and alpha.
    alpha: str = "none"
    #: CIE x and y of red, green, blue and white.
    primaries: Tuple[float, ...] = (0.64, 0.33, 0.30, 0.60, 0.15, 0.06, 0.3127, 0.3290)
    #: Whether the file states its primaries; otherwise BT.709 is assumed.
    says_primaries: bool = False
    #: Encoding that the file states, a number of ITU-T H.273: 13 sRGB, 16 PQ, 18 HLG; 0: none.
    transfer: int = 0
    #: Channels that the file stores.
    stored_channels: int = 0
    #: Bits of a stored channel.
    stored_bits: int = 0
    #: EXIF orientation, 1 (upright) to 8; it is not applied.
    orientation: int = 1
    #: The images of a stack are cube faces.
    cube: bool = False
    #: Statements of the file that could not be applied.
    warnings: List[str] = field(default_factory=list)

    @property
    def pixels(self) -> Array:
        """Level 0: (H, W), (H, W, C) or (N, H, W, C)."""
        return self.levels[0]

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> Array:
        pixels = self.pixels if dtype is None else self.pixels.astype(dtype, copy=False)
        return pixels.copy() if copy and pixels is self.pixels else pixels

    def __repr__(self) -> str:
        levels = f", {len(self.levels)} levels" if len(self.levels) > 1 else ""
        alpha = f", {self.alpha} alpha" if self.alpha != "none" else ""
        kind = f"{self.type}: " if self.type else ""
        return f"<Picture {kind}{self.pixels.shape} {self.pixels.dtype}, {self.color}{alpha}{levels}>"


def _path(path: Any, name: str) -> bytes:
    """The bytes of a path, which need not be text."""
    try:
        encoded = os.fsencode(path)
    except TypeError:
        raise refuse(name, f"is a {type(path).__name__}, expected a path") from None
    except UnicodeError:
        raise refuse(name, f"is {path!r}, which the file system's encoding cannot hold") from None
    if b"\0" in encoded:
        raise refuse(name, "contains a null character")
    return encoded


def _primaries(value: Any, name: str) -> Any:
    if value is None or isinstance(value, str):
        return value
    try:
        return [_options.number(n, name) for n in value]
    except TypeError:
        raise refuse(name, f"is {value!r}, expected a name or eight numbers") from None


def read(
    file: Readable,
    *,
    color: FileColor = "auto",
    channels: Optional[Sequence[str]] = None,
    part: Optional[str] = None,
    alpha: Optional[Association] = None,
    assume_alpha: Optional[Association] = None,
    primaries: Optional[Primaries] = None,
    assume_primaries: Optional[Primaries] = None,
    max_bytes: Optional[int] = None,
    window: Window = "data",
    fill: float = 0.0,
    threads: Optional[int] = None,
) -> Picture:
    """Reads an image file: PNG, JPEG, OpenEXR, Radiance HDR, PFM, KTX2, TIFF, WebP, TGA, DDS or PNM (PBM, PGM,
    PPM, PAM).

    Args:
        file: a path, the bytes of a file, or a binary file object, which is read to its end.
        color: "auto" (as the file says; if it does not, 8 bits are sRGB, and so are colours in PNG and PNM, and all
            others are linear), "srgb" or "linear". "auto" decodes PQ and HLG to the light of a display, of which 1 is
            203 cd/m2, and divides Radiance files by their EXPOSURE.
        channels: of an EXR file, 1 to 4 names such as "Z" or "diffuse.R"; part: its name or index.
        alpha: convert colours to "straight" or "premultiplied"; None: as in the file. assume_alpha: the association of
            the file, if it states a wrong one.
        primaries: convert colours to these: "rec709", "rec2020", "display_p3", "acescg", "aces2065", "xyz" or eight numbers,
            x and y of red, green, blue, white. assume_primaries: those of the file.
        max_bytes: limit of the memory that reading uses; None: 8 GiB.
        window: of an EXR file: "data", or "display" (texels outside the data window are `fill`).
        threads: the largest number of threads; None or 0: all that the process may use.

    Returns:
        A Picture. 8-bit values are uint8 (sRGB-encoded if Picture.color says so). 16-bit values are uint16 if they are
        linear, and decoded to float32 if they are encoded, as those of colour PNG (color="linear" reads them unchanged
        as uint16). Others are float16 or float32. Grey with alpha becomes four channels. The array owns the
        memory of the reader; nothing is copied.

    Raises:
        NotFoundError (a FileNotFoundError), FileError (an OSError), DataError (a ValueError): a damaged file.
        UnsupportedError, ArgumentError (ValueErrors), OutOfMemoryError (a MemoryError): above max_bytes.

    >>> import numpy as np, onepass, tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "ramp.png")
    >>> onepass.write(path, np.arange(12, dtype=np.uint8).reshape(3, 4))
    >>> picture = onepass.read(path)
    >>> picture.pixels.shape, picture.pixels.dtype, picture.type
    ((3, 4), dtype('uint8'), 'PNG')
    """
    options: Dict[str, Any] = dict(
        color=color,
        part=part,
        alpha=alpha,
        assume_alpha=assume_alpha,
        max_bytes=max_bytes,
        window=window,
        fill=_options.number(fill, "fill"),
        threads=threads,
        channels=None if channels is None else list(channels),
        primaries=_primaries(primaries, "primaries"),
        assume_primaries=_primaries(assume_primaries, "assume_primaries"),
    )
    if isinstance(file, (bytes, bytearray, memoryview)):
        return Picture(**_file_calls.read(b"memory", bytes(file), options))
    if hasattr(file, "read"):
        content = file.read()
        if not isinstance(content, (bytes, bytearray, memoryview)):
            raise refuse("file", f'reads {type(content).__name__}, expected bytes: open it with mode "rb"')
        name = getattr(file, "name", None)
        label = os.fsencode(name) if isinstance(name, str) else b"memory"
        return Picture(**_file_calls.read(label, bytes(content), options))
    return Picture(**_file_calls.read(_path(file, "file"), None, options))


_EXTENSIONS = (
    ".png",
    ".jpg",
    ".jpeg",
    ".exr",
    ".hdr",
    ".pfm",
    ".tif",
    ".tiff",
    ".ppm",
    ".pgm",
    ".pam",
    ".ktx2",
    ".dds",
)


def write(
    file: Union[Path, BinaryIO],
    a: Union[ArrayLike, Picture, Blocks, Sequence[Array], Sequence[Blocks]],
    *,
    type: Optional[str] = None,
    color: Optional[Color] = None,
    alpha: Optional[Association] = None,
    primaries: Optional[Primaries] = None,
    encoding: FileColor = "auto",
    bits: Optional[int] = None,
    quality: int = 90,
    effort: int = 1,
    compression: ExrCompression = "zip",
    zstd_level: int = 0,
    dds_header: DdsHeader = "dx10",
    cube: bool = False,
    threads: Optional[int] = None,
) -> None:
    """Writes an image file; the extension states the type: .png, .jpg, .exr, .hdr, .pfm, .tif, .ppm, .pgm, .pnm, .pam,
    .ktx2 or .dds.

    The file appears complete or not at all.

    Args:
        file: a path, or a binary file object such as io.BytesIO with `type`, an extension: ".png".
        type: of a file object; paths have an extension.
        a: an image (H, W) or (H, W, C), a Picture, or a list of levels (KTX2: any number; EXR: one or all). KTX2 files
            hold stacks (N, H, W, C) too. EXR and KTX2 files of three channels get an alpha of 1. KTX2 and DDS files hold
            Blocks, or a list of levels of them, as well; they are never converted.
        color: "srgb": integers are encoded as sRGB, which KTX2 (8 bits), PNG and TIFF (16 bits) state and EXR (8 bits)
            decodes. "linear": they are not, which PNG of 16-bit colours states. None: that of a Picture, otherwise
            "linear" without a statement: readers of PNG take colours as sRGB. PNG, JPEG and TIFF store integers
            unchanged.
        alpha: the association of the colours, "straight" or "premultiplied"; it is converted as the type requires.
            None: that of a Picture, otherwise nothing is converted. Of Blocks: what the file states.
        primaries: as in read(), stated in PNG, EXR and TIFF files.
        encoding: of floats in PNG: "auto" and "srgb" (clipped to 0..1, sRGB-encoded) or "linear".
        bits: of PNG, 8 or 16. quality: of JPEG, 1 to 100. effort: of PNG, 0 to 9. compression: of EXR, "zip", "zips",
            "piz", "rle" or "none". zstd_level: of KTX2, 0 to 22. dds_header: "legacy" for programs that do not read that
            of DX10. cube: KTX2 or DDS of cube faces.
        threads: the largest number of threads; None or 0: all that the process may use.

    Raises:
        FileError (an OSError), UnsupportedError, ArgumentError (ValueErrors).

    >>> import numpy as np, onepass, tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "chain.ktx2")
    >>> levels = onepass.mips(np.ones((4, 4, 4), np.float32))
    >>> onepass.write(path, levels, zstd_level=3)
    >>> [level.shape for level in onepass.read(path).levels]
    [(4, 4, 4), (2, 2, 4), (1, 1, 4)]
    """
    if isinstance(a, Picture):
        color = a.color if color is None else color
        if alpha is None and a.alpha != "none":
            alpha = a.alpha  # type: ignore[assignment]
        a = a.levels
    if isinstance(a, Blocks) or (isinstance(a, (list, tuple)) and len(a) and isinstance(a[0], Blocks)):
        refused = dict(color=color, primaries=primaries, bits=bits)
        for name, value in refused.items():
            if value is not None:
                raise refuse(name, f"is {value!r}, but blocks are written as they are")
        parts: Any = [a] if isinstance(a, Blocks) else a
        values = dict(alpha=alpha, zstd_level=zstd_level, dds_header=dds_header, cube=cube)
        _to_file(file, type, lambda path: _file_calls.write_blocks(path, parts, values))
        return
    levels = a if isinstance(a, (list, tuple)) and len(a) and hasattr(a[0], "shape") else [a]
    arrays = [_arrays.image(level, "a") for level in levels]
    if any(level.dtype != arrays[0].dtype for level in arrays):
        raise refuse("a", "has levels of different dtypes")
    options = dict(
        color=color,
        alpha=alpha,
        encoding=encoding,
        bits=bits,
        quality=quality,
        effort=effort,
        compression=compression,
        zstd_level=zstd_level,
        dds_header=dds_header,
        cube=cube,
        threads=threads,
        primaries=_primaries(primaries, "primaries"),
    )
    _to_file(file, type, lambda path: _file_calls.write(path, arrays, arrays[0].dtype.char, options))


def _to_file(file: Union[Path, BinaryIO], type: Optional[str], write_to: Callable[[bytes], None]) -> None:
    """Writes to a path, or to a file object by way of a temporary file."""
    if not hasattr(file, "write"):
        if type is not None:
            raise refuse("type", f"is {type!r}, but paths state the type by their extension")
        write_to(_path(file, "file"))
        return
    extension = "." + str(type).lower().lstrip(".")
    if extension not in _EXTENSIONS:
        raise refuse("type", f"is {type!r}; a file object needs one of " + ", ".join(_EXTENSIONS))
    with tempfile.TemporaryDirectory(prefix="onepass-") as folder:
        path = os.path.join(folder, "picture" + extension)
        write_to(_path(path, "file"))
        with open(path, "rb") as written:
            shutil.copyfileobj(written, file)  # type: ignore[arg-type]


@dataclass
class TileReport:
    """A finished run of tiles()."""

    #: Files and directories that were made.
    outputs: List[str]
    #: (height, width) of every level.
    sizes: List[Tuple[int, int]]
    channels: int
    #: "uint8", "uint16", "half", "float" and so on.
    sample: str
    #: The mean was that of decoded sRGB colours.
    srgb: bool
    tile_size: int
    #: "jpeg", "png", "deflate" and so on.
    encoding: FileColor
    #: Tiles written.
    tiles: int
    bytes_written: int
    seconds: float
    warnings: List[str]


_RAW_SAMPLES = {"B": "8", "H": "16", "e": "16f", "f": "32f", "b": "8s", "h": "16s", "i": "32s", "I": "32"}
_RAW_CHANNELS = {1: "gray", 2: "rg", 3: "rgb", 4: "rgba"}


def _labels(rows: Array) -> Array:
    """Labels of signed integers, of 64 bits or booleans as unsigned ones."""
    if rows.dtype.kind not in "iub" or rows.dtype.char in "BHI":
        return rows
    if rows.dtype.kind == "b":
        return rows.view(np.uint8)
    if rows.size and not (0 <= rows.min() and rows.max() < 1 << 32):
        raise refuse("a", f"has labels from {rows.min()} to {rows.max()}; tiles hold labels from 0 to 4294967295")
    return rows.astype(np.uint32)


def _spool(
    blocks: Iterable[Any], file: Any, shape: Optional[Sequence[int]], channels_given: Optional[int], labels: bool
) -> str:
    """Writes rows to a file as they come; returns the description of the file."""
    width = channels = 0
    dtype: Optional["np.dtype[Any]"] = None
    height = 0
    for block in blocks:
        compute = getattr(block, "compute", None)
        rows = _arrays.as_array(compute() if callable(compute) else block, "a")
        if labels:
            rows = _labels(rows)
        if rows.ndim == 1:
            rows = rows[np.newaxis]
        elif rows.ndim == 2 and shape is None and 2 <= rows.shape[1] <= 4:
            if channels_given is None:
                raise refuse(
                    "a",
                    f"yields a block of shape {rows.shape}: rows of {rows.shape[1]} grey texels, or one "
                    "row with as many channels? State channels=",
                )
            if channels_given == rows.shape[1]:
                rows = rows[np.newaxis]
        elif rows.ndim == 2 and channels_given not in (None, 1):
            raise refuse(
                "a",
                f"yields a block of shape {rows.shape}, expected (W, {channels_given}) or "
                f"(rows, W, {channels_given})",
            )
        if rows.ndim not in (2, 3) or rows.size == 0:
            raise refuse("a", f"yields a block of shape {rows.shape}, expected (rows, W) or (rows, W, C)")
        if dtype is None:
            dtype = np.dtype(np.float32) if rows.dtype == np.float64 else rows.dtype.newbyteorder("=")
            width, channels = rows.shape[1], rows.shape[2] if rows.ndim == 3 else 1
            if dtype.char not in _RAW_SAMPLES or channels not in _RAW_CHANNELS:
                hint = '; labels need reduction="mode"' if dtype.kind in "iub" and channels == 1 else ""
                raise refuse("a", f"has dtype {dtype} and {channels} channels, which tiles cannot hold{hint}")
            if channels_given is not None and channels != channels_given:
                raise refuse("channels", f"is {channels_given}, but a block has shape {rows.shape}")
        if rows.shape[1] != width or (rows.shape[2] if rows.ndim == 3 else 1) != channels:
            raise refuse("a", f"yields a block of shape {rows.shape} after rows of {width} x {channels}")
        file.write(np.ascontiguousarray(rows, dtype).data)
        height += rows.shape[0]
    if dtype is None:
        raise refuse("a", "yields no rows")
    if shape is not None and tuple(shape[:2]) != (height, width):
        raise refuse("a", f"has {height} x {width} rows and columns, expected {tuple(shape[:2])}")
    file.flush()
    return f"{width}x{height}:{_RAW_CHANNELS[channels]}{_RAW_SAMPLES[dtype.char]}"


def tiles(
    a: Union[Path, ArrayLike, Picture, Iterable[Any], None],
    output: Path,
    *,
    channels: Optional[int] = None,
    grid: Optional[str] = None,
    raw: Optional[str] = None,
    levels: Optional[int] = None,
    tile_size: Optional[int] = None,
    overlap: Optional[int] = None,
    reduction: TilesReduction = "mean",
    color: FileColor = "auto",
    tile_format: TileFormat = "auto",
    compression: TileCompression = "auto",
    quality: int = 75,
    cog: bool = False,
    viewer: bool = False,
    resume: bool = False,
    max_bytes: Optional[int] = None,
    threads: Optional[int] = None,
    progress: Union[bool, Callable[[float], Optional[bool]], None] = None,
) -> TileReport:
    """Makes a tiled pyramid of a picture that may be larger than memory.

    Args:
        a: the path of a picture (TIFF, OME-TIFF, PNG, JPEG, OpenEXR and others; of TIFF and OME-Zarr also an http:// or
            https:// address), an array (H, W) or (H, W, C), an object with such a shape whose slices have compute()
            (dask arrays: computed block by block), or an iterable of grey rows (W,), rows (W, C) with `channels`, or
            blocks of rows (rows, W) or (rows, W, C). Arrays and rows are written to a temporary file beside the output
            first, which takes their size on disk; memory holds a few rows of tiles. None with `grid`.
        channels: of an iterable of rows: 1 to 4. Only blocks of shape (n, 2), (n, 3) and (n, 4) need it, which can be n
            narrow grey rows or one row of n colours.
        output: the extension states the type: .dzi (DeepZoom), .tif (pyramidal TIFF), .zarr (OME-Zarr), .ktx2, .exr.
        grid: the names of the files of a grid, "tile_{x}_{y}.png". raw: the layout of a file without a header,
            "WxH:FORMAT[:be][+OFFSET]".
        levels, tile_size, overlap, quality: None: as the output's type requires. reduction: "mean", "min", "max", or
            "mode" (the most frequent label; arrays of any integers from 0 to 4294967295).
        color: "auto", "srgb" or "linear": whether the mean is that of decoded sRGB colours.
        tile_format: of DeepZoom: "auto", "jpeg", "png" or "webp". compression: of TIFF and OME-Zarr: "auto", "none",
            "jpeg", "deflate", "zstd" or "lzw". cog: a Cloud Optimized GeoTIFF. viewer: a page beside a DeepZoom
            pyramid.
        resume: continues an interrupted run with the same input and options.
        max_bytes: limit of the memory. threads: the largest number of threads; None or 0: all that the process may use.
        progress: called with the fraction done; returns False to cancel. True: a bar of tqdm, if that is installed.

    Raises:
        Those of read(); CancelledError. KeyboardInterrupt stops the run; `resume` continues it.

    >>> import numpy as np, onepass, tempfile, os
    >>> output = os.path.join(tempfile.mkdtemp(), "ramp.zarr")
    >>> rows = (np.full((16, 600), y, np.uint16) for y in range(40))   # 640 rows, 16 at a time
    >>> onepass.tiles(rows, output).sizes
    [(640, 600), (320, 300), (160, 150)]
    """
    target = _path(output, "output")
    if channels is not None:
        channels = _options.index(channels, "channels")
        if channels not in _RAW_CHANNELS:
            raise refuse("channels", f"is {channels}, expected 1 to 4")
    options: Dict[str, Any] = dict(
        output=target,
        grid=grid,
        raw=raw,
        levels=levels,
        tile_size=tile_size,
        overlap=overlap,
        reduction=reduction,
        color=color,
        tile_format=tile_format,
        compression=compression,
        quality=quality,
        cog=cog,
        viewer=viewer,
        resume=resume,
        max_bytes=max_bytes,
        threads=threads,
    )
    with _bar(progress) as report:
        if a is None or isinstance(a, (str, bytes, os.PathLike)):
            if channels is not None:
                raise refuse("channels", "is for rows; a file states its channels")
            options["input"] = None if a is None else _path(a, "a")
            return _report(_file_calls.tiles(options, report))
        if isinstance(a, Picture):
            a = a.pixels
        shape = getattr(a, "shape", None)
        blocks: Iterable[Any]
        if shape is not None:
            if len(shape) not in (2, 3) or 0 in shape:
                raise refuse("a", f"has shape {shape}, expected (H, W) or (H, W, C)")
            row_bytes = max(1, int(np.prod(shape[1:])) * 4)
            step = max(1, (16 << 20) // row_bytes)
            rows: Any = a
            blocks = (rows[y : y + step] for y in range(0, shape[0], step))
        else:
            try:
                blocks = iter(a)  # type: ignore[arg-type]
            except TypeError:
                raise refuse("a", f"is a {type(a).__name__}, expected a path, an array or rows") from None
        folder = os.path.dirname(os.path.abspath(target))
        try:
            spool = tempfile.NamedTemporaryFile(dir=folder, prefix=b".onepass-", suffix=b".raw")
        except FileNotFoundError:
            raise refuse("output", f"is in a directory that does not exist: {os.fsdecode(folder)}") from None
        with spool:
            options["raw"] = _spool(blocks, spool, shape, channels, reduction == "mode")
            options["input"] = spool.name
            return _report(_file_calls.tiles(options, report))


def _report(made: Dict[str, Any]) -> TileReport:
    made["outputs"] = [os.fsdecode(path) for path in made["outputs"]]
    return TileReport(**made)


class _bar:
    """A progress callback: the caller's, none, or a bar of tqdm."""

    def __init__(self, progress: Any) -> None:
        self._bar: Any = None
        self._report = None if isinstance(progress, bool) else progress
        if self._report is not None and not callable(self._report):
            raise refuse("progress", f"is a {type(progress).__name__}, expected a function or True")
        if progress is True:
            try:
                from tqdm.auto import tqdm  # type: ignore[import]
            except ImportError:
                return
            self._bar = tqdm(total=100, unit="%")
            self._report = self._show

    def _show(self, fraction: float) -> None:
        self._bar.update(100 * fraction - self._bar.n)

    def __enter__(self) -> Optional[Callable[[float], Optional[bool]]]:
        return self._report

    def __exit__(self, *_: Any) -> None:
        if self._bar is not None:
            self._bar.close()
