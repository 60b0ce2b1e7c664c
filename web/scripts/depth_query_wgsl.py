#!/usr/bin/env python3
"""depth_query_wgsl.py [--check]: writes src/depth_query_wgsl.js from shaders/onepass/depth_query*.glsl
and the footprints of pyramid_layout.h.

The GLSL headers of depth queries are functions over a small subset of the language: declarations, assignments, if, for,
return, calls and the conditional operator. This program parses that subset and prints it as WGSL, so that both languages
have one text. With --check it only compares; exit status 1 if the file is out of date.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SHADERS = ROOT / "shaders/onepass"
TARGET = ROOT / "web/src/depth_query_wgsl.js"
FILES = [
    "pyramid_footprint.glsl",
    "depth_query_cells.glsl",
    "depth_query_half.glsl",
    "depth_query_projection.glsl",
    "depth_query.glsl",
    "depth_query_march.glsl",
]

TYPES = {
    "float2": "vec2f",
    "float3": "vec3f",
    "float4": "vec4f",
    "uint2": "vec2u",
    "uint3": "vec3u",
    "uint4": "vec4u",
    "float4x4": "mat4x4f",
    "float": "f32",
    "uint": "u32",
    "bool": "bool",
    "int": "i32",
}
STRUCTS = {"OnepassDepthPyramid", "OnepassProjection", "OnepassBounds", "OnepassRay"}
# Arguments that functions write: pointers in WGSL.
WRITTEN = {"onepass_query_cells": [2, 3], "onepass_ray_step": [1], "onepass_ray_advance": [1]}
TOKEN = re.compile(
    r"//[^\n]*|[A-Za-z_]\w*|0x[0-9A-Fa-f]+u?|\d+(?:\.\d*)?e[+-]?\d+|\d+\.\d*|\d+u?|<<|>>|<=|>=|==|!=|&&|\|\||"
    r"\+=|-=|\*=|/=|\+\+|--|[^\s]"
)
RESERVED = {"from": "start"}  # words of WGSL that are names in GLSL
ASSIGNMENTS = ("=", "+=", "-=", "*=", "/=")

# Functions of shaders/onepass/prelude.glsl, and the numbers of footprints.
PRELUDE = """const ONEPASS_ALIGNED = 0u;
const ONEPASS_COVERING = 1u;
const ONEPASS_TIGHT = 2u;
const ONEPASS_EDGE = 3u;
fn onepass_highest_bit(value: u32) -> u32 { return firstLeadingBit(value); }
fn onepass_float_bits(value: f32) -> u32 { return bitcast<u32>(value); }
fn onepass_transform(m: mat4x4f, v: vec4f) -> vec4f { return m * v; }
"""

# The macros that callers define, as names of their functions.
CALLBACKS = {
    "ONEPASS_LOAD_FARTHEST": "farthest",
    "ONEPASS_LOAD_NEAREST": "nearest",
    "ONEPASS_SAMPLE_FARTHEST": "sampleFarthest",
    "ONEPASS_SAMPLE_NEAREST": "sampleNearest",
    "ONEPASS_LOAD_TILE": "tile",
}


def type_of(name):
    return TYPES.get(name, name)


def depth_of(token):
    return 1 if token in "([" else -1 if token in ")]" else 0


class Body:
    """Parses the tokens of a function's body and prints them as WGSL."""

    def __init__(self, text, pointers):
        self.tokens = TOKEN.findall(text)
        self.at = 0
        self.pointers = pointers

    def peek(self, ahead=0):
        place = self.at + ahead
        return self.tokens[place] if place < len(self.tokens) else ""

    def next(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def until(self, end):
        taken, depth = [], 0
        while depth != 0 or self.peek() != end:
            token = self.next()
            depth += depth_of(token)
            taken.append(token)
        self.next()
        return taken

    def statement(self, level):
        indent = "  " * level
        if self.peek() == "precise":
            self.next()
        first = self.peek()
        if first.startswith("//"):
            return indent + self.next() + "\n"
        if first == "{":
            self.next()
            text = ""
            while self.peek() != "}":
                text += self.statement(level)
            self.next()
            return text
        if first == "if":
            self.at += 2
            text = f"{indent}if ({self.expression(self.until(')'))}) {{\n{self.statement(level + 1)}{indent}}}"
            if self.peek() == "else":
                self.next()
                text += f" else {{\n{self.statement(level + 1)}{indent}}}"
            return text + "\n"
        if first == "for":
            self.at += 2
            begin, condition, step = self.until(";"), self.until(";"), self.until(")")
            return (
                f"{indent}for (var {begin[1]}: u32 = {self.expression(begin[3:])}; {self.expression(condition)}; "
                f"{step[-1]}++) {{\n{self.statement(level + 1)}{indent}}}\n"
            )
        if first == "return":
            self.next()
            value = self.until(";")
            return indent + (f"return {self.expression(value)}" if value else "return") + ";\n"
        if (first in TYPES or first in STRUCTS) and re.match(r"[A-Za-z_]", self.peek(1)):
            self.next()
            name = self.next()
            if self.peek() == ";":
                self.next()
                return f"{indent}var {name}: {type_of(first)};\n"
            self.next()
            return f"{indent}var {name}: {type_of(first)} = {self.expression(self.until(';'))};\n"
        tokens = self.until(";")
        for place, token in enumerate(tokens):
            if token in ASSIGNMENTS:
                return f"{indent}{self.expression(tokens[:place])} {token} " f"{self.expression(tokens[place + 1:])};\n"
        return f"{indent}{self.expression(tokens)};\n"

    def conditional(self, tokens):
        """c ? a : b as select(b, a, c); None if there is no such operator outside of parentheses."""
        depth = 0
        for place, token in enumerate(tokens):
            depth += depth_of(token)
            if token != "?" or depth != 0:
                continue
            inner, nested = 0, 0
            for other in range(place + 1, len(tokens)):
                inner += depth_of(tokens[other])
                if inner == 0 and tokens[other] == "?":
                    nested += 1
                if inner == 0 and tokens[other] == ":":
                    if nested == 0:
                        # Parentheses: `<` could begin a list of template arguments.
                        return (
                            f"select(({self.expression(tokens[other + 1:])}), "
                            f"({self.expression(tokens[place + 1:other])}), {self.expression(tokens[:place])})"
                        )
                    nested -= 1
        return None

    def arguments(self, name, tokens):
        parts, current, depth = [], [], 0
        for token in tokens:
            depth += depth_of(token)
            if token == "," and depth == 0:
                parts.append(current)
                current = []
            else:
                current.append(token)
        if current or parts:
            parts.append(current)
        texts = []
        for number, part in enumerate(parts):
            text = self.expression(part)
            if number in WRITTEN.get(name, []):
                text = part[0] if part[0] in self.pointers else "&" + text
            texts.append(text)
        return ", ".join(texts)

    def expression(self, tokens):
        tokens = [token for token in tokens if not token.startswith("//")]
        text = self.conditional(tokens)
        if text is not None:
            return text
        text, before, place = "", "", 0
        while place < len(tokens):
            token = tokens[place]
            if token in "([":
                depth, end = 1, place + 1
                while depth:
                    depth += depth_of(tokens[end])
                    end += 1
                text += token + self.arguments(tokens[place - 1] if place else "", tokens[place + 1 : end - 1])
                text += tokens[end - 1]
                before, place = ")", end
                continue
            shown = RESERVED.get(token, TYPES.get(token, token))
            if token in self.pointers and before != ".":
                shown = f"(*{token})"
            binary = before != "" and re.match(r"[\w)\]]", before[-1])
            if token == "." or re.match(r"\w", token) or (token in "!-~" and not binary):
                text += shown
            else:
                text += f" {shown} "
            before, place = token, place + 1
        return text


def function_of(text):
    text = re.sub(r"ONEPASS_(OUT|INOUT)\((\w+)\)", lambda m: f"{m[1].lower()} {m[2]}", text)
    head, body = text.split("{", 1)
    result, name = head.split("(")[0].split()
    parameters, pointers = [], set()
    for parameter in re.sub(r"\s+", " ", head[head.index("(") + 1 : head.rindex(")")]).split(", "):
        words = parameter.split()
        if words[0] in ("out", "inout"):
            pointers.add(words[2])
            parameters.append(f"{words[2]}: ptr<function, {type_of(words[1])}>")
        else:
            parameters.append(f"{RESERVED.get(words[1], words[1])}: {type_of(words[0])}")
    returned = "" if result == "void" else f" -> {type_of(result)}"
    return f"fn {name}({', '.join(parameters)}){returned} {{\n{Body('{' + body, pointers).statement(1)}}}\n"


def levels_and_footprints():
    """The functions of pyramid_layout.h that depth queries call, in GLSL."""
    text = (SHADERS / "pyramid_layout.h").read_text()
    text = text[text.index("/// Texels of a level") : text.index("/// First texel of `level` whose footprint overlaps")]
    text = re.sub(r"ONEPASS_INLINE_ |ONEPASS_(WIDE|NARROW)_(?=\()", "", text)
    return re.sub(r"onepass_(min|max)_\(", r"\1(", text)


def convert(source):
    lines = source.splitlines()
    text, place, guard = "", 0, False
    while place < len(lines):
        line = lines[place]
        place += 1
        if line.startswith("#include") or re.match(r"#(ifndef|define) ONEPASS_\w+_GLSL_$", line):
            continue
        if line.startswith("#endif  // ONEPASS"):
            continue
        if line.startswith("#ifdef"):
            guard = line.split()[1]
            text += f"@if {guard}\n"
        elif line.startswith("#endif"):
            text += "@end\n"
        elif match := re.match(r"#define (\w+) (\S+)(.*)", line):
            text += f"const {match[1]} = {match[2]};{match[3]}\n"
        elif line.startswith("//") or not line.strip():
            text += re.sub("^///", "//", line) + "\n"
        elif line.startswith("struct"):
            text += line + "\n"
            while not lines[place].startswith("};"):
                member = re.match(r"\s+(\w+) (\w+);(.*)", lines[place])
                text += f"  {member[2]}: {type_of(member[1])},{member[3]}\n"
                place += 1
            text += "}\n"
            place += 1
        else:
            while line.count("{") == 0 or line.count("{") != line.count("}"):
                line += "\n" + lines[place]
                place += 1
            text += function_of(line)
    return text


def main():
    texts = {name: convert((SHADERS / name).read_text()) for name in FILES}
    march = texts.pop("depth_query_march.glsl")
    # The last block of depth_query.glsl includes the ray march.
    text = PRELUDE + convert(levels_and_footprints()) + "".join(texts.values())
    text = text.replace("@if ONEPASS_LOAD_NEAREST\n@end", "@if ONEPASS_LOAD_NEAREST\n" + march + "@end")
    # Comments on the use from GLSL, and the drawings, are in the GLSL headers.
    text = re.sub(r"(?m)^//[^\n]*\n(?:^//[^\n]*\n)*\n", "", text)
    text = re.sub(r"\n{3,}", "\n\n", text).replace("\\", "\\\\").replace("`", "'")
    for macro in CALLBACKS:
        text = text.replace(macro + "(", macro.lower() + "(")
    text = re.sub(r"(?m)^@if (\w+)$", lambda m: "${" + CALLBACKS[m[1]] + " ? /* wgsl */ `", text)
    text = re.sub(r"(?m)^@end$", "` : ''}", text)
    module = (
        "// depth_query_wgsl.js: made by scripts/depth_query_wgsl.py from shaders/onepass/depth_query*.glsl; "
        "do not edit.\n/* eslint-disable */\n\n/**\n * @param {{farthest: boolean, nearest: boolean, "
        "sampleFarthest: boolean, sampleNearest: boolean, tile: boolean}} callbacks\n * @returns {string}\n */\n"
        "export const depthQueryText = ({ farthest, nearest, sampleFarthest, sampleNearest, tile }) => "
        "/* wgsl */ `\n" + text.strip() + "\n`;\n"
    )
    if "--check" in sys.argv:
        if TARGET.read_text() != module:
            sys.exit(f"{TARGET}: out of date; run web/scripts/depth_query_wgsl.py")
    else:
        TARGET.write_text(module)


main()
