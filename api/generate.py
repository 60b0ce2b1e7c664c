"""Writes the files that follow from the C++ headers and api/table.py; --check only compares.

Also compares the defaults that other languages state (defaults.py).

Lists of words in pages stand between <!-- words ENUM [-Enumerator...] --> and <!-- /words -->.
"""
from __future__ import annotations

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import defaults  # noqa: E402
import headers  # noqa: E402
import outputs  # noqa: E402
import translate  # noqa: E402

FILES = {
    "include/onepass/onepass_types.h": outputs.types_h,
    "include/onepass/onepass_vulkan_types.h": outputs.vulkan_types_h,
    "include/onepass/onepass_files_types.h": outputs.files_types_h,
    "include/onepass/words.hpp": outputs.words_hpp,
    "src/c_api/options.cpp": outputs.options_cpp,
    "src/c_api/read_options.hpp": outputs.read_options_hpp,
    "src/c_api/vulkan_options.cpp": outputs.vulkan_options_cpp,
    "src/c_api/flat_structs.hpp": outputs.flat_structs_hpp,
    "src/c_api/files_options.cpp": outputs.files_options_cpp,
    "src/c_api/read_files_options.hpp": outputs.read_files_options_hpp,
    "src/c_api/read_vulkan_options.hpp": outputs.read_vulkan_options_hpp,
    "python/onepass/_words.py": outputs.words_py,
    "web/src/words.js": outputs.words_js,
}
LIST = re.compile(r"(<!-- words (\S+)((?: -\w+)*) -->)(.*?)(<!-- /words -->)", re.DOTALL)


def texts(root: pathlib.Path) -> dict[pathlib.Path, str]:
    """The contents of all generated files, and of pages with lists."""
    api = outputs.Api(*headers.read(root))
    result = {root / name: make(api) for name, make in FILES.items()}
    c_headers = {path.name: path.read_text() for path in (root / "include" / "onepass").glob("*.h")}
    result[root / "python" / "onepass" / "_c.py"] = outputs.c_py(api, c_headers)
    layout = (root / "shaders" / "onepass" / "pyramid_layout.h").read_text()
    result[root / "web" / "src" / "pyramid_layout.js"] = outputs.layout_js(layout)
    tone = {
        path.name: path.read_text()
        for path in [
            root / "include/onepass/tone_map.hpp",
            root / "shaders/onepass/tone_map_params.h",
            *(root / "src/tone_map").iterdir(),
        ]
    }
    result[root / "web" / "src" / "tone_formulas.js"] = translate.tone_formulas_js(api, tone)

    def words(match: re.Match[str]) -> str:
        without = [word[1:] for word in match[3].split()]
        return match[1] + outputs.page_list(api, match[2], without, match[4].startswith("\n")) + match[5]

    for page in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
        text = page.read_text()
        if LIST.search(text):
            result[page] = LIST.sub(words, text)
    return result


def main() -> int:
    root = pathlib.Path(__file__).resolve().parent.parent
    check = "--check" in sys.argv[1:]
    stale = {path: text for path, text in texts(root).items() if not path.exists() or path.read_text() != text}
    for path, text in stale.items():
        if check:
            print(f"{path.relative_to(root)} is not what scripts/generate-api writes", file=sys.stderr)
        else:
            path.write_text(text)
            print(f"wrote {path.relative_to(root)}")
    wrong = defaults.check(root, outputs.Api(*headers.read(root)))
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong or (check and stale) else 0


if __name__ == "__main__":
    sys.exit(main())
