"""The annotations, as mypy --strict sees them: right calls pass, every misspelled word and wrong type is an error."""
import pathlib
import site
import re
import subprocess
import sys
import typing

import numpy as np
import pytest

import onepass
from onepass import _types

RIGHT = """
import io
import numpy as np
import numpy.typing as npt
import onepass

a = np.zeros((64, 64), np.float32)
levels: "list[npt.NDArray[np.float32]]" = onepass.mips(a, footprint="ceil", alpha="weighted")
spectrum: npt.NDArray[np.complex64] = onepass.rfft2(a, norm="ortho", axes=(-2, -1))
image: npt.NDArray[np.float32] = onepass.irfft2(spectrum, s=a.shape)
onepass.mips([[1, 2], [3, 4]])
onepass.mips(memoryview(b"ab").cast("B", (1, 2)))
onepass.convolve(a, np.ones((3, 3)), "full", boundary="mirror", scale="unit_sum")
onepass.deconvolve(a, [[1.0]], "richardson_lucy", edges="unknown", progress=lambda fraction: fraction < 1)
onepass.filter(a, "high_pass", cutoff=0.2, notches=[(0.1, 0.1, 0.01)])
shift: float = onepass.align(a, a, kind="cross").x
picture = onepass.tonemap(a, "aces_hill", exposure=onepass.meter(a, metering="spot"), dtype=np.uint16)
onepass.write("a.png", picture, color="srgb")
onepass.write(io.BytesIO(), onepass.Picture([a]), type=".exr")
read = onepass.read(io.BytesIO(b""), color="linear", primaries="acescg")
onepass.mips(read)
blocks = onepass.compress(a, "bc6h", quality="best", metric="luma", alpha="weighted")
onepass.write("a.dds", [blocks], alpha="straight")
texels: npt.NDArray[np.float32] = onepass.decompress(onepass.Blocks(blocks.data, "bc6h_ufloat", (64, 64)), out=a)
report = onepass.tiles((a for _ in range(3)), "a.dzi", channels=1, tile_format="webp", reduction="mode")
tiles: int = report.tiles
shape: "tuple[int, int, int]" = onepass.volume(
    np.zeros((3, 3, 3)), "a.zarr", steps=[(1, 2, 2)], compression="none", shard=(0, 2)
).sizes[0]
onepass.volume(None, "a.zarr", planes="plane_{z}.tif", progress=True)
onepass.build_pyramid(a, reduction="mode", out=[a])[0].shape
onepass.Pyramid((4, 4), np.uint8, reduction="max").update(a, [a], np.s_[0:1, 0:1])
onepass.Meter(statistic="mean").measure(a, seconds=0.1)
onepass.bloom(a, method="mip_chain", resolution="half")
onepass.mips3d(np.zeros((3, 3, 3)), reduction="mean", voxel_size=(2, 1, 1))[1].shape
cube: "npt.NDArray[np.complex64]" = onepass.rfft3(np.zeros((3, 3, 3)), norm="ortho")
onepass.irfft3(onepass.ifft3(onepass.fft3(cube)), s=(3, 3, 3))
onepass.convolve3(cube.real, [[[1.0]]], "full", boundary="mirror", origin=(0, 0, 0), dtype=np.uint8)
onepass.deconvolve3(cube.real, [[[1.0]]], 5, acceleration="momentum", halo=(1, 2, 3), progress=lambda done: True)
plane: "npt.NDArray[np.float32]" = next(onepass.mips3d_planes((a for _ in range(3)), 3, steps=[(2, 2, 2)]))[2]
"""

WRONG = """
import numpy as np
import onepass

a = np.zeros((64, 64), np.float32)
onepass.mips(a, footprint="round")
onepass.mips(a, color="sRGB")
onepass.mips(a, alpha="weigthed")
onepass.mips("text")
onepass.mips(None)
onepass.mips(a, levels="all")
onepass.mips(a, threads=1.5)
onepass.mips(a, treads=2)
onepass.mips(a, progress=5)
onepass.build_pyramid(a, reduction="median")
onepass.hiz(a, reduction="farthest")
onepass.tile_reduce(a, 16, reduction="mode")
onepass.update(a, [a], (0, 1))
onepass.rfft2(a, norm="unitary")
onepass.rfft2(a, s=(10.5, 10))
onepass.rfft2(a, axes=0)
onepass.fft2(a, out="b")
onepass.convolve(a, a, "circular")
onepass.convolve(a, a, boundary="reflect")
onepass.convolve(a, a, scale="sum")
onepass.convolve(a, a, kernel_channels="each")
onepass.convolve(a)
onepass.deconvolve(a, a, "richardson-lucy")
onepass.deconvolve(a, a, prior="gaussian")
onepass.deconvolve(a, a, edges="clamp")
onepass.filter(a, "lowpass")
onepass.filter(a, shape="chebyshev")
onepass.filter(a, dc="drop")
onepass.filter(a, domain="log")
onepass.filter(a, notches=[(0.1, 0.1)])
onepass.align(a, a, kind="ncc")
onepass.align(a, a, window="hamming")
onepass.align(a, a, refinement="gaussian")
onepass.align(a, a).z
onepass.meter(a, metering="center_weighted")
onepass.meter(a, statistic="median")
onepass.meter(a, rule="iso")
onepass.meter(a, weights="rec601")
onepass.meter(a, wheel=1)
onepass.Meter(kye=0.18)
onepass.tonemap(a, "filmic")
onepass.tonemap(a, transfer="sRGB")
onepass.tonemap(a, look="vivid")
onepass.tonemap(a, primaries="p3")
onepass.tonemap(a, exposure="auto")
onepass.bloom(a, method="gaussian")
onepass.bloom(a, resolution="quarter")
onepass.read("a.png", color="gamma")
onepass.read("a.exr", window="crop")
onepass.read("a.exr", alpha="associated")
onepass.read("a.exr", primaries="srgb")
onepass.read(5)
onepass.write("a.exr", a, compression="dwaa")
onepass.write("a.png", a, color="auto")
onepass.write("a.png", a, encoding="gamma")
onepass.compress(a, quality="good")
onepass.compress(a, alpha="coverage")
onepass.compress(a, metric="psnr")
onepass.decompress(a)
onepass.mips3d(a, reduction="median")
onepass.deconvolve3(a, a, acceleration="biggs")
onepass.rfft3(a, norm="unit")
onepass.mips3d_planes(a, "3")
onepass.roughness_mips(a, variance="lean")
onepass.height_to_normals(a, normal_y="left")
onepass.tiles(a, "a.dzi", tile_format="jpg")
onepass.tiles(a, "a.tif", compression="zip")
onepass.tiles(a, "a.tif", reduction="min_max")
onepass.volume(a, "a.zarr", reduction="median")
onepass.volume(a, "a.zarr", compression="zip")
onepass.volume(a, "a.zarr", chunk=64)
onepass.volume(a, "a.zarr", shard=(1, 2, 3))
onepass.Pyramid((4, 4), reduction="average")
onepass.Pyramid("shape")
onepass.Transform((4, 4), norm="none")
onepass.Transform((4, 4)).forward(a).shape.x
"""


def complaints(tmp_path, text):
    """Line number -> message of mypy."""
    pytest.importorskip("mypy", reason="Debian's package mypy")
    (tmp_path / "calls.py").write_text(text)
    folder = str(pathlib.Path(onepass.__file__).parent.parent)
    path = {} if folder in site.getsitepackages() else {"MYPYPATH": folder}  # mypy finds the former by itself
    run = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--strict",
            "--no-error-summary",
            "--hide-error-context",
            "--cache-dir",
            str(tmp_path / "cache"),
            "calls.py",
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={**path, "PATH": "/usr/bin:/bin"},
        check=False,
    )
    assert not run.stderr, run.stderr
    found = {}
    for line in run.stdout.splitlines():
        match = re.match(r"calls\.py:(\d+): error: (.*)", line)
        if match:
            found[int(match[1])] = match[2]
        else:
            assert ": note: " in line, line
    return found


def test_right_calls_pass(tmp_path):
    lines = RIGHT.splitlines()
    assert {lines[n - 1]: message for n, message in complaints(tmp_path, RIGHT).items()} == {}


def test_mistakes_are_found(tmp_path):
    found = complaints(tmp_path, WRONG)
    lines = WRONG.splitlines()
    missed = [line for n, line in enumerate(lines, 1) if line.startswith("onepass.") and n not in found]
    assert missed == [] and len(found) > 50


A = np.ones((8, 8, 4), np.float32)
WORDS = {
    "Alpha": lambda word: onepass.mips(A, alpha=word),
    "AlphaPolicy": lambda word: onepass.convolve(A, [[1.0]], alpha=word),
    "Association": lambda word: onepass.read("x", alpha=word),
    "BlockAlpha": lambda word: onepass.compress(A, alpha=word),
    "BlockMetric": lambda word: onepass.compress(A, metric=word),
    "BlockQuality": lambda word: onepass.compress(A, quality=word),
    "FilterBand": lambda word: onepass.filter(A, word),
    "BloomMethod": lambda word: onepass.bloom(A, method=word),
    "Boundary": lambda word: onepass.filter(A, boundary=word),
    "Color": lambda word: onepass.mips(A, color=word),
    "ConvolutionMode": lambda word: onepass.convolve(A, [[1.0]], word),
    "CorrelationKind": lambda word: onepass.align(A, A, kind=word),
    "DeconvolutionAcceleration": lambda word: onepass.deconvolve3(A, A, acceleration=word),
    "DeconvolutionEdges": lambda word: onepass.deconvolve(A, [[1.0]], edges=word),
    "DeconvolutionMethod": lambda word: onepass.deconvolve(A, [[1.0]], word),
    "DeconvolutionStart": lambda word: onepass.deconvolve(A, [[1.0]], start=word),
    "ExposureRule": lambda word: onepass.meter(A, rule=word),
    "DdsHeader": lambda word: onepass.write("x.dds", A, dds_header=word),
    "ExrCompression": lambda word: onepass.write("x.exr", A, compression=word),
    "FileColor": lambda word: onepass.read("x", color=word),
    "DcGain": lambda word: onepass.filter(A, dc=word),
    "FilterDomain": lambda word: onepass.filter(A, domain=word),
    "FilterShape": lambda word: onepass.filter(A, shape=word),
    "Footprint": lambda word: onepass.mips(A, footprint=word),
    "KernelChannels": lambda word: onepass.convolve(A, [[1.0]], kernel_channels=word),
    "KernelScale": lambda word: onepass.convolve(A, [[1.0]], scale=word),
    "AgxLook": lambda word: onepass.tonemap(A, look=word),
    "Metering": lambda word: onepass.meter(A, metering=word),
    "MipFilter": lambda word: onepass.mips(A, filter=word),
    "MipFilterInput": lambda word: onepass.mips(A, filter_input=word),
    "Ringing": lambda word: onepass.mips(A, ringing=word),
    "NormalVariance": lambda word: onepass.roughness_mips(A[..., :3], variance=word),
    "NormalY": lambda word: onepass.height_to_normals(A[..., 0], normal_y=word),
    "Norm": lambda word: onepass.rfft2(A, norm=word),
    "ToneOperator": lambda word: onepass.tonemap(A, word),
    "PrimariesName": lambda word: onepass.read("x", primaries=word),
    "WienerPrior": lambda word: onepass.deconvolve(A, [[1.0]], prior=word),
    "Reduction": lambda word: onepass.build_pyramid(A, reduction=word),
    "MatchScore": lambda word: onepass.match_templates(A, A, score=word),
    "PeakRefinement": lambda word: onepass.align(A, A, refinement=word),
    "BloomResolution": lambda word: onepass.bloom(A, resolution=word),
    "MeterStatistic": lambda word: onepass.meter(A, statistic=word),
    "TileCompression": lambda word: onepass.tiles("x", "x.tif", compression=word),
    "TileFormat": lambda word: onepass.tiles("x", "x.dzi", tile_format=word),
    "TilesReduction": lambda word: onepass.tiles("x", "x.tif", reduction=word),
    "TonePrimaries": lambda word: onepass.tonemap(A, primaries=word),
    "Transfer": lambda word: onepass.tonemap(A, transfer=word),
    "LuminanceWeights": lambda word: onepass.meter(A, weights=word),
    "VolumeCompression": lambda word: onepass.volume("x", "x.zarr", compression=word),
    "VolumeReduction": lambda word: onepass.mips3d(A, reduction=word),
    "Window": lambda word: onepass.read("x", window=word),
    "CorrelationWindow": lambda word: onepass.align(A, A, window=word),
}
#: Words of the library that have another place in Python.
ELSEWHERE = {"Norm": {"none"}, "Association": {"none"}}


@pytest.mark.parametrize("name", WORDS)
def test_annotations_have_the_words_of_the_library(name):
    with pytest.raises(onepass.ArgumentError, match="expected one of") as raised:
        WORDS[name]("?")
    known = set(re.findall(r"'(\w+)'", str(raised.value).split("expected one of")[1]))
    assert set(typing.get_args(getattr(_types, name))) == known - ELSEWHERE.get(name, set())


def test_every_set_of_words_is_compared():
    literals = {name for name, value in vars(_types).items() if typing.get_origin(value) is typing.Literal}
    assert literals - set(WORDS) == {"TileReduction"}
