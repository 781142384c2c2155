// SPDX-License-Identifier: MIT
// Sanitizer suppressions for the OpenCL tests. Drivers are not built with sanitizers, and PoCL and LLVM keep
// memory until the process ends; only what their libraries allocate is left out, nothing of ours.
#if defined(__has_feature)
#define QUERN_HAS_FEATURE(x) __has_feature(x)
#else
#define QUERN_HAS_FEATURE(x) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || QUERN_HAS_FEATURE(address_sanitizer)
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libpocl\nleak:libOpenCL\nleak:libLLVM\nleak:libclang\nleak:libhwloc\nleak:libnvidia\n";
}
#endif

#if defined(__SANITIZE_THREAD__) || QUERN_HAS_FEATURE(thread_sanitizer)
extern "C" const char* __tsan_default_suppressions();
extern "C" const char* __tsan_default_suppressions() {
  return "called_from_lib:libpocl.so\ncalled_from_lib:libOpenCL.so\nrace:libpocl\nmutex:libpocl\nthread:"
         "libpocl\n";
}
#endif
