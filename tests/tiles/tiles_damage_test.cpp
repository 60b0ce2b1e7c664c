// tiles_damage_test.cpp: unfinished outputs and shards whose files were damaged, by hand or by a power failure. What
// comes out are the bytes of an undisturbed run, or an error.
#include <algorithm>
#include <functional>
#include <iostream>

#include "tests/support/test_seed.hpp"
#include "tests/tiles/tiles_disk.hpp"
#include "tests/tiles/tiles_support.hpp"
#include "tiles/journal.hpp"

namespace tiles_test {
namespace {

namespace fs = std::filesystem;

using onepass::tiles::TileProgress;
using onepass::tiles::unfinished_path;
using Tree = std::map<std::string, Bytes>;

const std::vector<std::string> kNames{"out.tif", "cog.tif", "out.dzi", "out.zarr"};

class TilesDamage : public Tiles {
 protected:
  void SetUp() override {
    fs::create_directory(directory_ / "new");
    save_raw<uint8_t>(directory_ / "in.raw", random_picture({150, 700}, 3, 0, 255));
    onepass::tiles::group_limits = {.bytes = 20000, .time = std::chrono::hours(1)};
  }
  void TearDown() override { onepass::tiles::group_limits = {}; }

  [[nodiscard]] TileOptions to(const std::string& name, const std::string& folder = "new") const {
    TileOptions o = options("150x700:rgb8", folder + "/" + name);
    o.cog = name == "cog.tif";
    o.tile_size = 32;
    o.threads = 2;
    return o;
  }
  Tree whole(const std::string& name) {
    good(to(name));
    Tree files = tree(directory_ / "new");
    fs::remove_all(directory_ / "new");
    fs::create_directory(directory_ / "new");
    return files;
  }
  // Leaves an unfinished output.
  void interrupt(const std::string& name) const {
    TileOptions o = to(name);
    o.progress = [](const TileProgress& p) { return p.rows < p.height / 2; };
    o.threads = 1;
    (void)make_tiles(o);
    ASSERT_TRUE(fs::exists(unfinished_path(o.output)));
  }
};

enum class Damage { kEmptied, kTruncated, kFlipped, kDeleted, kZeros };
constexpr Damage kDamages[] = {Damage::kEmptied, Damage::kTruncated, Damage::kFlipped, Damage::kDeleted,
                               Damage::kZeros};

void damage(const fs::path& file, Damage kind, std::mt19937_64& random) {
  Bytes bytes = files_test::load(file);
  ASSERT_FALSE(bytes.empty());
  const size_t place = random() % bytes.size();
  switch (kind) {
    case Damage::kEmptied:
      bytes.clear();
      break;
    case Damage::kTruncated:
      bytes.resize(place);
      break;
    case Damage::kFlipped:
      bytes[place] ^= std::byte{0x10};
      break;
    case Damage::kZeros:
      bytes.back() ^= std::byte{1};
      std::fill(bytes.begin() + static_cast<ptrdiff_t>(place), bytes.end() - 1, std::byte{0});
      break;
    case Damage::kDeleted:
      fs::remove(file);
      return;
  }
  files_test::save(file, bytes);
}

std::vector<fs::path> files_below(const fs::path& folder, const std::function<bool(const fs::path&)>& wanted) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.file_size() > 0 && wanted(entry.path())) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST_F(TilesDamage, ResumedRunsMakeDamagedTilesAgain) {
  std::mt19937_64 random(onepass::testing::random_seed());
  for (const std::string& name : kNames) {
    const Tree wanted = whole(name);
    for (const Damage kind : kDamages) {
      for (int repeat = 0; repeat < 3; ++repeat) {
        SCOPED_TRACE(name + ", damage " + std::to_string(static_cast<int>(kind)));
        interrupt(name);
        TileOptions o = to(name);
        const auto files =
            files_below(unfinished_path(o.output), [](const fs::path& path) { return path.filename() != "journal"; });
        ASSERT_FALSE(files.empty());
        damage(files[random() % files.size()], kind, random);
        o.resume = true;
        const auto report = good(o);
        EXPECT_GT(report.progress.tiles, 0);
        EXPECT_TRUE(tree(directory_ / "new") == wanted);
      }
    }
    fs::remove_all(directory_ / "new");
    fs::create_directory(directory_ / "new");
  }
}

// A resumption keeps what is intact.
TEST_F(TilesDamage, OneDamagedTileCostsItsRowOnly) {
  whole("out.dzi");
  interrupt("out.dzi");
  TileOptions o = to("out.dzi");
  const fs::path work = unfinished_path(o.output);
  fs::copy(work, directory_ / "copy", fs::copy_options::recursive);
  o.resume = true;
  const uint64_t all = good(o).progress.tiles_kept;
  ASSERT_GT(all, 20);
  fs::rename(directory_ / "copy", work);
  fs::remove(work / "tiles/10/0_0.jpg");
  EXPECT_EQ(good(o).progress.tiles_kept, all - 5);  // 150 texels of 32 per tile
}

TEST_F(TilesDamage, DamagedJournalsAreNoRecord) {
  std::mt19937_64 random(onepass::testing::random_seed());
  const Tree wanted = whole("out.tif");
  TileOptions o = to("out.tif");
  o.resume = true;
  const fs::path journal = unfinished_path(o.output) / "journal";
  for (int repeat = 0; repeat < 30; ++repeat) {
    interrupt("out.tif");
    const Damage kind = kDamages[random() % std::size(kDamages)];
    if (kind == Damage::kDeleted) continue;
    damage(journal, kind, random);
    const auto report = make_tiles(o);
    if (report) {
      EXPECT_TRUE(tree(directory_ / "new") == wanted);
    } else {
      EXPECT_EQ(report.error().code, ErrorCode::kBadData) << report.error().text();
      EXPECT_NE(report.error().text().find("journal is damaged; delete this directory"), std::string::npos);
    }
    fs::remove_all(unfinished_path(o.output));
  }
  // The first line, without which nothing tells what the tiles were made of.
  fs::remove(o.output);
  interrupt("out.tif");
  Bytes bytes = files_test::load(journal);
  bytes[20] ^= std::byte{1};
  files_test::save(journal, bytes);
  bad(o, ErrorCode::kBadData, {"out.tif.unfinished", "journal is damaged", "delete"});
  EXPECT_TRUE(fs::exists(journal));
  fs::remove(journal);
  bad(o, ErrorCode::kInvalidArgument, {"out.tif.unfinished", "no journal"});
  EXPECT_FALSE(fs::exists(o.output));
}

TEST_F(TilesDamage, MergesRefuseDamagedShards) {
  std::mt19937_64 random(onepass::testing::random_seed());
  for (const std::string& name : kNames) {
    const Tree wanted = whole(name);
    const auto shard = [&](uint32_t index) {
      TileOptions o = to(name);
      o.shard = {index, 3};
      good(o);
    };
    for (uint32_t i = 0; i < 3; ++i) shard(i);
    TileOptions o = to(name);
    o.merge = 3;
    const fs::path work = unfinished_path(o.output);
    fs::copy(work, directory_ / "shards", fs::copy_options::recursive);
    const auto files = files_below(
        work, [](const fs::path& path) { return path.filename() != "shards" && path.filename() != "lock"; });
    std::vector<fs::path> chosen;  // one of each kind: tiles, rows, journals, records
    std::map<std::string, int> kinds;
    for (const fs::path& file : files) {
      const std::string kind =
          file.parent_path().filename().string().starts_with("shard_") ? file.filename().string() : "tile";
      if (kinds[kind]++ < 1) chosen.push_back(file);
    }
    ASSERT_GE(chosen.size(), 4);
    for (const fs::path& file : chosen) {
      for (const Damage kind : kDamages) {
        SCOPED_TRACE(file.string() + ", damage " + std::to_string(static_cast<int>(kind)));
        damage(file, kind, random);
        const auto report = make_tiles(o);
        ASSERT_FALSE(report);
        const bool gone = file.filename() == "complete" && kind == Damage::kDeleted;
        EXPECT_EQ(report.error().code, gone ? ErrorCode::kNotFound : ErrorCode::kBadData) << report.error().text();
        EXPECT_NE(report.error().text().find("shard"), std::string::npos) << report.error().text();
        EXPECT_FALSE(fs::exists(o.output));
        fs::remove_all(work);
        fs::copy(directory_ / "shards", work, fs::copy_options::recursive);
      }
    }
    // As the message says.
    damage(work / "shard_1" / "rows", Damage::kFlipped, random);
    bad(o, ErrorCode::kBadData, {"shard 1/3 is damaged", "rows", "delete " + (work / "shard_1").string()});
    fs::remove_all(work / "shard_1");
    shard(1);
    good(o);
    EXPECT_TRUE(tree(directory_ / "new") == wanted);
    fs::remove_all(directory_ / "new");
    fs::create_directory(directory_ / "new");
    fs::remove_all(directory_ / "shards");
  }
}

// Memory runs out while a tile is encoded: the block of an uncompressed tile.
TEST_F(TilesDamage, LackOfMemoryLeavesWhatCanBeResumed) {
  TileOptions o = to("out.tif");
  o.compression = TileCompression::kNone;
  o.threads = 1;
  good(o);
  const Tree wanted = tree(directory_ / "new");
  fs::remove(o.output);
  tiles_disk::allocations_left = 80;
  tiles_disk::failing_allocation = 32 * 32 * 3;
  const auto report = make_tiles(o);
  tiles_disk::failing_allocation = 0;
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::kOutOfMemory) << report.error().text();
  EXPECT_NE(report.error().text().find("out.tif"), std::string::npos) << report.error().text();
  ASSERT_TRUE(fs::exists(unfinished_path(o.output)));
  o.resume = true;
  EXPECT_GT(good(o).progress.tiles_kept, 0);
  EXPECT_TRUE(tree(directory_ / "new") == wanted);
}

// ---- Power failures

// The files of an output at one moment: those of the run before, or the new ones, or none.
void expect_old_or_new(const Tree& now, const Tree& old, const Tree& fresh) {
  for (const char* part : {"out.tif", "cog.tif", "out.dzi", "out_files", "out.zarr"}) {
    const auto of = [&](const Tree& files) {
      Tree some;
      for (const auto& [path, bytes] : files) {
        if (path == part || path.starts_with(std::string(part) + "/")) some[path] = bytes;
      }
      return some;
    };
    const Tree found = of(now);
    EXPECT_TRUE(found == of(old) || found == of(fresh)) << part;
  }
}

class TilesPower : public TilesDamage {
 protected:
  // Fails the power at `places` random places of `run`; then `again` continues, until it succeeds or says what to
  // delete.
  void fail(const std::string& name, int places, const std::function<bool()>& run, const std::function<bool()>& again) {
    const fs::path folder = directory_ / "new";
    TileOptions before = to(name);
    before.reduction = Reduction::kMax;
    good(before);  // the old output
    const Tree old = tree(folder);
    fs::copy(folder, directory_ / "old", fs::copy_options::recursive);
    tiles_disk::Recorder recorder(folder);
    ASSERT_TRUE(run());
    recorder.end();
    const Tree wanted = tree(folder);
    ASSERT_FALSE(wanted == old);
    std::mt19937_64 random(onepass::testing::random_seed());
    int refused = 0;
    for (int i = 0; i < places; ++i) {
      const size_t calls = 1 + random() % recorder.calls();
      SCOPED_TRACE(name + ", power fails after " + std::to_string(calls) + " of " + std::to_string(recorder.calls()));
      recorder.fail_power(calls, random);
      expect_old_or_new(tree(folder), old, wanted);
      bool done = again();
      if (!done) {
        ++refused;
        fs::remove_all(unfinished_path(to(name).output));
        done = again();
      }
      EXPECT_TRUE(done);
      ASSERT_TRUE(tree(folder) == wanted);
    }
    // Every step of a run is among the calls, those of the C++ library too.
    EXPECT_TRUE(recorder.knows_directories());
    std::cout << name << ": " << recorder.calls() << " calls, " << places << " power failures, " << refused
              << " times a damaged journal was reported\n";
    EXPECT_LT(refused, places / 4);
    fs::remove_all(folder);
    fs::create_directory(folder);
    fs::remove_all(directory_ / "old");
  }
  // An error must be one that says what to do.
  static bool is_done(const TileOptions& o) {
    const auto report = make_tiles(o);
    if (report) return true;
    EXPECT_NE(report.error().text().find("delete"), std::string::npos) << report.error().text();
    return false;
  }
};

TEST_F(TilesPower, RunsGoOnAfterPowerFailures) {
  for (const std::string& name : kNames) {
    const TileOptions o = to(name);
    TileOptions resumed = o;
    resumed.resume = true;
    fail(
        name, 40, [&] { return is_done(o); }, [&] { return is_done(resumed); });
  }
}

TEST_F(TilesPower, ShardsGoOnAfterPowerFailures) {
  for (const std::string name : {"out.tif", "out.dzi"}) {
    const auto run = [&] {
      const TileOptions o = to(name);
      TileOptions part = o;
      for (uint32_t i = 0; i < 2; ++i) {
        part.shard = {i, 2};
        if (!is_done(part)) return false;
      }
      part.shard = {};
      part.merge = 2;
      return is_done(part);
    };
    fail(name, 20, run, run);
  }
}

}  // namespace
}  // namespace tiles_test
