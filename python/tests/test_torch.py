"""onepass.torch: levels of NumPy arrays, gradients, shapes of meta tensors; on a CUDA device, too, where PyTorch has
one."""
import numpy as np
import pytest

import onepass

torch = pytest.importorskip("torch")
import onepass.torch as ot  # noqa: E402


DEVICES = ["cpu"] + (["cuda"] if torch.cuda.is_available() else [])


def levels_of(a, **options):
    """The mip chain of one channel, by NumPy."""
    return onepass.mips(np.ascontiguousarray(a), **options)


@pytest.fixture(params=DEVICES)
def device(request):
    return request.param


@pytest.mark.parametrize("size", [(37, 53), (64, 16), (1, 9), (5, 1), (1, 1)])
@pytest.mark.parametrize("dtype", [torch.uint8, torch.float16, torch.float32])
@pytest.mark.parametrize("footprint", ["covering", "aligned"])
def test_levels_are_those_of_arrays(size, dtype, footprint, device):
    x = (torch.rand(2, 3, *size) * 255).to(dtype).to(device)
    levels = ot.mip_pyramid(x, footprint=footprint)
    assert levels[0] is x
    for image in range(2):
        for channel in range(3):
            expected = levels_of(x[image, channel].cpu().numpy(), footprint=footprint)
            assert len(levels) == len(expected)
            for level, right in zip(levels[1:], expected[1:]):
                level = level[image, channel].cpu().numpy()
                if device == "cpu":
                    np.testing.assert_array_equal(level, right)
                elif dtype == torch.uint8:
                    assert np.abs(level.astype(int) - right.astype(int)).max() <= 1
                else:
                    np.testing.assert_allclose(level, right, rtol=1e-3 if dtype == torch.float16 else 1e-6)


def test_channels_last_is_kept_and_equal(device):
    x = torch.rand(2, 4, 21, 34, device=device).to(memory_format=torch.channels_last)
    apart = ot.mip_pyramid(x.contiguous())
    for level, right in zip(ot.mip_pyramid(x)[1:], apart[1:]):
        assert level.is_contiguous(memory_format=torch.channels_last)
        torch.testing.assert_close(level, right, rtol=1e-6, atol=0)


@pytest.mark.parametrize("channels", [1, 5, 64])
def test_any_number_of_channels_and_any_strides(channels, device):
    x = torch.rand(channels, 20, 30, device=device)
    expected = ot.mip_pyramid(x)
    for view in (x[None], x.transpose(1, 2).contiguous().transpose(1, 2)):
        for level, right in zip(ot.mip_pyramid(view), expected):
            assert torch.equal(level.reshape(right.shape), right)
    assert [level.shape for level in expected][1] == (channels, 10, 15)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float64])
def test_other_floats_are_converted_there_and_back(dtype, device):
    x = torch.rand(1, 1, 12, 12, device=device).to(dtype)
    for level, right in zip(ot.mip_pyramid(x), ot.mip_pyramid(x.float())):
        assert level.dtype == dtype and torch.equal(level, right.to(dtype))


@pytest.mark.parametrize("size", [(8, 8), (7, 12), (13, 5), (1, 6), (3, 1)])
@pytest.mark.parametrize("footprint", ["covering", "aligned"])
@pytest.mark.parametrize("last", [False, True])
def test_the_gradient_is_the_transposed_map(size, footprint, last, device):
    """The map is linear: <M x, y> = <x, M' y> for all y, with a sum over levels; and finite differences of any step."""
    x = torch.rand(2, 3, *size, device=device, requires_grad=True)
    image = x.to(memory_format=torch.channels_last) if last else x
    levels = ot.mip_pyramid(image, footprint=footprint)[1:]
    weights = [torch.rand_like(level) for level in levels]
    sum((level * weight).sum() for level, weight in zip(levels, weights)).backward()
    # Texel by texel, from the definition: what a unit in one texel gives to the weighted sum.
    for texel in range(0, x.numel(), 7):
        unit = torch.zeros(x.numel(), device=device)
        unit[texel] = 1
        made = ot.mip_pyramid(unit.reshape(x.shape), footprint=footprint)[1:]
        expected = sum(float((level * weight).sum()) for level, weight in zip(made, weights))
        assert float(x.grad.reshape(-1)[texel]) == pytest.approx(expected, rel=1e-5, abs=1e-7)


def test_gradcheck_to_second_order():
    """The engine works in single precision; a linear map has the same differences for a large step."""
    x = torch.rand(1, 2, 7, 10, dtype=torch.float64, requires_grad=True)
    options = dict(eps=0.25, atol=1e-5, rtol=1e-5)
    assert torch.autograd.gradcheck(lambda t: tuple(ot.mip_pyramid(t)[1:]), x, **options)
    # An output gradient of its own for each level: the second derivative goes through the transposed steps.
    assert torch.autograd.gradgradcheck(lambda t: ot.mip_pyramid(t)[-1] ** 2, x, eps=0.05, atol=1e-3, rtol=1e-2)


def test_gradients_of_some_levels_and_of_half():
    x = torch.rand(1, 1, 32, 32, dtype=torch.float16, requires_grad=True)
    ot.mip_pyramid(x)[3].sum().backward()
    assert x.grad.dtype == torch.float16 and torch.equal(x.grad, torch.full_like(x, 1 / 64))
    y = torch.rand(1, 1, 8, 8, requires_grad=True)
    ot.mip_pyramid(y)[0].sum().backward()
    assert torch.equal(y.grad, torch.ones_like(y))


def test_minimum_and_maximum_have_no_gradient(device):
    x = torch.rand(1, 2, 9, 11, device=device, requires_grad=True)
    pairs = ot.min_max_pyramid(x)
    assert not pairs[1][0].requires_grad
    for image, channel in [(0, 0), (0, 1)]:
        expected = onepass.min_max_pyramid(x.detach()[image, channel].cpu().numpy())
        for (low, high), right in zip(pairs[1:], expected[1:]):
            np.testing.assert_array_equal(low[image, channel].cpu().numpy(), right[..., 0])
            np.testing.assert_array_equal(high[image, channel].cpu().numpy(), right[..., 1])


def test_meta_tensors_have_the_shapes_of_results():
    for shape in [(3, 33, 20, 2), (1, 1, 7, 1), (2, 1, 1, 1)]:
        for reduction, levels in [("mean", 0), ("mean", 1), ("min_max", 0)]:
            real = torch.ops.onepass.pyramid(torch.rand(shape), reduction, "covering", levels)
            meta = torch.ops.onepass.pyramid(torch.rand(shape, device="meta"), reduction, "covering", levels)
            assert [level.shape for level in meta] == [level.shape for level in real]
            assert [level.stride() for level in meta] == [level.stride() for level in real]


def test_gradients_are_added_in_single_precision():
    x = torch.rand(1, 1, 128, 128, dtype=torch.float16, requires_grad=True)
    wide = x.detach().float().requires_grad_()
    weights = [torch.rand_like(level) for level in ot.mip_pyramid(x.detach())]
    for image in (x, wide):
        levels = ot.mip_pyramid(image)[1:]
        sum((level.float() * weight).sum() for level, weight in zip(levels, weights[1:])).backward()
    assert torch.equal(x.grad, wide.grad.half())


def test_resize_takes_the_mean_of_whole_blocks(device):
    x = torch.rand(2, 3, 64, 96, device=device, requires_grad=True)
    made = ot.resize_antialiased(x, (16, 24))
    torch.testing.assert_close(made, torch.nn.functional.avg_pool2d(x, 4), rtol=1e-5, atol=1e-6)
    made.sum().backward()
    torch.testing.assert_close(x.grad, torch.full_like(x, 1 / 16), rtol=1e-5, atol=0)
    # A checkerboard is grey, where bilinear interpolation alone shows its texels.
    board = (torch.arange(50)[:, None] + torch.arange(50)) % 2
    small = ot.resize_antialiased(board[None].float().to(device), (13, 12))
    assert small.shape == (1, 13, 12) and float((small - 0.5).abs().max()) < 0.05
    large = ot.resize_antialiased(x.detach()[0], (100, 100))
    right = torch.nn.functional.interpolate(x.detach()[:1], (100, 100), mode="bilinear", align_corners=False)
    torch.testing.assert_close(large, right[0])


@pytest.mark.parametrize("kernel", [(1, 1), (3, 3), (4, 6), (31, 2), (20, 27)])
@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("shared", [False, True])
def test_convolutions_are_those_of_conv2d(kernel, channels, shared):
    x = torch.rand(2, channels, 31, 40)
    weight = torch.rand(1 if shared else channels, *kernel) - 0.4
    wide = weight.expand(channels, *kernel)[:, None]
    options = dict(rtol=1e-4, atol=1e-4)
    made = ot.fft_conv2d(x, weight[0] if shared else weight, padding="valid")
    torch.testing.assert_close(made, torch.nn.functional.conv2d(x, wide, groups=channels), **options)
    for boundary, mode in [("zero", "constant"), ("wrap", "circular"), ("clamp", "replicate")]:
        rows, columns = kernel
        around = ((columns - 1) // 2, columns // 2, (rows - 1) // 2, rows // 2)
        right = torch.nn.functional.conv2d(torch.nn.functional.pad(x, around, mode=mode), wide, groups=channels)
        torch.testing.assert_close(ot.fft_conv2d(x, weight, boundary=boundary), right, **options)
    padded = np.pad(x.numpy(), [(0, 0), (0, 0), ((rows - 1) // 2, rows // 2), around[:2]], mode="symmetric")
    right = torch.nn.functional.conv2d(torch.from_numpy(padded), wide, groups=channels)
    torch.testing.assert_close(ot.fft_conv2d(x, weight, boundary="mirror"), right, **options)
    torch.testing.assert_close(ot.fft_conv2d(x[0], weight, boundary="mirror"), right[0], **options)


@pytest.mark.parametrize("padding", ["same", "valid"])
@pytest.mark.parametrize("boundary", ["zero", "mirror"])
@pytest.mark.parametrize("shared", [False, True])
def test_gradients_of_convolutions(padding, boundary, shared):
    """The map is linear in each argument, with differences of any step."""
    x = torch.rand(2, 2, 4, 5, dtype=torch.float64, requires_grad=True)
    weight = torch.rand(*((3, 2) if shared else (2, 3, 2)), dtype=torch.float64, requires_grad=True)

    def convolve(image, kernel):
        return ot.fft_conv2d(image, kernel, padding=padding, boundary=boundary)

    assert torch.autograd.gradcheck(convolve, (x, weight), eps=0.25, atol=1e-4, rtol=1e-4)
    assert torch.autograd.gradgradcheck(convolve, (x, weight), eps=0.25, atol=1e-3, rtol=1e-3)


def test_meta_tensors_of_convolutions():
    for same in (True, False):
        real = torch.ops.onepass.fft_conv2d(torch.rand(2, 3, 9, 8), torch.rand(3, 4, 5), same)
        images, weight = (torch.rand(shape, device="meta") for shape in [(2, 3, 9, 8), (3, 4, 5)])
        meta = torch.ops.onepass.fft_conv2d(images, weight, same)
        assert meta.shape == real.shape and meta.stride() == real.stride()


def test_mistakes_are_named():
    x = torch.rand(1, 1, 8, 8)
    for message, call in [
        ("^x is a ndarray, expected a tensor", lambda: ot.mip_pyramid(np.ones((1, 8, 8)))),
        ("^x has 2 dimensions", lambda: ot.mip_pyramid(x[0, 0])),
        ("^x is empty", lambda: ot.mip_pyramid(x[:0])),
        ("^x has dtype torch.int64", lambda: ot.mip_pyramid(x.long())),
        ("^levels is 0, expected 1 to 31", lambda: ot.mip_pyramid(x, 0)),
        ("^levels is 1.5", lambda: ot.mip_pyramid(x, 1.5)),
        ("^footprint is 'tight'", lambda: ot.mip_pyramid(x, footprint="tight")),
        (r"^size is \(0, 3\)", lambda: ot.resize_antialiased(x, (0, 3))),
        ("^size is 3", lambda: ot.resize_antialiased(x, 3)),
        ("^x has dtype torch.uint8, expected a floating", lambda: ot.resize_antialiased(x.byte(), (3, 3))),
        ("^weight must be", lambda: ot.fft_conv2d(x, np.ones((3, 3)))),
        (
            r"^weight has shape \(2, 3, 3\), expected \(h, w\) or \(1, h, w\)",
            lambda: ot.fft_conv2d(x, torch.rand(2, 3, 3)),
        ),
        ("^weight is 9 x 3, larger than x: 8 x 8", lambda: ot.fft_conv2d(x, torch.rand(9, 3), padding="valid")),
        ("^padding is 3", lambda: ot.fft_conv2d(x, torch.rand(3, 3), padding=3)),
        ("^boundary is 'reflect'", lambda: ot.fft_conv2d(x, torch.rand(3, 3), boundary="reflect")),
        ("^x has dtype torch.uint8, expected a floating", lambda: ot.fft_conv2d(x.byte(), torch.rand(3, 3))),
    ]:
        with pytest.raises(onepass.ArgumentError, match=message):
            call()


@pytest.mark.skipif(not hasattr(torch, "compile"), reason="this PyTorch has no torch.compile")
def test_compiled_functions_have_no_break(device):
    x = torch.rand(2, 3, 20, 33, device=device, requires_grad=True)

    def loss(image):
        return sum((level * level).sum() for level in ot.mip_pyramid(image))

    expected = torch.autograd.grad(loss(x), x)[0]
    made = torch.autograd.grad(torch.compile(loss, backend="aot_eager", fullgraph=True)(x), x)[0]
    torch.testing.assert_close(made, expected)


@pytest.mark.skipif("cuda" not in DEVICES, reason="PyTorch has no CUDA device")
def test_work_is_on_the_current_stream_and_can_be_captured():
    x = torch.rand(2, 3, 300, 200, device="cuda")
    ot.mip_pyramid(x)  # loads the kernels
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        levels = ot.mip_pyramid(x)
    x.copy_(torch.rand_like(x))
    graph.replay()
    torch.cuda.synchronize()
    for level, right in zip(levels, ot.mip_pyramid(x)):
        assert torch.equal(level, right)
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(20_000_000)
        x.fill_(3)
        last = ot.mip_pyramid(x)[-1]
    stream.synchronize()
    assert bool((last == 3).all())
    with pytest.raises(onepass.UnsupportedError, match="^x is in CUDA memory"):
        ot.fft_conv2d(x, torch.rand(3, 3, device="cuda"))


@pytest.mark.skipif("cuda" not in DEVICES, reason="PyTorch has no CUDA device")
def test_functions_for_arrays_take_cuda_tensors():
    depth = torch.rand(1, 33, 47, 1, device="cuda")
    levels = onepass.hiz(depth)
    for level, right in zip(levels, onepass.hiz(depth.cpu().numpy())):
        np.testing.assert_array_equal(level.cpu().numpy(), right)
    again = onepass.hiz(depth, out=[torch.zeros_like(level) for level in levels[1:]])
    assert all(torch.equal(a, b) for a, b in zip(levels, again))
    with pytest.raises(onepass.ArgumentError, match="^a requires a gradient"):
        onepass.mips(depth.requires_grad_())


def test_an_error_leaves_gradients_as_they_are():
    x = torch.rand(1, 1, 4, 4, requires_grad=True)
    with pytest.raises(onepass.ArgumentError, match="levels") as held:
        ot.mip_pyramid(x, 9)
    ot.mip_pyramid(x)[1].sum().backward()
    assert held and torch.equal(x.grad, torch.full_like(x, 0.25))


def test_the_package_needs_no_torch():
    import subprocess
    import sys

    text = "import sys; sys.modules['torch'] = None; import onepass; assert 'onepass.torch' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", text], check=False).returncode == 0
