// SPDX-License-Identifier: MIT
// Selection of elements in their order: by a predicate, by differences of neighbours, or by being nonzero.
//
// Arrays are one-dimensional and contiguous, and outputs share no memory with inputs. If the length of a
// result depends on the data, the form without outputs waits for it; the form with outputs writes `count`, an
// array of one uint64 (or int64), and does not wait. The result has at most all
// elements, and only the device knows how many: of a result that is longer than an output, the first elements
// are written, as many as fit, and `count` is the whole number. Outputs of unique and run_length_encode
// without any element are refused, because each array with elements has a run.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "quern/api.hpp"
#include "quern/kernel.hpp"

namespace QUERN_API quern {

// A predicate: a C expression of x[i] and `i`. It may use more arguments, declared as in "float limit, const
// int *other".
struct Predicate {
  explicit Predicate(std::string text, std::string declared = {}, std::vector<KernelArgument> given = {})
      : expression(std::move(text)), arguments(std::move(declared)), values(std::move(given)) {}
  // A mask: true where an array of bool or integers is not zero. It is borrowed.
  explicit Predicate(const Array& where) : mask(&where) {}

  std::string expression, arguments;
  std::vector<KernelArgument> values;
  const Array* mask = nullptr;
};

// The elements for which the predicate is true (copy_if) or false (remove_if).
Array copy_if(const Queue& queue, const Array& x, const Predicate& predicate);
Event copy_if(const Queue& queue, const Array& x, const Predicate& predicate, const Array& out,
              const Array& count, WaitList wait_for = {});
Array remove_if(const Queue& queue, const Array& x, const Predicate& predicate);
Event remove_if(const Queue& queue, const Array& x, const Predicate& predicate, const Array& out,
                const Array& count, WaitList wait_for = {});

// First the elements for which the predicate is true, then the others, both in their order. The second array,
// of one uint64, holds the number of the former; the call does not wait.
std::pair<Array, Array> partition(const Queue& queue, const Array& x, const Predicate& predicate);
Event partition(const Queue& queue, const Array& x, const Predicate& predicate, const Array& out,
                const Array& count, WaitList wait_for = {});

// The indices (int64) of nonzero elements.
Array nonzero(const Queue& queue, const Array& x);
Event nonzero(const Queue& queue, const Array& x, const Array& out, const Array& count,
              WaitList wait_for = {});

// The first element of each run of equal ones. NaNs are equal to nothing.
Array unique(const Queue& queue, const Array& x);
Event unique(const Queue& queue, const Array& x, const Array& out, const Array& count,
             WaitList wait_for = {});

// The element, the start and the length of each run (both int64).
struct Runs {
  Array values, starts, lengths;
};
Runs run_length_encode(const Queue& queue, const Array& x);
Event run_length_encode(const Queue& queue, const Array& x, const Runs& out, const Array& count,
                        WaitList wait_for = {});

}  // namespace quern
