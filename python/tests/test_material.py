"""Levels of normal maps and roughness, and normals of heights, against their definition in NumPy."""
import numpy as np
import pytest

import onepass


def unit(v):
    return v / np.linalg.norm(v, axis=-1, keepdims=True)


def halves(a):
    return (a[0::2, 0::2] + a[1::2, 0::2] + a[0::2, 1::2] + a[1::2, 1::2]) / 4


@pytest.fixture
def normals(rng):
    slopes = rng.normal(0, 0.4, (16, 8, 2))
    return unit(np.dstack([slopes, np.ones((16, 8))])).astype(np.float32)


@pytest.mark.parametrize("constant", [True, False])
def test_roughness_of_every_level(rng, normals, constant):
    rough = np.full((16, 8), 0.3) if constant else rng.random((16, 8, 3))
    mean = normals.astype(np.float64)
    mean /= np.linalg.norm(mean, axis=-1, keepdims=True)
    alpha2 = (rough if constant else rough[..., 1].astype(np.float32).astype(np.float64)) ** 4
    if constant:
        levels_n, levels_r = onepass.roughness_mips(normals, 0.3)
    else:
        levels_n, levels_r = onepass.roughness_mips(normals, rough.astype(np.float32), channel=1, threads=2)
    assert levels_n[0] is normals
    assert len(levels_n) == len(levels_r) == 5
    for n, r in zip(levels_n[1:4], levels_r[1:4]):
        mean, alpha2 = halves(mean), halves(alpha2)
        length = np.linalg.norm(mean, axis=-1)
        np.testing.assert_allclose(n, mean / length[..., None], atol=1e-6)
        expected = np.minimum(1, alpha2 + 2 * (1 - length) / length) ** 0.25
        np.testing.assert_allclose(r, expected, atol=2e-6)
        assert n.dtype == r.dtype == np.float32 and r.ndim == 2


def test_covariance_has_two_roughnesses():
    grooves = np.zeros((16, 16, 3), np.float32)
    grooves[..., 0] = 0.6 * np.where(np.arange(16) % 2, 1, -1)
    grooves[..., 2] = 0.8
    rough = np.full((16, 16), 51, np.uint8)
    normals, levels = onepass.roughness_mips(grooves, rough, variance="covariance")
    assert [level.shape for level in levels[:2]] == [(16, 16, 2), (8, 8, 2)]
    assert levels[1].dtype == np.uint8
    assert (levels[1][..., 1] == 51).all()  # along the grooves
    expected = min(1, 0.2**4 + 2 * 0.36 / 0.64) ** 0.25
    assert (levels[1][..., 0] == round(255 * expected)).all()
    stack_n, stack_r = onepass.roughness_mips(grooves[None], 0.2)
    assert stack_n[1].shape == (1, 8, 8, 3) and stack_r[0].shape == (1, 16, 16)


def test_formats_store_halves(normals):
    codes = np.round((0.5 * normals + 0.5) * 255).astype(np.uint8)
    n8, r8 = onepass.roughness_mips(codes, 0.2)
    nf, rf = onepass.roughness_mips(normals, 0.2)
    assert n8[1].dtype == np.uint8
    np.testing.assert_allclose(n8[1] / 127.5 - 1, nf[1], atol=0.02)
    np.testing.assert_allclose(r8[1], rf[1], atol=0.01)
    n2, r2 = onepass.roughness_mips(normals[..., :2], 0.2)
    np.testing.assert_allclose(r2[2], rf[2], atol=1e-5)
    assert n2[1].shape == (8, 4, 2)


def test_normals_of_heights(rng):
    h = rng.random((7, 9)).astype(np.float32)
    made = onepass.height_to_normals(h, scale=2, boundary="wrap")
    dx = (np.roll(h, -1, 1) - np.roll(h, 1, 1)).astype(np.float64)
    dy = (np.roll(h, -1, 0) - np.roll(h, 1, 0)).astype(np.float64)
    np.testing.assert_allclose(made, unit(np.dstack([-dx, dy, np.ones_like(dx)])), atol=1e-6)
    down = onepass.height_to_normals(h, scale=2, boundary="wrap", normal_y="down")
    np.testing.assert_array_equal(down, made * [1, -1, 1])
    codes = onepass.height_to_normals(h, scale=2, boundary="wrap", dtype=np.uint8)
    np.testing.assert_array_equal(codes, np.round((0.5 * made + 0.5) * 255).astype(np.uint8))
    assert onepass.height_to_normals(h[None, ..., None]).shape == (1, 7, 9, 3)
