// SPDX-License-Identifier: MIT
// Eigenvalues of Hermitian operators by the Lanczos method with thick restarts.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "quern/arithmetic.hpp"
#include "quern/manipulation.hpp"
#include "quern/matmul.hpp"
#include "quern/random.hpp"
#include "quern/reduce.hpp"
#include "quern/views.hpp"
#include "sparse/host_matrix.hpp"
#include "sparse/krylov.hpp"
#include "sparse/state.hpp"

namespace quern::sparse {
namespace {

// A small symmetric matrix on the host, row by row.
struct Small {
  std::size_t size;
  std::vector<double> values;
  explicit Small(std::size_t n) : size(n), values(n * n) {}
  double& operator()(std::size_t i, std::size_t j) { return values[i * size + j]; }
};

// Jacobi's method: the matrix becomes diagonal, `vectors` has the eigenvectors as columns.
void diagonalise(Small& matrix, Small& vectors) {
  const std::size_t n = matrix.size;
  for (std::size_t i = 0; i < n; ++i) vectors(i, i) = 1;
  double all = 0;
  for (const double value : matrix.values) all += value * value;
  const double least = 1e-34 * std::sqrt(all);
  constexpr int kSweeps = 60;
  bool has_rotated = true;
  for (int sweep = 0; has_rotated && sweep < kSweeps; ++sweep) {
    has_rotated = false;
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t q = p + 1; q < n; ++q) {
        // Relative to both elements of the diagonal, so that small eigenvalues beside great ones are exact,
        // too.
        const double size = std::sqrt(std::abs(matrix(p, p))) * std::sqrt(std::abs(matrix(q, q)));
        if (std::abs(matrix(p, q)) <= std::max(1e-17 * size, least)) continue;
        has_rotated = true;
        const double theta = (matrix(q, q) - matrix(p, p)) / (2 * matrix(p, q));
        const double t = (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
        const double c = 1 / std::sqrt(t * t + 1), s = t * c;
        const auto rotate = [c, s](double& first, double& second) {
          const double before = first;
          first = c * before - s * second;
          second = s * before + c * second;
        };
        for (std::size_t k = 0; k < n; ++k) rotate(matrix(k, p), matrix(k, q));
        for (std::size_t k = 0; k < n; ++k) rotate(matrix(p, k), matrix(q, k));
        for (std::size_t k = 0; k < n; ++k) rotate(vectors(k, p), vectors(k, q));
      }
    }
  }
}

// The eigenvalue with the smallest key is wanted most.
double key_of(double value, const EigenOptions& options) {
  if (options.shift) return std::abs(options.shift->used + 1 / value - options.shift->wanted);
  switch (options.which) {
    case Which::largest_magnitude:
      return -std::abs(value);
    case Which::smallest_magnitude:
      return std::abs(value);
    case Which::largest:
      return -value;
    default:
      return value;
  }
}

// Eigenpairs of the operator projected on the basis, the wanted ones first.
struct Ritz {
  std::size_t used;  // vectors of the basis; fewer than it has if they span an invariant space
  std::vector<double> values, residuals, keys;
  std::vector<std::vector<double>> vectors;
};

class Lanczos {
 public:
  Lanczos(const LinearOperator& a, const EigenOptions& options)
      : a_(a),
        options_(options),
        n_(a.size().rows),
        wanted_(static_cast<std::size_t>(options.count)),
        dtype_(solver_type(a.dtype(), a.dtype())),
        queue_(options.v0 ? options.v0->queue() : a.matrix()->queue()),
        is_single_(dtype_.scalar == Scalar::float32 || dtype_.scalar == Scalar::complex64),
        precision_(is_single_ ? std::numeric_limits<float>::epsilon()
                              : std::numeric_limits<double>::epsilon()),
        tolerance_(options.tol > 0 ? options.tol : precision_ * (is_single_ ? 8 : 64)) {
    const std::int64_t usual = std::max<std::int64_t>(2 * options.count + 1, 20);
    size_ = std::clamp(options.basis.value_or(usual), std::min(options.count + 2, n_), n_);
    basis_ = zeros(queue_, {size_ + 1, n_}, dtype_);
    table_ = zeros(queue_, {size_, size_ + 1}, dtype_);
    const Array start = options.v0 ? first_guess(options.v0, n_, dtype_, queue_)
                                   : random_vector(queue_, n_, dtype_, nullptr, seed_++);
    const double length = read_norm(start);
    if (!(length > 0)) value_error("eigsh: v0 must not be zero");
    assign(view(*basis_, {Index(0)}), start / length);
  }

  Eigen run() {
    const std::int64_t most = options_.maxiter.value_or(10 * n_);
    std::vector<double> found;  // keys of the pairs that converged in a search before this one
    int repairs = 0;
    for (std::int64_t cycle = 0; cycle < most; ++cycle) {
      const Ritz ritz = extend();
      const std::size_t converged = count_converged(ritz);
      const bool has_all = converged == wanted_, is_last = cycle + 1 == most;
      if (!has_all && is_last) fail(ritz);
      const bool spans_all = static_cast<std::int64_t>(ritz.used) == n_;
      // One start vector finds an eigenvalue once, however often it occurs. So the search goes on with a new
      // vector, orthogonal to those that were found, until the best pair beside them is known and is not
      // better.
      if (has_all && (spans_all || is_last || (is_same(ritz, found) && knows_next(ritz)))) {
        const Array rows = mixed(ritz, wanted_);
        std::optional<Eigen> result = checked(ritz, rows, repairs == kRepairs || is_last || spans_all);
        if (result) return *result;
        ++repairs;
        continue;
      }
      const bool starts_anew =
          ritz.used < static_cast<std::size_t>(size_) || (has_all && !is_same(ritz, found));
      if (has_all) found.assign(ritz.keys.begin(), ritz.keys.begin() + static_cast<std::ptrdiff_t>(wanted_));
      const auto m = static_cast<std::size_t>(size_);
      // A new search needs room for its vectors, also if those before spanned an invariant space.
      const std::size_t keep =
          starts_anew ? std::min(wanted_, ritz.used) : wanted_ + std::max<std::size_t>((m - wanted_) / 2, 1);
      const std::size_t kept = std::min(keep, m - 1);
      const Array rows = mixed(ritz, kept);
      restart(rows, {ritz.values.begin(), ritz.values.begin() + static_cast<std::ptrdiff_t>(kept)},
              starts_anew ? random_vector(queue_, n_, dtype_, &rows, seed_++)
                          : copy(view(*basis_, {Index(size_)})));
    }
    throw NoConvergence("eigsh: maxiter must be at least 1", empty_result());
  }

 private:
  static constexpr int kRepairs = 4;

  // Fills the basis and solves the projected problem.
  Ritz extend() {
    assign(*table_, 0);
    for (auto j = static_cast<std::int64_t>(kept_.size()); j < size_; ++j)
      extend_basis(*basis_, *table_, j, a_(view(*basis_, {Index(j)})));
    const std::vector<double> read = host_values<double>(*table_);
    const auto m = static_cast<std::size_t>(size_), width = m + 1;
    for (const double value : read) {
      if (!std::isfinite(value)) throw Error("eigsh: the operator returned a number that is not finite");
      scale_ = std::max(scale_, std::abs(value));
    }
    // A vanishing length: the vectors before span an invariant space.
    std::size_t used = m;
    for (std::size_t j = kept_.size(); j < m && used == m; ++j) {
      double squared = 0;
      for (std::size_t i = 0; i <= j; ++i) squared += read[j * width + i] * read[j * width + i];
      if (read[j * width + j + 1] <= 16 * precision_ * std::sqrt(squared)) used = j + 1;
    }
    Small matrix(used), vectors(used);
    for (std::size_t i = 0; i < std::min(kept_.size(), used); ++i) matrix(i, i) = kept_[i];
    for (std::size_t j = kept_.size(); j < used; ++j)
      for (std::size_t i = 0; i <= j; ++i) matrix(i, j) = matrix(j, i) = read[j * width + i];
    diagonalise(matrix, vectors);
    std::vector<std::size_t> order(used);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
      return key_of(matrix(i, i), options_) < key_of(matrix(j, j), options_);
    });
    // Nothing is left beside a basis of the whole space but rounding errors.
    const double last = used < m || size_ == n_ ? 0 : read[(m - 1) * width + m];
    Ritz ritz{used, {}, {}, {}, {}};
    for (const std::size_t k : order) {
      ritz.values.push_back(matrix(k, k));
      ritz.keys.push_back(key_of(matrix(k, k), options_));
      ritz.residuals.push_back(std::abs(last * vectors(used - 1, k)));
      auto& column = ritz.vectors.emplace_back();
      for (std::size_t i = 0; i < used; ++i) column.push_back(vectors(i, k));
    }
    return ritz;
  }

  // An eigenvalue near 0 is known to the rounding of the operator, not to its own size.
  [[nodiscard]] double limit(double value) const {
    return std::max(tolerance_ * std::abs(value), 16 * precision_ * scale_);
  }

  [[nodiscard]] std::size_t count_converged(const Ritz& ritz) const {
    std::size_t count = 0;
    for (std::size_t k = 0; k < std::min(wanted_, ritz.used); ++k)
      count += ritz.residuals[k] <= limit(ritz.values[k]) ? 1 : 0;
    return count;
  }

  [[nodiscard]] bool is_same(const Ritz& ritz, const std::vector<double>& found) const {
    if (found.size() != wanted_) return false;
    // Keys of a shift are eigenvalues of the inverse operator.
    for (std::size_t k = 0; k < wanted_; ++k) {
      const double scale = options_.shift ? std::abs(found[k]) + std::abs(1 / scale_) : scale_;
      if (std::abs(found[k] - ritz.keys[k]) > 64 * tolerance_ * scale) return false;
    }
    return true;
  }

  // Whether the best pair that is not wanted has converged, roughly.
  [[nodiscard]] bool knows_next(const Ritz& ritz) const {
    if (ritz.used <= wanted_) return false;
    return ritz.residuals[wanted_] <= std::pow(tolerance_, 2.0 / 3.0) * scale_;
  }

  // The first Ritz vectors, as rows.
  [[nodiscard]] Array mixed(const Ritz& ritz, std::size_t count) const {
    std::vector<double> mix;
    for (std::size_t k = 0; k < count; ++k)
      mix.insert(mix.end(), ritz.vectors[k].begin(), ritz.vectors[k].end());
    const auto used = static_cast<std::int64_t>(ritz.used);
    Array rows = matmul(device_values(queue_, mix, {static_cast<std::int64_t>(count), used}, dtype_),
                        view(*basis_, {Index::slice(0, used)}));
    rows.evaluate();
    return rows;
  }

  // Goes on from these vectors, whose Rayleigh quotients are known, and a new one.
  void restart(const Array& rows, std::vector<double> values, const Array& next) {
    next.evaluate();
    kept_ = std::move(values);
    const auto count = static_cast<std::int64_t>(kept_.size());
    assign(view(*basis_, {Index::slice(0, count)}), rows);
    assign(view(*basis_, {Index(count)}), next);
  }

  // The wanted pairs if the residuals, computed by the operator, are small. Otherwise restarts with the
  // greatest residual, or throws if that is of no use any more.
  std::optional<Eigen> checked(const Ritz& ritz, const Array& rows, bool must_end) {
    std::vector<double> quotients, residuals;
    std::vector<Array> rests;
    std::vector<std::size_t> good;
    for (std::size_t k = 0; k < wanted_; ++k) {
      const Array x = copy(view(rows, {Index(static_cast<std::int64_t>(k))}));
      const Array image = a_(x);
      const double quotient = read_sum(real_dot(x, image)) / read_sum(real_dot(x, x));
      rests.push_back(image - quotient * x);
      quotients.push_back(quotient);
      residuals.push_back(read_norm(rests.back()));
      if (residuals.back() <= std::max(16 * limit(ritz.values[k]), 1024 * precision_ * scale_))
        good.push_back(k);
    }
    if (good.size() == wanted_) return sorted(quotients, rows, good);
    if (must_end)
      throw NoConvergence("eigsh: " + std::to_string(good.size()) + " of " + std::to_string(wanted_) +
                              " pairs have a small residual; the operator is not Hermitian, or its rounding "
                              "errors are too great",
                          sorted(quotients, rows, good));
    const auto worst =
        static_cast<std::size_t>(std::max_element(residuals.begin(), residuals.end()) - residuals.begin());
    const Array rest = rests[worst] / residuals[worst];
    restart(rows, quotients, orthogonalised(rest, rows));
    return std::nullopt;
  }

  // These pairs by their values.
  [[nodiscard]] Eigen sorted(const std::vector<double>& values, const Array& rows,
                             std::vector<std::size_t> chosen) const {
    if (chosen.empty()) return empty_result();
    std::sort(chosen.begin(), chosen.end(),
              [&](std::size_t i, std::size_t j) { return values[i] < values[j]; });
    std::vector<double> ordered;
    std::vector<Array> columns;
    for (const std::size_t k : chosen) {
      ordered.push_back(values[k]);
      columns.push_back(view(rows, {Index(static_cast<std::int64_t>(k))}));
    }
    const Array vectors = copy(stack(columns, 1));
    vectors.evaluate();
    return {device_values(queue_, ordered, {static_cast<std::int64_t>(ordered.size())}, real_type()),
            vectors};
  }

  [[nodiscard]] Eigen empty_result() const {
    return {zeros(queue_, {0}, real_type()), zeros(queue_, {n_, 0}, dtype_)};
  }

  [[nodiscard]] DType real_type() const { return DType::of(is_single_ ? Scalar::float32 : Scalar::float64); }

  [[noreturn]] void fail(const Ritz& ritz) const {
    std::vector<std::size_t> good;
    for (std::size_t k = 0; k < std::min(wanted_, ritz.used); ++k)
      if (ritz.residuals[k] <= limit(ritz.values[k])) good.push_back(k);
    throw NoConvergence("eigsh: " + std::to_string(good.size()) + " of " + std::to_string(wanted_) +
                            " pairs converged within maxiter restarts; raise maxiter or ncv, or lower the "
                            "precision by tol=",
                        sorted(ritz.values, mixed(ritz, std::min(wanted_, ritz.used)), good));
  }

  const LinearOperator& a_;
  const EigenOptions& options_;
  std::int64_t n_, size_ = 0;
  std::size_t wanted_;
  DType dtype_;
  Queue queue_;
  bool is_single_;
  double precision_, tolerance_, scale_ = 0;
  std::optional<Array> basis_, table_;  // vectors as rows, and the products with the operator
  std::vector<double> kept_;            // eigenvalues of the vectors that a restart keeps
  std::uint64_t seed_ = 20;
};

// The spectrum has two ends, and a run of the method looks at one.
Eigen from_both_ends(const LinearOperator& a, EigenOptions options) {
  const std::int64_t count = options.count;
  options.which = Which::largest;
  options.count = count - count / 2;
  const Eigen upper = Lanczos(a, options).run();
  if (count == 1) return upper;
  options.which = Which::smallest;
  options.count = count / 2;
  const Eigen lower = Lanczos(a, options).run();
  return {concat(std::vector<Array>{lower.values, upper.values}),
          concat(std::vector<Array>{lower.vectors, upper.vectors}, 1)};
}

}  // namespace

Array orthogonalised(Array v, const Array& known) {
  const Array adjoint = is_complex(known.dtype()) ? apply("conj", {known}) : known;
  for (int pass = 0; pass < 2; ++pass) v = v - matmul(matmul(adjoint, v), known);
  return v / quern::astype(apply("sqrt", {real_dot(v, v)}), known.dtype());
}

Array random_vector(const Queue& queue, std::int64_t n, const DType& dtype, const Array* known,
                    std::uint64_t seed) {
  const Array drawn =
      random::Generator(seed).draw(queue, {n}, DType::of(Scalar::float32), random::Uniform{-1, 1});
  const Array v = quern::astype(drawn, dtype);
  if (known != nullptr) return orthogonalised(v, *known);
  return v / quern::astype(apply("sqrt", {real_dot(v, v)}), dtype);
}

Eigen eigsh(const LinearOperator& a, const EigenOptions& options) {
  check_square("eigsh", a);
  const std::int64_t n = a.size().rows;
  if (options.count < 1 || options.count >= n)
    value_error("eigsh: k must be at least 1 and less than " + std::to_string(n) + ", got " +
                std::to_string(options.count));
  if (!options.v0 && a.matrix() == nullptr)
    value_error("eigsh: an operator that is not a matrix needs v0, whose device it runs on");
  return options.which == Which::both_ends ? from_both_ends(a, options) : Lanczos(a, options).run();
}

}  // namespace quern::sparse
