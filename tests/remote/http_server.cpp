// http_server.cpp: a thread per connection; blocking sockets.
#include "tests/remote/http_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>

namespace remote_test {
namespace {

bool send_all(int socket, const std::string& bytes) {
  for (size_t sent = 0; sent < bytes.size();) {
    const ssize_t n = ::send(socket, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (n <= 0) return false;
    sent += static_cast<size_t>(n);
  }
  return true;
}

std::string decoded(const std::string& path) {
  std::string out;
  for (size_t i = 0; i < path.size(); ++i) {
    if (path[i] == '%' && i + 2 < path.size()) {
      out += static_cast<char>(std::stoi(path.substr(i + 1, 2), nullptr, 16));
      i += 2;
    } else {
      out += path[i];
    }
  }
  return out;
}

std::string field(const std::string& head, const std::string& name) {
  const size_t at = head.find("\r\n" + name + ": ");
  if (at == std::string::npos) return {};
  const size_t begin = at + name.size() + 4;
  return head.substr(begin, head.find("\r\n", begin) - begin);
}

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

HttpServer::HttpServer(std::filesystem::path folder) : folder_(std::move(folder)) {
  socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  (void)::bind(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address));
  (void)::listen(socket_, 64);
  (void)::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { accept_all(); });
}

HttpServer::~HttpServer() {
  is_ending_ = true;
  ::shutdown(socket_, SHUT_RDWR);
  acceptor_.join();
  ::close(socket_);
  {
    const std::scoped_lock lock(mutex_);
    for (const int socket : sockets_) ::shutdown(socket, SHUT_RDWR);
  }
  for (std::thread& thread : threads_) thread.join();
  for (const int socket : sockets_) ::close(socket);
}

std::string HttpServer::url(const std::string& path) const {
  return "http://127.0.0.1:" + std::to_string(port_) + "/" + path;
}

void HttpServer::set_rule(Rule rule) {
  const std::scoped_lock lock(mutex_);
  rule_ = std::move(rule);
  requests_.clear();
}

std::vector<Request> HttpServer::requests() const {
  const std::scoped_lock lock(mutex_);
  return requests_;
}

size_t HttpServer::count(const std::string& path) const {
  const std::scoped_lock lock(mutex_);
  return static_cast<size_t>(
      std::count_if(requests_.begin(), requests_.end(), [&](const Request& r) { return r.path == path; }));
}

size_t HttpServer::count() const {
  const std::scoped_lock lock(mutex_);
  return requests_.size();
}

void HttpServer::accept_all() {
  while (!is_ending_) {
    const int socket = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) continue;
    ++connections_;
    const std::scoped_lock lock(mutex_);
    sockets_.push_back(socket);
    threads_.emplace_back([this, socket] { serve(socket); });
  }
}

void HttpServer::serve(int socket) {
  std::string received;
  while (true) {
    size_t end = received.find("\r\n\r\n");
    while (end == std::string::npos) {
      char part[4096];
      const ssize_t n = ::recv(socket, part, sizeof(part), 0);
      if (n <= 0) return;
      received.append(part, static_cast<size_t>(n));
      end = received.find("\r\n\r\n");
    }
    const std::string head = received.substr(0, end + 2);
    received.erase(0, end + 4);
    most_at_once_ = std::max<int>(most_at_once_, ++at_once_);
    const bool goes_on = answer(socket, head);
    --at_once_;
    if (!goes_on) break;
  }
  ::shutdown(socket, SHUT_RDWR);
}

// False: the connection ends.
bool HttpServer::answer(int socket, const std::string& head) {
  Request request;
  request.head = head;
  const size_t first = head.find(' ');
  const size_t second = head.find(' ', first + 1);
  request.method = head.substr(0, first);
  const std::string target = head.substr(first + 2, second - first - 2);
  request.path = decoded(target.substr(0, target.find('?')));
  if (target.find('?') != std::string::npos) request.query = target.substr(target.find('?'));
  request.range = field(head, "Range");
  Rule rule;
  {
    const std::scoped_lock lock(mutex_);
    request.number = static_cast<int>(
        std::count_if(requests_.begin(), requests_.end(), [&](const Request& r) { return r.path == request.path; }));
    requests_.push_back(request);
    rule = rule_;
  }
  const Behaviour how = rule ? rule(request) : Behaviour();
  for (int waited = 0; waited < how.delay_ms && !is_ending_; waited += 10) {
    std::this_thread::sleep_for(std::chrono::milliseconds(std::min(10, how.delay_ms - waited)));
  }
  if (how.resets) {
    const linger now{1, 0};
    ::setsockopt(socket, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
    return false;
  }
  std::string body = how.body;
  std::string lines = how.headers;
  int status = how.status;
  const std::filesystem::path file = folder_ / request.path;
  if (status == 0 && !std::filesystem::is_regular_file(file)) status = 404;
  if (status == 0) {
    body = contents(file);
    status = 200;
    if (how.etag == "auto") {
      lines += "ETag: \"" + std::to_string(body.size()) + "\"\r\n";
    } else if (!how.etag.empty()) {
      lines += "ETag: " + how.etag + "\r\n";
    }
    const size_t size = body.size();
    const bool is_end = request.range.starts_with("bytes=-");
    if (request.range.starts_with("bytes=") && how.has_ranges) {
      size_t begin = 0;
      size_t end = size;
      const std::string numbers = request.range.substr(6);
      if (is_end) {
        begin = size - std::min<size_t>(size, std::stoull(numbers.substr(1)));
      } else {
        begin = std::stoull(numbers) + static_cast<size_t>(how.shift);
        end = std::min<size_t>(size, std::stoull(numbers.substr(numbers.find('-') + 1)) + 1);
      }
      if (begin >= end || (is_end && !how.has_end_ranges)) {
        status = 416;
        body.clear();
        lines += "Content-Range: bytes */" + std::to_string(size) + "\r\n";
      } else {
        status = 206;
        body = body.substr(begin, end - begin);
        lines += "Content-Range: bytes " + std::to_string(begin) + "-" + std::to_string(end - 1) + "/" +
                 std::to_string(size) + "\r\n";
      }
    }
  }
  std::string text = "HTTP/1.1 " + std::to_string(status) + " x\r\n";
  if (how.has_length) text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  text += lines + "\r\n";
  if (request.method != "HEAD") text += how.sent_bytes < 0 ? body : body.substr(0, static_cast<size_t>(how.sent_bytes));
  return send_all(socket, text) && how.sent_bytes < 0 && how.has_length;
}

}  // namespace remote_test
