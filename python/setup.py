"""Builds the extension module with CMake; pyproject.toml holds the metadata.

The library comes from the tree around this folder. Environment variables:
    ONEPASS_BUILD    folder of a build to use, configured or new; default: build/python of the tree
    ONEPASS_INSTALLED=1  an installed library (find_package(onepass)) instead of the tree
Where there is no tree around this folder, as in a source distribution, the library must be installed.
"""
import os
import pathlib
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = pathlib.Path(__file__).resolve().parent
TREE = HERE.parent
if (TREE / "LICENSE").exists() and (TREE / "src" / "pyramid").is_dir():
    shutil.copy2(TREE / "LICENSE", HERE / "LICENSE")  # wheels and source distributions hold what is in this folder


class CMakeBuild(build_ext):
    def build_extension(self, ext):
        installed = os.environ.get("ONEPASS_INSTALLED") or not (TREE / "src" / "pyramid").is_dir()
        options = [f"-DPython_EXECUTABLE={sys.executable}"]
        if installed:
            source, build = HERE, pathlib.Path(self.build_temp).resolve()
        else:
            source, build = TREE, pathlib.Path(os.environ.get("ONEPASS_BUILD") or TREE / "build" / "python")
            options += ["-DONEPASS_BUILD_PYTHON=ON"]
            if not (build / "CMakeCache.txt").exists():
                options += ["-DCMAKE_BUILD_TYPE=Release"]
                options += [f"-DONEPASS_BUILD_{part}=OFF" for part in ("CLI", "TESTS", "BENCH", "SAMPLES")]
                options += ["-DONEPASS_BUILD_FILES=ON", "-DONEPASS_INSTALL=OFF"]
        if not (build / "CMakeCache.txt").exists():
            options += ["-G", "Ninja"]
        configured = subprocess.run(["cmake", "-S", source, "-B", build, *options], check=False)
        if configured.returncode != 0:
            sys.exit(
                "onepass: cannot configure the extension module. "
                + (
                    "It needs the C++ library, which find_package(onepass) did not find: install it first and name its "
                    "folder in CMAKE_PREFIX_PATH, or install from the project's tree."
                    if installed
                    else f"See the messages of CMake above; the build folder is {build}."
                )
            )
        subprocess.run(["cmake", "--build", build, "--target", "onepass_python"], check=True)
        folder = build if installed else build / "python"
        target = pathlib.Path(self.get_ext_fullpath(ext.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(folder / target.name, target)


setup(ext_modules=[Extension("onepass._onepass", [])], cmdclass={"build_ext": CMakeBuild})
