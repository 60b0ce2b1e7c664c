// site.cpp: one request at a time per handle of libcurl; answers are checked before anybody sees them.
#include "remote/site.hpp"

#include <pthread.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigset_t of POSIX
#include <time.h>    // NOLINT(modernize-deprecated-headers): timespec of POSIX

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <new>
#include <optional>
#include <thread>

#include "files/readers.hpp"
#include "remote/address.hpp"
#include "remote/curl_library.hpp"
#include "tiles/text.hpp"

namespace onepass::remote {
namespace {

using Clock = std::chrono::steady_clock;
using tiles::text_of;

constexpr size_t kMostShownPath = 200;                   // bytes of a path in messages
constexpr size_t kMostHeaderValue = 200;                 // bytes that are kept of a field
constexpr uint64_t kMostErrorBody = uint64_t{64} << 10;  // that is received and thrown away
constexpr uint64_t kMostFile = uint64_t{1} << 56;        // bytes of a file: sums of sizes stay below 2^64
constexpr auto kPollEvery = std::chrono::milliseconds(200);
constexpr auto kSleep = std::chrono::milliseconds(50);

// TLS libraries write to sockets that may be closed: a broken pipe must not end the process. Blocks the signal in this
// thread and takes one that arrives meanwhile.
class NoBrokenPipe {
 public:
  NoBrokenPipe() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoBrokenPipe() {
    const timespec none{};
    if (!was_pending_) {
      while (sigtimedwait(&pipe_, nullptr, &none) == SIGPIPE) {
      }
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoBrokenPipe(const NoBrokenPipe&) = delete;
  NoBrokenPipe& operator=(const NoBrokenPipe&) = delete;

 private:
  sigset_t pipe_{};
  sigset_t before_{};
  bool was_pending_ = false;
};

std::optional<uint64_t> number_of(std::string_view text) {
  uint64_t number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  return code == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

// Content-Range: "bytes 0-99/1234", or "bytes */1234" of an answer 416.
struct ContentRange {
  std::optional<uint64_t> first, last, size;
};

ContentRange parse_content_range(std::string_view text) {
  ContentRange out;
  if (!text.starts_with("bytes ")) return out;
  text.remove_prefix(6);
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return out;
  out.size = number_of(text.substr(slash + 1));
  const std::string_view range = text.substr(0, slash);
  const size_t line = range.find('-');
  if (line == std::string_view::npos) return out;
  out.first = number_of(range.substr(0, line));
  out.last = number_of(range.substr(line + 1));
  return out;
}

// The authorities that servers' certificates are checked against, where the environment names them, by the rules of
// curl's own program; empty: those that libcurl was built with.
struct Authorities {
  std::string file, folder;
  std::string names;  // "CURL_CA_BUNDLE=/etc/ca.pem", for messages

  static Authorities of_environment() {
    Authorities found;
    const auto take = [&](const char* name, std::string& place) {
      const char* const value = std::getenv(name);
      if (value == nullptr || *value == '\0') return false;
      place = value;
      found.names += text_of(found.names.empty() ? "" : ", ", name, "=", files::printable(value, kMostShownPath));
      return true;
    };
    if (take("CURL_CA_BUNDLE", found.file)) return found;
    take("SSL_CERT_FILE", found.file);
    take("SSL_CERT_DIR", found.folder);
    return found;
  }
};

// What libcurl received, and what its callbacks need.
struct Answer {
  const Wanted* wanted = nullptr;
  bool head = false;
  std::function<bool()> go_on;  // called some times per second; false ends the request

  int code = curl_code::kOk;
  std::array<char, kCurlErrorSize> text{};
  uint64_t status = 0;
  std::string content_range, etag, last_modified;
  std::optional<uint64_t> length, retry_after;
  std::vector<std::byte> body;
  bool is_too_long = false, is_out_of_memory = false;

  // Bytes of a body that are kept.
  [[nodiscard]] uint64_t most() const {
    if (status == 206) return wanted->count;
    if (wanted->kind == Wanted::Kind::kWhole) return wanted->most;
    return kMostWithoutRanges;
  }
};

size_t on_header(const char* data, size_t size, size_t count, void* self) {
  auto* answer = static_cast<Answer*>(self);
  const size_t bytes = size * count;
  try {
    std::string_view line(data, bytes);
    while (!line.empty() && (line.back() == '\n' || line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
    if (line.starts_with("HTTP/")) {  // also of every redirect before the last answer
      const size_t space = std::min(line.find(' '), line.size() - 1);
      answer->status = number_of(line.substr(space + 1, 3)).value_or(0);
      answer->content_range.clear();
      answer->etag.clear();
      answer->last_modified.clear();
      answer->length.reset();
      answer->retry_after.reset();
      answer->body.clear();
      return bytes;
    }
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) return bytes;
    std::string name(line.substr(0, colon));
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    std::string_view value = line.substr(colon + 1);
    while (!value.empty() && (value.front() == ' ' || value.front() == '\t')) value.remove_prefix(1);
    value = value.substr(0, kMostHeaderValue);
    if (name == "content-range") answer->content_range = value;
    if (name == "etag") answer->etag = value;
    if (name == "last-modified") answer->last_modified = value;
    if (name == "content-length") answer->length = number_of(value);
    if (name == "retry-after") answer->retry_after = number_of(value);
  } catch (const std::bad_alloc&) {
    answer->is_out_of_memory = true;
    return 0;
  }
  return bytes;
}

size_t on_body(const char* data, size_t size, size_t count, void* self) {
  auto* answer = static_cast<Answer*>(self);
  const size_t bytes = size * count;
  const bool is_kept = answer->status == 200 || answer->status == 206;
  const uint64_t most = is_kept ? answer->most() : kMostErrorBody;
  if (answer->length && *answer->length > most && is_kept) {
    answer->is_too_long = true;
    return 0;
  }
  if (bytes > most - std::min<uint64_t>(most, answer->body.size())) {
    answer->is_too_long = is_kept;
    return 0;
  }
  try {
    if (answer->body.empty() && answer->length) answer->body.reserve(std::min(*answer->length, most));
    const auto* from = reinterpret_cast<const std::byte*>(data);
    answer->body.insert(answer->body.end(), from, from + bytes);
  } catch (const std::exception&) {
    answer->is_out_of_memory = true;
    return 0;
  }
  return bytes;
}

int on_progress(void* self, int64_t /*all*/, int64_t /*got*/, int64_t /*to_send*/, int64_t /*sent*/) {
  auto* answer = static_cast<Answer*>(self);
  try {
    return answer->go_on() ? 0 : 1;
  } catch (...) {  // libcurl is C
    answer->is_out_of_memory = true;
    return 1;
  }
}

// Is it worth to ask again?
bool may_succeed_later(const Answer& answer) {
  switch (answer.code) {
    case curl_code::kOk:
    case curl_code::kWriteError:
      return answer.status == 408 || answer.status == 429 ||
             (answer.status >= 500 && answer.status != 501 && answer.status != 505);
    case curl_code::kCouldntResolveHost:
    case curl_code::kCouldntConnect:
    case curl_code::kHttp2:
    case curl_code::kPartialFile:
    case curl_code::kOperationTimedout:
    case curl_code::kSslConnectError:
    case curl_code::kGotNothing:
    case curl_code::kSendError:
    case curl_code::kRecvError:
    case curl_code::kHttp2Stream:
      return true;
    default:
      return false;
  }
}

std::string range_text(const Wanted& wanted) {
  if (wanted.kind == Wanted::Kind::kEnd) return text_of("-", wanted.count);
  return text_of(wanted.offset, "-", wanted.offset + wanted.count - 1);
}

std::string described(const Wanted& wanted) {
  if (wanted.kind == Wanted::Kind::kWhole) return {};
  if (wanted.kind == Wanted::Kind::kEnd) return text_of("the last ", wanted.count, " bytes");
  return "bytes " + range_text(wanted);
}

class CurlSite final : public Site {
 public:
  CurlSite(const CurlLibrary& curl, Address address, const SiteTuning& tuning)
      : curl_(curl), address_(std::move(address)), tuning_(tuning) {
    name_ = address_.name();
  }
  ~CurlSite() override {
    for (Curl* handle : idle_) curl_.easy_cleanup(handle);
    curl_.slist_free_all(headers_);
  }

  bool start() {
    headers_ = curl_.slist_append(nullptr, "Accept-Encoding: identity");
    return headers_ != nullptr;
  }

  Result<Part> get(const std::string& name, const Wanted& wanted) override {
    auto answer = ask(name, wanted, false);
    if (!answer) return answer.error();
    const bool is_refused = (answer->status == 400 || answer->status == 416 || answer->status == 501) &&
                            parse_content_range(answer->content_range).size != 0;
    const bool is_ignored = answer->status == 200 && answer->is_too_long;
    if (wanted.kind == Wanted::Kind::kEnd && (is_refused || is_ignored)) {
      return get_end(name, wanted);
    }
    return part_of(name, wanted, *answer);
  }

  void set_poll(std::function<Result<void>()> poll) override { poll_ = std::move(poll); }

  void poll() override {
    if (std::this_thread::get_id() != owner_) return;
    const auto now = Clock::now();
    if (!poll_ || is_stopped_ || now - polled_ < kPollEvery) return;
    polled_ = now;
    try {
      if (auto done = poll_(); !done) end(done.error());
    } catch (...) {  // of the caller's function: threads that still read would outlive what they read into
      end({ErrorCode::kCancelled, "interrupted by an exception of the progress function", name_});
    }
  }

  void stop() override { end({ErrorCode::kCancelled, "was stopped", name_}); }

 private:
  void end(const Error& error) {
    const std::scoped_lock lock(mutex_);
    if (!is_stopped_) failure_ = error;
    is_stopped_ = true;
  }
  Error failure() {
    const std::scoped_lock lock(mutex_);
    return failure_;
  }

  bool may_go_on() {
    poll();
    return !is_stopped_;
  }

  Curl* take_handle() {
    {
      const std::scoped_lock lock(mutex_);
      if (!idle_.empty()) {
        Curl* handle = idle_.back();
        idle_.pop_back();
        return handle;
      }
    }
    Curl* handle = curl_.easy_init();
    if (handle == nullptr) throw std::bad_alloc();
    set(handle, curl_option::kNoSignal, 1L);
    set(handle, curl_option::kProtocols, kCurlProtoHttp | kCurlProtoHttps);
    set(handle, curl_option::kRedirProtocols, kCurlProtoHttp | kCurlProtoHttps);
    set(handle, curl_option::kFollowLocation, 1L);
    set(handle, curl_option::kMaxRedirs, 5L);
    set(handle, curl_option::kConnectTimeoutMs, tuning_.connect_ms);
    set(handle, curl_option::kLowSpeedLimit, 1L);
    set(handle, curl_option::kLowSpeedTime, tuning_.stall_seconds);
    set(handle, curl_option::kBufferSize, 65536L);
    set(handle, curl_option::kNoProgress, 0L);
    set(handle, curl_option::kQuickExit, 1L);  // a stopped search for a host does not wait for name servers
    set(handle, curl_option::kUserAgent, "onepass/" ONEPASS_VERSION);
    set(handle, curl_option::kHttpHeader, headers_);
    set(handle, curl_option::kHeaderFunction, &on_header);
    set(handle, curl_option::kWriteFunction, &on_body);
    set(handle, curl_option::kXferInfoFunction, &on_progress);
    if (!authorities_.file.empty()) set(handle, curl_option::kCaInfo, authorities_.file.c_str());
    if (!authorities_.folder.empty()) set(handle, curl_option::kCaPath, authorities_.folder.c_str());
    return handle;
  }

  template <typename Value>
  void set(Curl* handle, int option, Value value) const {
    (void)curl_.easy_setopt(handle, option, value);
  }

  // One try.
  void perform(const std::string& url, Answer& answer) {
    Curl* handle = take_handle();
    const std::string range =
        answer.wanted->kind == Wanted::Kind::kWhole || answer.head ? "" : range_text(*answer.wanted);
    set(handle, curl_option::kUrl, url.c_str());
    set(handle, curl_option::kNoBody, answer.head ? 1L : 0L);
    set(handle, curl_option::kRange, range.empty() ? nullptr : range.c_str());
    set(handle, curl_option::kErrorBuffer, answer.text.data());
    set(handle, curl_option::kHeaderData, static_cast<void*>(&answer));
    set(handle, curl_option::kWriteData, static_cast<void*>(&answer));
    set(handle, curl_option::kXferInfoData, static_cast<void*>(&answer));
    {
      const NoBrokenPipe quiet;
      answer.code = curl_.easy_perform(handle);
    }
    set(handle, curl_option::kErrorBuffer, static_cast<char*>(nullptr));
    const std::scoped_lock lock(mutex_);
    try {
      idle_.push_back(handle);
    } catch (const std::bad_alloc&) {
      curl_.easy_cleanup(handle);
    }
  }

  // A part that is shorter than what its header states.
  static bool is_short(const Answer& answer) {
    if (answer.code != curl_code::kOk || answer.head) return false;
    if (answer.status != 200 && answer.status != 206) return false;
    const ContentRange range = parse_content_range(answer.content_range);
    const bool has_range = answer.status == 206 && range.first && range.last && *range.first <= *range.last;
    if (has_range && answer.body.size() <= *range.last - *range.first) return true;
    return answer.length && answer.body.size() < *answer.length;
  }

  // Asks until there is an answer that another try would not change.
  Result<Answer> ask(const std::string& name, const Wanted& wanted, bool head) {
    const std::string url = address_.url_of(name);
    for (int number = 1;; ++number) {
      Answer answer;
      answer.wanted = &wanted;
      answer.head = head;
      answer.go_on = [this] { return may_go_on(); };
      if (is_stopped_) return failure();
      perform(url, answer);
      if (is_stopped_) return failure();
      if (answer.is_out_of_memory || answer.code == curl_code::kOutOfMemory) {
        return Error{ErrorCode::kOutOfMemory, "out of memory", name};
      }
      if (is_short(answer)) answer.code = curl_code::kPartialFile;
      const bool was_reached = answer.status != 0 ? is_reached_ = true : is_reached_.load();
      const bool later = may_succeed_later(answer) &&
                         (was_reached || answer.code == curl_code::kOperationTimedout || !is_unreachable(answer.code));
      if (!later) {
        if (answer.code == curl_code::kOk || answer.is_too_long || answer.code == curl_code::kWriteError) return answer;
        return failed(name, wanted, answer, number);
      }
      if (number >= tuning_.tries) return failed(name, wanted, answer, number);
      wait(delay_before(number, answer.retry_after));
    }
  }

  // A host that no request has reached yet has a wrong name or port more likely than a bad moment.
  static bool is_unreachable(int code) {
    return code == curl_code::kCouldntConnect || code == curl_code::kCouldntResolveHost ||
           code == curl_code::kSslConnectError;
  }

  std::chrono::milliseconds delay_before(int number, const std::optional<uint64_t>& asked) {
    const uint64_t longest = static_cast<uint64_t>(tuning_.longest_delay_ms);
    const uint64_t doubled = static_cast<uint64_t>(tuning_.first_delay_ms) << std::min(number - 1, 20);
    // Up to half of it more, by another amount for each request, so that threads do not come back together.
    const uint64_t spread = doubled / 2 * (waits_++ % 8) / 8;
    const uint64_t seconds = std::min<uint64_t>(asked.value_or(0), longest);
    return std::chrono::milliseconds(std::min(std::max(doubled + spread, seconds * 1000), longest));
  }

  void wait(std::chrono::milliseconds time) {
    for (const auto end = Clock::now() + time; may_go_on() && Clock::now() < end;) {
      std::this_thread::sleep_for(std::min<Clock::duration>(kSleep, end - Clock::now()));
    }
  }

  // What went wrong in the last try.
  [[nodiscard]] std::string reason(const Answer& answer) const {
    if (answer.code == curl_code::kOk || answer.code == curl_code::kWriteError) {
      return text_of("the server answers ", answer.status);
    }
    if (answer.code == curl_code::kPartialFile) return text_of("the answer ends after ", answer.body.size(), " bytes");
    // The text of libcurl names host and port. One with an "@" could hold credentials.
    std::string text(answer.text.data());
    if (text.empty() || text.find('@') != std::string::npos) text = curl_.easy_strerror(answer.code);
    text = files::printable(text, kCurlErrorSize);
    const std::string where = authorities_.names.empty()
                                  ? "those of the system; CURL_CA_BUNDLE, SSL_CERT_FILE or SSL_CERT_DIR name others"
                                  : authorities_.names;
    if (answer.code == curl_code::kPeerFailedVerification) {
      return "the server's certificate is not trusted: " + text + " (authorities: " + where + ")";
    }
    if (answer.code == curl_code::kSslCaCertBadFile) {
      return "the certificates of authorities cannot be read: " + text + " (" + where + ")";
    }
    return text;
  }

  Error failed(const std::string& name, const Wanted& wanted, const Answer& answer, int tries) const {
    std::string details = described(wanted);
    if (tries > 1) details += (details.empty() ? "" : ", ") + text_of(tries, " tries");
    return {ErrorCode::kIo, "cannot read it: " + reason(answer) + (details.empty() ? "" : " (" + details + ")"), name};
  }

  // For servers without ranges that count from the end.
  Result<Part> get_end(const std::string& name, const Wanted& wanted) {
    const auto head = ask(name, wanted, true);
    if (!head) return head.error();
    if (head->status != 200 || !head->length || *head->length > kMostFile) return failed(name, wanted, *head, 1);
    Wanted part = wanted;
    part.kind = Wanted::Kind::kPart;
    part.count = std::min(wanted.count, *head->length);
    part.offset = *head->length - part.count;
    if (part.count == 0) return Part{.size = 0, .version = version_of(*head)};
    return get(name, part);
  }

  static std::string version_of(const Answer& answer) {
    return files::printable(answer.etag.empty() ? answer.last_modified : answer.etag, kMostHeaderValue);
  }

  Result<Part> part_of(const std::string& name, const Wanted& wanted, Answer& answer) const {
    const uint64_t status = answer.status;
    const bool is_refused = status == 401 || status == 403;
    if (status == 404 || status == 410 || (is_refused && wanted.refused_is_missing)) {
      return Error{ErrorCode::kNotFound, text_of("the server has no such file (HTTP ", status, ")"), name};
    }
    if (is_refused) {
      return Error{ErrorCode::kIo,
                   text_of("the server refuses access, or hides that it has no such file (HTTP ", status, ")"), name};
    }
    Part part{.size = answer.body.size(), .version = version_of(answer)};
    if (status == 200) {
      if (answer.is_too_long && wanted.kind == Wanted::Kind::kWhole) {
        return Error{ErrorCode::kBadData, text_of("has more than ", wanted.most, " bytes"), name};
      }
      if (answer.is_too_long) {
        return Error{ErrorCode::kUnsupported,
                     text_of("the server sends no parts of files (range requests), which files of more than ",
                             kMostWithoutRanges >> 20, " MiB need"),
                     name};
      }
      part.bytes = std::move(answer.body);
      return part;
    }
    const ContentRange range = parse_content_range(answer.content_range);
    if (status == 416 && range.size == 0) return Part{.size = 0, .version = part.version};
    if (status != 206) return failed(name, wanted, answer, 1);
    const uint64_t bytes = answer.body.size();
    const bool is_right = !answer.is_too_long && wanted.kind != Wanted::Kind::kWhole && range.first && range.last &&
                          range.size && *range.size <= kMostFile && *range.last < *range.size &&
                          *range.first <= *range.last && *range.last - *range.first + 1 == bytes;
    const uint64_t left = is_right ? *range.size - *range.first : 0;
    const bool is_asked_for =
        is_right &&
        (wanted.kind == Wanted::Kind::kEnd ? left == bytes && bytes == std::min(wanted.count, *range.size)
                                           : *range.first == wanted.offset && bytes == std::min(wanted.count, left));
    if (!is_asked_for) {
      return Error{ErrorCode::kIo,
                   "the server answers a request for " + described(wanted) + " by '" +
                       files::printable(answer.content_range, kMostHeaderValue) + "'" +
                       text_of(" and ", bytes, " bytes"),
                   name};
    }
    part.offset = *range.first;
    part.size = *range.size;
    part.bytes = std::move(answer.body);
    return part;
  }

  const CurlLibrary& curl_;
  Address address_;
  SiteTuning tuning_;
  Authorities authorities_ = Authorities::of_environment();
  CurlList* headers_ = nullptr;
  std::thread::id owner_ = std::this_thread::get_id();
  std::function<Result<void>()> poll_;
  Clock::time_point polled_ = Clock::now();
  std::atomic<bool> is_stopped_ = false;
  std::atomic<bool> is_reached_ = false;  // some request had an answer
  std::atomic<uint64_t> waits_ = 0;
  std::mutex mutex_;
  Error failure_;
  std::vector<Curl*> idle_;
};

}  // namespace

SiteTuning site_tuning;

bool is_remote(std::string_view name) {
  const auto starts = [&](std::string_view scheme) {
    return name.size() > scheme.size() && std::equal(scheme.begin(), scheme.end(), name.begin(), [](char a, char b) {
             return a == std::tolower(static_cast<unsigned char>(b));
           });
  };
  return starts("http://") || starts("https://");
}

Result<SitePtr> Site::open(std::string_view url, const SiteTuning& tuning) {
  auto address = parse_address(url);
  if (!address) return address.error();
  const std::string name = address->name();
  const CurlLibrary* curl = find_curl();
  if (curl == nullptr) {
    return Error{ErrorCode::kUnsupported, "reading over HTTP needs libcurl (libcurl.so.4), which is not installed",
                 name};
  }
  auto site = std::make_shared<CurlSite>(*curl, std::move(*address), tuning);
  if (!site->start()) return Error{ErrorCode::kOutOfMemory, "out of memory", name};
  return SitePtr(std::move(site));
}

Result<SitePtr> site_of(const std::string& input) {
  if (!is_remote(input)) return SitePtr();
  return Site::open(input, site_tuning);
}

}  // namespace onepass::remote
