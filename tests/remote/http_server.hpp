// http_server.hpp: a server of HTTP/1.1 on the loopback interface for tests. It sends the files of a folder, whole or
// by ranges, and does wrong what a test asks for.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace remote_test {

/// What a client has asked for.
struct Request {
  std::string method, path, range, head;  ///< `path`: percent-decoded, without query. `head`: all lines.
  std::string query;
  int number = 0;  ///< Of this path, from 0.
};

/// How the server behaves to a request.
struct Behaviour {
  int delay_ms = 0;
  int status = 0;              ///< Instead of the file.
  bool resets = false;         ///< Closes the connection without an answer.
  int64_t sent_bytes = -1;     ///< Closes the connection after so many bytes of the body.
  bool has_length = true;      ///< Else no Content-Length; the connection ends with the body.
  bool has_ranges = true;      ///< Else the whole file, with 200.
  bool has_end_ranges = true;  ///< Else 416 to "bytes=-N".
  int shift = 0;               ///< Sends a range that begins so many bytes later than asked for.
  std::string etag = "auto";   ///< "auto": of size and name; empty: none.
  std::string headers;         ///< Further lines, "Name: value\r\n".
  std::string body;            ///< With `status`.
};

class HttpServer {
 public:
  using Rule = std::function<Behaviour(const Request&)>;

  explicit HttpServer(std::filesystem::path folder);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  /// "http://127.0.0.1:PORT/" + path.
  [[nodiscard]] std::string url(const std::string& path) const;
  [[nodiscard]] int port() const { return port_; }

  /// From the next request on.
  void set_rule(Rule rule);

  /// Everything that was asked for so far.
  [[nodiscard]] std::vector<Request> requests() const;
  [[nodiscard]] size_t count(const std::string& path) const;
  [[nodiscard]] size_t count() const;  ///< Of all paths.
  [[nodiscard]] int connections() const { return connections_; }
  [[nodiscard]] int most_at_once() const { return most_at_once_; }

 private:
  void accept_all();
  void serve(int socket);
  bool answer(int socket, const std::string& head);

  std::filesystem::path folder_;
  int socket_ = -1;
  int port_ = 0;
  std::atomic<bool> is_ending_ = false;
  std::atomic<int> connections_ = 0, at_once_ = 0, most_at_once_ = 0;
  mutable std::mutex mutex_;
  Rule rule_;
  std::vector<Request> requests_;
  std::vector<int> sockets_;
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

}  // namespace remote_test
