"""Convolution, filters, correlation and deconvolution against scipy and formulas in double precision."""
import numpy as np
import pytest
import scipy.fft
import scipy.signal
from conftest import sample

import onepass


@pytest.mark.parametrize("mode", ["same", "full", "valid"])
@pytest.mark.parametrize(
    "size,kernel_size",
    [
        ((40, 50), (3, 3)),
        ((40, 50), (4, 7)),
        ((31, 29), (31, 8)),
        ((1, 60), (1, 5)),
        ((20, 20), (1, 1)),
        ((12, 10), (25, 31)),
    ],
)
def test_convolve_is_that_of_scipy(rng, mode, size, kernel_size):
    a = rng.standard_normal(size).astype(np.float32)
    kernel = rng.standard_normal(kernel_size)
    expected = scipy.signal.fftconvolve(a.astype(np.float64), kernel, mode)
    actual = onepass.convolve(a, kernel, mode)
    assert actual.shape == expected.shape and actual.dtype == np.float32
    assert np.abs(actual - expected).max() < 2e-6 * max(1, np.abs(expected).max())


@pytest.mark.parametrize(
    "boundary,pad", [("zero", "constant"), ("wrap", "wrap"), ("clamp", "edge"), ("mirror", "symmetric")]
)
@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_boundaries_and_channels(rng, boundary, pad, channels):
    a = rng.random((2, 21, 34, channels)).astype(np.float32)
    kernel = rng.random((5, 7))
    actual = onepass.convolve(a, kernel, boundary=boundary)
    for n in range(2):
        for c in range(channels):
            padded = np.pad(a[n, ..., c].astype(np.float64), ((2, 2), (3, 3)), mode=pad)
            expected = scipy.signal.convolve2d(padded, kernel, "valid")
            assert np.abs(actual[n, ..., c] - expected).max() < 2e-5


def test_per_channel_kernels_and_unit_sum(rng):
    a = rng.random((20, 24, 3)).astype(np.float32)
    kernel = rng.random((5, 5, 3))
    actual = onepass.convolve(a, kernel, kernel_channels="per_channel", scale="unit_sum_per_channel")
    for c in range(3):
        weights = kernel[..., c] / kernel[..., c].sum()
        assert (
            np.abs(actual[..., c] - scipy.signal.fftconvolve(a[..., c].astype(np.float64), weights, "same")).max()
            < 1e-6
        )


@pytest.mark.parametrize("dtype,largest", [(np.uint8, 255), (np.uint16, 65535)])
def test_integers_are_rounded_and_clipped(rng, dtype, largest):
    a = sample(rng, (32, 33), dtype)
    kernel = rng.standard_normal((3, 3))
    exact = scipy.signal.fftconvolve(a.astype(np.float64), kernel, "same")
    actual = onepass.convolve(a, kernel)
    assert actual.dtype == dtype
    assert np.abs(actual - np.clip(exact, 0, largest)).max() <= 0.5 + 0.002 * largest / 255


def test_mix_and_origin(rng):
    a = rng.random((16, 16)).astype(np.float32)
    kernel = np.zeros((3, 3))
    kernel[0, 2] = 1
    assert np.allclose(onepass.convolve(a, kernel, origin=(0, 2)), a, atol=1e-6)
    shifted = onepass.convolve(a, kernel, boundary="wrap")
    assert np.allclose(shifted, np.roll(a, (-1, 1), (0, 1)), atol=1e-6)
    assert np.allclose(onepass.convolve(a, kernel, boundary="wrap", mix=0.25), 0.75 * a + 0.25 * shifted, atol=1e-6)


@pytest.mark.parametrize(
    "band,shape,gain",
    [
        ("low_pass", "ideal", lambda f: (f <= 0.2) * 1.0),
        ("low_pass", "butterworth", lambda f: 1 / (1 + (f / 0.2) ** 4)),
        ("low_pass", "gaussian", lambda f: np.exp(-((f / 0.2) ** 2) / 2)),
        ("high_pass", "butterworth", lambda f: 1 - 1 / (1 + (f / 0.2) ** 4)),
    ],
)
def test_filters_multiply_spectra_by_their_gain(rng, band, shape, gain):
    a = rng.random((45, 64)).astype(np.float32)
    f = np.hypot(np.fft.fftfreq(45)[:, None], np.fft.rfftfreq(64)[None, :])
    expected = np.fft.irfft2(np.fft.rfft2(a.astype(np.float64)) * gain(f), s=a.shape)
    actual = onepass.filter(a, band, cutoff=0.2, shape=shape, boundary="wrap")
    assert np.abs(actual - expected).max() < 3e-6


def test_gaussian_sigma_keeps_the_mean_and_blurs(rng):
    a = rng.random((64, 64, 3)).astype(np.float32)
    blurred = onepass.filter(a, sigma=2.0)
    assert np.allclose(blurred.mean((0, 1)), a.mean((0, 1)), rtol=1e-4)
    f = np.hypot(np.fft.fftfreq(64)[:, None], np.fft.fftfreq(64)[None, :])
    wrapped = onepass.filter(a, sigma=2.0, boundary="wrap")
    expected = np.fft.ifft2(np.fft.fft2(a[..., 1]) * np.exp(-2 * (np.pi * f * 2.0) ** 2)).real
    assert np.abs(wrapped[..., 1] - expected).max() < 1e-5


def test_notch_removes_a_pattern():
    x = np.arange(128)
    pattern = np.tile(np.sin(2 * np.pi * 0.25 * x), (128, 1)).astype(np.float32)
    cleaned = onepass.filter(pattern + 1, "all", notches=[(0.25, 0.0, 0.02)], boundary="wrap", shape="ideal")
    assert np.abs(cleaned - 1).max() < 1e-4


@pytest.mark.parametrize("kind", ["phase", "cross"])
@pytest.mark.parametrize("shift", [(0, 0), (7, -3), (-20, 31)])
def test_align_finds_whole_shifts(rng, kind, shift):
    b = rng.random((100, 128)).astype(np.float32)
    a = np.roll(b, (shift[1], shift[0]), (0, 1))
    found = onepass.align(a, b, kind=kind, window="none")
    assert abs(found.x - shift[0]) < 1e-3 and abs(found.y - shift[1]) < 1e-3
    assert found.confidence > 0.99


def test_align_finds_fractions_of_a_texel(rng):
    spectrum = scipy.fft.fft2(rng.random((64, 64)))
    ky, kx = np.fft.fftfreq(64)[:, None], np.fft.fftfreq(64)[None, :]
    spectrum[32, :] = spectrum[:, 32] = 0  # frequencies without a defined shift
    b = scipy.fft.ifft2(spectrum).real
    a = scipy.fft.ifft2(spectrum * np.exp(-2j * np.pi * (kx * 1.25 + ky * -2.6))).real
    found = onepass.align(a, b, window="none")
    assert abs(found.x - 1.25) < 0.01 and abs(found.y + 2.6) < 0.01


def test_correlate_is_pearsons_coefficient(rng):
    a, b = (rng.random((20, 24)).astype(np.float32) for _ in range(2))
    surface = onepass.correlate(a, b, kind="cross", window="none")
    a0, b0 = a.astype(np.float64) - a.mean(), b.astype(np.float64) - b.mean()
    scale = np.sqrt((a0**2).sum() * (b0**2).sum())
    for shift in [(0, 0), (3, 5), (19, 23)]:
        expected = (a0 * np.roll(b0, shift, (0, 1))).sum() / scale
        assert abs(surface[shift] - expected) < 1e-5


def test_wiener_is_its_formula(rng):
    a = rng.random((32, 40)).astype(np.float32)
    kernel = rng.random((5, 5))
    kernel /= kernel.sum()
    h = np.zeros(a.shape)
    h[:5, :5] = kernel
    h = np.fft.fft2(np.roll(h, (-2, -2), (0, 1)))
    noise = np.full(a.shape, 0.02)
    noise[0, 0] = 0
    expected = np.fft.ifft2(np.fft.fft2(a.astype(np.float64)) * np.conj(h) / (np.abs(h) ** 2 + noise)).real
    actual = onepass.deconvolve(a, kernel, "wiener", noise=0.02, edges="wrap")
    assert np.abs(actual - expected).max() < 1e-5


@pytest.mark.parametrize("start", ["image", "constant"])
@pytest.mark.parametrize("channels", [None, 3])
def test_richardson_lucy_is_its_formula(rng, channels, start):
    a = rng.random((32, 40) if channels is None else (32, 40, channels)).astype(np.float32) + 0.1
    kernel = rng.random((5, 3))
    kernel /= kernel.sum()
    h = np.zeros(a.shape[:2])
    h[:5, :3] = kernel
    h = np.fft.fft2(np.roll(h, (-2, -1), (0, 1)))
    actual = onepass.deconvolve(a, kernel, "richardson_lucy", iterations=5, edges="wrap", start=start)
    planes = a[..., None] if channels is None else a
    for c in range(planes.shape[2]):
        g = planes[..., c].astype(np.float64)
        x = g.copy() if start == "image" else np.full_like(g, g.mean())
        for _ in range(5):
            blurred = np.fft.ifft2(np.fft.fft2(x) * h).real
            x = x * np.fft.ifft2(np.fft.fft2(g / blurred) * np.conj(h)).real
        result = actual if channels is None else actual[..., c]
        assert np.abs(result - x).max() < 1e-4


def test_deconvolution_sharpens(rng):
    sharp = np.zeros((64, 64), np.float32)
    sharp[20:40, 30:45] = 1
    y, x = np.mgrid[-6:7, -6:7]
    kernel = np.exp(-(x**2 + y**2) / 8)
    blurred = onepass.convolve(sharp, kernel, scale="unit_sum")
    for method in ("wiener", "richardson_lucy"):
        restored = onepass.deconvolve(blurred, kernel, method, noise=1e-4, iterations=50)
        assert np.abs(restored - sharp).mean() < 0.7 * np.abs(blurred - sharp).mean()


def test_deconvolve_refuses_negative_weights(rng):
    with pytest.raises(onepass.DataError):
        onepass.deconvolve(np.ones((8, 8), np.float32), [[1, -1], [1, 1]], "richardson_lucy")


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_change_no_bit(rng, threads):
    a = rng.random((200, 300)).astype(np.float32)
    kernel = rng.random((31, 31))
    assert np.array_equal(onepass.convolve(a, kernel, threads=threads), onepass.convolve(a, kernel))
    assert np.array_equal(onepass.filter(a, threads=threads), onepass.filter(a))
