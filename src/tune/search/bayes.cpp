// SPDX-License-Identifier: MIT
// The Bayesian strategy: a Gaussian process over the logarithms of the times, with a Matern kernel whose
// length scale and noise have the largest likelihood of a few, and the largest expected improvement.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "tune/search/strategies.hpp"

namespace quern::tuning {
namespace {

using Point = std::vector<double>;

// Coordinates between 0 and 1: the position of a number among the values of its parameter; one coordinate for
// each value of a parameter whose values are texts or booleans.
class Coordinates {
 public:
  explicit Coordinates(const TuneSpace& space) : space_(space) {}

  [[nodiscard]] Point of(std::uint64_t number) const {
    const std::vector<std::size_t> indices = space_.indices(number);
    Point point;
    for (std::size_t p = 0; p < indices.size(); ++p) {
      const auto& values = space_.parameters()[p].values;
      const bool is_number = std::all_of(values.begin(), values.end(), [](const TuneValue& value) {
        return std::holds_alternative<std::int64_t>(value) || std::holds_alternative<double>(value);
      });
      if (is_number || values.size() == 2) {
        point.push_back(values.size() == 1
                            ? 0.0
                            : static_cast<double>(indices[p]) / static_cast<double>(values.size() - 1));
      } else {
        for (std::size_t v = 0; v < values.size(); ++v) point.push_back(v == indices[p] ? 0.5 : 0.0);
      }
    }
    return point;
  }

 private:
  const TuneSpace& space_;
};

double distance(const Point& a, const Point& b, const Point& scales) {
  double sum = 0;
  for (std::size_t d = 0; d < a.size(); ++d) sum += (a[d] - b[d]) * (a[d] - b[d]) / (scales[d] * scales[d]);
  return std::sqrt(sum);
}

// Matern's covariance of smoothness 3/2: times of kernels have kinks where a resource runs out.
double covariance(double distance) {
  const double scaled = std::sqrt(3.0) * distance;
  return (1 + scaled) * std::exp(-scaled);
}

// A Gaussian process with mean 0 and variance 1.
class Process {
 public:
  // The lower triangle of Cholesky's factor, row by row, and the logarithm of the likelihood.
  Process(const std::vector<Point>& points, const std::vector<double>& values, Point scales, double noise)
      : points_(points), scales_(std::move(scales)) {
    const std::size_t n = points.size();
    factor_.assign(n * n, 0);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        double sum = covariance(distance(points[i], points[j], scales_)) + (i == j ? noise : 0);
        for (std::size_t k = 0; k < j; ++k) sum -= factor_[i * n + k] * factor_[j * n + k];
        factor_[i * n + j] = i == j ? std::sqrt(std::max(sum, 1e-10)) : sum / factor_[j * n + j];
      }
    }
    weights_ = solve_lower(values);
    likelihood_ = 0;
    for (std::size_t i = 0; i < n; ++i)
      likelihood_ -= std::log(factor_[i * n + i]) + 0.5 * weights_[i] * weights_[i];
  }

  [[nodiscard]] double likelihood() const noexcept { return likelihood_; }
  // Mean and standard deviation.
  [[nodiscard]] std::pair<double, double> predict(const Point& point) const {
    std::vector<double> column(points_.size());
    for (std::size_t i = 0; i < column.size(); ++i)
      column[i] = covariance(distance(points_[i], point, scales_));
    column = solve_lower(std::move(column));
    double mean = 0, variance = 1;
    for (std::size_t i = 0; i < column.size(); ++i) {
      mean += column[i] * weights_[i];
      variance -= column[i] * column[i];
    }
    return {mean, std::sqrt(std::max(variance, 1e-12))};
  }

 private:
  [[nodiscard]] std::vector<double> solve_lower(std::vector<double> right) const {
    const std::size_t n = right.size();
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < i; ++k) right[i] -= factor_[i * n + k] * right[k];
      right[i] /= factor_[i * n + i];
    }
    return right;
  }

  const std::vector<Point>& points_;
  Point scales_;
  std::vector<double> factor_, weights_;
  double likelihood_ = 0;
};

class Bayes final : public Strategy {
 public:
  Bayes(Supply& supply, std::uint64_t seed) : Strategy(supply, seed), coordinates_(supply.space()) {
    dimensions_ = coordinates_.of(0).size();
    first_ = std::min<std::size_t>(2 * supply.space().parameters().size() + 2, 16);
  }

  std::optional<std::uint64_t> next() override {
    const auto number = told_.size() + pending_.size() < first_ || known_count() < 3 ? spread() : expected();
    if (number) {
      supply_.take(*number);
      pending_.push_back(*number);
    }
    return number;
  }

  void tell(std::uint64_t number, double seconds) override {
    std::erase(pending_, number);
    told_.emplace_back(number, seconds);
  }

 private:
  static constexpr std::size_t kMostPoints = 256;       // of the process: the fastest, and the last
  static constexpr std::size_t kMostCandidates = 1024;  // random ones whose times are predicted
  static constexpr std::size_t kBest = 3;               // whose neighbours are candidates, too

  [[nodiscard]] std::size_t known_count() const {
    return static_cast<std::size_t>(
        std::count_if(told_.begin(), told_.end(), [](const auto& one) { return std::isfinite(one.second); }));
  }

  // Of a few random ones, that which is farthest from all that were taken.
  std::optional<std::uint64_t> spread() {
    std::optional<std::uint64_t> best;
    double best_distance = -1;
    const Point scales(dimensions_, 1.0);
    for (const std::uint64_t number : supply_.some(random_, 16)) {
      const Point point = coordinates_.of(number);
      double nearest = std::numeric_limits<double>::infinity();
      for (const auto& [other, seconds] : told_)
        nearest = std::min(nearest, distance(point, coordinates_.of(other), scales));
      for (const std::uint64_t other : pending_)
        nearest = std::min(nearest, distance(point, coordinates_.of(other), scales));
      if (nearest > best_distance) {
        best_distance = nearest;
        best = number;
      }
    }
    return best;
  }

  // Random ones, and those that differ from the fastest ones in one parameter.
  std::vector<std::uint64_t> candidates() {
    std::vector<std::uint64_t> result = supply_.some(random_, kMostCandidates);
    if (result.size() < kMostCandidates) return result;  // these are all
    auto fastest = told_;
    const auto count = static_cast<std::ptrdiff_t>(std::min(fastest.size(), kBest));
    std::partial_sort(fastest.begin(), fastest.begin() + count, fastest.end(),
                      [](const auto& a, const auto& b) { return a.second < b.second; });
    fastest.resize(static_cast<std::size_t>(count));
    for (const auto& [number, seconds] : fastest) {
      const std::vector<std::size_t> indices = supply_.space().indices(number);
      for (std::size_t p = 0; p < indices.size(); ++p) {
        std::vector<std::size_t> changed = indices;
        for (changed[p] = 0; changed[p] < supply_.space().parameters()[p].values.size(); ++changed[p])
          if (const std::uint64_t other = supply_.space().number(changed);
              !supply_.is_taken(other) && supply_.allows(other))
            result.push_back(other);
      }
    }
    return result;
  }

  // Length scales by coordinate descent on the likelihood, from those of the last fit.
  Process fit(const std::vector<Point>& points, const std::vector<double>& values) {
    const auto process = [&](const Point& scales, double noise) {
      return Process(points, values, scales, noise);
    };
    if (scales_.empty()) scales_.assign(dimensions_, 0.5);
    double best = process(scales_, noise_).likelihood();
    const auto try_out = [&](const Point& scales, double noise) {
      // Long scales are likely beforehand: most parameters matter little.
      const double likelihood = process(scales, noise).likelihood();
      if (likelihood <= best) return;
      best = likelihood;
      scales_ = scales;
      noise_ = noise;
    };
    if (points.size() <= fitted_ + fitted_ / 8) return process(scales_, noise_);
    fitted_ = points.size();
    for (const double scale : {0.2, 0.5, 1.0, 2.0}) try_out(Point(dimensions_, scale), noise_);
    for (std::size_t d = 0; d < dimensions_; ++d) {
      for (const double factor : {0.4, 2.5, 6.0}) {
        Point scales = scales_;
        scales[d] = std::clamp(scales[d] * factor, 0.1, 8.0);
        try_out(scales, noise_);
      }
    }
    for (const double noise : {1e-4, 1e-3, 1e-2, 1e-1}) try_out(scales_, noise);
    return process(scales_, noise_);
  }

  std::optional<std::uint64_t> expected() {
    // Times that cannot be used are as long as the longest.
    double fastest = std::numeric_limits<double>::infinity(), slowest = 0;
    for (const auto& [number, seconds] : told_) {
      if (!std::isfinite(seconds)) continue;
      fastest = std::min(fastest, seconds);
      slowest = std::max(slowest, seconds);
    }
    std::vector<std::pair<double, std::uint64_t>> used;  // logarithm, number
    for (const auto& [number, seconds] : told_)
      used.emplace_back(logarithm_of(std::isfinite(seconds) ? seconds : slowest), number);
    if (used.size() > kMostPoints) {
      const auto recent = used.end() - static_cast<std::ptrdiff_t>(kMostPoints / 4);
      std::sort(used.begin(), recent);
      used.erase(used.begin() + static_cast<std::ptrdiff_t>(kMostPoints * 3 / 4), recent);
    }
    // Unfinished ones count as average, so that the next is looked for elsewhere.
    double mean = 0;
    for (const auto& one : used) mean += one.first / static_cast<double>(used.size());
    for (const std::uint64_t number : pending_) used.emplace_back(mean, number);

    double variance = 0;
    for (const auto& one : used) variance += (one.first - mean) * (one.first - mean);
    const double deviation = std::max(std::sqrt(variance / static_cast<double>(used.size())), 1e-9);
    std::vector<Point> points;
    std::vector<double> values;
    for (const auto& [logarithm, number] : used) {
      points.push_back(coordinates_.of(number));
      values.push_back((logarithm - mean) / deviation);
    }
    const Process process = fit(points, values);
    const double target = (logarithm_of(fastest) - mean) / deviation;

    std::optional<std::uint64_t> best;
    double best_gain = -1;
    for (const std::uint64_t number : candidates()) {
      const auto [predicted, uncertainty] = process.predict(coordinates_.of(number));
      const double z = (target - predicted) / uncertainty;
      const double density = std::exp(-0.5 * z * z) / std::sqrt(2 * 3.14159265358979323846);
      const double gain = uncertainty * (z * 0.5 * std::erfc(-z / std::sqrt(2.0)) + density);
      if (gain > best_gain) {
        best_gain = gain;
        best = number;
      }
    }
    return best;
  }

  Coordinates coordinates_;
  std::size_t dimensions_ = 0, first_ = 0, fitted_ = 0;
  std::vector<std::pair<std::uint64_t, double>> told_;
  std::vector<std::uint64_t> pending_;
  Point scales_;
  double noise_ = 1e-2;
};

}  // namespace

std::unique_ptr<Strategy> make_bayes(Supply& supply, std::uint64_t seed) {
  return std::make_unique<Bayes>(supply, seed);
}

}  // namespace quern::tuning
