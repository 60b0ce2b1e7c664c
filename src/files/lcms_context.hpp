// lcms_context.hpp: a Little CMS context for one call with bounded memory, and owning handles. Included only if the
// build has ONEPASS_HAS_LCMS.
#pragma once

#include <lcms2.h>
#include <lcms2_plugin.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>

namespace onepass::files {

/// Shares no state with other contexts, so that each thread can have its own. Little CMS reports errors by null results
/// only.
class LcmsContext {
 public:
  /// `budget`: limit of the bytes that Little CMS may have allocated at a time. Larger requests fail like exhausted
  /// memory: a damaged profile could claim tables of half a gigabyte.
  explicit LcmsContext(uint64_t budget) : left_(budget), context_(cmsCreateContext(plugin(), this)) {
    if (context_ == nullptr) throw std::bad_alloc();
  }
  LcmsContext(const LcmsContext&) = delete;
  LcmsContext& operator=(const LcmsContext&) = delete;
  ~LcmsContext() { cmsDeleteContext(context_); }

  [[nodiscard]] cmsContext get() const { return context_; }

 private:
  // Precedes each allocation and holds its size. Allocations made before their context exists have no owner.
  struct alignas(std::max_align_t) Block {
    LcmsContext* owner = nullptr;
    uint64_t size = 0;
  };

  static void* allocate(cmsContext context, cmsUInt32Number size) {
    auto* self = static_cast<LcmsContext*>(cmsGetContextUserData(context));
    const uint64_t whole = sizeof(Block) + uint64_t{size};
    if (size == 0 || (self != nullptr && whole > self->left_)) return nullptr;
    void* memory = std::malloc(whole);
    if (memory == nullptr) return nullptr;
    if (self != nullptr) self->left_ -= whole;
    return new (memory) Block{self, whole} + 1;
  }
  static void release(cmsContext /*context*/, void* memory) {
    if (memory == nullptr) return;
    Block* block = static_cast<Block*>(memory) - 1;
    if (block->owner != nullptr) block->owner->left_ += block->size;
    std::free(block);
  }
  static void* resize(cmsContext context, void* memory, cmsUInt32Number size) {
    void* larger = allocate(context, size);
    if (larger == nullptr || memory == nullptr) return larger;
    const Block* block = static_cast<Block*>(memory) - 1;
    std::memcpy(larger, memory, std::min<uint64_t>(size, block->size - sizeof(Block)));
    release(context, memory);
    return larger;
  }

  // No locking, because a context is used by one thread. Little CMS 2.14 initialises its own mutexes without checking
  // their allocation.
  static void* create_mutex(cmsContext /*context*/) {
    static char mutex = 0;
    return &mutex;
  }
  static void destroy_mutex(cmsContext /*context*/, void* /*mutex*/) {}
  static cmsBool lock_mutex(cmsContext /*context*/, void* /*mutex*/) { return TRUE; }
  static void unlock_mutex(cmsContext /*context*/, void* /*mutex*/) {}

  static void* plugin() {
    static cmsPluginMutex mutexes = {{cmsPluginMagicNumber, 2000, cmsPluginMutexSig, nullptr},
                                     &create_mutex,
                                     &destroy_mutex,
                                     &lock_mutex,
                                     &unlock_mutex};
    static cmsPluginMemHandler handler = {{cmsPluginMagicNumber, 2000, cmsPluginMemHandlerSig, &mutexes.base},
                                          &allocate,
                                          &release,
                                          &resize,
                                          nullptr,
                                          nullptr,
                                          nullptr};
    return &handler;
  }

  uint64_t left_;
  cmsContext context_;
};

struct LcmsClose {
  void operator()(void* profile) const { cmsCloseProfile(profile); }
};
/// A profile, closed before its context.
using LcmsProfile = std::unique_ptr<void, LcmsClose>;

struct LcmsDelete {
  void operator()(void* transform) const { cmsDeleteTransform(transform); }
};
/// A transform, deleted before its context.
using LcmsTransform = std::unique_ptr<void, LcmsDelete>;

/// The profile in `bytes`; null if it is invalid.
inline LcmsProfile open_profile(const LcmsContext& context, std::span<const std::byte> bytes) {
  return LcmsProfile(cmsOpenProfileFromMemTHR(context.get(), bytes.data(), static_cast<cmsUInt32Number>(bytes.size())));
}

}  // namespace onepass::files
