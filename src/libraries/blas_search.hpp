// SPDX-License-Identifier: MIT
// The files in which a BLAS may be, in the order of preference.
#pragma once

#include <string>
#include <vector>

namespace quern::libraries {

struct BlasFile {
  std::string name;  // of the library: "OpenBLAS", "MKL"
  std::string path;  // or a soname
};

// QUERN_BLAS_LIBRARY alone if it is set; otherwise the scipy-openblas64 package, NumPy's own file, MKL, the
// system's OpenBLAS, FlexiBLAS and BLIS. The reference BLAS is not among them: it is slower than our loops.
std::vector<BlasFile> blas_files();

}  // namespace quern::libraries
