#!/usr/bin/python3
"""viewer_frames.py FOLDER: frames of Zstandard and chunks of Blosc by their own libraries, for viewer_decoders.js.
NAME.raw is what NAME.*.zst and NAME.*.blosc decode to."""

import ctypes
import pathlib
import sys

import numcodecs
import numpy as np

LEVEL, WINDOW_LOG, CONTENT_SIZE, CHECKSUM = 100, 101, 200, 201  # ZSTD_cParameter


def compressor():
    library = ctypes.CDLL("libzstd.so.1")
    library.ZSTD_createCCtx.restype = ctypes.c_void_p
    library.ZSTD_compressBound.restype = library.ZSTD_compress2.restype = ctypes.c_size_t
    library.ZSTD_compressBound.argtypes = [ctypes.c_size_t]
    library.ZSTD_compress2.argtypes = [ctypes.c_void_p] + 2 * [ctypes.c_char_p, ctypes.c_size_t]
    library.ZSTD_CCtx_setParameter.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_int]
    context = library.ZSTD_createCCtx()

    def compress(data, **parameters):
        library.ZSTD_CCtx_reset(ctypes.c_void_p(context), 3)
        for name, value in parameters.items():
            assert library.ZSTD_CCtx_setParameter(context, globals()[name], value) < 1 << 31
        out = ctypes.create_string_buffer(library.ZSTD_compressBound(len(data)))
        size = library.ZSTD_compress2(context, out, len(out), data, len(data))
        assert size <= len(out)
        return out.raw[:size]

    return compress


def contents():
    rng = np.random.default_rng(1)
    ramp = np.arange(1 << 16)
    yield "one", b"a"
    yield "short", b"abcabcabcabcabdabcabcabd" * 2 + b"xyz"
    yield "zeros", bytes(300000)
    yield "noise", rng.bytes(150001)
    yield "smooth", (1000 + 900 * np.sin(ramp / 500) + rng.normal(0, 3, ramp.size)).astype("<u2").tobytes()
    yield "labels", np.repeat(rng.integers(0, 50, 1500), rng.integers(1, 60, 1500)).astype("<u8").tobytes()
    yield "few", rng.choice(np.array([0, 1, 2, 3, 200], np.uint8), 140000, p=[0.9, 0.05, 0.03, 0.01, 0.01]).tobytes()
    yield "digits", rng.choice(np.arange(6, dtype=np.uint8), 20000, p=[0.4, 0.3, 0.1, 0.1, 0.05, 0.05]).tobytes()
    yield "bytes", rng.integers(0, 120, 30000, dtype=np.uint8).tobytes()  # literals without matches
    yield "words", b" ".join(rng.choice([b"level", b"volume", b"chunk", b"of", b"a", b"slice", b"voxel"], 30000))
    yield "far", rng.bytes(180000) * 2  # matches more than 128 KiB before
    noise = rng.bytes(1 << 17)
    yield "marks", noise + b"".join(noise[at : at + 40] + b"z" for at in range(0, 60000, 97))  # all literals are z
    yield "runs", b"".join(bytes([n % 7]) * 9 + rng.bytes(3) for n in range(3000))


def main():
    folder = pathlib.Path(sys.argv[1])
    compress = compressor()
    for name, data in contents():
        (folder / f"{name}.raw").write_bytes(data)
        for level in [*range(1, 20), -5]:
            frame = compress(data, LEVEL=level, CHECKSUM=level % 2)
            (folder / f"{name}.{level}.zst").write_bytes(frame)
        # A small window without the size of the content; two frames with one that decoders skip between them.
        half = len(data) // 2
        window = compress(data, LEVEL=5, WINDOW_LOG=10, CONTENT_SIZE=0)
        both = compress(data[:half]) + b"\x5a\x2a\x4d\x18\x03\0\0\0abc" + compress(data[half:], CHECKSUM=1)
        (folder / f"{name}.window.zst").write_bytes(window)
        (folder / f"{name}.two.zst").write_bytes(both)
        for size in (1, 2, 8):
            if len(data) % size:
                continue
            for codec in ("lz4", "zstd"):
                for shuffle in (0, 1):
                    # Blocks of Blosc's choice, small ones with a shorter last one, and bytes that are only copied.
                    for block, level in ((0, 5), (4096, 5), (0, 0)):
                        made = numcodecs.Blosc(codec, level, shuffle, block).encode(np.frombuffer(data, f"u{size}"))
                        (folder / f"{name}.{codec}{size}{shuffle}{block}{level}.blosc").write_bytes(made)
    print(f"{len(list(folder.iterdir()))} files")


main()
