// opencv.cpp: OpenCV as a peer: cv::resize with INTER_AREA, which weights the texels of a level by the area that a
// texel of the next one covers.
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "peers/cpu_peers.hpp"

namespace onepass::bench {
namespace {

int type_of(Format format) {
  const FormatInfo& info = format_info(format);
  return CV_MAKETYPE(info.type == ChannelType::kFloat ? CV_32F : CV_8U, info.channels);
}

class OpenCvPyramid final : public CpuPeerPyramid {
 public:
  OpenCvPyramid(uint32_t threads, std::span<const MutableImageView> views) : threads_(threads) {
    for (const MutableImageView& view : views) {
      levels_.emplace_back(static_cast<int>(view.size.height), static_cast<int>(view.size.width), type_of(view.format),
                           view.row(0), view.row_stride);
    }
  }

  Result<void> build() override {
    cv::setNumThreads(static_cast<int>(threads_));
    try {
      for (size_t n = 1; n < levels_.size(); ++n) {
        cv::resize(levels_[n - 1], levels_[n], levels_[n].size(), 0, 0, cv::INTER_AREA);
      }
    } catch (const cv::Exception& exception) {
      return Error{ErrorCode::kUnsupported, exception.what(), "opencv"};
    }
    return {};
  }

 private:
  uint32_t threads_;
  std::vector<cv::Mat> levels_;
};

}  // namespace

CpuPeerResult make_opencv(uint32_t threads, std::span<const MutableImageView> views) {
  return std::unique_ptr<CpuPeerPyramid>(std::make_unique<OpenCvPyramid>(threads, views));
}

}  // namespace onepass::bench
