#!/usr/bin/env python3
"""examples.py PREFIX WORK CXX CC: compiles every example in the comments of the installed headers, those of C headers as
C99. An example is an indented block with code of the library in it. What it uses and does not declare stands below."""
import pathlib
import re
import subprocess
import sys

prefix, work, cxx, cc = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4]

CPU = """
using namespace onepass;
[[maybe_unused]] const ImageView frame, photo, scene, bokeh, a, b, image, depth, normal_map, roughness_map;
[[maybe_unused]] const MutableImageView glowing, straight, photo_again, blurred, smooth, picture, coarse;
[[maybe_unused]] const std::vector<MutableImageView> levels, normal_levels, roughness_levels;
[[maybe_unused]] const Extent size{64, 64};
[[maybe_unused]] constexpr float dt = 0, exposure = 1, linear_colour = 1;
[[maybe_unused]] constexpr bool first = true;
"""
GPU = """
using namespace onepass;
[[maybe_unused]] const Result<vulkan::Device> device = Error{};
[[maybe_unused]] VkCommandBuffer commands = VK_NULL_HANDLE;
[[maybe_unused]] VkImage frame, glowing, blurred, sharp, smooth, a, b, hdr_image, picture, depth_image, hiz_image, image;
[[maybe_unused]] VkBuffer spectrum, buffer, results;
[[maybe_unused]] const ImageView bokeh, motion;
[[maybe_unused]] const std::vector<std::byte> bytes;
[[maybe_unused]] const Extent size{64, 64};
[[maybe_unused]] constexpr float dt = 0;
[[maybe_unused]] constexpr bool new_scene = true;
"""
# Further declarations, by header.
OWN = {
    "cuda/luminance.hpp": "const Result<cuda::Device> device = Error{}; void* scene = nullptr; "
    "cuda::Stream stream = nullptr; const bool new_scene = true;",
    "cuda/pyramid.hpp": "void *photo = nullptr, *levels = nullptr; const size_t pitch = 0; cuda::Stream stream = nullptr;",
    "cuda/tile_reduction.hpp": "const Result<cuda::Device> device = Error{}; void *depth = nullptr, *coarse = nullptr; "
    "const size_t pitch = 0; cuda::Stream stream = nullptr;",
    "cuda/tone_map.hpp": "const Result<cuda::Device> device = Error{}; "
    "void *scene = nullptr, *picture = nullptr, *exposure = nullptr; cuda::Stream stream = nullptr;",
    "depth_query.hpp": "struct Hiz { float at(uint32_t, uint32_t) const { return 0; } }; const std::vector<Hiz> hiz;"
    "const depth_query::Float4x4 clip_of_world{}; const depth_query::Float3 low{}, high{};",
    "files.hpp": "using namespace files; const std::vector<ImageView> levels; const ImageView base, sheet; std::string text;",
    "fourier_match.hpp": "const ImageView micrograph, templates; const MutableImageView best, which;",
    "fourier_volume.hpp": "const cpu::VolumeView stack, psf; const cpu::MutableVolumeView sharp;",
    "nonfinite.hpp": "const MutableImageView scene;",
    "pyramid_custom.hpp": "const std::vector<float> base; std::vector<std::vector<float>> levels;",
    "pyramid_stream.hpp": "struct Block { const void* data; size_t row_stride; uint32_t rows; } block{};"
    "struct { bool next(Block*) { return false; } } reader; std::vector<int> files;"
    "inline Result<void> write_rows(int, const void*, size_t, uint32_t) { return {}; }",
    "volume_stream.hpp": "struct Block { const void* data; size_t row_stride; } plane{};"
    "struct { bool next(Block*) { return false; } } reader; std::vector<int> arrays;"
    "inline Result<void> write_plane(int, uint32_t, const void*, size_t) { return {}; }",
    "vulkan/fourier.hpp": "const VkImage filtered = VK_NULL_HANDLE;",
    "vulkan/fourier_convolution.hpp": "const ConvolutionOptions options;",
    "vulkan/fourier_correlation.hpp": "const CorrelationOptions options;",
    "vulkan/fourier_deconvolution.hpp": "const DeconvolutionOptions options;",
    "vulkan/fourier_filter.hpp": "const FilterOptions options;",
    "vulkan/frame_tone_map.hpp": "const MeterOptions meter; const ToneMapOptions tone;",
    "vulkan/pyramid.hpp": "VkInstance instance; VkPhysicalDevice gpu; VkDevice handle; uint32_t family;",
    "vulkan/blocks.hpp": "const VkImage colors = VK_NULL_HANDLE, texture = VK_NULL_HANDLE;",
    "vulkan/reflection.hpp": "const ReflectionOptions options; const uint32_t n = 0; const std::vector<vulkan::ReflectionView> "
    "views; VkImage lit, depth, hiz, normals, reflected;",
    "vulkan/tile_reduction.hpp": "const VkImage coarse_image = VK_NULL_HANDLE;",
    "vulkan/tone_map.hpp": "const VkImage scene_image = VK_NULL_HANDLE, picture_image = VK_NULL_HANDLE;"
    "const VkBuffer meter_results = VK_NULL_HANDLE;",
}
C = """
static int fail(const char* message) { return message != 0; }
"""
C_OWN = {
    "onepass.h": "onepass_image_view photo; onepass_mutable_image_view levels[1]; size_t level_count;",
    "onepass_vulkan.h": "VkInstance instance; VkPhysicalDevice gpu; VkDevice device; VkCommandBuffer commands; uint32_t family;"
    "onepass_error error; onepass_vulkan_pyramid* pyramid; onepass_vulkan_pyramid_binding* binding;",
    "onepass_vulkan_host.h": "onepass_pyramid_options options; onepass_image_view photo; onepass_mutable_image_view levels[1];"
    "size_t level_count; onepass_error error;",
    "onepass_cuda.h": "onepass_pyramid_options options; onepass_cuda_image photo; void *memory, *stream; onepass_error error;",
    "onepass_files.h": "onepass_image_view views[1]; size_t view_count = 0; onepass_error error;",
    "shader_setup.h": "VkCommandBuffer commands; VkPipelineLayout layout;",
}
CODE = re.compile(r"\b(auto|onepass_\w+|onepass::\w+|Onepass\w+|FileSet)\b[^.]*[;{]|^for |^if ")


def examples_of(header):
    """Blocks of comment lines that are indented by four more spaces and have code in them, as (line, text)."""
    found, block, begin = [], [], 0
    for number, line in enumerate(header.read_text().splitlines() + [""], 1):
        inner = re.match(r"^ *(?:///?|/?\*+)  (   .*)$", line) or re.match(r"^ *(?:///?|\*) {4,}(\S.*)$", line)
        if inner:
            if not block:
                begin = number
            block.append(inner.group(1))
        elif block:
            if CODE.search("\n".join(block)):
                found.append((begin, "\n".join(block)))
            block = []
    return found


def compile_all(name, head, parts, command):
    source = work / name
    source.write_text(head + "".join(parts))
    run = subprocess.run(command + [str(source)], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"{name}: an example does not compile; line numbers are those of the header\n{run.stderr[:6000]}")


work.mkdir(parents=True, exist_ok=True)
include = prefix / "include"
flags = [
    "-fsyntax-only",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wno-unused",
    "-Wno-missing-field-initializers",
    f"-I{include}",
]
units = {"cpu": [], "gpu": [], "c": []}
heads = {"cpu": set(), "gpu": set(), "c": set()}
count = 0
for header in sorted((include / "onepass").rglob("*.h*")):
    name = str(header.relative_to(include / "onepass"))
    kind = "c" if header.suffix == ".h" else "gpu" if name.startswith("vulkan/") else "cpu"
    for line, text in examples_of(header):
        heads[kind].add(f'#include "onepass/{name}"\n')
        function = re.sub(r"\W", "_", f"{name}_{line}")
        own = (C_OWN if kind == "c" else OWN).get(name, "")
        if kind == "c":
            if not own:
                sys.exit(f"{name}:{line}: C_OWN of {sys.argv[0]} has no declarations for the examples of this header")
            units[kind].append(
                f"static int {function}(void) {{ {own}" f'\n#line {line} "{header}"\n{text}\nreturn 0;\n}}\n'
            )
        else:
            units[kind].append(
                f"namespace {function} {{\n{own}\ninline Result<void> example() {{ for (;;) {{"
                f'\n#line {line} "{header}"\n{text}\nreturn {{}};\n}} }}\n}}\n'
            )
        count += 1
if count < 30:
    sys.exit(f"only {count} examples found")
std = "#include <array>\n#include <cstddef>\n#include <string>\n#include <utility>\n#include <vector>\n"
compile_all("cpu.cpp", std + "".join(sorted(heads["cpu"])) + CPU, units["cpu"], [cxx, "-std=c++20"] + flags)
compile_all("gpu.cpp", std + "".join(sorted(heads["gpu"])) + GPU, units["gpu"], [cxx, "-std=c++20"] + flags)
compile_all(
    "c.c",
    "#include <stddef.h>\n#include <vulkan/vulkan.h>\n" + "".join(sorted(heads["c"])) + C,
    units["c"],
    [cc, "-std=c99", "-Wpedantic"] + flags,
)
print(f"{count} examples compile")
