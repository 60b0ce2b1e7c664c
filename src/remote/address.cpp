// address.cpp: RFC 3986, with the tolerance that people expect: spaces and letters outside ASCII are encoded.
#include "remote/address.hpp"

#include <algorithm>
#include <cctype>

namespace onepass::remote {
namespace {

bool is_hex(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }

int value_of_hex(char c) { return c <= '9' ? c - '0' : std::tolower(static_cast<unsigned char>(c)) - 'a' + 10; }

bool is_plain(char c) {
  constexpr std::string_view kOthers = "-._~!$&'()*+,;=:@/";
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x80 && (std::isalnum(byte) != 0 || kOthers.find(c) != std::string_view::npos);
}

// `also`: further characters that stay.
std::string encode(std::string_view text, std::string_view also, bool is_encoded) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool escape = is_encoded && c == '%' && i + 2 < text.size() && is_hex(text[i + 1]) && is_hex(text[i + 2]);
    if (escape || is_plain(c) || also.find(c) != std::string_view::npos) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return out;
}

}  // namespace

std::string Address::url_of(std::string_view name) const {
  const size_t start = scheme.size() + 3;
  return scheme + "://" + credentials + std::string(name.substr(std::min(start, name.size()))) + query;
}

Result<Address> parse_address(std::string_view text) {
  Address out;
  const size_t colon = text.find("://");
  const auto refused = [&](const char* message) { return Error{ErrorCode::kInvalidArgument, message, ""}; };
  if (colon == std::string_view::npos) return refused("input: is no address of the web");
  out.scheme = text.substr(0, colon);
  std::transform(out.scheme.begin(), out.scheme.end(), out.scheme.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (out.scheme != "http" && out.scheme != "https") return refused("input: only http and https are read");
  std::string_view rest = text.substr(colon + 3);
  rest = rest.substr(0, rest.find('#'));
  if (const size_t mark = rest.find('?'); mark != std::string_view::npos) {
    out.query = encode(rest.substr(mark), "?%", true);
    rest = rest.substr(0, mark);
  }
  std::string_view host = rest.substr(0, rest.find('/'));
  const std::string_view path = rest.substr(host.size());
  if (const size_t at = host.rfind('@'); at != std::string_view::npos) {
    out.credentials = host.substr(0, at + 1);
    host = host.substr(at + 1);
  }
  const auto is_bad = [](char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7F || c == '\\'; };
  if (host.empty() || std::any_of(host.begin(), host.end(), is_bad) ||
      std::any_of(out.credentials.begin(), out.credentials.end(), is_bad)) {
    return refused("input: the address has no valid host");
  }
  // "me:pass/word@host": the host would be "me", with a port that is no number.
  const size_t port = host.ends_with(']') ? std::string_view::npos : host.rfind(':');
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (port != std::string_view::npos && !std::all_of(host.begin() + port + 1, host.end(), is_digit)) {
    return refused("input: the address has no valid port; characters of a password are percent-encoded");
  }
  out.place = std::string(host) + encode(path, "", true);
  while (out.place.ends_with('/')) out.place.pop_back();
  return out;
}

std::string encode_name(std::string_view name) { return encode(name, "", false); }

std::string decoded_name(std::string_view name) {
  name = name.substr(name.rfind('/') + 1);
  std::string out;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '%' && i + 2 < name.size() && is_hex(name[i + 1]) && is_hex(name[i + 2])) {
      out += static_cast<char>(value_of_hex(name[i + 1]) * 16 + value_of_hex(name[i + 2]));
      i += 2;
    } else {
      out += name[i];
    }
  }
  return out;
}

}  // namespace onepass::remote
