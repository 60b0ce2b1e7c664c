// vulkan_binding.cpp: Pyramid::bind: creates the image views and descriptor sets for a pyramid's images and scratch.
#include <algorithm>
#include <string>

#include "pyramid/vulkan_impl.hpp"

namespace onepass::vulkan {
namespace {

// Views of the source and of levels 1 and up.
Result<void> create_views(const Pyramid::Impl& pyramid, const PyramidImages& images, PyramidBinding::Impl& binding,
                          VkImageView& source, std::vector<VkImageView>& levels) {
  const PyramidOptions& options = pyramid.layout.options;
  auto done =
      binding.objects.add_view(view_of_source(images, options.source, options.slices, pyramid.source_usage), source);
  levels.resize(pyramid.layout.plan.plan.levels - 1);
  ViewRequest request = view_of_target(images, options.target, options.slices);
  for (VkImageView& level : levels) {
    if (done) done = binding.objects.add_view(request, level);
    ++request.level;
  }
  return done;
}

VkDescriptorBufferInfo part_of(const VkDescriptorBufferInfo& range, uint64_t at, uint64_t bytes) {
  return {range.buffer, range.offset + at, std::max<uint64_t>(bytes, 16)};
}

// What a set binds beside the images.
std::vector<Resource> buffers_of(const Pyramid::Impl& pyramid, const PyramidBinding::Impl& binding) {
  const pyramid::DispatchLayout& layout = pyramid.layout;
  if (layout.filter != nullptr) {
    const Buffer& table = pyramid.filter.table;
    return {{kFilterTable, {table.buffer, 0, table.size}},
            {kFilterSums, part_of(binding.exchange, 0, layout.filter->sums_bytes)},
            {kFilterKept, part_of(binding.exchange, layout.filter->kept_offset, layout.filter->kept_bytes)}};
  }
  return {{kCounters, part_of(binding.state, 0, layout.counter_bytes)},
          {kIntermediate, part_of(binding.exchange, 0, layout.intermediate_bytes + layout.mailbox_bytes)},
          {kHistogram, part_of(binding.state, layout.histogram_offset, layout.histogram_bytes)}};
}

// One set for the single dispatch; one per level for per_level, with the level's image first.
Result<void> create_sets(const Pyramid::Impl& pyramid, const PyramidImages& images, PyramidBinding::Impl& binding) {
  VkImageView source = VK_NULL_HANDLE;
  std::vector<VkImageView> levels;
  auto done = create_views(pyramid, images, binding, source, levels);
  const pyramid::DispatchLayout& layout = pyramid.layout;
  const ComputeKernel& kernel =
      layout.filter != nullptr ? *pyramid.filter.steps[FILTER_COLUMNS] : *pyramid.kernels.chain;
  binding.sets.resize(layout.plan.path == PyramidPath::kSingleDispatch ? 1 : levels.size());
  for (size_t i = 0; i < binding.sets.size() && done; ++i) {
    std::vector<Resource> resources = buffers_of(pyramid, binding);
    resources.emplace_back(kSource, source, images.source_layout);
    for (size_t n = i; n < levels.size(); ++n) resources.emplace_back(kLevels, levels[n]);
    done = binding.objects.add_set(kernel, resources, binding.sets[i]);
  }
  return done;
}

// The caller's scratch memory, or buffers that are clear: counters and mailbox are 0 before a dispatch and after it.
// Intermediate levels, which are large where there is no mailbox, are written before they are read.
Result<void> add_scratch(const pyramid::DispatchLayout& layout, const PyramidImages& images,
                         PyramidBinding::Impl& binding) {
  constexpr VkBufferUsageFlags kUsage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  if (layout.filter != nullptr) {  // everything is written before it is read
    binding.exchange = {images.scratch, images.scratch_offset, layout.plan.scratch_bytes};
    if (layout.plan.scratch_bytes == 0) return {};
    return binding.objects.add_buffer(layout.plan.scratch_bytes, kUsage, binding.exchange.buffer,
                                      binding.exchange.offset, "sums");
  }
  const uint64_t state_bytes = layout.intermediate_offset;
  const uint64_t exchange_bytes = layout.plan.scratch_bytes - state_bytes;
  binding.state = {images.scratch, images.scratch_offset, state_bytes};
  binding.exchange = {images.scratch, images.scratch_offset + state_bytes, exchange_bytes};
  auto done = binding.objects.add_buffer(state_bytes, kUsage, binding.state.buffer, binding.state.offset, "counters",
                                         Content::kZero);
  if (!done) return done;
  return binding.objects.add_buffer(exchange_bytes, kUsage, binding.exchange.buffer, binding.exchange.offset,
                                    "exchange buffer",
                                    layout.mailbox_bytes != 0 ? Content::kZero : Content::kUndefined);
}

Result<void> check_images(const Pyramid::Impl& pyramid, const PyramidImages& images) {
  if (images.source == VK_NULL_HANDLE) return invalid("source: null image");
  if (images.target == VK_NULL_HANDLE && pyramid.layout.plan.plan.levels > 1) return invalid("target: null image");
  if (auto checked = check_layout(pyramid.source_usage, images.source_layout); !checked) return checked;
  if (images.scratch_offset % 256 != 0) {
    return invalid("scratch_offset: " + std::to_string(images.scratch_offset) + " is not a multiple of 256");
  }
  const PyramidOptions& options = pyramid.layout.options;
  const auto overlap = [](uint32_t a, uint32_t a_count, uint32_t b, uint32_t b_count) {
    return a < b + b_count && b < a + a_count;
  };
  if (images.source == images.target &&
      overlap(images.source_slice, options.slices, images.target_slice, options.slices) &&
      overlap(images.source_level, 1, images.target_level, pyramid.layout.plan.plan.levels - 1)) {
    return invalid("target_level: " + std::to_string(images.target_level) +
                   " and up would overwrite the source, level " + std::to_string(images.source_level) +
                   " of the same image");
  }
  return {};
}

}  // namespace

PyramidBinding::PyramidBinding(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PyramidBinding::PyramidBinding(PyramidBinding&&) noexcept = default;
PyramidBinding& PyramidBinding::operator=(PyramidBinding&&) noexcept = default;
PyramidBinding::~PyramidBinding() = default;

Result<PyramidBinding> Pyramid::bind(const PyramidImages& images) const {
  if (auto checked = check_images(*impl_, images); !checked) return checked.error();
  auto binding = std::make_unique<PyramidBinding::Impl>(impl_);
  auto done = add_scratch(impl_->layout, images, *binding);
  if (done && impl_->layout.plan.plan.levels > 1) done = create_sets(*impl_, images, *binding);
  if (!done) return done.error();
  return PyramidBinding(std::move(binding));
}

}  // namespace onepass::vulkan
