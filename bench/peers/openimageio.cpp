// openimageio.cpp: OpenImageIO as a peer: ImageBufAlgo::resize with the filter "box", level by level.
#include <OpenImageIO/imagebuf.h>
#include <OpenImageIO/imagebufalgo.h>

#include <string>

#include "peers/cpu_peers.hpp"

namespace onepass::bench {
namespace {

class OpenImageIoPyramid final : public CpuPeerPyramid {
 public:
  OpenImageIoPyramid(uint32_t threads, std::span<const MutableImageView> views) : threads_(threads) {
    for (const MutableImageView& view : views) {
      const FormatInfo& info = format_info(view.format);
      const OIIO::ImageSpec spec(static_cast<int>(view.size.width), static_cast<int>(view.size.height),
                                 static_cast<int>(info.channels),
                                 info.type == ChannelType::kFloat ? OIIO::TypeDesc::FLOAT : OIIO::TypeDesc::UINT8);
      levels_.emplace_back(spec, view.row(0));
    }
  }

  Result<void> build() override {
    for (size_t n = 1; n < levels_.size(); ++n) {
      OIIO::ImageBuf& to = levels_[n];
      if (!OIIO::ImageBufAlgo::resize(to, levels_[n - 1], "box", 0, to.roi(), static_cast<int>(threads_))) {
        return Error{ErrorCode::kUnsupported, to.geterror(), "openimageio"};
      }
    }
    return {};
  }

 private:
  uint32_t threads_;
  std::vector<OIIO::ImageBuf> levels_;
};

}  // namespace

CpuPeerResult make_openimageio(uint32_t threads, std::span<const MutableImageView> views) {
  return std::unique_ptr<CpuPeerPyramid>(std::make_unique<OpenImageIoPyramid>(threads, views));
}

}  // namespace onepass::bench
