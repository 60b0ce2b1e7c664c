"""Image files and tiled pyramids."""
import os

import numpy as np
import pytest
from conftest import sample

import onepass


@pytest.mark.parametrize(
    "name,dtype,channels",
    [
        ("a.png", np.uint8, None),
        ("a.png", np.uint8, 3),
        ("a.png", np.uint8, 4),
        ("a.png", np.uint16, None),
        ("a.png", np.uint16, 3),
        ("a.tif", np.uint8, 3),
        ("a.tif", np.uint16, 4),
        ("a.tif", np.float32, 3),
        ("a.exr", np.float32, 4),
        ("a.exr", np.float16, 4),
        ("a.exr", np.float32, None),
        ("a.pfm", np.float32, 3),
        ("a.ktx2", np.uint8, 4),
        ("a.ktx2", np.float16, 2),
        ("a.ktx2", np.float32, None),
    ],
)
def test_round_trips(rng, tmp_path, name, dtype, channels):
    a = sample(rng, (23, 31) if channels is None else (23, 31, channels), dtype)
    onepass.write(tmp_path / name, a)
    before = onepass.copied_bytes()
    color = "linear" if name == "a.png" and channels == 3 and dtype is np.uint16 else "auto"
    picture = onepass.read(tmp_path / name, color=color)
    assert onepass.copied_bytes() == before
    assert picture.pixels.dtype == dtype and picture.pixels.shape == a.shape
    assert np.array_equal(picture.pixels, a)
    with open(tmp_path / name, "rb") as file:
        assert np.array_equal(onepass.read(file.read(), color=color).pixels, a)


def test_jpeg_and_hdr_are_close(tmp_path):
    y, x = np.mgrid[0:64, 0:80]
    a = np.stack([x * 3, y * 4, x + y], axis=2).astype(np.uint8)
    onepass.write(tmp_path / "a.jpg", a, quality=95)
    picture = onepass.read(tmp_path / "a.jpg")
    assert picture.color == "srgb" and picture.type == "JPEG" and picture.pixels.shape == (64, 80, 3)
    assert np.abs(picture.pixels.astype(int) - a).max() < 24
    light = (a / 255.0 + 0.01).astype(np.float32)
    onepass.write(tmp_path / "a.hdr", light)
    assert np.allclose(onepass.read(tmp_path / "a.hdr").pixels, light, rtol=0.02, atol=0.01)


def test_levels_of_ktx2(rng, tmp_path):
    levels = onepass.mips(sample(rng, (32, 20, 4), np.uint8), color="srgb")
    onepass.write(tmp_path / "a.ktx2", levels, color="srgb", zstd_level=3)
    picture = onepass.read(tmp_path / "a.ktx2")
    assert picture.color == "srgb" and len(picture.levels) == len(levels)
    for actual, expected in zip(picture.levels, levels):
        assert np.array_equal(actual, expected)


def test_alpha_and_primaries(rng, tmp_path):
    a = sample(rng, (8, 8, 4), np.float32)
    a[..., 3] = 0.5
    onepass.write(tmp_path / "a.exr", a, alpha="straight", primaries="rec2020")
    picture = onepass.read(tmp_path / "a.exr")
    assert picture.alpha == "premultiplied" and picture.says_primaries
    assert np.allclose(picture.primaries[:2], (0.708, 0.292), atol=1e-6)
    assert np.allclose(picture.pixels[..., :3], a[..., :3] / 2, rtol=1e-6)
    straight = onepass.read(tmp_path / "a.exr", alpha="straight", primaries="rec2020")
    assert np.allclose(straight.pixels, a, rtol=1e-5)
    converted = onepass.read(tmp_path / "a.exr", primaries="rec709")
    assert not np.allclose(converted.pixels, picture.pixels, rtol=1e-3)


def test_a_picture_is_an_array(rng, tmp_path):
    a = sample(rng, (16, 16, 3), np.uint8)
    onepass.write(tmp_path / "a.png", a)
    picture = onepass.read(tmp_path / "a.png")
    assert picture.color == "srgb"
    assert np.array_equal(onepass.mips(picture)[1], onepass.mips(a)[1])
    onepass.write(tmp_path / "b.png", picture)
    assert np.array_equal(onepass.read(tmp_path / "b.png").pixels, a)


def test_pixels_outlive_the_picture(tmp_path):
    onepass.write(tmp_path / "a.png", np.full((64, 64), 7, np.uint8))
    pixels = onepass.read(tmp_path / "a.png").pixels
    junk = [np.zeros((64, 64), np.uint8) for _ in range(100)]
    assert (pixels == 7).all() and len(junk) == 100


def test_errors_of_files(tmp_path):
    with pytest.raises(FileNotFoundError) as found:
        onepass.read(tmp_path / "missing.png")
    assert isinstance(found.value, onepass.NotFoundError) and found.value.code == "not_found"
    assert "missing.png" in found.value.context
    (tmp_path / "bad.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(50))
    with pytest.raises(onepass.DataError):
        onepass.read(tmp_path / "bad.png")
    with pytest.raises(OSError):
        onepass.write(tmp_path / "none" / "a.png", np.zeros((4, 4), np.uint8))
    with pytest.raises(onepass.UnsupportedError):
        onepass.write(tmp_path / "a.xyz", np.zeros((4, 4), np.uint8))
    onepass.write(tmp_path / "a.png", np.zeros((64, 64), np.uint8))
    with pytest.raises(MemoryError):
        onepass.read(tmp_path / "a.png", max_bytes=100)


def rows_of(a, step):
    return (a[y : y + step] for y in range(0, a.shape[0], step))


class Lazy:
    """A block that is computed on demand, as those of dask."""

    def __init__(self, block):
        self.block = block

    def compute(self):
        return self.block


@pytest.mark.parametrize(
    "make",
    [
        lambda a, path: a,
        lambda a, path: rows_of(a, 50),
        lambda a, path: [row[np.newaxis] for row in a],
        lambda a, path: [Lazy(block) for block in rows_of(a, 100)],
        lambda a, path: path,
    ],
    ids=["array", "blocks", "rows", "lazy", "file"],
)
def test_tiles_of_arrays_rows_and_files(rng, tmp_path, make):
    a = sample(rng, (600, 700, 3), np.uint8)
    onepass.write(tmp_path / "a.png", a)
    report = onepass.tiles(make(a, tmp_path / "a.png"), tmp_path / "a.tif", color="linear", compression="deflate")
    assert report.sizes == [(600, 700), (300, 350), (150, 175)]
    assert report.channels == 3 and report.sample == "uint8" and not report.srgb
    assert np.array_equal(onepass.read(tmp_path / "a.tif", color="linear").pixels, a)
    assert sorted(os.listdir(tmp_path)) == ["a.png", "a.tif"]  # no temporary file is left


def test_three_channels_of_exr_get_an_alpha(rng, tmp_path):
    a = sample(rng, (9, 8, 3), np.float16)
    onepass.write(tmp_path / "a.exr", a)
    pixels = onepass.read(tmp_path / "a.exr").pixels
    assert np.array_equal(pixels[..., :3], a) and (pixels[..., 3] == 1).all()


MEASURED = np.array([[0, 1000], [32768, 65535]], np.uint16)


def decoded(codes):
    code = codes / 65535
    return np.where(code <= 0.04045, code / 12.92, ((code + 0.055) / 1.055) ** 2.4)


@pytest.mark.parametrize("name", ["a.tif", "a.png", "a.ktx2"])
def test_measurements_of_16_bits_keep_their_bits(tmp_path, name):
    onepass.write(tmp_path / name, MEASURED)
    picture = onepass.read(tmp_path / name)
    assert picture.color == "linear" and picture.pixels.dtype == np.uint16
    assert np.array_equal(picture.pixels, MEASURED)
    onepass.write(tmp_path / ("b" + name), picture)
    assert np.array_equal(onepass.read(tmp_path / ("b" + name)).pixels, MEASURED)


@pytest.mark.parametrize("name", ["a.tif", "a.png"])
def test_colours_of_16_bits_keep_their_bits_if_the_file_says_so(tmp_path, name):
    colours = np.stack([MEASURED, MEASURED.T, MEASURED // 3], axis=2)
    onepass.write(tmp_path / name, colours, color="linear")
    assert np.array_equal(onepass.read(tmp_path / name).pixels, colours)


@pytest.mark.parametrize("name", ["a.tif", "a.png"])
@pytest.mark.parametrize("channels", [None, 3, 4])
def test_encoded_values_of_16_bits_say_so(tmp_path, name, channels):
    codes = MEASURED if channels is None else np.repeat(MEASURED[..., np.newaxis], channels, axis=2)
    onepass.write(tmp_path / name, codes, color="srgb")
    pixels = onepass.read(tmp_path / name).pixels
    assert pixels.dtype == np.float32
    expected = decoded(codes) if channels != 4 else np.concatenate([decoded(codes[..., :3]), codes[..., 3:] / 65535], 2)
    assert np.allclose(pixels, expected, rtol=1e-5)
    assert np.array_equal(onepass.read(tmp_path / name, color="linear").pixels, codes)


def test_colours_of_png_are_encoded_without_a_statement(tmp_path):
    codes = np.repeat(MEASURED[..., np.newaxis], 3, axis=2)
    onepass.write(tmp_path / "a.png", codes)
    assert np.allclose(onepass.read(tmp_path / "a.png").pixels, decoded(codes), rtol=1e-5)
    assert np.array_equal(onepass.read(tmp_path / "a.png", color="linear").pixels, codes)


def test_foreign_files_of_measurements_are_read_as_stored(rng, tmp_path):
    tifffile = pytest.importorskip("tifffile")
    grey = sample(rng, (20, 30), np.uint16)
    for name, values, options in (
        ("grey.tif", grey, {}),
        ("rgb.tif", sample(rng, (20, 30, 3), np.uint16), {}),
        ("float.tif", sample(rng, (20, 30), np.float32), {}),
    ):
        tifffile.imwrite(tmp_path / name, values, **options)
        assert np.array_equal(onepass.read(tmp_path / name).pixels, values)
        onepass.tiles(tmp_path / name, tmp_path / "tiled.tif", compression="none")
        assert np.array_equal(tifffile.imread(tmp_path / "tiled.tif"), values)


def test_encoded_16_bits_have_no_place_elsewhere(tmp_path):
    with pytest.raises(onepass.ArgumentError):
        onepass.write(tmp_path / "a.ktx2", MEASURED, color="srgb")


def test_tiles_of_single_grey_rows(rng, tmp_path):
    a = sample(rng, (300, 280), np.uint16)
    assert onepass.tiles(list(a), tmp_path / "a.tif").sizes == [(300, 280), (150, 140)]
    assert np.array_equal(onepass.read(tmp_path / "a.tif", color="linear").pixels, a)


def test_tiles_keep_their_inputs(rng, tmp_path, monkeypatch):
    """An output that is an input, under any name, or that holds one is refused, and nothing changes."""
    monkeypatch.chdir(tmp_path)
    a = sample(rng, (70, 90, 3), np.uint8)
    onepass.tiles(a, "a.tif", color="linear")
    os.symlink("a.tif", "link.tif")
    os.link("a.tif", "hard.tif")
    os.mkdir("folder")
    for name in ("t_0_0.tif", "t_1_0.tif"):
        onepass.write(name, a)
    onepass.tiles(a, "z.zarr", color="linear")
    onepass.tiles(a, "q.dzi", tile_format="png", color="linear")
    tile = next(os.path.join(folder, names[0]) for folder, _, names in os.walk("q_files") if names)
    (tmp_path / "raw.tif").write_bytes(a.tobytes())
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    for source, output, options in [
        ("a.tif", "a.tif", {}),
        ("a.tif", "./folder/../a.tif", {}),
        (str(tmp_path / "a.tif"), "a.tif", {}),
        ("link.tif", "a.tif", {}),
        ("a.tif", "link.tif", {}),
        ("a.tif", "hard.tif", {}),
        (None, "t_1_0.tif", {"grid": "t_{x}_{y}.tif"}),
        ("raw.tif", "raw.tif", {"raw": "90x70:r8g8b8_unorm"}),
        ("z.zarr", "z.zarr", {}),
        (tile, "q.dzi", {}),
    ]:
        with pytest.raises(onepass.ArgumentError, match="overwrite|inside the input"):
            onepass.tiles(source, output, **options)
        assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before, (source, output)


def test_tiles_report_progress_and_stop(rng, tmp_path):
    a = sample(rng, (3000, 3000), np.uint16)
    seen = []
    onepass.tiles(a, tmp_path / "a.zarr", progress=seen.append)
    assert seen[-1] == 1.0 and seen == sorted(seen)
    with pytest.raises(onepass.CancelledError):
        onepass.tiles(sample(rng, (8000, 8000), np.uint16), tmp_path / "b.tif", progress=lambda fraction: False)
    assert not (tmp_path / "b.tif").exists()


@pytest.mark.parametrize("channels", [2, 3, 4])
def test_rows_of_colours_need_a_number_of_channels(rng, tmp_path, channels):
    a = sample(rng, (300, 260, channels), np.uint8)
    with pytest.raises(onepass.ArgumentError, match="channels=") as raised:
        onepass.tiles(list(a), tmp_path / "a.tif")
    assert raised.value.argument == "a" and os.listdir(tmp_path) == []
    report = onepass.tiles(list(a), tmp_path / "a.tif", channels=channels, compression="deflate", color="linear")
    assert report.sizes[0] == (300, 260) and report.channels == channels
    if channels != 2:
        assert np.array_equal(onepass.read(tmp_path / "a.tif", color="linear").pixels, a)


def test_narrow_grey_rows_need_a_number_of_channels(rng, tmp_path):
    a = sample(rng, (300, 3), np.uint8)
    with pytest.raises(onepass.ArgumentError, match="channels="):
        onepass.tiles(rows_of(a, 60), tmp_path / "a.tif")
    report = onepass.tiles(rows_of(a, 60), tmp_path / "a.tif", channels=1, compression="deflate", color="linear")
    assert report.sizes[0] == (300, 3) and np.array_equal(onepass.read(tmp_path / "a.tif").pixels, a)
    assert onepass.tiles(a, tmp_path / "b.tif").sizes[0] == (300, 3)  # an array (H, W) is one image
    for rows, channels in (
        ([np.zeros((3, 8), np.uint8)], 3),
        ([np.zeros((2, 8, 3), np.uint8)], 4),
        ([np.zeros(8, np.uint8)], 2),
        ([np.zeros((2, 8), np.uint8)], 5),
        (a, 3),
    ):
        with pytest.raises(onepass.ArgumentError):
            onepass.tiles(rows, tmp_path / "c.tif", channels=channels)


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int32, np.int64])
def test_tiles_of_labels(rng, tmp_path, dtype):
    a = rng.integers(0, 2, (300, 280)).astype(dtype)
    onepass.tiles(a, tmp_path / "a.tif", reduction="mode")
    tifffile = pytest.importorskip("tifffile")
    levels = onepass.build_pyramid(a, reduction="mode", footprint="ceil", levels=2)
    for n, level in enumerate(levels):
        assert np.array_equal(
            tifffile.imread(tmp_path / "a.tif", key=0)
            if n == 0
            else tifffile.TiffFile(tmp_path / "a.tif").series[0].levels[n].asarray(),
            level,
        )
    with pytest.raises(onepass.ArgumentError):
        onepass.tiles(np.full((4, 4), -1), tmp_path / "b.tif", reduction="mode")


def test_tiles_refuse_bad_rows(tmp_path):
    with pytest.raises(onepass.ArgumentError):
        onepass.tiles([np.zeros((2, 8), np.uint8), np.zeros((2, 9), np.uint8)], tmp_path / "a.zarr")
    with pytest.raises(onepass.ArgumentError):
        onepass.tiles([], tmp_path / "a.zarr")
    with pytest.raises(onepass.ArgumentError):
        onepass.tiles(3, tmp_path / "a.zarr")
    assert os.listdir(tmp_path) == []
