"""Meters, tone maps, local exposure and bloom."""
import typing

import numpy as np
import pytest
from conftest import sample

import onepass
from onepass._words import ToneOperator

WEIGHTS = np.array([0.2126, 0.7152, 0.0722])


@pytest.mark.parametrize("dtype,scale", [(np.float32, 1), (np.float16, 1), (np.uint8, 255), (np.uint16, 65535)])
@pytest.mark.parametrize("channels", [None, 3, 4])
def test_meter_is_its_definition(rng, dtype, scale, channels):
    a = sample(rng, (37, 50) if channels is None else (37, 50, channels), dtype)
    light = a.astype(np.float64) / scale
    luminance = light if channels is None else light[..., :3] @ WEIGHTS
    measured = onepass.meter(a)
    assert measured.valid is True
    assert np.isclose(measured.mean_luminance, luminance.mean(), rtol=2e-6)
    assert np.isclose(measured.min_luminance, luminance.min(), rtol=2e-6, atol=1e-9)
    assert np.isclose(measured.max_luminance, luminance.max(), rtol=2e-6)
    log_average = 2 ** np.mean(np.log2(luminance + 1e-4))
    assert np.isclose(measured.log_average, log_average, rtol=1e-5)
    assert np.isclose(measured.exposure, 0.18 / log_average, rtol=1e-5)
    assert measured.finite_count == 37 * 50
    assert measured.histogram.sum() + measured.zero_weight == measured.total_weight
    assert np.isclose(measured.percentiles[3], np.median(luminance), rtol=0.03)


def test_meter_counts_what_it_leaves_out():
    a = np.ones((4, 4, 3), np.float32)
    a[0, 0] = np.nan
    a[0, 1] = np.inf
    a[0, 2] = -1
    a[0, 3] = 0
    measured = onepass.meter(a)
    assert (
        measured.nan_count,
        measured.infinite_count,
        measured.negative_count,
        measured.zero_count,
        measured.finite_count,
    ) == (1, 1, 1, 1, 14)


def test_meter_of_a_rectangle_and_a_mask(rng):
    a = rng.random((20, 30)).astype(np.float32)
    for rect in (np.s_[3:9, 10:25], (3, 9, 10, 25)):
        assert np.isclose(onepass.meter(a, rect=rect).mean_luminance, a[3:9, 10:25].mean(), rtol=1e-5)
    mask = np.zeros((20, 30), np.uint8)
    mask[:, :7] = 255
    assert np.isclose(onepass.meter(a, mask=mask).mean_luminance, a[:, :7].mean(), rtol=1e-5)
    assert np.isclose(onepass.meter(a, mask=mask / 255.0).mean_luminance, a[:, :7].mean(), rtol=1e-5)


def test_meter_of_a_stack(rng):
    a = rng.random((3, 8, 9, 4)).astype(np.float32)
    measured = onepass.meter(a)
    assert len(measured) == 3
    for image, one in zip(a, measured):
        assert one.mean_luminance == onepass.meter(image).mean_luminance


def test_meter_object_adapts():
    meter = onepass.Meter(up_stops_per_second=1.0, ease_stops=0.0)
    dark, bright = (np.full((8, 8), v, np.float32) for v in (0.18, 0.18 * 16))
    assert np.isclose(meter.measure(dark).exposure, 1, rtol=1e-3)
    assert np.isclose(meter.measure(bright, seconds=1.0).exposure, 0.5, rtol=1e-2)  # one stop in a second
    assert np.isclose(meter.measure(bright, seconds=1.0).exposure, 0.25, rtol=1e-2)
    assert np.isclose(meter.measure(bright, cut=True).exposure, 1 / 16, rtol=1e-2)


def test_reinhard_is_its_formula(rng):
    a = (rng.random((31, 33, 3)) * 8).astype(np.float32)
    light = 1.5 * a.astype(np.float64)
    light = light / (1 + light)
    encoded = np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)
    for dtype, scale in ((np.uint8, 255), (np.uint16, 65535)):
        picture = onepass.tonemap(a, "reinhard", exposure=1.5, dtype=dtype)
        assert picture.dtype == dtype
        assert np.abs(picture - encoded * scale).max() <= 0.5 + 2e-5 * scale
    linear = onepass.tonemap(a, "reinhard", exposure=1.5, transfer="linear", dtype=np.float32)
    assert np.abs(linear - light).max() < 1e-5


@pytest.mark.parametrize("operator", typing.get_args(ToneOperator))
def test_operators_are_monotonic_on_grey_and_finite(operator):
    ramp = np.concatenate([[0, np.nan, -1, np.inf], np.geomspace(1e-4, 1e5, 252)]).astype(np.float32)
    a = np.repeat(ramp[None, :, None], 3, axis=2)
    picture = onepass.tonemap(a, operator, dtype=np.float32)
    assert np.isfinite(picture).all()
    steps = np.diff(picture[0, 4:, 1])
    assert steps.min() > -1e-4 and picture[0, -1, 1] - picture[0, 4, 1] > 0.8


@pytest.mark.parametrize("channels", [None, 1, 2, 3, 4])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float16, np.float32])
def test_tonemap_takes_all_images(rng, channels, dtype):
    a = sample(rng, (12, 13) if channels is None else (12, 13, channels), dtype)
    picture = onepass.tonemap(a, "aces_hill" if channels in (3, 4) else "reinhard")
    assert picture.shape == a.shape and picture.dtype == np.uint8
    out = np.empty(a.shape, np.float16)
    assert onepass.tonemap(a, "reinhard", out=out) is out
    assert out.max() > 0.4


def test_alpha_is_kept(rng):
    a = rng.random((8, 8, 4)).astype(np.float32)
    assert np.abs(onepass.tonemap(a, dtype=np.float32)[..., 3] - a[..., 3]).max() < 1e-6


def test_exposure_of_a_measurement(rng):
    a = rng.random((16, 16, 3)).astype(np.float32) * 0.01
    measured = onepass.meter(a)
    assert np.array_equal(onepass.tonemap(a, exposure=measured), onepass.tonemap(a, exposure=measured.exposure))


def test_local_exposure_of_flat_regions():
    a = np.full((64, 64), 0.18 * 16, np.float32)
    assert np.allclose(onepass.local_exposure(a, highlights=0.5), 0.18 * 4, rtol=0.02)
    assert np.allclose(onepass.local_exposure(a / 256, shadows=0.5), 0.18 / 4, rtol=0.02)
    assert np.allclose(onepass.local_exposure(a, highlights=1.0, shadows=1.0), a, rtol=1e-4)
    assert np.allclose(
        onepass.tonemap(a, "exposure", transfer="linear", dtype=np.float32, highlights=0.5), 0.18 * 4, rtol=0.02
    )


@pytest.mark.parametrize("method", ["convolution", "mip_chain"])
@pytest.mark.parametrize("channels", [None, 3, 4])
def test_bloom_moves_light(method, channels):
    a = np.zeros((64, 96) if channels is None else (64, 96, channels), np.float32)
    a[30, 40] = 50
    glowing = onepass.bloom(a, method=method, scatter=0.2)
    colours = glowing if channels is None else glowing[..., :3]
    before = a if channels is None else a[..., :3]
    assert np.isclose(colours.sum(), before.sum(), rtol=2e-3)
    assert np.ravel(colours[30, 46])[0] > 0 and np.ravel(colours[30, 40])[0] < 50
    assert np.array_equal(onepass.bloom(a, method=method, scatter=0.2, threshold=100), a)


def test_bloom_with_a_kernel_image():
    a = np.zeros((33, 33), np.float32)
    a[16, 16] = 1
    glowing = onepass.bloom(a, scatter=1.0, kernel=np.ones((3, 3)), kernel_width=3 / 33)
    assert np.isclose(glowing.sum(), 1, rtol=1e-3) and glowing[16, 16] < 0.9


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_change_no_bit(rng, threads):
    a = rng.random((300, 200, 4)).astype(np.float32)
    assert np.array_equal(onepass.tonemap(a, threads=threads), onepass.tonemap(a))
    assert onepass.meter(a, threads=threads).log_average == onepass.meter(a).log_average
