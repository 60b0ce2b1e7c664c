#!/usr/bin/env python3
"""microscope [FOLDER] [SIZE]: deconvolves a microscope image with a point spread function measured from beads.

Simulates a fluorescence microscope: a specimen of filaments and vesicles, blurred by a lens with spherical aberration, with
photon noise. The point spread function is not taken from the simulation: it is measured, as in a laboratory, by averaging
images of small beads that align() has registered. Writes microscope.png: image, measured function, Wiener, Richardson-Lucy.
"""
import pathlib
import sys

import numpy as np

import onepass


def specimen(size, rng):
    """Filaments (random walks) and vesicles (discs), in photons."""
    image = np.zeros((size, size), np.float32)
    for _ in range(size // 10):
        angle = rng.uniform(0, 2 * np.pi) + np.cumsum(rng.normal(0, 0.05, size))
        x = rng.uniform(0, size) + np.cumsum(np.cos(angle))
        y = rng.uniform(0, size) + np.cumsum(np.sin(angle))
        np.add.at(image, (np.mod(y, size).astype(int), np.mod(x, size).astype(int)), 60)
    row, column = np.mgrid[:size, :size]
    for _ in range(size // 16):
        x, y, radius = rng.uniform(0, size), rng.uniform(0, size), rng.uniform(2, 6)
        image += 40 * ((row - y) ** 2 + (column - x) ** 2 < radius**2)
    return image + 2


def lens(width):
    """The intensity of a pupil with defocus and spherical aberration."""
    axis = np.fft.fftfreq(64)
    r = np.hypot(axis[:, None], axis[None, :]) / 0.14
    pupil = (r <= 1) * np.exp(2j * np.pi * (0.35 * r**2 - 0.3 * r**4))
    spot = np.fft.fftshift(np.abs(onepass.ifft2(pupil)) ** 2)
    middle = 32 - width // 2
    return (spot[middle : middle + width, middle : middle + width] / spot.sum()).astype(np.float32)


def measure_psf(psf, rng, beads=24):
    """The mean of noisy bead images with unknown positions, registered to the first one."""
    size = 64
    images = []
    for _ in range(beads):
        bead = np.zeros((size, size), np.float32)
        bead[size // 2 + rng.integers(-6, 7), size // 2 + rng.integers(-6, 7)] = 1
        images.append(rng.poisson(40000 * np.maximum(onepass.convolve(bead, psf), 0) + 1).astype(np.float32) - 1)
    total = np.zeros((size, size))
    for image in images:
        shift = onepass.align(images[0], image, kind="cross")
        total += np.roll(image, (round(shift.y), round(shift.x)), (0, 1))
    peak = np.unravel_index(onepass.filter(total.astype(np.float32), sigma=1.5).argmax(), total.shape)
    half = psf.shape[0] // 2
    measured = np.roll(total, (size // 2 - peak[0], size // 2 - peak[1]), (0, 1))
    measured = measured[size // 2 - half : size // 2 + half + 1, size // 2 - half : size // 2 + half + 1]
    measured = np.maximum(measured - 3 * np.sqrt(beads), 0)  # background noise
    return (measured / measured.sum()).astype(np.float32)


def main(folder=".", size=384):
    rng = np.random.default_rng(7)
    truth = specimen(size, rng)
    psf = lens(31)
    blurred = onepass.convolve(truth, psf, boundary="mirror")
    image = rng.poisson(np.maximum(blurred, 0)).astype(np.float32)

    measured = measure_psf(psf, rng)
    wiener = onepass.deconvolve(image, measured, "wiener", noise=0.02, prior="laplacian")
    lucy = onepass.deconvolve(image, measured, "richardson_lucy", iterations=40)

    def error(a):
        return float(np.sqrt(np.mean((a - truth) ** 2)))

    errors = {"image": error(image), "wiener": error(wiener), "richardson_lucy": error(lucy)}

    scale = np.percentile(truth, 99.5)
    panels = [image, wiener, lucy, truth]
    picture = np.concatenate([np.clip(panel / scale, 0, 1) ** 0.6 for panel in panels], axis=1)
    inset = np.kron(measured / measured.max(), np.ones((3, 3)))
    picture[4 : 4 + inset.shape[0], 4 : 4 + inset.shape[1]] = inset**0.5
    path = pathlib.Path(folder) / "microscope.png"
    onepass.write(path, (picture * 255).astype(np.uint8))
    print(f"{path}: root mean square error in photons: " + ", ".join(f"{k} {v:.2f}" for k, v in errors.items()))
    return errors


if __name__ == "__main__":
    main(*sys.argv[1:2], *(int(n) for n in sys.argv[2:3]))
