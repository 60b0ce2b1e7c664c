"""The source distribution: it has the licence, and without the library it says what is missing."""
import pathlib
import shutil
import subprocess
import sys
import tarfile

import pytest

FOLDER = pathlib.Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    """The unpacked source distribution."""
    if not (FOLDER.parent / "LICENSE").exists():
        pytest.skip("the tests stand alone")
    folder = tmp_path_factory.mktemp("sdist")
    tree = folder / "tree"
    shutil.copytree(FOLDER, tree / "python", ignore=shutil.ignore_patterns("build", "dist", "*.egg-info", "LICENSE"))
    shutil.copy(FOLDER.parent / "LICENSE", tree)
    (tree / "src" / "pyramid").mkdir(parents=True)  # what setup.py takes for the project's tree
    subprocess.run([sys.executable, "setup.py", "-q", "sdist", "-d", folder], cwd=tree / "python", check=True,
                   capture_output=True)
    archive, = folder.glob("*.tar.gz")
    with tarfile.open(archive) as tar:
        tar.extractall(folder / "unpacked")
    content, = (folder / "unpacked").iterdir()
    return content


def test_the_licence_is_inside(unpacked):
    assert (unpacked / "LICENSE").read_text() == (FOLDER.parent / "LICENSE").read_text()
    assert "License-File: LICENSE" in (unpacked / "PKG-INFO").read_text()


def test_a_missing_library_is_named(unpacked):
    run = subprocess.run([sys.executable, "setup.py", "build_ext"], cwd=unpacked, capture_output=True, text=True,
                         env={"PATH": "/usr/bin:/bin", "CMAKE_PREFIX_PATH": "/nonexistent"}, check=False)
    assert run.returncode != 0 and "Traceback" not in run.stderr
    assert "find_package(onepass)" in run.stderr.splitlines()[-1]
