"""The library that the package loads, and the declarations of its functions and structs."""
import ctypes
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

import onepass
from onepass import _c, _library

HEADERS = ("onepass", "onepass_files", "onepass_vulkan_host", "onepass_cuda")
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
STRUCTS = [value for name, value in vars(_c).items() if isinstance(value, type) and issubclass(value, ctypes.Structure)]


def import_with(library):
    """Imports the package in another process with another library; returns the last line of its errors."""
    run = subprocess.run(
        [sys.executable, "-c", "import onepass; print(onepass.__version__)"],
        env={**os.environ, "ONEPASS_LIBRARY": str(library)},
        capture_output=True,
        text=True,
        check=False,
    )
    return run.stdout.strip() if run.returncode == 0 else run.stderr.strip().splitlines()[-1]


def compile_library(folder, text):
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    (folder / "other.c").write_text(text)
    library = folder / "other.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, folder / "other.c"], check=True)
    return library


def test_another_library_can_be_named():
    assert import_with(_library.lib._name) == onepass.__version__


def test_a_library_that_cannot_be_loaded_is_named(tmp_path):
    missing = tmp_path / "missing.so"
    message = import_with(missing)
    assert message.startswith("ImportError: onepass: cannot load the library") and str(missing) in message
    assert "ONEPASS_LIBRARY" in message


def test_a_package_without_a_library_takes_the_installed_one(tmp_path):
    """Where none of this version is installed, the message has its name."""
    if not _library.INSTALLED:
        pytest.skip("for Linux only")
    package = pathlib.Path(onepass.__file__).parent
    shutil.copytree(package, tmp_path / "onepass", ignore=shutil.ignore_patterns("__pycache__", _library.NAME))
    folder = tmp_path / "installed"
    folder.mkdir()
    environment = {key: value for key, value in os.environ.items() if key != "ONEPASS_LIBRARY"}
    environment["LD_LIBRARY_PATH"] = os.pathsep.join([str(folder), os.environ.get("LD_LIBRARY_PATH", "")]).rstrip(":")

    def imported():
        command = [sys.executable, "-c", "import onepass; print(onepass._library.lib._name)"]
        run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        return run.stdout.strip() or run.stderr.strip().splitlines()[-1]

    if os.path.isfile(_library.lib._name):  # otherwise the library of these tests is the installed one
        shutil.copy(_library.lib._name, folder / _library.INSTALLED)
    assert imported() == _library.INSTALLED
    (folder / _library.INSTALLED).write_bytes(b"no library")
    assert f"cannot load the library {_library.INSTALLED}: " in imported()


def test_the_installed_library_has_the_version_of_the_package():
    sources = ROOT / "CMakeLists.txt"
    if not _library.INSTALLED or not sources.exists():
        pytest.skip("for Linux, in the project's tree")
    major, minor = re.search(r"project\(onepass VERSION (\d+)\.(\d+)", sources.read_text()).groups()
    abi = major if int(major) else f"{major}.{minor}"
    assert _library.INSTALLED == f"libonepass_files.so.{abi}"


def test_a_library_of_another_interface_is_refused(tmp_path):
    message = import_with(compile_library(tmp_path, "unsigned onepass_abi_version(void) { return 1000; }"))
    assert "has version 1000 of the C interface" in message and "needs version 1" in message
    message = import_with(compile_library(tmp_path, "unsigned onepass_abi_version(void) { return 1; }"))
    assert "has no function onepass_" in message
    message = import_with(compile_library(tmp_path, "int onepass(void) { return 1; }"))
    assert "is no library of onepass" in message


@pytest.mark.parametrize("compiler", ["cc", "x86_64-w64-mingw32-gcc"])
def test_structs_have_the_layout_of_the_c_headers(tmp_path, compiler):
    """On 64-bit Windows, too: the module has one description for all systems."""
    include = ROOT / "include"
    if shutil.which(compiler) is None or not (include / "onepass").is_dir():
        pytest.skip("no C compiler or no headers")
    assert len(STRUCTS) > 40
    text = "#include <stddef.h>\n"
    text += "".join(f"#include <onepass/{name}.h>\n" for name in HEADERS)
    for struct in STRUCTS:
        name = struct.__name__
        text += f'_Static_assert(sizeof({name}) == {ctypes.sizeof(struct)}, "{name}");\n'
        for field, kind in struct._fields_:
            text += (
                f"_Static_assert(offsetof({name}, {field}) == {getattr(struct, field).offset} && "
                f'sizeof((({name}*)0)->{field}) == {ctypes.sizeof(kind)}, "{name}.{field}");\n'
            )
    for name, values in vars(_c).items():
        if name.startswith("ONEPASS_") and name != "ONEPASS_CODE":
            for word, number in values.items():
                text += f'_Static_assert({name}_{word.upper()} == {number}, "{name}");\n'
    program = tmp_path / "layout.c"
    program.write_text(text)
    run = subprocess.run(
        [compiler, "-std=c11", "-fsyntax-only", "-I", include, program], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr


def test_structs_have_the_size_that_the_library_knows():
    """A function _init writes no byte beyond the size that it is given, and none less than the library has."""
    for struct in STRUCTS:
        init = getattr(_library.lib, struct.__name__ + "_init", None)
        if init is None:
            continue
        room = ctypes.sizeof(struct) + 8
        memory = (ctypes.c_ubyte * room)(*[0xA5] * room)
        init(ctypes.cast(memory, ctypes.POINTER(struct)), room)
        assert bytes(memory)[-8:] == bytes(8), struct.__name__  # unknown to the library, hence zero
        assert ctypes.cast(memory, ctypes.POINTER(struct)).contents.struct_size == room


def test_errors_have_their_context_apart():
    error = _c.onepass_error(code=5, message=b"a.png: cannot be read", context_length=5)
    failure = _library.failure(error)
    assert isinstance(failure, onepass.FileError) and failure.context == "a.png"
    assert failure.message == "cannot be read" and str(failure) == "a.png: cannot be read"
    error = _c.onepass_error(code=1, message=b"cutoff: 7 is too large")
    assert _library.failure(error).argument == "cutoff"
    error = _c.onepass_error(code=5, message=b"caf\xc3\xa9\xff", context_length=0)
    assert _library.failure(error).message == "caf\u00e9\ufffd"


def test_arguments_of_nested_options_are_named():
    import numpy as np

    a = np.ones((8, 8), np.float32)
    for call, argument in (
        (lambda: onepass.local_exposure(a, highlights=3), "highlights"),
        (lambda: onepass.tonemap(a, "drago", drago=(2, 0.18, 100)), "drago"),
        (lambda: onepass.bloom(a, field_of_view=1000), "field_of_view"),
        (lambda: onepass.Meter(ease_stops=-1).measure(a), "ease_stops"),
    ):
        with pytest.raises(onepass.ArgumentError) as raised:
            call()
        assert raised.value.argument == argument
