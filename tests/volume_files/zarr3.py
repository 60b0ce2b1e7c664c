"""Writes Zarr arrays of version 3, from the specification alone: NumPy for elements, numcodecs for blosc and zstd.

Sources: Zarr core specification 3.1; its codecs bytes, transpose, gzip, zstd, blosc, crc32c and sharding_indexed.
"""
import gzip
import itertools
import json
import pathlib

import numcodecs
import numpy as np


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return ~crc & 0xFFFFFFFF


class Chain:
    """A chain of codecs. `endian`: "little" or "big"; `order`: of transpose, or None; `codecs`: names behind bytes."""

    def __init__(self, endian="little", order=None, codecs=()):
        self.endian, self.order, self.codecs = endian, order, codecs

    def metadata(self):
        chain = [{"name": "bytes", "configuration": {"endian": self.endian}}]
        if self.order is not None:
            chain.insert(0, {"name": "transpose", "configuration": {"order": list(self.order)}})
        configurations = {
            "gzip": {"level": 5},
            "zstd": {"level": 1, "checksum": False},
            "blosc": {"cname": "zstd", "clevel": 5, "shuffle": "bitshuffle", "typesize": 2, "blocksize": 0},
        }
        for name in self.codecs:
            codec = {"name": name}
            if name in configurations:
                codec["configuration"] = configurations[name]
            chain.append(codec)
        return chain

    def encode(self, block):
        if self.order is not None:
            block = block.transpose(self.order)
        data = block.astype(block.dtype.newbyteorder("<" if self.endian == "little" else ">")).tobytes("C")
        for name in self.codecs:
            if name == "gzip":
                data = gzip.compress(data)
            elif name == "zstd":
                data = numcodecs.Zstd(level=1).encode(data)
            elif name == "blosc":
                data = numcodecs.Blosc("zstd", 5, numcodecs.Blosc.BITSHUFFLE).encode(np.frombuffer(data, block.dtype))
            else:
                data = bytes(data) + crc32c(bytes(data)).to_bytes(4, "little")
        return bytes(data)


class Shards:
    """The codec sharding_indexed: `blocks` of a shard, each by `inner`."""

    def __init__(self, blocks, inner, at_end=True):
        self.blocks, self.inner, self.at_end = blocks, inner, at_end

    def metadata(self):
        return [
            {
                "name": "sharding_indexed",
                "configuration": {
                    "chunk_shape": list(self.blocks),
                    "codecs": self.inner.metadata(),
                    "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}],
                    "index_location": "end" if self.at_end else "start",
                },
            }
        ]

    def encode(self, shard, fill=0):
        grid = [size // block for size, block in zip(shard.shape, self.blocks)]
        data, index = b"", []
        start = 0 if self.at_end else 16 * int(np.prod(grid)) + 4
        for at in itertools.product(*map(range, grid)):
            block = shard[tuple(slice(i * b, (i + 1) * b) for i, b in zip(at, self.blocks))]
            if (block == fill).all():
                index += [2**64 - 1] * 2
                continue
            encoded = self.inner.encode(block)
            index += [start + len(data), len(encoded)]
            data += encoded
        table = np.array(index, "<u8").tobytes()
        table += crc32c(table).to_bytes(4, "little")
        return data + table if self.at_end else table + data


def write_array(folder, data, chunks, codecs, fill=0, separator="/", keys="default"):
    """`codecs`: a Chain or Shards. Chunks of the fill value alone are not stored."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True)
    metadata = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": list(data.shape),
        "data_type": data.dtype.name,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": list(chunks)}},
        "chunk_key_encoding": {"name": keys, "configuration": {"separator": separator}},
        "fill_value": fill,
        "codecs": codecs.metadata(),
        "attributes": {},
    }
    (folder / "zarr.json").write_text(json.dumps(metadata))
    grid = [-(-size // chunk) for size, chunk in zip(data.shape, chunks)]
    for at in itertools.product(*map(range, grid)):
        part = data[tuple(slice(i * c, (i + 1) * c) for i, c in zip(at, chunks))]
        if (part == fill).all():
            continue
        chunk = np.full(chunks, fill, data.dtype)
        chunk[tuple(map(slice, part.shape))] = part
        name = separator.join((["c"] if keys == "default" else []) + list(map(str, at)))
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(codecs.encode(chunk))


def write_group(folder, ome):
    """Metadata of OME-Zarr 0.5 and 0.6 in a group."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "zarr.json").write_text(json.dumps({"zarr_format": 3, "node_type": "group", "attributes": {"ome": ome}}))
