"""Integers that the library does not know: labels of any size, signed images, booleans; against definitions."""
import numpy as np
import pytest
import scipy.ndimage
import scipy.signal

import onepass

INTEGERS = [np.int8, np.int16, np.int32, np.int64, np.uint64]


def most_frequent(a):
    """The level after `a` by its definition: the most frequent label of 2 x 2, the smallest of equally frequent ones."""
    height, width = -(-a.shape[0] // 2), -(-a.shape[1] // 2)
    level = np.empty((height, width), a.dtype)
    for y in range(height):
        for x in range(width):
            values, counts = np.unique(a[2 * y : 2 * y + 2, 2 * x : 2 * x + 2], return_counts=True)
            level[y, x] = values[counts.argmax()]
    return level


@pytest.mark.parametrize("dtype", INTEGERS + [bool, np.uint8, np.uint32])
def test_labels_of_any_integers(rng, dtype):
    low, high = (0, 2) if dtype is bool else (-3, 3) if np.dtype(dtype).kind == "i" else (0, 6)
    a = rng.integers(low, high, (21, 34)).astype(dtype)
    levels = onepass.build_pyramid(a, reduction="mode", footprint="ceil", levels=2)
    assert levels[0] is a and levels[1].dtype == dtype
    assert np.array_equal(levels[1], most_frequent(a))
    out = [np.zeros((11, 17), dtype)]
    assert onepass.build_pyramid(a, reduction="mode", footprint="ceil", levels=2, out=out)[1] is out[0]
    assert np.array_equal(out[0], levels[1])
    pyramid = onepass.Pyramid(a.shape, dtype, reduction="mode", footprint="ceil", levels=2)
    assert np.array_equal(pyramid.build(a)[1], levels[1])


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_labels_above_32_bits(rng, dtype):
    names = np.array([5, 1 << 40, (1 << 62) + 1, (1 << 62) + 2], dtype)
    if dtype is np.int64:
        names[0] = -(1 << 50)
    a = names[rng.integers(0, 4, (12, 16))]
    assert np.array_equal(onepass.build_pyramid(a, reduction="mode", footprint="ceil")[1], most_frequent(a))


def test_labels_of_ndimage(rng):
    labels, count = scipy.ndimage.label(rng.random((40, 50)) < 0.5)
    levels = onepass.build_pyramid(labels, reduction="mode", footprint="ceil")
    assert count > 10 and levels[1].dtype == labels.dtype
    assert np.array_equal(levels[1], most_frequent(labels))


@pytest.mark.parametrize("dtype", [np.int8, np.int16])
@pytest.mark.parametrize("shape", [(22, 36), (22, 36, 3), (2, 22, 36, 4)])
def test_pyramids_of_signed_images(rng, dtype, shape):
    limits = np.iinfo(dtype)
    a = rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)
    y = a.ndim - (2 if a.ndim == 2 else 3)
    blocks = a.astype(float).reshape(shape[:y] + (11, 2, 18, 2) + shape[y + 2 :])
    for reduction, expected in (
        ("mean", blocks.mean(axis=(y + 1, y + 3))),
        ("min", blocks.min(axis=(y + 1, y + 3))),
        ("max", blocks.max(axis=(y + 1, y + 3))),
    ):
        levels = onepass.build_pyramid(a, reduction=reduction)
        assert levels[0] is a and levels[1].dtype == dtype
        assert np.abs(levels[1] - expected).max() <= (0.501 if reduction == "mean" else 0)
        tiles = onepass.tile_reduce(a, 2, reduction=reduction)
        assert tiles.dtype == dtype and np.abs(tiles - expected).max() <= (0.501 if reduction == "mean" else 0)
    assert np.array_equal(onepass.build_pyramid(np.asfortranarray(a))[1], onepass.build_pyramid(a)[1])


def test_updates_of_signed_images(rng):
    for dtype in (np.int16, np.int32):
        options = dict(reduction="mean") if dtype is np.int16 else dict(reduction="mode", footprint="ceil")
        a = rng.integers(-99, 99, (64, 48)).astype(dtype)
        pyramid = onepass.Pyramid(a.shape, dtype, **options)
        levels = pyramid.build(a)
        a[10:14, 20:23] = -77
        expected = onepass.build_pyramid(a, **options)
        for updated in (pyramid.update(a, levels, np.s_[10:14, 20:23]),):
            for actual, wanted in zip(updated, expected):
                assert np.array_equal(actual, wanted)


def test_booleans_are_any_and_all(rng):
    a = rng.random((8, 10)) < 0.5
    blocks = a.reshape(4, 2, 5, 2)
    most, least = onepass.hiz(a)[1], onepass.hiz(a, reduction="min")[1]
    assert most.dtype == least.dtype == bool
    assert np.array_equal(most, blocks.any(axis=(1, 3))) and np.array_equal(least, blocks.all(axis=(1, 3)))
    both = onepass.min_max_pyramid(a)[1]
    assert both.dtype == bool and np.array_equal(both[..., 0], least) and np.array_equal(both[..., 1], most)
    mask = np.zeros((6, 6), bool)
    mask[:, :3] = True
    scene = np.where(mask, 0.5, 2).astype(np.float32)
    assert onepass.meter(scene, mask=mask).max_luminance == pytest.approx(0.5)


def test_operations_on_signed_images(rng):
    a = rng.integers(-30000, 30000, (40, 30), np.int16)
    kernel = np.array([[0, 1, 0], [1, 4, 1], [0, 1, 0]]) / 8
    convolved = onepass.convolve(a, kernel)
    assert convolved.dtype == np.int16
    assert np.abs(convolved - scipy.signal.fftconvolve(a.astype(float), kernel, "same")).max() < 0.6
    assert onepass.convolve(a, [[4.0]]).max() == 32767 and onepass.convolve(a, [[4.0]]).min() == -32768
    out = np.empty((40, 30), np.int16)
    assert onepass.filter(a, sigma=1, out=out) is out
    assert np.abs(out - onepass.filter(a.astype(np.float32), sigma=1)).max() <= 0.51


@pytest.mark.parametrize("dtype", [bool, np.int16, np.int32, np.int64, np.uint32])
def test_alignment_of_integers(rng, dtype):
    b = (rng.random((64, 64)) < 0.3).astype(dtype)
    shift = onepass.align(np.roll(b, (5, -3), axis=(0, 1)), b, window="none")
    assert (round(shift.x), round(shift.y)) == (-3, 5)
