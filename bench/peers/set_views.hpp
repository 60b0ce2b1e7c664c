// set_views.hpp: image views of the image sets, for peers that are kernels with the library's own images.
#pragma once

#include <vector>

#include "vulkan/image_view.hpp"
#include "vulkan_images.hpp"

namespace onepass::bench {

/// Views of sources and levels; destroyed with the object. The images must outlive it.
class SetViews {
 public:
  SetViews(const Gpu& gpu, const ImageSets& images) : gpu_(gpu), images_(images) {}
  SetViews(const SetViews&) = delete;
  SetViews& operator=(const SetViews&) = delete;
  ~SetViews() {
    for (VkImageView view : views_) gpu_.vk().vkDestroyImageView(gpu_.handle(), view, nullptr);
  }

  Result<VkImageView> source(size_t set) {
    return create({.image = images_.source(set).image, .format = images_.pyramid().source});
  }

  /// `count` storage views: those of the levels, then the last level again, which a peer never writes there.
  Result<std::vector<VkImageView>> levels(size_t set, uint32_t count) {
    const vulkan::DeviceImage& target = images_.target(set);
    std::vector<VkImageView> out;
    for (uint32_t n = 0; n < count && n < target.levels; ++n) {
      auto view = create({.image = target.image,
                          .format = images_.pyramid().target,
                          .level = n,
                          .usage = VK_IMAGE_USAGE_STORAGE_BIT,
                          .role = "target"});
      if (!view) return view.error();
      out.push_back(*view);
    }
    out.resize(count, out.back());
    return out;
  }

 private:
  Result<VkImageView> create(const vulkan::ViewRequest& request) {
    auto view = vulkan::create_view(gpu_.impl(), request);
    if (view) views_.push_back(*view);
    return view;
  }

  const Gpu& gpu_;
  const ImageSets& images_;
  std::vector<VkImageView> views_;
};

}  // namespace onepass::bench
