// output_conflict.cpp: the one check of outputs against inputs. Every command and tiles::make_tiles() call it before
// they open anything for writing.
//
// A file is known by device and inode, so that links and spellings of a path do not matter. What does not exist yet is
// known by the device and inode of its directory and its name.
#include <map>
#include <tuple>

#include "files/system.hpp"
#include "onepass/files.hpp"

namespace onepass::files {
namespace {

namespace fs = std::filesystem;

using Identity = std::optional<std::pair<uint64_t, uint64_t>>;
using Key = std::tuple<uint64_t, uint64_t, std::string>;  // the name is empty for what exists

class Finder {
 public:
  Finder(std::span<const fs::path> inputs, std::span<const OutputPlace> outputs) : inputs_(inputs), outputs_(outputs) {}

  std::optional<OutputConflict> find() {
    std::optional<OutputConflict> twice;  // reported after the loss of an input
    for (size_t i = 0; i < outputs_.size(); ++i) {
      const auto [place, fresh] = places_.emplace(key_of(outputs_[i].path), i);
      if (!fresh && !twice) twice = conflict(OutputConflict::Kind::kIsOutput, i, place->second);
      if (!outputs_[i].tree) continue;
      if (const Identity id = system::identity(outputs_[i].path)) trees_.emplace(*id, i);
    }
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (inputs_[i].empty()) continue;
      const auto place = places_.find(key_of(inputs_[i]));
      if (place != places_.end()) return conflict(OutputConflict::Kind::kIsInput, place->second, i);
      if (const auto tree = holder_of(inputs_[i], trees_)) return conflict(OutputConflict::Kind::kHoldsInput, *tree, i);
      std::error_code none;
      if (!fs::is_directory(inputs_[i], none)) continue;
      if (const Identity id = system::identity(inputs_[i])) folders_.emplace(*id, i);
    }
    for (size_t i = 0; i < outputs_.size(); ++i) {
      const auto folder = holder_of(outputs_[i].path, folders_);
      if (folder) return conflict(OutputConflict::Kind::kInInput, i, *folder);
    }
    return twice;
  }

 private:
  using Directories = std::map<std::pair<uint64_t, uint64_t>, size_t>;

  static Key key_of(const fs::path& path) {
    if (const Identity id = system::identity(path)) return {id->first, id->second, ""};
    const fs::path target = write_target(path);
    const Identity directory = system::identity(target.parent_path());
    if (directory) return {directory->first, directory->second, target.filename().string()};
    return {0, 0, target.lexically_normal().string()};
  }

  // The number of the directory that `path` is in: as it is written, or where its links lead. A written path is in no
  // directory before its last "..": what the system finds there is in the other one.
  std::optional<size_t> holder_of(const fs::path& path, const Directories& directories) {
    if (directories.empty()) return std::nullopt;
    std::error_code error;
    const fs::path written = fs::absolute(path, error);
    const fs::path real = fs::weakly_canonical(path, error);
    for (fs::path place : {written.parent_path(), real.parent_path()}) {
      for (; !place.empty() && place.filename() != ".."; place = place.parent_path()) {
        const auto [known, fresh] = known_.try_emplace(place.string());
        if (fresh) known->second = system::identity(place);
        if (known->second) {
          if (const auto found = directories.find(*known->second); found != directories.end()) return found->second;
        }
        if (place == place.parent_path()) break;
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] OutputConflict conflict(OutputConflict::Kind kind, size_t output, size_t other) const {
    const std::string name = outputs_[output].path.string();
    const bool second = kind == OutputConflict::Kind::kIsOutput;
    const std::string with = second ? outputs_[other].path.string() : inputs_[other].string();
    std::string message;
    switch (kind) {
      case OutputConflict::Kind::kIsInput:
        message = name + ": the output would overwrite an input";
        if (with != name) message += ", " + with;
        break;
      case OutputConflict::Kind::kHoldsInput:
        message = name + ": the output would overwrite this directory, which holds the input " + with;
        break;
      case OutputConflict::Kind::kInInput:
        message = name + ": the output is inside the input " + with;
        break;
      case OutputConflict::Kind::kIsOutput:
        message = name + ": two outputs are this file, the other one " + with;
        break;
    }
    return {kind, output, other, message};
  }

  std::span<const fs::path> inputs_;
  std::span<const OutputPlace> outputs_;
  std::map<Key, size_t> places_;
  Directories trees_, folders_;
  std::map<std::string, Identity> known_;  // of directories above
};

}  // namespace

std::optional<OutputConflict> find_output_conflict(std::span<const fs::path> inputs,
                                                   std::span<const OutputPlace> outputs) {
  return Finder(inputs, outputs).find();
}

}  // namespace onepass::files
