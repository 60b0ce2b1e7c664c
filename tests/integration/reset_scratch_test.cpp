// reset_scratch_test.cpp: the reset of scratch memory alone. Results after it are those of clean memory,
// whatever the memory held, and meters keep the history in their results.
#include <cmath>
#include <vector>

#include "onepass/luminance.hpp"
#include "tests/integration/integration_testing.hpp"

namespace onepass::testing {
namespace {

class ResetScratch : public IntegrationFixture {
 protected:
  using Outputs = std::vector<std::vector<std::byte>>;

  MeterResult& metered() { return *static_cast<MeterResult*>(rig_->results.mapped); }

  /// Every technique after a first run, whose meters have a history then; the meter's is one stop above its image.
  template <typename Between>
  Outputs second_run(const Between& between) {
    own_->run([&](VkCommandBuffer commands) { record_all(*rig_, *driver_, commands); });
    EXPECT_EQ(metered().has_history, 1U);
    metered().adapted_log2 += 1;
    between();
    own_->run([&](VkCommandBuffer commands) { record_all(*rig_, *driver_, commands, First::kKernelsOnly); });
    Outputs all;
    for (uint32_t t = 0; t < kTechniques; ++t) all.push_back(rig_->download(static_cast<Technique>(t)));
    return all;
  }
};

// Through the C functions, which call the C++ ones.
TEST_F(ResetScratch, GivesTheResultsOfCleanMemoryAndKeepsTheHistory) {
  ASSERT_NO_FATAL_FAILURE(start(system_loader()));
  driver_ = make_c_driver(*rig_);
  const Outputs expected = second_run([] {});
  const float adapted = metered().adapted_log2;
  EXPECT_NEAR(adapted, std::log2(metered().log_average) + 1, 1e-3) << "no time has passed";
  for (const uint32_t word : {1U, 0xFFFFFFFFU}) {  // counters of a dispatch that was cut off; any bits
    const Outputs actual = second_run([&] {
      rig_->spoil_scratch(word);
      own_->run([&](VkCommandBuffer commands) {
        driver_->reset_scratch(commands);
        full_barrier(*own_, commands);
      });
    });
    for (uint32_t t = 0; t < kTechniques; ++t) {
      EXPECT_EQ(actual[t], expected[t]) << "technique " << t << ", scratch memory of " << word;
    }
    EXPECT_EQ(metered().adapted_log2, adapted);
  }
}

}  // namespace
}  // namespace onepass::testing
