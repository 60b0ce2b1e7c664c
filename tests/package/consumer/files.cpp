// files.cpp: an external program with onepass::files: writes three file types, reads them back and compares.
#include <cstdio>
#include <cstring>
#include <string>

#include "onepass/files.hpp"

using namespace onepass;

int main() {
  Image image = *Image::create(Format::kRGBA8Unorm, {3, 2});
  for (int i = 0; i < 24; ++i) image.data()[i] = static_cast<std::byte>(10 * i);
  for (const std::string name : {"consumer.png", "consumer.ktx2", "consumer.exr"}) {
    const ImageView view = image.view();
    if (auto done = files::write(name, {&view, 1}); !done) return std::printf("%s\n", done.error().text().c_str()), 1;
    auto file = files::read(name, {.color = files::Color::kLinear});
    std::remove(name.c_str());
    if (!file) return std::printf("%s\n", file.error().text().c_str()), 1;
    const ImageView read = file->base();
    std::printf("%s %ux%u\n", name.c_str(), read.size.width, read.size.height);
    if (read.size != image.size()) return 1;
    if (read.format == image.format() && std::memcmp(read.data, image.data(), 24) != 0) return 1;
  }
  auto missing = files::read("no such file.jpg");
  return !missing && missing.error().code == ErrorCode::kNotFound ? 0 : 1;
}
