// debug_names.hpp: names of objects and labels of commands for debuggers and profilers, by VK_EXT_debug_utils. Without
// the extension they cost a comparison of a pointer.
#pragma once

#include <cstring>
#include <string>
#include <string_view>

#include "vulkan/device_impl.hpp"

namespace onepass::vulkan {

/// Names an object "onepass TECHNIQUE ROLE".
template <typename Handle>
void name_object(const Device::Impl& device, VkObjectType type, Handle handle, std::string_view technique,
                 std::string_view role) {
  static_assert(sizeof(Handle) <= sizeof(uint64_t));
  if (device.debug.set_name == nullptr || handle == VK_NULL_HANDLE) return;
  const std::string name = std::string("onepass ").append(technique).append(" ").append(role);
  VkDebugUtilsObjectNameInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT;
  info.objectType = type;
  std::memcpy(&info.objectHandle, &handle, sizeof handle);
  info.pObjectName = name.c_str();
  device.debug.set_name(device.handles.device, &info);
}

/// A label around the commands that are recorded during its life.
class CommandLabel {
 public:
  CommandLabel(const Device::Impl& device, VkCommandBuffer commands, const char* name)
      : debug_(device.debug), commands_(commands) {
    if (debug_.begin_label == nullptr) return;
    VkDebugUtilsLabelEXT label{};
    label.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT;
    label.pLabelName = name;
    debug_.begin_label(commands, &label);
  }
  CommandLabel(const CommandLabel&) = delete;
  CommandLabel& operator=(const CommandLabel&) = delete;
  ~CommandLabel() {
    if (debug_.end_label != nullptr) debug_.end_label(commands_);
  }

 private:
  const DebugFunctions& debug_;
  VkCommandBuffer commands_;
};

}  // namespace onepass::vulkan
