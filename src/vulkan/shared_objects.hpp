// shared_objects.hpp: objects that techniques create once per device and share: pipelines, tables.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "onepass/result.hpp"

namespace onepass::vulkan {

/// Objects by key. The key contains everything that they depend on. Keys of kernels begin with "kernel NAME", and a
/// character that is not part of a name.
///
/// An object is created without a lock: a thread waits only for the creation of the object that it asks for itself.
/// Failures are not stored; a thread that waited for a failed creation tries it itself.
class SharedObjects {
 public:
  /// The object under `key`; `create`, which returns Result<std::shared_ptr<T>>, makes it if there is none.
  template <typename T, typename Create>
  Result<std::shared_ptr<const T>> get(const std::string& key, const Create& create) {
    std::unique_lock lock(mutex_);
    // A null object is being created by another thread.
    auto found = objects_.end();
    created_or_failed_.wait(lock, [&] {
      found = objects_.find(key);
      return found == objects_.end() || found->second != nullptr;
    });
    if (found != objects_.end()) return std::static_pointer_cast<const T>(found->second);
    // Ends with the function, also by an exception.
    Creation creation{*this, objects_.emplace(key, nullptr).first, nullptr};
    lock.unlock();
    Result<std::shared_ptr<T>> created = create();
    if (!created) return created.error();
    std::shared_ptr<const T> object = *created;
    creation.object = object;
    return object;
  }

  /// Destroys the objects that are in use nowhere; returns their number.
  size_t trim() {
    std::vector<std::shared_ptr<const void>> unused;  // destroyed without the lock
    const std::lock_guard lock(mutex_);
    for (auto at = objects_.begin(); at != objects_.end();) {
      if (at->second.use_count() != 1) {  // 0: being created
        ++at;
        continue;
      }
      unused.push_back(std::move(at->second));
      at = objects_.erase(at);
    }
    return unused.size();
  }

  /// Destroys all objects. No other call may run at the same time.
  void clear() noexcept { objects_.clear(); }

  /// The names of the kernels that exist, sorted, each once.
  std::vector<std::string> names_of_kernels() {
    constexpr std::string_view kPrefix = "kernel ";
    std::vector<std::string> names;
    const std::lock_guard lock(mutex_);
    for (const auto& [key, object] : objects_) {
      if (object == nullptr || !key.starts_with(kPrefix)) continue;
      const std::string name = key.substr(kPrefix.size(), key.find_first_of(" /", kPrefix.size()) - kPrefix.size());
      if (names.empty() || names.back() != name) names.push_back(name);
    }
    return names;
  }

 private:
  using Objects = std::map<std::string, std::shared_ptr<const void>>;

  // Stores the object when its creation ends, or removes its entry if there is none. trim() leaves the entry alone.
  struct Creation {
    SharedObjects& all;
    Objects::iterator entry;
    std::shared_ptr<const void> object;

    ~Creation() {
      const std::lock_guard lock(all.mutex_);
      if (object != nullptr) {
        entry->second = std::move(object);
      } else {
        all.objects_.erase(entry);
      }
      all.created_or_failed_.notify_all();
    }
  };

  std::mutex mutex_;
  std::condition_variable created_or_failed_;
  Objects objects_;
};

}  // namespace onepass::vulkan
