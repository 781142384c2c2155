// SPDX-License-Identifier: MIT
// The registry of functions of arrays.
#include "quern/registry.hpp"

#include <sstream>
#include <unordered_map>
#include <utility>

#include "functions/rows.hpp"
#include "quern/error.hpp"

namespace quern::registry {
namespace {

int checked_int(std::int64_t axis) {
  // Out of range for every array; the function reports it.
  constexpr std::int64_t kMost = 1 << 30;
  return static_cast<int>(axis > kMost ? kMost : axis < -kMost ? -kMost : axis);
}

thread_local const char* warning = nullptr;

}  // namespace

void warn(const char* text) noexcept {
  warning = text;
}

const char* take_warning() noexcept {
  return std::exchange(warning, nullptr);
}

std::vector<std::int64_t> Arguments::integers(std::size_t k) const {
  if (is<std::int64_t>(k)) return {integer(k)};
  return get<std::vector<std::int64_t>>(k);
}

MemoryOrder Arguments::order(std::size_t k, std::string_view allowed) const {
  if (!is<std::string>(k) || text(k) == "C") return MemoryOrder::c;
  return memory_order_of(text(k), function_->name.substr(function_->name.find('.') + 1), allowed);
}

std::vector<Operand> Arguments::operands(std::size_t k) const {
  std::vector<Operand> result;
  for (const Item& item : get<std::vector<Item>>(k)) {
    const auto* const array = std::get_if<Array>(&item);
    result.push_back(array != nullptr ? Operand(*array) : Operand(std::get<Number>(item)));
  }
  return result;
}

std::optional<std::vector<int>> Arguments::axes(std::size_t k) const {
  if (!has(k)) return {};
  std::vector<int> result;
  for (const std::int64_t axis : integers(k)) result.push_back(checked_int(axis));
  return result;
}

Over Arguments::over(std::size_t k) const {
  return is<std::int64_t>(k) ? Over(checked_int(integer(k))) : Over(axes(k));
}

std::optional<int> Arguments::axis(std::size_t k) const {
  return has(k) ? std::optional<int>(checked_int(integer(k))) : std::nullopt;
}

std::optional<Array> Arguments::mask(std::size_t k) const {
  if (is<Array>(k)) return array(k);
  if (!has(k) || flag(k)) return {};
  return full(*queue_, {}, Number(false), DType::of(Scalar::boolean));
}

std::span<const Function> functions() {
  static const auto* const all = [] {
    auto* const rows = new std::vector<Function>(elementwise_rows());
    for (const std::span<const Function> table :
         {bit_rows(),          composite_rows(), creation_rows(),        cumulative_rows(),
          difference_rows(),   editing_rows(),   einsum_rows(),          fft_cosine_rows(),
          fft_helper_rows(),   fft_rows(),       histogram_rows(),       index_trick_rows(),
          indexing_rows(),     joining_rows(),   joint_histogram_rows(), linalg_rows(),
          memory_order_rows(), nan_rows(),       padding_rows(),         polyfit_rows(),
          polynomial_rows(),   product_rows(),   question_rows(),        reduction_rows(),
          repetition_rows(),   set_rows(),       signal_rows(),          sorting_rows(),
          spacing_rows(),      splitting_rows(), statistics_rows(),      view_rows()})
      rows->insert(rows->end(), table.begin(), table.end());
    return rows;
  }();
  return *all;
}

const Function* find_function(std::string_view name) {
  static const auto* const known = [] {
    auto* const made = new std::unordered_map<std::string, const Function*>;
    for (const Function& function : functions())
      for (const std::string& one : names_of(function)) made->emplace(one, &function);
    return made;
  }();
  const auto found = known->find(std::string(name));
  return found == known->end() ? nullptr : found->second;
}

std::vector<std::string> names_of(const Function& function) {
  std::vector<std::string> names = {std::string(function.name)};
  std::istringstream rest{std::string(function.aliases)};
  for (std::string name; rest >> name;) names.push_back(name);
  return names;
}

}  // namespace quern::registry
