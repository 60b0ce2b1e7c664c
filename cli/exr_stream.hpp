// exr_stream.hpp: what the program writes through OpenEXR itself: files with channels that files::write does not know.
#pragma once

#include <OpenEXR/ImfIO.h>

#include <stdexcept>
#include <string>

#include "onepass/files.hpp"

namespace onepass::cli {

/// OpenEXR writes through this, so that the file appears whole or not at all. Errors are kept, for they say more than
/// an exception's text.
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
