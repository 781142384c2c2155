// SPDX-License-Identifier: MIT
// Reports of the libraries that were found.
#include "quern/libraries.hpp"

#include <utility>

#include "base/cuda_libraries.hpp"
#include "libraries/blas.hpp"
#include "libraries/clblast.hpp"
#include "libraries/cublas.hpp"
#include "libraries/cudss.hpp"
#include "libraries/cufft.hpp"
#include "libraries/cusolver.hpp"
#include "libraries/cusparse.hpp"

namespace quern {

std::vector<LibraryReport> find_libraries() {
  return {libraries::blas_report(),     libraries::cublas_report(),   libraries::cufft_report(),
          libraries::cusolver_report(), libraries::cusparse_report(), libraries::cudss_report(),
          libraries::clblast_report()};
}

void try_libraries(const Queue& queue) {
  constexpr Scalar kScalar = Scalar::float32;  // all of them take it
  static_cast<void>(libraries::cublas_is_on(queue));
  static_cast<void>(libraries::cufft_takes(queue));
  static_cast<void>(libraries::cusolver_takes(queue, kScalar));
  static_cast<void>(libraries::cusparse_takes(queue, kScalar));
  static_cast<void>(libraries::cudss_takes(queue, kScalar));
}

void set_package_folders(std::vector<std::string> folders) {
  set_package_roots(std::move(folders));
}

}  // namespace quern
