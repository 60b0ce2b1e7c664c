"""Spectra of volumes against NumPy and SciPy: transforms, convolution, deconvolution, memory maps, progress."""
import numpy as np
import onepass
import pytest

RNG = np.random.default_rng(6)


def close(actual, right, bound=1e-6):
    assert actual.shape == right.shape
    assert np.abs(actual - right).max() <= bound * np.abs(right).max()


@pytest.mark.parametrize("norm", [None, "backward", "ortho", "forward"])
@pytest.mark.parametrize("shape", [(5, 6, 7), (12, 9, 16), (2, 3, 4, 5), (1, 1, 1)])
def test_transforms_are_those_of_numpy(shape, norm):
    a = RNG.normal(size=shape).astype(np.float32)
    axes = (-3, -2, -1)
    spectrum = onepass.rfft3(a, norm=norm)
    assert spectrum.dtype == np.complex64
    close(spectrum, np.fft.rfftn(a, axes=axes, norm=norm))
    again = onepass.irfft3(np.fft.rfftn(a, axes=axes, norm=norm), s=shape[-3:], norm=norm)
    assert again.dtype == np.float32
    close(again, a)
    b = a + 1j * RNG.normal(size=shape)
    close(onepass.fft3(b, norm=norm), np.fft.fftn(b, axes=axes, norm=norm))
    close(onepass.ifft3(b, norm=norm), np.fft.ifftn(b, axes=axes, norm=norm))


def test_sizes_axes_and_outputs():
    a = RNG.normal(size=(6, 7, 8, 2)).astype(np.float32)
    for axes in [(0, 1, 2), (2, 0, 3), (-1, 1, 0)]:
        close(onepass.rfft3(a, axes=axes), np.fft.rfftn(a, axes=axes))
        close(onepass.fft3(a, (4, 9, 5), axes=axes), np.fft.fftn(a, (4, 9, 5), axes=axes))
    b = a[..., 0]
    close(onepass.rfft3(b, s=(8, 5, 10)), np.fft.rfftn(b, (8, 5, 10)))
    close(onepass.irfft3(np.fft.rfftn(b)), np.fft.irfftn(np.fft.rfftn(b)))
    out = np.empty((6, 7, 5), np.complex64)
    assert onepass.rfft3(b, out=out) is out
    close(out, np.fft.rfftn(b))
    moved = np.empty((6, 5, 7), np.complex64)
    assert onepass.rfft3(b.transpose(0, 2, 1), axes=(0, 2, 1), out=moved) is moved
    close(moved, np.fft.rfftn(b).transpose(0, 2, 1))


@pytest.mark.parametrize("mode", ["same", "full", "valid"])
def test_convolutions_are_those_of_scipy(mode):
    signal = pytest.importorskip("scipy.signal")
    a = RNG.integers(0, 1000, (7, 10, 12)).astype(np.uint16)
    kernel = RNG.random((4, 3, 5))
    right = signal.convolve(a.astype(np.float64), kernel, mode)
    actual = onepass.convolve3(a, kernel, mode)
    assert actual.dtype == np.float32
    close(actual, right)
    rounded = onepass.convolve3(a[:, ::-1][:, ::-1], kernel, mode, dtype=np.uint16, threads=2)
    assert rounded.dtype == np.uint16 and np.abs(rounded - right).max() < 0.51


@pytest.mark.parametrize("boundary", ["wrap", "clamp", "mirror"])
def test_boundaries_are_those_of_scipy(boundary):
    ndimage = pytest.importorskip("scipy.ndimage")
    words = {"wrap": "wrap", "clamp": "nearest", "mirror": "reflect"}
    a = RNG.random((7, 10, 12))
    kernel = RNG.random((3, 3, 5))
    close(onepass.convolve3(a, kernel, boundary=boundary), ndimage.convolve(a, kernel, mode=words[boundary]))


def beads():
    z, y, x = np.mgrid[-3:4, -3:4, -3:4]
    psf = np.exp(-(x**2 + y**2) / 2 - (z - 0.3) ** 2 / 4)
    truth = np.zeros((18, 30, 40), np.float32)
    truth[tuple(RNG.integers(3, extent - 3, 12) for extent in truth.shape)] = 4000
    return truth, psf, onepass.convolve3(truth, psf, scale="unit_sum") + 50


def test_dtypes_of_the_other_byte_order():
    volume = np.arange(210, dtype=np.uint16).reshape(5, 6, 7)
    kernel = np.ones((1, 2, 1), np.float32)
    native = onepass.convolve3(volume, kernel, dtype="u2")
    np.testing.assert_array_equal(onepass.convolve3(volume.astype(">u2"), kernel, dtype=">u2"), native)


def test_deconvolution_finds_beads():
    truth, psf, blurred = beads()
    errors = [np.abs(blurred - 50 - truth).sum()]
    for acceleration in "none", "momentum":
        sharp = onepass.deconvolve3(blurred, psf, 40, background=50, acceleration=acceleration)
        assert sharp.min() >= 0
        errors.append(np.abs(sharp - truth).sum())
    assert errors[1] < 0.8 * errors[0] and errors[2] < 0.4 * errors[1]
    sharp = onepass.deconvolve3(blurred, psf, 200, background=50, acceleration="momentum")
    assert np.abs(sharp - truth).sum() < 1e-3 * truth.sum()


def test_memory_maps_and_tiles(tmp_path):
    _, psf, blurred = beads()
    source = np.memmap(tmp_path / "in.raw", np.uint16, "w+", shape=blurred.shape)
    source[...] = np.rint(blurred)
    whole = onepass.deconvolve3(source, psf, 10)
    out = np.memmap(tmp_path / "out.raw", np.float32, "w+", shape=blurred.shape)
    before = onepass.copied_bytes()
    assert onepass.deconvolve3(source, psf, 10, max_bytes=500_000, halo=(7, 7, 7), out=out) is out
    assert onepass.copied_bytes() == before
    close(out, whole, 1e-3)
    assert not np.array_equal(out, whole)
    small = onepass.deconvolve3(source, psf, 10, dtype=np.uint8)
    np.testing.assert_array_equal(small, np.rint(whole).clip(0, 255).astype(np.uint8))


def test_progress_cancels():
    _, psf, blurred = beads()
    seen = []
    sharp = onepass.deconvolve3(blurred, psf, 10, progress=seen.append)
    assert seen[-1] == 1.0 and sorted(seen) == seen
    np.testing.assert_array_equal(sharp, onepass.deconvolve3(blurred, psf, 10))
    with pytest.raises(onepass.CancelledError):
        onepass.deconvolve3(blurred, psf, 10000, progress=lambda fraction: False)


def test_bad_weights_are_refused():
    a = np.ones((4, 5, 6), np.float32)
    for kernel in [[[[1, -1]]], [[[np.nan]]], np.zeros((2, 2, 2))]:
        with pytest.raises(onepass.DataError):
            onepass.deconvolve3(a, kernel)


def test_wrong_types_of_results_name_their_argument():
    a = np.ones((4, 5, 6), np.float32)
    for call in onepass.convolve3, onepass.deconvolve3:
        with pytest.raises(onepass.ArgumentError, match="^out.* is float64"):
            call(a, a, out=np.empty((4, 5, 6)))
        with pytest.raises(onepass.ArgumentError, match="^dtype.* is float64"):
            call(a, a, dtype=np.float64)
