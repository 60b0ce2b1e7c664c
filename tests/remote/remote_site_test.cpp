// remote_site_test.cpp: requests of a site, and what it makes of good, bad, late and wrong answers.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

#if __has_include(<curl/curl.h>)
#include <curl/curl.h>
#define ONEPASS_HAS_CURL_HEADER 1
#endif

#include "remote/address.hpp"
#include "remote/curl_library.hpp"
#include "remote/range_cache.hpp"
#include "tests/files/files_support.hpp"
#include "tests/remote/http_server.hpp"

namespace remote_test {
namespace {

using onepass::Error;
using onepass::ErrorCode;
using onepass::Result;
using onepass::remote::Part;
using onepass::remote::RangeCache;
using onepass::remote::RemoteFile;
using onepass::remote::Site;
using onepass::remote::SitePtr;
using onepass::remote::SiteTuning;
using onepass::remote::Wanted;
using Kind = Wanted::Kind;

constexpr SiteTuning kFast{.tries = 3, .first_delay_ms = 1, .longest_delay_ms = 20};

class RemoteSite : public ::testing::Test {
 protected:
  files_test::TempDirectory directory_;
  HttpServer server_{directory_.path()};

  SitePtr open(const std::string& path, const SiteTuning& tuning = kFast) {
    auto site = Site::open(server_.url(path), tuning);
    EXPECT_TRUE(site.ok()) << (site.ok() ? "" : site.error().text());
    return site.ok() ? *site : nullptr;
  }

  // A file of `size` bytes that differ.
  files_test::Bytes save(const std::string& name, size_t size) {
    files_test::Bytes bytes(size);
    for (size_t i = 0; i < size; ++i) bytes[i] = std::byte(static_cast<unsigned char>(i * 7 + i / 256 * 13));
    files_test::save(directory_ / name, bytes);
    return bytes;
  }

  void always(const Behaviour& how) {
    server_.set_rule([how](const Request&) { return how; });
  }
  // The first `count` requests of a path behave so.
  void at_first(int count, const Behaviour& how) {
    server_.set_rule([=](const Request& request) { return request.number < count ? how : Behaviour(); });
  }

  static void expect_error(const Result<Part>& got, ErrorCode code, const std::vector<std::string>& words) {
    ASSERT_FALSE(got.ok());
    EXPECT_EQ(got.error().code, code) << got.error().text();
    for (const std::string& word : words) {
      EXPECT_NE(got.error().text().find(word), std::string::npos) << got.error().text() << " lacks " << word;
    }
  }
};

files_test::Bytes part(const files_test::Bytes& bytes, size_t offset, size_t count) {
  return {bytes.begin() + static_cast<ptrdiff_t>(offset), bytes.begin() + static_cast<ptrdiff_t>(offset + count)};
}

TEST(RemoteAddress, TakesApartAndHides) {
  const auto address = onepass::remote::parse_address("HTTPS://me:p%40ss@host:81/a b/ü%20.tif/?key=a b&s=1#here");
  ASSERT_TRUE(address.ok());
  EXPECT_EQ(address->name(), "https://host:81/a%20b/%C3%BC%20.tif");
  EXPECT_EQ(address->url_of(address->name() + "/0"), "https://me:p%40ss@host:81/a%20b/%C3%BC%20.tif/0?key=a%20b&s=1");
  EXPECT_EQ(onepass::remote::parse_address("http://h/100%")->name(), "http://h/100%25");
  EXPECT_EQ(onepass::remote::encode_name("s 1/50%?#ä"), "s%201/50%25%3F%23%C3%A4");
  EXPECT_EQ(onepass::remote::decoded_name(address->name()), "\xC3\xBC .tif");
  for (const char* wrong : {"ftp://host/a", "http://", "http://user@/a", "http://ho st/a", "nothing"}) {
    EXPECT_FALSE(onepass::remote::parse_address(wrong).ok()) << wrong;
  }
}

#ifdef ONEPASS_HAS_CURL_HEADER
TEST(RemoteCurl, NumbersAreThoseOfItsHeader) {
  namespace option = onepass::remote::curl_option;
  namespace code = onepass::remote::curl_code;
  EXPECT_EQ(onepass::remote::kCurlGlobalDefault, CURL_GLOBAL_DEFAULT);
  EXPECT_EQ(onepass::remote::kCurlErrorSize, static_cast<size_t>(CURL_ERROR_SIZE));
  EXPECT_EQ(onepass::remote::kCurlProtoHttp, CURLPROTO_HTTP);
  EXPECT_EQ(onepass::remote::kCurlProtoHttps, CURLPROTO_HTTPS);
  const std::pair<int, int> kNumbers[] = {{option::kLowSpeedLimit, CURLOPT_LOW_SPEED_LIMIT},
                                          {option::kLowSpeedTime, CURLOPT_LOW_SPEED_TIME},
                                          {option::kNoProgress, CURLOPT_NOPROGRESS},
                                          {option::kNoBody, CURLOPT_NOBODY},
                                          {option::kFollowLocation, CURLOPT_FOLLOWLOCATION},
                                          {option::kMaxRedirs, CURLOPT_MAXREDIRS},
                                          {option::kBufferSize, CURLOPT_BUFFERSIZE},
                                          {option::kNoSignal, CURLOPT_NOSIGNAL},
                                          {option::kConnectTimeoutMs, CURLOPT_CONNECTTIMEOUT_MS},
                                          {option::kProtocols, 181},       // CURLOPT_PROTOCOLS, with a warning
                                          {option::kRedirProtocols, 182},  // CURLOPT_REDIR_PROTOCOLS
                                          {option::kWriteData, CURLOPT_WRITEDATA},
                                          {option::kUrl, CURLOPT_URL},
                                          {option::kRange, CURLOPT_RANGE},
                                          {option::kErrorBuffer, CURLOPT_ERRORBUFFER},
                                          {option::kUserAgent, CURLOPT_USERAGENT},
                                          {option::kCaInfo, CURLOPT_CAINFO},
                                          {option::kCaPath, CURLOPT_CAPATH},
                                          {option::kHttpHeader, CURLOPT_HTTPHEADER},
                                          {option::kHeaderData, CURLOPT_HEADERDATA},
                                          {option::kXferInfoData, CURLOPT_XFERINFODATA},
                                          {option::kWriteFunction, CURLOPT_WRITEFUNCTION},
                                          {option::kHeaderFunction, CURLOPT_HEADERFUNCTION},
                                          {option::kXferInfoFunction, CURLOPT_XFERINFOFUNCTION},
                                          {code::kOk, CURLE_OK},
                                          {code::kCouldntResolveHost, CURLE_COULDNT_RESOLVE_HOST},
                                          {code::kCouldntConnect, CURLE_COULDNT_CONNECT},
                                          {code::kHttp2, CURLE_HTTP2},
                                          {code::kPartialFile, CURLE_PARTIAL_FILE},
                                          {code::kWriteError, CURLE_WRITE_ERROR},
                                          {code::kOutOfMemory, CURLE_OUT_OF_MEMORY},
                                          {code::kOperationTimedout, CURLE_OPERATION_TIMEDOUT},
                                          {code::kGotNothing, CURLE_GOT_NOTHING},
                                          {code::kSendError, CURLE_SEND_ERROR},
                                          {code::kRecvError, CURLE_RECV_ERROR},
                                          {code::kPeerFailedVerification, CURLE_PEER_FAILED_VERIFICATION},
                                          {code::kSslCaCertBadFile, CURLE_SSL_CACERT_BADFILE},
                                          {code::kHttp2Stream, CURLE_HTTP2_STREAM}};
  for (const auto& [ours, theirs] : kNumbers) EXPECT_EQ(ours, theirs);
}
#endif

TEST_F(RemoteSite, SendsWholeFilesPartsAndEnds) {
  const auto bytes = save("a.bin", 1000);
  const auto site = open("a.bin");
  const auto whole = site->get(site->name(), {.most = 1000});
  ASSERT_TRUE(whole.ok()) << whole.error().text();
  EXPECT_EQ(whole->bytes, bytes);
  EXPECT_EQ(whole->version, "\"1000\"");
  const auto middle = site->get(site->name(), {.kind = Kind::kPart, .offset = 100, .count = 50});
  ASSERT_TRUE(middle.ok()) << middle.error().text();
  EXPECT_EQ(middle->bytes, part(bytes, 100, 50));
  EXPECT_EQ(middle->offset, 100U);
  EXPECT_EQ(middle->size, 1000U);
  const auto rest = site->get(site->name(), {.kind = Kind::kPart, .offset = 990, .count = 50});
  EXPECT_EQ(rest->bytes, part(bytes, 990, 10));
  for (const uint64_t count : {30U, 5000U}) {
    const auto end = site->get(site->name(), {.kind = Kind::kEnd, .count = count});
    ASSERT_TRUE(end.ok()) << end.error().text();
    EXPECT_EQ(end->bytes, part(bytes, count == 30 ? 970 : 0, count == 30 ? 30 : 1000));
    EXPECT_EQ(end->size, 1000U);
  }
  EXPECT_EQ(server_.connections(), 1);  // which is used again
  expect_error(site->get(site->name(), {.most = 999}), ErrorCode::kBadData, {"a.bin: ", "more than 999 bytes"});
  EXPECT_NE(server_.requests().front().head.find("Accept-Encoding: identity"), std::string::npos);
}

TEST_F(RemoteSite, EmptyFilesHaveNoBytes) {
  save("empty", 0);
  const auto site = open("empty");
  for (const Kind kind : {Kind::kWhole, Kind::kPart, Kind::kEnd}) {
    const auto got = site->get(site->name(), {.kind = kind, .count = 10});
    ASSERT_TRUE(got.ok()) << got.error().text();
    EXPECT_EQ(got->size, 0U);
  }
}

TEST_F(RemoteSite, EndsWithoutRangesFromTheEnd) {
  const auto bytes = save("a.bin", 1000);
  always({.has_end_ranges = false});
  const auto site = open("a.bin");
  const auto end = site->get(site->name(), {.kind = Kind::kEnd, .count = 30});
  ASSERT_TRUE(end.ok()) << end.error().text();
  EXPECT_EQ(end->bytes, part(bytes, 970, 30));
}

TEST_F(RemoteSite, AsksAgainAfterPassingFailures) {
  const auto bytes = save("a.bin", 1000);
  const Behaviour kPassing[] = {{.status = 503},
                                {.status = 500, .body = std::string(200000, 'x')},
                                {.status = 429, .headers = "Retry-After: 1\r\n"},
                                {.status = 408},
                                {.resets = true},
                                {.sent_bytes = 0},
                                {.sent_bytes = 20},
                                {.sent_bytes = 20, .has_length = false}};
  for (const Behaviour& how : kPassing) {
    at_first(2, how);
    const auto site = open("a.bin");
    const auto got = site->get(site->name(), {.kind = Kind::kPart, .offset = 10, .count = 40});
    ASSERT_TRUE(got.ok()) << got.error().text();
    EXPECT_EQ(got->bytes, part(bytes, 10, 40));
    EXPECT_GE(server_.count("a.bin"), 3U);  // libcurl asks once more itself if an idle connection is lost
    EXPECT_LE(server_.count("a.bin"), 4U);
    always(how);
    expect_error(site->get(site->name(), {.kind = Kind::kPart, .offset = 10, .count = 40}), ErrorCode::kIo,
                 {"a.bin: cannot read it: ", "bytes 10-49, 3 tries"});
    EXPECT_GE(server_.count("a.bin"), 3U);
    EXPECT_LE(server_.count("a.bin"), 6U);
  }
}

TEST_F(RemoteSite, WaitsAsLongAsTheServerAsks) {
  save("a.bin", 1000);
  at_first(1, {.status = 503, .headers = "Retry-After: 1\r\n"});
  const auto start = std::chrono::steady_clock::now();
  const auto site = open("a.bin", {.tries = 2, .first_delay_ms = 1, .longest_delay_ms = 5000});
  EXPECT_TRUE(site->get(site->name(), {}).ok());
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
}

TEST_F(RemoteSite, DoesNotAskAgainInVain) {
  save("a.bin", 1000);
  for (const int status : {400, 401, 403, 404, 410, 501}) {
    always({.status = status});
    const auto site = open("a.bin");
    const bool is_missing = status == 404 || status == 410;
    expect_error(site->get(site->name(), {}), is_missing ? ErrorCode::kNotFound : ErrorCode::kIo,
                 {std::to_string(status)});
    EXPECT_EQ(server_.count("a.bin"), 1U) << status;
  }
  always({.status = 403});
  const auto site = open("a.bin");
  expect_error(site->get(site->name(), {.refused_is_missing = true}), ErrorCode::kNotFound, {"403"});
  // Nobody listens there.
  const auto nowhere = Site::open("http://127.0.0.1:1/a", {.tries = 3, .first_delay_ms = 10000});
  expect_error((*nowhere)->get((*nowhere)->name(), {}), ErrorCode::kIo, {"http://127.0.0.1:1/a: cannot read it"});
}

TEST_F(RemoteSite, ServersWithoutRangesSendSmallFiles) {
  const auto bytes = save("small.bin", 1000);
  always({.has_ranges = false});
  const auto file = RemoteFile::open(open("small.bin"), server_.url("small.bin"), {.kind = Kind::kPart, .count = 8});
  ASSERT_TRUE(file.ok()) << file.error().text();
  files_test::Bytes out(100);
  ASSERT_TRUE((*file)->read(500, out).ok());
  EXPECT_EQ(out, part(bytes, 500, 100));
  EXPECT_EQ(server_.count("small.bin"), 1U);
  std::filesystem::resize_file(directory_ / "small.bin", (uint64_t{16} << 20) + 1);
  const auto site = open("small.bin");
  expect_error(site->get(site->name(), {.kind = Kind::kPart, .count = 8}), ErrorCode::kUnsupported,
               {"sends no parts of files", "16 MiB"});
}

TEST_F(RemoteSite, WrongAndChangedAnswersAreErrors) {
  save("a.bin", 1000);
  always({.shift = 1});
  const auto site = open("a.bin");
  expect_error(site->get(site->name(), {.kind = Kind::kPart, .offset = 10, .count = 40}), ErrorCode::kIo,
               {"bytes 10-49", "bytes 11-49/1000"});
  // A size with which sums of bytes would pass 2^64
  always({.status = 206, .headers = "Content-Range: bytes 0-7/18446744073709551615\r\n", .body = std::string(8, 'x')});
  expect_error(site->get(site->name(), {.kind = Kind::kPart, .count = 8}), ErrorCode::kIo, {"18446744073709551615"});
  for (const char* changed : {"\"new\"", "W/\"1000\"", ""}) {
    server_.set_rule(
        [=](const Request& request) { return request.number == 0 ? Behaviour() : Behaviour{.etag = changed}; });
    const auto file = RemoteFile::open(open("a.bin"), server_.url("a.bin"), {.kind = Kind::kPart, .count = 8});
    files_test::Bytes out(100);
    const auto done = (*file)->read(500, out);
    ASSERT_FALSE(done.ok()) << changed;
    EXPECT_NE(done.error().text().find("has changed"), std::string::npos) << done.error().text();
  }
  // Last-Modified, where there is no ETag
  server_.set_rule([](const Request& request) {
    return Behaviour{.etag = "", .headers = "Last-Modified: " + std::to_string(request.number) + "\r\n"};
  });
  const auto file = RemoteFile::open(open("a.bin"), server_.url("a.bin"), {.kind = Kind::kPart, .count = 8});
  files_test::Bytes out(100);
  EXPECT_EQ((*file)->read(500, out).error().code, ErrorCode::kIo);
}

TEST_F(RemoteSite, BytesAreNotDecoded) {
  const auto bytes = save("a.bin", 1000);
  always({.headers = "Content-Encoding: gzip\r\n"});
  const auto site = open("a.bin");
  EXPECT_EQ(site->get(site->name(), {})->bytes, bytes);
}

TEST_F(RemoteSite, RedirectsAreFollowedToTheWebAlone) {
  const auto bytes = save("b.bin", 1000);
  save("a.bin", 10);
  const auto redirect = [&](const std::string& to) {
    server_.set_rule([=](const Request& request) {
      return request.path == "a.bin" ? Behaviour{.status = 302, .headers = "Location: " + to + "\r\n"} : Behaviour();
    });
  };
  redirect("/b.bin");
  const auto site = open("a.bin");
  const auto got = site->get(site->name(), {.kind = Kind::kPart, .offset = 5, .count = 7});
  ASSERT_TRUE(got.ok()) << got.error().text();
  EXPECT_EQ(got->bytes, part(bytes, 5, 7));
  redirect("/a.bin");
  expect_error(site->get(site->name(), {}), ErrorCode::kIo, {"edirects"});
  EXPECT_LE(server_.count("a.bin"), 6U);
  redirect("ftp://127.0.0.1/b.bin");  // which libcurl would follow
  expect_error(site->get(site->name(), {}), ErrorCode::kIo, {"a.bin: ", "rotocol"});
}

TEST_F(RemoteSite, CredentialsAreSentAndNotShown) {
  save("a.bin", 1000);
  always({.status = 500});
  const std::string url = "http://me:geheim@127.0.0.1:" + std::to_string(server_.port()) + "/a.bin?signature=abc";
  const auto site = Site::open(url, kFast);
  ASSERT_TRUE(site.ok());
  const auto got = (*site)->get((*site)->name(), {});
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.error().text().find("geheim"), std::string::npos) << got.error().text();
  EXPECT_EQ(got.error().text().find("abc"), std::string::npos) << got.error().text();
  EXPECT_NE(server_.requests().front().head.find("Authorization: Basic "), std::string::npos);
  EXPECT_EQ(server_.requests().front().query, "?signature=abc");
}

TEST_F(RemoteSite, CredentialsAreNotInTextsOfLibcurl) {
  for (const char* place : {"127.0.0.1:1", "no-such-host.invalid"}) {
    const auto site = Site::open("http://me:geheim@" + std::string(place) + "/a.bin?signature=abc", kFast);
    const auto got = (*site)->get((*site)->name(), {});
    ASSERT_FALSE(got.ok());
    for (const char* hidden : {"geheim", "abc"}) {
      EXPECT_EQ(got.error().text().find(hidden), std::string::npos) << got.error().text();
    }
  }
  // A password with a character that ends the host
  for (const char* url : {"http://me:pa/ss@host/a", "http://me:pa?ss@host/a", "http://me:pa#ss@host/a"}) {
    const auto site = Site::open(url, kFast);
    ASSERT_FALSE(site.ok()) << (*site)->name();
    EXPECT_EQ(site.error().text().find("pa"), site.error().text().find("password")) << site.error().text();
  }
}

// Without the poll the request would fail after 30 s, by another error.
TEST_F(RemoteSite, PollEndsRequests) {
  save("a.bin", 1000);
  const auto start = std::chrono::steady_clock::now();
  always({.delay_ms = 100000});
  const auto site = open("a.bin");
  site->set_poll([] { return Result<void>(Error{ErrorCode::kCancelled, "enough", "out"}); });
  expect_error(site->get(site->name(), {}), ErrorCode::kCancelled, {"out: enough"});
  expect_error(site->get(site->name(), {}), ErrorCode::kCancelled, {"out: enough"});
  const auto waiting = open("a.bin", {.first_delay_ms = 100000, .longest_delay_ms = 100000});
  always({.status = 503});
  waiting->set_poll([] { return Result<void>(Error{ErrorCode::kCancelled, "enough", "out"}); });
  expect_error(waiting->get(waiting->name(), {}), ErrorCode::kCancelled, {"out: enough"});
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST_F(RemoteSite, StalledServersAreLeft) {
  save("a.bin", 1000);
  at_first(1, {.delay_ms = 100000});
  const auto site = open("a.bin", {.stall_seconds = 1, .tries = 2, .first_delay_ms = 1});
  EXPECT_TRUE(site->get(site->name(), {}).ok());
}

TEST_F(RemoteSite, CacheRequestsAheadAndOnce) {
  constexpr size_t kSize = (size_t{9} << 20) + 12345;  // 19 blocks
  const auto bytes = save("a.bin", kSize);
  always({.delay_ms = 20});
  const auto site = open("a.bin");
  site->max_bytes = uint64_t{512} << 20;
  auto file = RemoteFile::open(site, site->name(), {.kind = Kind::kPart, .count = 100});
  ASSERT_TRUE(file.ok());
  RangeCache cache(*file);
  files_test::Bytes out(300000);
  for (size_t at = 0; at < kSize; at += out.size()) {
    out.resize(std::min(out.size(), kSize - at));
    ASSERT_TRUE(cache.read(at, out).ok());
    ASSERT_EQ(out, part(bytes, at, out.size())) << at;
  }
  EXPECT_EQ(server_.count("a.bin"), 20U);  // with the first one
  EXPECT_GT(server_.most_at_once(), 4);
  EXPECT_EQ(cache.read(kSize - 1, out).error().code, ErrorCode::kBadData);
}

// Many readers at several places, with room for few blocks.
TEST_F(RemoteSite, CacheServesThreads) {
  constexpr size_t kSize = size_t{20} << 20;
  const auto bytes = save("a.bin", kSize);
  const auto site = open("a.bin");
  site->max_bytes = 1;
  auto file = RemoteFile::open(site, site->name(), {.kind = Kind::kPart, .count = 100});
  RangeCache cache(*file);
  EXPECT_LT(cache.memory_bytes(), uint64_t{20} << 20);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (size_t i = 0; i < 5; ++i) {
    threads.emplace_back([&, i] {
      files_test::Bytes out(99999);
      for (size_t at = i << 22; at < (i + 1) << 22; at += out.size()) {
        out.resize(std::min(out.size(), ((i + 1) << 22) - at));
        if (!cache.read(at, out).ok() || out != part(bytes, at, out.size())) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(RemoteSite, CacheFailsForGood) {
  save("a.bin", size_t{4} << 20);
  server_.set_rule([](const Request& request) {
    return request.range.starts_with("bytes=1048576-") ? Behaviour{.status = 404} : Behaviour();
  });
  const auto site = open("a.bin");
  auto file = RemoteFile::open(site, site->name(), {.kind = Kind::kPart, .count = 100});
  RangeCache cache(*file);
  files_test::Bytes out(10);
  EXPECT_TRUE(cache.read(0, out).ok());
  EXPECT_FALSE(cache.read(1048576, out).ok());
  EXPECT_FALSE(cache.read(0, out).ok());
  EXPECT_EQ(cache.failure().code, ErrorCode::kIo);  // it was there: what has been made of it so far is kept
}

}  // namespace
}  // namespace remote_test
