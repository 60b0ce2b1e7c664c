"""The texts that follow from the table: each function returns one file, or one part of a page, as a string."""
from __future__ import annotations

import re
import textwrap

import table
from declarations import Declarations
from headers import Enum, Field, Struct, snake

WIDTH = 120


class Api:
    """The headers and the table, with the names of each language."""

    def __init__(self, enums: dict[str, Enum], structs: dict[str, Struct]) -> None:
        self.enums, self.structs = enums, structs
        self.word_enums = [self._enum(name) for name in table.WORD_ENUMS]
        for name in sorted(set(enums) - set(table.WORD_ENUMS) - table.NO_WORDS):
            raise SystemExit(f"{enums[name].header}: {name}: api/table.py has it neither in WORD_ENUMS nor in NO_WORDS")
        self.c_enums = [enum for enum in self.word_enums if enum.namespace in ("", "vulkan")]
        self.c_files_enums = [enum for enum in self.word_enums if enum.namespace in ("files", "tiles")]
        self.c_files_enums += [self._enum(name) for name in table.C_FILES_NUMBERS]
        for name in table.C_OPTIONS + table.C_VULKAN_OPTIONS + table.C_FILES_OPTIONS:
            self.struct(name)
        for enum in self.word_enums:
            if [value.number for value in enum.values] != list(range(len(enum.values))):
                raise SystemExit(f"{enum.header}: {enum.name}: its numbers are not 0, 1, 2 and so on")

    def _enum(self, name: str) -> Enum:
        if name not in self.enums:
            raise SystemExit(f"api/table.py: {name}: no public header has this enumeration")
        return self.enums[name]

    def struct(self, name: str) -> Struct:
        if name not in self.structs:
            raise SystemExit(f"api/table.py: {name}: no public header has this struct")
        if self.structs[name].unread:
            raise SystemExit(self.structs[name].unread)
        return self.structs[name]

    def word(self, enum: Enum, value) -> str:
        return table.WORDS.get(f"{enum.name}::{value.name}", snake(value.name))

    def words(self, enum: Enum, without=()) -> list[str]:
        return [self.word(enum, value) for value in enum.values if value.name not in without]

    def enum_of(self, type_name: str, namespace: str) -> Enum | None:
        """The enumeration that a field's type names, seen from a namespace."""
        return self.enums.get(f"{namespace}::{type_name}" if namespace else type_name) or self.enums.get(type_name)

    # C

    def c_type(self, enum: Enum) -> str:
        return f"onepass_{'files_' if enum.namespace == 'files' else ''}{snake(enum.name)}"

    def c_value(self, enum: Enum, value) -> str:
        return f"{self.c_type(enum)}_{self.word(enum, value)}".upper()

    def c_struct(self, struct: Struct) -> str:
        namespace = f"{struct.namespace}_" if struct.namespace else ""
        return table.C_NAMES.get(struct.cpp) or f"onepass_{namespace}{snake(struct.name)}"

    def c_fields(self, struct: Struct) -> list["CField"]:
        """The fields of a struct in C, without struct_size, with reserved fields where they would leave gaps."""
        return padded(self.flat_fields(struct))

    def flat_fields(self, struct: Struct) -> list["CField"]:
        """The fields of a struct and, in their places, those of structs in it."""
        fields: list[CField] = []
        notches = ""
        for item in struct.fields:
            nested = self.structs.get(f"{struct.namespace}::{item.type}") or self.structs.get(item.type)
            if f"{struct.cpp}::{item.name}" in table.C_LEFT_OUT:
                continue
            if item.type in ("std::string", "std::filesystem::path"):
                fields.append(
                    CField(
                        "const char*",
                        item.name,
                        item.name,
                        "",
                        item.doc,
                        "text" if item.type == "std::string" else "path",
                    )
                )
            elif item.type == "std::vector<std::string>":
                count = f"Number of {item.name}."
                fields.append(CField("uint32_t", f"{item.name}_count", item.name, "", count, "count"))
                fields.append(CField("const char* const*", item.name, item.name, "", item.doc, "texts"))
            elif item.type == "std::vector<VolumeStep>":
                fields.append(CField("uint32_t", "step_count", item.name, "", f"Number of {item.name}.", "count"))
                fields.append(CField("const onepass_volume_step*", item.name, item.name, "", item.doc, "steps"))
            elif found := re.fullmatch(r"std::optional<(?:std::array<float, 8>|Chromaticities)>", item.type):
                kind = "optional_array" if "array" in item.type else "optional"
                fields.append(CField("uint32_t", f"has_{item.name}", item.name, "", f"1: {item.name} is set.", "has"))
                fields.append(CField("onepass_chromaticities", item.name, item.name, "", item.doc, kind))
            elif found := re.fullmatch(r"std::optional<(AlphaAssociation)>", item.type):
                enum = self.enums[found[1]]
                fields.append(CField("uint32_t", f"has_{item.name}", item.name, "", f"1: {item.name} is set.", "has"))
                fields.append(CField(self.c_type(enum), item.name, item.name, "", item.doc, "optional_enum", enum.cpp))
            elif item.type == "std::array<uint8_t, 2>":
                fields.append(CField("uint8_t", item.name, item.name, "", item.doc, "bytes", count="2"))
                fields.append(CField("uint8_t", f"{item.name}_reserved", "", "", "0", "padding", count="2"))
            elif item.type == "std::array<Notch, kMaxNotches>":
                notches = item.name
            elif item.name == "notch_count":
                fields.append(CField("uint32_t", item.name, item.name, "0", "Number of notches, at most 32."))
            elif found := re.fullmatch(r"std::array<(\w+), (\d+)>", item.type):
                fields.append(CField(found[1], item.name, item.name, item.default, item.doc, count=found[2]))
            elif found := re.fullmatch(r"std::optional<(\w+)>", item.type):
                fields.append(CField("uint32_t", f"has_{item.name}", item.name, "", f"1: {item.name} is set.", "has"))
                value = {**table.C_VALUES, **table.C_FILES_VALUES}[found[1]]
                fields.append(CField(value, item.name, item.name, "", item.doc, "optional", found[1]))
            elif value := {**table.C_VALUES, **table.C_VOLUME_VALUES}.get(item.type):
                fields.append(CField(value, item.name, item.name, "", item.doc, "value"))
            elif item.type in table.C_VULKAN_VALUES:
                fields.append(
                    CField(
                        table.C_VULKAN_VALUES[item.type],
                        item.name,
                        item.name,
                        "",
                        item.doc,
                        "side" if item.type in SIDES else "value",
                    )
                )
            elif item.type.startswith("Vk"):
                default = "" if item.default in ("VK_NULL_HANDLE", "0") else item.default
                fields.append(CField(item.type, item.name, item.name, default, item.doc))
            elif item.type == "bool":
                fields.append(
                    CField(
                        "uint32_t",
                        item.name,
                        item.name,
                        "1" if item.default == "true" else "0",
                        f"0 or 1. {item.doc}".strip(),
                        "bool",
                    )
                )
            elif item.type == "Format":
                fields.append(CField("onepass_format", item.name, item.name, "", item.doc, "enum", "Format"))
            elif enum := self.enum_of(item.type, struct.namespace):
                default = next(v for v in enum.values if item.default.endswith(f"::k{v.name}"))
                fields.append(
                    CField(
                        self.c_type(enum),
                        item.name,
                        item.name,
                        self.c_value(enum, default) if default.number else "",
                        item.doc,
                        "enum",
                        enum.cpp,
                    )
                )
            elif nested:
                for inner in self.flat_fields(self.struct(nested.cpp)):
                    prefix = "has_" if inner.kind == "has" else ""
                    inner.name = f"{prefix}{item.name}_{inner.name.removeprefix(prefix)}"
                    inner.path = f"{item.name}.{inner.path}" if inner.path else ""
                    fields.append(inner)
            elif item.type in ("uint32_t", "int32_t", "int", "uint64_t", "float"):
                type_name = "int32_t" if item.type == "int" else item.type
                fields.append(CField(type_name, item.name, item.name, item.default, item.doc))
            else:
                raise SystemExit(f"{struct.header}: {struct.name}::{item.name}: C has no type for {item.type}")
        if notches:
            fields.append(CField("const onepass_notch*", notches, notches, "", "NULL: none.", "notches"))
        return fields

    def c_text(self, text: str, enum: Enum | None, struct: Struct | None) -> str:
        """A comment of C++ with the names of C."""
        near = [enum] if enum else []
        if struct:
            near += [found for item in struct.fields if (found := self.enum_of(item.type, struct.namespace))]
            near += [e for e in self.enums.values() if e.header == struct.header]
        elif enum:
            near += [e for e in self.enums.values() if e.header == enum.header]

        def enumerator(match: re.Match[str]) -> str:
            owner, name = match[1], match[2]
            if any(value.name == name for value in self.enums["ErrorCode"].values) and owner in (None, "ErrorCode"):
                return f"ONEPASS_{snake(name).upper()}"
            if owner == "Format" or (not owner and any(v.name == name for v in self.enums["Format"].values)):
                return f"ONEPASS_FORMAT_{c_format(name)}"
            spaces = ("vulkan", "files", "tiles", "volumes")
            candidates = [self.enum_of(owner, space) for space in spaces] if owner else near + self.c_enums
            for candidate in candidates:
                for value in candidate.values if candidate else []:
                    if value.name == name:
                        return self.c_value(candidate, value)
            return match[0]

        def member(match: re.Match[str]) -> str:
            for name in (match[1], f"vulkan::{match[1]}"):
                if name in table.C_OPTIONS + table.C_VULKAN_OPTIONS:
                    return f"{self.c_struct(self.structs[name])}.{match[2]}"
            return match[0]

        text = re.sub(r"\b(?:(\w+)::)?k([A-Z]\w*)\b", enumerator, text)
        text = re.sub(r"\b(?:vulkan::)?([A-Z]\w+)::([a-z]\w+)\b(?!\()", member, text)
        return text.replace("{}", "all 0").replace("*/", "* /")


# Values whose layout of 0 is the default, and which have a reserved field.
SIDES = ("Side", "ReflectionImage")

# Bytes and alignment of the types of fields that have other ones than a uint32_t.
LAYOUTS = {
    "uint8_t": (1, 1),
    "uint64_t": (8, 8),
    "VkImage": (8, 8),
    "VkBuffer": (8, 8),
    "VkDeviceSize": (8, 8),
    "onepass_extent": (8, 4),
    "onepass_offset": (8, 4),
    "onepass_rect": (16, 4),
    "onepass_volume_size": (12, 4),
    "onepass_voxel_size": (24, 8),
    "onepass_files_box": (16, 4),
    "onepass_chromaticities": (64, 8),
    "onepass_vulkan_buffer_range": (16, 8),
    "onepass_vulkan_side": (48, 8),
    "onepass_vulkan_reflection_image": (24, 8),
}


def layout_of(item: "CField") -> tuple[int, int]:
    """Bytes of one element of a field and its alignment, where pointers have eight bytes."""
    return (8, 8) if item.type.endswith("*") else LAYOUTS.get(item.type, (4, 4))


def c_size(item: "CField") -> int:
    """Bytes of a field."""
    return layout_of(item)[0] * int(item.count or 1)


def is_wide(item: "CField") -> bool:
    """Whether a field is aligned to eight bytes."""
    return layout_of(item)[1] == 8


def padded(fields: list["CField"]) -> list["CField"]:
    """The fields in an order without gaps: first wide ones, if there are several; a reserved field at an odd end."""
    if sum(is_wide(item) for item in fields) > 1:
        fields = [item for item in fields if is_wide(item)] + [item for item in fields if not is_wide(item)]
    size = 0  # behind struct_size, which is as large as a pointer
    laid_out: list[CField] = []
    for item in fields:
        if is_wide(item) and size % 8:
            laid_out.append(CField("uint32_t", "reserved", "", "", "0", "reserved"))
            size += 4
        laid_out.append(item)
        size += c_size(item)
    if size % 8:
        laid_out.append(CField("uint32_t", "reserved", "", "", "0", "reserved"))
    return laid_out


class CField:
    """A field of a C struct. `path`: its C++ field. `kind`: how it is converted. `cpp`: the enumeration in C++."""

    def __init__(self, type_name, name, path, default, doc, kind="plain", cpp="", count=""):
        self.type, self.name, self.path, self.default, self.doc = type_name, name, path, default, doc
        self.kind, self.cpp, self.count = kind, cpp, count


def c_format(name: str) -> str:
    """The name of a format in Vulkan and C: RGBA8Unorm as R8G8B8A8_UNORM."""
    special = {"X8D24Unorm": "X8_D24_UNORM", "D24UnormS8": "D24_UNORM_S8_UINT", "D32SfloatS8": "D32_SFLOAT_S8_UINT"}
    if name in special:
        return special[name]
    if found := re.fullmatch(r"([RGBA]{2,})(\d+)([A-Z]\w+)", name):
        name = "".join(channel + found[2] for channel in found[1]) + found[3]
    return re.sub(r"(?<=\d)(?=[A-Z][a-z])", "_", name).upper()


def c_block_format(name: str) -> str:
    """The name of a block format in C: Astc4x4Srgb as ONEPASS_BLOCK_FORMAT_ASTC_4X4_SRGB."""
    return "ONEPASS_BLOCK_FORMAT_" + re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=Astc)", "_", name).upper()


def c_comment(text: str, indent: str = "") -> str:
    """A block comment."""
    lines = textwrap.wrap(text, WIDTH - len(indent) - 6, break_long_words=False, break_on_hyphens=False)
    if not lines:
        return ""
    return f"{indent}/* " + f"\n{indent} * ".join(lines) + " */\n"


def number_text(default: str) -> str:
    """A default as a number of C: "1.0F / 256" stays a fraction."""
    plain = re.sub(r"(\d)F\b", r"\1", default)
    return re.sub(r"\b(\d+)\.0\b", r"\1", plain).strip("{}")


GENERATED = "Generated by scripts/generate-api from the C++ headers and api/table.py: change those"


def c_enum(api: Api, enum: Enum) -> str:
    """The type and the numbers of an enumeration."""
    text = c_comment(api.c_text(enum.doc, enum, None)) + f"typedef uint32_t {api.c_type(enum)};\nenum {{\n"
    return (
        text
        + ",\n".join(
            c_comment(api.c_text(value.doc, enum, None), "  ") + f"  {api.c_value(enum, value)} = {value.number}"
            for value in enum.values
        )
        + "\n};\n\n"
    )


def plain_fields(struct: Struct) -> list[CField]:
    """The fields of a struct that has the same layout in C."""
    fields = []
    for item in struct.fields:
        array = re.fullmatch(r"std::array<(\w+), (\d+)>", item.type)
        fields.append(
            CField(
                array[1] if array else item.type, item.name, item.name, "", item.doc, count=array[2] if array else ""
            )
        )
    return fields


def c_value_struct(api: Api, struct: Struct, c_name: str, fields: list[CField]) -> str:
    """A struct by value: no size in front, zero bytes are the defaults."""
    text = c_comment(api.c_text(struct.doc, None, struct)) + f"typedef struct {c_name} {{\n"
    for item in fields:
        doc = api.c_text(item.doc, None, struct)
        if item.default.startswith("VK_"):
            doc += f" 0: {item.default}."
        text += c_comment(doc, "  ") + f"  {item.type} {item.name}{f'[{item.count}]' if item.count else ''};\n"
    return text + f"}} {c_name};\n\n"


def c_options(api: Api, struct: Struct) -> str:
    """A struct of options with its init function."""
    c_name = api.c_struct(struct)
    text = c_comment(api.c_text(struct.doc, None, struct)) + f"typedef struct {c_name} {{\n  size_t struct_size;\n"
    for item in api.c_fields(struct):
        owner = api.enums.get(item.cpp)
        doc = api.c_text(item.doc, owner if owner and owner.name != "Format" else None, struct)
        if item.kind == "has":
            doc = f"1: {item.name.removeprefix('has_')} is set."
        default = table.C_CONSTANTS.get(item.default, number_text(item.default))
        if default not in ("", "0") and item.kind in ("plain", "enum", "bool"):
            doc = f"Default: {default}. {doc}"
        count = f"[{item.count}]" if item.count else ""
        text += c_comment(doc.strip(), "  ") + f"  {item.type} {item.name}{count};\n"
    return text + f"}} {c_name};\n" + init_declaration(c_name) + "\n\n"


def c_header(name: str, purpose: str, includes: str, sections: dict[str, str]) -> str:
    """A header of generated types, a section for each C++ header."""
    guard = f"ONEPASS_{name.upper().replace('.', '_')}"
    body = "".join(f"/* ---- {header} ---- */\n\n{text}" for header, text in sections.items())
    return f"""/* {name}: {purpose}
 * {GENERATED}.
 *
 * The names are those of C++: PyramidOptions::footprint is onepass_pyramid_options.footprint, Footprint::kCovering is
 * ONEPASS_FOOTPRINT_COVERING. Functions in the comments, such as footprint_range(), are those of the C++ headers. */
#ifndef {guard}
#define {guard}

{includes}

#ifdef __cplusplus
extern "C" {{
#endif

{body}#ifdef __cplusplus
}}
#endif

#endif
"""


def by_header(pieces: list[tuple[str, str]]) -> dict[str, str]:
    """Texts joined by their headers, in the order in which headers come first."""
    sections: dict[str, str] = {}
    for header, text in pieces:
        sections[header] = sections.get(header, "") + text
    return sections


def types_h(api: Api) -> str:
    """include/onepass/onepass_types.h"""
    image = api.enums["Format"]
    formats = (
        c_comment(api.c_text(image.doc, image, None))
        + "typedef uint32_t onepass_format;\nenum {\n"
        + ",\n".join(
            c_comment(api.c_text(value.doc, image, None), "  ")
            + f"  ONEPASS_FORMAT_{c_format(value.name)} = {value.number}"
            for value in image.values
        )
        + "\n};\n\n"
    )
    block = api.enums["BlockFormat"]
    block_formats = (
        c_comment(api.c_text(block.doc, None, None))
        + "typedef uint32_t onepass_block_format;\nenum {\n"
        + ",\n".join(
            c_comment(api.c_text(value.doc, None, None), "  ") + f"  {c_block_format(value.name)} = {value.number}"
            for value in block.values
        )
        + "\n};\n\n"
    )
    pieces = [(image.header, formats)]
    for name, c_name in table.C_VALUES.items():
        struct = api.struct(name)
        pieces.append((image.header, c_value_struct(api, struct, c_name, api.c_fields(struct))))
    pieces.append((block.header, block_formats))
    pieces += [(enum.header, c_enum(api, enum)) for enum in api.c_enums if enum.namespace == ""]
    for name, c_name in table.C_SAME_LAYOUT.items():
        struct = api.struct(name)
        pieces.append((struct.header, c_value_struct(api, struct, c_name, plain_fields(struct))))
    pieces += [(api.struct(name).header, c_options(api, api.struct(name))) for name in table.C_OPTIONS]
    includes = '#include <stddef.h>\n#include <stdint.h>\n\n#include "onepass/export.h"'
    return c_header(
        "onepass_types.h",
        "enumerations and option structs of onepass.h, which includes it.",
        includes,
        by_header(pieces),
    )


def vulkan_types_h(api: Api) -> str:
    """include/onepass/onepass_vulkan_types.h"""
    pieces = [(enum.header, c_enum(api, enum)) for enum in api.c_enums if enum.namespace == "vulkan"]
    for name, c_name in table.C_VULKAN_VALUES.items():
        struct = api.struct(f"vulkan::{name}")
        pieces.append((struct.header, c_value_struct(api, struct, c_name, api.c_fields(struct))))
    for name, c_name in table.C_VULKAN_SAME_LAYOUT.items():
        struct = api.struct(name)
        pieces.append((struct.header, c_value_struct(api, struct, c_name, plain_fields(struct))))
    pieces += [(api.struct(name).header, c_options(api, api.struct(name))) for name in table.C_VULKAN_OPTIONS]
    includes = '#include <vulkan/vulkan_core.h>\n\n#include "onepass/onepass_types.h"'
    purpose = "enumerations, tunings and images of onepass_vulkan.h, which includes it."
    return c_header("onepass_vulkan_types.h", purpose, includes, by_header(pieces))


def init_declaration(c_name: str) -> str:
    """Its size in bytes and its defaults."""
    line = f"ONEPASS_API void {c_name}_init({c_name}* options, size_t struct_size);"
    if len(line) <= WIDTH:
        return line
    return (
        f"ONEPASS_API void {c_name}_init({c_name}* options,\n"
        + " " * len(f"ONEPASS_API void {c_name}_init(")
        + "size_t struct_size);"
    )


# Kinds of fields whose default is 0, null or absent.
NO_DEFAULTS = {
    "reserved",
    "padding",
    "optional",
    "optional_array",
    "optional_enum",
    "notches",
    "side",
    "text",
    "path",
    "texts",
    "steps",
    "count",
    "bytes",
}


def _check(call: str, name: str) -> str:
    """A line that returns the error of a call; `name` is free where it stands."""
    return f"  if (auto {name} = {call}; !{name}) return {name}.error();\n"


def _conversions(api: Api, names: list[str]) -> str:
    out = ""
    for name in names:
        struct = api.struct(name)
        c_name, cpp = api.c_struct(struct), struct.cpp
        fields = api.c_fields(struct)
        out += f"namespace {{\n\n{c_name} defaults_of([[maybe_unused]] const {cpp}& o) {{\n  {c_name} c{{}};\n"
        for item in fields:
            if item.kind in NO_DEFAULTS or item.type == "onepass_vulkan_buffer_range":
                continue
            if item.count:
                out += f"  std::copy(o.{item.path}.begin(), o.{item.path}.end(), c.{item.name});\n"
                continue
            value = {
                "plain": "o.{0}",
                "bool": "o.{0} ? 1U : 0U",
                "enum": "number(o.{0})",
                "value": "to_c(o.{0})",
                "has": "o.{0} ? 1U : 0U",
            }[item.kind].format(item.path)
            out += f"  c.{item.name} = {value};\n"
        out += "  return c;\n}\n\n}  // namespace\n\n"
        tuning = struct.name.endswith(("Tuning", "Sides"))
        out += f"Result<{cpp}> read_options(const {c_name}* options, const char* name) {{\n"
        if tuning:
            out += f"  if (options == nullptr) return {cpp}{{}};\n"
        out += f"  auto c = read_struct(name, options, defaults_of({cpp}{{}}));\n  if (!c) return c.error();\n"
        out += f"  {cpp} o;\n"
        for item in fields:
            if item.kind == "reserved":
                out += _check(f'require_zero(c->{item.name}, "{item.name}")', "zero")
            elif item.kind in ("has", "count"):
                continue
            elif item.kind == "padding":
                for i in range(2):
                    out += _check(f'require_zero(c->{item.name}[{i}], "{item.name}")', "zero")
            elif item.kind == "bytes":
                out += f"  o.{item.path} = {{c->{item.name}[0], c->{item.name}[1]}};\n"
            elif item.kind in ("text", "path"):
                value = f"path_of(c->{item.name})" if item.kind == "path" else f"(c->{item.name})"
                out += f"  if (c->{item.name} != nullptr) o.{item.path} = {value};\n"
            elif item.kind == "texts":
                arguments = f'"{item.name}", c->{item.name}, c->{item.name}_count, o.{item.path}'
                out += _check(f"copy_texts({arguments})", "copied")
            elif item.kind == "steps":
                out += _check(f"copy_steps(c->{item.name}, c->step_count, o.{item.path})", "copied")
            elif item.kind == "optional_array":
                out += f"  if (c->has_{item.name} != 0) o.{item.path} = eight_floats(c->{item.name});\n"
            elif item.kind == "optional_enum":
                out += f"  if (c->has_{item.name} != 0) o.{item.path} = static_cast<{item.cpp}>(c->{item.name});\n"
            elif item.kind == "optional":
                out += f"  if (c->has_{item.name} != 0) o.{item.path} = to_cpp(c->{item.name});\n"
            elif item.kind == "side":
                out += _check(f'require_zero(c->{item.name}.reserved, "{item.name}.reserved")', "zero")
                out += f"  o.{item.path} = to_cpp(c->{item.name});\n"
            elif item.kind == "notches":
                out += _check("copy_notches(*c, o)", "copied")
            elif item.count:
                out += f"  std::copy_n(c->{item.name}, {item.count}, o.{item.path}.begin());\n"
            else:
                value = {
                    "plain": "c->{0}",
                    "bool": "c->{0} != 0",
                    "enum": "static_cast<{1}>(c->{0})",
                    "value": "to_cpp(c->{0})",
                }[item.kind].format(item.name, item.cpp)
                out += f"  o.{item.path} = {value};\n"
        out += "  return o;\n}\n\n"
    return out


def _init_functions(api: Api, names: list[str]) -> str:
    out = 'extern "C" {\n\n'
    for name in names:
        struct = api.struct(name)
        c_name = api.c_struct(struct)
        out += f"void {c_name}_init({c_name}* options, size_t struct_size) {{\n"
        out += f"  write_struct(options, struct_size, defaults_of({struct.cpp}{{}}));\n}}\n\n"
    return out + '}  // extern "C"\n'


def _checks(api: Api, enums: list[Enum]) -> str:
    lines = [
        f"static_assert({api.c_value(enum, value)} == number({enum.cpp}::k{value.name}));\n"
        for enum in enums
        for value in enum.values
    ]
    return "".join(lines)


def _same_layouts(api: Api, names: dict[str, str]) -> str:
    """Structs that are not converted have the same offsets in both languages."""
    return "".join(
        f"static_assert(sizeof({c_name}) == sizeof({name}));\n"
        + "".join(
            f"static_assert(offsetof({c_name}, {item.name}) == offsetof({name}, {item.name}));\n"
            for item in api.struct(name).fields
        )
        for name, c_name in names.items()
    )


def _source(name: str, purpose: str, before: str, using: str, checks: str, api: Api, names: list[str]) -> str:
    """A source of src/c_api that converts the structs `names`."""
    return f"""// {name}: conversion of {purpose} between C and C++; defaults are those of C++.
// {GENERATED}.
// clang-format off
{before}

namespace onepass::c_api {{
{using}
// The compiler confirms that numbers and layouts were read right.
{checks}{_sizes(api, names)}
{_conversions(api, names)}}}  // namespace onepass::c_api

using namespace onepass;
using namespace onepass::c_api;

{_init_functions(api, names)}"""


def _sizes(api: Api, names: list[str]) -> str:
    """The sizes by which fields were ordered: no struct has a gap where pointers have eight bytes."""
    return "".join(
        f"static_assert(sizeof(void*) != 8 || sizeof({api.c_struct(struct)}) == "
        f"{8 + sum(c_size(item) for item in api.c_fields(struct))});\n"
        for struct in map(api.struct, names)
    )


def options_cpp(api: Api) -> str:
    """src/c_api/options.cpp"""
    core = [enum for enum in api.c_enums if enum.namespace == ""]
    formats = "".join(
        f"static_assert(ONEPASS_FORMAT_{c_format(v.name)} == number(Format::k{v.name}));\n"
        for v in api.enums["Format"].values
    )
    formats += "".join(
        f"static_assert({c_block_format(v.name)} == number(BlockFormat::k{v.name}));\n"
        for v in api.enums["BlockFormat"].values
    )
    before = '#include "c_api/options.hpp"\n\n#include <algorithm>\n#include <cstddef>\n\n#include "onepass/color.hpp"'
    checks = formats + _checks(api, core) + _same_layouts(api, table.C_SAME_LAYOUT)
    return _source("options.cpp", "option structs", before, "", checks, api, table.C_OPTIONS)


def vulkan_options_cpp(api: Api) -> str:
    """src/c_api/vulkan_options.cpp"""
    enums = [enum for enum in api.c_enums if enum.namespace == "vulkan"]
    return _source(
        "vulkan_options.cpp",
        "tunings and images",
        '#include <cstddef>\n\n#include "c_api/vulkan_abi.hpp"',
        "\nusing namespace vulkan;\n",
        _checks(api, enums) + _same_layouts(api, table.C_VULKAN_SAME_LAYOUT),
        api,
        table.C_VULKAN_OPTIONS,
    )


def files_options_cpp(api: Api) -> str:
    """src/c_api/files_options.cpp"""
    return _source(
        "files_options.cpp",
        "options of files and tiles",
        '#include "c_api/files_abi.hpp"',
        "",
        _checks(api, api.c_files_enums),
        api,
        table.C_FILES_OPTIONS,
    )


def c_ends(struct: Struct, word: str) -> bool:
    return snake(struct.name).endswith("_" + word)


def _declarations(api: Api, names: list[str]) -> str:
    out = ""
    for name in names:
        struct = api.struct(name)
        default = next((word for word in ("tuning", "sides", "images", "resources") if c_ends(struct, word)), "options")
        arguments = f'const {api.c_struct(struct)}* options, const char* name = "{default}"'
        out += f"Result<{struct.cpp}> read_options({arguments});\n"
    return out


def _includes(api: Api, names: list[str]) -> str:
    return "".join(f'#include "{header}"\n' for header in sorted({api.struct(name).header for name in names}))


def _read_header(name: str, purpose: str, includes: str, api: Api, names: list[str]) -> str:
    """A header of src/c_api that declares the conversions of the structs `names`."""
    return f"""// {name}: {purpose}.
// {GENERATED}.
// clang-format off
#pragma once

{includes}{_includes(api, names)}
namespace onepass::c_api {{

{_declarations(api, names)}
}}  // namespace onepass::c_api
"""


def read_options_hpp(api: Api) -> str:
    """src/c_api/read_options.hpp"""
    purpose = "option structs of C as those of C++. Errors: those of read_struct(); reserved fields must be 0"
    includes = '#include <string_view>\n\n#include "c_api/abi.hpp"\n'
    return _read_header("read_options.hpp", purpose, includes, api, table.C_OPTIONS)


def read_vulkan_options_hpp(api: Api) -> str:
    """src/c_api/read_vulkan_options.hpp"""
    includes = '#include "c_api/abi.hpp"\n#include "onepass/onepass_vulkan.h"\n'
    purpose = "tunings of C as those of C++; null means the defaults"
    return _read_header("read_vulkan_options.hpp", purpose, includes, api, table.C_VULKAN_OPTIONS)


def read_files_options_hpp(api: Api) -> str:
    """src/c_api/read_files_options.hpp"""
    includes = '#include "c_api/abi.hpp"\n#include "onepass/onepass_files.h"\n'
    return _read_header(
        "read_files_options.hpp",
        "options of files and tiles in C as those of C++",
        includes,
        api,
        table.C_FILES_OPTIONS,
    )


def flat_structs_hpp(api: Api) -> str:
    """src/c_api/flat_structs.hpp"""
    nested = sorted(
        {
            item.name + "."
            for name in table.C_OPTIONS + table.C_FILES_OPTIONS
            for item in api.struct(name).fields
            if (item.type in api.structs or f"{api.struct(name).namespace}::{item.type}" in api.structs)
            and item.type not in {**table.C_VALUES, **table.C_VOLUME_VALUES}
        }
    )
    return f"""// flat_structs.hpp: structs inside C++ options, which are flat in C: their field a.b is a_b.
// {GENERATED}.
// clang-format off
#pragma once

#include <string_view>

namespace onepass::c_api {{

inline constexpr std::string_view kFlatStructs[] = {{{", ".join(f'"{name}"' for name in nested)}}};

}}  // namespace onepass::c_api
"""


def files_types_h(api: Api) -> str:
    """include/onepass/onepass_files_types.h"""
    pieces = [(enum.header, c_enum(api, enum)) for enum in api.c_files_enums]
    color = api.struct("Chromaticities")
    fields = [CField("double", item.name, "", "", item.doc, count="2") for item in color.fields]
    pieces.insert(0, (color.header, c_value_struct(api, color, "onepass_chromaticities", fields)))
    voxel = api.struct("VoxelSize")
    pieces.insert(1, (voxel.header, c_value_struct(api, voxel, "onepass_voxel_size", plain_fields(voxel))))
    box = api.struct("files::Box")
    pieces.append((box.header, c_value_struct(api, box, "onepass_files_box", plain_fields(box))))
    pieces += [(api.struct(name).header, c_options(api, api.struct(name))) for name in table.C_FILES_OPTIONS]
    return c_header(
        "onepass_files_types.h",
        "enumerations and options of onepass_files.h, which includes it.",
        '#include "onepass/onepass.h"',
        by_header(pieces),
    )


def words_hpp(api: Api) -> str:
    """include/onepass/words.hpp"""
    spaces: dict[str, list[Enum]] = {}
    for enum in api.word_enums:
        spaces.setdefault(enum.namespace, []).append(enum)
    declared = ""
    for namespace, enums in spaces.items():
        if namespace:
            declared += f"namespace {namespace} {{\n"
        for enum in enums:
            underlying = f" : {enum.underlying}" if enum.underlying else ""
            declared += f"enum class {enum.name}{underlying};\n"
        if namespace:
            declared += f"}}  // namespace {namespace}\n"
    tables = ""
    for enum in api.word_enums:
        words = ", ".join(f'"{word}"' for word in api.words(enum))
        line = f"template <> ONEPASS_INTERNAL inline constexpr std::string_view kWords<{enum.cpp}>[] = {{{words}}};"
        if len(line) > WIDTH:
            line = (
                f"template <> ONEPASS_INTERNAL inline constexpr std::string_view kWords<{enum.cpp}>[] = {{\n  "
                + "\n  ".join(textwrap.wrap(words, WIDTH - 4))
                + "};"
            )
        tables += line + "\n"
    return f"""// words.hpp: enumerations as words: Footprint::kCovering is "covering". Python, JavaScript, the options of the program
// and its JSON reports have the same words.
// {GENERATED}.
//
//     static_assert(onepass::word_of(onepass::ToneOperator::kAgxBlender) == "agx_blender");
//     static_assert(onepass::from_word<onepass::ToneOperator>("drago") == onepass::ToneOperator::kDrago);
#pragma once

// clang-format off
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "onepass/export.h"

namespace onepass {{

{declared}
/// The words of an enumeration; the index is the number of the enumerator.
template <typename Enum> ONEPASS_INTERNAL inline constexpr std::string_view kWords[] = {{""}};
{tables}
// clang-format on

/// All words of an enumeration, in the order of its numbers.
template <typename Enum>
[[nodiscard]] constexpr std::span<const std::string_view> words() {{
  static_assert(!kWords<Enum>[0].empty(), "this enumeration has no words");
  return kWords<Enum>;
}}

/// Whether a value, which may come from another language, is one of the enumerators.
template <typename Enum>
[[nodiscard]] constexpr bool is_enumerator(Enum value) {{
  return static_cast<size_t>(value) < words<Enum>().size();
}}

/// The word of an enumerator; "?" for a value that is none.
template <typename Enum>
[[nodiscard]] constexpr std::string_view word_of(Enum value) {{
  return is_enumerator(value) ? words<Enum>()[static_cast<size_t>(value)] : "?";
}}

/// The enumerator of a word; none for an unknown word.
template <typename Enum>
[[nodiscard]] constexpr std::optional<Enum> from_word(std::string_view word) {{
  for (size_t i = 0; i < words<Enum>().size(); ++i) {{
    if (words<Enum>()[i] == word) return static_cast<Enum>(i);
  }}
  return std::nullopt;
}}

}}  // namespace onepass
"""


def _wrapped(begin: str, items: list[str], end: str, indent: str) -> str:
    one_line = begin + ", ".join(items) + end
    if len(one_line) <= WIDTH:
        return one_line + "\n"
    lines = textwrap.wrap(", ".join(items), WIDTH - len(indent) - 2, break_on_hyphens=False)
    return begin.rstrip() + "\n" + "\n".join(indent + line for line in lines) + end + "\n"


def words_py(api: Api) -> str:
    """python/onepass/_words.py"""
    out = f'''"""Words of arguments, as types.

{GENERATED}.
"""
from typing import Literal

'''
    for name in sorted(table.PYTHON_ENUMS, key=lambda n: n.split("::")[-1]):
        enum = api.enums[name]
        words = [f'"{word}"' for word in api.words(enum, table.PYTHON_WITHOUT.get(name, []))]
        out += _wrapped(f"{table.PYTHON_NAMES.get(enum.name, enum.name)} = Literal[", words, "]", "    ")
    return out


def c_py(api: Api, headers: dict[str, str]) -> str:
    """python/onepass/_c.py. `headers`: the texts of the C headers that are not generated, by name."""
    enums = [*api.c_enums, *api.c_files_enums]
    words = {api.c_type(enum): api.words(enum) for enum in enums if enum.namespace != "vulkan"}
    declarations = Declarations(words)
    declarations.read("onepass_types.h", types_h(api))
    declarations.read("onepass.h", headers["onepass.h"])
    declarations.read("onepass_files_types.h", files_types_h(api))
    declarations.read("onepass_files.h", headers["onepass_files.h"])
    declarations.read("onepass_vulkan_host.h", headers["onepass_vulkan_host.h"])
    declarations.read("onepass_cuda.h", headers["onepass_cuda.h"])
    return declarations.python(GENERATED)


def words_js(api: Api) -> str:
    """web/src/words.js"""
    out = f"// words.js: the words of options, those of the C++ library.\n// {GENERATED}.\n"
    for name, without in sorted(table.JAVASCRIPT_ENUMS.items()):
        enum = api.enums[name]
        words = [f"'{word}'" for word in api.words(enum, without)]
        constant = name[0].lower() + name[1:] + "Words"
        lines = textwrap.wrap(f"@typedef {{{' | '.join(words)}}} {enum.name}", WIDTH - 5, break_on_hyphens=False)
        out += "\n/**\n" + "".join(f" * {'  ' if i else ''}{line}\n" for i, line in enumerate(lines)) + " */\n"
        begin = f"export const {constant} = Object.freeze(/** @type {{{enum.name}[]}} */ (["
        out += _wrapped(begin, words, "]));", "  ")
    return out


def page_list(api: Api, enum_name: str, without: list[str], block: bool) -> str:
    """The words of an enumeration as a list in a page; a block has lines of its own."""
    words = ", ".join(f"`{word}`" for word in api.words(api._enum(enum_name), without))
    return "\n" + "\n".join(textwrap.wrap(words, WIDTH, break_on_hyphens=False)) + "\n" if block else words


LAYOUT_FUNCTIONS = ["level_size", "footprint_begin", "footprint_end", "affected_begin", "affected_end"]


def layout_js(text: str) -> str:
    """web/src/pyramid_layout.js: functions of shaders/onepass/pyramid_layout.h in JavaScript; footprints are words."""
    out = f"""// pyramid_layout.js: sizes of levels and footprints along an axis: functions of shaders/onepass/pyramid_layout.h.
// Generated by scripts/generate-api from that file: change that.
"""
    for name in LAYOUT_FUNCTIONS:
        function = (
            r"((?:/// [^\n]*\n)+)ONEPASS_INLINE_ uint onepass_" + name + r"\(([^)]*)\) \{(?:\n| )(.*?)(?:\n| )\}\n"
        )
        found = re.search(function, text.replace("\n  }\n", "\n  } \n"), re.DOTALL)
        if not found:
            raise SystemExit(f"shaders/onepass/pyramid_layout.h: no function onepass_{name}()")
        doc = [line[4:] for line in found[1].splitlines()]
        parameters = [parameter.split()[-1] for parameter in found[2].split(",")]
        types = ["string" if parameter == "footprint" else "number" for parameter in parameters]
        out += "\n/**\n" + "".join(f" * {line}\n" for line in doc)
        out += "".join(f" * @param {{{kind}}} {parameter}\n" for kind, parameter in zip(types, parameters))
        out += f" */\nexport function {_camel('onepass_' + name)}({', '.join(parameters)}) {{\n"
        out += _layout_body(found[3]) + "}\n"
    return out


def _camel(name: str) -> str:
    return re.sub(r"_(\w)", lambda m: m[1].upper(), name.removeprefix("onepass_"))


def _layout_body(body: str) -> str:
    body = body if body.startswith("  ") else "  " + body.strip()
    assigned = set(re.findall(r"(?<!uint )\b(\w+) = ", body))
    body = re.sub(r"\buint (\w+) = ", lambda m: f"{'let' if m[1] in assigned else 'const'} {m[1]} = ", body)
    body = re.sub(r"\b(\d+)u\b", r"\1", body)
    body = body.replace(" == ", " === ")
    body = re.sub(r"\bONEPASS_(ALIGNED|COVERING|TIGHT|EDGE)\b", lambda m: f"'{m[1].lower()}'", body)
    body = body.replace("ONEPASS_NARROW_(", "Math.floor(").replace("ONEPASS_WIDE_(", "(")
    body = body.replace("onepass_min_(", "Math.min(").replace("onepass_max_(", "Math.max(")
    body = re.sub(r"\bonepass_highest_bit\((\w+)\)", r"31 - Math.clz32(\1)", body)
    body = re.sub(r"\bonepass_(\w+)\(", lambda m: _camel(m[1]) + "(", body)
    return body.replace("} \n", "}\n") + "\n"
