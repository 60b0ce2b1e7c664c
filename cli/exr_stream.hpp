// exr_stream.hpp: streams that let the program use OpenEXR directly: for attributes, and for files with channels that
// files::write does not support.
#pragma once

#include <OpenEXR/ImfIO.h>

#include <cstring>
#include <span>
#include <stdexcept>
#include <string>

#include "onepass/files.hpp"

namespace onepass::cli {

/// Lets OpenEXR read from bytes in memory.
class BytesStream : public Imf::IStream {
 public:
  BytesStream(const std::string& name, std::span<const std::byte> bytes) : IStream(name.c_str()), bytes_(bytes) {}
  bool read(char target[], int count) override {
    const auto size = static_cast<size_t>(count);
    if (count < 0 || position_ > bytes_.size() || size > bytes_.size() - position_) {
      throw std::runtime_error("truncated");
    }
    std::memcpy(target, bytes_.data() + position_, size);
    position_ += size;
    return position_ < bytes_.size();
  }
  uint64_t tellg() override { return position_; }
  void seekg(uint64_t position) override { position_ = position; }
  void clear() override {}

 private:
  std::span<const std::byte> bytes_;
  uint64_t position_ = 0;
};

/// Lets OpenEXR write through AtomicFile, so that the file appears complete or not at all. state() keeps the error,
/// because an exception's text says less.
class AtomicStream : public Imf::OStream {
 public:
  AtomicStream(const std::string& name, files::AtomicFile& file) : OStream(name.c_str()), file_(file) {}
  void write(const char bytes[], int count) override {
    check(file_.write(std::string_view(bytes, static_cast<size_t>(count))));
  }
  uint64_t tellp() override { return file_.position(); }
  void seekp(uint64_t position) override { check(file_.seek(position)); }
  [[nodiscard]] const Result<void>& state() const { return state_; }

 private:
  void check(const Result<void>& done) {
    if (done) return;
    state_ = done;
    throw std::runtime_error(done.error().message);
  }
  files::AtomicFile& file_;
  Result<void> state_;
};

}  // namespace onepass::cli
