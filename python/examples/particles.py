#!/usr/bin/env python3
"""particles [FOLDER] [SIZE]: finds particles of unknown rotation in a noisy micrograph, and draws ROC curves.

Simulates a micrograph of an electron microscope: particles of one shape, each rotated by any angle, in noise stronger than
they are, part of it as smooth as they are. Rotations of a template are matched, 72, 6, or their mean as a single template;
local maxima of the largest score are candidates. Writes particles.png: the micrograph, smoothed, with its particles in
green; the score of 72 rotations with as many candidates as there are particles, correct in green and false in red; ROC
curves, the share of the particles found over the number of false candidates: 72 rotations blue, 6 orange, their mean red.
"""
import pathlib
import sys

import numpy as np

import onepass

WIDTH = 40  # texels of a template
REACH = 6  # texels between a candidate and the particle that it stands for


def particle(angle, width=WIDTH):
    """A long shape of Gaussians in the middle of `width` x `width` texels."""
    row, column = np.mgrid[:width, :width] - float(width // 2)
    x = column * np.cos(angle) + row * np.sin(angle)
    y = row * np.cos(angle) - column * np.sin(angle)
    blobs = [(-11, 0, 3.5, 1), (-4, 1, 3, 1), (3, 0, 3, 1), (10, -1, 3.5, 1), (7, 7, 2.5, 0.8)]
    return sum(w * np.exp(-((x - u) ** 2 + (y - v) ** 2) / (2 * s * s)) for u, v, s, w in blobs).astype(np.float32)


def micrograph(size, count, rng):
    """The image and the centres (row, column) of its particles, which do not overlap."""
    image, centres = np.zeros((size, size), np.float32), []
    while len(centres) < count:
        centre = rng.integers(WIDTH, size - WIDTH, 2)
        if all(np.hypot(*(centre - other)) > WIDTH for other in centres):
            corner = centre - WIDTH // 2
            image[corner[0] : corner[0] + WIDTH, corner[1] : corner[1] + WIDTH] += particle(rng.uniform(0, 2 * np.pi))
            centres.append(centre)
    smooth = onepass.filter(rng.normal(0, 1, image.shape).astype(np.float32), sigma=4)
    image += rng.normal(0, 1.3, image.shape) + 0.3 * smooth / smooth.std()
    thickness = 2 * np.linspace(-1, 1, size) ** 2  # of the ice
    return (image + thickness[:, None]).astype(np.float32), np.array(centres)


def candidates(score, radius=WIDTH // 3):
    """Local maxima of a score: rows, columns and scores, in descending order."""
    found = []
    left = score[radius:-radius, radius:-radius].copy()
    least = left.mean() + left.std()
    while True:
        row, column = np.unravel_index(left.argmax(), left.shape)
        if left[row, column] <= least:
            return np.array(found)
        found.append((row + radius, column + radius, left[row, column]))
        left[max(0, row - radius) : row + radius + 1, max(0, column - radius) : column + radius + 1] = least


def correct(found, centres):
    """Whether each candidate is the first one near a particle."""
    left = set(range(len(centres)))
    result = []
    for row, column, _ in found:
        near = [n for n in left if np.hypot(*(centres[n] - (row, column))) <= REACH]
        left.difference_update(near)
        result.append(bool(near))
    return np.array(result)


def roc(score, centres):
    """Shares of the particles and numbers of false candidates above every threshold, from the highest threshold on."""
    right = correct(candidates(score), centres)
    return np.cumsum(right) / len(centres), np.cumsum(~right)


def plot(curves, side, most):
    """Curves (true share, false number) of three colours in a square, with lines at every tenth."""
    canvas = np.full((side, side, 3), 255, np.uint8)
    for n in range(11):
        at = min(side - 1, round(n * (side - 1) / 10))
        canvas[at, :], canvas[:, at] = 225, 225
    for (true, false), colour in curves:
        x = np.interp(np.linspace(0, len(true) - 1, 8000), np.arange(len(true)), false / most)
        y = np.interp(np.linspace(0, len(true) - 1, 8000), np.arange(len(true)), true)
        rows, columns = ((1 - y) * (side - 3)).astype(int), (x * (side - 3)).astype(int)
        inside = columns < side - 2
        for dy, dx in ((0, 0), (0, 1), (1, 0), (1, 1)):
            canvas[rows[inside] + dy, columns[inside] + dx] = colour
    return canvas


def grey(image):
    low, high = np.percentile(image, (1, 99.7))
    return np.repeat((255 * np.clip((image - low) / (high - low), 0, 1)).astype(np.uint8)[..., None], 3, axis=2)


def ring(picture, row, column, colour, radius=WIDTH // 2):
    angle = np.linspace(0, 2 * np.pi, 400)
    rows, columns = (row + radius * np.sin(angle)).astype(int), (column + radius * np.cos(angle)).astype(int)
    inside = (rows >= 0) & (columns >= 0) & (rows < picture.shape[0]) & (columns < picture.shape[1])
    picture[rows[inside], columns[inside]] = colour


def main(folder=".", size=512):
    rng = np.random.default_rng(5)
    image, centres = micrograph(size, size * size // 8000, rng)
    flat = image - onepass.filter(image, sigma=WIDTH)

    def search(rotations):
        return onepass.match_templates(flat, (particle(2 * np.pi * n / rotations) for n in range(rotations))).maximum

    mean = np.mean([particle(2 * np.pi * n / 72) for n in range(72)], axis=0)
    scores = {"72": search(72), "6": search(6), "mean": onepass.match_templates(flat, mean).maximum}

    colours = {"72": (40, 90, 220), "6": (240, 150, 30), "mean": (230, 40, 40)}
    green, red = (30, 200, 80), (230, 40, 40)
    curves = {name: roc(score, centres) for name, score in scores.items()}
    few = len(centres) // 10
    shares = {
        name: max([t for t, f in zip(true, false) if f <= few], default=0.0) for name, (true, false) in curves.items()
    }

    seen, picked = grey(onepass.filter(flat, sigma=1.5)), grey(scores["72"])
    for row, column in centres:
        ring(seen, row, column, green)
    best = candidates(scores["72"])[: len(centres)]
    for (row, column, _), good in zip(best, correct(best, centres)):
        ring(picked, row, column, green if good else red)
    drawn = plot([(curves[name], colours[name]) for name in reversed(list(curves))], size, len(centres))
    path = pathlib.Path(folder) / "particles.png"
    onepass.write(path, np.concatenate([seen, picked, drawn], axis=1))
    text = ", ".join(f"{name} {share:.2f}" for name, share in shares.items())
    print(f"{path}: {len(centres)} particles; share found with at most {few} false candidates: {text}")
    return shares


if __name__ == "__main__":
    main(*sys.argv[1:2], *(int(n) for n in sys.argv[2:3]))
