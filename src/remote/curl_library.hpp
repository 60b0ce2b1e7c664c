// curl_library.hpp: the functions and numbers of libcurl, which is loaded when the first address of the web is opened:
// a link would load it and thirty further libraries at every start of a program. Its numbers are a stable binary
// interface since version 7.16; http_test compares them with curl.h where that is installed.
#pragma once

#include <cstddef>

namespace onepass::remote {

struct Curl;      // CURL
struct CurlList;  // curl_slist

/// Named without their prefix curl_. Codes and options are the numbers of curl.h.
struct CurlLibrary {
  int (*global_init)(long flags) = nullptr;
  Curl* (*easy_init)() = nullptr;
  int (*easy_setopt)(Curl* handle, int option, ...) = nullptr;
  int (*easy_perform)(Curl* handle) = nullptr;
  const char* (*easy_strerror)(int code) = nullptr;
  void (*easy_cleanup)(Curl* handle) = nullptr;
  CurlList* (*slist_append)(CurlList* list, const char* text) = nullptr;
  void (*slist_free_all)(CurlList* list) = nullptr;
};

inline constexpr long kCurlGlobalDefault = 3;  // CURL_GLOBAL_DEFAULT
inline constexpr size_t kCurlErrorSize = 256;  // CURL_ERROR_SIZE
inline constexpr long kCurlProtoHttp = 1;      // CURLPROTO_HTTP
inline constexpr long kCurlProtoHttps = 2;     // CURLPROTO_HTTPS

// CURLOPT_*
namespace curl_option {
inline constexpr int kLowSpeedLimit = 19;
inline constexpr int kLowSpeedTime = 20;
inline constexpr int kNoProgress = 43;
inline constexpr int kNoBody = 44;
inline constexpr int kFollowLocation = 52;
inline constexpr int kMaxRedirs = 68;
inline constexpr int kBufferSize = 98;
inline constexpr int kNoSignal = 99;
inline constexpr int kConnectTimeoutMs = 156;
inline constexpr int kProtocols = 181;
inline constexpr int kRedirProtocols = 182;
inline constexpr int kQuickExit = 322;  // libcurl 7.87; older ones refuse it and wait
inline constexpr int kWriteData = 10001;
inline constexpr int kUrl = 10002;
inline constexpr int kRange = 10007;
inline constexpr int kErrorBuffer = 10010;
inline constexpr int kUserAgent = 10018;
inline constexpr int kCaInfo = 10065;
inline constexpr int kCaPath = 10097;
inline constexpr int kHttpHeader = 10023;
inline constexpr int kHeaderData = 10029;
inline constexpr int kXferInfoData = 10057;
inline constexpr int kWriteFunction = 20011;
inline constexpr int kHeaderFunction = 20079;
inline constexpr int kXferInfoFunction = 20219;
}  // namespace curl_option

// CURLE_*
namespace curl_code {
inline constexpr int kOk = 0;
inline constexpr int kCouldntResolveHost = 6;
inline constexpr int kCouldntConnect = 7;
inline constexpr int kHttp2 = 16;
inline constexpr int kPartialFile = 18;
inline constexpr int kWriteError = 23;
inline constexpr int kOutOfMemory = 27;
inline constexpr int kOperationTimedout = 28;
inline constexpr int kSslConnectError = 35;
inline constexpr int kAbortedByCallback = 42;
inline constexpr int kTooManyRedirects = 47;
inline constexpr int kGotNothing = 52;
inline constexpr int kSendError = 55;
inline constexpr int kRecvError = 56;
inline constexpr int kPeerFailedVerification = 60;
inline constexpr int kSslCaCertBadFile = 77;
inline constexpr int kHttp2Stream = 92;
}  // namespace curl_code

/// Null if this machine has no libcurl. Threads: any number of calls at once.
const CurlLibrary* find_curl();

}  // namespace onepass::remote
