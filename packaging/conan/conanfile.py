"""Conan 2 recipe of the library: builds the unpacked source release in ONEPASS_SOURCE. Untried: see ../README.md."""

import os

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy


class OnepassConan(ConanFile):
    name = "onepass"
    license = "MIT"
    description = "Mip chains, depth pyramids, spectra, exposure and tone mapping in few passes over memory"
    settings = "os", "compiler", "build_type", "arch"
    options = {"shared": [True, False], "fPIC": [True, False], "cpu": [True, False]}
    default_options = {"shared": False, "fPIC": True, "cpu": True}

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        self.requires("vulkan-headers/[>=1.3]", transitive_headers=True)
        if self.options.cpu:
            self.requires("highway/[>=1.0]")
            self.requires("onetbb/[>=2021.8]")

    def source(self):
        folder = os.environ.get("ONEPASS_SOURCE")
        if not folder:
            raise ConanInvalidConfiguration("set ONEPASS_SOURCE to the folder of the unpacked source release")
        copy(self, "*", src=folder, dst=self.source_folder)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["ONEPASS_CPU_ENGINE"] = bool(self.options.cpu)
        for part in ("FILES", "CLI", "TESTS", "BENCH", "SAMPLES"):
            toolchain.cache_variables[f"ONEPASS_BUILD_{part}"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "onepass")
        self.cpp_info.set_property("cmake_target_name", "onepass::onepass")
        self.cpp_info.libs = ["onepass"]
        if self.settings.os == "Linux":
            self.cpp_info.system_libs = ["dl", "pthread", "m"]
