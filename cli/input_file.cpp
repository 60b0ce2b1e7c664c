// input_file.cpp: the type of a file is asked of the open descriptor.
#include "input_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "path_of.hpp"

namespace onepass::cli {
namespace {

constexpr size_t kBeginning = 12;  // bytes; enough to recognise every type but TGA

std::string limit_text(uint64_t bytes) {
  for (const auto& [shift, name] : {std::pair{30, "GiB"}, {20, "MiB"}, {10, "KiB"}}) {
    if (bytes >> shift != 0 && bytes % (uint64_t{1} << shift) == 0) return fmt::format("{} {}", bytes >> shift, name);
  }
  return fmt::format("{} bytes", bytes);
}

}  // namespace

void InputFile::Free::operator()(std::byte* bytes) const { std::free(bytes); }

InputFile::InputFile(std::string path, uint64_t max_bytes) : path_(std::move(path)), max_bytes_(max_bytes) {
  const system::Input input(path_);
  if (!input.is_open()) return;  // files::read() reports why
  if (auto done = load(input, max_bytes); !done) error_ = done.error();
}

Result<void> InputFile::load(const system::Input& input, uint64_t max_bytes) {
  using Kind = system::Input::Kind;
  if (input.kind() == Kind::kUnknown || input.kind() == Kind::kDirectory) return {};  // files::read() reports why
  const bool regular = input.kind() == Kind::kRegular;
  if (auto done = fill(input, kBeginning); !done) return done;
  // Only TGA is not recognised by its first bytes. Other unknown input is not read further.
  const bool unknown = files::type_of_content(bytes()) == files::Type::kUnknown;
  const bool possible = !unknown || files::type_of_extension(path_of(path_)) == files::Type::kTga;
  if (!possible && regular) return {};  // files::read() also looks at the end of a file
  kept_ = true;
  if (!possible) return {};
  if (regular && input.size() > max_bytes) {
    return failed(ErrorCode::kOutOfMemory, fmt::format("is longer than the limit of {}", limit_text(max_bytes)));
  }
  // One byte above the limit, so that longer input is noticed.
  const size_t most = static_cast<size_t>(std::min<uint64_t>(max_bytes, SIZE_MAX / 4)) + 1;
  constexpr size_t kFirstRoom = 65536;
  size_t room = regular ? static_cast<size_t>(input.size()) + 1 : kFirstRoom;
  for (;;) {
    room = std::min(room, most);
    if (auto done = fill(input, room); !done) return done;
    if (size_ > max_bytes) {
      return failed(ErrorCode::kOutOfMemory, fmt::format("is longer than the limit of {}", limit_text(max_bytes)));
    }
    if (size_ < room) return {};
    room = std::max(room, kFirstRoom) * 2;
  }
}

// Reads until bytes_ holds `count` bytes, or to the end of the input.
Result<void> InputFile::fill(const system::Input& input, size_t count) {
  if (!reserve(count)) return failed(ErrorCode::kOutOfMemory, "out of memory");
  if (size_ >= count) return {};
  const ptrdiff_t got = input.read({bytes_.get() + size_, count - size_});
  if (got < 0) return failed(ErrorCode::kIo, fmt::format("cannot read it: {}", std::strerror(errno)));
  size_ += static_cast<size_t>(got);
  return {};
}

bool InputFile::reserve(size_t capacity) {
  if (capacity <= capacity_) return true;
  void* grown = std::realloc(bytes_.get(), capacity);
  if (grown == nullptr) return false;
  (void)bytes_.release();  // realloc has freed it
  bytes_.reset(static_cast<std::byte*>(grown));
  capacity_ = capacity;
  return true;
}

Result<files::ImageFile> InputFile::read(files::ReadOptions options) const {
  if (error_) return *error_;
  options.max_bytes = std::min(options.max_bytes, max_bytes_);
  if (!kept_) return files::read(path_of(path_), options);
  options.max_bytes -= std::min<uint64_t>(options.max_bytes, capacity_);
  if (options.before_allocation) {
    options.before_allocation = [inner = options.before_allocation, held = capacity_](uint64_t bytes) {
      inner(bytes + held);
    };
  }
  auto file = files::read_memory(bytes(), path_, options);
  if (file || file.error().code != ErrorCode::kOutOfMemory) return file;
  Error error = file.error();
  error.message += fmt::format("; the file itself takes {} bytes", capacity_);
  return error;
}

bool InputFile::is_exr() const { return files::type_of_content(bytes()) == files::Type::kExr; }

}  // namespace onepass::cli
