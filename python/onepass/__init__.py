"""Mip chains, depth pyramids, spectra, exposure and tone mapping of NumPy arrays, in few passes over memory.

Images are arrays (H, W), (H, W, C) or (N, H, W, C), C from 1 to 4, of uint8, uint16, float16 or float32; float64 is
converted to float32. Their numbers are linear unless color="srgb" says otherwise. Arrays are read and written in place.

>>> import numpy as np, onepass
>>> photo = np.random.default_rng(1).random((1080, 1920, 4), np.float32)
>>> levels = onepass.mips(photo)                       # a list: level 0 (the input), level 1 of 540 x 960 texels, ...
>>> spectrum = onepass.rfft2(photo[..., 0])            # complex64 of 1080 x 961
>>> picture = onepass.tonemap(photo, exposure=onepass.meter(photo))   # uint8, sRGB
>>> levels[1].shape, spectrum.shape, picture.dtype
((540, 960, 4), (1080, 961), dtype('uint8'))
"""
from __future__ import annotations

from typing import Any, Dict, List

from . import _engines, _library, _options, _types
from ._arrays import copied_bytes
from ._blocks import Blocks, compress, decompress
from ._cache import clear_cache
from ._errors import (
    ArgumentError,
    CancelledError,
    DataError,
    DeviceError,
    Error,
    FileError,
    NotFoundError,
    OutOfMemoryError,
    UnsupportedError,
)
from ._files import Picture, TileReport, read, tiles, write
from ._fourier import (
    Shift,
    Transform,
    align,
    convolve,
    correlate,
    deconvolve,
    fft2,
    filter,
    ifft2,
    irfft2,
    next_smooth_size,
    rfft2,
)
from ._light import Measurement, Meter, bloom, local_exposure, meter, tonemap
from ._match import Match, match_templates
from ._material import height_to_normals, roughness_mips
from ._pyramid import Pyramid, build_pyramid, hiz, min_max_pyramid, mips, tile_reduce, update
from ._volume import mips3d, mips3d_planes
from ._volume_files import VolumeReport, volume
from ._volume_fourier import convolve3, deconvolve3, fft3, ifft3, irfft3, rfft3

__version__: str = _library.version()[0]


def devices() -> List[Dict[str, Any]]:
    """The Vulkan devices of this machine, for engine="vulkan:INDEX" or engine="vulkan:PART OF THE NAME".

    Returns:
        Dictionaries with index, name, driver, software, usable, unusable_reason, memory_bytes, processors and tunings
        (where they come from). Empty without Vulkan.

    Raises:
        DeviceError: the Vulkan loader does not work.

    >>> import onepass
    >>> all("name" in device for device in onepass.devices())
    True
    """
    _options.use_vulkan("devices()")
    return _engines.devices()


def use_tunings(tunings: str) -> None:
    """Uses measured tunings for Vulkan devices, from the next call of a function and the next object on.

    Args:
        tunings: the content of a file that the program wrote (onepass tune -o FILE). "": none. Results change at most
            within the rounding contract.

    Raises:
        ArgumentError: the text cannot be read; the message names the line, the field and the value.

    >>> import onepass
    >>> onepass.use_tunings('{"onepass_tunings": 1, "meter": [{"use": {"groups": 64}}]}')
    >>> onepass.use_tunings("")
    """
    _engines.use_tunings(tunings)
    clear_cache()


# fmt: off
__all__ = [
    "ArgumentError", "Blocks", "CancelledError", "DataError", "DeviceError", "Error", "FileError", "Match", "Measurement",
    "Meter", "NotFoundError", "OutOfMemoryError", "Picture", "Pyramid", "Shift", "TileReport", "Transform", "UnsupportedError",
    "VolumeReport", "align", "bloom", "build_pyramid", "clear_cache", "compress", "convolve", "convolve3",
    "copied_bytes", "correlate", "decompress", "deconvolve", "deconvolve3", "devices", "fft2", "fft3", "filter",
    "height_to_normals", "hiz", "ifft2", "ifft3", "irfft2", "irfft3", "local_exposure", "match_templates", "meter",
    "min_max_pyramid", "mips", "mips3d", "mips3d_planes", "next_smooth_size", "read", "rfft2", "rfft3", "roughness_mips", "tile_reduce",
    "tiles", "tonemap", "update", "use_tunings", "volume", "write",
]
# fmt: on

for _value in [globals()[_name] for _name in __all__]:
    if isinstance(_value, type):
        for _function in [_member for _member in vars(_value).values() if callable(_member)]:
            if getattr(_function, "__annotations__", None) and _function.__module__.startswith("onepass"):
                _types.plain_help(_function)
    else:
        _types.plain_help(_value)
del _value, _function
