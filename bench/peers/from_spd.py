#!/usr/bin/env python3
"""from_spd.py [--language=glsl|hlsl] [--keep-types] FILE...: shaders of FidelityFX SPD include onepass instead, in place.
from_spd.py --projects=FOLDER OUT: the same for copies of public projects, compiled before and after.

`ffx_spd.h` becomes `onepass_spd.glsl` or `.hlsl`, by the extension of FILE or by --language, and `ffx_a.h` its first
part, the types; with --keep-types it stays. `ffx_core.h` always stays. Callbacks without slices, of SPD 1.0, get
ONEPASS_SPD_WITHOUT_SLICES. docs/from_spd.md says what else can change.

--projects: FOLDER has clones of PROJECTS below, by name. OUT gets before/ and after/ with their shaders and SPIR-V, and
the files of scripts/shader-files. Prints the lines that changed and the sizes; exit status 1 if one does not compile or
is not valid.
"""
import difflib
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = re.compile(r'(\s*)#\s*include\s+["<](?:[\w./-]*/)?(ffx_a|ffx_spd)\.h[">]')
WITHOUT_SLICES = re.compile(r"\bSpdLoadSourceImageH?\s*\(\s*\w+\s+\w+\s*\)")

# Name: address, revision, folder of the shaders, the file with the #include lines, and the compilations: the shader and
# options of glslang. Shaders of vuk and in HLSL are compiled by glslang's HLSL front end.
GLSL = ["--target-env", "vulkan1.1", "-S", "comp"]
HLSL = ["-D", "--nsf", "--target-env", "vulkan1.1", "-S", "comp", "-e", "main"]
PROJECTS = {
    "angle": (
        "https://chromium.googlesource.com/angle/angle",
        "80760643c85e1dfe07d389ee5c9baa9198e3f870",
        "src/libANGLE/renderer/vulkan/shaders/src",
        "GenerateMipmap.comp",
        [
            ("GenerateMipmap.comp", [*GLSL, f"-DIsRGBA{form}=1", "-DDestSize6=1"])
            for form in ("8", "8_UseHalf", "16", "16_UseHalf", "32F")
        ],
    ),
    "vuk": (
        "https://github.com/martty/vuk",
        "61abde9ddff60a38b792f193ba60c39e068c1eae",
        "src/runtime/shaders/SPD",
        "spd.cs.hlsl",
        [("spd.cs.hlsl", HLSL)],
    ),
    "FidelityFX-FSR2": (
        "https://github.com/GPUOpen-Effects/FidelityFX-FSR2",
        "1680d1edd5c034f88ebbbb793d8b88f8842cf804",
        "src/ffx-fsr2-api/shaders",
        "ffx_fsr2_compute_luminance_pyramid.h",
        [("ffx_fsr2_compute_luminance_pyramid_pass.glsl", [*GLSL, "-DFFX_GPU=1", "-DFFX_GLSL=1"])],
    ),
    "FidelityFX-SPD": (
        "https://github.com/GPUOpen-Effects/FidelityFX-SPD",
        "v2.0",
        "sample/src/VK",
        "SPDIntegration.glsl",
        [
            *(
                ("SPDIntegration.glsl", [*GLSL, "-Iffx-spd", *more])
                for more in ([], ["-DSPD_NO_WAVE_OPERATIONS"], ["-DA_HALF", "-DSPD_PACKED_ONLY"])
            ),
            ("SPDIntegrationLinearSampler.glsl", [*GLSL, "-Iffx-spd"]),
            ("SPDIntegration.hlsl", [*HLSL, "-Iffx-spd"]),
            ("SPDIntegrationLinearSampler.hlsl", [*HLSL, "-Iffx-spd"]),
        ],
    ),
    "FidelityFX-SDK": (
        "https://github.com/GPUOpen-LibrariesAndSDKs/FidelityFX-SDK",
        "v1.1.4",
        "sdk/include/FidelityFX/gpu",
        "spd/ffx_spd_downsample.h",
        [("ffx_spd_downsample_pass.glsl", [*GLSL, "-DFFX_GPU=1", "-DFFX_GLSL=1", "-DFFX_HALF=0"])],
    ),
}
# What the shaders of a project need beside their folder: (path in the clone, path in the copy)
MORE = {
    "FidelityFX-SPD": [("ffx-spd", "ffx-spd")],
    "FidelityFX-SDK": [
        ("sdk/src/backends/vk/shaders/spd/ffx_spd_downsample_pass.glsl", "ffx_spd_downsample_pass.glsl")
    ],
}


def rewritten(text, language, keep_types):
    """The shader with onepass's includes."""
    file = f"onepass_spd.{language}"
    lines = []
    for line in text.splitlines():
        found = INCLUDE.match(line)
        if found and found[2] == "ffx_a" and not keep_types:
            lines += [f"{found[1]}#define ONEPASS_DECLARATIONS", f'{found[1]}#include "{file}"']
        elif found and found[2] == "ffx_spd":
            if WITHOUT_SLICES.search(text):
                lines.append(f"{found[1]}#define ONEPASS_SPD_WITHOUT_SLICES 1")
            lines.append(f'{found[1]}#include "{file}"')
        else:
            lines.append(line)
    return "\n".join(lines) + "\n"


def rewrite(path, language, keep_types):
    """Rewrites a file; returns the numbers of lines removed and added."""
    before = path.read_text(encoding="utf-8-sig")
    language = language or ("hlsl" if path.suffix in (".hlsl", ".hlsli") else "glsl")
    after = rewritten(before, language, keep_types)
    path.write_text(after, encoding="utf-8")
    changes = list(difflib.unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm=""))[2:]
    return [sum(line.startswith(sign) for line in changes) for sign in "-+"]


def compiled(folder, shader, options, out):
    """The bytes of a shader's SPIR-V, or 0 with the compiler's words printed."""
    commands = (
        ["glslangValidator", "--quiet", "-g0", "-I.", *options, "-o", str(out), shader],
        ["spirv-val", "--target-env", "vulkan1.1", str(out)],
    )
    for command in commands:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            print(done.stdout + done.stderr)
            return 0
    return out.stat().st_size


def project(name, clones, out):
    """Copies, rewrites and compiles a project; returns whether all of it compiles."""
    address, revision, folder, includes, shaders = PROJECTS[name]
    clone = clones / name
    if not clone.exists():
        sys.exit(f"{clone}: missing: {address} at {revision}")
    for side in ("before", "after"):
        target = out / side / name
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(clone / folder, target)
        for source, copy in MORE.get(name, []):
            put = shutil.copytree if (clone / source).is_dir() else shutil.copy
            put(clone / source, target / copy)
    after = out / "after" / name
    for file in (out / "files").glob("onepass_spd.*"):
        shutil.copy(file, after)
    print(f"{name}:")
    for file in sorted({includes, *(shader for shader, _ in shaders)}):
        removed, added = rewrite(after / file, None, False)
        if removed:
            print(f"    {file}: {removed} lines removed, {added} added")
    sound = True
    for number, (shader, options) in enumerate(shaders):
        bytes_of = [compiled(out / side / name, shader, options, out / f"{name}_{number}_{side}.spv")
                    for side in ("before", "after")]  # fmt: skip
        macros = [option for option in options if option[:2] == "-D" and option != "-D"]
        print(f"    {' '.join([shader, *macros])}: {bytes_of[0]} to {bytes_of[1]} bytes")
        sound = sound and all(bytes_of)
    return sound


def main():
    options = [word for word in sys.argv[1:] if word.startswith("--")]
    files = [pathlib.Path(word) for word in sys.argv[1:] if not word.startswith("--")]
    values = dict(option[2:].partition("=")[::2] for option in options)
    if not files or values.keys() - {"language", "keep-types", "projects"}:
        sys.exit(__doc__)
    if "projects" not in values:
        for file in files:
            removed, added = rewrite(file, values.get("language"), "keep-types" in values)
            print(f"{file}: {removed} lines removed, {added} added")
        return
    out = files[0].resolve()
    out.mkdir(parents=True, exist_ok=True)
    subprocess.run([sys.executable, ROOT / "scripts/shader-files", out / "files"], check=True)
    clones = pathlib.Path(values["projects"])
    if not all([project(name, clones, out) for name in PROJECTS]):
        sys.exit(1)


main()
