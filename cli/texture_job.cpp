// texture_job.cpp: the textures of a set, one after the other; each is compressed, written and measured before the next
// one is made, so that a set needs the memory of its largest texture and of the normals, which roughness needs.
#include "texture_job.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

#include "block_levels.hpp"
#include "elapsed.hpp"
#include "enlarge.hpp"
#include "fourier_command.hpp"
#include "input.hpp"
#include "interrupt.hpp"
#include "path_of.hpp"
#include "picture.hpp"
#include "texture_sheet.hpp"

namespace onepass::cli {
namespace {

// The levels of a texture, finest first, and what they mean.
struct Texture {
  Role role = Role::kBase;
  std::vector<Image> levels;
  AlphaAssociation alpha = AlphaAssociation::kNone;
  uint32_t channels = 3;  // that count in the error
  bool light = false;     // half floats of any brightness

  [[nodiscard]] TexelMeaning meaning() const {
    return light ? TexelMeaning::kLight : role == Role::kNormal ? TexelMeaning::kNormals : TexelMeaning::kCodes;
  }
  [[nodiscard]] bool srgb() const { return role == Role::kBase || role == Role::kEmissive; }
};

BlockFormat bc_format_of(const Texture& texture) {
  switch (texture.role) {
    case Role::kNormal:
    case Role::kRoughXy:
      return BlockFormat::kBc5Unorm;
    case Role::kOrm:
      return BlockFormat::kBc7Unorm;
    default:
      return texture.light ? BlockFormat::kBc6hUfloat : BlockFormat::kBc7Srgb;
  }
}

// Smaller blocks, and so more bits per texel, for vectors and data than for colours.
BlockFormat astc_format_of(const Texture& texture) {
  switch (texture.role) {
    case Role::kNormal:
    case Role::kRoughXy:
      return BlockFormat::kAstc4x4Unorm;
    case Role::kOrm:
      return BlockFormat::kAstc5x5Unorm;
    default:
      return texture.light ? BlockFormat::kAstc6x6Sfloat : BlockFormat::kAstc6x6Srgb;
  }
}

Format texel_format_of(const Texture& texture) {
  switch (texture.role) {
    case Role::kNormal:
    case Role::kOrm:
      return Format::kRGBA8Unorm;
    case Role::kRoughXy:
      return Format::kRG8Unorm;
    default:
      return texture.light ? Format::kRGBA16Sfloat : Format::kRGBA8Srgb;
  }
}

// Images of levels 1 and up, with level 0 in front.
Result<std::vector<Image>> levels_after(Image base) {
  std::vector<Image> levels;
  levels.push_back(std::move(base));
  const Extent size = levels.front().size();
  for (uint32_t level = 1; level < full_level_count(size); ++level) {
    auto image = Image::create(levels.front().format(), level_size(size, level));
    if (!image) return image.error();
    levels.push_back(std::move(*image));
  }
  return levels;
}

std::vector<MutableImageView> coarser_views(std::vector<Image>& levels) {
  std::vector<MutableImageView> views;
  for (size_t level = 1; level < levels.size(); ++level) views.push_back(levels[level].view());
  return views;
}

class SetMaker {
 public:
  SetMaker(const TexturesRequest& request, const EngineChoice& engine, const TextureSet& set)
      : request_(request), engine_(engine), set_(set) {}

  Result<SetReport> run() {
    if (auto done = make_base(); !done) return done.error();
    if (auto done = make_normals(); !done) return done.error();
    if (auto done = make_roughness(); !done) return done.error();
    if (auto done = make_emissive(); !done) return done.error();
    const auto start = Clock::now();
    if (!set_.unit.sheet.empty()) {
      if (auto ready = make_directory(request_.sheet, set_.unit.sheet); !ready) return ready.error();
      const std::string title = path_of(set_.unit.inputs.front()).filename().string();
      const auto draw = [&](const std::filesystem::path& path) {
        return write_texture_sheet(path, title, report_.textures);
      };
      if (auto drawn = files_.write(set_.unit.sheet, draw); !drawn) return drawn.error();
    }
    if (auto done = commit_files(files_); !done) return done.error();
    report_.write_ms += milliseconds_since(start);
    return std::move(report_);
  }

 private:
  [[nodiscard]] cpu::MaterialTuning tuning() const { return {.threads = request_.threads}; }

  // Reads a picture of one slice: colours, or numbers.
  Result<Base> load(const std::string& file, bool data) {
    const auto start = Clock::now();
    Request own = request_;
    own.data = data;
    own.needs_alpha = !data;
    if (data) own.color = files::Color::kLinear;
    auto base = load_base(own, std::span(&file, 1));
    if (!base) return base.error().context.empty() ? about_file(file, base.error()) : base.error();
    if (base->image.slices() != 1) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("has {} slices; a texture of a set has one", base->image.slices()), file};
    }
    for (std::string& warning : base->warnings) {
      report_.warnings.push_back(file == set_.unit.inputs.front() ? warning : file + ": " + warning);
    }
    if (auto done = convert_primaries(*base, kRec709Chromaticities, request_.threads); !done && !data) {
      return about_file(file, done.error());
    }
    report_.read_ms += milliseconds_since(start);
    return std::move(*base);
  }

  // Levels of a picture by means.
  Result<std::vector<Image>> mip_chain(Image image, Alpha alpha, MipFilter filter) {
    PyramidOptions options{.size = image.size(), .source = image.format(), .target = image.format(), .alpha = alpha};
    options.alpha_threshold = request_.alpha_threshold;
    options.filter.kind = filter;
    options.filter.boundary = request_.wrap && filter != MipFilter::kBox ? Boundary::kWrap : Boundary::kClamp;
    if (filter != MipFilter::kBox && alpha == Alpha::kWeighted) options.filter.ringing = Ringing::kLimit;
    auto levels = levels_after(std::move(image));
    if (!levels) return levels.error();
    auto made = engine_.make(options, levels->front().view(), coarser_views(*levels), std::nullopt);
    if (!made) return made.error();
    if (report_.textures.empty()) report_.engine = std::move(*made);
    return levels;
  }

  Result<void> make_base() {
    const std::string& file = set_.unit.inputs.front();
    auto base = load(file, false);
    if (!base) return base.error();
    const auto start = Clock::now();
    if (auto done = associate(*base, AlphaAssociation::kStraight, request_.threads); !done) {
      return about_file(file, done.error());
    }
    const bool transparent = base->info.alpha != AlphaAssociation::kNone && has_transparency(base->image.view());
    if (!transparent && request_.alpha == Alpha::kCoverage) {
      report_.warnings.emplace_back("is opaque: --alpha coverage changes nothing");
    }
    if (std::string warning = emission_warning(base->emissive_texels); !warning.empty()) {
      report_.warnings.push_back(std::move(warning));
    }
    const Alpha alpha = transparent ? request_.alpha.value_or(Alpha::kWeighted) : Alpha::kIndependent;
    auto levels = mip_chain(std::move(base->image), alpha, request_.filter);
    if (!levels) return about_file(file, levels.error());
    report_.make_ms += milliseconds_since(start);
    Texture texture{Role::kBase, std::move(*levels), AlphaAssociation::kNone, 3};
    if (transparent) {
      texture.alpha = AlphaAssociation::kStraight;
      texture.channels = 4;
    }
    return finish(texture, alpha == Alpha::kIndependent ? BlockAlpha::kIndependent : BlockAlpha::kWeighted);
  }

  // Reads the normal map, or makes it of heights; levels follow with the roughness.
  Result<void> make_normals() {
    const std::string& file = set_.normal.empty() ? set_.height : set_.normal;
    if (file.empty()) return {};
    auto base = load(file, true);
    if (!base) return base.error();
    const auto start = Clock::now();
    const Format format = request_.profile == Profile::kWeb ? Format::kRGBA16Unorm : Format::kRG16Unorm;
    auto normals = Image::create(format, base->image.size());
    if (!normals) return about_file(file, normals.error());
    const ImageView source = base->image.view();
    if (set_.normal.empty()) {
      const HeightOptions options{.scale = request_.height_scale,
                                  .boundary = request_.wrap ? Boundary::kWrap : Boundary::kClamp};
      if (auto done = cpu::height_to_normals(source, normals->view(), options, tuning()); !done) {
        return about_file(file, done.error());
      }
    } else {
      if (format_info(source.format).channels < 2) {
        return Error{ErrorCode::kInvalidArgument, "is grey; a normal map has two channels or more (--height: heights)",
                     file};
      }
      if (auto done = cpu::convert_normals(source, normals->view(), tuning()); !done) {
        return about_file(file, done.error());
      }
      if (request_.flip_y) {
        if (auto done = cpu::flip_normal_y(normals->view(), normals->view(), tuning()); !done) return done;
      }
    }
    auto levels = levels_after(std::move(*normals));
    if (!levels) return about_file(file, levels.error());
    normals_.levels = std::move(*levels);
    normals_.role = Role::kNormal;
    if (auto done =
            cpu::roughness_mips(normals_.levels.front().view(), {}, coarser_views(normals_.levels), {}, {}, tuning());
        !done) {
      return about_file(file, done.error());
    }
    report_.make_ms += milliseconds_since(start);
    if (!request_.has_orm()) {
      report_.hints.emplace_back(
          "--rough FILE, or a number, also stores the variance that normals lose from level to level");
    }
    return finish(normals_, BlockAlpha::kIndependent);
  }

  // Occlusion, roughness and metalness in one picture, of the size of the largest among them and the normals.
  Result<Image> packed() {
    std::map<std::string, Base> pictures;
    Extent size = normals_.levels.empty() ? Extent{1, 1} : normals_.levels.front().size();
    for (uint32_t c = 0; c < set_.packed_channels; ++c) {
      const std::string& file = set_.packed[c].file;
      if (file.empty() || pictures.contains(file)) continue;
      auto base = load(file, true);
      if (!base) return base.error();
      const Extent own = base->image.size();
      size = {std::max(size.width, own.width), std::max(size.height, own.height)};
      pictures.emplace(file, std::move(*base));
    }
    for (auto& [file, picture] : pictures) {
      if (auto done = enlarge(picture.image, size, file); !done) return done.error();
    }
    return pack(pictures, size);
  }

  Result<void> enlarge(Image& image, Extent size, const std::string& file) {
    if (image.size() == size) return {};
    report_.hints.push_back(
        fmt::format("{} is enlarged from {} to {} for roughness", file, size_text(image.size()), size_text(size)));
    auto large = enlarged(image.view(), size, request_.wrap);
    if (!large) return about_file(file, large.error());
    image = std::move(*large);
    return {};
  }

  Result<Image> pack(const std::map<std::string, Base>& pictures, Extent size) const {
    std::array<ChannelSource, 4> channels{};
    channels[3].value = 1;
    for (uint32_t c = 0; c < set_.packed_channels; ++c) {
      const ChannelInput& input = set_.packed[c];
      channels[c].value = input.value;
      if (input.file.empty()) continue;
      const Image& picture = pictures.at(input.file).image;
      const uint32_t has = format_info(picture.format()).channels;
      if (input.channel >= has && !(has == 1 && input.channel < 3)) {  // grey is red, green and blue
        return Error{ErrorCode::kInvalidArgument,
                     fmt::format("has {} channel{}, no {}", has, has == 1 ? "" : "s", "rgba"[input.channel]),
                     input.file};
      }
      channels[c].image = picture.view();
      channels[c].channel = has == 1 ? 0 : input.channel;
    }
    auto image = Image::create(Format::kRGBA16Unorm, size);
    if (!image) return image.error();
    if (auto done = cpu::pack_channels(channels, image->view(), tuning()); !done) return done.error();
    return image;
  }

  // Normals of the size of the packed picture, on which its roughness depends; flat ones if there are none.
  Result<Image> roughness_normals(Extent size) {
    if (normals_.levels.empty()) {
      auto flat = Image::create(Format::kRG16Sfloat, size);
      if (flat) std::fill_n(flat->data(), flat->size_in_bytes(), std::byte{0});
      return flat;
    }
    Image normals = std::move(normals_.levels.front());
    normals_.levels.clear();
    if (auto done = enlarge(normals, size, set_.normal.empty() ? set_.height : set_.normal); !done) return done.error();
    return normals;
  }

  Result<void> make_roughness() {
    if (!request_.has_orm()) return {};
    auto image = packed();
    if (!image) return image.error();
    const auto start = Clock::now();
    auto levels = mip_chain(std::move(*image), Alpha::kIndependent, MipFilter::kBox);
    if (!levels) return about(levels.error());
    auto normals = roughness_normals(levels->front().size());
    if (!normals) return about(normals.error());
    if (!request_.keep_roughness) {
      const RoughnessOptions options{.source_channel = kRoughnessChannel, .target_channel = kRoughnessChannel};
      const auto done =
          cpu::roughness_mips(normals->view(), levels->front().view(), {}, coarser_views(*levels), options, tuning());
      if (!done) return about(done.error());
    }
    Texture xy{Role::kRoughXy, {}, AlphaAssociation::kNone, 2};
    if (request_.rough_xy) {
      auto both = roughness_xy(normals->view(), levels->front().view());
      if (!both) return about(both.error());
      xy.levels = std::move(*both);
    }
    report_.make_ms += milliseconds_since(start);
    Texture texture{Role::kOrm, std::move(*levels), AlphaAssociation::kNone, set_.packed_channels};
    if (auto done = finish(texture, BlockAlpha::kIndependent); !done) return done;
    return request_.rough_xy ? finish(xy, BlockAlpha::kIndependent) : Result<void>();
  }

  // Roughness along x and along y.
  Result<std::vector<Image>> roughness_xy(const ImageView& normals, const ImageView& orm) const {
    auto base = Image::create(Format::kRG16Unorm, orm.size);
    if (!base) return base.error();
    const ChannelSource rough{.image = orm, .channel = kRoughnessChannel};
    const std::array both{rough, rough};
    if (auto done = cpu::pack_channels(both, base->view(), tuning()); !done) return done.error();
    auto levels = levels_after(std::move(*base));
    if (!levels) return levels.error();
    const RoughnessOptions options{.variance = NormalVariance::kCovariance, .source_channel = kRoughnessChannel};
    const auto done = cpu::roughness_mips(normals, orm, {}, coarser_views(*levels), options, tuning());
    if (!done) return done.error();
    return levels;
  }

  Result<void> make_emissive() {
    const std::string& file = set_.emissive;
    if (file.empty()) return {};
    auto base = load(file, false);
    if (!base) return base.error();
    const auto start = Clock::now();
    if (auto done = put_on(*base, {0, 0, 0}, request_.threads); !done) return about_file(file, done.error());
    Texture texture{Role::kEmissive, {}, AlphaAssociation::kNone, 3};
    const bool coded = base->type == files::Type::kPng || base->type == files::Type::kJpeg;
    texture.light = !coded && format_info(base->image.format()).type == ChannelType::kFloat;
    auto levels = mip_chain(std::move(base->image), Alpha::kIndependent, request_.filter);
    if (!levels) return about_file(file, levels.error());
    texture.levels = std::move(*levels);
    report_.make_ms += milliseconds_since(start);
    return finish(texture, BlockAlpha::kIndependent);
  }

  // Stores a texture in the format of the profile, writes it and measures its error.
  Result<void> finish(const Texture& texture, BlockAlpha alpha) {
    const std::filesystem::path& file = *set_.output(texture.role);
    if (auto made = make_directory(request_.output, file); !made) return made;
    MadeTexture made{.role = texture.role, .file = file, .size = texture.levels.front().size()};
    made.levels = static_cast<uint32_t>(texture.levels.size());
    made.transparent = texture.alpha != AlphaAssociation::kNone;
    const auto stored =
        request_.profile == Profile::kWeb ? write_texels(texture, made) : write_blocks(texture, alpha, made);
    if (!stored) return about(stored.error());
    if (auto done = measure(texture, stored->view(), made); !done) return about(done.error());
    report_.textures.push_back(std::move(made));
    return {};
  }

  // Adds the name of the base to an error that names no file.
  [[nodiscard]] Error about(const Error& error) const {
    return error.context.empty() ? about_file(set_.unit.inputs.front(), error) : error;
  }

  [[nodiscard]] files::WriteOptions write_options_of(const Texture& texture) const {
    PictureInfo info;
    info.alpha = texture.alpha;
    return write_options(request_, info, texture.levels.front().view(), texture.alpha);
  }

  // Returns level 0 as it is stored, decompressed.
  Result<Image> write_blocks(const Texture& texture, BlockAlpha alpha, MadeTexture& made) {
    auto start = Clock::now();
    std::vector<ImageView> levels;
    for (const Image& level : texture.levels) levels.push_back(level.view());
    const BlockFormat format = request_.profile == Profile::kMobile ? astc_format_of(texture) : bc_format_of(texture);
    auto blocks =
        compress_levels(levels, format, {.quality = request_.quality, .alpha = alpha}, request_.threads, engine_);
    if (!blocks) return blocks.error();
    if (report_.textures.empty()) report_.block_engine = blocks->engine;
    report_.make_ms += milliseconds_since(start);
    made.format = block_format_info(format).name;
    std::vector<BlockView> views;
    for (const BlockImage& level : blocks->levels) {
      views.push_back(level.view());
      made.bytes += level.size_in_bytes();
    }
    start = Clock::now();
    const files::WriteOptions options = write_options_of(texture);
    const auto writer = [&](const std::filesystem::path& path) {
      const bool ktx2 = files::type_of_extension(made.file) == files::Type::kKtx2;
      return ktx2 ? files::write_ktx2(path, views, options.ktx2) : files::write_dds(path, views, options.dds);
    };
    if (auto done = files_.write(made.file, writer); !done) return done.error();
    report_.write_ms += milliseconds_since(start);
    const bool two = texture.levels.front().format() == Format::kRG16Unorm;
    auto stored = Image::create(two ? Format::kRG16Unorm : block_format_info(format).texels, made.size);
    if (!stored) return stored.error();
    if (auto done = cpu::decompress(views.front(), stored->view(), {.threads = request_.threads}); !done) {
      return done.error();
    }
    return stored;
  }

  // Returns level 0.
  Result<Image> write_texels(const Texture& texture, MadeTexture& made) {
    const auto start = Clock::now();
    const Format format = texel_format_of(texture);
    made.format = format_info(format).name;
    std::vector<Image> stored;
    std::vector<ImageView> views;
    for (const Image& level : texture.levels) {
      auto image = convert(level.view(), format, false);
      if (!image) return image.error();
      made.bytes += image->size_in_bytes();
      stored.push_back(std::move(*image));
      views.push_back(stored.back().view());
    }
    const files::WriteOptions options = write_options_of(texture);
    const auto writer = [&](const std::filesystem::path& path) { return files::write(path, views, options); };
    if (auto done = files_.write(made.file, writer); !done) return done.error();
    report_.write_ms += milliseconds_since(start);
    return std::move(stored.front());
  }

  Result<void> measure(const Texture& texture, const ImageView& stored, MadeTexture& made) const {
    const Extent shown = sheet_size(made.size);
    made.error = compare_texels(texture.levels.front().view(), stored, texture.meaning(), texture.channels,
                                texture.srgb(), shown);
    if (set_.unit.sheet.empty()) return {};
    Image full;  // with z, for the picture
    ImageView view = stored;
    if (texture.role == Role::kNormal) {
      auto image = Image::create(Format::kRGBA8Unorm, made.size);
      if (!image) return image.error();
      full = std::move(*image);
      if (auto done = cpu::convert_normals(stored, full.view(), tuning()); !done) return done;
      view = full.view();
    }
    made.picture = shrink(Viewer(view, {.data = !texture.srgb()}).show(view), shown);
    return {};
  }

  const TexturesRequest& request_;
  const EngineChoice& engine_;
  const TextureSet& set_;
  SetReport report_;
  Texture normals_;
  files::FileSet files_;
};

}  // namespace

Result<SetReport> run_set(const TexturesRequest& request, const EngineChoice& engine, const TextureSet& set) {
  return SetMaker(request, engine, set).run();
}

}  // namespace onepass::cli
