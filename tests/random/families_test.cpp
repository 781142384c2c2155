// SPDX-License-Identifier: MIT
// Distributions from C++: the table of families, draws of each, rows of numbers that depend on each other,
// and orders along axes. The Python tests look at the distributions themselves.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <set>

#include "quern/arithmetic.hpp"
#include "quern/error.hpp"
#include "quern/random.hpp"
#include "quern/views.hpp"
#include "runtime/device_fixture.hpp"

namespace quern::test {
namespace {

using random::Family;
using random::Generator;

constexpr auto kFamilies = static_cast<int>(Family::zipf) + 1;

TEST(Families, are_found_by_their_names) {
  for (int f = 0; f < kFamilies; ++f) {
    const auto family = static_cast<Family>(f);
    EXPECT_EQ(random::family_of(random::name_of(family)), family);
  }
  EXPECT_STREQ(random::name_of(Family::negative_binomial), "negative_binomial");
  EXPECT_THROW(random::family_of("nothing"), ArgumentError);
}

TEST(Families, say_which_parameters_they_have) {
  const auto parameters = random::parameters_of(Family::noncentral_f);
  ASSERT_EQ(parameters.size(), 3u);
  EXPECT_STREQ(parameters[2].name, "nonc");
  EXPECT_TRUE(parameters[2].domain.holds(0));
  EXPECT_FALSE(parameters[1].domain.holds(0));
  EXPECT_FALSE(parameters[0].domain.holds(std::nan("")));
  EXPECT_TRUE(random::parameters_of(Family::standard_cauchy).empty());
}

TEST(Families, become_distributions_of_their_parameters) {
  for (int f = 0; f < kFamilies; ++f) {
    const auto family = static_cast<Family>(f);
    const std::vector<double> parameters(random::parameters_of(family).size(), 3);
    const random::Distribution made = random::distribution_of(family, parameters);
    std::visit([&](const auto& one) { EXPECT_EQ(one.family, family); }, made);
  }
  const double sides[] = {-1, 0, 3};
  const auto triangle = std::get<random::Triangular>(random::distribution_of(Family::triangular, sides));
  EXPECT_EQ(triangle.left, -1);
  EXPECT_EQ(triangle.right, 3);
  EXPECT_THROW(random::distribution_of(Family::beta, sides), ArgumentError);
}

class FamilyDraws : public EachDevice {
 protected:
  void SetUp() override {
    EachDevice::SetUp();
    if (!queue_.device().properties().has_fp64) GTEST_SKIP() << "needs fp64";
  }

  template <class T>
  std::vector<T> drawn(const random::Distribution& distribution, std::int64_t count = 4000) {
    Generator generator{7};
    return generator.draw(queue_, {count}, dtype_of<T>(), distribution).template to_vector<T>(queue_);
  }
};

template <class T>
double mean_of(const std::vector<T>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Means, and how far those of 4000 numbers may be from them: five deviations.
TEST_P(FamilyDraws, have_the_means_of_their_distributions) {
  EXPECT_NEAR(mean_of(drawn<double>(random::Beta{2, 3})), 0.4, 0.016);
  EXPECT_NEAR(mean_of(drawn<float>(random::Gumbel{1, 2})), 1 + 2 * 0.57721566, 0.21);
  EXPECT_NEAR(mean_of(drawn<double>(random::Triangular{-1, 0, 3})), 2.0 / 3, 0.07);
  EXPECT_NEAR(mean_of(drawn<double>(random::Wald{3, 20})), 3, 0.1);
  EXPECT_NEAR(mean_of(drawn<std::int64_t>(random::Geometric{0.25})), 4, 0.28);
  EXPECT_NEAR(mean_of(drawn<std::int32_t>(random::Hypergeometric{30, 40, 25})), 25 * 3.0 / 7, 0.16);
  EXPECT_NEAR(mean_of(drawn<std::int64_t>(random::NegativeBinomial{3, 0.4})), 4.5, 0.27);
}

TEST_P(FamilyDraws, take_three_parameters_for_each_element) {
  Generator generator{7};
  const Array left = asarray(queue_, std::vector<double>{0, 100});
  const Array right = asarray(queue_, std::vector<double>{1, 110});
  const Array out = empty(queue_, {500, 2}, dtype_of<double>());
  generator.draw_each(queue_, out, Family::triangular, {left, left, right});
  const auto values = out.to_vector<double>(queue_);
  double sums[2] = {};
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_TRUE(i % 2 == 0 ? values[i] >= 0 && values[i] <= 1 : values[i] >= 100 && values[i] <= 110) << i;
    sums[i % 2] += values[i] / 500;
  }
  EXPECT_NEAR(sums[0], 1.0 / 3, 0.055);
  EXPECT_NEAR(sums[1], 100 + 10.0 / 3, 0.55);
  EXPECT_EQ(generator.state().position, 1000u);
  EXPECT_THROW(generator.draw_each(queue_, out, Family::triangular, {left, right}), ArgumentError);
}

TEST_P(FamilyDraws, refuse_parameters_out_of_their_domains) {
  Generator generator{7};
  const auto refuses = [&](const random::Distribution& distribution, const DType& dtype, const char* text) {
    try {
      generator.draw(queue_, {3}, dtype, distribution);
      FAIL() << text;
    } catch (const ArgumentError& error) {
      EXPECT_NE(std::strstr(error.what(), text), nullptr) << error.what();
    }
  };
  refuses(random::Beta{0, 1}, dtype_of<float>(), "beta: expected a > 0 and finite in float32, got 0");
  refuses(random::VonMises{0, -1}, dtype_of<float>(), "vonmises: expected kappa >= 0");
  refuses(random::Triangular{1, 1, 1}, dtype_of<float>(), "left < right");
  refuses(random::Hypergeometric{3, 4, 8}, dtype_of<std::int64_t>(), "nsample <= ngood + nbad");
  refuses(random::Hypergeometric{3, 4, 2.5}, dtype_of<std::int64_t>(), "nsample to be an integer");
  refuses(random::Zipf{2}, dtype_of<std::int32_t>(), "may not fit int32");
  refuses(random::Beta{1, 1}, dtype_of<std::int32_t>(), "expected dtype float32 or float64");
  refuses(random::Zipf{2}, dtype_of<float>(), "expected an integer dtype");
  EXPECT_EQ(generator.state().position, 0u);
}

TEST_P(FamilyDraws, of_rows_sum_to_their_totals) {
  Generator generator{7};
  const Array alpha = asarray(queue_, std::vector<double>{1e-5, 2, 3});
  const auto shares = generator.dirichlet(queue_, {50}, alpha).to_vector<double>(queue_);
  const Array trials = asarray(queue_, std::vector<std::int64_t>{20});
  const Array p = asarray(queue_, std::vector<double>{0.2, 0.3, 0.5});
  const auto outcomes = generator.multinomial(queue_, {50}, trials, p).to_vector<std::int64_t>(queue_);
  const std::int64_t colors[] = {5, 10, 15};
  const auto sample =
      generator.multivariate_hypergeometric(queue_, {50}, colors, 12).to_vector<std::int64_t>(queue_);
  std::set<std::vector<std::int64_t>> different;
  for (std::size_t row = 0; row < 50; ++row) {
    EXPECT_NEAR(shares[3 * row] + shares[3 * row + 1] + shares[3 * row + 2], 1, 1e-12);
    EXPECT_EQ(outcomes[3 * row] + outcomes[3 * row + 1] + outcomes[3 * row + 2], 20);
    EXPECT_EQ(sample[3 * row] + sample[3 * row + 1] + sample[3 * row + 2], 12);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_LE(sample[3 * row + k], colors[k]);
    different.insert({outcomes[3 * row], outcomes[3 * row + 1]});
  }
  EXPECT_GT(different.size(), 10u);
  EXPECT_THROW(generator.multivariate_hypergeometric(queue_, {2}, colors, 31), ArgumentError);
  EXPECT_THROW(generator.dirichlet(queue_, {2}, trials), ArgumentError);
}

TEST_P(FamilyDraws, of_normal_numbers_have_the_factor) {
  Generator generator{7};
  const Array mean = asarray(queue_, std::vector<double>{1, 10});
  // The second number is the first one's difference from its mean, twice, plus 10.
  const Array factor = reshape(asarray(queue_, std::vector<double>{1, 2}), {2, 1});
  const auto values = generator.multivariate_normal(queue_, {100}, mean, factor).to_vector<double>(queue_);
  for (std::size_t row = 0; row < 100; ++row)
    EXPECT_NEAR(values[2 * row + 1] - 10, 2 * (values[2 * row] - 1), 1e-12);
  EXPECT_THROW(generator.multivariate_normal(queue_, {2}, factor, mean), ArgumentError);
}

TEST_P(FamilyDraws, of_orders_go_along_any_axis) {
  Generator generator{7};
  std::vector<std::int64_t> numbers(60);
  std::iota(numbers.begin(), numbers.end(), 0);
  const Array array = reshape(asarray(queue_, numbers), {6, 10});
  const auto columns = generator.permutation(queue_, array, 1).to_vector<std::int64_t>(queue_);
  std::set<std::int64_t> first;
  for (std::size_t column = 0; column < 10; ++column) {
    first.insert(columns[column]);
    for (std::size_t row = 0; row < 6; ++row)
      EXPECT_EQ(columns[row * 10 + column], columns[column] + static_cast<std::int64_t>(row) * 10);
  }
  EXPECT_EQ(first.size(), 10u);
  auto rows = generator.permuted(queue_, array, 1).to_vector<std::int64_t>(queue_);
  EXPECT_NE(rows, numbers);
  for (std::ptrdiff_t row = 0; row < 6; ++row)
    std::sort(rows.begin() + row * 10, rows.begin() + (row + 1) * 10);
  EXPECT_EQ(rows, numbers);
  auto all = generator.permuted(queue_, array).to_vector<std::int64_t>(queue_);
  EXPECT_NE(all, numbers);
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, numbers);
  EXPECT_THROW(generator.permutation(queue_, array, 2), ArgumentError);
}

QUERN_EACH_DEVICE(FamilyDraws);

}  // namespace
}  // namespace quern::test
