// tiles_safety_test.cpp: no run of tiles destroys an input or anything that no earlier run has made.
#include <sys/stat.h>

#include <algorithm>
#include <functional>

#include "tests/tiles/tiles_disk.hpp"
#include "tests/tiles/tiles_support.hpp"
#include "tiles/journal.hpp"
#include "tiles/put_in_place.hpp"

namespace tiles_test {
namespace {

namespace fs = std::filesystem;

using onepass::tiles::TileReport;
using onepass::tiles::unfinished_path;

class TilesSafety : public Tiles {
 protected:
  void SetUp() override { save_raw<uint8_t>(directory_ / "in.raw", random_picture({60, 50}, 3, 0, 255)); }
  void TearDown() override { tiles_disk::faults = {}; }

  // Makes a picture of the type that the name says.
  void make(const std::string& name) const { good(options("60x50:rgb8", name)); }

  [[nodiscard]] TileOptions from(const fs::path& input, const std::string& output) const {
    TileOptions o;
    o.input.path = input;
    o.output = directory_ / output;
    return o;
  }

  // Every run with these options is refused and changes nothing.
  void refuse(const TileOptions& o, const std::vector<std::string>& words) const {
    SCOPED_TRACE(o.input.path.string() + " -> " + o.output.string());
    const auto before = tree(directory_.path());
    bad(o, ErrorCode::kInvalidArgument, words);
    EXPECT_TRUE(tree(directory_.path()) == before);
  }

  [[nodiscard]] std::string text(const std::string& name) const {
    const Bytes bytes = files_test::load(directory_ / name);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  void write(const std::string& name, const std::string& contents) const {
    fs::create_directories((directory_ / name).parent_path());
    files_test::save(directory_ / name, files_test::bytes_of(contents));
  }
};

TEST_F(TilesSafety, AnInputIsNeverTheOutput) {
  for (const std::string name : {"in.tif", "in.ktx2", "in.exr"}) {
    if (name == "in.exr") {
      auto o = options("30x25:rgba16f", name);
      good(o);
    } else {
      auto o = options("30x25:rgba8", name);
      good(o);
    }
    const fs::path input = directory_ / name;
    refuse(from(input, name), {"output", name, "overwrite an input"});
    const std::string hard = "hard" + input.extension().string();
    const std::string soft = "soft" + input.extension().string();
    fs::create_hard_link(input, directory_ / hard);
    fs::create_symlink(name, directory_ / soft);
    refuse(from(input, hard), {hard, "overwrite an input", name});
    refuse(from(directory_ / hard, name), {"overwrite an input", hard});
    refuse(from(directory_ / soft, name), {"overwrite an input", soft});
    refuse(from(input, soft), {"overwrite an input"});
    refuse(from(directory_.path() / "." / name, name), {"overwrite an input"});
  }
  fs::create_directory_symlink(directory_.path(), directory_ / "around");
  refuse(from(directory_ / "around/in.tif", "in.tif"), {"overwrite an input"});
  TileOptions raw = options("60x50:rgb8", "raw.tif");
  fs::copy(raw.input.path, directory_ / "raw.tif");
  raw.input.path = directory_ / "raw.tif";
  refuse(raw, {"raw.tif", "overwrite an input"});
  raw.shard = {0, 2};
  refuse(raw, {"overwrite an input"});
  raw.shard = {};
  raw.merge = 2;
  refuse(raw, {"overwrite an input"});
  raw.merge = 0;
  raw.resume = true;
  refuse(raw, {"overwrite an input"});
  raw = options("60x50:rgb8", "page.dzi");
  fs::copy(raw.input.path, directory_ / "page.html");
  raw.input.path = directory_ / "page.html";
  raw.viewer = true;
  refuse(raw, {"page.html", "overwrite an input"});
}

// The system would cut such names: "in.raw" with a tail is in.raw.
TEST_F(TilesSafety, NamesWithNulBytesAreRefused) {
  const std::string tail("\0.tif", 5);
  TileOptions o = options("60x50:rgb8", "in.raw" + tail);
  refuse(o, {"output", "NUL"});
  o = options("60x50:rgb8", "out.tif");
  o.input.path += tail;
  refuse(o, {"input", "NUL"});
  const auto file = onepass::files::AtomicFile::create(directory_.path().string() + "/in.raw" + tail);
  ASSERT_FALSE(file);
  EXPECT_NE(file.error().text().find("NUL"), std::string::npos) << file.error().text();
  EXPECT_FALSE(onepass::files::read(directory_.path().string() + "/in.raw" + tail, {}));
}

TEST_F(TilesSafety, NoFileOfAGridIsTheOutput) {
  for (const std::string name : {"g_0_0.tif", "g_1_0.tif", "g_0_1.tif", "g_1_1.tif"}) make(name);
  TileOptions o;
  o.input.grid = directory_ / "g_{x}_{y}.tif";
  for (const std::string name : {"g_0_0.tif", "g_1_0.tif", "g_0_1.tif", "g_1_1.tif"}) {
    o.output = directory_ / name;
    refuse(o, {name, "overwrite an input"});
  }
  o.output = directory_ / "g_2_0.tif";  // a name of the pattern, but no file of the grid
  good(o);
}

TEST_F(TilesSafety, DirectoriesWithTheInputAreNotReplaced) {
  make("q.dzi");
  const std::string tile = "q_files/6/0_0.jpg";
  ASSERT_TRUE(fs::exists(directory_ / tile));
  refuse(from(directory_ / tile, "q.dzi"), {"q_files", "holds the input", tile});
  fs::create_symlink(tile, directory_ / "soft.jpg");
  refuse(from(directory_ / "soft.jpg", "q.dzi"), {"q_files", "holds the input", "soft.jpg"});
  TileOptions o;
  o.input.grid = directory_ / "q_files/6/{x}_{y}.jpg";
  o.output = directory_ / "q.dzi";
  refuse(o, {"q_files", "holds the input"});
  // The working directory and what is left of it are deleted, too.
  for (const std::string folder : {"new.tif.unfinished", ".new.tif.unfinished.old"}) {
    fs::create_directory(directory_ / folder);
    fs::copy(directory_ / tile, directory_ / (folder + "/in.jpg"));
    refuse(from(directory_ / (folder + "/in.jpg"), "new.tif"), {folder, "holds the input"});
    fs::remove_all(directory_ / folder);
  }
}

TEST_F(TilesSafety, OmeZarrAndItsMembersAreNotReplaced) {
  make("in.zarr");
  const fs::path input = directory_ / "in.zarr";
  refuse(from(input, "in.zarr"), {"in.zarr", "overwrite an input"});
  fs::create_directory_symlink("in.zarr", directory_ / "soft");
  refuse(from(directory_ / "soft", "in.zarr"), {"in.zarr", "overwrite an input"});
  refuse(from(input, "in.zarr/preview.tif"), {"preview.tif", "inside the input"});
  refuse(from(directory_ / "soft", "in.zarr/preview.tif"), {"preview.tif", "inside the input"});
  refuse(from(input, "in.zarr/0/../preview.tif"), {"preview.tif", "inside the input"});
  // A path that leads out of the input again, and one that a link leads back into it.
  good(from(input, "in.zarr/../beside.tif"));
  EXPECT_TRUE(fs::exists(directory_ / "beside.tif"));
  fs::create_directory(directory_ / "other");
  fs::create_directory_symlink("../in.zarr/0", directory_ / "other/level");
  refuse(from(input, "other/level/../preview.tif"), {"preview.tif", "inside the input"});
  // A chunk that is a link: its file is an input as well.
  const fs::path chunk = input / "0" / "0" / "0" / "0";
  fs::rename(chunk, directory_ / "chunk.tif");
  fs::create_symlink("../../../../chunk.tif", chunk);
  refuse(from(input, "chunk.tif"), {"chunk.tif", "overwrite an input"});
  fs::remove(chunk);
  fs::create_hard_link(directory_ / "chunk.tif", chunk);
  // A hard link is replaced by a rename, which leaves the chunk as it was.
  const Bytes stored = files_test::load(chunk);
  good(from(input, "chunk.tif"));
  EXPECT_TRUE(files_test::load(chunk) == stored);
  EXPECT_EQ(fs::hard_link_count(chunk), 1U);
  // A picture in a directory that would be replaced, by its real path and by a link in the path.
  make("outer.zarr");
  fs::rename(directory_ / "in.zarr", directory_ / "outer.zarr/9");
  refuse(from(directory_ / "outer.zarr/9", "outer.zarr"), {"outer.zarr", "holds the input"});
  fs::create_directory_symlink("outer.zarr/9", directory_ / "inner");
  refuse(from(directory_ / "inner", "outer.zarr"), {"outer.zarr", "holds the input"});
}

// Links in an OME-Zarr directory are followed, wherever they lead.
TEST_F(TilesSafety, ChunksOfOmeZarrMayBeLinks) {
  make("in.zarr");
  good(from(directory_ / "in.zarr", "before.tif"));
  const fs::path chunk = directory_ / "in.zarr/0/0/0/0";
  fs::rename(chunk, directory_ / "store");
  fs::create_symlink("../../../../store", chunk);
  good(from(directory_ / "in.zarr", "after.tif"));
  EXPECT_EQ(files_test::load(directory_ / "before.tif"), files_test::load(directory_ / "after.tif"));
}

TEST_F(TilesSafety, ForeignPlacesAreNotReplaced) {
  const auto refused = [&](const TileOptions& o, const std::vector<std::string>& words) {
    const auto before = tree(directory_.path());
    bad(o, ErrorCode::kIo, words);
    EXPECT_TRUE(tree(directory_.path()) == before);
  };
  TileOptions o = options("60x50:rgb8", "q.dzi");
  o.viewer = true;
  write("q.html", "<p>my page</p>");
  refused(o, {"q.html", "no earlier output", "q_files", "move it away"});
  fs::remove(directory_ / "q.html");
  good(o);
  good(o);  // its own page, directory and descriptor are replaced
  // The page of another output.
  fs::copy(directory_ / "q.html", directory_ / "r.html");
  TileOptions other = options("60x50:rgb8", "r.dzi");
  other.viewer = true;
  refused(other, {"r.html", "no earlier output"});
  write("q_files/notes.txt", "x");
  refused(o, {"q_files", "no earlier output", "notes.txt"});
  fs::remove(directory_ / "q_files/notes.txt");
  write("q_files/6/0_0.tif", "x");
  refused(o, {"q_files", "6/0_0.tif"});
  fs::remove(directory_ / "q_files/6/0_0.tif");
  fs::create_symlink("0_0.jpg", directory_ / "q_files/6/1_1.jpg");
  refused(o, {"q_files", "6/1_1.jpg"});
  fs::remove(directory_ / "q_files/6/1_1.jpg");
  write("q.dzi", text("q.dzi") + "\n<!-- edited -->");
  refused(o, {"q_files", "another program wrote"});
  fs::remove(directory_ / "q.dzi");
  refused(o, {"q_files", "q.dzi is missing"});

  o = options("60x50:rgb8", "q.zarr");
  good(o);
  good(o);
  write("q.zarr/labels/.zattrs", "{}");
  refused(o, {"q.zarr", "no earlier output", "labels"});
  fs::remove_all(directory_ / "q.zarr/labels");
  for (const std::string added : {"5/7", "0/0/0/1", "0/3/0/0", "0/0/00", "0/.zattrs", "0/0/.zarray", ".zarray", "7"}) {
    write("q.zarr/" + added, "x");
    refused(o, {"q.zarr", "no earlier output", "it holds"});
    fs::remove(directory_ / "q.zarr" / added);
    if (added == "5/7") fs::remove(directory_ / "q.zarr/5");
    if (added == "0/3/0/0") fs::remove_all(directory_ / "q.zarr/0/3");
  }
  write("q.zarr/1/.zarray", text("q.zarr/0/.zarray"));
  refused(o, {"q.zarr", "no earlier output", "it holds 1"});
  fs::remove_all(directory_ / "q.zarr/1");
  const std::string attributes = text("q.zarr/.zattrs");
  write("q.zarr/.zattrs", "{\"mine\": 1," + attributes.substr(1));
  refused(o, {"q.zarr", "no earlier output", ".zattrs has mine"});
  write("q.zarr/.zattrs", attributes);
  good(o);
  write("q.zarr/.zattrs", "{}");
  refused(o, {"q.zarr", "no earlier output", ".zattrs"});

  o = options("60x50:rgb8", "q.tif");
  write("q.tif.unfinished/precious", "x");
  o.shard = {0, 1};
  refused(o, {"q.tif.unfinished", "precious"});
  // Without shards and as a file as well.
  o.shard = {};
  refused(o, {"q.tif.unfinished", "no unfinished output of onepass", "holds precious"});
  fs::remove_all(directory_ / "q.tif.unfinished");
  write("q.tif.unfinished", "x");
  refused(o, {"q.tif.unfinished", "no unfinished output of onepass", "no directory"});
  fs::remove(directory_ / "q.tif.unfinished");
  for (const std::string mine : {"lock", "data"}) write(".q.tif.unfinished.old/" + mine, "x");
  good(o);
  EXPECT_EQ(text(".q.tif.unfinished.old/data") + text(".q.tif.unfinished.old/lock"), "xx");
  fs::remove(directory_ / ".q.tif.unfinished.old/data");
  good(o);
  EXPECT_FALSE(fs::exists(directory_ / ".q.tif.unfinished.old")) << "a process was killed while it removed it";
  write(".q.tif.unfinished.old", "");
  good(o);
  EXPECT_TRUE(fs::exists(directory_ / ".q.tif.unfinished.old"));
  fs::remove(directory_ / ".q.tif.unfinished.old");
  write(".q.tif.unfinished.old/precious", "x");
  o.shard = {};
  good(o);
  EXPECT_EQ(text(".q.tif.unfinished.old/precious"), "x");
}

// A file that appears where the page goes while the run works.
TEST_F(TilesSafety, PlacesAreCheckedAgainBeforeTheyAreReplaced) {
  TileOptions o = options("60x50:rgb8", "q.dzi");
  o.viewer = true;
  o.progress = [&](const onepass::tiles::TileProgress&) {
    write("q.html", "<p>my page</p>");
    return true;
  };
  bad(o, ErrorCode::kIo, {"q.html", "no earlier output"});
  EXPECT_EQ(text("q.html"), "<p>my page</p>");
  fs::remove(directory_ / "q.html");
  o.progress = nullptr;
  o.resume = true;
  EXPECT_GT(good(o).progress.tiles_kept, 0);
}

TEST_F(TilesSafety, PlacesThatCannotBeReplacedAreNamed) {
  const auto refused = [&](const std::string& name, const std::vector<std::string>& words) {
    bad(options("60x50:rgb8", name), ErrorCode::kIo, words);
  };
  fs::create_symlink("elsewhere.tif", directory_ / "link.tif");
  fs::create_symlink("elsewhere.zarr", directory_ / "link.zarr");
  fs::create_directory(directory_ / "folder.tif");
  write("file.zarr", "x");
  write("tiles_files", "x");
  refused("link.tif", {"link.tif", "symbolic link"});
  refused("link.zarr", {"link.zarr", "symbolic link"});
  refused("folder.tif", {"folder.tif", "is a directory"});
  refused("file.zarr", {"file.zarr", "is a file"});
  refused("tiles.dzi", {"tiles_files", "is a file"});
  EXPECT_TRUE(fs::is_symlink(directory_ / "link.tif"));
}

// ---- The end of a run

TEST_F(TilesSafety, OldPermissionsAreKept) {
  make("out.tif");
  ::chmod((directory_ / "out.tif").c_str(), 0640);
  make("out.tif");
  struct stat status {};
  ASSERT_EQ(::stat((directory_ / "out.tif").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640U);
}

TEST_F(TilesSafety, RenamesAreUndoneIfOneFails) {
  TileOptions o = options("60x50:rgb8", "q.dzi");
  o.viewer = true;
  good(o);
  const auto old = tree(directory_.path());
  o.quality = 30;
  for (const bool exchange : {true, false}) {
    int failed_runs = 0;
    for (int failing = 1; failing <= (exchange ? 4 : 9); ++failing) {
      SCOPED_TRACE(failing);
      tiles_disk::faults.no_exchange = !exchange;
      tiles_disk::faults.failing_rename = failing;
      const auto report = make_tiles(o);
      const bool failed = tiles_disk::faults.failing_rename == 0 && !report;
      tiles_disk::faults = {};
      if (!failed) {  // the rename was one of those that clean up
        o.quality = 75;
        good(o);
        o.quality = 30;
        continue;
      }
      ++failed_runs;
      EXPECT_EQ(report.error().code, ErrorCode::kIo);
      auto now = tree(directory_.path());
      std::erase_if(now, [](const auto& file) { return file.first.starts_with("q.dzi.unfinished"); });
      EXPECT_TRUE(now == old);
      o.resume = true;
      good(o);
      o.resume = false;
      EXPECT_FALSE(tree(directory_.path()) == old);
      o.quality = 75;
      good(o);
      EXPECT_TRUE(tree(directory_.path()) == old);
      o.quality = 30;
    }
    // Of the description, the folder of tiles and the page; without exchange also of the three old ones.
    EXPECT_GE(failed_runs, exchange ? 3 : 6);
  }
}

// Old directories leave in one step; on file systems that cannot exchange names, in two.
TEST_F(TilesSafety, DirectoriesAreExchangedInOneStep) {
  make("q.zarr");
  for (const bool exchange : {true, false}) {
    tiles_disk::faults.no_exchange = !exchange;
    tiles_disk::record_names(true);
    make("q.zarr");
    tiles_disk::record_names(false);
    const auto names = tiles_disk::names();
    const auto synced = std::find(names.begin(), names.end(), "sync all");
    ASSERT_NE(synced, names.end());
    EXPECT_EQ(std::count(names.begin(), synced, "rename"), 0);
    // The record of the moves; one exchange, or three renames after an exchange that fails; then the working directory
    // leaves.
    const auto placed = std::find(synced, names.end(), "sync directory");
    EXPECT_EQ(std::count(synced, placed, "rename"), exchange ? 2 : 5);
    EXPECT_EQ(std::count(placed, names.end(), "rename"), 1);
    EXPECT_TRUE(fs::exists(directory_ / "q.zarr/.zattrs"));
    EXPECT_FALSE(fs::exists(directory_ / "q.zarr.unfinished"));
  }
}

TEST_F(TilesSafety, DiskThatCannotStoreIsReported) {
  for (const std::string name : {"q.tif", "q.dzi", "q.zarr"}) {
    make(name);
    const auto old = tree(directory_.path());
    tiles_disk::faults.syncfs_error = EIO;
    bad(options("60x50:rgb8", name), ErrorCode::kIo, {"disk"});
    tiles_disk::faults = {};
    auto now = tree(directory_.path());
    std::erase_if(now, [&](const auto& file) { return file.first.starts_with(name + ".unfinished"); });
    EXPECT_TRUE(now == old);
    fs::remove_all(directory_ / (name + ".unfinished"));
  }
}

TEST_F(TilesSafety, TwoProcessesDoNotShareAnUnfinishedOutput) {
  using onepass::tiles::Journal;
  const auto first = Journal::open(directory_ / "work", "identity", Journal::Old::kRefuse);
  ASSERT_TRUE(first) << first.error().text();
  const auto second = Journal::open(directory_ / "work", "identity", Journal::Old::kResume);
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().text().find("another process"), std::string::npos) << second.error().text();
}

// ---- What a run says and shows

TEST_F(TilesSafety, NamesInTheViewerAreText) {
  TileOptions o = options("60x50:rgb8", "a<b&c d%e@WIDTH@\"'.dzi");
  o.viewer = true;
  good(o);
  const std::string page = text("a<b&c d%e@WIDTH@\"'.html");
  EXPECT_NE(page.find("<title>a&lt;b&amp;c d%e@WIDTH@\"'</title>"), std::string::npos) << page.substr(0, 400);
  EXPECT_NE(page.find("path: \"a%3Cb%26c%20d%25e%40WIDTH%40%22%27_files\""), std::string::npos);
  EXPECT_NE(page.find("width: 60, height: 50"), std::string::npos);
}

TEST_F(TilesSafety, RawPixelsBeginAtTheOffset) {
  const Picture base = random_picture({60, 50}, 1, 0, 255);
  save_raw<uint8_t>(directory_ / "in.raw", base);
  Bytes bytes(17, std::byte{9});
  const Bytes pixels = files_test::load(directory_ / "in.raw");
  bytes.insert(bytes.end(), pixels.begin(), pixels.end());
  files_test::save(directory_ / "in.raw", bytes);
  TileOptions o = options("60x50:gray8+17", "out.tif");
  o.compression = TileCompression::kNone;
  good(o);
  const auto pages = tiff_pages(o.output);
  ASSERT_FALSE(pages.empty());
  EXPECT_EQ(pages[0].samples, base.samples);
  bad(options("60x50:gray8+18", "out.tif"), ErrorCode::kBadData, {"18"});
}

TEST_F(TilesSafety, JpegTilesWithoutAlphaAreMentioned) {
  const auto warns = [](const TileReport& report) {
    return std::any_of(report.warnings.begin(), report.warnings.end(),
                       [](const std::string& text) { return text.find("alpha") != std::string::npos; });
  };
  TileOptions o = options("30x25:rgba8", "out.dzi");
  o.tile_format = TileFormat::kJpeg;
  EXPECT_TRUE(warns(good(o)));
  o.tile_format = TileFormat::kPng;
  EXPECT_FALSE(warns(good(o)));
  o = options("60x50:rgb8", "out.dzi");
  o.tile_format = TileFormat::kJpeg;
  EXPECT_FALSE(warns(good(o)));
}

// A classic TIFF file of one strip, 4 x 2 pixels of 8 bits, with the tag GDAL_NODATA of two characters.
Bytes tiff_with_nodata(uint32_t characters) {
  Bytes file = files_test::bytes_of(std::string("II*\0\x08\0\0\0", 8));
  const auto put16 = [&](uint32_t value) {
    file.push_back(static_cast<std::byte>(value & 0xFF));
    file.push_back(static_cast<std::byte>(value >> 8));
  };
  struct Tag {
    uint32_t tag, type, count, value;
  };
  constexpr uint32_t kPixels = 8 + 2 + 10 * 12 + 4;
  const Tag tags[] = {{256, 3, 1, 4},       {257, 3, 1, 2}, {258, 3, 1, 8}, {259, 3, 1, 1}, {262, 3, 1, 1},
                      {273, 4, 1, kPixels}, {277, 3, 1, 1}, {278, 3, 1, 2}, {279, 4, 1, 8}, {42113, 2, 3, characters}};
  put16(static_cast<uint32_t>(std::size(tags)));
  for (const Tag& tag : tags) {
    put16(tag.tag);
    put16(tag.type);
    files_test::put32(file, tag.count);
    files_test::put32(file, tag.value);
  }
  files_test::put32(file, 0);
  EXPECT_EQ(file.size(), kPixels);
  for (int i = 0; i < 8; ++i) file.push_back(static_cast<std::byte>(i * 30));
  return file;
}

TEST_F(TilesSafety, NodataThatIsNoNumberIsMentioned) {
  const auto warns = [](const TileReport& report) {
    return std::any_of(report.warnings.begin(), report.warnings.end(), [](const std::string& text) {
      return text.find("GDAL_NODATA is no number") != std::string::npos;
    });
  };
  for (const bool number : {true, false}) {
    files_test::save(directory_ / "in.tif", tiff_with_nodata(number ? 0x3737 : 0x782D));  // "77", "-x"
    EXPECT_EQ(warns(good(from(directory_ / "in.tif", "out.tif"))), !number);
  }
}

}  // namespace
}  // namespace tiles_test
