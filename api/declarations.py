"""Reads the C headers and writes their declarations for ctypes (python/onepass/_c.py).

The headers have one form: a typedef of an enumeration, a struct, a handle or a callback, or a function, each of which
ends with a semicolon. Anything else is an error that names the text, so that nothing is left out without a word.
"""
from __future__ import annotations

import re

# Types of C that ctypes has.
PLAIN = {
    "void": "None",
    "int": "ctypes.c_int",
    "int32_t": "ctypes.c_int32",
    "uint8_t": "ctypes.c_uint8",
    "uint16_t": "ctypes.c_uint16",
    "uint32_t": "ctypes.c_uint32",
    "uint64_t": "ctypes.c_uint64",
    "size_t": "ctypes.c_size_t",
    "float": "ctypes.c_float",
    "double": "ctypes.c_double",
}


class Declarations:
    """The declarations of C headers, in their order."""

    def __init__(self, words: dict[str, list[str]]) -> None:
        self.words = words  # of enumerations, by their names in C
        self.enums: dict[str, dict[str, int]] = {}  # "onepass_format": {"ONEPASS_FORMAT_R8_UNORM": 9, ...}
        self.structs: list[str] = []
        self.handles: list[str] = []
        self.constants: list[tuple[str, int]] = []
        self.texts: list[str] = []
        self.functions: list[tuple[str, str, list[str]]] = []

    def read(self, name: str, text: str) -> None:
        """Adds the declarations of a header."""
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
        self.constants += [(n, int(v)) for n, v in re.findall(r"^#define (ONEPASS_\w+) (\d+)$", text, re.M)]
        text = re.sub(r"^#.*$", "", text, flags=re.M)
        text = re.sub(r'extern "C" \{|ONEPASS_API', "", text)
        text = re.sub(r"\s+", " ", text).strip().removesuffix("}").strip()
        last = ""
        for declaration in re.findall(r"[^;{]+(?:\{[^}]*\}[^;]*)?;", text):
            declaration = declaration.strip().rstrip(";").strip()
            if found := re.fullmatch(r"typedef (u?int32_t) (\w+)", declaration):
                last = found[2]
                self.enums[last] = {}
                self.texts.append(f"{found[2]} = {PLAIN[found[1]]}\n")
            elif found := re.fullmatch(r"enum \{(.*?),? \}", declaration):
                for value in found[1].split(","):
                    key, number = value.split("=")
                    self.enums[last][key.strip()] = int(number)
            elif found := re.fullmatch(r"typedef struct (\w+) \{(.*)\} \1", declaration):
                self._struct(found[1], found[2])
            elif found := re.fullmatch(r"typedef struct (\w+) \1", declaration):
                self.handles.append(found[1])
            elif re.fullmatch(r"struct \w+", declaration):
                continue
            elif found := re.fullmatch(r"typedef (.+?) ?\(\*(\w+)\)\((.*)\)", declaration):
                types = [self._type(re.sub(r" ?\w+$", "", item)) for item in found[3].split(", ")]
                self.texts.append(f"{found[2]} = ctypes.CFUNCTYPE({', '.join([self._type(found[1]), *types])})\n")
            elif found := re.fullmatch(r"(.+?[ *])(\w+) ?\((.*)\)", declaration):
                items = [] if found[3] == "void" else found[3].split(", ")
                types = [self._type(re.sub(r"(?<=[ *])\w+$", "", item.strip())) for item in items]
                self.functions.append((found[2], self._type(found[1]), types))
            else:
                raise SystemExit(f"{name}: no declaration that api/declarations.py knows: {declaration}")

    def _type(self, text: str) -> str:
        text = re.sub(r"\b(const|struct) ?", "", text).strip().replace(" *", "*")
        stars = len(text) - len(text.rstrip("*"))
        base = text.rstrip("*").strip()
        if stars and base == "char":
            return {1: "ctypes.c_char_p", 2: "ctypes.POINTER(ctypes.c_char_p)"}[stars]
        if base in self.handles or base.endswith("_tuning") and base not in self.structs or stars and base == "void":
            return {1: "ctypes.c_void_p", 2: "ctypes.POINTER(ctypes.c_void_p)"}[stars]
        if base not in PLAIN and base not in self.structs and not any(t.startswith(f"{base} = ") for t in self.texts):
            raise SystemExit(f"api/declarations.py: C has no type {text} before its use")
        return "ctypes.POINTER(" * stars + PLAIN.get(base, base) + ")" * stars

    def _struct(self, name: str, body: str) -> None:
        lines, words = [], []
        for item in filter(None, (item.strip() for item in body.split(";"))):
            found = re.fullmatch(r"(.+?)(\w+)(?:\[(\d+)\])?", item)
            base = found[1].strip()
            kind = f"ctypes.c_char * {found[3]}" if base == "char" else self._type(base)
            if found[3] and base != "char":
                kind += f" * {found[3]}"
            lines.append(f'        ("{found[2]}", {kind}),\n')
            if base in self.words:
                words.append(f'        "{found[2]}": {base.upper()},\n')
        self.structs.append(name)
        text = f"class {name}(ctypes.Structure):\n    _fields_ = [\n{''.join(lines)}    ]\n"
        if words:
            text += f"    WORDS: Dict[str, Dict[str, int]] = {{\n{''.join(words)}    }}\n"
        self.texts.append(f"\n\n{text}\n\n")

    def python(self, generated: str) -> str:
        """The file for Python."""
        out = f'"""The C API of the library for ctypes.\n\n{generated}.\n"""\n# fmt: off\n'
        out += "import ctypes\nfrom typing import Any, Dict, List, Tuple\n\n"
        out += "".join(f"{name.removeprefix('ONEPASS_')} = {value}\n" for name, value in self.constants)
        for name, values in self.enums.items():
            if not values:
                continue
            prefix = name.upper() + "_" if name != "onepass_code" else "ONEPASS_"
            names = self.words.get(name) or [key.removeprefix(prefix) for key in values]
            pairs = ", ".join(f'"{word}": {number}' for word, number in zip(names, values.values()))
            out += f"\n#: Numbers by word.\n{name.upper()}: Dict[str, int] = {{{pairs}}}\n"
        out += "\n" + "".join(self.texts)
        out += "\n#: Name, type of the result and types of the arguments of every function.\n"
        out += "FUNCTIONS: List[Tuple[str, Any, List[Any]]] = [\n"
        for name, result, types in self.functions:
            out += f'    ("{name}", {result}, [{", ".join(types)}]),\n'
        out += "]\n"
        return re.sub(r"\n{4,}", "\n\n\n", out)
