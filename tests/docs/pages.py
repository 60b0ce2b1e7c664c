#!/usr/bin/env python3
"""pages.py ROOT WORK CXX CC GLSLANG CMAKE: every code block of the README and the pages compiles as it stands, and every
path of the repository that they, and the README of a folder, name in backticks exists.

Languages are tested in one place each: LANGUAGES says where. A block that is no code has the language `text`. A new
page is found by itself; a block that is not a whole program needs a frame below, in which @ is its place.
"""
import itertools
import pathlib
import re
import subprocess
import sys

root, work = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
cxx, cc, glslang, cmake = sys.argv[3:7]

PAGES = [root / name for name in ("README.md", "CONTRIBUTING.md", "python/README.md", "web/README.md")]
PAGES += sorted((root / "docs").rglob("*.md"))
# Pages whose paths must exist. Those of trials may name files of an earlier commit.
TRIALS = root / "docs/experiments"
PATH_PAGES = [page for page in PAGES if TRIALS not in page.parents]
PATH_PAGES += [page for page in sorted({*root.glob("*/README.md"), *root.glob("src/*/README.md")}) if page not in PAGES]
FOLDERS = "api bench cli cmake docs include python samples scripts shaders src tests web".split()
PATH = re.compile(rf"(?:{'|'.join(FOLDERS)})/[\w./*{{}},+-]*")  # globs and {a,b} included
PLACEHOLDER = re.compile("NAME|THEME|FORMAT|ENGINE|TARGET")
HERE = ("cpp", "c", "glsl", "hlsl", "cmake")
LANGUAGES = {  # language: pages of which another test runs the blocks
    "python": r"README\.md|python/README\.md|docs/.*",  # python/tests/test_pages.py
    "sh": r"README\.md|docs/.*",  # python/tests/test_pages.py
    "js": r"web/README\.md|docs/web\.md",  # web/test/documents.test.js
    "ts": r"web/README\.md|docs/web\.md",
    "yaml": r"docs/cluster\.md",  # a manifest for Kubernetes: no program here reads it
    "text": ".*",
}

BOTH_ENGINES = """
extern const vulkan::Device device;
const {0}Options options;
void block() {{ @ }}
"""
CMAKE = """cmake_minimum_required(VERSION 3.25)
project(page LANGUAGES CXX)
add_executable({0} main.cpp)
@
if(NOT TARGET onepass::onepass)
  message(FATAL_ERROR "no target onepass::onepass")
endif()
"""
SHADER = """#version 450
#extension GL_GOOGLE_include_directive : require
layout(binding = 0) uniform sampler2D depth;
layout(binding = 1) uniform sampler2D coarse;
#define ONEPASS_LOAD_NEAREST(level, cell) texelFetch(coarse, ivec2(cell), int(level)).r
#include "onepass/depth_query.glsl"
layout(location = 0) in vec3 position;
const int factor = 16;
const ivec2 full_size = ivec2(64);
void main() {
  OnepassDepthPyramid pyramid = onepass_full_depth_pyramid(uvec2(full_size), ONEPASS_COVERING, false);
"""
FRAMES = {
    (
        "README.md",
        "cpp",
    ): """
VkInstance instance; VkPhysicalDevice gpu; VkDevice vk_device; uint32_t family;
VkImage depth_image, hiz_image; VkCommandBuffer commands;
void block() { @ }
""",
    ("README.md", "cmake"): CMAKE.format("app"),
    ("docs/cuda.md", "cpp"): "@",
    ("docs/depth_query.md", "cpp"): "@",
    ("docs/depth_query.md", "glsl"): SHADER + "uvec2 texel = uvec2(position.xy);\nfloat z = position.z;\n@\n}",
    (
        "docs/from_spd.md",
        "cpp",
    ): """
extern const vulkan::Device device; const uint32_t width = 64, height = 64; const float dt = 0.016F;
VkImage image, depth, hiz_image, scene; VkBuffer results; VkCommandBuffer commands;
void fail(const std::string&);
void block() { @ }
""",
    ("docs/installing.md", "cmake"): CMAKE.format("program"),
    ("docs/integration.md", "cpp"): "VkResult volkInitialize();\nvoid block() { @ }",
    ("docs/mip_filters.md", "cpp"): "void block(onepass::PyramidOptions& options) { @ }",
    ("docs/pyramid.md", "cpp"): BOTH_ENGINES.format("Pyramid"),
    ("docs/reflection.md", "c"): "@",
    (
        "docs/shaders/custom_reduction.md",
        "cpp",
    ): """
struct Texels { float& at(uint32_t, uint32_t, uint32_t) const; };
const Extent size{64, 64}; const uint32_t slices = 1;
extern const Texels base; extern const std::vector<Texels> levels;
void block() { @ }
""",
    (
        "docs/textures.md",
        "cpp",
    ): """
extern const vulkan::Device device; VkImage colors, texture; VkCommandBuffer commands;
void block() { @ }
""",
    ("docs/tile_reduction.md", "cpp"): BOTH_ENGINES.format("TileReduction"),
    ("docs/tile_reduction.md", "glsl"): SHADER + "vec2 uv = position.xy;\n@\n}",
}
# Blocks that other targets compile: whole files of samples/shaders, and parts of samples/integration, which
# integration_docs_test compares with the page.
SAMPLES = {path.read_text() for path in (root / "samples/shaders").iterdir()}
PARTS = re.compile(r"<!-- samples/[\w/.]+: \w+ -->")


def fail(place, message):
    sys.exit(f"{place}: {message}")


def blocks():
    """(page, line, language, text, the line above)"""
    for path in PAGES:
        page = str(path.relative_to(root))
        lines = path.read_text().splitlines()
        begin = None
        for n, line in enumerate(lines):
            if not line.startswith("```"):
                continue
            if begin is None:
                begin = n
            elif line == "```":
                yield page, begin + 1, lines[begin][3:], "\n".join(lines[begin + 1 : n]) + "\n", lines[begin - 1]
                begin = None
        if begin is not None:
            fail(f"{page}:{begin + 1}", "the block has no end")


def expanded(path):
    """The paths that {a,b} in `path` stands for."""
    parts = re.split(r"\{([^{}]*)\}", path)
    parts[1::2] = [part.split(",") for part in parts[1::2]]
    return map("".join, itertools.product(*([part] if isinstance(part, str) else part for part in parts)))


def exists(folder, path):
    return next(folder.glob(path), None) is not None if "*" in path else (folder / path).exists()


def check_paths():
    """Every path in backticks outside blocks that begins with a folder of the repository: from its root, or, in the
    README of a folder, from there. Returns their number."""
    count = 0
    missing = []
    for page in PATH_PAGES:
        text = re.sub(r"^```.*?^```$", lambda block: "\n" * block[0].count("\n"), page.read_text(), flags=re.M | re.S)
        for span in re.finditer(r"`([^`]+)`", text):
            line = text.count("\n", 0, span.start()) + 1
            for word in span[1].split():
                if not PATH.fullmatch(word) or PLACEHOLDER.search(word):
                    continue
                count += 1
                for path in expanded(word):
                    if not exists(root, path.rstrip("/")) and not exists(page.parent, path.rstrip("/")):
                        missing.append(f"{page.relative_to(root)}:{line}: there is no {path}")
    if missing:
        sys.exit("\n".join(missing))
    return count


def run(place, command, text=None):
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        fail(place, f"does not compile\n{done.stdout}{done.stderr}"[:6000])


def framed(page, line, language, text):
    frame = FRAMES.get((page, language))
    if frame is None:
        fail(f"{page}:{line}", f"is not a whole program, and FRAMES of {pathlib.Path(__file__).name} has none for it")
    return frame.replace("@", f"\n{text}\n")


def check_shader(page, line, language, text):
    place = f"{page}:{line}"
    heads = [" ".join(head.split()) for head in re.findall(r"^\w[^;{}]*\);$", text, re.MULTILINE)]
    if heads and "{" not in text:  # declarations alone: those of the headers, with the same names
        headers = " ".join(" ".join(path.read_text() for path in (root / "shaders/onepass").glob("*.glsl")).split())
        headers = re.sub(r"ONEPASS_(OUT|INOUT)\((\w+)\)", lambda m: f"{m[1].lower()} {m[2]}", headers)
        for head in heads:
            if head[:-1] + " {" not in headers:
                fail(place, f"no header defines {head}")
        return
    if language == "glsl" and not re.search(r"^#version", text, re.MULTILINE):
        text = framed(page, line, language, text)
    source = work / f"block.{language}"
    source.write_text(text)
    options = ["--target-env", "vulkan1.2"]
    if language == "hlsl":
        options = ["-D", "--nsf", "--target-env", "vulkan1.1", "-e", "main"]
    stage = "frag" if "layout(location" in text else "comp"
    run(
        place,
        [
            glslang,
            "--quiet",
            *options,
            "-S",
            stage,
            f"-I{root / 'shaders'}",
            "-o",
            str(work / "block.spv"),
            str(source),
        ],
    )


def check_cmake(page, line, text, version):
    """Configures a project with a stand-in for onepass, which declares its targets."""
    folder = work / f"cmake_{line}"
    stand_in = (
        "foreach(name onepass files)\n  add_library(onepass_${name} INTERFACE)\n"
        "  add_library(onepass::${name} ALIAS onepass_${name})\nendforeach()\n"
    )
    for name, content in {
        "CMakeLists.txt": framed(page, line, "cmake", text),
        "main.cpp": "",
        "third_party/onepass/CMakeLists.txt": stand_in,
        "onepass/onepassConfig.cmake": stand_in,
        "onepass/onepassConfigVersion.cmake": f"set(PACKAGE_VERSION {version})\n"
        f'if("{version}" MATCHES "^${{PACKAGE_FIND_VERSION}}([.]|$)")\n'
        "  set(PACKAGE_VERSION_COMPATIBLE 1)\nendif()\n",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    run(
        f"{page}:{line}",
        [
            cmake,
            "--fresh",
            "-S",
            str(folder),
            "-B",
            str(folder / "build"),
            f"-DCMAKE_CXX_COMPILER={cxx}",
            "-DCMAKE_CXX_COMPILER_FORCED=ON",
            f"-Donepass_DIR={folder / 'onepass'}",
        ],
    )


def check_units(units):
    """All blocks of C++ in one translation unit, and all of C."""
    headers = sorted(path.relative_to(root / "include") for path in (root / "include/onepass").rglob("*.hpp"))
    heads = {
        "cpp": "#include <algorithm>\n#include <vector>\n#include <vulkan/vulkan.h>\n"
        + "".join(f'#include "{header}"\n' for header in headers),
        "c": "#include <vulkan/vulkan.h>\n#include <onepass/onepass_vulkan.h>\n",
    }
    command = {"cpp": [cxx, "-std=c++20", "-x", "c++"], "c": [cc, "-std=c99", "-x", "c"]}
    for language, parts in units.items():
        if parts:
            run(
                language,
                [
                    *command[language],
                    "-fsyntax-only",
                    "-Wall",
                    "-Wextra",
                    "-Werror",
                    "-Wno-unused",
                    "-Wno-missing-field-initializers",
                    f"-I{root / 'include'}",
                    "-",
                ],
                heads[language] + "".join(parts),
            )


def main():
    paths = check_paths()
    work.mkdir(parents=True, exist_ok=True)
    version = re.search(r"project\(onepass[^)]*?VERSION (\d+\.\d+\.\d+)", (root / "CMakeLists.txt").read_text())[1]
    units = {"cpp": [], "c": []}
    counts = dict.fromkeys(HERE, 0)
    used = set()
    for page, line, language, text, above in blocks():
        place = f"{page}:{line}"
        if language not in HERE:
            if not re.fullmatch(LANGUAGES.get(language, ""), page) or not language:
                fail(place, f"no test reads blocks of language '{language}' in this page; what is no code is `text`")
            continue
        counts[language] += 1
        used.add((page, language))
        if PARTS.fullmatch(above) and page == "docs/integration.md" or text in SAMPLES:
            continue
        if language in ("glsl", "hlsl"):
            check_shader(page, line, language, text)
        elif language == "cmake":
            check_cmake(page, line, text, version)
        else:
            code = re.sub(r"^#include .*$", "", text, flags=re.MULTILINE)
            marked = f'#line {line + 1} "{page}"\n{code}'
            part = framed(page, line, language, marked)
            if language == "cpp":
                name = re.sub(r"\W", "_", page)
                part = f"namespace at_{name}_{line} {{\nusing namespace onepass;\n{part}\n}}\n"
            units[language].append(part)
            for name in re.findall(r'#include "(.*)"', text):
                if not (root / "include" / name).exists():
                    fail(place, f"there is no header {name}")
    check_units(units)
    for key in FRAMES.keys() - used:
        fail(key[0], f"the frame of {key[1]} has no block")
    print(", ".join(f"{count} blocks of {language}" for language, count in counts.items()) + f"; {paths} paths")


main()
