// workers_serial.cpp: Workers in builds without the CPU engine, and so without oneTBB: the calling thread runs all
// tasks.
#include "cpu/workers.hpp"

namespace onepass::cpu {

Workers::Workers(uint32_t /*threads*/) : slots_(1) {}

void Workers::KeepArena::operator()(Arena* /*arena*/) const {}  // there are none

void Workers::run(size_t count, const std::function<void(size_t index, uint32_t slot)>& task) {
  for (size_t i = 0; i < count; ++i) task(i, 0);
}

}  // namespace onepass::cpu
