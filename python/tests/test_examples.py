"""The worked examples run, and their results have the properties that the documentation states."""
import importlib.util
import json
import pathlib

import numpy as np
import pytest

import onepass

FOLDER = pathlib.Path(__file__).parent.parent / "examples"


def example(name):
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_microscope(tmp_path):
    errors = example("microscope").main(tmp_path, 128)
    assert errors["richardson_lucy"] < errors["wiener"] < errors["image"]
    assert onepass.read(tmp_path / "microscope.png").pixels.shape == (128, 512)


def test_bracket(tmp_path):
    report = example("bracket").main(tmp_path, 240)
    assert report["stops"] > 8 and report["error"] < 0.03
    assert report["clipped"][2] < report["clipped"][1]  # local exposure keeps the window
    assert onepass.read(tmp_path / "bracket.png").pixels.shape == (320, 720, 3)


def test_particles(tmp_path):
    shares = example("particles").main(tmp_path, 320)
    assert shares["72"] > shares["mean"]
    assert onepass.read(tmp_path / "particles.png").pixels.shape == (320, 960, 3)


def test_segmentation(tmp_path):
    counts = example("segmentation").main(tmp_path, 200)
    assert counts["mode"] == 0 and counts["mean"] > 0
    attributes = json.loads((tmp_path / "cells.zarr" / ".zattrs").read_text())
    assert len(attributes["multiscales"][0]["datasets"]) == 6


def test_segmentation_is_read_by_zarr(tmp_path):
    zarr = pytest.importorskip("zarr")
    module = example("segmentation")
    labels = module.cells(300, 50, np.random.default_rng(1))
    levels = onepass.build_pyramid(labels, reduction="mode", footprint="ceil", levels=3)
    module.write_zarr(tmp_path / "cells.zarr", levels)
    group = zarr.open(str(tmp_path / "cells.zarr"), mode="r")
    for n, level in enumerate(levels):
        assert np.array_equal(group[str(n)][:], level)
