// vips.cpp: libvips as a peer: vips_shrink by 2, level by level, from memory to memory.
#include <vips/vips.h>

#include <string>

#include "peers/cpu_peers.hpp"

namespace onepass::bench {
namespace {

class VipsPyramid final : public CpuPeerPyramid {
 public:
  VipsPyramid(uint32_t threads, std::span<const MutableImageView> views)
      : threads_(threads), views_(views.begin(), views.end()) {}

  Result<void> build() override {
    vips_concurrency_set(static_cast<int>(threads_));
    for (size_t n = 1; n < views_.size(); ++n) {
      const MutableImageView& finer = views_[n - 1];
      VipsImage* from = image_of(finer);
      VipsImage* to = image_of(views_[n]);
      VipsImage* shrunk = nullptr;
      const double across = finer.size.width > 1 ? 2 : 1;
      const double down = finer.size.height > 1 ? 2 : 1;
      const bool done = from != nullptr && to != nullptr && vips_shrink(from, &shrunk, across, down, nullptr) == 0 &&
                        vips_image_write(shrunk, to) == 0;
      for (VipsImage* image : {shrunk, to, from}) {
        if (image != nullptr) g_object_unref(image);
      }
      if (!done) return Error{ErrorCode::kUnsupported, vips_error_buffer(), "vips"};
    }
    return {};
  }

 private:
  // An image in the memory of a view; vips_image_write() to it writes there.
  static VipsImage* image_of(const MutableImageView& view) {
    const FormatInfo& info = format_info(view.format);
    return vips_image_new_from_memory(view.row(0), view.row_stride * view.size.height,
                                      static_cast<int>(view.size.width), static_cast<int>(view.size.height),
                                      static_cast<int>(info.channels),
                                      info.type == ChannelType::kFloat ? VIPS_FORMAT_FLOAT : VIPS_FORMAT_UCHAR);
  }

  uint32_t threads_;
  std::vector<MutableImageView> views_;
};

}  // namespace

CpuPeerResult make_vips(uint32_t threads, std::span<const MutableImageView> views) {
  if (VIPS_INIT("onepass-bench") != 0) return Error{ErrorCode::kUnsupported, vips_error_buffer(), "vips"};
  vips_cache_set_max(0);  // it would only hold memory
  return std::unique_ptr<CpuPeerPyramid>(std::make_unique<VipsPyramid>(threads, views));
}

}  // namespace onepass::bench
