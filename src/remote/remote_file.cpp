// remote_file.cpp: every further answer must have the size and the version of the first one.
#include "remote/remote_file.hpp"

#include <cstring>

namespace onepass::remote {

Result<RemoteFilePtr> RemoteFile::open(SitePtr site, std::string name, const Wanted& first) {
  auto part = site->get(name, first);
  if (!part) return part.error();
  return RemoteFilePtr(new RemoteFile(std::move(site), std::move(name), std::move(*part)));
}

Result<void> RemoteFile::read(uint64_t offset, std::span<std::byte> out) const {
  if (out.empty()) return {};
  if (offset > size() || out.size() > size() - offset) return Error{ErrorCode::kBadData, "is truncated", name_};
  if (offset >= kept_.offset && offset - kept_.offset <= kept_.bytes.size() &&
      out.size() <= kept_.bytes.size() - (offset - kept_.offset)) {
    std::memcpy(out.data(), kept_.bytes.data() + (offset - kept_.offset), out.size());
    return {};
  }
  const auto part = site_->get(name_, {.kind = Wanted::Kind::kPart, .offset = offset, .count = out.size()});
  if (!part) {
    // The file was there, in parts: what has been made of it so far is kept by kIo alone.
    const ErrorCode code = part.error().code;
    if (code != ErrorCode::kNotFound && code != ErrorCode::kUnsupported) return part.error();
    return Error{ErrorCode::kIo, "has changed on the server while it was read: " + part.error().message, name_};
  }
  if (part->size != kept_.size || part->version != kept_.version) {
    return Error{ErrorCode::kIo, "has changed on the server while it was read", name_};
  }
  const uint64_t skipped = offset - part->offset;  // the whole file, if the server has stopped to send parts
  if (skipped > part->bytes.size() || out.size() > part->bytes.size() - skipped) {
    return Error{ErrorCode::kIo, "has changed on the server while it was read", name_};
  }
  std::memcpy(out.data(), part->bytes.data() + skipped, out.size());
  return {};
}

}  // namespace onepass::remote
