// hdr_header.cpp: applies the lines NAME=value in order. EXPOSURE, COLORCORR and PIXASPECT are cumulative over lines of
// the same name. Unusable values are ignored with a warning, at most eight per file.
//
// Sources: Radiance reference manual, "Radiance file formats", picture file format; Radiance's src/common/resolu.h.
#include "files/hdr_header.hpp"

#include <charconv>
#include <cmath>

namespace onepass::files {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// Takes a word, after any white space, from the front of `text`.
std::string_view take_word(std::string_view& text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  size_t length = 0;
  while (length < text.size() && !is_space(text[length])) ++length;
  const std::string_view word = text.substr(0, length);
  text.remove_prefix(length);
  return word;
}

template <typename Number>
std::optional<Number> number_of(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  Number value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (word.empty() || error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

/// The numbers of a line; no value unless there are exactly N finite ones.
template <size_t N>
std::optional<std::array<double, N>> numbers_of(std::string_view text) {
  std::array<double, N> out{};
  for (double& value : out) {
    const auto number = number_of<double>(take_word(text));
    if (!number || !std::isfinite(*number)) return std::nullopt;
    value = *number;
  }
  return take_word(text).empty() ? std::optional(out) : std::nullopt;
}

/// Applies lines NAME=value.
class Variables {
 public:
  Variables(const Source& source, HdrHeader& header) : source_(source), header_(header) {}

  Result<void> take(std::string_view line) {
    const size_t equals = line.find('=');
    if (equals == std::string_view::npos) return {};
    const std::string_view name = line.substr(0, equals);
    const std::string_view value = line.substr(equals + 1);
    if (name == "FORMAT") return take_format(value);
    if (name == "EXPOSURE") {
      const auto factor = numbers_of<1>(value);
      multiply(name, value,
               factor ? std::optional(std::array{(*factor)[0], (*factor)[0], (*factor)[0]}) : std::nullopt);
    } else if (name == "COLORCORR") {
      multiply(name, value, numbers_of<3>(value));
    } else if (name == "PRIMARIES") {
      take_primaries(value);
    } else if (name == "PIXASPECT") {
      // Cumulative as well.
      const auto ratio = numbers_of<1>(value);
      const double product = ratio ? header_.pixel_aspect_ratio / (*ratio)[0] : 0;
      if (product >= 1e-6 && product <= 1e6) {
        header_.pixel_aspect_ratio = product;
      } else {
        ignore(name, value);
      }
    }
    return {};
  }

 private:
  Result<void> take_format(std::string_view value) {
    const std::string_view format = take_word(value);
    header_.xyz = format == "32-bit_rle_xyze";
    if (header_.xyz || format == "32-bit_rle_rgbe") return {};
    return source_.bad("HDR: FORMAT is \"" + printable(format) +
                       "\"; 32-bit_rle_rgbe and 32-bit_rle_xyze are possible");
  }

  /// The lines of one name are cumulative.
  void multiply(std::string_view name, std::string_view value, const std::optional<std::array<double, 3>>& factors) {
    std::array<double, 3> product = header_.factors;
    bool usable = factors.has_value();
    for (size_t c = 0; usable && c < 3; ++c) {
      product[c] *= (*factors)[c];
      usable = product[c] >= 1e-30 && product[c] <= 1e30;
    }
    if (usable) {
      header_.factors = product;
    } else {
      ignore(name, value);
    }
  }

  void take_primaries(std::string_view value) {
    if (const auto n = numbers_of<8>(value)) {
      header_.primaries =
          Chromaticities{{(*n)[0], (*n)[1]}, {(*n)[2], (*n)[3]}, {(*n)[4], (*n)[5]}, {(*n)[6], (*n)[7]}};
    } else {
      ignore("PRIMARIES", value);
    }
  }

  void ignore(std::string_view name, std::string_view value) {
    constexpr size_t kMostWarnings = 8;
    if (header_.warnings.size() >= kMostWarnings) return;
    header_.warnings.push_back("its " + std::string(name) + " of \"" + printable(value) + "\" is not used");
  }

  const Source& source_;
  HdrHeader& header_;
};

/// Parses "-Y 480 +X 640". Radiance pads the numbers.
bool take_size(std::string_view line, HdrHeader& header) {
  std::array<char, 2> axes{};
  for (size_t i = 0; i < 2; ++i) {
    const std::string_view axis = take_word(line);
    const auto count = number_of<uint32_t>(take_word(line));
    if (axis.size() != 2 || (axis[0] != '-' && axis[0] != '+') || !count) return false;
    axes[i] = axis[1];
    if (axis[1] == 'X') {
      header.width = *count;
      header.order.from_right = axis[0] == '-';
    } else if (axis[1] == 'Y') {
      header.height = *count;
      header.order.from_bottom = axis[0] == '+';
    } else {
      return false;
    }
  }
  header.order.columns = axes[0] == 'X';
  return axes[0] != axes[1] && take_word(line).empty();
}

}  // namespace

Result<HdrHeader> read_hdr_header(const Source& source, ByteStream& bytes) {
  HdrHeader header;
  const auto next = [&bytes]() {
    auto line = bytes.line();
    if (line && line->ends_with('\r')) line->remove_suffix(1);
    return line;
  };
  Variables variables(source, header);
  for (;;) {
    const auto line = next();
    if (!line) return bytes.ended("HDR: the header has no end");
    if (line->empty()) break;
    if (auto done = variables.take(*line); !done) return done.error();
  }
  if (header.xyz && header.primaries) {
    header.primaries.reset();
    header.warnings.emplace_back("its PRIMARIES are not used: the pixels are CIE X, Y and Z");
  }
  const auto size = next();
  if (!size) return bytes.ended("HDR: the line with the size is missing");
  if (!take_size(*size, header)) {
    return source.bad("HDR: the size is \"" + printable(*size) + "\" instead of two axes such as \"-Y 480 +X 640\"");
  }
  return header;
}

}  // namespace onepass::files
