"""Builds the package: a shared library, made by CMake, beside modules of plain Python; pyproject.toml holds the metadata.

Environment variables:
    ONEPASS_BUILD=FOLDER    a build of the library to use, configured or new; default: build/python of the tree
    ONEPASS_LIBRARY=FILE    a shared library with the C functions of onepass and onepass_files; nothing is built
    ONEPASS_WHEEL_PLATFORM=TAG  the platform in the tag of a wheel, such as manylinux_2_36_x86_64 or win_amd64; default:
                                that of this machine
The tree is the folder above this one, or, in a source distribution, the folder library.
"""
import os
import pathlib
import shutil
import subprocess
import sys

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:
    from wheel.bdist_wheel import bdist_wheel

HERE = pathlib.Path(__file__).resolve().parent
TREE = HERE / "library" if (HERE / "library").is_dir() else HERE.parent
WHEEL_PLATFORM = os.environ.get("ONEPASS_WHEEL_PLATFORM")
PLATFORM = WHEEL_PLATFORM or sys.platform
NAMES = {"win": "onepass.dll", "darwin": "libonepass.dylib", "macosx": "libonepass.dylib"}
NAME = next((name for start, name in NAMES.items() if PLATFORM.startswith(start)), "libonepass.so")
#: What the library is built from.
SOURCES = ["CMakeLists.txt", "LICENSE", "README.md", "cmake", "include", "shaders", "src", "web/golden"]
if (TREE / "LICENSE").exists():
    shutil.copy2(TREE / "LICENSE", HERE / "LICENSE")  # wheels and source distributions hold what is in this folder


def built_library():
    """The file of the shared library, which CMake builds if necessary."""
    given = os.environ.get("ONEPASS_LIBRARY")
    if given:
        if not pathlib.Path(given).is_file():
            sys.exit(f"onepass: ONEPASS_LIBRARY names no file: {given}")
        return pathlib.Path(given)
    if not (TREE / "CMakeLists.txt").exists():
        sys.exit(
            f"onepass: the sources of the library are not in {TREE}. Install from the project's tree or a source "
            "distribution, or name a shared library in the environment variable ONEPASS_LIBRARY."
        )
    build = pathlib.Path(os.environ.get("ONEPASS_BUILD") or TREE / "build" / "python")
    options = ["-DONEPASS_BUILD_PYTHON=ON"]
    if not (build / "CMakeCache.txt").exists():
        options += ["-DCMAKE_BUILD_TYPE=Release", "-DONEPASS_BUILD_FILES=ON", "-DONEPASS_INSTALL=OFF"]
        options += [f"-DONEPASS_BUILD_{part}=OFF" for part in ("CLI", "TESTS", "BENCH", "SAMPLES")]
        if shutil.which("ninja"):
            options += ["-G", "Ninja"]
    commands = [
        ["cmake", "-S", TREE, "-B", build, *options],
        ["cmake", "--build", build, "--target", "onepass_python_library", "--parallel", str(os.cpu_count() or 1)],
    ]
    for command in commands:
        try:
            status = subprocess.run(command, check=False).returncode
        except FileNotFoundError:
            sys.exit("onepass: the program cmake is missing; it builds the library.")
        if status != 0:
            sys.exit(
                f"onepass: cannot build the library; see the messages of CMake above. The build folder is {build}."
            )
    return build / "python" / NAME


class BuildPy(build_py):
    """Adds the library to the package."""

    def run(self):
        super().run()
        folder = HERE / "onepass" if self.editable_mode else pathlib.Path(self.build_lib) / "onepass"
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy2(built_library(), folder / NAME)


class Sdist(sdist):
    """Adds the sources of the library."""

    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        target = pathlib.Path(base_dir) / "library"
        ignored = shutil.ignore_patterns("__pycache__", "build")
        for name in SOURCES:
            if (TREE / name).is_dir():
                shutil.copytree(TREE / name, target / name, ignore=ignored, dirs_exist_ok=True)
            elif (TREE / name).exists():
                target.mkdir(parents=True, exist_ok=True)
                shutil.copy2(TREE / name, target / name)


class Wheel(bdist_wheel):
    """One wheel serves every version of Python: it has no extension module."""

    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        return "py3", "none", WHEEL_PLATFORM or super().get_tag()[2]


class BinaryDistribution(Distribution):
    """The library depends on the platform."""

    def has_ext_modules(self):
        return True


setup(cmdclass={"build_py": BuildPy, "sdist": Sdist, "bdist_wheel": Wheel}, distclass=BinaryDistribution)
