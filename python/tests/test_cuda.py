"""Arrays in CUDA memory, through the driver of the tests, which runs kernels on the host (tests/cuda/fake_library.cpp):
its addresses are those of NumPy arrays. ONEPASS_FAKE_CUDA names the library; scripts/python finds it in a build."""
import ctypes
import os
import subprocess
import sys
import types

import numpy as np
import pytest

import onepass
from conftest import sample
from onepass import _cuda

FAKE = os.environ.get("ONEPASS_FAKE_CUDA", "")
if not FAKE:
    pytest.skip("ONEPASS_FAKE_CUDA is not set", allow_module_level=True)
ctypes.CDLL(FAKE)  # the library finds it by its name, libcuda.so.1


class Held:
    """A NumPy array as one in CUDA memory, with the interface of Numba and CuPy."""

    def __init__(self, array, **changes):
        self.array, self.changes = array, changes

    @property
    def __cuda_array_interface__(self):
        a = self.array
        interface = dict(
            shape=a.shape,
            typestr=a.dtype.str,
            data=(a.ctypes.data, not a.flags.writeable),
            strides=None if a.flags.c_contiguous else a.strides,
            version=3,
        )
        return {**interface, **self.changes}


class Standard(Held):
    """With a namespace of the array API as well."""

    device = types.SimpleNamespace(id=0)

    def get(self):
        return self.array.copy()

    def __array_namespace__(self):
        space = types.SimpleNamespace(empty=lambda shape, dtype, device: Standard(aligned_empty(shape, dtype)))
        for name in ("uint8", "uint16", "float16", "float32"):
            setattr(space, name, np.dtype(name))
        return space


class Packed:
    """With DLPack alone."""

    def __init__(self, array):
        self.array, self.streams = array, []

    def __dlpack_device__(self):
        return (2, 0)

    def __dlpack__(self, stream=None):
        self.streams.append(stream)
        self.capsule = self.array.__dlpack__()
        return self.capsule


def aligned_empty(shape, dtype):
    """CUDA's allocators align to 256 bytes or more."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    buffer = np.full(size + 256, 0xC3, np.uint8)
    start = -buffer.ctypes.data % 256
    return buffer[start : start + size].view(dtype).reshape(shape)


def check(levels, expected, exact):
    assert len(levels) == len(expected)
    for level, right in zip(levels[1:], expected[1:]):
        assert level.array.shape == right.shape and level.array.dtype == right.dtype
        if exact:
            np.testing.assert_array_equal(level.array, right)
        elif right.dtype.kind == "u":
            assert np.abs(level.array.astype(int) - right.astype(int)).max() <= 1
        else:
            np.testing.assert_allclose(level.array, right, rtol=1e-3 if right.dtype == np.float16 else 1e-6)


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float16", "float32"])
@pytest.mark.parametrize("shape", [(37, 53), (20, 64, 2), (9, 31, 3), (2, 16, 24, 4)])
def test_levels_are_those_of_host_arrays(rng, shape, dtype):
    a = sample(rng, shape, dtype)
    check(onepass.mips(Standard(a)), onepass.mips(a), False)
    check(onepass.hiz(Standard(a), footprint="aligned"), onepass.hiz(a, footprint="aligned"), True)


def test_min_max_and_options(rng):
    a = sample(rng, (33, 47), "float32")
    check(onepass.min_max_pyramid(Standard(a)), onepass.min_max_pyramid(a), True)
    photo = sample(rng, (18, 22, 4), "uint8")
    options = dict(color="srgb", alpha="weighted", levels=3)
    check(onepass.mips(Standard(photo), **options), onepass.mips(photo, **options), False)


def test_the_first_level_is_the_input():
    a = Standard(np.ones((4, 4), np.float32))
    levels = onepass.mips(a, engine="cuda")
    assert levels[0] is a and levels[2].array == 1


def test_out_is_written_in_place(rng):
    a = sample(rng, (30, 40), "float32")
    out = [Held(np.zeros((15, 20), np.float32)), Held(np.zeros((7, 16), np.float32)[:, :10])]
    levels = onepass.hiz(Held(a), levels=3, out=out)
    assert levels[1] is out[0] and levels[2] is out[1]
    check(levels, onepass.hiz(a, levels=3), True)
    assert not out[1].array.base[:, 10:].any()
    check(onepass.hiz(Held(a), levels=3, out=levels), onepass.hiz(a, levels=3), True)


def test_rows_and_images_may_have_gaps(rng):
    a = sample(rng, (4, 40, 50, 2), "uint8")[::2, 1:31, 3:40]
    check(onepass.mips(Standard(a)), onepass.mips(a), False)


def test_dlpack_is_read_without_a_copy(rng):
    a = sample(rng, (20, 30), "float32")
    source = Packed(a)
    out = [Held(np.zeros((10, 15), np.float32))]
    check(onepass.hiz(source, levels=2, out=out), onepass.hiz(a, levels=2), True)
    assert source.streams == [1]


def test_a_call_creates_nothing_twice(rng):
    a = Standard(sample(rng, (24, 24), "float32"))
    onepass.clear_cache()
    before = onepass.mips(a)
    made = _cuda.Pyramid.__init__
    try:
        _cuda.Pyramid.__init__ = None
        after = onepass.mips(a)
    finally:
        _cuda.Pyramid.__init__ = made
    check(after, [level.array for level in before], True)


def test_operators_of_pytorch(monkeypatch):
    """Their kernel for CUDA tensors, given tensors in host memory, in a state of autograd in which PyTorch calls it."""
    torch = pytest.importorskip("torch")
    import onepass.torch as ot

    monkeypatch.setattr(_cuda, "stream_of", lambda value: 0)
    made = []

    def empty_like(value, shape, char):
        made.append(torch.from_numpy(aligned_empty(shape, char)))
        return made[-1]

    monkeypatch.setattr(_cuda, "empty_like", empty_like)
    images = torch.rand(3, 21, 34, 2, requires_grad=True)
    for reduction in ("mean", "max"):
        below = torch._C._AutoDispatchBelowAutograd()
        try:
            levels = ot._on_cuda(images, reduction, "covering", 4)
            right = ot._on_cpu(images, reduction, "covering", 4)
        finally:
            del below
        assert len(levels) == len(right) == 3
        for level, expected in zip(levels, right):
            assert any(level is tensor for tensor in made)
            torch.testing.assert_close(level, expected, rtol=1e-6, atol=0)
    with pytest.raises(onepass.ArgumentError, match="^a requires a gradient: onepass.torch has"):
        _cuda.describe(images, "a")
    with pytest.raises(onepass.ArgumentError, match="^a has dtype torch.int32"):
        _cuda.describe(images.int(), "a")


def refused(message, a, **options):
    with pytest.raises(onepass.Error, match=message):
        onepass.mips(a, **options)


def test_mistakes_are_named():
    a = Standard(np.ones((8, 8), np.float32))
    refused("^engine is 'cpu', but a is in CUDA memory", a, engine="cpu")
    refused("^a has dtype int32, expected uint8", Held(np.ones((8, 8), np.int32)))
    refused("^a has 5 channels", Held(np.ones((8, 8, 5), np.float32)))
    refused("^a is empty", Held(np.ones((0, 8), np.float32)))
    refused("^a has strides of", Held(np.ones((8, 8), np.float32)[:, ::2]))
    refused("^a has strides of", Held(np.ones((8, 8), np.float32)[::-1]))
    refused("^a has a mask", Held(np.ones((8, 8), np.float32), mask=object()))
    refused("^out is needed", Held(np.ones((8, 8), np.float32)))
    refused(r"^out has 1 arrays, expected 3", a, out=[a])
    refused(r"^out\[0\] has shape \(8, 8\)", a, levels=2, out=[a, a])
    read_only = np.ones((4, 4), np.float32)
    read_only.flags.writeable = False
    refused(r"^out\[0\] is read-only", a, levels=2, out=[Held(read_only)])
    refused("footprint", a, footprint="tight")
    refused("filter", a, filter="kaiser")
    refused("levels", a, levels=40)


def test_devices():
    assert _cuda.devices()[0]["name"] == "host" and _cuda.devices()[0]["compute_capability"] == (9, 0)


def test_without_a_driver_the_error_says_so():
    text = "import onepass, numpy as np\n" + "class A:\n  __cuda_array_interface__ = "
    text += "dict(shape=(4, 4), typestr='<f4', data=(4096, False), strides=None, version=3)\n"
    text += "from onepass import _cuda\nassert _cuda.devices() == []\nonepass.mips(A())\n"
    run = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    if "CUDA_ERROR" in run.stderr or run.returncode == 0:
        pytest.skip("this machine has a CUDA driver")
    assert "onepass._errors.NotFoundError: no CUDA driver (libcuda.so.1)" in run.stderr


# ---- Tile reductions, meters and tone maps


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float16", "float32"])
@pytest.mark.parametrize("shape", [(37, 53), (20, 64, 2), (9, 31, 3), (2, 16, 24, 4)])
def test_tiles_and_tones_are_those_of_host_arrays(rng, shape, dtype):
    a = sample(rng, shape, dtype)
    for reduction in ("max", "mean"):
        check(
            [a, onepass.tile_reduce(Standard(a), 8, reduction=reduction)],
            [a, onepass.tile_reduce(a, 8, reduction=reduction)],
            reduction == "max",
        )
    mapped = onepass.tonemap(Standard(a), "aces_hill", exposure=0.5)
    check([a, mapped], [a, onepass.tonemap(a, "aces_hill", exposure=0.5)], False)
    assert mapped.array.dtype == np.uint8


def test_min_max_tiles_and_outputs(rng):
    a = sample(rng, (33, 47), "float32")
    check(
        [a, onepass.tile_reduce(Standard(a), 4, reduction="min_max")],
        [a, onepass.tile_reduce(a, 4, reduction="min_max")],
        True,
    )
    out = Held(np.zeros((9, 12), np.float32))
    assert onepass.tile_reduce(Held(a), 4, out=out) is out
    np.testing.assert_array_equal(out.array, onepass.tile_reduce(a, 4))
    picture = Held(np.zeros((33, 47), np.float16))
    assert onepass.tonemap(Held(a), out=picture) is picture
    np.testing.assert_allclose(picture.array, onepass.tonemap(a, dtype="float16"), rtol=1e-3, atol=1e-4)
    with pytest.raises(onepass.ArgumentError, match="out is needed"):
        onepass.tonemap(Held(a))
    with pytest.raises(onepass.ArgumentError, match=r"out has shape \(9, 12\)"):
        onepass.tonemap(Held(a), out=out)


def test_local_exposure_is_that_of_host_arrays(rng):
    a = sample(rng, (40, 56, 3), "float32") * 8
    made = onepass.local_exposure(Standard(a), highlights=0.5)
    np.testing.assert_allclose(made.array, onepass.local_exposure(a, highlights=0.5), rtol=1e-3, atol=1e-4)
    with pytest.raises(onepass.ArgumentError, match="a has integers"):
        onepass.local_exposure(Standard(np.ones((4, 4), np.uint8)))


def test_measurements_are_those_of_host_arrays(rng):
    a = sample(rng, (3, 30, 41, 3), "float32")
    options = dict(rect=np.s_[2:20, 3:33], statistic="percentiles", clip_low=0.3)
    for found, right in zip(onepass.meter(Standard(a), **options), onepass.meter(a, **options)):
        assert found.exposure == pytest.approx(right.exposure, rel=1e-4)
        assert found.max_luminance == right.max_luminance and found.finite_count == right.finite_count
    mask = (rng.random((30, 41)) * 255).astype(np.uint8)
    found, right = onepass.meter(Standard(a[0]), mask=Standard(mask)), onepass.meter(a[0], mask=mask)
    assert found.total_weight == right.total_weight
    assert found.exposure == pytest.approx(right.exposure, rel=1e-4)
    with pytest.raises(onepass.ArgumentError, match="mask is in host memory"):
        onepass.meter(Standard(a[0]), mask=mask)
    with pytest.raises(onepass.ArgumentError, match=r"mask has shape \(30, 40\)"):
        onepass.meter(Standard(a[0]), mask=Standard(mask[:, :40].copy()))
    with pytest.raises(onepass.ArgumentError, match="a is in CUDA memory"):
        onepass.Meter().measure(Standard(a[0]))


@pytest.mark.parametrize("function", [onepass.tile_reduce, onepass.tonemap, onepass.local_exposure, onepass.meter])
def test_other_engines_are_refused(function):
    with pytest.raises(onepass.ArgumentError, match="engine is 'cpu', but a is in CUDA memory"):
        function(Standard(np.ones((4, 4), np.float32)), engine="cpu")
