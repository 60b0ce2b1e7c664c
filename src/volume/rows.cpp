// rows.cpp: element types by name and size.
#include "volume/rows.hpp"

namespace onepass::volume {

Element element_of(VoxelType type) {
  switch (type) {
    case VoxelType::kUint8:
      return Element::kU8;
    case VoxelType::kInt8:
      return Element::kI8;
    case VoxelType::kUint16:
      return Element::kU16;
    case VoxelType::kInt16:
      return Element::kI16;
    case VoxelType::kUint32:
      return Element::kU32;
    case VoxelType::kInt32:
      return Element::kI32;
    case VoxelType::kUint64:
      return Element::kU64;
    case VoxelType::kFloat16:
      return Element::kF16;
    case VoxelType::kFloat32:
      break;
  }
  return Element::kF32;
}

size_t bytes_of(Element element) {
  switch (element) {
    case Element::kU8:
    case Element::kI8:
      return 1;
    case Element::kU16:
    case Element::kI16:
    case Element::kF16:
      return 2;
    case Element::kU32:
    case Element::kI32:
    case Element::kF32:
      return 4;
    case Element::kU64:
    case Element::kI64:
    case Element::kF64:
      break;
  }
  return 8;
}

}  // namespace onepass::volume
