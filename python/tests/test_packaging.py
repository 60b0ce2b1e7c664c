"""The distributions: both have the licence, and the source distribution says what is missing without the library."""
import pathlib
import shutil
import subprocess
import sys
import tarfile
import zipfile

import pytest

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
    (copy / "src" / "pyramid").mkdir(parents=True)
    return copy


def make(tree, folder, *command):
    subprocess.run(
        [sys.executable, "setup.py", "-q", *command, "-d", folder], cwd=tree / "python", check=True, capture_output=True
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


def test_the_wheel_has_licence_and_types(tree, tmp_path):
    make(tree, tmp_path, "build_py", "bdist_wheel", "--skip-build")  # without the extension module
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = {name.split("/", 1)[-1]: name for name in archive.namelist()}
        assert archive.read(names["LICENSE"]) == (FOLDER.parent / "LICENSE").read_bytes()
    assert {"__init__.py", "_onepass.pyi", "py.typed"} <= names.keys()


def test_a_missing_library_is_named(unpacked):
    run = subprocess.run(
        [sys.executable, "setup.py", "build_ext"],
        cwd=unpacked,
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin", "CMAKE_PREFIX_PATH": "/nonexistent"},
        check=False,
    )
    assert run.returncode != 0 and "Traceback" not in run.stderr
    assert "find_package(onepass)" in run.stderr.splitlines()[-1]
