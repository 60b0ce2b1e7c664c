#!/usr/bin/python3
"""check.py ONEPASS CODEC...: other programs read the outputs of `onepass volume`: zarr-python those of --zarr 2; of --zarr 3 a
reader written from the specification, with the codecs of numcodecs. Levels are compared with means by NumPy."""

import itertools
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

import numcodecs
import numpy as np
import zarr


def crc32c(data):
    """CRC-32C, RFC 3720."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def decode(codecs, data, shape, dtype):
    """A chunk or a shard."""
    if codecs[0]["name"] == "sharding_indexed":
        return decode_shard(codecs[0]["configuration"], data, shape, dtype)
    assert codecs[0] == {"name": "bytes", "configuration": {"endian": "little"}}
    for codec in codecs[:0:-1]:
        data = {"zstd": numcodecs.Zstd, "blosc": numcodecs.Blosc}[codec["name"]]().decode(data)
    return np.frombuffer(data, np.dtype(dtype).newbyteorder("<")).reshape(shape)


def decode_shard(shard, data, shape, dtype):
    inner = shard["chunk_shape"]
    counts = [s // i for s, i in zip(shape, inner)]
    index = data[-(16 * int(np.prod(counts)) + 4) :]
    assert struct.unpack("<I", index[-4:])[0] == crc32c(index[:-4])
    out = np.zeros(shape, dtype)
    for at, (offset, size) in zip(np.ndindex(*counts), struct.iter_unpack("<QQ", index[:-4])):
        if offset != 2**64 - 1:
            place = tuple(slice(a * i, (a + 1) * i) for a, i in zip(at, inner))
            out[place] = decode(shard["codecs"], data[offset : offset + size], inner, dtype)
    return out


def read_3(folder):
    """An array of Zarr 3."""
    meta = json.loads((folder / "zarr.json").read_text())
    shape, dtype = meta["shape"], meta["data_type"]
    chunk = meta["chunk_grid"]["configuration"]["chunk_shape"]
    out = np.zeros(shape, dtype)
    for at in np.ndindex(*(-(-s // c) for s, c in zip(shape, chunk))):
        file = folder.joinpath("c", *map(str, at))
        if file.exists():
            place = tuple(slice(a * c, min((a + 1) * c, s)) for a, c, s in zip(at, chunk, shape))
            voxels = decode(meta["codecs"], file.read_bytes(), chunk, dtype)
            out[place] = voxels[tuple(slice(0, p.stop - p.start) for p in place)]
    return out


def mean(base, level):
    """Means of cells of 2^level voxels per axis, those at borders of the voxels that exist; ties to even."""
    factor = 2**level
    sums, counts = base.astype(np.float64), np.ones(base.shape)
    for axis in range(3):
        starts = np.arange(0, base.shape[axis], factor)
        sums, counts = np.add.reduceat(sums, starts, axis), np.add.reduceat(counts, starts, axis)
    return np.rint(sums / counts).astype(base.dtype)


def main():
    onepass = os.path.abspath(sys.argv[1])
    codecs = sys.argv[2:]
    rng = np.random.default_rng(1)
    base = rng.integers(0, 4096, (90, 203, 157), dtype=np.uint16)
    base[:32, :64, :64] = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        base.tofile(folder / "in.raw")
        for version, compression in itertools.product("23", codecs):
            size = "x".join(map(str, base.shape[::-1]))
            command = [onepass, "volume", "in.raw", "--raw", size + ":uint16", "-o", f"{version}-{compression}.zarr"]
            command += ["--zarr", version, "--chunk", "32", "--steps", "xyz", "--levels", "4", "--quiet"]
            command += ["--compression", compression]
            subprocess.run(command, cwd=folder, check=True)
        for compression, level in itertools.product(codecs, range(4)):
            expected = mean(base, level)
            old = zarr.open_group(str(folder / f"2-{compression}.zarr"), "r")
            assert (old[str(level)][:] == expected).all(), (compression, level)
            new = read_3(folder / f"3-{compression}.zarr" / str(level))
            assert (new == expected).all(), (compression, level)
    print("volumes: the levels of Zarr 2 and 3 are those of NumPy")


main()
