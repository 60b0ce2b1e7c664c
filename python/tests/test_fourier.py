"""Transforms against scipy.fft in double precision."""
import numpy as np
import pytest
import scipy.fft
from conftest import sample

import onepass

SIZES = [(1, 1), (1, 13), (13, 1), (2, 3), (16, 16), (31, 37), (48, 60), (127, 64), (240, 135)]
NORMS = [None, "backward", "ortho", "forward"]


def relative(actual, expected):
    """The relative error (L2)."""
    scale = np.linalg.norm(np.ravel(expected))
    return np.linalg.norm(np.ravel(actual - expected)) / scale if scale else np.abs(actual).max()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("norm", NORMS)
def test_real_transforms(rng, size, norm):
    a = rng.standard_normal(size).astype(np.float32)
    spectrum = onepass.rfft2(a, norm=norm)
    expected = scipy.fft.rfft2(a.astype(np.float64), norm=norm)
    assert spectrum.dtype == np.complex64 and spectrum.shape == expected.shape
    assert relative(spectrum, expected) < 5e-7
    back = onepass.irfft2(spectrum, s=size, norm=norm)
    assert back.dtype == np.float32 and back.shape == size
    assert relative(back, a) < 1e-6


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("norm", NORMS)
def test_complex_transforms(rng, size, norm):
    a = (rng.standard_normal(size) + 1j * rng.standard_normal(size)).astype(np.complex64)
    spectrum = onepass.fft2(a, norm=norm)
    expected = scipy.fft.fft2(a.astype(np.complex128), norm=norm)
    assert spectrum.dtype == np.complex64 and spectrum.shape == expected.shape
    assert relative(spectrum, expected) < 5e-7
    assert relative(onepass.ifft2(spectrum, norm=norm), a) < 1e-6


@pytest.mark.parametrize(
    "shape,axes",
    [
        ((5, 12, 18), (-2, -1)),
        ((5, 12, 18), (1, 2)),
        ((12, 18, 3), (0, 1)),
        ((12, 18, 4), (0, 1)),
        ((12, 18, 1), (0, 1)),
        ((12, 18, 7), (0, 1)),
        ((2, 3, 12, 18), (-2, -1)),
        ((2, 12, 18, 3), (1, 2)),
        ((2, 3, 4, 12, 18), (-2, -1)),
        ((12, 18), (1, 0)),
        ((12, 5, 18), (0, 2)),
        ((12, 18, 5, 2), (1, 0)),
        ((3, 1, 18), (0, 2)),
    ],
)
def test_axes(rng, shape, axes):
    a = rng.standard_normal(shape).astype(np.float32)
    expected = scipy.fft.rfft2(a.astype(np.float64), axes=axes)
    spectrum = onepass.rfft2(a, axes=axes)
    assert spectrum.shape == expected.shape
    assert relative(spectrum, expected) < 5e-7
    s = [shape[axis] for axis in axes]
    assert relative(onepass.irfft2(spectrum, s=s, axes=axes), a) < 1e-6
    full = onepass.fft2(a, axes=axes)
    assert relative(full, scipy.fft.fft2(a.astype(np.float64), axes=axes)) < 5e-7
    assert relative(onepass.ifft2(full, axes=axes), a) < 1e-6
    out = np.empty(expected.shape, np.complex64)
    assert onepass.rfft2(a, axes=axes, out=out) is out
    assert np.array_equal(out, spectrum)


@pytest.mark.parametrize("s", [(8, 8), (40, 50), (8, 50), (13, 17), (20, 30)])
def test_sizes_crop_and_pad(rng, s):
    a = rng.standard_normal((2, 20, 30)).astype(np.float32)
    assert relative(onepass.rfft2(a, s=s), scipy.fft.rfft2(a.astype(np.float64), s=s)) < 5e-7
    assert relative(onepass.fft2(a, s=s), scipy.fft.fft2(a.astype(np.float64), s=s)) < 5e-7
    z = (rng.standard_normal((20, 16)) + 1j * rng.standard_normal((20, 16))).astype(np.complex64)
    assert relative(onepass.ifft2(z, s=s), scipy.fft.ifft2(z.astype(np.complex128), s=s)) < 5e-7
    half = scipy.fft.rfft2(a[0].astype(np.float64))
    if s[1] <= 30 and s[0] == 20 or s == (20, 30):
        assert relative(onepass.irfft2(half, s=s), scipy.fft.irfft2(half, s=s)) < 1e-6


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int32, bool, np.float16, np.float64])
def test_other_dtypes_have_their_values(rng, dtype):
    a = rng.integers(0, 2 if dtype is bool else 200, (24, 30)).astype(dtype)
    assert relative(onepass.rfft2(a), scipy.fft.rfft2(a.astype(np.float64))) < 5e-7
    assert relative(onepass.fft2(a), scipy.fft.fft2(a.astype(np.float64))) < 5e-7


def test_default_width_of_the_inverse_is_even(rng):
    z = onepass.rfft2(rng.standard_normal((6, 9)).astype(np.float32))
    assert onepass.irfft2(z).shape == scipy.fft.irfft2(z).shape == (6, 8)


def test_linearity_and_parseval(rng):
    a, b = (rng.standard_normal((45, 64)).astype(np.float32) for _ in range(2))
    assert relative(onepass.rfft2(2 * a + b), 2 * onepass.rfft2(a) + onepass.rfft2(b)) < 1e-6
    z = onepass.fft2(a, norm="ortho")
    assert np.isclose(np.sum(np.abs(z) ** 2), np.sum(a**2), rtol=1e-5)


def test_workers_is_threads(rng):
    a = rng.standard_normal((96, 100)).astype(np.float32)
    expected = onepass.rfft2(a)
    for workers in (1, 2, -1):
        assert np.array_equal(onepass.rfft2(a, workers=workers), expected)


@pytest.mark.parametrize(
    "shape,dtype",
    [
        ((33, 48), np.float32),
        ((33, 48, 3), np.float32),
        ((2, 33, 48, 4), np.float16),
        ((33, 48), np.complex64),
        ((33, 48, 2), np.complex64),
    ],
)
def test_transform_object(rng, shape, dtype):
    a = sample(rng, shape, np.float32).astype(dtype)
    transform = onepass.Transform(shape, dtype)
    spectrum = transform.forward(a)
    assert spectrum.shape == transform.spectrum_shape
    axes = (len(shape) - 3, len(shape) - 2) if len(shape) > 2 else (0, 1)
    reference = scipy.fft.fft2 if np.dtype(dtype).kind == "c" else scipy.fft.rfft2
    assert (
        relative(spectrum, reference(a.astype(np.complex128 if a.dtype.kind == "c" else np.float64), axes=axes)) < 5e-7
    )
    assert relative(transform.inverse(spectrum), a) < 1e-6
    out = np.empty_like(spectrum)
    assert transform.forward(a, out=out) is out


def test_next_smooth_size():
    for n in (1, 11, 97, 1081, 4097):
        size = onepass.next_smooth_size(n)
        rest = size
        for factor in (2, 3, 5, 7):
            while rest % factor == 0:
                rest //= factor
        assert size >= n and rest == 1
