"""Every Python and shell block of the README and the pages runs as it stands, in a folder with inputs of the names used.

Above a block that cannot run here stands a comment that readers of the page do not see: "<!-- not run (REASON) -->", or
"<!-- lines with WORD, WORD are not run (REASON) -->". Blocks of other languages are tested elsewhere: C++
and CMake of docs/integration.md by integration_docs_test, JavaScript in web/test/.
"""
import os
import pathlib
import re
import shutil
import subprocess

import numpy as np
import pytest

import onepass

TREE = pathlib.Path(__file__).resolve().parent.parent.parent
PAGES = (
    ["README.md", "python/README.md"] + sorted(str(path.relative_to(TREE)) for path in (TREE / "docs").rglob("*.md"))
    if (TREE / "docs").is_dir()
    else []
)
LANGUAGES = ("python", "sh")


def blocks():
    """(page:line, language, lines, words of lines to skip, reason to skip all)"""
    found = []
    for page in PAGES:
        lines = (TREE / page).read_text().splitlines()
        for n, line in enumerate(lines):
            if not re.fullmatch(r"```\w+", line) or line[3:] not in LANGUAGES:
                continue
            mark = re.fullmatch(r"<!-- (?:lines with (.*) are )?not run \((.*)\) -->", lines[n - 1])
            assert mark or "<!--" not in lines[n - 1], f"{page}:{n}: {lines[n - 1]}"
            words = [word.strip() for word in mark[1].split(",")] if mark and mark[1] else []
            end = lines.index("```", n)
            found.append(
                pytest.param(
                    line[3:], lines[n + 1 : end], words, mark[2] if mark and not words else "", id=f"{page}:{n + 1}"
                )
            )
    return found


BLOCKS = blocks()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the inputs that the pages name."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    height, width = 96, 128
    y, x = np.mgrid[0:height, 0:width] / 128
    photo = np.stack([x, y, (x + y) / 2, np.ones_like(x)], axis=2)
    light = np.float16(np.exp2(8 * photo - 4))
    light[..., 3] = 1
    pictures = np.uint8(photo * 255)
    cutout = pictures.copy()
    cutout[..., 3] = np.where(rng.random((height, width)) < 0.4, 255, 0)
    for name in (
        "textures/a.png",
        "textures/b.png",
        "bricks.png",
        "sign.png",
        "changed.png",
        "tile_0_0.png",
        "tile_1_0.png",
        "tile_0_1.png",
        "tile_1_1.png",
        "photo.jpg",
        "normals.png",
        "heights.png",
        "wall_albedo.png",
        "wall_ao.png",
        "wall_height.png",
        "wall_metal.png",
        "wall_normal.png",
        "wall_rough.png",
        "sets/oak_albedo.png",
        "sets/oak_normal.png",
        "sets/oak_orm.png",
    ):
        os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
        onepass.write(name, pictures[..., :3], color="srgb")
    for name in ("right", "left", "up", "down", "front", "back"):
        onepass.write(f"{name}.png", pictures[:64, :64, :3], color="srgb")
    onepass.write("leaves.png", cutout, color="srgb")
    onepass.write("scan.tif", np.repeat(np.repeat(pictures[..., :3], 8, 0), 8, 1))
    onepass.write("ortho.tif", np.repeat(np.repeat(pictures[..., :3], 8, 0), 8, 1))
    onepass.write("cells.tif", rng.integers(0, 65535, (height, width), np.uint16))
    onepass.write("cells.ome.tif", rng.integers(0, 65535, (height, width), np.uint16))
    (tmp_path / "scan.raw").write_bytes(rng.integers(0, 65535, (80, 256, 256), np.uint16).tobytes())
    os.makedirs("frames")
    os.makedirs("out")
    for name in ("desk.exr", "scene.exr", "frame.exr", "glass.exr", "sky.exr", "frames/1.exr", "frames/2.exr"):
        onepass.write(name, light)
    (tmp_path / "frames.txt").write_text("frames/1.exr\nframes/2.exr\n")
    onepass.write("atlas.ktx2", onepass.mips(np.repeat(np.repeat(pictures, 4, 0), 4, 1), color="srgb"), color="srgb")
    onepass.write("changed.png", np.repeat(np.repeat(pictures[..., :3], 4, 0), 4, 1), color="srgb")
    return tmp_path


def program():
    """The folder of the program onepass."""
    build = os.environ.get("ONEPASS_BUILD")
    candidates = [pathlib.Path(build) / "cli" / "onepass"] if build else []
    return next((str(path.parent) for path in candidates if path.exists()), None)


@pytest.mark.parametrize("language,lines,words,reason", BLOCKS)
def test_block_runs(folder, monkeypatch, language, lines, words, reason):
    if reason:
        pytest.skip(reason)
    kept = [line for line in lines if not any(word in line for word in words)]
    assert kept and all(any(word in line for line in lines) for word in words)
    before = set(folder.rglob("*"))
    if language == "python":
        exec(compile("\n".join(kept), "block", "exec"), {})
    else:
        path = program()
        if path is None:
            pytest.skip("ONEPASS_BUILD has no program")
        if any("hiz" in line for line in kept):  # a picture with a channel Z
            subprocess.run([f"{path}/onepass", "scene", "-o", "frame.exr", "--size", "128x96"], check=True)
        monkeypatch.setenv("PATH", path, prepend=os.pathsep)
        monkeypatch.setenv("SLURM_ARRAY_TASK_ID", "0")
        run = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", "\n".join(kept)], cwd=folder, capture_output=True, text=True, check=False
        )
        assert run.returncode == 0, run.stderr
    assert set(folder.rglob("*")) - before, "the block writes nothing"


def test_every_page_is_looked_at():
    if not PAGES:
        pytest.skip("the tests stand alone")
    ids = [block.id for block in BLOCKS]
    assert {"README.md", "python/README.md", "docs/python.md", "docs/command_line.md", "docs/tiles.md"} <= {
        name.rsplit(":", 1)[0] for name in ids
    }
    assert sum(not block.values[3] for block in BLOCKS) >= 8
    assert shutil.which("bash")
