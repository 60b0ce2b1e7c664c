"""Shared parts of the tests."""
import numpy as np
import pytest


@pytest.fixture
def rng():
    return np.random.default_rng(20240607)


def sample(rng, shape, dtype):
    """Random numbers over the range of an image dtype."""
    dtype = np.dtype(dtype)
    if dtype.kind == "u":
        return rng.integers(0, np.iinfo(dtype).max, shape, dtype, endpoint=True)
    return rng.random(shape).astype(dtype)
