// cli_support.cpp: starts the program by fork and exec and collects its output.
#include "tests/cli/cli_support.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
// jpeglib.h needs FILE, so <cstdio> comes first
#include <cstdio>
//
#include <jpeglib.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <thread>

#include "onepass/vulkan/device.hpp"

namespace cli_test {
namespace {

struct Pipe {
  int read = -1;
  int write = -1;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  return {ends[0], ends[1]};
}

// Runs in the child between fork and exec.
[[noreturn]] void become_program(const Args& arguments, const RunOptions& options, const std::string& directory,
                                 int out, int err) {
  if (!options.stdout_to.empty()) out = ::open(options.stdout_to.c_str(), O_WRONLY);
  if (!options.stderr_to.empty()) err = ::open(options.stderr_to.c_str(), O_WRONLY);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  for (const int stream : options.broken) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) ::_exit(126);
    ::dup2(ends[1], stream);
    ::close(ends[0]);
    ::close(ends[1]);
  }
  ::signal(SIGPIPE, options.ignore_broken_pipes ? SIG_IGN : SIG_DFL);
  if (::chdir(directory.c_str()) != 0) ::_exit(126);
  if (options.file_limit > 0) {
    const rlimit limit{options.file_limit, options.file_limit};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  std::vector<char*> argv;
  std::string program = ONEPASS_PROGRAM;
  argv.push_back(program.data());
  Args copies = arguments;
  for (std::string& argument : copies) argv.push_back(argument.data());
  argv.push_back(nullptr);
  for (const int stream : options.closed) ::close(stream);
  ::execv(program.c_str(), argv.data());
  ::_exit(127);
}

bool has_temporary(const std::filesystem::path& directory) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    if (entry.path().filename().string().starts_with(".onepass-")) return true;
  }
  return false;
}

// Reads both streams until they close.
void drain(Pipe out, int err, Outcome& outcome) {
  std::array<pollfd, 2> last_to_start{{{out.read, POLLIN, 0}, {err, POLLIN, 0}}};
  std::array<std::string*, 2> texts{&outcome.out, &outcome.err};
  std::array<char, 4096> buffer{};
  while (last_to_start[0].fd >= 0 || last_to_start[1].fd >= 0) {
    if (::poll(last_to_start.data(), last_to_start.size(), 60000) <= 0) break;
    for (size_t i = 0; i < last_to_start.size(); ++i) {
      if (last_to_start[i].revents == 0) continue;
      const ssize_t count = ::read(last_to_start[i].fd, buffer.data(), buffer.size());
      if (count > 0) {
        texts[i]->append(buffer.data(), static_cast<size_t>(count));
      } else {
        last_to_start[i].fd = -1;  // a terminal reports EIO when its other end closes
      }
    }
  }
}

// Whether a process has a handler for a signal; true where the system does not tell.
bool handles(pid_t process, int signal) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with("SigCgt:")) continue;
    return (std::stoull(line.substr(7), nullptr, 16) >> (signal - 1) & 1) != 0;
  }
  return true;
}

}  // namespace

WithVariable::WithVariable(const char* name, const std::string& value) : name_(name) {
  if (const char* before = std::getenv(name)) before_ = before;
  ::setenv(name, value.c_str(), 1);
}

WithVariable::~WithVariable() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }

void Cli::SetUp() {
  std::string name = (std::filesystem::temp_directory_path() / "onepass-cli-XXXXXX").string();
  ASSERT_NE(::mkdtemp(name.data()), nullptr);
  directory_ = name;
}

void Cli::TearDown() {
  std::error_code error;
  std::filesystem::remove_all(directory_, error);
}

Outcome Cli::run(const Args& arguments, const RunOptions& options) const {
  Outcome outcome;
  const Pipe out = make_pipe();
  Pipe err = make_pipe();
  if (options.terminal) {
    ::close(err.read);
    ::close(err.write);
    EXPECT_EQ(::openpty(&err.read, &err.write, nullptr, nullptr, nullptr), 0);
  }
  const pid_t child = ::fork();
  if (child == 0) become_program(arguments, options, directory_.string(), out.write, err.write);
  ::close(out.write);
  ::close(err.write);
  std::jthread killer;
  if (options.kill_signal != 0) {
    killer = std::jthread([&](const std::stop_token& stop) {
      const auto wait = [] { std::this_thread::sleep_for(std::chrono::microseconds(200)); };
      while (options.kill_when_handled && !stop.stop_requested() && !handles(child, options.kill_signal)) wait();
      const auto start = std::chrono::steady_clock::now();
      const std::chrono::milliseconds delay(options.kill_delay_ms);
      const auto due = [&] {
        return delay.count() > 0 ? std::chrono::steady_clock::now() - start >= delay : has_temporary(directory_);
      };
      while (!stop.stop_requested() && !due()) wait();
      if (!stop.stop_requested()) ::kill(child, options.kill_signal);
    });
  }
  drain(out, err.read, outcome);
  int state = 0;
  rusage usage{};
  ::wait4(child, &state, 0, &usage);
  outcome.most_memory = static_cast<uint64_t>(usage.ru_maxrss) * 1024;
  killer.request_stop();
  ::close(out.read);
  ::close(err.read);
  if (WIFEXITED(state)) outcome.status = WEXITSTATUS(state);
  if (WIFSIGNALED(state)) outcome.signal = WTERMSIG(state);
  return outcome;
}

Outcome Cli::good(const Args& arguments) const {
  Outcome outcome = run(arguments);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  return outcome;
}

void Cli::bad(int status, const Args& arguments, const std::vector<std::string>& words) const {
  const Outcome outcome = run(arguments);
  EXPECT_EQ(outcome.status, status) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(outcome.err.starts_with("onepass: ")) << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  for (const std::string& word : words) {
    EXPECT_NE(outcome.err.find(word), std::string::npos) << "expected '" << word << "' in: " << outcome.err;
  }
}

std::string Cli::bytes(const std::string& name) const {
  std::ifstream file(path(name), std::ios::binary);
  EXPECT_TRUE(file.is_open()) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

void Cli::write_bytes(const std::string& name, const std::string& bytes) const {
  std::ofstream(path(name), std::ios::binary) << bytes;
}

std::vector<std::string> Cli::listing() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory_)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

Image Cli::image(Format format, Extent size, const Texel& texel) {
  auto made = Image::create(format, size);
  EXPECT_TRUE(made);
  std::vector<float> row(size_t{4} * size.width);
  for (uint32_t y = 0; y < size.height; ++y) {
    for (uint32_t x = 0; x < size.width; ++x) {
      for (uint32_t c = 0; c < 4; ++c) row[size_t{4} * x + c] = texel(x, y, c);
    }
    encode_row(format, row.data(), size.width, made->view().row(y));
  }
  return std::move(*made);
}

void Cli::make(const std::string& name, Format format, Extent size, const Texel& texel) const {
  make(name, image(format, size, texel));
}

void Cli::make(const std::string& name, const Image& image) const {
  const std::vector<onepass::ImageView> levels{image.view()};
  const auto done = onepass::files::write(path(name), levels);
  ASSERT_TRUE(done) << done.error().text();
}

void Cli::make_jpeg(const std::string& name, Extent size, const Texel& texel) const {
  FILE* file = std::fopen(path(name).c_str(), "wb");
  ASSERT_NE(file, nullptr);
  jpeg_compress_struct jpeg{};
  jpeg_error_mgr errors{};
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&jpeg);
  jpeg_stdio_dest(&jpeg, file);
  jpeg.image_width = size.width;
  jpeg.image_height = size.height;
  jpeg.input_components = 3;
  jpeg.in_color_space = JCS_RGB;
  jpeg_set_defaults(&jpeg);
  jpeg_start_compress(&jpeg, TRUE);
  std::vector<JSAMPLE> row(size_t{3} * size.width);
  for (uint32_t y = 0; y < size.height; ++y) {
    for (uint32_t i = 0; i < 3 * size.width; ++i) row[i] = static_cast<JSAMPLE>(255 * texel(i / 3, y, i % 3));
    JSAMPROW rows = row.data();
    jpeg_write_scanlines(&jpeg, &rows, 1);
  }
  jpeg_finish_compress(&jpeg);
  jpeg_destroy_compress(&jpeg);
  std::fclose(file);
}

void Cli::make_hdr(const std::string& name, Extent size, const Texel& texel) const {
  std::string text = "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y " + std::to_string(size.height) + " +X " +
                     std::to_string(size.width) + "\n";
  for (uint32_t y = 0; y < size.height; ++y) {
    for (uint32_t x = 0; x < size.width; ++x) {
      for (uint32_t c = 0; c < 3; ++c) {  // exponent 136: the value of mantissa m is m, so integers up to 255
        text.push_back(static_cast<char>(static_cast<uint8_t>(texel(x, y, c))));
      }
      text.push_back(static_cast<char>(136));
    }
  }
  write_bytes(name, text);
}

onepass::files::ImageFile Cli::read(const std::string& name, const onepass::files::ReadOptions& options) const {
  auto file = onepass::files::read(path(name), options);
  if (file) return std::move(*file);
  ADD_FAILURE() << file.error().text();
  onepass::files::ImageFile none;
  none.levels.push_back(image(Format::kRGBA32Sfloat, {1, 1}, [](uint32_t, uint32_t, uint32_t) { return -999.0F; }));
  return none;
}

float Cli::value(const Image& image, uint32_t x, uint32_t y, uint32_t channel, uint32_t slice) {
  std::vector<float> row(size_t{4} * image.size().width);
  decode_row(image.format(), image.view().row(y, slice), image.size().width, row.data());
  return row[size_t{4} * x + channel];
}

bool Cli::has_vulkan() {
  const auto devices = onepass::vulkan::list_devices();
  return devices && std::any_of(devices->begin(), devices->end(), [](const auto& device) { return device.usable; });
}

float pattern(uint32_t x, uint32_t y, uint32_t channel) {
  return channel == 3 ? 1.0F : static_cast<float>((x * 7 + y * 13 + channel * 5) % 31) / 31.0F;
}

}  // namespace cli_test
