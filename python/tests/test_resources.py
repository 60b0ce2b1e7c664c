"""Memory, reference counts, threads and interruption."""
import gc
import multiprocessing
import os
import signal
import sys
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from conftest import sample

import onepass


def resident_bytes():
    """Anonymous memory: resident pages of files come and go with the system's page cache."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("RssAnon:"))


CALLS = {
    "mips": lambda a: onepass.mips(a),
    "rgb": lambda a: onepass.mips(a[..., :3].copy()),
    "rfft2": lambda a: onepass.rfft2(a[..., 0]),
    "convolve": lambda a: onepass.convolve(a, np.ones((3, 3))),
    "tonemap": lambda a: onepass.tonemap(a, "reinhard"),
    "meter": lambda a: onepass.meter(a),
    "error": lambda a: pytest.raises(onepass.Error, onepass.mips, a, footprint="round"),
}


def growth_over_ten_thousand_calls(name):
    a = sample(np.random.default_rng(1), (32, 32, 4), np.float32)
    call = CALLS[name]
    for _ in range(1000):
        call(a)
    gc.collect()
    before = resident_bytes()
    for _ in range(10_000):
        call(a)
    gc.collect()
    return resident_bytes() - before


@pytest.mark.parametrize("name", CALLS)
def test_memory_is_flat_over_ten_thousand_calls(name):
    # A process of its own: the kernel may merge free pages of earlier tests into resident huge pages at any time.
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        growth = pool.apply(growth_over_ten_thousand_calls, (name,))
    assert growth < 1 << 20  # less than 105 bytes per call


@pytest.mark.parametrize("name", [name for name in CALLS if name != "error"])
def test_references_are_released(rng, name):
    a = sample(rng, (32, 32, 4), np.float32)
    CALLS[name](a)
    before = sys.getrefcount(a)
    for _ in range(50):
        CALLS[name](a)
    assert sys.getrefcount(a) == before
    alive = weakref.ref(a)
    del a
    gc.collect()
    assert alive() is None


def test_objects_are_freed():
    onepass.clear_cache()
    gc.collect()
    before = resident_bytes()
    for _ in range(30):
        transform = onepass.Transform((512, 512, 4))
        transform.forward(np.zeros((512, 512, 4), np.float32))
        del transform
    gc.collect()
    assert resident_bytes() - before < 64 << 20  # one object and its spectrum need some 12 MB


def test_clear_cache_frees_engines():
    for size in range(600, 640, 4):
        onepass.rfft2(np.zeros((size, size), np.float32))
    onepass.clear_cache()
    from onepass import _cache

    assert _cache._count == 0 and not _cache._idle


def test_the_cache_has_a_limit():
    from onepass import _cache

    for size in range(8, 60):
        onepass.rfft2(np.zeros((size, size), np.float32))
        assert _cache._count <= _cache._LIMIT
        assert sum(len(engines) for engines in _cache._idle.values()) == _cache._count


def test_calls_from_many_threads(rng):
    images = [sample(rng, (64 + n, 80), np.float32) for n in range(4)]
    expected = [(onepass.mips(a)[1], onepass.rfft2(a), onepass.filter(a)) for a in images]

    def work(n):
        a = images[n % 4]
        return n % 4, (onepass.mips(a)[1], onepass.rfft2(a), onepass.filter(a))

    with ThreadPoolExecutor(8) as pool:
        for n, results in pool.map(work, range(200)):
            for actual, reference in zip(results, expected[n]):
                assert np.array_equal(actual, reference)


def test_one_object_in_many_threads(rng):
    images = [sample(rng, (64, 80, 3), np.float32) for _ in range(4)]
    expected = [onepass.mips(a) for a in images]
    pyramid = onepass.Pyramid((64, 80, 3), np.float32)
    transform = onepass.Transform((64, 80, 3))
    spectra = [transform.forward(a) for a in images]

    def work(n):
        return n % 4, pyramid.build(images[n % 4]), transform.forward(images[n % 4])

    with ThreadPoolExecutor(8) as pool:
        for n, levels, spectrum in pool.map(work, range(200)):
            assert np.array_equal(spectrum, spectra[n])
            for actual, reference in zip(levels, expected[n]):
                assert np.array_equal(actual, reference)


def test_the_gil_is_released(rng):
    a = sample(rng, (1000, 1000, 4), np.float32)
    onepass.filter(a, threads=1)
    ticks = 0
    done = threading.Event()

    def count():
        nonlocal ticks
        while not done.is_set():
            ticks += 1
            time.sleep(0.0005)

    thread = threading.Thread(target=count)
    thread.start()
    before = ticks
    onepass.filter(a, threads=1)
    during = ticks - before
    done.set()
    thread.join()
    assert during > 10


def large():
    """An image whose pyramid takes long enough for reports; its pages are never written."""
    return np.zeros((14000, 14000, 4), np.uint8)


def test_progress_reports_and_cancels():
    a = large()
    seen = []
    levels = onepass.mips(a, progress=seen.append, threads=1)
    assert len(seen) > 1 and seen == sorted(seen) and seen[-1] == 1.0 and all(0 <= fraction <= 1 for fraction in seen)
    with pytest.raises(onepass.CancelledError) as raised:
        onepass.mips(a, progress=lambda fraction: False, threads=1)
    assert raised.value.code == "cancelled"
    assert onepass.mips(a)[-1].shape == levels[-1].shape


def test_an_exception_of_progress_is_passed_on():
    a = large()

    def fail(fraction):
        raise KeyError("from the callback")

    with pytest.raises(KeyError, match="from the callback"):
        onepass.mips(a, progress=fail, threads=1)
    assert onepass.mips(a, levels=2)[1].shape == (7000, 7000, 4)


def test_keyboard_interrupt_stops_a_pyramid():
    a = large()
    timer = threading.Timer(0.02, os.kill, (os.getpid(), signal.SIGINT))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # background processes of shells ignore it
    try:
        with pytest.raises(KeyboardInterrupt):
            timer.start()
            for _ in range(20):
                onepass.mips(a, threads=1)
        timer.join()
    finally:
        signal.signal(signal.SIGINT, before)
    assert onepass.mips(a[:64, :64])[1].shape == (32, 32, 4)


def test_deconvolve_reports_and_cancels(rng):
    a, blur = sample(rng, (200, 300), np.float32), np.ones((3, 3))
    seen = []
    restored = onepass.deconvolve(a, blur, "richardson_lucy", iterations=50, progress=seen.append)
    assert seen == sorted(seen) and seen[-1] == 1.0 and all(0 <= fraction <= 1 for fraction in seen)
    assert np.array_equal(restored, onepass.deconvolve(a, blur, "richardson_lucy", iterations=50))
    with pytest.raises(onepass.CancelledError):  # minutes, were it not cancelled
        onepass.deconvolve(a, blur, "richardson_lucy", iterations=10000, progress=lambda fraction: False)
    with pytest.raises(onepass.ArgumentError, match="progress is of type int, expected a function"):
        onepass.deconvolve(a, blur, progress=1)
    with pytest.raises(onepass.ArgumentError, match="progress"):
        onepass.mips(a, progress=1)


def test_keyboard_interrupt_stops_a_deconvolution(rng):
    a, blur = sample(rng, (700, 700), np.float32), np.ones((3, 3))
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):  # minutes, were it not stopped
            timer.start()
            onepass.deconvolve(a, blur, "richardson_lucy", iterations=10000)
        timer.join()
    finally:
        signal.signal(signal.SIGINT, before)
    assert onepass.deconvolve(a, blur).shape == a.shape


def test_engines_work_after_a_fork(rng):
    a = sample(rng, (300, 300), np.float32)
    expected = onepass.mips(a, threads=1)[1]
    child = os.fork()
    if child == 0:
        status = 1
        try:
            status = 0 if np.array_equal(onepass.mips(a, threads=1)[1], expected) else 2
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
