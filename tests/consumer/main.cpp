// SPDX-License-Identifier: MIT
// A user's program against the library: runs a kernel, catches errors by their types and answers 0 when all
// is right.
#include <cstdio>
#include <quern/quern.hpp>
#include <vector>

namespace {

bool a_kernel_runs() {
  const quern::Queue queue{quern::device("host")};
  const quern::Array x = quern::asarray(queue, std::vector<int>{1, 2, 3, 4, 5});
  const quern::Kernel square =
      quern::Program{"kernel void square(global int *x) { int i = get_global_id(0); x[i] = x[i] * x[i]; }"}
          .kernel("square");
  square(queue, quern::range(x.size()), x);
  return x.to_vector<int>(queue) == std::vector<int>{1, 4, 9, 16, 25};
}

bool a_build_error_is_caught() {
  const quern::Queue queue{quern::device("host")};
  const quern::Array x = quern::asarray(queue, std::vector<int>{1});
  try {
    quern::Program{"kernel void wrong(global int *x) { x[0] = nothing; }"}.kernel("wrong")(
        queue, quern::range(1), x);
  } catch (const quern::ArgumentError&) {
    return false;
  } catch (const quern::BuildError& error) {
    return !error.diagnostics().empty() && error.diagnostics().front().line == 1;
  }
  return false;
}

bool an_error_is_caught_as_its_base() {
  try {
    static_cast<void>(quern::device("a backend of no such name"));
  } catch (const quern::BuildError&) {
    return false;
  } catch (const quern::Error& error) {
    return dynamic_cast<const quern::BuildError*>(&error) == nullptr && error.what()[0] != '\0';
  }
  return false;
}

bool said(const char* what, bool right) {
  std::printf("%s: %s\n", what, right ? "right" : "WRONG");
  return right;
}

}  // namespace

int main() {
  const bool kernel = said("a kernel runs", a_kernel_runs());
  const bool build_error = said("a BuildError is caught", a_build_error_is_caught());
  const bool base = said("an error is caught as its base", an_error_is_caught_as_its_base());
  return kernel && build_error && base ? 0 : 1;
}
