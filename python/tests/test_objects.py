"""Objects: representations, copies by pickle, files that are objects, names that are not text, threads=0."""
import copy
import inspect
import io
import os
import pickle
import sys

import numpy as np
import pytest
from conftest import sample

import onepass


@pytest.mark.parametrize(
    "duplicate", [copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))], ids=["deepcopy", "pickle"]
)
def test_objects_are_copied_with_their_options(rng, duplicate):
    a = sample(rng, (20, 30, 4), np.uint8)
    pyramid = onepass.Pyramid(a.shape, a.dtype, reduction="max", footprint="ceil", levels=3, threads=1)
    for actual, expected in zip(duplicate(pyramid).build(a), pyramid.build(a)):
        assert np.array_equal(actual, expected)
    assert repr(duplicate(pyramid)) == repr(pyramid)
    b = sample(rng, (16, 12), np.float32)
    transform = onepass.Transform(b.shape, norm="ortho")
    assert np.array_equal(duplicate(transform).forward(b), transform.forward(b))
    meter = onepass.Meter(key=0.3, mask=np.ones((16, 12), np.float32))
    first = meter.measure(b)
    other = duplicate(meter)
    for m in (meter, other):
        m.measure(b * 8, seconds=0.1)
    assert other.measure(b, seconds=0.1).exposure == meter.measure(b, seconds=0.1).exposure != first.exposure
    again = duplicate(first)
    assert again.exposure == first.exposure and np.array_equal(again.histogram, first.histogram)
    picture = onepass.Picture([a], color="srgb", type="PNG")
    assert np.array_equal(duplicate(picture).pixels, a) and duplicate(picture).color == "srgb"


def test_representations_are_short_and_say_what_it_is(rng):
    assert repr(onepass.Pyramid((4, 6), np.uint8)) == "Pyramid((4, 6), uint8)"
    assert repr(onepass.Pyramid((4, 6), reduction="min", threads=2)) == (
        "Pyramid((4, 6), float32, reduction='min', threads=2)"
    )
    assert repr(onepass.Transform((4, 6), norm="ortho")) == "Transform((4, 6), float32, norm='ortho')"
    assert repr(onepass.Meter(key=0.2, color="srgb")) == "Meter(key=0.2, color='srgb')"
    picture = onepass.Picture(onepass.mips(sample(rng, (64, 32, 4), np.uint8)), color="srgb", type="KTX2")
    assert repr(picture) == "<Picture KTX2: (64, 32, 4) uint8, srgb, 7 levels>"


@pytest.mark.parametrize("type", [".png", "exr", ".KTX2", ".tif"])
def test_file_objects_are_read_and_written(rng, type, tmp_path):
    a = sample(rng, (9, 13, 4), np.uint8 if type == ".png" else np.float32)
    file = io.BytesIO()
    file.write(b"before")
    onepass.write(file, a, type=type)
    content = file.getvalue()[6:]
    name = tmp_path / ("a" + type.lower() if type.startswith(".") else "a." + type)
    onepass.write(name, a)
    assert content == name.read_bytes()
    file.seek(6)
    assert np.array_equal(onepass.read(file).pixels, a) and file.read() == b""
    with open(name, "rb") as opened:
        assert np.array_equal(onepass.read(opened).pixels, a)


def test_mistakes_with_file_objects(tmp_path):
    a = np.zeros((4, 4), np.uint8)
    for call, argument in (
        (lambda: onepass.write(io.BytesIO(), a), "type"),
        (lambda: onepass.write(io.BytesIO(), a, type=".webp"), "type"),
        (lambda: onepass.write(tmp_path / "a.png", a, type=".png"), "type"),
        (lambda: onepass.read(io.StringIO("text")), "file"),
    ):
        with pytest.raises(onepass.ArgumentError) as raised:
            call()
        assert raised.value.argument == argument
    damaged = tmp_path / "damaged.png"
    damaged.write_bytes(b"\x89PNG\r\n\x1a\n")
    with open(damaged, "rb") as file, pytest.raises(onepass.DataError, match="damaged.png"):
        onepass.read(file)


@pytest.mark.skipif(sys.platform != "linux", reason="names of other systems are text")
@pytest.mark.parametrize("name", [b"caf\xe9", "caf\u00e9".encode(), b"\xff\xfe"])
def test_names_that_are_not_utf8(rng, tmp_path, name):
    a = sample(rng, (300, 280), np.uint8)
    path = os.path.join(os.fsencode(tmp_path), name)
    for given in (path + b".png", os.fsdecode(path + b".png")):
        onepass.write(given, a)
        assert np.array_equal(onepass.read(os.fsdecode(given)).pixels, a)
    assert os.listdir(os.fsencode(tmp_path)) == [name + b".png"]
    report = onepass.tiles(path + b".png", os.fsdecode(path) + ".tif", color="linear", compression="deflate")
    assert [os.fsencode(output) for output in report.outputs] == [path + b".tif"]
    report = onepass.tiles(a, path + b".zarr")
    assert os.path.isdir(path + b".zarr") and os.fsencode(report.outputs[0]) == path + b".zarr"
    with pytest.raises(onepass.NotFoundError):
        onepass.read(os.fsdecode(path + b".missing.png"))


def test_threads_of_0_are_all(rng):
    a = sample(rng, (64, 64), np.float32)
    assert np.array_equal(onepass.rfft2(a, threads=0), onepass.rfft2(a))
    assert np.array_equal(onepass.mips(a, threads=0)[2], onepass.mips(a)[2])


def test_help_shows_plain_types():
    for name in onepass.__all__:
        value = getattr(onepass, name)
        if inspect.isclass(value) and issubclass(value, (Exception, tuple)):
            continue
        text = str(inspect.signature(value))
        assert not any(word in text for word in ("Any", "Literal", "NDArray", "_types", "'str'", "Optional")), text
    assert "reduction: str = 'mean'" in str(inspect.signature(onepass.build_pyramid))
    assert "levels: int or None = None" in str(inspect.signature(onepass.build_pyramid))
