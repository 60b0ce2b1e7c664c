"""onepass.torch.meter and tonemap: values of NumPy arrays, gradients against finite differences, shapes of meta tensors;
on a CUDA device, too, where PyTorch has one."""
import numpy as np
import pytest

import onepass

torch = pytest.importorskip("torch")
import onepass.torch as ot  # noqa: E402
from onepass import _tone_formula  # noqa: E402


DEVICES = ["cpu"] + (["cuda"] if torch.cuda.is_available() else [])
OPERATORS = [
    "exposure",
    "reinhard",
    "reinhard_extended",
    "reinhard_luminance",
    "hable",
    "hejl_burgess_dawson",
    "aces_narkowicz",
    "aces_hill",
    "agx_sobotka",
    "agx_blender",
    "pbr_neutral",
    "lottes",
    "uchimura",
    "drago",
]
OUTPUTS = [
    dict(),
    dict(transfer="linear"),
    dict(transfer="gamma", gamma=1.8),
    dict(transfer="pq", primaries="rec2020"),
    dict(transfer="hlg"),
    dict(transfer="linear", headroom=4.0),
]


@pytest.fixture(params=DEVICES)
def device(request):
    return request.param


def light(*shape, seed=5):
    """Light from 2^-10 to 2^4."""
    values = np.exp2(np.random.default_rng(seed).uniform(-10, 4, shape)).astype(np.float32)
    return torch.from_numpy(values)


def array_of(x):
    """(N, H, W, C)."""
    return np.ascontiguousarray(x.detach().cpu().permute(0, 2, 3, 1).numpy())


def close(x, expected, scale=1.0):
    """Within the accuracy of devices; `expected` is (N, H, W, C)."""
    found = array_of(x)
    if expected.dtype == np.uint8:
        assert np.abs(found.astype(int) - expected.astype(int)).max() <= 1
    else:
        step = 2e-3 if expected.dtype == np.float16 else 2e-5
        np.testing.assert_allclose(found, expected, rtol=step, atol=step * scale)


# ---- Tone maps


@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
def test_pictures_are_those_of_arrays(channels, dtype, last, device):
    x = light(2, channels, 9, 13).to(dtype).to(device)
    if last:
        x = x.to(memory_format=torch.channels_last)
    for result in (torch.uint8, torch.float32):
        made = ot.tonemap(x, exposure=1.5, dtype=result)
        assert made.dtype == result and made.shape == x.shape and made.device == x.device
        assert made.stride() == torch.empty_like(x).stride()
        name = str(result).split(".")[1]
        close(made, onepass.tonemap(array_of(x), exposure=1.5, dtype=name, engine="cpu"))
    assert ot.tonemap(x).dtype == dtype


def test_other_types_and_shapes(device):
    x = light(2, 3, 6, 8).to(device)
    assert torch.equal(ot.tonemap(x[0]), ot.tonemap(x)[0])
    double = ot.tonemap(x.double())
    assert double.dtype == torch.float64 and torch.equal(double, ot.tonemap(x).double())
    brain = ot.tonemap(x.bfloat16())
    assert brain.dtype == torch.bfloat16 and torch.equal(brain, ot.tonemap(x.bfloat16().float()).bfloat16())
    codes = (x.clamp(0, 1) * 255).to(torch.uint8)
    close(ot.tonemap(codes), onepass.tonemap(array_of(codes), engine="cpu"))
    view = light(2, 3, 8, 6).to(device).transpose(2, 3)
    assert torch.equal(ot.tonemap(view), ot.tonemap(view.contiguous()))


def test_each_image_has_its_own_exposure(device):
    x = light(3, 3, 5, 7).to(device)
    factors = torch.tensor([0.5, float("nan"), 2.0], device=device)
    made = ot.tonemap(x, "reinhard", exposure=factors)
    for n, factor in enumerate([0.5, 1.0, 2.0]):  # an exposure that is no number counts as 1
        torch.testing.assert_close(made[n], ot.tonemap(x[n], "reinhard", exposure=factor), rtol=1e-6, atol=1e-7)
    one = ot.tonemap(x, "reinhard", exposure=factors[2:])
    torch.testing.assert_close(one, ot.tonemap(x, "reinhard", exposure=2.0), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("output", OUTPUTS, ids=lambda o: "-".join(map(str, o.values())) or "srgb")
@pytest.mark.parametrize("operator", OPERATORS)
def test_the_formula_is_that_of_the_library(operator, output):
    """For every operator and transfer: so that its derivative is that of what the library computes."""
    options = dict(operator=operator, **output)
    x = light(1, 4, 16, 40).clone()
    x[0, 0, 0, :4] = torch.tensor([0.0, -1.0, 65504.0, float("nan")])
    x[0, :3, 1] = x[0, :1, 1]  # greys
    x[0, 1:3, 2] = 0  # saturated
    formula = _tone_formula.Formula(_tone_formula.program_of(ot._json(options)), x)
    made = formula.map(x.permute(0, 2, 3, 1), torch.ones(1))
    expected = onepass.tonemap(array_of(x), dtype="float32", engine="cpu", **options)
    np.testing.assert_allclose(made.numpy(), expected, rtol=2e-5, atol=2e-5 * max(1.0, expected[..., :3].max()))


@pytest.mark.parametrize("operator", OPERATORS)
def test_gradients_are_those_of_finite_differences(operator, device):
    """Of the formula in double precision, whose curves are cubics, by a central difference."""
    x = light(1, 3, 4, 8, seed=11).to(device)
    options = ot._json(dict(operator=operator, transfer="linear"))
    program = _tone_formula.program_of(options)
    x.requires_grad_()
    exposure = torch.tensor([0.7], device=device, requires_grad=True)
    weights = torch.rand(1, 3, 4, 8, generator=torch.Generator().manual_seed(3)).to(device)
    (ot.tonemap(x, operator, transfer="linear", exposure=exposure) * weights).sum().backward()

    wide = x.detach().double()
    formula = _tone_formula.Formula(program, wide)

    def total(values, factor):
        return (formula.map(values.permute(0, 2, 3, 1), factor).permute(0, 3, 1, 2) * weights).sum((0, 1))

    factor = torch.full((1,), 0.7, dtype=torch.float64, device=device)
    for channel in range(3):
        step = torch.zeros_like(wide)
        step[:, channel] = wide[:, channel] * 1e-5
        slope = (total(wide + step, factor) - total(wide - step, factor)) / (2 * step[0, channel])
        found = x.grad[0, channel].double()
        # A step across the boundary of two cubics has the mean of their slopes.
        error = (found - slope).abs() / (slope.abs() + 1e-3)
        assert error.median() < 1e-3 and error.max() < 0.1, channel
    slope = (total(wide, factor * (1 + 1e-5)) - total(wide, factor * (1 - 1e-5))).sum() / (2e-5 * 0.7)
    torch.testing.assert_close(exposure.grad.double()[0], slope, rtol=1e-2, atol=1e-3)


def test_gradients_stop_where_light_is_clipped(device):
    x = torch.tensor([-1.0, 0.5, 7e4, float("nan")], device=device).view(1, 1, 1, 4).requires_grad_()
    ot.tonemap(x, "exposure", transfer="linear").nansum().backward()
    assert x.grad.view(-1).tolist() == pytest.approx([0, 1, 0, 0], abs=1e-4)
    half = light(1, 3, 4, 4).to(device).half().requires_grad_()
    ot.tonemap(half).float().sum().backward()
    assert half.grad.dtype == torch.float16 and bool(torch.isfinite(half.grad).all())
    assert not ot.tonemap(half, dtype=torch.uint8).requires_grad


# ---- Meters


@pytest.mark.parametrize("channels", [1, 3, 4])
@pytest.mark.parametrize("last", [False, True])
def test_measurements_are_those_of_arrays(channels, last, device):
    x = light(3, channels, 21, 34).to(device)
    if last:
        x = x.to(memory_format=torch.channels_last)
    options = dict(statistic="percentiles", clip_low=0.2, percentiles=[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8])
    measured = ot.meter(x, **options)
    expected = onepass.meter(array_of(x), engine="cpu", **options)
    for n, right in enumerate(expected):
        for name in ot.Measurements._fields:
            if name == "state":
                continue
            found = getattr(measured, name)[n].cpu().numpy()
            np.testing.assert_allclose(found, getattr(right, name), rtol=2e-4, err_msg=name)
    assert measured.exposure.device == x.device and measured.state.shape[0] == 3


def test_exposures_adapt_and_map(device):
    bright = light(2, 3, 16, 16).to(device)
    first = ot.meter(bright)
    later = ot.meter(bright / 16, previous=first, seconds=0.25)
    at_once = ot.meter(bright / 16, previous=first, seconds=0.25, cut=True)
    assert bool((later.exposure > first.exposure * 1.05).all()) and bool((later.exposure < at_once.exposure).all())
    torch.testing.assert_close(at_once.exposure, ot.meter(bright / 16).exposure, rtol=1e-5, atol=0)
    expected = onepass.Meter()
    for image, seconds in ((bright, 0), (bright / 16, 0.25)):
        right = expected.measure(array_of(image), seconds=seconds)
    np.testing.assert_allclose(later.exposure.cpu().numpy(), [r.exposure for r in right], rtol=1e-4)
    close(
        ot.tonemap(bright, exposure=first.exposure),
        np.stack(
            [onepass.tonemap(a, exposure=float(e), dtype="float32") for a, e in zip(array_of(bright), first.exposure)]
        ),
    )


def test_a_meter_has_no_gradient(device):
    x = light(1, 3, 8, 8).to(device).requires_grad_()
    measured = ot.meter(x)
    assert not any(field.requires_grad for field in measured)
    ot.tonemap(x, exposure=measured.exposure).sum().backward()
    assert bool((x.grad != 0).any())


def test_shapes_are_known_without_values():
    x = torch.empty(2, 3, 10, 12, device="meta")
    assert ot.tonemap(x, dtype=torch.uint8).shape == x.shape and ot.tonemap(x, dtype=torch.uint8).dtype == torch.uint8
    assert ot.meter(x).histogram.shape == (2, 256)


def test_graphs_capture_and_compile(device):
    if device == "cpu":
        pytest.skip("needs a CUDA device")
    x = light(2, 3, 64, 48).to(device)
    for _ in range(2):
        measured = ot.meter(x)
        expected = ot.tonemap(x, exposure=measured.exposure, dtype=torch.uint8)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        made = ot.tonemap(x, exposure=ot.meter(x).exposure, dtype=torch.uint8)
    made.zero_()
    graph.replay()
    torch.cuda.synchronize()
    assert torch.equal(made, expected)

    def step(x):
        return ot.tonemap(x * 2, "aces_hill").mean()

    compiled = torch.compile(step, fullgraph=True)
    torch.testing.assert_close(compiled(x), step(x))


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: ot.tonemap(torch.ones(1, 5, 4, 4)), "x has 5 channels"),
        (lambda: ot.tonemap(torch.ones(4, 4)), "x has 2 dimensions"),
        (lambda: ot.tonemap(torch.ones(3, 4, 4), "film"), "operator is 'film'"),
        (lambda: ot.tonemap(torch.ones(3, 4, 4), white=-1.0), "white"),
        (lambda: ot.tonemap(torch.ones(3, 4, 4), white=torch.ones(1)), "white is"),
        (lambda: ot.tonemap(torch.ones(3, 4, 4), exposure=0.0), "exposure is 0.0"),
        (lambda: ot.tonemap(torch.ones(3, 4, 4), exposure=torch.ones(2)), "exposure has shape"),
        (lambda: ot.tonemap(torch.ones(3, 4, 4), dtype=torch.int32), "dtype is torch.int32"),
        (lambda: ot.tonemap(torch.ones(3, 4, 4), drago=1.0), "drago is 1.0"),
        (lambda: ot.meter(torch.ones(3, 4, 4), metering="mask"), "metering is 'mask'"),
        (lambda: ot.meter(torch.ones(3, 4, 4), rule="sunny"), "rule is 'sunny'"),
        (lambda: ot.meter(torch.ones(3, 4, 4), seconds=-1.0), "seconds"),
        (lambda: ot.meter(torch.ones(3, 4, 4), percentiles=[1.0]), "percentiles"),
        (lambda: ot.meter(torch.ones(3, 4, 4), previous=ot.meter(torch.ones(2, 3, 4, 4))), "previous is of 2 images"),
    ],
)
def test_mistakes_are_named(call, message):
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        call()
