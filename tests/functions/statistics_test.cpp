// SPDX-License-Identifier: MIT
// Statistics, reductions without NaN, sets and histograms from C++; the expected values are done by hand.
#include <cmath>
#include <limits>
#include <vector>

#include "quern/quern.hpp"
#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

using Floats = std::vector<float>;
using Ints = std::vector<std::int32_t>;
using Places = std::vector<std::int64_t>;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

class Statistics : public EachDevice {
 protected:
  // 4 1 3
  // 2 8 5
  Array matrix() { return reshape(asarray(queue_, Floats{4, 1, 3, 2, 8, 5}), {2, 3}); }
  Array gaps() { return reshape(asarray(queue_, Floats{4, kNan, 3, 2, 8, kNan}), {2, 3}); }
  Floats values(const Array& x) { return copy(astype(x, dtype_of<float>())).to_vector<float>(queue_); }
  Places places(const Array& x) { return copy(x).to_vector<std::int64_t>(queue_); }
};

TEST_P(Statistics, medians_are_in_the_middle) {
  EXPECT_EQ(values(median(matrix())), (Floats{3.5}));
  EXPECT_EQ(values(median(matrix(), {1})), (Floats{3, 5}));
  EXPECT_EQ(median(matrix(), {.over = 1, .keepdims = true}).shape(), (Shape{2, 1}));
  EXPECT_TRUE(std::isnan(values(median(gaps(), {1}))[0]));
  EXPECT_EQ(values(nanmedian(gaps(), {1})), (Floats{3.5, 5}));
}

TEST_P(Statistics, quantiles_are_elements_or_between_them) {
  EXPECT_EQ(values(quantile(matrix(), 0.5, {.over = 1})), (Floats{3, 5}));
  const Array both = quantile(matrix(), {0.0, 0.75}, {.over = 1});
  EXPECT_EQ(both.shape(), (Shape{2, 2}));
  EXPECT_EQ(values(both), (Floats{1, 2, 3.5, 6.5}));
  EXPECT_EQ(values(percentile(matrix(), 40, {.over = 1, .method = QuantileMethod::inverted_cdf})),
            (Floats{3, 5}));
  EXPECT_EQ(values(nanquantile(gaps(), 0.25, {.over = 1})), (Floats{3.25, 3.5}));
  const Array weights = asarray(queue_, Floats{0, 1, 5});
  EXPECT_EQ(values(quantile(matrix(), 0.9,
                            {.over = 1, .method = QuantileMethod::inverted_cdf, .weights = weights})),
            (Floats{3, 8}));
  EXPECT_THROW(quantile(matrix(), 1.5), ArgumentError);
  EXPECT_THROW(quantile(matrix(), 0.5, {.weights = weights}), ArgumentError);
}

TEST_P(Statistics, means_take_weights) {
  const Average found = average(matrix(), {.over = 1, .weights = asarray(queue_, Floats{1, 0, 3})});
  EXPECT_EQ(values(found.mean), (Floats{3.25, 4.25}));
  EXPECT_EQ(values(found.weights), (Floats{4, 4}));
  EXPECT_THROW(average(matrix(), {.over = 0, .weights = asarray(queue_, Floats{1, 0, 3})}), ArgumentError);
}

TEST_P(Statistics, covariances_are_those_of_rows) {
  const Array x = reshape(asarray(queue_, Floats{0, 1, 2, 2, 1, 0}), {2, 3});
  EXPECT_EQ(values(cov(x)), (Floats{1, -1, -1, 1}));
  EXPECT_EQ(values(corrcoef(x)), (Floats{1, -1, -1, 1}));
  // The observations 0, 0 and 2 beside 2, 2 and 0.
  EXPECT_EQ(values(cov(x, {.ddof = 0, .fweights = HostNumbers{1, 0, 1}})), (Floats{1, -1, -1, 1}));
}

TEST_P(Statistics, reductions_leave_nan_out) {
  EXPECT_EQ(values(nansum(gaps(), {1})), (Floats{7, 10}));
  EXPECT_EQ(values(nanprod(gaps(), {1})), (Floats{12, 16}));
  EXPECT_EQ(values(nanmax(gaps(), {0})), (Floats{4, 8, 3}));
  EXPECT_EQ(values(nanmin(gaps())), (Floats{2}));
  EXPECT_EQ(values(nanmean(gaps(), {1})), (Floats{3.5, 5}));
  EXPECT_EQ(values(nanvar(gaps(), 0, {1})), (Floats{0.25, 9}));
  EXPECT_EQ(values(nanstd(gaps(), 0, {1})), (Floats{0.5, 3}));
  EXPECT_EQ(values(nancumsum(gaps(), {.axis = 1})), (Floats{4, 4, 7, 2, 10, 10}));
  EXPECT_EQ(places(nanargmax(gaps(), {1})), (Places{0, 1}));
  EXPECT_THROW(nanargmin(gaps() * kNan), ArgumentError);
}

TEST_P(Statistics, arrays_are_sets) {
  const Array a = asarray(queue_, Ints{5, 3, 3, 1}), b = asarray(queue_, Ints{1, 9, 5});
  EXPECT_EQ(values(isin(a, b)), (Floats{1, 0, 0, 1}));
  EXPECT_EQ(values(intersect1d(a, b)), (Floats{1, 5}));
  EXPECT_EQ(places(intersect1d_indices(a, b).second_indices), (Places{0, 2}));
  EXPECT_EQ(values(union1d(a, b)), (Floats{1, 3, 5, 9}));
  EXPECT_EQ(values(setdiff1d(a, b)), (Floats{3}));
  EXPECT_EQ(values(setxor1d(a, b)), (Floats{3, 9}));
}

TEST_P(Statistics, elements_are_counted_in_bins) {
  const Histogram found = histogram(matrix(), 2, {.range = std::pair(0.0, 8.0)});
  EXPECT_EQ(places(found.counts), (Places{3, 3}));
  EXPECT_EQ(values(found.edges), (Floats{0, 4, 8}));
  EXPECT_EQ(places(histogram(matrix(), HostNumbers{0, 2, 3}).counts), (Places{1, 2}));
  EXPECT_EQ(values(histogram_bin_edges(matrix(), "sqrt")).size(), 4U);  // the root of six, rounded up
  EXPECT_EQ(places(bincount(asarray(queue_, Ints{1, 3, 1}), {}, 5)), (Places{0, 2, 0, 1, 0}));
  EXPECT_EQ(places(digitize(matrix(), HostNumbers{2, 4})), (Places{2, 0, 1, 1, 2, 2}));
  const std::vector<Array> pair = {asarray(queue_, Ints{0, 1, 1}), asarray(queue_, Ints{0, 1, 0})};
  const std::vector<Bins> bins = {std::int64_t{2}, HostNumbers{0, 2}};
  const JointHistogram joint = histogramdd(pair, bins);
  EXPECT_EQ(joint.counts.shape(), (Shape{2, 1}));
  EXPECT_EQ(values(joint.counts), (Floats{1, 2}));
}

QUERN_EACH_DEVICE(Statistics);

}  // namespace
}  // namespace quern::test
