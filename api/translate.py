"""Writes the formulas of tone operators, which src/tone_map has in C++, in JavaScript (web/src/tone_formulas.js).

Translated is the text between "// ---- translated" and "// ---- end of what is translated" of a file. It is a subset that
both languages nearly share: expressions of doubles, lambdas, switch, if and for, functions of <cmath>, formula(), and
designated initialisers. What is left of C++ after the replacements below is an error.
"""

from __future__ import annotations

import re

from outputs import Api

# Types of parameters, and what a return type is called.
TYPES = {
    "double": "number",
    "Function": "RealFunction",
    "const Function&": "RealFunction",
    "Formula": "Formula",
    "const Formula&": "Formula",
    "std::optional<Formula>": "Formula | null",
    "const ToneMapOptions&": "Options",
    "const DragoOptions&": "Options['drago']",
    "AgxLook": "Options['look']",
    "ToneOperator": "Options['operator']",
    "Look": "Look",
}
MATH = "ceil|exp|floor|log|log10|log1p|log2|max|min|pow|sqrt"
# Statements and expressions: patterns and what they become.
RULES = [
    (r"^///", "//"),
    (r"\boperator_headroom\((\w+)\)", r"\1.operatorHeadroom"),
    (r"options\.tone_operator", "options.operator"),
    (r"switch \(tone_operator\)", "switch (toneOperator)"),
    (r"(?:static_cast<double>\(|\bdouble\{)([\w.]+)[)}]", r"\1"),
    (rf"std::({MATH})\b", r"Math.\1"),
    (r"std::exp2\(", "exp2("),
    (r"std::clamp\(", "clamp("),
    (r"std::nullopt", "null"),
    (r"(\d\.\d+)F\b", r"Math.fround(\1)"),
    (r"\.push_back\(", ".push("),
    (r"\bfor \(const double (\w+) : ", r"for (const \1 of "),
    (r"\bfor \(int ", "for (let "),
    (r"^( *)(?:constexpr|const) (?:double|auto|Function|Formula) ", r"\1const "),
    (r"^( *)Formula (\w+) = ", r"\1const \2 = "),
    (r"^( *)double (\w+) = ", r"\1let \2 = "),
    (r"(?<![=!<>])(!=|==)", r"\1="),
    (r"\bLook\{(.*)\};", lambda m: "{ " + re.sub(r"\.(\w+) = ", r"\1: ", m[1]) + " };"),
    (r"(?<=[,:] )\{([^{};]*)\}", r"[\1]"),
]
LEFT_OVER = re.compile(
    r"std::|\w::\w|\b(?:double|auto|const \w+&|constexpr|struct|class|template|namespace|static)\b|\[[=&]\]"
)
REGION = re.compile(r"// ---- translated[^\n]*\n(.*?)// ---- end of what is translated\n", re.DOTALL)


def camel(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])_([a-z0-9])", lambda m: m[1].upper(), name)


def parameters(text: str) -> list[tuple[str, str, str]]:
    """(type, name, default) of each parameter."""
    found = []
    for item in filter(None, (item.strip() for item in text.split(","))):
        match = re.fullmatch(r"(.+?) ?(\w+)(?: = (.+))?", item)
        if not match or match[1] not in TYPES:
            raise ValueError(f"translate.py: parameter '{item}'")
        found.append((TYPES[match[1]], camel(match[2]), match[3] or ""))
    return found


def lambda_head(match: re.Match[str]) -> str:
    inside = ", ".join(f"/** @type {{{kind}}} */ {name}" for kind, name, _ in parameters(match[1]))
    return f"({inside}) => {{"


def function_head(match: re.Match[str], exported: bool, declarations: str) -> str:
    declared = re.search(rf"\b{match[2]}\(([^()]*)\);", declarations)  # has the defaults
    items = parameters(declared[1] if declared else match[3])
    tags = "".join(f" @param {{{kind}}} {f'[{name}]' if default else name}" for kind, name, default in items)
    names = ", ".join(f"{name} = {default}" if default else name for _, name, default in items)
    export = "export " if exported else ""
    return f"/**{tags} @returns {{{TYPES[match[1]]}}} */\n{export}function {camel(match[2])}({names}) {{"


def matrices(text: str) -> str:
    """Constants of numbers, with braces as brackets; a Matrix has an outer pair that JavaScript does not need."""

    def constant(match: re.Match[str]) -> str:
        values = re.sub(r"\s+", " ", match[3]).replace("{ ", "{")
        if match[1] == "Matrix":
            values = "{\n  " + values[2:-2].replace("}, {", "},\n  {") + ",\n}"
        return f"export const {match[2]} = {values.replace('{', '[').replace('}', ']')};"

    text = re.sub(r"^constexpr (Matrix|std::array<double, 3>) (\w+) =\s+(\{.*?\});", constant, text, flags=re.M | re.S)
    return re.sub(r"^constexpr double (\w+) = ", r"export const \1 = ", text, flags=re.M)


def translate(api: Api, name: str, text: str, declarations: str) -> str:
    region = REGION.search(text)
    if not region:
        raise ValueError(f"translate.py: {name} has no part to translate")
    text = matrices(region[1]) if "constexpr Matrix" in region[1] else region[1]

    def word(match: re.Match[str]) -> str:
        enum = api.enums[match[1]]
        return "'" + next(api.word(enum, value) for value in enum.values if value.name == match[2]) + "'"

    text = re.sub(r"\b([A-Z]\w+)::k(\w+)", word, text)
    head = re.compile(rf"^({'|'.join(map(re.escape, TYPES))}) (\w+)\(([^()]*)\) \{{", re.M)
    public = text.find("}  // namespace\n")
    text = head.sub(lambda match: function_head(match, match.start() > public, declarations), text)
    text = text.replace("}  // namespace\n", "")
    text = re.sub(r"\[[=&]?\]\(([^()]*)\) \{", lambda_head, text)
    for pattern, replacement in RULES:
        text = re.sub(pattern, replacement, text, flags=re.M)
    code = [re.sub(r"//.*|/\*.*?\*/|'[^']*'", "", line) for line in text.splitlines()]
    for line in code:
        if LEFT_OVER.search(line):
            raise ValueError(f"translate.py: {name}: '{line.strip()}' is no text that it can translate")
    text = re.sub(r"(?<![\w.'*/])[a-z]+(?:_[a-z0-9]+)+\b(?!['.])", lambda m: camel(m[0]), text)
    text = re.sub(r"(?<=\.)[a-z]+(?:_[a-z0-9]+)+\b", lambda m: camel(m[0]), text)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def number(text: str, name: str) -> str:
    match = re.search(rf"\b{name} = ([\d.]+)F?;", text)
    if not match:
        raise ValueError(f"translate.py: no constant {name}")
    return match[1]


def macro(text: str, name: str) -> str:
    match = re.search(rf"^#define {name} ([\d.]+)$", text, re.M)
    if not match:
        raise ValueError(f"translate.py: no macro {name} of a number")
    return match[1]


def tone_formulas_js(api: Api, sources: dict[str, str]) -> str:
    """`sources`: texts by name: operators.cpp, operators.hpp, program.cpp, program.hpp, tone_map.hpp
    and tone_map_params.h."""
    header = sources["tone_map.hpp"]
    listed = re.search(r"bool uses_headroom\(.*?\n}\n", header, re.DOTALL)
    enum = api.enums["ToneOperator"]
    with_headroom = [api.word(enum, v) for v in enum.values if listed and f"::k{v.name}:" in listed[0]]
    return f"""// tone_formulas.js: the formulas of tone operators, transfers and looks, in double.
//
// Written by scripts/generate-api from src/tone_map/operators.cpp and program.cpp: do not edit. docs/tone_map.md names the
// source of every formula.

/** @typedef {{number[][]}} Matrix  Rows. */
/** @typedef {{import('./tone_curve.js').RealFunction}} RealFunction */
/** @typedef {{{{f: RealFunction, top: number, kinks: number[], foot: number}}}} Formula */
/** @typedef {{{{slope: number[], power: number, saturation: number}}}} Look */
/** @typedef {{import('./tone_map.js').ResolvedTone & {{operatorHeadroom: number}}}} Options */

/** The largest half. */
export const kMostLight = {number(sources["program.hpp"], "kMostLight")};
export const kHueBefore = {macro(sources["tone_map_params.h"], "ONEPASS_TONE_HUE_BEFORE")};
export const kHueAfter = {macro(sources["tone_map_params.h"], "ONEPASS_TONE_HUE_AFTER")};
const kHlgPeakNits = {number(header, "kHlgPeakNits")};
/** Operators that have a variant with highlights above 1. */
export const headroomOperators = [{", ".join(f"'{word}'" for word in with_headroom)}];

const exp2 = (/** @type {{number}} */ x) => 2 ** x;
/** @type {{(x: number, low: number, high: number) => number}} */
const clamp = (x, low, high) => Math.min(Math.max(x, low), high);
/** @type {{(f: RealFunction, top?: number, kinks?: number[], foot?: number) => Formula}} */
const formula = (f, top = kMostLight, kinks = [], foot = 0) => ({{ f, top, kinks, foot }});

{translate(api, "operators.cpp", sources["operators.cpp"], sources["operators.hpp"])}
{translate(api, "program.cpp", sources["program.cpp"], "")}"""
