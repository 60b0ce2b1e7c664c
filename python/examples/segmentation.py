#!/usr/bin/env python3
"""segmentation [FOLDER] [SIZE]: a pyramid of labels, by the most frequent label, written as OME-Zarr.

A mean of label numbers is meaningless: between cells 3 and 9 there is no cell 6. reduction="mode" gives every texel the most
frequent label of four. Writes cells.zarr (OME-Zarr 0.4, with label metadata) and segmentation.png: levels 0 to 3 by mode,
and by the mean, whose invented labels are red.
"""
import json
import pathlib
import sys

import numpy as np

import onepass


def cells(size, count, rng):
    """Labels of a Voronoi diagram with background between the cells, from the nearest and second nearest centre."""
    centres = rng.uniform(0, size, (count, 2)).astype(np.float32)
    row, column = np.mgrid[:size, :size].astype(np.float32)
    nearest = np.full((size, size), np.inf, np.float32)
    second = nearest.copy()
    labels = np.zeros((size, size), np.uint16)
    for label, (y, x) in enumerate(centres, 1):
        distance = np.hypot(row - y, column - x)
        closer = distance < nearest
        second = np.where(closer, nearest, np.minimum(second, distance))
        labels[closer] = label
        nearest = np.minimum(nearest, distance)
    labels[second - nearest < 3] = 0
    return labels


def write_zarr(folder, levels, chunk=256):
    """OME-Zarr 0.4 (Zarr version 2) with uncompressed chunks."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".zgroup").write_text(json.dumps({"zarr_format": 2}))
    axes = [{"name": "y", "type": "space"}, {"name": "x", "type": "space"}]
    datasets = [
        {"path": str(n), "coordinateTransformations": [{"type": "scale", "scale": [2.0**n, 2.0**n]}]}
        for n in range(len(levels))
    ]
    attributes = {
        "multiscales": [{"version": "0.4", "axes": axes, "datasets": datasets, "type": "mode"}],
        "image-label": {"version": "0.4"},
    }
    (folder / ".zattrs").write_text(json.dumps(attributes, indent=1))
    for n, level in enumerate(levels):
        array = folder / str(n)
        array.mkdir(exist_ok=True)
        (array / ".zarray").write_text(
            json.dumps(
                {
                    "zarr_format": 2,
                    "shape": level.shape,
                    "chunks": [chunk, chunk],
                    "dtype": level.dtype.newbyteorder("<").str,
                    "compressor": None,
                    "fill_value": 0,
                    "order": "C",
                    "filters": None,
                    "dimension_separator": "/",
                }
            )
        )
        for y in range(0, level.shape[0], chunk):
            for x in range(0, level.shape[1], chunk):
                block = np.zeros((chunk, chunk), level.dtype)
                part = level[y : y + chunk, x : x + chunk]
                block[: part.shape[0], : part.shape[1]] = part
                (array / str(y // chunk)).mkdir(exist_ok=True)
                (array / str(y // chunk) / str(x // chunk)).write_bytes(block.tobytes())


def main(folder=".", size=512):
    rng = np.random.default_rng(5)
    labels = cells(size, size // 5, rng)
    levels = onepass.build_pyramid(labels, reduction="mode", footprint="ceil", levels=6)
    means = onepass.build_pyramid(labels, reduction="mean", footprint="ceil", levels=6)
    write_zarr(pathlib.Path(folder) / "cells.zarr", levels)

    colours = np.concatenate([[[0, 0, 0]], rng.integers(60, 230, (labels.max(), 3))]).astype(np.uint8)
    colours[1:, 0] //= 2  # red is for invented labels

    def paint(level, n):
        fine = labels[: level.shape[0] << n, : level.shape[1] << n]
        picture = colours[level]
        for (y, x), label in np.ndenumerate(level):
            if label not in fine[y << n : (y + 1) << n, x << n : (x + 1) << n]:
                picture[y, x] = (255, 0, 0)
        return np.kron(picture, np.ones((1 << n, 1 << n, 1), np.uint8))[:size, :size]

    crop = slice(0, size // 2)
    rows = [np.concatenate([paint(chain[n], n)[crop, crop] for n in range(4)], axis=1) for chain in (levels, means)]
    picture = np.concatenate(rows, axis=0)
    path = pathlib.Path(folder) / "segmentation.png"
    onepass.write(path, picture)

    def invented(level, n):
        return sum(
            label not in labels[y << n : (y + 1) << n, x << n : (x + 1) << n] for (y, x), label in np.ndenumerate(level)
        )

    counts = {"mode": invented(levels[3], 3), "mean": invented(means[3], 3)}
    print(
        f"{path}: texels of level 3 with a label that their block does not have: "
        + ", ".join(f"{name} {count} of {levels[3].size}" for name, count in counts.items())
    )
    return counts


if __name__ == "__main__":
    main(*sys.argv[1:2], *(int(n) for n in sys.argv[2:3]))
