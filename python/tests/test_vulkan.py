"""engine="vulkan" against the CPU engine, on the first device."""
import numpy as np
import pytest
from conftest import sample

import onepass

pytestmark = pytest.mark.skipif(not any(device["usable"] for device in onepass.devices()), reason="no Vulkan device")


@pytest.mark.parametrize("dtype,channels", [(np.uint8, 3), (np.float32, None)])
def test_pyramids(rng, dtype, channels):
    a = sample(rng, (45, 101) if channels is None else (45, 101, channels), dtype)
    for gpu, cpu in zip(onepass.hiz(a, engine="vulkan"), onepass.hiz(a)):
        assert np.array_equal(gpu, cpu)
    sharper = ({"filter": "kaiser", "boundary": "wrap"}, {"filter": "lanczos", "filter_input": "base"})
    for words in ({}, *sharper):
        for gpu, cpu in zip(onepass.mips(a, engine="vulkan", **words), onepass.mips(a, **words)):
            tolerance = 1 if dtype is np.uint8 else 2e-6 if words else 1e-6
            assert np.abs(gpu.astype(np.float64) - cpu).max() <= tolerance
    assert np.array_equal(onepass.tile_reduce(a, 8, engine="vulkan"), onepass.tile_reduce(a, 8))


def test_transforms(rng):
    a = sample(rng, (48, 60, 3), np.float32)
    spectrum = onepass.rfft2(a, axes=(0, 1), engine="vulkan")
    reference = onepass.rfft2(a, axes=(0, 1))
    assert np.linalg.norm(spectrum - reference) < 1e-6 * np.linalg.norm(reference)
    assert np.abs(onepass.irfft2(spectrum, s=(48, 60), axes=(0, 1), engine="vulkan") - a).max() < 1e-5


def test_operations(rng):
    a = sample(rng, (40, 50, 4), np.float32)
    b = np.roll(a, (3, 2), (0, 1))
    kernel = rng.random((5, 5))
    assert np.abs(onepass.convolve(a, kernel, engine="vulkan") - onepass.convolve(a, kernel)).max() < 1e-4
    assert np.abs(onepass.filter(a, engine="vulkan") - onepass.filter(a)).max() < 1e-5
    assert np.abs(onepass.deconvolve(a, kernel, engine="vulkan") - onepass.deconvolve(a, kernel)).max() < 1e-3
    assert np.abs(onepass.bloom(a, engine="vulkan") - onepass.bloom(a)).max() < 1e-4
    shift = onepass.align(b, a, window="none", engine="vulkan")
    assert abs(shift.x - 2) < 1e-2 and abs(shift.y - 3) < 1e-2


def test_light(rng):
    a = sample(rng, (40, 50, 3), np.float32)
    assert np.isclose(onepass.meter(a, engine="vulkan").log_average, onepass.meter(a).log_average, rtol=1e-5)
    assert np.abs(onepass.tonemap(a, engine="vulkan").astype(int) - onepass.tonemap(a)).max() <= 1


def test_devices_are_selected_by_name_and_number(rng):
    a = sample(rng, (16, 16), np.float32)
    device = next(device for device in onepass.devices() if device["usable"])
    expected = onepass.hiz(a)[-1]
    assert np.array_equal(onepass.hiz(a, engine=f"vulkan:{device['index']}")[-1], expected)
    assert np.array_equal(onepass.hiz(a, engine=f"vulkan:{device['name'][:6]}")[-1], expected)
    with pytest.raises(onepass.NotFoundError):
        onepass.hiz(a, engine="vulkan:no such device")


def test_tunings_are_used_and_checked(rng):
    from ctypes import byref

    from onepass import _c, _engines
    from onepass._library import call, lib, sized

    def processors():
        info = sized(_c.onepass_vulkan_device_info)
        call(lib.onepass_vulkan_device_get_info, _engines.Device.of("vulkan").handle, byref(info))
        return info.processors

    a = sample(rng, (40, 50, 3), np.float32)
    expected = onepass.meter(a, engine="vulkan").log_average
    usual = processors()
    with pytest.raises(onepass.ArgumentError, match=r"tunings: line 1: meter\[0\]\.use\.copies: 3 is not"):
        onepass.use_tunings('{"onepass_tunings": 1, "meter": [{"use": {"copies": 3}}]}')
    with pytest.raises(onepass.ArgumentError, match="tunings"):
        onepass.use_tunings(b"{}")
    assert processors() == usual
    try:
        onepass.use_tunings('{"onepass_tunings": 1, "processors": 3}')
        assert processors() == 3
        assert np.isclose(onepass.meter(a, engine="vulkan").log_average, expected, rtol=1e-5)
    finally:
        onepass.use_tunings("")
    assert processors() == usual
