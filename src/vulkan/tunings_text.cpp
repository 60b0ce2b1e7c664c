// tunings_text.cpp: reads and writes the text of tunings: docs/tuning.md.
#include <algorithm>
#include <bit>
#include <cstdio>
#include <span>
#include <type_traits>

#include "image/error.hpp"
#include "vulkan/json_reader.hpp"
#include "vulkan/tunings.hpp"

namespace onepass::vulkan {
namespace {

constexpr uint64_t kVersion = 1;
constexpr size_t kMostBytes = size_t{1} << 20;

std::string listed(std::span<const std::string_view> words) {
  std::string out;
  for (const std::string_view word : words) out += (out.empty() ? "" : ", ") + std::string(word);
  return out;
}

// Reads one of `words` as its index.
bool read_word(JsonReader& reader, std::span<const std::string_view> words, uint64_t& out) {
  std::string word;
  if (!reader.string(word)) return false;
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) return reader.fail(JsonReader::shown(word) + " is not one of " + listed(words));
  out = static_cast<uint64_t>(found - words.begin());
  return true;
}

// ---- Conditions

std::span<const std::string_view> words_of(Property property) {
  switch (property) {
    case Property::kFootprint:
      return words<Footprint>();
    case Property::kReduction:
      return words<Reduction>();
    case Property::kPipelines:
      return words<Pipelines>();
    case Property::kPrecision:
      return words<SpectrumPrecision>();
    default:
      return {};
  }
}

bool read_format(JsonReader& reader, uint64_t& out) {
  std::string name;
  if (!reader.string(name)) return false;
  for (const FormatInfo& info : all_formats()) {
    if (info.name != name) continue;
    out = static_cast<uint64_t>(info.format);
    return true;
  }
  return reader.fail(JsonReader::shown(name) + " is not the name of a format");
}

// A number that no case has would make the row useless without a word.
bool is_possible(JsonReader& reader, const TuningCondition& condition) {
  const PropertyInfo& info = property_info(condition.property);
  if (condition.most >= info.least && condition.least <= info.most) return true;
  const uint64_t value = condition.most < info.least ? condition.most : condition.least;
  std::string allowed = info.most >= UINT32_MAX
                            ? "at least " + std::to_string(info.least)
                            : "from " + std::to_string(info.least) + " to " + std::to_string(info.most);
  return reader.fail(std::to_string(value) + " is never met: numbers are " + allowed);
}

bool read_range(JsonReader& reader, TuningCondition& out) {
  if (reader.next() != '{') {
    if (!reader.number(out.least)) return false;
    out.most = out.least;
    return is_possible(reader, out);
  }
  out.most = UINT64_MAX;
  const bool read = reader.object([&](std::string_view name) {
    if (name == "at_least") return reader.number(out.least);
    if (name == "at_most") return reader.number(out.most);
    return reader.fail("is none of at_least, at_most");
  });
  if (!read) return false;
  if (out.least > out.most) {
    return reader.fail("at_least " + std::to_string(out.least) + " is more than at_most " + std::to_string(out.most));
  }
  return is_possible(reader, out);
}

bool read_condition(JsonReader& reader, std::string_view name, uint32_t technique, TuningCondition& out) {
  std::vector<std::string_view> known;
  for (uint32_t i = 0; i < kProperties; ++i) {
    out.property = static_cast<Property>(i);
    const PropertyInfo& info = property_info(out.property);
    if ((info.techniques & technique) == 0) continue;
    known.push_back(info.name);
    if (info.name != name) continue;
    const auto words = words_of(out.property);
    if (words.empty() && out.property != Property::kFormat) return read_range(reader, out);
    const bool read =
        out.property == Property::kFormat ? read_format(reader, out.least) : read_word(reader, words, out.least);
    out.most = out.least;
    return read;
  }
  return reader.fail("is none of " + listed(known));
}

// ---- Fields

template <typename Tuning, typename Value>
bool read_field(JsonReader& reader, const TunedField<Tuning, Value>& field, Tuning& out) {
  uint64_t value = 0;
  if constexpr (std::is_enum_v<Value>) {
    if (!read_word(reader, words<Value>().subspan(1), value)) return false;  // without kAuto
    out.*field.member = static_cast<Value>(value + 1);
  } else {
    if (!reader.number(value)) return false;
    if (value < field.least || value > field.most || (field.powers && !std::has_single_bit(value))) {
      return reader.fail(std::to_string(value) + " is not " + (field.powers ? "a power of two " : "") + "from " +
                         std::to_string(field.least) + " to " + std::to_string(field.most));
    }
    out.*field.member = static_cast<Value>(value);
  }
  return true;
}

template <typename Tuning>
bool read_use(JsonReader& reader, Tuning& out) {
  return reader.object([&](std::string_view name) {
    bool known = false, read = false;
    std::vector<std::string_view> names;
    for_each_field<Tuning>([&](const auto& field) {
      names.push_back(field.name);
      if (field.name != name) return;
      known = true;
      read = read_field(reader, field, out);
    });
    return known ? read : reader.fail("is none of " + listed(names));
  });
}

// ---- Rows

template <typename Tuning>
bool read_row(JsonReader& reader, uint32_t technique, TuningRow<Tuning>& out) {
  bool has_use = false;
  const bool read = reader.object([&](std::string_view name) {
    if (name == "when") {
      return reader.object([&](std::string_view property) {
        return read_condition(reader, property, technique, out.when.emplace_back());
      });
    }
    if (name != "use") return reader.fail("is none of when, use");
    has_use = true;
    return read_use(reader, out.use);
  });
  return read && (has_use || reader.fail("has no use"));
}

// Calls visit(rows, bit) for the rows of each technique.
template <typename Rows, typename Visit>
void for_each_technique(Rows& rows, const Visit& visit) {
  std::apply(
      [&](auto&... each) {
        uint32_t bit = 1;
        ((visit(each, bit), bit *= 2), ...);
      },
      rows);
}

template <typename Tuning>
constexpr std::string_view name_of(const std::vector<TuningRow<Tuning>>& /*rows*/) {
  return Tuned<Tuning>::kName;
}

bool read_technique(JsonReader& reader, std::string_view name, Tunings& out) {
  bool known = false, read = false;
  std::vector<std::string_view> names{"onepass_tunings", "device", "driver", "processors"};
  for_each_technique(out.rows, [&](auto& rows, uint32_t bit) {
    names.push_back(name_of(rows));
    if (name != name_of(rows)) return;
    known = true;
    read = reader.array([&] { return read_row(reader, bit, rows.emplace_back()); });
  });
  return known ? read : reader.fail("is none of " + listed(names));
}

bool read_device(JsonReader& reader, Tunings& out) {
  uint64_t version = 0;
  const bool read = reader.object([&](std::string_view name) {
    if (name == "device") return reader.string(out.device);
    if (name == "driver") return reader.string(out.driver);
    uint64_t number = 0;
    if (name == "onepass_tunings") {
      if (!reader.number(version)) return false;
      return version == kVersion || reader.fail(std::to_string(version) + ", but this version of the library reads " +
                                                std::to_string(kVersion));
    }
    if (name != "processors") return read_technique(reader, name, out);
    if (!reader.number(number)) return false;
    out.processors = static_cast<uint32_t>(std::min<uint64_t>(number, kMostProcessors));
    return (number > 0 && number <= kMostProcessors) ||
           reader.fail(std::to_string(number) + " is not from 1 to " + std::to_string(kMostProcessors));
  });
  return read && (version == kVersion || reader.fail("has no onepass_tunings"));
}

// ---- Writing

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      out += escape;
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out + "\"";
}

std::string member(std::string_view name, const std::string& value) {
  std::string out = quoted(name);
  out += ": ";
  return out += value;
}

std::string in_braces(const std::vector<std::string>& members) {
  std::string out;
  for (const std::string& each : members) out += (out.empty() ? "" : ", ") + each;
  return "{" + out + "}";
}

std::string condition_text(const TuningCondition& condition) {
  const auto words = words_of(condition.property);
  std::string value = std::to_string(condition.least);
  if (!words.empty()) {
    value = quoted(words[condition.least]);
  } else if (condition.property == Property::kFormat) {
    value = quoted(format_info(static_cast<Format>(condition.least)).name);
  } else if (condition.least != condition.most) {
    std::vector<std::string> members;
    if (condition.least > 0) members.push_back(member("at_least", value));
    if (condition.most < UINT64_MAX) members.push_back(member("at_most", std::to_string(condition.most)));
    value = in_braces(members);
  }
  return member(property_info(condition.property).name, value);
}

template <typename Tuning>
std::string row_text(const TuningRow<Tuning>& row) {
  std::vector<std::string> members;
  if (!row.when.empty()) {
    std::vector<std::string> conditions;
    std::transform(row.when.begin(), row.when.end(), std::back_inserter(conditions), condition_text);
    members.push_back(member("when", in_braces(conditions)));
  }
  members.push_back(member("use", use_text(row.use)));
  return in_braces(members);
}

std::string device_text(const Tunings& tunings) {
  std::vector<std::string> members{member("onepass_tunings", std::to_string(kVersion))};
  if (!tunings.device.empty()) members.push_back(member("device", quoted(tunings.device)));
  if (!tunings.driver.empty()) members.push_back(member("driver", quoted(tunings.driver)));
  if (tunings.processors > 0) members.push_back(member("processors", std::to_string(tunings.processors)));
  for_each_technique(tunings.rows, [&](const auto& rows, uint32_t) {
    if (rows.empty()) return;
    std::string lines;
    for (const auto& row : rows) lines += (lines.empty() ? "\n    " : ",\n    ") + row_text(row);
    members.push_back(member(name_of(rows), "[" + lines + "\n  ]"));
  });
  std::string out;
  for (const std::string& each : members) out += (out.empty() ? "{\n  " : ",\n  ") + each;
  return out + "\n}";
}

}  // namespace

template <typename Tuning>
std::string use_text(const Tuning& use) {
  std::vector<std::string> members;
  for_each_field<Tuning>([&](const auto& field) {
    const auto value = use.*field.member;
    using Value = std::decay_t<decltype(value)>;
    if (value == Value{}) return;
    if constexpr (std::is_enum_v<Value>) {
      members.push_back(member(field.name, quoted(word_of(value))));
    } else {
      members.push_back(member(field.name, std::to_string(value)));
    }
  });
  return in_braces(members);
}
template std::string use_text(const PyramidTuning&);
template std::string use_text(const TransformTuning&);
template std::string use_text(const MeterTuning&);
template std::string use_text(const TileReductionTuning&);
template std::string use_text(const ToneMapTuning&);
template std::string use_text(const FrameToneMapTuning&);

Result<std::vector<Tunings>> parse_tunings(std::string_view text) {
  if (text.size() > kMostBytes) {
    return invalid("tunings: " + std::to_string(text.size()) + " bytes, at most " + std::to_string(kMostBytes));
  }
  JsonReader reader(text);
  std::vector<Tunings> out;
  const auto read = [&] { return read_device(reader, out.emplace_back()); };
  if ((reader.next() == '[' ? reader.array(read) : read()) && reader.end()) return out;
  return invalid("tunings: " + reader.error());
}

std::string tunings_text(const std::vector<Tunings>& all) {
  if (all.size() == 1) return device_text(all.front()) + "\n";
  std::string out;
  for (const Tunings& tunings : all) out += (out.empty() ? "" : ",\n") + device_text(tunings);
  return "[" + out + "]\n";
}

}  // namespace onepass::vulkan
