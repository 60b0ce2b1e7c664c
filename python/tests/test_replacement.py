"""The transforms as replacements for numpy.fft and scipy.fft, and align() beside scikit-image: the properties that the
tests of those packages ask for, in single precision."""
import queue
import threading

import numpy as np
import pytest
import scipy.fft

import onepass

NAMES = ["fft2", "ifft2", "rfft2", "irfft2"]
SINGLE = 2e-6  # relative error (L2); both sides are rounded


def relative(actual, expected):
    scale = np.linalg.norm(np.ravel(expected))
    return np.linalg.norm(np.ravel(np.asarray(actual, complex) - expected)) / max(scale, 1e-30)


def argument(rng, name, shape):
    a = rng.standard_normal(shape)
    return a if name == "rfft2" else a + 1j * rng.standard_normal(shape)


def definition(a, sign):
    """The sums of the two-dimensional transform."""
    height, width = a.shape
    rows = np.exp(sign * 2j * np.pi * np.outer(np.arange(height), np.arange(height)) / height)
    columns = np.exp(sign * 2j * np.pi * np.outer(np.arange(width), np.arange(width)) / width)
    return rows @ a @ columns


@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (3, 5), (8, 8), (7, 16), (30, 30), (17, 1), (1, 17)])
def test_definition(rng, shape):
    z = argument(rng, "fft2", shape)
    assert relative(onepass.fft2(z), definition(z, -1)) < SINGLE
    assert relative(onepass.ifft2(z), definition(z, 1) / z.size) < SINGLE
    half = shape[1] // 2 + 1
    assert relative(onepass.rfft2(z.real), definition(z.real, -1)[:, :half]) < SINGLE
    assert relative(onepass.irfft2(onepass.rfft2(z.real), s=shape), z.real) < SINGLE


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("package", [np.fft, scipy.fft], ids=["numpy", "scipy"])
@pytest.mark.parametrize(
    "shape,axes",
    [
        ((6, 10), (-2, -1)),
        ((6, 10), (0, 1)),
        ((6, 10), (1, 0)),
        ((6, 10), (-1, -2)),
        ((4, 6, 10), (0, 1)),
        ((4, 6, 10), (0, 2)),
        ((4, 6, 10), (2, 1)),
        ((4, 6, 10), (-3, -1)),
        ((2, 3, 6, 10), (1, 3)),
        ((2, 3, 6, 10), (3, 0)),
        ((1, 6, 2), (0, 2)),
        ((3, 2, 2, 6, 10), (1, 4)),
    ],
)
@pytest.mark.parametrize("norm", [None, "backward", "ortho", "forward"])
def test_every_axis_and_norm(rng, name, package, shape, axes, norm):
    a = argument(rng, name, shape)
    expected = getattr(package, name)(a, axes=axes, norm=norm)
    actual = getattr(onepass, name)(a, axes=axes, norm=norm)
    assert actual.shape == expected.shape and relative(actual, expected) < SINGLE


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("s", [(6, 10), (4, 5), (9, 16), (4, 16), (9, 5), (1, 1), (6, 1), (13, 11)])
def test_every_size_crops_and_pads(rng, name, s):
    a = argument(rng, name, (2, 6, 10))
    expected = getattr(scipy.fft, name)(a, s=s)
    actual = getattr(onepass, name)(a, s=s)
    assert actual.shape == expected.shape and relative(actual, expected) < SINGLE
    assert np.array_equal(getattr(onepass, name)(a, s=np.array(s)), actual)
    moved = np.moveaxis(a, 0, -1)
    expected = getattr(scipy.fft, name)(moved, s=s, axes=(0, 1))
    assert relative(getattr(onepass, name)(moved, s=s, axes=(0, 1)), expected) < SINGLE


@pytest.mark.parametrize(
    "dtype",
    [
        bool,
        np.int8,
        np.uint8,
        np.int16,
        np.uint16,
        np.int32,
        np.uint32,
        np.int64,
        np.uint64,
        np.float16,
        np.float32,
        np.float64,
        np.longdouble,
    ],
)
def test_every_real_dtype(rng, dtype):
    a = rng.integers(0, 2 if dtype is bool else 100, (12, 14)).astype(dtype)
    wide = a.astype(np.float64)
    assert relative(onepass.rfft2(a), np.fft.rfft2(wide)) < SINGLE
    assert relative(onepass.fft2(a), np.fft.fft2(wide)) < SINGLE
    assert relative(onepass.ifft2(a), np.fft.ifft2(wide)) < SINGLE
    assert relative(onepass.irfft2(a), np.fft.irfft2(wide)) < SINGLE


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128, np.clongdouble])
def test_every_complex_dtype_becomes_complex64(rng, dtype):
    z = argument(rng, "fft2", (9, 15)).astype(dtype)
    assert onepass.fft2(z).dtype == onepass.ifft2(z).dtype == np.complex64
    assert relative(onepass.fft2(z), np.fft.fft2(z)) < SINGLE


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "view",
    [
        lambda a: a[::2],
        lambda a: a[:, ::3],
        lambda a: a[::-1, ::-1],
        lambda a: a.T,
        lambda a: np.asfortranarray(a),
        lambda a: a.astype(a.dtype.newbyteorder()),
        lambda a: np.broadcast_to(a[:1], a.shape),
        lambda a: a.tolist(),
        lambda a: a[2:-3, 1:-4],
    ],
    ids=["rows", "columns", "reversed", "transposed", "fortran", "byteorder", "broadcast", "list", "window"],
)
def test_every_layout(rng, name, view):
    a = view(argument(rng, name, (18, 24)))
    assert relative(getattr(onepass, name)(a), getattr(scipy.fft, name)(np.array(a))) < SINGLE


@pytest.mark.parametrize("name", NAMES)
def test_input_is_never_changed(rng, name):
    a = argument(rng, name, (16, 18))
    single = a.astype(np.float32 if name == "rfft2" else np.complex64)
    for b in (a, single):
        before = b.copy()
        getattr(onepass, name)(b, overwrite_x=True)
        assert np.array_equal(b, before)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("workers", [1, 2, 8, -1])
def test_workers_do_not_change_results(rng, name, workers):
    a = argument(rng, name, (64, 60))
    assert np.array_equal(getattr(onepass, name)(a, workers=workers), getattr(onepass, name)(a))


def test_spectra_have_their_symmetry(rng):
    a = rng.standard_normal((12, 15))
    full = onepass.fft2(a)
    mirrored = np.roll(full[::-1, ::-1], (1, 1), axis=(0, 1))
    assert relative(full, mirrored.conj()) < SINGLE
    assert relative(onepass.rfft2(a), full[:, :8]) < SINGLE


def test_impulses_shifts_and_sums(rng):
    a = rng.standard_normal((20, 24)) + 1j * rng.standard_normal((20, 24))
    b = rng.standard_normal((20, 24)) + 0j
    assert relative(onepass.fft2(2 * a - 3j * b), 2 * onepass.fft2(a) - 3j * onepass.fft2(b)) < 2 * SINGLE
    impulse = np.zeros((20, 24))
    impulse[3, 5] = 1
    v, u = np.mgrid[0:20, 0:24]
    phase = np.exp(-2j * np.pi * (3 * v / 20 + 5 * u / 24))
    assert relative(onepass.fft2(impulse), phase) < SINGLE
    assert relative(onepass.fft2(np.roll(a, (3, 5), axis=(0, 1))), phase * np.fft.fft2(a)) < SINGLE
    assert np.isclose(np.linalg.norm(onepass.fft2(a, norm="ortho")), np.linalg.norm(a), rtol=1e-6)
    assert relative(onepass.fft2(np.ones((20, 24))), np.fft.fft2(np.ones((20, 24)))) < SINGLE


@pytest.mark.parametrize("name", NAMES)
def test_calls_of_many_threads_at_once(rng, name):
    arguments = [argument(rng, name, (24, 32)) for _ in range(16)]
    function = getattr(onepass, name)
    expected = [function(a) for a in arguments]
    results = queue.Queue()
    threads = [threading.Thread(target=lambda n=n: results.put((n, function(arguments[n])))) for n in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    while not results.empty():
        n, result = results.get()
        assert np.array_equal(result, expected[n])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "options",
    [
        dict(axes=(0, 0)),
        dict(axes=(0, 5)),
        dict(axes=(1,)),
        dict(axes=(0, 1, 1)),
        dict(s=(0, 4)),
        dict(s=(4, -1)),
        dict(s=(4,)),
        dict(s=(4, 4, 4)),
        dict(norm="ORTHO"),
        dict(norm=1),
        dict(workers=0),
        dict(s=(4.0, 4)),
    ],
)
def test_mistakes_are_value_errors(name, options):
    with pytest.raises(ValueError):
        getattr(onepass, name)(np.ones((4, 6)), **options)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "a",
    [np.ones(4), np.ones((0, 4)), np.ones((4, 0)), np.array(1.0), "text", [["a", "b"]]],
    ids=["line", "no-rows", "no-columns", "scalar", "text", "words"],
)
def test_wrong_arrays_are_value_errors(name, a):
    with pytest.raises(ValueError):
        getattr(onepass, name)(a)


# scikit-image's registration: its result is the shift (rows, columns) that moves the second image onto the first.


def registered(a, b, factor):
    found = pytest.importorskip("skimage.registration").phase_cross_correlation(a, b, upsample_factor=factor)
    return found[0]


def smooth(rng, shape, cut):
    """A periodic image without frequencies above `cut`."""
    spectrum = np.fft.fft2(rng.standard_normal(shape))
    for axis in (0, 1):
        spectrum *= np.moveaxis(np.abs(np.fft.fftfreq(shape[axis]))[:, np.newaxis] < cut, 0, axis)
    return np.fft.ifft2(spectrum).real, spectrum


@pytest.mark.parametrize("shift", [(0, 0), (-7, 12), (9, 3), (-1, -1), (31, -31), (5, 0)])
def test_whole_shifts_as_scikit_image_finds_them(rng, shift):
    b = rng.random((64, 80))
    a = np.roll(b, shift, axis=(0, 1))
    found = onepass.align(a, b, window="none")
    assert np.allclose((found.y, found.x), shift, atol=1e-3)
    assert np.allclose(registered(a, b, 1), shift)


@pytest.mark.parametrize("shift", [(-2.4, 1.32), (0.5, -0.5), (3.21, 7.08), (-0.05, 0.11)])
@pytest.mark.parametrize("kind", ["phase", "cross"])
def test_fractional_shifts_as_scikit_image_finds_them(rng, shift, kind):
    b, spectrum = smooth(rng, (64, 72), 0.25)
    v, u = np.fft.fftfreq(64)[:, np.newaxis], np.fft.fftfreq(72)
    a = np.fft.ifft2(spectrum * np.exp(-2j * np.pi * (v * shift[0] + u * shift[1]))).real
    found = onepass.align(a, b, window="none", kind=kind, floor=1e-3)
    assert np.allclose((found.y, found.x), shift, atol=0.02)
    assert np.allclose(registered(a, b, 100), shift, atol=0.02)


def test_colours_and_integers_align_as_their_floats(rng):
    b = rng.integers(0, 256, (48, 64, 3), np.uint8)
    a = np.roll(b, (4, -6), axis=(0, 1))
    for found in (onepass.align(a, b, window="none"), onepass.align(a / 255, b / 255, window="none")):
        assert np.allclose((found.y, found.x), (4, -6), atol=1e-3)
