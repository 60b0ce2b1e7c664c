// tiles_disk.cpp: versions of open(), rename(), write() and others that record calls and fail on request. fail_power()
// replays a part of the record: writes before a sync are on disk, later ones may be lost, cut off or zero. The model of
// a disk is independent of the code under test.
#include "tests/tiles/tiles_disk.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <sstream>

namespace tiles_disk {
namespace {

namespace fs = std::filesystem;

enum class Kind {
  kCreate,
  kDirectory,
  kRename,
  kExchange,
  kLink,
  kRemove,
  kWrite,
  kSize,
  kSyncFile,
  kSyncNames,
  kSyncAll
};

struct Call {
  Kind kind;
  std::string path, other;
  int node = -1;
  uint64_t at = 0;
  std::string bytes;
};

struct Node {
  bool directory = false;
  uint64_t inode = 0;
  std::string bytes;  // at the beginning
};

std::recursive_mutex g_mutex;
bool g_names_on = false;
std::vector<std::string> g_names;
std::string g_root;   // empty: nothing is recorded
std::string g_place;  // the last g_root
std::vector<Call> g_calls;
std::vector<Node> g_nodes;
std::map<std::string, int> g_start;  // nodes by path at the beginning
std::map<uint64_t, int> g_by_inode;  // the nodes that exist

void note(const char* name) {
  if (g_names_on) g_names.emplace_back(name);
}

bool is_recorded(const std::string& path) { return !g_root.empty() && path.starts_with(g_root + "/"); }

std::string path_of(int descriptor) {
  std::array<char, 4096> text{};
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  const ssize_t length = ::readlink(link.c_str(), text.data(), text.size());
  return length > 0 ? std::string(text.data(), static_cast<size_t>(length)) : std::string();
}

std::string full_path(int directory, const char* name) {
  if (name[0] == '/') return name;
  return directory == AT_FDCWD ? fs::absolute(name).string() : path_of(directory) + "/" + name;
}

int node_of(int descriptor) {
  struct stat status {};
  if (g_root.empty() || ::fstat(descriptor, &status) != 0) return -1;
  const auto found = g_by_inode.find(status.st_ino);
  return found == g_by_inode.end() ? -1 : found->second;
}

int add_node(bool directory, uint64_t inode) {
  g_nodes.push_back({directory, inode, {}});
  return g_by_inode[inode] = static_cast<int>(g_nodes.size()) - 1;
}

bool is_renaming_failing() { return faults.failing_rename > 0 && --faults.failing_rename == 0; }

long opened(int directory, const char* name, int flags, mode_t mode) {
  const std::scoped_lock lock(g_mutex);
  const std::string path = g_root.empty() ? std::string() : full_path(directory, name);
  struct stat before {};
  const bool fresh = is_recorded(path) && (flags & O_CREAT) != 0 && ::lstat(path.c_str(), &before) != 0;
  const long descriptor = ::syscall(SYS_openat, directory, name, flags, mode);
  if (descriptor < 0 || !is_recorded(path)) return descriptor;
  const int number = static_cast<int>(descriptor);
  if (fresh) {
    struct stat status {};
    ::fstat(number, &status);
    g_calls.push_back({Kind::kCreate, path, {}, add_node(false, status.st_ino), 0, {}});
  } else if ((flags & O_TRUNC) != 0) {
    g_calls.push_back({Kind::kSize, path, {}, node_of(number), 0, {}});
  }
  return descriptor;
}

int renamed(const std::string& from, const std::string& to, unsigned flags) {
  const std::scoped_lock lock(g_mutex);
  note("rename");
  if (is_renaming_failing()) {
    errno = EIO;
    return -1;
  }
  if ((flags & RENAME_EXCHANGE) != 0 && faults.no_exchange) {
    errno = EINVAL;
    return -1;
  }
  const long done = ::syscall(SYS_renameat2, AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), flags);
  if (done == 0 && is_recorded(from)) {
    g_calls.push_back({(flags & RENAME_EXCHANGE) != 0 ? Kind::kExchange : Kind::kRename, from, to, -1, 0, {}});
  }
  return static_cast<int>(done);
}

int removed(int directory, const char* name, int flags) {
  const std::scoped_lock lock(g_mutex);
  const std::string path = g_root.empty() ? std::string() : full_path(directory, name);
  const long done = ::syscall(SYS_unlinkat, directory, name, flags);
  if (done == 0 && is_recorded(path)) g_calls.push_back({Kind::kRemove, path, {}, -1, 0, {}});
  return static_cast<int>(done);
}

void written(int file, const void* bytes, ssize_t count, uint64_t at) {
  const int node = node_of(file);
  if (node < 0 || count <= 0) return;
  g_calls.push_back({Kind::kWrite, {}, {}, node, at, std::string(static_cast<const char*>(bytes), count)});
}

// Names and contents of the model.
using Names = std::map<std::string, int>;

void move_tree(Names& names, const std::string& from, const std::string& to) {
  Names moved;
  for (auto name = names.begin(); name != names.end();) {
    if (name->first == from || name->first.starts_with(from + "/")) {
      moved[to + name->first.substr(from.size())] = name->second;
      name = names.erase(name);
    } else {
      ++name;
    }
  }
  names.merge(moved);
}

void change_names(Names& names, const Call& call) {
  switch (call.kind) {
    case Kind::kCreate:
    case Kind::kDirectory:
      names[call.path] = call.node;
      break;
    case Kind::kRename:
      names.erase(call.other);
      move_tree(names, call.path, call.other);
      break;
    case Kind::kExchange:
      move_tree(names, call.path, g_place + "/exchanged");
      move_tree(names, call.other, call.path);
      move_tree(names, g_place + "/exchanged", call.other);
      break;
    case Kind::kLink:
      names[call.other] = names.at(call.path);
      break;
    case Kind::kRemove:
      names.erase(call.path);
      break;
    default:
      break;
  }
}

void change_bytes(std::string& bytes, const Call& call) {
  if (call.kind == Kind::kSize) bytes.resize(call.at);
  if (call.kind != Kind::kWrite) return;
  if (bytes.size() < call.at + call.bytes.size()) bytes.resize(call.at + call.bytes.size());
  bytes.replace(call.at, call.bytes.size(), call.bytes);
}

// The record of moves names inodes, which differ in the directory that is made anew.
std::string with_inodes(const std::string& text, const std::map<uint64_t, uint64_t>& inodes) {
  std::istringstream lines(text);
  std::string out;
  std::string line;
  for (size_t i = 0; std::getline(lines, line); ++i) {
    const bool number = !line.empty() && line.find_first_not_of("0123456789") == std::string::npos;
    const auto found = number ? inodes.find(std::stoull(line)) : inodes.end();
    out += found == inodes.end() ? line : std::to_string(found->second);
    if (!lines.eof()) out += "\n";
  }
  return out;
}

}  // namespace

void record_names(bool on) {
  const std::scoped_lock lock(g_mutex);
  g_names_on = on;
  if (on) g_names.clear();
}

std::vector<std::string> names() {
  const std::scoped_lock lock(g_mutex);
  return g_names;
}

Recorder::Recorder(const fs::path& root) {
  g_calls.clear();
  g_nodes.clear();
  g_start.clear();
  g_by_inode.clear();
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    struct stat status {};
    ::lstat(entry.path().c_str(), &status);
    const int node = add_node(entry.is_directory(), status.st_ino);
    if (!entry.is_directory()) {
      std::ifstream file(entry.path(), std::ios::binary);
      g_nodes[node].bytes.assign(std::istreambuf_iterator<char>(file), {});
    }
    g_start[entry.path()] = node;
  }
  g_root = g_place = root;
}

Recorder::~Recorder() { end(); }
void Recorder::end() {
  const std::scoped_lock lock(g_mutex);
  g_root.clear();
}
size_t Recorder::calls() const { return g_calls.size(); }

bool Recorder::knows_directories() const {
  const auto has = [](Kind kind) {
    return std::any_of(g_calls.begin(), g_calls.end(), [&](const Call& call) { return call.kind == kind; });
  };
  return has(Kind::kDirectory) && has(Kind::kRename);
}

void Recorder::fail_power(size_t calls, std::mt19937_64& random) const {
  size_t names_synced = 0;
  std::vector<size_t> synced(g_nodes.size());  // the calls before this one are on disk, by node
  for (size_t i = 0; i < calls; ++i) {
    const Call& call = g_calls[i];
    if (call.kind == Kind::kSyncNames || call.kind == Kind::kSyncAll) names_synced = i;
    if (call.kind == Kind::kSyncAll) std::fill(synced.begin(), synced.end(), i);
    if (call.kind == Kind::kSyncFile && call.node >= 0) synced[call.node] = i;
  }
  const uint64_t choice = random() % 3;
  const size_t names_end = choice == 0   ? names_synced
                           : choice == 1 ? calls
                                         : names_synced + random() % (calls - names_synced + 1);
  Names names = g_start;
  for (size_t i = 0; i < names_end; ++i) change_names(names, g_calls[i]);
  std::vector<std::string> contents;
  for (const Node& node : g_nodes) contents.push_back(node.bytes);
  for (size_t i = 0; i < calls; ++i) {
    Call call = g_calls[i];
    if (call.node < 0 || (call.kind != Kind::kWrite && call.kind != Kind::kSize)) continue;
    if (i >= synced[call.node]) {
      const uint64_t fate = random() % 4;
      if (fate == 0) continue;
      if (fate == 1) call.bytes.resize(random() % (call.bytes.size() + 1) / 512 * 512);
      if (fate == 2) call.bytes.assign(call.bytes.size(), '\0');
    }
    change_bytes(contents[call.node], call);
  }
  fs::remove_all(g_place);
  fs::create_directory(g_place);
  std::map<uint64_t, uint64_t> inodes;
  std::map<int, std::string> made;
  for (const auto& [path, node] : names) {  // directories sort before what is in them
    if (g_nodes[node].directory) {
      fs::create_directory(path);
    } else if (made.contains(node)) {
      fs::create_hard_link(made[node], path);
    } else {
      std::ofstream(path, std::ios::binary) << contents[node];
      made[node] = path;
    }
    struct stat status {};
    ::stat(path.c_str(), &status);
    inodes[g_nodes[node].inode] = status.st_ino;
  }
  for (const auto& [path, node] : names) {
    if (!path.ends_with("/moves")) continue;
    std::ofstream(path, std::ios::binary) << with_inodes(contents[node], inodes);
  }
}

}  // namespace tiles_disk

using namespace tiles_disk;

#pragma GCC visibility push(default)  // the C++ library calls these functions, too
extern "C" {

int open(const char* name, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return static_cast<int>(opened(AT_FDCWD, name, flags, mode));
}

int mkdir(const char* name, mode_t mode) noexcept {
  const std::scoped_lock lock(g_mutex);
  const long done = ::syscall(SYS_mkdirat, AT_FDCWD, name, mode);
  const std::string path = g_root.empty() ? std::string() : full_path(AT_FDCWD, name);
  if (done == 0 && is_recorded(path)) {
    struct stat status {};
    ::lstat(path.c_str(), &status);
    g_calls.push_back({Kind::kDirectory, path, {}, add_node(true, status.st_ino), 0, {}});
  }
  return static_cast<int>(done);
}

int rename(const char* from, const char* to) noexcept {
  return renamed(full_path(AT_FDCWD, from), full_path(AT_FDCWD, to), 0);
}

int renameat2(int from_directory, const char* from, int to_directory, const char* to, unsigned flags) noexcept {
  return renamed(full_path(from_directory, from), full_path(to_directory, to), flags);
}

int link(const char* from, const char* to) noexcept {
  const std::scoped_lock lock(g_mutex);
  const long done = ::syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
  if (done == 0 && is_recorded(from)) g_calls.push_back({Kind::kLink, from, to, -1, 0, {}});
  return static_cast<int>(done);
}

int unlink(const char* name) noexcept { return removed(AT_FDCWD, name, 0); }
int rmdir(const char* name) noexcept { return removed(AT_FDCWD, name, AT_REMOVEDIR); }
int unlinkat(int directory, const char* name, int flags) noexcept { return removed(directory, name, flags); }
int remove(const char* name) noexcept {
  const int done = removed(AT_FDCWD, name, 0);
  return done != 0 && errno == EISDIR ? removed(AT_FDCWD, name, AT_REMOVEDIR) : done;
}

ssize_t write(int file, const void* bytes, size_t count) {
  const std::scoped_lock lock(g_mutex);
  struct stat status {};
  const bool known = !g_root.empty() && ::fstat(file, &status) == 0;
  const ssize_t done = ::syscall(SYS_write, file, bytes, count);
  if (known && done > 0) {  // the journal, which is appended to
    written(file, bytes, done, static_cast<uint64_t>(status.st_size));
  }
  return done;
}

ssize_t pwrite(int file, const void* bytes, size_t count, off_t at) {
  const std::scoped_lock lock(g_mutex);
  const ssize_t done = ::syscall(SYS_pwrite64, file, bytes, count, at);
  written(file, bytes, done, static_cast<uint64_t>(at));
  return done;
}

int ftruncate(int file, off_t size) noexcept {
  const std::scoped_lock lock(g_mutex);
  const long done = ::syscall(SYS_ftruncate, file, size);
  const int node = node_of(file);
  if (done == 0 && node >= 0) g_calls.push_back({Kind::kSize, {}, {}, node, static_cast<uint64_t>(size), {}});
  return static_cast<int>(done);
}

// Makes the library copy by reading and writing, which are recorded.
ssize_t copy_file_range(int, off64_t*, int, off64_t*, size_t, unsigned) {
  errno = EXDEV;
  return -1;
}

int fsync(int file) {
  const std::scoped_lock lock(g_mutex);
  struct stat status {};
  const bool directory = ::fstat(file, &status) == 0 && S_ISDIR(status.st_mode);
  note(directory ? "sync directory" : "sync file");
  if (!g_root.empty()) {
    g_calls.push_back({directory ? Kind::kSyncNames : Kind::kSyncFile, {}, {}, node_of(file), 0, {}});
  }
  return 0;
}

int fdatasync(int file) {
  const std::scoped_lock lock(g_mutex);
  note("sync file");
  if (!g_root.empty()) g_calls.push_back({Kind::kSyncFile, {}, {}, node_of(file), 0, {}});
  return 0;
}

int syncfs(int) noexcept {
  const std::scoped_lock lock(g_mutex);
  note("sync all");
  if (faults.syncfs_error != 0) {
    errno = faults.syncfs_error;
    return -1;
  }
  if (!g_root.empty()) g_calls.push_back({Kind::kSyncAll, {}, {}, -1, 0, {}});
  return 0;
}
}
#pragma GCC visibility pop
