"""The shared library: chosen once, when the package is imported.

It lies in the folder of the package, as in a wheel. A package without one, as in Debian's, takes the installed library of
the same version. The environment variable ONEPASS_LIBRARY names another file.
"""
from __future__ import annotations

import ctypes
import os
import re
import sys
from typing import Any, Tuple

from . import _c
from ._errors import Error, make_error

#: The names of onepass_code.
_CODES = (
    "ok",
    "invalid_argument",
    "unsupported",
    "not_found",
    "bad_data",
    "io",
    "out_of_memory",
    "device",
    "device_lost",
    "cancelled",
)


#: The name of the library in the folder of the package.
NAME = {"win32": "onepass.dll", "darwin": "libonepass.dylib"}.get(sys.platform, "libonepass.so")


#: The soname of the installed library of files, which loads the other one: the functions of both are found in it.
INSTALLED = "libonepass_files.so.0.2" if sys.platform.startswith("linux") else ""


def _path() -> str:
    """The file of the library, or a name that the system's loader resolves."""
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), NAME)
    found = beside if os.path.exists(beside) or not INSTALLED else INSTALLED
    return os.environ.get("ONEPASS_LIBRARY") or found


def _load(path: str) -> Any:
    """The library with the types of its functions. CDLL releases the GIL during a call."""
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(
            f"onepass: cannot load the library {path}: {error}. Install the package again, or name another file in the "
            "environment variable ONEPASS_LIBRARY"
        ) from None
    try:
        version = library.onepass_abi_version()
    except AttributeError:
        raise ImportError(f"onepass: {path} is no library of onepass") from None
    if version != _c.ABI_VERSION:
        raise ImportError(
            f"onepass: {path} has version {version} of the C interface, this package needs version {_c.ABI_VERSION}"
        )
    for name, result, arguments in _c.FUNCTIONS:
        try:
            function = getattr(library, name)
        except AttributeError:
            raise ImportError(f"onepass: {path} has no function {name}: its version is another one") from None
        function.restype, function.argtypes = result, arguments
    return library


lib = _load(_path())


def text(value: bytes) -> str:
    """A text of the library."""
    return value.decode("utf-8", "replace")


def failure(error: _c.onepass_error) -> Error:
    """The exception for a failed call."""
    message: bytes = error.message
    length = error.context_length
    context, message = (message[:length], message[length + 2 :]) if length else (b"", message)
    code = _CODES[error.code] if 0 < error.code < len(_CODES) else _CODES[1]
    name = re.match("[a-z0-9_]+", text(message)) if error.code == 1 else None
    field = name[0] if name and name.end() < len(message) else ""
    return make_error(code, text(message), text(context), "", field)


def call(function: Any, *arguments: Any) -> None:
    """Calls a function whose last parameter is an onepass_error, and raises its error."""
    error = _c.onepass_error()
    if function(*arguments, ctypes.byref(error)):
        raise failure(error)


def sized(struct: Any) -> Any:
    """A new result struct with its size."""
    result = struct()
    result.struct_size = ctypes.sizeof(struct)
    return result


def initialised(struct: Any) -> Any:
    """A new struct of options with the defaults of the library."""
    result = struct()
    getattr(lib, struct.__name__ + "_init")(ctypes.byref(result), ctypes.sizeof(struct))
    return result


def version() -> Tuple[str, int]:
    """The version of the library and that of its interface."""
    return text(lib.onepass_version()), lib.onepass_abi_version()
