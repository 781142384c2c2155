// SPDX-License-Identifier: MIT
// Keeping some elements of an array, in their order: by a predicate, where neighbours differ, or what is not
// zero.
//
// Arrays are one-dimensional and contiguous, and outputs share no memory with inputs. Where the length of a
// result depends on the data, the form without outputs waits for it; the form with outputs writes `count`, an
// array of one uint64 (or int64), and does not wait. Outputs must hold what is kept, which is at most all.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "quern/api.hpp"
#include "quern/kernel.hpp"

namespace QUERN_API quern {

// For which elements something is done: those where an expression in C of x[i] and `i` is true. It may use
// more arguments, declared as in "float limit, const int *other".
struct Predicate {
  explicit Predicate(std::string text, std::string declared = {}, std::vector<KernelArgument> given = {})
      : expression(std::move(text)), arguments(std::move(declared)), values(std::move(given)) {}
  // Where an array of bool or of integers is not zero. It is borrowed.
  explicit Predicate(const Array& where) : mask(&where) {}

  std::string expression, arguments;
  std::vector<KernelArgument> values;
  const Array* mask = nullptr;
};

// The elements for which the predicate holds, or does not hold.
Array copy_if(const Queue& queue, const Array& x, const Predicate& predicate);
Event copy_if(const Queue& queue, const Array& x, const Predicate& predicate, const Array& out,
              const Array& count, WaitList wait_for = {});
Array remove_if(const Queue& queue, const Array& x, const Predicate& predicate);
Event remove_if(const Queue& queue, const Array& x, const Predicate& predicate, const Array& out,
                const Array& count, WaitList wait_for = {});

// First the elements for which the predicate holds, then the others, both in their order. The second array,
// of one uint64, says how many of the first kind there are; nobody waits for it.
std::pair<Array, Array> partition(const Queue& queue, const Array& x, const Predicate& predicate);
Event partition(const Queue& queue, const Array& x, const Predicate& predicate, const Array& out,
                const Array& count, WaitList wait_for = {});

// The positions (int64) of elements that are not zero.
Array nonzero(const Queue& queue, const Array& x);
Event nonzero(const Queue& queue, const Array& x, const Array& out, const Array& count,
              WaitList wait_for = {});

// The first element of each run of equal ones. NaNs are equal to nothing.
Array unique(const Queue& queue, const Array& x);
Event unique(const Queue& queue, const Array& x, const Array& out, const Array& count,
             WaitList wait_for = {});

// Each run's element, where it starts and how long it is (both int64).
struct Runs {
  Array values, starts, lengths;
};
Runs run_length_encode(const Queue& queue, const Array& x);
Event run_length_encode(const Queue& queue, const Array& x, const Runs& out, const Array& count,
                        WaitList wait_for = {});

}  // namespace quern
