#!/usr/bin/env python3
"""bench [NAME...]: times onepass beside the libraries that people use today, with checked results.

The calls of one case take turns in random order, round after round, so that other load of the machine meets all of them;
the smallest and the median time of each are reported. Prints a table in Markdown. Libraries that are not installed are left out.
"""
import argparse
import os
import platform
import statistics
import time

import numpy as np

import onepass

try:
    import cv2
except ImportError:
    cv2 = None
try:
    import PIL.Image
except ImportError:
    PIL = None
try:
    import pyfftw
except ImportError:
    pyfftw = None
try:
    import scipy.fft
    import scipy.signal
except ImportError:
    scipy = None
try:
    import skimage.restoration
    import skimage.transform
except ImportError:
    skimage = None

CORES = len(os.sched_getaffinity(0))
RNG = np.random.default_rng(1)


def close(actual, expected, tolerance, what):
    difference = np.abs(np.asarray(actual, np.complex128) - expected).max()
    if not difference <= tolerance:
        raise SystemExit(f"{what}: the results differ by {difference}")


def case_mips():
    """mips 4096x4096 uint8 RGBA"""
    a = RNG.integers(0, 256, (4096, 4096, 4), np.uint8)
    levels = onepass.mips(a)
    yield "onepass, out=", lambda: onepass.mips(a, out=levels)
    yield "onepass", lambda: onepass.mips(a)
    if cv2:

        def area():
            level, chain = a, [a]
            while max(level.shape[:2]) > 1:
                level = cv2.resize(level, (level.shape[1] // 2, level.shape[0] // 2), interpolation=cv2.INTER_AREA)
                chain.append(level)
            return chain

        close(area()[1], levels[1].astype(float), 1, "mips")
        yield "cv2.resize INTER_AREA", area

        def down():
            level = a
            while max(level.shape[:2]) > 1:
                level = cv2.pyrDown(level)
            return level

        yield "cv2.pyrDown (Gaussian)", down
    if PIL:
        image = PIL.Image.fromarray(a, mode="CMYK")  # four plain channels: RGBA would be weighted by alpha

        def reduce():
            level, chain = image, [image]
            while max(level.size) > 1:
                level = level.reduce(2)
                chain.append(level)
            return chain

        close(np.asarray(reduce()[1]), levels[1].astype(float), 1, "mips")
        yield "PIL Image.reduce", reduce
    if skimage:
        yield "skimage pyramid_gaussian", lambda: list(skimage.transform.pyramid_gaussian(a, channel_axis=2)), 1


def case_overhead():
    """mips 8x8 float32, the cost of a call"""
    a = np.ones((8, 8), np.float32)
    out = onepass.mips(a)
    pyramid = onepass.Pyramid(a.shape)
    many = range(1000)

    def function():
        for _ in many:
            onepass.mips(a, out=out)

    def method():
        for _ in many:
            pyramid.build(a, out=out)

    yield "1000 x onepass.mips, out=", function
    yield "1000 x Pyramid.build, out=", method


def transforms(height, width):
    a = RNG.random((height, width), np.float32)
    spectrum = onepass.rfft2(a)
    out = np.empty_like(a)
    expected = scipy.fft.rfft2(a.astype(float))
    close(np.linalg.norm(spectrum - expected) / np.linalg.norm(expected), 0, 5e-7, "rfft2")

    def both():
        onepass.rfft2(a, out=spectrum)
        onepass.irfft2(spectrum, s=a.shape, out=out)

    yield "onepass, out=", both
    yield f"scipy.fft, {CORES} workers", lambda: scipy.fft.irfft2(
        scipy.fft.rfft2(a, workers=CORES), s=a.shape, workers=CORES
    )
    yield "numpy.fft (double)", lambda: np.fft.irfft2(np.fft.rfft2(a), s=a.shape)
    if pyfftw:
        x, y = pyfftw.empty_aligned(a.shape, "float32"), pyfftw.empty_aligned(spectrum.shape, "complex64")
        there = pyfftw.FFTW(x, y, axes=(0, 1), threads=CORES, flags=("FFTW_MEASURE",))
        back = pyfftw.FFTW(y, x, axes=(0, 1), threads=CORES, direction="FFTW_BACKWARD", flags=("FFTW_MEASURE",))
        x[...] = a

        def fftw():
            there.execute()
            back.execute()

        yield "pyFFTW, measured plans, unscaled", fftw


def case_fft_1080():
    """rfft2 and irfft2 1920x1080 float32"""
    yield from transforms(1080, 1920)


def case_fft_2048():
    """rfft2 and irfft2 2048x2048 float32"""
    yield from transforms(2048, 2048)


def case_convolve():
    """convolve 1920x1080 float32 with 255x255"""
    a = RNG.random((1080, 1920), np.float32)
    kernels = [RNG.random((255, 255), np.float32) for _ in range(2)]
    out = np.empty_like(a)
    expected = scipy.signal.fftconvolve(a, kernels[0], "same")
    close(onepass.convolve(a, kernels[0]), expected, 1e-5 * expected.max(), "convolve")

    def changing():
        changing.n += 1
        return onepass.convolve(a, kernels[changing.n % 2], out=out)

    changing.n = 0
    yield "onepass, another kernel each call, out=", changing
    yield "onepass, the same kernel, out=", lambda: onepass.convolve(a, kernels[0], out=out)
    yield "scipy.signal.fftconvolve", lambda: scipy.signal.fftconvolve(a, kernels[0], "same")


def case_tonemap():
    """tonemap 3840x2160 RGB half to uint8"""
    a = (RNG.random((2160, 3840, 3), np.float32) * 4).astype(np.float16)
    rgba = np.ones((2160, 3840, 4), np.float16)
    rgba[..., :3] = a
    out, out4 = np.empty(a.shape, np.uint8), np.empty(rgba.shape, np.uint8)
    close(onepass.tonemap(a, "reinhard"), onepass.tonemap(rgba, "reinhard")[..., :3].astype(float), 0, "tonemap")
    yield "onepass, RGBA, reinhard, out=", lambda: onepass.tonemap(rgba, "reinhard", out=out4)
    yield "onepass, RGBA, AgX, out=", lambda: onepass.tonemap(rgba, out=out4)
    yield "onepass, RGB, reinhard, out=", lambda: onepass.tonemap(a, "reinhard", out=out)
    if cv2:
        operator = cv2.createTonemapReinhard(gamma=2.2)

        def opencv():
            return (np.clip(operator.process(a.astype(np.float32)), 0, 1) * 255).astype(np.uint8)

        yield "cv2.createTonemapReinhard", opencv


def case_deconvolve():
    """deconvolve 2048x2048 float32, Richardson-Lucy, 20 iterations"""
    y, x = np.mgrid[-12:13, -12:13]
    kernel = np.exp(-(x**2 + y**2) / 18).astype(np.float32)
    kernel /= kernel.sum()
    a = onepass.convolve(RNG.random((2048, 2048), np.float32), kernel, boundary="mirror")
    out = np.empty_like(a)
    yield "onepass, out=", lambda: onepass.deconvolve(a, kernel, "richardson_lucy", edges="wrap", out=out)
    yield "onepass, edges unknown, out=", lambda: onepass.deconvolve(a, kernel, "richardson_lucy", out=out)
    if skimage:
        name = "num_iter"
        expected = skimage.restoration.richardson_lucy(a[:256, :256], kernel, **{name: 20}, clip=False)
        small = onepass.deconvolve(a[:256, :256], kernel, "richardson_lucy")
        close(small[60:-60, 60:-60], expected[60:-60, 60:-60], 0.02, "deconvolve")
        yield "skimage richardson_lucy", lambda: skimage.restoration.richardson_lucy(a, kernel, **{name: 20}), 1


def measure(calls, rounds):
    times = {name: [] for name, _, _ in calls}
    for name, call, _ in calls:
        if call is not None:
            call()  # warm
    for index in range(rounds):
        for name, call, most in RNG.permutation(
            np.array(calls, dtype=object)
        ):  # the call before leaves its caches behind
            if index < most:
                start = time.perf_counter()
                call()
                times[name].append(time.perf_counter() - start)
    return times


def main():
    cases = {name[5:]: value for name, value in globals().items() if name.startswith("case_")}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", choices=[[], *cases], help="cases; none: all")
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    print(
        f"{platform.machine()}, {CORES} cores, load average {os.getloadavg()[0]:.1f}, Python {platform.python_version()}, "
        f"NumPy {np.__version__}, onepass {onepass.__version__}\n"
    )
    print("| case | call | smallest, ms | median, ms | times onepass |\n| --- | --- | ---: | ---: | ---: |")
    for name in arguments.names or cases:
        calls = [(entry + (arguments.rounds,))[:3] for entry in cases[name]()]
        times = measure(calls, arguments.rounds)
        first = min(times[calls[0][0]])
        title = cases[name].__doc__
        for call in times:
            smallest = min(times[call])
            print(
                f"| {title} | {call} | {smallest * 1e3:.1f} | {statistics.median(times[call]) * 1e3:.1f} | "
                f"{smallest / first:.2f} |",
                flush=True,
            )
            title = ""
        onepass.clear_cache()
    print(f"\nload average at the end {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
