// files_exr_header_test.cpp: windows and attributes of EXR files survive reading and writing; OpenEXR is the oracle.
#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfChromaticitiesAttribute.h>
#include <OpenEXR/ImfFloatAttribute.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfInputFile.h>
#include <OpenEXR/ImfIntAttribute.h>
#include <OpenEXR/ImfOpaqueAttribute.h>
#include <OpenEXR/ImfPreviewImage.h>
#include <OpenEXR/ImfStandardAttributes.h>
#include <OpenEXR/ImfStdIO.h>
#include <OpenEXR/ImfStringAttribute.h>
#include <OpenEXR/ImfTiledInputFile.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include <limits>
#include <stdexcept>

#include "tests/files/files_support.hpp"

namespace {

using namespace files_test;
using onepass::ErrorCode;
using onepass::Extent;
using onepass::Format;
using onepass::Image;
using onepass::ImageView;
using onepass::files::Box;
using onepass::files::ExrLayout;
using onepass::files::ExrOptions;
using onepass::files::ImageFile;
using onepass::files::ReadOptions;
using onepass::files::Window;
using enum ExrSpec::Type;

double depth(int x, int y, int level) { return 1000 + x + 100 * y + 0.25 * level; }

class FilesExrHeader : public testing::Test {
 protected:
  TempDirectory directory_;
  std::filesystem::path path_ = directory_ / "x.exr";

  ImageFile read_ok(const ReadOptions& options = {}) {
    auto file = onepass::files::read(path_, options);
    if (!file) throw std::runtime_error(file.error().text());
    return std::move(*file);
  }
  void write_ok(std::span<const ImageView> levels, const ExrOptions& options) {
    const auto done = onepass::files::write_exr(path_, levels, options);
    if (!done) throw std::runtime_error(done.error().text());
  }
  Imf::Header header() { return Imf::InputFile(path_.string().c_str()).header(); }
};

// Windows -------------------------------------------------------------------------------------------------------------

TEST_F(FilesExrHeader, WindowsAndAspectRatioSurvive) {
  const auto levels = random_levels(Format::kR32Sfloat, {28, 21}, 1);
  const auto all = views(levels);
  const Box data{-7, 3, 20, 23};
  const Box display{0, -2, 29, 19};
  for (const size_t count : {size_t{1}, all.size()}) {
    write_ok(std::span(all).first(count),
             {.tile_size = 8, .data_window = data, .display_window = display, .pixel_aspect_ratio = 2});
    EXPECT_EQ(header().dataWindow(), Imath::Box2i(Imath::V2i(-7, 3), Imath::V2i(20, 23)));
    EXPECT_EQ(header().displayWindow(), Imath::Box2i(Imath::V2i(0, -2), Imath::V2i(29, 19)));
    EXPECT_EQ(header().pixelAspectRatio(), 2);
    const ImageFile file = read_ok();
    EXPECT_EQ(file.data_window, data);
    EXPECT_EQ(file.display_window, display);
    EXPECT_EQ(file.pixel_aspect_ratio, 2);
    ASSERT_EQ(file.levels.size(), count);
    for (size_t n = 0; n < count; ++n) {
      const ImageView level = file.levels[n].view();
      ASSERT_EQ(level.size, all[n].size);
      for (uint32_t y = 0; y < level.size.height; ++y) {
        for (uint32_t x = 0; x < level.size.width; ++x) ASSERT_EQ(texel(level, x, y, 0), texel(all[n], x, y, 0));
      }
    }
  }
}

// OpenEXR finds the pixels in the data window.
TEST_F(FilesExrHeader, PixelsLieInTheDataWindow) {
  const auto levels = random_levels(Format::kR32Sfloat, {20, 300}, 1);  // more rows than one band
  const auto all = views(levels);
  const Box data{5, -40, 24, 259};
  const Imath::Box2i window(Imath::V2i(5, -40), Imath::V2i(24, 259));
  std::vector<float> plane(20 * 300);
  Imf::FrameBuffer buffer;
  buffer.insert("Y", Imf::Slice::Make(Imf::FLOAT, plane.data(), window));
  const auto expect_base = [&] {
    for (uint32_t i = 0; i < plane.size(); ++i) ASSERT_EQ(plane[i], texel(all[0], i % 20, i / 20, 0)) << i;
  };
  write_ok(std::span(all).first(1), {.data_window = data});
  {  // a file that OpenEXR has open cannot be replaced on Windows
    Imf::InputFile lines(path_.string().c_str());
    lines.setFrameBuffer(buffer);
    lines.readPixels(-40, 259);
  }
  expect_base();
  write_ok(all, {.tile_size = 16, .data_window = data});
  std::fill(plane.begin(), plane.end(), 0.0F);
  Imf::TiledInputFile tiles(path_.string().c_str());
  tiles.setFrameBuffer(buffer);
  tiles.readTiles(0, tiles.numXTiles(0) - 1, 0, tiles.numYTiles(0) - 1, 0);
  expect_base();
}

TEST_F(FilesExrHeader, DefaultWindowsAreTheImage) {
  const Image image = random_image(Format::kR32Sfloat, {6, 4}, 1, 3);
  const ImageView view = image.view();
  write_ok({&view, 1}, {});
  EXPECT_EQ(read_ok().data_window, (Box{0, 0, 5, 3}));
  EXPECT_EQ(read_ok().display_window, (Box{0, 0, 5, 3}));
  EXPECT_EQ(read_ok().pixel_aspect_ratio, 1);
  write_ok({&view, 1}, {.data_window = Box{-1, -1, 4, 2}});
  EXPECT_EQ(read_ok().display_window, (Box{-1, -1, 4, 2}));
}

TEST_F(FilesExrHeader, WindowsThatCannotBeAreRefused) {
  const Image image = random_image(Format::kR32Sfloat, {6, 4}, 1, 3);
  const ImageView view = image.view();
  const auto message = [&](const ExrOptions& options) {
    const auto done = onepass::files::write_exr(path_, {&view, 1}, options);
    EXPECT_FALSE(done);
    if (done) return std::string();
    EXPECT_EQ(done.error().code, ErrorCode::kInvalidArgument);
    return done.error().message;
  };
  constexpr int32_t kLeast = std::numeric_limits<int32_t>::min();
  constexpr int32_t kMost = std::numeric_limits<int32_t>::max();
  EXPECT_EQ(message({.data_window = Box{-1, 2, 5, 5}}), "data_window is (-1, 2) to (5, 5), 7x4, but the base is 6x4");
  EXPECT_EQ(message({.data_window = Box{0, 0, 5, 4}}), "data_window is (0, 0) to (5, 4), 6x5, but the base is 6x4");
  EXPECT_NE(message({.data_window = Box{kLeast, 0, kLeast + 5, 3}}).find("data_window is (-2147483648, 0)"),
            std::string::npos);
  EXPECT_NE(message({.data_window = Box{5, 3, 0, 0}}).find("which is empty"), std::string::npos);
  EXPECT_EQ(message({.display_window = Box{3, 0, 2, 0}}), "display_window is (3, 0) to (2, 0), which is empty");
  EXPECT_NE(message({.display_window = Box{0, 0, 0, kMost}}).find("display_window is (0, 0) to (0, 2147483647)"),
            std::string::npos);
  for (const float ratio : {0.0F, -1.0F, 1e7F, std::numeric_limits<float>::quiet_NaN()}) {
    EXPECT_NE(message({.pixel_aspect_ratio = ratio}).find("pixel_aspect_ratio is "), std::string::npos) << ratio;
  }
  EXPECT_TRUE(directory_.entries().empty());
  // The outermost windows that OpenEXR accepts.
  constexpr int32_t kEdge = kMost / 2 - 1;
  write_ok({&view, 1}, {.data_window = Box{kEdge - 5, -kEdge, kEdge, -kEdge + 3}});
  EXPECT_EQ(read_ok().data_window.max_x, kEdge);
}

TEST_F(FilesExrHeader, DisplayWindowOfAChainIsItsBase) {
  ExrSpec spec{.data = {2, 3, 17, 14}, .display = {0, 0, 19, 15}, .channels = {{"Z", kFloat, depth}}};
  spec.tile_size = 8;
  spec.levels = ExrSpec::Levels::kMipDown;
  make_exr(path_, spec);
  const ImageFile file = read_ok({.window = Window::kDisplay, .fill = -1});
  ASSERT_EQ(file.levels.size(), 1U);
  ASSERT_EQ(file.base().size, (Extent{20, 16}));
  EXPECT_EQ(file.data_window, spec.display);
  EXPECT_EQ(file.display_window, spec.display);
  for (int y = 0; y < 16; ++y) {
    for (int x = 0; x < 20; ++x) {
      const bool inside = x >= 2 && x <= 17 && y >= 3 && y <= 14;
      ASSERT_EQ(texel(file.base(), static_cast<uint32_t>(x), static_cast<uint32_t>(y), 0),
                inside ? depth(x, y, 0) : -1);
    }
  }
  // Equal windows: nothing to fill, so all levels are read.
  spec.display = spec.data;
  make_exr(path_, spec);
  EXPECT_EQ(read_ok({.window = Window::kDisplay}).levels.size(), 5U);
}

// Attributes ----------------------------------------------------------------------------------------------------------

// An attribute of a type unknown to OpenEXR.
Imf::OpaqueAttribute opaque(const std::string& value) {
  Imf::OpaqueAttribute attribute("studioType");
  Imf::StdISStream stream;
  stream.str(value);
  attribute.readValueFrom(stream, static_cast<int>(value.size()), 2);
  return attribute;
}

std::string opaque_value(const Imf::Header& header, const char* name) {
  const auto* attribute = dynamic_cast<const Imf::OpaqueAttribute*>(&header[name]);
  if (attribute == nullptr || std::string(attribute->typeName()) != "studioType") return "of another type";
  return {static_cast<const char*>(attribute->data()), static_cast<size_t>(attribute->dataSize())};
}

void add_attributes(Imf::Header& header) {
  Imf::addOwner(header, "Owner & Co");
  Imf::addComments(header, "what we saw");
  Imf::addCapDate(header, "2024:02:29 12:00:00");
  Imf::addUtcOffset(header, -3600);
  Imf::addLongitude(header, 7.5F);
  Imf::addLatitude(header, 47.5F);
  Imf::addAltitude(header, 260);
  Imf::addFocus(header, 2.5F);
  Imf::addExpTime(header, 0.02F);
  Imf::addAperture(header, 5.6F);
  Imf::addIsoSpeed(header, 200);
  Imf::addWhiteLuminance(header, 100);
  Imf::addWrapmodes(header, "black,periodic");
  Imf::addMultiView(header, {"left", "right"});
  Imf::addEnvmap(header, Imf::ENVMAP_CUBE);
  Imf::addFramesPerSecond(header, Imf::Rational(24000, 1001));
  Imf::addKeyCode(header, Imf::KeyCode(1, 2, 3, 4, 5));
  Imf::addTimeCode(header, Imf::TimeCode(10, 11, 12, 13));
  Imf::addWorldToCamera(header, Imath::M44f().setTranslation(Imath::V3f(1, 2, 3)));
  Imf::addWorldToNDC(header, Imath::M44f().setTranslation(Imath::V3f(4, 5, 6)));
  header.setView("left");
  header.screenWindowWidth() = 0.5F;
  header.screenWindowCenter() = Imath::V2f(0.25F, -0.25F);
  header.insert("shot", Imf::IntAttribute(1040));
  header.insert("studio", opaque(std::string("a\0b", 3)));
  header.insert(std::string(200, 'n'), Imf::FloatAttribute(1.5F));  // longer than older EXR versions allow
}

void expect_attributes(const Imf::Header& header) {
  EXPECT_EQ(Imf::owner(header), "Owner & Co");
  EXPECT_EQ(Imf::comments(header), "what we saw");
  EXPECT_EQ(Imf::capDate(header), "2024:02:29 12:00:00");
  EXPECT_EQ(Imf::utcOffset(header), -3600);
  EXPECT_EQ(Imf::longitude(header), 7.5F);
  EXPECT_EQ(Imf::latitude(header), 47.5F);
  EXPECT_EQ(Imf::altitude(header), 260);
  EXPECT_EQ(Imf::focus(header), 2.5F);
  EXPECT_EQ(Imf::expTime(header), 0.02F);
  EXPECT_EQ(Imf::aperture(header), 5.6F);
  EXPECT_EQ(Imf::isoSpeed(header), 200);
  EXPECT_EQ(Imf::whiteLuminance(header), 100);
  EXPECT_EQ(Imf::wrapmodes(header), "black,periodic");
  EXPECT_EQ(Imf::multiView(header), (Imf::StringVector{"left", "right"}));
  EXPECT_EQ(Imf::envmap(header), Imf::ENVMAP_CUBE);
  EXPECT_EQ(Imf::framesPerSecond(header).n, 24000);
  EXPECT_EQ(Imf::keyCode(header).prefix(), 3);
  EXPECT_EQ(Imf::timeCode(header).minutes(), 11);
  EXPECT_EQ(Imf::worldToCamera(header)[3][1], 2);
  EXPECT_EQ(Imf::worldToNDC(header)[3][2], 6);
  EXPECT_EQ(header.view(), "left");
  EXPECT_EQ(header.screenWindowWidth(), 0.5F);
  EXPECT_EQ(header.screenWindowCenter(), Imath::V2f(0.25F, -0.25F));
  EXPECT_EQ(header.typedAttribute<Imf::IntAttribute>("shot").value(), 1040);
  EXPECT_EQ(opaque_value(header, "studio"), std::string("a\0b", 3));
  EXPECT_EQ(header.typedAttribute<Imf::FloatAttribute>(std::string(200, 'n')).value(), 1.5F);
}

// OpenEXR 3.1 reads 4 bytes more than an ID manifest has, and allocates what it then takes for a size.
TEST_F(FilesExrHeader, IdManifestsAreRefused) {
  using std::string_literals::operator""s;
  const std::string bytes = "\x76\x2f\x31\x01\x02\0\0\0ids\0idmanifest\0\x08\0\0\0\x01\0\0\0abcd\0"s;
  std::ofstream(path_, std::ios::binary) << bytes;
  const auto file = onepass::files::read(path_);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, onepass::ErrorCode::kUnsupported);
  EXPECT_NE(file.error().message.find("attribute ids is an ID manifest"), std::string::npos) << file.error().text();
}

TEST_F(FilesExrHeader, AttributesSurviveReadingAndWriting) {
  ExrSpec spec{.data = {0, 0, 15, 7}, .display = {0, 0, 15, 7}, .channels = {{"Z", kFloat, depth}}};
  spec.edit = add_attributes;
  for (const uint32_t tile : {0U, 8U}) {
    spec.tile_size = tile;
    make_exr(path_, spec);
    ImageFile file = read_ok();
    const ImageView base = file.base();
    ASSERT_NE(file.exr_attributes, nullptr);
    for (const auto layout : {ExrLayout::kScanline, ExrLayout::kMipmap}) {
      const auto levels = random_levels(Format::kR32Sfloat, base.size, 1);
      auto all = views(levels);
      all.resize(layout == ExrLayout::kScanline ? 1 : all.size());
      write_ok(all, {.layout = layout, .attributes = file.exr_attributes});
      expect_attributes(header());
      EXPECT_EQ(header().hasTileDescription(), layout == ExrLayout::kMipmap);
    }
    // A second round trip, from the file that onepass wrote.
    file = read_ok();
    const ImageView copy = file.base();
    write_ok({&copy, 1}, {.attributes = file.exr_attributes});
    expect_attributes(header());
  }
}

TEST_F(FilesExrHeader, AttributesOfStorageAreSaidAnew) {
  ExrSpec spec{.data = {3, 3, 18, 10}, .display = {0, 0, 20, 20}, .channels = {{"Z", kFloat, depth}}};
  spec.tile_size = 8;
  spec.part = "the part";
  spec.compression = 4;
  spec.edit = [](Imf::Header& header) {
    header.pixelAspectRatio() = 2;
    Imf::addChromaticities(header, Imf::Chromaticities());
    header.setPreviewImage(Imf::PreviewImage(1, 1));
    header.insert("acesImageContainerFlag", Imf::IntAttribute(1));
    header.insert("onepassTransform", Imf::StringAttribute("forward"));
    header.insert("oiio:ConstantColor", Imf::StringAttribute("0,0,0"));
    header.insert("kept", Imf::StringAttribute("yes"));
  };
  make_multipart_exr(path_, {[&] {
                       ExrSpec lines = spec;
                       lines.tile_size = 0;
                       return lines;
                     }()});
  for (const bool multi_part : {true, false}) {
    if (!multi_part) make_exr(path_, spec);
    const ImageFile file = read_ok();
    const Image image = random_image(Format::kRGBA16Sfloat, {5, 5}, 1, 1);
    const ImageView view = image.view();
    write_ok({&view, 1}, {.attributes = file.exr_attributes});
    const Imf::Header written = header();
    EXPECT_EQ(written.typedAttribute<Imf::StringAttribute>("kept").value(), "yes");
    EXPECT_EQ(written.dataWindow(), Imath::Box2i(Imath::V2i(0, 0), Imath::V2i(4, 4)));
    EXPECT_EQ(written.displayWindow(), written.dataWindow());
    EXPECT_EQ(written.pixelAspectRatio(), 1);
    EXPECT_EQ(written.compression(), Imf::ZIP_COMPRESSION);
    EXPECT_EQ(written.channels().findChannel("Z"), nullptr);
    EXPECT_FALSE(written.hasTileDescription());
    EXPECT_FALSE(written.hasName());
    EXPECT_FALSE(written.hasPreviewImage());
    EXPECT_FALSE(Imf::hasChromaticities(written));
    for (const char* name : {"acesImageContainerFlag", "onepassTransform", "oiio:ConstantColor"}) {
      EXPECT_EQ(written.find(name), written.end()) << name;
    }
    write_ok({&view, 1}, {.chromaticities = std::array<float, 8>{0.7F, 0.3F, 0.2F, 0.7F, 0.1F, 0.1F, 0.3F, 0.4F},
                          .attributes = file.exr_attributes});
    EXPECT_EQ(Imf::chromaticities(header()).green, Imath::V2f(0.2F, 0.7F));
  }
}

TEST_F(FilesExrHeader, AttributesOutliveTheFileRead) {
  ExrSpec spec{.data = {0, 0, 3, 3}, .display = {0, 0, 3, 3}, .channels = {{"Z", kFloat, depth}}};
  spec.edit = add_attributes;
  make_exr(path_, spec);
  std::shared_ptr<const onepass::files::ExrAttributes> attributes;
  {
    const Bytes bytes = load(path_);
    auto file = onepass::files::read_memory(bytes, "x.exr");
    ASSERT_TRUE(file) << file.error().text();
    attributes = file->exr_attributes;
  }
  const Image image = random_image(Format::kR32Sfloat, {2, 2}, 1, 1);
  const ImageView view = image.view();
  write_ok({&view, 1}, {.attributes = attributes});
  expect_attributes(header());
}

TEST_F(FilesExrHeader, SingleRowsCanBeCompressed) {
  const Image image = random_image(Format::kR32Sfloat, {60, 40}, 1, 1);
  const ImageView view = image.view();
  write_ok({&view, 1}, {.compression = onepass::files::ExrCompression::kZips});
  EXPECT_EQ(header().compression(), Imf::ZIPS_COMPRESSION);
  const ImageFile file = read_ok();
  for (uint32_t i = 0; i < 2400; ++i) ASSERT_EQ(texel(file.base(), i % 60, i / 60, 0), texel(view, i % 60, i / 60, 0));
}

}  // namespace
