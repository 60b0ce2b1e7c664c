#!/usr/bin/env python3
"""check.py PROGRAM: opens outputs of `onepass tiles` with other programs and compares every level with its definition.

Inputs are written by tifffile, Pillow and zarr, outputs are read by tifffile, Pillow, zarr, vips and gdal. Every texel of every
level is compared with the mean of what exists of its block, in double precision and linear light. Programs that are not
installed are left out, with a line on standard output. The working directory is a temporary one.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

import numcodecs
import numpy as np
import tifffile
import zarr
from PIL import Image

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../volume_files"))
from zarr3 import Chain, Shards, write_array, write_group  # noqa: E402

PROGRAM = os.path.abspath(sys.argv[1])
RANDOM = np.random.default_rng(20)


def tiles(*arguments):
    done = subprocess.run([PROGRAM, "tiles", *map(str, arguments), "--json"], capture_output=True, text=True)
    assert done.returncode == 0, (arguments, done.stderr)
    return json.loads(done.stdout)


def srgb_to_linear(v):
    return np.where(v <= 0.04045, v / 12.92, ((v + 0.055) / 1.055) ** 2.4)


def linear_to_srgb(v):
    return np.where(v <= 0.0031308, v * 12.92, 1.055 * v ** (1 / 2.4) - 0.055)


def level_of(base, n, reduce=np.mean):
    """Level n of an array (y, x, ...): `reduce` of what exists of every block of 2^n by 2^n."""
    step = 2**n
    total = {np.mean: np.add, np.min: np.minimum, np.max: np.maximum}[reduce]
    level = base
    for axis in range(2):
        starts = np.arange(0, base.shape[axis], step)
        level = total.reduceat(level, starts, axis)
        if reduce is np.mean:
            counts = np.diff(starts, append=base.shape[axis])
            level = level / counts.reshape(counts.shape + (1,) * (level.ndim - 1 - axis))
    return level


def expected(base, n, srgb, reduce=np.mean):
    """Level n in stored values, not rounded."""
    if n == 0:
        return base.astype(np.float64)
    if not srgb or reduce is not np.mean:
        return level_of(base.astype(np.float64), n, reduce)
    most = np.iinfo(base.dtype).max
    return linear_to_srgb(level_of(srgb_to_linear(base / most), n)) * most


def compare(what, got, base, n, srgb=False, reduce=np.mean, slack=0.501):
    """`slack`: in stored values of integers of 8 and 16 bits. Floats and 32-bit integers are summed in floats: four
    roundings a level (three additions, one factor), each by at most 2^-24 of the largest value; then one to the format.
    """
    want = expected(base, n, srgb, reduce)
    assert got.shape == want.shape, (what, n, got.shape, want.shape)
    rounding = 4 * n * float(np.abs(base.astype(np.float64)).max()) / 2**24
    if n == 0:
        limit = 0
    elif base.dtype.kind == "f":
        limit = rounding + np.abs(want) * {2: 2**-11, 4: 0}[base.dtype.itemsize]
    else:
        limit = 0.5 + rounding if base.dtype.itemsize == 4 else slack
    worst = (np.abs(got.astype(np.float64) - want) - limit).max()
    assert worst <= 0, (what, n, worst)


def photo(height, width, channels, dtype=np.uint8):
    """A smooth picture with noise."""
    y, x = np.mgrid[0:height, 0:width]
    planes = [np.sin(x / (17 + 5 * c)) + np.cos(y / (23 - 3 * c)) for c in range(channels)]
    picture = np.stack(planes, -1) / 4 + 0.5 + RANDOM.normal(0, 0.05, (height, width, channels))
    if np.dtype(dtype).kind == "f":
        return picture.astype(dtype)
    limits = np.iinfo(dtype)
    picture = np.clip(picture, 0, 1) * (float(limits.max) - limits.min) + limits.min
    return np.clip(np.round(picture), limits.min, limits.max).astype(dtype)


def recompress(name, compression, out):
    """A copy by libtiff's tiffcp: tifffile of Debian 12 decodes and encodes neither LZW nor Zstandard."""
    subprocess.run(["tiffcp", "-8", "-c", compression, name, out], check=True)
    return out


def tiff_levels(name):
    with tifffile.TiffFile(recompress(name, "none", "uncompressed.tif")) as file:
        return [page.asarray() for page in file.pages]


def check_tiff():
    for height, width in [(777, 1003), (1, 1), (257, 64), (1000, 3), (512, 512)]:
        base = photo(height, width, 3)
        tifffile.imwrite("in.tif", base, photometric="rgb", tile=(64, 64), compression="zlib", predictor=True)
        for compression in ["none", "lzw", "deflate", "zstd"]:
            for cog in [[], ["--cog"]]:
                report = tiles("in.tif", "-o", "out.tif", "--compression", compression, "--tile-size", 64, *cog)
                levels = tiff_levels("out.tif")
                assert len(levels) == report["levels"]
                for n, level in enumerate(levels):
                    compare(f"tiff {compression} {cog}", level, base, n, srgb=True)
    for dtype in [np.int8, np.uint16, np.int16, np.uint32, np.int32, np.float16, np.float32]:
        for channels in [1, 2, 5]:
            base = photo(211, 333, channels, dtype)
            if np.dtype(dtype).itemsize == 4 and np.dtype(dtype).kind != "f":
                base >>= 9  # 32-bit integers have 24 bits of precision in coarser levels
            if channels == 1:
                tifffile.imwrite("in.tif", base[..., 0], photometric="minisblack", tile=(32, 48))
            else:
                tifffile.imwrite("in.tif", base, photometric="minisblack", planarconfig="contig", tile=(32, 48))
            for compression in ["none", "lzw", "deflate", "zstd"]:
                tiles("in.tif", "-o", "out.tif", "--compression", compression, "--tile-size", 64)
                for n, level in enumerate(tiff_levels("out.tif")):
                    level = level.reshape(*level.shape[:2], channels)
                    compare(f"tiff {dtype} {channels} {compression}", level, base, n, slack=0.51)
    base = photo(300, 500, 1, np.uint16)
    tifffile.imwrite("in.tif", base[..., 0], rowsperstrip=7)
    for reduction, reduce in [("min", np.min), ("max", np.max)]:
        tiles("in.tif", "-o", "out.tif", "--reduction", reduction, "--tile-size", 128)
        for n, level in enumerate(tiff_levels("out.tif")):
            compare(reduction, level[..., None], base, n, reduce=reduce, slack=0)


def check_inputs():
    """Strips, tiles, planes, byte orders, types of files: all give the same levels."""
    base = photo(300, 431, 3)
    writers = {
        "strips.tif": dict(rowsperstrip=7),
        "lzw.tif": dict(rowsperstrip=10),
        "big_endian.tif": dict(byteorder=">"),
        "big.tif": dict(bigtiff=True, tile=(32, 32)),
        "deflate.tif": dict(compression="zlib", tile=(48, 80), predictor=True),
    }
    for name, options in writers.items():
        tifffile.imwrite(name, base, photometric="rgb", **options)
    recompress("lzw.tif", "lzw", "lzw_copy.tif")
    os.replace("lzw_copy.tif", "lzw.tif")
    tifffile.imwrite("planes.tif", np.moveaxis(base, -1, 0), photometric="rgb", planarconfig="separate", tile=(64, 64))
    Image.fromarray(base).save("in.png")
    base.tofile("in.raw")
    pathlib.Path("offset.raw").write_bytes(b"header" + base.tobytes())
    for y in range(2):
        for x in range(3):
            Image.fromarray(base[150 * y : 150 * (y + 1), 150 * x : 150 * (x + 1)]).save(f"grid_{x}_{y}.png")
    inputs = [[name] for name in [*writers, "planes.tif", "in.png"]]
    inputs += [["in.raw", "--raw", "431x300:rgb8"], ["offset.raw", "--raw", "431x300:rgb8+6"]]
    inputs += [["--grid", "grid_{x}_{y}.png"]]
    for arguments in inputs:
        tiles(*arguments, "-o", "out.tif", "--compression", "deflate", "--tile-size", 64)
        for n, level in enumerate(tiff_levels("out.tif")):
            compare(arguments, level, base, n, srgb=True)
    deep = photo(200, 301, 1, np.uint16)
    deep.astype(">u2").tofile("be.raw")
    tiles("be.raw", "--raw", "301x200:gray16:be", "-o", "out.tif")
    compare("big-endian raw", tiff_levels("out.tif")[0][..., None], deep, 0)


def check_deep_zoom():
    for height, width, overlap, size in [(777, 1003, 1, 254), (300, 431, 0, 64), (65, 64, 3, 16), (1, 7, 1, 254)]:
        base = photo(height, width, 3)
        Image.fromarray(base).save("in.png")
        tiles("in.png", "-o", "out.dzi", "--tile-format", "png", "--tile-size", size, "--overlap", overlap, "--viewer")
        root = ElementTree.parse("out.dzi").getroot()
        assert (int(root.get("TileSize")), int(root.get("Overlap"))) == (size, overlap)
        top = int(np.ceil(np.log2(max(width, height))))
        assert sorted(map(int, os.listdir("out_files"))) == list(range(top + 1))
        for n in range(top + 1):
            h, w = -(-height // 2**n), -(-width // 2**n)
            level = np.zeros((h, w, 3), np.uint8)
            for row in range(-(-h // size)):
                for column in range(-(-w // size)):
                    x0, y0 = max(column * size - overlap, 0), max(row * size - overlap, 0)
                    x1, y1 = min((column + 1) * size + overlap, w), min((row + 1) * size + overlap, h)
                    tile = np.asarray(Image.open(f"out_files/{top - n}/{column}_{row}.png"))
                    assert tile.shape == (y1 - y0, x1 - x0, 3), (n, column, row, tile.shape)
                    level[y0:y1, x0:x1] = tile
            compare("deep zoom", level, base, n, srgb=True)
        assert "out_files" in pathlib.Path("out.html").read_text()
    tiles("in.png", "-o", "out.dzi", "--tile-format", "webp")
    tiles("in.png", "-o", "out.dzi")
    base = photo(500, 700, 3)
    Image.fromarray(base).save("in.png")
    tiles("in.png", "-o", "out.dzi", "--quality", 95)
    tile = np.asarray(Image.open("out_files/10/1_0.jpg")).astype(float)
    Image.fromarray(base[:255, 253:509]).save("tile.jpg", quality=95, subsampling=0)
    theirs = np.asarray(Image.open("tile.jpg")).astype(float)
    assert tile.shape == theirs.shape and np.abs(tile - theirs).max() <= 2, np.abs(tile - theirs).max()


def check_zarr():
    for channels, dtype in [(1, np.uint8), (3, np.uint8), (5, np.uint16), (1, np.float32)]:
        base = photo(300, 431, channels, dtype)
        planes = np.moveaxis(base, -1, 0)
        metadata = {
            "axes": "CYX",
            "PhysicalSizeX": 0.25,
            "PhysicalSizeY": 0.5,
            "Channel": {"Name": [f"name {c}" for c in range(channels)]},
        }
        tifffile.imwrite("in.ome.tif", planes, ome=True, metadata=metadata, tile=(64, 64), photometric="minisblack")
        for compression in ["zstd", "deflate", "none"]:
            tiles("in.ome.tif", "-o", "out.zarr", "--tile-size", 64, "--compression", compression)
            group = zarr.open_group("out.zarr", mode="r")
            scales = group.attrs["multiscales"][0]
            assert scales["version"] == "0.4"
            assert [axis["name"] for axis in scales["axes"]] == (["c"] if channels > 1 else []) + ["y", "x"]
            for n, dataset in enumerate(scales["datasets"]):
                level = np.asarray(group[dataset["path"]])
                level = np.moveaxis(level, 0, -1) if channels > 1 else level[..., None]
                compare(f"zarr {channels} {compression}", level, base, n)
                assert dataset["coordinateTransformations"][0]["scale"][-2:] == [0.5 * 2**n, 0.25 * 2**n]
            assert [c["label"] for c in group.attrs["omero"]["channels"]] == metadata["Channel"]["Name"]


def write_zarr(name, planes, axes, channels, **how):
    """OME-Zarr by zarr: `planes` has an axis per letter of `axes`."""
    shutil.rmtree(name, ignore_errors=True)
    group = zarr.open_group(name, mode="w")
    group.create_dataset("base/0", data=planes, **how)
    types = {"t": "time", "c": "channel"}
    group.attrs["multiscales"] = [
        {
            "version": "0.4",
            "datasets": [
                {
                    "path": "base/0",
                    "coordinateTransformations": [
                        {"type": "scale", "scale": [{"y": 500.0, "x": 250.0}.get(axis, 1.0) for axis in axes]}
                    ],
                }
            ],
            "axes": [
                {"name": axis, "type": types.get(axis, "space"), **({"unit": "nanometer"} if axis in "yx" else {})}
                for axis in axes
            ],
        }
    ]
    group.attrs["omero"] = {"channels": [{"label": f"dye {c}"} for c in range(channels)]}


def check_zarr_inputs():
    codecs = {
        "none": None,
        "zstd": numcodecs.Zstd(),
        "zlib": numcodecs.Zlib(),
        "gzip": numcodecs.GZip(),
        **{
            f"blosc {inner} {shuffle}": numcodecs.Blosc(inner, shuffle=shuffle)
            for inner in ["lz4", "zstd", "zlib", "blosclz"]
            for shuffle in [0, 1, 2]
        },
    }
    dtypes = ["|u1", "|i1", "<u2", ">u2", "<i2", ">i4", "<u4", "<f2", ">f4", "<f4"]
    for number, (name, codec) in enumerate(codecs.items()):
        dtype = dtypes[number % len(dtypes)]
        channels = 1 + number % 3
        base = photo(203, 331, channels, np.dtype(dtype).newbyteorder("=")).astype(dtype)
        axes = ["yx", "cyx", "tczyx"][min(number % 3, 2)] if channels > 1 else ["yx", "zyx"][number % 2]
        planes = np.moveaxis(base, -1, 0) if "c" in axes else base[..., 0]
        planes = planes.reshape([dict(zip("yxc", base.shape)).get(axis, 1) for axis in axes])
        chunks = [{"y": 64, "x": 50, "c": 2}.get(axis, 1) for axis in axes]
        write_zarr(
            "in.zarr", planes, axes, channels, chunks=chunks, compressor=codec, dimension_separator="./"[number % 2]
        )
        report = tiles("in.zarr", "-o", "out.zarr", "--tile-size", 64, "--compression", "none")
        assert report["channels"] == channels, report
        group = zarr.open_group("out.zarr", mode="r")
        scales = group.attrs["multiscales"][0]
        for n, dataset in enumerate(scales["datasets"]):
            level = np.asarray(group[dataset["path"]])
            level = np.moveaxis(level, 0, -1) if channels > 1 else level[..., None]
            compare(f"zarr {name} {dtype} {axes}", level, base.astype(level.dtype), n)
        assert scales["datasets"][0]["coordinateTransformations"][0]["scale"][-2:] == [0.5, 0.25], scales
        assert [c["label"] for c in group.attrs["omero"]["channels"]] == [f"dye {c}" for c in range(channels)]
    # Older writers of nested chunks do not state the separator.
    base = photo(90, 70, 1)
    write_zarr("in.zarr", base[..., 0], "yx", 1, chunks=(32, 32), dimension_separator="/")
    array = pathlib.Path("in.zarr/base/0/.zarray")
    array.write_text(array.read_text().replace('"dimension_separator": "/",', ""))
    tiles("in.zarr", "-o", "out.zarr", "--levels", 1)
    assert np.array_equal(np.asarray(zarr.open_group("out.zarr", mode="r")["0"]), base[..., 0])
    # Chunks that are not stored have the fill value.
    for dtype, fill in [("<u2", 777), ("<i4", -5), ("<f4", "NaN"), (">f2", 0.25)]:
        base = np.full((150, 100), float(fill)).astype(dtype)
        base[:64, :50] = photo(64, 50, 1, np.dtype(dtype).newbyteorder("="))[..., 0]
        write_zarr("in.zarr", base, "yx", 1, chunks=(64, 50), fill_value=fill, write_empty_chunks=False)
        assert len([f for f in pathlib.Path("in.zarr/base/0").iterdir() if f.name[0] != "."]) == 1
        tiles("in.zarr", "-o", "out.zarr", "--tile-size", 64, "--levels", 1)
        got = np.asarray(zarr.open_group("out.zarr", mode="r")["0"])
        assert np.array_equal(got, base.astype(got.dtype), equal_nan=np.dtype(dtype).kind == "f"), dtype


def check_zarr_3_inputs():
    """OME-Zarr 0.5, whose arrays are of Zarr version 3."""
    inner = [Chain(), Chain("big", (2, 1, 0), ["gzip", "crc32c"]), Chain(codecs=["blosc"]), Chain(codecs=["zstd"])]
    for number, chain in enumerate(inner):
        for codecs in [chain, Shards((1, 16, 25), chain)]:
            channels, dtype = [(3, np.uint8), (2, np.uint16), (1, np.float32), (3, np.int16)][number]
            base = photo(203, 331, channels, dtype)
            shutil.rmtree("in.zarr", ignore_errors=True)
            write_array("in.zarr/s0", np.moveaxis(base, -1, 0).copy(), (1, 64, 50), codecs)
            axes = [{"name": "c", "type": "channel"}]
            axes += [{"name": axis, "type": "space", "unit": "nanometer"} for axis in "yx"]
            scale = [{"type": "scale", "scale": [1, 500, 250]}]
            datasets = [{"path": "s0", "coordinateTransformations": scale}]
            write_group("in.zarr", {"version": "0.5", "multiscales": [{"axes": axes, "datasets": datasets}]})
            report = tiles("in.zarr", "-o", "out.zarr", "--tile-size", 64, "--compression", "none")
            assert report["channels"] == channels, report
            group = zarr.open_group("out.zarr", mode="r")
            scales = group.attrs["multiscales"][0]
            for n, dataset in enumerate(scales["datasets"]):
                level = np.asarray(group[dataset["path"]])
                level = np.moveaxis(level, 0, -1) if channels > 1 else level[..., None]
                compare(f"zarr 3 {number}", level, base.astype(level.dtype), n)
            assert scales["datasets"][0]["coordinateTransformations"][0]["scale"][-2:] == [0.5, 0.25], scales


def check_other_programs():
    base = photo(777, 1003, 3)
    tifffile.imwrite(
        "in.tif",
        base,
        photometric="rgb",
        extratags=[
            (33550, "d", 3, (2.0, 2.0, 0.0), True),
            (33922, "d", 6, (0.0, 0.0, 0.0, 500000.0, 4100000.0, 0.0), True),
            (34735, "H", 16, (1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, 1, 3072, 0, 1, 32633), True),
        ],
    )
    for quality in [75, 95]:
        tiles("in.tif", "-o", "jpeg.tif", "--quality", quality)
        tiles("in.tif", "-o", "cog.tif", "--cog", "--quality", quality)
        for name in ["jpeg.tif", "cog.tif"]:
            if not shutil.which("vips"):
                print("left out: vips")
                break
            for page, _ in enumerate(tiff_sizes(name)):
                subprocess.run(["vips", "copy", f"{name}[page={page}]", "page.png"], check=True)
                want = expected(base, page, True)
                error = np.abs(np.asarray(Image.open("page.png")) - want).mean()
                # As large as the error of Pillow's JPEG of the same picture, with the program's rule for chroma.
                Image.fromarray(np.round(want).astype(np.uint8)).save(
                    "page.jpg", quality=quality, subsampling=0 if quality >= 90 else 2
                )
                limit = 1.05 * np.abs(np.asarray(Image.open("page.jpg")) - want).mean()
                assert error <= limit, (name, page, quality, error, limit)
    if not shutil.which("gdalinfo"):
        print("left out: gdal")
        return
    info = json.loads(
        subprocess.run(["gdalinfo", "-json", "-checksum", "cog.tif"], check=True, capture_output=True, text=True).stdout
    )
    assert info["metadata"]["IMAGE_STRUCTURE"]["LAYOUT"] == "COG", info["metadata"]
    assert info["geoTransform"] == [500000.0, 2.0, 0.0, 4100000.0, 0.0, -2.0]
    assert "32633" in info["coordinateSystem"]["wkt"]
    assert [o["size"] for o in info["bands"][0]["overviews"]] == [[502, 389], [251, 195]]


def tiff_sizes(name):
    with tifffile.TiffFile(name) as file:
        return [page.shape for page in file.pages]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        checks = [check_tiff, check_inputs, check_deep_zoom, check_zarr, check_zarr_inputs, check_zarr_3_inputs]
        for check in [*checks, check_other_programs]:
            check()
            print(check.__name__, "good")
