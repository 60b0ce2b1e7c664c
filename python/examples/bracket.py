#!/usr/bin/env python3
"""bracket [FOLDER] [WIDTH]: merges a bracket of exposures, meters the light and compares tone maps.

Simulates a camera with 12 bits and noise in a room with a window: six exposures, two stops apart. They are merged to linear
light, metered, and mapped by several operators with and without local exposure. Writes bracket.exr (the light) and
bracket.png: above, three of the exposures; below, the tone maps.
"""
import pathlib
import sys

import numpy as np

import onepass


def room(width, height):
    """Linear light of a room with a bright window, a lamp and dark corners."""
    y, x = np.mgrid[:height, :width].astype(np.float32) / height
    aspect = width / height
    wall = 0.05 + 0.04 * np.cos(9 * x) ** 2 + 0.03 * np.sin(40 * y) * (y < 0.8)
    light = np.stack([wall * 1.1, wall, wall * 0.8], axis=2)
    floor = (y > 0.75)[..., None] * np.stack([0.10 + 0.05 * np.sign(np.sin(60 * x) * np.sin(60 * y))] * 3, axis=2)
    light = np.where(y[..., None] > 0.75, floor * np.array([1, 0.8, 0.6]), light)
    window = (np.abs(x - 0.3 * aspect) < 0.22) & (np.abs(y - 0.35) < 0.2)
    frame = (np.abs(x - 0.3 * aspect) % 0.11 > 0.1) | (np.abs(y - 0.35) % 0.1 > 0.092)
    sky = np.stack([20 + 10 * y, 26 + 8 * y, 36 - 6 * y], axis=2)
    clouds = 14 * np.maximum(0, np.sin(17 * x + 3 * np.sin(11 * y)))[..., None]
    light = np.where(window[..., None], np.where(frame[..., None], 0.08, sky + clouds), light)
    lamp = np.exp(-((x - 0.8 * aspect) ** 2 + (y - 0.3) ** 2) / 0.0009)[..., None] * np.array([220, 160, 80])
    glow = 0.5 / (1 + 60 * ((x - 0.8 * aspect) ** 2 + (y - 0.3) ** 2))[..., None] * np.array([1, 0.7, 0.35])
    corner = 0.08 + 0.92 * np.clip(x * 2.2 / aspect, 0, 1)[..., None] * np.clip(y * 3 + 0.4, 0, 1)[..., None]
    return ((light * np.where(window[..., None], 1, corner)) + lamp + glow).astype(np.float32)


def shoot(light, exposure, rng):
    """A raw image of 12 bits."""
    electrons = rng.poisson(np.minimum(light * exposure, 1.2) * 20000) + rng.normal(0, 6, light.shape)
    return np.clip(np.round(electrons / 20000 * 4095), 0, 4095)


def merge(shots, exposures):
    """The light, weighted by the inverse variance of photon noise; clipped values have no weight."""
    total = np.zeros(shots[0].shape)
    weight = np.zeros(shots[0].shape)
    for raw, exposure in zip(shots, exposures):
        share = np.where(raw < 4000, exposure, 1e-6)
        total += share * raw / 4095 / exposure
        weight += share
    return (total / weight).astype(np.float32)


def main(folder=".", width=480):
    rng = np.random.default_rng(3)
    truth = room(width, width * 2 // 3)
    exposures = [4.0**-n for n in range(-1, 5)]
    shots = [shoot(truth, exposure, rng) for exposure in exposures]
    light = merge(shots, exposures)
    onepass.write(pathlib.Path(folder) / "bracket.exr", light)

    measured = onepass.meter(light, metering="centre_weighted", statistic="percentiles")
    stops = float(np.log2(measured.percentiles[7] / measured.percentiles[0]))
    glowing = onepass.bloom(light, scatter=0.05, field_of_view=50)
    maps = [
        onepass.tonemap(light, "reinhard", exposure=measured),
        onepass.tonemap(glowing, "agx_blender", exposure=measured),
        onepass.tonemap(glowing, "agx_blender", exposure=measured, highlights=0.5, shadows=0.6, detail=1.1),
    ]

    raw = [onepass.tonemap((shots[n] / 4095).astype(np.float32), "exposure") for n in (0, 2, 4)]
    picture = np.concatenate([np.concatenate(raw, axis=1), np.concatenate(maps, axis=1)], axis=0)
    path = pathlib.Path(folder) / "bracket.png"
    onepass.write(path, picture)
    clipped = [float(np.mean((a == 255).all(axis=2))) for a in maps]
    error = float(np.median(np.abs(light - truth) / truth))
    print(
        f"{path}: {stops:.1f} stops between the percentiles 1 and 99, exposure {measured.exposure:.3g}, median error of "
        f"the merged light {error:.2%}, white texels " + ", ".join(f"{share:.1%}" for share in clipped)
    )
    return {"stops": stops, "error": error, "clipped": clipped}


if __name__ == "__main__":
    main(*sys.argv[1:2], *(int(n) for n in sys.argv[2:3]))
