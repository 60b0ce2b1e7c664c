#!/usr/bin/env python3
"""torch_bench [--device cpu|cuda] [--rounds N] [CASE...]: times onepass.torch beside PyTorch's own functions.

Each case has one result, which is checked. On a CUDA device every call is captured into a graph, so that the time of
Python does not count, and timed by events over some replays; the calls of a case take turns in random order, round
after round, and the smallest and the median time of each are reported. Prints a table in Markdown.
"""
import argparse
import random
import statistics
import time

import torch
import torch.nn.functional as F

import onepass.torch as ot


def avg_pool_chain(x):
    levels = [x]
    while max(levels[-1].shape[-2:]) > 1:
        levels.append(F.avg_pool2d(levels[-1], 2))
    return levels


def antialiased_chain(x):
    levels = [x]
    while max(levels[-1].shape[-2:]) > 1:
        height, width = (max(1, n // 2) for n in levels[-1].shape[-2:])
        levels.append(F.interpolate(levels[-1], (height, width), mode="bilinear", antialias=True, align_corners=False))
    return levels


def max_pool_chain(x):
    low, high = [x], [x]
    while max(low[-1].shape[-2:]) > 1:
        low.append(-F.max_pool2d(-low[-1], 2))
        high.append(F.max_pool2d(high[-1], 2))
    return list(zip(low, high))


def fft_convolution(x, weight):
    height, width = (n + k - 1 for n, k in zip(x.shape[-2:], weight.shape[-2:]))
    spectrum = torch.fft.rfft2(x, (height, width)) * torch.fft.rfft2(weight, (height, width)).conj()
    return torch.fft.irfft2(spectrum, (height, width))[
        ..., : x.shape[-2] - weight.shape[-2] + 1, : x.shape[-1] - weight.shape[-1] + 1
    ]


def close(actual, expected, tolerance):
    def flat(value):
        return [v for item in value for v in flat(item)] if isinstance(value, (list, tuple)) else [value]

    for a, b in zip(flat(actual), flat(expected)):
        difference = float((a.float() - b.float()).abs().max())
        if not difference <= tolerance:
            raise SystemExit(f"the results differ by {difference}")


def rand(*shape, device, dtype=torch.float32):
    return torch.rand(*shape, device=device).to(dtype)


def cases(device):
    """Name, tolerance, calls by name. The first call is onepass."""
    half = torch.float16 if device == "cuda" else torch.float32
    x = rand(4, 1, 4096, 4096, device=device, dtype=half)
    yield f"mips, 4 x 4096², {half}", 2e-3, {
        "onepass": lambda: ot.mip_pyramid(x),
        "avg_pool2d": lambda: avg_pool_chain(x),
    }
    y = rand(64, 3, 512, 512, device=device)
    yield "mips, 64 x 3 x 512², float32", 1e-5, {
        "onepass": lambda: ot.mip_pyramid(y),
        "avg_pool2d": lambda: avg_pool_chain(y),
    }
    z = rand(4, 1, 4096, 4096, device=device)
    yield "minimum and maximum, 4 x 4096², float32", 0.0, {
        "onepass": lambda: ot.min_max_pyramid(z),
        "max_pool2d twice": lambda: max_pool_chain(z),
    }
    odd = rand(4, 1, 2160, 3839, device=device)
    yield "mips, 4 x 2160 x 3839, float32", 0.5, {  # another filter: only its size is compared
        "onepass": lambda: ot.mip_pyramid(odd),
        "interpolate, antialiased": lambda: antialiased_chain(odd),
    }
    if device == "cpu":
        image, weight = rand(4, 3, 1080, 1920, device=device), rand(1, 255, 255, device=device) / 65025
        yield "convolution, 4 x 3 x 1080 x 1920 with 255²", 1e-4, {
            "onepass": lambda: ot.fft_conv2d(image, weight, padding="valid"),
            "torch.fft": lambda: fft_convolution(image, weight),
        }


def captured(call):
    """A function that runs the call's kernels once more."""
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):  # as PyTorch asks before a capture
        for _ in range(3):
            call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = call()
    return graph, result


def time_of(run, device, repeats):
    if device == "cpu":
        begin = time.perf_counter()
        run()
        return (time.perf_counter() - begin) * 1e6
    events = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
    events[0].record()
    for _ in range(repeats):
        run()
    events[1].record()
    events[1].synchronize()
    return events[0].elapsed_time(events[1]) * 1e3 / repeats


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--rounds", type=int, default=0, help="0: 30 on a CUDA device, 5 on the CPU")
    parser.add_argument("case", nargs="*", help="parts of names of cases; none: all")
    arguments = parser.parse_args()
    device = arguments.device
    name = torch.cuda.get_device_name() if device == "cuda" else f"CPU, {torch.get_num_threads()} threads"
    print(
        f"PyTorch {torch.__version__}, {name}\n\n| | | us, smallest | us, median | times onepass |\n| --- | --- | ---: | ---: | ---: |"
    )
    for case, tolerance, calls in cases(device):
        if arguments.case and not any(part in case for part in arguments.case):
            continue
        runs, results = {}, []
        for label, call in calls.items():
            if device == "cuda":
                graph, result = captured(call)
                graph.replay()
                torch.cuda.synchronize()
                runs[label] = graph.replay
            else:
                runs[label], result = call, call()
            results.append(result)
        close(results[0], results[1], tolerance)
        times = {label: [] for label in runs}
        for _ in range(arguments.rounds or (30 if device == "cuda" else 5)):
            for label in random.sample(list(runs), len(runs)):
                times[label].append(time_of(runs[label], device, 20))
        ours = min(times["onepass"])
        for label, found in times.items():
            row = f"| {case} | {label} | {min(found):.1f} | {statistics.median(found):.1f} | {min(found) / ours:.2f} |"
            print(row, flush=True)


if __name__ == "__main__":
    main()
