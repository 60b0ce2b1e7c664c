// kernel_needs.cpp: evaluates specialization constants, types and workgroup variables of a module. Types, constants and
// variables come before functions, and every id is defined before its use: one pass over the instructions suffices.
#include "vulkan/kernel_needs.hpp"

#include <algorithm>
#include <cstddef>
#include <unordered_map>
#include <vector>

#include "image/div_up.hpp"
#include "vulkan/spirv.hpp"

namespace onepass::vulkan {
namespace {

using namespace spirv;

// Numbers of the specification.
constexpr uint32_t kLocalSize = 17;  // an execution mode
constexpr uint32_t kSpecId = 1;      // decorations
constexpr uint32_t kBuiltIn = 11;
constexpr uint32_t kWorkgroupSize = 25;    // a built-in constant
constexpr uint32_t kWorkgroupStorage = 4;  // a storage class

struct Type {
  uint32_t bytes = 0;
  uint32_t align = 1;
  uint32_t pointee = 0;  // of a pointer to workgroup memory
};

// The result of an operation on constants; 0 for operations that are not listed.
uint32_t compute(uint32_t op, uint32_t a, uint32_t b, uint32_t c) {
  switch (op) {
    case kIAdd:
      return a + b;
    case kISub:
      return a - b;
    case kIMul:
      return a * b;
    case kUDiv:
      return b == 0 ? 0 : a / b;
    case kUMod:
      return b == 0 ? 0 : a % b;
    case kLogicalEqual:
    case kIEqual:
      return a == b;
    case kLogicalNotEqual:
    case kINotEqual:
      return a != b;
    case kLogicalNot:
      return a == 0;
    case kSelect:
      return a != 0 ? b : c;
    case kUGreaterThan:
      return a > b;
    case kUGreaterThanEqual:
      return a >= b;
    case kULessThan:
      return a < b;
    case kULessThanEqual:
      return a <= b;
    case kShiftRightLogical:
      return b > 31 ? 0 : a >> b;
    case kShiftLeftLogical:
      return b > 31 ? 0 : a << b;
    case kLogicalOr:
    case kBitwiseOr:
      return a | b;
    case kBitwiseXor:
      return a ^ b;
    case kLogicalAnd:
    case kBitwiseAnd:
      return a & b;
    default:
      return 0;
  }
}

class Reader {
 public:
  explicit Reader(std::span<const uint32_t> constants) : constants_(constants) {}

  // Words of an instruction, the first of which has the opcode and the length.
  void read(std::span<const uint32_t> words) {
    const uint32_t op = words[0] & 0xFFFFU;
    const auto word = [&](size_t i) { return i < words.size() ? words[i] : 0; };
    switch (op) {
      case kExecutionMode:
        if (word(2) == kLocalSize) needs.workgroup_size = {word(3), word(4), word(5)};
        break;
      case kDecorate:
        if (word(2) == kSpecId) spec_ids_[word(1)] = word(3);
        if (word(2) == kBuiltIn && word(3) == kWorkgroupSize) size_constant_ = word(1);
        break;
      case kConstantTrue:
      case kConstantFalse:
        values_[word(2)] = op == kConstantTrue ? 1 : 0;
        break;
      case kSpecConstantTrue:
      case kSpecConstantFalse:
        values_[word(2)] = specialized(word(2), op == kSpecConstantTrue ? 1 : 0);
        break;
      case kConstant:
        values_[word(2)] = word(3);
        break;
      case kSpecConstant:
        values_[word(2)] = specialized(word(2), word(3));
        break;
      case kConstantComposite:
      case kSpecConstantComposite:
        if (word(2) == size_constant_) needs.workgroup_size = {value(word(3)), value(word(4)), value(word(5))};
        break;
      case kSpecConstantOp:
        values_[word(2)] = compute(word(3), value(word(4)), value(word(5)), value(word(6)));
        break;
      case kVariable:
        if (word(3) == kWorkgroupStorage) add_variable(types_[types_[word(1)].pointee]);
        break;
      default:
        read_type(op, words.subspan(1));
    }
  }

  KernelNeeds needs;

 private:
  // Sizes and alignments are those of std430; a bool has four bytes.
  void read_type(uint32_t op, std::span<const uint32_t> operands) {
    if (operands.size() < (op == kTypeBool ? 1U : 2U)) return;
    const auto set = [&](const Type& type) { types_[operands[0]] = type; };
    if (op == kTypeBool) return set({4, 4});
    if (op == kTypeInt || op == kTypeFloat) return set({operands[1] / 8, operands[1] / 8});
    if (op == kTypeStruct) return set(struct_of(operands.subspan(1)));
    if (operands.size() < 3) return;
    if (op == kTypePointer) return set({0, 1, operands[2]});
    const Type element = types_[operands[1]];
    if (op == kTypeVector) return set({operands[2] * element.bytes, (operands[2] == 2 ? 2 : 4) * element.align});
    const auto stride = static_cast<uint32_t>(round_up(element.bytes, element.align));
    if (op == kTypeMatrix) return set({operands[2] * stride, element.align});
    if (op == kTypeArray) return set({value(operands[2]) * stride, element.align});
  }

  Type struct_of(std::span<const uint32_t> members) {
    Type type;
    for (const uint32_t id : members) {
      const Type member = types_[id];
      type.bytes = static_cast<uint32_t>(round_up(type.bytes, member.align)) + member.bytes;
      type.align = std::max(type.align, member.align);
    }
    type.bytes = static_cast<uint32_t>(round_up(type.bytes, type.align));
    return type;
  }

  void add_variable(const Type& type) {
    needs.shared_bytes = static_cast<uint32_t>(round_up(needs.shared_bytes, type.align)) + type.bytes;
  }

  uint32_t specialized(uint32_t id, uint32_t usual) {
    const auto found = spec_ids_.find(id);
    return found != spec_ids_.end() && found->second < constants_.size() ? constants_[found->second] : usual;
  }
  uint32_t value(uint32_t id) {
    const auto found = values_.find(id);
    return found != values_.end() ? found->second : 0;
  }

  std::span<const uint32_t> constants_;
  std::unordered_map<uint32_t, uint32_t> values_;
  std::unordered_map<uint32_t, uint32_t> spec_ids_;
  std::unordered_map<uint32_t, Type> types_;
  uint32_t size_constant_ = 0;  // the id of WorkgroupSize; 0 is none
};

}  // namespace

KernelNeeds kernel_needs(std::span<const uint32_t> spirv, std::span<const uint32_t> constants) {
  Reader reader(constants);
  for (size_t at = kHeaderWords; at < spirv.size();) {
    const size_t length = spirv[at] >> 16;
    if (length == 0 || length > spirv.size() - at || (spirv[at] & 0xFFFFU) == kFunction) break;
    reader.read(spirv.subspan(at, length));
    at += length;
  }
  return reader.needs;
}

}  // namespace onepass::vulkan
