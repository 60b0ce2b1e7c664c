// byte_stream.cpp: the window of a ByteStream.
#include "files/byte_stream.hpp"

#include <algorithm>

namespace onepass::files {

void ByteStream::seek(uint64_t position) {
  if (source_.in_memory()) {
    window_ = source_.bytes;
    next_ = window_.data() + std::min<uint64_t>(position, window_.size());
    end_ = window_.data() + window_.size();
  } else if (position >= window_at_ && position - window_at_ <= window_.size()) {
    next_ = window_.data() + (position - window_at_);
  } else {
    window_ = {};
    window_at_ = std::min(position, source_.size());
    next_ = end_ = nullptr;
  }
}

bool ByteStream::fill(size_t count) {
  if (source_.in_memory() || count > left()) return false;
  const uint64_t at = position();
  const size_t size = static_cast<size_t>(std::min<uint64_t>(std::max(count, kWindow), source_.size() - at));
  if (buffer_.size() < size) buffer_.resize(size);
  error_ = source_.read_at(at, std::span(buffer_.data(), size));
  if (error_ != 0) return false;
  window_ = {buffer_.data(), size};
  window_at_ = at;
  next_ = window_.data();
  end_ = next_ + size;
  return true;
}

std::optional<std::string_view> ByteStream::line() {
  // Most lines are short: the part that is searched grows from 256 bytes to the longest line.
  constexpr uint64_t kLongest = 65536;
  for (uint64_t most = 256;; most *= 4) {
    const auto count = static_cast<size_t>(std::min({most, kLongest, left()}));
    if (!has(count)) return std::nullopt;
    const std::string_view text(reinterpret_cast<const char*>(next_), count);
    if (const size_t end = text.find('\n'); end != std::string_view::npos) {
      skip(end + 1);
      return text.substr(0, end);
    }
    if (count < most) return std::nullopt;
  }
}

Error ByteStream::ended(const std::string& message) const {
  return error_ == 0 ? source_.bad(message) : source_.unreadable(error_);
}

}  // namespace onepass::files
