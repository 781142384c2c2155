// SPDX-License-Identifier: MIT
// Selections and ready-made scans from C++, against sequential loops.
#include "quern/select.hpp"

#include "quern/scan.hpp"
#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

class Select : public EachDevice {};

TEST_P(Select, keeps_elements_in_their_order) {
  const std::vector<int> x = iota(10'007);
  const Array data = asarray(queue_, x);
  const int step = 3;
  const Predicate every("x[i] % step == 1", "int step", {step});
  std::vector<int> kept, rest;
  for (const int value : x) (value % step == 1 ? kept : rest).push_back(value);
  EXPECT_EQ(copy_if(queue_, data, every).to_vector<int>(queue_), kept);
  EXPECT_EQ(remove_if(queue_, data, every).to_vector<int>(queue_), rest);
  const auto [both, count] = partition(queue_, data, every);
  EXPECT_EQ(count.to_vector<std::uint64_t>(queue_)[0], kept.size());
  kept.insert(kept.end(), rest.begin(), rest.end());
  EXPECT_EQ(both.to_vector<int>(queue_), kept);
}

TEST_P(Select, scans_within_segments) {
  const std::vector<int> x(1000, 1);
  std::vector<std::uint8_t> starts(x.size());
  for (std::size_t k = 0; k < x.size(); k += 7) starts[k] = 1;
  const Array data = asarray(queue_, x), flags = asarray(queue_, starts);
  ScanOptions options;
  options.segments.starts = &flags;
  const std::vector<std::int64_t> sums = scan(queue_, data, options).to_vector<std::int64_t>(queue_);
  for (std::size_t k = 0; k < x.size(); ++k) ASSERT_EQ(sums[k], static_cast<std::int64_t>(k % 7 + 1)) << k;
}

QUERN_EACH_DEVICE(Select);

}  // namespace
}  // namespace quern::test
