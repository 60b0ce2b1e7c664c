"""Every public name is documented, its example runs, and its types are known."""
import doctest
import inspect
import pathlib

import pytest

import onepass

PUBLIC = [getattr(onepass, name) for name in onepass.__all__]
FUNCTIONS = [value for value in PUBLIC if not (inspect.isclass(value) and issubclass(value, Exception))]


def members(value):
    yield value
    if inspect.isclass(value):
        for name, member in vars(value).items():
            if not name.startswith("_") and inspect.isfunction(member):
                yield member


@pytest.mark.parametrize("value", FUNCTIONS, ids=lambda value: value.__name__)
def test_examples_run(value):
    runner = doctest.DocTestRunner()
    found = 0
    for member in members(value):
        if inspect.isclass(value) and issubclass(value, tuple) and member is not value:
            continue
        for test in doctest.DocTestFinder(recurse=False).find(member, member.__name__, globs={}):
            found += len(test.examples)
            assert runner.run(test).failed == 0
    assert found > 0 or value in (onepass.Match, onepass.Shift, onepass.TileReport, onepass.VolumeReport)


def test_example_of_the_package_runs():
    (test,) = doctest.DocTestFinder(recurse=False).find(onepass, "onepass", globs={})
    assert test.examples and doctest.DocTestRunner().run(test).failed == 0


@pytest.mark.parametrize("value", FUNCTIONS, ids=lambda value: value.__name__)
def test_every_argument_is_described_and_typed(value):
    function = value.__init__ if inspect.isclass(value) else value
    if not inspect.isfunction(function) or value in (
        onepass.Picture,
        onepass.TileReport,
        onepass.VolumeReport,
        onepass.Measurement,
    ):
        return
    assert value.__doc__
    for name, parameter in inspect.signature(function).parameters.items():
        if name == "self":
            continue
        assert parameter.annotation is not inspect.Parameter.empty, name
        inherits = any(
            f"those of {other}" in value.__doc__ for other in ("build_pyramid", "align", "fft2", "rfft2", "fft3")
        )
        assert inherits or name in value.__doc__, f"{value.__name__} does not describe {name}"


def test_the_package_is_typed():
    folder = pathlib.Path(onepass.__file__).parent
    assert (folder / "py.typed").exists()
