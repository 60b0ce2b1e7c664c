"""What is read and written in place, what is copied, and which objects count as arrays."""
import ctypes

import numpy as np
import pytest
from conftest import sample

import onepass


def copies(function):
    """Bytes that a call copies."""
    before = onepass.copied_bytes()
    function()
    return onepass.copied_bytes() - before


IN_PLACE = {
    "rows of a larger array": lambda a: a[3:40],
    "columns of a larger array": lambda a: a[:, 5:50],
    "every third row": lambda a: a[::3],
    "a window": lambda a: a[7:30, 2:33],
    "one row": lambda a: a[4:5, 3:40],
    "one column": lambda a: a[3:40, 6:7],
}
COPIED = {
    "every second column": lambda a: a[:, ::2],
    "upside down": lambda a: a[::-1],
    "mirrored": lambda a: a[:, ::-1],
    "transposed": lambda a: np.swapaxes(a, 0, 1),
    "broadcast": lambda a: np.broadcast_to(a[:1], (9,) + a.shape[1:]),
}


@pytest.mark.parametrize("view", IN_PLACE, ids=lambda v: v.replace(" ", "-"))
@pytest.mark.parametrize("shape", [(64, 60), (64, 60, 2), (64, 60, 3), (64, 60, 4)])
def test_views_are_read_in_place(rng, view, shape):
    a = IN_PLACE[view](sample(rng, shape, np.float32))
    levels = []
    assert copies(lambda: levels.extend(onepass.mips(a))) == 0
    for actual, expected in zip(levels, onepass.mips(np.array(a, order="C"))):
        assert np.array_equal(actual, expected)


@pytest.mark.parametrize("view", COPIED, ids=lambda v: v.replace(" ", "-"))
def test_other_views_are_copied_once(rng, view):
    a = COPIED[view](sample(rng, (64, 60, 4), np.uint8))
    levels = []
    assert copies(lambda: levels.extend(onepass.mips(a))) == a.nbytes
    for actual, expected in zip(levels, onepass.mips(np.array(a, order="C"))):
        assert np.array_equal(actual, expected)


def test_stacks_of_windows_are_read_in_place(rng):
    a = sample(rng, (6, 30, 40, 4), np.uint8)[::2, 3:25, 5:30]
    assert copies(lambda: onepass.mips(a)) == 0
    assert np.array_equal(onepass.mips(a)[1], onepass.mips(a.copy())[1])


@pytest.mark.parametrize(
    "call",
    [
        lambda a, out: onepass.convolve(a, np.ones((3, 3)), out=out),
        lambda a, out: onepass.filter(a, out=out),
        lambda a, out: onepass.deconvolve(a, np.ones((3, 3)), out=out),
        lambda a, out: onepass.tonemap(a, out=out),
        lambda a, out: onepass.local_exposure(a, out=out),
        lambda a, out: onepass.bloom(a, out=out),
    ],
    ids=["convolve", "filter", "deconvolve", "tonemap", "local_exposure", "bloom"],
)
@pytest.mark.parametrize("channels", [None, 1, 2, 3, 4])
def test_functions_copy_nothing_and_write_to_out(rng, call, channels):
    shape = (40, 50) if channels is None else (40, 50, channels)
    a = sample(rng, shape, np.float32)
    large = np.zeros((60, 70) + shape[2:], np.float32)
    out = large[5:45, 9:59]
    results = []
    assert copies(lambda: results.append(call(a, out))) == 0
    assert results[0] is out
    assert np.array_equal(out, call(a, np.empty_like(a)))
    assert large[:5].max() == 0 and large[:, :9].max() == 0 and large[45:].max() == 0 and large[:, 59:].max() == 0


def test_transforms_copy_nothing(rng):
    a = sample(rng, (4, 40, 50), np.float32)
    spectrum = np.empty((4, 40, 26), np.complex64)
    image = np.empty_like(a)
    assert copies(lambda: onepass.rfft2(a, out=spectrum)) == 0
    assert copies(lambda: onepass.irfft2(spectrum, out=image)) == 0
    assert copies(lambda: onepass.rfft2(a[:, 3:20, 5:21])) == 0
    z = a.astype(np.complex64)
    assert copies(lambda: onepass.fft2(z)) == 0
    assert copies(lambda: onepass.meter(a[0])) == 0
    assert copies(lambda: onepass.align(a[0], a[1])) == 0


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float16, np.float32])
def test_three_channels_are_read_and_written_in_place(rng, dtype):
    a = sample(rng, (2, 32, 36, 3), dtype)
    opaque = np.concatenate([a, np.full((2, 32, 36, 1), np.iinfo(dtype).max if dtype(1.5) == 1 else 1, dtype)], axis=-1)
    results = []
    for call in [
        lambda x: onepass.mips(x)[1],
        lambda x: onepass.mips(x)[4],
        lambda x: onepass.tonemap(x, dtype=np.uint8),
        lambda x: onepass.bloom(x),
    ]:
        assert copies(lambda: results.append(call(a))) == 0
        assert np.array_equal(results[-1], call(opaque)[..., :3])
    # Blue shares a complex signal with alpha, where there is one: other rounding errors.
    step = np.iinfo(dtype).max if dtype(1.5) == 1 else 1
    error = {np.uint8: 1, np.uint16: 1, np.float16: 4e-3, np.float32: 1e-5}[dtype]
    for call in [
        lambda x: onepass.convolve(x, np.full((3, 3), 1 / 9)),
        lambda x: onepass.filter(x, cutoff=0.1),
        lambda x: onepass.deconvolve(x, np.ones((3, 3))),
    ]:
        assert copies(lambda: results.append(call(a))) == 0
        expected = call(opaque)[..., :3].astype(float)
        assert np.allclose(
            results[-1].astype(float), expected, rtol=0, atol=error * max(1, np.abs(expected).max() / step)
        )
        assert expected.std() > 0.01 * step
    assert copies(lambda: results.append([m.exposure for m in onepass.meter(a)])) == 0
    assert results[-1] == [m.exposure for m in onepass.meter(opaque)]
    assert copies(lambda: results.append(onepass.correlate(a[0], a[1]))) == 0
    assert np.array_equal(results[-1], onepass.correlate(opaque[0], opaque[1]))


def test_transforms_read_three_channels_in_place(rng):
    a = sample(rng, (32, 36, 3), np.float32)
    results = []
    assert copies(lambda: results.append(onepass.rfft2(a, axes=(0, 1)))) == 0
    for channel in range(3):
        assert np.allclose(results[0][..., channel], np.fft.rfft2(a[..., channel]), atol=1e-3)
    assert copies(lambda: results.append(onepass.irfft2(results[0], (32, 36), axes=(0, 1)))) == 0
    assert np.allclose(results[1], a, atol=1e-5)


def test_three_channels_elsewhere_cost_what_the_documentation_says(rng):
    a = sample(rng, (32, 32, 3), np.uint8)
    assert copies(lambda: onepass.tile_reduce(a, 8)) == 4 * (32 * 32 + 4 * 4)
    assert copies(lambda: onepass.build_pyramid(a, footprint="tight", reduction="max")) > 4 * 32 * 32


def test_out_in_other_layouts_is_written_too(rng):
    a = sample(rng, (32, 32), np.float32)
    expected = onepass.filter(a)
    flipped = np.zeros((32, 32), np.float32)[::-1]
    assert onepass.filter(a, out=flipped) is flipped
    assert np.array_equal(flipped, expected)
    swapped = np.zeros((32, 32), ">f4")
    onepass.filter(a, out=swapped)
    assert np.array_equal(swapped, expected)
    same = a.copy()
    onepass.filter(same, out=same)  # overlaps: a temporary
    assert np.array_equal(same, expected)


def test_out_may_overlap_the_input(rng):
    a = sample(rng, (64, 64), np.float32)
    expected = onepass.mips(a.copy(), levels=2)[1]
    level = a[32:, 32:]  # rows that the pyramid reads after it has written them
    assert onepass.mips(a, levels=2, out=[level], threads=1)[1] is level
    assert np.array_equal(level, expected)


def test_out_of_a_pyramid_is_kept(rng):
    a = sample(rng, (64, 64, 4), np.uint8)
    first = onepass.mips(a)
    b = sample(rng, (64, 64, 4), np.uint8)
    again = []
    assert copies(lambda: again.extend(onepass.mips(b, out=first))) == 0
    assert all(x is y for x, y in zip(again[1:], first[1:]))
    assert again[0] is b
    assert np.array_equal(again[1], onepass.mips(b)[1])


class Interface:
    """An object with the array interface only."""

    def __init__(self, a):
        self.__array_interface__ = a.__array_interface__
        self.keep = a


class Capsule:
    """An object with DLPack only."""

    def __init__(self, a):
        self.a = a

    def __dlpack__(self, stream=None):
        return self.a.__dlpack__()

    def __dlpack_device__(self):
        return self.a.__dlpack_device__()


@pytest.mark.parametrize(
    "wrap", [memoryview, Interface, Capsule, lambda a: a.tolist()], ids=["buffer", "array_interface", "dlpack", "list"]
)
def test_array_like_objects(rng, wrap):
    if wrap is Capsule and not hasattr(np, "from_dlpack"):
        with pytest.raises(onepass.ArgumentError, match="DLPack needs NumPy 1.22"):
            onepass.mips(wrap(np.zeros((4, 4), np.float32)))
        return
    a = sample(rng, (16, 24), np.float32)
    expected = onepass.mips(a)[1]
    assert np.array_equal(onepass.mips(wrap(a))[1], expected)
    if wrap in (memoryview, Interface, Capsule):
        assert copies(lambda: onepass.mips(wrap(a))) == 0


def test_ctypes_arrays_are_read_in_place():
    memory = (ctypes.c_float * 8 * 4)()
    memory[1][2] = 32.0
    assert onepass.mips(memory)[-1][0, 0] == 1.0


def test_float64_is_converted(rng, recwarn):
    a = rng.random((20, 30))
    levels = onepass.mips(a)
    assert levels[0].dtype == np.float32 and not recwarn.list
    assert np.array_equal(levels[1], onepass.mips(a.astype(np.float32))[1])
    assert copies(lambda: onepass.mips(a)) == a.nbytes


def test_other_byte_order_is_converted(rng):
    a = sample(rng, (20, 30), np.uint16)
    assert np.array_equal(onepass.mips(a.astype(">u2"))[1], onepass.mips(a)[1])


def test_unaligned_arrays_are_copied(rng):
    a = sample(rng, (16, 16), np.float32)
    raw = np.zeros(a.nbytes + 1, np.uint8)
    shifted = raw[1:].view(np.float32).reshape(16, 16)
    shifted[...] = a
    assert not shifted.flags.aligned
    assert np.array_equal(onepass.mips(shifted)[1], onepass.mips(a)[1])


def test_read_only_input_is_accepted(rng):
    a = sample(rng, (16, 16), np.float32)
    a.flags.writeable = False
    assert onepass.mips(a)[1].shape == (8, 8)


def test_subclasses_of_arrays(rng):
    a = sample(rng, (16, 16), np.float32)
    assert np.array_equal(onepass.mips(np.asmatrix(a))[1], onepass.mips(a)[1])
    with pytest.raises(onepass.ArgumentError):
        onepass.mips(np.ma.masked_array(a, a > 0.5))
