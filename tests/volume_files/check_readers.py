#!/usr/bin/env python3
"""check_readers.py DUMP [NODE ZARRITA]: compares volumes of other programs with what onepass reads of them.

DUMP is the program volume_dump. zarr, tifffile, nibabel and Pillow write the files. Arrays of Zarr version 3 are
written by zarr3.py and, where NODE and the folder ZARRITA with read.js and its packages are given, also read by
zarrita. The working directory is a temporary one.
"""
import gzip
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import nibabel
import numcodecs
import numpy as np
import tifffile
import zarr
from PIL import Image

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from zarr3 import Chain, Shards, write_array, write_group  # noqa: E402

PROGRAM = os.path.abspath(sys.argv[1])
NODE, ZARRITA = (sys.argv[2], os.path.abspath(sys.argv[3])) if len(sys.argv) > 3 else (None, None)
RANDOM = np.random.default_rng(7)
DTYPES = ["u1", "i1", "u2", "i2", "u4", "i4", "u8", "f2", "f4"]


def dump(path):
    """The header of a volume and its voxels (t, c, z, y, x)."""
    done = subprocess.run([PROGRAM, str(path), "out.raw"], capture_output=True, text=True)
    assert done.returncode == 0, (path, done.stderr)
    header = json.loads(done.stdout)
    x, y, z = header["size"]
    voxels = np.fromfile("out.raw", header["type"]).reshape(header["times"], header["channels"], z, y, x)
    return header, voxels


def refused(path, *words):
    done = subprocess.run([PROGRAM, str(path), "out.raw"], capture_output=True, text=True)
    assert done.returncode == 1, (path, done.returncode, done.stderr)
    for word in (str(path), *words):
        assert word in done.stderr, (word, done.stderr)


def expect(path, volume, axes):
    """`volume` has an axis per letter of `axes`. The header is returned."""
    header, voxels = dump(path)
    order = [axes.index(axis) for axis in "tczyx" if axis in axes]
    want = volume.transpose(order)
    want = want.reshape([volume.shape[axes.index(axis)] if axis in axes else 1 for axis in "tczyx"])
    assert voxels.dtype == want.dtype.newbyteorder("="), (path, voxels.dtype, want.dtype)
    assert voxels.shape == want.shape, (path, voxels.shape, want.shape)
    bits = f"u{want.dtype.itemsize}"
    want = want.astype(voxels.dtype)
    assert np.array_equal(np.ascontiguousarray(voxels).view(bits), np.ascontiguousarray(want).view(bits)), path
    return header


def random_volume(shape, dtype="u2"):
    """Smooth in places, so that codecs compress, and with blocks of zeros."""
    dtype = np.dtype(dtype)
    values = RANDOM.integers(0, 256, int(np.prod(shape)) * dtype.itemsize, np.uint8).view(dtype).reshape(shape)
    if dtype.kind == "f":
        values = RANDOM.normal(0, 100, shape).astype(dtype)
    values = values.copy()
    values[..., : shape[-1] // 3] = 0
    return values


def check_zarr_2():
    codecs = [None, numcodecs.Zstd(), numcodecs.Zlib(), numcodecs.GZip()]
    codecs += [numcodecs.Blosc(inner, shuffle=s) for inner in ["lz4", "zstd", "zlib", "blosclz"] for s in [0, 1, 2]]
    for number, codec in enumerate(codecs):
        for order in "CF":
            dtype = np.dtype(DTYPES[number % 9]).newbyteorder("<>"[number // 2 % 2])
            volume = random_volume((2, 3, 21, 40, 53), DTYPES[number % 9]).astype(dtype)
            shutil.rmtree("in.zarr", ignore_errors=True)
            group = zarr.open_group("in.zarr", mode="w")
            separator = "./"[number % 2]
            group.create_dataset(
                "a", data=volume, chunks=(1, 2, 8, 16, 20), compressor=codec, order=order, dimension_separator=separator
            )
            scale = {"type": "scale", "scale": [0.5, 1, 2, 0.25, 0.25]}
            group.attrs["multiscales"] = [
                {
                    "axes": [
                        {"name": "t", "type": "time", "unit": "second"},
                        {"name": "c", "type": "channel"},
                        *[{"name": axis, "type": "space", "unit": "micrometer"} for axis in "zyx"],
                    ],
                    "datasets": [{"path": "a", "coordinateTransformations": [scale]}],
                }
            ]
            header = expect("in.zarr", volume, "tczyx")
            assert header["voxel"] == [0.25, 0.25, 2] and header["unit"] == "micrometer", header
            assert (header["time_step"], header["time_unit"]) == (0.5, "second"), header
            assert header["block"] == [20, 16, 8], header
            header = expect("in.zarr/a", volume, "tczyx")
            assert "voxel" not in header
    group.create_dataset("b", data=volume.astype("f8"))
    refused("in.zarr/b", "dtype", "f8")
    group.create_dataset("c", data=volume, filters=[numcodecs.Delta(volume.dtype)])
    refused("in.zarr/c", "filters", "delta")


def zarr_3_codecs():
    chains = [[], ["crc32c"], ["gzip"], ["zstd"], ["blosc"], ["zstd", "crc32c"], ["crc32c", "blosc", "gzip"]]
    for number, chain in enumerate(chains):
        order = [None, (2, 0, 1), (2, 1, 0)][number % 3]
        endian = ["little", "big"][number % 2]
        yield Chain(endian, order, chain)
        yield Shards((4, 8, 5), Chain(endian, order, chain), at_end=number % 2 == 0)


def check_zarr_3():
    pairs = []
    shutil.rmtree("arrays", ignore_errors=True)
    for number, codecs in enumerate(zarr_3_codecs()):
        dtype = DTYPES[number % 9]
        volume = random_volume((19, 40, 53), dtype)
        name = f"arrays/{number}"
        keys = dict(keys=["default", "v2"][number // 2 % 2], separator="/."[number // 4 % 2])
        write_array(name, volume, (8, 16, 20), codecs, **keys)
        header = expect(name, volume, "zyx")
        assert header["block"] == ([5, 8, 4] if isinstance(codecs, Shards) else [20, 16, 8]), header
        # zarrita 0.7.5 looks for the index at the end of a shard; JavaScript of Node 20 has no half.
        if dtype != "f2" and getattr(codecs, "at_end", True):
            pairs += [(name, volume)]
    if ZARRITA is None:
        print("left out: zarrita")
    else:
        names = [
            text
            for number, (name, _) in enumerate(pairs)
            for text in (os.path.abspath(name), os.path.abspath(f"{number}.raw"))
        ]
        subprocess.run([NODE, "read.js", *names], cwd=ZARRITA, check=True)
        for number, (name, volume) in enumerate(pairs):
            got = np.fromfile(f"{number}.raw", volume.dtype).reshape(volume.shape)
            assert np.array_equal(got, volume), ("zarrita", name)
    volume = random_volume((2, 12, 30, 41))
    axes = [{"name": "c", "type": "channel"}, *[{"name": axis, "type": "space"} for axis in "zyx"]]
    datasets = [{"path": "s0", "coordinateTransformations": [{"type": "scale", "scale": [1, 3, 1, 1]}]}]
    write_array("five.zarr/s0", volume, (1, 8, 32, 32), Shards((1, 4, 16, 16), Chain(codecs=["blosc", "crc32c"])))
    write_group("five.zarr", {"version": "0.5", "multiscales": [{"axes": axes, "datasets": datasets}]})
    header = expect("five.zarr", volume, "czyx")
    assert header["voxel"] == [1, 1, 3] and header["unit"] == "" and header["axes"] == "czyx", header


def check_nifti():
    volume = random_volume((31, 22, 13, 3), "i2")  # x, y, z, t
    for kind in [nibabel.Nifti1Image, nibabel.Nifti2Image]:
        for suffix in ["nii", "nii.gz"]:
            image = kind(volume, np.diag([0.5, 0.25, 2, 1]))
            image.header.set_xyzt_units("mm", "sec")
            image.header.set_zooms((0.5, 0.25, 2, 1.5))
            nibabel.save(image, f"brain.{suffix}")
            header = expect(f"brain.{suffix}", volume, "xyzt")
            assert header["voxel"] == [0.5, 0.25, 2] and header["unit"] == "millimeter", header
            assert (header["time_step"], header["time_unit"], header["name"]) == (1.5, "second", "brain"), header
    for dtype in ["u1", "i1", "u2", "i2", "u4", "i4", "u8", "f4"]:
        for order in "<>":
            volume = random_volume((17, 12, 9), dtype)
            image = nibabel.Nifti1Image(volume, np.eye(4), dtype=np.dtype(dtype).newbyteorder(order))
            image = nibabel.Nifti1Image(volume, np.eye(4), nibabel.Nifti1Header(endianness=order), dtype=dtype)
            nibabel.save(image, "in.nii")
            assert pathlib.Path("in.nii").read_bytes()[:4] == (348).to_bytes(4, "little" if order == "<" else "big")
            expect("in.nii", volume, "xyz")
    volume = random_volume((7, 6, 5, 2, 3), "f4")
    nibabel.save(nibabel.Nifti1Image(volume, np.eye(4)), "vectors.nii")
    expect("vectors.nii", volume, "xyztc")
    # Members of gzip, as bgzip and pigz write them.
    data = pathlib.Path("vectors.nii").read_bytes()
    pathlib.Path("members.nii.gz").write_bytes(
        b"".join(gzip.compress(data[i : i + 1000]) for i in range(0, len(data), 1000))
    )
    expect("members.nii.gz", volume, "xyztc")
    pathlib.Path("short.nii").write_bytes(data[:-1])
    refused("short.nii", "truncated")
    pathlib.Path("short.nii.gz").write_bytes(gzip.compress(data[:-1]))
    refused("short.nii.gz", "truncated")
    pathlib.Path("cut.nii.gz").write_bytes(gzip.compress(data)[:-2000])
    refused("cut.nii.gz", "truncated")
    pathlib.Path("text.nii.gz").write_bytes(gzip.compress(b"text" * 1000))
    refused("text.nii.gz", "no NIfTI")
    nibabel.save(nibabel.Nifti1Image(volume.astype("f8"), np.eye(4)), "double.nii")
    refused("double.nii", "datatype", "64")
    image = nibabel.Nifti1Image(volume[..., 0, 0].astype("i2"), np.eye(4))
    image.header.set_slope_inter(2, -1024)
    nibabel.save(image, "scaled.nii")
    scaled = bytearray(pathlib.Path("scaled.nii").read_bytes())
    scaled[112:120] = np.array([2, -1024], "<f4").tobytes()
    pathlib.Path("scaled.nii").write_bytes(scaled)
    refused("scaled.nii", "scl_slope", "2", "-1024")
    pair = bytearray(data)
    pair[344:348] = b"ni1\0"
    pathlib.Path("pair.nii").write_bytes(pair)
    refused("pair.nii", ".img")


def check_ome_tiff():
    volume = random_volume((2, 3, 5, 40, 61))
    for order in ["TCZYX", "TZCYX", "CTZYX", "CZTYX", "ZTCYX", "ZCTYX"]:
        for options in [dict(), dict(tile=(16, 32)), dict(compression="zlib", rowsperstrip=7), dict(byteorder=">")]:
            data = volume.transpose(["TCZYX".index(axis) for axis in order])
            metadata = {
                "axes": order,
                "PhysicalSizeX": 0.25,
                "PhysicalSizeY": 500.0,
                "PhysicalSizeYUnit": "nm",
                "PhysicalSizeZ": 2.0,
                "TimeIncrement": 3.0,
                "TimeIncrementUnit": "ms",
                "Channel": {"Name": ["a", "b", "c"]},
            }
            tifffile.imwrite("in.ome.tif", data, metadata=metadata, photometric="minisblack", **options)
            header = expect("in.ome.tif", volume, "tczyx")
            assert header["voxel"] == [0.25, 0.5, 2] and header["unit"] == "micrometer", header
            assert header["channel_names"] == ["a", "b", "c"] and header["name"] == "in", header
            assert (header["time_step"], header["time_unit"]) == (3, "millisecond"), header
    for dtype in ["u1", "i1", "i2", "u4", "i4", "f4"]:
        volume = random_volume((4, 30, 20), dtype)
        tifffile.imwrite("in.ome.tif", volume, metadata={"axes": "ZYX"}, photometric="minisblack", tile=(16, 16))
        expect("in.ome.tif", volume, "zyx")
    # Colours: three samples of a page; in planes of samples, too.
    volume = random_volume((4, 30, 20, 3), "u1")
    tifffile.imwrite("in.ome.tif", volume, metadata={"axes": "ZYXS"}, photometric="rgb", compression="zlib")
    expect("in.ome.tif", volume, "zyxc")
    volume = random_volume((4, 3, 30, 20), "u2")
    tifffile.imwrite("in.tif", volume, photometric="rgb", planarconfig="separate", rowsperstrip=4)
    expect("in.tif", volume, "zcyx")
    # TiffData that gives each plane a page of its own, backwards.
    volume = random_volume((5, 20, 30))
    tifffile.imwrite("in.ome.tif", volume[::-1], metadata={"axes": "ZYX"}, photometric="minisblack", compression="zlib")
    with tifffile.TiffFile("in.ome.tif") as file:
        xml = file.pages[0].description
    start, end = xml.index("<TiffData"), xml.index("</Pixels>")
    each = "".join(f'<TiffData FirstZ="{z}" FirstC="0" FirstT="0" IFD="{4 - z}" PlaneCount="1"/>' for z in range(5))
    tifffile.imwrite("in.ome.tif", volume[::-1], metadata=None, description=xml[:start] + each + xml[end:],
                     photometric="minisblack", compression="zlib")  # fmt: skip
    expect("in.ome.tif", volume, "zyx")
    missing = xml[:start] + each.replace('FirstZ="3"', 'FirstZ="2"') + xml[end:]
    tifffile.imwrite("in.ome.tif", volume, metadata=None, description=missing, photometric="minisblack")
    refused("in.ome.tif", "no page holds plane z 3")
    files = each.replace("/>", '><UUID FileName="a.tif">u</UUID></TiffData>', 1)
    files = files.replace("/>", '><UUID FileName="b.tif">v</UUID></TiffData>', 1)
    tifffile.imwrite("in.ome.tif", volume, metadata=None, description=xml[:start] + files + xml[end:],
                     photometric="minisblack")  # fmt: skip
    refused("in.ome.tif", "several files")
    tifffile.imwrite("in.ome.tif", volume, metadata=None, description=xml.replace('SizeZ="5"', 'SizeZ="6"'),
                     photometric="minisblack")  # fmt: skip
    refused("in.ome.tif", "SizeZ is 6", "5 pages")


def check_imagej():
    for dtype in ["u1", "u2", "f4"]:
        volume = random_volume((2, 5, 3, 40, 61), dtype)
        metadata = {"axes": "TZCYX", "spacing": 2.0, "unit": "um", "finterval": 1.5}
        tifffile.imwrite("in.tif", volume, imagej=True, resolution=(4.0, 2.0), metadata=metadata)
        header = expect("in.tif", volume, "tzcyx")
        assert header["voxel"] == [0.25, 0.5, 2] and header["unit"] == "micrometer", header
        assert (header["time_step"], header["time_unit"]) == (1.5, "second"), header
    # A large stack of ImageJ has one directory; the other planes follow the first.
    volume = random_volume((6, 40, 61), "u2")
    text = "ImageJ=1.53t\nimages=6\nslices=6\nunit=nm\nspacing=3\nloop=false\n"
    for order in "<>":
        tifffile.imwrite("one.tif", volume[0], byteorder=order, metadata=None, description=text, resolution=(2, 2))
        with tifffile.TiffFile("one.tif") as file:
            (offset,) = file.pages[0].dataoffsets
            assert offset + volume[0].nbytes == os.path.getsize("one.tif")
        with open("one.tif", "ab") as file:
            file.write(volume[1:].astype(np.dtype("u2").newbyteorder(order)).tobytes())
        header = expect("one.tif", volume, "zyx")
        assert header["voxel"] == [0.5, 0.5, 3] and header["unit"] == "nanometer", header
    data = pathlib.Path("one.tif").read_bytes()
    pathlib.Path("short.tif").write_bytes(data[:-1])
    refused("short.tif", "images is 6")
    pathlib.Path("wrong.tif").write_bytes(data.replace(b"slices=6", b"slices=5"))
    refused("wrong.tif", "slices 5")


def check_plain_tiff():
    for options in [dict(), dict(tile=(16, 16)), dict(rowsperstrip=3, compression="zlib", predictor=True)]:
        volume = random_volume((7, 33, 29), "u2")
        tifffile.imwrite("in.tif", volume, photometric="minisblack", metadata=None, **options)
        header = expect("in.tif", volume, "zyx")
        assert "voxel" not in header and header["axes"] == "zyx", header
    with tifffile.TiffWriter("in.tif") as file:
        for size in [20, 20, 21]:
            file.write(np.zeros((size, 20), "u2"), photometric="minisblack")
    refused("in.tif", "page 2 differs")
    tifffile.imwrite("in.tif", np.zeros((3, 8, 8), "f8"), photometric="minisblack", metadata=None)
    refused("in.tif", "64 bits")
    pathlib.Path("in.txt").write_text("text")
    refused("in.txt", "no volume")


def check_planes():
    volume = random_volume((12, 33, 41), "u2")
    for suffix in ["tif", "png"]:
        for z, plane in enumerate(volume):
            Image.fromarray(plane).save(f"plane_{z + 5:02}_a.{suffix}")
        expect(f"plane_{{z}}_a.{suffix}", volume, "zyx")
    Image.fromarray(volume[0, 1:]).save("plane_09_a.png")
    done = subprocess.run([PROGRAM, "plane_{z}_a.png", "out.raw"], capture_output=True, text=True)
    assert done.returncode == 1 and "plane_09_a.png: is 41x32 of uint16" in done.stderr, done.stderr
    os.remove("plane_09_a.png")
    refused("plane_{z}_a.png", "no file of number 9")
    os.rename("plane_10_a.tif", "plane_9_a.tif")
    done = subprocess.run([PROGRAM, "plane_{z}_a.tif", "out.raw"], capture_output=True, text=True)
    assert done.returncode == 1 and "has the number of" in done.stderr, done.stderr
    refused("none_{z}.png", "no file has such a name")
    Image.fromarray(np.zeros((5, 6, 3), np.uint8)).save("rgb_0.png")
    done = subprocess.run([PROGRAM, "rgb_{z}.png", "out.raw"], capture_output=True, text=True)
    assert done.returncode == 1 and "has 3 channels" in done.stderr, done.stderr


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        for check in [
            check_zarr_2,
            check_zarr_3,
            check_nifti,
            check_ome_tiff,
            check_imagej,
            check_plain_tiff,
            check_planes,
        ]:
            check()
            print(check.__name__, "good", flush=True)
