#!/usr/bin/env python3
"""charts.py [FOLDER]: charts and tables from the CSV files of onepass-bench; needs only Python 3.

For every FOLDER/*_gpu.csv it draws *_gpu_ratio.svg and *_gpu_cost.svg, for every *_cpu.csv *_cpu_r.svg, and writes the
tables between the marker comments of FOLDER.md (default: docs/benchmarks and docs/benchmarks.md). Files *_fourier.csv and
*_light.csv are those of runs on a GPU that measured only transforms, or only metering and tone mapping; *_fourier_peers.csv,
*_peers.csv and *_cpu_peers.csv those of `onepass-bench --peers` on a GPU and on a CPU; *_tunings.csv those of
`onepass-bench --tunings`.
"""
import csv
import math
import pathlib
import re
import sys
from xml.sax.saxutils import escape

BEGIN, END = "<!-- charts.py: begin -->", "<!-- charts.py: end -->"
COLD, ISOLATED, WARM = "cold throughput", "cold isolated", "warm throughput"

# Colours of the series on a light and on a dark background (after Okabe and Ito: distinct for the colour-blind too).
COLOURS = {
    "single_dispatch": ("#0072b2", "#56b4e9"),
    "per_level": ("#d55e00", "#ff9e4a"),
    "blit": ("#8c8c8c", "#a8a8a8"),
    "speed_of_light": ("#00795a", "#2fd0a0"),
    "one": ("#56a0d0", "#2f80b5"),
    "all": ("#0072b2", "#8fd0ff"),
    "plain_loop": ("#d55e00", "#ff9e4a"),
    "non_temporal": ("#00795a", "#2fd0a0"),
}
WORDS = {
    "single_dispatch": "onepass",
    "per_level": "one dispatch per level",
    "blit": "vkCmdBlitImage chain",
    "speed_of_light": "speed of light",
}


class Results:
    """One CSV file: what its comments say, and its rows with numbers as numbers."""

    def __init__(self, path):
        self.path = path
        lines = path.read_text().splitlines()
        self.header = dict(re.findall(r"^# (cpu|gpu|driver|commit|date): (.+)$", "\n".join(lines), re.MULTILINE))
        # Lines that were added above the program's own header.
        own = next((i for i, line in enumerate(lines) if line.startswith("# onepass-bench")), 0)
        self.remark = " ".join(line.lstrip("# ") for line in lines[:own])
        self.rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
        for row in self.rows:
            for key in ("width", "height", "slices", "bytes", "threads"):
                row[key] = int(row[key])
            for key in ("median_us", "min_us", "max_us", "gb_per_s", "reference_us", "ratio"):
                row[key] = float(row[key] or 0)
            for key in ("ratio_min", "ratio_max"):  # files of older commits have no such columns
                row[key] = float(row.get(key) or 0)

    def find(self, **wanted):
        """The first row with these values, or None."""
        return next(iter(self.select(**wanted)), None)

    def select(self, **wanted):
        return [row for row in self.rows if all(row[key] == value for key, value in wanted.items())]

    def subtitle(self):
        machine = self.header.get("gpu") or self.header.get("cpu", "unknown machine")
        driver = f", {self.header['driver']}" if "driver" in self.header else ""
        return f"{machine}{driver}; commit {self.header.get('commit', '?')}, {self.header.get('date', '?')}"


def size_text(row):
    slices = f"×{row['slices']}" if row["slices"] > 1 else ""
    return f"{row['width']}×{row['height']}{slices}"


def pixels(row):
    return row["width"] * row["height"] * row["slices"]


# SVG -----------------------------------------------------------------------------------------------------------------


class Svg:
    """A picture that follows the reader's choice of a light or dark page, on a background of its own."""

    def __init__(self, width, height, title, subtitle):
        self.width, self.height, self.parts = width, height, []
        self.text(20, 28, title, "title")
        self.text(20, 47, subtitle, "small")

    def text(self, x, y, words, kind="", anchor="start", turn=False):
        rotate = f' transform="rotate(-90 {x:.1f} {y:.1f})"' if turn else ""
        self.parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}"{rotate}>' f"{escape(words)}</text>"
        )

    def line(self, x1, y1, x2, y2, kind):
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>')

    def bar(self, x, y, width, height, series, hint):
        self.parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" class="f-{series}">'
            f"<title>{escape(hint)}</title></rect>"
        )

    def dot(self, x, y, series, hint, radius=4.5):
        self.parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" class="f-{series}">'
            f"<title>{escape(hint)}</title></circle>"
        )

    def path(self, points, series):
        self.parts.append(f'<polyline points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}" class="s-{series}"/>')

    def legend(self, x, y, entries):
        for series, words in entries:
            self.dot(x + 5, y - 4, series, words, 5.5)
            self.text(x + 16, y, words)
            x += 34 + 6.9 * len(words)

    def save(self, path):
        def style(which):
            fills = "".join(
                f".f-{name}{{fill:{colours[which]}}}" f".s-{name}{{stroke:{colours[which]};fill:none;stroke-width:2}}"
                for name, colours in COLOURS.items()
            )
            page, ink, soft, grid = (
                ("#ffffff", "#1f2328", "#59636e", "#d8dee4"),
                ("#0d1117", "#e6edf3", "#9da7b1", "#30363d"),
            )[which]
            return (
                f".page{{fill:{page}}}text{{fill:{ink}}}.small,.tick{{fill:{soft}}}"
                f".grid{{stroke:{grid}}}.axis{{stroke:{soft}}}.one{{stroke:{ink};stroke-width:1.5}}{fills}"
            )

        css = (
            "text{font-family:system-ui,'Segoe UI',Helvetica,Arial,sans-serif;font-size:12px}"
            ".title{font-size:16px;font-weight:600}.head{font-size:13px;font-weight:600}.tick,.value{font-size:11px}"
            f"{style(0)}@media(prefers-color-scheme:dark){{{style(1)}}}"
        )
        path.write_text(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" width="{self.width}" '
            f'height="{self.height}" role="img">\n<style>{css}</style>\n'
            f'<rect class="page" width="{self.width}" height="{self.height}"/>\n' + "\n".join(self.parts) + "\n</svg>\n"
        )


class LogAxis:
    """Maps values to positions between `start` and `end`, on a logarithmic scale from `low` to `high`."""

    def __init__(self, low, high, start, end):
        self.low, self.high, self.start, self.end = low, high, start, end

    def at(self, value):
        value = min(max(value, self.low), self.high)
        share = math.log(value / self.low) / math.log(self.high / self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self, steps):
        """Values step·10^n within the range."""
        first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
        values = (step * 10.0**power for power in range(first, last + 1) for step in steps)
        return [value for value in values if self.low * 0.999 <= value <= self.high * 1.001]


def number_text(value):
    """Three significant digits, thousands in groups."""
    if value >= 1000:
        return f"{value:,.0f}"
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def ratio_text(value):
    return f"{value:.0f}" if value >= 99.5 else f"{value:.1f}" if value >= 9.95 else f"{value:.2f}"


# Charts of a GPU -----------------------------------------------------------------------------------------------------


def ratio_rows(results):
    """{format: [(labels, {series: row})]} of means at four large sizes and with slices, in the order of the file."""
    panels = {}
    for row in results.select(path="single_dispatch", mode=COLD, reduction="mean"):
        if row["width"] < 1900 and row["slices"] == 1 or row["width"] in (2048, 8192):
            continue
        same = dict(format=row["format"], width=row["width"], height=row["height"], slices=row["slices"], mode=COLD)
        series = {
            "single_dispatch": row,
            "per_level": results.find(**same, path="per_level", reduction="mean", footprint=row["footprint"]),
            "blit": results.find(**same, path="blit"),
        }
        srgb = row["format"] == "rgba8_srgb"
        labels = [size_text(row)] + ["covering"] * (row["footprint"] == "covering") + ["sRGB"] * srgb
        panel = panels.setdefault("rgba8" if srgb else row["format"], [])
        panel.append((labels, {which: found for which, found in series.items() if found}))
    return panels


def draw_ratio(results, path):
    panels = ratio_rows(results)
    if not panels:
        return False
    width, panel_height = 860, 190
    svg = Svg(
        width,
        100 + panel_height * len(panels),
        "Mean pyramids: time over that of the speed-of-light kernel",
        results.subtitle(),
    )
    svg.legend(20, 72, [(name, WORDS[name]) for name in ("single_dispatch", "per_level", "blit")])
    largest = max(row["ratio"] for groups in panels.values() for _, series in groups for row in series.values())
    for index, (name, groups) in enumerate(panels.items()):
        top = 110 + index * panel_height
        axis = LogAxis(1, max(4, largest * 1.3), top + panel_height - 52, top)
        svg.text(20, (axis.start + axis.end) / 2, name, "head", "middle", turn=True)
        svg.text(38, (axis.start + axis.end) / 2, "times speed of light", "tick", "middle", turn=True)
        for tick in axis.ticks((1, 2, 5)):
            svg.line(72, axis.at(tick), width - 20, axis.at(tick), "one" if tick == 1 else "grid")
            svg.text(66, axis.at(tick) + 4, f"{tick:g}", "tick", "end")
        step = (width - 92) / max(4, len(groups))
        for group, (labels, series) in enumerate(groups):
            middle = 72 + step * (group + 0.5)
            for line, label in enumerate(labels):
                svg.text(middle, axis.start + 16 + 13 * line, label, "tick" if line > 0 else "", "middle")
            bar = min(38, step / 4)
            for place, (which, row) in enumerate(series.items()):
                x, y = middle + (place - len(series) / 2) * bar, axis.at(row["ratio"])
                svg.bar(x + 1, y, bar - 2, axis.start - y, which, f"{row['name']}: {number_text(row['median_us'])} µs")
                svg.text(x + bar / 2, y - 4, ratio_text(row["ratio"]), "value", "middle")
    svg.save(path)
    return True


def cost_series(results, name, reduction, footprint, baselines):
    """{series: [row]}, smallest first, one row per size."""
    out = {}
    for which in ("speed_of_light", "single_dispatch", "per_level", "blit"):
        baseline = which in ("speed_of_light", "blit")
        if baseline and which not in baselines:
            continue
        rows = {}
        wanted = dict(format=name, path=which, mode=COLD, slices=1, reduction="" if baseline else reduction)
        for row in results.select(**wanted):
            # One footprint per panel: at odd sizes covering does far more work than aligned.
            if baseline or row["footprint"] == footprint:
                rows.setdefault((row["width"], row["height"]), row)
        out[which] = sorted(rows.values(), key=pixels)
    return {which: rows for which, rows in out.items() if rows}


def draw_cost(results, path):
    panels = [
        ("mean, aligned, rgba8", cost_series(results, "rgba8", "mean", "aligned", ("speed_of_light", "blit"))),
        ("min, covering, r32f", cost_series(results, "r32f", "min", "covering", ("speed_of_light",))),
    ]
    panels = [(title, series) for title, series in panels if series]
    if not panels:
        return False
    rows = [row for _, series in panels for some in series.values() for row in some]
    width, height, left, gap = 860, 480, 66, 56
    panel = (width - left - 20 - gap * (len(panels) - 1)) / len(panels)
    svg = Svg(width, height, "Cost of a pyramid against the size of its base", results.subtitle())
    svg.legend(20, 72, [(name, WORDS[name]) for name in ("speed_of_light", "single_dispatch", "per_level", "blit")])
    times = [row["median_us"] for row in rows]
    for index, (title, series) in enumerate(panels):
        start = left + index * (panel + gap)
        x = LogAxis(min(map(pixels, rows)) * 0.8, max(map(pixels, rows)) * 1.25, start, start + panel)
        y = LogAxis(min(times) * 0.7, max(times) * 1.4, height - 62, 112)
        svg.text(start + panel / 2, 100, title, "head", "middle")
        for tick in x.ticks((1,)):
            svg.line(x.at(tick), y.start, x.at(tick), y.end, "grid")
            svg.text(x.at(tick), y.start + 16, power_text(tick), "tick", "middle")
        for tick in y.ticks((1, 2, 5)):
            svg.line(x.start, y.at(tick), x.end, y.at(tick), "grid")
            svg.text(x.start - 6, y.at(tick) + 4, f"{tick:g}", "tick", "end")
        svg.line(x.start, y.start, x.end, y.start, "axis")
        svg.text(start + panel / 2, y.start + 36, "texels of the base", "", "middle")
        for which, some in series.items():
            svg.path([(x.at(pixels(row)), y.at(row["median_us"])) for row in some], which)
            for row in some:
                svg.dot(
                    x.at(pixels(row)),
                    y.at(row["median_us"]),
                    which,
                    f"{WORDS[which]}, {size_text(row)}: {number_text(row['median_us'])} µs",
                    3,
                )
    svg.text(20, (height + 50) / 2, "µs, cold throughput", "", "middle", turn=True)
    svg.save(path)
    return True


def power_text(value):
    names = {3: "1 k", 4: "10 k", 5: "100 k", 6: "1 M", 7: "10 M", 8: "100 M", 9: "1 G"}
    return names.get(round(math.log10(value)), f"{value:g}")


# Chart of a CPU ------------------------------------------------------------------------------------------------------


def cpu_cases(results):
    """[(label, {series: row})] in the order of the file."""
    most = max((row["threads"] for row in results.rows), default=1)
    cases = []
    for row in results.select(path="pyramid", threads=most):
        images = dict(format=row["format"], width=row["width"], height=row["height"])
        case = dict(images, reduction=row["reduction"], footprint=row["footprint"])
        series = {
            "one": results.find(**case, path="pyramid", threads=1) if most > 1 else None,
            "all": row,
            "plain_loop": results.find(**case, path="plain_loop", threads=most),
            "non_temporal": results.find(**images, path="non_temporal", threads=most),
            "memcpy": results.find(**images, path="memcpy", threads=most),
        }
        label = f"{row['reduction']} {row['footprint']}, {row['format']}, {size_text(row)}"
        cases.append((label, {k: v for k, v in series.items() if v}))
    return most, cases


def draw_cpu(results, path):
    most, cases = cpu_cases(results)
    if not cases:
        return False
    drawn = ("non_temporal", "one", "all", "plain_loop")
    ratios = [series[which]["ratio"] for _, series in cases for which in drawn if which in series]
    width, left, row_height, top = 860, 290, 34, 112
    bottom = top + row_height * len(cases)
    svg = Svg(
        width,
        bottom + 56,
        "CPU: time over that of a memcpy that moves the same bytes with the same threads",
        results.subtitle(),
    )
    threads = f"{most} threads" if most > 1 else "1 thread"
    words = {
        "non_temporal": "copy past the caches",
        "one": "onepass, 1 thread",
        "all": f"onepass, {threads}",
        "plain_loop": f"plain loops, {threads}",
    }
    svg.legend(20, 72, [(which, words[which]) for which in drawn if any(which in series for _, series in cases)])
    x = LogAxis(min(0.5, min(ratios) * 0.9), max(4, max(ratios) * 1.2), left, width - 30)
    for tick in x.ticks((1, 2, 5)):
        svg.line(x.at(tick), top - 14, x.at(tick), bottom, "one" if tick == 1 else "grid")
        svg.text(x.at(tick), bottom + 16, f"{tick:g}", "tick", "middle")
    svg.text((left + width - 30) / 2, bottom + 38, "r: times memcpy; less is better", "", "middle")
    for index, (label, series) in enumerate(cases):
        y = top + row_height * (index + 0.5) - 7
        svg.text(left - 14, y + 4, label, "", "end")
        svg.line(x.start, y, x.end, y, "grid")
        for which in ("non_temporal", "plain_loop", "one", "all"):  # the last is drawn on top
            if which in series:
                row = series[which]
                hint = f"{words[which]}: {number_text(row['median_us'])} µs, r = {row['ratio']:.2f}"
                svg.dot(x.at(row["ratio"]), y, which, hint, 5.5)
        svg.text(x.at(series["all"]["ratio"]), y - 9, f"{series['all']['ratio']:.2f}", "value", "middle")
    svg.save(path)
    return True


# Tables --------------------------------------------------------------------------------------------------------------


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "| --- |" + " ---: |" * (len(head) - 1)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows] + [""]


def gpu_tables(results):
    def cell(row):
        return f"{number_text(row['median_us'])} ({ratio_text(row['ratio'])})" if row else ""

    cold, others = [], []
    for row in results.select(path="single_dispatch", mode=COLD):
        images = dict(format=row["format"], width=row["width"], height=row["height"], slices=row["slices"])
        case = dict(images, reduction=row["reduction"], footprint=row["footprint"])
        label = f"{row['reduction']} {row['footprint']}, {row['format']}, {size_text(row)}"
        cold.append(
            [
                label,
                number_text(row["reference_us"]),
                cell(row),
                cell(results.find(**case, path="single_dispatch_linear", mode=COLD)),
                cell(results.find(**case, path="per_level", mode=COLD)),
                cell(results.find(**images, path="blit", mode=COLD)) if row["reduction"] == "mean" else "",
            ]
        )
        modes = [results.find(**case, path="single_dispatch", mode=mode) for mode in (ISOLATED, WARM)]
        if any(modes):
            others.append([label, cell(row)] + [cell(mode) for mode in modes])
    out = ["Cold throughput, µs, and in brackets times speed of light:", ""]
    out += table(["", "speed of light", "onepass", "linear samples", "one dispatch per level", "blit chain"], cold)
    if others:
        out += ["onepass, µs, and in brackets times speed of light in the same mode:", ""]
        out += table(["", COLD, ISOLATED, WARM], others)
    tiles = []
    for levels in results.select(path="levels_1_to_4", mode=COLD):
        images = dict(format=levels["format"], width=levels["width"], height=levels["height"], slices=levels["slices"])
        found = [
            next(
                (
                    row
                    for row in results.select(**images, path=path, mode=COLD)
                    if row["name"].startswith("tile_reduction/")
                ),
                None,
            )
            for path in ("subgroup", "tree")
        ]
        if any(found):
            tiles.append(
                [f"min, {levels['format']}, {size_text(levels)}", number_text(levels["reference_us"])]
                + [cell(row) for row in found]
                + [cell(levels)]
            )
    if tiles:
        out += [
            "Tile reduction by 16, cold throughput, µs, and in brackets times a kernel that only reads the image:",
            "",
        ]
        out += table(["", "read only", "subgroup", "tree", "levels 1 to 4, one dispatch per level"], tiles)
    empty = sorted(row["median_us"] for row in results.select(path="empty", mode=COLD))
    if empty:
        out += [f"An empty dispatch and its barrier take {number_text(empty[len(empty) // 2])} µs in a row.", ""]
    return out


def fourier_gpu_tables(results):
    """Of rows fourier/vulkan/FORMAT/SIZE[/complex]/WORK/PATH[/MODE]."""
    rows = {}
    for row in results.rows:
        words = row["name"].split("/")
        if words[:2] == ["fourier", "vulkan"]:
            if words[4] == "complex":
                words[2:5] = [f"{words[2]} complex", words[3]]
            images = words[5].endswith("_images")
            case = (words[2], words[3], images)
            path = words[5].removesuffix("_images")
            rows.setdefault(case, {})[(words[4], path, words[6] if len(words) > 6 else "")] = row

    def cell(row):
        return f"{number_text(row['median_us'])} ({ratio_text(row['ratio'])})" if row else ""

    def label(case):
        return f"{case[0]}{' images' if case[2] else ''}, {case[1].replace('x', '×')}"

    whole, alone, stages, techniques = [], [], [], []
    for case, found in rows.items():

        def get(work, path="shared_memory", mode="throughput"):
            return found.get((work, path, mode))

        cold = get("forward+inverse")
        if cold:
            whole.append(
                [
                    label(case),
                    number_text(cold["reference_us"]),
                    cell(cold),
                    f"{cold['gb_per_s']:.0f}",
                    cell(get("forward+inverse", mode="isolated")),
                    cell(get("forward+inverse", mode="warm")),
                ]
            )
        inverse = [get("inverse", mode=mode) for mode in ("throughput", "isolated", "warm")]
        if any(inverse):
            alone.append([label(case)] + [cell(row) for row in inverse])
        each = [get(work) for work in ("rows_forward", "columns_forward", "columns_inverse", "rows_inverse")]
        if any(each):
            stages.append([label(case)] + [cell(row) for row in each])
        others = [
            get("forward+inverse", path)
            for path in (
                "shared_memory_computed",
                "four_step",
                "ping_pong_radix16",
                "ping_pong_radix16_computed",
                "ping_pong_radix2",
                "ping_pong_radix2_computed",
            )
        ]
        if any(others):
            techniques.append([label(case), cell(cold)] + [cell(row) for row in others])
    out = []
    if whole:
        out += [
            "Transform forward and inverse, µs, and in brackets times a copy of the same bytes in the same mode:",
            "",
        ]
        out += table(["", "copy, cold", COLD, "GB/s", ISOLATED, WARM], whole)
    if alone:
        out += ["Only the inverse, µs, and in brackets times a copy of the same bytes in the same mode:", ""]
        out += table(["", COLD, ISOLATED, WARM], alone)
    if stages:
        out += ["Its stages alone, cold throughput, µs, and in brackets times a copy of their bytes:", ""]
        out += table(["", "rows forward", "columns forward", "columns inverse", "rows inverse"], stages)
    if techniques:
        out += ["Techniques and where twiddle factors come from, cold throughput, µs (times the copy):", ""]
        out += table(
            [
                "",
                "shared memory, table",
                "computed",
                "four-step",
                "ping-pong radix 16, table",
                "computed",
                "ping-pong radix 2, table",
                "computed",
            ],
            techniques,
        )
    convolutions = {}
    for row in results.rows:
        words = row["name"].split("/")
        if words[:2] == ["convolution", "vulkan"]:
            convolutions.setdefault(", ".join(words[2:-1]), {})[words[-1]] = row
    if convolutions:
        out += [
            "Convolutions with a prepared kernel, µs, and in brackets times the forward and inverse transform of the "
            "padded image in the same mode:",
            "",
        ]
        out += table(
            ["", COLD, ISOLATED, WARM],
            [
                [case] + [cell(found.get(mode)) for mode in ("throughput", "isolated", "warm")]
                for case, found in convolutions.items()
            ],
        )
    return out


def creation_tables(results):
    """Of rows creation/vulkan/OBJECT/STATE."""
    rows = {}
    for row in results.rows:
        words = row["name"].split("/")
        if words[:2] == ["creation", "vulkan"]:
            rows.setdefault(" ".join(words[2:-1]).replace("_", " "), {})[words[-1]] = row
    if not rows:
        return []

    def cell(row):
        if not row:
            return ""
        milliseconds = row["median_us"] / 1000
        return number_text(milliseconds) if milliseconds >= 0.1 else f"{milliseconds:.2g}"

    return ["`create()` of objects, host, ms:", ""] + table(
        ["", "nothing compiled", "warm pipeline cache", "created before on the device"],
        [
            [name] + [cell(found.get(state)) for state in ("cold", "warm_cache", "again")]
            for name, found in rows.items()
        ],
    )


def tuning_tables(results):
    """Of rows tuning/vulkan/TECHNIQUE/CASE."""
    return [
        "The default tuning beside the best candidate of `onepass tune`, µs. Candidates that are at most 2 % faster "
        "count as the default:",
        "",
    ] + table(
        ["", "default", "best", "default / best", "tuning of the best"],
        [
            [
                " ".join(row["name"].split("/")[2:]),
                number_text(row["median_us"]),
                number_text(row["reference_us"]),
                f"{row['ratio']:.2f}",
                row["path"],
            ]
            for row in results.rows
        ],
    )


def fourier_cpu_tables(results):
    """Of rows fourier/cpu/... and convolution/cpu/..., FFTW's beside."""
    most = max((row["threads"] for row in results.rows), default=1)
    cases = {}
    for row in results.rows:
        words = row["name"].split("/")
        if words[0] in ("fourier", "convolution") and words[1] == "cpu":
            cases.setdefault("/".join(words[2:-1]), {})[row["threads"]] = row

    def ms(row):
        return f"{row['median_us'] / 1000:.3g} ({row['ratio']:.2f})" if row else ""

    def fftw(case, threads):
        return next((row for row in results.rows if row["name"] == f"baseline/cpu/{case}/fftw/threads:{threads}"), None)

    counts = sorted({1, most})
    rows = [
        [case.replace("/", ", ")] + [ms(found.get(n)) for n in counts] + [ms(fftw(case, n)) for n in counts]
        for case, found in cases.items()
    ]
    if not rows:
        return []
    threads = [f"{n} thread{'s' if n > 1 else ''}" for n in counts]
    head = [""] + [f"onepass, {n}" for n in threads] + [f"FFTW, {n}" for n in threads]
    return ["Transforms and convolutions, ms, and in brackets times a memcpy of the same bytes:", ""] + table(
        head, rows
    )


def cpu_tables(results):
    most, cases = cpu_cases(results)

    def ms(row):
        return f"{row['median_us'] / 1000:.3g} ({row['ratio']:.2f})" if row else ""

    rows = [
        [
            label,
            f"{series['memcpy']['median_us'] / 1000:.3g}" if "memcpy" in series else "",
            ms(series.get("non_temporal")),
            ms(series.get("one")),
            ms(series["all"]),
            ms(series.get("plain_loop")),
        ]
        for label, series in cases
    ]
    head = ["", "memcpy", "copy past the caches", "onepass, 1 thread", f"onepass, {most} threads", "plain loops"]
    if most == 1:
        rows = [row[:3] + row[4:] for row in rows]
        head = head[:3] + ["onepass, 1 thread"] + head[5:]
    note = (
        "ms, and in brackets r: times a memcpy of the same bytes with as many threads, "
        f"{most} where no number is given."
    )
    return [note, ""] + table(head, rows)


LIGHT = {
    "tone_map": "tone map",
    "local_exposure": "with local exposure",
    "meter+tone_map": "meter and map",
    "frame_tone_map": "frame",
}


def light_tables(results):
    """Of rows meter/... and tone_map/... and what else is made of the two, of either engine."""
    gpu = any(row["name"].split("/")[1] == "vulkan" for row in results.rows)
    meters, maps = {}, {}
    for row in results.rows:
        words = row["name"].split("/")
        if row["mode"] not in (COLD, "repeated"):
            continue
        case = ", ".join(words[2:4]).replace("x", "×") + (
            "" if gpu else f", {words[-1].replace('threads:', '')} threads"
        )
        case = case.replace(", 1 threads", ", 1 thread")
        if words[0] == "meter":
            meters.setdefault(case, {})[words[4]] = row
        elif words[0] in LIGHT:
            case += f", {words[4]}"
            maps.setdefault(case, {})[words[0]] = row

    def cell(row):
        if not row:
            return ""
        time = row["median_us"] if gpu else row["median_us"] / 1000
        return f"{number_text(time)} ({ratio_text(row['ratio'])})"

    unit = "cold throughput, µs" if gpu else "ms"
    out = []
    if meters:
        kinds = [kind for kind in ("natural", "constant", "random") if any(kind in found for found in meters.values())]
        out += [f"Metering, {unit}, and in brackets times a pass that only reads the image:", ""]
        out += table(
            [""] + kinds, [[case] + [cell(found.get(kind)) for kind in kinds] for case, found in meters.items()]
        )
    if maps:
        kinds = [kind for kind in LIGHT if any(kind in found for found in maps.values())]
        reference = "a copy" if gpu else "a memcpy"
        out += [
            f"Tone mapping, {unit}, and in brackets times {reference} of the bytes read and written; of frames, times meter "
            "and map one after the other:",
            "",
        ]
        out += table(
            [""] + [LIGHT[kind] for kind in kinds],
            [[case] + [cell(found.get(kind)) for kind in kinds] for case, found in maps.items()],
        )
    return out


def reflection_tables(results):
    """Of rows reflection/vulkan/FORMAT/SIZE/WORK/MODE."""
    cases, sizes = {}, []
    for row in results.select(mode=COLD):
        words = row["name"].split("/")
        if words[0] != "reflection":
            continue
        size = size_text(row)
        sizes += [size] if size not in sizes else []
        cell = f"{number_text(row['median_us'])} ({ratio_text(row['ratio'])})"
        cases.setdefault(words[4].replace("_", " "), {})[size] = cell
    if not cases:
        return []
    return [
        "Reflections, cold throughput, µs, and in brackets times a copy of the bytes of the images read and written:",
        "",
        *table([""] + sizes, [[case] + [found.get(size, "") for size in sizes] for case, found in cases.items()]),
    ]


PEERS = {
    "spd": "SPD",
    "spd_load": "SPD, texel fetches",
    "spd_half": "SPD, packed half",
    "nvpro": "nvpro_pyramid",
    "dxvk": "DXVK",
    "vkfft_c2c2": "VkFFT, 2 complex planes",
    "vkfft_r2c4": "VkFFT, 4 real planes",
    "cufft_c2c2": "cuFFT, 2 complex planes",
    "cufft_r2c4": "cuFFT, 4 real planes",
    "libplacebo": "libplacebo",
    "cub_sum": "CUB, sum",
    "cub_histogram": "CUB, histogram",
    "opencv": "OpenCV",
    "vips": "libvips",
    "openimageio": "OpenImageIO",
}


def peer_tables(results):
    """Of the rows of other libraries: TECHNIQUE/ENGINE/FORMAT/SIZE/WHAT/... with the library as path."""
    groups = {}
    for row in results.rows:
        technique, engine, formats, _, what = row["name"].split("/")[:5]
        case = formats if technique == "fourier" else f"{what}, {formats}"
        if technique == "fourier" and "/inverse/" in row["name"]:
            case += " complex, only inverse"
        if technique == "pyramid" and engine == "vulkan":
            case = f"{what} {row['footprint']}, {formats}"
        threads = [f"{row['threads']} thread{'s' if row['threads'] > 1 else ''}"] if engine == "cpu" else []
        group = groups.setdefault((technique, engine), {})
        group.setdefault((case, size_text(row), *threads), {})[(row["path"], row["mode"])] = row

    def cell(row):
        if not row:
            return ""
        spread = f"{ratio_text(row['ratio_min'])}–{ratio_text(row['ratio_max'])}"
        return f"{number_text(row['median_us'])} ({ratio_text(row['ratio'])}, {spread})"

    out = []
    for group, title, modes in (
        (("pyramid", "vulkan"), "Mip chains", (COLD, WARM)),
        (("pyramid", "cpu"), "Mip chains", ("repeated",)),
        (("fourier", "vulkan"), "Transforms, forward and inverse", (COLD, WARM)),
        (("frame_tone_map", "vulkan"), "Light measured and tone-mapped in one", (COLD, WARM)),
        (("meter", "vulkan"), "Metering", (COLD, WARM)),
    ):
        for mode in modes:
            cases = {
                case: {peer: row for (peer, found), row in rows.items() if found == mode}
                for case, rows in groups.get(group, {}).items()
            }
            cases = {case: found for case, found in cases.items() if found}
            if not cases:
                continue
            peers = [peer for peer in PEERS if any(peer in found for found in cases.values())]
            # Each peer alternates with rounds of its own of the library; the least of their medians stands for all.
            rows = [
                [", ".join(case), number_text(min(row["reference_us"] for row in found.values()))]
                + [cell(found.get(peer)) for peer in peers]
                for case, found in cases.items()
            ]
            out += [
                f"{title}, {mode}, µs, and in brackets the time over onepass's: median, least and largest of the rounds:",
                "",
            ]
            out += table(["", "onepass"] + [PEERS[peer] for peer in peers], rows)
    return out


# Suffixes of files with the results of one group of techniques or of other libraries, and the title.
PARTS = {
    "_fourier": "transforms",
    "_light": "metering and tone mapping",
    "_fourier_peers": "another library's transforms",
    "_peers": "other libraries",
    "_tunings": "default tunings",
}


def describe(results, folder):
    """Draws the charts of one file; returns its part of the page."""
    stem = results.path.stem
    part = next((words for suffix, words in PARTS.items() if stem.endswith(suffix)), None)
    gpu = "gpu" in results.header
    if part is not None:
        charts = []
    elif gpu:
        charts = [("ratio", "Ratio to speed of light", draw_ratio), ("cost", "Cost against size", draw_cost)]
    else:
        charts = [("r", "Times memcpy", draw_cpu)]
    header = results.header
    machine = header.get("gpu" if gpu else "cpu", stem)
    host = f"Driver {header.get('driver', '?')}, host {header.get('cpu', '?')}. " if gpu else ""
    made = f"Commit {header.get('commit', '?')}, {header.get('date', '?')}"
    title = f"{machine}: {part}" if part else machine
    out = [f"## {title}", "", f"{host}{made}: [{stem}.csv]({folder.name}/{stem}.csv).", ""]
    if results.remark:
        out += [results.remark, ""]
    for suffix, alternative, draw in charts:
        name = f"{stem}_{suffix}.svg"
        if draw(results, folder / name):
            out += [f"![{alternative}]({folder.name}/{name})", ""]
    if stem.endswith("_peers"):
        return out + peer_tables(results)
    if stem.endswith("_tunings"):
        return out + tuning_tables(results)
    if gpu:
        pyramids = gpu_tables(results) if part is None else []
        lights = light_tables(results) + reflection_tables(results)
        return out + pyramids + fourier_gpu_tables(results) + lights + creation_tables(results)
    return out + cpu_tables(results) + fourier_cpu_tables(results) + light_tables(results)


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "docs/benchmarks")
    page = folder.with_suffix(".md")
    files = list(
        dict.fromkeys(path for suffix in ("_gpu", *PARTS, "_cpu") for path in sorted(folder.glob(f"*{suffix}.csv")))
    )
    parts = []
    for path in files:
        results = Results(path)
        if results.rows:
            parts += describe(results, folder)
    text = page.read_text()
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        sys.exit(f"charts.py: {page} needs one '{BEGIN}' and one '{END}'")
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    page.write_text(before + BEGIN + "\n\n" + "\n".join(parts) + END + after)
    print(f"{page}: {len(files)} result files")


if __name__ == "__main__":
    main()
