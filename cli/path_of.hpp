// path_of.hpp: names of files, which are UTF-8 on the command line, in lists and in messages, as paths.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace onepass::cli {

/// The path with a name in UTF-8. On Windows a path made of a std::string takes it for text in the code page of the
/// system. The other way, std::filesystem::path::string() is UTF-8 on both systems.
inline std::filesystem::path path_of(std::string_view name) { return std::u8string(name.begin(), name.end()); }

}  // namespace onepass::cli
