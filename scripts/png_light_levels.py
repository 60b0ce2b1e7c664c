#!/usr/bin/env python3
"""Light levels of HDR PNG files: what a display shows of their codes, in cd/m^2.

    scripts/png_light_levels.py hdr10.png hlg.png

Reads 16-bit RGB, takes transfer and primaries from the cICP chunk (ITU-T H.273: transfer 16 is PQ of SMPTE ST 2084, 18
is HLG of BT.2100 on its nominal display of 1000 cd/m^2, system gamma 1.2), and prints statistics of luminance. Shares
no code with the library: the figures in docs/tone_map.md are from here.
"""
import struct
import sys
import zlib

import numpy as np

WEIGHTS = {1: (0.2126, 0.7152, 0.0722), 9: (0.2627, 0.6780, 0.0593)}


def read_png(path):
    """Codes as an array of rows, columns, channels, and the cICP chunk."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        raise ValueError(f"{path}: no PNG file")
    place, packed, header, code_points = 8, b"", None, None
    while place < len(data):
        length, kind = struct.unpack(">I4s", data[place : place + 8])
        body = data[place + 8 : place + 8 + length]
        place += 12 + length
        if kind == b"IHDR":
            header = struct.unpack(">IIBBBBB", body)
        elif kind == b"cICP":
            code_points = tuple(body)
        elif kind == b"IDAT":
            packed += body
    width, height, depth, colour, _, _, interlaced = header
    if depth != 16 or colour not in (2, 6) or interlaced or code_points is None:
        raise ValueError(f"{path}: not 16-bit RGB with a cICP chunk")
    size = 6 if colour == 2 else 8
    raw = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 1 + width * size)
    rows = np.zeros((height, width * size), np.uint8)
    above = np.zeros(width * size, np.int64)
    for y in range(height):
        rows[y] = above = unfilter(int(raw[y, 0]), raw[y, 1:].astype(np.int64), above, size)
    return rows.view(">u2").reshape(height, width, size // 2)[:, :, :3].astype(np.float64), code_points


def unfilter(kind, row, above, size):
    """Undoes a filter of PNG (None, Sub, Up; others texel by texel)."""
    if kind == 0:
        return row
    if kind == 1:
        return np.cumsum(row.reshape(-1, size), axis=0).reshape(-1) % 256
    if kind == 2:
        return (row + above) % 256
    out = row.copy()
    for i in range(len(out)):
        left = out[i - size] if i >= size else 0
        up, corner = above[i], above[i - size] if i >= size else 0
        if kind == 3:
            guess = (left + up) // 2
        else:
            near = left + up - corner
            guess = min((left, up, corner), key=lambda v: abs(near - v))
        out[i] = (out[i] + guess) % 256
    return out


def pq_eotf(signal):
    """SMPTE ST 2084: signal to cd/m^2."""
    m1, m2 = 2610 / 16384, 2523 / 4096 * 128
    c1, c2, c3 = 3424 / 4096, 2413 / 4096 * 32, 2392 / 4096 * 32
    root = signal ** (1 / m2)
    return 10000 * (np.maximum(root - c1, 0) / (c2 - c3 * root)) ** (1 / m1)


def hlg_eotf(signal, weights):
    """BT.2100: signal to cd/m^2 on a display of 1000 cd/m^2, whose OOTF goes by luminance."""
    a = 0.17883277
    b, c = 1 - 4 * a, 0.5 - a * np.log(4 * a)
    scene = np.where(signal <= 0.5, signal**2 / 3, (np.exp((signal - c) / a) + b) / 12)
    return 1000 * (scene @ weights)[..., None] ** 0.2 * scene


def light_of(path):
    """Luminance in cd/m^2."""
    codes, code_points = read_png(path)
    weights = np.array(WEIGHTS[code_points[0]])
    signal = codes / 65535
    light = pq_eotf(signal) if code_points[1] == 16 else hlg_eotf(signal, weights)
    return light @ weights


def main():
    print("| file | mean | 5 % | 25 % | median | 75 % | 95 % | 99 % | above 203 | max |")
    print("| --- |" + " ---: |" * 9)
    for path in sys.argv[1:]:
        light = light_of(path)
        cells = [light.mean(), *np.percentile(light, (5, 25, 50, 75, 95, 99))]
        text = " | ".join(f"{v:.3g}" if v < 1000 else f"{v:.0f}" for v in cells)
        print(f"| {path} | {text} | {100 * (light > 203.1).mean():.1f} % | {light.max():.0f} |")


if __name__ == "__main__":
    main()
