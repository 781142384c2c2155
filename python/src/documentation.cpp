// SPDX-License-Identifier: MIT
// Completes docstrings with the descriptions of parameters that many functions share.
#include "documentation.hpp"

#include <stdexcept>
#include <utility>

namespace quern::python {
namespace {

constexpr std::pair<std::string_view, std::string_view> kSharedParameters[] = {
    {"queue", R"(queue : Queue, optional
    Queue to enqueue the work on; the current queue by default.)"},
    {"wait_for", R"(wait_for : Event or sequence of Event, optional
    Events that the work waits for.)"},
    {"descending", R"(descending : bool, optional
    If True, the order is from the largest key to the smallest. By default it is ascending.)"},
    {"sort_keys", R"(keys : Array
    Keys to sort: a contiguous one-dimensional array.)"},
    {"predicate", R"(predicate : str or Array
    C expression of x[i], the index `i` and the keyword arguments, or an array of bool or integers.)"},
    {"predicate_arguments", R"(**arguments
    Numbers and arrays that the predicate names.)"},
    {"selected_out", R"(out : Array, optional
    Array to store the elements in. It is given together with `count`. The length of `x` always suffices. Of a longer result
    only the first elements are stored, and `count` is greater than the length of `out`.)"},
    {"count_of_runs", R"(count : Array, optional
    Array of one uint64 or int64 that receives the number of runs.)"},
    {"named_args", R"(**named_args
    Arguments by the names in their declarations.)"},
};

std::string_view shared_parameter(std::string_view name) {
  for (const auto& [known, text] : kSharedParameters)
    if (known == name) return text;
  throw std::logic_error("no docstring shares a parameter " + std::string(name));
}

}  // namespace

std::string documented(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size());
    result += line.starts_with('@') ? shared_parameter(line.substr(1)) : line;
    if (text.empty()) break;
    text.remove_prefix(1);
    result += '\n';
  }
  return result;
}

}  // namespace quern::python
