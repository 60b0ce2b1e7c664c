// remote_file.hpp: one file of a site. What the first request brought is kept and not asked for again.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "remote/site.hpp"

namespace onepass::remote {

class RemoteFile {
 public:
  /// Requests `first` and keeps it. Errors: those of Site::get().
  static Result<std::shared_ptr<RemoteFile>> open(SitePtr site, std::string name, const Wanted& first);

  [[nodiscard]] uint64_t size() const { return kept_.size; }
  [[nodiscard]] uint64_t kept_bytes() const { return kept_.bytes.size(); }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& version() const { return kept_.version; }
  [[nodiscard]] const SitePtr& site() const { return site_; }

  /// Copies out.size() bytes at `offset`, by one request or from what is kept. A file that has changed since it was
  /// opened is an error. Errors: kBadData where the file ends before; those of Site::get().
  /// Threads: any number of calls at once.
  Result<void> read(uint64_t offset, std::span<std::byte> out) const;

 private:
  RemoteFile(SitePtr site, std::string name, Part kept)
      : site_(std::move(site)), name_(std::move(name)), kept_(std::move(kept)) {}

  SitePtr site_;
  std::string name_;
  Part kept_;
};
using RemoteFilePtr = std::shared_ptr<RemoteFile>;

}  // namespace onepass::remote
