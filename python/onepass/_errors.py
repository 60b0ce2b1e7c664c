"""Exceptions of the package."""
from __future__ import annotations

import builtins


class Error(Exception):
    """A failure of onepass.

    Attributes:
        code: the kind of failure: "invalid_argument", "unsupported", "not_found", "bad_data", "io", "out_of_memory",
            "device", "device_lost" or "cancelled".
        message: one clause that names the field and its value.
        context: the file or device concerned; may be empty.
        argument: the Python argument concerned; may be empty.
    """

    code: str = ""
    message: str = ""
    context: str = ""
    argument: str = ""


class ArgumentError(Error, ValueError):
    """An argument is out of range, has the wrong type or shape, or contradicts another one."""


class UnsupportedError(Error, ValueError):
    """This build, device or file type does not support a well-formed request."""


class DataError(Error, ValueError):
    """A file is damaged or not of its type, or a technique refuses the pixels."""


class NotFoundError(Error, FileNotFoundError):
    """The file, channel or device does not exist."""


class FileError(Error, OSError):
    """Reading or writing failed."""


class OutOfMemoryError(Error, builtins.MemoryError):
    """Host or device memory is exhausted, or a limit of the caller is reached."""


class DeviceError(Error, RuntimeError):
    """A Vulkan call failed."""


class CancelledError(Error):
    """A progress callback returned False."""


_CLASSES = {
    "invalid_argument": ArgumentError,
    "unsupported": UnsupportedError,
    "not_found": NotFoundError,
    "bad_data": DataError,
    "io": FileError,
    "out_of_memory": OutOfMemoryError,
    "device": DeviceError,
    "device_lost": DeviceError,
    "cancelled": CancelledError,
}

# Fields of the library's options that have another name in Python.
_ARGUMENTS = {
    "source": "a",
    "target": "out",
    "levels": "out",
    "size": "a",
    "first": "a",
    "second": "b",
    "tone_operator": "operator",
    "kernel_origin": "origin",
    "kernel_size": "kernel",
    "notch_count": "notches",
    "filter_kind": "filter",
    "filter_boundary": "boundary",
    "filter_ringing": "ringing",
    "filter_kaiser_width": "kaiser_width",
    "filter_kaiser_alpha": "kaiser_alpha",
    "local_highlights": "highlights",
    "local_shadows": "shadows",
    "local_detail": "detail",
    "local_grey": "grey",
    "local_region": "region",
    "drago_bias": "drago",
    "drago_average": "drago",
    "drago_white": "drago",
    "glare_field_of_view": "field_of_view",
    "glare_rays": "rays",
    "adaptation_up_stops_per_second": "up_stops_per_second",
    "adaptation_down_stops_per_second": "down_stops_per_second",
    "adaptation_ease_stops": "ease_stops",
}


def make_error(code: str, message: str, context: str = "", argument: str = "", field: str = "") -> Error:
    """The exception for a failure. `field` is the name with which the library's message begins, if there is one."""
    text = f"{argument} {message}" if argument else message
    error = _CLASSES.get(code, Error)(f"{context}: {text}" if context else text)
    error.code = code
    error.message = text
    error.context = context
    error.argument = argument or _ARGUMENTS.get(field, field)
    return error


def refuse(argument: str, message: str) -> Error:
    """An ArgumentError that names the argument."""
    return make_error("invalid_argument", message, argument=argument)
