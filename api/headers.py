"""Reads the enumerations and structs of the public C++ headers, which are the table of the API.

The headers have one form, which clang-format keeps: an enumerator or a field per declaration, its documentation in
`///` lines before it or in `///<` behind it. Anything else inside an enumeration, or inside a struct of the table, is
an error that names the line, so that nothing is left out without a word.
"""
from __future__ import annotations

import pathlib
import re
from dataclasses import dataclass, field


@dataclass
class Enumerator:
    name: str  # without the k: "MinMax"
    number: int
    doc: str


@dataclass
class Enum:
    name: str  # without its namespace
    namespace: str  # "", "files" or "vulkan": inside onepass
    underlying: str  # "uint32_t", or "" for int
    header: str  # "onepass/pyramid.hpp"
    doc: str
    values: list[Enumerator] = field(default_factory=list)

    @property
    def cpp(self) -> str:
        return f"{self.namespace}::{self.name}" if self.namespace else self.name


@dataclass
class Field:
    type: str
    name: str
    default: str  # "" for {} and for none
    doc: str


@dataclass
class Struct:
    name: str
    namespace: str
    header: str
    doc: str
    fields: list[Field] = field(default_factory=list)
    unread: str = ""  # why its fields were not understood; only structs of the table must be

    @property
    def cpp(self) -> str:
        return f"{self.namespace}::{self.name}" if self.namespace else self.name


def snake(name: str) -> str:
    """ "MinMax" as "min_max"; digits stay with the letters before them."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _doc_and_code(line: str) -> tuple[str, str]:
    """The documentation behind a declaration, and the declaration."""
    if "///<" in line:
        code, doc = line.split("///<", 1)
        return doc.strip(), code.strip()
    return "", re.split(r"(?:^|\s)//", line)[0].strip()


class _Header:
    """One header: collects enumerations and structs line by line."""

    def __init__(self, root: pathlib.Path, path: pathlib.Path) -> None:
        self.path = path
        self.name = path.relative_to(root / "include").as_posix()
        self.lines = path.read_text().splitlines()
        self.enums: list[Enum] = []
        self.structs: list[Struct] = []
        self._read()

    def _fail(self, number: int, why: str) -> None:
        raise SystemExit(f"{self.path}:{number + 1}: {why}: {self.lines[number].strip()}")

    def _read(self) -> None:
        namespace: list[str] = []
        doc: list[str] = []
        i = 0
        while i < len(self.lines):
            line = self.lines[i].strip()
            if opened := re.fullmatch(r"namespace ([\w:]+) \{", line):
                namespace.append(opened[1])
            elif re.fullmatch(r"\}  // namespace( [\w:]+)?", line):
                namespace.pop()
            elif line.startswith("///"):
                doc.append(line[3:].strip())
                i += 1
                continue
            inside = "::".join(namespace).removeprefix("onepass").removeprefix("::")
            if found := re.match(r"enum class (\w+)( : (\w+))? \{", line):
                i = self._read_enum(i, Enum(found[1], inside, found[3] or "", self.name, " ".join(doc)))
            elif found := re.match(r"struct (\w+) \{$", line):
                i = self._read_struct(i, Struct(found[1], inside, self.name, " ".join(doc)))
            doc = []
            i += 1

    def _read_enum(self, i: int, enum: Enum) -> int:
        self.enums.append(enum)
        first = self.lines[i]
        if first.rstrip().endswith("};"):  # on one line
            inner = first[first.index("{") + 1 : first.rindex("}")]
            enum.values = [Enumerator(word.strip()[1:], n, "") for n, word in enumerate(inner.split(","))]
            return i
        number = 0
        before: list[str] = []
        while self.lines[i + 1].strip() != "};":
            i += 1
            line = self.lines[i].strip()
            if line.startswith("///<"):
                if not enum.values:
                    self._fail(i, "documentation of no enumerator")
                enum.values[-1].doc += " " + line[4:].strip()
                continue
            if line.startswith("///"):
                before.append(line[3:].strip())
                continue
            doc, code = _doc_and_code(line)
            if not code:
                continue
            for part in code.rstrip(",").split(", "):
                found = re.fullmatch(r"k(\w+)( = (\d+))?", part)
                if not found:
                    self._fail(i, "not an enumerator")
                number = int(found[3]) if found[3] else number
                enum.values.append(Enumerator(found[1], number, " ".join(before) or doc))
                number += 1
            before = []
        return i + 1

    def _read_struct(self, i: int, struct: Struct) -> int:
        self.structs.append(struct)
        depth, code, doc, before = 0, "", "", []
        begun = i
        while self.lines[i + 1].strip() != "};" or depth > 0:
            i += 1
            line = self.lines[i].strip()
            if depth == 0 and not code and line.startswith("///<"):
                if struct.fields:
                    struct.fields[-1].doc += " " + line[4:].strip()
                continue
            if depth == 0 and not code and line.startswith("///"):
                before.append(line[3:].strip())
                continue
            behind, text = _doc_and_code(line)
            if not code:
                begun = i
            code = f"{code} {text}".strip()
            doc = f"{doc} {behind}".strip()
            depth = code.count("{") - code.count("}")
            if depth > 0 or not code or not (code.endswith(";") or code.endswith("}")):
                continue
            self._add_field(begun, struct, code, " ".join(before) or doc)
            code, doc, before = "", "", []
        return i + 1

    def _add_field(self, i: int, struct: Struct, code: str, doc: str) -> None:
        function = re.search(r"\)( const)?( noexcept)?( \{.*\}|;| = default;)$", code)
        if function or code.startswith(("friend ", "static ", "enum ")):
            return
        found = re.fullmatch(r"([\w:<>, *()&]+?)\s+(\w+)(?:\s*=\s*(.+?)|\{(.*)\})?;", code)
        if not found:
            struct.unread = struct.unread or f"{self.path}:{i + 1}: not a field: {code}"
            return
        struct.fields.append(Field(found[1], found[2], (found[3] or found[4] or "").strip(), doc))


def read(root: pathlib.Path) -> tuple[dict[str, Enum], dict[str, Struct]]:
    """All enumerations and structs of include/onepass, by their names inside the namespace onepass."""
    enums: dict[str, Enum] = {}
    structs: dict[str, Struct] = {}
    for path in sorted((root / "include" / "onepass").rglob("*.hpp")):
        header = _Header(root, path)
        enums.update({enum.cpp: enum for enum in header.enums})
        structs.update({struct.cpp: struct for struct in header.structs})
    return enums, structs
