"""The distributions: a wheel for every version of Python, and a source distribution from which the library is built."""
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile

import pytest

from onepass import _library

FOLDER = pathlib.Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy of what setup.py takes for the project's tree, without built files."""
    if not (FOLDER.parent / "LICENSE").exists():
        pytest.skip("the tests stand alone")
    copy = tmp_path_factory.mktemp("tree")
    ignored = shutil.ignore_patterns("build", "dist", "*.egg-info", "*.so", "LICENSE")
    shutil.copytree(FOLDER, copy / "python", ignore=ignored)
    shutil.copy(FOLDER.parent / "LICENSE", copy)
    for name in ("CMakeLists.txt", "README.md"):
        shutil.copy(FOLDER.parent / name, copy)
    for name in ("cmake", "include", "shaders", "src", "web/golden"):
        shutil.copytree(FOLDER.parent / name, copy / name)
    return copy


def make(tree, folder, *command, **environment):
    subprocess.run(
        [sys.executable, "setup.py", "-q", *command, "-d", folder],
        cwd=tree / "python",
        check=True,
        capture_output=True,
        env={**os.environ, **environment},
    )


@pytest.fixture(scope="module")
def unpacked(tree, tmp_path_factory):
    """The unpacked source distribution."""
    folder = tmp_path_factory.mktemp("sdist")
    make(tree, folder, "sdist")
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as tar:
        tar.extractall(folder / "unpacked")
    (content,) = (folder / "unpacked").iterdir()
    return content


def test_the_licence_is_inside(unpacked):
    assert (unpacked / "LICENSE").read_text() == (FOLDER.parent / "LICENSE").read_text()
    assert "License-File: LICENSE" in (unpacked / "PKG-INFO").read_text()


def test_the_source_distribution_has_the_sources_of_the_library(unpacked):
    """CMake configures them."""
    assert (unpacked / "library" / "src" / "pyramid" / "cpu.cpp").exists()
    assert (unpacked / "library" / "include" / "onepass" / "onepass.h").exists()
    assert (unpacked / "onepass" / "_c.py").exists() and (unpacked / "tests" / "conftest.py").exists()
    if shutil.which("cmake") is None:
        pytest.skip("no cmake")
    parts = [f"-DONEPASS_BUILD_{part}=OFF" for part in ("CLI", "TESTS", "BENCH", "SAMPLES")]
    command = ["cmake", "-S", unpacked / "library", "-B", unpacked / "build", "-DONEPASS_BUILD_PYTHON=ON"]
    run = subprocess.run([*command, "-DONEPASS_INSTALL=OFF", *parts], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize(
    "platform, name", [("", _library.NAME), ("manylinux_2_36_x86_64", "libonepass.so"), ("win_amd64", "onepass.dll")]
)
def test_a_wheel_serves_every_version_of_python(tree, tmp_path, platform, name):
    library = tmp_path / "given.so"
    library.write_bytes(b"a library")
    make(tree, tmp_path, "bdist_wheel", ONEPASS_LIBRARY=str(library), ONEPASS_WHEEL_PLATFORM=platform)
    (wheel,) = tmp_path.glob("*.whl")
    tag = platform or sysconfig.get_platform().replace("-", "_").replace(".", "_")
    assert wheel.name.endswith(f"-py3-none-{tag}.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = {path.split("/", 1)[-1]: path for path in archive.namelist()}
        assert archive.read(names["LICENSE"]) == (FOLDER.parent / "LICENSE").read_bytes()
        assert archive.read(names[name]) == b"a library"
        assert b"Root-Is-Purelib: false" in archive.read(names["WHEEL"])
    assert {"__init__.py", "_c.py", "py.typed"} <= names.keys()


def test_missing_sources_and_libraries_are_named(unpacked, tmp_path):
    package = tmp_path / "package"
    shutil.copytree(unpacked, package, ignore=shutil.ignore_patterns("library"))
    for environment, words in (({}, "ONEPASS_LIBRARY"), ({"ONEPASS_LIBRARY": "/nonexistent.so"}, "/nonexistent.so")):
        run = subprocess.run(
            [sys.executable, "setup.py", "build_py"],
            cwd=package,
            capture_output=True,
            text=True,
            env={"PATH": "/usr/bin:/bin", **environment},
            check=False,
        )
        assert run.returncode != 0 and "Traceback" not in run.stderr
        assert words in run.stderr.splitlines()[-1]
