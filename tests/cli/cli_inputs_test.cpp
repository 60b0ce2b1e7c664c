// cli_inputs_test.cpp: directories, lists, standard input, output names, and suggestions for mistyped names.
#include "tests/cli/cli_support.hpp"

namespace cli_test {
namespace {

class CliInputs : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    std::filesystem::create_directory(path("in"));
    make("in/b.png", Format::kRGBA8Srgb, {8, 8}, pattern);
    make("in/a.exr", Format::kRGBA16Sfloat, {8, 8}, pattern);
    write_bytes("in/notes.txt", "not a picture");
  }
};

TEST_F(CliInputs, DirectoriesStandForTheirPictures) {
  good({"mips", "in", "-o", "out/", "-q"});
  EXPECT_TRUE(std::filesystem::exists(path("out/a.ktx2")) && std::filesystem::exists(path("out/b.ktx2")));
  std::filesystem::create_directory(path("empty"));
  bad(2, {"mips", "empty", "-o", "out/"}, {"empty: ", "directory without image files"});
}

TEST_F(CliInputs, DashIsStandardInputAndOutput) {
  good({"filter", "in/b.png", "--blur", "1", "-o", "file.png", "-q"});
  const auto before = listing();
  const Outcome piped = run({"filter", "in/b.png", "--blur", "1", "-o", "-", "--output-format", "png"});
  EXPECT_EQ(piped.status, 0) << piped.err;
  EXPECT_TRUE(piped.out == bytes("file.png")) << "the same bytes, and no line of report among them";
  EXPECT_EQ(listing(), before);
  good({"tonemap", "in/a.exr", "-o", "file.exr", "-q"});
  EXPECT_TRUE(run({"tonemap", "in/a.exr", "-o", "-", "--output-format", "exr"}).out == bytes("file.exr"));
  good({"mips", "in/b.png", "-o", "file.ktx2", "-q"});
  EXPECT_TRUE(run({"mips", "in/b.png", "-o", "-", "--output-format", "ktx2"}).out == bytes("file.ktx2"));
  const Outcome failed = run({"mips", "in/notes.txt", "-o", "-", "--output-format", "ktx2"});
  EXPECT_EQ(failed.status, 1);
  EXPECT_EQ(failed.out, "");
  bad(2, {"mips", "in/b.png", "-o", "-"}, {"-o -", "--output-format"});
  bad(2, {"mips", "in/b.png", "-o", "-", "--output-format", "png"}, {"-o -", "ktx2"});
  bad(2, {"mips", "in/b.png", "-o", "-", "--output-format", "bmp"}, {"--output-format", "bmp"});
  bad(2, {"tonemap", "in", "-o", "-", "--output-format", "png"}, {"-o -", "one input"});
  good({"tonemap", "in/a.exr", "-o", "out/", "--output-format", "tif", "-q"});
  EXPECT_EQ(read("out/a.tif").type, onepass::files::Type::kTiff);
  for (const std::string word : {"tiff", "jpg", "jpeg", "hdr", "pfm", "ppm", "pnm", "pam"}) {
    good({"tonemap", "in/a.exr", "-o", "file." + word, "-q"});
    EXPECT_TRUE(run({"tonemap", "in/a.exr", "-o", "-", "--output-format", word}).out == bytes("file." + word)) << word;
  }
}

TEST_F(CliInputs, ListsStandForTheirLines) {
  write_bytes("list", "in/b.png\r\n\nin/a.exr\n");
  good({"mips", "@list", "-o", "out/", "-q"});
  EXPECT_TRUE(std::filesystem::exists(path("out/a.ktx2")) && std::filesystem::exists(path("out/b.ktx2")));
  bad(2, {"mips", "@none", "-o", "out/"}, {"none: ", "list"});
  write_bytes("nothing", "\n");
  bad(2, {"mips", "@nothing", "-o", "out/"}, {"nothing: ", "without lines"});
  write_bytes("cut", std::string("x.png\na\0.png\n", 13));
  bad(2, {"mips", "@cut", "-o", "out/"}, {"cut: ", "line 2", "NUL"});
  make("@x.png", Format::kRGBA8Srgb, {4, 4}, pattern);
  good({"mips", "@x.png", "-o", "x.ktx2", "-q"});  // a file named "@x.png" is an image, not a list
}

TEST_F(CliInputs, NamesOfOutputsKnowExtensionAndDirectory) {
  make("in/b.exr", Format::kRGBA16Sfloat, {8, 8}, pattern);
  bad(2, {"mips", "in/b.png", "in/b.exr", "-o", "out/"}, {"out/b.ktx2", "{name}_{ext}"});
  good({"mips", "in/b.png", "in/b.exr", "-o", "{dir}/{name}_{ext}.ktx2", "-q"});
  EXPECT_TRUE(std::filesystem::exists(path("in/b_png.ktx2")) && std::filesystem::exists(path("in/b_exr.ktx2")));
  bad(2, {"mips", "in/b.png", "-o", "o_{nme}.ktx2"}, {"{nme}", "{name}"});
  bad(2, {"mips", "in/b.png", "-o", "o_{level}.png"}, {"{level}"});
  good({"mips", "in/b.png", "-o", "o_{1}.ktx2", "-q"});
}

TEST_F(CliInputs, MissingDirectoriesAreFoundFirst) {
  bad(1, {"mips", "in/b.png", "-o", "nodir/x.ktx2"}, {"nodir/x.ktx2", "no directory nodir", "ends with /"});
}

TEST_F(CliInputs, OptionsThatDoNothingAreRefused) {
  bad(2, {"mips", "in/b.png", "-o", "x.exr", "--zstd"}, {"--zstd", "x.exr"});
  bad(2, {"filter", "in/b.png", "--blur", "1", "-o", "x.png", "--zstd", "3"}, {"--zstd", "x.png"});
}

TEST_F(CliInputs, BlocksNeedADdsOrKtx2File) {
  bad(2, {"mips", "in/b.png", "-o", "x.exr", "--block", "bc7"}, {"--block", "x.exr", "DDS", "KTX2"});
  bad(2, {"mips", "in/b.png", "-o", "x.dds", "--block", "bc2"}, {"--block", "bc2"});
  bad(2, {"mips", "in/b.png", "-o", "x.dds", "--block-quality", "best"}, {"--block-quality needs --block"});
  bad(2, {"mips", "in/b.png", "-o", "x.dds", "--block-weights", "luma"}, {"--block-weights needs --block"});
  bad(2, {"hiz", "in/a.exr", "-o", "x.dds", "--block", "bc4"}, {"--block"});
}

TEST_F(CliInputs, MistypedWordsNameTheNearest) {
  bad(2, {"mip", "in/b.png"}, {"'mip'", "did you mean mips?"});
  bad(2, {"tonemap", "in/b.png", "-o", "x.png", "--opertor", "agx"}, {"--opertor", "did you mean --operator?"});
  bad(2, {"tonemap", "in/b.png", "-o", "x.png", "--operator", "aces"}, {"--operator", "did you mean aces_narkowicz?"});
  bad(2, {"mips", "in/b.png", "-o", "x.ktx2", "--format", "r8g8b8a8"}, {"--format", "did you mean r8g8b8a8_unorm?"});
  make("-dash.png", Format::kRGBA8Srgb, {4, 4}, pattern);
  bad(2, {"mips", "-dash.png", "-o", "x.ktx2"}, {"files that begin with - go after --"});
  good({"mips", "-o", "x.ktx2", "-q", "--", "-dash.png"});
}

TEST_F(CliInputs, FieldsOfTheLibraryAreNamedAsOptions) {
  bad(2, {"meter", "in/a.exr", "--ev-range", "5,1"}, {"--ev-range", "5,1"});
  bad(1, {"mips", "in/b.png", "-o", "x.ktx2", "--format", "r8_unorm"}, {"in/b.png: --format", "--channel R"});
}

TEST_F(CliInputs, MemoryIsBoundedByName) {
  for (const std::string text : {"12", "-5M", "5Q", "x", "0"}) {
    bad(2, {"mips", "in/b.png", "-o", "x.ktx2", "--max-memory=" + text}, {"--max-memory", text});
  }
  make("large.pfm", Format::kR32Sfloat, {4096, 4096}, [](uint32_t, uint32_t, uint32_t) { return 0.5F; });
  bad(1, {"mips", "large.pfm", "-o", "x.ktx2", "--max-memory", "48M"}, {"large.pfm: ", "48 MiB"});
  good({"mips", "large.pfm", "-o", "x.ktx2", "--max-memory", "1.5g", "-q"});
}

TEST_F(CliInputs, NamesThatAreNotUtf8CanBeReopened) {
  make("n\xff\xc3\xa9.png", Format::kRGBA8Srgb, {4, 4}, pattern);
  const auto text = good({"mips", "n\xff\xc3\xa9.png", "-o", "x.ktx2", "--json"}).out;
  EXPECT_NE(text.find("\"n\\udcff\xc3\xa9.png\""), std::string::npos) << text;
  // U+FDD0, which the program uses for marks of its own.
  make(
      "m\xEF\xB7\x90"
      "41.png",
      Format::kRGBA8Srgb, {4, 4}, pattern);
  const auto marked = good({"mips",
                            "m\xEF\xB7\x90"
                            "41.png",
                            "-o", "x.ktx2", "--json"})
                          .out;
  EXPECT_EQ(nlohmann::json::parse(marked)["results"][0]["inputs"][0],
            "m\xEF\xB7\x90"
            "41.png")
      << marked;
}

TEST_F(CliInputs, MissingDirectoryForTemporaryFilesIsNoWrongUsage) {
  make("x.png", Format::kRGBA8Srgb, {4, 4}, pattern);
  const WithVariable temporary("TMPDIR", "/none/such");
  const Outcome outcome = run({"mips", "x.png", "-o", "-", "--output-format", "ktx2"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find("temporary files"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace cli_test
