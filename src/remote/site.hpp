// site.hpp: files behind an address of the web, read by requests of HTTP: whole ones, or ranges of bytes.
//
//     get() --> idle handle of libcurl (its connection stays open) --> answer --> checked, or asked for again
//                                                  ^ connection lost, stalled, too short, 429, 5xx: up to 5 times
//
// A site has as many connections as threads call it at once. Redirects are followed to http and https alone. Bytes are
// never decoded by HTTP: what a server stores is what readers get.
// Sources: RFC 9110, "HTTP Semantics", 2022, sections 8.8 (validators), 14 (range requests) and 15.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "onepass/result.hpp"

namespace onepass::remote {

/// Which bytes of a file are wanted.
struct Wanted {
  enum class Kind {
    kWhole,
    kPart,  ///< `count` bytes at `offset`, fewer where the file ends.
    kEnd,   ///< The last `count` bytes.
  };
  Kind kind = Kind::kWhole;
  uint64_t offset = 0;
  uint64_t count = 0;
  uint64_t most = UINT64_MAX;       ///< Of a whole file: more bytes are an error.
  bool refused_is_missing = false;  ///< 401 and 403 count as 404: some servers do not tell what they do not have.
};

/// Bytes of a file, as a server sent them.
struct Part {
  std::vector<std::byte> bytes;
  uint64_t offset = 0;  ///< Of the first byte in the file.
  uint64_t size = 0;    ///< Of the file.
  std::string version;  ///< ETag, else Last-Modified; empty if the server states neither.
};

/// Tuning.
struct SiteTuning {
  long connect_ms = 15000;       ///< Until a connection is there.
  long stall_seconds = 30;       ///< Without a byte, a request fails.
  int tries = 5;                 ///< Of a request.
  int first_delay_ms = 250;      ///< Before the second try; doubled before each further one.
  int longest_delay_ms = 10000;  ///< Also of what the server asks for by Retry-After.
};

/// Of site_of(); only tests change it.
extern SiteTuning site_tuning;

/// Bytes of a file that are taken as a whole from a server that sends no parts.
inline constexpr uint64_t kMostWithoutRanges = uint64_t{16} << 20;

/// Requests at once of a reader: enough to hide 50 ms of latency behind the transfer of usual chunks.
inline constexpr uint32_t kRequestsAtOnce = 16;

/// Memory of a connection: the buffers of libcurl and of TLS.
inline constexpr uint64_t kConnectionBytes = uint64_t{256} << 10;

/// The sizes and versions of files that stand for the input in journals: a TIFF file, or the metadata of Zarr.
struct Identity {
  uint64_t size = 0;    ///< Their sum.
  std::string version;  ///< One after the other.

  void add(uint64_t bytes, const std::string& text) {
    size += bytes;
    version += text + ";";
  }
};

class Site {
 public:
  /// `url` may have credentials and a query, which all requests below it get, too.
  /// Errors: kInvalidArgument, kUnsupported without libcurl.
  static Result<std::shared_ptr<Site>> open(std::string_view url, const SiteTuning& tuning = {});
  virtual ~Site() = default;
  Site(const Site&) = delete;
  Site& operator=(const Site&) = delete;

  /// The address without credentials and query.
  [[nodiscard]] const std::string& name() const { return name_; }

  /// Requests `name`, which is name() or a file below it. A server without ranges sends files of up to 16 MiB as a
  /// whole: the answer then has all bytes of the file.
  /// Errors: kNotFound (404, 410), kIo, kBadData, kCancelled, with `name` as context. Threads: any number at once.
  virtual Result<Part> get(const std::string& name, const Wanted& wanted) = 0;

  /// `poll` is called some times per second while the thread that opened the site waits for servers. After an error of
  /// it all requests end with that error, within a second. Empty: nothing is called.
  virtual void set_poll(std::function<Result<void>()> poll) = 0;

  /// Calls `poll` if it is due and this is the thread that opened the site.
  virtual void poll() = 0;

  /// Ends all requests; further ones fail with kCancelled.
  virtual void stop() = 0;

  Identity identity;
  uint64_t max_bytes = uint64_t{1} << 30;  ///< Limit of memory of the run; a part of it is for blocks read ahead.

 protected:
  Site() = default;
  std::string name_;
};
using SitePtr = std::shared_ptr<Site>;

/// Has a function called while a site waits for servers, as long as this object lives. `site` may be null.
class PollScope {
 public:
  PollScope(const SitePtr& site, std::function<Result<void>()> poll) : site_(site) {
    if (site_) site_->set_poll(std::move(poll));
  }
  ~PollScope() {
    if (site_) site_->set_poll({});
  }
  PollScope(const PollScope&) = delete;
  PollScope& operator=(const PollScope&) = delete;

 private:
  SitePtr site_;
};

/// Whether a name is an address of http or https.
bool is_remote(std::string_view name);

/// The site of an input; null for a file of this machine. Errors: those of Site::open().
Result<SitePtr> site_of(const std::string& input);

}  // namespace onepass::remote
