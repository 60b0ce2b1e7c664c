// json_reader.cpp: the grammar of JSON, one value at a time.
#include "vulkan/json_reader.hpp"

#include <algorithm>
#include <charconv>

namespace onepass {
namespace {

constexpr size_t kMostShown = 60;  // bytes of a text in a message

bool is_digit(char c) { return c >= '0' && c <= '9'; }

void append_utf8(uint32_t code, std::string& out) {
  const auto add = [&out](uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) return add(code);
  if (code < 0x800) {
    add(0xC0 | code >> 6);
  } else {
    if (code < 0x10000) {
      add(0xE0 | code >> 12);
    } else {
      add(0xF0 | code >> 18);
      add(0x80 | (code >> 12 & 0x3F));
    }
    add(0x80 | (code >> 6 & 0x3F));
  }
  add(0x80 | (code & 0x3F));
}

}  // namespace

std::string JsonReader::shown(std::string_view text) {
  std::string out(text.substr(0, kMostShown));
  std::replace_if(
      out.begin(), out.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, '?');
  return "'" + out + (text.size() > kMostShown ? "..." : "") + "'";
}

bool JsonReader::fail(const std::string& what) {
  if (failed()) return false;
  const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n');
  message_ = "line " + std::to_string(line) + ": " + (path_.empty() ? "" : path_ + ": ") + what;
  return false;
}

char JsonReader::next() {
  while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
  return at_ < text_.size() ? text_[at_] : '\0';
}

std::string JsonReader::found() {
  if (next() == '\0' && at_ == text_.size()) return "the end of the text";
  const std::string_view rest = text_.substr(at_);
  const size_t end = rest.find_first_of(rest[0] == '"' ? "\"\n" : " \t\r\n,:}]", 1);
  return shown(rest.substr(0, end == std::string_view::npos ? end : end + (rest[end] == '"' ? 1 : 0)));
}

bool JsonReader::begin(char open, const char* what) {
  if (failed()) return false;
  if (next() != open) return fail(found() + " is not " + what);
  ++at_;
  return true;
}

bool JsonReader::ends(char close) {
  if (failed()) return true;
  if (next() != close) return false;
  ++at_;
  return true;
}

bool JsonReader::separator(bool first) { return first || sign(','); }

bool JsonReader::sign(char wanted) {
  if (next() != wanted) {
    return fail(std::string("'") + wanted + "' expected, not " + found());
  }
  ++at_;
  // What follows a comma is a value or a name: no separator may stand before the end of an object or array.
  if (wanted == ',' && (next() == '}' || next() == ']')) return fail("a comma before " + shown(text_.substr(at_, 1)));
  return true;
}

size_t JsonReader::enter_member(const std::string& name, std::vector<std::string>& names) {
  const size_t outer = path_.size();
  const std::string text = shown(name);
  path_ += (path_.empty() ? "" : ".") + text.substr(1, text.size() - 2);
  if (std::find(names.begin(), names.end(), name) != names.end()) fail("stands twice in one object");
  names.push_back(name);
  return outer;
}

bool JsonReader::code_unit(uint32_t& out) {
  const char* const from = text_.data() + at_;
  const char* const to = from + std::min<size_t>(4, text_.size() - at_);
  const auto [end, code] = std::from_chars(from, to, out, 16);
  if (code != std::errc() || end != from + 4) return fail("\\u without four hexadecimal digits");
  at_ += 4;
  return true;
}

bool JsonReader::escape(std::string& out) {
  constexpr std::string_view kNames = "\"\\/bfnrt";
  constexpr std::string_view kCharacters = "\"\\/\b\f\n\r\t";
  const char name = at_ < text_.size() ? text_[at_++] : '\0';
  if (const size_t found = kNames.find(name); name != '\0' && found != std::string_view::npos) {
    out += kCharacters[found];
    return true;
  }
  if (name != 'u') return fail("an unknown escape in a string");
  uint32_t code = 0;
  if (!code_unit(code)) return false;
  if (code >= 0xD800 && code < 0xDC00 && text_.substr(at_, 2) == "\\u") {
    uint32_t low = 0;
    at_ += 2;
    if (!code_unit(low)) return false;
    if (low < 0xDC00 || low >= 0xE000) return fail("half of a surrogate pair in a string");
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  }
  if (code >= 0xD800 && code < 0xE000) return fail("half of a surrogate pair in a string");
  append_utf8(code, out);
  return true;
}

bool JsonReader::string(std::string& out) {
  if (failed()) return false;
  if (next() != '"') return fail(found() + " is not a string");
  ++at_;
  out.clear();
  while (at_ < text_.size() && static_cast<unsigned char>(text_[at_]) >= 0x20) {
    const char c = text_[at_++];
    if (c == '"') return true;
    if (c != '\\') {
      out += c;
    } else if (!escape(out)) {
      return false;
    }
  }
  return fail(at_ < text_.size() ? "a control character in a string" : "a string without an end");
}

bool JsonReader::number(uint64_t& out) {
  if (failed()) return false;
  next();
  const std::string_view rest = text_.substr(at_);
  const size_t length = std::min(rest.find_first_of(" \t\r\n,}]"), rest.size());
  const std::string_view digits = rest.substr(0, length);
  const bool whole = !digits.empty() && std::all_of(digits.begin(), digits.end(), is_digit);
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
  if (!whole || code != std::errc() || (digits.size() > 1 && digits[0] == '0')) {
    return fail(shown(digits) + " is not a whole number");
  }
  at_ += length;
  return true;
}

bool JsonReader::end() {
  if (failed()) return false;
  return next() == '\0' && at_ == text_.size() ? true : fail("text after the end");
}

}  // namespace onepass
