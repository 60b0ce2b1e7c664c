// fork_test.cpp: children of fork() of a process that has used pools of threads (oneTBB, OpenEXR) and locks. They have
// none of these threads, and nobody unlocks their locks; their calls must end, with the parent's results.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <thread>

#include "onepass/pyramid.hpp"
#include "onepass/tone_map.hpp"
#include "tests/files/files_support.hpp"

namespace {

using namespace files_test;
using onepass::Format;
using onepass::Image;
using onepass::ImageView;

constexpr onepass::Extent kSize{300, 257};

// Exit status of work() in a child, or -1 if the child does not end within a minute.
int in_child(const std::function<bool()>& work) {
  const pid_t child = fork();
  if (child == 0) _exit(work() ? 0 : 2);
  for (int i = 0; i < 60000; ++i) {
    int status = 0;
    if (waitpid(child, &status, WNOHANG) == child) return WIFEXITED(status) ? WEXITSTATUS(status) : 3;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return -1;
}

class Fork : public ::testing::Test {
 protected:
  // Level 1 of the image by an engine of several threads.
  static Image level_of(onepass::cpu::Pyramid& pyramid, const Image& image) {
    std::vector<Image> levels;
    std::vector<onepass::MutableImageView> views;
    for (uint32_t n = 1; n < pyramid.plan().levels; ++n) {
      levels.push_back(*Image::create(Format::kRGBA32Sfloat, pyramid.plan().sizes[n]));
      views.push_back(levels.back().view());
    }
    if (!pyramid.build(image.view(), views)) return {};
    return std::move(levels.front());
  }
  static onepass::cpu::Pyramid engine() {
    auto made = onepass::cpu::Pyramid::create(
        {.size = kSize, .source = Format::kRGBA32Sfloat, .target = Format::kRGBA32Sfloat}, {.threads = 4});
    if (!made) throw std::runtime_error(made.error().text());
    return std::move(*made);
  }
  static bool same(const Image& a, const Image& b) {
    return a.size_in_bytes() == b.size_in_bytes() && a.size_in_bytes() != 0 &&
           std::memcmp(a.data(), b.data(), a.size_in_bytes()) == 0;
  }
};

TEST_F(Fork, ChildrenEndWithTheResultsOfTheParent) {
  const TempDirectory directory;
  const Image image = random_image(Format::kRGBA32Sfloat, kSize, 1, 7);
  const ImageView view = image.view();
  for (const char* name : {"a.exr", "a.png", "a.tif"}) {
    ASSERT_TRUE(onepass::files::write(directory / name, std::span(&view, 1))) << name;
  }
  onepass::cpu::Pyramid old = engine();
  const auto work = [&](const Image& expected) {
    onepass::cpu::Pyramid fresh = engine();
    if (!same(level_of(old, image), expected) || !same(level_of(fresh, image), expected)) return false;
    for (const char* name : {"a.exr", "a.png", "a.tif"}) {
      if (!onepass::files::read(directory / name, {.threads = 4})) return false;
    }
    const auto made = "child" + std::to_string(getpid()) + ".exr";
    return onepass::files::write(directory / made, std::span(&view, 1)).ok();
  };
  const Image expected = level_of(old, image);
  for (int i = 0; i < 40; ++i) {
    ASSERT_TRUE(work(expected));  // the threads of the pools have just been busy
    ASSERT_EQ(in_child([&] { return work(expected); }), 0) << i;
  }
  // A child of a child, and a child that ends with the destructors of static objects.
  ASSERT_EQ(in_child([&] { return in_child([&] { return work(expected); }) == 0; }), 0);
  ASSERT_EQ(in_child([&]() -> bool { std::exit(work(expected) ? 0 : 2); }), 0);
}

// A child may be born while a thread of the parent holds the lock of the tone map programs that the process keeps.
TEST_F(Fork, ChildrenCreateToneMapsWhileTheParentDoes) {
  const auto creates = [](onepass::ToneOperator tone_operator) {
    return onepass::cpu::ToneMap::create({.size = {4, 4},
                                          .source = Format::kRGBA32Sfloat,
                                          .target = Format::kRGBA32Sfloat,
                                          .tone_operator = tone_operator},
                                         {.threads = 1})
        .ok();
  };
  std::atomic<bool> ends = false;
  std::thread busy([&] {
    while (!ends) creates(onepass::ToneOperator::kReinhard);
  });
  int status = 0;
  for (int i = 0; i < 200 && status == 0; ++i) {
    status = in_child([&] { return creates(onepass::ToneOperator::kReinhard); });
  }
  ends = true;
  busy.join();
  EXPECT_EQ(status, 0);
}

}  // namespace
