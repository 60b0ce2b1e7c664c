"""Children of os.fork(): calls end, with the parent's results, or raise; they never wait for threads of the parent."""
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from conftest import sample

import onepass

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")


def in_child(function, seconds=60):
    """Whether function() returns True in a forked child."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            status = 0 if function() is True else 2
        finally:
            os._exit(status)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status) == 0
        time.sleep(0.001)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    pytest.fail("the child did not end")


@pytest.fixture
def work(rng, tmp_path):
    """Calls of every kind of thread pool, and objects with engines; returns True if results are those of the parent."""
    a = sample(rng, (300, 257), np.float32)
    colours = sample(rng, (300, 257, 4), np.float16)
    pyramid, transform, meter = onepass.Pyramid(a.shape), onepass.Transform(a.shape), onepass.Meter()
    names = [tmp_path / name for name in ("a.exr", "a.png", "a.tif", "a.ktx2")]
    for name in names:
        onepass.write(name, colours)

    def run(folder):
        results = [
            onepass.mips(a)[3],
            onepass.rfft2(a),
            onepass.convolve(a, np.ones((5, 5))),
            onepass.tonemap(colours),
            pyramid.build(a)[2],
            transform.forward(a),
            np.float32(meter.measure(a, cut=True).exposure),
        ]
        results += [onepass.read(name).pixels for name in names]
        output = folder / f"{os.getpid()}.tif"
        onepass.write(folder / f"{os.getpid()}.exr", colours)
        onepass.tiles(np.uint8(a * 255), output, compression="deflate", color="linear")
        return results + [onepass.read(output).pixels]

    expected = run(tmp_path)

    def same():
        results = run(tmp_path)
        return len(results) == len(expected) and all(map(np.array_equal, results, expected))

    return same


def test_children_work(work):
    for _ in range(25):
        assert work() and in_child(work)


def test_children_of_children_work(work):
    assert in_child(lambda: in_child(work))


EXITS = """
import os, sys
import numpy as np, onepass
a = np.random.default_rng(1).random((300, 257, 4), np.float32)
pyramid = onepass.Pyramid(a.shape)
expected = pyramid.build(a)[2]
onepass.write("a.exr", a)
for use in (True, False) * 5:
    assert np.array_equal(onepass.read("a.exr").pixels, a)
    child = os.fork()
    if child == 0:
        right = not use or (np.array_equal(onepass.read("a.exr").pixels, a)
                            and np.array_equal(pyramid.build(a)[2], expected))
        sys.exit(0 if right else 2)  # static objects are destroyed
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
"""


def test_children_end_by_exit(tmp_path):
    subprocess.run([sys.executable, "-c", EXITS], cwd=tmp_path, check=True, timeout=120)


def test_children_of_a_process_in_the_middle_of_calls(rng):
    a = sample(rng, (500, 500), np.float32)
    pyramid = onepass.Pyramid(a.shape)
    expected = onepass.mips(a)[2]
    stop = threading.Event()

    def busy():
        while not stop.is_set():
            pyramid.build(a)
            onepass.mips(a)
            onepass.clear_cache()

    threads = [threading.Thread(target=busy) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(30):
            assert in_child(
                lambda: np.array_equal(onepass.mips(a)[2], expected)
                and np.array_equal(pyramid.build(a)[2], expected)
                and onepass.copied_bytes() >= 0
            )
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def test_children_cannot_use_the_vulkan_of_the_parent(rng):
    a = sample(rng, (64, 64), np.float32)
    try:
        onepass.rfft2(a, engine="vulkan")
    except onepass.Error:
        pytest.skip("no Vulkan device")
    transform = onepass.Transform(a.shape, engine="vulkan")

    def refused():
        for call in (
            lambda: onepass.rfft2(a, engine="vulkan"),
            lambda: onepass.mips(a, engine="vulkan:0"),
            lambda: transform.forward(a),
            onepass.devices,
        ):
            with pytest.raises(onepass.UnsupportedError, match="fork"):
                call()
        return onepass.rfft2(a).shape == (64, 33)

    for _ in range(5):
        assert in_child(refused)
    assert transform.forward(a).shape == (64, 33)
