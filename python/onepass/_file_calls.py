"""Calls of the library that read and write image files and make tiles and volumes in files."""
from __future__ import annotations

import os
import re
from contextlib import contextmanager
from ctypes import byref, c_char_p, c_int32, c_uint32, c_void_p, cast
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

import numpy as np

from . import _blocks, _c, _fields, _options, _volume, _watch
from ._errors import Error, refuse
from ._layout import Layout, Pixels
from ._library import call, initialised, lib, sized, text
from ._types import Array

_PRIMARIES = {
    "rec709": (0.64, 0.33, 0.30, 0.60, 0.15, 0.06, 0.3127, 0.3290),
    "rec2020": (0.708, 0.292, 0.170, 0.797, 0.131, 0.046, 0.3127, 0.3290),
    "display_p3": (0.680, 0.320, 0.265, 0.690, 0.150, 0.060, 0.3127, 0.3290),
    "acescg": (0.713, 0.293, 0.165, 0.830, 0.128, 0.044, 0.32168, 0.33767),
    "aces2065": (0.7347, 0.2653, 0.0, 1.0, 0.0001, -0.077, 0.32168, 0.33767),
    "xyz": (1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1 / 3, 1 / 3),
}
_FORMAT_NAMES = {number: name for name, number in _c.ONEPASS_FORMAT.items()}
_TYPES = {"8": "u1", "16": "u2", "16f": "f2", "32f": "f4"}
# Numbers of ITU-T H.273 for transfers.
_LINEAR_CODE, _SRGB_CODE = 8, 13


def _chromaticities(value: Any, name: str) -> Any:
    if isinstance(value, str):
        known = dict.fromkeys(_PRIMARIES, 0)
        _fields.word(value, name, known)
        xy = _PRIMARIES[value]
    else:
        numbers = _fields.floats(value, 8, name)
        xy = tuple(float(np.float32(number)) for number in numbers)  # type: ignore[assignment]
    return _c.onepass_chromaticities(xy[0:2], xy[2:4], xy[4:6], xy[6:8])


def _optional(o: Any, values: Dict[str, Any], name: str, convert: Any) -> None:
    """Sets a field that may have no value."""
    value = values.pop(name, None)
    if value is not None:
        setattr(o, name, convert(value, name))
        setattr(o, f"has_{name}", 1)


def _association(value: Any, name: str) -> int:
    return _fields.word(value, name, _c.ONEPASS_ALPHA_ASSOCIATION)


class _Pixels:
    """The pixels of a level of a file, which belong to the file's image."""

    def __init__(self, image: "_Image", data: int, shape: Tuple[int, ...], typestr: str) -> None:
        self._image = image
        self.__array_interface__ = dict(data=(data, False), shape=shape, typestr=typestr, version=3)


class _Image:
    """A file that was read; its memory lives as long as an array of its pixels."""

    def __init__(self) -> None:
        self.handle = c_void_p()
        self._destroy = lib.onepass_files_image_destroy

    def __del__(self) -> None:
        self._destroy(self.handle)

    def level(self, index: int, colours: bool) -> Array:
        """The pixels of a level. `colours`: alpha is left out of four channels, in place."""
        view = _c.onepass_mutable_image_view()
        call(lib.onepass_files_image_mutable_level, self.handle, index, byref(view))
        slices, height, width = view.slices, view.size.height, view.size.width
        name = _FORMAT_NAMES[view.format]
        blue_first = name.startswith("B8G8R8A8")
        plain = re.fullmatch(r"((?:[RGBA](8|16|32))+)_(UNORM|SRGB|SFLOAT)", name)
        depth = {"D16_UNORM": "u2", "D32_SFLOAT": "f4", "D32_SFLOAT_S8_UINT": "f4"}.get(name)
        if depth:
            channels, kind = 1, depth
        elif plain:
            channels = sum(letter in "RGBA" for letter in plain[1])
            kind = _TYPES[plain[2] + ("f" if plain[3] == "SFLOAT" else "")]
        else:  # packed
            decoded = np.empty((slices, height, width, 4), np.float32)
            data = decoded.ctypes.data
            rgba = cast(data, lib.onepass_decode_texels.argtypes[3])
            call(lib.onepass_decode_texels, view.format, view.data, slices * height * width, rgba)
            if colours:
                decoded = np.ascontiguousarray(decoded[..., :3])
            return decoded.reshape(((slices,) if slices > 1 else ()) + decoded.shape[1:])
        typestr = np.dtype(kind).str
        flat = np.asarray(_Pixels(self, view.data, (slices * height * width, channels), typestr))
        if blue_first:
            red = flat[:, 2].copy()
            flat[:, 2] = flat[:, 0]
            flat[:, 0] = red
        if colours and channels == 4:
            _drop_alpha(flat)
            channels = 3
        shape = (slices,) * (slices > 1) + (height, width) + (channels,) * (channels > 1)
        return np.asarray(_Pixels(self, view.data, shape, typestr))


def _drop_alpha(flat: Array, step: int = 1 << 14) -> None:
    """Moves the first three of four channels together, a part after the other, by way of a copy: a part overlaps."""
    count = len(flat)
    packed = flat.reshape(-1)[: count * 3].reshape(count, 3)
    part = np.empty((step, 3), flat.dtype)
    for begin in range(0, count, step):
        size = min(step, count - begin)
        for c in range(3):
            part[:size, c] = flat[begin : begin + size, c]
        packed[begin : begin + size] = part[:size]


def read(path: bytes, content: Optional[bytes], values: Dict[str, Any]) -> Dict[str, Any]:
    """Reads a file, or the bytes of a file with this name: the fields of a Picture."""
    values = dict(values)
    o = initialised(_c.onepass_files_read_options)
    channels = values.pop("channels", None)
    if channels is not None:
        if not isinstance(channels, list):
            raise refuse("channels", "must be a list")
        if not all(isinstance(name, str) for name in channels):
            raise refuse("channels", "must hold strings")
        names = (c_char_p * max(1, len(channels)))(*(_fields.text(name, "channels") for name in channels))
        o.channels, o.channels_count = names, len(channels)
    for name in ("alpha", "assume_alpha"):
        _optional(o, values, name, _association)
    for name in ("primaries", "assume_primaries"):
        _optional(o, values, name, _chromaticities)
    _fields.assign(o, values)
    image = _Image()
    if content is None:
        call(lib.onepass_files_read, path, byref(o), byref(image.handle))
    else:
        call(lib.onepass_files_read_memory, content, len(content), path, byref(o), byref(image.handle))
    info = sized(_c.onepass_files_info)
    call(lib.onepass_files_image_info, image.handle, byref(info))
    view = _c.onepass_image_view()
    call(lib.onepass_files_image_level, image.handle, 0, byref(view))
    none = _c.ONEPASS_ALPHA_ASSOCIATION["none"]
    colours = info.stored_channels == 3 and info.alpha == none
    p = info.primaries
    return dict(
        levels=[image.level(index, colours) for index in range(info.levels)],
        color="srgb" if _FORMAT_NAMES[view.format].endswith("_SRGB") else "linear",
        type=text(info.type),
        alpha=next(word for word, number in _c.ONEPASS_ALPHA_ASSOCIATION.items() if number == info.alpha),
        primaries=(*p.red, *p.green, *p.blue, *p.white),
        says_primaries=bool(info.says_primaries),
        transfer=info.transfer,
        stored_channels=info.stored_channels,
        stored_bits=info.stored_bits,
        orientation=info.exif_orientation,
        cube=bool(info.cube),
        warnings=[text(lib.onepass_files_image_warning(image.handle, i)) for i in range(info.warnings)],
    )


_WRITE_NAMES = {
    "encoding": "png_color",
    "quality": "jpeg_quality",
    "effort": "png_effort",
    "zstd_level": "ktx2_zstd_level",
    "cube": "ktx2_cube",
    "bits": "png_bits",
    "compression": "exr_compression",
    "threads": "exr_threads",
}


def write(path: bytes, levels: List[Array], char: str, values: Dict[str, Any]) -> None:
    """Writes levels of one dtype."""
    values = dict(values)
    o = initialised(_c.onepass_files_write_options)
    color = values.pop("color", None)
    if color is not None:
        _fields.word(color, "color", _c.ONEPASS_FILES_COLOR, ("auto",))
    _optional(o, values, "alpha", _association)
    primaries = values.pop("primaries", None)
    if primaries is not None:
        o.png_primaries = o.tiff_primaries = o.exr_chromaticities = _chromaticities(primaries, "primaries")
        o.has_png_primaries = o.has_tiff_primaries = o.has_exr_chromaticities = 1
    _fields.assign(o, values, _WRITE_NAMES, ("cube",))
    o.dds_cube = o.ktx2_cube
    o.png_threads = o.tiff_threads = o.exr_threads
    # 16 bits have no sRGB format: the file's statement says what they are.
    wide = char == "H"
    extension = os.path.splitext(os.fsdecode(path))[1].lower()
    if wide and color == "srgb" and extension not in (".png", ".tif", ".tiff", ".jpg", ".jpeg"):
        raise refuse("a", "must be uint8 with color='srgb' but in PNG, TIFF and JPEG files")
    if wide and color is not None:
        o.png_code_points[:] = (1, _SRGB_CODE if color == "srgb" else _LINEAR_CODE)
        o.tiff_color = _c.ONEPASS_FILES_COLOR[color]
    numbers = "srgb" if color == "srgb" and not wide else "linear"
    views = (_c.onepass_image_view * max(1, len(levels)))()
    copies = []
    for view, level in zip(views, levels):
        layout = Layout.of(level.shape, char, "a")
        pixels = Pixels(layout, layout.format("a", numbers, True), "a", False, view).pads()
        pixels.read(level)
        copies.append(pixels)
    call(lib.onepass_files_write, path, views, len(levels), byref(o), None)


def write_blocks(path: bytes, levels: Sequence[Any], values: Dict[str, Any]) -> None:
    """Writes levels of blocks."""
    o = initialised(_c.onepass_files_write_options)
    if values["alpha"] is not None:
        o.ktx2_stored_alpha = o.dds_stored_alpha = _association(values["alpha"], "alpha")
    o.dds_header = _fields.word(values["dds_header"], "dds_header", _c.ONEPASS_FILES_DDS_HEADER)
    o.ktx2_cube = o.dds_cube = _fields.flag(values["cube"], "cube")
    o.ktx2_zstd_level = _fields.integer(values["zstd_level"], "zstd_level", c_int32)
    made = [_blocks.view(level) for level in levels]
    views = (_c.onepass_block_view * len(made))(*(view for view, _ in made))
    call(lib.onepass_files_write_blocks, path, views, len(made), byref(o))


_TILE_NAMES = {"input": "input_path", "raw": "input_raw", "grid": "input_grid", "max_bytes": "input_max_bytes"}


def tiles(values: Dict[str, Any], report: Any) -> Dict[str, Any]:
    """Makes a tiled pyramid: the fields of a TileReport."""
    o = initialised(_c.onepass_tile_options)
    if values.get("reduction") is not None:
        _fields.word(values["reduction"], "reduction", _c.ONEPASS_REDUCTION, ("min_max",))
    _fields.assign(o, values, _TILE_NAMES, ("cog", "viewer", "resume"))
    watch = (_c.onepass_tile_watch, lambda at: at.rows / at.height if at.height else 0.0)
    with _run(lib.onepass_make_tiles, o, watch, report, lib.onepass_tile_report_destroy) as handle:
        return _tile_report(handle)


@contextmanager
def _run(function: Any, o: Any, watch: Tuple[Any, Any], report: Any, destroy: Any) -> Iterator[Any]:
    """Makes an output with the options `o`: the handle of the library's report. `watch`: the type of the library's
    callback, and the fraction done as a function of what it receives."""
    state = _watch.State()
    kind, fraction = watch

    def take(_user: Any, progress: Any) -> int:
        state.fraction = fraction(progress.contents)
        return 0 if state.stop else 1

    handle = c_void_p()
    callback = kind(take)
    try:
        _watch.run(state, report, call, (function, byref(o), callback, None, byref(handle)))
        yield handle
    except Error as error:
        if error.argument == "out":  # of arrays; outputs have levels
            error.argument = "levels"
        raise
    finally:
        destroy(handle)


def _tile_report(handle: Any) -> Dict[str, Any]:
    info, progress = sized(_c.onepass_tile_info), sized(_c.onepass_tile_progress)
    call(lib.onepass_tile_report_info, handle, byref(info))
    call(lib.onepass_tile_report_progress, handle, byref(progress))
    sizes = [lib.onepass_tile_report_size(handle, n) for n in range(lib.onepass_tile_report_levels(handle))]
    return dict(
        outputs=_texts(lib.onepass_tile_report_output, handle),
        sizes=[(size.height, size.width) for size in sizes],
        channels=info.channels,
        sample=text(info.sample),
        srgb=bool(info.srgb),
        tile_size=info.tile_size,
        encoding=text(info.encoding),
        tiles=progress.tiles,
        bytes_written=progress.bytes_written,
        seconds=progress.seconds,
        warnings=[text(warning) for warning in _texts(lib.onepass_tile_report_warning, handle)],
    )


_VOLUME_NAMES = {"input": "input_path", "raw": "input_raw", "planes": "input_planes"}


def volume(values: Dict[str, Any], report: Any) -> Dict[str, Any]:
    """Makes a pyramid of a volume in files: the fields of a VolumeReport. Sizes and steps are (z, y, x)."""
    values = dict(values)
    o = initialised(_c.onepass_volume_file_options)
    _fields.word(values["reduction"], "reduction", _volume.WORDS)
    voxel_size, steps, shard = values.pop("voxel_size"), values.pop("steps"), values.pop("shard")
    if voxel_size is not None:
        z, y, x = _volume.voxel_lengths(voxel_size)
        o.input_voxel = _c.onepass_voxel_size(x=x, y=y, z=z)
        o.has_input_voxel = 1
    if steps is not None:
        given = _volume.given_steps(steps)
        if not given:
            raise refuse("steps", "is empty; None leaves them to the size of voxels")
        room = _volume.step_array(given)
        o.steps, o.step_count = room, len(given)
    for name in ("chunk", "shard_size"):
        size = values.pop(name)
        if size is not None:
            setattr(o, name, _volume_size(size, name))
    if shard is not None:
        index, count = _options.indices(shard, "shard", 2, "two integers (index, count)")
        o.shard_index, o.shard_count = (_fields.integer(n, "shard", c_uint32) for n in (index, count))
        if o.shard_count == 0:
            raise refuse("shard", f"is {_fields.shown(shard)}, expected 1 or more shards")
    _fields.assign(o, values, _VOLUME_NAMES, ("viewer", "resume"))
    watch = (_c.onepass_volume_watch, lambda at: at.voxels / at.all_voxels if at.all_voxels else 0.0)
    with _run(lib.onepass_make_volume, o, watch, report, lib.onepass_volume_report_destroy) as handle:
        return _volume_report(handle)


def _volume_size(value: Any, name: str) -> Any:
    z, y, x = _options.indices(value, name, 3, "three integers (z, y, x)")
    z, y, x = (_fields.integer(extent, name, c_uint32) for extent in (z, y, x))
    if 0 in (z, y, x):
        raise refuse(name, f"is {_fields.shown(value)}, expected (z, y, x), each 1 or more")
    return _c.onepass_volume_size(width=x, height=y, planes=z)


def _volume_report(handle: Any) -> Dict[str, Any]:
    info, progress = sized(_c.onepass_volume_info), sized(_c.onepass_volume_progress)
    call(lib.onepass_volume_report_info, handle, byref(info))
    call(lib.onepass_volume_report_progress, handle, byref(progress))

    def shape(size: Any) -> Tuple[int, int, int]:
        return size.planes, size.height, size.width

    steps = [lib.onepass_volume_report_step(handle, n) for n in range(info.levels - 1)]
    return dict(
        output=os.fsdecode(lib.onepass_volume_report_output(handle)),
        sizes=[shape(lib.onepass_volume_report_size(handle, n)) for n in range(info.levels)],
        steps=[(step.z, step.y, step.x) for step in steps],
        dtype=_volume.TYPES[info.type],
        times=info.times,
        channels=info.channels,
        chunk=shape(info.chunk),
        shard_size=shape(info.shard_size),
        block=shape(info.block),
        blocks=progress.blocks,
        blocks_kept=progress.blocks_kept,
        planned_bytes=info.planned_bytes,
        was_complete=bool(info.was_complete),
        bytes_written=progress.bytes_written,
        seconds=progress.seconds,
        warnings=[text(warning) for warning in _texts(lib.onepass_volume_report_warning, handle)],
    )


def _texts(function: Any, handle: Any) -> List[bytes]:
    found: List[bytes] = []
    while (value := function(handle, len(found))) is not None:
        found.append(value)
    return found
