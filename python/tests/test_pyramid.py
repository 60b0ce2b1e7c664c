"""Pyramids and tile reductions against their definitions, computed in double precision."""
import numpy as np
import pytest
from conftest import sample

import onepass

SIZES = [(1, 1), (1, 17), (17, 1), (2, 2), (7, 5), (16, 16), (33, 64), (45, 101), (255, 257)]
DTYPES = [np.uint8, np.uint16, np.float16, np.float32]


def covering_mean_axis(a, axis):
    """One level of the covering mean along an axis: weights (k - i, k, i + 1) / (2k + 1) at odd sizes."""
    a = np.moveaxis(a, axis, 0)
    size = a.shape[0]
    if size == 1:
        result = a
    elif size % 2 == 0:
        result = (a[0::2] + a[1::2]) / 2
    else:
        k = size // 2
        i = np.arange(k).reshape((-1,) + (1,) * (a.ndim - 1))
        result = ((k - i) * a[0:-1:2] + k * a[1::2] + (i + 1) * a[2::2]) / (2 * k + 1)
    return np.moveaxis(result, 0, axis)


def covering_mean(a, y_axis=0):
    levels = [a.astype(np.float64)]
    while max(levels[-1].shape[y_axis : y_axis + 2]) > 1:
        levels.append(covering_mean_axis(covering_mean_axis(levels[-1], y_axis), y_axis + 1))
    return levels


def base_range(footprint, size, level, i):
    """The base texels of texel i: the formulas of docs/pyramid.md."""
    count = max(1, size >> level)
    if footprint == "aligned":
        level = min(level, size.bit_length() - 1)  # an axis of one texel is not reduced further
        return i << level, min(size, (i + 1) << level)
    if footprint == "covering":
        return i << level, min(size, ((i + 1) << level) + size % (1 << level))
    if footprint == "edge":
        return i << level, size if i == count - 1 else (i + 1) << level
    if footprint == "tight":
        return i * size // count, -(-(i + 1) * size // count)
    count = -(-size >> level)
    return i << level, min(size, (i + 1) << level)


def extreme(a, level, footprint, function):
    if footprint == "ceil":
        height, width = -(-a.shape[0] >> level), -(-a.shape[1] >> level)
    else:
        height, width = max(1, a.shape[0] >> level), max(1, a.shape[1] >> level)
    out = np.empty((height, width) + a.shape[2:], a.dtype)
    for y in range(height):
        y0, y1 = base_range(footprint, a.shape[0], level, y)
        for x in range(width):
            x0, x1 = base_range(footprint, a.shape[1], level, x)
            out[y, x] = function(a[y0:y1, x0:x1], axis=(0, 1))
    return out


def assert_rounded(actual, exact):
    """`actual` is `exact` rounded to its dtype; integers: to nearest, except within 1e-3 of a boundary."""
    if actual.dtype.kind == "u":
        assert np.abs(actual - exact).max() <= 0.501
    elif actual.dtype == np.float16:
        assert np.allclose(actual.astype(np.float64), exact, rtol=2.0**-11 * 1.01, atol=2.0**-24)
    else:
        assert np.allclose(actual, exact, rtol=4 * 2.0**-23, atol=1e-30)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("channels", [None, 1, 2, 3, 4])
def test_mips_are_the_covering_mean(rng, size, dtype, channels):
    a = sample(rng, size if channels is None else size + (channels,), dtype)
    levels = onepass.mips(a)
    expected = covering_mean(a)
    assert levels[0] is a
    assert [level.shape for level in levels] == [level.shape for level in expected]
    for actual, exact in zip(levels[1:], expected[1:]):
        assert actual.dtype == a.dtype
        assert_rounded(actual, exact)


def test_mips_of_a_stack_are_those_of_its_images(rng):
    stack = sample(rng, (5, 21, 34, 3), np.uint8)
    levels = onepass.mips(stack)
    for n, image in enumerate(stack):
        for whole, single in zip(levels, onepass.mips(image)):
            assert np.array_equal(whole[n], single)


@pytest.mark.parametrize("footprint", ["aligned", "covering", "edge", "tight", "ceil"])
@pytest.mark.parametrize("size", [(1, 9), (13, 22), (45, 101)])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("reduction,function", [("min", np.min), ("max", np.max)])
def test_extremes_are_exact(rng, footprint, size, dtype, reduction, function):
    a = sample(rng, size, dtype)
    levels = onepass.build_pyramid(a, reduction=reduction, footprint=footprint)
    for n, level in enumerate(levels[1:], 1):
        assert np.array_equal(level, extreme(a, n, footprint, function))


def test_hiz_is_the_maximum_by_default(rng):
    a = sample(rng, (45, 101), np.float32)
    assert np.array_equal(onepass.hiz(a)[2], extreme(a, 2, "covering", np.max))


def test_min_max_pyramid_holds_both(rng):
    a = sample(rng, (45, 101), np.uint16)
    levels = onepass.min_max_pyramid(a)
    assert np.array_equal(levels[3][..., 0], extreme(a, 3, "covering", np.min))
    assert np.array_equal(levels[3][..., 1], extreme(a, 3, "covering", np.max))


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32])
def test_mode_is_the_most_frequent_label(rng, dtype):
    a = rng.integers(0, 4, (37, 50)).astype(dtype)
    levels = onepass.build_pyramid(a, reduction="mode", footprint="ceil")
    fine = a
    for level in levels[1:]:
        expected = np.empty((-(-fine.shape[0] // 2), -(-fine.shape[1] // 2)), dtype)
        for (y, x), _ in np.ndenumerate(expected):
            labels, counts = np.unique(fine[2 * y : 2 * y + 2, 2 * x : 2 * x + 2], return_counts=True)
            expected[y, x] = labels[counts == counts.max()].min()
        assert np.array_equal(level, expected)
        fine = level


@pytest.mark.parametrize("channels", [1, 3, 4])
def test_srgb_is_averaged_as_light(rng, channels):
    a = sample(rng, (16, 16, channels), np.uint8)
    encoded = a / 255.0
    light = np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)
    if channels == 4:
        light[..., 3] = encoded[..., 3]
    mean = covering_mean(light)[1]
    expected = np.where(mean <= 0.0031308, mean * 12.92, 1.055 * mean ** (1 / 2.4) - 0.055) * 255
    if channels == 4:
        expected[..., 3] = mean[..., 3] * 255
    level = onepass.mips(a, color="srgb")[1]
    assert np.abs(level - expected).max() <= 0.51


def test_alpha_weighted_ignores_transparent_colours():
    a = np.zeros((2, 2, 4), np.float32)
    a[0, 0] = (1, 0.5, 0.25, 1)
    a[1, 1] = (9, 9, 9, 0)
    assert np.allclose(onepass.mips(a, alpha="weighted")[1][0, 0], (1, 0.5, 0.25, 0.25))


def test_normal_map_has_unit_length(rng):
    vectors = rng.standard_normal((32, 32, 3)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=2, keepdims=True)
    for level in onepass.mips(vectors, normal_map=True)[1:]:
        assert np.allclose(np.linalg.norm(level, axis=2), 1, atol=1e-5)


def test_levels_limits_the_chain(rng):
    a = sample(rng, (64, 64), np.float32)
    full = onepass.mips(a)
    short = onepass.mips(a, levels=3)
    assert len(full) == 7 and len(short) == 3
    assert np.array_equal(short[2], full[2])


@pytest.mark.parametrize("channels", [None, 3, 4])
def test_update_equals_a_new_pyramid(rng, channels):
    a = sample(rng, (93, 130) if channels is None else (93, 130, channels), np.float32)
    pyramid = onepass.Pyramid(a.shape, a.dtype)
    levels = pyramid.build(a)
    for where in (np.s_[10:20, 30:77], np.s_[92:93, 129:130], (0, 93, 0, 130)):
        box = where if isinstance(where[0], slice) else np.s_[where[0] : where[1], where[2] : where[3]]
        a[box] = sample(rng, a[box].shape, np.float32)
        levels = pyramid.update(a, levels, where)
        for actual, expected in zip(levels, onepass.mips(a)):
            assert np.array_equal(actual, expected)


def test_update_function_uses_no_other_image(rng):
    a, b = sample(rng, (64, 80), np.uint8), sample(rng, (64, 80), np.uint8)
    levels = onepass.mips(a)
    onepass.mips(b)  # leaves an engine with the levels of b
    a[3:9, 5:6] = 255
    onepass.update(a, levels[1:], np.s_[3:9, 5:6])
    for actual, expected in zip(levels, onepass.mips(a)):
        assert np.array_equal(actual, expected)


def test_pyramid_object_equals_the_function(rng):
    a = sample(rng, (3, 37, 41, 2), np.float16)
    pyramid = onepass.Pyramid(a.shape, a.dtype, reduction="max", footprint="edge")
    assert pyramid.shapes == [level.shape for level in pyramid.build(a)]
    for actual, expected in zip(pyramid.build(a), onepass.build_pyramid(a, reduction="max", footprint="edge")):
        assert np.array_equal(actual, expected)


def test_filters_are_their_formulas(rng):
    a = sample(rng, (48, 64, 3), np.float32)
    x = (np.arange(12) - 5.5) / 2
    weights = {
        "triangle": np.maximum(0, 1 - np.abs(x)),
        "lanczos": np.where(np.abs(x) < 3, np.sinc(x) * np.sinc(x / 3), 0),
        "kaiser": np.sinc(x) * np.i0(4 * np.sqrt(1 - (x / 3) ** 2)) / np.i0(4),
    }
    for name, h in weights.items():
        h = h / h.sum()
        rows = sum(w * np.roll(a.astype(np.float64), 5 - k, 0) for k, w in enumerate(h))[::2]
        level = sum(w * np.roll(rows, 5 - k, 1) for k, w in enumerate(h))[:, ::2]
        levels = onepass.mips(a, filter=name, boundary="wrap")
        assert np.allclose(levels[1], level, atol=2e-6), name
        again = onepass.Pyramid(a.shape, a.dtype, filter=name, boundary="wrap").build(a)
        assert all(np.array_equal(one, other) for one, other in zip(levels, again))
        four = onepass.mips(np.dstack([a, a[:, :, 0]]), filter=name, boundary="wrap", levels=2)
        assert np.array_equal(four[1][:, :, :3], levels[1])


def test_limited_filters_do_not_ring():
    a = np.zeros((32, 32), np.float32)
    a[:, 16:] = 1
    assert onepass.mips(a, filter="lanczos")[1].max() > 1.01
    limited = onepass.mips(a, filter="lanczos", ringing="limit", levels=2)[1]
    assert limited.max() == 1 and limited.min() == 0


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
def test_threads_change_no_bit(rng, threads):
    a = sample(rng, (501, 777, 4), np.float32)
    for actual, expected in zip(onepass.mips(a, threads=threads), onepass.mips(a)):
        assert np.array_equal(actual, expected)


@pytest.mark.parametrize("factor", [2, 16, 64])
@pytest.mark.parametrize("reduction,function", [("min", np.min), ("max", np.max), ("mean", np.mean)])
@pytest.mark.parametrize("channels", [None, 3])
def test_tile_reduce(rng, factor, reduction, function, channels):
    a = sample(rng, (70, 131) if channels is None else (70, 131, channels), np.float32)
    expected = np.array(
        [
            [
                function(a[y : y + factor, x : x + factor].astype(np.float64), axis=(0, 1))
                for x in range(0, a.shape[1], factor)
            ]
            for y in range(0, a.shape[0], factor)
        ]
    )
    actual = onepass.tile_reduce(a, factor, reduction=reduction)
    assert actual.dtype == a.dtype
    assert np.allclose(actual, expected, rtol=1e-6)
    out = np.empty_like(actual)
    assert onepass.tile_reduce(a, factor, reduction=reduction, out=out) is out
    assert np.array_equal(out, actual)


def test_tile_reduce_min_max(rng):
    a = sample(rng, (33, 40), np.uint8)
    coarse = onepass.tile_reduce(a, 8, reduction="min_max")
    assert coarse.shape == (5, 5, 2)
    assert coarse[0, 0].tolist() == [a[:8, :8].min(), a[:8, :8].max()]


def test_means_of_constants_are_constant():
    for value in (0, 1, 127, 255):
        for level in onepass.mips(np.full((31, 45, 3), value, np.uint8), color="srgb"):
            assert (level == value).all()
