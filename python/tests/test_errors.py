"""Bad arguments raise typed errors that name the argument, and never crash."""
import itertools
import pickle
import random

import numpy as np
import pytest

import onepass

A = np.ones((8, 9, 4), np.float32)
GREY = np.ones((8, 9), np.float32)


@pytest.mark.parametrize(
    "call,argument",
    [
        (lambda: onepass.mips(np.zeros((0, 5), np.uint8)), "a"),
        (lambda: onepass.mips(np.zeros((5, 5, 0), np.uint8)), "a"),
        (lambda: onepass.mips(np.zeros(5, np.uint8)), "a"),
        (lambda: onepass.mips(np.zeros((2, 2, 2, 2, 2), np.uint8)), "a"),
        (lambda: onepass.mips(np.zeros((5, 5, 5), np.uint8)), "a"),
        (lambda: onepass.mips(np.zeros((5, 5), np.int32)), "a"),
        (lambda: onepass.mips(np.zeros((5, 5), bool)), "a"),
        (lambda: onepass.mips(np.zeros((5, 5, 4), np.int16), alpha="weighted"), "a"),
        (lambda: onepass.build_pyramid(np.zeros((5, 5), np.int64), reduction="max"), "a"),
        (lambda: onepass.mips(np.zeros((10, 64, 64), np.uint8)), "a"),
        (lambda: onepass.mips(A, levels=2.0), "levels"),
        (lambda: onepass.mips(np.zeros((5, 5), complex)), "a"),
        (lambda: onepass.mips("text"), "a"),
        (lambda: onepass.mips(None), "a"),
        (lambda: onepass.mips(A, footprint="round"), "footprint"),
        (lambda: onepass.mips(A, footprint=3), "footprint"),
        (lambda: onepass.mips(A, filter="gauss"), "filter"),
        (lambda: onepass.mips(A, filter="kaiser", footprint="edge"), "filter"),
        (lambda: onepass.mips(A, filter="kaiser", filter_input="finest"), "filter_input"),
        (lambda: onepass.mips(A, filter="kaiser", boundary="zero"), "boundary"),
        (lambda: onepass.mips(A, filter="kaiser", boundary="reflect"), "boundary"),
        (lambda: onepass.mips(A, filter="kaiser", alpha="weighted"), "ringing"),
        (lambda: onepass.mips(A, filter="kaiser", ringing=1), "ringing"),
        (lambda: onepass.mips(A, filter="kaiser", kaiser_width=99), "kaiser_width"),
        (lambda: onepass.mips(A, filter="kaiser", kaiser_alpha=-1), "kaiser_alpha"),
        (lambda: onepass.mips(A, color="rgb"), "color"),
        (lambda: onepass.mips(A, color="srgb"), "a"),
        (lambda: onepass.mips(A, threads=-1), "threads"),
        (lambda: onepass.mips(A, threads="two"), "threads"),
        (lambda: onepass.mips(A, threads=2.5), "threads"),
        (lambda: onepass.mips(A, levels=99), "out"),
        (lambda: onepass.mips(A, engine="cuda"), "engine"),
        (lambda: onepass.mips(A, out=A), "out"),
        (lambda: onepass.mips(A, out=5), "out"),
        (lambda: onepass.mips(A, out=[np.zeros((4, 4, 4), np.float32)]), "out"),
        (lambda: onepass.mips(A, out=[np.zeros((4, 4, 4), np.uint8)] * 3), "out[0]"),
        (lambda: onepass.mips(A, alpha_threshold=float("nan"), alpha="coverage"), "alpha_threshold"),
        (lambda: onepass.build_pyramid(A, reduction="mode"), "a"),
        (lambda: onepass.build_pyramid(A, reduction="sum"), "reduction"),
        (lambda: onepass.roughness_mips(GREY), "normals"),
        (lambda: onepass.roughness_mips(A.astype(np.int32)), "normals"),
        (lambda: onepass.roughness_mips(A, 1.5), "roughness"),
        (lambda: onepass.roughness_mips(A, "rough"), "roughness"),
        (lambda: onepass.roughness_mips(A, GREY[:4]), "roughness"),
        (lambda: onepass.roughness_mips(A, GREY, channel=1), "channel"),
        (lambda: onepass.roughness_mips(A, 0.5, channel=1), "channel"),
        (lambda: onepass.roughness_mips(A, variance="lean"), "variance"),
        (lambda: onepass.roughness_mips(A, threads=-1), "threads"),
        (lambda: onepass.height_to_normals(A), "heights"),
        (lambda: onepass.height_to_normals(GREY, scale=float("nan")), "scale"),
        (lambda: onepass.height_to_normals(GREY, boundary="zero"), "boundary"),
        (lambda: onepass.height_to_normals(GREY, boundary="edge"), "boundary"),
        (lambda: onepass.height_to_normals(GREY, normal_y="left"), "normal_y"),
        (lambda: onepass.height_to_normals(GREY, dtype=np.int16), "dtype"),
        (lambda: onepass.tile_reduce(A, 3), "factor"),
        (lambda: onepass.tile_reduce(A, 2**70), "factor"),
        (lambda: onepass.rfft2(np.zeros((0, 4))), "a"),
        (lambda: onepass.rfft2(np.zeros(4)), "a"),
        (lambda: onepass.rfft2(A * 1j), "a"),
        (lambda: onepass.rfft2(A, axes=(0, 0)), "axes"),
        (lambda: onepass.rfft2(A, axes=(0, 9)), "axes"),
        (lambda: onepass.rfft2(A, axes=5), "axes"),
        (lambda: onepass.rfft2(A, s=(0, 4)), "s"),
        (lambda: onepass.rfft2(A, s="x"), "s"),
        (lambda: onepass.rfft2(A, s=(10.9, 10)), "s"),
        (lambda: onepass.irfft2(A, s=(8, 9.0)), "s"),
        (lambda: onepass.rfft2(A, axes=(0.9, 1.9)), "axes"),
        (lambda: onepass.rfft2(A, workers=1.5), "workers"),
        (lambda: onepass.rfft2(A, threads=1.5), "threads"),
        (lambda: onepass.Pyramid((4.5, 4)), "shape"),
        (lambda: onepass.Transform((4, 4.0)), "shape"),
        (lambda: onepass.next_smooth_size(5.0), "n"),
        (lambda: onepass.update(A, [np.zeros((4, 4, 4), np.float32)], (0, 1.5, 0, 1)), "changed"),
        (lambda: onepass.meter(A, rect=(0, 1.5, 0, 1)), "rect"),
        (lambda: onepass.tile_reduce(A, 4.0), "factor"),
        (lambda: onepass.tile_reduce(A, reduction="mode"), "reduction"),
        (lambda: onepass.deconvolve(A, np.ones((3, 3)), iterations=2.5), "iterations"),
        (lambda: onepass.bloom(A, rays=1.5), "rays"),
        (lambda: onepass.write("x.png", A, effort=1.5), "effort"),
        (lambda: onepass.read("x.png", max_bytes=1e9), "max_bytes"),
        (lambda: onepass.rfft2(A, norm="unit"), "norm"),
        (lambda: onepass.rfft2(A, workers=0), "workers"),
        (lambda: onepass.rfft2(GREY, out=np.zeros((8, 5))), "out"),
        (lambda: onepass.rfft2(GREY, s=(70000, 4)), "a"),
        (lambda: onepass.convolve(A, np.zeros((0, 3))), "kernel"),
        (lambda: onepass.convolve(A, np.zeros(3)), "kernel"),
        (lambda: onepass.convolve(A, "k"), "kernel"),
        (lambda: onepass.convolve(A, np.ones((3, 3)), origin=(9, 9)), "origin"),
        (lambda: onepass.convolve(A, np.ones((3, 3)), origin=4), "origin"),
        (lambda: onepass.convolve(A, np.ones((3, 3)), origin=(0.5, 1)), "origin"),
        (lambda: onepass.convolve(A, np.ones((3, 3)), "circular"), "mode"),
        (lambda: onepass.filter(A, cutoff=-1), "cutoff"),
        (lambda: onepass.filter(A, sigma=0), "sigma"),
        (lambda: onepass.filter(A, notches=[(1, 2)]), "notches"),
        (lambda: onepass.filter(A, notches=[(0.1, 0.1, 0.01)] * 40), "notches"),
        (lambda: onepass.align(A, A[:4]), "b"),
        (lambda: onepass.deconvolve(A, np.ones((3, 3)), "richardson_lucy", iterations=0), "iterations"),
        (lambda: onepass.meter(A, key=-1), "key"),
        (lambda: onepass.meter(A, mask=np.ones((3, 3))), "mask"),
        (lambda: onepass.meter(A, rect=np.s_[5:2, 0:1]), "rect"),
        (lambda: onepass.meter(A, key=1e-46), "key"),
        (lambda: onepass.meter(A, delta=1e300), "delta"),
        (lambda: onepass.meter(A, percentiles=(0.5,)), "percentiles"),
        (lambda: onepass.tonemap(A, "filmic"), "operator"),
        (lambda: onepass.tonemap(A, exposure=0), "exposure"),
        (lambda: onepass.tonemap(A, exposure=1e-46), "exposure"),
        (lambda: onepass.tonemap(A, exposure=3.5e38), "exposure"),
        (lambda: onepass.tonemap(A, exposure=10**400), "exposure"),
        (lambda: onepass.tonemap(A, white=np.float64(1e39)), "white"),
        (lambda: onepass.local_exposure(A, exposure=1e-46), "exposure"),
        (lambda: onepass.Meter().measure(A, seconds=1e40), "seconds"),
        (lambda: onepass.filter(A, notches=[(0.1, 0.2, 1e-50)]), "notches"),
        (lambda: onepass.convolve(A, np.ones((3, 3)), boundary="reflect"), "boundary"),
        (lambda: onepass.bloom(A, boundary="symmetric"), "boundary"),
        (lambda: onepass.tonemap(A, exposure="bright"), "exposure"),
        (lambda: onepass.tonemap(A, dtype=np.int32), "dtype"),
        (lambda: onepass.tonemap(A, dtype="nonsense"), "dtype"),
        (lambda: onepass.local_exposure(np.ones((4, 4), np.uint8)), "a"),
        (lambda: onepass.bloom(A, scatter=2), "scatter"),
        (lambda: onepass.read(5), "file"),
        (lambda: onepass.read("a\0b"), "file"),
        (lambda: onepass.read("a.png", primaries=(1, 2)), "primaries"),
        (lambda: onepass.write(5, A), "file"),
        (lambda: onepass.Pyramid((4,), np.float32), "a"),
        (lambda: onepass.Pyramid((4, 4), np.float32).build(A), "a"),
        (lambda: onepass.Transform((4, 4), np.uint8), "dtype"),
        (lambda: onepass.next_smooth_size(-1), "n"),
        (lambda: onepass.rfft3(A, s=(4, 4)), "s"),
        (lambda: onepass.rfft3(GREY), "a"),
        (lambda: onepass.fft3(A, axes=(0, 1, 1)), "axes"),
        (lambda: onepass.rfft3(A, norm="unit"), "norm"),
        (lambda: onepass.irfft3(A, out=np.zeros((8, 9, 4))), "out"),
        (lambda: onepass.convolve3(GREY, A), "volume"),
        (lambda: onepass.convolve3(A.astype(np.uint64), A), "volume"),
        (lambda: onepass.convolve3(A, GREY), "kernel"),
        (lambda: onepass.convolve3(A, A, boundary="reflect"), "boundary"),
        (lambda: onepass.convolve3(A, A, dtype=np.float64), "dtype"),
        (lambda: onepass.deconvolve3(A, A, 0), "iterations"),
        (lambda: onepass.deconvolve3(A, A, origin=(9, 0, 0)), "origin"),
        (lambda: onepass.deconvolve3(A, A, background=-1), "background"),
        (lambda: onepass.deconvolve3(A, A, max_bytes=1000), "max_bytes"),
        (lambda: onepass.deconvolve3(A, A, halo=(1, 2)), "halo"),
    ],
)
def test_errors_name_the_argument(call, argument):
    with pytest.raises(ValueError) as raised:
        call()
    assert isinstance(raised.value, onepass.ArgumentError)
    assert raised.value.code == "invalid_argument"
    assert raised.value.argument == argument, raised.value
    assert str(raised.value)


def test_read_only_out_is_refused():
    out = np.zeros((8, 9), np.float32)
    out.flags.writeable = False
    with pytest.raises(onepass.ArgumentError, match="read-only"):
        onepass.filter(GREY, out=out)


def test_classes_of_errors():
    assert issubclass(onepass.ArgumentError, ValueError) and issubclass(onepass.ArgumentError, onepass.Error)
    assert issubclass(onepass.NotFoundError, FileNotFoundError)
    assert issubclass(onepass.FileError, OSError)
    assert issubclass(onepass.OutOfMemoryError, MemoryError)
    assert issubclass(onepass.DataError, ValueError)


def test_errors_can_be_pickled():
    with pytest.raises(onepass.Error) as raised:
        onepass.mips(A, footprint="round")
    again = pickle.loads(pickle.dumps(raised.value))
    assert type(again) is onepass.ArgumentError and again.argument == "footprint"


def test_an_engine_works_after_an_error():
    onepass.mips(GREY)
    for _ in range(3):
        with pytest.raises(onepass.Error):
            onepass.mips(GREY, out=[])
    assert onepass.mips(GREY)[-1].shape == (1, 1)


class Hostile:
    """An object whose conversions raise."""

    def __index__(self):
        raise RuntimeError("index")

    def __float__(self):
        raise RuntimeError("float")

    def __iter__(self):
        raise RuntimeError("iter")

    def __len__(self):
        return -1


# fmt: off
def odd_values():
    wide = np.ones((8, 9, 4), np.float32)
    return [None, True, 0, -1, 1, 7, 2 ** 31, 2 ** 63, 2 ** 200, 0.5, float("nan"), float("inf"), 1j, "", "max", "mean",
            "\ud800", "x" * 1000, b"", b"bytes", (), (1, 2), [1, 2, 3], [[1.0, 2.0], [3.0]], {}, {"a": 1}, {1}, range(3),
            slice(0, 3), np.s_[0:2, 0:3], object(), Hostile(), type, len, iter([]), Ellipsis, np.float32(1), np.int64(3),
            np.nan, wide, wide[:, ::-1], wide[::2], wide[0], wide[..., 0], wide.astype(np.float16), wide * 1j,
            np.ones((8, 9), np.uint8), np.ones((8, 9), bool), np.array("s"), np.array(None), np.zeros((0, 0)),
            np.zeros((3, 0, 4), np.uint8), np.ones((1, 1), np.float32), np.empty((2, 2), object),
            np.broadcast_to(np.float32(1), (8, 9)), np.ones((8, 9), "M8[s]"), np.ones((8, 9), [("r", "f4")]),
            np.ones((2,) * 12, np.float32), memoryview(b"abc"), [wide[:4, :4]], [np.ones((4, 4, 4), np.float32)] * 3]


FUNCTIONS = ["mips", "hiz", "min_max_pyramid", "build_pyramid", "update", "tile_reduce", "fft2", "ifft2", "rfft2",
             "irfft2", "convolve", "deconvolve", "filter", "align", "correlate", "meter", "tonemap", "local_exposure",
             "bloom", "roughness_mips", "height_to_normals", "mips3d", "rfft3", "irfft3", "fft3", "ifft3", "convolve3", "match_templates", "read", "next_smooth_size", "Pyramid", "Transform", "Meter"]
NAMES = ["a", "b", "kernel", "levels", "changed", "out", "threads", "engine", "footprint", "reduction", "alpha",
         "alpha_threshold", "normal_map", "progress", "factor", "color", "s", "axes", "norm", "workers", "mode", "boundary",
         "origin", "scale", "mix", "method", "iterations", "noise", "cutoff", "order", "sigma", "notches", "kind", "window",
         "mask", "rect", "percentiles", "key", "operator", "exposure", "dtype", "transfer", "highlights", "drago", "gamma",
         "scatter", "threshold", "kernel_width", "volume", "acceleration", "background", "halo", "rays", "channels", "primaries", "max_bytes", "shape", "file"]
# fmt: on
ACCEPTED = (onepass.Error, TypeError, ValueError, RuntimeError, OverflowError, MemoryError, IndexError)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("seed", range(3))
def test_any_argument_ends_in_a_result_or_an_error(name, seed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    function = getattr(onepass, name)
    rng = random.Random(f"{name}-{seed}")
    values = odd_values()
    allowed = function.__init__.__code__ if isinstance(function, type) else function.__code__
    known = [n for n in NAMES if n in allowed.co_varnames[: allowed.co_argcount + allowed.co_kwonlyargcount]]
    ends = {"result": 0, "error": 0}
    for _ in range(250):
        positional = [rng.choice(values) for _ in range(rng.randint(0, 2))]
        if rng.random() < 0.6:
            positional[:1] = [A]
        keywords = {n: rng.choice(values) for n in rng.sample(known, min(len(known), rng.randint(0, 3)))}
        keywords.pop("progress", None) if not callable(keywords.get("progress")) else None
        try:
            function(*positional, **keywords)
            ends["result"] += 1
        except ACCEPTED as error:
            assert str(error) or isinstance(error, (MemoryError, RuntimeError))
            ends["error"] += 1
    assert ends["error"] > 50 and sum(ends.values()) == 250


def test_numbers_are_refused_where_float32_ends():
    from onepass import _options

    for value in [_options._BECOMES_INFINITE, _options._BECOMES_ZERO]:
        for near in (np.nextafter(value, 0), value, np.nextafter(value, np.inf)):
            with np.errstate(over="ignore"):
                single = np.float32(near)
            if single == 0 or np.isinf(single):
                with pytest.raises(onepass.ArgumentError, match="exposure"):
                    onepass.tonemap(GREY, exposure=near)
            else:
                onepass.tonemap(GREY, exposure=near)


def test_engines_refuse_what_the_package_would_not_pass():
    from onepass import _engines

    arrays = [
        np.ones((4, 4), np.float32)[:, ::-1],
        np.ones((4, 4), np.float32)[::-1],
        np.ones((4, 4), np.float64),
        np.ones((5, 4), np.float32),
        np.ones(4, np.float32),
        np.broadcast_to(np.float32(1), (4, 4)),
        np.ones((4, 8), np.float32)[:, ::2],
    ]
    pyramid = _engines.Pyramid((4, 4), "f", {})
    good = [np.empty((2, 2), np.float32), np.empty((1, 1), np.float32)]
    for a in arrays:
        with pytest.raises(onepass.ArgumentError):
            pyramid.build(a, good, None)
        with pytest.raises((onepass.ArgumentError, TypeError)):
            pyramid.build(np.ones((4, 4), np.float32), [a, a], None)
    with pytest.raises(onepass.ArgumentError):
        pyramid.build(np.ones((4, 4), np.float32), [1, 2], None)
    transform = _engines.Transform((4, 4), "f", {})
    for a, spectrum in itertools.product(
        arrays[:4], [np.empty((4, 3), np.complex64), np.empty((1, 4, 3, 1), np.float32)]
    ):
        with pytest.raises(onepass.ArgumentError):
            transform.forward(a, spectrum)
    with pytest.raises(onepass.ArgumentError):
        _engines.Pyramid((4, 4), "f", {"unknown": 1})
    with pytest.raises(onepass.ArgumentError):
        _engines.Pyramid((4, 4), "?", {})
