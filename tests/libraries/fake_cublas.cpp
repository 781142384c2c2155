// SPDX-License-Identifier: MIT
// A fake cuBLAS: it has the functions that Quern looks up, and computes nothing. The first
// `fake_cublas_failures` calls of cublasCreate fail.
#include <cstddef>

extern "C" {

int fake_cublas_failures = 0;
int fake_cublas_creations = 0;

int cublasCreate_v2(void** handle) {
  ++fake_cublas_creations;
  if (fake_cublas_failures > 0) {
    --fake_cublas_failures;
    return 1;
  }
  *handle = &fake_cublas_creations;
  return 0;
}
int cublasGetVersion_v2(void*, int* version) {
  *version = 120304;
  return 0;
}
const char* cublasGetStatusName(int) {
  return "FAKE_NOT_INITIALIZED";
}
int cublasSetStream_v2(void*, void*) {
  return 0;
}
int cublasSetWorkspace_v2(void*, void*, std::size_t) {
  return 0;
}
int cublasGemmStridedBatchedEx_64() {
  return 1;
}
int cublasSsyrk_v2_64() {
  return 1;
}
int cublasDsyrk_v2_64() {
  return 1;
}
int cublasCsyrk_v2_64() {
  return 1;
}
int cublasZsyrk_v2_64() {
  return 1;
}

}  // extern "C"
